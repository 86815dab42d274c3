//! C02: the complementarity conditions at the solution, example by example.

use lm_core::{
    BinaryLabels, Budget, Control, Dense, DualExpansion, DualityFigures, Learner, TrainingSet, VectorGram,
    VectorKernel,
};
use lm_data::classic;
use lm_data::generate::two_moons;
use lm_qp::{CSvc, MaximalMargin, TwoNormSvc};

use crate::reproduce::bench::{Bench, number};
use crate::reproduce::dual_by_hand::DualByHand;
use crate::reproduce::entry::{Entry, Outcome};
use crate::reproduce::figure::{Plot, Stroke};
use crate::reproduce::measure::{Binary, clouds, pair};
use crate::reproduce::vectors::dot;

pub(super) const ENTRIES: &[Entry] = &[Entry {
    id: "C02",
    place: "C 6.1.1, 6.1.2",
    claim: "At the solution αᵢ[yᵢf(xᵢ) − 1] = 0 for every example: only those with margin 1 have α ≠ 0. With slack it is \
            αᵢ[yᵢf(xᵢ) − 1 + ξᵢ] = 0, where ξᵢ = αᵢ/C in the 2-norm, and ξᵢ(αᵢ − C) = 0 in the 1-norm: slack only at αᵢ = C.",
    how: "Every product is computed for every example, on iris, digits, clouds and moons, for the three machines; by hand first, where one \
          example on the margin has α = 0. A run that is stopped early must break the conditions.",
    seed: 602,
    body,
}];

fn body(bench: &mut Bench) -> Outcome {
    by_hand(bench)?;
    let iris = classic::iris()?.data;
    let digits = classic::digits()?.data;
    let overlapping = clouds(200, 3, 2.0, bench.seed())?;
    let moons = two_moons(200, 0.2, bench.seed())?;
    let (linear, narrow) = (VectorKernel::linear(), VectorKernel::gaussian(4.0)?);
    for (name, data, kernel) in [
        ("iris, setosa and versicolor", &pair(&iris, [0.0, 1.0])?, linear),
        ("digits 4 and 9", &pair(&digits, [4.0, 9.0])?, linear),
        ("moons, Gaussian", &moons, VectorKernel::gaussian(20.0)?),
    ] {
        hard(bench, name, data, kernel)?;
    }
    for (name, data, kernel, cost) in [
        ("iris, versicolor and virginica", &pair(&iris, [1.0, 2.0])?, linear, 1.0),
        ("clouds", &overlapping, linear, 0.1),
        ("clouds", &overlapping, linear, 10.0),
        ("moons, Gaussian", &moons, narrow, 1.0),
    ] {
        let name = format!("{name}, C = {}", number(cost));
        one_norm(bench, &name, data, kernel, cost)?;
        two_norm(bench, &name, data, kernel, cost)?;
    }
    stopped(bench, &overlapping)?;
    figure(bench, &overlapping)
}

fn by_hand(bench: &mut Bench) -> Outcome {
    // The nearest points are (0, 0) and (2, 0): α = ½ each, f(x) = x₁ − 1. (2, 3) lies on the margin and has α = 0.
    let points = [[0.0, 0.0], [2.0, 0.0], [2.0, 3.0], [5.0, 1.0]];
    let (examples, labels) = (Dense::from_rows(&points)?, BinaryLabels::from_integers(&[-1, 1, 1, 1])?);
    let gram = VectorGram::new(&examples, VectorKernel::linear())?;
    let dual = DualByHand::new(&gram, &labels)?;
    let fit = MaximalMargin::default().with_gap(1e-14).fit(&gram, &labels)?.converged()?;
    let alpha = dual.multipliers(&fit.model);
    bench.check_all_close("by hand: α", &[0.5, 0.5, 0.0, 0.0], &alpha, 1e-15);
    bench.check_all_close(
        "by hand: yf(x)",
        &[1.0, 1.0, 1.0, 4.0],
        &dual.margins(&alpha, fit.model.bias()),
        1e-14,
    );
    bench.note("The converse of the condition does not hold: (2, 3) of the example by hand is as near as a support vector, and has α = 0.");
    Ok(())
}

/// The multipliers, the functional margins, and the factor that makes products free of the scale of the data.
fn solved(
    gram: &VectorGram<'_, Dense<'static>>,
    data: &Binary,
    machine: &DualExpansion,
) -> lm_core::Result<(Vec<f64>, Vec<f64>, f64)> {
    let dual = DualByHand::new(gram, &data.labels)?;
    let alpha = dual.multipliers(machine);
    let margins = dual.margins(&alpha, machine.bias());
    let total = alpha.iter().sum();
    Ok((alpha, margins, total))
}

fn largest(products: impl Iterator<Item = f64>) -> f64 {
    // A NaN is kept: the greatest of all in this order.
    products.map(f64::abs).max_by(f64::total_cmp).unwrap_or(f64::NAN)
}

fn hard(bench: &mut Bench, name: &str, data: &Binary, kernel: VectorKernel) -> Outcome {
    let gram = VectorGram::new(&data.examples, kernel)?;
    let fit = MaximalMargin::default().with_gap(1e-11).fit(&gram, &data.labels)?.converged()?;
    let (alpha, margins, total) = solved(&gram, data, &fit.model)?;
    bench.check_at_most(
        format!("{name}, hard: largest |α(yf − 1)| of {} examples, over Σα", alpha.len()),
        1e-10,
        largest(alpha.iter().zip(&margins).map(|(a, m)| a * (m - 1.0))) / total,
    );
    let beyond = margins.iter().filter(|m| **m > 1.0 + 1e-4).count();
    let outside = alpha.iter().zip(&margins).filter(|(a, m)| **m > 1.0 + 1e-4 && **a != 0.0).count();
    bench.check_equal(format!("{name}, hard: examples of {beyond} beyond the margin with α ≠ 0"), 0, outside);
    bench.check_at_least(
        format!("{name}, hard: least yf(x)"),
        1.0 - 1e-5,
        margins.iter().copied().fold(f64::INFINITY, f64::min),
    );
    Ok(())
}

fn one_norm(bench: &mut Bench, name: &str, data: &Binary, kernel: VectorKernel, cost: f64) -> Outcome {
    let gram = VectorGram::new(&data.examples, kernel)?;
    let fit = CSvc::default().with_cost(cost).with_gap(1e-11).fit(&gram, &data.labels)?.converged()?;
    let (alpha, margins, total) = solved(&gram, data, &fit.model)?;
    let slack: Vec<f64> = margins.iter().map(|m| (1.0 - m).max(0.0)).collect();
    let first = alpha.iter().zip(&margins).zip(&slack).map(|((a, m), xi)| a * (m - 1.0 + xi));
    let second = alpha.iter().zip(&slack).map(|(a, xi)| xi * (a - cost));
    bench.check_at_most(
        format!("{name}, 1-norm: largest |α(yf − 1 + ξ)| of {} examples, over Σα", alpha.len()),
        1e-9,
        largest(first) / total,
    );
    bench.check_at_most(
        format!("{name}, 1-norm: largest |ξ(α − C)|, over Σα"),
        1e-9,
        largest(second) / total,
    );
    let count = |side: &dyn Fn(f64) -> bool| {
        alpha.iter().zip(&slack).filter(|(a, xi)| **xi > 1e-4 && side(**a)).count()
    };
    bench.check_equal(
        format!("{name}, 1-norm: examples with slack, {} in all, whose α is not C", count(&|_| true)),
        0,
        count(&|a| a != cost),
    );
    Ok(())
}

fn two_norm(bench: &mut Bench, name: &str, data: &Binary, kernel: VectorKernel, cost: f64) -> Outcome {
    let gram = VectorGram::new(&data.examples, kernel)?;
    let fit = TwoNormSvc::default().with_cost(cost).with_gap(1e-11).fit(&gram, &data.labels)?.converged()?;
    let (alpha, margins, total) = solved(&gram, data, &fit.model)?;
    // A slack that is off by e costs ½Ce² only: the products fall with the root of the gap.
    let products = alpha.iter().zip(&margins).map(|(a, m)| a * (m - 1.0 + a / cost));
    bench.check_at_most(
        format!("{name}, 2-norm: largest |α(yf − 1 + α/C)| of {} examples, over Σα", alpha.len()),
        1e-6,
        largest(products) / total,
    );
    let short = alpha.iter().zip(&margins).map(|(a, m)| (1.0 - m).max(0.0) - a / cost);
    bench.check_at_most(format!("{name}, 2-norm: ξ and α/C, largest difference"), 1e-4, largest(short));
    Ok(())
}

/// What a machine that is not yet solved shows: its gap is the sum of the products that are not 0.
fn stopped(bench: &mut Bench, data: &Binary) -> Outcome {
    let gram = VectorGram::new(&data.examples, VectorKernel::linear())?;
    let dual = DualByHand::new(&gram, &data.labels)?;
    let (set, cost) = (TrainingSet::new(&gram, &data.labels)?, 1.0);
    let control = Control::new(Budget::default().with_iterations(40));
    let fit = CSvc::default().with_cost(cost).fit_with(&set, &control)?;
    let alpha = dual.multipliers(&fit.model);
    let margins = dual.margins(&alpha, fit.model.bias());
    let products: Vec<f64> = alpha
        .iter()
        .zip(&margins)
        .map(|(a, m)| {
            let xi = (1.0 - m).max(0.0);
            a * (m - 1.0 + xi) + (cost - a) * xi
        })
        .collect();
    let DualityFigures { primal, dual: value, .. } = fit.certificate.figures();
    bench.check(
        "clouds, C = 1, stopped after 40 steps: largest |α(yf − 1 + ξ)| + |ξ(α − C)|",
        "far from 0",
        number(largest(products.iter().copied())),
        largest(products.iter().copied()) > 0.01,
    );
    bench.check_close(
        "the same: sum of all products, and the duality gap of the certificate",
        primal - value,
        products.iter().sum(),
        1e-9 * primal,
    );
    bench.check_close("the same: Σ yα", 0.0, dot(&alpha, &dual.y), 1e-12);
    Ok(())
}

/// The three machines: multiplier against margin of every example.
fn figure(bench: &mut Bench, data: &Binary) -> Outcome {
    let gram = VectorGram::new(&data.examples, VectorKernel::linear())?;
    let cost = 1.0;
    let one = CSvc::default().with_cost(cost).with_gap(1e-11).fit(&gram, &data.labels)?.converged()?.model;
    let two =
        TwoNormSvc::default().with_cost(cost).with_gap(1e-11).fit(&gram, &data.labels)?.converged()?.model;
    let points = |machine: &DualExpansion| -> lm_core::Result<Vec<[f64; 2]>> {
        let (alpha, margins, _) = solved(&gram, data, machine)?;
        Ok(margins.into_iter().zip(alpha).map(|(m, a)| [m, a]).collect())
    };
    let svg = Plot::new("margin yf(x)", "multiplier α")
        .curve("1-norm: the conditions", &[[-2.0, cost], [1.0, cost], [1.0, 0.0], [5.0, 0.0]], Stroke::SOLID)
        .curve("2-norm: the conditions", &[[-2.0, 3.0 * cost], [1.0, 0.0], [5.0, 0.0]], Stroke::DASHED)
        .points("1-norm: examples", 0, &points(&one)?)
        .points("2-norm: examples", 1, &points(&two)?)
        .x_range(-2.0, 5.0)
        .y_range(-0.1, 3.1)
        .render()?;
    bench.figure("pairs", "Multiplier against margin of all 200 examples, C = 1: complementarity leaves two lines with a corner at margin 1.", svg)
}
