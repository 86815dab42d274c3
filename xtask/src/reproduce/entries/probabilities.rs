//! E09: scores, margins, and the probabilities that are made of scores.

use lm_closed::Multinomial;
use lm_core::multiclass::Classifier;
use lm_core::probability::{Calibrated, couple};
use lm_core::{
    Certificate, ClassLabels, Collection, Dense, Folds, Hypothesis, Learner, OverVectors, Sign, TrainingSet,
    VectorExpansion, VectorKernel,
};
use lm_data::classic::iris;
use lm_data::generate::{Cloud, Spread, gaussians};
use lm_data::split::stratified_folds;
use lm_qp::{CSvc, WithProbabilities};

use crate::reproduce::bench::Bench;
use crate::reproduce::entry::{Entry, Outcome};
use crate::reproduce::figure::{Plot, Stroke};
use crate::reproduce::measure::{Binary, clouds, wrong};

pub(super) const ENTRIES: &[Entry] = &[Entry {
    id: "E09",
    place: "E 4.1",
    claim: "The output of a linear model is a score; a threshold makes it a class, y·f(x) is its margin, whose size is the \
            confidence and whose sign tells errors, and logistic and softmax functions make it probabilities: not \
            negative, and adding up to 1.",
    how: "Margins of a support vector machine are counted and sorted; softmax probabilities of iris are summed. Sigmoids are \
          fitted to held-out scores of machines on clouds whose true probabilities are known, and compared with these and with \
          the shares of 20 000 new examples; the most probable class is compared with the predicted one at 10 000 points.",
    seed: 9,
    body,
}];

fn body(bench: &mut Bench) -> Outcome {
    let train = clouds(400, 2, 1.5, bench.seed())?;
    let model = machine(&train, bench.seed())?;
    margins(bench, &model)?;
    softmax(bench)?;
    platt(bench, &train)?;
    reliability(bench, &model)?;
    agreement(bench)
}

fn kernel() -> lm_core::Result<VectorKernel> {
    VectorKernel::gaussian(0.2)
}

/// The folds of ten that keep the shares of the classes.
fn folds(labels: &ClassLabels, seed: u64) -> lm_core::Result<Folds> {
    let folds = stratified_folds(labels, 10, seed)?;
    Folds::from_tests(labels.len(), folds.iter().map(|fold| &*fold.test))
}

fn as_classes(data: &Binary) -> lm_core::Result<ClassLabels> {
    let integers: Vec<i64> = data.labels.signs().iter().map(|&sign| data.labels.class_of(sign)).collect();
    ClassLabels::from_integers(&integers)
}

fn machine(data: &Binary, seed: u64) -> lm_core::Result<Calibrated<VectorExpansion>> {
    let labels = as_classes(data)?;
    let learner = WithProbabilities::new(CSvc::default(), folds(&labels, seed)?);
    Ok(OverVectors::new(learner, kernel()?).fit(&data.examples, &labels)?.converged()?.model)
}

/// Scores, classes and margins on new examples.
fn margins(bench: &mut Bench, model: &Calibrated<VectorExpansion>) -> Outcome {
    let new = clouds(6000, 2, 1.5, bench.seed() + 1)?;
    let f = &model.pairs().models()[0];
    let scores = f.decision_values(&new.examples)?;
    let mut margins: Vec<f64> = scores.iter().zip(new.labels.values()).map(|(score, y)| y * score).collect();
    let negative = margins.iter().filter(|margin| **margin < 0.0).count();
    bench.check_equal(
        "negative margins, and examples on the wrong side",
        wrong(f, &new.examples, &new.labels)?,
        negative,
    );
    margins.sort_by(|a, b| a.abs().total_cmp(&b.abs()));
    let errors: Vec<usize> =
        margins.chunks(1500).map(|part| part.iter().filter(|margin| **margin < 0.0).count()).collect();
    bench.check(
        "errors among 1500 examples of the smallest, second, third and largest scores",
        "fewer where scores are larger",
        format!("{errors:?}"),
        errors.is_sorted_by(|a, b| a > b),
    );
    Ok(())
}

/// Probabilities of several classes by the softmax of linear scores.
fn softmax(bench: &mut Bench) -> Outcome {
    let data = iris()?.data;
    let labels = data.classes()?;
    let model = Multinomial::default().fit(&data.examples, &labels)?.converged()?.model;
    let (mut off, mut least, mut far) = (0.0_f64, 1.0_f64, 0.0_f64);
    let scores = model.machine().decisions(&data.examples)?;
    for (row, found) in model.probabilities(&data.examples)?.iter().enumerate() {
        off = off.max((found.iter().sum::<f64>() - 1.0).abs());
        least = found.iter().fold(least, |least, p| least.min(*p));
        let exponentials: Vec<f64> = scores.row(row)?.iter().map(|score| score.exp()).collect();
        let sum: f64 = exponentials.iter().sum();
        far = found.iter().zip(&exponentials).map(|(p, e)| (p - e / sum).abs()).fold(far, f64::max);
    }
    bench.check_at_most("softmax on iris: largest distance of a sum of probabilities from 1", 1e-14, off);
    bench.check_at_least("softmax on iris: least probability", 0.0, least);
    bench.check_at_most("softmax on iris: distance from exp(fᵢ)/Σ exp(fⱼ)", 1e-13, far);
    Ok(())
}

/// The evidence for a sigmoid.
fn platt(bench: &mut Bench, train: &Binary) -> Outcome {
    let labels = as_classes(train)?;
    let gram = lm_core::VectorGram::new(&train.examples, kernel()?)?;
    let learner = WithProbabilities::new(CSvc::default(), folds(&labels, bench.seed())?);
    let fit = learner.fit(&gram, &labels)?.converged()?;
    let set = TrainingSet::new(&gram, &labels)?;
    bench.check_valid("machine and sigmoid, recomputed", fit.certificate.verify(&set)?);
    let evidence = &fit.certificate.sigmoids()[0];
    let steepest = evidence.certificate.gradient().iter().fold(0.0_f64, |a, g| a.max(g.abs()));
    bench.check_at_most("sigmoid: largest derivative of the logarithmic loss", 1e-9, steepest);
    bench.check_at_least(
        "sigmoid: curvature of the loss, which is that of one minimum",
        1.0,
        evidence.certificate.curvature(),
    );
    let sigmoid = fit.model.sigmoids()[0];
    bench.note(format!("The sigmoid is 1/(1 + exp({:.4} f + {:.4})).", sigmoid.slope(), sigmoid.offset()));
    Ok(())
}

/// Mean probability and share of positive examples in each of ten bins, and the mean distance of the two.
fn bins(probabilities: &[f64], data: &Binary) -> (Vec<[f64; 2]>, f64) {
    let mut sums = vec![[0.0; 3]; 10];
    for (p, sign) in probabilities.iter().zip(data.labels.signs()) {
        let bin = &mut sums[((p * 10.0) as usize).min(9)];
        bin[0] += p;
        bin[1] += f64::from(u8::from(*sign == Sign::Positive));
        bin[2] += 1.0;
    }
    let filled = sums.iter().filter(|bin| bin[2] > 0.0);
    let points = filled.map(|[p, positive, count]| [p / count, positive / count]).collect();
    let off: f64 = sums.iter().map(|[p, positive, _]| (p - positive).abs()).sum();
    (points, off / probabilities.len() as f64)
}

fn log_loss(probabilities: &[f64], data: &Binary) -> f64 {
    let of = |(p, sign): (&f64, &Sign)| -(if *sign == Sign::Positive { *p } else { 1.0 - p }).ln();
    probabilities.iter().zip(data.labels.signs()).map(of).sum::<f64>() / probabilities.len() as f64
}

/// How often what is said to happen with a probability does happen.
fn reliability(bench: &mut Bench, model: &Calibrated<VectorExpansion>) -> Outcome {
    let new = clouds(20_000, 2, 1.5, bench.seed() + 2)?;
    let scaled: Vec<f64> = model.probabilities(&new.examples)?.rows().map(|row| row[1]).collect();
    let scores = model.pairs().models()[0].decision_values(&new.examples)?;
    let plain: Vec<f64> = scores.iter().map(|score| 1.0 / (1.0 + (-score).exp())).collect();
    // Two round clouds of deviation 1 at ±0.75 along the diagonal: the log odds are 1.5 times the coordinate along it.
    let truth = |row: usize| {
        let x = new.examples.slice(row);
        1.0 / (1.0 + (-1.5 * (x[0] + x[1]) / 2.0_f64.sqrt()).exp())
    };
    let truth: Vec<f64> = (0..new.examples.len()).map(truth).collect();
    let away = |p: &[f64]| p.iter().zip(&truth).map(|(p, t)| (p - t).abs()).sum::<f64>() / truth.len() as f64;
    let ((line, off), (raw, off_raw)) = (bins(&scaled, &new), bins(&plain, &new));
    bench.check_at_most("Platt scaling: mean distance of probability and share, in ten bins", 0.05, off);
    bench.check(
        "the logistic function of the score itself: the same distance",
        "larger",
        format!("{off_raw:.4} and {off:.4}"),
        off_raw > off,
    );
    let losses = [log_loss(&truth, &new), log_loss(&scaled, &new), log_loss(&plain, &new)];
    bench.check(
        "mean logarithmic loss of the true probabilities, Platt scaling, the logistic function of the score",
        "in increasing order",
        format!("{losses:.4?}"),
        losses.is_sorted(),
    );
    bench.check_at_most("Platt scaling: mean distance from the true probability", 0.1, away(&scaled));
    let svg = Plot::new("probability that is given", "share of the class")
        .x_range(0.0, 1.0)
        .y_range(0.0, 1.0)
        .equal_axes()
        .segment("as it should be", [0.0, 0.0], [1.0, 1.0], Stroke::THIN)
        .marked_series("Platt scaling", &line)
        .marked_series("logistic of the score", &raw)
        .render()?;
    bench.figure(
        "reliability",
        "Reliability of probabilities on 20 000 new examples, in ten bins: of the examples that are given a probability, \
         the share that belongs to the class.",
        svg,
    )
}

/// The most probable class is the predicted one, also where coupled sigmoids say otherwise.
fn agreement(bench: &mut Bench) -> Outcome {
    let cloud =
        |class, len, mean: [f64; 2]| Cloud { class, len, mean: mean.into(), spread: Spread::Round(1.0) };
    let made = gaussians(
        &[
            cloud(0, 150, [0.0, 0.0]),
            cloud(1, 30, [1.2, 0.0]),
            cloud(2, 50, [0.0, 1.5]),
            cloud(3, 70, [1.5, 1.5]),
        ],
        bench.seed() + 3,
    )?;
    let learner = WithProbabilities::new(CSvc::default(), folds(&made.labels, bench.seed())?);
    let model = OverVectors::new(learner, kernel()?).fit(&made.examples, &made.labels)?.converged()?.model;
    let grid: Vec<f64> = (0..10_000)
        .flat_map(|k| [f64::from(k % 100) * 0.06 - 2.0, f64::from(k / 100) * 0.06 - 2.0])
        .collect();
    let points = Dense::new(grid, 10_000, 2)?;
    let (found, predicted) = (model.probabilities(&points)?, model.class_numbers(&points)?);
    let most = found.most_probable();
    let apart = most.iter().zip(&predicted).filter(|(class, number)| **class != **number as i64).count();
    bench.check_equal("points of 10 000 where the most probable class is not the predicted one", 0, apart);
    let mut otherwise = 0;
    for (values, &number) in model.decisions(&points)?.rows().zip(&predicted) {
        let second: Vec<f64> = model
            .sigmoids()
            .iter()
            .zip(values)
            .map(|(sigmoid, &value)| sigmoid.probabilities(value)[1])
            .collect();
        let coupled = couple(&second, 4)?.probabilities;
        otherwise += usize::from(coupled.iter().any(|p| *p > coupled[number]));
    }
    bench.check(
        "the same, of coupled sigmoids as they are",
        "some",
        format!("{otherwise} of 10 000"),
        otherwise > 0,
    );
    Ok(())
}
