//! Verdicts on separability: sharp, exact, and the same however the data are written.

use lm_core::testing::SplitMix64;
use lm_core::{
    BinaryLabels, Budget, Certificate, Control, Csr, Dense, Error, Examples, Sign, Stop, TrainingSet, Weights,
};
use lm_qp::exact::{ExactExamples, Rational};
use lm_qp::{Separability, nearest_points, separate, separate_exact, separate_with};

/// Decides, and checks the proof.
fn decided<E: Examples>(examples: &E, labels: &BinaryLabels) -> Separability {
    let found = separate(examples, labels).unwrap();
    let set = TrainingSet::new(examples, labels).unwrap();
    let verdict = found.verify(&set).unwrap();
    assert!(verdict.is_valid(), "{verdict}");
    if let Separability::Separable(claim) = &found {
        assert!(claim.separation().is_none_or(|claim| claim.verify(&set).unwrap().is_valid()));
    }
    if let Separability::Inseparable(proof) = &found {
        assert!(proof.multipliers().len() <= examples.dim() + 2);
        match proof.rounded(&set) {
            Ok(rounded) => assert!(rounded.verify(&set).unwrap().is_valid()),
            // Squares of huge numbers are out of range there.
            Err(error) => assert!(matches!(error, Error::Numerical { .. }), "{error}"),
        }
    }
    found
}

fn labels(signs: &[Sign]) -> BinaryLabels {
    BinaryLabels::new(signs.to_vec()).unwrap()
}

/// Points with integer coordinates below 2¹⁹ and the sign of an integer hyperplane through the origin.
fn integer_cloud(seed: u64, len: usize, dim: usize) -> (Vec<Vec<f64>>, Vec<Sign>) {
    let mut random = SplitMix64::new(seed);
    let normal: Vec<f64> = (0..dim).map(|_| (random.below(41) as f64) - 20.0).collect();
    let (mut rows, mut signs) = (Vec::new(), Vec::new());
    while rows.len() < len {
        let row: Vec<f64> = (0..dim).map(|_| random.below(1 << 20) as f64 - f64::from(1 << 19)).collect();
        let value: f64 = row.iter().zip(&normal).map(|(x, w)| x * w).sum();
        if value != 0.0 {
            signs.push(Sign::of(value));
            rows.push(row);
        }
    }
    signs[0] = Sign::Positive;
    let value: f64 = rows[0].iter().zip(&normal).map(|(x, w)| x * w).sum();
    if value < 0.0 {
        rows[0].iter_mut().for_each(|x| *x = -*x);
    }
    if signs[1..].iter().all(|sign| *sign == Sign::Positive) {
        rows[1].iter_mut().for_each(|x| *x = -*x);
        signs[1] = Sign::Negative;
    }
    (rows, signs)
}

#[test]
fn clouds_cut_by_a_hyperplane_are_separable_in_every_dimension() {
    for seed in 0..60 {
        let dim = 1 + seed as usize % 20;
        let (rows, signs) = integer_cloud(seed, 20 + 3 * seed as usize, dim);
        let examples = Dense::from_rows(&rows).unwrap();
        let found = decided(&examples, &labels(&signs));
        let Separability::Separable(claim) = found else { panic!("seed {seed}: {found:?}") };
        assert!(claim.is_maximal() && claim.separation().is_some(), "seed {seed}");
    }
}

#[test]
fn one_example_on_the_wrong_side_of_its_own_class_is_found() {
    for seed in 0..60 {
        let dim = 1 + seed as usize % 20;
        let (mut rows, mut signs) = integer_cloud(1000 + seed, 30 + dim * 6, dim);
        // The mean of some positive examples, twice as many as a power of two, joins the negative class: exact in stored numbers.
        let positive: Vec<usize> = (0..rows.len()).filter(|&i| signs[i] == Sign::Positive).take(2).collect();
        if positive.len() < 2 {
            continue;
        }
        rows.push((0..dim).map(|k| 0.5 * (rows[positive[0]][k] + rows[positive[1]][k])).collect());
        signs.push(Sign::Negative);
        let found = decided(&Dense::from_rows(&rows).unwrap(), &labels(&signs));
        assert_eq!(found.is_separable(), Some(false), "seed {seed}, {dim} columns: {found:?}");
    }
}

/// Two clouds whose hulls touch in one point, then moved apart by `gap`: along a direction in which all coordinates are multiples of 2⁻²⁰.
fn touching(seed: u64, dim: usize, gap: f64) -> (Dense<'static>, BinaryLabels) {
    let mut random = SplitMix64::new(seed);
    let step = 2.0_f64.powi(-20);
    let grid = |random: &mut SplitMix64, low: f64| {
        (low + random.uniform(0.0, 1.0) * (1.0 - low) / step * step).max(low)
    };
    let (mut rows, mut signs) = (Vec::new(), Vec::new());
    for i in 0..(8 + 4 * dim) {
        let positive = i % 2 == 0;
        let mut row: Vec<f64> = (0..dim).map(|_| grid(&mut random, -1.0)).collect();
        // The first coordinate decides; the first example of each class lies on the wall.
        let depth = if i < 2 { 0.0 } else { grid(&mut random, step) };
        row[0] = if positive { depth + gap } else { -depth };
        if i == 1 {
            let wall: &Vec<f64> = &rows[0];
            row[1..].copy_from_slice(&wall[1..]);
        }
        rows.push(row);
        signs.push(if positive { Sign::Positive } else { Sign::Negative });
    }
    (Dense::from_rows(&rows).unwrap(), labels(&signs))
}

#[test]
fn gaps_from_a_tenth_to_a_trillionth_are_seen_and_touching_hulls_are_not_separable() {
    for seed in 0..40 {
        let dim = 1 + seed as usize % 20;
        for gap in [0.1, 1e-3, 1e-6, 1e-9, 1e-12, 1e-15] {
            let (examples, labels) = touching(seed, dim, gap);
            let found = decided(&examples, &labels);
            let Separability::Separable(claim) = &found else { panic!("{seed}, {dim}, {gap:e}: {found:?}") };
            assert!(claim.is_maximal(), "{seed}, {dim}, {gap:e}");
            // The two examples on the wall are `gap` from each other, and the wall is a hyperplane with half of that.
            let gap = Rational::from_f64(gap).unwrap();
            let half = gap.divided(&Rational::from_decimal("2").unwrap()).unwrap();
            assert_eq!(claim.margin_squared(), &half * &half, "{seed}, {dim}");
        }
        let (examples, labels) = touching(seed, dim, 0.0);
        assert_eq!(decided(&examples, &labels).is_separable(), Some(false), "{seed}, {dim}");
        let (examples, labels) = touching(seed, dim, -1e-15);
        assert_eq!(decided(&examples, &labels).is_separable(), Some(false), "{seed}, {dim}");
    }
}

/// A proof does not depend on how the data are moved by exact operations.
#[test]
fn moved_scaled_permuted_and_repeated_data_have_the_same_verdict_and_margin() {
    for seed in 0..30 {
        let dim = 1 + seed as usize % 6;
        let (rows, signs) = if seed % 3 == 0 {
            let (examples, labels) = touching(seed, dim, if seed % 2 == 0 { 1e-9 } else { 0.0 });
            ((0..labels.signs().len()).map(|i| examples.slice(i).to_vec()).collect(), labels.signs().to_vec())
        } else {
            integer_cloud(seed, 40, dim)
        };
        let summary = |rows: &[Vec<f64>], signs: &[Sign]| match decided(
            &Dense::from_rows(rows).unwrap(),
            &labels(signs),
        ) {
            Separability::Separable(claim) => Some(claim.margin_squared()),
            Separability::Inseparable(_) => None,
            Separability::Undecided(left) => panic!("seed {seed}: {left:?}"),
        };
        let plain = summary(&rows, &signs);
        let times = |factor: f64| {
            rows.iter().map(|row| row.iter().map(|x| x * factor).collect()).collect::<Vec<Vec<f64>>>()
        };
        let square = |factor: f64| {
            let factor = Rational::from_f64(factor).unwrap();
            plain.as_ref().map(|plain| plain * &(&factor * &factor))
        };
        for factor in [2.0_f64.powi(500), 2.0_f64.powi(-500), -4.0] {
            assert_eq!(summary(&times(factor), &signs), square(factor), "seed {seed}, times {factor:e}");
        }
        if seed % 3 != 0 {
            // Integers below 2¹⁹: the sum with 2³⁰ is exact.
            let moved: Vec<Vec<f64>> =
                rows.iter().map(|row| row.iter().map(|x| x + 2.0_f64.powi(30)).collect()).collect();
            assert_eq!(summary(&moved, &signs), plain, "seed {seed}, moved");
        }
        let mut order: Vec<usize> = (0..rows.len()).chain(0..rows.len() / 2).collect();
        SplitMix64::new(seed).shuffle(&mut order);
        let (mixed, mixed_signs): (Vec<_>, Vec<_>) =
            order.iter().map(|&i| (rows[i].clone(), signs[i])).unzip();
        assert_eq!(summary(&mixed, &mixed_signs), plain, "seed {seed}, permuted and repeated");
        let flipped: Vec<Sign> = signs.iter().map(|sign| sign.flipped()).collect();
        assert_eq!(summary(&rows, &flipped), plain, "seed {seed}, classes exchanged");
        let wide: Vec<Vec<f64>> =
            rows.iter().map(|row| row.iter().copied().chain([7.5, row[0]]).collect()).collect();
        let wider = summary(&wide, &signs);
        assert_eq!(wider.is_some(), plain.is_some(), "seed {seed}, a constant column and a column twice");
    }
}

#[test]
fn decimals_are_taken_as_written() {
    let labels = BinaryLabels::from_integers(&[1, 1, -1]).unwrap();
    // (0.3, 0.6) is the middle of the others; of the stored numbers next to them it is not.
    let text = [["0.1", "0.3"], ["0.5", "0.9"], ["0.3", "0.6"]];
    let written = ExactExamples::from_decimals(&text).unwrap();
    let set = TrainingSet::new(&written, &labels).unwrap();
    let found = separate_exact(&set, &Control::default()).unwrap();
    assert!(found.verify(&set).unwrap().is_valid());
    let Separability::Inseparable(proof) = &found else { panic!("{found:?}") };
    let lambda: Vec<String> = proof.multipliers().iter().map(|(_, value)| value.to_string()).collect();
    assert_eq!(lambda, ["1/4", "1/4", "1/2"]);
    let stored: Vec<f64> = text.iter().flatten().map(|text| text.parse().unwrap()).collect();
    let found = decided(&Dense::new(stored, 3, 2).unwrap(), &labels);
    // The stored numbers leave a margin, of the size of their rounding.
    let Separability::Separable(claim) = found else { panic!("{found:?}") };
    let margin = claim.margin_squared().to_f64().sqrt();
    assert!(margin > 1e-18 && margin < 1e-16, "{margin:e}");
}

#[test]
fn huge_and_tiny_data_are_decided() {
    for scale in [1e300, 1e160, 1e-160, 1e-300, 5e-324] {
        let line = Dense::new(vec![-2.0 * scale, -scale, scale, 3.0 * scale], 4, 1).unwrap();
        let apart = BinaryLabels::from_integers(&[-1, -1, 1, 1]).unwrap();
        let Separability::Separable(claim) = decided(&line, &apart) else { panic!("{scale:e}") };
        assert_eq!(claim.margin_squared(), {
            let scale = Rational::from_f64(scale).unwrap();
            &scale * &scale
        });
        let mixed = BinaryLabels::from_integers(&[-1, 1, -1, 1]).unwrap();
        assert_eq!(decided(&line, &mixed).is_separable(), Some(false));
    }
    // Both scales in one set: the tiny coordinate alone tells the classes apart.
    let rows = [[1e160, 1e-160], [-1e160, 2e-160], [1e160, -1e-160], [3e160, -3e-160]];
    let labels = BinaryLabels::from_integers(&[1, 1, -1, -1]).unwrap();
    assert_eq!(decided(&Dense::from_rows(&rows).unwrap(), &labels).is_separable(), Some(true));
}

#[test]
fn neighbours_in_storage_are_told_apart() {
    // Numbers that differ in their last bit only.
    let next = 1.0_f64.next_up();
    let examples = Dense::new(vec![1.0, next, 0.5, 2.0], 4, 1).unwrap();
    let found = decided(&examples, &BinaryLabels::from_integers(&[-1, 1, -1, 1]).unwrap());
    let Separability::Separable(claim) = found else { panic!("{found:?}") };
    assert_eq!(claim.margin_squared().to_f64(), (0.5 * f64::EPSILON).powi(2));
    // In high dimension, with points whose classes differ in one last bit along a slanted line.
    let rows: Vec<Vec<f64>> = (0..12)
        .map(|i| {
            (0..6).map(|k| f64::from((i * 7 + k * 3) % 11) + if k == i % 6 { 0.1 } else { 0.0 }).collect()
        })
        .collect();
    let mut doubled = rows.clone();
    doubled.extend(rows.iter().map(|row| {
        let mut row = row.clone();
        row[2] = row[2].next_up();
        row
    }));
    let signs: Vec<Sign> = (0..24).map(|i| if i < 12 { Sign::Negative } else { Sign::Positive }).collect();
    // Every hull has the other's points within a bit of it: no margin above a bit can be, and the verdict is proven either way.
    let found = decided(&Dense::from_rows(&doubled).unwrap(), &labels(&signs));
    assert!(found.is_separable().is_some());
}

#[test]
fn more_columns_than_examples_sparse_rows_and_single_precision() {
    let sparse = Csr::new(vec![0, 2, 3, 3, 4], vec![0, 900, 5, 77], vec![1.0, 2.0, -1.0, 3.0], 1000).unwrap();
    let found = decided(&sparse, &BinaryLabels::from_integers(&[1, -1, -1, 1]).unwrap());
    assert!(matches!(&found, Separability::Separable(claim) if claim.is_maximal()));
    let single = Dense::new(vec![0.1_f32, 0.2, 0.3], 3, 1).unwrap();
    assert_eq!(
        decided(&single, &BinaryLabels::from_integers(&[1, -1, 1]).unwrap()).is_separable(),
        Some(false)
    );
}

#[test]
fn the_same_point_in_both_classes_needs_two_multipliers() {
    let mut random = SplitMix64::new(2);
    let mut rows: Vec<Vec<f64>> =
        (0..50).map(|_| (0..500).map(|_| random.uniform(-1.0, 1.0)).collect()).collect();
    let signs: Vec<Sign> =
        (0..50).map(|i| if i % 2 == 0 { Sign::Positive } else { Sign::Negative }).collect();
    rows[31] = rows[14].clone();
    let found = decided(&Dense::from_rows(&rows).unwrap(), &labels(&signs));
    let Separability::Inseparable(proof) = found else { panic!("{found:?}") };
    assert_eq!(proof.multipliers().iter().map(|(row, _)| *row).collect::<Vec<_>>(), [14, 31]);
}

#[test]
fn an_example_of_weight_0_is_absent() {
    let examples = Dense::new(vec![0.0, 1.0, 2.0], 3, 1).unwrap();
    let labels = BinaryLabels::from_integers(&[-1, 1, -1]).unwrap();
    let weights = Weights::new(vec![1.0, 3.0, 0.0]).unwrap();
    let set = TrainingSet::new(&examples, &labels).unwrap();
    let weighted = set.with_weights(&weights).unwrap();
    let found = separate_with(&weighted, &Control::default()).unwrap();
    assert_eq!(found.is_separable(), Some(true));
    assert!(found.verify(&weighted).unwrap().is_valid());
    assert!(!found.verify(&set).unwrap().is_valid(), "with the absent example the claim is wrong");
}

#[test]
fn a_budget_ends_the_search_with_what_is_known() {
    let (rows, signs) = integer_cloud(5, 200, 12);
    let (examples, labels) = (Dense::from_rows(&rows).unwrap(), labels(&signs));
    let set = TrainingSet::new(&examples, &labels).unwrap();
    let short = Control::new(Budget::default().with_iterations(2));
    let found = separate_with(&set, &short).unwrap();
    let Separability::Undecided(left) = &found else { panic!("{found:?}") };
    assert_eq!(left.stop(), Stop::Iterations);
    assert!(left.margin_at_most() > 0.0);
    assert!(found.verify(&set).unwrap().is_valid());
    let best = separate(&examples, &labels).unwrap();
    let Separability::Separable(best) = best else { panic!("{best:?}") };
    assert!(best.margin_squared().to_f64().sqrt() <= left.margin_at_most());
    let none = Control::new(Budget::default().with_time(std::time::Duration::ZERO));
    assert!(matches!(separate_with(&set, &none).unwrap(), Separability::Undecided(_)));
    let little = Control::new(Budget::default().with_memory(1000));
    assert!(matches!(separate_with(&set, &little), Err(Error::Memory { .. })));
}

#[test]
fn the_nearest_points_give_the_largest_margin() {
    for seed in 0..20 {
        let dim = 1 + seed as usize % 10;
        let (rows, signs) = integer_cloud(seed, 60, dim);
        let (examples, labels) = (Dense::from_rows(&rows).unwrap(), labels(&signs));
        let set = TrainingSet::new(&examples, &labels).unwrap();
        let points = nearest_points(&examples, &labels).unwrap();
        assert_eq!(points.report().stop, Stop::Converged);
        assert!(points.verify(&set).unwrap().is_valid());
        assert!(points.distance() - points.distance_at_least() <= 1e-13 * points.distance());
        let Separability::Separable(claim) = separate(&examples, &labels).unwrap() else {
            panic!("seed {seed}")
        };
        let margin = claim.margin_squared().to_f64().sqrt();
        assert!((points.distance() - 2.0 * margin).abs() <= 1e-14 * margin, "seed {seed}");
        let hyperplane = points.hyperplane().unwrap();
        let [p, q] = [points.positive(), points.negative()].map(|point| hyperplane.decision(point).unwrap());
        assert!((p - 1.0).abs() < 1e-6 && (q + 1.0).abs() < 1e-6, "seed {seed}: {p}, {q}");
    }
}

#[test]
fn a_kernel_separates_what_a_line_does_not() {
    use lm_core::{VectorGram, VectorKernel};
    use lm_qp::separate_gram;
    let rows: Vec<[f64; 2]> = (0..24).map(|k| [f64::from(k % 6) - 2.5, f64::from(k / 6) - 1.5]).collect();
    let examples = Dense::from_rows(&rows).unwrap();
    // Inside and outside of a circle: a quadratic function of the coordinates, and no linear one.
    let inside = rows.iter().map(|[x, y]| Sign::of(3.0 - x * x - y * y)).collect::<Vec<_>>();
    let labels = labels(&inside);
    for (kernel, separable) in [
        (VectorKernel::linear(), false),
        (VectorKernel::polynomial(2, 1.0, 1.0).unwrap(), true),
        (VectorKernel::gaussian(1.0).unwrap(), true),
    ] {
        let gram = VectorGram::new(&examples, kernel).unwrap();
        let set = TrainingSet::new(&gram, &labels).unwrap();
        let found = separate_gram(&set, &Control::default()).unwrap();
        assert_eq!(found.is_separable(), Some(separable), "{kernel:?}");
    }
    assert_eq!(decided(&examples, &labels).is_separable(), Some(false));
}
