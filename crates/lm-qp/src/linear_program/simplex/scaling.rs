//! Powers of two that bring the rows and columns of a matrix near 1. Multiplying by them rounds nothing.

/// A power of two within a factor of 2.
pub(super) fn power_of_two_near(value: f64) -> f64 {
    // The exponent alone: exact, and in range for every normal number.
    let power = f64::from_bits(value.to_bits() & 0x7ff0_0000_0000_0000);
    if power > 0.0 { power } else { f64::MIN_POSITIVE }
}

/// Multiplies rows and columns by powers of two until their largest entries are near 1.
pub(super) fn scaled(rows: &mut [f64], m: usize, n: usize) -> (Vec<f64>, Vec<f64>) {
    let (mut row_scale, mut column_scale) = (vec![1.0; m], vec![1.0; n]);
    // The reciprocal of a power of two is one, unless it is out of range.
    let reciprocal = |largest: f64| {
        if largest > 0.0 {
            (1.0 / power_of_two_near(largest)).clamp(2.0_f64.powi(-500), 2.0_f64.powi(500))
        } else {
            1.0
        }
    };
    for _ in 0..2 {
        for (row, scale) in rows.chunks_exact_mut(n.max(1)).zip(&mut row_scale) {
            let factor = reciprocal(row.iter().fold(0.0_f64, |largest, value| largest.max(value.abs())));
            row.iter_mut().for_each(|value| *value *= factor);
            *scale *= factor;
        }
        let mut largest = vec![0.0_f64; n];
        for row in rows.chunks_exact(n.max(1)) {
            largest.iter_mut().zip(row).for_each(|(largest, value)| *largest = largest.max(value.abs()));
        }
        let factors: Vec<f64> = largest.into_iter().map(reciprocal).collect();
        for row in rows.chunks_exact_mut(n.max(1)) {
            row.iter_mut().zip(&factors).for_each(|(value, factor)| *value *= factor);
        }
        column_scale.iter_mut().zip(&factors).for_each(|(scale, factor)| *scale *= factor);
    }
    (row_scale, column_scale)
}
