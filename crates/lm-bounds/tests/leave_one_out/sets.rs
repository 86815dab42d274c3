//! Small real sets for the tests of this crate: those that come with the workspace, and public ones beside it if they are there.

use std::path::PathBuf;

use lm_core::{BinaryLabels, Dense, Examples};
use lm_data::scaling::{Scaler, Scaling};
use lm_data::{classic, svmlight};

/// Examples between −1 and 1 and their labels.
pub(crate) struct Set {
    pub(crate) name: String,
    pub(crate) examples: Dense<'static>,
    pub(crate) labels: BinaryLabels,
}

impl Set {
    fn new(name: String, examples: &Dense<'_>, labels: &[f64]) -> Self {
        let scaler = Scaler::fit(examples, Scaling::MinMax { low: -1.0, high: 1.0 }).unwrap();
        let labels = BinaryLabels::from_numbers(labels).unwrap();
        Self { name, examples: scaler.apply(examples).unwrap(), labels }
    }

    pub(crate) fn dim(&self) -> f64 {
        self.examples.dim() as f64
    }
}

/// The rows of two classes, every so many of them, so that there are at most this many.
fn pair(name: &str, examples: &Dense<'_>, classes: &[f64], pair: (f64, f64), most: usize) -> Set {
    let rows: Vec<usize> =
        (0..classes.len()).filter(|&row| classes[row] == pair.0 || classes[row] == pair.1).collect();
    let taken = rows.len().min(most);
    let rows: Vec<usize> = (0..taken).map(|k| rows[k * rows.len() / taken]).collect();
    let mut values = Vec::new();
    for &row in &rows {
        values.extend_from_slice(examples.slice(row));
    }
    let some = Dense::new(values, rows.len(), examples.dim()).unwrap();
    let labels: Vec<f64> = rows.iter().map(|&row| classes[row]).collect();
    Set::new(format!("{name} {} {}", pair.0, pair.1), &some, &labels)
}

/// Two of three irises, and pairs of digits: eleven sets of this workspace, at most this large.
pub(crate) fn bundled(most: usize) -> Vec<Set> {
    let mut sets = Vec::new();
    let (iris, digits) = (classic::iris().unwrap(), classic::digits().unwrap());
    for of in [(0.0, 1.0), (0.0, 2.0), (1.0, 2.0)] {
        sets.push(pair("iris", &iris.data.examples, &iris.data.labels, of, most));
    }
    for of in [(0.0, 8.0), (1.0, 2.0), (1.0, 7.0), (2.0, 3.0), (3.0, 8.0), (4.0, 9.0), (5.0, 9.0), (8.0, 9.0)]
    {
        sets.push(pair("digits", &digits.data.examples, &digits.data.labels, of, most));
    }
    sets
}

/// A public set that is not part of this repository: in the folder that `LM_DATA` names, or in the one beside the checkout.
pub(crate) fn public(name: &str, most: usize) -> Option<Set> {
    let beside = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let folder = std::env::var_os("LM_DATA").map_or(beside, PathBuf::from);
    let path = Some(folder.join(name).join("train.svm.gz")).filter(|path| path.is_file())?;
    let set = svmlight::open::<f64>(&path, &svmlight::Options::default()).unwrap();
    let scaler = Scaler::fit(&set.examples, Scaling::MinMax { low: -1.0, high: 1.0 }).unwrap();
    let dense = scaler.apply(&set.examples).unwrap();
    let low = set.labels.iter().copied().fold(f64::INFINITY, f64::min);
    let high = set.labels.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let mut set = pair(name, &dense, &set.labels, (low, high), most);
    set.name = name.to_string();
    Some(set)
}

/// The names of the public sets of two classes that the tables are about.
pub(crate) const PUBLIC: [&str; 8] = [
    "heart_scale",
    "sonar_scale",
    "ionosphere_scale",
    "german_numer_scale",
    "australian_scale",
    "diabetes_scale",
    "breast-cancer_scale",
    "splice",
];
