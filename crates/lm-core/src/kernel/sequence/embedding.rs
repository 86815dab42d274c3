//! The features of the spectrum kernel written out: a sparse count of p-grams for each sequence.

use super::Spectrum;
use super::spectrum::sorted_grams;
use crate::{Csr, Error, Result};

/// A dictionary of the p-grams of some sequences, and the counts of each sequence as a sparse example.
///
/// The inner product of two rows is the [`Spectrum`] kernel of the two sequences, exactly. The dictionary is sorted, so
/// it depends on the sequences alone and not on their order.
///
/// ```
/// use lm_core::kernel::sequence::{Spectrum, SpectrumEmbedding};
/// use lm_core::{Examples, Kernel};
///
/// let spectrum = Spectrum::new(2)?;
/// let texts = ["banana", "bandana"];
/// let embedding = SpectrumEmbedding::of_text(spectrum, &texts)?;
/// let (a, b) = (embedding.counts().row(0), embedding.counts().row(1));
/// assert_eq!(a.dot(&b), spectrum.value(&texts[0], &texts[1]));
/// assert_eq!(embedding.grams()[0], ['a', 'n']);
/// # Ok::<(), lm_core::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct SpectrumEmbedding<T> {
    spectrum: Spectrum,
    grams: Vec<Vec<T>>,
    counts: Csr<'static>,
}

impl<T: Ord + Clone> SpectrumEmbedding<T> {
    /// The embedding of some sequences.
    ///
    /// # Errors
    /// [`Error::Empty`] without sequences, or if none is long enough to have a p-gram; [`Error::TooLarge`] for more
    /// than 2³² different p-grams.
    pub fn new<S: AsRef<[T]>>(spectrum: Spectrum, sequences: &[S]) -> Result<Self> {
        let mut distinct: Vec<&[T]> = Vec::new();
        for sequence in sequences {
            let sequence = sequence.as_ref();
            for p in spectrum.lengths(sequence.len()) {
                let mut own = sorted_grams(sequence, p);
                own.dedup();
                distinct.append(&mut own);
            }
        }
        distinct.sort_unstable();
        distinct.dedup();
        if distinct.is_empty() && !sequences.is_empty() {
            return Err(Error::Empty { what: "the set of p-grams (every sequence is shorter than p)" });
        }
        let grams: Vec<Vec<T>> = distinct.iter().map(|gram| gram.to_vec()).collect();
        let counts = encode(spectrum, &grams, sequences)?;
        Ok(Self { spectrum, grams, counts })
    }

    /// The counts of other sequences, in the columns of this dictionary. A p-gram that is not in it has no column: it
    /// cannot change an inner product with the sequences the dictionary was made from.
    ///
    /// # Errors
    /// [`Error::Empty`] without sequences.
    pub fn encode<S: AsRef<[T]>>(&self, sequences: &[S]) -> Result<Csr<'static>> {
        encode(self.spectrum, &self.grams, sequences)
    }

    /// The p-grams, sorted: one for each column.
    pub fn grams(&self) -> &[Vec<T>] {
        &self.grams
    }

    /// The counts of the sequences that the dictionary was made from.
    pub fn counts(&self) -> &Csr<'static> {
        &self.counts
    }
}

impl SpectrumEmbedding<char> {
    /// The embedding of texts, as sequences of characters.
    ///
    /// # Errors
    /// As [`SpectrumEmbedding::new`].
    pub fn of_text<S: AsRef<str>>(spectrum: Spectrum, texts: &[S]) -> Result<Self> {
        Self::new(spectrum, &characters(texts))
    }

    /// The counts of other texts.
    ///
    /// # Errors
    /// As [`SpectrumEmbedding::encode`].
    pub fn encode_text<S: AsRef<str>>(&self, texts: &[S]) -> Result<Csr<'static>> {
        self.encode(&characters(texts))
    }
}

fn characters<S: AsRef<str>>(texts: &[S]) -> Vec<Vec<char>> {
    texts.iter().map(|text| text.as_ref().chars().collect()).collect()
}

/// Counts in the columns of a sorted dictionary.
fn encode<T: Ord, S: AsRef<[T]>>(
    spectrum: Spectrum,
    grams: &[Vec<T>],
    sequences: &[S],
) -> Result<Csr<'static>> {
    let (mut offsets, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
    for sequence in sequences {
        let sequence = sequence.as_ref();
        let mut row: Vec<(u32, f64)> = Vec::new();
        for p in spectrum.lengths(sequence.len()) {
            for run in sorted_grams(sequence, p).chunk_by(|a, b| a == b) {
                if let Ok(column) = grams.binary_search_by(|gram| gram.as_slice().cmp(run[0])) {
                    let limit = u32::MAX as usize;
                    let column = u32::try_from(column).map_err(|_| Error::TooLarge {
                        what: "the dictionary of p-grams",
                        size: grams.len(),
                        limit,
                    })?;
                    row.push((column, run.len() as f64));
                }
            }
        }
        // Lengths follow each other; columns mix them.
        row.sort_unstable_by_key(|&(column, _)| column);
        indices.extend(row.iter().map(|&(column, _)| column));
        values.extend(row.iter().map(|&(_, count)| count));
        offsets.push(values.len());
    }
    Csr::new(offsets, indices, values, grams.len())
}
