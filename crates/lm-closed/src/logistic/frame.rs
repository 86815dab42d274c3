//! The coordinates in which Newton's method works: columns that are shifted by their mean and scaled by a power of two.

use std::ops::Range;

use lm_core::{Error, Examples, Linear, Result, Row, Weights};

/// Coordinates `x̃ₖ = (xₖ − centreₖ)·scaleₖ`, followed by a 1 for the bias.
///
/// Newton's method does not depend on the coordinates, its rounding does: columns of one size that are not correlated
/// with the bias keep the Hessian well conditioned. Scales are powers of two, so that scaling is exact. Sparse rows
/// are not shifted, which would fill them.
///
/// ```
/// use lm_closed::Frame;
/// use lm_core::Dense;
///
/// let years = Dense::new(vec![2019.0, 2020.0, 2024.0], 3, 1)?;
/// let frame = Frame::of(&years, None, 0.0)?;
/// assert_eq!((frame.centre(), frame.scale()), (&[2021.0][..], &[0.25][..]));
/// # Ok::<(), lm_core::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Parts"))]
pub struct Frame {
    #[cfg_attr(feature = "serde", serde(with = "lm_core::serde_array"))]
    centre: Vec<f64>,
    #[cfg_attr(feature = "serde", serde(with = "lm_core::serde_array"))]
    scale: Vec<f64>,
}

/// What a decoder reads before it is checked.
#[cfg(feature = "serde")]
#[derive(serde::Deserialize)]
struct Parts {
    #[serde(with = "lm_core::serde_array")]
    centre: Vec<f64>,
    #[serde(with = "lm_core::serde_array")]
    scale: Vec<f64>,
}

#[cfg(feature = "serde")]
impl TryFrom<Parts> for Frame {
    type Error = Error;

    fn try_from(parts: Parts) -> Result<Self> {
        Self::new(parts.centre, parts.scale)
    }
}

impl Frame {
    /// The coordinates with this centre and these scales, one of each for a column.
    ///
    /// # Errors
    /// [`Error::Empty`] without columns, [`Error::Length`] if the numbers differ, [`Error::NonFinite`] for a centre
    /// that is not finite, [`Error::Setting`] for a scale that is not a finite number > 0.
    pub fn new(centre: Vec<f64>, scale: Vec<f64>) -> Result<Self> {
        if centre.is_empty() {
            return Err(Error::Empty { what: "the list of columns" });
        }
        if centre.len() != scale.len() {
            let (expected, found) = (centre.len(), scale.len());
            return Err(Error::Length { what: "the list of scales", expected, found });
        }
        if let Some(row) = centre.iter().position(|value| !value.is_finite()) {
            return Err(Error::NonFinite { what: "centre", row, column: None });
        }
        match scale.iter().find(|&&value| !(value > 0.0 && value.is_finite())) {
            Some(&value) => Err(Error::Setting { name: "scale", value, accepted: "a finite number > 0" }),
            None => Ok(Self { centre, scale }),
        }
    }

    /// The coordinates of the data themselves.
    ///
    /// # Errors
    /// [`Error::Empty`] without columns.
    pub fn identity(dim: usize) -> Result<Self> {
        Self::new(vec![0.0; dim], vec![1.0; dim])
    }

    /// Coordinates that suit the examples, those of weight 0 left out, and a penalty `½λ‖w‖²`.
    ///
    /// # Errors
    /// [`Error::Empty`] without columns, [`Error::NonFinite`] for an example that is not finite.
    pub fn of<E: Examples + ?Sized>(examples: &E, weights: Option<&Weights>, penalty: f64) -> Result<Self> {
        let sparse = !examples.is_empty() && is_sparse(&examples.row(0));
        let columns = Columns::of(examples, weights, sparse)?;
        // A column of tiny numbers is not blown up beyond what keeps its penalty representable.
        let largest =
            if penalty > 0.0 { ((100.0 - penalty.log2()) / 2.0).clamp(0.0, 1000.0) } else { 1000.0 };
        let mut centre = vec![0.0; examples.dim()];
        let mut scale = vec![1.0; examples.dim()];
        for (k, (centre, scale)) in centre.iter_mut().zip(&mut scale).enumerate() {
            let (low, high) = (columns.low[k], columns.high[k]);
            let half = if sparse {
                low.abs().max(high.abs()) / 2.0
            } else {
                *centre = columns.mean(k);
                (high / 2.0 - *centre / 2.0).max(*centre / 2.0 - low / 2.0)
            };
            if half > 0.0 {
                // The exponent of the next power of two; `half` is at most the largest number, so `+ 1` is safe.
                let exponent = -(half.log2().ceil() + 1.0);
                *scale = exponent.clamp(-1023.0, largest.floor()).exp2();
            }
        }
        Self::new(centre, scale)
    }

    /// The number of columns, without the bias.
    pub fn dim(&self) -> usize {
        self.centre.len()
    }

    /// What is subtracted from each column.
    pub fn centre(&self) -> &[f64] {
        &self.centre
    }

    /// What each column is multiplied with.
    pub fn scale(&self) -> &[f64] {
        &self.scale
    }

    /// A function of the data, from its coordinates here.
    pub(super) fn function(&self, theta: &[f64]) -> Result<Linear> {
        let weights: Vec<f64> = theta.iter().zip(&self.scale).map(|(w, scale)| w * scale).collect();
        let shift: f64 = weights.iter().zip(&self.centre).map(|(w, centre)| w * centre).sum();
        Linear::new(weights, theta.last().copied().unwrap_or(0.0) - shift)
    }

    /// The coordinates here of a function of the data.
    pub(super) fn coordinates(&self, function: &Linear) -> Result<Vec<f64>> {
        if function.weights().len() != self.dim() {
            let (expected, found) = (self.dim(), function.weights().len());
            return Err(Error::Length { what: "the weight vector", expected, found });
        }
        let weights = function.weights();
        let shift: f64 = weights.iter().zip(&self.centre).map(|(w, centre)| w * centre).sum();
        let mut theta: Vec<f64> = weights.iter().zip(&self.scale).map(|(w, scale)| w / scale).collect();
        theta.push(function.bias() + shift);
        match theta.iter().position(|value| !value.is_finite()) {
            Some(row) => Err(Error::NonFinite { what: "weight", row, column: None }),
            None => Ok(theta),
        }
    }

    /// Whether rows may keep their zeros: nothing is subtracted.
    pub(super) fn keeps_zeros(&self) -> bool {
        self.centre.iter().all(|&centre| centre == 0.0)
    }

    /// Writes rows, each followed by a 1, into a row-major block.
    pub(super) fn fill<E: Examples + ?Sized>(&self, examples: &E, rows: Range<usize>, block: &mut Vec<f64>) {
        let width = self.dim() + 1;
        // Products before the difference: neither can overflow.
        let shift: Vec<f64> =
            self.centre.iter().zip(&self.scale).map(|(centre, scale)| centre * scale).collect();
        block.clear();
        block.resize(rows.len() * width, 1.0);
        for (row, out) in rows.zip(block.chunks_exact_mut(width)) {
            let out = &mut out[..width - 1];
            let places = out.iter_mut().zip(&self.scale).zip(&shift);
            match examples.row(row) {
                Row::DenseF64(x) => {
                    places.zip(x).for_each(|(((out, scale), shift), x)| *out = x * scale - shift);
                }
                Row::DenseF32(x) => {
                    places.zip(x).for_each(|(((out, scale), shift), x)| *out = f64::from(*x) * scale - shift);
                }
                sparse => {
                    places.for_each(|((out, _), shift)| *out = -shift);
                    sparse.for_each(|k, x| out[k] = x * self.scale[k] - shift[k]);
                }
            }
        }
    }
}

/// Whether a row is stored without its zeros.
pub(super) fn is_sparse(row: &Row<'_>) -> bool {
    matches!(row, Row::SparseF64(_) | Row::SparseF32(_))
}

/// Range and mean of every column. A column of sparse rows has a zero somewhere, or might have.
struct Columns {
    low: Vec<f64>,
    high: Vec<f64>,
    sum: Vec<f64>,
    weight: f64,
}

impl Columns {
    fn of<E: Examples + ?Sized>(examples: &E, weights: Option<&Weights>, sparse: bool) -> Result<Self> {
        // Long enough that a chunk outweighs handing it to a thread, and the merging of its columns.
        let rows = if sparse { examples.len().div_ceil(4).max(4096) } else { 4096 };
        let parts = lm_core::parallel::map(examples.len().div_ceil(rows), |part| {
            let mut columns = Self::new(examples.dim(), sparse);
            for row in part * rows..examples.len().min((part + 1) * rows) {
                let weight = weights.map_or(1.0, |weights| weights.values()[row]);
                if weight != 0.0 {
                    columns.add(&examples.row(row), weight);
                }
            }
            columns
        });
        let mut all = Self::new(examples.dim(), sparse);
        parts.iter().for_each(|part| all.merge(part));
        // A number that is not finite leaves its trace in the sum; so does an overflow, which is no fault of the data.
        let finite = all.sum.iter().all(|sum| sum.is_finite());
        match if finite { None } else { broken(examples, weights) } {
            Some((row, column)) => Err(Error::NonFinite { what: "example", row, column: Some(column) }),
            None => Ok(all),
        }
    }

    fn new(dim: usize, sparse: bool) -> Self {
        let end = if sparse { 0.0 } else { f64::INFINITY };
        let (low, high) = (vec![end; dim], vec![-end; dim]);
        Self { low, high, sum: vec![0.0; dim], weight: 0.0 }
    }

    fn add(&mut self, example: &Row<'_>, weight: f64) {
        self.weight += weight;
        let Self { low, high, sum, .. } = self;
        if let Row::DenseF64(values) = example {
            // The same as below, without an index: vectors of columns.
            for (((&x, low), high), sum) in values.iter().zip(low).zip(high).zip(sum) {
                *low = if x < *low { x } else { *low };
                *high = if x > *high { x } else { *high };
                *sum += weight * x;
            }
        } else {
            example.for_each(|k, x| {
                low[k] = if x < low[k] { x } else { low[k] };
                high[k] = if x > high[k] { x } else { high[k] };
                sum[k] += weight * x;
            });
        }
    }

    fn merge(&mut self, other: &Self) {
        self.weight += other.weight;
        for k in 0..self.sum.len() {
            self.low[k] = self.low[k].min(other.low[k]);
            self.high[k] = self.high[k].max(other.high[k]);
            self.sum[k] += other.sum[k];
        }
    }

    /// The mean of a column; the middle of its range where the sum is beyond the range of numbers.
    fn mean(&self, k: usize) -> f64 {
        let (low, high) = (self.low[k], self.high[k]);
        let mean = self.sum[k] / self.weight;
        if mean.is_finite() { mean.max(low).min(high) } else { low / 2.0 + high / 2.0 }
    }
}

/// The first entry that is not finite, of a row with a weight.
fn broken<E: Examples + ?Sized>(examples: &E, weights: Option<&Weights>) -> Option<(usize, usize)> {
    let present = |&row: &usize| weights.is_none_or(|weights| weights.values()[row] != 0.0);
    (0..examples.len()).filter(present).find_map(|row| {
        let mut found = None;
        examples.row(row).for_each(|k, x| found = found.or((!x.is_finite()).then_some((row, k))));
        found
    })
}
