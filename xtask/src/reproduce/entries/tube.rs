//! C16: regression with a linear loss outside a tube.

use lm_core::{
    Budget, Certificate, Dense, Hypothesis, Learner, MatrixGram, Targets, TrainingSet, VectorGram,
    VectorKernel,
};
use lm_data::classic;
use lm_data::generate::sinc;
use lm_qp::EpsilonSvr;

use crate::reproduce::active_sets::{Assumed, every_choice, solve};
use crate::reproduce::bench::{Bench, number};
use crate::reproduce::entry::{Entry, Outcome};
use crate::reproduce::figure::{Plot, Stroke};
use crate::reproduce::vectors::{distance, dot};

pub(super) const ENTRIES: &[Entry] = &[Entry {
    id: "C16",
    place: "C Prop 6.21, Rem 6.22, Fig 6.5",
    claim: "The regression with linear ε-insensitive loss has the dual Σ yᵢαᵢ − ε Σ|αᵢ| − ½ ΣΣ αᵢαⱼKᵢⱼ on Σα = 0, −C ≤ α ≤ C; b follows \
            from f(xᵢ) − yᵢ = −ε for any 0 < αᵢ < C. Points that do not touch the tube from within or on its edge have |α| = C.",
    how: "Three examples are solved by hand. On small sets every choice of who is inside, on the edge and outside is tried. On a curve \
          with noise and the petals of irises the groups, the bias and both values are checked, and the tube is drawn.",
    seed: 621,
    body,
}];

fn body(bench: &mut Bench) -> Outcome {
    by_hand(bench)?;
    small_sets(bench)?;
    let curve = sinc(100, 4.0, 0.15, bench.seed())?;
    let iris = classic::iris()?.data.examples;
    let rows: Vec<&[f64]> = (0..150).map(|row| &iris.slice(row)[..3]).collect();
    let (others, petals) =
        (Dense::from_rows(&rows)?, Targets::new((0..150).map(|row| iris.slice(row)[3]).collect())?);
    let gaussian = VectorKernel::gaussian(1.0)?;
    proposition(bench, "curve", &curve.examples, &curve.labels, gaussian, 2.0, 0.1)?;
    proposition(bench, "curve", &curve.examples, &curve.labels, gaussian, 0.05, 0.3)?;
    proposition(bench, "width of petals", &others, &petals, VectorKernel::linear(), 0.5, 0.15)?;
    figure(bench)
}

/// The flattest line within ½ of (−1, −1) and (1, 1) is w = ½; a third point on the edge of its tube has nothing to add.
fn by_hand(bench: &mut Bench) -> Outcome {
    let solved = |rows: &[[f64; 2]], targets: &[f64], cost: f64| -> lm_core::Result<_> {
        let (examples, targets) = (Dense::from_rows(rows)?, Targets::new(targets.to_vec())?);
        let gram = VectorGram::new(&examples, VectorKernel::linear())?;
        let machine = EpsilonSvr::default().with_cost(cost).with_epsilon(0.5).with_gap(1e-14);
        let fit = machine.fit(&gram, &targets)?.converged()?;
        let w = fit.model.over_columns(&examples)?;
        Ok((fit.certificate.coefficients().to_vec(), w))
    };
    let ends = [[-1.0, 0.0], [1.0, 0.0]];
    for (cost, alpha) in [(10.0, 0.25), (0.125, 0.125)] {
        let (found, w) = solved(&ends, &[-1.0, 1.0], cost)?;
        bench.check_all_close(
            format!("x = ±1, y = ±1, ε = ½, C = {cost}: α and w"),
            &[-alpha, alpha, 2.0 * alpha],
            &[found[0], found[1], w.weights()[0]],
            1e-12,
        );
    }
    // The weight of the second attribute is α₃, and the flattest function has none.
    let (found, w) = solved(&[[-1.0, 0.0], [1.0, 0.0], [0.0, 1.0]], &[-1.0, 1.0, 0.5], 10.0)?;
    let error = 0.5 - w.weights()[1] - w.bias();
    bench.erratum(
        "The points that are not strictly inside the tube are support vectors.",
        "Support vectors are not strictly inside the tube; but a point on its edge may have α = 0.",
        format!(
            "y = −1, 1, ½ at (−1, 0), (1, 0), (0, 1), ε = ½, C = 10: the third point has the error {} and α = {}.",
            number(error),
            number(found[2])
        ),
        (error - 0.5).abs() < 1e-12 && found[2] == 0.0 && (found[1] - 0.25).abs() < 1e-12,
    );
    Ok(())
}

/// Tries every choice of who is below the tube, on its lower edge, inside, on the upper edge and above.
fn exhaustive(matrix: &MatrixGram<'_>, y: &[f64], cost: f64, epsilon: f64) -> Option<(Vec<f64>, f64)> {
    every_choice(y.len() as u32, 5, |places| {
        let assume = |(place, y): (&usize, &f64)| match place {
            0 => Assumed::Fixed(-cost),
            1 => Assumed::Level { level: y + epsilon, ridge: 0.0 },
            2 => Assumed::Fixed(0.0),
            3 => Assumed::Level { level: y - epsilon, ridge: 0.0 },
            _ => Assumed::Fixed(cost),
        };
        let assumed: Vec<Assumed> = places.iter().zip(y).map(assume).collect();
        let (beta, bias) = solve(matrix, &assumed)?;
        let good = |i: usize| {
            let error = y[i] - dot(matrix.row(i), &beta) - bias;
            match places[i] {
                0 => error <= -epsilon + 1e-9,
                1 => (-cost..=1e-9).contains(&beta[i]) && (error + epsilon).abs() < 1e-9,
                2 => error.abs() <= epsilon + 1e-9,
                3 => (-1e-9..=cost).contains(&beta[i]) && (error - epsilon).abs() < 1e-9,
                _ => error >= epsilon - 1e-9,
            }
        };
        (0..y.len()).all(good).then_some((beta, bias))
    })
}

fn small_sets(bench: &mut Bench) -> Outcome {
    let (mut compared, mut worst) = (0, 0.0_f64);
    for seed in 0..6 {
        let data = sinc(6, 2.0, 0.4, bench.seed() + seed)?;
        let gram = VectorGram::new(&data.examples, VectorKernel::gaussian(1.0)?)?;
        let matrix = MatrixGram::computed(&gram, &Budget::default())?;
        for (cost, epsilon) in [(0.3, 0.1), (5.0, 0.05)] {
            let Some((beta, bias)) = exhaustive(&matrix, data.labels.values(), cost, epsilon) else {
                continue;
            };
            let machine = EpsilonSvr::default().with_cost(cost).with_epsilon(epsilon).with_gap(1e-12);
            let fit = machine.fit(&gram, &data.labels)?.converged()?;
            let f: Vec<f64> = (0..6).map(|i| dot(matrix.row(i), &beta) + bias).collect();
            compared += 1;
            worst = worst.max(distance(&f, &fit.model.decision_values(&gram)?));
        }
    }
    bench.check(
        "sets of 6 examples on which one of 5⁶ choices fulfils all conditions",
        "≥ 10 of 12",
        compared.to_string(),
        compared >= 10,
    );
    bench.check_at_most(
        "largest distance of their function and that of the machine, on the examples",
        1e-5,
        worst,
    );
    Ok(())
}

/// Everything that the proposition and the remark say, for one set and setting.
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
    let set = TrainingSet::new(&gram, targets)?;
    let machine = EpsilonSvr::default().with_cost(cost).with_epsilon(epsilon).with_gap(1e-11);
    let fit = machine.fit(&gram, targets)?.converged()?;
    bench.check_valid(format!("{name}: certificate"), fit.certificate.verify(&set)?);
    let groups = fit.certificate.groups(&set)?;
    let (values, y, beta) =
        (fit.model.decision_values(&gram)?, targets.values(), fit.certificate.coefficients());
    // The way out of the tube, counted to the side that the coefficient is on.
    let beyond = |&i: &usize| {
        let error = y[i] - values[i];
        if beta[i] == 0.0 { error.abs() - epsilon } else { error * beta[i].signum() - epsilon }
    };
    let range = |rows: &[usize]| {
        rows.iter()
            .map(beyond)
            .fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], v| [low.min(v), high.max(v)])
    };
    let [inside, edge, outside] = [groups.none(), groups.between(), groups.bound()];
    bench.check_at_most(
        format!("{name}: |y − f| − ε of the {} with α = 0, at most", inside.len()),
        1e-5,
        range(inside)[1],
    );
    bench.check_all_close(
        format!("{name}: the same of the {} with 0 < |α| < C, least and largest", edge.len()),
        &[0.0, 0.0],
        &range(edge),
        1e-5,
    );
    bench.check_at_least(
        format!("{name}: the same of the {} with |α| = C, at least", outside.len()),
        -1e-5,
        range(outside)[0],
    );
    let off: Vec<usize> = (0..y.len()).filter(|&i| (y[i] - values[i]).abs() > epsilon + 1e-5).collect();
    let full = off.iter().all(|&i| beta[i].abs() == cost);
    bench.check(
        format!("{name}: points outside that do not touch the tube"),
        "all with |α| = C",
        format!("{} points, {}", off.len(), if full { "all" } else { "not all" }),
        full && !off.is_empty(),
    );
    let from_each = edge.iter().map(|&i| y[i] - epsilon * beta[i].signum() - (values[i] - fit.model.bias()));
    let spread =
        from_each.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], b| [low.min(b), high.max(b)]);
    bench.check_at_most(
        format!("{name}: spread of b from each example on the edge"),
        1e-5,
        spread[1] - spread[0],
    );

    let scores: Vec<f64> = values.iter().map(|f| f - fit.model.bias()).collect();
    let square = dot(beta, &scores);
    let slack: f64 = (0..y.len()).map(|i| ((y[i] - values[i]).abs() - epsilon).max(0.0)).sum();
    let sizes: f64 = beta.iter().map(|beta| beta.abs()).sum();
    let (primal, dual) = (0.5 * square + cost * slack, dot(y, beta) - epsilon * sizes - 0.5 * square);
    bench.check_close(format!("{name}: W(α), and ½‖w‖² + C Σ(ξ + ξ̂)"), primal, dual, 1e-9 * primal);
    bench.check_at_most(
        format!("{name}: |Σα| in parts of Σ|α|"),
        1e-14,
        beta.iter().sum::<f64>().abs() / sizes,
    );
    Ok(())
}

/// Figure 6.5: a curve, its tube and the slack.
fn figure(bench: &mut Bench) -> Outcome {
    let data = sinc(40, 4.0, 0.18, bench.seed() + 50)?;
    let (kernel, epsilon) = (VectorKernel::gaussian(0.6)?, 0.15);
    let gram = VectorGram::new(&data.examples, kernel)?;
    let machine = EpsilonSvr::default().with_cost(2.0).with_epsilon(epsilon).with_gap(1e-10);
    let fit = machine.fit(&gram, &data.labels)?.converged()?;
    let values = fit.model.decision_values(&gram)?;
    let grid: Vec<f64> = (0..=400).map(|k| -4.0 + 0.02 * f64::from(k)).collect();
    let at = Dense::new(grid.clone(), 401, 1)?;
    let f = fit.model.over_vectors(&data.examples, kernel)?.decision_values(&at)?;
    let shifted = |by: f64| grid.iter().zip(&f).map(|(x, f)| [*x, f + by]).collect::<Vec<_>>();
    let points: Vec<[f64; 2]> =
        data.labels.values().iter().enumerate().map(|(row, y)| [data.examples.slice(row)[0], *y]).collect();
    let mut plot = Plot::new("x", "y")
        .curve("f(x)", &shifted(0.0), Stroke::SOLID)
        .curve("f(x) ± ε", &shifted(epsilon), Stroke::DASHED)
        .curve("", &shifted(-epsilon), Stroke::DASHED);
    let mut named = false;
    for (point, f) in points.iter().zip(&values) {
        let error = point[1] - f;
        if error.abs() > epsilon + 1e-4 {
            let foot = [point[0], f + epsilon * error.signum()];
            plot = plot.segment(if named { "" } else { "slack ξ" }, *point, foot, Stroke::DOTTED);
            named = true;
        }
    }
    let support: Vec<[f64; 2]> = fit.model.rows().iter().map(|&row| points[row]).collect();
    let svg = plot.points("examples", 0, &points).rings("support vectors", &support).render()?;
    bench.figure("tube", "A non-linear regression with its insensitive band, ε = 0.15, C = 2.", svg)
}
