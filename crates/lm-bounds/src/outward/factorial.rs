//! Logarithms of factorials and of binomial coefficients.
//!
//! Up to 34! the factorial is a whole number that is written out. Beyond, Stirling's series for `ln Γ(z)` at `z ≥ 36`
//! ends with the error of its first term left out, below 10⁻³⁵. A binomial coefficient with a small lower index is a product, so that
//! nothing cancels however large the upper one is.

use lm_core::double_double::DoubleDouble;

use super::{Enclosed, exponent, scale};

/// `B₂ₖ/(2k(2k − 1))` for `k = 1, 2, …`, as fractions.
const STIRLING: [(f64, f64); 13] = [
    (1.0, 12.0),
    (-1.0, 360.0),
    (1.0, 1260.0),
    (-1.0, 1680.0),
    (1.0, 1188.0),
    (-691.0, 360_360.0),
    (1.0, 156.0),
    (-3617.0, 122_400.0),
    (43_867.0, 244_188.0),
    (-174_611.0, 125_400.0),
    (77_683.0, 5796.0),
    (-236_364_091.0, 1_506_960.0),
    (657_931.0, 300.0),
];

/// `½ ln 2π`, as two numbers.
const HALF_LN_TAU: DoubleDouble = DoubleDouble { hi: 0.918_938_533_204_672_8, lo: -3.878_294_158_067_241_6e-17 };

/// The largest lower index for which a binomial coefficient is multiplied out.
const FEW: u64 = 2000;

/// `ln n!`.
pub fn ln_factorial(n: u64) -> Enclosed {
    if n <= 34 {
        let product: u128 = (1..=u128::from(n)).product();
        let high = Enclosed::count((product >> 64) as u64).scaled(64);
        return (high + Enclosed::count(product as u64)).ln();
    }
    let z = Enclosed::count(n) + 1.0;
    let inverse = Enclosed::from(1.0) / z;
    let square = inverse.squared();
    let (mut series, mut last) = (Enclosed::ZERO, 0.0);
    for (index, (above, below)) in STIRLING.iter().enumerate().rev() {
        if index + 1 == STIRLING.len() {
            last = above / below * inverse.nearest().powi(2 * index as i32 + 1);
            continue;
        }
        series = series * square + Enclosed::from(*above) / *below;
    }
    let half = Enclosed { value: HALF_LN_TAU, error: 1e-32 };
    (z - 0.5) * z.ln() - z + half + series * inverse + Enclosed::within(0.0, 2.0 * last)
}

/// `ln (n over k)`; of an empty choice beyond `n` there is nothing: the logarithm of 0.
pub fn ln_binomial(n: u64, k: u64) -> Option<Enclosed> {
    let fewer = k.min(n.checked_sub(k)?);
    if fewer > FEW {
        return Some(ln_factorial(n) - ln_factorial(k) - ln_factorial(n - k));
    }
    // The exponent is kept apart, so that the product stays in range.
    let (mut product, mut twos) = (Enclosed::from(1.0), 0_i64);
    for factor in 0..fewer {
        product = product * Enclosed::count(n - factor) / Enclosed::count(fewer - factor);
        let size = exponent(product.value.hi);
        if size.abs() > 400 {
            product = Enclosed { value: scale(product.value, -size), error: super::scale_error(product.error, -size) };
            twos += i64::from(size);
        }
    }
    Some(product.ln() + Enclosed::from(2.0).ln() * twos as f64)
}
