//! B12: the variable-increment perceptron with a margin.

use lm_core::{BinaryLabels, Certificate, Collection, Dense, Examples, Hypothesis, Learner, TrainingSet};
use lm_data::generate::{SeparableSettings, separable};
use lm_online::{Bias, Maxover, Perceptron, Schedule};

use crate::reproduce::bench::{Bench, number};
use crate::reproduce::entry::{Entry, Outcome};
use crate::reproduce::figure::Plot;
use crate::reproduce::measure::Binary;

pub(super) const ENTRIES: &[Entry] = &[Entry {
    id: "B12",
    place: "B Alg 5",
    claim: "On separable samples the perceptron that corrects up to a margin b with increments η(k) ends with aᵗy > b for all \
            samples, if Σ η(k) = ∞ and Σ η(k)²/(Σ η(k))² → 0.",
    how: "Ten sets are learned with rates that keep the conditions, 1, 1/√k, 1/k and k, and with rates that break them: 2⁻ᵏ, \
          whose sum is too short to reach the margin, and 2ᵏ, which lets the last corrections outweigh all others.",
    seed: 12,
    body,
}];

const MARGIN: f64 = 1.0;

fn schedules() -> lm_core::Result<[(&'static str, Schedule); 6]> {
    Ok([
        ("1", Schedule::ONE),
        ("1/√k", Schedule::power(1.0, -0.5)?),
        ("1/k", Schedule::harmonic(1.0)?),
        ("k", Schedule::growing(1.0)?),
        ("2⁻ᵏ", Schedule::geometric(0.5, 0.5)?),
        ("2ᵏ", Schedule::geometric(2.0, 2.0)?),
    ])
}

/// `Σ η(k)` and `Σ η(k)²/(Σ η(k))²` over so many terms.
fn sums(schedule: Schedule, terms: u64) -> (f64, f64) {
    let rates = (1..=terms).map(|k| schedule.rate(k));
    let (sum, squares) = rates.fold((0.0, 0.0), |(sum, squares), rate| (sum + rate, squares + rate * rate));
    (sum, squares / (sum * sum))
}

fn body(bench: &mut Bench) -> Outcome {
    conditions(bench)?;
    let sets: Vec<Binary> = (0..10)
        .map(|seed| {
            let settings =
                SeparableSettings::default().with_len(60).with_dim(3).with_margin(0.3).with_bias(0.2);
            Ok(separable(&settings, bench.seed() + seed)?.data)
        })
        .collect::<lm_core::Result<_>>()?;
    for (name, schedule) in &schedules()?[..4] {
        let (mut ended, mut above, mut valid, mut corrections) = (0, 0, 0, 0);
        for data in &sets {
            let learner = Perceptron::default()
                .with_bias(Bias::Standard)
                .with_margin(MARGIN)
                .with_schedule(*schedule)
                .with_passes(1_000_000);
            let fit = learner.fit(&data.examples, &data.labels)?;
            ended += usize::from(fit.certificate.separates());
            let values = fit.model.decision_values(&data.examples)?;
            above += usize::from(values.iter().zip(data.labels.values()).all(|(g, y)| y * g > MARGIN));
            valid += usize::from(
                fit.certificate.verify(&TrainingSet::new(&data.examples, &data.labels)?)?.is_valid(),
            );
            corrections += fit.certificate.journal().corrections();
        }
        bench.check(
            format!("η(k) = {name}: runs that end, with all samples above the margin, and traces that pass the replay"),
            "10, 10, 10",
            format!("{ended}, {above}, {valid} ({} corrections a run)", number(corrections as f64 / 10.0)),
            (ended, above, valid) == (10, 10, 10),
        );
    }
    too_short(bench, &sets[0])?;
    too_large(bench)?;
    figure(bench)
}

fn conditions(bench: &mut Bench) -> Outcome {
    for (index, (name, schedule)) in schedules()?.iter().enumerate() {
        let keeps = index < 4;
        // Rates that grow by factors outgrow the numbers; their ratio has long found its limit by then.
        let terms = if *name == "2ᵏ" { [10, 100, 500] } else { [10, 1_000, 100_000] };
        let ratios = terms.map(|terms| sums(*schedule, terms).1);
        let falls = ratios[2] < 0.7 * ratios[1] && ratios[1] < 0.7 * ratios[0];
        bench.check(
            format!("η(k) = {name}: Σ η²/(Σ η)² over {}, {} and {} terms", terms[0], terms[1], terms[2]),
            if keeps { "falls to 0" } else { "does not" },
            ratios.map(number).join(", "),
            falls == keeps && schedule.conditions().hold() == keeps,
        );
    }
    Ok(())
}

/// With rates 2⁻ᵏ the weights stay within Σ η·max ‖y‖, and no vector that short has the margin.
fn too_short(bench: &mut Bench, data: &Binary) -> Outcome {
    let set = TrainingSet::new(&data.examples, &data.labels)?;
    let schedule = Schedule::geometric(0.5, 0.5)?;
    let longest = (0..data.examples.len())
        .map(|row| (data.examples.norm_squared(row) + 1.0).sqrt())
        .fold(0.0, f64::max);
    let reach = sums(schedule, 1_000).0 * longest;
    let stability = Maxover::default().with_passes(100_000).fit(&data.examples, &data.labels)?.converged()?;
    bench.check_valid(
        "the largest margin of the augmented samples: its check",
        stability.certificate.verify(&set)?,
    );
    let needed = MARGIN / stability.certificate.at_most();
    bench.check(
        "η(k) = 2⁻ᵏ: the farthest the weights can come, against the length that the margin takes",
        "too short",
        format!("{} against {}", number(reach), number(needed)),
        reach < needed,
    );
    let learner = Perceptron::default().with_bias(Bias::Standard).with_margin(MARGIN).with_schedule(schedule);
    let fit = learner.with_passes(2_000).fit(&data.examples, &data.labels)?;
    bench.check(
        "η(k) = 2⁻ᵏ: after 2000 passes",
        "not ended",
        format!("{}, {} corrections", fit.report.stop, fit.certificate.journal().corrections()),
        !fit.certificate.separates(),
    );
    bench.check_valid("η(k) = 2⁻ᵏ: replay of the trace", fit.certificate.verify(&set)?);
    Ok(())
}

/// Two samples at an angle of 150°. With rates 2ᵏ that correct them in turn, the last correction by y₁ leaves y₂ the score
/// 2ᵏ(1 + ¼ + …)(cos 150° + ½) < 0, and the other way round.
fn wide_angle() -> lm_core::Result<Binary> {
    let (sin, cos) = (150.0_f64).to_radians().sin_cos();
    // The second example is the negative of the second sample.
    Ok(Binary {
        examples: Dense::from_rows(&[[1.0, 0.0], [-cos, -sin]])?,
        labels: BinaryLabels::from_integers(&[1, -1])?,
    })
}

fn too_large(bench: &mut Bench) -> Outcome {
    let data = wide_angle()?;
    let set = TrainingSet::new(&data.examples, &data.labels)?;
    let run = |schedule: Schedule, passes: u64| {
        let learner = Perceptron::default().with_bias(Bias::None).with_schedule(schedule).with_passes(passes);
        learner.fit(&data.examples, &data.labels)
    };
    let steady = run(Schedule::ONE, 1_000)?;
    bench.check(
        "two samples at 150°, η(k) = 1",
        "ends",
        format!("{}, {} corrections", steady.report.stop, steady.certificate.journal().corrections()),
        steady.certificate.separates(),
    );
    let doubling = run(Schedule::geometric(2.0, 2.0)?, 200)?;
    let corrections = doubling.certificate.journal().corrections();
    bench.check(
        "two samples at 150°, η(k) = 2ᵏ: corrections in 200 passes",
        "every visit is a correction: 400",
        corrections.to_string(),
        corrections == 400 && !doubling.certificate.separates(),
    );
    bench.check_valid(
        "two samples at 150°, η(k) = 2ᵏ: replay of the trace",
        doubling.certificate.verify(&set)?,
    );
    let outgrown = run(Schedule::geometric(2.0, 2.0)?, 1_000);
    bench.check(
        "and after 1000 passes, when 2ᵏ is no number any more",
        "an error that says so",
        outgrown.as_ref().map_or_else(ToString::to_string, |_| "none".into()),
        outgrown.is_err(),
    );
    Ok(())
}

fn figure(bench: &mut Bench) -> Outcome {
    let mut plot = Plot::new("corrections k", "Σ η²/(Σ η)²").log_x().log_y().y_range(1e-4, 2.0);
    // Sums over rates in the opposite order are the same: 2ᵏ has the ratios of 2⁻ᵏ.
    for (name, schedule) in &schedules()?[..5] {
        let name = if *name == "2⁻ᵏ" { "2⁻ᵏ or 2ᵏ" } else { *name };
        let points: Vec<[f64; 2]> =
            (0..=14).map(|power| 1_u64 << power).map(|k| [k as f64, sums(*schedule, k).1]).collect();
        plot = plot.series(&format!("η(k) = {name}"), &points);
    }
    bench.figure(
        "ratios",
        "The condition that tells the schedules apart: the ratio falls to 0 for 1, 1/√k, k and, slowly, 1/k; for 2⁻ᵏ and 2ᵏ it \
         stays at 1/3.",
        plot.render()?,
    )
}
