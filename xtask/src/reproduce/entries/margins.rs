//! A03: functional and geometric margins, their distribution, and the margin of a training set.

use lm_closed::Fisher;
use lm_core::{
    BinaryLabels, Dense, Learner, Linear, Margins, Sign, Stop, TrainingSet, VectorGram, VectorKernel,
};
use lm_data::classic;
use lm_data::generate::{SeparableSettings, separable};
use lm_online::Perceptron;
use lm_qp::MaximalMargin;
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

use crate::reproduce::bench::{Bench, number};
use crate::reproduce::entry::{Entry, Outcome};
use crate::reproduce::figure::{Histogram, Plot, Stroke};
use crate::reproduce::measure::{clouds, line, of_class, pair, point};
use crate::reproduce::vectors::{distance, dot, norm};
use crate::reproduce::widest::{halfway, widest};

pub(super) const ENTRIES: &[Entry] = &[Entry {
    id: "A03",
    place: "A Def 2.2, Fig 2.2, 2.3",
    claim: "The functional margin of an example is yᵢ(⟨w·xᵢ⟩ + b), positive if it is classified rightly; of (w, b)/‖w‖ it is the \
            geometric margin, the Euclidean distance to the boundary. The least margin of the examples is that of the hyperplane; the \
            margin of a training set is the maximum over all hyperplanes, positive where a hyperplane separates the classes.",
    how: "Margins are worked out by hand and by projection. The margin of a set is found by the quadratic program and, in the plane, by \
          trying every direction that can have it; random hyperplanes must stay below. Distributions on two handwritten digits are shown.",
    seed: 3,
    body,
}];

fn body(bench: &mut Bench) -> Outcome {
    by_hand(bench)?;
    distances(bench)?;
    in_the_plane(bench)?;
    in_many_dimensions(bench)?;
    margin_of_a_set(bench)?;
    distribution(bench)
}

fn by_hand(bench: &mut Bench) -> Outcome {
    // ‖w‖ = 5; the values of the function are 20, −10, −3 and 0.
    let plane = Linear::new(vec![3.0, 4.0], -10.0)?;
    let examples = Dense::from_rows(&[[6.0, 3.0], [0.0, 0.0], [1.0, 1.0], [2.0, 1.0]])?;
    let labels = BinaryLabels::from_integers(&[1, -1, 1, -1])?;
    let set = TrainingSet::new(&examples, &labels)?;
    let (functional, geometric) = (Margins::functional(&plane, &set)?, Margins::geometric(&plane, &set)?);
    bench.check_all_close("by hand: functional margins", &[20.0, 10.0, -3.0, 0.0], functional.values(), 0.0);
    bench.check_all_close(
        "by hand: geometric margins, ‖w‖ = 5",
        &[4.0, 2.0, -0.6, 0.0],
        geometric.values(),
        1e-15,
    );
    bench.check_close("by hand: margin of the hyperplane", -0.6, geometric.minimum(), 1e-15);
    bench.check_equal("by hand: examples on the wrong side", 1, geometric.negative());
    Ok(())
}

/// Geometric margins against distances by projection.
fn distances(bench: &mut Bench) -> Outcome {
    let mut random = ChaCha8Rng::seed_from_u64(bench.seed());
    let (mut off, mut nearer, mut scaled, mut signs) = (0.0_f64, 0_u32, 0.0_f64, 0_u32);
    for dim in [2_usize, 5, 50] {
        let data = clouds(100, dim, 1.0, bench.seed() + dim as u64)?;
        let set = TrainingSet::new(&data.examples, &data.labels)?;
        let w: Vec<f64> = (0..dim).map(|_| random.random_range(-3.0..3.0)).collect();
        let plane = Linear::new(w.clone(), random.random_range(-1.0..1.0))?;
        let (size, functional) = (norm(&w), Margins::functional(&plane, &set)?);
        let geometric = Margins::geometric(&plane, &set)?;
        let unit = Linear::new(w.iter().map(|w| w / size).collect(), plane.bias() / size)?;
        let of_unit = Margins::functional(&unit, &set)?;
        for row in 0..100 {
            let x = data.examples.slice(row);
            let value = dot(&w, x) + plane.bias();
            let foot: Vec<f64> = x.iter().zip(&w).map(|(x, w)| x - value / (size * size) * w).collect();
            let (margin, sign) = (geometric.values()[row], data.labels.signs()[row]);
            off = off.max((distance(x, &foot) - margin.abs()).abs());
            scaled = scaled.max((of_unit.values()[row] - margin).abs());
            signs += u32::from((Sign::of(value) == sign) != (functional.values()[row] > 0.0));
            // Any other point of the hyperplane: the foot, moved across w.
            let aside: Vec<f64> = (0..dim).map(|_| random.random_range(-1.0..1.0)).collect();
            let along = dot(&aside, &w) / (size * size);
            let other: Vec<f64> =
                foot.iter().zip(aside.iter().zip(&w)).map(|(f, (a, w))| f + a - along * w).collect();
            nearer += u32::from(distance(x, &other) < margin.abs() * (1.0 - 1e-12));
        }
    }
    bench.check_at_most(
        "|geometric margin| and distance to the foot on the hyperplane, largest difference",
        1e-13,
        off,
    );
    bench.check_equal("points of the hyperplane that are nearer than that, of 300", 0, nearer);
    bench.check_at_most(
        "geometric margin, and functional margin of (w, b)/‖w‖, largest difference",
        1e-13,
        scaled,
    );
    bench.check_equal("examples of 300 for which “margin > 0” and “classified rightly” disagree", 0, signs);
    Ok(())
}

/// The margin of a set, found twice.
fn in_the_plane(bench: &mut Bench) -> Outcome {
    let (mut agree, mut off, mut outside, mut separated) = (0_u32, 0.0_f64, 0_u32, 0_u32);
    for seed in 0..60 {
        let data = clouds(24, 2, 3.4, bench.seed() + 100 + seed)?;
        let (_, margin) = widest(&data)?;
        let gram = VectorGram::new(&data.examples, VectorKernel::linear())?;
        let fit = MaximalMargin::default().with_gap(1e-11).fit(&gram, &data.labels)?;
        let least = fit.certificate.margin_at_least();
        match fit.report.stop {
            Stop::Converged => {
                separated += 1;
                agree += u32::from(margin > 0.0);
                let most = fit.certificate.margin_at_most();
                off = off.max((most / margin - 1.0).abs());
                outside += u32::from(!(least <= margin * (1.0 + 1e-12) && margin <= most * (1.0 + 1e-12)));
            }
            Stop::Infeasible => agree += u32::from(margin <= 0.0 && least == 0.0),
            _ => {}
        }
    }
    bench.check_equal(
        "60 sets of 24 points: the widest margin of all directions is positive just where the program finds a hyperplane",
        60,
        agree,
    );
    bench.check(
        "of these sets, separable ones",
        "some, not all",
        separated.to_string(),
        (10..=50).contains(&separated),
    );
    bench.check_at_most("margin by the program, and by all directions, relative difference", 1e-10, off);
    bench.check_equal("margins by all directions outside of what the certificate encloses", 0, outside);
    Ok(())
}

fn in_many_dimensions(bench: &mut Bench) -> Outcome {
    let mut random = ChaCha8Rng::seed_from_u64(bench.seed());
    let (mut above, mut short, mut closest) = (0_u32, 0_u32, 0.0_f64);
    for dim in [3_usize, 10, 40] {
        let settings =
            SeparableSettings::default().with_len(150).with_dim(dim).with_margin(0.05).with_bias(0.1);
        let made = separable(&settings, bench.seed() + dim as u64)?;
        let set = TrainingSet::new(&made.data.examples, &made.data.labels)?;
        let gram = VectorGram::new(&made.data.examples, VectorKernel::linear())?;
        let fit = MaximalMargin::default().with_gap(1e-10).fit(&gram, &made.data.labels)?.converged()?;
        let best = fit.certificate.margin_at_most();
        short += u32::from(best < 0.05);
        let machine = fit.model.over_columns(&made.data.examples)?;
        for turn in 0..1000_i32 {
            // From small turns of the solution to any direction.
            let reach = 10.0_f64.powf(f64::from(turn % 10) / 2.0 - 3.5) * machine.norm();
            let w: Vec<f64> =
                machine.weights().iter().map(|w| w + reach * random.random_range(-1.0..1.0)).collect();
            let plane = Linear::new(w, 0.0)?;
            let values = Margins::geometric(&plane, &set)?;
            // The best bias for these weights is halfway between the classes.
            let along = |sign: Sign| {
                let of =
                    values.values().iter().zip(made.data.labels.signs()).filter(move |(_, s)| **s == sign);
                of.map(|(value, _)| *value).fold(f64::INFINITY, f64::min)
            };
            let margin = 0.5 * (along(Sign::Positive) + along(Sign::Negative));
            above += u32::from(margin > best * (1.0 + 1e-12));
            closest = closest.max(margin / best);
        }
    }
    bench.check_equal("sets with a margin of 0.05 or more by construction for which less is found", 0, short);
    bench.check_equal("hyperplanes of 3000, with their best bias, that have a larger margin", 0, above);
    bench.check_at_least("the largest of their margins, over the margin of the set", 0.99, closest);
    Ok(())
}

/// Figures 2.2 and 2.3.
fn margin_of_a_set(bench: &mut Bench) -> Outcome {
    let settings = SeparableSettings::default().with_len(40).with_margin(0.12).with_bias(0.15);
    let data = separable(&settings, bench.seed())?.data;
    let gram = VectorGram::new(&data.examples, VectorKernel::linear())?;
    let fit = MaximalMargin::default().with_gap(1e-12).fit(&gram, &data.labels)?.converged()?;
    let machine = fit.model.over_columns(&data.examples)?;
    let (positive, negative) = (of_class(&data, Sign::Positive), of_class(&data, Sign::Negative));
    let [a, b, c] = line(&machine);
    let curve: Vec<[f64; 2]> = (0..=1440)
        .map(|step| f64::from(step) * 0.25)
        .map(|degrees| {
            let angle = degrees.to_radians();
            [degrees - 180.0, halfway([angle.cos(), angle.sin()], &positive, &negative).0]
        })
        .collect();
    let (found, margin) = (b.atan2(a).to_degrees(), fit.certificate.margin_at_most());
    let top = curve.iter().fold([0.0, f64::NEG_INFINITY], |top, p| if p[1] > top[1] { *p } else { top });
    let turned = (top[0] + 180.0 - found.rem_euclid(360.0)).abs();
    bench.check_at_most(
        "plane: angle of w by the program, and the best of 1440 angles, degrees",
        0.25,
        turned,
    );
    bench.check_at_most("plane: largest margin of the 1440 angles", margin * (1.0 + 1e-9), top[1]);

    let mut plot = Plot::new("x₁", "x₂")
        .equal_axes()
        .x_range(-1.05, 1.05)
        .y_range(-1.05, 1.05)
        .line("maximal margin hyperplane", [a, b, c], Stroke::SOLID)
        .line("margin of the set", [a, b, c - 1.0], Stroke::DASHED)
        .line("", [a, b, c + 1.0], Stroke::DASHED);
    // The two points furthest from the boundary show their own margins.
    let far = |points: &[[f64; 2]]| {
        let height = |p: &[f64; 2]| (a * p[0] + b * p[1] + c).abs();
        points.iter().copied().max_by(|p, q| height(p).total_cmp(&height(q))).unwrap_or_default()
    };
    for (index, point) in [far(&positive), far(&negative)].into_iter().enumerate() {
        let step = (a * point[0] + b * point[1] + c) / (a * a + b * b);
        let foot = [point[0] - step * a, point[1] - step * b];
        plot = plot.segment(
            if index == 0 { "geometric margin of an example" } else { "" },
            point,
            foot,
            Stroke::DOTTED,
        );
    }
    let support: Vec<[f64; 2]> = fit.model.rows().iter().map(|&row| point(&data, row)).collect();
    let svg = plot
        .points("class −1", 0, &negative)
        .points("class +1", 1, &positive)
        .rings("examples at the margin", &support)
        .render()?;
    bench.figure(
        "set",
        format!(
            "The margin of a training set, {}, and the geometric margins of two of its examples.",
            number(margin)
        ),
        svg,
    )
}

/// The distributions of three hyperplanes on one set.
fn distribution(bench: &mut Bench) -> Outcome {
    let data = pair(&classic::digits()?.data, [3.0, 8.0])?;
    let set = TrainingSet::new(&data.examples, &data.labels)?;
    let gram = VectorGram::new(&data.examples, VectorKernel::linear())?;
    let fit = MaximalMargin::default().with_gap(1e-9).fit(&gram, &data.labels)?.converged()?;
    let widest = fit.model.over_columns(&data.examples)?;
    let perceptron =
        Perceptron::default().with_passes(10_000).fit(&data.examples, &data.labels)?.converged()?.model;
    let fisher = Fisher::default().fit(&data.examples, &data.labels)?.model;
    let count = data.labels.signs().len();
    let mut plot = Plot::new("geometric margin", "share of the examples");
    let mut least = Vec::new();
    for (name, plane) in [("maximal margin", &widest), ("perceptron", &perceptron), ("Fisher", &fisher)] {
        let margins = Margins::geometric(plane, &set)?;
        least.push(margins.minimum());
        let mut steps = Vec::new();
        for (k, &value) in margins.sorted().iter().enumerate() {
            steps.extend([[value, k as f64 / count as f64], [value, (k + 1) as f64 / count as f64]]);
        }
        plot = plot.series(name, &steps);
        let median = margins.quantile(0.5)?;
        let below = margins.values().iter().filter(|value| **value < median).count();
        bench.check(
            format!("digits 3 and 8, {name}: least and median margin; examples below the median"),
            "half",
            format!("{} and {}; {below} of {count}", number(margins.minimum()), number(median)),
            below == count / 2,
        );
    }
    bench.check(
        "digits 3 and 8: the least margin is largest for",
        "the maximal margin hyperplane",
        format!("{}, {} and {}", number(least[0]), number(least[1]), number(least[2])),
        least[0] > least[1] && least[0] > least[2],
    );
    bench.check_close(
        "digits 3 and 8: least margin of that hyperplane, and the largest that the program allows",
        fit.certificate.margin_at_most(),
        least[0],
        1e-4 * least[0],
    );
    bench.figure(
        "distribution",
        "Margin distributions of three hyperplanes on the digits 3 and 8, as the share of examples with at most this margin: the least margin is where a curve begins.",
        plot.render()?,
    )?;
    let margins = Margins::geometric(&widest, &set)?;
    let svg = Histogram::new("geometric margin", "examples", margins.values(), 40)
        .mark("margin of the set", margins.minimum())
        .render()?;
    bench.figure(
        "histogram",
        "The margin distribution of the maximal margin hyperplane on the digits 3 and 8.",
        svg,
    )
}
