//! B15: relaxation procedures with margin.

use lm_core::{BinaryLabels, Certificate, Control, Dense, Examples, Learner, Margins, Stop, TrainingSet};
use lm_data::generate::{SeparableSettings, separable};
use lm_online::{BatchRelaxation, Bias, Criterion, GradientDescent, Relaxation, SampleCriterion, Schedule};

use crate::reproduce::bench::{Bench, number};
use crate::reproduce::entry::{Entry, Outcome};
use crate::reproduce::figure::{Plot, Stroke};
use crate::reproduce::normalised::normalised;
use crate::reproduce::vectors::{distance, dot, norm, weights_and_bias};

pub(super) const ENTRIES: &[Entry] = &[Entry {
    id: "B15",
    place: "B Alg 8, 9, (35), Fig 5.14, 5.15",
    claim: "Relaxation moves a share η of the way to the hyperplane aᵗy = b of a sample that falls short of the margin, so that \
            aᵗ(k+1)yᵏ − b = (1 − η)(aᵗ(k)yᵏ − b): η < 1 stays short of it, needlessly slow or without an end, 1 < η < 2 \
            goes beyond it and converges. Its batch form descends the gradient of J_r.",
    how: "Every correction of live runs on separable sets is checked against the identity, against the distance it goes and \
          against a known solution, for seven rates; whole runs are replayed by their traces; the batch form is compared with \
          gradient descent on J_r.",
    seed: 15,
    body,
}];

const RATES: [f64; 7] = [0.1, 0.25, 0.5, 1.0, 1.25, 1.5, 1.9];
const MARGIN: f64 = 0.8;

type Set = (Dense<'static>, BinaryLabels, Vec<f64>);

/// Separable sets, each with a vector `(w, b)` that has the margin everywhere.
fn sets(seed: u64) -> Result<Vec<Set>, lm_core::Error> {
    let mut sets = Vec::new();
    for (dim, len, margin) in [(2, 30, 0.1), (5, 60, 0.1), (12, 80, 0.05)] {
        for k in 0..6 {
            let settings =
                SeparableSettings::default().with_dim(dim).with_len(len).with_margin(margin).with_bias(-0.2);
            let made = separable(&settings, seed.wrapping_mul(1000).wrapping_add(k))?;
            // A little more than the margin, so that rounding cannot decide.
            let scale = 1.001 * MARGIN / made.margin;
            let solution = made
                .hyperplane
                .weights()
                .iter()
                .chain([&made.hyperplane.bias()])
                .map(|w| scale * w)
                .collect();
            sets.push((made.data.examples, made.data.labels, solution));
        }
    }
    Ok(sets)
}

fn body(bench: &mut Bench) -> Outcome {
    let sets = sets(bench.seed())?;
    let mut corrections = Vec::new();
    for rate in RATES {
        corrections.push([rate, each_correction(bench, &sets, rate)?]);
    }
    let least = corrections.iter().map(|[_, made]| *made).fold(f64::INFINITY, f64::min);
    bench.check(
        format!("corrections in all for η = 0.1, and for the best of {RATES:?}"),
        "under-relaxation is needlessly slow: more than twice as many",
        format!("{}, and {least}", corrections[0][1]),
        corrections[0][1] > 2.0 * least,
    );
    whole_runs(bench, &sets)?;
    without_an_end(bench)?;
    batch(bench, &sets)?;
    misclassified(bench)?;
    let svg =
        Plot::new("η", "corrections").log_y().marked_series("18 separable sets", &corrections).render()?;
    bench.figure(
        "rates",
        "Corrections until every sample is within 1 % of the margin, against the rate.",
        svg,
    )?;
    for (name, rate, caption) in [
        (
            "under",
            0.4,
            "Under-relaxation, η = 0.4: each step stays short of the hyperplane it goes to; the run approaches the region of margin b without reaching it.",
        ),
        (
            "over",
            1.6,
            "Over-relaxation, η = 1.6: each step goes beyond the hyperplane, and the way ends inside the region of margin b.",
        ),
    ] {
        draw(bench, name, rate, caption)?;
    }
    Ok(())
}

/// Walks over the sets with one rate and checks every correction; how many there were.
fn each_correction(bench: &mut Bench, sets: &[Set], rate: f64) -> Result<f64, Box<dyn std::error::Error>> {
    let (mut identity, mut way, mut nearer, mut made) = (0.0_f64, 0.0_f64, true, 0_u32);
    let settings = Relaxation::default().with_margin(MARGIN).with_schedule(Schedule::constant(rate)?);
    for (examples, labels, solution) in sets {
        let mut live = settings.live(examples.dim())?;
        let mut a = vec![0.0; examples.dim() + 1];
        let mut clean = false;
        while !clean {
            clean = true;
            for (row, sign) in labels.signs().iter().enumerate() {
                if !live.learn_one(&examples.row(row), *sign)?.corrected {
                    continue;
                }
                clean = false;
                made += 1;
                let y: Vec<f64> =
                    examples.slice(row).iter().chain([&1.0]).map(|x| sign.value() * x).collect();
                let next = weights_and_bias(&live.model()?);
                let (before, after) = (dot(&a, &y) - MARGIN, dot(&next, &y) - MARGIN);
                identity = identity.max((after - (1.0 - rate) * before).abs());
                way = way.max((distance(&next, &a) - rate * before.abs() / norm(&y)).abs());
                nearer &= distance(&next, solution) <= distance(&a, solution) * (1.0 + 1e-14);
                a = next;
            }
        }
    }
    bench.check_at_most(
        format!("η = {}: largest error of the identity, {made} corrections", number(rate)),
        1e-12,
        identity,
    );
    bench.check_at_most(
        format!("η = {}: largest difference of a step from η·|b − aᵗy|/‖y‖", number(rate)),
        1e-12,
        way,
    );
    bench.check(
        format!("η = {}: each correction brings a nearer to a solution", number(rate)),
        "always",
        if nearer { "always" } else { "not always" },
        nearer,
    );
    Ok(f64::from(made))
}

/// What came of runs on all sets.
struct Runs {
    ended: usize,
    valid: usize,
    least: f64,
}

impl Runs {
    fn of(sets: &[Set], rate: f64, tolerance: f64) -> Result<Self, lm_core::Error> {
        let learner = Relaxation::default()
            .with_margin(MARGIN)
            .with_tolerance(tolerance)
            .with_passes(20_000)
            .with_schedule(Schedule::constant(rate)?);
        let mut runs = Runs { ended: 0, valid: 0, least: f64::INFINITY };
        for (examples, labels, _) in sets {
            let set = TrainingSet::new(examples, labels)?;
            let fit = learner.fit(examples, labels)?;
            runs.ended += usize::from(fit.report.stop == Stop::Converged && fit.certificate.separates());
            runs.valid += usize::from(fit.certificate.verify(&set)?.is_valid());
            runs.least = Margins::functional(&fit.model, &set)?.minimum().min(runs.least);
        }
        Ok(runs)
    }
}

/// Runs to their end, with replays: towards almost the whole margin, and towards the whole of it.
fn whole_runs(bench: &mut Bench, sets: &[Set]) -> Outcome {
    for rate in RATES {
        let Runs { ended, valid, least } = Runs::of(sets, rate, 0.01)?;
        bench.check(
            format!(
                "η = {}: runs that end, valid replays, least margin; of {} sets",
                number(rate),
                sets.len()
            ),
            format!("all, all, above {}", number(0.99 * MARGIN)),
            format!("{ended}, {valid}, {}", number(least)),
            ended == sets.len() && valid == sets.len() && least > 0.99 * MARGIN,
        );
    }
    let mut ends = Vec::new();
    for rate in [1.25, 1.5, 1.9] {
        let Runs { ended, valid, least } = Runs::of(sets, rate, 0.0)?;
        bench.check(
            format!(
                "η = {}, no tolerance, at most 20 000 passes: what is missing of the margin, valid replays",
                number(rate)
            ),
            "less than 1e−9, all",
            format!("{}, {valid}", number((MARGIN - least).max(0.0))),
            least > MARGIN - 1e-9 && valid == sets.len(),
        );
        ends.push(format!("{ended} for η = {}", number(rate)));
    }
    bench.note(format!(
        "Convergence of over-relaxation does not mean an end: without a tolerance the weights may approach a point with aᵗy = b from \
         outside. Runs that ended with aᵗy > b within 20 000 passes, of {}: {}.",
        sets.len(),
        ends.join(", ")
    ));
    Ok(())
}

/// With η ≤ 1 the margin itself is approached and not reached.
fn without_an_end(bench: &mut Bench) -> Outcome {
    let (examples, labels) = normalised(&[[1.0, 0.0], [0.0, 1.0]])?;
    let passes = 30;
    let learner = Relaxation::default()
        .with_bias(Bias::None)
        .with_tolerance(0.0)
        .with_passes(passes)
        .with_schedule(Schedule::constant(0.5)?);
    let fit = learner.fit(&examples, &labels)?;
    bench.check(
        "η = 0.5 on (1, 0) and (0, 1), b = 1: the end after 30 passes",
        "none; short of b by 2^−30",
        format!("{:?}, short by {}", fit.report.stop, number(1.0 - fit.model.weights()[0])),
        fit.report.stop == Stop::Iterations && 1.0 - fit.model.weights()[0] == 0.5_f64.powi(30),
    );
    let exact = learner.with_schedule(Schedule::ONE).fit(&examples, &labels)?;
    bench.check(
        "η = 1 on the same: where the first pass leads",
        "onto the hyperplanes aᵗy = b",
        format!("({}, {})", number(exact.model.weights()[0]), number(exact.model.weights()[1])),
        exact.model.weights() == [1.0, 1.0],
    );
    bench.erratum(
        "Algorithm 9 with η = 1 ends when aᵗy > b for all samples.",
        "An exact relaxation puts a onto aᵗy = b, where the condition aᵗy > b never comes true: a run must count a sample as right that \
         is short by a small share of b.",
        format!("(1, 1) after the first pass, corrections of length 0 ever after, {:?} after {passes} passes.", exact.report.stop),
        exact.report.stop == Stop::Iterations && exact.certificate.journal().mistakes().len() as u64 == 2 * passes,
    );
    Ok(())
}

/// Algorithm 8 is gradient descent on J_r.
fn batch(bench: &mut Bench, sets: &[Set]) -> Outcome {
    let (mut off, mut ended, mut valid, mut falls) = (0.0_f64, 0, 0, true);
    for (examples, labels, _) in sets {
        let set = TrainingSet::new(examples, labels)?;
        let rate = Schedule::constant(1.0 / set.len() as f64)?;
        let criterion = SampleCriterion::relaxation(&set, Bias::Standard, MARGIN)?;
        let learner = BatchRelaxation::default().with_margin(MARGIN).with_schedule(rate).with_passes(200_000);
        let mut way: Vec<(Vec<f64>, f64)> = Vec::new();
        let fit = learner.fit_watching(&set, &Control::default(), &mut |visit| {
            way.push((visit.point.to_vec(), visit.value));
        })?;
        ended += usize::from(fit.report.stop == Stop::Converged && fit.certificate.separates());
        valid += usize::from(fit.certificate.verify(&set)?.is_valid());
        // Samples within the tolerance are left alone, which the criterion does not know.
        let exact = learner.with_tolerance(0.0).with_passes(200);
        way.clear();
        exact.fit_watching(&set, &Control::default(), &mut |visit| {
            way.push((visit.point.to_vec(), visit.value));
        })?;
        let mut steps = 0;
        let descent = GradientDescent::default().with_schedule(rate).with_steps(199).with_threshold(0.0);
        descent.minimise_with(
            &criterion,
            &vec![0.0; criterion.dim()],
            &Control::default(),
            &mut |visit| {
                off = off.max(way.get(steps).map_or(f64::INFINITY, |(a, _)| distance(a, visit.point)));
                steps += 1;
            },
        )?;
        falls &= way.windows(2).all(|pair| pair[1].1 <= pair[0].1 * (1.0 + 1e-12));
    }
    bench.check_at_most(
        "batch, η = 1/n: largest distance from gradient descent on J_r, 200 steps",
        1e-10,
        off,
    );
    bench.check(
        "batch, η = 1/n: J_r from step to step",
        "never grows",
        if falls { "never grows" } else { "grows" },
        falls,
    );
    bench.check(
        format!("batch, η = 1/n: runs that end, valid replays, of {}", sets.len()),
        "all, all",
        format!("{ended}, {valid}"),
        ended == sets.len() && valid == sets.len(),
    );

    // Copies of two samples that almost oppose each other, not equally many.
    let opposed: Vec<[f64; 2]> = (0..9).map(|k| if k % 2 == 0 { [1.0, 0.1] } else { [-1.0, 0.1] }).collect();
    let (examples, labels) = normalised(&opposed)?;
    let learner = BatchRelaxation::default().with_bias(Bias::None);
    let wide = learner.with_schedule(Schedule::constant(1.5)?).with_passes(50).fit(&examples, &labels)?;
    let mean =
        learner.with_schedule(Schedule::constant(1.5 / 9.0)?).with_passes(100_000).fit(&examples, &labels)?;
    bench.check(
        "batch, five copies of (1, 0.1) and four of (−1, 0.1), η = 1.5/9",
        "ends",
        format!("{:?} after {} iterations", mean.report.stop, mean.report.iterations),
        mean.report.stop == Stop::Converged && mean.certificate.separates(),
    );
    bench.check(
        "the same with η = 1.5: ‖a‖ over 50 iterations",
        "grows: η < 2 is enough for single samples only",
        format!("up to {}", number(wide.model.norm())),
        wide.report.stop == Stop::Iterations
            && wide.certificate.norms().collect::<Vec<_>>().is_sorted()
            && wide.model.norm() > 1e6,
    );
    bench.note(
        "Figure 5.15 shows steps towards one hyperplane at a time. The batch form adds the corrections of all samples up and \
         overshoots by their number: it is sure to converge for η < 2/n.",
    );
    Ok(())
}

/// Algorithms 8 and 9 as they are printed correct the misclassified samples, not those short of the margin.
fn misclassified(bench: &mut Bench) -> Outcome {
    let samples = [[2.0, 0.5], [0.5, 1.0], [1.0, -0.25]];
    let mut a = [0.0_f64; 2];
    let mut clean = false;
    while !clean {
        clean = true;
        for y in &samples {
            if dot(&a, y) <= 0.0 {
                let factor = (1.0 - dot(&a, y)) / dot(y, y);
                a = [a[0] + factor * y[0], a[1] + factor * y[1]];
                clean = false;
            }
        }
    }
    let least = samples.iter().map(|y| dot(&a, y)).fold(f64::INFINITY, f64::min);
    let (examples, labels) = normalised(&samples)?;
    let learner = Relaxation::default()
        .with_bias(Bias::None)
        .with_schedule(Schedule::constant(1.5)?)
        .with_tolerance(0.0);
    let fit = learner.fit(&examples, &labels)?.converged()?;
    let reached = samples.iter().map(|y| dot(fit.model.weights(), y)).fold(f64::INFINITY, f64::min);
    bench.check_at_least("corrections where aᵗy ≤ b = 1, η = 1.5: the least aᵗy at the end", 1.0, reached);
    bench.erratum(
        "Algorithms 8 and 9 correct \"misclassified\" samples.",
        "J_r, from which they come, sums over the samples with aᵗy ≤ b; with corrections of misclassified samples alone the margin b \
         is not reached.",
        format!("Three samples, b = 1, η = 1: such a run ends at ({}, {}) with a least aᵗy of {}.", number(a[0]), number(a[1]), number(least)),
        least > 0.0 && least < 1.0,
    );
    Ok(())
}

/// Figure 5.15: a way over the surface of J_r.
fn draw(bench: &mut Bench, name: &str, rate: f64, caption: &str) -> Outcome {
    let samples = [[0.55, 0.9], [0.8, -0.35]];
    let (examples, labels) = normalised(&samples)?;
    let set = TrainingSet::new(&examples, &labels)?;
    let criterion = SampleCriterion::relaxation(&set, Bias::None, 1.0)?;
    let settings = Relaxation::default()
        .with_bias(Bias::None)
        .with_schedule(Schedule::constant(rate)?)
        .with_tolerance(0.0);
    let mut live = settings.live(2)?;
    let mut way = vec![[0.0, 0.0]];
    for visit in 0..40 {
        let row = visit % 2;
        if live.learn_one(&examples.row(row), labels.signs()[row])?.corrected {
            let model = live.model()?;
            way.push([model.weights()[0], model.weights()[1]]);
        }
    }
    let mut plot = Plot::new("a₁", "a₂")
        .equal_axes()
        .x_range(-0.4, 2.6)
        .y_range(-0.6, 1.8)
        .field("J_r", |x, y| criterion.value(&[x, y]));
    for (index, [a, b]) in samples.into_iter().enumerate() {
        plot = plot.line(if index == 0 { "aᵗy = b" } else { "" }, [a, b, -1.0], Stroke::DASHED);
    }
    plot = plot.marked_series(&format!("relaxation, η = {}", number(rate)), &way);
    bench.figure(name, caption, plot.render()?)
}
