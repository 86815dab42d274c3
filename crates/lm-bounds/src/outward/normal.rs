//! The tail of the normal distribution.

use lm_core::double_double::DoubleDouble;

use super::Enclosed;

/// `1/√(2π)`, as two numbers.
const DENSITY: DoubleDouble = DoubleDouble { hi: 0.398_942_280_401_432_7, lo: -2.492_327_202_277_73e-17 };

/// The probability that a standard normal variable exceeds `x`, to an absolute error of about 10⁻²⁸.
///
/// The series `Φ(x) − ½ = φ(x)(x + x³/3 + x⁵/(3·5) + …)` has terms of one sign; beyond `|x| = 12` the tail is below
/// 10⁻³², and that is all that is said of it.
pub fn normal_tail(x: Enclosed) -> Enclosed {
    let near = x.nearest();
    if !(x.error < 1e-6) {
        // A probability, whatever x is.
        return Enclosed::within(0.5, 0.5);
    }
    if near.abs() > 12.0 {
        let tail = Enclosed::within(0.5e-32, 0.5e-32);
        return if near > 0.0 { tail } else { Enclosed::from(1.0) - tail };
    }
    let square = x.squared();
    let (mut term, mut sum) = (x, x);
    let mut odd = 1.0;
    // The terms grow while 2k + 1 < x² ≤ 144, and end by a factor below ½.
    while odd < 2.0 * near * near + 4.0 || term.nearest().abs() > 1e-34 * sum.nearest().abs() {
        odd += 2.0;
        term = term * square / odd;
        sum = sum + term;
    }
    let rest = Enclosed::within(0.0, 2.0 * term.nearest().abs());
    let density = (-square.scaled(-1)).exp() * Enclosed { value: DENSITY, error: 1e-32 };
    Enclosed::from(0.5) - density * (sum + rest)
}
