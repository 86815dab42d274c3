//! The coefficients of expansions over the same kept examples.

use crate::{Error, Result};

/// For each kept example, the functions it has a part in and its coefficient in each: one function for an expansion,
/// one for each pair of classes for one-against-one machines that share their support vectors.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Coefficients {
    outputs: usize,
    offsets: Vec<usize>,
    parts: Vec<(usize, f64)>,
}

impl Coefficients {
    /// Coefficients of one function, one for each example.
    pub(crate) fn single(coefficients: &[f64]) -> Self {
        let parts = coefficients.iter().map(|&c| (0, c)).collect();
        Self { outputs: 1, offsets: (0..=coefficients.len()).collect(), parts }
    }

    /// The parts of each example in `outputs` functions.
    pub(crate) fn several(outputs: usize, examples: &[Vec<(usize, f64)>]) -> Result<Self> {
        let (mut offsets, mut parts) = (vec![0], Vec::new());
        for example in examples {
            if let Some(&(index, _)) = example.iter().find(|(output, _)| *output >= outputs) {
                return Err(Error::Index { what: "function", index, len: outputs });
            }
            parts.extend_from_slice(example);
            offsets.push(parts.len());
        }
        Ok(Self { outputs, offsets, parts })
    }

    /// Coefficients from the parts of all examples, those of example `j` from `offsets[j]` up to `offsets[j + 1]`; the
    /// caller has checked them.
    pub(crate) fn packed(outputs: usize, offsets: Vec<usize>, parts: Vec<(usize, f64)>) -> Self {
        Self { outputs, offsets, parts }
    }

    /// How many functions there are.
    pub(crate) fn outputs(&self) -> usize {
        self.outputs
    }

    /// How many examples there are.
    pub(crate) fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    /// The functions that an example has a part in, with its coefficients.
    pub(crate) fn of(&self, example: usize) -> &[(usize, f64)] {
        &self.parts[self.offsets[example]..self.offsets[example + 1]]
    }
}
