//! Examples together with what belongs to them.

use lm_core::{BinaryLabels, ClassLabels, Result, Targets};

/// Examples and their labels, as a reader or a generator returns them.
///
/// Data files label examples with numbers that may be classes or targets; the caller says which, by
/// [`binary`](Self::binary), [`classes`](Self::classes) or [`targets`](Self::targets).
///
/// ```
/// use lm_data::svmlight;
///
/// let text = "+1 1:0.5\n-1 2:2\n";
/// let data = svmlight::read::<f64>(text.as_bytes(), &svmlight::Options::default())?;
/// assert_eq!(data.labels, [1.0, -1.0]);
/// assert_eq!(data.binary()?.values(), [1.0, -1.0]);
/// # Ok::<(), lm_core::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Labelled<E, L = Vec<f64>> {
    /// The examples.
    pub examples: E,
    /// One label for each of them.
    pub labels: L,
}

impl<E> Labelled<E, Vec<f64>> {
    /// The labels as two classes.
    ///
    /// # Errors
    /// [`lm_core::Error::Label`] for a label that is not an integer, [`lm_core::Error::Classes`] unless there are
    /// exactly two.
    pub fn binary(&self) -> Result<BinaryLabels> {
        BinaryLabels::from_numbers(&self.labels)
    }

    /// The labels as classes.
    ///
    /// # Errors
    /// [`lm_core::Error::Label`] for a label that is not an integer, [`lm_core::Error::Classes`] for fewer than two
    /// classes.
    pub fn classes(&self) -> Result<ClassLabels> {
        ClassLabels::from_numbers(&self.labels)
    }

    /// The labels as real targets.
    ///
    /// # Errors
    /// As [`Targets::new`].
    pub fn targets(&self) -> Result<Targets> {
        Targets::new(self.labels.clone())
    }
}
