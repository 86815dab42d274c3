//! Gram matrices: every kind and wrapper, in blocks of every shape, in both precisions, on any number of threads.

use lm_core::gram::{Centred, Normalised, Product, Ridged, Scaled, Sum};
use lm_core::kernel::algebra;
use lm_core::{
    Budget, Cached, Columns, Csr, Dense, Error, Examples, Gram, MatrixGram, ObjectGram, Precision, RowCache,
    Selection, VectorGram, VectorKernel,
};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

const LEN: usize = 23;
const DIM: usize = 5;

fn kernels() -> [VectorKernel; 6] {
    [
        VectorKernel::linear(),
        VectorKernel::homogeneous(2).unwrap(),
        VectorKernel::polynomial(3, 0.5, 1.0).unwrap(),
        VectorKernel::gaussian(0.4).unwrap(),
        VectorKernel::laplacian(0.3).unwrap(),
        VectorKernel::sigmoid(0.2, 0.1).unwrap(),
    ]
}

/// Rows with zeros and duplicates, all of them exact in `f32`.
fn rows(len: usize, dim: usize, seed: u64) -> Vec<Vec<f64>> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut rows: Vec<Vec<f64>> = Vec::new();
    for row in 0..len {
        let mut entry = || {
            let value = f64::from(random.random_range(-2.0_f32..2.0));
            if random.random_range(0..3) == 0 { 0.0 } else { value }
        };
        let fresh: Vec<f64> = (0..dim).map(|_| entry()).collect();
        rows.push(if row % 7 == 6 { rows[row / 2].clone() } else { fresh });
    }
    rows
}

pub(crate) fn whole<G: Gram + ?Sized>(gram: &G) -> Vec<f64> {
    let rows: Vec<usize> = (0..gram.len()).collect();
    let mut values = vec![0.0; gram.len() * gram.len()];
    gram.fill(&rows, Columns::All, &mut values).unwrap();
    values
}

/// What every Gram matrix promises, whatever is behind it.
fn keeps_its_promises<G: Gram + ?Sized>(gram: &G, told: &str) {
    let len = gram.len();
    let all = whole(gram);
    // Symmetric to the bit, and the diagonal is the diagonal.
    let diagonal = gram.diagonal().unwrap();
    for i in 0..len {
        assert_eq!(diagonal[i].to_bits(), all[i * len + i].to_bits(), "{told}: diagonal {i}");
        for j in 0..i {
            assert_eq!(all[i * len + j].to_bits(), all[j * len + i].to_bits(), "{told}: ({i}, {j})");
        }
    }
    // Every kind of request gives the same bits.
    let repeated: Vec<usize> = vec![3, 3, len - 1, 0, 7, 3];
    let asked = [5, len - 1, 5, 0];
    for columns in [
        Columns::All,
        Columns::Range { start: 0, end: len },
        Columns::Range { start: 4, end: 11 },
        Columns::Range { start: 6, end: 6 },
        Columns::List(&repeated),
        Columns::List(&[]),
    ] {
        let count = columns.count(len);
        let mut block = vec![f64::NAN; asked.len() * count];
        gram.fill(&asked, columns, &mut block).unwrap();
        let mut narrow = vec![f32::NAN; asked.len() * count];
        gram.fill_f32(&asked, columns, &mut narrow).unwrap();
        let bound = gram.error_bound(Precision::F32) + gram.error_bound(Precision::F64);
        for (position, (value, narrow)) in block.iter().zip(&narrow).enumerate() {
            let expected = all[asked[position / count] * len + columns.at(position % count)];
            assert_eq!(value.to_bits(), expected.to_bits(), "{told}: {columns:?}, position {position}");
            assert!((f64::from(*narrow) - value).abs() <= bound, "{told}: {narrow} and {value}");
        }
    }
    gram.fill(&[], Columns::All, &mut []).unwrap();
    refuses_bad_requests(gram, told);
}

fn refuses_bad_requests<G: Gram + ?Sized>(gram: &G, told: &str) {
    let len = gram.len();
    let mut row = vec![0.0; len];
    let mut fill = |rows: &[usize], columns: Columns<'_>, count: usize| {
        gram.fill(rows, columns, &mut row[..count]).unwrap_err()
    };
    let index = |error: Error| matches!(error, Error::Index { .. });
    assert!(index(fill(&[len], Columns::All, len)), "{told}");
    assert!(index(fill(&[usize::MAX], Columns::All, len)), "{told}");
    assert!(index(fill(&[0], Columns::List(&[len]), 1)), "{told}");
    assert!(index(fill(&[0], Columns::Range { start: 0, end: len + 1 }, len)), "{told}");
    assert!(index(fill(&[0], Columns::Range { start: 3, end: 2 }, 0)), "{told}");
    assert!(index(fill(&[0], Columns::Range { start: usize::MAX, end: usize::MAX }, 0)), "{told}");
    assert!(matches!(fill(&[0], Columns::All, len - 1), Error::Length { .. }), "{told}");
    assert!(matches!(fill(&[], Columns::All, 1), Error::Length { .. }), "{told}");
    let mut narrow = vec![0.0_f32; len];
    assert!(gram.fill_f32(&[len], Columns::All, &mut narrow).is_err(), "{told}");
    assert!(gram.fill_f32(&[0], Columns::All, &mut narrow[1..]).is_err(), "{told}");
    assert!(matches!(gram.diagonal_into(&mut row[1..]), Err(Error::Length { .. })), "{told}");
}

#[test]
fn every_kind_keeps_its_promises() {
    let rows = rows(LEN, DIM, 30);
    let dense = Dense::from_rows(&rows).unwrap();
    let sparse = Csr::from_rows(&dense).unwrap();
    for kernel in kernels() {
        keeps_its_promises(&VectorGram::new(&dense, kernel).unwrap(), &format!("dense, {kernel:?}"));
        keeps_its_promises(&VectorGram::new(&sparse, kernel).unwrap(), &format!("sparse, {kernel:?}"));
        keeps_its_promises(&ObjectGram::new(rows.as_slice(), kernel), &format!("objects, {kernel:?}"));
        let gram = VectorGram::new(&dense, kernel).unwrap();
        let matrix = MatrixGram::computed(&gram, &Budget::default()).unwrap();
        keeps_its_promises(&matrix, &format!("matrix, {kernel:?}"));
        assert_eq!(matrix.values(), whole(&gram));
        keeps_its_promises(&MatrixGram::borrowed(matrix.values(), LEN).unwrap(), "borrowed");
    }
}

#[test]
fn every_wrapper_keeps_its_promises() {
    let rows = rows(LEN, DIM, 31);
    let dense = Dense::from_rows(&rows).unwrap();
    let other = VectorGram::new(&dense, VectorKernel::laplacian(0.2).unwrap()).unwrap();
    let chosen: Vec<usize> = (0..LEN).map(|k| (k * 7 + 3) % LEN).chain([2, 2, 5]).collect();
    for kernel in kernels() {
        let gram = VectorGram::new(&dense, kernel).unwrap();
        let told = |name: &str| format!("{name}, {kernel:?}");
        keeps_its_promises(&&gram, &told("reference"));
        keeps_its_promises(&Cached::new(&gram, 1 << 20).unwrap(), &told("cached"));
        keeps_its_promises(&Cached::new(&gram, 1_000).unwrap(), &told("cached, two rows"));
        keeps_its_promises(&Ridged::by_cost(&gram, 2.0).unwrap(), &told("ridged"));
        keeps_its_promises(&Scaled::new(&gram, 0.3).unwrap(), &told("scaled"));
        keeps_its_promises(&Centred::new(&gram).unwrap(), &told("centred"));
        keeps_its_promises(&Sum::new(&gram, &other).unwrap(), &told("sum"));
        keeps_its_promises(&Product::new(&gram, &other).unwrap(), &told("product"));
        keeps_its_promises(&Selection::new(&gram, &chosen).unwrap(), &told("selection"));
        let nested =
            Sum::new(Ridged::constant(Scaled::new(&gram, 2.0).unwrap(), 0.5).unwrap(), &other).unwrap();
        keeps_its_promises(&nested, &told("nested"));
        match Normalised::new(&gram) {
            Ok(normalised) => keeps_its_promises(&normalised, &told("normalised")),
            // A zero example has no direction under these kernels.
            Err(error) => assert!(matches!(error, Error::KernelValue { .. }), "{error}"),
        }
    }
}

#[test]
fn wrappers_do_what_their_names_say() {
    let rows = rows(LEN, DIM, 32);
    let dense = Dense::from_rows(&rows).unwrap();
    let (k, l) = (VectorKernel::polynomial(2, 1.0, 1.0).unwrap(), VectorKernel::gaussian(0.3).unwrap());
    let (first, second) = (VectorGram::new(&dense, k).unwrap(), VectorGram::new(&dense, l).unwrap());
    let (a, b) = (whole(&first), whole(&second));
    let at = |matrix: &[f64], i: usize, j: usize| matrix[i * LEN + j];
    let mean = |i: usize| a[i * LEN..(i + 1) * LEN].iter().sum::<f64>() / LEN as f64;
    let total = a.iter().sum::<f64>() / (LEN * LEN) as f64;
    let largest = first.diagonal().unwrap().iter().fold(0.0_f64, |a, &b| a.max(b));
    let ridge: Vec<f64> = (0..LEN).map(|i| i as f64 / 10.0).collect();
    let (ridged, scaled) =
        (whole(&Ridged::new(&first, ridge).unwrap()), whole(&Scaled::new(&first, 0.7).unwrap()));
    let (centred, normalised) =
        (whole(&Centred::new(&first).unwrap()), whole(&Normalised::new(&first).unwrap()));
    let (sum, product) =
        (whole(&Sum::new(&first, &second).unwrap()), whole(&Product::new(&first, &second).unwrap()));
    for i in 0..LEN {
        for j in 0..LEN {
            let (x, z) = (at(&a, i, j), at(&b, i, j));
            assert_eq!(at(&ridged, i, j), if i == j { x + i as f64 / 10.0 } else { x });
            assert_eq!(at(&scaled, i, j), x * 0.7);
            assert_eq!((at(&sum, i, j), at(&product, i, j)), (x + z, x * z));
            let cosine = x / (at(&a, i, i) * at(&a, j, j)).sqrt();
            assert!((at(&normalised, i, j) - cosine).abs() <= 4.0 * f64::EPSILON);
            let expected = x - mean(i) - mean(j) + total;
            assert!((at(&centred, i, j) - expected).abs() <= 100.0 * f64::EPSILON * largest);
        }
    }
    assert_eq!(whole(&Ridged::by_cost(&first, f64::INFINITY).unwrap()), a);
    let short = MatrixGram::precomputed(vec![1.0], 1).unwrap();
    assert!(matches!(Sum::new(&first, &short), Err(Error::Length { .. })));
    assert!(matches!(Product::new(&first, &short), Err(Error::Length { .. })));
    for bad in [-1.0, f64::NAN, f64::INFINITY] {
        assert!(Ridged::constant(&first, bad).is_err() && Scaled::new(&first, bad).is_err());
    }
    assert!(Ridged::by_cost(&first, 0.0).is_err() && Ridged::new(&first, vec![0.0]).is_err());
}

#[test]
fn a_selection_of_a_wrapper_is_the_wrapper_of_a_selection() {
    let rows = rows(LEN, DIM, 33);
    let dense = Dense::from_rows(&rows).unwrap();
    let gram = VectorGram::new(&dense, VectorKernel::polynomial(3, 0.5, 1.0).unwrap()).unwrap();
    let other = VectorGram::new(&dense, VectorKernel::gaussian(0.5).unwrap()).unwrap();
    let chosen = [4, 19, 0, 11, 7, 2];
    let of = |gram: &dyn Gram| whole(&Selection::new(gram, &chosen).unwrap());
    let (some, some_other) =
        (Selection::new(&gram, &chosen).unwrap(), Selection::new(&other, &chosen).unwrap());
    assert_eq!(of(&Ridged::constant(&gram, 0.3).unwrap()), whole(&Ridged::constant(&some, 0.3).unwrap()));
    assert_eq!(of(&Scaled::new(&gram, 0.3).unwrap()), whole(&Scaled::new(&some, 0.3).unwrap()));
    assert_eq!(of(&Normalised::new(&gram).unwrap()), whole(&Normalised::new(&some).unwrap()));
    assert_eq!(of(&Sum::new(&gram, &other).unwrap()), whole(&Sum::new(&some, &some_other).unwrap()));
    assert_eq!(of(&Product::new(&gram, &other).unwrap()), whole(&Product::new(&some, &some_other).unwrap()));
    // And a selection of the matrix is the matrix of a selection of the examples.
    let examples = Selection::new(&dense, &chosen).unwrap();
    assert_eq!(whole(&some), whole(&VectorGram::new(&examples, gram.kernel()).unwrap()));
    let objects = Selection::new(rows.as_slice(), &chosen).unwrap();
    let by_pairs = ObjectGram::new(rows.as_slice(), gram.kernel());
    assert_eq!(of(&by_pairs), whole(&ObjectGram::new(&objects, gram.kernel())));
    // A row chosen twice is an example that occurs twice.
    let twice = Selection::new(&other, &[3, 3]).unwrap();
    assert_eq!(whole(&twice), [1.0; 4]);
}

#[test]
fn a_cache_changes_nothing_but_the_work() {
    let rows = rows(40, DIM, 34);
    let dense = Dense::from_rows(&rows).unwrap();
    let mut random = ChaCha8Rng::seed_from_u64(35);
    for kernel in kernels() {
        let gram = VectorGram::new(&dense, kernel).unwrap();
        let all = whole(&gram);
        let mut all_narrow = vec![0.0_f32; 1600];
        gram.fill_f32(&(0..40).collect::<Vec<usize>>(), Columns::All, &mut all_narrow).unwrap();
        for capacity in [2, 3, 10, 40] {
            let mut wide = RowCache::<_, f64>::with_rows(&gram, capacity).unwrap();
            let mut narrow = RowCache::<_, f32>::with_rows(&gram, capacity).unwrap();
            for _ in 0..200 {
                let (i, j) = (random.random_range(0..40), random.random_range(0..40));
                let (a, b) = wide.pair(i, j).unwrap();
                assert_eq!((a, b), (&all[40 * i..40 * i + 40], &all[40 * j..40 * j + 40]));
                assert_eq!(narrow.row(i).unwrap(), &all_narrow[40 * i..40 * i + 40]);
            }
            assert!(wide.figures().evictions == 0 || capacity < 40);
        }
    }
}

#[test]
fn storage_changes_values_only_within_the_bounds() {
    for seed in 0..20 {
        let rows = rows(LEN, 17, 40 + seed);
        let dense = Dense::from_rows(&rows).unwrap();
        let sparse = Csr::from_rows(&dense).unwrap();
        let values: Vec<f32> = rows.iter().flatten().map(|&value| value as f32).collect();
        let dense32 = Dense::new(values, LEN, 17).unwrap();
        let sparse32 = Csr::from_rows(&dense32).unwrap();
        let sets: [&dyn Examples; 4] = [&dense, &sparse, &dense32, &sparse32];
        for kernel in kernels() {
            let expected = whole(&VectorGram::new(&dense, kernel).unwrap());
            for (number, set) in sets.iter().enumerate() {
                let gram = VectorGram::new(*set, kernel).unwrap();
                let bound = 2.0 * gram.error_bound(Precision::F64);
                for (a, b) in whole(&gram).iter().zip(&expected) {
                    assert!((a - b).abs() <= bound, "seed {seed}, storage {number}, {kernel:?}: {a} and {b}");
                }
            }
        }
    }
}

#[test]
fn equal_examples_have_kernel_one_exactly() {
    let mut random = ChaCha8Rng::seed_from_u64(36);
    for scale in [1e-150, 1e-3, 1.0, 1e5, 1e150] {
        let row: Vec<f64> = (0..33).map(|_| scale * random.random_range(-1.0..1.0)).collect();
        let dense = Dense::from_rows(&[row.clone(), row.clone(), row.iter().map(|v| -v).collect()]).unwrap();
        let sparse = Csr::from_rows(&dense).unwrap();
        for kernel in [VectorKernel::gaussian(3.0).unwrap(), VectorKernel::laplacian(3.0).unwrap()] {
            let sets: [&dyn Examples; 2] = [&dense, &sparse];
            for set in sets {
                let gram = VectorGram::new(set, kernel).unwrap();
                let values = whole(&gram);
                assert_eq!([values[0], values[1], values[3], values[4]], [1.0; 4], "{kernel:?} at {scale:e}");
                assert!(values[2] <= 1.0);
            }
        }
    }
}

#[test]
fn overflow_is_an_error_and_never_a_value() {
    let huge = Dense::new(vec![1.0, 1e300, 2.0, -1e300], 4, 1).unwrap();
    let refused = |kernel| VectorGram::new(&huge, kernel).unwrap_err();
    assert!(matches!(refused(VectorKernel::linear()), Error::Numerical { .. }));
    assert!(matches!(refused(VectorKernel::sigmoid(1.0, 0.0).unwrap()), Error::Numerical { .. }));
    // Kernels of distances are defined all the same.
    for kernel in [VectorKernel::gaussian(1.0).unwrap(), VectorKernel::laplacian(1.0).unwrap()] {
        let values = whole(&VectorGram::new(&huge, kernel).unwrap());
        assert!(values.iter().all(|value| (0.0..=1.0).contains(value)));
        assert_eq!((values[0], values[1], values[5], values[7]), (1.0, 0.0, 1.0, 0.0));
    }
    // The norm is finite, its power is not.
    let large = Dense::new(vec![1.0, 1e100, 2.0], 3, 1).unwrap();
    let gram = VectorGram::new(&large, VectorKernel::homogeneous(2).unwrap()).unwrap();
    let mut row = [0.0; 3];
    assert_eq!(gram.fill(&[1], Columns::All, &mut row), Err(Error::KernelValue { row: 1, column: 1 }));
    assert_eq!(gram.fill(&[0], Columns::List(&[0, 2, 1]), &mut row), Ok(()));
    assert_eq!(gram.diagonal(), Err(Error::KernelValue { row: 1, column: 1 }));
    assert_eq!(
        MatrixGram::computed(&gram, &Budget::default()),
        Err(Error::KernelValue { row: 1, column: 1 })
    );
    assert_eq!(Scaled::new(&gram, 1e200).unwrap().fill(&[0], Columns::All, &mut row), {
        Err(Error::KernelValue { row: 0, column: 1 })
    });
    // Beyond the range of f32 only.
    let wide = VectorGram::new(&large, VectorKernel::linear()).unwrap();
    let mut narrow = [0.0_f32; 3];
    assert_eq!(wide.fill_f32(&[0], Columns::All, &mut narrow), Err(Error::KernelValue { row: 0, column: 1 }));
    // A kernel on objects that is not finite.
    let objects = [vec![1.0], vec![1e200]];
    let pairs = ObjectGram::new(&objects[..], VectorKernel::linear());
    assert_eq!(pairs.diagonal(), Err(Error::KernelValue { row: 1, column: 1 }));
    let nothing = algebra::Normalised::new(VectorKernel::linear());
    let zero = [vec![0.0], vec![1.0]];
    assert!(ObjectGram::new(&zero[..], nothing).diagonal().is_err());
    // More than the memory that is allowed.
    let budget = Budget::default().with_memory(71);
    assert!(matches!(
        MatrixGram::computed(&wide, &budget),
        Err(Error::Memory { needed: 72, allowed: 71, .. })
    ));
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let rows = rows(1_300, 9, 37);
    let dense = Dense::from_rows(&rows).unwrap();
    let sparse = Csr::from_rows(&dense).unwrap();
    let asked = [0, 700, 1_299];
    for kernel in kernels() {
        let run = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let mut out = Vec::new();
                let (a, b) =
                    (VectorGram::new(&dense, kernel).unwrap(), VectorGram::new(&sparse, kernel).unwrap());
                let c = ObjectGram::new(&rows[..], kernel);
                let centred = Centred::new(&a).unwrap();
                let grams: [&dyn Gram; 4] = [&a, &b, &c, &centred];
                for gram in grams {
                    let mut block = vec![0.0; asked.len() * rows.len()];
                    gram.fill(&asked, Columns::All, &mut block).unwrap();
                    out.extend(block.iter().map(|value| value.to_bits()));
                    out.extend(gram.diagonal().unwrap().iter().map(|value| value.to_bits()));
                }
                out
            })
        };
        let one = run(1);
        for threads in [2, 3, 4, 8] {
            assert!(run(threads) == one, "{kernel:?} on {threads} threads");
        }
    }
}
