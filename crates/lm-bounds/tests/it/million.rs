//! A million random arguments: no value is below what another way of computing gives, and none is far above it.
//!
//! The other way is double-double arithmetic without error bounds, with a logarithm by the series of `artanh`: its own errors
//! are about 10⁻³⁰, far below the distance of an `f64` from a real number that it is not equal to by construction.

use lm_bounds::generalisation::{compression, margin, test_set, vc};
use lm_bounds::mistakes::{freund_schapire, novikoff, regret, winnow};
use lm_core::double_double::DoubleDouble;
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use std::sync::LazyLock;

type Wide = DoubleDouble;

fn wide(value: f64) -> Wide {
    Wide::from(value)
}

const LN_2: Wide = Wide { hi: std::f64::consts::LN_2, lo: 2.319_046_813_846_299_6e-17 };

/// `1/3, 1/5, 1/7, …`; at `|z| ≤ 0.18` the powers beyond are below 10⁻³⁶.
static ODD: LazyLock<[Wide; 24]> =
    LazyLock::new(|| std::array::from_fn(|k| wide(1.0) / wide(2.0 * k as f64 + 3.0)));

/// `ln x = k·ln 2 + 2·artanh((m − 1)/(m + 1))` for `x = 2ᵏm`.
fn ln(x: Wide) -> Wide {
    let k = x.hi.log2().round();
    let m = x * 2.0_f64.powi(-(k as i32));
    let z = (m - 1.0) / (m + 1.0);
    let (square, mut power, mut sum) = (z * z, z, z);
    for inverse in ODD.iter() {
        power = power * square;
        sum = sum + power * *inverse;
    }
    sum * 2.0 + LN_2 * k
}

fn log2(x: Wide) -> Wide {
    ln(x) / LN_2
}

fn squared(x: Wide) -> Wide {
    x * x
}

/// A number whose logarithm is spread evenly.
fn spread(random: &mut ChaCha8Rng, low: f64, high: f64) -> f64 {
    low * (high / low).powf(random.random_range(0.0..1.0))
}

const EACH: u64 = 100_000;

/// Compares a formula with the other way of computing it at random arguments.
fn compare(name: &str, seed: u64, mut evaluate: impl FnMut(&mut ChaCha8Rng) -> (f64, Wide)) {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    for case in 0..EACH {
        let (value, truth) = evaluate(&mut random);
        // Equal values have no sure sign of their difference: 10⁻²⁸ is left to the other way.
        let above = (wide(value) - truth).value() / truth.value();
        assert!(above >= -1e-28, "{name}, seed {seed}, case {case}: {value:e} is {above:e} below");
        assert!(above <= 5e-16, "{name}, seed {seed}, case {case}: {value:e} is {above:e} above");
    }
}

#[test]
fn mistake_bounds_are_never_below_and_next_to_the_real_number() {
    compare("novikoff with bias", 1, |r| {
        let (radius, margin) = (spread(r, 1e-6, 1e6), spread(r, 1e-8, 1e3));
        (novikoff::with_bias(radius, margin).unwrap(), squared(wide(2.0 * radius) / wide(margin)))
    });
    compare("novikoff with step", 2, |r| {
        let (radius, margin, step) = (spread(r, 1e-6, 1e6), spread(r, 1e-8, 1e3), spread(r, 1e-6, 1e6));
        let bias = r.random_range(-10.0..10.0);
        let growth = (squared(wide(radius)) + step) * (squared(wide(bias)) / wide(step) + 1.0);
        (novikoff::with_step(radius, margin, bias, step).unwrap(), growth / squared(wide(margin)))
    });
    compare("freund-schapire", 3, |r| {
        let (radius, slack, margin) = (spread(r, 1e-6, 1e6), spread(r, 1e-6, 1e6), spread(r, 1e-8, 1e3));
        let truth = squared((wide(radius) + slack) * 2.0 / wide(margin));
        (freund_schapire::first_pass(radius, slack, margin).unwrap(), truth)
    });
    compare("regret", 4, |r| {
        let (radius, norm, loss) = (spread(r, 1e-3, 1e3), spread(r, 1e-3, 1e3), spread(r, 1e-3, 1e6));
        let s = wide(radius) * wide(norm);
        let truth = squared((s + (s * s + wide(loss) * 4.0).sqrt()) * 0.5);
        (regret::mistakes(radius, norm, loss).unwrap(), truth)
    });
    compare("winnow", 5, |r| {
        let (attributes, margin) = (r.random_range(1..1_000_000_u64), spread(r, 0.01, 0.99));
        let promotion = 1.0 + margin * r.random_range(0.05..0.9);
        let slack = spread(r, 1e-3, 1e3);
        let rate = ln(wide(promotion));
        // cosh(ln α) = (α + 1/α)/2
        let cosh = (wide(promotion) + wide(1.0) / wide(promotion)) * 0.5;
        let truth = (ln(wide(2.0 * attributes as f64)) + rate * slack) / (rate * margin - ln(cosh));
        (winnow::mistakes(attributes, 1.0, margin, slack, promotion).unwrap(), truth)
    });
}

#[test]
fn bounds_on_the_error_are_never_below_and_next_to_the_real_number() {
    let sizes = |r: &mut ChaCha8Rng| {
        let len = spread(r, 10.0, 1e9) as u64;
        (len, r.random_range(1..len.min(100_000)), spread(r, 1e-12, 0.99))
    };
    compare("compression", 6, |r| {
        let (len, support, delta) = sizes(r);
        let (all, d) = (wide(len as f64), wide(support as f64));
        let truth = (d * (ln(all / d) + 1.0) + ln(all / wide(delta))) / wide((len - support) as f64);
        (compression::stated(len, support, delta).unwrap(), truth)
    });
    compare("VC", 7, |r| {
        let (len, dimension, delta) = sizes(r);
        let errors = r.random_range(0..len);
        let (all, d) = (wide(len as f64), wide(dimension as f64));
        let room = (d * (ln(all * 2.0 / d) + 1.0) + ln(wide(4.0) / wide(delta))) / all;
        (vc::additive(len, errors, dimension, delta).unwrap(), wide(errors as f64) / all + room.sqrt())
    });
    compare("Hoeffding", 8, |r| {
        let (len, errors, delta) = sizes(r);
        let all = wide(len as f64);
        let truth = wide(errors as f64) / all + (ln(wide(1.0) / wide(delta)) / (all * 2.0)).sqrt();
        (test_set::hoeffding(errors, len, delta).unwrap(), truth)
    });
    let e = e();
    compare("margin", 9, |r| {
        let (len, _, delta) = sizes(r);
        let len = len.max(1000);
        let (radius, share) = (spread(r, 1e-3, 1e3), r.random_range(1.01..10.0));
        let margin = radius * 8.0 / (len as f64).sqrt() * share;
        let (all, ratio) = (wide(len as f64), wide(radius) / wide(margin));
        let first = log2(e * all / (ratio * 4.0));
        let second = log2(all * 128.0 * ratio * ratio);
        let truth = (ratio * ratio * 64.0 * first * second + log2(wide(4.0) / wide(delta))) * 2.0 / all;
        (margin::fixed(radius, margin, len, delta).unwrap(), truth)
    });
    compare("VC, relative", 10, |r| {
        let (len, dimension, delta) = sizes(r);
        let errors = r.random_range(0..len);
        let (all, d, e) = (wide(len as f64), wide(dimension as f64), wide(errors as f64) / wide(len as f64));
        let room = (d * (ln(all * 2.0 / d) + 1.0) + ln(wide(4.0) / wide(delta))) * 4.0 / all;
        let truth = e + room * 0.5 * ((e * 4.0 / room + 1.0).sqrt() + 1.0);
        (vc::relative(len, errors, dimension, delta).unwrap(), truth)
    });
}

/// Euler's number, by its series.
fn e() -> Wide {
    let (mut term, mut sum) = (wide(1.0), wide(1.0));
    for k in 1..40 {
        term = term / f64::from(k);
        sum = sum + term;
    }
    sum
}

#[test]
fn bounds_move_the_way_their_theorems_say() {
    let mut random = ChaCha8Rng::seed_from_u64(11);
    let r = &mut random;
    for case in 0..4_000 {
        let (radius, slack, more) = (spread(r, 1e-3, 1e3), spread(r, 1e-3, 1e3), r.random_range(1.0..2.0));
        let target = spread(r, 1e-3, 1e3);
        let stated = |radius, slack, margin| freund_schapire::first_pass(radius, slack, margin).unwrap();
        assert!(stated(radius, slack, target) <= stated(radius * more, slack, target), "{case}");
        assert!(stated(radius, slack, target) <= stated(radius, slack * more, target), "{case}");
        assert!(stated(radius, slack, target) >= stated(radius, slack, target * more), "{case}");
        let (len, delta) = (r.random_range(50..5000_u64), spread(r, 1e-9, 0.5));
        let support = r.random_range(0..len / 2);
        let larger = delta * more;
        for bound in [compression::stated, compression::consistent] {
            assert!(bound(len, support, delta).unwrap() >= bound(len, support, larger).unwrap(), "{case}");
            assert!(bound(len, support, delta).unwrap() <= bound(len, support + 1, delta).unwrap(), "{case}");
        }
        let (size, errors) = (r.random_range(2..60_u64), r.random_range(0..2_u64));
        let test = |errors, size, delta| test_set::at_most(errors, size, delta).unwrap();
        assert!(test(errors, size, delta) <= test(errors + 1, size, delta), "{case}");
        assert!(test(errors, size, delta) >= test(errors, size + 1, delta), "{case}");
        assert!(test(errors, size, delta) >= test(errors, size, larger), "{case}");
        assert!(test(errors, size, delta) <= test_set::hoeffding(errors, size, delta).unwrap(), "{case}");
    }
}
