//! Linear discriminant analysis: reference values, singular scatter, streams, and evidence that can be false.

use lm_closed::{ClassMoments, Lda, Priors, Projection, Shrinkage, fourth_powers, ledoit_wolf};
use lm_core::Labelling as _;
use lm_core::linalg::Matrix;
use lm_core::multiclass::Classifier;
use lm_core::testing::SplitMix64;
use lm_core::{
    Budget, Certificate, ClassLabels, Control, Dense, Error, Examples, Learner, TrainingSet, Weights, persist,
};

fn iris() -> (Dense<'static>, ClassLabels) {
    let iris = lm_data::classic::iris().unwrap();
    let labels = iris.data.classes().unwrap();
    (iris.data.examples, labels)
}

/// Round clouds at random places.
fn clouds(len: usize, dim: usize, classes: usize, seed: u64) -> (Dense<'static>, ClassLabels) {
    let mut random = SplitMix64::new(seed);
    let centres: Vec<Vec<f64>> =
        (0..classes).map(|_| (0..dim).map(|_| random.uniform(-2.0, 2.0)).collect()).collect();
    let rows: Vec<Vec<f64>> = (0..len)
        .map(|at| centres[at % classes].iter().map(|c| c + random.uniform(-1.0, 1.0)).collect())
        .collect();
    let labels: Vec<i64> = (0..len).map(|at| (at % classes) as i64).collect();
    (Dense::from_rows(&rows).unwrap(), ClassLabels::from_integers(&labels).unwrap())
}

fn errors(model: &impl Classifier<dyn Examples>, examples: &Dense<'static>, labels: &ClassLabels) -> usize {
    let found = model.class_numbers(examples).unwrap();
    found.iter().zip(labels.indices()).filter(|(found, given)| **found != **given as usize).count()
}

#[test]
fn iris_has_the_reference_values() {
    let (examples, labels) = iris();
    let fit = Lda::default().fit(&examples, &labels).unwrap();
    let projection = fit.model.projection();
    // Computed in 60 digits from the table's decimal numbers.
    let expected = [
        (projection.eigenvalues()[0], 32.191_929_198_278_01),
        (projection.eigenvalues()[1], 0.285_391_042_623_073_1),
        (projection.proportions()[0], 0.991_212_604_965_367_2),
        (projection.wilks_lambda(), 0.023_438_630_650_878_362),
    ];
    for (found, expected) in expected {
        assert!((found - expected).abs() <= 1e-13 * expected, "{found} and {expected}");
    }
    assert_eq!(errors(&fit.model, &examples, &labels), 3);
    assert_eq!((fit.model.rank(), fit.model.is_singular()), (4, false));
    let figures = fit.certificate.figures();
    assert!(figures.solve_residual < 1e-12 && figures.eigen_residual < 1e-11, "{figures:?}");
    assert!(figures.orthogonality < 1e-10, "{figures:?}");
}

#[test]
fn directions_are_white_within_classes_and_diagonal_between_them() {
    for seed in 0..10 {
        let (examples, labels) = clouds(60, 5, 4, seed);
        let model = Lda::default().fit(&examples, &labels).unwrap().model;
        let plane = model.projection().project(&examples).unwrap();
        let rows: Vec<Vec<f64>> = (0..60).map(|row| (0..3).map(|j| plane[(row, j)]).collect()).collect();
        let moments = ClassMoments::of(&Dense::from_rows(&rows).unwrap(), &labels, None).unwrap();
        let between = moments.between().unwrap();
        for j in 0..3 {
            for i in j..3 {
                let one = f64::from(u8::from(i == j));
                assert!((moments.scatter()[(i, j)] / 60.0 - one).abs() < 1e-12, "seed {seed}");
                let expected = one * model.projection().eigenvalues()[j];
                let off = (between[(i, j)] / 60.0 - expected).abs();
                assert!(off < 1e-12 * (1.0 + model.projection().eigenvalues()[0]), "seed {seed}: {off:e}");
            }
        }
    }
}

#[test]
fn probabilities_are_those_of_normal_classes() {
    let (examples, labels) = iris();
    let model =
        Lda::default().with_priors(Priors::Given(vec![0.5, 0.3, 0.2])).fit(&examples, &labels).unwrap().model;
    let moments = ClassMoments::of(&examples, &labels, None).unwrap();
    let mut covariance = Matrix::zeros(4, 4).unwrap();
    for j in 0..4 {
        for i in 0..4 {
            covariance[(i, j)] = moments.scatter()[(i.max(j), i.min(j))] / 150.0;
        }
    }
    let factor = lm_core::linalg::Cholesky::factor(covariance).unwrap().unwrap();
    let probabilities = model.probabilities(&examples).unwrap();
    for row in 0..150 {
        // By the density itself.
        let densities: Vec<f64> = (0..3)
            .map(|class| {
                let d: Vec<f64> =
                    examples.slice(row).iter().zip(moments.mean(class)).map(|(x, m)| x - m).collect();
                let mut solved = d.clone();
                factor.solve(&mut solved).unwrap();
                let square: f64 = d.iter().zip(&solved).map(|(a, b)| a * b).sum();
                [0.5, 0.3, 0.2][class] * (-0.5 * square).exp()
            })
            .collect();
        let total: f64 = densities.iter().sum();
        for (class, density) in densities.iter().enumerate() {
            assert!((probabilities[(row, class)] - density / total).abs() < 1e-10, "row {row}");
        }
    }
}

#[test]
fn a_stream_in_any_parts_gives_the_model_of_the_whole() {
    let (examples, labels) = clouds(3000, 6, 3, 1);
    let whole = Lda::default().fit(&examples, &labels).unwrap().model;
    for part in [1, 7, 500, 3000] {
        let mut moments = ClassMoments::new(labels.classes(), 6).unwrap();
        for first in (0..3000).step_by(part) {
            let rows: Vec<&[f64]> =
                (first..(first + part).min(3000)).map(|row| examples.slice(row)).collect();
            let integers: Vec<i64> =
                (first..(first + part).min(3000)).map(|row| i64::from(labels.indices()[row])).collect();
            let mut block = ClassMoments::new(labels.classes(), 6).unwrap();
            block.add(&Dense::from_rows(&rows).unwrap(), &integers, None).unwrap();
            // By way of a file.
            let block: ClassMoments = persist::decode(&persist::encode(&block).unwrap()).unwrap();
            moments.merge(&block).unwrap();
        }
        let streamed = Lda::default().solve(&moments).unwrap();
        for (a, b) in streamed.machine().functions().iter().zip(whole.machine().functions()) {
            for (a, b) in a.weights().iter().zip(b.weights()) {
                assert!((a - b).abs() < 1e-10 * (1.0 + b.abs()), "parts of {part}");
            }
            assert!((a.bias() - b.bias()).abs() < 1e-10 * (1.0 + b.bias().abs()));
        }
    }
}

#[test]
fn fewer_examples_than_columns_and_dependent_columns_are_reported() {
    let (examples, labels) = clouds(12, 40, 3, 5);
    let fit = Lda::default().fit(&examples, &labels).unwrap();
    assert_eq!((fit.model.rank(), fit.model.is_singular()), (9, true));
    assert_eq!(fit.model.condition(), f64::INFINITY);
    let set = TrainingSet::new(&examples, &labels).unwrap();
    assert!(fit.certificate.verify(&set).unwrap().is_valid());
    assert!(fit.certificate.figures().orthogonality < 1e-10);
    // With shrinkage all directions take part, and no example is on the wrong side.
    let shrunk = Lda::default().with_shrinkage(Shrinkage::LedoitWolf).fit(&examples, &labels).unwrap();
    assert_eq!((shrunk.model.rank(), errors(&shrunk.model, &examples, &labels)), (40, 0));
    assert!(shrunk.certificate.verify(&set).unwrap().is_valid());
    assert!(shrunk.certificate.figures().solve_residual < 1e-11);

    // The same from the matrix, which the fit does not form here.
    let moments = ClassMoments::of(&examples, &labels, None).unwrap();
    let share = shrunk.model.shrinkage();
    let integers: Vec<i64> = labels.indices().iter().map(|&index| i64::from(index)).collect();
    let fourth = fourth_powers(&moments, &examples, &integers, None).unwrap();
    assert!((ledoit_wolf(&moments, fourth).unwrap() - share).abs() < 1e-12);
    for (learner, model) in [
        (Lda::default(), &fit.model),
        (Lda::default().with_shrinkage(Shrinkage::Given(share)), &shrunk.model),
    ] {
        let solved = learner.solve(&moments).unwrap();
        assert_eq!(solved.rank(), model.rank());
        for (a, b) in solved.machine().functions().iter().zip(model.machine().functions()) {
            let size = b.norm();
            for (a, b) in a.weights().iter().zip(b.weights()) {
                assert!((a - b).abs() < 1e-9 * size, "{a} and {b}");
            }
        }
    }

    let (plain, labels) = iris();
    let reference = Lda::default().fit(&plain, &labels).unwrap().model;
    let rows: Vec<Vec<f64>> = (0..150)
        .map(|row| {
            let x = plain.slice(row);
            // A sum, a constant, and a copy in other units.
            [x, &[x[0] - 2.0 * x[1], 0.1, 1e-7 * x[2]]].concat()
        })
        .collect();
    let wide = Dense::from_rows(&rows).unwrap();
    let model = Lda::default().fit(&wide, &labels).unwrap().model;
    assert_eq!((model.rank(), model.is_singular()), (4, true));
    for (a, b) in model.projection().eigenvalues().iter().zip(reference.projection().eigenvalues()) {
        assert!((a - b).abs() < 1e-10 * b, "{a} and {b}");
    }
    assert_eq!(model.classify(&wide).unwrap(), reference.classify(&plain).unwrap());
}

#[test]
fn many_more_columns_than_examples_need_no_matrix_of_the_columns() {
    // Twenty thousand columns: their scatter would be 3.2 GB.
    let (examples, labels) = clouds(12, 20_000, 3, 8);
    let budget = Control::new(Budget::default().with_memory(50_000_000));
    let set = TrainingSet::new(&examples, &labels).unwrap();
    let fit = Lda::default().with_shrinkage(Shrinkage::LedoitWolf).fit_with(&set, &budget).unwrap();
    assert_eq!((fit.model.rank(), errors(&fit.model, &examples, &labels)), (20_000, 0));
    assert!(fit.certificate.verify(&set).unwrap().is_valid());
    let plain = Lda::default().fit_with(&set, &budget).unwrap();
    assert_eq!((plain.model.rank(), plain.model.projection().len()), (9, 2));
    assert!(plain.certificate.verify(&set).unwrap().is_valid());
}

#[test]
fn an_ill_conditioned_scatter_is_solved_from_the_rows() {
    // The second column is the first but for 1e-7: their scatter has a condition of 1e14, the rows of 1e7.
    let mut random = SplitMix64::new(9);
    let rows: Vec<[f64; 2]> = (0..400)
        .map(|at| {
            let (x, fine) = (random.uniform(-1.0, 1.0), random.uniform(-1.0, 1.0) + (at % 2) as f64);
            [x, x + 1e-7 * fine]
        })
        .collect();
    let labels: Vec<i64> = (0..400).map(|at| at % 2).collect();
    let labels = ClassLabels::from_integers(&labels).unwrap();
    let examples = Dense::from_rows(&rows).unwrap();
    let fit = Lda::default().fit(&examples, &labels).unwrap();
    assert!(!fit.model.is_singular() && fit.model.condition() > 1e12);
    // In the coordinates x and (x₂ − x₁)·10⁷, which are exact, the problem is well conditioned.
    let plain: Vec<[f64; 2]> = rows.iter().map(|[a, b]| [*a, (b - a) * 1e7]).collect();
    let plain = Lda::default().fit(&Dense::from_rows(&plain).unwrap(), &labels).unwrap().model;
    let (found, expected) = (fit.model.projection().eigenvalues()[0], plain.projection().eigenvalues()[0]);
    assert!((found - expected).abs() < 1e-8 * expected, "{found} and {expected}");
}

#[test]
fn shrinkage_by_ledoit_and_wolf_is_that_of_its_definition() {
    let (examples, labels) = clouds(40, 6, 2, 3);
    let moments = ClassMoments::of(&examples, &labels, None).unwrap();
    let integers: Vec<i64> = labels.indices().iter().map(|&index| i64::from(index)).collect();
    let share = ledoit_wolf(&moments, fourth_powers(&moments, &examples, &integers, None).unwrap()).unwrap();
    // β² as the mean of ‖xxᵗ − S‖² over n, entry by entry.
    let s = |i: usize, j: usize| moments.scatter()[(i.max(j), i.min(j))] / 40.0;
    let mu = (0..6).map(|k| s(k, k)).sum::<f64>() / 6.0;
    let (mut beta, mut delta) = (0.0, 0.0);
    for i in 0..6 {
        for j in 0..6 {
            let target = if i == j { mu } else { 0.0 };
            delta += (s(i, j) - target).powi(2);
            for row in 0..40 {
                let mean = moments.mean(labels.indices()[row] as usize);
                let x = |k: usize| examples.slice(row)[k] - mean[k];
                beta += (x(i) * x(j) - s(i, j)).powi(2) / 1600.0;
            }
        }
    }
    assert!((share - beta.min(delta) / delta).abs() < 1e-12, "{share}");
    let fit = Lda::default().with_shrinkage(Shrinkage::LedoitWolf).fit(&examples, &labels).unwrap();
    assert!((fit.model.shrinkage() - share).abs() < 1e-14);
    let given = Lda::default().with_shrinkage(Shrinkage::Given(share)).fit(&examples, &labels).unwrap();
    assert_eq!(given.model.classify(&examples).unwrap(), fit.model.classify(&examples).unwrap());
    assert!(Lda::default().with_shrinkage(Shrinkage::LedoitWolf).solve(&moments).is_err());
}

#[test]
fn extreme_units_give_the_same_classes() {
    let (plain, labels) = iris();
    let reference = Lda::default().fit(&plain, &labels).unwrap();
    for scale in [[1e300, 1.0, 1e-300, 1e20], [1e-300; 4], [1e300; 4], [1e-160, 1.0, 1.0, 1e150]] {
        let rows: Vec<Vec<f64>> =
            (0..150).map(|row| plain.slice(row).iter().zip(scale).map(|(x, s)| x * s).collect()).collect();
        let examples = Dense::from_rows(&rows).unwrap();
        let fit = Lda::default().fit(&examples, &labels).unwrap();
        assert_eq!(fit.model.classify(&examples).unwrap(), reference.model.classify(&plain).unwrap());
        for (a, b) in
            fit.model.projection().eigenvalues().iter().zip(reference.model.projection().eigenvalues())
        {
            assert!((a - b).abs() < 1e-12 * b, "{scale:?}: {a} and {b}");
        }
        let set = TrainingSet::new(&examples, &labels).unwrap();
        assert!(fit.certificate.verify(&set).unwrap().is_valid(), "{scale:?}");
    }
}

#[test]
fn evidence_does_not_hold_for_other_data() {
    let (examples, labels) = iris();
    let fit = Lda::default().fit(&examples, &labels).unwrap();
    assert!(fit.certificate.verify(&TrainingSet::new(&examples, &labels).unwrap()).unwrap().is_valid());
    let mut values: Vec<f64> = (0..150).flat_map(|row| examples.slice(row).to_vec()).collect();
    values[17] += 1e-6;
    let other = Dense::new(values, 150, 4).unwrap();
    assert!(!fit.certificate.verify(&TrainingSet::new(&other, &labels).unwrap()).unwrap().is_valid());
    let weights = Weights::new((0..150).map(|row| 1.0 + f64::from(u8::from(row == 3))).collect()).unwrap();
    let weighted = TrainingSet::new(&examples, &labels).unwrap().with_weights(&weights).unwrap();
    assert!(!fit.certificate.verify(&weighted).unwrap().is_valid());
}

#[test]
fn settings_and_memory_are_checked() {
    let (examples, labels) = iris();
    let refused = |learner: Lda| learner.fit(&examples, &labels).unwrap_err();
    for share in [-0.1, 1.1, f64::NAN] {
        let error = refused(Lda::default().with_shrinkage(Shrinkage::Given(share)));
        assert!(matches!(error, Error::Setting { name: "shrinkage", .. }));
    }
    for priors in [vec![0.5, 0.5, 0.5], vec![1.0, 0.0, 0.0], vec![f64::NAN, 0.5, 0.5]] {
        assert!(matches!(
            refused(Lda::default().with_priors(Priors::Given(priors))),
            Error::Setting { name: "priors", .. }
        ));
    }
    assert!(matches!(refused(Lda::default().with_priors(Priors::Given(vec![1.0]))), Error::Length { .. }));
    let control = Control::new(Budget::default().with_memory(100));
    let set = TrainingSet::new(&examples, &labels).unwrap();
    assert!(matches!(Lda::default().fit_with(&set, &control), Err(Error::Memory { .. })));
    let mut empty = ClassMoments::new(&[0, 1], 2).unwrap();
    assert!(matches!(Lda::default().solve(&empty), Err(Error::Classes { .. })));
    empty.add(&Dense::new(vec![1.0, 2.0], 1, 2).unwrap(), &[0], None).unwrap();
    assert!(matches!(Lda::default().solve(&empty), Err(Error::Classes { found: 1, .. })));
}

#[test]
fn a_projection_is_kept_by_itself() {
    let (examples, labels) = iris();
    let model = Lda::default().fit(&examples, &labels).unwrap().model;
    let bytes = persist::encode(model.projection()).unwrap();
    let decoded: Projection = persist::decode(&bytes).unwrap();
    assert_eq!(decoded.project(&examples).unwrap(), model.projection().project(&examples).unwrap());
    let short = Dense::new(vec![1.0], 1, 1).unwrap();
    assert!(matches!(decoded.project(&short), Err(Error::Length { .. })));
}

#[test]
fn an_example_left_out_by_a_formula_is_one_that_was_not_learned_from() {
    for seed in 0..6 {
        let (examples, labels) = clouds(40, 4, 3, seed);
        let mut random = SplitMix64::new(seed + 100);
        let weights = Weights::new((0..40).map(|_| random.uniform(0.5, 2.0)).collect()).unwrap();
        for priors in [Priors::Counts, Priors::Equal, Priors::Given(vec![0.5, 0.3, 0.2])] {
            let lda = Lda::default().with_priors(priors);
            let set = TrainingSet::new(&examples, &labels).unwrap().with_weights(&weights).unwrap();
            let found = lda.leave_one_out(&set, &Control::default()).unwrap();
            let mut wrong = 0;
            for row in 0..40 {
                let kept: Vec<usize> = (0..40).filter(|&other| other != row).collect();
                let some = lm_core::Selection::new(&examples, &kept).unwrap();
                let others = lm_core::Labelling::select(&labels, &kept).unwrap();
                let light = weights.select(&kept).unwrap();
                let less = TrainingSet::new(&some, &others).unwrap().with_weights(&light).unwrap();
                let model = lda.fit_with(&less, &Control::default()).unwrap().model;
                let one = Dense::from_rows(&[examples.slice(row)]).unwrap();
                let decisions = model.decisions(&one).unwrap();
                let expected: Vec<f64> = decisions.rows().next().unwrap().to_vec();
                for class in 1..3 {
                    let by_formula = found.decisions()[(row, class)] - found.decisions()[(row, 0)];
                    let by_fit = expected[class] - expected[0];
                    let off = (by_formula - by_fit).abs();
                    assert!(
                        off < 1e-11 * (1.0 + by_fit.abs()),
                        "seed {seed}, row {row}: {by_formula} {by_fit}"
                    );
                }
                let best = model.class_numbers(&one).unwrap()[0];
                assert_eq!(found.class_numbers()[row], best);
                wrong += usize::from(best != labels.indices()[row] as usize);
            }
            assert_eq!(found.errors(), wrong);
        }
    }
}

#[test]
fn what_lda_cannot_leave_out_is_refused() {
    let (examples, labels) = clouds(12, 2, 3, 1);
    let set = TrainingSet::new(&examples, &labels).unwrap();
    let control = Control::default();
    let shrunk = Lda::default().with_shrinkage(Shrinkage::Given(0.1));
    assert!(matches!(shrunk.leave_one_out(&set, &control), Err(Error::Setting { name: "shrinkage", .. })));
    let small = Control::new(Budget::default().with_memory(100));
    assert!(matches!(Lda::default().leave_one_out(&set, &small), Err(Error::Memory { .. })));
    let alone = ClassLabels::from_integers(&[0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]).unwrap();
    let set = TrainingSet::new(&examples, &alone).unwrap();
    assert!(matches!(Lda::default().leave_one_out(&set, &control), Err(Error::Classes { .. })));
    // Without the second example the second column does not vary.
    let flat = Dense::new(vec![0.0, 0.0, 1.0, 1.0, 2.0, 0.0, 0.0, 0.0, 3.0, 0.0, 4.5, 0.0], 6, 2).unwrap();
    let labels = ClassLabels::from_integers(&[0, 0, 0, 1, 1, 1]).unwrap();
    let set = TrainingSet::new(&flat, &labels).unwrap();
    assert!(matches!(Lda::default().leave_one_out(&set, &control), Err(Error::Numerical { .. })));
}
