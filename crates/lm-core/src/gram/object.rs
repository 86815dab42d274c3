//! The Gram matrix of objects of any kind under any kernel.

use super::{
    Columns, Gram, Precision, check_diagonal, check_diagonal_values, check_request, check_values, narrowed,
};
use crate::collection::{Collection, Objects};
use crate::{Kernel, Result, parallel};

/// Kernel values of objects, computed pair by pair when they are asked for.
///
/// ```
/// use lm_core::{Gram, Kernel, ObjectGram};
///
/// struct SameLetter;
/// impl Kernel<char> for SameLetter {
///     fn value(&self, a: &char, b: &char) -> f64 {
///         f64::from(u8::from(a == b))
///     }
/// }
///
/// let letters = ['a', 'b', 'a'];
/// let gram = ObjectGram::new(&letters[..], SameLetter);
/// let mut row = [0.0; 3];
/// gram.fill(&[0], lm_core::Columns::All, &mut row)?;
/// assert_eq!(row, [1.0, 0.0, 1.0]);
/// # Ok::<(), lm_core::Error>(())
/// ```
#[derive(Debug)]
pub struct ObjectGram<'a, S: ?Sized, K> {
    objects: &'a S,
    kernel: K,
}

impl<'a, S: Objects + ?Sized, K: Kernel<S::Object>> ObjectGram<'a, S, K> {
    /// The matrix of these objects under this kernel.
    pub fn new(objects: &'a S, kernel: K) -> Self {
        Self { objects, kernel }
    }

    /// The objects.
    pub fn objects(&self) -> &'a S {
        self.objects
    }

    /// The kernel.
    pub fn kernel(&self) -> &K {
        &self.kernel
    }
}

/// Values that one task computes: a kernel on objects is dear, so few are enough.
const VALUES: usize = 32;

impl<S: Objects + ?Sized, K: Sync> Collection for ObjectGram<'_, S, K> {
    fn len(&self) -> usize {
        self.objects.len()
    }
}

impl<S: Objects + ?Sized, K: Kernel<S::Object>> Gram for ObjectGram<'_, S, K> {
    fn diagonal_into(&self, out: &mut [f64]) -> Result<()> {
        check_diagonal(self.len(), out.len())?;
        parallel::for_each_chunk(out, VALUES, |block, out| {
            for (offset, out) in out.iter_mut().enumerate() {
                let object = self.objects.object(block * VALUES + offset);
                *out = self.kernel.value(object, object);
            }
        });
        check_diagonal_values(out)
    }

    fn fill(&self, rows: &[usize], columns: Columns<'_>, out: &mut [f64]) -> Result<()> {
        check_request(self.len(), rows, columns, out.len())?;
        let count = columns.count(self.len());
        parallel::for_each_chunk(out, VALUES, |block, out| {
            for (offset, out) in out.iter_mut().enumerate() {
                let position = block * VALUES + offset;
                let (row, column) = (rows[position / count], columns.at(position % count));
                // The same order of arguments for both triangles, so that the matrix is symmetric to the bit.
                let (first, second) = (row.min(column), row.max(column));
                *out = self.kernel.value(self.objects.object(first), self.objects.object(second));
            }
        });
        check_values(rows, columns, self.len(), out)
    }

    /// A kernel on objects says nothing of its own rounding: the bound is that of delivering its values.
    fn error_bound(&self, precision: Precision) -> f64 {
        let largest =
            self.diagonal().map_or(f64::INFINITY, |d| d.iter().fold(0.0, |a: f64, b| a.max(b.abs())));
        narrowed(0.0, largest, precision)
    }
}
