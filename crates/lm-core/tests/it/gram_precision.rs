//! The error that a Gram matrix states bounds the error that it makes.

use lm_core::{Csr, Dense, Examples, Gram, Precision, Row, VectorGram, VectorKernel};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

use crate::gram::whole;

/// A number as the unevaluated sum of two: about 32 digits.
#[derive(Clone, Copy)]
struct Double(f64, f64);

impl Double {
    fn sum(self, other: Self) -> Self {
        let sum = self.0 + other.0;
        let part = sum - self.0;
        let lost = (self.0 - (sum - part)) + (other.0 - part) + self.1 + other.1;
        Self(sum + lost, lost - ((sum + lost) - sum))
    }

    fn product(self, other: Self) -> Self {
        let product = self.0 * other.0;
        let lost = self.0.mul_add(other.0, -product) + self.0 * other.1 + self.1 * other.0;
        Self(product + lost, lost - ((product + lost) - product))
    }
}

/// The kernel value with inner products, distances and powers in about 32 digits.
pub(crate) fn reference(kernel: VectorKernel, x: &[f64], z: &[f64]) -> f64 {
    use lm_core::KernelForm::{Gaussian, Laplacian, Linear, Polynomial, Sigmoid};
    let of = |value: f64| Double(value, 0.0);
    let fold = |term: &dyn Fn(f64, f64) -> Double| {
        x.iter().zip(z).fold(of(0.0), |sum, (&a, &b)| sum.sum(term(a, b)))
    };
    let product = || fold(&|a, b| of(a).product(of(b)));
    match kernel.form() {
        Linear => product().0,
        Polynomial { degree, scale, constant } => {
            let base = of(scale).product(product()).sum(of(constant));
            (0..degree).fold(of(1.0), |power, _| power.product(base)).0
        }
        Gaussian { gamma } => {
            let square = |a: f64, b: f64| of(a).sum(of(-b)).product(of(a).sum(of(-b)));
            exponential(of(-gamma).product(fold(&square)))
        }
        Laplacian { gamma } => {
            let size = |a: f64, b: f64| {
                let Double(high, low) = of(a).sum(of(-b));
                if high < 0.0 { Double(-high, -low) } else { Double(high, low) }
            };
            exponential(of(-gamma).product(fold(&size)))
        }
        Sigmoid { scale, constant } => of(scale).product(product()).sum(of(constant)).0.tanh(),
        _ => panic!("no reference for this kernel"),
    }
}

fn exponential(Double(high, low): Double) -> f64 {
    high.exp() * (1.0 + low)
}

#[test]
fn error_bounds_hold_against_32_digits() {
    let mut random = ChaCha8Rng::seed_from_u64(38);
    for case in 0..600 {
        let (len, dim) = (random.random_range(2..8), random.random_range(1..60));
        let scale = 10.0_f64.powi(random.random_range(-6..6));
        // Some sets far from the origin, where differences of norms cancel.
        let offset = if case % 3 == 0 { 100.0 * scale } else { 0.0 };
        let mut entry = || offset + scale * random.random_range(-1.0..1.0);
        let rows: Vec<Vec<f64>> = (0..len).map(|_| (0..dim).map(|_| entry()).collect()).collect();
        let dense = Dense::from_rows(&rows).unwrap();
        let sparse = Csr::from_rows(&dense).unwrap();
        let gamma = 10.0_f64.powi(random.random_range(-3..3)) / (scale * scale * dim as f64);
        let constant = random.random_range(0.0..2.0);
        let degree = random.random_range(1..7);
        for kernel in [
            VectorKernel::linear(),
            VectorKernel::polynomial(degree, gamma, constant).unwrap(),
            VectorKernel::gaussian(gamma).unwrap(),
            VectorKernel::laplacian(gamma * scale).unwrap(),
            VectorKernel::sigmoid(-gamma, constant).unwrap(),
        ] {
            let sets: [&dyn Examples; 2] = [&dense, &sparse];
            for set in sets {
                let gram = VectorGram::new(set, kernel).unwrap();
                let bound = gram.error_bound(Precision::F64);
                let values = whole(&gram);
                for (i, x) in rows.iter().enumerate() {
                    for (j, z) in rows.iter().enumerate() {
                        let error = (values[i * len + j] - reference(kernel, x, z)).abs();
                        assert!(error <= bound, "case {case}, dim {dim}, {kernel:?}: {error:e} > {bound:e}");
                    }
                }
            }
        }
    }
}

#[test]
fn integers_are_computed_exactly() {
    let mut random = ChaCha8Rng::seed_from_u64(39);
    for case in 0..200 {
        let dim = random.random_range(1..40);
        let mut vector = || -> Vec<i64> { (0..dim).map(|_| random.random_range(-9..=9)).collect() };
        let (x, z) = (vector(), vector());
        let product: i64 = x.iter().zip(&z).map(|(a, b)| a * b).sum();
        let float = |v: &[i64]| v.iter().map(|&value| value as f64).collect::<Vec<f64>>();
        let (x, z) = (float(&x), float(&z));
        assert_eq!(Row::DenseF64(&x).dot(&Row::DenseF64(&z)), product as f64, "case {case}");
        let dense = Dense::from_rows(&[x, z]).unwrap();
        let gram = VectorGram::new(&dense, VectorKernel::polynomial(3, 1.0, 2.0).unwrap()).unwrap();
        assert_eq!(whole(&gram)[1], (product + 2).pow(3) as f64, "case {case}");
    }
}
