//! What a model file of LIBSVM says.

use lm_core::{Csr, Error, KernelForm, Result, SharedExpansion, SupportVectors, VectorKernel};

/// What a machine was trained for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Task {
    /// Classification at a cost.
    CSvc,
    /// Classification with a share `ν` of errors.
    NuSvc,
    /// Where most examples lie.
    OneClass,
    /// Regression with a tube.
    EpsilonSvr,
    /// Regression with a share `ν` of examples outside the tube.
    NuSvr,
}

impl Task {
    pub(super) const ALL: [Self; 5] =
        [Self::CSvc, Self::NuSvc, Self::OneClass, Self::EpsilonSvr, Self::NuSvr];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::CSvc => "c_svc",
            Self::NuSvc => "nu_svc",
            Self::OneClass => "one_class",
            Self::EpsilonSvr => "epsilon_svr",
            Self::NuSvr => "nu_svr",
        }
    }

    /// Whether it tells classes apart.
    pub fn is_classification(self) -> bool {
        matches!(self, Self::CSvc | Self::NuSvc)
    }

    /// Whether it predicts numbers.
    pub fn is_regression(self) -> bool {
        matches!(self, Self::EpsilonSvr | Self::NuSvr)
    }
}

/// The kernel of a model, and what it is evaluated on.
#[derive(Debug, Clone, PartialEq)]
pub enum Kernel {
    /// A function of vectors: `linear`, `polynomial`, `rbf` or `sigmoid`.
    Vectors(VectorKernel),
    /// Values that the caller computes, between new examples and those of the training set.
    Precomputed,
}

/// The functions of a model.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Functions {
    /// Over support vectors.
    Vectors(Box<SharedExpansion>),
    /// Over examples of the training set, by their number from 0 on.
    Rows(Vec<usize>),
}

/// A machine as LIBSVM keeps it: classes in an order of their own, a decision function for each pair of them that is
/// *positive for the first*, and support vectors grouped by class.
#[derive(Debug, Clone, PartialEq)]
pub struct Model {
    pub(super) task: Task,
    /// The classes in the order of the file; none unless the machine tells classes apart.
    pub(super) labels: Vec<i32>,
    /// The number of support vectors of each class.
    pub(super) sizes: Vec<usize>,
    pub(super) rho: Vec<f64>,
    pub(super) prob_a: Vec<f64>,
    pub(super) prob_b: Vec<f64>,
    pub(super) marks: Vec<f64>,
    /// The coefficients of each support vector as the file has them, `width` for each, zeros included.
    pub(super) coefficients: Vec<f64>,
    pub(super) functions: Functions,
}

/// The pieces of a model before they are put together.
pub(super) struct Pieces {
    pub(super) task: Task,
    pub(super) kernel: Kernel,
    pub(super) labels: Vec<i32>,
    pub(super) sizes: Vec<usize>,
    pub(super) rho: Vec<f64>,
    pub(super) prob_a: Vec<f64>,
    pub(super) prob_b: Vec<f64>,
    pub(super) marks: Vec<f64>,
    pub(super) coefficients: Vec<f64>,
    pub(super) support: Support,
}

/// Support vectors, or numbers of examples.
pub(super) enum Support {
    Vectors { offsets: Vec<usize>, indices: Vec<u32>, values: Vec<f64>, dim: usize },
    Rows(Vec<usize>),
}

impl Model {
    /// Puts the pieces together; their counts have been checked.
    pub(super) fn assembled(pieces: Pieces) -> Result<Self> {
        let Pieces { task, kernel, labels, sizes, rho, prob_a, prob_b, marks, coefficients, support } =
            pieces;
        let functions = match (support, kernel) {
            (Support::Rows(rows), _) => Functions::Rows(rows),
            (Support::Vectors { offsets, indices, values, dim }, Kernel::Vectors(kernel)) => {
                let count = offsets.len() - 1;
                let support = if count == 0 {
                    SupportVectors::None(lm_core::hypothesis::NoVectors::new(dim.max(1))?)
                } else {
                    SupportVectors::SparseF64(Csr::new(offsets, indices, values, dim.max(1))?)
                };
                let width = width(task, labels.len());
                let classes = class_of_each(&sizes, count);
                let parts = coefficients.chunks_exact(width.max(1)).zip(classes).map(|(own, class)| {
                    let pairs = (0..width).map(move |column| pair_of_column(class, column, width + 1));
                    pairs.zip(own.iter().copied()).filter(|(_, value)| *value != 0.0)
                });
                let biases = rho.iter().map(|rho| 0.0 - rho).collect();
                Functions::Vectors(Box::new(SharedExpansion::new(kernel, support, parts, biases)?))
            }
            (Support::Vectors { .. }, Kernel::Precomputed) => {
                return Err(Error::Layout { accepted: "numbers of examples for a precomputed kernel" });
            }
        };
        Ok(Self { task, labels, sizes, rho, prob_a, prob_b, marks, coefficients, functions })
    }

    /// What the machine was trained for.
    pub fn task(&self) -> Task {
        self.task
    }

    /// The kernel.
    pub fn kernel(&self) -> Kernel {
        match &self.functions {
            Functions::Vectors(functions) => Kernel::Vectors(functions.kernel()),
            Functions::Rows(_) => Kernel::Precomputed,
        }
    }

    /// The classes in the order of the file; empty unless the machine tells classes apart.
    pub fn labels(&self) -> &[i32] {
        &self.labels
    }

    /// How many support vectors belong to each class; empty unless the machine tells classes apart.
    pub fn support_by_class(&self) -> &[usize] {
        &self.sizes
    }

    /// How many support vectors there are.
    pub fn support_len(&self) -> usize {
        match &self.functions {
            Functions::Vectors(functions) => lm_core::Collection::len(functions.support().as_examples()),
            Functions::Rows(rows) => rows.len(),
        }
    }

    /// `ρ` of each decision function, which is `Σ c K − ρ`.
    pub fn rho(&self) -> &[f64] {
        &self.rho
    }

    /// The coefficients of a support vector: one for each other class, or a single one.
    ///
    /// # Errors
    /// [`Error::Index`] for a support vector that does not exist.
    pub fn coefficients(&self, vector: usize) -> Result<&[f64]> {
        let width = width(self.task, self.labels.len());
        let missing = Error::Index { what: "support vector", index: vector, len: self.support_len() };
        self.coefficients.chunks_exact(width.max(1)).nth(vector).ok_or(missing)
    }

    /// Slopes and offsets of the sigmoids of the pairs, if the file has them.
    pub fn sigmoids(&self) -> Option<(&[f64], &[f64])> {
        let has = self.task.is_classification() && !self.prob_a.is_empty();
        has.then_some((&*self.prob_a, &*self.prob_b))
    }

    /// The scale of the Laplace distribution of a regression's errors, if the file has it.
    pub fn error_scale(&self) -> Option<f64> {
        if self.task.is_regression() { self.prob_a.first().copied() } else { None }
    }

    /// The ten decision values at which the probability of being an inlier changes, if the file has them.
    pub fn density_marks(&self) -> Option<&[f64]> {
        (!self.marks.is_empty()).then_some(&*self.marks)
    }

    /// The dimension of the support vectors: the largest index of the file, or what [`Model::widened`] made of it; 0 for a
    /// precomputed kernel.
    pub fn dim(&self) -> usize {
        match &self.functions {
            Functions::Vectors(functions) => functions.support().as_examples().dim(),
            Functions::Rows(_) => 0,
        }
    }

    /// The same machine for examples of a larger dimension: the file does not say how many attributes there were, and the
    /// last ones may be 0 in all support vectors.
    ///
    /// # Errors
    /// [`Error::Length`] for a smaller dimension, or for a precomputed kernel, which has none.
    pub fn widened(self, dim: usize) -> Result<Self> {
        let found = self.dim();
        let Functions::Vectors(functions) = &self.functions else {
            return Err(Error::Length { what: "a precomputed kernel", expected: dim, found });
        };
        let wider = match functions.support() {
            SupportVectors::SparseF64(support) => SupportVectors::SparseF64(support.clone().widened(dim)?),
            _ if dim < found => {
                return Err(Error::Length { what: "the dimension", expected: found, found: dim });
            }
            _ => SupportVectors::None(lm_core::hypothesis::NoVectors::new(dim)?),
        };
        let parts =
            (0..self.support_len()).map(|vector| functions.parts(vector).unwrap_or_default().to_vec());
        let made = SharedExpansion::new(functions.kernel(), wider, parts, functions.biases().to_vec())?;
        Ok(Self { functions: Functions::Vectors(Box::new(made)), ..self })
    }
}

/// How many coefficients each support vector has.
pub(super) fn width(task: Task, classes: usize) -> usize {
    if task.is_classification() { classes.saturating_sub(1) } else { 1 }
}

/// The class, by its place in the file, of each support vector; 0 where there are no classes.
pub(super) fn class_of_each(sizes: &[usize], count: usize) -> impl Iterator<Item = usize> {
    let blocks: Vec<usize> = if sizes.is_empty() { vec![count] } else { sizes.to_vec() };
    blocks.into_iter().enumerate().flat_map(|(class, size)| std::iter::repeat_n(class, size))
}

/// The number of the pair that a column of coefficients belongs to: column `m` of a vector of class `i` is for the pair of
/// `i` and the `m`-th of the other classes.
pub(super) fn pair_of_column(class: usize, column: usize, classes: usize) -> usize {
    let other = if column < class { column } else { column + 1 };
    pair_number(class.min(other), class.max(other), classes)
}

/// The number of the pair (low, high) among (0, 1), (0, 2), …, (1, 2), ….
pub(super) fn pair_number(low: usize, high: usize, classes: usize) -> usize {
    low * (2 * classes - low - 1) / 2 + high - low - 1
}

/// What the header says of a kernel: its name, and degree, gamma and coef0 where it has them.
pub(super) fn kernel_words(kernel: &Kernel) -> Result<(&'static str, [Option<f64>; 3])> {
    let Kernel::Vectors(kernel) = kernel else { return Ok(("precomputed", [None; 3])) };
    Ok(match kernel.form() {
        KernelForm::Linear => ("linear", [None; 3]),
        KernelForm::Polynomial { degree, scale, constant } => {
            ("polynomial", [Some(f64::from(degree)), Some(scale), Some(constant)])
        }
        KernelForm::Gaussian { gamma } => ("rbf", [None, Some(gamma), None]),
        KernelForm::Sigmoid { scale, constant } => ("sigmoid", [None, Some(scale), Some(constant)]),
        _ => {
            let accepted = "a linear, polynomial, Gaussian or sigmoid kernel: the format has no others";
            return Err(Error::Layout { accepted });
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_and_pairs_are_numbered_as_the_format_has_it() {
        // Four classes: pairs 01 02 03 12 13 23.
        let pairs = |class| (0..3).map(|column| pair_of_column(class, column, 4)).collect::<Vec<_>>();
        assert_eq!(pairs(0), [0, 1, 2]);
        assert_eq!(pairs(1), [0, 3, 4]);
        assert_eq!(pairs(2), [1, 3, 5]);
        assert_eq!(pairs(3), [2, 4, 5]);
        assert_eq!(class_of_each(&[2, 0, 1], 3).collect::<Vec<_>>(), [0, 0, 2]);
        assert_eq!(class_of_each(&[], 2).collect::<Vec<_>>(), [0, 0]);
    }
}
