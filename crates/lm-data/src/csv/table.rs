//! What a table holds besides numbers: the names of its columns and classes.

use lm_core::{Dense, Element};

use crate::Labelled;

/// A table in memory: examples, labels, and what they are called.
#[derive(Debug, Clone, PartialEq)]
pub struct Table<T: Element = f64> {
    /// The examples and their labels: targets, or class numbers.
    pub data: Labelled<Dense<'static, T>>,
    /// What the columns and the classes are called.
    pub columns: Columns,
}

/// The names of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Columns {
    /// The names of the features, in the order of the columns.
    pub features: Vec<String>,
    /// The name of the target.
    pub target: String,
    /// If the target is a name: the classes, whose positions are the labels.
    pub classes: Option<Vec<String>>,
}

impl Columns {
    /// The names `x1`, `x2`, … and `y`, for tables without a header.
    pub fn numbered(features: usize) -> Self {
        Self {
            features: (1..=features).map(|k| format!("x{k}")).collect(),
            target: "y".to_owned(),
            classes: None,
        }
    }
}
