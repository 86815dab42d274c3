//! The Gram matrix of examples under a vector kernel, computed when it is asked for.

use super::{
    Columns, Gram, Precision, check_diagonal, check_diagonal_values, check_request, check_values, narrowed,
};
use crate::collection::Collection;
use crate::kernel::{Kernel, KernelForm, Statistic, VectorKernel};
use crate::{Error, Examples, Result, threads};

/// Kernel values of examples, computed block by block and kept nowhere.
///
/// ```
/// use lm_core::{Columns, Dense, Gram, VectorGram, VectorKernel};
///
/// let examples = Dense::new(vec![0.0, 1.0, 3.0], 3, 1)?;
/// let gram = VectorGram::new(&examples, VectorKernel::linear())?;
/// let mut rows = [0.0; 6];
/// gram.fill(&[2, 1], Columns::All, &mut rows)?;
/// assert_eq!(rows, [0.0, 3.0, 9.0, 0.0, 1.0, 3.0]);
/// # Ok::<(), lm_core::Error>(())
/// ```
#[derive(Debug)]
pub struct VectorGram<'a, E: ?Sized> {
    examples: &'a E,
    kernel: VectorKernel,
    norms_squared: Vec<f64>,
    radius_squared: f64,
    /// Whether squared norms overflow, so that a Gaussian is computed from scaled differences instead.
    direct: bool,
}

impl<'a, E: Examples + ?Sized> VectorGram<'a, E> {
    /// Prepares the matrix: one pass over the examples for their norms.
    ///
    /// # Errors
    /// [`Error::Empty`] without examples, [`Error::Numerical`] if a squared norm overflows and the kernel is made of
    /// inner products. (A Gaussian needs none where norms overflow: it is computed from differences there.)
    pub fn new(examples: &'a E, kernel: VectorKernel) -> Result<Self> {
        if examples.is_empty() {
            return Err(Error::Empty { what: "the set of examples" });
        }
        let mut norms_squared = vec![0.0; examples.len()];
        threads::for_each_chunk(&mut norms_squared, COLUMNS, |block, out| {
            for (offset, out) in out.iter_mut().enumerate() {
                *out = examples.norm_squared(block * COLUMNS + offset);
            }
        });
        let radius_squared = norms_squared.iter().fold(0.0, |largest: f64, &value| largest.max(value));
        let gaussian = matches!(kernel.form(), KernelForm::Gaussian { .. });
        let direct = gaussian && !(4.0 * radius_squared).is_finite();
        if kernel.statistic() == Statistic::InnerProduct && !radius_squared.is_finite() && !direct {
            return Err(Error::Numerical { what: "the squared norm of an example (rescale the data)" });
        }
        Ok(Self { examples, kernel, norms_squared, radius_squared, direct })
    }

    /// The examples.
    pub fn examples(&self) -> &'a E {
        self.examples
    }

    /// The kernel.
    pub fn kernel(&self) -> VectorKernel {
        self.kernel
    }

    /// Statistics, then kernel values, of one row with the columns from position `first` on.
    fn fill_part(&self, row: usize, columns: Columns<'_>, first: usize, scattered: &[f64], out: &mut [f64]) {
        if self.direct {
            let own = self.examples.row(row);
            for (offset, out) in out.iter_mut().enumerate() {
                *out = self.kernel.value(&own, &self.examples.row(columns.at(first + offset)));
            }
            return;
        }
        match self.kernel.statistic() {
            Statistic::InnerProduct => {
                for (offset, out) in out.iter_mut().enumerate() {
                    *out = self.examples.dot(columns.at(first + offset), scattered);
                }
            }
            Statistic::ManhattanDistance => {
                let own = self.examples.row(row);
                for (offset, out) in out.iter_mut().enumerate() {
                    *out = own.distance_manhattan(&self.examples.row(columns.at(first + offset)));
                }
            }
        }
        let norm = self.norms_squared[row];
        match columns {
            Columns::All => self.kernel.apply(out, norm, &self.norms_squared[first..first + out.len()]),
            Columns::Range { start, .. } => {
                self.kernel.apply(out, norm, &self.norms_squared[start + first..start + first + out.len()]);
            }
            Columns::List(list) => {
                let norms: Vec<f64> =
                    list[first..first + out.len()].iter().map(|&column| self.norms_squared[column]).collect();
                self.kernel.apply(out, norm, &norms);
            }
        }
    }
}

/// Columns that one task computes: long enough to outweigh handing it to a thread.
const COLUMNS: usize = 512;

impl<E: Examples + ?Sized> Collection for VectorGram<'_, E> {
    fn len(&self) -> usize {
        self.examples.len()
    }
}

impl<E: Examples + ?Sized> Gram for VectorGram<'_, E> {
    fn diagonal_into(&self, out: &mut [f64]) -> Result<()> {
        check_diagonal(self.len(), out.len())?;
        for (out, &norm) in out.iter_mut().zip(&self.norms_squared) {
            *out = self.kernel.self_value(norm);
        }
        check_diagonal_values(out)
    }

    fn fill(&self, rows: &[usize], columns: Columns<'_>, out: &mut [f64]) -> Result<()> {
        check_request(self.len(), rows, columns, out.len())?;
        let count = columns.count(self.len());
        let mut scattered = vec![0.0; self.examples.dim()];
        for (&row, out) in rows.iter().zip(out.chunks_exact_mut(count.max(1))) {
            self.examples.row(row).write_to(&mut scattered);
            threads::for_each_chunk(out, COLUMNS, |block, out| {
                self.fill_part(row, columns, block * COLUMNS, &scattered, out);
            });
        }
        check_values(rows, columns, self.len(), out)
    }

    fn error_bound(&self, precision: Precision) -> f64 {
        let bound = self.kernel.error_bound(self.examples.dim(), self.radius_squared);
        // Each of these kernels is largest in absolute value on the diagonal, up to the sigmoid's bound of 1.
        let largest = self.kernel.self_value(self.radius_squared).abs().max(1.0);
        narrowed(bound, largest, precision)
    }
}
