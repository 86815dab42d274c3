//! What a model file of LIBLINEAR says, what it says of new examples, and its functions as types of this workspace.

use lm_core::multiclass::{Decisions, LinearMachine, OneVsRestModel};
use lm_core::probability::{Probabilities, Sigmoid, agree};
use lm_core::{Error, Examples, Hypothesis, Linear, Result};

/// What a model was trained with: LIBLINEAR's names, by loss, regulariser and side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are those of LIBLINEAR, explained in its own manual")]
pub enum Solver {
    L2rLr,
    L2rL2lossSvcDual,
    L2rL2lossSvc,
    L2rL1lossSvcDual,
    McsvmCs,
    L1rL2lossSvc,
    L1rLr,
    L2rLrDual,
    L2rL2lossSvr,
    L2rL2lossSvrDual,
    L2rL1lossSvrDual,
    OneclassSvm,
}

impl Solver {
    pub(super) const ALL: [(Self, &'static str); 12] = [
        (Self::L2rLr, "L2R_LR"),
        (Self::L2rL2lossSvcDual, "L2R_L2LOSS_SVC_DUAL"),
        (Self::L2rL2lossSvc, "L2R_L2LOSS_SVC"),
        (Self::L2rL1lossSvcDual, "L2R_L1LOSS_SVC_DUAL"),
        (Self::McsvmCs, "MCSVM_CS"),
        (Self::L1rL2lossSvc, "L1R_L2LOSS_SVC"),
        (Self::L1rLr, "L1R_LR"),
        (Self::L2rLrDual, "L2R_LR_DUAL"),
        (Self::L2rL2lossSvr, "L2R_L2LOSS_SVR"),
        (Self::L2rL2lossSvrDual, "L2R_L2LOSS_SVR_DUAL"),
        (Self::L2rL1lossSvrDual, "L2R_L1LOSS_SVR_DUAL"),
        (Self::OneclassSvm, "ONECLASS_SVM"),
    ];

    pub(super) fn name(self) -> &'static str {
        Self::ALL.iter().find(|(solver, _)| *solver == self).map_or("", |(_, name)| name)
    }

    /// Whether its models predict numbers.
    pub fn is_regression(self) -> bool {
        matches!(self, Self::L2rL2lossSvr | Self::L2rL2lossSvrDual | Self::L2rL1lossSvrDual)
    }

    /// Whether its models tell classes apart.
    pub fn is_classification(self) -> bool {
        !self.is_regression() && self != Self::OneclassSvm
    }

    /// Whether its decision values are logarithms of odds.
    pub fn is_logistic(self) -> bool {
        matches!(self, Self::L2rLr | Self::L1rLr | Self::L2rLrDual)
    }

    /// How many functions a model of so many classes has.
    pub(super) fn functions(self, classes: usize) -> usize {
        if self.is_classification() && (classes > 2 || self == Self::McsvmCs) { classes } else { 1 }
    }
}

/// Linear functions as LIBLINEAR keeps them: one for each class in the order of the file, or a single one that is *positive for
/// the first* of two.
#[derive(Debug, Clone, PartialEq)]
pub struct Model {
    pub(super) solver: Solver,
    pub(super) labels: Vec<i32>,
    pub(super) features: usize,
    pub(super) bias: f64,
    pub(super) rho: Option<f64>,
    /// The weights as the file has them: one row for each column and for the bias, one column for each function.
    pub(super) weights: Vec<f64>,
    pub(super) functions: Vec<Linear>,
}

impl Model {
    /// Puts the pieces together; their counts have been checked.
    pub(super) fn assembled(
        solver: Solver,
        labels: Vec<i32>,
        features: usize,
        bias: f64,
        rho: Option<f64>,
        weights: Vec<f64>,
    ) -> Result<Self> {
        let count = solver.functions(labels.len());
        let function = |index: usize| {
            let mut own: Vec<f64> = weights.iter().skip(index).step_by(count).copied().collect();
            let constant = if bias >= 0.0 { own.pop().map_or(0.0, |last| last * bias) } else { 0.0 };
            Linear::new(own, constant - rho.unwrap_or(0.0))
        };
        let functions = (0..count).map(function).collect::<Result<_>>()?;
        Ok(Self { solver, labels, features, bias, rho, weights, functions })
    }

    /// What the model was trained with.
    pub fn solver(&self) -> Solver {
        self.solver
    }

    /// The classes in the order of the file; empty unless the model tells classes apart.
    pub fn labels(&self) -> &[i32] {
        &self.labels
    }

    /// The number of columns, without that of the bias.
    pub fn dim(&self) -> usize {
        self.features
    }

    /// What the column of the bias always is; none, if there is no such column.
    pub fn bias(&self) -> Option<f64> {
        (self.bias >= 0.0).then_some(self.bias)
    }

    /// The functions, with their bias: one for each class, or a single one.
    pub fn functions(&self) -> &[Linear] {
        &self.functions
    }

    /// The decision values of all functions.
    ///
    /// # Errors
    /// [`Error::Length`] for examples of another dimension, [`Error::Numerical`] if a value is not finite.
    pub fn decisions<E: Examples + ?Sized>(&self, set: &E) -> Result<Decisions> {
        let width = self.functions.len();
        let mut values = vec![0.0; set.len() * width];
        let mut column = vec![0.0; set.len()];
        for (index, function) in self.functions.iter().enumerate() {
            function.decision_values_into(set, &mut column)?;
            values.iter_mut().skip(index).step_by(width).zip(&column).for_each(|(to, from)| *to = *from);
        }
        Decisions::new(values, width)
    }

    /// The place of the class that decision values speak for.
    fn winner(values: &[f64]) -> usize {
        match values {
            [value] => usize::from(!(*value > 0.0)),
            values => (1..values.len()).fold(0, |best, at| if values[at] > values[best] { at } else { best }),
        }
    }

    /// What LIBLINEAR predicts for every member of a set: a label, +1 or −1 for a one-class machine, or a number.
    ///
    /// # Errors
    /// As [`Model::decisions`].
    pub fn predict<E: Examples + ?Sized>(&self, set: &E) -> Result<Vec<f64>> {
        let outcome = |values: &[f64]| {
            let first = values.first().copied().unwrap_or(0.0);
            match self.labels.get(Self::winner(values)) {
                Some(&label) => f64::from(label),
                None if self.solver.is_regression() => first,
                None => {
                    if first > 0.0 {
                        1.0
                    } else {
                        -1.0
                    }
                }
            }
        };
        Ok(self.decisions(set)?.rows().map(outcome).collect())
    }

    /// The probability of each class for every member of a set, in the order of [`Model::labels`]; none unless the model is a
    /// logistic one. With several classes each has its own logistic function, and they are divided by their sum, as LIBLINEAR
    /// does; the class of [`Model::predict`] is always the most probable one, also where rounding makes several equal.
    ///
    /// # Errors
    /// As [`Model::decisions`].
    pub fn probabilities<E: Examples + ?Sized>(&self, set: &E) -> Result<Option<Probabilities>> {
        if !self.solver.is_logistic() {
            return Ok(None);
        }
        let logistic = Sigmoid::new(-1.0, 0.0)?;
        let mut all = Vec::with_capacity(set.len() * self.labels.len());
        for values in self.decisions(set)?.rows() {
            let mut own = match values {
                [value] => {
                    let [second, first] = logistic.probabilities(*value);
                    vec![first, second]
                }
                values => values.iter().map(|&value| logistic.probabilities(value)[1]).collect(),
            };
            // Where all are 0, nothing tells them apart.
            let sum: f64 = own.iter().sum();
            let even = 1.0 / own.len() as f64;
            own.iter_mut().for_each(|p| *p = if sum > 0.0 { *p / sum } else { even });
            agree(&mut own, Self::winner(values))?;
            all.extend(own);
        }
        Probabilities::new(self.labels.iter().map(|&label| i64::from(label)).collect(), all).map(Some)
    }

    /// The only function of two classes, positive for the larger one, with the smaller and the larger class.
    ///
    /// # Errors
    /// [`Error::Classes`] unless the model has two classes and one function.
    pub fn to_linear(&self) -> Result<(Linear, [i64; 2])> {
        match (&*self.functions, &*self.labels) {
            ([function], &[first, second]) => {
                let sign = if first > second { 1.0 } else { -1.0 };
                let weights = function.weights().iter().map(|w| sign * w).collect();
                let function = Linear::new(weights, sign * function.bias())?;
                Ok((function, [i64::from(first.min(second)), i64::from(first.max(second))]))
            }
            _ => Err(Error::Classes { found: self.labels.len(), accepted: "two classes with one function" }),
        }
    }

    /// One function for each class, in increasing order of the classes: the largest wins.
    ///
    /// # Errors
    /// [`Error::Classes`] unless the model has a function for each class.
    pub fn to_machine(&self) -> Result<LinearMachine> {
        if self.labels.len() < 2 || self.functions.len() != self.labels.len() {
            let (found, accepted) = (self.labels.len(), "a function for each class");
            return Err(Error::Classes { found, accepted });
        }
        let mut order: Vec<usize> = (0..self.labels.len()).collect();
        order.sort_by_key(|&place| self.labels[place]);
        let classes = order.iter().map(|&place| i64::from(self.labels[place])).collect();
        LinearMachine::new(classes, order.iter().map(|&place| self.functions[place].clone()).collect())
    }

    /// The model of one function, positive for the second of two classes.
    ///
    /// ```
    /// use lm_core::Linear;
    /// use lm_data::liblinear::{Model, Solver};
    ///
    /// let model = Model::from_linear(Solver::L2rL2lossSvcDual, &Linear::new(vec![1.0, 2.0], 0.5)?, Some([-1, 1]))?;
    /// assert_eq!((model.labels(), model.bias()), (&[1, -1][..], Some(1.0)));
    /// assert_eq!(model.to_linear()?.0, Linear::new(vec![1.0, 2.0], 0.5)?);
    /// # Ok::<(), lm_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Classes`] unless there are two different classes for a classifier and none for other solvers,
    /// [`Error::Label`] for a class that does not fit into 32 bits.
    pub fn from_linear(solver: Solver, function: &Linear, classes: Option<[i64; 2]>) -> Result<Self> {
        let single = solver.is_classification() && solver != Solver::McsvmCs;
        let labels = match classes {
            Some([negative, positive]) if single && negative != positive => labels(&[positive, negative])?,
            None if !solver.is_classification() => Vec::new(),
            _ => {
                let accepted =
                    "two different classes for a classifier with one function, none for other solvers";
                return Err(Error::Classes { found: classes.map_or(0, |classes| classes.len()), accepted });
            }
        };
        let (dim, one) = (function.weights().len(), solver == Solver::OneclassSvm);
        let mut weights = function.weights().to_vec();
        let (bias, rho) = if one { (-1.0, Some(0.0 - function.bias())) } else { (1.0, None) };
        if !one {
            weights.push(function.bias());
        }
        Self::assembled(solver, labels, dim, bias, rho, weights)
    }

    /// The model of one function for each class.
    ///
    /// # Errors
    /// [`Error::Classes`] for two classes, unless the solver keeps a function for each, [`Error::Length`] for functions of
    /// different dimensions, [`Error::Label`] for a class that does not fit into 32 bits.
    pub fn from_rest(solver: Solver, machine: &OneVsRestModel<Linear>) -> Result<Self> {
        let (classes, models) = machine.clone().into_parts();
        if solver.functions(classes.len()) != models.len() {
            let accepted = "three classes or more, or a solver with a function for each of two";
            return Err(Error::Classes { found: classes.len(), accepted });
        }
        let dim = models.first().map_or(0, |model| model.weights().len());
        if let Some(other) = models.iter().find(|model| model.weights().len() != dim) {
            let found = other.weights().len();
            return Err(Error::Length { what: "the weight vector of a class", expected: dim, found });
        }
        let mut weights = Vec::with_capacity((dim + 1) * models.len());
        for column in 0..dim {
            weights.extend(models.iter().map(|model| model.weights()[column]));
        }
        weights.extend(models.iter().map(Linear::bias));
        Self::assembled(solver, labels(&classes)?, dim, 1.0, None, weights)
    }
}

/// Labels that fit into 32 bits.
fn labels(classes: &[i64]) -> Result<Vec<i32>> {
    let label = |(row, &class): (usize, &i64)| {
        let accepted = "a class from -2147483648 to 2147483647 for a LIBLINEAR model";
        i32::try_from(class).map_err(|_| Error::Label { row, value: class as f64, accepted })
    };
    classes.iter().enumerate().map(label).collect()
}
