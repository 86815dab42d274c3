//! C10: the 1-norm soft margin machine, whose multipliers are in a box.

use lm_core::{
    BinaryLabels, Budget, Certificate, Dense, Hypothesis, Learner, MatrixGram, Sign, TrainingSet, VectorGram,
    VectorKernel,
};
use lm_data::classic;
use lm_data::generate::two_moons;
use lm_qp::CSvc;

use crate::reproduce::active_sets::{Assumed, every_choice, solve};
use crate::reproduce::bench::{Bench, number};
use crate::reproduce::entry::{Entry, Outcome};
use crate::reproduce::figure::{Plot, Stroke};
use crate::reproduce::measure::{Binary, clouds, pair, point};
use crate::reproduce::vectors::{distance, dot};

pub(super) const ENTRIES: &[Entry] = &[Entry {
    id: "C10",
    place: "C Prop 6.12",
    claim: "The soft margin machine with the sum of slack has the dual of the maximal margin with α ≤ C. b follows from y f(x) = 1 at \
            any 0 < α < C; the margin is γ = 1/‖w‖; slack needs α = C, and an example with 0 < α < C is at distance γ.",
    how: "Two examples are solved by hand. On small sets every choice of which α are 0, between and C is tried, and the one that \
          fulfils all conditions compared with the machine. On clouds, moons, irises and digits the three groups are checked, the \
          bias that each member of the second one gives, and both values.",
    seed: 10,
    body,
}];

fn body(bench: &mut Bench) -> Outcome {
    by_hand(bench)?;
    small_sets(bench)?;
    let digits = classic::digits()?.data;
    let iris = classic::iris()?.data;
    let clouds = clouds(120, 2, 2.0, bench.seed())?;
    let moons = two_moons(150, 0.3, bench.seed())?;
    let linear = VectorKernel::linear();
    three_groups(bench, "clouds, C = 1", &clouds, linear, 1.0)?;
    three_groups(bench, "moons, C = 10", &moons, VectorKernel::gaussian(1.0)?, 10.0)?;
    three_groups(bench, "irises, C = 1", &pair(&iris, [1.0, 2.0])?, linear, 1.0)?;
    let digits = pair(&digits, [3.0, 8.0])?;
    three_groups(bench, "digits 3 and 8, C = 1", &digits, VectorKernel::gaussian(1e-3)?, 1.0)?;
    figure(bench)
}

/// x = ±1, y = ±1. With ½‖w‖² the dual is 2α − 2α², α ≤ C: α = min(C, ½) and w = 2α.
fn by_hand(bench: &mut Bench) -> Outcome {
    let examples = Dense::new(vec![-1.0, 1.0], 2, 1)?;
    let labels = BinaryLabels::from_integers(&[-1, 1])?;
    let gram = VectorGram::new(&examples, VectorKernel::linear())?;
    let solved = |cost: f64| -> lm_core::Result<[f64; 3]> {
        let fit = CSvc::default().with_cost(cost).with_gap(1e-14).fit(&gram, &labels)?.converged()?;
        let w = fit.model.over_columns(&examples)?;
        Ok([fit.certificate.alpha()[0], w.weights()[0], w.bias()])
    };
    for (cost, claimed) in [(0.25, [0.25, 0.5, 0.0]), (2.0, [0.5, 1.0, 0.0])] {
        bench.check_all_close(format!("x = ±1, C = {cost}: α, w and b"), &claimed, &solved(cost)?, 1e-12);
    }
    // At C = ¼ both α are at C: the bias is not determined, and any −½ ≤ b ≤ ½ has the same slack.
    let slack = |b: f64| (1.0 - (0.5 + b)).max(0.0) + (1.0 - (0.5 - b)).max(0.0);
    bench.check_all_close(
        "C = ¼, no α between 0 and C: sum of slack at b = −½, 0, 0.3, ½, 0.6",
        &[1.0, 1.0, 1.0, 1.0, 1.1],
        &[-0.5, 0.0, 0.3, 0.5, 0.6].map(slack),
        1e-15,
    );
    bench.note(
        "Where no multiplier is strictly between 0 and C, a whole interval of biases is optimal; the library takes its middle.",
    );

    // Problem (6.5) as it is printed, ‖w‖² + C Σξ, on w = 0, 0.001, …, 2, with b = 0 by symmetry.
    let least = |cost: f64, factor: f64| {
        let value = |w: f64| factor * w * w + 2.0 * cost * (1.0 - w).max(0.0);
        let grid = (0..=2000).map(|k| 0.001 * f64::from(k));
        grid.fold(0.0, |best, w| if value(w) < value(best) { w } else { best })
    };
    let [_, w, _] = solved(0.25)?;
    let (printed, halved, doubled) = (least(0.25, 1.0), least(0.25, 0.5), least(0.5, 1.0));
    let close = |a: f64, b: f64| (a - b).abs() < 1e-9;
    bench.erratum(
        "The dual with 0 ≤ α ≤ C solves problem (6.5), which minimises ‖w‖² + C Σξ.",
        "It solves ½‖w‖² + C Σξ, as its Lagrangian says; problem (6.5) with C has the box 0 ≤ α ≤ C/2.",
        format!(
            "x = ±1, C = ¼: the dual gives w = {}, the least ‖w‖² + C Σξ is at w = {}, the least ½‖w‖² + C Σξ at {}, and ‖w‖² + 2C Σξ \
             is least at {}.",
            number(w),
            number(printed),
            number(halved),
            number(doubled)
        ),
        close(w, halved) && close(w, doubled) && close(printed, 0.25),
    );
    Ok(())
}

/// Tries every choice of the groups: the α between 0 and C follow from yf = 1 on them and Σ αy = 0.
fn exhaustive(matrix: &MatrixGram<'_>, signs: &[f64], cost: f64) -> Option<(Vec<f64>, f64)> {
    every_choice(signs.len() as u32, 3, |groups| {
        let assume = |(group, sign): (&usize, &f64)| match group {
            0 => Assumed::Fixed(0.0),
            1 => Assumed::Level { level: *sign, ridge: 0.0 },
            _ => Assumed::Fixed(cost * sign),
        };
        let assumed: Vec<Assumed> = groups.iter().zip(signs).map(assume).collect();
        let (beta, bias) = solve(matrix, &assumed)?;
        let good = |i: usize| {
            let margin = signs[i] * (dot(matrix.row(i), &beta) + bias);
            let alpha = signs[i] * beta[i];
            match groups[i] {
                0 => margin >= 1.0 - 1e-9,
                1 => (-1e-9..=cost + 1e-9).contains(&alpha) && (margin - 1.0).abs() < 1e-9,
                _ => margin <= 1.0 + 1e-9,
            }
        };
        (0..signs.len()).all(good).then_some((beta, bias))
    })
}

fn small_sets(bench: &mut Bench) -> Outcome {
    let (mut compared, mut worst) = (0, 0.0_f64);
    for seed in 0..12 {
        let data = two_moons(7, 0.5, bench.seed() + seed)?;
        let kernel =
            if seed % 2 == 0 { VectorKernel::gaussian(1.0)? } else { VectorKernel::polynomial(2, 1.0, 1.0)? };
        let gram = VectorGram::new(&data.examples, kernel)?;
        let matrix = MatrixGram::computed(&gram, &Budget::default())?;
        let signs = data.labels.values();
        for cost in [0.3, 1.0, 30.0] {
            let Some((beta, bias)) = exhaustive(&matrix, &signs, cost) else { continue };
            let fit =
                CSvc::default().with_cost(cost).with_gap(1e-12).fit(&gram, &data.labels)?.converged()?;
            let f: Vec<f64> = (0..7).map(|i| dot(matrix.row(i), &beta) + bias).collect();
            compared += 1;
            worst = worst.max(distance(&f, &fit.model.decision_values(&gram)?));
        }
    }
    bench.check(
        "sets of 7 examples on which one of 3⁷ choices fulfils all conditions",
        "≥ 30 of 36",
        compared.to_string(),
        compared >= 30,
    );
    bench.check_at_most(
        "largest distance of their function and that of the machine, on the examples",
        1e-5,
        worst,
    );
    Ok(())
}

/// The groups of a machine, its bias, its margin and its place among other lines.
fn three_groups(bench: &mut Bench, name: &str, data: &Binary, kernel: VectorKernel, cost: f64) -> Outcome {
    let gram = VectorGram::new(&data.examples, kernel)?;
    let set = TrainingSet::new(&gram, &data.labels)?;
    let fit = CSvc::default().with_cost(cost).with_gap(1e-11).fit(&gram, &data.labels)?.converged()?;
    bench.check_valid(format!("{name}: certificate"), fit.certificate.verify(&set)?);
    let groups = fit.certificate.groups(&set)?;
    let (values, signs) = (fit.model.decision_values(&gram)?, data.labels.values());
    let margin = |&i: &usize| signs[i] * values[i];
    let least = |rows: &[usize]| rows.iter().map(margin).fold(f64::INFINITY, f64::min);
    let most = |rows: &[usize]| rows.iter().map(margin).fold(f64::NEG_INFINITY, f64::max);
    bench.check_at_least(
        format!("{name}: least yf of the {} examples with α = 0", groups.none().len()),
        1.0 - 1e-4,
        least(groups.none()),
    );
    bench.check_all_close(
        format!("{name}: least and largest yf of the {} with 0 < α < C", groups.between().len()),
        &[1.0, 1.0],
        &[least(groups.between()), most(groups.between())],
        1e-4,
    );
    bench.check_at_most(
        format!("{name}: largest yf of the {} with α = C", groups.bound().len()),
        1.0 + 1e-4,
        most(groups.bound()),
    );
    let from_each = |&i: &usize| signs[i] - (values[i] - fit.model.bias());
    let spread = groups
        .between()
        .iter()
        .map(from_each)
        .fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], b| [low.min(b), high.max(b)]);
    bench.check_at_most(format!("{name}: spread of b from each of them"), 1e-4, spread[1] - spread[0]);

    // Strong duality with the slack that the function has, and γ from the double sum over the support vectors.
    let slack: f64 = (0..signs.len()).map(|i| (1.0 - margin(&i)).max(0.0)).sum();
    let alpha = fit.certificate.alpha();
    let beta: Vec<f64> = alpha.iter().zip(&signs).map(|(alpha, y)| alpha * y).collect();
    let scores: Vec<f64> = values.iter().map(|f| f - fit.model.bias()).collect();
    let square = dot(&beta, &scores);
    let (primal, dual) = (0.5 * square + cost * slack, alpha.iter().sum::<f64>() - 0.5 * square);
    bench.check_close(format!("{name}: W(α), and ½/γ² + C Σξ"), primal, dual, 1e-9 * primal);
    // The form of the gap that the text arrives at.
    let text = alpha.iter().sum::<f64>() - 2.0 * dual + cost * slack;
    bench.check_close(format!("{name}: the gap as Σα − 2W + C Σξ"), primal - dual, text, 1e-9 * primal);
    Ok(())
}

fn figure(bench: &mut Bench) -> Outcome {
    let data = &clouds(60, 2, 3.0, bench.seed() + 1)?;
    let gram = VectorGram::new(&data.examples, VectorKernel::linear())?;
    let fit = CSvc::default().with_cost(1.0).with_gap(1e-10).fit(&gram, &data.labels)?.converged()?;
    let groups = fit.certificate.groups(&TrainingSet::new(&gram, &data.labels)?)?;
    let w = fit.model.over_columns(&data.examples)?;
    let line = |level: f64| [w.weights()[0], w.weights()[1], w.bias() - level];
    let points = |rows: &[usize]| rows.iter().map(|&row| point(data, row)).collect::<Vec<_>>();
    let off_margin = |sign: Sign| {
        let rows = (0..60).filter(|row| !groups.between().contains(row) && data.labels.signs()[*row] == sign);
        points(&rows.collect::<Vec<_>>())
    };
    let plot = Plot::new("x₁", "x₂")
        .equal_axes()
        .line("hyperplane", line(0.0), Stroke::SOLID)
        .line("y f(x) = 1", line(1.0), Stroke::DASHED)
        .line("", line(-1.0), Stroke::DASHED)
        .points("class −1", 0, &off_margin(Sign::Negative))
        .points("class +1", 1, &off_margin(Sign::Positive))
        .points("0 < α < C", 2, &points(groups.between()));
    let svg = plot.rings("α = C", &points(groups.bound())).render()?;
    bench.figure(
        "groups",
        "Two clouds, C = 1. Ringed: α = C, on the wrong side of the margin line of their class. Those with 0 < α < C are on it.",
        svg,
    )
}
