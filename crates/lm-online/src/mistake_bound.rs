//! Bounds on the mistakes of a perceptron, evaluated against its trace.
//!
//! Give every example the attribute `√β` that stands for the bias. A hyperplane `(w, b)` with `‖w‖ = 1` and margin `γ`
//! grows in inner product with the weights by at least `γ` a mistake, while their squared norm grows by at most
//! `R² + β` (and `2m/η` with a margin `m`); so there are at most
//!
//! ```text
//! (R² + β + 2m/η)(1 + b²/β) / γ²
//! ```
//!
//! of them (Novikoff). With `β = R²` and `|b| ≤ R` that is at most `(2R/γ)²`. Where examples fall short of `γ` by slacks
//! with the 2-norm `D`, another attribute `Δ` for each visit of the first pass, chosen well, makes up for them, and the
//! mistakes of that pass are at most
//!
//! ```text
//! (√((R² + β + 2m/η)(1 + b²/β)) + D)² / γ²
//! ```
//!
//! which with `β = R²` is at most `((2R + D)/γ)²`, and so at most the `(2(R + D)/γ)²` of Freund and Schapire.
//!
//! Reference: Novikoff (1962); Freund & Schapire (1999); Cristianini & Shawe-Taylor (2000), Theorems 2.3 and 2.7.

use lm_core::{BinaryLabels, Error, Examples, Linear, Result, TrainingSet};

use crate::perceptron::PerceptronRule;
use crate::trace::plain_radius_squared;
use crate::visits::Visits;
use crate::{Bias, Trace};

/// A bound on the number of mistakes, and that number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MistakeBound {
    /// The bound as its theorem states it: `(2R/γ)²` or `(2(R + D)/γ)²` with [`Bias::Radius`], otherwise the bound of the
    /// proof.
    pub bound: f64,
    /// The bound that the proof gives before it is made simple: at most [`MistakeBound::bound`] for a hyperplane within
    /// the radius of the data.
    pub sharper: f64,
    /// The mistakes that it bounds: all corrections, or those of the first pass.
    pub mistakes: u64,
    /// `R`, the largest norm of an example.
    pub radius: f64,
    /// `γ`, the margin of the hyperplane.
    pub margin: f64,
    /// `D`, the 2-norm of the slacks; 0 for a hyperplane that separates.
    pub slack: f64,
}

impl MistakeBound {
    /// Whether the mistakes keep to the bound.
    pub fn holds(&self) -> bool {
        self.mistakes as f64 <= self.bound
    }
}

impl Trace<PerceptronRule> {
    /// Novikoff's bound on the number of corrections, for any hyperplane that separates the examples: that of a converged
    /// run, or a better one.
    ///
    /// ```
    /// use lm_core::{BinaryLabels, Dense, Learner, TrainingSet};
    /// use lm_online::Perceptron;
    ///
    /// let examples = Dense::new(vec![2.0, 1.0, 1.0, 2.0, -1.0, -2.0, -2.0, 0.0], 4, 2)?;
    /// let labels = BinaryLabels::from_integers(&[1, 1, -1, -1])?;
    /// let fit = Perceptron::default().fit(&examples, &labels)?.converged()?;
    /// let bound = fit.certificate.novikoff(&TrainingSet::new(&examples, &labels)?, &fit.model)?;
    /// assert!(bound.holds() && bound.mistakes >= 1);
    /// # Ok::<(), lm_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Setting`] for a hyperplane that does not separate the examples, for one with a bias where the run had none,
    /// and for a run whose learning rate was not constant; [`Error::Length`] for another dimension.
    pub fn novikoff<E: Examples + ?Sized>(
        &self,
        set: &TrainingSet<'_, E, BinaryLabels>,
        hyperplane: &Linear,
    ) -> Result<MistakeBound> {
        let margins = Distances::of(set, hyperplane)?;
        if !(margins.smallest > 0.0) {
            return Err(Error::Setting {
                name: "margin of the hyperplane",
                value: margins.smallest,
                accepted: "a number > 0: every example on its side",
            });
        }
        self.bound(&margins, margins.smallest, 0.0, self.journal().corrections())
    }

    /// The bound of Freund and Schapire on the corrections of the first pass, for any hyperplane and any margin `γ > 0`:
    /// examples may fall short of it, or lie on the wrong side.
    ///
    /// # Errors
    /// [`Error::Setting`] unless `γ` is a finite number > 0, for a hyperplane with a bias where the run had none, and for a
    /// run whose learning rate was not constant; [`Error::Length`] for another dimension.
    pub fn freund_schapire<E: Examples + ?Sized>(
        &self,
        set: &TrainingSet<'_, E, BinaryLabels>,
        hyperplane: &Linear,
        gamma: f64,
    ) -> Result<MistakeBound> {
        if !(gamma > 0.0 && gamma.is_finite()) {
            return Err(Error::Setting { name: "gamma", value: gamma, accepted: "a finite number > 0" });
        }
        let margins = Distances::of(set, hyperplane)?;
        let slack = margins.slack(gamma);
        self.bound(&margins, gamma, slack, self.journal().corrections_in_first_pass())
    }

    fn bound(&self, margins: &Distances, gamma: f64, slack: f64, mistakes: u64) -> Result<MistakeBound> {
        let (bias, beta) = (margins.bias, self.bias_step());
        if self.bias() == Bias::None && bias != 0.0 {
            let accepted = "0: the run had no bias";
            return Err(Error::Setting { name: "bias of the hyperplane", value: bias, accepted });
        }
        if !self.rule().schedule().is_constant() {
            let value = self.rule().schedule().rate(2);
            return Err(Error::Setting {
                name: "schedule",
                value,
                accepted: "the same rate in every correction",
            });
        }
        let radius_squared = margins.radius_squared;
        let growth = radius_squared + beta + 2.0 * crate::rule::Rule::margin(self.rule());
        let stretch = if bias == 0.0 { 1.0 } else { 1.0 + bias * bias / beta };
        let squared = |length: f64| (length / gamma) * (length / gamma);
        let sharper = squared((growth * stretch).sqrt() + slack);
        let radius = radius_squared.sqrt();
        let plain = self.bias() == Bias::Radius && crate::rule::Rule::margin(self.rule()) == 0.0;
        // The theorem is about a radius that no example exceeds. That of the run was summed in another order.
        let stated = plain && beta >= radius_squared * (1.0 - 1e-9);
        let largest = beta.max(radius_squared).sqrt();
        let bound = if stated { squared(2.0 * (largest + slack)) } else { sharper };
        Ok(MistakeBound { bound, sharper, mistakes, radius, margin: gamma, slack })
    }
}

/// The signed distances of examples to a hyperplane, and what else the bounds need.
struct Distances {
    /// Distances and how often their example is visited in a pass.
    all: Vec<(f64, f64)>,
    smallest: f64,
    /// The bias of the hyperplane with `‖w‖ = 1`.
    bias: f64,
    radius_squared: f64,
}

impl Distances {
    fn of<E: Examples + ?Sized>(set: &TrainingSet<'_, E, BinaryLabels>, hyperplane: &Linear) -> Result<Self> {
        let (examples, norm) = (set.examples(), hyperplane.norm());
        examples.check_dim("the weight vector", hyperplane.weights().len())?;
        let distance = |row: usize| {
            let mut value = hyperplane.bias();
            examples.row(row).for_each(|k, x| value += hyperplane.weights()[k] * x);
            set.labels().signs()[row].value() * value / norm
        };
        let rows = (0..set.len()).filter(|&row| set.weight(row) > 0.0);
        let all: Vec<(f64, f64)> = rows.map(|row| (distance(row), set.weight(row))).collect();
        if !all.iter().all(|(distance, _)| distance.is_finite()) {
            return Err(Error::Numerical { what: "the distance to the hyperplane" });
        }
        let smallest = all.iter().fold(f64::INFINITY, |smallest, (distance, _)| smallest.min(*distance));
        let radius_squared = plain_radius_squared(examples, &Visits::of(set)?);
        Ok(Self { all, smallest, bias: hyperplane.bias() / norm, radius_squared })
    }

    /// The 2-norm of what the examples fall short of a margin by, each counted as often as it is visited.
    fn slack(&self, gamma: f64) -> f64 {
        let square = |(distance, visits): &(f64, f64)| visits * (gamma - distance).max(0.0).powi(2);
        self.all.iter().map(square).sum::<f64>().sqrt()
    }
}
