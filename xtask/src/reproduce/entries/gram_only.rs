//! A13: dual learners see data only through the Gram matrix.

use lm_core::{
    BinaryLabels, Budget, Certificate, Dense, DualExpansion, Gram, Hypothesis, Learner, MatrixGram,
    TrainingSet, VectorGram, VectorKernel,
};
use lm_online::DualPerceptron;
use lm_qp::CSvc;

use crate::reproduce::bench::Bench;
use crate::reproduce::entry::{Entry, Outcome};

pub(super) const ENTRIES: &[Entry] = &[Entry {
    id: "A13",
    place: "A Rem 2.11, 2.3",
    claim: "In the dual form the training data enter only through the Gram matrix, never through their attributes.",
    how: "A dual perceptron and a support vector machine are trained on examples with a kernel, on the Gram matrix \
          of the same examples computed beforehand, and on the Gram matrix of the examples after a rotation, which \
          changes every attribute and no inner product.",
    seed: 0,
    body,
}];

/// Forty points on two arcs that cross, in coordinates that a rotation by 45° keeps exact in binary arithmetic.
fn points() -> (Vec<[f64; 2]>, Vec<i64>) {
    let mut points = Vec::new();
    let mut labels = Vec::new();
    for k in 0..20_i32 {
        let t = f64::from(k) / 8.0 - 1.25;
        points.push([t, 0.5 - t * t / 2.0]);
        labels.push(1);
        points.push([t + 0.5, t * t / 2.0 - 0.75]);
        labels.push(-1);
    }
    (points, labels)
}

fn body(bench: &mut Bench) -> Outcome {
    let (points, labels) = points();
    let labels = BinaryLabels::from_integers(&labels)?;
    let examples = Dense::from_rows(&points)?;
    // (x, y) ↦ (x + y, x − y)/√2, times √2: every inner product doubles, exactly.
    let turned: Vec<[f64; 2]> = points.iter().map(|[x, y]| [x + y, x - y]).collect();
    let turned = Dense::from_rows(&turned)?;

    for (name, kernel, turned_kernel) in [
        ("linear", VectorKernel::linear(), VectorKernel::polynomial(1, 0.5, 0.0)?),
        ("(⟨x·z⟩ + 1)²", VectorKernel::polynomial(2, 1.0, 1.0)?, VectorKernel::polynomial(2, 0.5, 1.0)?),
        ("Gaussian", VectorKernel::gaussian(1.0)?, VectorKernel::gaussian(0.5)?),
    ] {
        let attributes = VectorGram::new(&examples, kernel)?;
        let matrix = MatrixGram::computed(&attributes, &Budget::default())?;
        let numbers = MatrixGram::precomputed(matrix.values().to_vec(), points.len())?;
        let rotated = VectorGram::new(&turned, turned_kernel)?;
        compare_perceptrons(bench, name, &labels, &attributes, &numbers, &rotated)?;
        compare_machines(bench, name, &labels, &attributes, &numbers, &rotated)?;
    }
    Ok(())
}

fn compare_perceptrons(
    bench: &mut Bench,
    name: &str,
    labels: &BinaryLabels,
    attributes: &dyn Gram,
    numbers: &dyn Gram,
    rotated: &dyn Gram,
) -> Outcome {
    let run = |gram: &dyn Gram| DualPerceptron::default().with_passes(500).fit(gram, labels);
    let (a, b, c) = (run(attributes)?, run(numbers)?, run(rotated)?);
    let made = |mistakes: usize| format!("{mistakes} mistakes, the same ones in the same order");
    let mistakes = a.certificate.journal().mistakes();
    let same = mistakes == b.certificate.journal().mistakes() && a.model == b.model;
    bench.check(
        format!("dual perceptron, {name} kernel: with attributes and with the matrix alone"),
        "the same run",
        if same { made(mistakes.len()) } else { "different runs".into() },
        same,
    );
    let same = mistakes == c.certificate.journal().mistakes();
    bench.check(
        format!("dual perceptron, {name} kernel: before and after a rotation"),
        "the same run",
        if same { made(mistakes.len()) } else { "different runs".into() },
        same,
    );
    let verdict = b.certificate.verify(&TrainingSet::new(attributes, labels)?)?;
    bench.check(
        format!("replay of the matrix run against the attributes, {name} kernel"),
        "valid",
        verdict.to_string(),
        verdict.is_valid(),
    );
    Ok(())
}

fn compare_machines(
    bench: &mut Bench,
    name: &str,
    labels: &BinaryLabels,
    attributes: &dyn Gram,
    numbers: &dyn Gram,
    rotated: &dyn Gram,
) -> Outcome {
    let run = |gram: &dyn Gram| CSvc::default().with_cost(4.0).with_gap(1e-10).fit(gram, labels)?.converged();
    let (a, b, c) = (run(attributes)?, run(numbers)?, run(rotated)?);
    bench.check(
        format!("support vector machine, {name} kernel: with attributes and with the matrix alone"),
        "the same machine",
        format!("{} support vectors, {}", a.model.rows().len(), equal_or_not(&a.model, &b.model)),
        a.model == b.model,
    );
    let (before, after) = (a.model.decision_values(attributes)?, c.model.decision_values(rotated)?);
    let worst = before.iter().zip(&after).map(|(x, z)| (x - z).abs()).fold(0.0, f64::max);
    bench.check_at_most(
        format!("support vector machine, {name} kernel: change of a decision value by a rotation"),
        1e-12,
        worst,
    );
    Ok(())
}

fn equal_or_not(a: &DualExpansion, b: &DualExpansion) -> &'static str {
    if a == b { "equal to the bit" } else { "not equal" }
}
