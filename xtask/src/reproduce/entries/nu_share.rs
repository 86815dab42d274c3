//! C11: the classifier that is told a share of errors.

use lm_core::{
    BinaryLabels, Certificate, Dense, Error, Gram, Hypothesis, Labelling, Learner, TrainingSet, VectorGram,
    VectorKernel,
};
use lm_data::classic;
use lm_data::generate::two_moons;
use lm_qp::{CSvc, NuSvc};

use crate::reproduce::bench::{Bench, number};
use crate::reproduce::entry::{Entry, Outcome};
use crate::reproduce::figure::{Plot, Stroke};
use crate::reproduce::measure::{Binary, clouds, pair, scaled};
use crate::reproduce::vectors::{distance, norm};

pub(super) const ENTRIES: &[Entry] = &[Entry {
    id: "C11",
    place: "C Rem 6.13",
    claim: "With α ≤ 1/ℓ and Σα ≥ ν in place of the linear term, the same machines are found as with a cost. The share of margin errors \
            is at most ν, the share of support vectors at least ν, and ν does not depend on the scale of the feature space.",
    how: "Four examples are solved by hand. On moons, irises and digits both shares are counted for many ν, every machine is compared \
          with the cost C = 1/(ρℓ) that belongs to it, and data and kernels are scaled.",
    seed: 613,
    body,
}];

/// What is counted of a machine.
struct Counted {
    errors: f64,
    support: f64,
    cost: f64,
    values: Vec<f64>,
}

/// The machine for a share, checked: margin errors are those with `yf < 1`, beyond rounding.
fn counted<G: Gram + ?Sized>(gram: &G, labels: &BinaryLabels, nu: f64) -> Result<Counted, Error> {
    let set = TrainingSet::new(gram, labels)?;
    let fit = NuSvc::default().with_nu(nu).with_gap(1e-10).fit(gram, labels)?.converged()?;
    if !fit.certificate.verify(&set)?.is_valid() {
        return Err(Error::Numerical { what: "the certificate of a machine with a ν" });
    }
    let n = labels.signs().len() as f64;
    let values = fit.model.decision_values(gram)?;
    let short = values.iter().zip(labels.values()).filter(|(f, y)| y * **f < 1.0 - 1e-5).count();
    let support = fit.certificate.groups(&set)?.support();
    let cost = 1.0 / (fit.certificate.multipliers().rho() * n);
    Ok(Counted { errors: short as f64 / n, support: support as f64 / n, cost, values })
}

fn body(bench: &mut Bench) -> Outcome {
    by_hand(bench)?;
    let iris = pair(&classic::iris()?.data, [1.0, 2.0])?;
    let digits = pair(&classic::digits()?.data, [3.0, 8.0])?;
    let moons = two_moons(150, 0.25, bench.seed())?;
    let many: Vec<f64> = (1..=19).map(|k| 0.05 * f64::from(k)).collect();
    shares(bench, "moons", &moons, VectorKernel::gaussian(4.0)?, &many)?;
    shares(bench, "irises", &iris, VectorKernel::linear(), &[0.1, 0.2, 0.4, 0.8])?;
    shares(bench, "digits 3 and 8", &digits, VectorKernel::gaussian(1e-3)?, &[0.02, 0.1, 0.3, 0.6])?;
    scales(bench, &iris)?;
    largest(bench)?;
    figure(bench, &moons, &many)
}

/// x = ±1 and ±2, ν = ¾: each class shares out ⅜, ¼ to the near example and ⅛ to the far one, so w = 1 and ρ = 2.
fn by_hand(bench: &mut Bench) -> Outcome {
    let examples = Dense::new(vec![-2.0, -1.0, 1.0, 2.0], 4, 1)?;
    let labels = BinaryLabels::from_integers(&[-1, -1, 1, 1])?;
    let gram = VectorGram::new(&examples, VectorKernel::linear())?;
    let fit = NuSvc::default().with_nu(0.75).with_gap(1e-14).fit(&gram, &labels)?.converged()?;
    let rho = fit.certificate.multipliers().rho();
    bench.check_all_close(
        "x = ±1, ±2, ν = ¾: α",
        &[0.125, 0.25, 0.25, 0.125],
        &fit.certificate.alpha(),
        1e-12,
    );
    // In units in which the margin is at ±1: w/ρ = ½.
    let w = fit.model.over_columns(&examples)?;
    bench.check_all_close("ρ, w/ρ and b", &[2.0, 0.5, 0.0], &[rho, w.weights()[0], w.bias()], 1e-12);
    let same =
        CSvc::default().with_cost(1.0 / (4.0 * rho)).with_gap(1e-14).fit(&gram, &labels)?.converged()?;
    bench.check_all_close(
        "the machine with C = 1/(ρℓ) = ⅛: α and w",
        &[0.0625, 0.125, 0.125, 0.0625, 0.5],
        &[same.certificate.alpha(), same.model.over_columns(&examples)?.weights().to_vec()].concat(),
        1e-12,
    );
    Ok(())
}

/// Both shares, and the machine with the cost that belongs to each ν.
fn shares(bench: &mut Bench, name: &str, data: &Binary, kernel: VectorKernel, nus: &[f64]) -> Outcome {
    let gram = VectorGram::new(&data.examples, kernel)?;
    let (mut over, mut under, mut worst) = (f64::NEG_INFINITY, f64::INFINITY, 0.0_f64);
    let mut costs = Vec::new();
    for &nu in nus {
        let found = counted(&gram, &data.labels, nu)?;
        over = over.max(found.errors - nu);
        under = under.min(found.support - nu);
        let same =
            CSvc::default().with_cost(found.cost).with_gap(1e-10).fit(&gram, &data.labels)?.converged()?;
        let values = same.model.decision_values(&gram)?;
        worst = worst.max(distance(&values, &found.values) / norm(&values));
        costs.push(found.cost);
    }
    let range =
        format!("{name}, {} shares from {} to {}", nus.len(), number(nus[0]), number(nus[nus.len() - 1]));
    bench.check_at_most(format!("{range}: largest excess of margin errors over ν"), 1e-12, over);
    bench.check_at_least(format!("{range}: least excess of support vectors over ν"), -1e-12, under);
    bench.check_at_most(
        format!(
            "{range}: largest relative difference of f from the machine with C = 1/(ρℓ), from {} to {}",
            number(costs[0]),
            number(costs[costs.len() - 1])
        ),
        1e-4,
        worst,
    );
    let falls = costs.windows(2).all(|pair| pair[1] <= pair[0] * (1.0 + 1e-9));
    bench.check(
        format!("{name}: the cost as ν grows"),
        "falls",
        if falls { "falls" } else { "does not fall" },
        falls,
    );
    Ok(())
}

/// ν keeps its meaning when the data are scaled; the cost does not.
fn scales(bench: &mut Bench, data: &Binary) -> Outcome {
    let nu = 0.3;
    let mut seen = Vec::new();
    for factor in [1.0, 100.0, 0.01] {
        let examples = scaled(&data.examples, factor)?;
        let gram = VectorGram::new(&examples, VectorKernel::linear())?;
        let found = counted(&gram, &data.labels, nu)?;
        seen.push((factor, found));
    }
    let (_, plain) = &seen[0];
    for (factor, found) in &seen[1..] {
        let off = distance(&found.values, &plain.values) / norm(&plain.values);
        bench.check_at_most(
            format!("irises scaled by {}, ν = {nu}: relative difference of f", number(*factor)),
            1e-5,
            off,
        );
        bench.check_close(
            format!(
                "irises scaled by {}: the cost that belongs to ν, times the square of the scale",
                number(*factor)
            ),
            plain.cost,
            found.cost * factor * factor,
            1e-5 * plain.cost,
        );
    }
    Ok(())
}

/// The largest ν: each class can share out at most its number of 1/ℓ.
fn largest(bench: &mut Bench) -> Outcome {
    let data = clouds(40, 2, 1.0, bench.seed())?;
    let rows: Vec<usize> = (0..40).filter(|row| row % 4 != 1).collect();
    let labels = data.labels.select(&rows)?;
    let kept: Vec<&[f64]> = rows.iter().map(|&row| data.examples.slice(row)).collect();
    let examples = Dense::from_rows(&kept)?;
    let gram = VectorGram::new(&examples, VectorKernel::gaussian(1.0)?)?;
    let positive = labels.values().iter().filter(|sign| **sign > 0.0).count();
    let most = 2.0 * positive.min(30 - positive) as f64 / 30.0;
    let refused = NuSvc::default().with_nu(most + 1e-3).fit(&gram, &labels);
    let refused = matches!(refused, Err(Error::Setting { name: "nu", .. }));
    let taken = counted(&gram, &labels, most)?;
    bench.check_at_most(
        format!("{positive} of 30 examples positive, ν = {}: share of margin errors", number(most)),
        most,
        taken.errors,
    );
    bench.erratum(
        "The machines for all C are found as ν is varied between 0 and 1.",
        "ν is at most twice the share of the smaller class: with Σ αy = 0 and α ≤ 1/ℓ no larger Σα can be had.",
        format!(
            "{positive} of 30 examples are positive: the largest Σα is 2·{positive}/30 = {}; ν = {} is refused, and {} is solved.",
            number(most),
            number(most + 1e-3),
            number(most)
        ),
        refused && most < 1.0,
    );
    Ok(())
}

fn figure(bench: &mut Bench, data: &Binary, nus: &[f64]) -> Outcome {
    let gram = VectorGram::new(&data.examples, VectorKernel::gaussian(4.0)?)?;
    let (mut errors, mut support) = (Vec::new(), Vec::new());
    for &nu in nus {
        let found = counted(&gram, &data.labels, nu)?;
        errors.push([nu, found.errors]);
        support.push([nu, found.support]);
    }
    let svg = Plot::new("ν", "share of the examples")
        .x_range(0.0, 1.0)
        .y_range(0.0, 1.0)
        .equal_axes()
        .curve("ν", &[[0.0, 0.0], [1.0, 1.0]], Stroke::THIN)
        .marked_series("margin errors", &errors)
        .marked_series("support vectors", &support)
        .render()?;
    bench.figure(
        "shares",
        "150 points of two moons under a Gaussian kernel: margin errors are at most the share ν, support vectors at least.",
        svg,
    )
}
