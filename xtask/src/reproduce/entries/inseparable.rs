//! A09 and A10: perceptrons for data that no hyperplane separates.

use lm_bounds::mistakes::freund_schapire;
use lm_bounds::radius;
use lm_core::{
    BinaryLabels, Certificate, Collection, Dense, Learner, Linear, Margins, Sign, TrainingSet, VectorGram,
    VectorKernel,
};
use lm_data::generate::noisy_xor;
use lm_online::{Bias, ExtendedPerceptron, Order, Perceptron, PocketPerceptron, VotedPerceptron};
use lm_qp::linear::LinearSvc;

use crate::reproduce::bench::{Bench, number};
use crate::reproduce::entry::{Entry, Outcome};
use crate::reproduce::figure::{Plot, Stroke};
use crate::reproduce::measure::{Binary, clouds, line, of_class, point, wrong};

pub(super) const ENTRIES: &[Entry] = &[
    Entry {
        id: "A09",
        place: "A Rem 2.8, ex. 3",
        claim: "With an attribute of its own, of the value Δ, for each example, every set becomes separable, and a perceptron that \
                carries these attributes along converges on data that are not.",
        how: "Corners of a square, overlapping clouds, labels drawn by lot, and one point with both labels. Corrections are \
              compared with Novikoff's bound in the extended space, for a soft margin hyperplane whose slacks become the \
              weights of the new attributes; then Δ is varied.",
        seed: 9,
        body: extended,
    },
    Entry {
        id: "A10",
        place: "A Rem 2.9",
        claim: "The pocket algorithm is a heuristic for the fewest misclassifications of data that are not separable: it keeps the \
                weights that survived longest, with the ratchet only if they also make fewer errors on all examples.",
        how: "Ten sets of two overlapping clouds in the plane, small enough to find the fewest errors of any line by trying all \
              lines through two examples. The pocket is compared with that number, with the last weights, and with the \
              longest survivor.",
        seed: 10,
        body: pocket,
    },
];

/// The hyperplane of a soft margin machine with ‖w‖ = 1 in the extended space: its slacks for the margin 1/‖w‖, over Δ,
/// are the weights of the new attributes.
fn with_slacks(data: &Binary, delta: f64) -> Result<Linear, Box<dyn std::error::Error>> {
    let set = TrainingSet::new(&data.examples, &data.labels)?;
    let soft = LinearSvc::default()
        .with_cost(1.0)
        .with_gap(1e-8)
        .fit(&data.examples, &data.labels)?
        .converged()?
        .model;
    let norm = soft.norm();
    let plane = Linear::new(soft.weights().iter().map(|w| w / norm).collect(), soft.bias() / norm)?;
    let slack = Margins::functional(&plane, &set)?.slack(1.0 / norm)?;
    let own = slack.values().iter().zip(data.labels.values()).map(|(xi, y)| y * xi / delta);
    Ok(Linear::new(plane.weights().iter().copied().chain(own).collect(), plane.bias())?)
}

fn extended(bench: &mut Bench) -> Outcome {
    let random: Vec<Sign> =
        (0..80_u64).map(|k| if (k * k + k / 3) % 5 < 2 { Sign::Positive } else { Sign::Negative }).collect();
    let both = Binary {
        examples: Dense::from_rows(&[[1.0, 2.0], [1.0, 2.0], [-1.0, 0.5], [0.3, -2.0]])?,
        labels: BinaryLabels::from_integers(&[1, -1, 1, -1])?,
    };
    let by_lot =
        Binary { examples: clouds(80, 4, 0.0, bench.seed())?.examples, labels: BinaryLabels::new(random)? };
    let overlapping = clouds(100, 2, 2.0, bench.seed())?;
    let sets = [
        ("corners of a square", noisy_xor(100, 0.3, bench.seed())?),
        ("overlapping clouds", overlapping.clone()),
        ("labels by lot", by_lot),
        ("a point with both labels", both),
    ];
    for (name, data) in &sets {
        let set = TrainingSet::new(&data.examples, &data.labels)?;
        let plain = Perceptron::default().with_passes(5_000).fit(&data.examples, &data.labels)?;
        bench.check(
            format!("{name}: the perceptron, 5000 passes"),
            "does not converge",
            format!("{}, {} corrections", plain.report.stop, plain.certificate.journal().corrections()),
            !plain.certificate.separates(),
        );
        let fit = ExtendedPerceptron::default().fit(&data.examples, &data.labels)?;
        let trace = fit.certificate.trace();
        bench.check(
            format!("{name}: the perceptron in the extended space, Δ = R"),
            "converges",
            format!(
                "{} after {} passes, {} corrections",
                fit.report.stop,
                fit.report.iterations,
                trace.journal().corrections()
            ),
            trace.separates(),
        );
        bench.check_valid(format!("{name}: replay on the extended examples"), fit.certificate.verify(&set)?);
        let examples = fit.certificate.extend(&data.examples)?;
        let hyperplane = with_slacks(data, fit.certificate.delta())?;
        let bound = trace.novikoff(&set.over(&examples)?, &hyperplane)?;
        bench.check_at_most(
            format!("{name}: corrections, against Novikoff's bound in the extended space"),
            bound.bound,
            bound.mistakes as f64,
        );
    }
    delta(bench, &overlapping)
}

/// What the size of the own attributes changes.
fn delta(bench: &mut Bench, data: &Binary) -> Outcome {
    let set = TrainingSet::new(&data.examples, &data.labels)?;
    let radius = ExtendedPerceptron::default().fit(&data.examples, &data.labels)?.certificate.delta();
    let (mut corrections, mut bounds) = (Vec::new(), Vec::new());
    let (mut converged, mut valid, mut within) = (0, 0, 0);
    let shares: Vec<f64> = (-6..=6).map(|power| f64::from(power).exp2()).collect();
    for &share in &shares {
        let fit =
            ExtendedPerceptron::default().with_delta(share * radius).fit(&data.examples, &data.labels)?;
        let trace = fit.certificate.trace();
        let examples = fit.certificate.extend(&data.examples)?;
        let bound = trace.novikoff(&set.over(&examples)?, &with_slacks(data, share * radius)?)?;
        converged += usize::from(trace.separates());
        valid += usize::from(fit.certificate.verify(&set)?.is_valid());
        within += usize::from(bound.holds());
        corrections.push([share, bound.mistakes as f64]);
        bounds.push([share, bound.bound]);
    }
    bench.check(
        "overlapping clouds, Δ from R/64 to 64·R: runs that converge, pass their replay, keep to the bound",
        format!("{0}, {0}, {0}", shares.len()),
        format!("{converged}, {valid}, {within}"),
        [converged, valid, within] == [shares.len(); 3],
    );
    let svg = Plot::new("Δ/R", "corrections")
        .log_x()
        .log_y()
        .marked_series("made until convergence", &corrections)
        .series("bound for a soft margin hyperplane", &bounds)
        .render()?;
    bench.figure(
        "delta",
        "Corrections in the extended space against Δ: a small Δ takes many steps to make up for a slack; a large one lets every \
         example be learned by itself.",
        svg,
    )
}

/// The fewest errors that a line makes. The best line can be moved until it meets two examples without meeting another
/// on the way, and those two may go to either side of a line close by.
fn fewest_errors(data: &Binary) -> usize {
    let (len, signs) = (data.examples.len(), data.labels.values());
    let points: Vec<[f64; 2]> = (0..len).map(|row| point(data, row)).collect();
    let mut fewest = len;
    for i in 0..len {
        for j in 0..i {
            let side = |k: usize| {
                let ([a, b], [c, d], [x, y]) = (points[i], points[j], points[k]);
                (c - a) * (y - b) - (d - b) * (x - a)
            };
            let wrong = (0..len).filter(|&k| k != i && k != j && signs[k] * side(k) <= 0.0).count();
            fewest = fewest.min(wrong).min(len - 2 - wrong);
        }
    }
    fewest
}

fn pocket(bench: &mut Bench) -> Outcome {
    const PASSES: u64 = 2_000;
    let (mut best, mut above, mut monotone, mut valid, mut ahead) = (0, 0, 0, 0, 0);
    let (mut within, mut share) = (0, 0.0_f64);
    let mut sums = [0.0; 4];
    for seed in 0..10 {
        let data = clouds(60, 2, 2.2, bench.seed() + seed)?;
        let set = TrainingSet::new(&data.examples, &data.labels)?;
        let order = Order::Shuffled { seed };
        let fewest = fewest_errors(&data);
        let fit = |passes: u64| {
            PocketPerceptron::default()
                .with_bias(Bias::Standard)
                .with_order(order)
                .with_passes(passes)
                .fit(&data.examples, &data.labels)
        };
        let mut errors = Vec::new();
        for passes in [1, 10, 100, PASSES] {
            let fit = fit(passes)?;
            valid += usize::from(fit.certificate.verify(&set)?.is_valid());
            errors.push(wrong(&fit.model, &data.examples, &data.labels)?);
        }
        monotone += usize::from(errors.is_sorted_by(|a, b| a >= b));
        let found = errors[3];
        best += usize::from(found == fewest);
        above = above.max(found - fewest);
        let last = Perceptron::default()
            .with_bias(Bias::Standard)
            .with_order(order)
            .with_passes(PASSES)
            .fit(&data.examples, &data.labels)?;
        let last = wrong(&last.model, &data.examples, &data.labels)?;
        let voted = VotedPerceptron::default()
            .with_bias(Bias::Standard)
            .with_order(order)
            .with_passes(PASSES)
            .fit(&data.examples, &data.labels)?;
        let longest =
            (0..voted.model.functions()).max_by_key(|&index| voted.model.votes()[index]).unwrap_or(0);
        let longest = wrong(&voted.model.function(longest)?, &data.examples, &data.labels)?;
        ahead += usize::from(found <= longest && found <= last);
        // The bound of the first pass does not need a hyperplane that separates: that of the pocket will do.
        let radius = radius::largest_norm(&VectorGram::new(&data.examples, VectorKernel::linear())?)?;
        let margins = Margins::geometric(&fit(PASSES)?.model, &set)?;
        let bound = freund_schapire::best_margin(radius, margins.values())?.bound;
        let pass =
            Perceptron::default().with_order(order).with_passes(1).fit(&data.examples, &data.labels)?;
        let mistakes = pass.certificate.journal().corrections() as f64;
        within += usize::from(mistakes <= bound);
        share = share.max(mistakes / bound);
        for (sum, errors) in sums.iter_mut().zip([fewest, found, longest, last]) {
            *sum += errors as f64 / 10.0;
        }
    }
    bench.check_equal(
        "runs whose certificate passes: replay, and errors counted anew (4 lengths of 10 sets)",
        40,
        valid,
    );
    bench.check_equal("sets on which more passes, 1, 10, 100 and 2000, never make more errors", 10, monotone);
    bench.check_equal(
        "sets on which the pocket is at least as good as the longest survivor and the last weights",
        10,
        ahead,
    );
    bench.check(
        "sets on which the first pass keeps to (2(R + D)/γ)² for the pocket's hyperplane and its best γ; largest share of it",
        "10; at most 1",
        format!("{within}; {}", number(share)),
        within == 10 && share <= 1.0,
    );
    bench.check(
        "sets on which the pocket finds the fewest errors of any line; errors more than that on the others",
        "a heuristic: at least 7; at most 1",
        format!("{best} of 10; {above}"),
        best >= 7 && above <= 1,
    );
    bench.check(
        "mean errors of 60: fewest possible, pocket with ratchet, longest survivor, last weights",
        "in this order",
        sums.map(number).join(", "),
        sums.is_sorted(),
    );
    let data = clouds(60, 2, 2.2, bench.seed())?;
    let order = Order::Shuffled { seed: 0 };
    let kept = PocketPerceptron::default()
        .with_bias(Bias::Standard)
        .with_order(order)
        .with_passes(PASSES)
        .fit(&data.examples, &data.labels)?;
    let last = Perceptron::default()
        .with_bias(Bias::Standard)
        .with_order(order)
        .with_passes(PASSES)
        .fit(&data.examples, &data.labels)?;
    let svg = Plot::new("x₁", "x₂")
        .equal_axes()
        .line("pocket", line(&kept.model), Stroke::SOLID)
        .line("last weights", line(&last.model), Stroke::DASHED)
        .points("class −1", 0, &of_class(&data, Sign::Negative))
        .points("class +1", 1, &of_class(&data, Sign::Positive))
        .render()?;
    bench.figure(
        "pocket",
        format!(
            "The line in the pocket makes {} errors, of {} that are possible at best; the last weights of the same run make {}.",
            kept.certificate.errors(),
            fewest_errors(&data),
            wrong(&last.model, &data.examples, &data.labels)?
        ),
        svg,
    )
}
