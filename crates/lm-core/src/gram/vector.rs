//! The Gram matrix of examples under a vector kernel, computed when it is asked for.

use std::ops::Range;

use super::combine::from_rows;
use super::{
    Columns, Gram, Precision, ROWS, check_combination, check_diagonal, check_diagonal_values, check_request,
    check_values, check_whole,
};
use crate::collection::Collection;
use crate::engine::{Engine, Instructions, Layout, View};
use crate::kernel::VectorKernel;
use crate::{Error, Examples, Result, parallel};

/// Kernel values of examples, computed block by block and kept nowhere.
///
/// The examples are looked at when the matrix is made, and packed when a block is first asked for, in a [`Layout`] that
/// is chosen from the data: in double precision for [`Gram::fill`], and for [`Gram::fill_f32`] in single precision where
/// the bound on the error that follows from the data is within the [tolerance](VectorGram::with_tolerance). Distances keep
/// their digits on data far from the origin, such as years or coordinates: the bound is that of data moved to their middle.
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
    engine: Engine,
}

impl<'a, E: Examples + ?Sized> VectorGram<'a, E> {
    /// Prepares the matrix: one pass over the examples.
    ///
    /// # Errors
    /// [`Error::Empty`] without examples, [`Error::Numerical`] if a squared norm overflows and the kernel is made of
    /// inner products. (A Gaussian needs none where norms overflow: it is computed from differences there.)
    pub fn new(examples: &'a E, kernel: VectorKernel) -> Result<Self> {
        Ok(Self { examples, kernel, engine: Engine::new(&View(examples), kernel)? })
    }

    /// The error that values in single precision may have, as a share of the largest kernel value, between 0 and 1;
    /// default 2⁻¹³ ≈ 1.2e-4. They are computed in single precision if the bound on their error is smaller, and in double
    /// precision otherwise, at twice the cost; `error_bound` tells the bound.
    ///
    /// ```
    /// use lm_core::{Dense, Gram, Precision, VectorGram, VectorKernel};
    ///
    /// let examples = Dense::new((0..99).map(|k| f64::from(k).sin()).collect(), 3, 33)?;
    /// let gram = VectorGram::new(&examples, VectorKernel::gaussian(0.1)?)?.with_tolerance(1e-7)?;
    /// assert!(gram.error_bound(Precision::F32) <= 1e-7);
    /// # Ok::<(), lm_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Setting`] unless it is between 0 and 1.
    pub fn with_tolerance(self, tolerance: f64) -> Result<Self> {
        if tolerance > 0.0 && tolerance < 1.0 {
            Ok(Self { engine: self.engine.with_tolerance(tolerance), ..self })
        } else {
            Err(Error::Setting { name: "tolerance", value: tolerance, accepted: "a number between 0 and 1" })
        }
    }

    /// Other instructions than the best that the processor has; those that it does not have are not used.
    #[must_use]
    pub fn with_instructions(self, instructions: Instructions) -> Self {
        Self { engine: self.engine.with_instructions(instructions), ..self }
    }

    /// The examples.
    pub fn examples(&self) -> &'a E {
        self.examples
    }

    /// The kernel.
    pub fn kernel(&self) -> VectorKernel {
        self.kernel
    }

    /// How the examples are packed.
    pub fn layout(&self) -> Layout {
        self.engine.plan().layout()
    }

    /// The instructions that blocks are computed with.
    pub fn instructions(&self) -> Instructions {
        self.engine.instructions()
    }

    /// The precision that values are computed in when they are asked for in `delivered`: the same, or a higher one where
    /// the tolerance asks for it.
    pub fn computed_in(&self, delivered: Precision) -> Precision {
        match self.engine.plan().narrow(&View(self.examples)) {
            Some(_) => delivered,
            None => Precision::F64,
        }
    }
}

/// Some columns of a block of rows, and the rows that are their mirror image.
struct Part<'a> {
    columns: Range<usize>,
    rows: Vec<&'a mut [f64]>,
    image: &'a mut [f64],
}

/// Cuts a block of rows, from column `start` on, and the rows below it into parts.
fn parts<'a>(block: &'a mut [f64], mut below: &'a mut [f64], start: usize, len: usize) -> Vec<Part<'a>> {
    // Many panels, so that packing the rows of the block for each part costs little.
    const COLUMNS: usize = 512;
    let end = start + block.len() / len;
    let mut parts = Vec::new();
    for from in (start..len).step_by(COLUMNS) {
        let to = len.min(from + COLUMNS);
        // The block itself has no rows below.
        let (image, rest) = below.split_at_mut((to.max(end) - from.max(end)) * len);
        below = rest;
        parts.push(Part { columns: from..to, rows: Vec::new(), image });
    }
    for row in block.chunks_exact_mut(len) {
        let mut rest = &mut row[start..];
        for part in &mut parts {
            let (own, others) = rest.split_at_mut(part.columns.len());
            part.rows.push(own);
            rest = others;
        }
    }
    parts
}

impl Part<'_> {
    /// Copies the columns to the rows that are their image, from column `start` on. Eight rows of the image read whole
    /// cache lines.
    fn mirror(&mut self, start: usize, len: usize) {
        const LINE: usize = 8;
        let first = self.columns.len() - self.image.len() / len;
        for (line, image) in self.image.chunks_mut(LINE * len).enumerate() {
            for (j, row) in self.rows.iter().enumerate() {
                let values = row[first + line * LINE..].iter();
                image.chunks_exact_mut(len).zip(values).for_each(|(to, value)| to[start + j] = *value);
            }
        }
    }
}

impl<E: Examples + ?Sized> Collection for VectorGram<'_, E> {
    fn len(&self) -> usize {
        self.examples.len()
    }
}

impl<E: Examples + ?Sized> Gram for VectorGram<'_, E> {
    fn diagonal_into(&self, out: &mut [f64]) -> Result<()> {
        check_diagonal(self.len(), out.len())?;
        self.engine.diagonal(&View(self.examples), out)?;
        check_diagonal_values(out)
    }

    fn fill(&self, rows: &[usize], columns: Columns<'_>, out: &mut [f64]) -> Result<()> {
        check_request(self.len(), rows, columns, out.len())?;
        self.engine.fill(&View(self.examples), rows, columns, out)?;
        if self.engine.plan().is_bounded() { Ok(()) } else { check_values(rows, columns, self.len(), out) }
    }

    fn fill_f32(&self, rows: &[usize], columns: Columns<'_>, out: &mut [f32]) -> Result<()> {
        check_request(self.len(), rows, columns, out.len())?;
        self.engine.fill_f32(&View(self.examples), rows, columns, out)?;
        if self.engine.plan().is_bounded() { Ok(()) } else { check_values(rows, columns, self.len(), out) }
    }

    /// Computes one triangle: rows in blocks from the diagonal on. Each part of a block is copied to its mirror image by the
    /// thread that computed it, while it is near.
    fn fill_all(&self, out: &mut [f64]) -> Result<()> {
        let len = self.len();
        check_whole(len, out.len())?;
        for start in (0..len).step_by(ROWS) {
            let end = len.min(start + ROWS);
            let rows: Vec<usize> = (start..end).collect();
            let (above, below) = out.split_at_mut(end * len);
            let block = &mut above[start * len..];
            let mut parts = parts(block, below, start, len);
            let done = parallel::map_mut(&mut parts, |part| {
                let places = part.rows.iter_mut().map(|row| &mut **row).collect();
                self.engine.fill_range(&View(self.examples), &rows, part.columns.clone(), places)?;
                part.mirror(start, len);
                Ok(())
            });
            done.into_iter().collect::<Result<()>>()?;
            if !self.engine.plan().is_bounded() {
                for (&row, values) in rows.iter().zip(block.chunks_exact(len)) {
                    check_values(&[row], Columns::Range { start, end: len }, len, &values[start..])?;
                }
            }
            for i in 0..end - start {
                for j in 0..i {
                    block[i * len + start + j] = block[j * len + start + i];
                }
            }
        }
        Ok(())
    }

    fn combine(
        &self,
        rows: &[usize],
        coefficients: &[f64],
        columns: Columns<'_>,
        precision: Precision,
        out: &mut [f64],
    ) -> Result<()> {
        check_combination(self.len(), rows, coefficients, columns, out.len())?;
        let view = View(self.examples);
        if self.engine.plan().is_bounded() {
            return match self.engine.combine(&view, precision, rows, coefficients, columns, out)? {
                true => Ok(()),
                false => from_rows(self, rows, coefficients, columns, precision, out),
            };
        }
        // A value that is not finite makes a sum that is none: then they are looked at one by one.
        let before = out.to_vec();
        let combined = self.engine.combine(&view, precision, rows, coefficients, columns, out)?;
        if combined && out.iter().all(|sum| sum.is_finite()) {
            return Ok(());
        }
        out.copy_from_slice(&before);
        from_rows(self, rows, coefficients, columns, precision, out)
    }

    fn is_cheap(&self) -> bool {
        self.engine.plan().is_cheap()
    }

    fn error_bound(&self, precision: Precision) -> f64 {
        self.engine.error_bound(&View(self.examples), precision)
    }
}
