//! Mercer's condition: kernels that have it, kernels that have not, and the evidence.

use lm_core::gram::mercer::{self, Mercer};
use lm_core::gram::{Centred, Normalised, Ridged};
use lm_core::kernel::sequence::{GapWeighted, Spectrum};
use lm_core::{
    Budget, Certificate, Collection, Columns, Dense, Error, Examples, Gram, MatrixGram, ObjectGram,
    VectorGram, VectorKernel,
};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

/// Random examples, every third of them a copy of an earlier one.
fn examples(len: usize, dim: usize, scale: f64, seed: u64) -> Dense<'static> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut rows: Vec<Vec<f64>> = Vec::new();
    for row in 0..len {
        let copy = (row % 3 == 2).then(|| rows[random.random_range(0..row)].clone());
        rows.push(copy.unwrap_or_else(|| (0..dim).map(|_| scale * random.random_range(-1.0..1.0)).collect()));
    }
    Dense::from_rows(&rows).unwrap()
}

fn checked<G: Gram + ?Sized>(gram: &G, tolerance: f64, told: &str) -> Mercer {
    let found = mercer::check(gram, tolerance).unwrap_or_else(|error| panic!("{told}: {error}"));
    assert!(found.verify(gram).unwrap().is_valid(), "{told}");
    found
}

fn refuted<G: Gram + ?Sized>(gram: &G) -> f64 {
    match checked(gram, 0.0, "a matrix that is not positive semi-definite") {
        Mercer::Fails(witness) => witness.quotient(),
        Mercer::Holds(proof) => panic!("rank {}, residual {:e}", proof.rank(), proof.residual()),
    }
}

#[test]
fn all_inner_products_pass_with_duplicates_at_every_scale() {
    for (seed, scale) in [1e-150, 1e-8, 1e-3, 1.0, 1e3, 1e8, 1e100].into_iter().enumerate() {
        let gamma = 1.0 / (scale * scale);
        let mut kernels = vec![VectorKernel::linear(), VectorKernel::laplacian(1.0 / scale).unwrap()];
        kernels.push(VectorKernel::polynomial(3, gamma.min(1e300), 1.0).unwrap());
        if gamma.is_finite() {
            kernels.extend([0.01, 1.0, 100.0].map(|factor| VectorKernel::gaussian(factor * gamma).unwrap()));
        }
        for (len, dim) in [(1, 1), (2, 3), (40, 1), (40, 5), (30, 60)] {
            let examples = examples(len, dim, scale, 100 + seed as u64);
            for kernel in &kernels {
                let told = format!("{kernel:?} on {len} examples of dimension {dim} at scale {scale:e}");
                let gram = VectorGram::new(&examples, *kernel).unwrap();
                let found = checked(&gram, 0.0, &told);
                let Mercer::Holds(proof) = found else { panic!("{told}: {found:?}") };
                if *kernel == VectorKernel::linear() {
                    assert!(proof.rank() <= dim.min(len), "{told}: rank {}", proof.rank());
                }
            }
        }
    }
}

#[test]
fn sigmoids_fail_for_some_parameters() {
    let examples = examples(60, 3, 1.0, 21);
    let mut failed = 0;
    for scale in [-2.0, -0.5, 0.1, 0.5, 1.0, 2.0] {
        for constant in [-2.0, -0.5, 0.0, 0.5, 2.0] {
            let gram = VectorGram::new(&examples, VectorKernel::sigmoid(scale, constant).unwrap()).unwrap();
            if let Mercer::Fails(witness) = checked(&gram, 1e-9, "a sigmoid") {
                assert!(witness.quotient() < 0.0);
                failed += 1;
            } else {
                // A positive slope and a non-negative constant are necessary for an inner product.
                assert!(scale > 0.0 && constant >= 0.0, "tanh({scale}⟨x·z⟩ + {constant})");
            }
        }
    }
    assert!(failed >= 24, "{failed}");
}

#[test]
fn small_matrices_are_refuted_by_what_is_wrong_with_them() {
    let matrix = |values: &[f64], len| MatrixGram::precomputed(values.to_vec(), len).unwrap();
    // A negative diagonal entry; nothing on the diagonal and something beside it; too much beside the diagonal.
    assert!((refuted(&matrix(&[1.0, 0.0, 0.0, -0.5], 2)) + 0.5).abs() < 1e-12);
    assert!((refuted(&matrix(&[0.0, 1.0, 1.0, 0.0], 2)) + 1.0).abs() < 1e-12);
    assert!((refuted(&matrix(&[0.0, -3e200, -3e200, 0.0], 2)) / 3e200 + 1.0).abs() < 1e-12);
    assert!((refuted(&matrix(&[1.0, 2.0, 2.0, 1.0], 2)) + 1.0).abs() < 1e-12);
    assert_eq!(refuted(&matrix(&[-1e-200], 1)), -1e-200);
    // 1, 1, −1 around a triangle: each pair is possible, the three together are not.
    let triangle = [1.0, 0.9, 0.9, 0.9, 1.0, -0.9, 0.9, -0.9, 1.0];
    assert!((refuted(&matrix(&triangle, 3)) + 0.8).abs() < 0.01);
    // Just outside, and just inside, a tolerance of 10⁻³.
    let near = |depth: f64| matrix(&[1.0, 0.0, 0.0, -depth], 2);
    assert!(!mercer::check(&near(1.01e-3), 1e-3).unwrap().holds());
    let Mercer::Holds(proof) = mercer::check(&near(0.99e-3), 1e-3).unwrap() else {
        panic!("within the tolerance")
    };
    assert!(proof.smallest_eigenvalue_at_least() <= -0.99e-3);
    assert!(proof.smallest_eigenvalue_at_least() >= -2e-3);
}

#[test]
fn zero_one_and_rank_one_matrices_pass() {
    let Mercer::Holds(zero) = checked(&MatrixGram::precomputed(vec![0.0; 9], 3).unwrap(), 0.0, "zeros")
    else {
        panic!("zeros")
    };
    assert_eq!((zero.rank(), zero.smallest_eigenvalue_at_least()), (0, 0.0));
    assert!(matches!(zero.features(), Err(Error::Empty { .. })));
    let Mercer::Holds(ones) = checked(&MatrixGram::precomputed(vec![1.0; 900], 30).unwrap(), 0.0, "ones")
    else {
        panic!("ones")
    };
    assert_eq!((ones.rank(), ones.shift(), ones.residual()), (1, 0.0, 0.0));
    assert_eq!(ones.features().unwrap().slice(7), [1.0]);
}

#[test]
fn the_features_of_a_proof_have_the_kernel() {
    let examples = examples(50, 4, 1.0, 22);
    let gram = VectorGram::new(&examples, VectorKernel::polynomial(2, 1.0, 1.0).unwrap()).unwrap();
    let Mercer::Holds(proof) = checked(&gram, 0.0, "a polynomial") else { panic!("a polynomial") };
    // (1 + ⟨x·z⟩)² in four variables has C(6, 2) = 15 features.
    assert_eq!(proof.rank(), 15);
    let features = proof.features().unwrap();
    let mut values = vec![0.0; 50];
    for row in 0..50 {
        gram.fill(&[row], Columns::All, &mut values).unwrap();
        for (column, value) in values.iter().enumerate() {
            let product = features.row(row).dot(&features.row(column));
            assert!((product - value).abs() <= 2.0 * proof.largest_residual() + 1e-13);
        }
    }
    assert_eq!(proof.pivots().len(), 15);
}

#[test]
fn wrappers_and_kernels_on_text_pass() {
    let examples = examples(40, 3, 1.0, 23);
    let gram = VectorGram::new(&examples, VectorKernel::polynomial(3, 1.0, 1.0).unwrap()).unwrap();
    assert!(checked(&Centred::new(&gram).unwrap(), 0.0, "centred").holds());
    assert!(checked(&Normalised::new(&gram).unwrap(), 0.0, "normalised").holds());
    // A ridge repairs a sigmoid: more than its most negative eigenvalue, and less.
    let sigmoid = VectorGram::new(&examples, VectorKernel::sigmoid(1.0, -1.0).unwrap()).unwrap();
    let quotient = refuted(&sigmoid);
    assert!(!checked(&Ridged::constant(&sigmoid, -0.9 * quotient).unwrap(), 0.0, "a low ridge").holds());
    assert!(checked(&Ridged::constant(&sigmoid, -4.0 * quotient).unwrap(), 0.0, "a high ridge").holds());
    let mut random = ChaCha8Rng::seed_from_u64(24);
    let texts: Vec<Vec<u8>> =
        (0..30).map(|_| (0..12).map(|_| b'a' + random.random_range(0..3)).collect()).collect();
    let texts = texts.as_slice();
    assert!(checked(&ObjectGram::new(texts, Spectrum::blended(3).unwrap()), 0.0, "a spectrum").holds());
    assert!(
        checked(&ObjectGram::new(texts, GapWeighted::new(3, 0.6).unwrap()), 1e-12, "subsequences").holds()
    );
}

#[test]
fn memory_tolerance_and_values_are_checked() {
    let examples = examples(100, 80, 1.0, 25);
    let gram = VectorGram::new(&examples, VectorKernel::linear()).unwrap();
    for tolerance in [-1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(mercer::check(&gram, tolerance), Err(Error::Setting { name: "tolerance", .. })));
    }
    let refused =
        |bytes| mercer::check_within(&gram, 0.0, &Budget::default().with_memory(bytes)).unwrap_err();
    assert!(matches!(refused(1_000), Error::Memory { .. }));
    assert!(matches!(refused(60_000), Error::Memory { .. }));
    let enough = Budget::default().with_memory(64 * 100 * 8 + 100 * 100 * 8);
    assert!(mercer::check_within(&gram, 0.0, &enough).unwrap().holds());
    assert_eq!(gram.len(), 100);
}

#[test]
fn evidence_is_the_same_for_any_number_of_threads() {
    let examples = examples(150, 4, 1.0, 26);
    let kernels = [VectorKernel::gaussian(1.0).unwrap(), VectorKernel::sigmoid(1.0, -0.5).unwrap()];
    for kernel in kernels {
        let gram = VectorGram::new(&examples, kernel).unwrap();
        let run = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| mercer::check(&gram, 0.0).unwrap())
        };
        let one = run(1);
        for threads in [2, 3, 4, 8] {
            assert_eq!(run(threads), one, "{threads} threads");
        }
    }
}
