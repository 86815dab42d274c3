//! Digits on the linear regression sets of the Statistical Reference Datasets, and on Hilbert matrices.

use lm_closed::{LeastSquares, PolynomialFit, Route, Summary};
use lm_core::{Certificate, Control, Dense, Learner, Linear, Targets, TrainingSet};

/// A set: its name, its file, the degree of its polynomial or 0 for several variables, and whether there is a bias.
struct Set {
    name: &'static str,
    text: &'static str,
    degree: usize,
    bias: bool,
}

macro_rules! sets {
    ($($name:ident $degree:literal $bias:literal),*) => {
        [$(Set {
            name: stringify!($name),
            text: include_str!(concat!("../data/nist/", stringify!($name), ".dat")),
            degree: $degree,
            bias: $bias,
        }),*]
    };
}

const SETS: [Set; 11] = sets! {
    Norris 1 true, Pontius 2 true, NoInt1 1 false, NoInt2 1 false, Filip 10 true, Longley 0 true, Wampler1 5 true,
    Wampler2 5 true, Wampler3 5 true, Wampler4 5 true, Wampler5 5 true
};

/// What a file certifies.
struct Certified {
    estimates: Vec<f64>,
    errors: Vec<f64>,
    deviation: f64,
    r_squared: f64,
}

impl Set {
    /// The rows of the data: target first.
    fn rows(&self) -> Vec<Vec<f64>> {
        let place =
            self.text.lines().find(|line| line.trim_start().starts_with("Data") && line.contains("(lines"));
        let numbers: Vec<usize> = place
            .unwrap()
            .split(|c: char| !c.is_ascii_digit())
            .filter(|part| !part.is_empty())
            .map(|part| part.parse().unwrap())
            .collect();
        let lines = self.text.lines().skip(numbers[0] - 1).take(numbers[1] + 1 - numbers[0]);
        lines.map(|line| line.split_whitespace().map(|value| value.parse().unwrap()).collect()).collect()
    }

    /// The examples as a matrix of `f64`, and the targets.
    fn matrix(&self) -> (Dense<'static>, Targets) {
        let rows = self.rows();
        let attributes = |row: &Vec<f64>| match self.degree {
            0 => row[1..].to_vec(),
            degree => {
                let mut power = 1.0;
                let mut next = || {
                    power *= row[1];
                    power
                };
                (0..degree).map(|_| next()).collect()
            }
        };
        let examples: Vec<Vec<f64>> = rows.iter().map(attributes).collect();
        (Dense::from_rows(&examples).unwrap(), Targets::new(rows.iter().map(|row| row[0]).collect()).unwrap())
    }

    fn certified(&self) -> Certified {
        let line = |key: &str| {
            let lines = self.text.lines().filter(|line| line.trim_start().starts_with(key));
            lines.filter_map(|line| line.split_whitespace().last()?.parse::<f64>().ok()).next().unwrap()
        };
        let number = |text: &str| text.parse::<f64>().unwrap();
        let (mut estimates, mut errors) = (Vec::new(), Vec::new());
        for text in self.text.lines() {
            let words: Vec<&str> = text.split_whitespace().collect();
            if let [name, estimate, error] = words[..]
                && name.strip_prefix('B').is_some_and(|rest| rest.parse::<u32>().is_ok())
            {
                estimates.push(number(estimate));
                errors.push(number(error));
            }
        }
        let (deviation, r_squared) = (line("Standard Deviation"), line("R-Squared"));
        Certified { estimates, errors, deviation, r_squared }
    }

    /// The exact coefficients of the matrix of `f64`, the bias first.
    fn exact(&self) -> Vec<f64> {
        let all = include_str!("../data/nist/exact.txt");
        let line = all.lines().find(|line| line.split_whitespace().next() == Some(self.name)).unwrap();
        line.split_whitespace().skip(2).map(|value| value.parse().unwrap()).collect()
    }

    fn learner(&self) -> LeastSquares {
        LeastSquares::default().with_bias(self.bias)
    }
}

/// The number of digits in which two numbers agree: −log₁₀ of the relative error, or of the error if the true value is 0.
fn digits(found: f64, expected: f64) -> f64 {
    let error = if expected == 0.0 { found.abs() } else { ((found - expected) / expected).abs() };
    if error == 0.0 { 17.0 } else { -error.log10() }
}

fn fewest(found: &[f64], expected: &[f64]) -> f64 {
    assert_eq!(found.len(), expected.len());
    found.iter().zip(expected).map(|(f, e)| digits(*f, *e)).fold(17.0, f64::min)
}

fn coefficients(model: &Linear, bias: bool) -> Vec<f64> {
    bias.then_some(model.bias()).into_iter().chain(model.weights().iter().copied()).collect()
}

#[test]
fn coefficients_are_the_exact_ones_rounded() {
    for set in &SETS {
        let (examples, targets) = set.matrix();
        let fit = set.learner().fit(&examples, &targets).unwrap().converged().unwrap();
        let found = fewest(&coefficients(&fit.model, set.bias), &set.exact());
        assert!(found >= 15.3, "{}: {found:.2} digits", set.name);
        let data = TrainingSet::new(&examples, &targets).unwrap();
        assert!(fit.certificate.verify(&data).unwrap().is_valid(), "{}", set.name);
        let figures = fit.certificate.figures().unwrap();
        assert!(figures.backward_error <= f64::EPSILON, "{}: {figures:?}", set.name);
        assert_eq!(fit.certificate.diagnosis().route, Route::Orthogonal);
        assert_eq!(fit.certificate.diagnosis().ill_conditioned(), set.name == "Filip", "{}", set.name);
    }
}

fn check_summary(name: &str, summary: &Summary, bias: bool, certified: &Certified) {
    let deviation = summary.residual_deviation().unwrap();
    // Certified values have 15 digits; a deviation of 0 is met to the rounding of sums of size 10⁷.
    let found = digits(deviation, certified.deviation);
    assert!(found >= 13.0, "{name}: {found:.1} digits of the residual deviation {deviation:e}");
    let r_squared = digits(summary.r_squared().unwrap(), certified.r_squared);
    assert!(r_squared >= 13.0, "{name}: {r_squared:.1} digits of R²");
    let errors: Vec<f64> = bias
        .then(|| summary.bias_error().unwrap())
        .into_iter()
        .chain(summary.weight_errors().unwrap().iter().copied())
        .collect();
    let errors = fewest(&errors, &certified.errors);
    assert!(errors >= 13.0, "{name}: {errors:.1} digits of the standard errors");
}

#[test]
fn standard_errors_deviation_and_r_squared_are_the_certified_ones() {
    for set in SETS.iter().filter(|set| set.name != "Filip") {
        let (examples, targets) = set.matrix();
        let data = TrainingSet::new(&examples, &targets).unwrap();
        let (_, summary) = set.learner().summarised(&data, &Control::default()).unwrap();
        check_summary(set.name, &summary, set.bias, &set.certified());
    }
}

#[test]
fn polynomials_reach_the_certified_values() {
    for set in SETS.iter().filter(|set| set.degree > 0 && set.bias) {
        let rows = set.rows();
        let points: Vec<f64> = rows.iter().map(|row| row[1]).collect();
        let targets = Targets::new(rows.iter().map(|row| row[0]).collect()).unwrap();
        let fit = PolynomialFit::default().with_degree(set.degree);
        let (fit, summary) = fit.summarised(&points, &targets, None, &Control::default()).unwrap();
        let fit = fit.converged().unwrap();
        let certified = set.certified();
        let found = fewest(fit.model.coefficients(), &certified.estimates);
        // Certified values belong to the decimal numbers of the file: as `f64` some targets differ in the 16th digit, which
        // costs two digits or three of a coefficient.
        let possible = if ["Pontius", "Wampler2"].contains(&set.name) { 13.1 } else { 14.0 };
        assert!(found >= possible, "{}: {found:.2} digits", set.name);
        assert!(fit.certificate.verify(&points, &targets, None).unwrap().is_valid(), "{}", set.name);
        check_summary(set.name, &summary, true, &certified);
    }
}

/// A Hilbert matrix times a number that makes its entries integers, so that nothing is rounded, and its row sums: all
/// coefficients are 1.
fn hilbert(n: u64) -> (Dense<'static>, Targets) {
    let common = (1..2 * n).fold(1, |common, k| common / divisor(common, k) * k);
    let rows: Vec<Vec<f64>> =
        (0..n).map(|i| (0..n).map(|j| (common / (i + j + 1)) as f64).collect()).collect();
    let sums = rows.iter().map(|row| row.iter().sum()).collect();
    (Dense::from_rows(&rows).unwrap(), Targets::new(sums).unwrap())
}

fn divisor(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { divisor(b, a % b) }
}

#[test]
fn hilbert_matrices_are_solved_or_flagged() {
    let learner = LeastSquares::default().with_bias(false);
    for n in 2..=10 {
        let (examples, targets) = hilbert(n);
        let fit = learner.fit(&examples, &targets).unwrap().converged().unwrap();
        let found = fewest(fit.model.weights(), &vec![1.0; n as usize]);
        assert!(found >= 14.0, "n = {n}: {found:.2} digits");
    }
    for n in 12..=15 {
        let (examples, targets) = hilbert(n);
        let fit = learner.fit(&examples, &targets).unwrap();
        let diagnosis = fit.certificate.diagnosis();
        assert!(diagnosis.ill_conditioned() && diagnosis.condition > 1e12, "n = {n}: {diagnosis:?}");
        assert!(fit.certificate.verify(&TrainingSet::new(&examples, &targets).unwrap()).unwrap().is_valid());
    }
}
