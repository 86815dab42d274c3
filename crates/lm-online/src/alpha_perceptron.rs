//! The α-perceptron: a perceptron behind a fixed layer of random threshold units.
//!
//! # Problem
//! ```text
//! find v and b with  yᵢ (⟨v·φ(xᵢ)⟩ + b) > 0  for every i ,   φₖ(x) = 1 if ⟨rₖ·x⟩ ≥ θₖ, otherwise 0
//! ```
//! # Method
//! Each unit is connected to a few attributes drawn by lot, with weights +1 or −1; its threshold is drawn between the
//! smallest and the largest sum that the examples give it, so that it tells some of them apart. The layer is drawn once and
//! never learns; the [perceptron](crate::Perceptron) learns from what it puts out. Units cut the space into cells, so that
//! classes that no hyperplane separates may become separable.
//! # Cost
//! The outputs of `m` units for `n` examples, `8nm` bytes; then that of the perceptron on `m` attributes.
//! # Reference
//! Rosenblatt (1962), *Principles of Neurodynamics*, chapters 4 and 5.

use lm_core::{
    BinaryLabels, Certificate, Control, Error, Examples, FeatureMap, Fit, Hypothesis, Learner, Linear,
    Result, TrainingSet, Verdict,
};
use rand::rngs::ChaCha8Rng;
use rand::seq::index;
use rand::{RngExt, SeedableRng};

use crate::visits::Visits;
use crate::words::{Walk, setters};
use crate::{Bias, Perceptron, PerceptronRule, Trace};

/// The settings of the α-perceptron.
///
/// ```
/// use lm_core::{Certificate, Hypothesis, Learner, TrainingSet};
/// use lm_data::generate::noisy_xor;
/// use lm_online::AlphaPerceptron;
///
/// // No hyperplane separates the corners of a square.
/// let data = noisy_xor(200, 0.2, 1)?;
/// let fit = AlphaPerceptron::default().fit(&data.examples, &data.labels)?.converged()?;
/// assert_eq!(fit.model.signs(&data.examples)?, data.labels.signs());
/// assert!(fit.certificate.verify(&TrainingSet::new(&data.examples, &data.labels)?)?.is_valid());
/// # Ok::<(), lm_core::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AlphaPerceptron {
    walk: Walk,
    units: usize,
    connections: usize,
    seed: u64,
}

impl Default for AlphaPerceptron {
    fn default() -> Self {
        Self { walk: Walk::new(1_000, Bias::Standard), units: 500, connections: 4, seed: 0 }
    }
}

impl AlphaPerceptron {
    setters! { passes = "1000", order, bias = "Standard" }

    /// The number of units in the layer. At least 1; default 500.
    #[must_use]
    pub fn with_units(self, units: usize) -> Self {
        Self { units, ..self }
    }

    /// The number of attributes that each unit is connected to, or all of them if there are fewer. At least 1; default 4.
    #[must_use]
    pub fn with_connections(self, connections: usize) -> Self {
        Self { connections, ..self }
    }

    /// Where the random numbers of the layer begin. Default 0.
    #[must_use]
    pub fn with_seed(self, seed: u64) -> Self {
        Self { seed, ..self }
    }

    fn validate(&self) -> Result<()> {
        self.walk.validate()?;
        for (name, value) in [("units", self.units), ("connections", self.connections)] {
            if value == 0 {
                return Err(Error::Setting { name, value: 0.0, accepted: "an integer of at least 1" });
            }
        }
        Ok(())
    }
}

impl<E: Examples + ?Sized> Learner<E, BinaryLabels> for AlphaPerceptron {
    type Model = AlphaModel;
    type Certificate = AlphaTrace;

    fn fit_with(
        &self,
        set: &TrainingSet<'_, E, BinaryLabels>,
        control: &Control<'_>,
    ) -> Result<Fit<AlphaModel, AlphaTrace>> {
        self.validate()?;
        let layer = Layer::draw(self, set.examples(), &Visits::of(set)?)?;
        let needed = set.len().saturating_mul(self.units).saturating_mul(size_of::<f64>());
        control.budget().check_memory("the outputs of the layer", needed)?;
        let outputs = layer.expand(set.examples())?;
        let Walk { passes, order, bias, .. } = self.walk;
        let perceptron = Perceptron::default().with_passes(passes).with_order(order).with_bias(bias);
        let fit = perceptron.fit_with(&set.over(&outputs)?, control)?;
        let model = AlphaModel { layer: layer.clone(), function: fit.model };
        Ok(Fit { model, report: fit.report, certificate: AlphaTrace { layer, trace: fit.certificate } })
    }
}

/// A fixed layer of threshold units: `φₖ(x) = 1` if `⟨rₖ·x⟩ ≥ θₖ`, otherwise 0.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "StoredLayer", into = "StoredLayer"))]
pub struct Layer {
    dim: usize,
    /// For each unit as many attributes, and +1 or −1 for each.
    connections: usize,
    attributes: Vec<u32>,
    signs: Vec<f64>,
    thresholds: Vec<f64>,
}

impl Layer {
    /// Draws the layer for a set of examples.
    fn draw<E: Examples + ?Sized>(settings: &AlphaPerceptron, examples: &E, visits: &Visits) -> Result<Self> {
        let dim = examples.dim();
        let connections = settings.connections.min(dim);
        let mut random = ChaCha8Rng::seed_from_u64(settings.seed);
        let (mut attributes, mut signs) = (Vec::new(), Vec::new());
        for _ in 0..settings.units {
            let drawn = index::sample(&mut random, dim, connections);
            attributes.extend(drawn.iter().map(|attribute| attribute as u32));
            signs.extend((0..connections).map(|_| if random.random::<bool>() { 1.0 } else { -1.0 }));
        }
        let shares: Vec<f64> = (0..settings.units).map(|_| random.random::<f64>()).collect();
        let mut layer = Self { dim, connections, attributes, signs, thresholds: vec![0.0; settings.units] };
        let mut ends = vec![(f64::INFINITY, f64::NEG_INFINITY); settings.units];
        let mut example = vec![0.0; dim];
        for row in (0..examples.len()).filter(|&row| visits.to(row) > 0) {
            examples.row(row).write_to(&mut example);
            for (unit, (low, high)) in ends.iter_mut().enumerate() {
                let sum = layer.sum(unit, &example);
                (*low, *high) = (low.min(sum), high.max(sum));
            }
        }
        for ((threshold, (low, high)), share) in layer.thresholds.iter_mut().zip(ends).zip(shares) {
            *threshold = low + share * (high - low);
        }
        Self::checked(layer)
    }

    fn checked(self) -> Result<Self> {
        let entries = self.thresholds.len().checked_mul(self.connections);
        let found = self.attributes.len();
        if entries != Some(found) || self.signs.len() != found || found == 0 {
            let expected = entries.unwrap_or(usize::MAX);
            return Err(Error::Length { what: "the list of connections", expected, found });
        }
        if let Some(&index) = self.attributes.iter().find(|&&attribute| attribute as usize >= self.dim) {
            return Err(Error::Index { what: "attribute", index: index as usize, len: self.dim });
        }
        if self.signs.iter().chain(&self.thresholds).all(|value| value.is_finite()) {
            Ok(self)
        } else {
            Err(Error::Numerical { what: "a threshold of the layer (rescale the examples)" })
        }
    }

    /// `⟨rₖ·x⟩`.
    fn sum(&self, unit: usize, x: &[f64]) -> f64 {
        let range = unit * self.connections..(unit + 1) * self.connections;
        let pairs = self.attributes[range.clone()].iter().zip(&self.signs[range]);
        pairs.fold(0.0, |sum, (&attribute, sign)| sum + sign * x[attribute as usize])
    }
}

impl FeatureMap for Layer {
    fn dim_in(&self) -> usize {
        self.dim
    }

    fn dim_out(&self) -> usize {
        self.thresholds.len()
    }

    fn map_into(&self, x: &[f64], out: &mut [f64]) {
        for (unit, (out, threshold)) in out.iter_mut().zip(&self.thresholds).enumerate() {
            *out = f64::from(u8::from(self.sum(unit, x) >= *threshold));
        }
    }
}

/// A layer as it is kept.
#[cfg(feature = "serde")]
#[derive(serde::Serialize, serde::Deserialize)]
struct StoredLayer {
    dim: u64,
    connections: u64,
    #[serde(with = "lm_core::serde_array")]
    attributes: Vec<u32>,
    #[serde(with = "lm_core::serde_array")]
    signs: Vec<f64>,
    #[serde(with = "lm_core::serde_array")]
    thresholds: Vec<f64>,
}

#[cfg(feature = "serde")]
impl TryFrom<StoredLayer> for Layer {
    type Error = Error;

    fn try_from(stored: StoredLayer) -> Result<Self> {
        let StoredLayer { dim, connections, attributes, signs, thresholds } = stored;
        let address = |value: u64| {
            let too_large = Error::TooLarge { what: "the layer", size: usize::MAX, limit: usize::MAX };
            usize::try_from(value).map_err(|_| too_large)
        };
        let (dim, connections) = (address(dim)?, address(connections)?);
        Self { dim, connections, attributes, signs, thresholds }.checked()
    }
}

#[cfg(feature = "serde")]
impl From<Layer> for StoredLayer {
    fn from(layer: Layer) -> Self {
        let Layer { dim, connections, attributes, signs, thresholds } = layer;
        Self { dim: dim as u64, connections: connections as u64, attributes, signs, thresholds }
    }
}

/// A linear function of the outputs of a fixed layer.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "StoredModel"))]
pub struct AlphaModel {
    layer: Layer,
    function: Linear,
}

impl AlphaModel {
    /// The layer.
    pub fn layer(&self) -> &Layer {
        &self.layer
    }

    /// The function of its outputs.
    pub fn function(&self) -> &Linear {
        &self.function
    }
}

/// What a decoder reads before it is checked.
#[cfg(feature = "serde")]
#[derive(serde::Deserialize)]
struct StoredModel {
    layer: Layer,
    function: Linear,
}

#[cfg(feature = "serde")]
impl TryFrom<StoredModel> for AlphaModel {
    type Error = Error;

    fn try_from(stored: StoredModel) -> Result<Self> {
        let (expected, found) = (stored.layer.dim_out(), stored.function.weights().len());
        if expected == found {
            Ok(Self { layer: stored.layer, function: stored.function })
        } else {
            Err(Error::Length { what: "the weight vector", expected, found })
        }
    }
}

crate::words::kind!(AlphaModel, "alpha-perceptron");

impl<E: Examples + ?Sized> Hypothesis<E> for AlphaModel {
    fn decision_values_into(&self, set: &E, out: &mut [f64]) -> Result<()> {
        set.check_dim("the input of the layer", self.layer.dim)?;
        if out.len() != set.len() {
            let (expected, found) = (set.len(), out.len());
            return Err(Error::Length { what: "the array of decision values", expected, found });
        }
        let (mut example, mut outputs) = (vec![0.0; self.layer.dim], vec![0.0; self.layer.dim_out()]);
        for (row, out) in out.iter_mut().enumerate() {
            set.row(row).write_to(&mut example);
            if !example.iter().all(|value| value.is_finite()) {
                return Err(Error::NonFinite { what: "example", row, column: None });
            }
            self.layer.map_into(&example, &mut outputs);
            let products =
                outputs.iter().zip(self.function.weights()).map(|(output, weight)| output * weight);
            *out = products.sum::<f64>() + self.function.bias();
            if !out.is_finite() {
                return Err(Error::Numerical { what: "a decision value" });
            }
        }
        Ok(())
    }
}

/// The layer of a run, and its trace on what the layer puts out.
///
/// [`Certificate::verify`] computes the outputs anew and replays the run on them.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct AlphaTrace {
    layer: Layer,
    trace: Trace<PerceptronRule>,
}

impl AlphaTrace {
    /// The trace of the run on the outputs of the layer.
    pub fn trace(&self) -> &Trace<PerceptronRule> {
        &self.trace
    }
}

impl<E: Examples + ?Sized> Certificate<TrainingSet<'_, E, BinaryLabels>> for AlphaTrace {
    fn verify(&self, set: &TrainingSet<'_, E, BinaryLabels>) -> Result<Verdict> {
        let outputs = self.layer.expand(set.examples())?;
        self.trace.verify(&set.over(&outputs)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lm_core::Dense;

    #[test]
    fn every_unit_tells_some_examples_apart() {
        let values: Vec<f64> = (0..300).map(|k| f64::from(k * 37 % 101) / 7.0).collect();
        let examples = Dense::new(values, 60, 5).unwrap();
        let layer = Layer::draw(&AlphaPerceptron::default(), &examples, &Visits::Once).unwrap();
        let outputs = layer.expand(&examples).unwrap();
        for unit in 0..layer.dim_out() {
            let on = (0..60).filter(|&row| outputs.slice(row)[unit] == 1.0).count();
            assert!((1..60).contains(&on), "unit {unit} is on for {on} of 60");
        }
    }

    #[test]
    fn settings_outside_their_domain_are_refused_by_name() {
        let examples = Dense::new(vec![1.0, -2.0], 2, 1).unwrap();
        let labels = BinaryLabels::from_integers(&[1, -1]).unwrap();
        let refused = |learner: AlphaPerceptron| match learner.fit(&examples, &labels) {
            Err(Error::Setting { name, .. }) => name,
            other => panic!("{other:?}"),
        };
        assert_eq!(refused(AlphaPerceptron::default().with_units(0)), "units");
        assert_eq!(refused(AlphaPerceptron::default().with_connections(0)), "connections");
        assert_eq!(refused(AlphaPerceptron::default().with_passes(0)), "passes");
    }
}
