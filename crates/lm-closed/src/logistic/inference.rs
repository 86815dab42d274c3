//! What a maximum of the likelihood says about its own precision: standard errors from the inverse Hessian.

use lm_core::{BinaryLabels, Control, Error, Examples, Result, TrainingSet};

use super::LogisticStatistics;
use super::binary::LogisticModel;
use super::curvature::Curvature;
use super::frame::Frame;
use super::sample::Sample;

/// Standard errors of the coefficients of a logistic model without a penalty.
#[derive(Debug, Clone, PartialEq)]
pub struct LogisticInference {
    errors: Vec<f64>,
    bias_error: f64,
    log_likelihood: f64,
    null_log_likelihood: f64,
}

impl LogisticInference {
    /// The standard error of each weight.
    pub fn standard_errors(&self) -> &[f64] {
        &self.errors
    }

    /// The standard error of the bias.
    pub fn bias_error(&self) -> f64 {
        self.bias_error
    }

    /// The logarithm of the likelihood of the labels.
    pub fn log_likelihood(&self) -> f64 {
        self.log_likelihood
    }

    /// The same of the model that knows the shares of the classes only: twice the difference is the statistic of a
    /// likelihood ratio test.
    pub fn null_log_likelihood(&self) -> f64 {
        self.null_log_likelihood
    }
}

impl LogisticModel {
    /// Standard errors `√(XᵗWX)⁻¹ₖₖ`, which mean what they should at a maximum of the likelihood: for a fit without a
    /// penalty that converged, on the data that it learned from. One sweep.
    ///
    /// ```
    /// use lm_closed::Logistic;
    /// use lm_core::{BinaryLabels, Dense, Learner, TrainingSet};
    ///
    /// // A column of 0 and 1: log odds of 1/3 and 2/4, with variances 1/1 + 1/3 and 1/2 + 1/2 + …
    /// let examples = Dense::new(vec![0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0], 8, 1)?;
    /// let labels = BinaryLabels::from_integers(&[0, 0, 0, 1, 0, 0, 1, 1])?;
    /// let fit = Logistic::default().with_penalty(0.0).with_tolerance(1e-14).fit(&examples, &labels)?;
    /// let inference = fit.model.inference(&TrainingSet::new(&examples, &labels)?)?;
    /// assert!((inference.bias_error() - (1.0_f64 + 1.0 / 3.0).sqrt()).abs() < 1e-9);
    /// # Ok::<(), lm_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Length`] for examples of another dimension, [`Error::Numerical`] if the data do not determine all
    /// coefficients.
    pub fn inference<E: Examples + ?Sized>(
        &self,
        set: &TrainingSet<'_, E, BinaryLabels>,
    ) -> Result<LogisticInference> {
        set.examples().check_dim("the weight vector", self.function().weights().len())?;
        let sample = Sample::binary(set);
        let frame = Frame::of(sample.examples, sample.weights, 0.0)?;
        let empty = LogisticStatistics::binary(&frame, self.function())?;
        let mut meter = Control::default().start(u64::MAX);
        let total = sample.statistics(&empty, false, &mut meter)?;
        let total = total.map_err(|_| Error::Numerical { what: "the Hessian" })?;
        let curvature = Curvature::of(total.hessian()?)?;
        let dim = frame.dim();
        if curvature.rank() <= dim {
            return Err(Error::Numerical {
                what: "the standard error of coefficients that the data do not determine",
            });
        }
        let inverse = curvature.inverse()?;
        let errors = (0..dim).map(|k| inverse[(k, k)].max(0.0).sqrt() * frame.scale()[k]).collect();
        // b = b̃ − Σ cₖsₖw̃ₖ.
        let map: Vec<f64> = frame
            .centre()
            .iter()
            .zip(frame.scale())
            .map(|(centre, scale)| -centre * scale)
            .chain([1.0])
            .collect();
        let mut variance = 0.0;
        for (k, a) in map.iter().enumerate() {
            variance += a * inverse.column(k).iter().zip(&map).map(|(value, b)| value * b).sum::<f64>();
        }
        let totals = sample.class_weights();
        let all: f64 = totals.iter().sum();
        let null_log_likelihood = totals.iter().map(|total| total * (total / all).ln()).sum();
        let (bias_error, log_likelihood) = (variance.max(0.0).sqrt(), -total.loss());
        Ok(LogisticInference { errors, bias_error, log_likelihood, null_log_likelihood })
    }
}
