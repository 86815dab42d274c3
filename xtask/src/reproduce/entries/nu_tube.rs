//! C22: the regression that is told how many points may lie outside its tube.

use lm_core::{
    Certificate, Dense, Error, Hypothesis, Learner, Targets, TrainingSet, VectorGram, VectorKernel,
};
use lm_data::classic;
use lm_data::generate::{sinc, sinc_value};
use lm_qp::{EpsilonSvr, NuSvr};

use crate::reproduce::bench::{Bench, number};
use crate::reproduce::entry::{Entry, Outcome};
use crate::reproduce::figure::{Plot, Stroke};
use crate::reproduce::vectors::{distance, norm};

pub(super) const ENTRIES: &[Entry] = &[Entry {
    id: "C22",
    place: "C Rem 6.23",
    claim: "The regression can be adapted so that the number of points outside the ε-band is given, in place of ε: at most a share ν of \
            them lies outside, at least that share are support vectors, and the machine is the one with the ε that was found.",
    how: "Four examples are solved by hand. On a curve with noise and the petals of irises both shares are counted for many ν; ε is \
          compared with the errors in order, and the machine with that of the fixed ε. Noise of another size must give a tube of \
          another size, with the same shares.",
    seed: 623,
    body,
}];

/// What is counted of a machine.
struct Counted {
    tube: f64,
    outside: f64,
    support: f64,
    values: Vec<f64>,
}

fn counted(
    examples: &Dense<'_>,
    targets: &Targets,
    kernel: VectorKernel,
    cost: f64,
    nu: f64,
) -> Result<Counted, Error> {
    let gram = VectorGram::new(examples, kernel)?;
    let set = TrainingSet::new(&gram, targets)?;
    let fit =
        NuSvr::default().with_cost(cost).with_nu(nu).with_gap(1e-10).fit(&gram, targets)?.converged()?;
    if !fit.certificate.verify(&set)?.is_valid() {
        return Err(Error::Numerical { what: "the certificate of a machine with a ν" });
    }
    let (n, tube) = (targets.values().len() as f64, fit.certificate.tube());
    let values = fit.model.decision_values(&gram)?;
    let size = targets.values().iter().fold(0.0, |size: f64, y| size.max(y.abs()));
    let errors = values.iter().zip(targets.values()).map(|(f, y)| (y - f).abs());
    let outside = errors.filter(|error| *error > tube + 1e-5 * size).count() as f64 / n;
    let support = fit.certificate.groups(&set)?.support() as f64 / n;
    Ok(Counted { tube, outside, support, values })
}

fn body(bench: &mut Bench) -> Outcome {
    by_hand(bench)?;
    let curve = sinc(100, 4.0, 0.2, bench.seed())?;
    let iris = classic::iris()?.data.examples;
    let rows: Vec<&[f64]> = (0..150).map(|row| &iris.slice(row)[..3]).collect();
    let (others, petals) =
        (Dense::from_rows(&rows)?, Targets::new((0..150).map(|row| iris.slice(row)[3]).collect())?);
    let gaussian = VectorKernel::gaussian(1.0)?;
    let many: Vec<f64> = (1..=19).map(|k| 0.05 * f64::from(k)).collect();
    shares(bench, "curve", &curve.examples, &curve.labels, gaussian, 100.0, &many)?;
    shares(bench, "width of petals", &others, &petals, VectorKernel::linear(), 50.0, &[0.1, 0.3, 0.6])?;
    noise(bench)?;
    figures(bench, &curve.examples, &curve.labels, gaussian, &many)
}

/// x = −1, −1, 1, 1 and y = −3, −1, 1, 3, ν = ¼, C = 4: the tube reaches the outer targets, ε = 3 − w, and ½w² + Cν(3 − w) is
/// least at w = 1. Then ε = 2, and α = ±½ at the outer ones.
fn by_hand(bench: &mut Bench) -> Outcome {
    let examples = Dense::new(vec![-1.0, -1.0, 1.0, 1.0], 4, 1)?;
    let targets = Targets::new(vec![-3.0, -1.0, 1.0, 3.0])?;
    let gram = VectorGram::new(&examples, VectorKernel::linear())?;
    let machine = NuSvr::default().with_cost(4.0).with_nu(0.25).with_gap(1e-13);
    let fit = machine.fit(&gram, &targets)?.converged()?;
    let w = fit.model.over_columns(&examples)?;
    bench.check_all_close(
        "x = ±1, y = ±1, ±3, ν = ¼, C = 4: α",
        &[-0.5, 0.0, 0.0, 0.5],
        fit.certificate.coefficients(),
        1e-9,
    );
    bench.check_all_close("w and ε", &[1.0, 2.0], &[w.weights()[0], fit.certificate.tube()], 1e-9);
    let fixed = EpsilonSvr::default().with_cost(1.0).with_epsilon(2.0).with_gap(1e-13);
    let fixed = fixed.fit(&gram, &targets)?.converged()?.model.over_columns(&examples)?;
    bench.check_close("w with ε = 2 given and the cost C/ℓ = 1", 1.0, fixed.weights()[0], 1e-9);
    Ok(())
}

/// Both shares, the place of ε among the errors, and the machine with that ε.
fn shares(
    bench: &mut Bench,
    name: &str,
    examples: &Dense<'_>,
    targets: &Targets,
    kernel: VectorKernel,
    cost: f64,
    nus: &[f64],
) -> Outcome {
    let gram = VectorGram::new(examples, kernel)?;
    let n = targets.values().len();
    let (mut over, mut under, mut worst, mut misplaced) =
        (f64::NEG_INFINITY, f64::INFINITY, 0.0_f64, 0.0_f64);
    let mut tubes = Vec::new();
    for &nu in nus {
        let found = counted(examples, targets, kernel, cost, nu)?;
        over = over.max(found.outside - nu);
        under = under.min(found.support - nu);
        tubes.push(found.tube);
        // νε + the mean excess is least in ε where a share ν of the errors is larger.
        let mut errors: Vec<f64> =
            found.values.iter().zip(targets.values()).map(|(f, y)| (y - f).abs()).collect();
        errors.sort_by(|a, b| b.total_cmp(a));
        let paid = |e: f64| nu * e + errors.iter().map(|error| (error - e).max(0.0)).sum::<f64>() / n as f64;
        let least = errors.iter().map(|&e| paid(e)).fold(paid(0.0), f64::min);
        misplaced = misplaced.max(paid(found.tube) / least - 1.0);
        if found.tube > 1e-9 {
            let fixed =
                EpsilonSvr::default().with_cost(cost / n as f64).with_epsilon(found.tube).with_gap(1e-10);
            let values = fixed.fit(&gram, targets)?.converged()?.model.decision_values(&gram)?;
            worst = worst.max(distance(&values, &found.values) / norm(&values));
        }
    }
    let range =
        format!("{name}, {} shares from {} to {}", nus.len(), number(nus[0]), number(nus[nus.len() - 1]));
    bench.check_at_most(format!("{range}: largest excess of points outside the tube over ν"), 1e-12, over);
    bench.check_at_least(format!("{range}: least excess of support vectors over ν"), -1e-12, under);
    bench.check_at_most(
        format!("{range}: by how much another ε would be better for the same f, in parts"),
        1e-6,
        misplaced,
    );
    bench.check_at_most(
        format!("{range}: largest relative difference of f from the machine with ε given"),
        1e-4,
        worst,
    );
    let falls = tubes.windows(2).all(|pair| pair[1] <= pair[0] * (1.0 + 1e-6));
    bench.check(
        format!("{name}: the tube as ν grows"),
        "narrows",
        format!("from {} to {}", number(tubes[0]), number(tubes[tubes.len() - 1])),
        falls && tubes[tubes.len() - 1] < tubes[0],
    );
    Ok(())
}

/// The tube has the size of the noise: a line, and the same noise in several sizes.
fn noise(bench: &mut Bench) -> Outcome {
    let made = sinc(400, 4.0, 1.0, bench.seed() + 7)?;
    let x = |row: usize| made.examples.slice(row)[0];
    let targets = |sigma: f64| {
        let noise = made.labels.values().iter().enumerate().map(|(row, y)| y - sinc_value(x(row)));
        Targets::new(noise.enumerate().map(|(row, noise)| 2.0 * x(row) - 1.0 + sigma * noise).collect())
    };
    let (mut ratios, mut outside, mut support) = (Vec::new(), Vec::new(), Vec::new());
    for sigma in [0.05, 0.1, 0.2, 0.4] {
        let found = counted(&made.examples, &targets(sigma)?, VectorKernel::linear(), 1000.0, 0.3)?;
        ratios.push(found.tube / sigma);
        outside.push(found.outside);
        support.push(found.support);
    }
    // Of normal noise a share of 0.3 is larger than 1.036 deviations.
    bench.check_all_close(
        "a line with normal noise of deviation σ = 0.05, 0.1, 0.2, 0.4, ν = 0.3: ε/σ",
        &[1.036; 4],
        &ratios,
        0.15,
    );
    bench.check(
        "the same: shares outside the tube, and of support vectors",
        "≤ 0.3 ≤",
        format!("{outside:.3?}, {support:.3?}"),
        outside.iter().all(|share| *share <= 0.3) && support.iter().all(|share| *share >= 0.3),
    );
    Ok(())
}

fn figures(
    bench: &mut Bench,
    examples: &Dense<'_>,
    targets: &Targets,
    kernel: VectorKernel,
    nus: &[f64],
) -> Outcome {
    let (mut outside, mut support) = (Vec::new(), Vec::new());
    for &nu in nus {
        let found = counted(examples, targets, kernel, 100.0, nu)?;
        outside.push([nu, found.outside]);
        support.push([nu, found.support]);
    }
    let svg = Plot::new("ν", "share of the examples")
        .x_range(0.0, 1.0)
        .y_range(0.0, 1.0)
        .equal_axes()
        .curve("ν", &[[0.0, 0.0], [1.0, 1.0]], Stroke::THIN)
        .marked_series("outside the tube", &outside)
        .marked_series("support vectors", &support)
        .render()?;
    bench.figure("shares", "100 points of a curve with noise: both shares enclose ν.", svg)?;

    let points: Vec<[f64; 2]> =
        targets.values().iter().enumerate().map(|(row, y)| [examples.slice(row)[0], *y]).collect();
    let grid: Vec<f64> = (0..=400).map(|k| -4.0 + 0.02 * f64::from(k)).collect();
    let at = Dense::new(grid.clone(), 401, 1)?;
    let gram = VectorGram::new(examples, kernel)?;
    let mut plot = Plot::new("x", "y").points("examples", 0, &points);
    for (nu, stroke) in [(0.1, Stroke::DASHED), (0.6, Stroke::SOLID)] {
        let fit =
            NuSvr::default().with_cost(100.0).with_nu(nu).with_gap(1e-10).fit(&gram, targets)?.converged()?;
        let f = fit.model.over_vectors(examples, kernel)?.decision_values(&at)?;
        let tube = fit.certificate.tube();
        for (index, by) in [tube, -tube].into_iter().enumerate() {
            let line: Vec<[f64; 2]> = grid.iter().zip(&f).map(|(x, f)| [*x, f + by]).collect();
            let label = format!("tube for ν = {nu}, ε = {}", number((tube * 1000.0).round() / 1000.0));
            plot = plot.curve(if index == 0 { &label } else { "" }, &line, stroke);
        }
    }
    bench.figure("tubes", "The edges of the tubes that two shares find.", plot.render()?)
}
