//! Logistic statistics as they are written and read.

use lm_core::{Error, Result};

use super::frame::Frame;
use super::statistics::LogisticStatistics;

/// What is written and read: plain arrays.
#[derive(serde::Serialize, serde::Deserialize)]
pub(super) struct Stored {
    frame: Frame,
    classes: u64,
    #[serde(with = "lm_core::serde_array")]
    at: Vec<f64>,
    count: u64,
    /// Weight, loss, smallest margin.
    sums: (f64, f64, f64),
    #[serde(with = "lm_core::serde_array")]
    gradient: Vec<f64>,
    /// The lower triangles of all blocks, column after column.
    #[serde(with = "lm_core::serde_array")]
    hessian: Vec<f64>,
}

impl From<LogisticStatistics> for Stored {
    fn from(from: LogisticStatistics) -> Self {
        let mut hessian = Vec::new();
        for block in &from.blocks {
            (0..block.columns())
                .for_each(|column| hessian.extend_from_slice(&block.column(column)[column..]));
        }
        // No format of numbers holds an infinity everywhere: no margin yet is written as the largest number.
        let sums = (from.weight, from.loss, from.margin.min(f64::MAX));
        let (frame, classes, at, count, gradient) =
            (from.frame, from.classes as u64, from.at, from.count, from.gradient);
        Self { frame, classes, at, count, sums, gradient, hessian }
    }
}

impl TryFrom<Stored> for LogisticStatistics {
    type Error = Error;

    fn try_from(stored: Stored) -> Result<Self> {
        let Stored { frame, classes, at, count, sums: (weight, loss, margin), gradient, hessian } = stored;
        let p = frame.dim() + 1;
        let classes = usize::try_from(classes).unwrap_or(usize::MAX);
        let functions = at.len() / p;
        let fits = functions * p == at.len()
            && (functions == 1 && classes == 2 || functions == classes && classes >= 2);
        if !fits {
            return Err(Error::Length {
                what: "the point of the statistics",
                expected: classes,
                found: functions,
            });
        }
        let expected = functions * (functions + 1) / 2 * (p * (p + 1) / 2);
        for (expected, found) in [(at.len(), gradient.len()), (expected, hessian.len())] {
            if found != expected {
                return Err(Error::Length { what: "the gradient or the Hessian", expected, found });
            }
        }
        let finite = at.iter().chain(&gradient).chain(&hessian).all(|value| value.is_finite());
        if !(finite
            && weight >= 0.0
            && weight.is_finite()
            && loss >= 0.0
            && loss.is_finite()
            && !margin.is_nan())
        {
            return Err(Error::Numerical { what: "a sum of the statistics" });
        }
        let mut all = Self::at(frame, classes, at)?;
        let mut values = hessian.into_iter();
        for block in &mut all.blocks {
            for column in 0..p {
                block.column_mut(column)[column..]
                    .iter_mut()
                    .zip(&mut values)
                    .for_each(|(to, from)| *to = from);
            }
        }
        let margin = if margin == f64::MAX { f64::INFINITY } else { margin };
        Ok(Self { count, weight, loss, margin, gradient, ..all })
    }
}
