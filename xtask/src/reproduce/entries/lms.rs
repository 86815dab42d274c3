//! B20: the LMS rule, and samples that it does not separate although a line does.

use lm_core::{BinaryLabels, Certificate, Dense, Error, Hypothesis, Learner, Linear, Sign, TrainingSet};
use lm_online::{BatchLms, Lms, Perceptron, Schedule};
use lm_qp::linear::LinearSvc;

use crate::reproduce::bench::{Bench, number};
use crate::reproduce::entry::{Entry, Outcome};
use crate::reproduce::figure::{Plot, Stroke};
use crate::reproduce::least_squares::{augmented, check_near, least_squares};
use crate::reproduce::vectors::{distance, dot, norm, weights_and_bias};

pub(super) const ENTRIES: &[Entry] = &[Entry {
    id: "B20",
    place: "B Alg 10, Fig 5.17",
    claim: "The LMS rule, in batch form a ← a − η(k)Yᵗ(Ya − b) and in sequential form a ← a + η(k)(bₖ − aᵗyᵏ)yᵏ, minimises \
                ‖Ya − b‖² and need not separate samples that can be separated: in figure 5.17 its line is turned clockwise.",
    how: "Sixteen points of the plane, four of them far out on their own side, are learned by both forms, by a perceptron and by \
              the machine of maximal margin, and compared with least squares by Householder reflections.",
    seed: 20,
    body: not_separating,
}];

/// The points of figure 5.17: a group of the positive class lies far out.
const POSITIVE: [[f64; 2]; 9] = [
    [0.6, -1.5],
    [0.5, -0.8],
    [0.7, -0.1],
    [0.5, 0.6],
    [0.9, -1.1],
    [4.0, 3.0],
    [4.6, 3.4],
    [5.0, 4.0],
    [5.4, 3.2],
];
const NEGATIVE: [[f64; 2]; 7] =
    [[-0.8, -1.2], [-0.6, -0.5], [-0.4, 0.2], [-0.7, 0.9], [-0.5, 1.6], [-0.9, -0.8], [-0.8, 0.5]];

fn not_separating(bench: &mut Bench) -> Outcome {
    let points: Vec<[f64; 2]> = POSITIVE.iter().chain(&NEGATIVE).copied().collect();
    let signs = points
        .iter()
        .enumerate()
        .map(|(row, _)| if row < POSITIVE.len() { Sign::Positive } else { Sign::Negative });
    let (examples, labels) = (Dense::from_rows(&points)?, BinaryLabels::new(signs.collect())?);
    let set = TrainingSet::new(&examples, &labels)?;
    let rows = augmented(&examples, points.len());
    let solution = least_squares(&rows, &labels.values());

    let batch = BatchLms::default()
        .with_tolerance(1e-10)
        .with_passes(1_000_000)
        .fit(&examples, &labels)?
        .converged()?;
    check_near(bench, "batch form, b = 1", 1e-6, &batch.model, &solution);
    bench.check_valid("its sum of squares and gradient", batch.certificate.verify(&set)?);
    let rate = Schedule::constant(0.005)?;
    let scheduled = BatchLms::default()
        .with_schedule(rate)
        .with_tolerance(1e-10)
        .with_passes(1_000_000)
        .fit(&examples, &labels)?
        .converged()?;
    check_near(bench, "batch form, η = 0.005", 1e-6, &scheduled.model, &solution);
    let falling = Schedule::power(0.02, -0.6)?;
    let single = Lms::default()
        .with_schedule(falling)
        .with_tolerance(0.0)
        .with_passes(1 << 20)
        .fit(&examples, &labels)?;
    check_near(
        bench,
        "sequential form, η(k) = 0.02·k^−0.6, a million passes",
        1e-5,
        &single.model,
        &solution,
    );
    let by_default = Lms::default().with_tolerance(0.0).with_passes(1 << 16).fit(&examples, &labels)?;
    bench.note(format!(
        "How fast the sequential form comes near depends on its rates: with 1/(p·max ‖(x, 1)‖²) in pass p, 65 536 passes leave a \
         distance of {}, because the far points make that rate small and the sum of 1/p grows slowly.",
        number(distance(&weights_and_bias(&by_default.model), &solution))
    ));
    bench.check_valid("its sum of squares and gradient", single.certificate.verify(&set)?);

    let errors = |model: &Linear| -> Result<Vec<usize>, Error> {
        let signs = model.signs(&examples)?;
        Ok((0..points.len()).filter(|&row| signs[row] != labels.signs()[row]).collect())
    };
    let perceptron = Perceptron::default().fit(&examples, &labels)?.converged()?;
    let svc = LinearSvc::default().with_cost(1e4).with_gap(1e-8).fit(&examples, &labels)?.converged()?;
    bench.check_valid("a perceptron separates the points: its replay", perceptron.certificate.verify(&set)?);
    bench.check_equal("errors of the perceptron", 0, errors(&perceptron.model)?.len());
    bench.check_equal("errors of the machine of maximal margin", 0, errors(&svc.model)?.len());
    let wrong = errors(&batch.model)?;
    bench.check_at_least("errors of LMS, batch form", 1.0, wrong.len() as f64);
    bench.check(
        "errors of LMS, sequential form",
        "the same",
        format!("{:?} and {wrong:?}", errors(&single.model)?),
        errors(&single.model)? == wrong,
    );
    let angle = |model: &Linear| model.weights()[1].atan2(model.weights()[0]).to_degrees();
    let turned = angle(&batch.model) - angle(&svc.model);
    bench.check(
        "LMS line against that of maximal margin",
        "turned clockwise",
        format!("by {}°", number(-turned)),
        turned < -1.0 && turned > -90.0,
    );

    distances(bench, &points, &batch.model);
    first_short_step(bench, &rows, &labels, &solution);
    let wrong: Vec<[f64; 2]> = wrong.iter().map(|&row| points[row]).collect();
    let line = |model: &Linear| [model.weights()[0], model.weights()[1], model.bias()];
    let svg = Plot::new("x₁", "x₂")
        .equal_axes()
        .x_range(-2.0, 6.0)
        .y_range(-2.2, 4.6)
        .line("LMS", line(&batch.model), Stroke::SOLID)
        .line("a separating line, of maximal margin", line(&svc.model), Stroke::DASHED)
        .points("negative", 0, &NEGATIVE)
        .points("positive", 1, &POSITIVE)
        .rings("misclassified by LMS", &wrong)
        .render()?;
    bench.figure(
        "separable",
        "Points that a line separates, and the line of LMS, which does not: the far points pull it towards themselves.",
        svg,
    )
}

/// What LMS minimises is not the sum of squared distances from the line.
fn distances(bench: &mut Bench, points: &[[f64; 2]], lms: &Linear) {
    let count = points.len() as f64;
    let mean = [0, 1].map(|k| points.iter().map(|x| x[k]).sum::<f64>() / count);
    let scatter =
        |i: usize, j: usize| points.iter().map(|x| (x[i] - mean[i]) * (x[j] - mean[j])).sum::<f64>();
    let (xx, xy, yy) = (scatter(0, 0), scatter(0, 1), scatter(1, 1));
    // The line through the mean along the longer axis of the scatter has the least sum, its smaller eigenvalue.
    let least = f64::midpoint(xx, yy) - ((xx - yy) / 2.0).hypot(xy);
    let of_lms =
        points.iter().map(|x| ((dot(lms.weights(), x) + lms.bias()) / lms.norm()).powi(2)).sum::<f64>();
    bench.erratum(
        "The LMS solution minimises the sum of the squares of the distances of the training points to the hyperplane (figure 5.17).",
        "It minimises Σ (aᵗy − b)², the squared differences from the margins b; distances to the hyperplane are another matter.",
        format!(
            "Sum of squared distances from the LMS line: {}; from the line through the mean along the longer axis of the points: {}.",
            number(of_lms),
            number(least)
        ),
        of_lms > 1.5 * least,
    );
}

/// Algorithm 10 ends by the first step that is short, wherever it is.
fn first_short_step(bench: &mut Bench, rows: &[Vec<f64>], labels: &BinaryLabels, solution: &[f64]) {
    let theta = 1e-3;
    let mut a = vec![0.0; 3];
    let mut visits = 0_u32;
    loop {
        let row = visits as usize % rows.len();
        let factor = 0.02 * (labels.values()[row] - dot(&a, &rows[row]));
        visits += 1;
        a.iter_mut().zip(&rows[row]).for_each(|(a, y)| *a += factor * y);
        if factor.abs() * norm(&rows[row]) < theta || visits == 1_000_000 {
            break;
        }
    }
    let away = distance(&a, solution) / norm(solution);
    bench.erratum(
        "Algorithm 10 ends when a step η(k)(bₖ − aᵗyᵏ)yᵏ is shorter than θ.",
        "The step of one sample is short wherever that sample happens to be met, far from the solution too; what must be small is the \
         gradient over all samples, which our runs look at.",
        format!(
            "η = 0.02, θ = {}: the algorithm ends after {visits} visits of {} samples, {} % of ‖a‖ away from the solution.",
            number(theta),
            rows.len(),
            number((100.0 * away).round())
        ),
        visits < 1_000_000 && away > 0.1,
    );
}
