//! C07: leaving out one example after the other, against the share of support vectors.

use std::time::Instant;

use lm_bounds::{
    Choice, Criterion, ExactLeaveOneOut, Finding, LogEvidence, Spans, choose, gacv, leave_one_out,
    support_share, xi_alpha,
};
use lm_closed::{GaussianCovariance, GaussianProcess};
use lm_core::multiclass::DecideRows;
use lm_core::{
    BinaryLabels, Budget, Collection, Control, Dense, Labelling, Learner, Lift, MatrixGram, Selection, Sign,
    Targets, TrainingSet, VectorGram, VectorKernel, WithoutOne,
};
use lm_data::classic;
use lm_data::generate::two_moons;
use lm_qp::{CSvc, Removals};

use crate::reproduce::bench::{Bench, number};
use crate::reproduce::entry::{Entry, Outcome};
use crate::reproduce::figure::{Plot, Stroke};
use crate::reproduce::measure::{Binary, pair};

pub(super) const ENTRIES: &[Entry] = &[Entry {
    id: "C07",
    place: "C Rem 6.9",
    claim: "The leave-one-out error of a support vector machine is no larger than the share of support vectors, because removing any \
            other example leaves the machine as it is.",
    how: "The left side is computed exactly, point by point, on moons, irises and digits for several costs, and compared with as many \
          fits from the beginning on the smaller sets. Span, ξα and GACV stand beside it, and six criteria choose a kernel and a cost.",
    seed: 609,
    body,
}];

type Solved = Removals<CSvc, BinaryLabels>;

fn body(bench: &mut Bench) -> Outcome {
    let digits = classic::digits()?.data;
    let iris = pair(&classic::iris()?.data, [1.0, 2.0])?;
    let moons = two_moons(200, 0.3, bench.seed())?;
    let sets = [
        ("moons", moons, 4.0),
        ("irises, versicolor and virginica", iris, 0.5),
        ("digits 3 and 8", pair(&digits, [3.0, 8.0])?, 1e-3),
        ("digits 1 and 7", pair(&digits, [1.0, 7.0])?, 1e-3),
        ("digits 4 and 9", pair(&digits, [4.0, 9.0])?, 3e-4),
    ];
    for (name, data, gamma) in &sets {
        for cost in [0.1, 1.0, 100.0] {
            tabulated(bench, &format!("{name}, C = {}", number(cost)), data, *gamma, cost)?;
        }
    }
    refitted(bench, &sets[0].1, 4.0)?;
    refitted(bench, &sets[1].1, 0.5)?;
    fast(bench, &parity(&digits, 600)?)?;
    chosen(bench, &sets[0].1)?;
    figure(bench, &sets[0].1)
}

/// So many digits, the odd ones against the even ones.
fn parity(digits: &lm_data::Labelled<Dense<'static>>, most: usize) -> Result<Binary, lm_core::Error> {
    let rows: Vec<&[f64]> = (0..most).map(|row| digits.examples.slice(row)).collect();
    let sign = |row: usize| if digits.labels[row] % 2.0 == 0.0 { Sign::Negative } else { Sign::Positive };
    Ok(Binary {
        examples: Dense::from_rows(&rows)?,
        labels: BinaryLabels::new((0..most).map(sign).collect())?,
    })
}

fn matrix(data: &Binary, gamma: f64) -> Result<MatrixGram<'static>, lm_core::Error> {
    MatrixGram::computed(
        &VectorGram::new(&data.examples, VectorKernel::gaussian(gamma)?)?,
        &Budget::default(),
    )
}

fn solved(data: &Binary, gamma: f64, cost: f64) -> Result<(Solved, ExactLeaveOneOut), lm_core::Error> {
    let gram = matrix(data, gamma)?;
    let set = TrainingSet::new(&gram, &data.labels)?;
    let machine = Removals::solve(&CSvc::default().with_cost(cost), &set, &Control::default())?;
    let found = leave_one_out(&machine, &Control::default())?;
    Ok((machine, found))
}

/// The exact error beside the share of support vectors and the estimates.
fn tabulated(bench: &mut Bench, name: &str, data: &Binary, gamma: f64, cost: f64) -> Outcome {
    let (machine, found) = solved(data, gamma, cost)?;
    let (shares, n) = (machine.shares(), machine.shares().len() as f64);
    let exact = found.errors() as f64 / n;
    let support = support_share(shares);
    let bound = xi_alpha(shares, 1.0, true)?;
    let spans = Spans::of(&machine)?.map_or("none".into(), |spans| number(spans.error()));
    let (undecided, gacv) = (found.undecided(), number(gacv(shares)));
    bench.check(
        format!("{name}: exact error; span, ξα, GACV of the hinge loss"),
        format!("≤ {} = #sv/ℓ, every sign certain", number(support)),
        format!("{}; {spans}, {}, {gacv}", number(exact), number(bound)),
        exact <= support && undecided == 0,
    );
    Ok(())
}

/// The decision values at all examples of fits from the beginning to all others.
fn refits(gram: &MatrixGram<'_>, labels: &BinaryLabels, machine: &CSvc) -> Result<Vec<f64>, lm_core::Error> {
    let n = labels.signs().len();
    let one = |row: usize| {
        let kept: Vec<usize> = (0..n).filter(|&other| other != row).collect();
        let fit = machine.fit(&Selection::new(gram, &kept)?, &labels.select(&kept)?)?.converged()?;
        Ok(fit.model.lifted(&kept)?.decision_values_at(gram, &[row])?[0])
    };
    (0..n).map(one).collect()
}

/// Which examples are wrong by fits from the beginning.
fn refitted(bench: &mut Bench, data: &Binary, gamma: f64) -> Outcome {
    let gram = matrix(data, gamma)?;
    for cost in [0.1, 1.0, 100.0] {
        let (_, found) = solved(data, gamma, cost)?;
        let values = refits(&gram, &data.labels, &CSvc::default().with_cost(cost).with_gap(1e-9))?;
        let signs = data.labels.signs();
        let wrong: Vec<usize> =
            (0..values.len()).filter(|&row| Sign::of(values[row]) != signs[row]).collect();
        bench.check(
            format!(
                "C = {}: examples that {} fits from the beginning classify wrongly",
                number(cost),
                values.len()
            ),
            format!("the {} of the exact error", found.errors()),
            format!(
                "{}, {}",
                wrong.len(),
                if wrong == found.wrong() { "the same ones" } else { "other ones" }
            ),
            wrong == found.wrong(),
        );
    }
    Ok(())
}

/// The time of the exact error beside that of fits from the beginning.
fn fast(bench: &mut Bench, data: &Binary) -> Outcome {
    let gram = matrix(data, 1e-3)?;
    let (machine, n) = (CSvc::default().with_cost(10.0), data.examples.len());
    let started = Instant::now();
    let set = TrainingSet::new(&gram, &data.labels)?;
    let found = leave_one_out(&Removals::solve(&machine, &set, &Control::default())?, &Control::default())?;
    let exact = started.elapsed().as_secs_f64();
    let started = Instant::now();
    let values = refits(&gram, &data.labels, &machine)?;
    let whole = started.elapsed().as_secs_f64();
    let wrong =
        values.iter().zip(data.labels.signs()).filter(|(value, sign)| Sign::of(**value) != **sign).count();
    bench.check_timed(
        format!(
            "{n} digits, odd against even: the exact error is faster than {n} fits on the same kernel values"
        ),
        "20 times or more, with as many errors",
        format!("{:.0} times, {} and {wrong} errors", whole / exact, found.errors()),
        whole >= 20.0 * exact && found.errors() == wrong,
    );
    Ok(())
}

/// What the criteria choose of a grid, and how that does on other points of the same moons.
fn chosen(bench: &mut Bench, data: &Binary) -> Outcome {
    let fresh = two_moons(2000, 0.3, bench.seed() + 1)?;
    let mut settings = Vec::new();
    for gamma in [0.1, 1.0, 4.0, 16.0, 64.0] {
        settings.extend([0.1, 1.0, 10.0, 100.0].map(|cost| (gamma, cost)));
    }
    let control = Control::default();
    let solve = |&(gamma, cost): &(f64, f64)| {
        let gram = VectorGram::new(&data.examples, VectorKernel::gaussian(gamma)?)?;
        let set = TrainingSet::new(&gram, &data.labels)?;
        Removals::solve(&CSvc::default().with_cost(cost), &set, &control)
    };
    let mut errors = Vec::new();
    for &(gamma, cost) in &settings {
        let gram = VectorGram::new(&data.examples, VectorKernel::gaussian(gamma)?)?;
        let model = CSvc::default().with_cost(cost).fit(&gram, &data.labels)?.converged()?.model;
        let model = model.over_vectors(&data.examples, gram.kernel())?;
        errors
            .push(crate::reproduce::measure::wrong(&model, &fresh.examples, &fresh.labels)? as f64 / 2000.0);
    }
    for (name, criterion) in [
        ("radius and margin", Criterion::RadiusMargin),
        ("span", Criterion::Span),
        ("ξα", Criterion::XiAlpha),
        ("exact leave-one-out error", Criterion::ExactLeaveOneOut),
        ("5 folds", Criterion::CrossValidation(5)),
    ] {
        let choice = choose(&settings, criterion, &control, solve)?;
        choice_checked(bench, name, &choice, &errors);
    }
    // The evidence is that of a Gaussian process on the labels ±1, whose noise has the variance 1/C.
    let targets = Targets::new(data.labels.values())?;
    let evident = |&(gamma, cost): &(f64, f64)| {
        let covariance =
            GaussianCovariance::default().with_length((0.5 / gamma).sqrt()).with_noise_variance(1.0 / cost);
        let set = TrainingSet::new(&data.examples, &targets)?;
        Ok(LogEvidence(GaussianProcess::new(covariance).evidence(&set, &control)?.value))
    };
    let choice = choose(&settings, Criterion::Evidence, &control, evident)?;
    choice_checked(bench, "the evidence of a Gaussian process", &choice, &errors);
    Ok(())
}

/// The error on other points of what was chosen, beside the least of the grid.
fn choice_checked(bench: &mut Bench, name: &str, choice: &Choice<(f64, f64)>, errors: &[f64]) {
    let least = errors.iter().copied().fold(f64::INFINITY, f64::min);
    let (gamma, cost) = choice.best().setting;
    let error = errors[choice.chosen()];
    let figure = choice.best().figure.map_or("none".into(), number);
    bench.check(
        format!("moons, a grid of {} settings, chosen by {name}: error on 2000 other points", errors.len()),
        format!("within 0.05 of the least, {}", number(least)),
        format!("{} at γ = {}, C = {}, figure {figure}", number(error), number(gamma), number(cost)),
        error <= least + 0.05,
    );
}

/// The exact error and what bounds it, along the cost.
fn figure(bench: &mut Bench, data: &Binary) -> Outcome {
    let (mut exact, mut support, mut bound, mut span) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let (mut undecided, mut beyond) = (0, 0);
    for step in -8..=12 {
        let cost = 10.0_f64.powf(f64::from(step) / 4.0);
        let (machine, found) = solved(data, 4.0, cost)?;
        let (shares, x) = (machine.shares(), cost.log10());
        undecided += found.outcomes().iter().filter(|outcome| outcome.finding == Finding::Undecided).count();
        beyond += usize::from(found.error() > support_share(shares));
        exact.push([x, found.error()]);
        support.push([x, support_share(shares)]);
        bound.push([x, xi_alpha(shares, 1.0, true)?]);
        span.extend(Spans::of(&machine)?.map(|spans| [x, spans.error()]));
    }
    bench.check_equal("moons, 21 costs: examples that could not be decided", 0, undecided);
    bench.check_equal("moons, 21 costs: exact errors above the share of support vectors", 0, beyond);
    let svg = Plot::new("log₁₀ C", "share of the examples")
        .y_range(0.0, 1.0)
        .curve("#sv/ℓ", &support, Stroke::THIN)
        .marked_series("ξα", &bound)
        .marked_series("span", &span)
        .marked_series("exact", &exact)
        .render()?;
    bench.figure(
        "estimates",
        "200 points of two moons under a Gaussian kernel: the exact leave-one-out error, what bounds it, and the span that follows it.",
        svg,
    )
}
