//! Models of LIBSVM as types of this workspace, and back.
//!
//! Here a pair of classes is positive for the larger one and classes increase; in a file a pair is positive for the first, and
//! classes stand in any order. What is written from here has its classes in decreasing order, so that signs stay.

use std::collections::HashMap;
use std::hash::{Hash, Hasher};

use lm_core::multiclass::OneVsOneModel;
use lm_core::probability::{Calibrated, Sigmoid};
use lm_core::{DualExpansion, Error, Linear, Result, Row, VectorExpansion, VectorKernel};

use super::model::{
    Functions, Kernel, Model, Pieces, Support, Task, class_of_each, kernel_words, pair_number,
    pair_of_column, width,
};

impl Model {
    /// The functions of all pairs of classes as this workspace has them.
    ///
    /// # Errors
    /// [`Error::Classes`] unless the machine tells classes apart, [`Error::Layout`] for a precomputed kernel (see
    /// [`Model::to_dual_pairs`]).
    pub fn to_pairs(&self) -> Result<OneVsOneModel<VectorExpansion>> {
        let Functions::Vectors(functions) = &self.functions else { return Err(not_vectors()) };
        self.pairs(|pair, sign| scaled(&functions.function(pair)?, sign))
    }

    /// The functions of all pairs of classes and their sigmoids.
    ///
    /// # Errors
    /// As [`Model::to_pairs`]; [`Error::Empty`] if the file has no sigmoids.
    pub fn to_calibrated(&self) -> Result<Calibrated<VectorExpansion>> {
        let Some((slopes, offsets)) = self.sigmoids() else {
            return Err(Error::Empty { what: "the list of sigmoids (probA and probB)" });
        };
        // P(first) = 1/(1 + exp(A f + B)); for the function −f of the second class, P(second) = 1/(1 + exp(A(−f) − B)).
        let sigmoids = self.pairs(|pair, sign| Sigmoid::new(slopes[pair], sign * offsets[pair]))?;
        Calibrated::new(self.to_pairs()?, sigmoids.models().to_vec())
    }

    /// The functions of all pairs of classes over the rows of the training set's Gram matrix, for a precomputed kernel.
    ///
    /// # Errors
    /// [`Error::Classes`] unless the machine tells classes apart, [`Error::Layout`] for a kernel of vectors.
    pub fn to_dual_pairs(&self) -> Result<OneVsOneModel<DualExpansion>> {
        self.pairs(|pair, sign| self.dual(pair, sign))
    }

    /// The only function of a regression or of a one-class machine.
    ///
    /// # Errors
    /// [`Error::Classes`] if the machine tells classes apart, [`Error::Layout`] for a precomputed kernel.
    pub fn to_function(&self) -> Result<VectorExpansion> {
        self.check_single()?;
        let Functions::Vectors(functions) = &self.functions else { return Err(not_vectors()) };
        functions.function(0)
    }

    /// The only function of a regression or of a one-class machine with a precomputed kernel.
    ///
    /// # Errors
    /// [`Error::Classes`] if the machine tells classes apart, [`Error::Layout`] for a kernel of vectors.
    pub fn to_dual_function(&self) -> Result<DualExpansion> {
        self.check_single()?;
        self.dual(0, 1.0)
    }

    fn check_single(&self) -> Result<()> {
        match self.task.is_classification() {
            true => Err(Error::Classes { found: self.labels.len(), accepted: "a machine without classes" }),
            false => Ok(()),
        }
    }

    fn dual(&self, pair: usize, sign: f64) -> Result<DualExpansion> {
        let Functions::Rows(rows) = &self.functions else {
            return Err(Error::Layout { accepted: "a model with a precomputed kernel" });
        };
        let classes = self.labels.len();
        let width = width(self.task, classes);
        let blocks = class_of_each(&self.sizes, rows.len());
        let (mut kept, mut coefficients) = (Vec::new(), Vec::new());
        for ((own, class), &row) in self.coefficients.chunks_exact(width).zip(blocks).zip(rows) {
            for (column, &value) in own.iter().enumerate() {
                let number = if classes == 0 { 0 } else { pair_of_column(class, column, classes) };
                if number == pair && value != 0.0 {
                    kept.push(row);
                    coefficients.push(sign * value);
                }
            }
        }
        let rho = self.rho.get(pair).copied().unwrap_or(0.0);
        DualExpansion::new(kept, coefficients, 0.0 - sign * rho)
    }

    /// What `make` makes of every pair of the file, in the order and with the signs of this workspace.
    fn pairs<T>(&self, make: impl Fn(usize, f64) -> Result<T>) -> Result<OneVsOneModel<T>> {
        if !self.task.is_classification() {
            return Err(Error::Classes { found: 0, accepted: "a machine that tells classes apart" });
        }
        let k = self.labels.len();
        let mut order: Vec<usize> = (0..k).collect();
        order.sort_by_key(|&place| self.labels[place]);
        let mut models = Vec::new();
        for low in 0..k {
            for high in low + 1..k {
                let (a, b) = (order[low], order[high]);
                // Positive for the larger class, which stands first in the file or second.
                let sign = if b < a { 1.0 } else { -1.0 };
                models.push(make(pair_number(a.min(b), a.max(b), k), sign)?);
            }
        }
        let classes = order.iter().map(|&place| i64::from(self.labels[place])).collect();
        OneVsOneModel::new(classes, models)
    }

    /// A classifier as LIBSVM keeps it. Support vectors with equal entries and the same class are written once.
    ///
    /// ```
    /// use lm_core::multiclass::OneVsOneModel;
    /// use lm_core::{Dense, SupportVectors, VectorExpansion, VectorKernel};
    /// use lm_data::libsvm;
    ///
    /// let support = SupportVectors::DenseF64(Dense::new(vec![1.0, 0.0, 0.0, 1.0], 2, 2)?);
    /// let f = VectorExpansion::new(VectorKernel::gaussian(0.5)?, support, vec![2.0, -2.0], 0.25)?;
    /// let model = libsvm::Model::from_pairs(&OneVsOneModel::new(vec![-1, 1], vec![f])?)?;
    /// let points = Dense::new(vec![3.0, 4.0], 1, 2)?;
    /// assert_eq!(model.decisions(&points)?.row(0)?, [model.to_pairs()?.models()[0].decision(&[3.0, 4.0])?]);
    /// # Ok::<(), lm_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Label`] for a class that does not fit into 32 bits, [`Error::Layout`] if the functions have different kernels
    /// or one that the format does not have, [`Error::Length`] if they have different dimensions, [`Error::TooLarge`] for more
    /// than 2³¹ − 1 columns.
    pub fn from_pairs(pairs: &OneVsOneModel<VectorExpansion>) -> Result<Self> {
        let first = pairs.models().first().ok_or(Error::Empty { what: "the list of functions" })?;
        let dim = first.support().as_examples().dim();
        for model in pairs.models() {
            if model.kernel() != first.kernel() {
                return Err(Error::Layout { accepted: "one kernel for all functions" });
            }
            model.support().as_examples().check_dim("another function", dim)?;
        }
        let mut table = Table::new(pairs.classes())?;
        let mut known: HashMap<Key, usize> = HashMap::new();
        for (pair, model) in pairs.models().iter().enumerate() {
            let support = model.support().as_examples();
            for (row, &coefficient) in model.coefficients().iter().enumerate() {
                let key = Key { class: table.side(pair, coefficient), entries: entries(&support.row(row)) };
                let next = table.vectors.len();
                let vector = *known.entry(key).or_insert(next);
                table.add(vector, pair, coefficient);
            }
        }
        let mut vectors = vec![Vec::new(); table.vectors.len()];
        known.into_iter().for_each(|(key, vector)| vectors[vector] = key.entries);
        let order = table.order();
        let support = sparse(order.iter().map(|&vector| &*vectors[vector]), dim)?;
        let rho = pairs.models().iter().map(|model| 0.0 - model.bias()).collect();
        table.into_model(Kernel::Vectors(first.kernel()), support, rho)
    }

    /// As [`Model::from_pairs`], with the sigmoids as `probA` and `probB`.
    ///
    /// # Errors
    /// As [`Model::from_pairs`].
    pub fn from_calibrated(model: &Calibrated<VectorExpansion>) -> Result<Self> {
        let made = Self::from_pairs(model.pairs())?;
        let table = Table::new(model.pairs().classes())?;
        let place = |value: fn(&Sigmoid) -> f64| table.turned(model.sigmoids().iter().map(value).collect());
        Ok(Self { prob_a: place(Sigmoid::slope), prob_b: place(Sigmoid::offset), ..made })
    }

    /// A classifier over the rows of a Gram matrix as LIBSVM keeps it, with a precomputed kernel.
    ///
    /// # Errors
    /// [`Error::Label`] for a class that does not fit into 32 bits, [`Error::TooLarge`] for a row beyond 2³¹ − 2.
    pub fn from_dual_pairs(pairs: &OneVsOneModel<DualExpansion>) -> Result<Self> {
        let mut table = Table::new(pairs.classes())?;
        let mut known: HashMap<(usize, usize), usize> = HashMap::new();
        for (pair, model) in pairs.models().iter().enumerate() {
            for (&row, &coefficient) in model.rows().iter().zip(model.coefficients()) {
                let next = table.vectors.len();
                let vector = *known.entry((table.side(pair, coefficient), row)).or_insert(next);
                table.add(vector, pair, coefficient);
            }
        }
        let mut rows = vec![0; table.vectors.len()];
        known.into_iter().for_each(|((_, row), vector)| rows[vector] = row);
        let rows = table.order().into_iter().map(|vector| rows[vector]).collect();
        let rho = pairs.models().iter().map(|model| 0.0 - model.bias()).collect();
        table.into_model(Kernel::Precomputed, checked_rows(rows)?, rho)
    }

    /// A regression or a one-class machine as LIBSVM keeps it.
    ///
    /// # Errors
    /// [`Error::Classes`] for a task that has classes; as [`Model::from_pairs`].
    pub fn from_function(task: Task, function: &VectorExpansion) -> Result<Self> {
        let examples = function.support().as_examples();
        let vectors: Vec<Entries> = (0..examples.len()).map(|row| entries(&examples.row(row))).collect();
        let support = sparse(vectors.iter().map(|entries| &**entries), examples.dim())?;
        let kernel = Kernel::Vectors(function.kernel());
        single(task, kernel, support, function.coefficients().to_vec(), function.bias())
    }

    /// A linear regression or one-class machine, as one support vector: its weights.
    ///
    /// # Errors
    /// As [`Model::from_function`].
    pub fn from_linear(task: Task, function: &Linear) -> Result<Self> {
        let support =
            sparse([&*entries(&Row::DenseF64(function.weights()))].into_iter(), function.weights().len())?;
        single(task, Kernel::Vectors(VectorKernel::linear()), support, vec![1.0], function.bias())
    }

    /// A regression or a one-class machine over the rows of a Gram matrix as LIBSVM keeps it, with a precomputed kernel.
    ///
    /// # Errors
    /// [`Error::Classes`] for a task that has classes, [`Error::TooLarge`] for a row beyond 2³¹ − 2.
    pub fn from_dual_function(task: Task, function: &DualExpansion) -> Result<Self> {
        let support = checked_rows(function.rows().to_vec())?;
        single(task, Kernel::Precomputed, support, function.coefficients().to_vec(), function.bias())
    }
}

fn not_vectors() -> Error {
    Error::Layout { accepted: "a model with a kernel of vectors, not a precomputed one" }
}

/// The same function with its sign.
fn scaled(function: &VectorExpansion, sign: f64) -> Result<VectorExpansion> {
    let coefficients = function.coefficients().iter().map(|value| sign * value).collect();
    VectorExpansion::new(
        function.kernel(),
        function.support().clone(),
        coefficients,
        0.0 + sign * function.bias(),
    )
}

/// A model with a single function.
fn single(task: Task, kernel: Kernel, support: Support, coefficients: Vec<f64>, bias: f64) -> Result<Model> {
    if task.is_classification() {
        return Err(Error::Classes { found: 1, accepted: "a task without classes for a single function" });
    }
    kernel_words(&kernel)?;
    let rho = vec![0.0 - bias];
    let (labels, sizes, marks) = (Vec::new(), Vec::new(), Vec::new());
    let (prob_a, prob_b) = (Vec::new(), Vec::new());
    Model::assembled(Pieces {
        task,
        kernel,
        labels,
        sizes,
        rho,
        prob_a,
        prob_b,
        marks,
        coefficients,
        support,
    })
}

/// The entries of a vector that are not 0.
type Entries = Vec<(u32, f64)>;

fn entries(row: &Row<'_>) -> Entries {
    let mut found = Vec::new();
    row.for_each(|column, value| {
        if value != 0.0 {
            found.push((column as u32, value));
        }
    });
    found
}

/// A vector of a class.
#[derive(PartialEq)]
struct Key {
    class: usize,
    entries: Entries,
}

// Entries are finite and not 0, so equality is that of their bits.
impl Eq for Key {}

impl Hash for Key {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.class.hash(state);
        self.entries.iter().for_each(|(column, value)| (column, value.to_bits()).hash(state));
    }
}

/// Sparse support vectors of a dimension.
fn sparse<'e>(vectors: impl Iterator<Item = &'e [(u32, f64)]>, dim: usize) -> Result<Support> {
    let limit = i32::MAX as usize;
    if dim > limit {
        return Err(Error::TooLarge { what: "the dimension of a LIBSVM model", size: dim, limit });
    }
    let (mut offsets, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
    for entries in vectors {
        indices.extend(entries.iter().map(|(column, _)| column));
        values.extend(entries.iter().map(|(_, value)| value));
        offsets.push(values.len());
    }
    Ok(Support::Vectors { offsets, indices, values, dim })
}

/// Rows whose numbers, from 1 on, fit into 32 bits.
fn checked_rows(rows: Vec<usize>) -> Result<Support> {
    let limit = i32::MAX as usize - 1;
    match rows.iter().find(|&&row| row > limit) {
        Some(&size) => Err(Error::TooLarge { what: "a row of the Gram matrix", size, limit }),
        None => Ok(Support::Rows(rows)),
    }
}

/// The table of coefficients while it is filled: classes in decreasing order, so that a pair is positive for its first class.
struct Table {
    labels: Vec<i32>,
    /// The classes of each pair of this workspace, by their place in the file: positive, negative.
    pairs: Vec<(usize, usize)>,
    /// For each vector its class, and its coefficient in each pair that it has a part in.
    vectors: Vec<(usize, Vec<(usize, f64)>)>,
}

impl Table {
    fn new(classes: &[i64]) -> Result<Self> {
        let k = classes.len();
        let label = |(row, &class): (usize, &i64)| {
            let accepted = "a class from -2147483648 to 2147483647 for a LIBSVM model";
            i32::try_from(class).map_err(|_| Error::Label { row, value: class as f64, accepted })
        };
        let labels = classes.iter().enumerate().rev().map(label).collect::<Result<_>>()?;
        let pairs =
            (0..k).flat_map(|low| (low + 1..k).map(move |high| (k - 1 - high, k - 1 - low))).collect();
        Ok(Self { labels, pairs, vectors: Vec::new() })
    }

    /// The class on whose side a coefficient puts its vector.
    fn side(&self, pair: usize, coefficient: f64) -> usize {
        let (positive, negative) = self.pairs[pair];
        if coefficient > 0.0 { positive } else { negative }
    }

    /// Adds a coefficient of a vector in a pair; a vector with the next number is a new one.
    fn add(&mut self, vector: usize, pair: usize, coefficient: f64) {
        if vector == self.vectors.len() {
            self.vectors.push((self.side(pair, coefficient), Vec::new()));
        }
        let own = &mut self.vectors[vector].1;
        match own.iter_mut().find(|(known, _)| *known == pair) {
            Some((_, sum)) => *sum += coefficient,
            None => own.push((pair, coefficient)),
        }
    }

    /// The vectors class by class.
    fn order(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.vectors.len()).collect();
        order.sort_by_key(|&vector| self.vectors[vector].0);
        order
    }

    /// A number for each pair, in the order of the file.
    fn turned(&self, values: Vec<f64>) -> Vec<f64> {
        let k = self.labels.len();
        let mut turned = vec![0.0; values.len()];
        for (&(first, second), value) in self.pairs.iter().zip(values) {
            turned[pair_number(first, second, k)] = value;
        }
        turned
    }

    fn into_model(self, kernel: Kernel, support: Support, rho: Vec<f64>) -> Result<Model> {
        kernel_words(&kernel)?;
        let k = self.labels.len();
        let mut sizes = vec![0; k];
        let mut coefficients = Vec::with_capacity(self.vectors.len() * (k - 1));
        for vector in self.order() {
            let (class, parts) = &self.vectors[vector];
            sizes[*class] += 1;
            let mut own = vec![0.0; k - 1];
            for &(pair, value) in parts {
                let (first, second) = self.pairs[pair];
                let other = if *class == first { second } else { first };
                own[if other < *class { other } else { other - 1 }] = value;
            }
            coefficients.extend(own);
        }
        let rho = self.turned(rho);
        let (task, prob_a, prob_b, marks) = (Task::CSvc, Vec::new(), Vec::new(), Vec::new());
        let labels = self.labels;
        Model::assembled(Pieces {
            task,
            kernel,
            labels,
            sizes,
            rho,
            prob_a,
            prob_b,
            marks,
            coefficients,
            support,
        })
    }
}
