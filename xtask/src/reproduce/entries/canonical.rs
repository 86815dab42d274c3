//! D08: canonical hyperplanes, and the maximal margin hyperplane.

use lm_core::{
    BinaryLabels, Control, Dense, Hypothesis, Learner, Linear, Margins, Sign, TrainingSet, VectorGram,
    VectorKernel,
};
use lm_data::classic;
use lm_data::generate::{SeparableSettings, separable};
use lm_online::{Order, Perceptron};
use lm_qp::MaximalMargin;
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

use crate::reproduce::bench::{Bench, number};
use crate::reproduce::dual_by_hand::DualByHand;
use crate::reproduce::entry::{Entry, Outcome};
use crate::reproduce::figure::{Plot, Stroke};
use crate::reproduce::measure::{Binary, line, of_class, pair, point};
use crate::reproduce::vectors::{distance, dot, norm, weights_and_bias};
use crate::reproduce::widest::widest;

pub(super) const ENTRIES: &[Entry] = &[Entry {
    id: "D08",
    place: "D Def 17, 18, Fig 4.8",
    claim: "(w, b) and (γw, γb) are one classifier; the canonical form has min |⟨w·xᵢ⟩ + b| = 1, so that the nearest point is at ρ = 1/‖w‖. The \
            maximum margin hyperplane separates the data and has the largest distance to the nearest point; it is unique, and minimises \
            ½‖w‖² subject to yᵢ(⟨w·xᵢ⟩ + b) ≥ 1.",
    how: "Hyperplanes are put into canonical form and distances measured by projection. The library's machine must come in that form, have \
          the distance that all directions of the plane leave possible, and be the same from any start and in any order. What the source \
          derives from complementarity is tried on points that lie on the margin.",
    seed: 408,
    body,
}];

fn body(bench: &mut Bench) -> Outcome {
    canonical_form(bench)?;
    largest_distance(bench)?;
    unique(bench)?;
    on_the_margin(bench)?;
    figure(bench)
}

/// The distance of the example nearest to a hyperplane, by projection.
fn nearest(plane: &Linear, examples: &Dense<'_>, len: usize) -> f64 {
    let w = plane.weights();
    let away = |row: usize| {
        let x = examples.slice(row);
        let step = (dot(w, x) + plane.bias()) / dot(w, w);
        let foot: Vec<f64> = x.iter().zip(w).map(|(x, w)| x - step * w).collect();
        distance(x, &foot)
    };
    (0..len).map(away).fold(f64::INFINITY, f64::min)
}

/// `min |⟨w·xᵢ⟩ + b|`.
fn level(plane: &Linear, examples: &Dense<'static>) -> lm_core::Result<f64> {
    Ok(plane.decision_values(examples)?.iter().map(|f| f.abs()).fold(f64::INFINITY, f64::min))
}

fn times(plane: &Linear, factor: f64) -> lm_core::Result<Linear> {
    Linear::new(plane.weights().iter().map(|w| factor * w).collect(), factor * plane.bias())
}

fn canonical_form(bench: &mut Bench) -> Outcome {
    // By hand: f = 6, −3 and 9 become 2, −1 and 3, with ‖w‖ = 5/3 and the nearest point at 3/5.
    let examples = Dense::from_rows(&[[2.0, 1.0], [-1.0, 1.0], [1.0, 2.5]])?;
    let plane = Linear::new(vec![3.0, 4.0], -4.0)?;
    let canonical = times(&plane, 1.0 / level(&plane, &examples)?)?;
    bench.check_all_close(
        "by hand: values in canonical form",
        &[2.0, -1.0, 3.0],
        &canonical.decision_values(&examples)?,
        1e-15,
    );
    bench.check_close("by hand: ρ = 1/‖w‖", 0.6, 1.0 / canonical.norm(), 1e-15);
    bench.check_close(
        "by hand: distance of the nearest point",
        0.6,
        nearest(&canonical, &examples, 3),
        1e-15,
    );

    let mut random = ChaCha8Rng::seed_from_u64(bench.seed());
    let (mut off, mut signs, mut same) = (0.0_f64, 0_u32, 0.0_f64);
    for dim in [2_usize, 10, 60] {
        let rows: Vec<Vec<f64>> =
            (0..80).map(|_| (0..dim).map(|_| random.random_range(-1.0..1.0)).collect()).collect();
        let examples = Dense::from_rows(&rows)?;
        for _ in 0..20 {
            let w: Vec<f64> = (0..dim).map(|_| random.random_range(-1.0..1.0)).collect();
            let plane = Linear::new(w, random.random_range(-0.5..0.5))?;
            let canonical = times(&plane, 1.0 / level(&plane, &examples)?)?;
            off = off.max((nearest(&canonical, &examples, 80) * canonical.norm() - 1.0).abs());
            let factor = 10.0_f64.powf(random.random_range(-6.0..6.0));
            let scaled = times(&plane, factor)?;
            signs += u32::from(scaled.signs(&examples)? != plane.signs(&examples)?);
            let again = times(&scaled, 1.0 / level(&scaled, &examples)?)?;
            same = same
                .max(distance(&weights_and_bias(&again), &weights_and_bias(&canonical)) / canonical.norm());
        }
    }
    // The least of 80 values is small, and known to few digits.
    bench.check_at_most("60 random hyperplanes: distance of the nearest point times ‖w‖ in canonical form, and 1, largest difference", 1e-9, off);
    bench.check_equal("factors γ from 10⁻⁶ to 10⁶ that change a class", 0, signs);
    bench.check_at_most("canonical forms of (w, b) and (γw, γb), relative distance", 1e-9, same);
    Ok(())
}

fn learned(data: &Binary) -> lm_core::Result<Linear> {
    let gram = VectorGram::new(&data.examples, VectorKernel::linear())?;
    let fit = MaximalMargin::default().with_gap(1e-12).fit(&gram, &data.labels)?.converged()?;
    fit.model.over_columns(&data.examples)
}

fn largest_distance(bench: &mut Bench) -> Outcome {
    let digits = classic::digits()?.data;
    let plane = |seed| -> lm_core::Result<Binary> {
        Ok(separable(&SeparableSettings::default().with_len(60).with_margin(0.05).with_bias(0.2), seed)?.data)
    };
    let (mut off, mut turned) = (0.0_f64, 0.0_f64);
    for seed in 0..20 {
        let data = plane(bench.seed() + seed)?;
        let (best, margin) = widest(&data)?;
        let found = learned(&data)?;
        off = off.max((1.0 / found.norm() / margin - 1.0).abs());
        let canonical = times(&best, 1.0 / margin)?;
        turned =
            turned.max(distance(&weights_and_bias(&found), &weights_and_bias(&canonical)) / found.norm());
    }
    bench.check_at_most("20 sets of the plane: 1/‖w‖ of the machine, and the largest distance of all directions, relative difference", 1e-10, off);
    bench.check_at_most(
        "the same: (w, b) of the machine, and of the best direction in canonical form, relative distance",
        1e-6,
        turned,
    );
    for (name, data) in [
        ("iris, setosa and versicolor", pair(&classic::iris()?.data, [0.0, 1.0])?),
        ("digits 2 and 7", pair(&digits, [2.0, 7.0])?),
    ] {
        let (found, len) = (learned(&data)?, data.labels.signs().len());
        bench.check_close(
            format!("{name}: min |⟨w·x⟩ + b| of the machine as it comes"),
            1.0,
            level(&found, &data.examples)?,
            1e-6,
        );
        bench.check_close(
            format!("{name}: distance of the nearest example by projection, times ‖w‖"),
            1.0,
            nearest(&found, &data.examples, len) * found.norm(),
            1e-6,
        );
        let other =
            Perceptron::default().with_passes(10_000).fit(&data.examples, &data.labels)?.converged()?.model;
        let distances = [nearest(&found, &data.examples, len), nearest(&other, &data.examples, len)];
        bench.check(
            format!("{name}: distance of the nearest example from the machine, and from a perceptron that separates"),
            "the former is larger",
            format!("{} and {}", number(distances[0]), number(distances[1])),
            distances[0] > distances[1],
        );
    }
    Ok(())
}

/// From other starts, in other orders, and after a turn of the whole set: the same hyperplane.
fn unique(bench: &mut Bench) -> Outcome {
    let data = pair(&classic::digits()?.data, [2.0, 7.0])?;
    let (reference, len) = (learned(&data)?, data.labels.signs().len());
    let gram = VectorGram::new(&data.examples, VectorKernel::linear())?;
    let set = TrainingSet::new(&gram, &data.labels)?;
    let mut random = ChaCha8Rng::seed_from_u64(bench.seed());
    let far = |plane: &Linear| {
        distance(&weights_and_bias(plane), &weights_and_bias(&reference))
            / norm(&weights_and_bias(&reference))
    };
    let (mut starts, mut orders) = (0.0_f64, 0.0_f64);
    for _ in 0..8 {
        let start: Vec<f64> =
            data.labels.values().iter().map(|y| y * random.random_range(0.0..1.0)).collect();
        let fit = MaximalMargin::default()
            .with_gap(1e-12)
            .fit_from(&set, &Control::default(), &start)?
            .converged()?;
        starts = starts.max(far(&fit.model.over_columns(&data.examples)?));
        let mut rows: Vec<usize> = (0..len).collect();
        for last in (1..len).rev() {
            rows.swap(last, random.random_range(0..=last));
        }
        let shuffled = Binary {
            examples: Dense::from_rows(
                &rows.iter().map(|&row| data.examples.slice(row)).collect::<Vec<_>>(),
            )?,
            labels: BinaryLabels::new(rows.iter().map(|&row| data.labels.signs()[row]).collect())?,
        };
        orders = orders.max(far(&learned(&shuffled)?));
    }
    bench.check_at_most(
        "digits 2 and 7: (w, b) from 8 random starts, largest relative distance",
        1e-5,
        starts,
    );
    bench.check_at_most("digits 2 and 7: (w, b) in 8 random orders, largest relative distance", 1e-5, orders);
    // With ⟨w*·w⟩ ≥ ‖w*‖² for every w that meets the constraints, one of the same length is w* itself.
    let mut least = f64::INFINITY;
    for seed in 0..20 {
        let learner = Perceptron::default().with_passes(10_000).with_order(Order::Shuffled { seed });
        let other = learner.fit(&data.examples, &data.labels)?.converged()?.model;
        let margins = Margins::functional(&other, &TrainingSet::new(&data.examples, &data.labels)?)?;
        let other = times(&other, 1.0 / margins.minimum())?;
        let square = dot(reference.weights(), reference.weights());
        least = least.min(dot(reference.weights(), other.weights()) / square);
    }
    bench.check_at_least(
        "why: ⟨w*·w⟩/‖w*‖², least of 20 other hyperplanes with functional margin 1, so that ‖w‖² ≥ ‖w*‖² + ‖w − w*‖²",
        1.0,
        least,
    );
    Ok(())
}

/// Two statements of the source about points on the margin.
fn on_the_margin(bench: &mut Bench) -> Outcome {
    // The nearest points are (0, 0) and (2, 0); (2, 3) is on the margin, and does not support it.
    let points = [[0.0, 0.0], [-1.0, 2.0], [2.0, 0.0], [2.0, 3.0], [5.0, 1.0]];
    let labels = BinaryLabels::from_integers(&[-1, -1, 1, 1, 1])?;
    let set = |points: &[[f64; 2]]| -> lm_core::Result<Binary> {
        Ok(Binary { examples: Dense::from_rows(points)?, labels: labels.clone() })
    };
    let data = set(&points)?;
    let gram = VectorGram::new(&data.examples, VectorKernel::linear())?;
    let dual = DualByHand::new(&gram, &labels)?;
    let fit = MaximalMargin::default().with_gap(1e-14).fit(&gram, &labels)?.converged()?;
    let alpha = dual.multipliers(&fit.model);
    let margin = dual.margins(&alpha, fit.model.bias())[3];
    bench.check_close("five points: margin y(⟨w·x⟩ + b) of (2, 3)", 1.0, margin, 1e-14);
    bench.check_close("five points: its α", 0.0, alpha[3], 0.0);
    // The offset of the source: the mean of y − ⟨w·x⟩ over the support vectors.
    let outputs = dual.outputs(&alpha);
    let support: Vec<usize> = (0..5).filter(|&i| alpha[i] > 0.0).collect();
    let b = support.iter().map(|&i| dual.y[i] - outputs[i]).sum::<f64>() / support.len() as f64;
    bench.check_close(
        "five points: b as the mean over the support vectors, and b of the machine",
        b,
        fit.model.bias(),
        1e-14,
    );
    bench.erratum(
        "Complementarity yields: αᵢ > 0 if 1 − yᵢ(⟨w·xᵢ⟩ + b) = 0, and 1 − yᵢ(⟨w·xᵢ⟩ + b) < 0 if αᵢ = 0.",
        "The implications run the other way: 1 − yᵢ(⟨w·xᵢ⟩ + b) = 0 if αᵢ > 0, and αᵢ = 0 if it is < 0. A point on the margin may have α = 0.",
        format!("Of five points, (2, 3) has the margin {} and α = {} at the only solution.", number(margin), number(alpha[3])),
        (margin - 1.0).abs() < 1e-14 && alpha[3] == 0.0,
    );
    // A support vector that moves away from the boundary does not enter the margin.
    let mut away = points;
    away[2] = [3.0, 0.0];
    let (before, after) = (learned(&data)?, learned(&set(&away)?)?);
    let inside = before.decision(&away[2])?;
    let turned = distance(&weights_and_bias(&before), &weights_and_bias(&after));
    bench.erratum(
        "Changing a training point does not change the classifier as long as the changed point does not move inside the margin.",
        "This holds for points that are not support vectors. A support vector that moves away from the boundary lets the margin grow.",
        format!(
            "(2, 0) moved to (3, 0), where the old machine has the value {}: (w, b) changes by {}, and 1/‖w‖ from {} to {}.",
            number(inside),
            number(turned),
            number(1.0 / before.norm()),
            number(1.0 / after.norm())
        ),
        inside > 1.0 && turned > 0.1 && after.norm() < 0.99 * before.norm(),
    );
    Ok(())
}

/// Figure 4.8.
fn figure(bench: &mut Bench) -> Outcome {
    let settings = SeparableSettings::default().with_len(50).with_margin(0.15).with_bias(-0.1);
    let data = separable(&settings, bench.seed() + 5)?.data;
    let gram = VectorGram::new(&data.examples, VectorKernel::linear())?;
    let fit = MaximalMargin::default().with_gap(1e-12).fit(&gram, &data.labels)?.converged()?;
    let machine = fit.model.over_columns(&data.examples)?;
    let [a, b, c] = line(&machine);
    let support: Vec<[f64; 2]> = fit.model.rows().iter().map(|&row| point(&data, row)).collect();
    // From the hyperplane to the margin, along w.
    let foot = [-c * a / (a * a + b * b), -c * b / (a * a + b * b)];
    let end = [foot[0] + a / (a * a + b * b), foot[1] + b / (a * a + b * b)];
    let svg = Plot::new("x₁", "x₂")
        .equal_axes()
        .x_range(-1.05, 1.05)
        .y_range(-1.05, 1.05)
        .line("⟨w·x⟩ + b = 0", [a, b, c], Stroke::SOLID)
        .line("⟨w·x⟩ + b = +1", [a, b, c - 1.0], Stroke::DASHED)
        .line("⟨w·x⟩ + b = −1", [a, b, c + 1.0], Stroke::DOTTED)
        .arrow("w/‖w‖², of length ρ", foot, end)
        .points("class −1", 0, &of_class(&data, Sign::Negative))
        .points("class +1", 1, &of_class(&data, Sign::Positive))
        .rings("nearest points", &support)
        .render()?;
    bench.figure("canonical", format!("The maximal margin hyperplane in canonical form: the nearest points have the values ±1, at the distance ρ = {}.", number(1.0 / machine.norm())), svg)
}
