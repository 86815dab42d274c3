//! C18: ridge regression in the feature space of a kernel.

use lm_closed::KernelRidge;
use lm_core::basis::{FeatureMap, PolynomialMap};
use lm_core::{
    Certificate, Control, Dense, Examples, Hypothesis, Learner, Linear, Selection, Targets, TrainingSet,
    VectorGram, VectorKernel,
};
use lm_data::generate::{sinc, sinc_value};

use crate::reproduce::bench::Bench;
use crate::reproduce::entry::{Entry, Outcome};
use crate::reproduce::figure::{Plot, Stroke, sample};

pub(super) const ENTRIES: &[Entry] = &[Entry {
    id: "C18",
    place: "C Prop 6.24",
    claim: "The function f(x) = yᵗ(K + λI)⁻¹k is the solution of ridge regression, minimise λ‖w‖² + Σξ², in the feature \
            space of the kernel.",
    how: "Under a polynomial kernel the features are written out, and the weights that follow from the dual solution are \
          checked against the gradient of the criterion and against random other weights. The errors of leaving out one \
          example are compared with fits that leave it out. A curve with noise is fitted at three values of λ.",
    seed: 18,
    body,
}];

fn body(bench: &mut Bench) -> Outcome {
    by_hand(bench)?;
    features(bench)?;
    leave_one_out(bench)?;
    curve(bench)
}

/// Two examples, K = [[2, 1], [1, 2]], λ = 1, y = (8, 0): α = [[3, 1], [1, 3]]⁻¹y = (3, −1).
fn by_hand(bench: &mut Bench) -> Outcome {
    let gram = lm_core::MatrixGram::precomputed(vec![2.0, 1.0, 1.0, 2.0], 2)?;
    let fit = KernelRidge::default().fit(&gram, &Targets::new(vec![8.0, 0.0])?)?.converged()?;
    bench.check_all_close(
        "(K + λI)⁻¹y for K = [[2, 1], [1, 2]], λ = 1, y = (8, 0)",
        &[3.0, -1.0],
        fit.certificate.alpha(),
        1e-14,
    );
    bench.check_close("f at an example with k = (1, 1)", 2.0, fit.model.decide(&[1.0, 1.0])?, 1e-14);
    Ok(())
}

/// The criterion λ‖w‖² + Σξ² in a feature space that is written out.
fn features(bench: &mut Bench) -> Outcome {
    let lambda = 0.3;
    let data = sinc(60, 2.0, 0.1, bench.seed())?;
    let kernel = VectorKernel::polynomial(4, 1.0, 1.0)?;
    let gram = VectorGram::new(&data.examples, kernel)?;
    let fit = KernelRidge::default().with_penalty(lambda).with_gap(1e-24).fit(&gram, &data.labels)?;
    bench.check_valid(
        "certificate of the solution",
        fit.certificate.verify(&TrainingSet::new(&gram, &data.labels)?)?,
    );
    let features = PolynomialMap::new(kernel, 1)?.expand(&data.examples)?;
    let w = fit.model.over_columns(&features)?;
    let (a, b) = (fit.model.decision_values(&gram)?, w.decision_values(&features)?);
    let off = a.iter().zip(&b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    bench.check_at_most("largest difference of f and ⟨w·φ(x)⟩ with w = Σ αᵢφ(xᵢ)", 1e-10, off);

    let targets = data.labels.values();
    let mut gradient: Vec<f64> = w.weights().iter().map(|w| lambda * w).collect();
    for (row, (y, f)) in targets.iter().zip(&b).enumerate() {
        features.add_scaled(row, f - y, &mut gradient);
    }
    let largest = gradient.iter().fold(0.0, |size: f64, g| size.max(g.abs()));
    bench.check_at_most("largest entry of half the gradient, λw − Σ ξᵢφ(xᵢ)", 1e-9, largest);
    let slack =
        targets.iter().zip(&b).zip(fit.certificate.alpha()).map(|((y, f), a)| (y - f - lambda * a).abs());
    bench.check_at_most("largest difference of ξᵢ and λαᵢ", 1e-10, slack.fold(0.0, f64::max));

    let value = |w: &Linear| -> lm_core::Result<f64> {
        let errors = w.decision_values(&features)?;
        let squares: f64 = errors.iter().zip(targets).map(|(f, y)| (y - f) * (y - f)).sum();
        Ok(lambda * w.weights().iter().map(|w| w * w).sum::<f64>() + squares)
    };
    let best = value(&w)?;
    let mut better = 0;
    for k in 0..200_u32 {
        let turn = |(at, w): (usize, &f64)| {
            w + 10.0_f64.powi(-(k as i32 % 6)) * f64::from(k * 7 + 3 * at as u32 + 1).sin()
        };
        let other = Linear::new(w.weights().iter().enumerate().map(turn).collect(), 0.0)?;
        better += u32::from(value(&other)? < best);
    }
    bench.check_equal("other weights, of 200, with a lower value of the criterion", 0, better);
    Ok(())
}

fn leave_one_out(bench: &mut Bench) -> Outcome {
    let data = sinc(40, 3.0, 0.1, bench.seed() + 1)?;
    let kernel = VectorKernel::gaussian(1.0)?;
    let gram = VectorGram::new(&data.examples, kernel)?;
    let set = TrainingSet::new(&gram, &data.labels)?;
    for free_bias in [false, true] {
        let machine = KernelRidge::default().with_penalty(0.1).with_bias(free_bias).with_gap(1e-24);
        let errors = machine.leave_one_out(&set, &Control::default())?;
        let mut worst = 0.0_f64;
        for (row, error) in errors.iter().enumerate() {
            let others: Vec<usize> = (0..40).filter(|&other| other != row).collect();
            let rest = Selection::new(&data.examples, &others)?;
            let targets = Targets::new(others.iter().map(|&other| data.labels.values()[other]).collect())?;
            let gram = VectorGram::new(&rest, kernel)?;
            let f = machine.fit(&gram, &targets)?.model.over_vectors(&rest, kernel)?;
            let found = data.labels.values()[row] - f.decision(data.examples.slice(row))?;
            worst = worst.max((found - error).abs());
        }
        let name = if free_bias { "with a bias" } else { "without a bias" };
        bench.check_at_most(
            format!("{name}: largest difference of αᵢ/Gᵢᵢ and the error of a fit without example i, of 40"),
            1e-10,
            worst,
        );
    }
    Ok(())
}

fn curve(bench: &mut Bench) -> Outcome {
    let data = sinc(60, 4.0, 0.15, bench.seed() + 2)?;
    let kernel = VectorKernel::gaussian(1.5)?;
    let gram = VectorGram::new(&data.examples, kernel)?;
    let set = TrainingSet::new(&gram, &data.labels)?;
    let points: Vec<[f64; 2]> =
        (0..60).map(|row| [data.examples.slice(row)[0], data.labels.values()[row]]).collect();
    let grid: Vec<f64> = (0..401).map(|k| -4.0 + 0.02 * f64::from(k)).collect();
    let at = Dense::new(grid.clone(), 401, 1)?;
    let mut plot = Plot::new("x", "y").points("examples", 0, &points);
    plot = plot.curve("sin πx/πx", &sample(-4.0, 4.0, 400, sinc_value), Stroke::THIN);
    let (mut off_truth, mut off_left_out) = (Vec::new(), Vec::new());
    for (lambda, stroke) in [(1e-4, Stroke::DOTTED), (0.1, Stroke::SOLID), (50.0, Stroke::DASHED)] {
        let machine = KernelRidge::default().with_penalty(lambda);
        let f = machine.fit(&gram, &data.labels)?.converged()?.model.over_vectors(&data.examples, kernel)?;
        let values = f.decision_values(&at)?;
        let squares = values.iter().zip(&grid).map(|(f, x)| (f - sinc_value(*x)).powi(2)).sum::<f64>();
        off_truth.push((squares / 401.0).sqrt());
        let errors = machine.leave_one_out(&set, &Control::default())?;
        off_left_out.push((errors.iter().map(|e| e * e).sum::<f64>() / 60.0).sqrt());
        let line: Vec<[f64; 2]> = grid.iter().zip(&values).map(|(x, f)| [*x, *f]).collect();
        plot = plot.curve(&format!("λ = {lambda}"), &line, stroke);
    }
    let middle = |errors: &[f64]| errors[1] < errors[0] && errors[1] < errors[2];
    bench.check(
        "distance from the curve without noise at λ = 10⁻⁴, 0.1, 50",
        "least in the middle",
        format!("{off_truth:.3?}"),
        middle(&off_truth),
    );
    bench.check(
        "error of leaving out one example at the same values",
        "least in the middle",
        format!("{off_left_out:.3?}"),
        middle(&off_left_out),
    );
    bench.figure("curve", "Kernel ridge regression at three values of λ.", plot.render()?)
}
