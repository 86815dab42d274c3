//! Kernels of distances on data far from the origin: years, kelvins, coordinates, seconds since 1970.

use lm_core::gram::{Layout, mercer};
use lm_core::multiclass::{Classifier, OneVsOneModel};
use lm_core::{
    Budget, Certificate, Csr, Dense, Examples, Gram, Hypothesis, Kernel, MatrixGram, Precision, Selection,
    Sign, SupportVectors, VectorExpansion, VectorGram, VectorKernel,
};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

use crate::engine::check_blocks;
use crate::gram::whole;
use crate::gram_precision::reference;

/// Rows whose columns lie around offsets up to `offset` with widths of about `width`, with duplicates; every third column
/// stays near 0.
fn rows(len: usize, dim: usize, offset: f64, width: f64, random: &mut ChaCha8Rng) -> Vec<Vec<f64>> {
    let centres: Vec<f64> =
        (0..dim).map(|k| if k % 3 == 1 { 0.0 } else { offset * random.random_range(-1.0..1.0) }).collect();
    let mut row = || centres.iter().map(|c| c + width * random.random_range(-1.0..1.0)).collect();
    let mut rows: Vec<Vec<f64>> = (0..len).map(|_| row()).collect();
    for row in (len / 2..len).step_by(5) {
        rows[row] = rows[row - len / 2].clone();
    }
    rows
}

fn gaussian_and_laplacian(dim: usize, width: f64) -> [VectorKernel; 2] {
    let gamma = 1.0 / (dim as f64 * width);
    [VectorKernel::gaussian(gamma / width).unwrap(), VectorKernel::laplacian(gamma).unwrap()]
}

#[test]
fn four_rows_a_unit_apart_at_a_hundred_million_had_equal_kernel_values() {
    let rows: Vec<Vec<f64>> = (0..4).map(|k| vec![1e8 + f64::from(k), 1.0]).collect();
    let dense = Dense::from_rows(&rows).unwrap();
    let kernel = VectorKernel::gaussian(0.5).unwrap();
    let gram = VectorGram::new(&dense, kernel).unwrap();
    let bound = gram.error_bound(Precision::F64);
    assert!(bound < 1e-14, "{bound:e}");
    let matrix = MatrixGram::computed(&gram, &Budget::default()).unwrap();
    for (i, j) in (0..4).flat_map(|i| (0..4).map(move |j| (i, j))) {
        let distance = (i as f64) - (j as f64);
        let expected = (-0.5 * distance * distance).exp();
        let value = matrix.values()[4 * i + j];
        assert!((value - expected).abs() <= bound, "({i}, {j}): {value} for {expected}");
    }
    // The matrix has full rank, which one of equal values does not.
    let found = mercer::check(&gram, 0.0).unwrap();
    assert!(found.verify(&gram).unwrap().is_valid());
    assert!(matches!(found, mercer::Mercer::Holds(proof) if proof.rank() == 4));
    // And so have functions of it: one row is told from the next.
    let support = SupportVectors::DenseF64(dense);
    let f = VectorExpansion::new(kernel, support, vec![1.0, -1.0, 0.0, 0.0], 0.0).unwrap();
    let value = f.decision(&rows[0]).unwrap();
    assert!((value - (1.0 - (-0.5_f64).exp())).abs() < 1e-14, "{value}");
    assert!((f.decision(&[1e8 + 0.5, 1.0]).unwrap()).abs() < 1e-14);
}

#[test]
fn bounds_are_true_and_small_at_every_offset() {
    let mut random = ChaCha8Rng::seed_from_u64(70);
    for case in 0..60 {
        let (len, dim) = (random.random_range(2..24), random.random_range(1..90));
        let offset = [0.0, 1.0, 1e2, 1e4, 1e8, 1e12][case % 6];
        let width = 10.0_f64.powi(random.random_range(-2..3));
        let rows = rows(len, dim, offset, width, &mut random);
        let narrow: Vec<f32> = rows.iter().flatten().map(|&x| x as f32).collect();
        let sets: [&dyn Examples; 2] =
            [&Dense::from_rows(&rows).unwrap(), &Dense::new(narrow, len, dim).unwrap()];
        for (set, is_fine) in sets.into_iter().zip([true, false]) {
            for kernel in gaussian_and_laplacian(dim, width) {
                let told = format!("case {case}, {len} × {dim}, offset {offset:e}, width {width:e}");
                let bits = check_blocks(set, kernel, &told);
                if let [a, b, c, d] = bits[..] {
                    assert_eq!((a, b), (c, d), "{told}, {kernel:?}");
                }
                check_against_32_digits(set, kernel, is_fine, &told);
            }
        }
    }
}

/// Values in both precisions are within their bounds of the kernel values in 32 digits, and the bounds are small: the widths
/// of the columns are those that the kernel was made for, wherever they lie.
fn check_against_32_digits(set: &dyn Examples, kernel: VectorKernel, is_fine: bool, told: &str) {
    let (len, dim) = (set.len(), set.dim());
    let gram = VectorGram::new(set, kernel).unwrap();
    let (double, single) = (gram.error_bound(Precision::F64), gram.error_bound(Precision::F32));
    // Where rounding to f32 has widened the columns, a bound may be as large as one that is put up with.
    let small = if is_fine { 1e-12 } else { 2.0_f64.powi(-26) };
    assert!(double < small, "{told}, {kernel:?}: {double:e}");
    assert!(!is_fine || gram.computed_in(Precision::F32) == Precision::F32, "{told}, {kernel:?}");
    assert!(single < 1e-3, "{told}, {kernel:?}: {single:e}");
    let values = whole(&gram);
    let all: Vec<usize> = (0..len).collect();
    let mut narrow = vec![0.0_f32; len * len];
    gram.fill_f32(&all, lm_core::Columns::All, &mut narrow).unwrap();
    let wide: Vec<Vec<f64>> = all
        .iter()
        .map(|&row| {
            let mut wide = vec![0.0; dim];
            set.row(row).write_to(&mut wide);
            wide
        })
        .collect();
    for (i, j) in all.iter().flat_map(|&i| (0..len).map(move |j| (i, j))) {
        let expected = reference(kernel, &wide[i], &wide[j]);
        let error = (values[i * len + j] - expected).abs();
        assert!(error <= double, "{told}, {kernel:?}: ({i}, {j}) {error:e} > {double:e}");
        let error = (f64::from(narrow[i * len + j]) - expected).abs();
        assert!(error <= single, "{told}, {kernel:?}: ({i}, {j}) in f32 {error:e} > {single:e}");
    }
}

#[test]
fn moving_a_whole_grid_by_a_large_number_changes_hardly_a_bit() {
    // Quarters, which offsets up to 2⁵⁰ keep exactly.
    let mut random = ChaCha8Rng::seed_from_u64(71);
    let (len, dim) = (40, 70);
    let grid: Vec<f64> = (0..len * dim).map(|_| f64::from(random.random_range(-2000..2000)) / 4.0).collect();
    let near = Dense::new(grid.clone(), len, dim).unwrap();
    for kernel in gaussian_and_laplacian(dim, 1000.0) {
        let expected = whole(&VectorGram::new(&near, kernel).unwrap());
        for offset in [2048.0, 1e6, 1e9, 1e12, -1e14] {
            let far = Dense::new(grid.iter().map(|x| x + offset).collect(), len, dim).unwrap();
            let gram = VectorGram::new(&far, kernel).unwrap();
            let bound = gram.error_bound(Precision::F64);
            assert!(bound < 1e-12, "{offset:e}: {bound:e}");
            assert_eq!(gram.computed_in(Precision::F32), Precision::F32, "{offset:e}, {kernel:?}");
            for (value, expected) in whole(&gram).iter().zip(&expected) {
                assert!((value - expected).abs() <= 4e-15, "{offset:e}, {kernel:?}: {value}, {expected}");
            }
        }
    }
}

#[test]
fn groups_that_no_origin_is_near_are_computed_from_differences() {
    let mut random = ChaCha8Rng::seed_from_u64(72);
    for dim in [1, 5, 64, 130] {
        let mut rows = rows(30, dim, 1e9, 1.0, &mut random);
        // A third of the years are not known.
        rows.iter_mut().step_by(3).for_each(|row| row[0] = 0.0);
        rows[0][0] = 0.5;
        let dense = Dense::from_rows(&rows).unwrap();
        for kernel in gaussian_and_laplacian(dim, 1.0) {
            check_blocks(&dense, kernel, &format!("{dim} columns"));
            let gram = VectorGram::new(&dense, kernel).unwrap();
            assert!(gram.error_bound(Precision::F64) < 1e-13, "{dim}, {kernel:?}");
            let values = whole(&gram);
            for (i, j) in (0..30).flat_map(|i| (0..30).map(move |j| (i, j))) {
                let error = (values[30 * i + j] - reference(kernel, &rows[i], &rows[j])).abs();
                assert!(error <= gram.error_bound(Precision::F64), "({i}, {j}): {error:e}");
            }
        }
    }
}

#[test]
fn sparse_sets_with_large_entries_have_true_bounds() {
    let mut random = ChaCha8Rng::seed_from_u64(73);
    let mut layouts = Vec::new();
    for (dim, offset) in [(3, 1e8), (400, 1e3), (400, 1e7)] {
        let mut rows = rows(12, dim, offset, 1.0, &mut random);
        if dim > 100 {
            rows.iter_mut().flatten().enumerate().filter(|(k, _)| k % 20 != 0).for_each(|(_, x)| *x = 0.0);
        }
        let sparse = Csr::from_rows(&Dense::from_rows(&rows).unwrap()).unwrap();
        for kernel in gaussian_and_laplacian(dim, 1.0) {
            let gram = VectorGram::new(&sparse, kernel).unwrap();
            layouts.push(gram.layout());
            let (bound, values) = (gram.error_bound(Precision::F64), whole(&gram));
            for (i, j) in (0..12).flat_map(|i| (0..12).map(move |j| (i, j))) {
                let error = (values[12 * i + j] - reference(kernel, &rows[i], &rows[j])).abs();
                assert!(error <= bound, "{dim}, {offset:e}, {kernel:?}: {error:e} > {bound:e}");
            }
        }
    }
    assert!(layouts.contains(&Layout::Table) && layouts.contains(&Layout::Panels), "{layouts:?}");
}

#[test]
fn decision_values_far_from_the_origin_are_those_of_gram_rows_and_of_plain_sums() {
    let mut random = ChaCha8Rng::seed_from_u64(74);
    for (offset, unknown) in [(1e3, false), (1e9, false), (1e12, false), (1e9, true)] {
        let (kept, dim) = (90, 20);
        let mut rows = rows(kept, dim, offset, 2.0, &mut random);
        if unknown {
            rows.iter_mut().step_by(4).for_each(|row| row[0] = 0.0);
        }
        let dense = Dense::from_rows(&rows).unwrap();
        let coefficients: Vec<f64> = (0..kept).map(|_| random.random_range(-1.0..1.0)).collect();
        // Points amid the examples, farther out, and nowhere near.
        let mut points: Vec<Vec<f64>> =
            rows.iter().map(|row| row.iter().map(|x| x + 0.25).collect()).collect();
        points.push(vec![0.0; dim]);
        points.push(vec![-3.0 * offset; dim]);
        points.push(vec![1e200; dim]);
        points.push(rows[1].iter().map(|x| x + 9.0).collect());
        let points = Dense::from_rows(&points).unwrap();
        for kernel in gaussian_and_laplacian(dim, 2.0) {
            let told = format!("{offset:e}, {unknown}, {kernel:?}");
            let support = SupportVectors::DenseF64(dense.clone());
            let f = VectorExpansion::new(kernel, support, coefficients.clone(), 0.1).unwrap();
            let gram = VectorGram::new(&dense, kernel).unwrap();
            let by_rows: Vec<f64> = whole(&gram)
                .chunks_exact(kept)
                .map(|row| 0.1 + row.iter().zip(&coefficients).map(|(k, c)| k * c).sum::<f64>())
                .collect();
            for (value, by_row) in f.decision_values(&dense).unwrap().iter().zip(&by_rows) {
                assert!((value - by_row).abs() < 1e-12, "{told}: {value}, {by_row}");
            }
            let values = f.decision_values(&points).unwrap();
            let near = f.decision_values_within(&points, 1e-3).unwrap();
            for (row, value) in values.iter().enumerate() {
                let terms =
                    (0..kept).map(|j| coefficients[j] * kernel.value(&dense.row(j), &points.row(row)));
                let expected = 0.1 + terms.sum::<f64>();
                assert!((value - expected).abs() < 1e-12, "{told}: point {row}: {value}, {expected}");
                assert!((near[row] - expected).abs() <= 1e-3, "{told}: point {row}");
                let alone = f.decision_values(&Selection::new(&points, &[row]).unwrap()).unwrap();
                assert_eq!(alone[0].to_bits(), value.to_bits(), "{told}: point {row} alone");
            }
            let sides: Vec<Sign> = values.iter().map(|&value| Sign::of(value)).collect();
            assert_eq!(f.signs(&points).unwrap(), sides, "{told}");
        }
    }
}

#[test]
fn machines_that_share_vectors_far_from_the_origin_decide_as_each_by_itself() {
    let mut random = ChaCha8Rng::seed_from_u64(75);
    let rows = rows(90, 6, 1e10, 1.0, &mut random);
    let dense = Dense::from_rows(&rows).unwrap();
    let kernel = VectorKernel::gaussian(0.2).unwrap();
    let machine = |pair: usize| {
        let chosen: Vec<usize> = (0..90).filter(|row| row % 3 != pair).collect();
        let coefficients = chosen.iter().map(|&row| ((row + pair) as f64).sin()).collect();
        let support = SupportVectors::copied(&dense, &chosen).unwrap();
        VectorExpansion::new(kernel, support, coefficients, 0.0).unwrap()
    };
    let models: Vec<VectorExpansion> = (0..3).map(machine).collect();
    let together = OneVsOneModel::new(vec![1, 2, 3], models.clone()).unwrap();
    let decisions = together.decisions(&dense).unwrap();
    for (pair, model) in models.iter().enumerate() {
        for (row, value) in model.decision_values(&dense).unwrap().iter().enumerate() {
            let own = decisions.row(row).unwrap()[pair];
            assert!((own - value).abs() <= 1e-12, "{own}, {value}");
        }
    }
}

#[cfg(feature = "persist")]
#[test]
fn an_expansion_far_from_the_origin_predicts_the_same_bits_after_it_was_stored() {
    use lm_core::persist;
    let mut random = ChaCha8Rng::seed_from_u64(76);
    let rows = rows(50, 9, 1e11, 1.0, &mut random);
    let dense = Dense::from_rows(&rows).unwrap();
    let coefficients: Vec<f64> = (0..50).map(|_| random.random_range(-1.0..1.0)).collect();
    let support = SupportVectors::DenseF64(dense.clone());
    let f = VectorExpansion::new(VectorKernel::gaussian(0.1).unwrap(), support, coefficients, 0.5).unwrap();
    let again: VectorExpansion = persist::decode(&persist::encode(&f).unwrap()).unwrap();
    let bits = |f: &VectorExpansion| -> Vec<u64> {
        f.decision_values(&dense).unwrap().iter().map(|value| value.to_bits()).collect()
    };
    assert_eq!(bits(&f), bits(&again));
}
