//! B08: gradient descent with the optimal rate, and Newton descent.

use lm_core::{Certificate, Control, Fit, Sign, Stop};
use lm_data::generate::far_blob;
use lm_online::{Criterion, GradientDescent, Newton, Schedule, Stationarity, Visit};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

use crate::reproduce::bench::{Bench, number};
use crate::reproduce::entry::{Entry, Outcome};
use crate::reproduce::figure::{Plot, Stroke};
use crate::reproduce::vectors::{distance, dot, minus, norm};

pub(super) const ENTRIES: &[Entry] = &[Entry {
    id: "B08",
    place: "B Alg 1, 2, Fig 5.10",
    claim: "Of all rates, η = ‖∇J‖²/∇JᵗH∇J takes a step along the gradient lowest in the second-order model. Newton's step \
            −H⁻¹∇J ends at the minimum of that model, so one step is enough on a quadratic function, and typically it \
            improves more than a step along the gradient. Both end when a step is shorter than θ.",
    how: "Both descend quadratic functions of 2 to 20 variables with known minima, then a logistic criterion and a function \
          on which Newton's step goes up; every point on the way is checked against formulas written out here.",
    seed: 8,
    body,
}];

/// `½ (a − c)ᵗH(a − c)`.
struct Quadratic {
    matrix: Vec<Vec<f64>>,
    minimum: Vec<f64>,
}

impl Quadratic {
    /// `H = BᵗB + shift·I` with random `B`, and a random minimum.
    fn random(dim: usize, shift: f64, random: &mut ChaCha8Rng) -> Self {
        let b: Vec<f64> = (0..dim * dim).map(|_| random.random_range(-1.0..1.0)).collect();
        let entry = |i: usize, j: usize| (0..dim).map(|k| b[k * dim + i] * b[k * dim + j]).sum::<f64>();
        let at = |i: usize, j: usize| entry(i, j) + if i == j { shift } else { 0.0 };
        let matrix = (0..dim).map(|i| (0..dim).map(|j| at(i, j)).collect()).collect();
        Quadratic { matrix, minimum: (0..dim).map(|_| random.random_range(-2.0..2.0)).collect() }
    }

    /// `H d`.
    fn times(&self, d: &[f64]) -> Vec<f64> {
        self.matrix.iter().map(|row| dot(row, d)).collect()
    }
}

impl Criterion for Quadratic {
    fn dim(&self) -> usize {
        self.minimum.len()
    }

    fn value(&self, a: &[f64]) -> f64 {
        let away = minus(a, &self.minimum);
        0.5 * dot(&away, &self.times(&away))
    }

    fn gradient(&self, a: &[f64], out: &mut [f64]) {
        out.copy_from_slice(&self.times(&minus(a, &self.minimum)));
    }

    fn hessian(&self, _: &[f64], out: &mut [f64]) {
        out.copy_from_slice(&self.matrix.concat());
    }
}

/// `½‖a‖² + Σ ln(1 + exp(−y·aᵗ(1, x)))`: smooth, and not quadratic.
struct Logistic {
    /// `y·(1, x)`.
    samples: Vec<Vec<f64>>,
}

impl Logistic {
    /// The sum over the samples of what `term` makes of a sample and of `1/(1 + exp(aᵗy))`.
    fn each(&self, a: &[f64], mut term: impl FnMut(&[f64], f64)) {
        self.samples.iter().for_each(|y| term(y, 1.0 / (1.0 + dot(a, y).exp())));
    }
}

impl Criterion for Logistic {
    fn dim(&self) -> usize {
        3
    }

    fn value(&self, a: &[f64]) -> f64 {
        0.5 * dot(a, a) + self.samples.iter().map(|y| (-dot(a, y)).exp().ln_1p()).sum::<f64>()
    }

    fn gradient(&self, a: &[f64], out: &mut [f64]) {
        out.copy_from_slice(a);
        self.each(a, |y, p| out.iter_mut().zip(y).for_each(|(out, y)| *out -= p * y));
    }

    fn hessian(&self, a: &[f64], out: &mut [f64]) {
        (0..9).for_each(|k| out[k] = f64::from(u8::from(k % 4 == 0)));
        self.each(a, |y, p| (0..9).for_each(|k| out[k] += p * (1.0 - p) * y[k / 3] * y[k % 3]));
    }
}

/// `√(1 + a₀²) + 5a₁²`: convex, but with little curvature where `a₀` is large.
struct Hyperbola;

impl Criterion for Hyperbola {
    fn dim(&self) -> usize {
        2
    }

    fn value(&self, a: &[f64]) -> f64 {
        a[0].hypot(1.0) + 5.0 * a[1] * a[1]
    }

    fn gradient(&self, a: &[f64], out: &mut [f64]) {
        out.copy_from_slice(&[a[0] / a[0].hypot(1.0), 10.0 * a[1]]);
    }

    fn hessian(&self, a: &[f64], out: &mut [f64]) {
        out.copy_from_slice(&[a[0].hypot(1.0).powi(-3), 0.0, 0.0, 10.0]);
    }
}

/// A point on the way: where, and how high.
type Way = Vec<(Vec<f64>, f64)>;

/// The way of a descent that converges, its certificate checked. `descend` runs it and shows each point.
fn way_of(
    bench: &mut Bench,
    what: &str,
    criterion: &dyn Criterion,
    descend: impl FnOnce(&mut dyn FnMut(&Visit<'_>)) -> lm_core::Result<Fit<Vec<f64>, Stationarity>>,
) -> Result<Way, Box<dyn std::error::Error>> {
    let mut way = Way::new();
    let fit = descend(&mut |visit| way.push((visit.point.to_vec(), visit.value)))?.converged()?;
    bench.check_valid(format!("{what}: value and gradient at the end"), fit.certificate.verify(criterion)?);
    Ok(way)
}

/// The ways of gradient descent with the optimal rate and of Newton descent.
fn both_ways(
    bench: &mut Bench,
    what: &str,
    criterion: &dyn Criterion,
    start: &[f64],
) -> Result<[Way; 2], Box<dyn std::error::Error>> {
    let control = Control::default();
    let gradient = way_of(bench, &format!("{what}, gradient descent"), criterion, |watch| {
        GradientDescent::default().minimise_with(criterion, start, &control, watch)
    })?;
    let newton = way_of(bench, &format!("{what}, Newton descent"), criterion, |watch| {
        Newton::default().minimise_with(criterion, start, &control, watch)
    })?;
    Ok([gradient, newton])
}

/// Checks that the last step of a run, and no other, is shorter than its threshold.
pub(super) fn check_threshold(
    bench: &mut Bench,
    what: &str,
    theta: f64,
    steps: &[f64],
    stop: Stop,
) -> Outcome {
    let (last, earlier) = steps.split_last().ok_or("no step was made")?;
    let shortest = earlier.iter().copied().fold(f64::INFINITY, f64::min);
    bench.check(
        format!("{what}, θ = {}: the last step, and the shortest before it", number(theta)),
        "below θ, and not below θ",
        format!("{} and {}", number(*last), number(shortest)),
        stop == Stop::Converged && *last < theta && shortest >= theta,
    );
    Ok(())
}

fn body(bench: &mut Bench) -> Outcome {
    one_valley(bench)?;
    many_quadratics(bench)?;
    logistic(bench)?;
    exceptions(bench)
}

/// Figure 5.10, and the optimal rate step by step.
fn one_valley(bench: &mut Bench) -> Outcome {
    // Eigenvalues 1 and 9 along the diagonals.
    let valley = Quadratic { matrix: vec![vec![5.0, 4.0], vec![4.0, 5.0]], minimum: vec![1.0, 0.5] };
    let start = [-2.5, 2.9];
    let [way, newton] = both_ways(bench, "two variables", &valley, &start)?;
    let (mut rate_off, mut turn, mut slowest, mut lowest) = (0.0_f64, 0.0_f64, 0.0_f64, true);
    let mut before: Option<Vec<f64>> = None;
    // Near the end J is rounding.
    for pair in way.windows(2).take_while(|pair| pair[0].1 > 1e-12) {
        let ((a, value), (next, after)) = (&pair[0], &pair[1]);
        let mut gradient = vec![0.0; 2];
        valley.gradient(a, &mut gradient);
        let optimal = dot(&gradient, &gradient) / dot(&gradient, &valley.times(&gradient));
        rate_off = rate_off.max((distance(next, a) / norm(&gradient) / optimal - 1.0).abs());
        for share in [0.5, 0.9, 0.99, 1.01, 1.1, 1.5] {
            let other: Vec<f64> = a.iter().zip(&gradient).map(|(a, g)| a - share * optimal * g).collect();
            lowest &= valley.value(&other) > *after;
        }
        if let Some(before) = before {
            turn = turn.max((dot(&before, &gradient) / norm(&before) / norm(&gradient)).abs());
        }
        slowest = slowest.max(after / value);
        before = Some(gradient);
    }
    bench.check_at_most(
        "largest relative difference between the rate taken and ‖∇J‖²/∇JᵗH∇J",
        1e-9,
        rate_off,
    );
    bench.check(
        "J after a step with 0.5 to 1.5 times that rate",
        "higher in every step",
        if lowest { "higher in every step" } else { "not always higher" },
        lowest,
    );
    bench.check_at_most("largest cosine of the angle between one gradient and the next", 1e-6, turn);
    bench.check_at_most(
        "slowest step: J after over J before, at most ((9 − 1)/(9 + 1))²",
        0.64 + 1e-9,
        slowest,
    );
    bench.check_all_close("Newton's first step ends at the minimum", &valley.minimum, &newton[1].0, 1e-14);

    for theta in [1e-2, 1e-4, 1e-6] {
        let mut points = Vec::new();
        let descent = GradientDescent::default().with_threshold(theta);
        let fit = descent.minimise_with(&valley, &start, &Control::default(), &mut |visit| {
            points.push(visit.point.to_vec());
        })?;
        let steps: Vec<f64> = points.windows(2).map(|pair| distance(&pair[1], &pair[0])).collect();
        check_threshold(bench, "two variables", theta, &steps, fit.report.stop)?;
    }

    let points = |way: &Way| way.iter().map(|(a, _)| [a[0], a[1]]).collect::<Vec<_>>();
    let levels: Vec<(&str, f64, Stroke)> =
        [0.1, 0.5, 1.5, 3.5, 6.0, 10.0, 16.0].iter().map(|&level| ("", level, Stroke::THIN)).collect();
    let svg = Plot::new("a₁", "a₂")
        .equal_axes()
        .x_range(-3.2, 3.4)
        .y_range(-2.0, 3.6)
        .contours(|x, y| valley.value(&[x, y]), &levels)
        .marked_series("gradient descent, optimal rate", &points(&way)[..12])
        .marked_series("Newton descent", &points(&newton)[..2])
        .render()?;
    bench.figure(
        "quadratic",
        "Two ways down a quadratic criterion, whose lines of equal height are drawn thin. Along the gradient the way turns by \
         a right angle in every step; Newton's single step ends at the minimum.",
        svg,
    )
}

/// One step is enough, whatever the dimension and the start.
fn many_quadratics(bench: &mut Bench) -> Outcome {
    let mut random = ChaCha8Rng::seed_from_u64(bench.seed());
    let (mut worst, mut better, mut runs) = (0.0_f64, true, 0);
    for dim in 2..=20 {
        for _ in 0..10 {
            let bowl = Quadratic::random(dim, 0.1, &mut random);
            let start: Vec<f64> = (0..dim).map(|_| random.random_range(-5.0..5.0)).collect();
            let newton = Newton::default().with_steps(1).minimise(&bowl, &start)?;
            let gradient = GradientDescent::default().with_steps(1).minimise(&bowl, &start)?;
            worst = worst.max(newton.certificate.value() / bowl.value(&start));
            better &= newton.certificate.value() < gradient.certificate.value();
            runs += 1;
        }
    }
    bench.check_at_most(
        format!("{runs} quadratic functions of 2 to 20 variables: what one Newton step leaves of J, at most"),
        1e-20,
        worst,
    );
    bench.check(
        "the same: one Newton step is lower than one gradient step of optimal rate",
        "always",
        if better { "always" } else { "not always" },
        better,
    );
    Ok(())
}

/// A criterion that is not quadratic: both need several steps, Newton fewer.
fn logistic(bench: &mut Bench) -> Outcome {
    let data = far_blob(200, 20, 6.0, bench.seed())?;
    let sample = |(row, sign): (usize, &Sign)| {
        [1.0].iter().chain(data.examples.slice(row)).map(|x| sign.value() * x).collect()
    };
    let criterion = Logistic { samples: data.labels.signs().iter().enumerate().map(sample).collect() };
    let start = [0.0; 3];
    let [by_gradient, by_newton] = both_ways(bench, "logistic criterion", &criterion, &start)?;
    let (end, lowest) = by_newton.last().ok_or("no step was made")?;
    let gradient_end = &by_gradient.last().ok_or("no step was made")?.0;
    bench.check_all_close("logistic criterion: where the two descents end", end, gradient_end, 1e-6);
    let (few, many) = (by_newton.len() - 1, by_gradient.len() - 1);
    bench.check(
        "logistic criterion: steps of Newton descent, and along the gradient",
        "fewer",
        format!("{few}, and {many}"),
        few < many,
    );
    let ahead = by_newton.iter().zip(&by_gradient).skip(1).all(|(n, g)| n.1 <= g.1 + 1e-12 * lowest);
    bench.check(
        "logistic criterion: J after 1, 2, … steps",
        "lower with Newton's",
        if ahead { "lower with Newton's" } else { "not always" },
        ahead,
    );
    // What is less than rounding of J has no place on a logarithmic axis.
    let heights = |way: &Way| {
        let shown = way.iter().enumerate().filter(|(_, (_, value))| value - lowest > 1e-12 * lowest);
        shown.map(|(k, (_, value))| [k as f64, value - lowest]).collect::<Vec<_>>()
    };
    let svg = Plot::new("step", "J above its minimum")
        .log_y()
        .marked_series("gradient descent, optimal rate", &heights(&by_gradient))
        .marked_series("Newton descent", &heights(&by_newton))
        .render()?;
    bench.figure(
        "logistic",
        "A criterion that is not quadratic: along the gradient each step leaves about the same share of what is left, while \
         Newton's steps double the number of right digits.",
        svg,
    )
}

/// Where the second-order model misleads: the reasons for "typically".
fn exceptions(bench: &mut Bench) -> Outcome {
    let start = [1.5, 1.0];
    let before = Hyperbola.value(&start);
    let newton = Newton::default().with_steps(1).minimise(&Hyperbola, &start)?.certificate.value();
    let gradient = GradientDescent::default().with_steps(1).minimise(&Hyperbola, &start)?.certificate.value();
    let far = [3.0, 0.0];
    let (height, up) = (Hyperbola.value(&far), Newton::default().with_steps(1).minimise(&Hyperbola, &far)?);
    bench.check(
        "√(1 + a₁²) + 5a₂² at (1.5, 1), one step: J before, along the gradient, Newton's",
        "\"typically\": here the gradient's is lower",
        format!("{}, {}, {}", number(before), number(gradient), number(newton)),
        gradient < newton && newton < before,
    );
    bench.check(
        "the same function at (3, 0): J before and after one Newton step",
        "\"typically\": not always down",
        format!("{} and {}", number(height), number(up.certificate.value())),
        up.certificate.value() > height,
    );
    let flat = Quadratic { matrix: vec![vec![1.0, 1.0], vec![1.0, 1.0]], minimum: vec![0.0, 0.0] };
    let singular = Newton::default().minimise(&flat, &[1.0, 2.0])?;
    bench.check(
        "a matrix H without an inverse",
        "no Newton step",
        format!(
            "{:?}, pivot {}",
            singular.report.stop,
            number(singular.certificate.curvature().unwrap_or(f64::NAN))
        ),
        singular.report.stop == Stop::Infeasible,
    );
    let slow =
        GradientDescent::default().with_schedule(Schedule::constant(0.1)?).minimise(&flat, &[1.0, 2.0])?;
    bench.check_at_most(
        "the same function by gradient descent: J at the end",
        1e-12,
        slow.certificate.value(),
    );
    Ok(())
}
