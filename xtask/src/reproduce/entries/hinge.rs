//! E02: hinge loss by subgradient descent, and the soft margin problem.

use lm_core::{
    BinaryLabels, Budget, Certificate, Dense, Error, Hypothesis, Learner, MatrixGram, TrainingSet,
    VectorGram, VectorKernel,
};
use lm_data::generate::{Cloud, Spread, gaussians};
use lm_online::{Averaging, KernelPegasos, Pegasos};
use lm_qp::CSvc;
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

use crate::reproduce::bench::{Bench, number};
use crate::reproduce::entry::{Entry, Outcome};
use crate::reproduce::figure::{Plot, Stroke};
use crate::reproduce::vectors::{distance, dot, minus, weights_and_bias};

pub(super) const ENTRIES: &[Entry] = &[Entry {
    id: "E02",
    place: "E 4.4",
    claim: "The soft margin problem is the minimisation of ½‖w‖² + C Σ max(0, 1 − y f(x)): its slack variables are the hinge \
            losses. The hinge loss is convex, has a subgradient everywhere, and can be minimised by gradient descent.",
    how: "Pegasos, a stochastic subgradient descent, and the quadratic program of the dual are solved on two classes of iris and on \
          overlapping clouds, for several C; values are recomputed here, and the value of Pegasos is followed over its passes.",
    seed: 2,
    body,
}];

type Set = (Dense<'static>, BinaryLabels);

/// The two classes of iris that overlap.
fn iris() -> Result<Set, Error> {
    let table = lm_data::classic::iris()?;
    let rows: Vec<&[f64]> = (50..150).map(|row| table.data.examples.slice(row)).collect();
    let labels: Vec<i64> = (0..100).map(|row| if row < 50 { -1 } else { 1 }).collect();
    Ok((Dense::from_rows(&rows)?, BinaryLabels::from_integers(&labels)?))
}

/// Two clouds of 150 points each in five dimensions.
fn clouds(seed: u64) -> Result<Set, Error> {
    let cloud =
        |class: i64, at: f64| Cloud { class, len: 150, mean: vec![at; 5], spread: Spread::Round(1.0) };
    let data = gaussians(&[cloud(-1, -0.5), cloud(1, 0.5)], seed)?;
    Ok((data.examples, data.labels.one_against_rest(1)?))
}

/// `½‖w‖² + C Σ max(0, 1 − y(⟨w·x⟩ + b))` at `a = (w, b)`, and a subgradient of it.
fn objective((examples, labels): &Set, cost: f64, a: &[f64]) -> (f64, Vec<f64>) {
    let (bias, w) = a.split_last().map_or((0.0, a), |(bias, w)| (*bias, w));
    let mut value = 0.5 * dot(w, w);
    let mut slope: Vec<f64> = w.iter().copied().chain([0.0]).collect();
    for (row, y) in labels.values().into_iter().enumerate() {
        let x = examples.slice(row);
        let loss = 1.0 - y * (dot(w, x) + bias);
        if loss > 0.0 {
            value += cost * loss;
            slope.iter_mut().zip(x.iter().chain([&1.0])).for_each(|(slope, x)| *slope -= cost * y * x);
        }
    }
    (value, slope)
}

fn body(bench: &mut Bench) -> Outcome {
    let (iris, clouds) = (iris()?, clouds(bench.seed())?);
    convex(bench, &clouds);
    for (name, set, cost) in
        [("iris", &iris, 0.1), ("iris", &iris, 1.0), ("clouds", &clouds, 0.01), ("clouds", &clouds, 1.0)]
    {
        reached(bench, &format!("{name}, C = {}", number(cost)), set, cost)?;
    }
    inner_products(bench, &clouds)?;
    passes(bench, &clouds, 1.0)
}

/// Convex, with a subgradient: the plane of every point lies below the function.
fn convex(bench: &mut Bench, set: &Set) {
    let mut random = ChaCha8Rng::seed_from_u64(bench.seed());
    let points: Vec<Vec<f64>> =
        (0..200).map(|_| (0..6).map(|_| random.random_range(-2.0..2.0)).collect()).collect();
    let mut below = f64::INFINITY;
    for pair in points.chunks_exact(2) {
        let ((at, slope), (other, _)) = (objective(set, 1.0, &pair[0]), objective(set, 1.0, &pair[1]));
        below = below.min(other - at - dot(&slope, &minus(&pair[1], &pair[0])));
    }
    bench.check_at_least(
        "hinge criterion at 100 pairs of points: least height above the plane of the subgradient",
        0.0,
        below,
    );
}

/// The quadratic program and Pegasos on one problem.
fn reached(bench: &mut Bench, name: &str, set: &Set, cost: f64) -> Outcome {
    let (examples, labels) = set;
    let gram = VectorGram::new(examples, VectorKernel::linear())?;
    let exact = CSvc::default().with_cost(cost).with_gap(1e-10).fit(&gram, labels)?.converged()?;
    let (figures, machine) = (exact.certificate.figures(), exact.model.over_columns(examples)?);
    let optimum = figures.primal;
    bench.check_valid(
        format!("{name}: certificate of the quadratic program"),
        exact.certificate.verify(&TrainingSet::new(&gram, labels)?)?,
    );
    bench.check_close(
        format!("{name}: hinge criterion of the machine of the quadratic program, and the value of its dual"),
        figures.dual,
        objective(set, cost, &weights_and_bias(&machine)).0,
        1e-6 * optimum,
    );
    for tolerance in [0.01, 0.001] {
        let learner = Pegasos::default().with_cost(cost).with_tolerance(tolerance).with_passes(50_000);
        let fit = learner.fit(examples, labels)?.converged()?;
        let value = objective(set, cost, &weights_and_bias(&fit.model)).0;
        bench.check(
            format!(
                "{name}: value of Pegasos over the optimum {}, after pass {}",
                number(optimum),
                fit.report.iterations
            ),
            format!("from 1 to {}", number(1.0 + tolerance)),
            number(value / optimum),
            value / optimum >= 1.0 - 1e-8 && value / optimum <= 1.0 + tolerance,
        );
        bench.check_at_most(
            format!("{name}: bound from below that Pegasos proves, over the optimum"),
            1.0 + 1e-8,
            fit.certificate.figures().dual / optimum,
        );
        bench.check_valid(
            format!("{name}: its certificate"),
            fit.certificate.verify(&TrainingSet::new(examples, labels)?)?,
        );
    }
    Ok(())
}

/// Subgradient descent needs inner products only.
fn inner_products(bench: &mut Bench, set: &Set) -> Outcome {
    let (examples, labels) = set;
    let linear = VectorGram::new(examples, VectorKernel::linear())?;
    let numbers = MatrixGram::computed(&linear, &Budget::default())?;
    let numbers = MatrixGram::precomputed(numbers.values().to_vec(), labels.signs().len())?;
    let passes = 50;
    let primal = Pegasos::default().with_passes(passes).with_tolerance(1e-9).fit(examples, labels)?;
    let dual = KernelPegasos::default().with_passes(passes).with_tolerance(1e-9).fit(&numbers, labels)?;
    let values = (primal.model.decision_values(examples)?, dual.model.decision_values(&numbers)?);
    let off = distance(&values.0, &values.1) / distance(&values.0, &vec![0.0; values.0.len()]);
    bench.check_at_most(format!("{passes} passes on attributes, and on the Gram matrix alone: relative difference of the functions"), 1e-9, off);

    let gaussian = VectorGram::new(examples, VectorKernel::gaussian(0.1)?)?;
    let exact =
        CSvc::default().with_gap(1e-9).fit(&gaussian, labels)?.converged()?.certificate.figures().primal;
    let fit = KernelPegasos::default().with_passes(20_000).fit(&gaussian, labels)?.converged()?;
    let ratio = fit.certificate.figures().primal / exact;
    bench.check_valid(
        "Gaussian kernel: certificate of Pegasos",
        fit.certificate.verify(&TrainingSet::new(&gaussian, labels)?)?,
    );
    bench.check_at_most("Gaussian kernel: value of Pegasos over that of the quadratic program", 1.01, ratio);
    bench.erratum(
        "Gradient descent on the hinge loss does not have the property that inputs can be reduced to pairwise inner products.",
        "It has: from w = 0 every step adds a multiple of an example, so w = Σ αᵢyᵢxᵢ throughout, and each step needs Σ αᵢyᵢ⟨xᵢ·x⟩ only.",
        format!(
            "On a Gram matrix without attributes the same steps give the same function, off by {} in parts; under a Gaussian kernel, \
             whose space has no finite dimension, the value is {} of the optimum.",
            number(off),
            number(ratio)
        ),
        off < 1e-9 && ratio < 1.01,
    );
    Ok(())
}

/// The value of Pegasos against its passes.
fn passes(bench: &mut Bench, set: &Set, cost: f64) -> Outcome {
    let (examples, labels) = set;
    let gram = VectorGram::new(examples, VectorKernel::linear())?;
    let optimum = CSvc::default()
        .with_cost(cost)
        .with_gap(1e-10)
        .fit(&gram, labels)?
        .converged()?
        .certificate
        .figures()
        .primal;
    let limits: Vec<u64> = (0..=10).map(|k| 1 << k).collect();
    let (mut values, mut excess) = (
        Plot::new("pass", "½‖w‖² + C Σ hinge loss").log_x(),
        Plot::new("pass", "value over the optimum, less 1").log_x().log_y(),
    );
    for (name, averaging) in [
        ("last iterate", Averaging::Last),
        ("mean of all", Averaging::Uniform),
        ("mean of late ones", Averaging::Late),
    ] {
        let mut points = Vec::new();
        for &passes in &limits {
            let learner = Pegasos::default()
                .with_cost(cost)
                .with_averaging(averaging)
                .with_tolerance(1e-9)
                .with_passes(passes);
            let fit = learner.fit(examples, labels)?;
            points.push([passes as f64, objective(set, cost, &weights_and_bias(&fit.model)).0]);
        }
        let last = points.last().map_or(f64::NAN, |point| point[1]);
        bench.check_at_most(
            format!("clouds, {name}, 1024 passes: value over the optimum"),
            1.01,
            last / optimum,
        );
        let above: Vec<[f64; 2]> =
            points.iter().map(|[pass, value]| [*pass, value / optimum - 1.0]).collect();
        values = values.marked_series(name, &points);
        excess = excess.marked_series(name, &above);
    }
    let ends = [[1.0, optimum], [1024.0, optimum]];
    let values = values.curve("optimum of the quadratic program", &ends, Stroke::DASHED);
    bench.figure(
        "value",
        "The criterion of Pegasos after 1, 2, 4, … passes over 300 examples, C = 1, beside the optimum of the quadratic program.",
        values.render()?,
    )?;
    bench.figure("excess", "The same runs: by which share they are above the optimum.", excess.render()?)
}
