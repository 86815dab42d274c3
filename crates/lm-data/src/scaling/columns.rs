//! What is measured of the columns of a set.

use lm_core::Examples;

/// The least and the largest entry of each column, zeros that are not stored included.
pub(super) fn ranges<E: Examples + ?Sized>(examples: &E) -> Vec<(f64, f64)> {
    let mut ranges = vec![(f64::INFINITY, f64::NEG_INFINITY); examples.dim()];
    let mut stored = vec![0_usize; examples.dim()];
    for row in 0..examples.len() {
        examples.row(row).for_each(|column, value| {
            let (low, high) = &mut ranges[column];
            (*low, *high) = (low.min(value), high.max(value));
            stored[column] += 1;
        });
    }
    for ((low, high), &stored) in ranges.iter_mut().zip(&stored) {
        if stored < examples.len() {
            (*low, *high) = (low.min(0.0), high.max(0.0));
        }
    }
    ranges
}

/// The power of two just above the size of a column, 1 for a column of zeros. Dividing by it is exact.
pub(super) fn unit((low, high): (f64, f64)) -> f64 {
    let size = low.abs().max(high.abs());
    if size == 0.0 {
        return 1.0;
    }
    // Keep the exponent, drop the fraction. The smallest normal number stands in for all below it.
    let below = f64::from_bits(size.max(f64::MIN_POSITIVE).to_bits() & 0x7FF0_0000_0000_0000);
    // Twice that lies above, unless it is no longer finite.
    if below <= f64::MAX / 4.0 { 2.0 * below } else { below }
}

/// The mean and the standard deviation (dividing by n) of each column, in its unit.
pub(super) fn moments<E: Examples + ?Sized>(examples: &E, units: &[f64]) -> Vec<(f64, f64)> {
    let len = examples.len() as f64;
    let mut means = vec![0.0; units.len()];
    let mut stored = vec![0_usize; units.len()];
    for row in 0..examples.len() {
        each_nonzero(examples, row, |column, value| {
            // Divided before it is added: the sum of n numbers of size 1 cannot overflow.
            means[column] += value / units[column] / len;
            stored[column] += 1;
        });
    }
    // Squares of differences, and the differences themselves to take out the error of the mean.
    let mut sums = vec![(0.0, 0.0); units.len()];
    for row in 0..examples.len() {
        each_nonzero(examples, row, |column, value| {
            let difference = value / units[column] - means[column];
            sums[column].0 += difference * difference / len;
            sums[column].1 += difference / len;
        });
    }
    let finish = |column: usize| {
        let (mean, (mut squares, mut rest)) = (means[column], sums[column]);
        let zeros = (examples.len() - stored[column]) as f64 / len;
        squares += zeros * mean * mean;
        rest -= zeros * mean;
        (mean + rest, (squares - rest * rest).max(0.0).sqrt())
    };
    (0..units.len()).map(finish).collect()
}

/// Visits the entries that are not zero, so that dense and sparse storage of one set are summed alike, bit for bit.
fn each_nonzero<E: Examples + ?Sized>(examples: &E, row: usize, mut visit: impl FnMut(usize, f64)) {
    examples.row(row).for_each(|column, value| {
        if value != 0.0 {
            visit(column, value);
        }
    });
}
