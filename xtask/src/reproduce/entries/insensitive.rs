//! C14: losses that do not see small errors.

use lm_core::{Hypothesis, Learner, Loss, VectorGram, VectorKernel};
use lm_data::generate::sinc;
use lm_qp::{EpsilonSvr, QuadraticSvr};

use crate::reproduce::bench::{Bench, number};
use crate::reproduce::entry::{Entry, Outcome};
use crate::reproduce::figure::{Plot, sample};

pub(super) const ENTRIES: &[Entry] = &[Entry {
    id: "C14",
    place: "C Def 6.17, Fig 6.6, 6.7",
    claim: "The linear ε-insensitive loss is max(0, |y − f| − ε) and the quadratic one its square. With ε = θ − γ it is the margin \
            slack of a regression with target accuracy θ and margin γ; the slacks of the constraints are the losses.",
    how: "Values by hand; slacks are found as the least numbers that the constraints allow, by bisection, and compared with the losses \
          at random. Machines with either loss must have the value ½‖w‖² plus the sum of losses. Both losses are drawn.",
    seed: 617,
    body,
}];

fn body(bench: &mut Bench) -> Outcome {
    let errors = [-2.0, -0.5, -0.25, 0.0, 0.5, 0.75, 1.5];
    for (epsilon, claimed) in
        [(0.5, [1.5, 0.0, 0.0, 0.0, 0.0, 0.25, 1.0]), (0.0, [2.0, 0.5, 0.25, 0.0, 0.5, 0.75, 1.5])]
    {
        let (linear, quadratic) = losses(epsilon)?;
        let at = |loss: Loss| errors.map(|error| loss.value(error, 0.0));
        bench.check_all_close(
            format!("linear loss, ε = {epsilon}, of y − f = −2, −½, −¼, 0, ½, ¾, 1½"),
            &claimed,
            &at(linear),
            0.0,
        );
        bench.check_all_close(
            format!("quadratic loss, ε = {epsilon}, of the same"),
            &claimed.map(|loss: f64| loss * loss),
            &at(quadratic),
            0.0,
        );
    }
    slacks(bench)?;
    machines(bench)?;
    pictures(bench)
}

fn losses(epsilon: f64) -> lm_core::Result<(Loss, Loss)> {
    Ok((Loss::epsilon_insensitive(epsilon)?, Loss::quadratic_epsilon_insensitive(epsilon)?))
}

/// The least `ξ ≥ 0` for which a condition holds that holds for all larger ones.
fn least(holds: impl Fn(f64) -> bool) -> f64 {
    let (mut low, mut high) = (0.0, 64.0);
    if holds(low) {
        return low;
    }
    for _ in 0..80 {
        let middle = 0.5 * (low + high);
        if holds(middle) { high = middle } else { low = middle }
    }
    high
}

/// Slack above and below the tube, and the slack of a target accuracy and a margin.
fn slacks(bench: &mut Bench) -> Outcome {
    let (mut off, mut both, mut margin) = (0.0_f64, 0, 0.0_f64);
    for k in 0..1000_u32 {
        let turn = |factor: f64| (f64::from(k) * factor).sin();
        let (y, f, gamma) = (4.0 * turn(1.1), 4.0 * turn(1.7), 0.5 + 0.4 * turn(2.3));
        let theta = gamma + 0.5 + 0.5 * turn(0.9);
        let (linear, quadratic) = losses(theta - gamma)?;
        let (below, above) =
            (least(|xi| f - y <= theta - gamma + xi), least(|xi| y - f <= theta - gamma + xi));
        off = off.max((below + above - linear.value(y, f)).abs());
        off = off.max((below * below + above * above - quadratic.value(y, f)).abs());
        both += u32::from(below > 0.0 && above > 0.0);
        // The error beyond the accuracy θ, less the margin γ that was wanted.
        margin = margin.max((least(|xi| (y - f).abs() <= theta - gamma + xi) - linear.value(y, f)).abs());
    }
    bench.check_at_most(
        "1000 errors: least slacks of the two constraints, ξ + ξ̂ and ξ² + ξ̂², and the losses",
        1e-12,
        off,
    );
    bench.check_equal("errors with slack on both sides", 0, both);
    bench.check_at_most(
        "margin slack for accuracy θ and margin γ, and the loss with ε = θ − γ",
        1e-12,
        margin,
    );
    Ok(())
}

/// The criterion of a machine is that of its loss.
fn machines(bench: &mut Bench) -> Outcome {
    let data = sinc(80, 4.0, 0.2, bench.seed())?;
    let gram = VectorGram::new(&data.examples, VectorKernel::gaussian(1.0)?)?;
    let cost = 3.0;
    for epsilon in [0.0, 0.15] {
        let (linear, quadratic) = losses(epsilon)?;
        let total = |loss: Loss, values: &[f64]| {
            data.labels.values().iter().zip(values).map(|(y, f)| loss.value(*y, *f)).sum::<f64>()
        };
        let machine = EpsilonSvr::default().with_cost(cost).with_epsilon(epsilon).with_gap(1e-9);
        let fit = machine.fit(&gram, &data.labels)?.converged()?;
        let value =
            0.5 * fit.model.norm_squared(&gram)? + cost * total(linear, &fit.model.decision_values(&gram)?);
        let primal = fit.certificate.figures().primal;
        let name = format!("curve with noise, ε = {}", number(epsilon));
        bench.check_close(format!("{name}: ½‖w‖² + C Σ linear losses"), primal, value, 1e-9 * primal);
        let machine = QuadraticSvr::default().with_cost(cost).with_epsilon(epsilon).with_gap(1e-9);
        let fit = machine.fit(&gram, &data.labels)?.converged()?;
        let value = 0.5 * fit.model.norm_squared(&gram)?
            + 0.5 * cost * total(quadratic, &fit.model.decision_values(&gram)?);
        let primal = fit.certificate.figures().primal;
        bench.check_close(format!("{name}: ½‖w‖² + ½C Σ quadratic losses"), primal, value, 1e-9 * primal);
    }
    Ok(())
}

/// Figures 6.6 and 6.7.
fn pictures(bench: &mut Bench) -> Outcome {
    let ((linear_0, quadratic_0), (linear, quadratic)) = (losses(0.0)?, losses(0.5)?);
    let curve = |loss: Loss| sample(-2.0, 2.0, 401, move |error| loss.value(error, 0.0));
    for (name, caption, zero, wide) in [
        ("linear", "The linear ε-insensitive loss for ε = 0 and ε = 0.5.", linear_0, linear),
        ("quadratic", "The quadratic ε-insensitive loss for ε = 0 and ε = 0.5.", quadratic_0, quadratic),
    ] {
        let plot = Plot::new("y − f(x)", "loss").x_range(-2.0, 2.0).y_range(-0.1, 2.0);
        let svg = plot.series("ε = 0", &curve(zero)).series("ε = 0.5", &curve(wide)).render()?;
        bench.figure(name, caption, svg)?;
    }
    Ok(())
}
