//! C03: the radius–margin quantity of a machine, and the smallest enclosing ball.

use std::f64::consts::{PI, TAU};

use lm_bounds::generalisation::{margin, pac_bayes, rademacher, vc};
use lm_bounds::radius::{self, EnclosingBall, enclosing_ball};
use lm_core::gram::Scaled;
use lm_core::{Collection, Dense, DualExpansion, Gram, Learner, VectorGram, VectorKernel};
use lm_data::classic;
use lm_data::generate::{SeparableSettings, chess_board, separable, two_moons};
use lm_qp::MaximalMargin;
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

use crate::reproduce::bench::{Bench, number};
use crate::reproduce::entry::{Entry, Outcome};
use crate::reproduce::figure::{Plot, Stroke};
use crate::reproduce::measure::{Binary, pair, point, wrong};

pub(super) const ENTRIES: &[Entry] = &[Entry {
    id: "C03",
    place: "C Rem 6.7",
    claim: "The generalisation of the maximal margin machine is bounded in terms of R²/γ², which its training gives: γ from the multipliers, and the radius \
            of a ball around the origin of feature space, R = max K(xᵢ, xᵢ). The value of the bound is unrealistic, but its relative size may choose between \
            kernels.",
    how: "R²/γ² is computed from the multipliers and from margin and radius, with the ball around the origin and with the smallest ball that encloses the \
          examples, which carries its own certificate. Theorem 4.18 is evaluated. The width of a Gaussian is chosen for two moons. Bounds by margins are \
          tried 2000 times on distributions whose errors are known.",
    seed: 603,
    body,
}];

type Failure = Box<dyn std::error::Error>;

fn body(bench: &mut Bench) -> Outcome {
    machines(bench)?;
    square(bench)?;
    circles(bench)?;
    moved(bench)?;
    trials(bench)?;
    widths(bench)
}

/// A maximal margin machine, its margin from below and `Σα`.
fn machine<G: Gram>(gram: &G, data: &Binary) -> Result<(DualExpansion, f64, f64), Failure> {
    let fit = MaximalMargin::default().with_gap(1e-8).fit(gram, &data.labels)?.converged()?;
    let total = fit.model.coefficients().iter().map(|coefficient| coefficient.abs()).sum();
    Ok((fit.model, fit.certificate.margin_at_least(), total))
}

fn machines(bench: &mut Bench) -> Outcome {
    let (iris, digits) = (classic::iris()?.data, classic::digits()?.data);
    let settings = SeparableSettings::default().with_len(300).with_dim(15).with_margin(0.05);
    for (name, data, kernel) in [
        ("irises 0 and 1", pair(&iris, [0.0, 1.0])?, VectorKernel::linear()),
        ("15 dimensions", separable(&settings, bench.seed())?.data, VectorKernel::linear()),
        ("digits 3 and 8", pair(&digits, [3.0, 8.0])?, VectorKernel::linear()),
        (
            "digits 3 and 8, (1 + x·z/64)³",
            pair(&digits, [3.0, 8.0])?,
            VectorKernel::polynomial(3, 1.0 / 64.0, 1.0)?,
        ),
        ("moons, Gaussian", two_moons(200, 0.1, bench.seed())?, VectorKernel::gaussian(2.0)?),
    ] {
        let gram = VectorGram::new(&data.examples, kernel)?;
        let (_, gamma, total) = machine(&gram, &data)?;
        let largest = radius::largest_norm(&gram)?;
        let ball = enclosing_ball(&gram, 1e-10)?;
        let quantity = margin::complexity(largest, 0.0, gamma)?;
        let diagonal = gram.diagonal()?.into_iter().fold(0.0, f64::max);
        bench.check_close(
            format!("{name}: R²/γ² from radius and margin, over max K(xᵢ, xᵢ)·Σα"),
            1.0,
            quantity / (diagonal * total),
            1e-5,
        );
        certified(bench, name, &gram, &ball)?;
        bench.check_at_most(
            format!("{name}: radius of the smallest ball, over max ‖xᵢ‖ = {}", number(largest)),
            1.0,
            ball.no_less_than / largest,
        );
        let len = data.examples.len() as u64;
        let value = margin::observed(largest, gamma, len, 0.05)?;
        bench.check(
            format!("{name}: R²/γ² = {} around the origin, {} in the smallest ball; Theorem 4.18 with ℓ = {len}, δ = 0.05", number(quantity), number(margin::complexity(ball.radius, 0.0, gamma)?)),
            "unrealistic: says nothing below 1",
            number(value),
            value >= 1.0,
        );
    }
    bench.check(
        "Theorem 4.18 for R²/γ² = 4: examples from which on it is below ½",
        "many",
        format!("{}", examples_needed(4.0)?),
        examples_needed(4.0)? > 10_000,
    );
    Ok(())
}

/// The least power of ten times 1, 2 or 5 for which the theorem is below ½.
fn examples_needed(quantity: f64) -> lm_core::Result<u64> {
    let mut len = 100;
    loop {
        for factor in [1, 2, 5] {
            if margin::fixed(quantity.sqrt(), 1.0, len * factor, 0.05)? < 0.5 {
                return Ok(len * factor);
            }
        }
        len *= 10;
    }
}

/// The ball's own evidence.
fn certified<G: Gram>(bench: &mut Bench, name: &str, gram: &G, ball: &EnclosingBall) -> Outcome {
    let again = ball.recomputed(gram)?;
    let near = |a: f64, b: f64| (a - b).abs() <= 1e-12 * b;
    bench.check(
        format!("{name}: the smallest ball; ends of its radius, and both recomputed"),
        "within 1e−9 of each other, and the same",
        format!("{} to {}, {} steps", number(ball.no_less_than), number(ball.radius), ball.steps),
        ball.gap() <= 1e-9 && near(again.0, ball.no_less_than) && near(again.1, ball.radius),
    );
    Ok(())
}

/// The source has no square: doubled examples tell.
fn square(bench: &mut Bench) -> Outcome {
    let data = two_moons(60, 0.1, bench.seed())?;
    let gram = VectorGram::new(&data.examples, VectorKernel::linear())?;
    let far = (0..60).map(|row| point(&data, row)).map(|[x, y]| x.hypot(y)).fold(0.0, f64::max);
    let largest = gram.diagonal()?.into_iter().fold(0.0, f64::max);
    bench.check_close(
        "moons, linear kernel: √max K(xᵢ, xᵢ), beside the largest distance from the origin",
        far,
        radius::largest_norm(&gram)?,
        1e-12,
    );
    let doubled = Scaled::new(&gram, 4.0)?;
    bench.check_close(
        "examples doubled, K times 4: √max K over what it was",
        2.0,
        radius::largest_norm(&doubled)? / radius::largest_norm(&gram)?,
        1e-12,
    );
    bench.erratum(
        "the radius is R = max K(xᵢ, xᵢ)",
        "R² = max K(xᵢ, xᵢ): a kernel value of an example with itself is its squared norm",
        format!("the farthest example is at {}, while max K is {}", number(far), number(largest)),
        (radius::largest_norm(&gram)? - far).abs() < 1e-12 && (largest - far).abs() > 0.1,
    );
    Ok(())
}

/// The smallest circle around points of the plane, by trying all pairs and triples.
fn smallest_circle(points: &[[f64; 2]]) -> f64 {
    let reaches = |c: [f64; 2]| points.iter().map(|p| (p[0] - c[0]).hypot(p[1] - c[1])).fold(0.0, f64::max);
    let mut best = f64::INFINITY;
    for (i, p) in points.iter().enumerate() {
        for (j, q) in points[..i].iter().enumerate() {
            best = best.min(reaches([0.5 * (p[0] + q[0]), 0.5 * (p[1] + q[1])]));
            for r in &points[..j] {
                let ([a, b], [c, d]) = ([q[0] - p[0], q[1] - p[1]], [r[0] - p[0], r[1] - p[1]]);
                let det = 2.0 * (a * d - b * c);
                if det.abs() > 1e-12 {
                    let (e, f) = (a * a + b * b, c * c + d * d);
                    best = best.min(reaches([p[0] + (d * e - b * f) / det, p[1] + (a * f - c * e) / det]));
                }
            }
        }
    }
    best
}

fn circles(bench: &mut Bench) -> Outcome {
    let (mut off, mut enclosed) = (0.0_f64, 0);
    for seed in 0..20 {
        let data = two_moons(30, 0.2, bench.seed() + seed)?;
        let truth = smallest_circle(&(0..30).map(|row| point(&data, row)).collect::<Vec<_>>());
        let ball = enclosing_ball(&VectorGram::new(&data.examples, VectorKernel::linear())?, 1e-11)?;
        off = off.max((ball.radius / truth - 1.0).abs());
        enclosed +=
            u32::from(ball.no_less_than <= truth * (1.0 + 1e-14) && truth <= ball.radius * (1.0 + 1e-14));
    }
    bench.check_at_most("20 sets in the plane: radius beside the smallest circle through two or three points, largest relative difference", 1e-9, off);
    bench.check_equal("20 sets in the plane: the circle's radius lies between the ends", 20, enclosed);
    Ok(())
}

/// Data far from the origin: the ball around the origin grows, the margin and the smallest ball stay.
fn moved(bench: &mut Bench) -> Outcome {
    let settings = SeparableSettings::default().with_len(80).with_margin(0.1);
    let base = separable(&settings, bench.seed())?.data;
    let (mut origin, mut own) = (Vec::new(), Vec::new());
    for shift in [0.0, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0] {
        let rows: Vec<[f64; 2]> = (0..80).map(|row| point(&base, row)).map(|[x, y]| [x + shift, y]).collect();
        let data = Binary { examples: Dense::from_rows(&rows)?, labels: base.labels.clone() };
        let gram = VectorGram::new(&data.examples, VectorKernel::linear())?;
        let (_, gamma, _) = machine(&gram, &data)?;
        let ball = enclosing_ball(&gram, 1e-8)?;
        origin.push([1.0 + shift, margin::complexity(radius::largest_norm(&gram)?, 0.0, gamma)?]);
        own.push([1.0 + shift, margin::complexity(ball.radius, 0.0, gamma)?]);
    }
    let last = origin.len() - 1;
    bench.check_close(
        "a set moved by 100: R²/γ² in the smallest ball, over what it was",
        1.0,
        own[last][1] / own[0][1],
        1e-4,
    );
    bench.check_at_least("the same with the ball around the origin", 1000.0, origin[last][1] / origin[0][1]);
    let svg = Plot::new("1 + distance by which the set is moved", "R²/γ²")
        .log_x()
        .log_y()
        .marked_series("ball around the origin", &origin)
        .marked_series("smallest enclosing ball", &own)
        .render()?;
    bench.figure(
        "moved",
        "A set moved away from the origin: its margin and its smallest ball do not change, the ball around the origin does.",
        svg,
    )
}

/// Points of a circle, labels by a line through the origin, some of them wrong; the sum of examples times labels as the learner.
fn trials(bench: &mut Bench) -> Outcome {
    const TRIALS: u32 = 2000;
    const DELTA: f64 = 0.1;
    let mut random = ChaCha8Rng::seed_from_u64(bench.seed());
    let mut failures = [0_u32; 4];
    let mut sums = [0.0; 4];
    for trial in 0..TRIALS {
        let noise = [0.0, 0.05, 0.2][trial as usize % 3];
        let data: Vec<([f64; 2], f64)> = (0..200)
            .map(|_| {
                let at: f64 = random.random_range(0.0..TAU);
                let side = if at.cos() >= 0.0 { 1.0 } else { -1.0 };
                let flip = if random.random_range(0.0..1.0) < noise { -1.0 } else { 1.0 };
                ([at.cos(), at.sin()], side * flip)
            })
            .collect();
        let [a, b] = data.iter().fold([0.0, 0.0], |[a, b], ([x, z], y)| [a + x * y, b + z * y]);
        let norm = a.hypot(b);
        let cosines: Vec<f64> = data.iter().map(|([x, z], y)| y * (a * x + b * z) / norm).collect();
        let errors = cosines.iter().filter(|&&cosine| cosine <= 0.0).count() as u64;
        let truth = noise + (1.0 - 2.0 * noise) * (a / norm).clamp(-1.0, 1.0).acos() / PI;
        let bounds = [
            pac_bayes::best(&cosines, DELTA)?.bound,
            rademacher::observed(&cosines, 1.0, 200.0, DELTA)?,
            vc::additive(200, errors, 2, DELTA)?,
            vc::relative(200, errors, 2, DELTA)?,
        ];
        for (k, bound) in bounds.into_iter().enumerate() {
            failures[k] += u32::from(truth > bound);
            sums[k] += bound / f64::from(TRIALS);
        }
    }
    for (k, name) in ["PAC-Bayes margin", "Rademacher margin", "VC", "VC, relative"].into_iter().enumerate() {
        bench.check(
            format!("{name}, {TRIALS} trials with 200 examples on a circle, δ = {DELTA}: share of failures; mean bound"),
            format!("at most {DELTA}"),
            format!("{}; {}", number(f64::from(failures[k]) / f64::from(TRIALS)), number(sums[k])),
            f64::from(failures[k]) <= f64::from(TRIALS) * DELTA,
        );
    }
    Ok(())
}

/// Gaussians of many widths: `R²/(ℓγ²)` in both balls and the error on new examples, for each.
struct Widths {
    errors: Vec<[f64; 2]>,
    own: Vec<[f64; 2]>,
    origin: Vec<[f64; 2]>,
}

impl Widths {
    fn of(data: &Binary, new: &Binary, first: f64) -> Result<Self, Failure> {
        let len = data.examples.len() as f64;
        let mut widths = Self { errors: Vec::new(), own: Vec::new(), origin: Vec::new() };
        for step in 0..14 {
            let sigma = first * 1.22_f64.powi(step);
            let kernel = VectorKernel::gaussian_width(sigma)?;
            let gram = VectorGram::new(&data.examples, kernel)?;
            let (model, gamma, _) = machine(&gram, data)?;
            let wrong = wrong(&model.over_vectors(&data.examples, kernel)?, &new.examples, &new.labels)?;
            // No error at all is shown as half an error: a logarithmic axis has no 0.
            widths.errors.push([sigma, (wrong as f64).max(0.5) / new.examples.len() as f64]);
            let ball = enclosing_ball(&gram, 1e-7)?;
            widths.own.push([sigma, margin::complexity(ball.radius, 0.0, gamma)? / len]);
            let largest = radius::largest_norm(&gram)?;
            widths.origin.push([sigma, margin::complexity(largest, 0.0, gamma)? / len]);
        }
        Ok(widths)
    }

    /// Width and error where `R²/γ²` is least, and where the error is.
    fn chosen_and_best(&self) -> [[f64; 2]; 2] {
        let least = |points: &[[f64; 2]]| {
            (0..points.len()).min_by(|&a, &b| points[a][1].total_cmp(&points[b][1])).unwrap_or(0)
        };
        [self.errors[least(&self.own)], self.errors[least(&self.errors)]]
    }
}

fn widths(bench: &mut Bench) -> Outcome {
    let (seed, told) =
        (bench.seed(), |[sigma, error]: [f64; 2]| format!("{} at σ = {}", number(error), number(sigma)));
    let moons = Widths::of(&two_moons(200, 0.1, seed)?, &two_moons(4000, 0.1, seed + 1)?, 0.05)?;
    let [chosen, best] = moons.chosen_and_best();
    bench.check(
        "moons, 14 widths of a Gaussian: error on 4000 new examples at the width with the least R²/γ² in the smallest ball, and the least error",
        "not far from each other",
        format!("{}, {}", told(chosen), told(best)),
        chosen[1] <= best[1] + 0.02,
    );
    let board = Widths::of(&chess_board(300, 4, seed)?, &chess_board(4000, 4, seed + 1)?, 0.06)?;
    let [chosen, best] = board.chosen_and_best();
    bench.note(format!(
        "It may mislead: on a chess board of 4 × 4 fields R²/γ² is least for a narrow kernel, with the error {}, while the least error is {}.",
        told(chosen),
        told(best)
    ));
    let svg = Plot::new("width σ of the Gaussian", "share")
        .log_x()
        .log_y()
        .marked_series("error on new examples", &moons.errors)
        .marked_series("R²/(ℓγ²), smallest ball", &moons.own)
        .marked_series("R²/(ℓγ²), ball around the origin", &moons.origin)
        .curve("1: says nothing", &[[0.05, 1.0], [moons.errors[13][0], 1.0]], Stroke::THIN)
        .render()?;
    bench.figure(
        "width",
        "Maximal margin machines on two moons: R²/γ² over ℓ is no realistic bound on the error, but it is low where the error is.",
        svg,
    )
}
