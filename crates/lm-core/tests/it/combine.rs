//! Combinations of rows are sums of rows, whichever way they are computed.

use lm_core::gram::{Instructions, RowSums};
use lm_core::{
    Columns, Csr, Dense, Error, Examples, Gram, MatrixGram, Precision, Selection, VectorGram, VectorKernel,
};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

/// Dense data of a kind that the engine packs in its own way: numbers, bits, small whole numbers.
fn dense(kind: usize, len: usize, dim: usize, random: &mut ChaCha8Rng) -> Dense<'static> {
    let mut entry = || match kind {
        0 => random.random_range(-1.0..1.0),
        1 => f64::from(random.random_range(0..2)),
        _ => f64::from(random.random_range(0..200)) / 64.0,
    };
    Dense::new((0..len * dim).map(|_| entry()).collect(), len, dim).unwrap()
}

/// `Σ c·K` of rows that are asked for one by one, and the sum of the sizes of the terms.
fn plain<G: Gram>(gram: &G, rows: &[usize], coefficients: &[f64], columns: &[usize]) -> Vec<(f64, f64)> {
    let mut sums = vec![(0.0, 0.0); columns.len()];
    let mut values = vec![0.0; columns.len()];
    for (&row, c) in rows.iter().zip(coefficients) {
        gram.fill(&[row], Columns::List(columns), &mut values).unwrap();
        for (sum, value) in sums.iter_mut().zip(&values) {
            sum.0 += c * value;
            sum.1 += (c * value).abs();
        }
    }
    sums
}

fn check<E: Examples>(examples: &E, kernel: VectorKernel, random: &mut ChaCha8Rng) {
    let n = examples.len();
    for instructions in Instructions::available() {
        let gram = VectorGram::new(examples, kernel).unwrap().with_instructions(instructions);
        let rows: Vec<usize> =
            (0..random.random_range(1..2 * n)).map(|_| random.random_range(0..n)).collect();
        let coefficients: Vec<f64> = rows.iter().map(|_| random.random_range(-3.0..3.0)).collect();
        let (start, end) = (random.random_range(0..n), n);
        let list: Vec<usize> = (0..random.random_range(1..n)).map(|_| random.random_range(0..n)).collect();
        for columns in [Columns::All, Columns::Range { start, end }, Columns::List(&list)] {
            let count = columns.count(n);
            let asked: Vec<usize> = (0..count).map(|position| columns.at(position)).collect();
            let expected = plain(&gram, &rows, &coefficients, &asked);
            for precision in [Precision::F64, Precision::F32] {
                let mut out = vec![0.5; count];
                gram.combine(&rows, &coefficients, columns, precision, &mut out).unwrap();
                let total: f64 = coefficients.iter().map(|c| c.abs()).sum();
                for (found, (sum, size)) in out.iter().zip(&expected) {
                    let rounding = 1e-15 * rows.len() as f64 * (size + 1.0);
                    let allowed = total * gram.error_bound(precision) + rounding;
                    assert!(
                        (found - 0.5 - sum).abs() <= allowed,
                        "{found} for {sum}: {kernel:?} {columns:?} {precision:?} {instructions:?}"
                    );
                }
            }
        }
    }
}

#[test]
fn every_layout_column_and_precision_gives_the_sum_of_the_rows() {
    let mut random = ChaCha8Rng::seed_from_u64(901);
    let kernels = [
        VectorKernel::gaussian(0.3).unwrap(),
        VectorKernel::linear(),
        VectorKernel::polynomial(3, 0.5, 1.0).unwrap(),
        VectorKernel::laplacian(0.2).unwrap(),
        VectorKernel::sigmoid(0.1, -0.2).unwrap(),
    ];
    for (len, dim) in [(2, 1), (17, 5), (70, 33), (333, 70)] {
        for kernel in kernels {
            for kind in 0..3 {
                check(&dense(kind, len, dim, &mut random), kernel, &mut random);
            }
            let entry = |_| if random.random_bool(0.2) { random.random_range(-2.0..2.0) } else { 0.0 };
            let sparse = Dense::new((0..len * dim).map(entry).collect(), len, dim).unwrap();
            check(&Csr::from_rows(&sparse).unwrap(), kernel, &mut random);
        }
    }
}

#[test]
fn computed_kept_and_given_rows_combine_to_the_same_bits_for_any_number_of_threads() {
    let mut random = ChaCha8Rng::seed_from_u64(902);
    let examples = dense(0, 700, 20, &mut random);
    let gram = VectorGram::new(&examples, VectorKernel::gaussian(0.4).unwrap()).unwrap();
    let rows: Vec<usize> = (0..700).step_by(3).collect();
    let coefficients: Vec<f64> = rows.iter().map(|_| random.random_range(-1e3..1e3)).collect();
    let combined = |gram: &dyn Gram, threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let mut out = vec![0.0; 700];
        pool.install(|| gram.combine(&rows, &coefficients, Columns::All, Precision::F64, &mut out)).unwrap();
        out
    };
    let first = combined(&gram, 1);
    let mut values = vec![0.0; 700 * 700];
    gram.fill_all(&mut values).unwrap();
    let mut sums = RowSums::new(700);
    for (&row, &coefficient) in rows.iter().zip(&coefficients) {
        sums.add(coefficient, &values[row * 700..(row + 1) * 700]);
    }
    let mut kept = vec![0.0; 700];
    sums.add_to(&mut kept);
    assert_eq!(first, kept);
    let given = MatrixGram::precomputed(values, 700).unwrap();
    for threads in [1, 2, 4] {
        assert_eq!(first, combined(&gram, threads));
        assert_eq!(first, combined(&given, threads));
    }
}

#[test]
fn large_terms_that_cancel_leave_their_small_rest() {
    let examples = Dense::new((0..600).map(|k| f64::from(k % 300)).collect(), 600, 1).unwrap();
    let gram = VectorGram::new(&examples, VectorKernel::gaussian(1e-3).unwrap()).unwrap();
    // Equal examples with opposite coefficients cancel exactly, whatever lies between them.
    let rows: Vec<usize> = (0..600).collect();
    let coefficients: Vec<f64> =
        (0..600).map(|k| if k < 300 { 1e12 + f64::from(k) } else { -1e12 - f64::from(k - 300) }).collect();
    let mut out = vec![0.0; 600];
    gram.combine(&rows, &coefficients, Columns::All, Precision::F64, &mut out).unwrap();
    assert!(out.iter().all(|sum| sum.abs() < 1e-15 * 1e12), "{out:?}");
}

#[test]
fn requests_are_checked_and_what_is_not_finite_is_named() {
    let examples = Dense::new(vec![1.0, 2.0, 3.0], 3, 1).unwrap();
    let gram = VectorGram::new(&examples, VectorKernel::linear()).unwrap();
    let mut out = [0.0; 3];
    let asked = |rows: &[usize], c: &[f64], columns: Columns<'_>, out: &mut [f64]| {
        gram.combine(rows, c, columns, Precision::F64, out)
    };
    assert!(matches!(asked(&[3], &[1.0], Columns::All, &mut out), Err(Error::Index { index: 3, .. })));
    assert!(matches!(
        asked(&[0], &[1.0], Columns::List(&[0, 7, 1]), &mut out),
        Err(Error::Index { index: 7, .. })
    ));
    assert!(matches!(
        asked(&[0], &[], Columns::All, &mut out),
        Err(Error::Length { expected: 1, found: 0, .. })
    ));
    assert!(matches!(
        asked(&[0], &[1.0], Columns::All, &mut out[..2]),
        Err(Error::Length { expected: 3, found: 2, .. })
    ));
    asked(&[], &[], Columns::All, &mut out).unwrap();
    assert_eq!(out, [0.0; 3]);

    let large = Dense::new(vec![1.0, 1e150], 2, 1).unwrap();
    let gram = VectorGram::new(&large, VectorKernel::polynomial(2, 1.0, 0.0).unwrap()).unwrap();
    let mut out = [0.0; 2];
    let combined = gram.combine(&[1], &[1.0], Columns::All, Precision::F64, &mut out);
    assert!(matches!(combined, Err(Error::KernelValue { row: 1, .. })), "{combined:?} {out:?}");
}

#[test]
fn a_selection_combines_its_own_rows() {
    let mut random = ChaCha8Rng::seed_from_u64(903);
    let examples = dense(0, 40, 3, &mut random);
    let gram = VectorGram::new(&examples, VectorKernel::gaussian(1.0).unwrap()).unwrap();
    let some: Vec<usize> = (0..40).filter(|k| k % 3 != 1).collect();
    let selection = Selection::new(&gram, &some).unwrap();
    let (mut of_selection, mut of_whole) = (vec![0.0; some.len()], vec![0.0; some.len()]);
    selection.combine(&[2, 5], &[1.0, -2.0], Columns::All, Precision::F64, &mut of_selection).unwrap();
    let columns = Columns::List(&some);
    gram.combine(&[some[2], some[5]], &[1.0, -2.0], columns, Precision::F64, &mut of_whole).unwrap();
    assert_eq!(of_selection, of_whole);
}
