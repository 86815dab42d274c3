//! C23: the general form of a regularised machine, and the losses it is made with.

use lm_core::{BinaryLabels, Dense, Hypothesis, Learner, Loss, VectorGram, VectorKernel};
use lm_qp::CSvc;

use crate::reproduce::bench::Bench;
use crate::reproduce::entry::{Entry, Outcome};
use crate::reproduce::figure::{Plot, sample};

pub(super) const ENTRIES: &[Entry] = &[Entry {
    id: "C23",
    place: "C 6.3",
    claim: "The criteria of all these machines have one form: a squared norm of the function plus C/ℓ times the sum of \
            its losses; machines differ in the loss.",
    how: "Every loss of the vocabulary is compared with its definition, its derivative with differences, and its \
          convexity with chords. The 1-norm soft margin machine is trained, and its primal value compared with the \
          general form for the hinge loss.",
    seed: 0,
    body,
}];

fn body(bench: &mut Bench) -> Outcome {
    let losses = [
        ("square", Loss::Square),
        ("hinge", Loss::Hinge),
        ("squared hinge", Loss::SquaredHinge),
        ("logistic", Loss::Logistic),
        ("ε-insensitive, ε = 0.5", Loss::epsilon_insensitive(0.5)?),
        ("quadratic ε-insensitive, ε = 0.5", Loss::quadratic_epsilon_insensitive(0.5)?),
    ];
    for (name, loss) in losses {
        let definition = |f: f64| match name {
            "square" => (1.0 - f).powi(2),
            "hinge" => (1.0 - f).max(0.0),
            "squared hinge" => (1.0 - f).max(0.0).powi(2),
            "logistic" => (1.0 + (-f).exp()).ln(),
            "ε-insensitive, ε = 0.5" => ((f - 1.0).abs() - 0.5).max(0.0),
            _ => ((f - 1.0).abs() - 0.5).max(0.0).powi(2),
        };
        // Off the kinks at multiples of ½, where the slope jumps.
        let grid: Vec<f64> = (-400..400).map(|k| (f64::from(k) + 0.5) / 100.0).collect();
        let (mut value, mut slope, mut convex) = (0.0_f64, 0.0_f64, true);
        for &f in &grid {
            let h = 1e-5;
            let (left, here, right) = (loss.value(1.0, f - h), loss.value(1.0, f), loss.value(1.0, f + h));
            value = value.max((here - definition(f)).abs());
            slope = slope.max(((right - left) / (2.0 * h) - loss.derivative(1.0, f)).abs());
            convex &= loss.value(1.0, f + 0.3) + loss.value(1.0, f - 0.3) >= 2.0 * here - 1e-12;
        }
        bench.check_at_most(format!("{name}: largest difference from its definition"), 1e-14, value);
        bench.check_at_most(
            format!("{name}: largest difference of its derivative from a quotient"),
            1e-8,
            slope,
        );
        bench.check(format!("{name}: chords lie above it"), "yes", if convex { "yes" } else { "no" }, convex);
    }
    general_form(bench)?;

    let curves = |loss: Loss| sample(-2.0, 3.0, 251, move |f| loss.value(1.0, f));
    let mut plot = Plot::new("value f of the function, for y = 1", "loss").y_range(0.0, 4.0);
    for (name, loss) in &losses[..5] {
        plot = plot.series(name, &curves(*loss));
    }
    bench.figure(
        "losses",
        "The losses of one example with target y = 1, as functions of f(x).",
        plot.render()?,
    )
}

/// `½‖w‖² + C Σξ` of a trained machine is half the general form with `C′ = 2Cℓ` and the hinge loss.
fn general_form(bench: &mut Bench) -> Outcome {
    let rows: Vec<[f64; 2]> =
        (0..60).map(|k| [(f64::from(k) * 0.7).sin(), (f64::from(k) * 1.1).cos()]).collect();
    let noisy = |(k, row): (usize, &[f64; 2])| {
        i64::from(row[0] + 0.3 * row[1] + if k % 9 == 0 { 0.8 } else { 0.0 } > 0.0)
    };
    let labels = BinaryLabels::from_integers(&rows.iter().enumerate().map(noisy).collect::<Vec<_>>())?;
    let examples = Dense::from_rows(&rows)?;
    let gram = VectorGram::new(&examples, VectorKernel::linear())?;
    let cost = 2.0;
    let fit = CSvc::default().with_cost(cost).with_gap(1e-9).fit(&gram, &labels)?.converged()?;
    let values = fit.model.decision_values(&gram)?;
    let norm_squared = fit.model.norm_squared(&gram)?;
    let c = 2.0 * cost * rows.len() as f64;
    let general = Loss::Hinge.regularised_risk(norm_squared, c, &labels.values(), &values, None)?;
    let primal = fit.certificate.figures().primal;
    bench.check_close(
        "primal value of a 1-norm machine as half the general form",
        primal,
        general / 2.0,
        1e-10 * primal,
    );
    Ok(())
}
