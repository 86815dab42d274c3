//! C04: the feasibility gap, by the formulas of the source, and along the iterations.

use lm_core::{Budget, Control, Dense, Learner, Sign, TrainingSet, VectorGram, VectorKernel};
use lm_data::classic;
use lm_data::generate::two_moons;
use lm_qp::{CSvc, MaximalMargin};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

use crate::reproduce::bench::{Bench, number};
use crate::reproduce::dual_by_hand::DualByHand;
use crate::reproduce::entry::{Entry, Outcome};
use crate::reproduce::figure::Plot;
use crate::reproduce::measure::{Binary, clouds, pair};

pub(super) const ENTRIES: &[Entry] = &[Entry {
    id: "C04",
    place: "C 6.1.1, 6.1.2",
    claim: "The difference of primal and dual value indicates convergence. Hard margin: W(α) − ½‖w‖² = −Σα[y(⟨w·x⟩ + b) − 1] = Σα − ΣΣααyyK, \
            the gap only where w meets the constraints. 1-norm: with ξ = max(0, 1 − y f) the gap is Σα − 2W(α) + CΣξ.",
    how: "Each formula is evaluated at random multipliers and after 1, 2, 4, … steps of the library, with b from an example with \
          0 < α < C; it must bound the distance from the optimum, fall to 0, and be the gap of the certificate when b is that of the machine.",
    seed: 604,
    body,
}];

fn body(bench: &mut Bench) -> Outcome {
    hard_formula(bench)?;
    let overlapping = clouds(200, 3, 2.0, bench.seed())?;
    soft_formula(bench, &overlapping)?;
    no_free_multiplier(bench)?;
    soft_course(bench, &overlapping)?;
    hard_course(bench)
}

/// Multipliers with `Σ yα = 0` and `0 ≤ α ≤ most`.
fn feasible(random: &mut ChaCha8Rng, y: &[f64], most: f64) -> Vec<f64> {
    let mut alpha: Vec<f64> = y.iter().map(|_| most * random.random_range(0.0..1.0_f64).powi(3)).collect();
    let side = |sign: f64| alpha.iter().zip(y).filter(|(_, y)| **y == sign).map(|(a, _)| a).sum::<f64>();
    let (positive, negative) = (side(1.0), side(-1.0));
    let least = positive.min(negative);
    for (a, y) in alpha.iter_mut().zip(y) {
        *a *= least / if *y > 0.0 { positive } else { negative };
    }
    alpha
}

fn hard_formula(bench: &mut Bench) -> Outcome {
    let data = pair(&classic::iris()?.data, [0.0, 1.0])?;
    let dual = DualByHand::new(&VectorGram::new(&data.examples, VectorKernel::linear())?, &data.labels)?;
    let mut random = ChaCha8Rng::seed_from_u64(bench.seed());
    let mut off = 0.0_f64;
    for _ in 0..200 {
        let alpha = feasible(&mut random, &dual.y, 0.1);
        let b = random.random_range(-5.0..5.0);
        let (total, square) = (alpha.iter().sum::<f64>(), dual.norm_squared(&alpha));
        let difference = dual.value(&alpha) - 0.5 * square;
        let conditions: f64 = alpha.iter().zip(dual.margins(&alpha, b)).map(|(a, m)| a * (m - 1.0)).sum();
        let size = total + square;
        off =
            off.max((difference + conditions).abs() / size).max((difference - (total - square)).abs() / size);
    }
    bench.check_at_most(
        "hard margin, iris, 200 random α and b: the three expressions, largest relative difference",
        1e-12,
        off,
    );
    // Two points at the distance 2: the optimum is W = ½ at α = ½ each.
    let points = Dense::from_rows(&[[-1.0], [1.0]])?;
    let labels = lm_core::BinaryLabels::from_integers(&[-1, 1])?;
    let dual = DualByHand::new(&VectorGram::new(&points, VectorKernel::linear())?, &labels)?;
    let gap = |a: f64| 0.5 * dual.norm_squared(&[a, a]) - dual.value(&[a, a]);
    bench.check_all_close(
        "two points, hard margin: minus the formula at α = 0, ¼, ½ and 1 each; the optimum is at ½",
        &[0.0, -0.25, 0.0, 2.0],
        &[gap(0.0), gap(0.25), gap(0.5), gap(1.0)],
        1e-15,
    );
    bench.note(
        "At α = 0 and α = ¼ of the two points w does not meet the constraints, and the formula is 0 or less although the optimum is far: \
         the source warns of it. The library solves for the nearest points of the hulls, where every step has a gap.",
    );
    Ok(())
}

/// `Σα − 2W(α) + CΣξ` and `Σξ`.
fn gap_of(dual: &DualByHand, alpha: &[f64], b: f64, cost: f64) -> (f64, f64) {
    let slack: f64 = dual.margins(alpha, b).iter().map(|m| (1.0 - m).max(0.0)).sum();
    (alpha.iter().sum::<f64>() - 2.0 * dual.value(alpha) + cost * slack, slack)
}

/// `b` from each example with `0 < α < C`, such that `yf(x) = 1` there.
fn biases(dual: &DualByHand, alpha: &[f64], cost: f64) -> Vec<f64> {
    let free = (0..alpha.len()).filter(|&i| alpha[i] > 0.0 && alpha[i] < cost);
    let outputs = dual.outputs(alpha);
    free.map(|i| dual.y[i] - outputs[i]).collect()
}

fn soft_formula(bench: &mut Bench, data: &Binary) -> Outcome {
    let dual = DualByHand::new(&VectorGram::new(&data.examples, VectorKernel::linear())?, &data.labels)?;
    let mut random = ChaCha8Rng::seed_from_u64(bench.seed());
    let (mut off, mut negative) = (0.0_f64, 0_u32);
    for _ in 0..200 {
        let cost = 10.0_f64.powf(random.random_range(-2.0..2.0));
        let alpha = feasible(&mut random, &dual.y, cost);
        let b = random.random_range(-3.0..3.0);
        let (gap, slack) = gap_of(&dual, &alpha, b, cost);
        let primal = 0.5 * dual.norm_squared(&alpha) + cost * slack;
        let conditions = alpha.iter().zip(dual.margins(&alpha, b)).map(|(a, m)| {
            let xi = (1.0 - m).max(0.0);
            a * (m - 1.0 + xi) + (cost - a) * xi
        });
        off = off.max((gap - (primal - dual.value(&alpha))).abs() / primal);
        off = off.max((gap - conditions.sum::<f64>()).abs() / primal);
        negative += u32::from(!(gap >= 0.0));
    }
    bench.check_at_most(
        "1-norm, clouds, 200 random α, b and C: the formula, primal less dual, and the sum of the conditions, relative difference",
        1e-12,
        off,
    );
    bench.check_equal("of these, gaps below 0", 0, negative);
    Ok(())
}

/// A set whose every multiplier is at its bound: the rule for `b` has no example to take.
fn no_free_multiplier(bench: &mut Bench) -> Outcome {
    let data = clouds(40, 2, 1.0, bench.seed())?;
    let gram = VectorGram::new(&data.examples, VectorKernel::linear())?;
    let dual = DualByHand::new(&gram, &data.labels)?;
    let cost = 1e-3;
    let fit = CSvc::default().with_cost(cost).with_gap(1e-11).fit(&gram, &data.labels)?.converged()?;
    let alpha = dual.multipliers(&fit.model);
    let bound = alpha.iter().filter(|a| **a == cost).count();
    let (gap, _) = gap_of(&dual, &alpha, fit.model.bias(), cost);
    let optimum = dual.value(&alpha);
    bench.erratum(
        "b is chosen so that yᵢf(xᵢ) = 1 for some i with C > αᵢ > 0.",
        "There may be no such i, even at the solution. The b that minimises Σξ always exists, and gives the smallest gap.",
        format!(
            "On 40 points of two clouds with C = 0.001 all {bound} multipliers of the solution are C. With the b that minimises Σξ the gap \
             is {} of the optimum, which proves the solution.",
            number(gap.abs() / optimum)
        ),
        bound == alpha.len() && biases(&dual, &alpha, cost).is_empty() && gap.abs() <= 1e-10 * optimum,
    );
    Ok(())
}

/// The gap after 1, 2, 4, … steps.
fn soft_course(bench: &mut Bench, data: &Binary) -> Outcome {
    let moons = two_moons(200, 0.25, bench.seed())?;
    let mut plot = Plot::new("steps", "gap over the optimum").log_x().log_y();
    for (name, data, kernel, cost) in [
        ("clouds, linear, C = 0.1", data, VectorKernel::linear(), 0.1),
        ("clouds, linear, C = 10", data, VectorKernel::linear(), 10.0),
        ("moons, Gaussian, C = 1", &moons, VectorKernel::gaussian(1.0)?, 1.0),
        ("moons, Gaussian, C = 1000", &moons, VectorKernel::gaussian(1.0)?, 1000.0),
    ] {
        let gram = VectorGram::new(&data.examples, kernel)?;
        let (dual, set) = (DualByHand::new(&gram, &data.labels)?, TrainingSet::new(&gram, &data.labels)?);
        let machine = CSvc::default().with_cost(cost).with_gap(1e-11);
        let solved = machine.fit(&gram, &data.labels)?.converged()?;
        let optimum = dual.value(&dual.multipliers(&solved.model));
        let mut budgets: Vec<u64> = (0..40).map(|k| 2.0_f64.powf(f64::from(k) / 2.0) as u64).collect();
        budgets.dedup();
        let (mut points, mut off, mut below, mut larger, mut falls) = (Vec::new(), 0.0_f64, 0, 0, 0);
        let mut last = f64::NEG_INFINITY;
        for steps in budgets.into_iter().filter(|steps| *steps < 2 * solved.report.iterations) {
            let control = Control::new(Budget::default().with_iterations(steps));
            let fit = machine.fit_with(&set, &control)?;
            let alpha = dual.multipliers(&fit.model);
            let (gap, _) = gap_of(&dual, &alpha, fit.model.bias(), cost);
            let figures = fit.certificate.figures();
            off = off.max((gap - (figures.primal - figures.dual)).abs() / figures.primal);
            // What is missing to the optimum is never more than the gap, whichever example gives b.
            let missing = optimum - dual.value(&alpha);
            below += u32::from(!(missing <= gap + 1e-10 * optimum));
            for b in biases(&dual, &alpha, cost) {
                larger += u32::from(gap_of(&dual, &alpha, b, cost).0 < gap - 1e-12 * figures.primal);
            }
            falls += u32::from(dual.value(&alpha) < last - 1e-12 * optimum);
            last = dual.value(&alpha);
            points.push([steps as f64, (gap / optimum).max(1e-13)]);
        }
        let end = points.last().map_or(f64::NAN, |point| point[1]);
        bench.check_at_most(
            format!("{name}: the formula and the gap of the certificate, relative difference"),
            1e-12,
            off,
        );
        bench.check_equal(
            format!("{name}: of {} runs, those further from the optimum than their gap", points.len()),
            0,
            below,
        );
        bench.check_equal(
            format!("{name}: choices of b by the rule of the source with a smaller gap than the library's"),
            0,
            larger,
        );
        bench.check_equal(format!("{name}: falls of W(α) as the steps go on"), 0, falls);
        bench.check(
            format!(
                "{name}: gap over the optimum after 1 step, and after {} steps",
                solved.report.iterations
            ),
            "goes to 0",
            format!("{} and {}", number(points[0][1]), number(end)),
            points[0][1] > 0.1 && end <= 1e-11,
        );
        plot = plot.series(name, &points);
    }
    bench.figure(
        "soft",
        "The feasibility gap of 1-norm soft margin machines after more and more steps, over the value of the optimum.",
        plot.render()?,
    )
}

/// The same for the maximal margin: the two sides of the certificate enclose it.
fn hard_course(bench: &mut Bench) -> Outcome {
    let digits = classic::digits()?.data;
    let moons = two_moons(200, 0.1, bench.seed())?;
    let mut plot = Plot::new("steps", "gap over the optimum").log_x().log_y();
    for (name, data, kernel) in [
        ("digits 3 and 8, linear", pair(&digits, [3.0, 8.0])?, VectorKernel::linear()),
        ("digits 3 and 8, Gaussian", pair(&digits, [3.0, 8.0])?, VectorKernel::gaussian(1e-3)?),
        ("moons, Gaussian", moons, VectorKernel::gaussian(2.0)?),
    ] {
        let gram = VectorGram::new(&data.examples, kernel)?;
        let (dual, set) = (DualByHand::new(&gram, &data.labels)?, TrainingSet::new(&gram, &data.labels)?);
        let machine = MaximalMargin::default().with_gap(1e-11);
        let solved = machine.fit(&gram, &data.labels)?.converged()?;
        let optimum = dual.value(&dual.multipliers(&solved.model));
        let mut budgets: Vec<u64> = (0..40).map(|k| 2.0_f64.powf(f64::from(k) / 2.0) as u64).collect();
        budgets.dedup();
        let (mut points, mut outside) = (Vec::new(), 0);
        for steps in budgets.into_iter().filter(|steps| *steps < 2 * solved.report.iterations) {
            let control = Control::new(Budget::default().with_iterations(steps));
            let fit = machine.fit_with(&set, &control)?;
            // By hand: the nearest points so far, λ; W at its best multiple; and w stretched until it meets every constraint.
            let lambda: Vec<f64> = fit.certificate.alpha();
            let square = dual.norm_squared(&lambda);
            let total: f64 = lambda.iter().sum();
            let best = 0.5 * total * total / square;
            let outputs = dual.outputs(&lambda);
            let end = |sign: Sign| {
                let of = outputs.iter().zip(&dual.y).filter(|(_, y)| Sign::of(**y) == sign);
                of.map(|(f, y)| f * y).fold(f64::INFINITY, f64::min)
            };
            let reach = 0.5 * (end(Sign::Positive) + end(Sign::Negative));
            if reach > 0.0 {
                let primal = 0.5 * square / (reach * reach);
                outside += u32::from(!(best <= optimum * (1.0 + 1e-10) && primal >= optimum * (1.0 - 1e-10)));
                points.push([steps as f64, ((primal - best) / optimum).max(1e-13)]);
            }
        }
        let end = points.last().map_or(f64::NAN, |point| point[1]);
        bench.check_equal(
            format!("{name}, hard: of {} runs whose w separates, those whose feasible pair does not enclose the optimum", points.len()),
            0,
            outside,
        );
        bench.check(
            format!("{name}, hard: gap of the feasible pair over the optimum, first and last"),
            "goes to 0",
            format!("{} and {}", number(points.first().map_or(f64::NAN, |point| point[1])), number(end)),
            points.first().is_some_and(|point| point[1] > 0.1) && end <= 1e-9,
        );
        let (least, most) = (solved.certificate.margin_at_least(), solved.certificate.margin_at_most());
        bench.check_close(
            format!("{name}, hard: ½γ⁻² by the certificate, and W by hand"),
            dual_value(most),
            optimum,
            (dual_value(least) - dual_value(most)).abs() + 1e-10 * optimum,
        );
        plot = plot.series(name, &points);
    }
    bench.figure(
        "hard",
        "The gap between a dual and a primal feasible point of the maximal margin problem, made from the nearest points found so far: w is \
         stretched until every example has margin 1.",
        plot.render()?,
    )
}

fn dual_value(margin: f64) -> f64 {
    0.5 / (margin * margin)
}
