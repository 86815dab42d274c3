//! Synthetic distributions whose errors are known: a bound that holds with probability `1 − δ` fails in at most a share `δ`.

use lm_bounds::generalisation::{compression, pac_bayes, rademacher, test_set, vc};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use std::f64::consts::{PI, TAU};

const TRIALS: u32 = 2000;
const DELTA: f64 = 0.1;

/// How many failures in so many trials agree with a share of at most `δ`: five deviations above the mean.
fn allowed() -> u32 {
    let mean = f64::from(TRIALS) * DELTA;
    (mean + 5.0 * (mean * (1.0 - DELTA)).sqrt()) as u32
}

/// Points of the unit circle, labelled by the side of a line through the origin, a share of the labels wrong.
struct Circle {
    angle: f64,
    noise: f64,
}

impl Circle {
    fn draw(&self, len: usize, random: &mut ChaCha8Rng) -> Vec<([f64; 2], f64)> {
        let mut one = || {
            let at: f64 = random.random_range(0.0..TAU);
            let y = if (at - self.angle).cos() >= 0.0 { 1.0 } else { -1.0 };
            let flip = if random.random_range(0.0..1.0) < self.noise { -1.0 } else { 1.0 };
            ([at.cos(), at.sin()], y * flip)
        };
        (0..len).map(|_| one()).collect()
    }

    /// The error of the side of another line.
    fn error(&self, w: [f64; 2]) -> f64 {
        let between = (w[0] * self.angle.cos() + w[1] * self.angle.sin()) / w[0].hypot(w[1]);
        let apart = between.clamp(-1.0, 1.0).acos() / PI;
        self.noise + (1.0 - 2.0 * self.noise) * apart
    }
}

/// The sum of the examples, each times its label.
fn learned(data: &[([f64; 2], f64)]) -> [f64; 2] {
    data.iter().fold([0.0, 0.0], |[a, b], ([x, z], y)| [a + x * y, b + z * y])
}

#[test]
fn bounds_by_margins_and_dimension_fail_rarely() {
    let mut random = ChaCha8Rng::seed_from_u64(71);
    let (mut failures, mut informative) = ([0_u32; 4], [0_u32; 4]);
    for trial in 0..TRIALS {
        let circle = Circle { angle: 0.7, noise: [0.0, 0.05, 0.2][trial as usize % 3] };
        let len = if trial % 2 == 0 { 40 } else { 400 };
        let data = circle.draw(len, &mut random);
        let w = learned(&data);
        let norm = w[0].hypot(w[1]);
        let cosines: Vec<f64> = data.iter().map(|([x, z], y)| y * (w[0] * x + w[1] * z) / norm).collect();
        let errors = cosines.iter().filter(|&&cosine| cosine <= 0.0).count() as u64;
        let truth = circle.error(w);
        // The functions of a line through the origin of the plane have dimension 2.
        let bounds = [
            pac_bayes::best(&cosines, DELTA).unwrap().bound,
            rademacher::observed(&cosines, 1.0, len as f64, DELTA).unwrap(),
            vc::additive(len as u64, errors, 2, DELTA).unwrap(),
            vc::relative(len as u64, errors, 2, DELTA).unwrap(),
        ];
        for (k, bound) in bounds.into_iter().enumerate() {
            failures[k] += u32::from(truth > bound);
            informative[k] += u32::from(bound < 1.0);
        }
    }
    assert!(failures.iter().all(|&count| count <= allowed()), "{failures:?}");
    assert!(
        informative.iter().all(|&count| count > TRIALS / 10),
        "the bounds say something: {informative:?}"
    );
}

#[test]
fn the_drawn_weights_of_pac_bayes_fail_rarely() {
    let mut random = ChaCha8Rng::seed_from_u64(72);
    let circle = Circle { angle: 2.0, noise: 0.1 };
    let mut failures = 0;
    for _ in 0..TRIALS {
        let data = circle.draw(60, &mut random);
        let w = learned(&data);
        let norm = w[0].hypot(w[1]);
        let cosines: Vec<f64> = data.iter().map(|([x, z], y)| y * (w[0] * x + w[1] * z) / norm).collect();
        let found = pac_bayes::at_scale(&cosines, 2.0, DELTA).unwrap();
        // The error of weights around 2w/‖w‖, by drawing some.
        let mut normal = || {
            let (u, v): (f64, f64) = (random.random_range(1e-12..1.0), random.random_range(0.0..TAU));
            (-2.0 * u.ln()).sqrt() * v.cos()
        };
        let drawn = (0..400).map(|_| {
            let sample = [2.0 * w[0] / norm + normal(), 2.0 * w[1] / norm + normal()];
            circle.error(sample)
        });
        let mean = drawn.sum::<f64>() / 400.0;
        failures += u32::from(mean > found.drawn);
    }
    assert!(failures <= allowed(), "{failures}");
}

#[test]
fn a_test_set_fails_in_nearly_a_share_delta() {
    let mut random = ChaCha8Rng::seed_from_u64(73);
    let (mut above, mut below, mut loose) = (0, 0, 0);
    for trial in 0..TRIALS {
        let (size, p) = (80, [0.02, 0.1, 0.4][trial as usize % 3]);
        let errors = (0..size).filter(|_| random.random_range(0.0..1.0) < p).count() as u64;
        above += u32::from(p > test_set::at_most(errors, size, DELTA).unwrap());
        below += u32::from(p < test_set::at_least(errors, size, DELTA).unwrap());
        loose += u32::from(p > test_set::hoeffding(errors, size, DELTA).unwrap());
    }
    assert!(above <= allowed() && below <= allowed() && loose <= above, "{above} {below} {loose}");
    assert!(above > TRIALS / 40, "the bound is sharp: {above}");
}

#[test]
fn the_compression_bound_fails_rarely() {
    // A threshold on [0, 1]: the middle between the last example below and the first above, two support vectors.
    let mut random = ChaCha8Rng::seed_from_u64(74);
    let (mut failures, mut sharper, mut noisy) = (0, 0, 0);
    for _ in 0..TRIALS {
        let (len, truth) = (30_u64, 0.4);
        let points: Vec<f64> = (0..len).map(|_| random.random_range(0.0..1.0)).collect();
        let below = points.iter().copied().filter(|x| *x < truth).fold(0.0, f64::max);
        let above = points.iter().copied().filter(|x| *x >= truth).fold(1.0, f64::min);
        let error = (0.5 * (below + above) - truth).abs();
        failures += u32::from(error > compression::stated(len, 2, DELTA).unwrap());
        sharper += u32::from(error > compression::consistent(len, 2, DELTA).unwrap());
        // A share of wrong labels, and the place of a random example as the threshold: one support vector.
        let wrong: Vec<bool> = points.iter().map(|_| random.random_range(0.0..1.0) < 0.1).collect();
        let place = points[random.random_range(0..points.len())];
        let seen =
            points.iter().zip(&wrong).filter(|(x, wrong)| ((**x > place) != (**x >= truth)) != **wrong);
        let others = seen.filter(|(x, _)| **x != place).count() as u64;
        let error = 0.1 + 0.8 * (place - truth).abs();
        noisy += u32::from(error > compression::with_errors(len, 1, others, DELTA).unwrap());
    }
    assert!(
        failures <= allowed() && sharper <= allowed() && noisy <= allowed(),
        "{failures} {sharper} {noisy}"
    );
}
