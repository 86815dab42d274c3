//! Exponential and logarithm of enclosed numbers.
//!
//! `eˣ` is made of `eʳ` with `r = x − k·ln 2` and a series for `e^(r/512) − 1`, squared nine times in the form
//! `s ← 2s + s²` that keeps the digits of a small `s`. A logarithm is one step of Halley's method from that of the
//! standard library, which is only a guess: what the step leaves is bounded by how long the step was.

use lm_core::double_double::DoubleDouble;

use super::{Enclosed, ROOM, scale};

/// `ln 2`, as two numbers.
const LN_2: DoubleDouble = DoubleDouble { hi: std::f64::consts::LN_2, lo: 2.319_046_813_846_299_6e-17 };

/// What `expm1` of a small number may lose, relative to its result: some hundred operations of `2⁻¹⁰²`, and the
/// `1100·2⁻¹⁰⁹` that a multiple of `ln 2` may be off.
const LOST: f64 = 1.0 / (1_u128 << 90) as f64;

/// `eˢ − 1` for `|s| ≤ 0.4`.
fn small_expm1(s: DoubleDouble) -> DoubleDouble {
    let r = scale(s, -9);
    let mut sum = DoubleDouble::from(1.0);
    for k in (2..=12).rev() {
        sum = r * sum / f64::from(k) + 1.0;
    }
    let mut grown = r * sum;
    for _ in 0..9 {
        grown = scale(grown, 1) + grown * grown;
    }
    grown
}

impl Enclosed {
    /// `eˣ`.
    #[must_use]
    pub fn exp(self) -> Self {
        let x = self.value;
        if self.at_most() < -745.2 {
            return Self::within(0.0, f64::from_bits(1));
        }
        if !(x.hi.abs() < 760.0) || !(self.error < 1.0) {
            return Self::UNKNOWN;
        }
        let k = (x.hi / LN_2.hi).round();
        let power = scale(small_expm1(x - LN_2 * k) + 1.0, k as i32);
        // e^(x + e) − eˣ ≤ eˣ·e·(1 + e) for e < 1.
        let error = power.hi * (self.error * (1.0 + self.error));
        Self::new(power, error * ROOM, LOST)
    }

    /// `eˣ − 1`, with all its digits where `x` is small.
    #[must_use]
    pub fn exp_m1(self) -> Self {
        let x = self.value;
        if !(x.hi.abs() < 0.3) || !(self.error < 1.0) {
            return self.exp() - 1.0;
        }
        let grown = small_expm1(x);
        Self::new(grown, self.error * (1.0 + self.error) * 1.35 * ROOM, LOST)
    }

    /// The natural logarithm; nothing is known of that of a number that may be 0 or less.
    #[must_use]
    pub fn ln(self) -> Self {
        let Self { value: x, error } = self;
        if !(x.hi > error * ROOM) || !x.hi.is_finite() {
            return Self::UNKNOWN;
        }
        let size = super::exponent(x.hi);
        let scaled = scale(x, -size);
        // Numbers a little below 1 keep their digits: they are not taken apart.
        let (scaled, size) = if size == -1 && scaled.hi > 1.4 { (x, 0) } else { (scaled, size) };
        let guess = DoubleDouble::from(scaled.hi.ln());
        let power = if guess.hi.abs() < 0.4 {
            small_expm1(guess)
        } else {
            // From ln √2 on: e^g − 1 = 2·e^(g − ln 2) − 1.
            scale(small_expm1(guess - LN_2), 1) + 1.0
        };
        // y ← g + 2(x − e^g)/(x + e^g), which leaves at most the third power of the step.
        let step = scale((scaled - 1.0) - power, 1) / (scaled + power + 1.0);
        let near = guess + step;
        if !(step.hi.abs() < 1e-6) {
            return Self::UNKNOWN;
        }
        let left = step.hi.abs().powi(3) + (power.hi.abs() + (scaled - 1.0).hi.abs()) * LOST;
        let whole = Self::new(near, left, LOST) + Self { value: LN_2 * f64::from(size), error: 0.0 }.loosened();
        let from_input = if error == 0.0 { 0.0 } else { error / (x.hi * (1.0 - 1e-15) - error) * ROOM };
        Self::exact(whole.value, whole.error + from_input)
    }

    /// A multiple of `ln 2`, of which the last digits are not known.
    fn loosened(self) -> Self {
        if self.value.hi == 0.0 { Self::ZERO } else { Self::new(self.value, 0.0, LOST) }
    }

    /// `ln(1 + x)`, with all its digits where `x` is small.
    #[must_use]
    pub fn ln_1p(self) -> Self {
        let x = self.value;
        if !(x.hi.abs() < 0.25) || !(self.error < 0.25) {
            return (self + 1.0).ln();
        }
        let guess = DoubleDouble::from(x.hi.ln_1p());
        let power = small_expm1(guess);
        let step = scale(x - power, 1) / (x + power + 2.0);
        if !(step.hi.abs() <= 1e-6) {
            return Self::UNKNOWN;
        }
        let left = step.hi.abs().powi(3) + (power.hi.abs() + x.hi.abs()) * LOST;
        Self::new(guess + step, left + self.error / (1.0 - 0.5) * ROOM, LOST)
    }

    /// The logarithm to the base 2.
    #[must_use]
    pub fn log2(self) -> Self {
        if self.value.lo == 0.0 && self.error == 0.0 && self.value.hi > 0.0 {
            let k = super::exponent(self.value.hi);
            if scale(DoubleDouble::from(1.0), k).hi == self.value.hi {
                return Self::from(f64::from(k));
            }
        }
        self.ln() / Self { value: LN_2, error: 0.0 }.loosened()
    }
}
