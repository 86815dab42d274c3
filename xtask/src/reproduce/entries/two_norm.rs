//! C09: the 2-norm soft margin machine, which weights the diagonal.

use lm_core::gram::Ridged;
use lm_core::{
    BinaryLabels, Budget, Certificate, Dense, Gram, Hypothesis, Learner, MatrixGram, TrainingSet, VectorGram,
    VectorKernel,
};
use lm_data::classic;
use lm_data::generate::two_moons;
use lm_qp::{MaximalMargin, TwoNormSvc};

use crate::reproduce::active_sets::{Assumed, solve};
use crate::reproduce::bench::{Bench, number};
use crate::reproduce::entry::{Entry, Outcome};
use crate::reproduce::figure::Plot;
use crate::reproduce::measure::{Binary, clouds, pair};
use crate::reproduce::vectors::{distance, dot, norm};

pub(super) const ENTRIES: &[Entry] = &[Entry {
    id: "C09",
    place: "C Prop 6.11",
    claim: "The soft margin machine with squared slack is the maximal margin machine of the kernel K + δ/C. Its slack is α/C, b \
            follows from any support vector by y f(x) = 1 − α/C, and its margin is γ = (Σα − ⟨α·α⟩/C)^(−½). A slack below 0 is \
            never worth having.",
    how: "Two examples are solved by hand. On moons, clouds, irises and digits, under three kernels and C from 0.01 to 1000, the \
          machine is compared with the maximal margin of the ridged Gram matrix, with a Newton method on the primal that knows of \
          no multipliers, and with every formula of the proposition.",
    seed: 9,
    body,
}];

fn body(bench: &mut Bench) -> Outcome {
    by_hand(bench)?;
    let digits = classic::digits()?.data;
    let iris = classic::iris()?.data;
    let moons = two_moons(120, 0.3, bench.seed())?;
    let sets = [
        ("moons, Gaussian kernel", moons, VectorKernel::gaussian(1.0)?, 1.0),
        ("clouds, linear kernel", clouds(100, 3, 1.5, bench.seed())?, VectorKernel::linear(), 0.01),
        ("irises, cubic kernel", pair(&iris, [1.0, 2.0])?, VectorKernel::polynomial(3, 0.1, 1.0)?, 0.1),
        (
            "digits 3 and 8, Gaussian kernel",
            pair(&digits, [3.0, 8.0])?,
            VectorKernel::gaussian(1e-3)?,
            1000.0,
        ),
    ];
    for (name, data, kernel, cost) in &sets {
        proposition(bench, &format!("{name}, C = {}", number(*cost)), data, *kernel, *cost)?;
    }
    conditioning(bench, &sets[0].1)
}

/// x = ±1, y = ±1: W = 2α − 2α² − α²/C has its maximum at α = C/(2C + 1).
fn by_hand(bench: &mut Bench) -> Outcome {
    let examples = Dense::new(vec![-1.0, 1.0], 2, 1)?;
    let labels = BinaryLabels::from_integers(&[-1, 1])?;
    let gram = VectorGram::new(&examples, VectorKernel::linear())?;
    for cost in [0.5, 1.0, 1e6] {
        let fit = TwoNormSvc::default().with_cost(cost).with_gap(1e-14).fit(&gram, &labels)?.converged()?;
        let alpha = cost / (2.0 * cost + 1.0);
        let found = fit.certificate.alpha();
        let w = fit.model.over_columns(&examples)?;
        let formula = (dot(&found, &[1.0, 1.0]) - dot(&found, &found) / cost).powf(-0.5);
        bench.check_all_close(
            format!("x = ±1, C = {}: α, w, b, and the margin of the formula", number(cost)),
            &[alpha, 2.0 * alpha, 0.0, 0.5 / alpha],
            &[found[0], w.weights()[0], w.bias(), formula],
            1e-12,
        );
    }
    Ok(())
}

/// Everything that the proposition says, on one set.
fn proposition(bench: &mut Bench, name: &str, data: &Binary, kernel: VectorKernel, cost: f64) -> Outcome {
    let gram = VectorGram::new(&data.examples, kernel)?;
    let set = TrainingSet::new(&gram, &data.labels)?;
    let fit = TwoNormSvc::default().with_cost(cost).with_gap(1e-12).fit(&gram, &data.labels)?.converged()?;
    bench.check_valid(format!("{name}: certificate"), fit.certificate.verify(&set)?);
    let (alpha, signs) = (fit.certificate.alpha(), data.labels.values());
    let values = fit.model.decision_values(&gram)?;
    let size = norm(&alpha);

    let ridged = Ridged::by_cost(&gram, cost)?;
    let hard = MaximalMargin::default().with_gap(1e-12).fit(&ridged, &data.labels)?.converged()?;
    let mut of_hard = vec![0.0; alpha.len()];
    hard.model
        .rows()
        .iter()
        .zip(hard.model.coefficients())
        .for_each(|(&row, beta)| of_hard[row] = beta.abs());
    bench.check_at_most(
        format!("{name}: relative difference of α and the multipliers of the maximal margin under K + δ/C"),
        1e-5,
        distance(&alpha, &of_hard) / size,
    );

    // Slack and multipliers at once: 1 − yf is α/C where it is positive, and nothing where it is not.
    let slack: Vec<f64> = values.iter().zip(&signs).map(|(f, y)| 1.0 - y * f).collect();
    let spare = |(slack, alpha): (&f64, &f64)| (slack.max(0.0) - alpha / cost).abs();
    let worst = slack.iter().zip(&alpha).map(spare).fold(0.0, f64::max);
    bench.check_at_most(format!("{name}: largest difference of ξ and α/C"), 1e-5, worst);
    let biases = (0..alpha.len()).filter(|&i| alpha[i] > 1e-3 * cost.min(1.0)).map(|i| {
        let f = values[i] - fit.model.bias();
        signs[i] * (1.0 - alpha[i] / cost) - f
    });
    let (mut low, mut high, mut count) = (f64::INFINITY, f64::NEG_INFINITY, 0);
    biases.for_each(|b| (low, high, count) = (low.min(b), high.max(b), count + 1));
    bench.check_at_most(
        format!("{name}: spread of b from each of {count} support vectors, |b| = {}", number(high.abs())),
        1e-4,
        high - low,
    );
    let formula = (alpha.iter().sum::<f64>() - dot(&alpha, &alpha) / cost).powf(-0.5);
    let geometric = fit.model.norm_squared(&gram)?.powf(-0.5);
    bench.check_close(format!("{name}: γ by the formula, and 1/‖w‖"), geometric, formula, 1e-6 * geometric);

    let (beta, bias) = newton(&gram, &signs, cost)?;
    let found: Vec<f64> = alpha.iter().zip(&signs).map(|(alpha, y)| alpha * y).collect();
    bench.check_at_most(
        format!("{name}: relative difference from a Newton method on the primal"),
        1e-5,
        distance(&beta, &found) / size + (bias - fit.model.bias()).abs() / bias.abs().max(1.0),
    );
    Ok(())
}

/// The minimum of `½βᵗKβ + ½C Σ max(0, 1 − yf)²` over `β` and `b`: where the examples with slack are known, it is a linear
/// system, `f + β/C = y` on them and `Σβ = 0`; they are found by turns.
fn newton(gram: &dyn Gram, signs: &[f64], cost: f64) -> Result<(Vec<f64>, f64), Box<dyn std::error::Error>> {
    let matrix = MatrixGram::computed(gram, &Budget::default())?;
    let n = signs.len();
    let mut short = vec![true; n];
    for _ in 0..100 {
        let assume = |i: usize| match short[i] {
            true => Assumed::Level { level: signs[i], ridge: 1.0 / cost },
            false => Assumed::Fixed(0.0),
        };
        let assumed: Vec<Assumed> = (0..n).map(assume).collect();
        let (beta, bias) = solve(&matrix, &assumed).ok_or("no example has slack")?;
        let next: Vec<bool> = (0..n).map(|i| signs[i] * (dot(matrix.row(i), &beta) + bias) < 1.0).collect();
        if next == short {
            return Ok((beta, bias));
        }
        short = next;
    }
    Err("the examples with slack did not settle".into())
}

/// The eigenvalues grow by 1/C, and the margin with them as C falls.
fn conditioning(bench: &mut Bench, data: &Binary) -> Outcome {
    let gram = VectorGram::new(&data.examples, VectorKernel::gaussian(1.0)?)?;
    let (mut margins, mut slacks) = (Vec::new(), Vec::new());
    for step in -6..=8 {
        let cost = 10.0_f64.powf(0.5 * f64::from(step));
        let fit =
            TwoNormSvc::default().with_cost(cost).with_gap(1e-10).fit(&gram, &data.labels)?.converged()?;
        margins.push([cost, fit.model.norm_squared(&gram)?.powf(-0.5)]);
        slacks.push([cost, norm(&fit.certificate.alpha()) / cost]);
    }
    let falls = |points: &[[f64; 2]]| points.windows(2).all(|pair| pair[1][1] < pair[0][1]);
    bench.check(
        "‖w‖ grows and ‖ξ‖ falls as C runs from 10⁻³ to 10⁴",
        "at each of 14 steps",
        if falls(&margins) && falls(&slacks) { "at each" } else { "not at each" },
        falls(&margins) && falls(&slacks),
    );
    let plot = Plot::new("C", "value").log_x().log_y();
    let plot = plot.marked_series("margin γ", &margins).marked_series("‖ξ‖", &slacks);
    bench.figure("trade", "120 points of two moons: as C grows, slack is traded for margin.", plot.render()?)
}
