//! The problems that are measured.

use std::error::Error;
use std::path::Path;

use lm_benches::{classes, regression};
use lm_closed::{GaussianCovariance, GaussianProcess, KernelRidge, Lda, LeastSquares, Logistic, Ridge};
use lm_core::{
    BinaryLabels, ClassLabels, Control, Dense, Examples, Learner, Linear, Targets, TrainingSet, VectorGram,
    VectorKernel,
};
use lm_data::svmlight;
use serde_json::{Value, json};

use super::super::SuiteArguments;
use super::problem::{Method, Peers, Problem, Times, distance, raw};

/// The shapes of least squares and ridge regression.
const SHAPES: [(usize, usize); 3] = [(100_000, 50), (50_000, 100), (10_000, 500)];

const LEAST_SQUARES: [Method; 3] = [
    Method { name: "LinearRegression", shown: "scikit-learn `LinearRegression`", least: 5.0 },
    Method { name: "intel LinearRegression", shown: "scikit-learn-intelex `LinearRegression`", least: 1.0 },
    Method { name: "scipy lstsq", shown: "scipy `lstsq` (gelsy)", least: 1.0 },
];

const RIDGE: [Method; 2] = [
    Method { name: "Ridge", shown: "scikit-learn `Ridge`", least: 3.0 },
    Method { name: "intel Ridge", shown: "scikit-learn-intelex `Ridge`", least: 1.0 },
];

const LDA: [Method; 2] = [
    Method { name: "LDA svd", shown: "scikit-learn `LinearDiscriminantAnalysis` (svd)", least: 5.0 },
    Method { name: "LDA lsqr", shown: "scikit-learn `LinearDiscriminantAnalysis` (lsqr)", least: 5.0 },
];

const LOGISTIC: [Method; 3] = [
    Method { name: "lbfgs", shown: "scikit-learn `LogisticRegression` (lbfgs)", least: 3.0 },
    Method {
        name: "newton-cholesky",
        shown: "scikit-learn `LogisticRegression` (newton-cholesky)",
        least: 3.0,
    },
    Method { name: "intel lbfgs", shown: "scikit-learn-intelex `LogisticRegression` (lbfgs)", least: 1.0 },
];

const KERNEL_RIDGE: [Method; 1] =
    [Method { name: "KernelRidge", shown: "scikit-learn `KernelRidge`", least: 1.0 }];

const EVIDENCE: [Method; 2] = [
    Method { name: "GaussianProcessRegressor", shown: "scikit-learn `GaussianProcessRegressor`", least: 3.0 },
    Method { name: "GPy", shown: "GPy", least: 1.0 },
];

pub(super) fn measure(arguments: &SuiteArguments, peers: &mut Peers) -> Result<Vec<Times>, Box<dyn Error>> {
    let (data, repeats) = (&arguments.data, arguments.repeats);
    let mut all = Vec::new();
    for (rows, columns) in SHAPES {
        all.extend(squares(rows, columns, peers, arguments)?);
    }
    if arguments.wants("LDA") {
        all.push(discriminant(peers, repeats)?);
    }
    for (name, dense) in [("covtype.binary", true), ("a9a", false)] {
        if arguments.wants(&format!("logistic, {name}")) {
            all.push(logistic(data, name, dense, peers, repeats)?);
        }
    }
    if arguments.wants("kernel ridge") {
        all.push(kernel_ridge(peers, repeats.min(3))?);
    }
    if arguments.wants("GP evidence") {
        all.push(evidence(peers, repeats)?);
    }
    Ok(all)
}

/// Weights, then the bias, as peers write them.
fn numbers(function: &Linear) -> Vec<f64> {
    function.weights().iter().copied().chain([function.bias()]).collect()
}

/// Least squares and ridge regression on one shape.
fn squares(
    rows: usize,
    columns: usize,
    peers: &mut Peers,
    arguments: &SuiteArguments,
) -> Result<Vec<Times>, Box<dyn Error>> {
    let (values, targets) = regression(rows, columns, 3);
    let load = raw(peers, "squares", &values, columns, &targets)?;
    let (examples, targets) = (Dense::new(values, rows, columns)?, Targets::new(targets)?);
    let shape = format!("{rows} × {columns}");
    let by_squares = Problem {
        name: format!("least squares, {shape}"),
        methods: &LEAST_SQUARES,
        load: load.clone(),
        settings: json!({}),
        ours: &|| Ok(numbers(&LeastSquares::default().fit(&examples, &targets)?.model)),
        judge: &distance,
    };
    let by_ridge = Problem {
        name: format!("ridge, {shape}"),
        methods: &RIDGE,
        load,
        settings: json!({"penalty": 1.0}),
        ours: &|| Ok(numbers(&Ridge::default().with_penalty(1.0).fit(&examples, &targets)?.model)),
        judge: &distance,
    };
    let wanted = [by_squares, by_ridge].into_iter().filter(|problem| arguments.wants(&problem.name));
    wanted.map(|problem| problem.measure(peers, arguments.repeats)).collect()
}

fn discriminant(peers: &mut Peers, repeats: u32) -> Result<Times, Box<dyn Error>> {
    let (rows, columns, count) = (100_000, 50, 10);
    let (values, classes) = classes(rows, columns, count, 5);
    let labels: Vec<f64> = classes.iter().map(|&class| class as f64).collect();
    let load = raw(peers, "classes", &values, columns, &labels)?;
    let (examples, labels) = (Dense::new(values, rows, columns)?, ClassLabels::from_integers(&classes)?);
    let problem = Problem {
        name: format!("LDA, {rows} × {columns}, {count} classes"),
        methods: &LDA,
        load,
        settings: json!({}),
        ours: &|| {
            let fit = Lda::default().fit(&examples, &labels)?;
            let functions = fit.model.machine().functions();
            let weights = functions.iter().flat_map(|function| function.weights().to_vec());
            Ok(weights.chain(functions.iter().map(Linear::bias)).collect())
        },
        // The discriminant functions of all classes may differ by a common one.
        judge: &|ours, theirs| {
            distance(&without_mean(ours, columns, count), &without_mean(theirs, columns, count))
        },
    };
    problem.measure(peers, repeats)
}

/// Functions less the mean of all: weights of each, then biases.
fn without_mean(answer: &[f64], columns: usize, count: usize) -> Vec<f64> {
    if answer.len() != (columns + 1) * count {
        return Vec::new();
    }
    let (weights, biases) = answer.split_at(columns * count);
    let mut out = Vec::new();
    for (list, width) in [(weights, columns), (biases, 1)] {
        let mean = |k: usize| list.iter().skip(k).step_by(width).sum::<f64>() / count as f64;
        let means: Vec<f64> = (0..width).map(mean).collect();
        out.extend(list.iter().enumerate().map(|(at, value)| value - means[at % width]));
    }
    out
}

fn logistic(
    data: &Path,
    name: &str,
    dense: bool,
    peers: &mut Peers,
    repeats: u32,
) -> Result<Times, Box<dyn Error>> {
    let path = data.join(name).join("train.svm.gz");
    let read = svmlight::open::<f64>(&path, &svmlight::Options::default())?;
    let labels = read.binary()?;
    let load = json!({"kind": "load", "file": path, "features": read.examples.dim(), "dense": dense});
    let settings = json!({"penalty": 1.0, "tolerance": 1e-4});
    if dense {
        let examples = Dense::<f64>::copied(&read.examples)?;
        logistic_on(name, &examples, &labels, (load, settings), peers, repeats)
    } else {
        logistic_on(name, &read.examples, &labels, (load, settings), peers, repeats)
    }
}

fn logistic_on<E: Examples>(
    name: &str,
    examples: &E,
    labels: &BinaryLabels,
    (load, settings): (Value, Value),
    peers: &mut Peers,
    repeats: u32,
) -> Result<Times, Box<dyn Error>> {
    let objective = |answer: &[f64]| objective(examples, labels, answer);
    // Far below any tolerance of a peer: what every objective is compared with.
    let best = Logistic::default().with_penalty(1.0).with_tolerance(1e-14).fit(examples, labels)?;
    let least = objective(&numbers(best.model.function()));
    let problem = Problem {
        name: format!("logistic, {name}"),
        methods: &LOGISTIC,
        load,
        settings,
        ours: &|| Ok(numbers(Logistic::default().with_penalty(1.0).fit(examples, labels)?.model.function())),
        judge: &|_, theirs| (objective(theirs) - least).max(0.0) / least,
    };
    problem.measure(peers, repeats)
}

/// `Σ log(1 + exp(−y f(x))) + ½‖w‖²`, term by term.
fn objective<E: Examples>(examples: &E, labels: &BinaryLabels, answer: &[f64]) -> f64 {
    let Some((bias, weights)) = answer.split_last().filter(|(_, weights)| weights.len() == examples.dim())
    else {
        return f64::INFINITY;
    };
    let loss = |row: usize| {
        let margin = labels.signs()[row].value() * (examples.dot(row, weights) + bias);
        // Whichever of both forms does not overflow.
        if margin > 0.0 { (-margin).exp().ln_1p() } else { margin.exp().ln_1p() - margin }
    };
    (0..examples.len()).map(loss).sum::<f64>() + 0.5 * weights.iter().map(|w| w * w).sum::<f64>()
}

fn kernel_ridge(peers: &mut Peers, repeats: u32) -> Result<Times, Box<dyn Error>> {
    let (rows, columns, gamma, penalty) = (8_000, 20, 0.05, 0.1);
    let (values, targets) = regression(rows, columns, 7);
    let load = raw(peers, "kernel", &values, columns, &targets)?;
    let (examples, targets) = (Dense::new(values, rows, columns)?, Targets::new(targets)?);
    let problem = Problem {
        name: format!("kernel ridge, {rows} × {columns}"),
        methods: &KERNEL_RIDGE,
        load,
        settings: json!({"penalty": penalty, "gamma": gamma}),
        ours: &|| {
            let gram = VectorGram::new(&examples, VectorKernel::gaussian(gamma)?)?;
            let fit = KernelRidge::default().with_penalty(penalty).fit(&gram, &targets)?;
            let mut alpha = vec![0.0; rows];
            fit.model.rows().iter().zip(fit.model.coefficients()).for_each(|(&row, &c)| alpha[row] = c);
            Ok(alpha)
        },
        judge: &distance,
    };
    problem.measure(peers, repeats)
}

fn evidence(peers: &mut Peers, repeats: u32) -> Result<Times, Box<dyn Error>> {
    let (rows, columns, signal, noise) = (2_000, 8, 1.5, 0.1);
    let (values, targets) = regression(rows, columns, 9);
    let lengths: Vec<f64> = (0..columns).map(|k| 1.0 + 0.25 * k as f64).collect();
    let load = raw(peers, "evidence", &values, columns, &targets)?;
    let (examples, targets) = (Dense::new(values, rows, columns)?, Targets::new(targets)?);
    let set = TrainingSet::new(&examples, &targets)?;
    let covariance = GaussianCovariance::default()
        .with_signal_variance(signal)
        .with_lengths(lengths.clone())
        .with_noise_variance(noise);
    let process = GaussianProcess::new(covariance);
    let problem = Problem {
        name: format!("GP evidence and gradient, {rows} × {columns}"),
        methods: &EVIDENCE,
        load,
        settings: json!({"signal": signal, "noise": noise, "lengths": lengths}),
        ours: &|| {
            let evidence = process.evidence(&set, &Control::default())?;
            let gradient = evidence.gradient;
            let rest = gradient.lengths.into_iter().chain([gradient.noise]);
            Ok([evidence.value, gradient.signal].into_iter().chain(rest).collect())
        },
        judge: &distance,
    };
    problem.measure(peers, repeats)
}
