//! What is known of a machine: numbers, from any learner.

use lm_core::{Error, Result};

use crate::domain::{all_finite, examples, part, positive};

/// Errors on examples that took no part in the training.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct HeldOut {
    /// The errors.
    pub errors: u64,
    /// The examples.
    pub size: u64,
}

impl HeldOut {
    /// The share of errors.
    pub fn share(self) -> f64 {
        self.errors as f64 / self.size as f64
    }
}

/// A figure of leaving one out, which another module or program has computed: a share of the examples.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LeaveOneOutFigure {
    /// `#sv/ℓ`.
    SupportVectors,
    /// The bound of Jaakkola and Haussler.
    JaakkolaHaussler,
    /// The ξα estimate of Joachims.
    XiAlpha,
    /// The radius–margin bound of Vapnik.
    RadiusMargin,
    /// The span bound of Vapnik and Chapelle.
    Span,
    /// Generalised approximate cross-validation, of Wahba, Lin and Zhang.
    Gacv,
    /// The exact share, each example left out in turn and the machine trained again.
    Exact,
}

/// What the bound of Winnow needs: see [`crate::mistakes::winnow::mistakes`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WinnowEvidence {
    /// The number of attributes, with that of the bias.
    pub attributes: u64,
    /// The largest attribute, by size.
    pub largest: f64,
    /// The margin by weights of 1-norm 1.
    pub margin: f64,
    /// The sum of the slacks of the examples.
    pub slack: f64,
    /// The promotion `α`.
    pub promotion: f64,
}

/// Numbers about a machine and its training set. Only the number of examples is needed; the ledger has the bounds for which the
/// rest suffices.
#[derive(Debug, Clone, PartialEq)]
pub struct Evidence {
    pub(super) examples: u64,
    pub(super) training_errors: Option<u64>,
    pub(super) dimension: Option<u64>,
    pub(super) margins: Option<Vec<f64>>,
    pub(super) cosines: Option<Vec<f64>>,
    pub(super) radius: Option<f64>,
    pub(super) trace: Option<f64>,
    pub(super) bias: Option<f64>,
    pub(super) support: Option<(u64, Option<u64>)>,
    pub(super) mistakes: Option<(u64, Option<u64>)>,
    pub(super) winnow: Option<WinnowEvidence>,
    pub(super) held_out: Option<HeldOut>,
    pub(super) left_out: Vec<(LeaveOneOutFigure, f64)>,
}

impl Evidence {
    /// About a machine that was trained on so many examples.
    pub fn new(examples: u64) -> Self {
        Self {
            examples,
            training_errors: None,
            dimension: None,
            margins: None,
            cosines: None,
            radius: None,
            trace: None,
            bias: None,
            support: None,
            mistakes: None,
            winnow: None,
            held_out: None,
            left_out: Vec::new(),
        }
    }

    /// The errors on the training set.
    #[must_use]
    pub fn with_training_errors(self, errors: u64) -> Self {
        Self { training_errors: Some(errors), ..self }
    }

    /// The Vapnik–Chervonenkis dimension of the class of functions: `n + 1` for hyperplanes with a bias over `n` attributes.
    #[must_use]
    pub fn with_dimension(self, dimension: u64) -> Self {
        Self { dimension: Some(dimension), ..self }
    }

    /// The geometric margin `yᵢf(xᵢ)/‖w‖` of every example, such as those of [`lm_core::Margins`].
    #[must_use]
    pub fn with_margins(self, margins: Vec<f64>) -> Self {
        Self { margins: Some(margins), ..self }
    }

    /// `yᵢ⟨w·xᵢ⟩/(‖w‖‖xᵢ‖)` for every example, of a machine without a bias, or with the bias as the weight of a constant attribute.
    #[must_use]
    pub fn with_cosines(self, cosines: Vec<f64>) -> Self {
        Self { cosines: Some(cosines), ..self }
    }

    /// `R`: the examples lie in a ball of this radius around the origin.
    #[must_use]
    pub fn with_radius(self, radius: f64) -> Self {
        Self { radius: Some(radius), ..self }
    }

    /// `Σ K(xᵢ, xᵢ)`. Default: `ℓR²`, if there is a radius.
    #[must_use]
    pub fn with_trace(self, trace: f64) -> Self {
        Self { trace: Some(trace), ..self }
    }

    /// `b/‖w‖` of a machine whose bias is no attribute. Default: there is none.
    #[must_use]
    pub fn with_bias(self, bias: f64) -> Self {
        Self { bias: Some(bias), ..self }
    }

    /// The number of support vectors, from which alone the machine would be the same.
    #[must_use]
    pub fn with_support(self, support: u64) -> Self {
        Self { support: Some((support, None)), ..self }
    }

    /// The number of support vectors, and the errors on the other examples.
    #[must_use]
    pub fn with_support_and_errors(self, support: u64, errors_beside: u64) -> Self {
        Self { support: Some((support, Some(errors_beside))), ..self }
    }

    /// The mistakes of a perceptron in its first pass over the examples, and over all passes if it ended without a mistake.
    #[must_use]
    pub fn with_mistakes(self, first_pass: u64, all_passes: Option<u64>) -> Self {
        Self { mistakes: Some((first_pass, all_passes)), ..self }
    }

    /// What Winnow's bound needs.
    #[must_use]
    pub fn with_winnow(self, winnow: WinnowEvidence) -> Self {
        Self { winnow: Some(winnow), ..self }
    }

    /// Errors on examples that were held out.
    #[must_use]
    pub fn with_held_out(self, errors: u64, size: u64) -> Self {
        Self { held_out: Some(HeldOut { errors, size }), ..self }
    }

    /// A figure of leaving one out, as a share of the examples.
    #[must_use]
    pub fn with_left_out(mut self, figure: LeaveOneOutFigure, share: f64) -> Self {
        self.left_out.push((figure, share));
        self
    }

    /// What no bound would check.
    pub(super) fn check(&self) -> Result<()> {
        examples(self.examples)?;
        for (what, list) in [("margin", &self.margins), ("cosine", &self.cosines)] {
            let Some(list) = list else { continue };
            all_finite(what, list)?;
            if list.len() as u64 != self.examples {
                let expected = usize::try_from(self.examples).unwrap_or(usize::MAX);
                return Err(Error::Length { what: "the list of margins", expected, found: list.len() });
            }
        }
        self.radius.map_or(Ok(0.0), |radius| positive("radius", radius))?;
        self.training_errors.map_or(Ok(0), |errors| part("training errors", errors, self.examples))?;
        if let Some(&(_, share)) = self.left_out.iter().find(|(_, share)| !(*share >= 0.0)) {
            let accepted = "a number ≥ 0";
            return Err(Error::Setting { name: "figure of leaving one out", value: share, accepted });
        }
        Ok(())
    }

    /// The training errors: as given, or the margins below 0.
    pub(super) fn errors(&self) -> Option<u64> {
        let below = |margins: &Vec<f64>| margins.iter().filter(|&&margin| margin <= 0.0).count() as u64;
        self.training_errors.or_else(|| self.margins.as_ref().map(below))
    }
}
