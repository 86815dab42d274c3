//! The kernel-row engine: every layout, with every kind of instructions, against plain arithmetic in double precision.

use lm_core::gram::{Instructions, Layout};
use lm_core::multiclass::{Classifier, OneVsOneModel};
use lm_core::{
    Budget, Collection, Columns, Csr, Dense, Examples, Gram, Hypothesis, Kernel, MatrixGram, Precision,
    Selection, Sign, SupportVectors, VectorExpansion, VectorGram, VectorKernel,
};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

/// What the entries of random examples are like.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Entries {
    /// Any number, times a scale.
    Fine(f64),
    /// 0 or this number, the second with this probability.
    Binary(f64, f64),
    /// Whole multiples of a unit from 0 to 255, half of them 0.
    Grey(f64),
    /// Mostly 0, with this probability something else.
    Sparse(f64),
}

fn random_rows(entries: Entries, len: usize, dim: usize, random: &mut ChaCha8Rng) -> Vec<Vec<f64>> {
    let mut entry = || match entries {
        Entries::Fine(scale) => scale * random.random_range(-1.0..1.0),
        Entries::Binary(value, share) => {
            if random.random_range(0.0..1.0) < share {
                value
            } else {
                0.0
            }
        }
        Entries::Grey(unit) => f64::from(random.random_range(-255_i32..256).max(0)) * unit,
        Entries::Sparse(share) => {
            if random.random_range(0.0..1.0) < share {
                random.random_range(-1.0..1.0)
            } else {
                0.0
            }
        }
    };
    let mut rows: Vec<Vec<f64>> = (0..len).map(|_| (0..dim).map(|_| entry()).collect()).collect();
    // Duplicates, in other panels than the originals.
    for row in (len / 2..len).step_by(7) {
        rows[row] = rows[row - len / 2].clone();
    }
    rows
}

/// Kernels that make sense for examples of this size.
fn kernels(rows: &[Vec<f64>]) -> [VectorKernel; 6] {
    let radius_squared = rows.iter().map(|row| row.iter().map(|v| v * v).sum::<f64>()).fold(0.0, f64::max);
    let gamma = if radius_squared > 0.0 { (1.0 / radius_squared).min(1e300) } else { 1.0 };
    [
        VectorKernel::linear(),
        VectorKernel::polynomial(3, gamma, 1.0).unwrap(),
        VectorKernel::gaussian(gamma).unwrap(),
        VectorKernel::gaussian(30.0 * gamma).unwrap(),
        VectorKernel::laplacian(gamma.sqrt()).unwrap(),
        VectorKernel::sigmoid(-gamma, 0.3).unwrap(),
    ]
}

/// Blocks of every shape agree with the pairs, within the bounds, in both precisions; equal requests have equal bits.
pub(crate) fn check_blocks<E: Examples + ?Sized>(examples: &E, kernel: VectorKernel, told: &str) -> Vec<u64> {
    let len = examples.len();
    let mut bits = Vec::new();
    for level in Instructions::available() {
        let gram = VectorGram::new(examples, kernel).unwrap().with_instructions(level);
        let told = format!("{told}, {kernel:?}, {level:?}, {}", gram.layout());
        let all: Vec<usize> = (0..len).collect();
        let (mut wide, mut narrow) = (vec![0.0; len * len], vec![0.0_f32; len * len]);
        gram.fill(&all, Columns::All, &mut wide).unwrap();
        gram.fill_f32(&all, Columns::All, &mut narrow).unwrap();
        let bounds = (gram.error_bound(Precision::F64), gram.error_bound(Precision::F32));
        let pair_bound = kernel.error_bound(examples.dim(), {
            (0..len).map(|row| examples.norm_squared(row)).fold(0.0, f64::max)
        });
        for i in 0..len {
            for j in 0..len {
                let (a, b) = (wide[i * len + j], narrow[i * len + j]);
                let expected = kernel.value(&examples.row(i), &examples.row(j));
                let error = (a - expected).abs();
                assert!(error <= bounds.0 + pair_bound, "{told}: ({i}, {j}): {a} for {expected}");
                let error = (f64::from(b) - expected).abs();
                assert!(error <= bounds.1 + pair_bound, "{told}: ({i}, {j}): {b} for {expected}");
                assert_eq!(a.to_bits(), wide[j * len + i].to_bits(), "{told}: ({i}, {j}) in f64");
                assert_eq!(b.to_bits(), narrow[j * len + i].to_bits(), "{told}: ({i}, {j}) in f32");
                let one = !matches!(
                    kernel.form(),
                    lm_core::KernelForm::Linear
                        | lm_core::KernelForm::Polynomial { .. }
                        | lm_core::KernelForm::Sigmoid { .. }
                );
                if one && examples.row(i) == examples.row(j) {
                    assert_eq!((a, b), (1.0, 1.0), "{told}: ({i}, {j})");
                }
            }
        }
        let mut triangle = vec![0.0; len * len];
        gram.fill_all(&mut triangle).unwrap();
        assert_eq!(triangle, wide, "{told}");
        let diagonal = gram.diagonal().unwrap();
        assert!((0..len).all(|i| diagonal[i].to_bits() == wide[i * len + i].to_bits()), "{told}");
        check_requests(&gram, &wide, &narrow, &told);
        if level > Instructions::Portable {
            bits.push(wide.iter().fold(0_u64, |hash, v| hash.rotate_left(5) ^ v.to_bits()));
            bits.push(narrow.iter().fold(0_u64, |hash, v| hash.rotate_left(5) ^ u64::from(v.to_bits())));
        }
    }
    bits
}

fn check_requests<E: Examples + ?Sized>(gram: &VectorGram<'_, E>, wide: &[f64], narrow: &[f32], told: &str) {
    let len = gram.len();
    let scattered: Vec<usize> = (0..len).map(|k| (k * 37 + 5) % len).step_by(3).collect();
    let dense: Vec<usize> = (0..len).filter(|k| k % 5 != 2).collect();
    for count in [1, 2, 3, 5, 13, 64].map(|count| count.min(len)) {
        let rows: Vec<usize> = (0..count).map(|k| (k * 11) % len).collect();
        for columns in [
            Columns::All,
            Columns::Range { start: len / 3, end: len - len / 7 },
            Columns::List(&scattered),
            Columns::List(&dense),
        ] {
            let width = columns.count(len);
            let (mut a, mut b) = (vec![0.0; count * width], vec![0.0_f32; count * width]);
            gram.fill(&rows, columns, &mut a).unwrap();
            gram.fill_f32(&rows, columns, &mut b).unwrap();
            for (position, (a, b)) in a.iter().zip(&b).enumerate() {
                let place = rows[position / width] * len + columns.at(position % width);
                assert_eq!(a.to_bits(), wide[place].to_bits(), "{told}: {count} rows, position {position}");
                assert_eq!(b.to_bits(), narrow[place].to_bits(), "{told}: {count} rows, position {position}");
            }
        }
    }
}

#[test]
fn every_layout_agrees_with_plain_arithmetic() {
    let cases = [
        (Entries::Fine(1.0), Layout::Panels),
        (Entries::Fine(1e-20), Layout::Panels),
        (Entries::Fine(1e15), Layout::Panels),
        (Entries::Fine(1e-160), Layout::Panels),
        (Entries::Binary(1.0, 0.2), Layout::Bits),
        (Entries::Binary(-0.3, 0.5), Layout::Bits),
        (Entries::Grey(1.0), Layout::Bytes),
        (Entries::Grey(1.0 / 255.0), Layout::Bytes),
        (Entries::Sparse(0.05), Layout::Table),
    ];
    for (seed, (entries, expected)) in cases.into_iter().enumerate() {
        let mut random = ChaCha8Rng::seed_from_u64(60 + seed as u64);
        for (len, dim) in [(37, 130), (70, 67), (5, 300), (33, 64)] {
            let rows = random_rows(entries, len, dim, &mut random);
            let dense = Dense::from_rows(&rows).unwrap();
            let sparse = Csr::from_rows(&dense).unwrap();
            let told = format!("{entries:?}, {len} × {dim}");
            for kernel in kernels(&rows) {
                let (set, stored): (&dyn Examples, _) =
                    if expected == Layout::Table { (&sparse, "sparse") } else { (&dense, "dense") };
                let layout = VectorGram::new(set, kernel).unwrap().layout();
                let differences = matches!(kernel.form(), lm_core::KernelForm::Laplacian { .. });
                assert!(layout == expected || differences || dim < 100, "{told}: {layout} for {stored} rows");
                let bits = check_blocks(set, kernel, &told);
                // AVX2 and AVX-512 round alike.
                if let [a, b, c, d] = bits[..] {
                    assert_eq!((a, b), (c, d), "{told}, {kernel:?}");
                }
            }
        }
    }
}

#[test]
fn small_and_odd_shapes_agree_with_plain_arithmetic() {
    for seed in 0..60 {
        let mut random = ChaCha8Rng::seed_from_u64(600 + seed);
        let (len, dim) = (random.random_range(1..40), random.random_range(1..30));
        let entries = match seed % 4 {
            0 => Entries::Fine(10.0_f64.powi(random.random_range(-9..9))),
            1 => Entries::Binary(2.0, 0.4),
            2 => Entries::Grey(0.25),
            _ => Entries::Sparse(0.3),
        };
        let rows = random_rows(entries, len, dim, &mut random);
        let dense = Dense::from_rows(&rows).unwrap();
        let sparse = Csr::from_rows(&dense).unwrap();
        for kernel in kernels(&rows) {
            check_blocks(&dense, kernel, &format!("seed {seed}, dense"));
            check_blocks(&sparse, kernel, &format!("seed {seed}, sparse"));
        }
    }
}

#[test]
fn a_promised_tolerance_is_kept_by_choice_of_the_precision() {
    let mut random = ChaCha8Rng::seed_from_u64(61);
    let mut seen = [0; 2];
    for case in 0..40 {
        let (len, dim) = (30, random.random_range(1..200));
        let scale = 10.0_f64.powi(random.random_range(-3..4));
        let rows = random_rows(Entries::Fine(scale), len, dim, &mut random);
        let dense = Dense::from_rows(&rows).unwrap();
        for kernel in kernels(&rows) {
            for tolerance in [1e-3, 1e-5, 3e-7, 1e-9] {
                let gram = VectorGram::new(&dense, kernel).unwrap().with_tolerance(tolerance).unwrap();
                let largest =
                    gram.diagonal().unwrap().iter().fold(1.0_f64, |largest, value| largest.max(value.abs()));
                let narrow = gram.computed_in(Precision::F32) == Precision::F32;
                seen[usize::from(narrow)] += 1;
                let bound = gram.error_bound(Precision::F32);
                // Rounding to f32 itself is within 2⁻²⁴.
                assert!(bound <= (tolerance + 6.1e-8) * largest, "case {case}: {bound:e}, {kernel:?}");
            }
        }
        assert!(VectorGram::new(&dense, VectorKernel::linear()).unwrap().with_tolerance(f64::NAN).is_err());
    }
    assert!(seen[0] > 100 && seen[1] > 100, "{seen:?}: one precision only");
}

#[test]
fn any_number_of_threads_gives_the_same_bits_at_every_size() {
    let mut random = ChaCha8Rng::seed_from_u64(62);
    for entries in [Entries::Fine(1.0), Entries::Binary(1.0, 0.1), Entries::Grey(1.0), Entries::Sparse(0.03)]
    {
        let rows = random_rows(entries, 900, 200, &mut random);
        let dense = Dense::from_rows(&rows).unwrap();
        let sparse = Csr::from_rows(&dense).unwrap();
        let set: &dyn Examples = if matches!(entries, Entries::Sparse(_)) { &sparse } else { &dense };
        let coefficients: Vec<f64> = (0..900).map(|k| f64::from(k % 7) - 2.5).collect();
        for kernel in [kernels(&rows)[2], kernels(&rows)[0]] {
            let run = |threads: usize| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                pool.install(|| {
                    let gram = VectorGram::new(set, kernel).unwrap();
                    let asked: Vec<usize> = (0..64).map(|k| k * 14).collect();
                    let mut narrow = vec![0.0_f32; 64 * 900];
                    gram.fill_f32(&asked, Columns::All, &mut narrow).unwrap();
                    let matrix = MatrixGram::computed(&gram, &Budget::default()).unwrap();
                    let all: Vec<usize> = (0..900).collect();
                    let support = SupportVectors::copied(set, &all).unwrap();
                    let f = VectorExpansion::new(kernel, support, coefficients.clone(), 0.1).unwrap();
                    let values = f.decision_values(set).unwrap();
                    let one = f.decision_values(&Selection::new(set, &[77]).unwrap()).unwrap();
                    assert_eq!(one[0].to_bits(), values[77].to_bits(), "alone and among others");
                    let narrow = narrow.iter().map(|value| u64::from(value.to_bits()));
                    let wide = matrix.values().iter().chain(&values).map(|value| value.to_bits());
                    narrow.chain(wide).collect::<Vec<u64>>()
                })
            };
            let one = run(1);
            for threads in [2, 3, 4, 8] {
                assert!(run(threads) == one, "{entries:?}, {kernel:?} on {threads} threads");
            }
        }
    }
}

/// `Σⱼ cⱼK(xⱼ, x) + b`, term by term, and the sum of the sizes.
fn plain(f: &VectorExpansion, set: &dyn Examples, row: usize) -> (f64, f64) {
    let support = f.support().as_examples();
    let terms = f.coefficients().iter().enumerate();
    terms.fold((f.bias(), f.bias().abs()), |(sum, sizes), (j, c)| {
        let term = c * f.kernel().value(&support.row(j), &set.row(row));
        (sum + term, sizes + term.abs())
    })
}

#[test]
fn decision_values_and_sides_are_those_of_plain_sums() {
    let mut random = ChaCha8Rng::seed_from_u64(63);
    let kinds =
        [Entries::Fine(1.0), Entries::Binary(1.0, 0.2), Entries::Grey(1.0 / 255.0), Entries::Sparse(0.05)];
    for entries in kinds {
        for (kept, points, dim) in [(200, 70, 120), (3, 5, 40), (1_300, 7, 90), (1, 1, 1)] {
            let rows = random_rows(entries, kept, dim, &mut random);
            let dense = Dense::from_rows(&rows).unwrap();
            let sparse = Csr::from_rows(&dense).unwrap();
            // Points like the kept examples, and some that no grid holds.
            let mut new = random_rows(entries, points, dim, &mut random);
            new.iter_mut().step_by(3).for_each(|row| row[dim - 1] = 0.123_456_789);
            let new = Dense::from_rows(&new).unwrap();
            let new_sparse = Csr::from_rows(&new).unwrap();
            let coefficients: Vec<f64> = (0..kept).map(|_| random.random_range(-1.0..1.0)).collect();
            for kernel in kernels(&rows) {
                let all: Vec<usize> = (0..kept).collect();
                let sets: [&dyn Examples; 2] = [&dense, &sparse];
                for set in sets {
                    let support = SupportVectors::copied(set, &all).unwrap();
                    // A bias that leaves every side in doubt for single precision at one of the points.
                    let f = VectorExpansion::new(kernel, support.clone(), coefficients.clone(), 0.0).unwrap();
                    let bias = -f.decision_values(&new).unwrap()[points / 2];
                    let f = VectorExpansion::new(kernel, support, coefficients.clone(), bias).unwrap();
                    let queries: [&dyn Examples; 2] = [&new, &new_sparse];
                    for points in queries {
                        let values = f.decision_values(points).unwrap();
                        let near = f.decision_values_within(points, 1e-3).unwrap();
                        for (row, value) in values.iter().enumerate() {
                            let (expected, sizes) = plain(&f, points, row);
                            let allowed = 1e-12 * (kept + dim) as f64 * (sizes + 1.0);
                            assert!(
                                (value - expected).abs() <= allowed,
                                "{entries:?}, {kernel:?}, {:?}: {value} for {expected}",
                                f.layout()
                            );
                            assert!(
                                (near[row] - expected).abs() <= 1e-3 + allowed,
                                "{entries:?}, {kernel:?}"
                            );
                        }
                        let sides: Vec<Sign> = values.iter().map(|&value| Sign::of(value)).collect();
                        assert_eq!(f.signs(points).unwrap(), sides, "{entries:?}, {kernel:?}");
                    }
                }
            }
        }
    }
}

#[test]
fn points_and_vectors_of_any_size_are_decided_on() {
    let kernel = VectorKernel::gaussian(0.5).unwrap();
    let support = SupportVectors::DenseF64(Dense::new(vec![1.0, 2.0, -1.0], 3, 1).unwrap());
    let f = VectorExpansion::new(kernel, support, vec![1.0, 1.0, 1.0], -0.25).unwrap();
    let points = Dense::new(vec![1e300, -1e200, 1.0, 1e-300], 4, 1).unwrap();
    let values = f.decision_values(&points).unwrap();
    assert_eq!((values[0], values[1]), (-0.25, -0.25));
    assert_eq!(f.signs(&points).unwrap()[..2], [Sign::Negative; 2]);
    // Support vectors whose squares overflow.
    let support = SupportVectors::DenseF64(Dense::new(vec![1e200, 1.0], 2, 1).unwrap());
    let g = VectorExpansion::new(VectorKernel::linear(), support.clone(), vec![1.0, 1.0], 0.0).unwrap();
    assert_eq!(g.decision(&[1e-200]).unwrap(), 1.0 + 1e-200);
    assert!(g.decision(&[1e200]).is_err());
    let h = VectorExpansion::new(kernel, support, vec![1.0, 1.0], 0.0).unwrap();
    assert_eq!(h.decision(&[1e200]).unwrap(), 1.0);
}

#[test]
fn pairs_of_classes_that_share_vectors_decide_as_each_by_itself() {
    let mut random = ChaCha8Rng::seed_from_u64(64);
    for entries in [Entries::Fine(1.0), Entries::Grey(1.0), Entries::Sparse(0.1)] {
        let rows = random_rows(entries, 120, 50, &mut random);
        let dense = Dense::from_rows(&rows).unwrap();
        let sparse = Csr::from_rows(&dense).unwrap();
        let set: &dyn Examples = if matches!(entries, Entries::Sparse(_)) { &sparse } else { &dense };
        let kernel = kernels(&rows)[2];
        let expansion = |pair: usize| {
            let chosen: Vec<usize> = (0..120).filter(|row| row % 6 == pair || row % 5 == 1).collect();
            let coefficients = chosen.iter().map(|&row| ((row + pair) as f64).sin()).collect();
            let support = SupportVectors::copied(set, &chosen).unwrap();
            VectorExpansion::new(kernel, support, coefficients, 0.01 * pair as f64).unwrap()
        };
        let models: Vec<VectorExpansion> = (0..6).map(expansion).collect();
        let machine = OneVsOneModel::new(vec![1, 2, 3, 4], models.clone()).unwrap();
        let decisions = machine.decisions(set).unwrap();
        let mut votes = vec![[0_u32; 4]; 120];
        let pairs = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)];
        for (pair, model) in models.iter().enumerate() {
            for (row, value) in model.decision_values(set).unwrap().iter().enumerate() {
                let own = decisions.row(row).unwrap()[pair];
                assert!((own - value).abs() <= 1e-12 * 40.0, "{entries:?}: {own} and {value}");
                let (low, high) = pairs[pair];
                votes[row][if *value >= 0.0 { high } else { low }] += 1;
            }
        }
        assert_eq!(machine.votes(set).unwrap(), votes, "{entries:?}");
    }
}
