//! The model file: a machine with everything that is needed to use it and to check it.
//!
//! It is the container of `lm-core` (magic, version, kind, length, checksum), written to a temporary file in the same folder,
//! synced and renamed, so that the path holds the old model or the new one at every moment.

use lm_core::persist::{self, Persist};
use lm_core::{Error, Stop};
use lm_data::scaling::Scaler;
use serde::{Deserialize, Serialize};

use crate::failure::{Failure, Outcome};
use crate::input::{Data, Expected, Stored};
use crate::machine::{Evidence, Machine};
use crate::settings::Settings;

/// A trained machine as it is kept.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(try_from = "Unchecked")]
pub(crate) struct Model {
    /// The version of the program that wrote it.
    pub(crate) program: String,
    pub(crate) settings: Settings,
    /// The width of the examples before scaling.
    pub(crate) dim: usize,
    /// The names of the features, if the data had a header.
    pub(crate) features: Option<Vec<String>>,
    pub(crate) target: Option<String>,
    pub(crate) class_names: Option<Vec<String>>,
    pub(crate) scaler: Option<Scaler>,
    pub(crate) machine: Machine,
    pub(crate) evidence: Evidence,
    pub(crate) weights: Option<Vec<f64>>,
    pub(crate) support: Option<usize>,
    /// SHA-256 of the data it was trained on, and how many examples these were.
    pub(crate) data_hash: String,
    pub(crate) examples: usize,
    /// Why the run ended; none for a model of another program.
    pub(crate) stop: Option<Stop>,
    pub(crate) iterations: u64,
}

/// What a decoder reads before it is checked.
#[derive(Deserialize)]
struct Unchecked {
    program: String,
    settings: Settings,
    dim: usize,
    features: Option<Vec<String>>,
    target: Option<String>,
    class_names: Option<Vec<String>>,
    scaler: Option<Scaler>,
    machine: Machine,
    evidence: Evidence,
    weights: Option<Vec<f64>>,
    support: Option<usize>,
    data_hash: String,
    examples: usize,
    stop: Option<Stop>,
    iterations: u64,
}

impl TryFrom<Unchecked> for Model {
    type Error = Error;

    fn try_from(stored: Unchecked) -> Result<Self, Error> {
        let Unchecked { program, settings, dim, features, target, class_names, scaler, machine, .. } = stored;
        let Unchecked { evidence, weights, support, data_hash, examples, stop, iterations, .. } = stored;
        let length = |what, expected, found| Err(Error::Length { what, expected, found });
        if let Some(found) = features.as_ref().map(Vec::len).filter(|&found| found != dim) {
            return length("the list of features", dim, found);
        }
        if let Some(found) = scaler.as_ref().map(Scaler::dim).filter(|&found| found != dim) {
            return length("the scaling", dim, found);
        }
        if let Some(found) = weights.as_ref().map(Vec::len).filter(|&found| found != examples) {
            return length("the list of weights", examples, found);
        }
        if let (Some(names), Some(classes)) = (&class_names, machine.classes()) {
            let known = |class: &i64| usize::try_from(*class).is_ok_and(|class| class < names.len());
            if let Some(row) = classes.iter().position(|class| !known(class)) {
                return Err(Error::Label {
                    row,
                    value: classes[row] as f64,
                    accepted: "a class with a name",
                });
            }
        }
        Ok(Self {
            program,
            settings,
            dim,
            features,
            target,
            class_names,
            scaler,
            machine,
            evidence,
            weights,
            support,
            data_hash,
            examples,
            stop,
            iterations,
        })
    }
}

impl Persist for Model {
    const KIND: &'static str = "lm-program-model";
    const VERSION: u16 = 1;
}

impl Model {
    /// What the model knows of data before they are read.
    pub(crate) fn expected(&self, target_optional: bool) -> Expected {
        Expected {
            format: None,
            target: None,
            dim: Some(self.dim),
            features: self.features.clone(),
            classes: self.class_names.clone(),
            target_optional,
        }
    }

    /// Data as the machine takes them.
    pub(crate) fn scaled(&self, data: &Data) -> Outcome<Stored> {
        match &self.scaler {
            Some(scaler) => scaled(scaler, data),
            None => Ok(data.examples.clone()),
        }
    }

    /// What a class is called.
    pub(crate) fn class_name(&self, class: i64) -> String {
        let names = self.class_names.as_ref();
        let name = names.and_then(|names| usize::try_from(class).ok().and_then(|class| names.get(class)));
        name.cloned().unwrap_or_else(|| class.to_string())
    }
}

/// Scaled examples: sparse where zeros stay zeros, dense otherwise.
pub(crate) fn scaled(scaler: &Scaler, data: &Data) -> Outcome<Stored> {
    /// Entries that are written out at most for sparse data whose zeros do not stay zeros.
    const MOST: usize = 1 << 28;
    if let Stored::Sparse(set) = &data.examples {
        if let Ok(scaled) = scaler.apply_sparse(set) {
            return Ok(Stored::Sparse(scaled));
        }
        if data.len().saturating_mul(data.set_dim()) > MOST {
            let message = "this scaling turns zeros into other numbers, and sparse data of this size would not fit into memory; accepted is `--scale none`";
            return Err(Failure::new(message));
        }
    }
    Ok(Stored::Dense(scaler.apply(data.set())?))
}

/// Reads a model file.
pub(crate) fn load(path: &str) -> Outcome<Model> {
    persist::load(path).map_err(|error| Failure::from(error).at(path))
}

/// Writes a model file; the path holds the old model or the new one at every moment.
pub(crate) fn save(path: &str, model: &Model) -> Outcome<()> {
    persist::save(path, model).map_err(|error| Failure::from(error).at(path))
}
