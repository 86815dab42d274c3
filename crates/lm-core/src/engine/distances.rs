//! Squared distances that keep their digits: examples about an origin amid them, or their differences.
//!
//! # Problem
//! One product of matrices gives all squared distances, as `(‖x‖² − ⟨x·z⟩) + (‖z‖² − ⟨x·z⟩)`. Far from 0 these terms agree
//! in most of their digits, which cancel: of years, kelvins, coordinates or seconds since 1970 little is left, and of two
//! examples at 10⁸ that are 1 apart nothing.
//! # Method
//! A distance is the same wherever both examples are moved. A column whose entries are farther from 0 than twice the width of
//! their range is moved to its mean, rounded to a few digits within the range:
//!
//! ```text
//! max |xₖ| > 2·(max xₖ − min xₖ)   ⇒   xₖ / 2 ≤ o ≤ 2xₖ  for every o within the range  ⇒   xₖ − o without rounding
//! ```
//!
//! (Sterbenz). So the examples of the set are moved exactly, and the bound on the error of a kernel value is that of the moved
//! examples. Other points are moved with one rounding of each entry, relative to what is left of it. All other columns stay
//! as they are, and so does the set, bit for bit, unless the bound becomes four times smaller.
//!
//! Where no origin is amid the examples (a column of years in which 0 stands for none, groups that are far apart), a large
//! bound stays. Beyond 2⁻²⁶ the products give way to sums of squared differences, in the same tiles: an operation more for
//! each column, and an error of a few units whatever the data are.
//! # Cost
//! A look at a few examples, which rules out most sets, and else three passes over the set. Nothing for a kernel value.
//! # Reference
//! Sterbenz (1974), *Floating-point computation*, §4.3; Higham (2002), *Accuracy and stability of numerical algorithms*,
//! §1.7 and §2.5.

use super::choice::DOUBLE;
use super::scheme::Reals;
use crate::kernel::{KernelForm, VectorKernel};
use crate::{Examples, Row, parallel};

/// How blocks of real numbers are computed in double precision.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Wide {
    /// How examples are moved.
    pub(crate) reals: Reals,
    /// Whether squared distances are sums of squared differences.
    pub(crate) squares: bool,
    /// A bound on the error of a kernel value of two members of the set.
    pub(crate) bound: f64,
    /// The largest squared norm of a member, moved.
    radius_squared: f64,
}

/// An origin, or differences, are used where they make the bound as many times smaller.
const GAIN: f64 = 4.0;

/// Beyond this bound distances are computed from differences: 2⁻²⁶, half of the digits.
const POOR: f64 = 1.0 / 67_108_864.0;

impl Wide {
    /// Chooses what a kernel needs; `terms` are the units of rounding in an accumulated number.
    pub(crate) fn new<E: Examples + ?Sized>(
        kernel: VectorKernel,
        examples: &E,
        radius_squared: f64,
        terms: f64,
    ) -> Self {
        let bound = |radius_squared| kernel.rounding_bound(DOUBLE, terms, examples.dim(), radius_squared);
        let reals = Reals::scaled(1.0);
        let mut wide = Self { reals, squares: false, bound: bound(radius_squared), radius_squared };
        let direct = VectorKernel::direct_bound(DOUBLE, terms);
        // Moved points, too, have finite distances.
        if !(16.0 * radius_squared).is_finite() {
            return wide;
        }
        match kernel.form() {
            // Its differences are exact up to a unit, wherever the examples are.
            KernelForm::Laplacian { .. } => wide.bound = wide.bound.min(direct),
            KernelForm::Gaussian { .. } => {
                if let Some(reals) = Reals::moved(examples, 1.0) {
                    let radius_squared = reals.radius_squared(examples);
                    let bound = bound(radius_squared);
                    if GAIN * bound <= wide.bound {
                        wide = Self { reals, squares: false, bound, radius_squared };
                    }
                }
                if wide.bound > POOR && GAIN * direct <= wide.bound {
                    wide = Self { reals: Reals::scaled(1.0), squares: true, bound: direct, radius_squared };
                }
            }
            _ => {}
        }
        wide
    }

    /// Whether examples are packed as they are, for products.
    pub(crate) fn is_plain(&self) -> bool {
        !self.squares && self.reals.columns.is_none()
    }

    /// A bound on the error of the kernel values of a point with members of the set. Moving the point rounds once more.
    pub(crate) fn query_bound(&self, kernel: VectorKernel, terms: f64, query: &Row<'_>) -> f64 {
        if self.squares {
            return self.bound;
        }
        let radius_squared = self.reals.norm_squared(query).max(self.radius_squared);
        kernel.rounding_bound(DOUBLE, terms + 1.0, query.dim(), radius_squared)
    }
}

/// What to subtract from each column, 0 from those that are not far from 0; nothing if none is far.
pub(super) fn origin<E: Examples + ?Sized>(examples: &E) -> Option<Vec<f64>> {
    const FEW: usize = 16;
    let (len, dim) = (examples.len(), examples.dim());
    // More examples make a range wider, which never puts it farther from 0 in units of its width.
    if !Span::of_columns(examples, len.min(FEW)).iter().any(Span::is_far) {
        return None;
    }
    let spans = Span::of_columns(examples, len);
    let far: Vec<(usize, Span)> = spans.into_iter().enumerate().filter(|(_, span)| span.is_far()).collect();
    if far.is_empty() {
        return None;
    }
    // Means of what is above the least entries, so that their rounding is relative to the widths.
    let sums = over_parts(examples, len, &vec![0.0; far.len()], |sums, wide| {
        for (sum, (k, span)) in sums.iter_mut().zip(&far) {
            *sum += (wide[*k] - span.least) / len as f64;
        }
    });
    let mut origin = vec![0.0; dim];
    for (at, (k, span)) in far.iter().enumerate() {
        let above: f64 = sums.iter().map(|sums| sums[at]).sum();
        origin[*k] = span.rounded(span.least + above);
    }
    Some(origin)
}

/// The range of a column.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Span {
    least: f64,
    most: f64,
}

impl Span {
    /// The ranges of the columns in the first examples.
    fn of_columns<E: Examples + ?Sized>(examples: &E, len: usize) -> Vec<Self> {
        let none = vec![Self { least: f64::INFINITY, most: f64::NEG_INFINITY }; examples.dim()];
        let parts = over_parts(examples, len, &none, |spans, wide| {
            for (span, &value) in spans.iter_mut().zip(wide) {
                *span = Self { least: span.least.min(value), most: span.most.max(value) };
            }
        });
        parts.into_iter().fold(none, |mut all, part| {
            for (all, part) in all.iter_mut().zip(part) {
                *all = Self { least: all.least.min(part.least), most: all.most.max(part.most) };
            }
            all
        })
    }

    /// Whether the entries are farther from 0 than twice the width of the range; written so that no entries are not.
    fn is_far(&self) -> bool {
        self.least.abs().max(self.most.abs()) > 2.0 * (self.most - self.least)
    }

    /// A number of the range near `value`, with few digits more than the width has: entries of few digits keep few.
    fn rounded(&self, value: f64) -> f64 {
        const EXPONENT: u64 = 0x7FF0_0000_0000_0000;
        // The power of two below the width, exactly; 0 without a width.
        let unit = f64::from_bits((self.most - self.least).to_bits() & EXPONENT) / 64.0;
        let rounded = if unit > 0.0 { (value / unit).round() * unit } else { value };
        rounded.max(self.least).min(self.most)
    }
}

/// Takes in the first examples, part by part: the parts depend on their number alone.
fn over_parts<T: Clone + Send + Sync, E: Examples + ?Sized>(
    examples: &E,
    len: usize,
    start: &[T],
    take: impl Fn(&mut [T], &[f64]) + Sync,
) -> Vec<Vec<T>> {
    let rows = len.div_ceil(16).max(256);
    parallel::map(len.div_ceil(rows), |part| {
        let (mut state, mut wide) = (start.to_vec(), vec![0.0; examples.dim()]);
        for row in part * rows..len.min((part + 1) * rows) {
            examples.row(row).write_to(&mut wide);
            take(&mut state, &wide);
        }
        state
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Dense;

    fn origin_of(columns: &[&[f64]]) -> Option<Vec<f64>> {
        let rows: Vec<Vec<f64>> =
            (0..columns[0].len()).map(|row| columns.iter().map(|column| column[row]).collect()).collect();
        origin(&Dense::from_rows(&rows).unwrap())
    }

    #[test]
    fn columns_far_from_zero_are_moved_to_a_short_number_amid_them() {
        // Three seconds, a mean of 1.5; years, whose mean of 2000⅔ is rounded to halves.
        let seconds = [1e8, 1e8 + 1.0, 1e8 + 3.0, 1e8 + 2.0];
        let years = [1970.0, 2020.0, 2010.0, 2002.75];
        let near = [-1.0, 0.0, 5.0, 7.0];
        assert_eq!(origin_of(&[&seconds, &near, &years]), Some(vec![1e8 + 1.5, 0.0, 2000.5]));
        assert_eq!(origin_of(&[&[-3.25; 4], &[0.0; 4]]), Some(vec![-3.25, 0.0]));
        // From 1 to 2 a column is as far as twice its width, and not farther.
        assert_eq!(origin_of(&[&[1.0, 2.0, 1.5, 1.5], &near]), None);
    }

    #[test]
    fn examples_are_moved_without_rounding_at_every_offset() {
        for exponent in -40..60 {
            let offset = 10.0_f64.powi(exponent / 3) * 1.1;
            let column: Vec<f64> = (0..9).map(|k| offset + 0.13 * f64::from(k)).collect();
            let Some(origin) = origin_of(&[&column]) else {
                assert!(offset < 2.0 * 1.04);
                continue;
            };
            for x in &column {
                // What the subtraction rounded away (Knuth's exact sum).
                let moved = x - origin[0];
                let back = moved - x;
                let lost = (x - (moved - back)) + (-origin[0] - back);
                assert_eq!(lost, 0.0, "{x} − {}", origin[0]);
            }
        }
    }

    #[test]
    fn no_origin_helps_groups_that_are_far_apart() {
        let kernel = VectorKernel::gaussian(0.5).unwrap();
        let wide = |column: [f64; 4]| {
            let set = Dense::new(column.to_vec(), 4, 1).unwrap();
            let radius_squared = column.iter().map(|x| x * x).fold(0.0, f64::max);
            Wide::new(kernel, &set, radius_squared, 3.0)
        };
        let apart = wide([0.0, 1.0, 1e8, 1e8 + 1.0]);
        assert!(apart.squares && apart.reals.columns.is_none() && apart.bound < 1e-15);
        let far = wide([1e8, 1e8 + 1.0, 1e8 + 2.0, 1e8 + 3.0]);
        assert!(!far.squares && far.reals.columns.is_some() && far.bound < 1e-14);
        assert!(wide([0.0, 0.5, 1.0, 0.2]).is_plain());
    }
}
