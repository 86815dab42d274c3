//! Moments against double-double sums, in parts and in one, on any number of threads.

use lm_closed::Moments;
use lm_core::double_double::DoubleDouble;
use lm_core::{Csr, Dense, Error, Examples, Weights};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

fn numbers(len: usize, offset: f64, seed: u64) -> Vec<f64> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    (0..len).map(|_| offset + random.random_range(-1.0..1.0)).collect()
}

/// The scatter of the rows `(x, t)`, every sum in double-double arithmetic.
fn plain(examples: &dyn Examples, extra: &[f64], weights: &[f64]) -> (Vec<f64>, Vec<Vec<f64>>) {
    let rows: Vec<Vec<f64>> = (0..examples.len())
        .map(|i| {
            let mut row = vec![0.0; examples.dim()];
            examples.row(i).for_each(|k, x| row[k] = x);
            row.push(extra[i]);
            row
        })
        .collect();
    let dim = examples.dim() + 1;
    let total = weights.iter().fold(DoubleDouble::ZERO, |sum, &weight| sum + weight);
    let mean: Vec<DoubleDouble> = (0..dim)
        .map(|k| {
            let sum = rows
                .iter()
                .zip(weights)
                .fold(DoubleDouble::ZERO, |sum, (row, &weight)| sum + DoubleDouble::product(weight, row[k]));
            sum / total
        })
        .collect();
    let scatter = (0..dim)
        .map(|j| {
            (0..dim)
                .map(|k| {
                    let terms = rows.iter().zip(weights).map(|(row, &weight)| {
                        (DoubleDouble::from(row[j]) - mean[j])
                            * (DoubleDouble::from(row[k]) - mean[k])
                            * weight
                    });
                    terms.fold(DoubleDouble::ZERO, |sum, term| sum + term).value()
                })
                .collect()
        })
        .collect();
    (mean.iter().map(|mean| mean.value()).collect(), scatter)
}

#[test]
fn moments_have_their_digits_however_far_from_the_origin() {
    for (seed, (n, d, offset)) in
        [(1, 1, 0.0), (2, 3, 0.0), (50, 4, 1e6), (9000, 5, 1e8), (700, 40, -1e3)].into_iter().enumerate()
    {
        let values = numbers(n * d, offset, seed as u64);
        let examples = Dense::new(values, n, d).unwrap();
        let extra = numbers(n, 3.0, 77);
        let mut random = ChaCha8Rng::seed_from_u64(5);
        let weights: Vec<f64> =
            (0..n).map(|i| f64::from(random.random_range(u32::from(i == 0)..4))).collect();
        let found = Moments::of(&examples, &[&extra], Some(&Weights::new(weights.clone()).unwrap())).unwrap();
        let (mean, scatter) = plain(&examples, &extra, &weights);
        assert_eq!(found.count(), weights.iter().filter(|&&weight| weight > 0.0).count() as u64);
        for j in 0..=d {
            assert!(
                (found.mean()[j] - mean[j]).abs() <= 4.0 * f64::EPSILON * mean[j].abs().max(1.0),
                "{n} × {d}"
            );
            for k in 0..=j {
                let size = (scatter[j][j] * scatter[k][k]).sqrt();
                // What the data themselves have lost to their offset, no more.
                let tolerance = 1e-13 * size + 1e-15 * offset.abs() * found.weight();
                assert!(
                    (found.scatter()[(j, k)] - scatter[j][k]).abs() <= tolerance,
                    "{n} × {d}: ({j}, {k})"
                );
            }
        }
    }
}

#[test]
fn weights_are_repetitions_and_sparse_rows_are_rows() {
    let examples = Dense::new(vec![1.0, 0.0, 0.0, 2.0, 3.0, 0.0], 3, 2).unwrap();
    let weights = Weights::new(vec![2.0, 0.0, 1.0]).unwrap();
    let repeated = Dense::new(vec![1.0, 0.0, 1.0, 0.0, 3.0, 0.0], 3, 2).unwrap();
    let weighted = Moments::of(&examples, &[], Some(&weights)).unwrap();
    let plain = Moments::of(&repeated, &[], None).unwrap();
    assert_eq!((weighted.weight(), weighted.mean()), (plain.weight(), plain.mean()));
    assert!((weighted.scatter()[(0, 0)] - plain.scatter()[(0, 0)]).abs() < 1e-15);
    let sparse = Csr::new(vec![0, 1, 2, 3], vec![0, 1, 0], vec![1.0, 2.0, 3.0], 2).unwrap();
    assert_eq!(Moments::of(&sparse, &[], None).unwrap(), Moments::of(&examples, &[], None).unwrap());
}

#[test]
fn a_stream_merges_to_the_whole_and_threads_do_not_matter() {
    let (n, d) = (20_000, 6);
    let values = numbers(n * d, 10.0, 1);
    let examples = Dense::new(values.clone(), n, d).unwrap();
    let target = numbers(n, 0.0, 2);
    let of_all = || Moments::of(&examples, &[&target], None).unwrap();
    let on = |threads| rayon_pool(threads, of_all);
    let whole = on(1);
    [2, 3, 8].into_iter().for_each(|threads| assert_eq!(on(threads), whole, "{threads}"));
    let mut merged = Moments::new(d + 1).unwrap();
    for (block, target) in values.chunks(4321 * d).zip(target.chunks(4321)) {
        let block = Dense::new(block.to_vec(), target.len(), d).unwrap();
        merged.merge(&Moments::of(&block, &[target], None).unwrap()).unwrap();
    }
    assert_eq!(merged.count(), whole.count());
    for j in 0..=d {
        assert!((merged.mean()[j] - whole.mean()[j]).abs() < 1e-14 * 10.0);
        for k in 0..=j {
            let size = whole.scatter()[(j, j)].max(whole.scatter()[(k, k)]);
            assert!((merged.scatter()[(j, k)] - whole.scatter()[(j, k)]).abs() <= 1e-14 * size);
        }
    }
}

fn rayon_pool<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(work)
}

#[test]
fn an_accumulator_survives_its_file_and_refuses_what_does_not_fit() {
    let examples = Dense::new(numbers(30, 2.0, 3), 10, 3).unwrap();
    let moments = Moments::of(&examples, &[], None).unwrap();
    let text = serde_json::to_string(&moments).unwrap();
    let back: Moments = serde_json::from_str(&text).unwrap();
    assert_eq!(back, moments);
    for (from, to) in [
        ("\"count\":10", "\"count\":0"),
        ("\"weight\":10.0", "\"weight\":-1.0"),
        ("\"mean\":[", "\"mean\":[1.0,"),
    ] {
        assert!(text.contains(from), "{text}");
        assert!(serde_json::from_str::<Moments>(&text.replace(from, to)).is_err(), "{from} to {to}");
    }
    let other = Moments::new(2).unwrap();
    assert!(matches!(moments.clone().merge(&other), Err(Error::Length { .. })));
    assert!(matches!(Moments::of(&examples, &[&[1.0]], None), Err(Error::Length { .. })));
    let huge = Dense::new(vec![1e200, -1e200], 2, 1).unwrap();
    assert!(matches!(Moments::of(&huge, &[], None), Err(Error::Numerical { .. })));
}
