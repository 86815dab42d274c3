//! Sub-problems that share their kernel rows.

use super::Part;
use crate::collection::Selection;
use crate::fit::{Certificate, Control, Discrepancy, Fit, Learner, Verdict};
use crate::gram::{Gram, MatrixGram, SharedRows};
use crate::labels::{BinaryLabels, ClassLabels};
use crate::training_set::TrainingSet;
use crate::{Error, Result};

use super::one_vs_one::PairProblem;

/// A multi-class scheme over Gram matrices whose sub-problems take their kernel rows from one place.
///
/// An example of one of `k` classes is in `k − 1` pairs, and in all `k` problems of one against the rest. By themselves
/// they would compute its row each time; here it is computed once, as far as half of the memory of the budget reaches (256
/// MiB where it says nothing). The other half is what the sub-problems divide. Values are the same bits with and without.
///
/// ```
/// # use lm_core::*;
/// # use lm_core::multiclass::*;
/// # /// The difference of the class means in the feature space.
/// # struct Means;
/// # impl<G: Gram + ?Sized> Learner<G, BinaryLabels> for Means {
/// #     type Model = DualExpansion;
/// #     type Certificate = ();
/// #     fn fit_with(&self, set: &TrainingSet<'_, G, BinaryLabels>, control: &Control<'_>) -> Result<Fit<DualExpansion, ()>> {
/// #         let share = |sign: &Sign| sign.value() / set.labels().count(*sign) as f64;
/// #         let coefficients: Vec<f64> = set.labels().signs().iter().map(share).collect();
/// #         let report = control.start(1).report(Stop::Converged, None);
/// #         Ok(Fit { model: DualExpansion::from_all(&coefficients, 0.0)?, report, certificate: () })
/// #     }
/// # }
/// let examples = Dense::new(vec![0.0, 0.0, 9.0, 0.0, 0.0, 9.0], 3, 2)?;
/// let labels = ClassLabels::from_integers(&[10, 20, 30])?;
/// let gram = VectorGram::new(&examples, VectorKernel::gaussian(0.1)?)?;
/// let alone = OneVsOne::new(Means).fit(&gram, &labels)?; // `Means` learns from any Gram matrix
/// let shared = OnSharedRows::new(OneVsOne::new(Means)).fit(&gram, &labels)?;
/// assert_eq!(shared.model, alone.model);
/// # Ok::<(), lm_core::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OnSharedRows<S> {
    scheme: S,
}

impl<S> OnSharedRows<S> {
    /// The scheme, on shared rows.
    pub fn new(scheme: S) -> Self {
        Self { scheme }
    }
}

/// The bytes for shared rows and the control of the fits that take rows from there.
///
/// Half of the memory is for the rows, or less if they need less; what is left is for the fits.
pub fn shared_memory<'a>(len: usize, control: &Control<'a>) -> (usize, Control<'a>) {
    const DEFAULT: usize = 256 << 20;
    let all = SharedRows::<MatrixGram<'static>>::bytes_of_all(len);
    match control.budget().memory() {
        None => (all.min(DEFAULT), control.clone()),
        Some(bytes) => {
            let rows = all.min(bytes / 2);
            (rows, control.clone().with_budget(control.budget().with_memory(bytes - rows)))
        }
    }
}

impl<G, S> Learner<G, ClassLabels> for OnSharedRows<S>
where
    G: Gram + ?Sized,
    // The first bound names the types of model and certificate; the second says that they are the same for every matrix.
    S: Learner<MatrixGram<'static>, ClassLabels>,
    for<'g> S: Learner<
            SharedRows<'g, G>,
            ClassLabels,
            Model = <S as Learner<MatrixGram<'static>, ClassLabels>>::Model,
            Certificate = <S as Learner<MatrixGram<'static>, ClassLabels>>::Certificate,
        >,
{
    type Model = <S as Learner<MatrixGram<'static>, ClassLabels>>::Model;
    type Certificate = <S as Learner<MatrixGram<'static>, ClassLabels>>::Certificate;

    fn fit_with(
        &self,
        set: &TrainingSet<'_, G, ClassLabels>,
        control: &Control<'_>,
    ) -> Result<Fit<Self::Model, Self::Certificate>> {
        let (bytes, control) = shared_memory(set.len(), control);
        let rows = SharedRows::new(set.examples(), bytes);
        self.scheme.fit_with(&set.over(&rows)?, &control)
    }
}

/// The evidence for all parts of a multi-class machine holds if that of each part does, on the data of its own problem.
impl<S, C> Certificate<TrainingSet<'_, S, ClassLabels>> for Vec<Part<C>>
where
    S: crate::Collection + ?Sized,
    C: for<'a> Certificate<TrainingSet<'a, S, BinaryLabels>>
        + for<'a, 'b> Certificate<TrainingSet<'a, Selection<'b, S>, BinaryLabels>>,
{
    fn verify(&self, set: &TrainingSet<'_, S, ClassLabels>) -> Result<Verdict> {
        let classes = set.labels().classes();
        let number = |class: i64| {
            let refused =
                Error::Label { row: 0, value: class as f64, accepted: "a class that the labels have" };
            classes.binary_search(&class).map_err(|_| refused)
        };
        for part in self {
            let positive = number(part.positive)?;
            let verdict = match part.negative {
                Some(negative) => {
                    let problem = PairProblem::new(set, number(negative)?, positive)?;
                    let rows = Selection::new(set.examples(), problem.rows())?;
                    part.certificate.verify(&problem.training_set(&rows)?)?
                }
                None => {
                    let labels = set.labels().one_against_rest(positive)?;
                    let problem = TrainingSet::new(set.examples(), &labels)?;
                    let problem =
                        set.weights().map_or(Ok(problem), |weights| problem.with_weights(weights))?;
                    part.certificate.verify(&problem)?
                }
            };
            if !verdict.is_valid() {
                return Ok(verdict);
            }
        }
        Ok(self.is_empty().then(nothing).unwrap_or(Verdict::Valid))
    }
}

/// A machine has parts; no parts are no evidence.
fn nothing() -> Verdict {
    Verdict::Invalid(Discrepancy { what: "the number of parts", claimed: 0.0, recomputed: 1.0, row: None })
}
