//! Rows of the Gram matrix in single precision: computed when they are asked for where that is cheap, else kept.

use lm_core::{CacheFigures, Columns, Gram, Precision, Result, RowCache, parallel};

/// The rows of so few variables are kept in any case: all of them stay near the processor.
const FEW: usize = 2048;

/// Columns that one core adds up.
const COLUMNS: usize = 1024;

/// The rows and columns of some variables.
pub(super) enum Rows<'a, G: ?Sized> {
    Computed { gram: &'a G, members: Vec<usize> },
    Kept { cache: RowCache<'a, G, f32>, members: Vec<usize> },
}

impl<'a, G: Gram + ?Sized> Rows<'a, G> {
    /// Of all variables, in a number of bytes.
    pub(super) fn new(gram: &'a G, bytes: usize) -> Result<Self> {
        let members = (0..gram.len()).collect();
        if gram.len() > FEW && gram.is_cheap() {
            Ok(Self::Computed { gram, members })
        } else {
            Ok(Self::Kept { cache: RowCache::new(gram, bytes)?, members })
        }
    }

    /// The variables that are left.
    pub(super) fn members(&self) -> &[usize] {
        match self {
            Self::Computed { members, .. } | Self::Kept { members, .. } => members,
        }
    }

    /// The most rows that can be asked for at a time.
    pub(super) fn most(&self) -> usize {
        match self {
            Self::Computed { members, .. } => members.len(),
            Self::Kept { cache, .. } => cache.capacity(),
        }
    }

    /// Writes the kernel values of some variables with each other, row after row; how many had to be computed.
    pub(super) fn square(&mut self, places: &[usize], out: &mut [f32]) -> Result<u64> {
        match self {
            Self::Computed { gram, members } => {
                let variables: Vec<usize> = places.iter().map(|&at| members[at]).collect();
                gram.fill_f32(&variables, Columns::List(&variables), out)?;
                Ok(out.len() as u64)
            }
            Self::Kept { cache, members } => {
                let before = cache.figures().misses;
                let rows = cache.rows(places)?;
                parallel::for_each_chunk(out, places.len(), |at, out| {
                    out.iter_mut().zip(places).for_each(|(out, &column)| *out = rows[at][column]);
                });
                Ok((cache.figures().misses - before) * members.len() as u64)
            }
        }
    }

    /// Adds the rows of some variables, each with its coefficient, to the numbers of all that are left; how many kernel values
    /// had to be computed.
    pub(super) fn combine(&mut self, places: &[usize], by: &[f64], to: &mut [f64]) -> Result<u64> {
        match self {
            Self::Computed { gram, members } => {
                let rows: Vec<usize> = places.iter().map(|&at| members[at]).collect();
                let all = members.len() == gram.len();
                let columns = if all { Columns::All } else { Columns::List(members) };
                gram.combine(&rows, by, columns, Precision::F32, to)?;
                Ok((rows.len() * members.len()) as u64)
            }
            Self::Kept { cache, members } => {
                let before = cache.figures().misses;
                let rows = cache.rows(places)?;
                parallel::for_each_chunk(to, COLUMNS, |at, sums| {
                    for (row, by) in rows.iter().zip(by) {
                        let values = row[at * COLUMNS..].iter();
                        sums.iter_mut().zip(values).for_each(|(sum, &value)| *sum += by * f64::from(value));
                    }
                });
                Ok((cache.figures().misses - before) * members.len() as u64)
            }
        }
    }

    /// Keeps the variables at these places only.
    pub(super) fn narrow(&mut self, kept: &[usize]) -> Result<()> {
        match self {
            Self::Computed { members, .. } => *members = kept.iter().map(|&at| members[at]).collect(),
            Self::Kept { cache, members } => {
                cache.narrow(kept)?;
                *members = kept.iter().map(|&at| members[at]).collect();
            }
        }
        Ok(())
    }

    /// What the cache did; nothing where rows are not kept.
    pub(super) fn figures(&self) -> CacheFigures {
        match self {
            Self::Computed { .. } => CacheFigures::default(),
            Self::Kept { cache, .. } => cache.figures(),
        }
    }
}
