//! A02, A06 and B11: the perceptron, what its learning rate changes, and that it ends.

use lm_core::{BinaryLabels, Certificate, Dense, Hypothesis, Learner, Linear, Row, Sign, TrainingSet};
use lm_data::classic;
use lm_data::generate::{SeparableSettings, separable};
use lm_online::{Bias, Order, Perceptron, Schedule};

use crate::reproduce::bench::Bench;
use crate::reproduce::entry::{Entry, Outcome};
use crate::reproduce::figure::{Plot, Stroke};
use crate::reproduce::measure::{Binary, line, of_class, pair, scaled};

pub(super) const ENTRIES: &[Entry] = &[
    Entry {
        id: "A02",
        place: "A Table 2.1",
        claim: "The perceptron adds η·y·x to w and η·y·R² to b wherever y(⟨w·x⟩ + b) ≤ 0, until a pass makes no mistake; it \
                returns w, b and the number k of mistakes.",
        how: "Two examples are worked out by hand. Then pairs of handwritten digits, whose pixels are whole numbers, are \
              learned by the library and by the listing, line by line: in whole numbers both must agree to the bit.",
        seed: 2,
        body: table,
    },
    Entry {
        id: "A06",
        place: "A Rem 2.5",
        claim: "The number of mistakes depends neither on the learning rate nor on a positive rescaling of the data.",
        how: "Runs over generated sets and digits are repeated with rates and scales from 10⁻⁹ to 10⁹, in given and in \
              random order; the examples of all mistakes are compared one by one.",
        seed: 6,
        body: rate_and_scale,
    },
    Entry {
        id: "B11",
        place: "B Alg 4, Thm 5.1",
        claim: "On separable samples the fixed-increment single-sample perceptron ends at a solution vector, wherever it \
                starts.",
        how: "Sets of 20 to 500 samples in 2 to 100 dimensions are learned from the start 0 and from other starts, which a \
              first lesson sets. Every correction is compared with the step of the proof, which brings the weights \
              nearer to a multiple of a solution.",
        seed: 11,
        body: it_ends,
    },
];

/// What the listing of Table 2.1 returns, and which examples it made its mistakes on.
struct Listed {
    w: Vec<f64>,
    b: f64,
    mistakes: Vec<u32>,
}

/// Table 2.1, line by line.
fn listing(data: &Binary, eta: f64) -> Listed {
    let y = data.labels.values();
    let x = |i: usize| data.examples.slice(i);
    let product = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let mut listed = Listed { w: vec![0.0; x(0).len()], b: 0.0, mistakes: Vec::new() };
    let r_squared = (0..y.len()).map(|i| product(x(i), x(i))).fold(0.0, f64::max);
    loop {
        let before = listed.mistakes.len();
        for (i, y) in y.iter().enumerate() {
            if y * (product(&listed.w, x(i)) + listed.b) <= 0.0 {
                listed.w.iter_mut().zip(x(i)).for_each(|(w, x)| *w += eta * y * x);
                listed.b += eta * y * r_squared;
                listed.mistakes.push(i as u32);
            }
        }
        if listed.mistakes.len() == before {
            return listed;
        }
    }
}

fn table(bench: &mut Bench) -> Outcome {
    // R² = 5. The first example is on the hyperplane: w = (1, 2), b = 5. The second has the score 9: w = (−1, 1), b = 0.
    // Then both have a margin of 1.
    let by_hand = Dense::from_rows(&[[1.0, 2.0], [2.0, 1.0]])?;
    let labels = BinaryLabels::from_integers(&[1, -1])?;
    for eta in [1.0, 0.5] {
        let learner = Perceptron::default().with_schedule(Schedule::constant(eta)?);
        let fit = learner.fit(&by_hand, &labels)?.converged()?;
        let model = [fit.model.weights()[0], fit.model.weights()[1], fit.model.bias()];
        bench.check_all_close(format!("by hand, η = {eta}: w and b"), &[-eta, eta, 0.0], &model, 0.0);
        bench.check_equal(
            format!("by hand, η = {eta}: mistakes k"),
            2,
            fit.certificate.journal().corrections(),
        );
    }

    let digits = classic::digits()?.data;
    for (a, b, eta) in [(0.0, 1.0, 1.0), (3.0, 8.0, 0.25), (4.0, 9.0, 8.0), (1.0, 8.0, 0.5)] {
        let data = pair(&digits, [a, b])?;
        let fit = Perceptron::default()
            .with_schedule(Schedule::constant(eta)?)
            .fit(&data.examples, &data.labels)?
            .converged()?;
        let listed = listing(&data, eta);
        let same = listed.w == fit.model.weights()
            && listed.b == fit.model.bias()
            && listed.mistakes == fit.certificate.journal().mistakes();
        bench.check(
            format!("digits {a} and {b}, η = {eta}: w, b and the mistakes, beside the listing"),
            "equal to the bit",
            format!(
                "{}: k = {} in {} passes",
                if same { "equal" } else { "not equal" },
                fit.certificate.journal().corrections(),
                fit.report.iterations
            ),
            same,
        );
        let separated = fit.model.signs(&data.examples)? == data.labels.signs();
        bench.check(
            format!("digits {a} and {b}: all examples on their side"),
            "all",
            if separated { format!("all {}", data.labels.signs().len()) } else { "not all".into() },
            separated,
        );
        let verdict = fit.certificate.verify(&TrainingSet::new(&data.examples, &data.labels)?)?;
        bench.check_valid(format!("digits {a} and {b}: replay of the trace"), verdict);
    }
    course_of_lines(bench)
}

/// The hyperplane after each mistake.
fn course_of_lines(bench: &mut Bench) -> Outcome {
    let settings = SeparableSettings::default().with_len(40).with_margin(0.12).with_bias(0.3);
    let data = separable(&settings, bench.seed())?.data;
    let fit = Perceptron::default().fit(&data.examples, &data.labels)?.converged()?;
    let mut live = Perceptron::default().with_radius(fit.certificate.bias_step().sqrt()).live(2)?;
    let mut functions: Vec<Linear> = Vec::new();
    for &row in &fit.certificate.journal().mistakes() {
        let row = row as usize;
        live.learn_one(&Row::DenseF64(data.examples.slice(row)), data.labels.signs()[row])?;
        functions.push(live.model()?);
    }
    let count = functions.len();
    bench.check_equal(
        "mistakes of a run in the plane, and of a live learner that meets only these",
        count as u64,
        live.corrections(),
    );
    let mut plot = Plot::new("x₁", "x₂").equal_axes().x_range(-1.05, 1.05).y_range(-1.05, 1.05);
    for (index, function) in functions.iter().enumerate().filter(|(_, f)| f.norm() > 0.0) {
        let (label, stroke) = match index {
            _ if index + 1 == count => ("after the last mistake", Stroke::SOLID),
            0 => ("after each mistake", Stroke::THIN),
            _ => ("", Stroke::THIN),
        };
        plot = plot.line(label, line(function), stroke);
        if index + 1 < count && index < 6 {
            plot = plot.text(on_line(function, index), &(index + 1).to_string());
        }
    }
    let svg = plot
        .points("class −1", 0, &of_class(&data, Sign::Negative))
        .points("class +1", 1, &of_class(&data, Sign::Positive))
        .render()?;
    bench.figure(
        "course",
        format!("The hyperplane after each of the {count} mistakes of a run (the first ones numbered); the last one separates the classes."),
        svg,
    )
}

/// A point of a line within the unit circle, a little further along it for each index.
fn on_line(function: &Linear, index: usize) -> [f64; 2] {
    let [a, b, c] = line(function);
    let norm = a.hypot(b);
    let (a, b, c) = (a / norm, b / norm, c / norm);
    let along = 0.55 + 0.06 * index as f64;
    [-c * a - along * b, -c * b + along * a]
}

fn rate_and_scale(bench: &mut Bench) -> Outcome {
    let made = |dim: usize, bias: f64| {
        let settings =
            SeparableSettings::default().with_len(200).with_dim(dim).with_margin(0.02).with_bias(bias);
        separable(&settings, bench.seed() + dim as u64)
    };
    let sets = [
        ("200 examples in 2 dimensions", made(2, 0.4)?.data),
        ("200 examples in 20 dimensions", made(20, -0.2)?.data),
        ("digits 3 and 8", pair(&classic::digits()?.data, [3.0, 8.0])?),
    ];
    const FACTORS: [f64; 6] = [1e-9, 0.1, 0.7, 3.0, 1e3, 1e9];
    for (name, data) in &sets {
        for (order_name, order) in [("given", Order::Given), ("random", Order::Shuffled { seed: 1 })] {
            let learner = Perceptron::default().with_order(order).with_passes(100_000);
            let run = |learner: Perceptron, examples: &Dense<'static>| -> lm_core::Result<Vec<u32>> {
                Ok(learner.fit(examples, &data.labels)?.converged()?.certificate.journal().mistakes())
            };
            let once = run(learner, &data.examples)?;
            let (mut same_rate, mut same_scale) = (0, 0);
            for factor in FACTORS {
                let rated = learner.with_schedule(Schedule::constant(factor)?);
                same_rate += usize::from(run(rated, &data.examples)? == once);
                same_scale += usize::from(run(learner, &scaled(&data.examples, factor)?)? == once);
            }
            let told =
                |same: usize| format!("the same {} mistakes in {same} of {} runs", once.len(), FACTORS.len());
            bench.check(
                format!("{name}, {order_name} order: rates from 10⁻⁹ to 10⁹"),
                "the same mistakes in the same order",
                told(same_rate),
                same_rate == FACTORS.len(),
            );
            bench.check(
                format!("{name}, {order_name} order: data scaled by 10⁻⁹ to 10⁹"),
                "the same mistakes in the same order",
                told(same_scale),
                same_scale == FACTORS.len(),
            );
        }
    }
    // The library keeps weights in units of η; the listing multiplies it in, with all its roundings.
    for (name, data) in &sets {
        let once = listing(data, 1.0).mistakes;
        let same = FACTORS.iter().filter(|&&eta| listing(data, eta).mistakes == once).count();
        bench.check(
            format!("{name}, the listing as it stands: rates from 10⁻⁹ to 10⁹"),
            "the same mistakes in the same order",
            format!("the same {} mistakes in {same} of {} runs", once.len(), FACTORS.len()),
            same == FACTORS.len(),
        );
    }
    // What the remark needs: the step R² for the bias, and no margin.
    let (_, data) = &sets[0];
    let count = |learner: Perceptron, examples: &Dense<'static>| -> lm_core::Result<u64> {
        Ok(learner
            .with_passes(100_000)
            .fit(examples, &data.labels)?
            .converged()?
            .certificate
            .journal()
            .corrections())
    };
    let standard = Perceptron::default().with_bias(Bias::Standard);
    let (plain, large) =
        (count(standard, &data.examples)?, count(standard, &scaled(&data.examples, 100.0)?)?);
    bench.check(
        "for contrast, bias step 1 in place of R²: data as they are, and scaled by 100",
        "other mistakes",
        format!("{plain} and {large}"),
        plain != large,
    );
    let margin = Perceptron::default().with_margin(1.0);
    let (one, hundred) = (
        count(margin, &data.examples)?,
        count(margin.with_schedule(Schedule::constant(100.0)?), &data.examples)?,
    );
    bench.check(
        "for contrast, corrections up to a margin of 1: rates 1 and 100",
        "other mistakes",
        format!("{one} and {hundred}"),
        one != hundred,
    );
    Ok(())
}

/// The weights with the bias as the weight of a constant attribute 1, minus a multiple of a solution: the squared length.
fn squared_distance(model: &Linear, solution: &Linear, factor: f64) -> f64 {
    let parts = model.weights().iter().zip(solution.weights());
    let weights: f64 = parts.map(|(a, s)| (a - factor * s) * (a - factor * s)).sum();
    let bias = model.bias() - factor * solution.bias();
    weights + bias * bias
}

fn it_ends(bench: &mut Bench) -> Outcome {
    let (mut ended, mut within, mut valid, mut runs) = (0, 0, 0, 0);
    let mut largest_share = 0.0_f64;
    for (dim, len, margin, bias) in [
        (2, 20, 0.1, 0.0),
        (2, 200, 0.02, 0.5),
        (5, 100, 0.05, -0.3),
        (20, 500, 0.05, 0.2),
        (100, 300, 0.1, 0.0),
    ] {
        for seed in 0..20 {
            let settings =
                SeparableSettings::default().with_dim(dim).with_len(len).with_margin(margin).with_bias(bias);
            let made = separable(&settings, bench.seed() + 1000 * seed)?;
            let data = made.data;
            let set = TrainingSet::new(&data.examples, &data.labels)?;
            let learner = Perceptron::default().with_bias(Bias::Standard).with_passes(1_000_000);
            let fit = learner.fit(&data.examples, &data.labels)?;
            runs += 1;
            ended += usize::from(fit.certificate.separates());
            valid += usize::from(fit.certificate.verify(&set)?.is_valid());
            let bound = fit.certificate.novikoff(&set, &made.hyperplane)?;
            within += usize::from(bound.holds());
            largest_share = largest_share.max(bound.mistakes as f64 / bound.bound);
        }
    }
    bench.check_equal("runs that end with all samples on their side", runs, ended);
    bench.check_equal("traces that pass their replay", runs, valid);
    bench.check_equal("runs within the bound (R² + 1)(1 + b²)/γ² of the proof", runs, within);
    bench.check_at_most("largest share of that bound that was used", 1.0, largest_share);
    proof(bench)
}

/// The proof of Theorem 5.1, step by step: with β² = max ‖y‖², γ = min âᵗy and α = β²/γ each correction brings the weights
/// nearer to αâ by at least β² in squared distance.
fn proof(bench: &mut Bench) -> Outcome {
    let settings = SeparableSettings::default().with_dim(5).with_len(100).with_margin(0.1).with_bias(0.3);
    let made = separable(&settings, bench.seed())?;
    let data = &made.data;
    let labels = data.labels.signs();
    let row = |index: usize| Row::DenseF64(data.examples.slice(index));
    let beta_squared = (0..labels.len()).map(|index| row(index).norm_squared() + 1.0).fold(0.0, f64::max);
    let values = made.hyperplane.decision_values(&data.examples)?;
    let gamma = values.iter().zip(data.labels.values()).map(|(g, y)| g * y).fold(f64::INFINITY, f64::min);
    let alpha = beta_squared / gamma;

    let mut plot = Plot::new("correction k", "‖a(k) − αâ‖²/β²").y_range(0.0, 1000.0);
    for (name, start) in [("start 0", 0.0), ("start 10 long", 10.0), ("start 40 long", 40.0)] {
        let mut live = Perceptron::default().with_bias(Bias::Standard).live(5)?;
        if start > 0.0 {
            // The first lesson is always a mistake: it makes the weights this vector, and the bias −1.
            let first = [-start * 0.6, 0.0, start * 0.8, 0.0, 0.0].map(|v| -v);
            live.learn_one(&Row::DenseF64(&first), Sign::Negative)?;
        }
        let begun = live.corrections();
        let mut distances = vec![squared_distance(&live.model()?, &made.hyperplane, alpha) / beta_squared];
        let mut smallest_step = f64::INFINITY;
        loop {
            let before = live.corrections();
            for (index, &label) in labels.iter().enumerate() {
                if live.learn_one(&row(index), label)?.corrected {
                    let now = squared_distance(&live.model()?, &made.hyperplane, alpha) / beta_squared;
                    smallest_step = smallest_step.min(distances[distances.len() - 1] - now);
                    distances.push(now);
                }
            }
            if live.corrections() == before {
                break;
            }
        }
        bench.check_at_least(
            format!("{name}: least step towards αâ, in units of β²"),
            1.0 - 1e-9,
            smallest_step,
        );
        bench.check_at_most(
            format!("{name}: corrections, against ‖a(1) − αâ‖²/β²"),
            distances[0],
            (live.corrections() - begun) as f64,
        );
        let points: Vec<[f64; 2]> = (0_u32..).zip(&distances).map(|(k, d)| [f64::from(k), *d]).collect();
        plot = plot.series(name, &points);
    }
    bench.figure(
        "approach",
        "Every correction brings the weights nearer to a multiple αâ of a solution, by at least β² in squared distance; so \
         there cannot be many of them, wherever the run starts.",
        plot.render()?,
    )
}
