//! E06: kernel methods beyond support vector machines.

use lm_closed::{KernelLogistic, KernelNeighbours, KernelPca, KernelRidge};
use lm_core::linalg::Matrix;
use lm_core::multiclass::Classifier;
use lm_core::{
    BinaryLabels, Certificate, ClassLabels, Dense, Hypothesis, Learner, OverVectors, Sign, TrainingSet,
    VectorGram, VectorKernel,
};
use lm_data::generate::rings;
use lm_online::DualPerceptron;

use crate::reproduce::bench::Bench;
use crate::reproduce::entry::{Entry, Outcome};
use crate::reproduce::figure::Plot;
use crate::reproduce::measure::{Binary, of_class, wrong};

pub(super) const ENTRIES: &[Entry] = &[Entry {
    id: "E06",
    place: "E 4.5",
    claim: "The kernel trick serves more than support vector machines: ridge regression, logistic regression, nearest \
            neighbours, the perceptron and principal components all need nothing but inner products.",
    how: "Each method is given two rings, one inside the other, under the linear kernel, under which no function separates \
          them, and under a Gaussian kernel, and is tested on points it has not seen. Principal components are drawn.",
    seed: 6,
    body,
}];

const TEST: usize = 1000;

const RIDGE: &str = "kernel ridge regression";
const LOGISTIC: &str = "kernel logistic regression";
const PERCEPTRON: &str = "kernel perceptron";
const NEIGHBOURS: &str = "nearest neighbours";

/// Two rings, as data of two classes.
fn two_rings(len: usize, seed: u64) -> lm_core::Result<(Binary, ClassLabels)> {
    let made = rings(len, &[1.0, 2.5], 0.2, seed)?;
    let data = Binary { labels: made.labels.one_against_rest(1)?, examples: made.examples };
    Ok((data, made.labels))
}

fn body(bench: &mut Bench) -> Outcome {
    let (train, classes) = two_rings(200, bench.seed())?;
    let (test, _) = two_rings(TEST, bench.seed() + 1)?;
    let gaussian = VectorKernel::gaussian(0.5)?;
    for (name, kernel) in [("linear", VectorKernel::linear()), ("Gaussian", gaussian)] {
        let ridge = OverVectors::new(KernelRidge::default().with_penalty(0.1).with_bias(true), kernel);
        let logistic = OverVectors::new(KernelLogistic::default().with_penalty(0.1), kernel);
        let perceptron = OverVectors::new(DualPerceptron::default().with_passes(100), kernel);
        let of = |method: &str| format!("{method}, {name}");
        let found = [
            (RIDGE, errors(bench, &of(RIDGE), &ridge, &train, &test)?),
            (LOGISTIC, errors(bench, &of(LOGISTIC), &logistic, &train, &test)?),
            (PERCEPTRON, errors(bench, &of(PERCEPTRON), &perceptron, &train, &test)?),
            (NEIGHBOURS, neighbours(bench, &of(NEIGHBOURS), &train, &classes, &test, kernel)?),
        ];
        for (method, wrong) in found {
            let what = format!("{method}, {name} kernel: errors on {TEST} new points");
            // Neighbours under the linear kernel are those of the plane, where the rings are apart.
            if name == "Gaussian" || method == NEIGHBOURS {
                bench.check_at_most(what, 10.0, wrong as f64);
            } else {
                bench.check_at_least(what, 250.0, wrong as f64);
            }
        }
    }
    order_of_neighbours(bench, &train, &classes, &test)?;
    components(bench, &train, VectorKernel::gaussian(0.1)?)
}

/// Checks the certificate of a learner and counts its errors on new points.
fn errors<L>(
    bench: &mut Bench,
    name: &str,
    learner: &L,
    train: &Binary,
    test: &Binary,
) -> Result<usize, Box<dyn std::error::Error>>
where
    L: Learner<Dense<'static>, BinaryLabels>,
    L::Model: Hypothesis<Dense<'static>>,
    for<'s> L::Certificate: Certificate<TrainingSet<'s, Dense<'static>, BinaryLabels>>,
{
    let fit = learner.fit(&train.examples, &train.labels)?;
    let set = TrainingSet::new(&train.examples, &train.labels)?;
    bench.check_valid(format!("{name} kernel: certificate"), fit.certificate.verify(&set)?);
    Ok(wrong(&fit.model, &test.examples, &test.labels)?)
}

fn neighbours(
    bench: &mut Bench,
    name: &str,
    train: &Binary,
    classes: &ClassLabels,
    test: &Binary,
    kernel: VectorKernel,
) -> Result<usize, Box<dyn std::error::Error>> {
    let fit = KernelNeighbours::new(kernel).with_neighbours(5).fit(&train.examples, classes)?;
    bench.check_valid(
        format!("{name} kernel: certificate"),
        fit.certificate.verify(&TrainingSet::new(&train.examples, classes)?)?,
    );
    let found = fit.model.class_numbers(&test.examples)?;
    let is = |(number, sign): &(usize, &Sign)| (*number == 1) != (**sign == Sign::Positive);
    Ok(found.into_iter().zip(test.labels.signs()).filter(is).count())
}

/// A Gaussian kernel falls with the distance, so neighbours are the same; a kernel of squares has others.
fn order_of_neighbours(bench: &mut Bench, train: &Binary, classes: &ClassLabels, test: &Binary) -> Outcome {
    let votes = |kernel: VectorKernel| -> lm_core::Result<Vec<Vec<f64>>> {
        let model = KernelNeighbours::new(kernel).with_neighbours(5).fit(&train.examples, classes)?.model;
        Ok(model.votes(&test.examples)?.into_iter().map(|vote| vote.shares).collect())
    };
    let (plane, gaussian) = (votes(VectorKernel::linear())?, votes(VectorKernel::gaussian(0.5)?)?);
    let same = plane.iter().zip(&gaussian).filter(|(a, b)| a == b).count();
    bench.check_equal(
        "points whose neighbours vote alike in the plane and under the Gaussian kernel",
        TEST,
        same,
    );
    Ok(())
}

/// The share of examples on the right side of the best threshold on a direction.
fn separation(places: &[f64], labels: &BinaryLabels) -> f64 {
    let mut order: Vec<usize> = (0..places.len()).collect();
    order.sort_by(|&a, &b| places[a].total_cmp(&places[b]));
    let positive = labels.signs().iter().filter(|sign| **sign == Sign::Positive).count();
    let (mut right, mut best) = (positive, positive.max(places.len() - positive));
    for row in order {
        // This row moves to the lower side.
        if labels.signs()[row] == Sign::Positive {
            right -= 1;
        } else {
            right += 1;
        }
        best = best.max(right).max(places.len() - right);
    }
    best as f64 / places.len() as f64
}

fn components(bench: &mut Bench, train: &Binary, kernel: VectorKernel) -> Outcome {
    let linear = VectorGram::new(&train.examples, VectorKernel::linear())?;
    let plain = KernelPca::default().fit(&linear)?;
    bench.check_equal("directions under the linear kernel in the plane", 2, plain.model.rank());
    let best = |places: &Matrix, count: usize| {
        (0..count).map(|k| separation(places.column(k), &train.labels)).fold(0.0, f64::max)
    };
    let apart = best(&plain.model.project(&linear)?, 2);
    bench.check_at_most(
        "linear kernel: share on the right side of the best threshold on a direction",
        0.8,
        apart,
    );
    let gram = VectorGram::new(&train.examples, kernel)?;
    let fit = KernelPca::default().with_components(4).fit(&gram)?;
    bench.check_valid("principal components, Gaussian kernel: certificate", fit.certificate.verify(&gram)?);
    let places = fit.model.project(&gram)?;
    let apart = best(&places, 4);
    bench.check_at_least(
        "Gaussian kernel: share on the right side of the best threshold on one of four",
        0.95,
        apart,
    );
    let variances: f64 = fit.model.explained().iter().sum();
    bench.check_at_least("share of the variance that four directions explain", 0.5, variances);

    let direction = (0..4)
        .max_by(|&a, &b| {
            let side = |k| separation(places.column(k), &train.labels);
            side(a).total_cmp(&side(b))
        })
        .unwrap_or(0);
    let model = fit.model.over_vectors(&train.examples, kernel)?;
    let height = move |x: f64, y: f64| {
        let at = Dense::new(vec![x, y], 1, 2).and_then(|point| model.project(&point));
        at.map_or(f64::NAN, |places| places.column(direction)[0])
    };
    let svg = Plot::new("x₁", "x₂")
        .equal_axes()
        .resolution(60)
        .x_range(-3.4, 3.4)
        .y_range(-3.4, 3.4)
        .field("projection", height)
        .points("inner ring", 0, &of_class(train, Sign::Negative))
        .points("outer ring", 1, &of_class(train, Sign::Positive))
        .render()?;
    bench.figure(
        "components",
        format!(
            "Direction {} of the kernel principal components of two rings tells one from the other.",
            direction + 1
        ),
        svg,
    )?;
    let other = if direction == 0 { 1 } else { 0 };
    let points = |sign: Sign| -> Vec<[f64; 2]> {
        let rows = (0..200).filter(|&row| train.labels.signs()[row] == sign);
        rows.map(|row| [places[(row, direction)], places[(row, other)]]).collect()
    };
    let svg = Plot::new(&format!("direction {}", direction + 1), &format!("direction {}", other + 1))
        .points("inner ring", 0, &points(Sign::Negative))
        .points("outer ring", 1, &points(Sign::Positive))
        .render()?;
    bench.figure(
        "projections",
        "The same rings in the plane of two of the directions: a line separates them.",
        svg,
    )
}
