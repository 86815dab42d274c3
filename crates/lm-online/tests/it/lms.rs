//! The Widrow–Hoff rule arrives at the least squares solution.

use lm_core::testing::SplitMix64;
use lm_core::{BinaryLabels, Certificate, Dense, Learner, Targets, TrainingSet};
use lm_online::{Lms, Schedule};

/// Least squares by Householder reflections: the weights, the bias last.
fn least_squares(examples: &Dense<'_>, targets: &[f64], dim: usize) -> Vec<f64> {
    let (len, width) = (targets.len(), dim + 1);
    let mut rows: Vec<Vec<f64>> = (0..len)
        .map(|row| examples.slice(row).iter().copied().chain([1.0, targets[row]]).collect())
        .collect();
    for column in 0..width {
        let norm = (column..len).map(|row| rows[row][column].powi(2)).sum::<f64>().sqrt();
        let alpha = -norm.copysign(rows[column][column]);
        let mut v: Vec<f64> = (column..len).map(|row| rows[row][column]).collect();
        v[0] -= alpha;
        let length: f64 = v.iter().map(|v| v * v).sum();
        for k in column..=width {
            let product: f64 = v.iter().zip(&rows[column..]).map(|(v, row)| v * row[k]).sum();
            for (v, row) in v.iter().zip(&mut rows[column..]) {
                row[k] -= 2.0 * product / length * v;
            }
        }
    }
    let mut solution = vec![0.0; width];
    for k in (0..width).rev() {
        let known: f64 = (k + 1..width).map(|j| rows[k][j] * solution[j]).sum();
        solution[k] = (rows[k][width] - known) / rows[k][k];
    }
    solution
}

/// Points with targets that no linear function meets.
fn sample(len: usize, dim: usize, seed: u64) -> (Dense<'static>, Vec<f64>) {
    let mut random = SplitMix64::new(seed);
    let values: Vec<f64> = (0..len * dim).map(|_| random.uniform(-1.0, 1.0)).collect();
    let targets = (0..len).map(|row| values[row * dim] - 0.5 + random.uniform(-1.0, 1.0)).collect();
    (Dense::new(values, len, dim).unwrap(), targets)
}

fn distance(fit: &lm_core::Linear, solution: &[f64]) -> f64 {
    let found = fit.weights().iter().copied().chain([fit.bias()]);
    found.zip(solution).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

#[test]
fn it_converges_to_the_least_squares_solution() {
    for seed in 0..3 {
        let (examples, targets) = sample(20, 2, seed);
        let solution = least_squares(&examples, &targets, 2);
        let targets = Targets::new(targets).unwrap();
        let learner = Lms::default().with_tolerance(0.0).with_passes(1 << 21);
        let fit = learner.fit(&examples, &targets).unwrap();
        let off = distance(&fit.model, &solution);
        assert!(off < 1e-6, "seed {seed}: {off:e}");
        assert!(fit.certificate.verify(&TrainingSet::new(&examples, &targets).unwrap()).unwrap().is_valid());
        assert!(fit.certificate.figures().relative_gradient() < 1e-5);
    }
}

#[test]
fn targets_that_a_function_meets_are_met_with_a_constant_rate() {
    let (examples, _) = sample(30, 4, 8);
    let solution = [0.5, -2.0, 0.25, 1.0, 3.0];
    let exact = |row: usize| {
        let products = examples.slice(row).iter().zip(&solution).map(|(x, w)| x * w);
        products.sum::<f64>() + solution[4]
    };
    let targets = Targets::new((0..30).map(exact).collect()).unwrap();
    let learner = Lms::default().with_schedule(Schedule::constant(0.2).unwrap()).with_tolerance(1e-9);
    let fit = learner.fit(&examples, &targets).unwrap().converged().unwrap();
    assert!(distance(&fit.model, &solution) < 1e-6);
}

#[test]
fn labels_are_targets_of_plus_and_minus_one() {
    let (examples, targets) = sample(25, 3, 5);
    let labels: Vec<i64> = targets.iter().map(|&target| i64::from(target > -0.5)).collect();
    let labels = BinaryLabels::from_integers(&labels).unwrap();
    let numbers = Targets::new(labels.values()).unwrap();
    let (by_label, by_number) =
        (Lms::default().fit(&examples, &labels).unwrap(), Lms::default().fit(&examples, &numbers).unwrap());
    assert_eq!(by_label.model, by_number.model);
}
