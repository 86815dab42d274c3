//! E01: the perceptron on labels 0 and 1, and its variants.

use lm_core::{
    BinaryLabels, Certificate, Collection, Dense, Hypothesis, Learner, Linear, Margins, Sign, TrainingSet,
};
use lm_data::classic;
use lm_data::generate::{SeparableSettings, noisy_xor, rings, separable};
use lm_online::{
    AlphaPerceptron, AveragedPerceptron, Bias, Maxover, Order, Perceptron, Schedule, VotedPerceptron,
};
use lm_qp::linear::LinearSvc;

use crate::reproduce::bench::{Bench, number};
use crate::reproduce::entry::{Entry, Outcome};
use crate::reproduce::figure::{Plot, Stroke};
use crate::reproduce::measure::{Binary, clouds, line, mirrored, of_class, pair, wrong};

pub(super) const ENTRIES: &[Entry] = &[Entry {
    id: "E01",
    place: "E 4.2",
    claim: "With labels 0 and 1 the perceptron predicts ŷ = 1(⟨w·x⟩ ≥ 0) and adds α(y − ŷ)x, which changes weights only where \
            ŷ is wrong. Variants make up for its limits: Maxover, the voted perceptron, the α-perceptron.",
    how: "The listing runs beside the library on pairs of digits. Voted and averaged perceptrons are compared with the last \
          weights on overlapping clouds, Maxover with the largest margin by quadratic programming, and the α-perceptron \
          learns what no hyperplane separates.",
    seed: 1,
    body,
}];

fn body(bench: &mut Bench) -> Outcome {
    zero_one(bench)?;
    votes(bench)?;
    stability(bench)?;
    layer(bench)
}

/// The listing of the source in d + 1 dimensions, and the examples of its updates; none if it has not ended after so many
/// passes. As printed, `w ← 0 + α(y − ŷ)x` forgets what was there.
fn listing(data: &Binary, alpha: f64, as_printed: bool, passes: usize) -> Option<(Vec<f64>, Vec<u32>)> {
    let mut w = vec![0.0; data.examples.slice(0).len() + 1];
    let mut mistakes = Vec::new();
    for _ in 0..passes {
        let before = mistakes.len();
        for (row, sign) in (0_u32..).zip(data.labels.signs()) {
            let y = f64::from(u8::from(*sign == Sign::Positive));
            let x = || data.examples.slice(row as usize).iter().copied().chain([1.0]);
            let product: f64 = w.iter().zip(x()).map(|(w, x)| w * x).sum();
            let predicted = f64::from(u8::from(product >= 0.0));
            if y != predicted {
                mistakes.push(row);
                for (w, x) in w.iter_mut().zip(x()) {
                    *w = if as_printed { 0.0 } else { *w } + alpha * (y - predicted) * x;
                }
            }
        }
        if mistakes.len() == before {
            return Some((w, mistakes));
        }
    }
    None
}

/// Where two lists of updates part: how many are the same, the sign of the next example of the first list, and its score
/// by then, in whole numbers.
fn first_difference(data: &Binary, mistakes: &[u32], listed: &[u32]) -> Option<(usize, Sign, f64)> {
    let step = (0..mistakes.len().max(listed.len())).find(|&step| mistakes.get(step) != listed.get(step))?;
    let row = *mistakes.get(step)? as usize;
    let score = mistakes[..step].iter().map(|&earlier| {
        let pairs = data.examples.slice(earlier as usize).iter().zip(data.examples.slice(row));
        data.labels.signs()[earlier as usize].value() * (pairs.map(|(a, b)| a * b).sum::<f64>() + 1.0)
    });
    Some((step, data.labels.signs()[row], score.sum()))
}

fn zero_one(bench: &mut Bench) -> Outcome {
    let digits = classic::digits()?.data;
    let learner = Perceptron::default().with_bias(Bias::Standard);
    let (mut same_rates, mut printed_ends) = (true, 0);
    for classes in [[0.0, 1.0], [3.0, 8.0], [4.0, 9.0]] {
        let data = pair(&digits, classes)?;
        let name = format!("digits {} and {}", classes[0], classes[1]);
        let integers = |low: i64| -> Vec<i64> {
            data.labels.signs().iter().map(|sign| if *sign == Sign::Positive { 1 } else { low }).collect()
        };
        let fit = learner.fit(&data.examples, &BinaryLabels::from_integers(&integers(0))?)?.converged()?;
        let signed =
            learner.fit(&data.examples, &BinaryLabels::from_integers(&integers(-1))?)?.converged()?;
        let mistakes = fit.certificate.journal().mistakes();
        let same = fit.model == signed.model && mistakes == signed.certificate.journal().mistakes();
        bench.check(
            format!("{name}: labels 0 and 1, and labels −1 and +1"),
            "the same machine",
            if same { format!("equal to the bit, {} mistakes", mistakes.len()) } else { "not equal".into() },
            same,
        );
        let weights: Vec<f64> = fit.model.weights().iter().copied().chain([fit.model.bias()]).collect();
        let (w, listed) = listing(&data, 1.0, false, 1_000).ok_or("the listing did not end")?;
        let told = match first_difference(&data, &mistakes, &listed) {
            None if w == weights => ("equal to the bit".to_string(), true),
            None => ("other weights".to_string(), false),
            Some((step, sign, score)) => (
                format!("the same {step} updates, then a {sign:?} example with the score {}", number(score)),
                sign == Sign::Positive && score == 0.0,
            ),
        };
        bench.check(
            format!("{name}: the listing with w ← w + α(y − ŷ)x, and the library"),
            "the same updates, unless a positive example has the score 0",
            told.0,
            told.1,
        );
        let updates = |alpha: f64| listing(&data, alpha, false, 1_000).map(|(_, updates)| updates);
        same_rates &= [0.125, 0.5, 4.0, 1024.0].iter().all(|&alpha| updates(alpha) == updates(1.0));
        same_rates &= [0.1, 0.7, 3.0].iter().all(|&alpha| {
            let rate = Schedule::constant(alpha);
            let fit = rate.and_then(|rate| learner.with_schedule(rate).fit(&data.examples, &data.labels));
            fit.is_ok_and(|fit| fit.certificate.journal().mistakes() == mistakes)
        });
        printed_ends += usize::from(listing(&data, 1.0, true, 1_000).is_some());
    }
    bench.erratum(
        "the update is w ← 0 + α(y − ŷ)x",
        "w ← w + α(y − ŷ)x",
        format!("as printed, the weights are always the last misclassified example: {printed_ends} of 3 separable pairs of digits end within 1000 passes, and all 3 with the sum"),
        printed_ends == 0,
    );
    bench.erratum(
        "α affects the speed of convergence",
        "from w = 0 it changes nothing but the unit of the weights",
        "the same updates on the same examples for α from 0.1 to 1024, on three pairs of digits",
        same_rates,
    );
    bench.note(
        "The sources differ in ties: at ⟨w·x⟩ = 0 this one says ŷ = 1 and leaves a positive example as it is, \
         where Table 2.1 of A corrects it.",
    );
    Ok(())
}

fn votes(bench: &mut Bench) -> Outcome {
    const SETS: u64 = 40;
    let fresh = clouds(2_000, 10, 2.0, bench.seed() + 10_000)?;
    let mut errors = [Vec::new(), Vec::new(), Vec::new()];
    let (mut by_hand, mut valid) = (0, 0);
    for seed in 0..SETS {
        let data = clouds(200, 10, 2.0, bench.seed() + seed)?;
        let set = TrainingSet::new(&data.examples, &data.labels)?;
        let last = Perceptron::default().with_passes(10).fit(&data.examples, &data.labels)?;
        let voted = VotedPerceptron::default().with_passes(10).fit(&data.examples, &data.labels)?;
        let averaged = AveragedPerceptron::default().with_passes(10).fit(&data.examples, &data.labels)?;
        valid += usize::from(
            voted.certificate.verify(&set)?.is_valid() && averaged.certificate.verify(&set)?.is_valid(),
        );
        errors[0].push(wrong(&last.model, &fresh.examples, &fresh.labels)?);
        errors[1].push(wrong(&voted.model, &fresh.examples, &fresh.labels)?);
        errors[2].push(wrong(&averaged.model, &fresh.examples, &fresh.labels)?);
        if seed < 3 {
            by_hand += usize::from(votes_and_mean(&voted.model, &averaged.model, &data)?);
        }
    }
    bench.check_equal("traces of voted and averaged runs that pass their replay", SETS as usize, valid);
    bench.check_equal(
        "runs in which votes and mean weights are those of the list of all functions",
        3,
        by_hand,
    );
    let mean = |errors: &[usize]| errors.iter().sum::<usize>() as f64 / errors.len() as f64 / 2_000.0;
    let worst = |errors: &[usize]| errors.iter().copied().max().unwrap_or(0) as f64 / 2_000.0;
    for (name, of) in [("mean", &mean as &dyn Fn(&[usize]) -> f64), ("worst", &worst)] {
        let [last, voted, averaged] = errors.each_ref().map(|errors| of(errors));
        bench.check(
            format!(
                "overlapping clouds, {name} share of errors on new examples: last weights, voted, averaged"
            ),
            "fewer than the last weights",
            format!("{}, {}, {}", number(last), number(voted), number(averaged)),
            voted < last && averaged < last,
        );
    }
    Ok(())
}

/// Whether the decision of the votes is Σ v·sgn f / Σ v, and the averaged function Σ v·f / Σ v, function by function.
fn votes_and_mean(voted: &lm_online::Voted, averaged: &Linear, data: &Binary) -> lm_core::Result<bool> {
    let total = voted.votes().iter().sum::<u64>() as f64;
    let mut mean = vec![0.0; averaged.weights().len()];
    let mut decisions = vec![0.0; data.examples.len()];
    for (index, &votes) in voted.votes().iter().enumerate() {
        let function = voted.function(index)?;
        let share = votes as f64 / total;
        mean.iter_mut().zip(function.weights()).for_each(|(mean, w)| *mean += share * w);
        for (sum, sign) in decisions.iter_mut().zip(function.signs(&data.examples)?) {
            *sum += share * sign.value();
        }
    }
    let size = averaged.norm();
    let same_mean = mean.iter().zip(averaged.weights()).all(|(a, b)| (a - b).abs() <= 1e-9 * size);
    let found = voted.decision_values(&data.examples)?;
    Ok(same_mean && found.iter().zip(&decisions).all(|(a, b)| (a - b).abs() <= 1e-9))
}

fn stability(bench: &mut Bench) -> Outcome {
    for (dim, len) in [(2, 40), (5, 60), (20, 100)] {
        let settings = SeparableSettings::default().with_len(len).with_dim(dim).with_margin(0.1);
        // The best hyperplane of a set and its mirror image goes through the origin.
        let data = mirrored(&separable(&settings, bench.seed())?.data)?;
        let set = TrainingSet::new(&data.examples, &data.labels)?;
        let best = LinearSvc::default()
            .with_cost(1e4)
            .with_gap(1e-8)
            .fit(&data.examples, &data.labels)?
            .converged()?
            .model;
        let gamma = Margins::geometric(&best, &set)?.minimum();
        let learner = Maxover::default().with_bias(Bias::None).with_passes(1_000_000).with_tolerance(1e-3);
        let fit = learner.fit(&data.examples, &data.labels)?.converged()?;
        let margin = Margins::geometric(&fit.model, &set)?.minimum();
        let plain =
            Perceptron::default().with_bias(Bias::None).fit(&data.examples, &data.labels)?.converged()?;
        let plain = Margins::geometric(&plain.model, &set)?.minimum();
        let stability = &fit.certificate;
        bench.check(
            format!("{} examples in {dim} dimensions: margin of Maxover", 2 * len),
            format!("largest margin {}, within 0.1 %", number(gamma)),
            format!("{}; the perceptron has {}", number(margin), number(plain)),
            margin >= 0.999 * gamma * (1.0 - 1e-9) && margin <= gamma * (1.0 + 1e-6) && plain < margin,
        );
        bench.check(
            format!(
                "{} examples in {dim} dimensions: the largest margin lies in the interval of the certificate",
                2 * len
            ),
            format!("{} to {}", number(stability.at_least()), number(stability.at_most())),
            number(gamma),
            stability.at_least() <= gamma * (1.0 + 1e-6) && gamma <= stability.at_most() * (1.0 + 1e-6),
        );
        bench.check_valid(
            format!("{} examples in {dim} dimensions: check of the certificate", 2 * len),
            stability.verify(&set)?,
        );
        if dim == 2 {
            let mut plot = Plot::new("x₁", "x₂").equal_axes().x_range(-1.05, 1.05).y_range(-1.05, 1.05);
            for seed in 0..6 {
                let learner =
                    Perceptron::default().with_bias(Bias::None).with_order(Order::Shuffled { seed });
                let any = learner.fit(&data.examples, &data.labels)?.converged()?.model;
                plot = plot.line(
                    if seed == 0 { "perceptron, six orders" } else { "" },
                    line(&any),
                    Stroke::THIN,
                );
            }
            let svg = plot
                .line("Maxover", line(&fit.model), Stroke::SOLID)
                .points("class −1", 0, &of_class(&data, Sign::Negative))
                .points("class +1", 1, &of_class(&data, Sign::Positive))
                .render()?;
            bench.figure(
                "stability",
                "Any separating line will do for the perceptron; Maxover ends near the one with the largest margin.",
                svg,
            )?;
        }
    }
    Ok(())
}

fn layer(bench: &mut Bench) -> Outcome {
    let two_rings = |len, seed| -> lm_core::Result<Binary> {
        let made = rings(len, &[1.0, 2.0], 0.15, seed)?;
        Ok(Binary { labels: made.labels.one_against_rest(1)?, examples: made.examples })
    };
    let sets = [
        ("corners of a square", noisy_xor(300, 0.2, bench.seed())?, noisy_xor(2_000, 0.2, bench.seed() + 1)?),
        ("two rings", two_rings(300, bench.seed())?, two_rings(2_000, bench.seed() + 1)?),
    ];
    for (name, data, fresh) in &sets {
        let plain = Perceptron::default().fit(&data.examples, &data.labels)?;
        let behind = AlphaPerceptron::default().with_seed(bench.seed()).fit(&data.examples, &data.labels)?;
        let errors = wrong(&behind.model, &data.examples, &data.labels)?;
        bench.check(
            format!("{name}: the perceptron alone, and behind a fixed random layer of 500 units"),
            "does not end; ends with no error",
            format!("{}; {}, {errors} errors", plain.report.stop, behind.report.stop),
            !plain.certificate.separates() && behind.certificate.trace().separates() && errors == 0,
        );
        bench.check_valid(
            format!("{name}: replay behind the layer"),
            behind.certificate.verify(&TrainingSet::new(&data.examples, &data.labels)?)?,
        );
        bench.check_at_most(
            format!("{name}: share of errors on 2000 new examples"),
            0.05,
            wrong(&behind.model, &fresh.examples, &fresh.labels)? as f64 / 2_000.0,
        );
        if *name == "two rings" {
            let side = |x: f64, y: f64| -> Option<usize> {
                let values = behind.model.decision_values(&Dense::single(&[x, y]).ok()?).ok()?;
                Some(usize::from(values[0] >= 0.0))
            };
            let svg = Plot::new("x₁", "x₂")
                .equal_axes()
                .x_range(-2.6, 2.6)
                .y_range(-2.6, 2.6)
                .regions(&[], side)
                .points("class −1", 0, &of_class(data, Sign::Negative))
                .points("class +1", 1, &of_class(data, Sign::Positive))
                .render()?;
            bench.figure(
                "layer",
                "The α-perceptron on two rings: threshold units cut the plane into cells, and the perceptron behind them gives \
                 each cell its class.",
                svg,
            )?;
        }
    }
    Ok(())
}
