//! `svm-train`, with LIBSVM's stopping rule, its model file and its words.

use lm_core::multiclass::{OnSharedRows, OneVsOne, Part};
use lm_core::{
    Budget, Cancel, ClassLabels, Collection, Control, Examples, Folds, Gram, Learner, MatrixGram,
    OverExamples, Stop, Targets, TrainingSet, VectorGram, VectorKernel, Weights,
};
use lm_data::libsvm::{self, Model, Task};
use lm_data::{split, svmlight};
use lm_qp::{
    CSvc, DualCertificate, EpsilonSvr, NuSvc, NuSvr, OneClass, Solver, Unlabelled, WithProbabilities,
};

use super::flags::Flags;
use super::numbers::general;
use super::predict::{compared, outcomes};
use crate::failure::{Ending, Failure, Outcome};
use crate::interrupt::cancel_on_interrupt;
use crate::output::write_out;

/// Where probabilities and cross-validation begin to be random: LIBSVM's `rand` begins at 1 too.
const SEED: u64 = 1;

/// Data and settings of a run.
struct Run<'a> {
    flags: &'a Flags,
    /// None for a precomputed kernel.
    kernel: Option<VectorKernel>,
    solver: Solver,
    cancel: &'a Cancel,
}

/// Trains and writes a model file of LIBSVM.
pub(crate) fn train(words: &[String]) -> Outcome<Ending> {
    let flags = Flags::parse(words)?;
    let at_data = |failure: Failure| failure.at(&flags.data);
    let options = svmlight::Options::default().zero_based(flags.kernel == 4);
    let data = svmlight::open::<f64>(&flags.data, &options).map_err(|error| at_data(error.into()))?;
    let gamma = flags.gamma.unwrap_or(1.0 / data.examples.dim() as f64);
    let kernel = match flags.kernel {
        0 => Some(VectorKernel::linear()),
        1 => Some(VectorKernel::polynomial(flags.degree, gamma, flags.coef0)?),
        2 => Some(VectorKernel::gaussian(gamma)?),
        3 => Some(VectorKernel::sigmoid(gamma, flags.coef0)?),
        _ => None,
    };
    let solver = Solver::default().with_libsvm_epsilon(flags.epsilon).with_shrinking(flags.shrinking);
    let cancel = cancel_on_interrupt()?;
    let run = Run { flags: &flags, kernel, solver, cancel: &cancel };
    let gram: Box<dyn Gram> = match kernel {
        Some(kernel) => Box::new(VectorGram::new(&data.examples, kernel)?),
        None => Box::new(precomputed(&data.examples).map_err(at_data)?),
    };
    if let Some(folds) = flags.folds {
        return run.cross_validate(gram.as_ref(), &data.examples, &data.labels, folds).map(|()| Ending::Done);
    }
    let (model, stop, said) = run.fit(gram.as_ref(), &data.examples, &data.labels).map_err(at_data)?;
    libsvm::save(&flags.model, &model).map_err(|error| Failure::from(error).at(&flags.model))?;
    if !flags.quiet {
        write_out(format!("{said}Total nSV = {}\n", model.support_len()).as_bytes())?;
    }
    Ok(match stop {
        Stop::Converged => Ending::Done,
        Stop::Cancelled => Ending::Interrupted,
        _ => Ending::Unconverged,
    })
}

/// The kernel matrix of `label 0:number 1:K(i,1) 2:K(i,2) …`.
fn precomputed(examples: &lm_core::Csr<'_>) -> Outcome<MatrixGram<'static>> {
    let (len, width) = (examples.len(), examples.dim());
    if width != len + 1 {
        let message = format!(
            "a precomputed kernel of {len} examples needs `0:number` and {len} values a line; the largest index is {}",
            width.saturating_sub(1)
        );
        return Err(Failure::new(message));
    }
    let mut values = Vec::with_capacity(len * len);
    let mut row = vec![0.0; width];
    for number in 0..len {
        examples.row(number).write_to(&mut row);
        if row[0] != (number + 1) as f64 {
            let message = format!(
                "line {} has `0:{}`; accepted is the number of the line, from 1 on",
                number + 1,
                row[0]
            );
            return Err(Failure::new(message));
        }
        values.extend_from_slice(&row[1..]);
    }
    Ok(MatrixGram::precomputed(values, len)?)
}

impl Run<'_> {
    fn control(&self) -> Control<'static> {
        let bytes = (self.flags.megabytes * 1_048_576.0).min(isize::MAX as f64) as usize;
        Control::new(Budget::default().with_memory(bytes)).with_cancel(self.cancel)
    }

    /// LIBSVM's rule where this workspace divides the problem of a ν by a number that LIBSVM does not divide by: violations
    /// shrink by as much.
    fn divided(&self, by: f64) -> Solver {
        self.solver.with_libsvm_epsilon(self.flags.epsilon / by)
    }

    fn is_classifier(&self) -> bool {
        self.flags.machine < 2
    }

    /// The weights of `-wi`, which LIBSVM heeds for C-SVC only.
    fn weights(&self, labels: &ClassLabels) -> Outcome<Option<Weights>> {
        if self.flags.weights.is_empty() || self.flags.machine != 0 {
            return Ok(None);
        }
        let mut by_class = vec![1.0; labels.classes().len()];
        for (class, weight) in &self.flags.weights {
            match labels.classes().binary_search(class) {
                Ok(place) => by_class[place] = *weight,
                Err(_) => {
                    return Err(Failure::new(format!("no example has the class {class} of `-w{class}`")));
                }
            }
        }
        Ok(Some(Weights::by_class(labels, &by_class, None)?))
    }

    /// The model, why the run ended, and what LIBSVM would say of it.
    fn fit<E: Examples>(
        &self,
        gram: &dyn Gram,
        examples: &E,
        labels: &[f64],
    ) -> Outcome<(Model, Stop, String)> {
        if self.is_classifier() {
            return self.classifier(gram, examples, labels);
        }
        if self.flags.probability {
            return Err(Failure::new("`-b 1` is for C-SVC and nu-SVC (`-s 0` and `-s 1`)"));
        }
        let (cost, nu, control) = (self.flags.cost, self.flags.nu, self.control());
        let targets = Targets::new(labels.to_vec())?;
        let set = TrainingSet::new(gram, &targets)?;
        let (task, model, report, said) = match self.flags.machine {
            2 => {
                let none = Unlabelled::new(labels.len());
                let solver = self.divided(nu.max(f64::MIN_POSITIVE) * labels.len() as f64);
                let machine = OneClass::default().with_nu(nu).with_solver(solver);
                let fit = machine.fit_with(&TrainingSet::new(gram, &none)?, &control)?;
                let said = words(&fit.certificate, fit.report.iterations, fit.model.bias());
                (Task::OneClass, fit.model, fit.report, said)
            }
            3 => {
                let machine = EpsilonSvr::default().with_cost(cost).with_epsilon(self.flags.tube);
                let fit = machine.with_solver(self.solver).fit_with(&set, &control)?;
                let said = words(&fit.certificate, fit.report.iterations, fit.model.bias());
                (Task::EpsilonSvr, fit.model, fit.report, said)
            }
            _ => {
                // LIBSVM's C is that of one example.
                let whole = cost * labels.len() as f64;
                let machine = NuSvr::default().with_cost(whole).with_nu(nu).with_solver(self.solver);
                let fit = machine.fit_with(&set, &control)?;
                let said = words(&fit.certificate, fit.report.iterations, fit.model.bias());
                (Task::NuSvr, fit.model, fit.report, said)
            }
        };
        let model = match self.kernel {
            Some(kernel) => Model::from_function(task, &model.over_examples(examples, kernel)?)?,
            None => Model::from_dual_function(task, &model)?,
        };
        Ok((model, report.stop, said))
    }

    fn classifier<E: Examples>(
        &self,
        gram: &dyn Gram,
        examples: &E,
        labels: &[f64],
    ) -> Outcome<(Model, Stop, String)> {
        let labels = ClassLabels::from_numbers(labels)?;
        let weights = self.weights(&labels)?;
        let set = TrainingSet::new(gram, &labels)?;
        let set = match &weights {
            Some(weights) => set.with_weights(weights)?,
            None => set,
        };
        let c_svc = CSvc::default().with_cost(self.flags.cost).with_solver(self.solver);
        let nu_svc = NuSvc::default().with_nu(self.flags.nu).with_solver(self.divided(labels.len() as f64));
        let control = self.control();
        if self.flags.probability {
            let splits = split::stratified_folds(&labels, 5, SEED)?;
            let folds = Folds::from_tests(labels.len(), splits.iter().map(|split| &split.test[..]))?;
            let (model, stop, said) = if self.flags.machine == 0 {
                let fit = WithProbabilities::new(c_svc, folds).fit_with(&set, &control)?;
                (fit.model, fit.report.stop, all_words(fit.certificate.machines()))
            } else {
                let fit = WithProbabilities::new(nu_svc, folds).fit_with(&set, &control)?;
                (fit.model, fit.report.stop, all_words(fit.certificate.machines()))
            };
            let Some(kernel) = self.kernel else {
                return Err(Failure::new(
                    "`-b 1` with a precomputed kernel (`-t 4`) is not done; accepted is either",
                ));
            };
            return Ok((Model::from_calibrated(&model.over_examples(examples, kernel)?)?, stop, said));
        }
        let (model, stop, said) = if self.flags.machine == 0 {
            let fit = OnSharedRows::new(OneVsOne::new(c_svc)).fit_with(&set, &control)?;
            (fit.model, fit.report.stop, all_words(&fit.certificate))
        } else {
            let fit = OnSharedRows::new(OneVsOne::new(nu_svc)).fit_with(&set, &control)?;
            (fit.model, fit.report.stop, all_words(&fit.certificate))
        };
        let model = match self.kernel {
            Some(kernel) => Model::from_pairs(&model.over_examples(examples, kernel)?)?,
            None => Model::from_dual_pairs(&model)?,
        };
        Ok((model, stop, said))
    }

    fn cross_validate(
        &self,
        gram: &dyn Gram,
        examples: &lm_core::Csr<'static>,
        labels: &[f64],
        folds: usize,
    ) -> Outcome<()> {
        let splits = match self.is_classifier() {
            true => split::stratified_folds(&ClassLabels::from_numbers(labels)?, folds, SEED)?,
            false => split::folds(labels.len(), folds, SEED)?,
        };
        let mut predicted = vec![0.0; labels.len()];
        for split in &splits {
            let part = lm_core::Selection::new(gram, &split.train)?;
            let rows = lm_core::Selection::new(examples, &split.train)?;
            let own: Vec<f64> = split.train.iter().map(|&row| labels[row]).collect();
            let (model, ..) = self.fit(&part, &rows, &own)?;
            let found = match self.kernel {
                Some(_) => outcomes(&model, &lm_core::Selection::new(examples, &split.test)?)?,
                None => {
                    let mut values = vec![0.0; split.test.len() * split.train.len()];
                    gram.fill(&split.test, lm_core::Columns::List(&split.train), &mut values)?;
                    let decisions = model.decisions_by_kernel(&values, split.train.len())?;
                    decisions.rows().map(|row| model.outcome(row)).collect::<lm_core::Result<Vec<_>>>()?
                }
            };
            split.test.iter().zip(found).for_each(|(&row, value)| predicted[row] = value);
        }
        let (errors, correlation, right) = compared(&predicted, labels);
        let said = match self.is_classifier() || self.flags.machine == 2 {
            true => format!(
                "Cross Validation Accuracy = {}%\n",
                general(100.0 * right as f64 / labels.len() as f64, 6)
            ),
            false => format!(
                "Cross Validation Mean squared error = {}\nCross Validation Squared correlation coefficient = {}\n",
                general(errors, 6),
                general(correlation, 6)
            ),
        };
        write_out(said.as_bytes())
    }
}

fn all_words<F>(parts: &[Part<DualCertificate<F>>]) -> String {
    let each = parts.iter().map(|part| {
        let own = &part.certificate;
        words(own, part.report.iterations, own.multipliers().bias())
    });
    each.collect()
}

/// What LIBSVM says of each problem that it has solved.
fn words<F>(certificate: &DualCertificate<F>, iterations: u64, bias: f64) -> String {
    let alpha = certificate.alpha();
    let most = alpha.iter().fold(0.0_f64, |most, alpha| most.max(*alpha));
    let support = alpha.iter().filter(|alpha| **alpha > 0.0).count();
    let bounded = alpha.iter().filter(|alpha| **alpha >= most * (1.0 - 1e-12) && **alpha > 0.0).count();
    format!(
        "optimization finished, #iter = {iterations}\nobj = {:.6}, rho = {:.6}\nnSV = {support}, nBSV = {bounded}\n",
        -certificate.figures().dual,
        -bias
    )
}
