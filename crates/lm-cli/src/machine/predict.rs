//! What a machine says of new examples.

use lm_core::multiclass::{Classifier, Decisions};
use lm_core::probability::Probabilities;
use lm_core::{Hypothesis, Result};

use super::{AnyExamples, Machine};

/// What a machine says of each example of a set.
#[derive(Debug, Clone)]
pub(crate) enum Prediction {
    /// Classes, the decision values behind them, and probabilities where the machine has them.
    Classes {
        classes: Vec<i64>,
        predicted: Vec<i64>,
        decisions: Decisions,
        probabilities: Option<Vec<Vec<f64>>>,
    },
    /// Numbers, with the standard deviation of an observation where the machine knows it.
    Numbers { predicted: Vec<f64>, deviations: Option<Vec<f64>> },
    /// Positive where most of the examples lie.
    Novelty { values: Vec<f64> },
}

fn rows(probabilities: &Probabilities) -> Vec<Vec<f64>> {
    probabilities.rows().map(<[f64]>::to_vec).collect()
}

fn classes(
    model: &dyn Classifier<AnyExamples>,
    set: &AnyExamples,
    probabilities: Option<Vec<Vec<f64>>>,
) -> Result<Prediction> {
    Ok(Prediction::Classes {
        classes: model.classes().to_vec(),
        predicted: model.classify(set)?,
        decisions: model.decisions(set)?,
        probabilities,
    })
}

/// Predicts for every example.
pub(crate) fn predict(machine: &Machine, set: &AnyExamples) -> Result<Prediction> {
    match machine {
        Machine::KernelPairs(model) => classes(model, set, None),
        Machine::KernelRest(model) => classes(model, set, None),
        Machine::KernelDag(model) => classes(model, set, None),
        Machine::Calibrated(model) => classes(model, set, Some(rows(&model.probabilities(set)?))),
        Machine::LinearPairs(model) => classes(model, set, None),
        Machine::LinearRest(model) => classes(model, set, None),
        Machine::LinearDag(model) => classes(model, set, None),
        Machine::LinearMachine(model) => classes(model, set, None),
        Machine::Lda(model) => {
            let found = model.probabilities(set)?;
            let width = lm_core::multiclass::Classifier::<AnyExamples>::classes(model).len();
            let rows =
                (0..set.len()).map(|row| (0..width).map(|class| found[(row, class)]).collect()).collect();
            classes(model, set, Some(rows))
        }
        Machine::Multinomial(model) => classes(model, set, Some(model.probabilities(set)?)),
        Machine::Logistic { model, classes: [low, high] } => {
            let values = model.function().decision_values(set)?;
            let predicted = values.iter().map(|&value| if value >= 0.0 { *high } else { *low }).collect();
            let second = model.probabilities(set)?;
            Ok(Prediction::Classes {
                classes: vec![*low, *high],
                predicted,
                decisions: Decisions::new(values, 1)?,
                probabilities: Some(second.into_iter().map(|p| vec![1.0 - p, p]).collect()),
            })
        }
        Machine::KernelFunction(model) => numbers(model.decision_values(set)?),
        Machine::LinearFunction(model) => numbers(model.decision_values(set)?),
        Machine::GaussianProcess(model) => {
            let found = model.predict(set)?;
            let deviations = found.observed_variances().into_iter().map(|v| v.max(0.0).sqrt()).collect();
            Ok(Prediction::Numbers { predicted: found.means().to_vec(), deviations: Some(deviations) })
        }
        Machine::Novelty(model) => Ok(Prediction::Novelty { values: model.decision_values(set)? }),
        Machine::LinearNovelty(model) => Ok(Prediction::Novelty { values: model.decision_values(set)? }),
    }
}

fn numbers(predicted: Vec<f64>) -> Result<Prediction> {
    Ok(Prediction::Numbers { predicted, deviations: None })
}
