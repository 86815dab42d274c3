//! C15: regression with a quadratic loss outside a tube.

use lm_closed::KernelRidge;
use lm_core::{
    Budget, Certificate, Dense, Hypothesis, Learner, MatrixGram, Targets, TrainingSet, VectorGram,
    VectorKernel,
};
use lm_data::classic;
use lm_data::generate::sinc;
use lm_qp::QuadraticSvr;

use crate::reproduce::active_sets::{Assumed, solve};
use crate::reproduce::bench::{Bench, number};
use crate::reproduce::entry::{Entry, Outcome};
use crate::reproduce::figure::{Plot, Stroke};
use crate::reproduce::vectors::{distance, dot, norm};

pub(super) const ENTRIES: &[Entry] = &[Entry {
    id: "C15",
    place: "C Prop 6.20, Rem 6.18, ex. 2",
    claim: "The regression with quadratic ε-insensitive loss has the dual Σ yᵢαᵢ − ε Σ|αᵢ| − ½ ΣΣ αᵢαⱼ(Kᵢⱼ + δᵢⱼ/C) on Σα = 0; b \
            follows from f(xᵢ) − yᵢ = −ε − αᵢ/C for any αᵢ > 0. One variable an example is enough, since αα̂ = 0.",
    how: "Two examples are solved by hand. On curves with noise and on the petals of irises the machine is compared with a Newton \
          method on the primal that solves linear systems, and its solution put into the dual with two variables an example, whose \
          gradient must vanish or point out of the feasible set. At ε = 0 it must be ridge regression.",
    seed: 620,
    body,
}];

fn body(bench: &mut Bench) -> Outcome {
    by_hand(bench)?;
    let curve = sinc(100, 4.0, 0.2, bench.seed())?;
    let iris = classic::iris()?.data.examples;
    let rows: Vec<&[f64]> = (0..150).map(|row| &iris.slice(row)[..3]).collect();
    let petals = Targets::new((0..150).map(|row| iris.slice(row)[3]).collect())?;
    let others = Dense::from_rows(&rows)?;
    let gaussian = VectorKernel::gaussian(1.0)?;
    for (cost, epsilon) in [(0.5, 0.1), (20.0, 0.3), (1000.0, 0.05)] {
        proposition(bench, "curve", &curve.examples, &curve.labels, gaussian, cost, epsilon)?;
    }
    proposition(bench, "width of petals", &others, &petals, VectorKernel::linear(), 1.0, 0.2)?;
    ridge(bench, &curve.examples, &curve.labels)?;
    sparseness(bench, &curve.examples, &curve.labels)
}

/// x = ±1, y = ±2, C = ½, ε = 1: ½w² + ½·2·½(1 − w)² is least at w = ½; α = C(1 − w) = ¼.
fn by_hand(bench: &mut Bench) -> Outcome {
    let examples = Dense::new(vec![-1.0, 1.0], 2, 1)?;
    let targets = Targets::new(vec![-2.0, 2.0])?;
    let gram = VectorGram::new(&examples, VectorKernel::linear())?;
    let machine = QuadraticSvr::default().with_cost(0.5).with_epsilon(1.0).with_gap(1e-14);
    let fit = machine.fit(&gram, &targets)?.converged()?;
    let w = fit.model.over_columns(&examples)?;
    let beta = fit.certificate.coefficients();
    bench.check_all_close(
        "x = ±1, y = ±2, C = ½, ε = 1: α, w and b",
        &[-0.25, 0.25, 0.5, 0.0],
        &[beta[0], beta[1], w.weights()[0], w.bias()],
        1e-12,
    );
    bench.check_close("f(1) − 2, and −ε − α/C", -1.5, w.weights()[0] + w.bias() - 2.0, 1e-12);
    Ok(())
}

/// Everything that the proposition says, for one set and setting.
fn proposition(
    bench: &mut Bench,
    name: &str,
    examples: &Dense<'_>,
    targets: &Targets,
    kernel: VectorKernel,
    cost: f64,
    epsilon: f64,
) -> Outcome {
    let name = format!("{name}, C = {}, ε = {}", number(cost), number(epsilon));
    let gram = VectorGram::new(examples, kernel)?;
    let machine = QuadraticSvr::default().with_cost(cost).with_epsilon(epsilon).with_gap(1e-12);
    let fit = machine.fit(&gram, targets)?.converged()?;
    bench.check_valid(
        format!("{name}: certificate"),
        fit.certificate.verify(&TrainingSet::new(&gram, targets)?)?,
    );
    let matrix = MatrixGram::computed(&gram, &Budget::default())?;
    let (beta, bias, y) = (fit.certificate.coefficients(), fit.model.bias(), targets.values());

    let exact = newton(&matrix, y, cost, epsilon)?;
    let off = distance(beta, &exact.0) / norm(&exact.0) + (bias - exact.1).abs();
    bench.check_at_most(
        format!("{name}: relative difference of α, and difference of b, from a Newton method"),
        1e-5,
        off,
    );

    let from_each: Vec<f64> = (0..y.len())
        .filter(|&i| beta[i] > 1e-3 * cost)
        .map(|i| y[i] - epsilon - beta[i] / cost - dot(matrix.row(i), beta))
        .collect();
    let spread = from_each.iter().map(|b| (b - bias).abs()).fold(0.0, f64::max);
    bench.check_at_most(
        format!("{name}: largest difference of b from {} examples with α > 0", from_each.len()),
        1e-4,
        spread,
    );

    let (slope, value) = two_variables(&matrix, y, cost, epsilon, beta, bias);
    bench.check_at_most(format!("{name}: largest gain per step in the dual with 2n variables"), 1e-4, slope);
    let primal = fit.certificate.figures().primal;
    bench.check_close(format!("{name}: its value, and the primal one"), primal, value, 1e-9 * primal);
    Ok(())
}

/// `max 0 ≤ α, α̂` of `Σ yᵢ(α̂ᵢ − αᵢ) − ε Σ(α̂ᵢ + αᵢ) − ½ ΣΣ (α̂ᵢ − αᵢ)(α̂ⱼ − αⱼ)(Kᵢⱼ + δᵢⱼ/C)`: the largest gain at the point
/// `α̂ = max(0, β)`, `α = max(0, −β)`, by increasing a variable or decreasing one that is positive, and the value there.
fn two_variables(
    matrix: &MatrixGram<'_>,
    y: &[f64],
    cost: f64,
    epsilon: f64,
    beta: &[f64],
    bias: f64,
) -> (f64, f64) {
    let (mut slope, mut value) = (0.0_f64, 0.0);
    for (i, y) in y.iter().enumerate() {
        let (over, under) = (beta[i].max(0.0), (-beta[i]).max(0.0));
        let product = dot(matrix.row(i), beta) + beta[i] / cost;
        let gradients = [(over, y - epsilon - product - bias), (under, -y - epsilon + product + bias)];
        for (variable, gradient) in gradients {
            slope = slope.max(if variable > 0.0 { gradient.abs() } else { gradient });
        }
        value += y * (over - under) - epsilon * (over + under) - 0.5 * (over - under) * product;
    }
    (slope, value)
}

/// The least `½βᵗKβ + ½C Σ max(0, |y − f| − ε)²` over `β` and `b`: where it is known who is above the tube and who below,
/// `f + β/C = y ∓ ε` on them and `Σβ = 0`; they are found by turns, with shorter steps where a full one would not help.
fn newton(
    matrix: &MatrixGram<'_>,
    y: &[f64],
    cost: f64,
    epsilon: f64,
) -> Result<(Vec<f64>, f64), Box<dyn std::error::Error>> {
    let n = y.len();
    let residuals = |beta: &[f64], bias: f64| -> Vec<f64> {
        (0..n).map(|i| y[i] - dot(matrix.row(i), beta) - bias).collect()
    };
    let value = |beta: &[f64], bias: f64| {
        let errors = residuals(beta, bias);
        let smooth: f64 = errors.iter().zip(beta).zip(y).map(|((r, beta), y)| beta * (y - r - bias)).sum();
        let outside: f64 = errors.iter().map(|r| (r.abs() - epsilon).max(0.0).powi(2)).sum();
        0.5 * smooth + 0.5 * cost * outside
    };
    let (mut beta, mut bias) = (vec![0.0; n], y.iter().sum::<f64>() / n as f64);
    for _ in 0..100 {
        let errors = residuals(&beta, bias);
        let assume = |i: usize| match errors[i].abs() > epsilon {
            true => Assumed::Level { level: y[i] - epsilon * errors[i].signum(), ridge: 1.0 / cost },
            false => Assumed::Fixed(0.0),
        };
        let assumed: Vec<Assumed> = (0..n).map(assume).collect();
        let (next, after) = solve(matrix, &assumed).ok_or("no example is outside the tube")?;
        let settled = |errors: &[f64]| {
            (0..n).all(|i| (errors[i].abs() > epsilon) == (next[i] != 0.0) && errors[i] * next[i] >= 0.0)
        };
        if settled(&residuals(&next, after)) {
            return Ok((next, after));
        }
        let (here, mut share) = (value(&beta, bias), 1.0);
        let between = |share: f64| {
            let mixed: Vec<f64> = beta.iter().zip(&next).map(|(a, b)| a + share * (b - a)).collect();
            (mixed, bias + share * (after - bias))
        };
        while share > 1e-6 && value(&between(share).0, between(share).1) >= here {
            share *= 0.5;
        }
        (beta, bias) = between(share);
    }
    Err("the examples outside the tube did not settle".into())
}

/// ε = 0 is ridge regression with λ = 1/C and a bias.
fn ridge(bench: &mut Bench, examples: &Dense<'_>, targets: &Targets) -> Outcome {
    let gram = VectorGram::new(examples, VectorKernel::gaussian(1.0)?)?;
    for cost in [0.1, 10.0] {
        let machine = QuadraticSvr::default().with_cost(cost).with_epsilon(0.0).with_gap(1e-13);
        let fit = machine.fit(&gram, targets)?.converged()?;
        let ridge = KernelRidge::default().with_penalty(1.0 / cost).with_bias(true).with_gap(1e-20);
        let ridge = ridge.fit(&gram, targets)?;
        let (a, b) = (fit.model.decision_values(&gram)?, ridge.model.decision_values(&gram)?);
        bench.check_at_most(
            format!(
                "curve, C = {}, ε = 0: relative difference of f from ridge regression with λ = 1/C",
                number(cost)
            ),
            1e-5,
            distance(&a, &b) / norm(&b),
        );
    }
    Ok(())
}

/// Wider tubes have fewer support vectors.
fn sparseness(bench: &mut Bench, examples: &Dense<'_>, targets: &Targets) -> Outcome {
    let gram = VectorGram::new(examples, VectorKernel::gaussian(1.0)?)?;
    let points: Vec<[f64; 2]> =
        targets.values().iter().enumerate().map(|(row, y)| [examples.slice(row)[0], *y]).collect();
    let grid: Vec<f64> = (0..=400).map(|k| -4.0 + 0.02 * f64::from(k)).collect();
    let at = Dense::new(grid.clone(), 401, 1)?;
    let mut plot = Plot::new("x", "y").points("examples", 0, &points);
    let mut counts = Vec::new();
    for (epsilon, stroke) in [(0.0, Stroke::DOTTED), (0.2, Stroke::SOLID), (0.5, Stroke::DASHED)] {
        let machine = QuadraticSvr::default().with_cost(5.0).with_epsilon(epsilon).with_gap(1e-10);
        let fit = machine.fit(&gram, targets)?.converged()?;
        counts.push(fit.model.rows().len());
        let values = fit.model.over_vectors(examples, gram.kernel())?.decision_values(&at)?;
        let line: Vec<[f64; 2]> = grid.iter().zip(&values).map(|(x, f)| [*x, *f]).collect();
        let label = format!("ε = {epsilon}: {} support vectors", fit.model.rows().len());
        plot = plot.curve(&label, &line, stroke);
    }
    bench.check(
        "support vectors of 100 for ε = 0, 0.2, 0.5",
        "all, fewer, fewest",
        format!("{counts:?}"),
        counts[0] == 100 && counts[1] < counts[0] && counts[2] < counts[1],
    );
    bench.figure("widths", "Quadratic loss outside tubes of three widths, C = 5.", plot.render()?)
}
