//! B16: corrections that never cease.

use std::collections::HashMap;

use lm_core::{BinaryLabels, Certificate, Dense, Learner, Linear, Result, Row, TrainingSet};
use lm_data::classic;
use lm_online::{AveragedPerceptron, Bias, Perceptron};

use crate::reproduce::bench::{Bench, number};
use crate::reproduce::entry::{Entry, Outcome};
use crate::reproduce::figure::{Plot, Stroke};
use crate::reproduce::measure::{Binary, clouds, line, pair, wrong};

pub(super) const ENTRIES: &[Entry] = &[Entry {
    id: "B16",
    place: "B nonseparable",
    claim: "On samples that are not separable the corrections of an error-correcting procedure never cease; the weights stay \
                bounded; averaging the weights reduces the risk of a bad solution.",
    how: "On samples with whole numbers the run is followed until its weights repeat, which proves both for all time; so \
              are two species of iris. The errors on new examples of last and averaged weights are \
              compared on 100 sets of overlapping clouds.",
    seed: 16,
    body: never_cease,
}];

fn never_cease(bench: &mut Bench) -> Outcome {
    cycles(bench)?;
    iris(bench)?;
    averages(bench)
}

/// The weights and the bias together.
fn length(model: &Linear) -> f64 {
    model.norm().hypot(model.bias())
}

/// Follows a run on whole numbers until the weights at the beginning of a pass are those of an earlier pass.
fn cycles(bench: &mut Bench) -> Outcome {
    for (reach, len) in [(1, 4), (3, 10), (5, 16)] {
        // Points of a grid, labelled so that no line separates them: the corners of a square are among them.
        let corners = [[1, 1], [-1, -1], [1, -1], [-1, 1]].map(|[x, y]| ([x * reach, y * reach], x * y));
        let others = (4..len).map(|k| {
            ([(k * 7 + 3) % (2 * reach + 1) - reach, (k * k + 1) % (2 * reach + 1) - reach], 2 * (k % 2) - 1)
        });
        let samples: Vec<([i64; 2], i64)> = corners.into_iter().chain(others).collect();
        let rows: Vec<[f64; 2]> = samples.iter().map(|(x, _)| x.map(|x| x as f64)).collect();
        let labels = BinaryLabels::from_integers(&samples.iter().map(|(_, y)| *y).collect::<Vec<_>>())?;
        let mut live = Perceptron::default().with_bias(Bias::Standard).live(2)?;
        let mut met: HashMap<[i64; 3], (usize, u64)> = HashMap::new();
        let (mut largest, mut found) = (0.0_f64, None);
        for pass in 0..1_000_000 {
            let model = live.model()?;
            let state = line(&model).map(|value| value as i64);
            if let Some(&(before, corrections)) = met.get(&state) {
                found = Some((before, pass - before, live.corrections() - corrections));
                break;
            }
            met.insert(state, (pass, live.corrections()));
            for (row, &label) in rows.iter().zip(labels.signs()) {
                live.learn_one(&Row::DenseF64(row), label)?;
                largest = largest.max(length(&live.model()?));
            }
        }
        bench.check(
            format!("{len} samples with whole numbers up to {reach}: the weights come back"),
            "with corrections in between, so that they never cease and the weights never outgrow",
            match found {
                Some((before, period, corrections)) => format!(
                    "from pass {before} on every {period} passes, with {corrections} corrections; ‖a‖ ≤ {}",
                    number(largest)
                ),
                None => "not within 10⁶ passes".into(),
            },
            found.is_some_and(|(_, _, corrections)| corrections > 0),
        );
    }
    Ok(())
}

/// Two species of iris in whole numbers of tenths of a centimetre, followed until the weights come back. The step of the
/// bias is 100², near R²; with the step 1 the weights still grow after a million passes.
fn iris(bench: &mut Bench) -> Outcome {
    let data = pair(&classic::iris()?.data, [1.0, 2.0])?;
    let tenths = |row: usize| data.examples.slice(row).iter().map(|value| (10.0 * value).round()).collect();
    let rows: Vec<Vec<f64>> = (0..data.labels.signs().len()).map(tenths).collect();
    let data = Binary { examples: Dense::from_rows(&rows)?, labels: data.labels };
    let learner = Perceptron::default().with_radius(100.0);
    let mut live = learner.live(4)?;
    let (mut clean, mut lengths) = (0, vec![[1.0, 0.0]]);
    // Brent's method: compare with a state that is renewed after 1, 2, 4, 8 … passes.
    let (mut kept, mut kept_at, mut found) = (live.model()?, 0_u64, None);
    for pass in 1..=200_000_u64 {
        clean += usize::from(live.learn_batch(&data.examples, data.labels.signs())?.corrections == 0);
        let model = live.model()?;
        lengths.push([pass as f64, length(&model)]);
        if model == kept {
            found = Some(pass - kept_at);
            break;
        }
        if pass.is_power_of_two() {
            (kept, kept_at) = (model, pass);
        }
    }
    bench.check(
        "two species of iris in tenths of a centimetre: the weights come back",
        "at some time, since they are bounded and whole numbers",
        match found {
            Some(period) => format!("after {period} passes, first seen in pass {}", lengths.len() - 1),
            None => "not within 200000 passes".into(),
        },
        found.is_some(),
    );
    bench.check_equal("passes without a correction, of all these", 0, clean);
    let most = lengths.iter().map(|[_, length]| *length).fold(0.0, f64::max);
    bench.note(format!("So ‖a‖ ≤ {} at the end of every pass, for all time.", number(most)));
    let trace = learner.with_passes(500).fit(&data.examples, &data.labels)?;
    bench.check_valid(
        "the first 500 passes: replay",
        trace.certificate.verify(&TrainingSet::new(&data.examples, &data.labels)?)?,
    );
    let shown: Vec<[f64; 2]> = lengths.into_iter().step_by(16).collect();
    let svg = Plot::new("pass", "‖a‖").y_range(0.0, 1.1 * most).curve("", &shown, Stroke::THIN).render()?;
    bench.figure(
        "length",
        "The length of the weights after each pass over two species of iris, until they come back: corrections go on for \
         ever, and it stays bounded.",
        svg,
    )
}

fn averages(bench: &mut Bench) -> Outcome {
    const SETS: u64 = 100;
    let fresh = clouds(4_000, 10, 2.0, bench.seed() + 10_000)?;
    let share = |model: &Linear| -> Result<f64> {
        Ok(wrong(model, &fresh.examples, &fresh.labels)? as f64 / 4_000.0)
    };
    let (mut better, mut last_errors, mut mean_errors) = (0, Vec::new(), Vec::new());
    for seed in 0..SETS {
        let data = clouds(200, 10, 2.0, bench.seed() + seed)?;
        let last = Perceptron::default().with_passes(30).fit(&data.examples, &data.labels)?;
        let mean = AveragedPerceptron::default().with_passes(30).fit(&data.examples, &data.labels)?;
        last_errors.push(share(&last.model)?);
        mean_errors.push(share(&mean.model)?);
        better += usize::from(mean_errors[seed as usize] < last_errors[seed as usize]);
    }
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let worst = |values: &[f64]| values.iter().copied().fold(0.0, f64::max);
    bench.check_at_least(
        "sets of 100 on which averaged weights make fewer errors on new examples than the last ones",
        80.0,
        better as f64,
    );
    bench.check(
        "mean share of errors on new examples: last weights, averaged weights",
        "fewer",
        format!("{}, {}", number(mean(&last_errors)), number(mean(&mean_errors))),
        mean(&mean_errors) < mean(&last_errors),
    );
    bench.check(
        "the worst of the 100 sets: last weights, averaged weights",
        "fewer",
        format!("{}, {}", number(worst(&last_errors)), number(worst(&mean_errors))),
        worst(&mean_errors) < worst(&last_errors),
    );
    // The least error that any function can have on these clouds: P(N(0, 1) > 1).
    bench.check_at_least(
        "mean share of the averaged weights, beside the least possible 0.1587",
        0.15,
        mean(&mean_errors),
    );

    let data = clouds(200, 10, 2.0, bench.seed())?;
    let (mut last_curve, mut mean_curve) = (Vec::new(), Vec::new());
    for passes in 1..=30_u64 {
        let last = Perceptron::default().with_passes(passes).fit(&data.examples, &data.labels)?;
        let mean = AveragedPerceptron::default().with_passes(passes).fit(&data.examples, &data.labels)?;
        last_curve.push([passes as f64, share(&last.model)?]);
        mean_curve.push([passes as f64, share(&mean.model)?]);
    }
    let svg = Plot::new("passes", "share of errors on new examples")
        .y_range(0.1, 0.45)
        .series("last weights", &last_curve)
        .series("averaged weights", &mean_curve)
        .curve("least possible", &[[1.0, 0.1587], [30.0, 0.1587]], Stroke::THIN)
        .render()?;
    bench.figure(
        "averages",
        "The last weights are as good as the last corrections were; their average is steady.",
        svg,
    )
}
