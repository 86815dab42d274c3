//! Linear machines: the same as the machines over Gram matrices with the linear kernel, whatever the solver and the storage.

use std::time::Duration;

use lm_core::multiclass::{Classifier, OneVsOne, OneVsRest};
use lm_core::testing::SplitMix64;
use lm_core::{
    BinaryLabels, Budget, Cancel, Certificate, ClassLabels, Collection, Control, Csr, Dense, DualityFigures,
    Error, Examples, Hypothesis, Labelling, Learner, Linear, Stop, Targets, TrainingSet, VectorGram,
    VectorKernel, Weights,
};
use lm_qp::linear::{LinearCertificate, LinearMachine, LinearSolver, LinearSvc, LinearSvr, SvcLoss, SvrLoss};
use lm_qp::{Bias, CSvc, EpsilonSvr, QuadraticSvr, TwoNormSvc};

const BIASES: [Bias; 3] = [Bias::Free, Bias::Penalised, Bias::None];

/// Two clouds that overlap, the mean of all of them away from the origin, and a target that depends on them.
fn clouds(len: usize, dim: usize, seed: u64) -> (Dense<'static>, BinaryLabels, Targets) {
    let mut random = SplitMix64::new(seed);
    let (mut values, mut labels, mut targets) = (Vec::new(), Vec::new(), Vec::new());
    for row in 0..len {
        let side = if row % 3 == 0 { 1.0 } else { -1.0 };
        let x: Vec<f64> = (0..dim)
            .map(|k| {
                if random.below(3) == 0 {
                    0.0
                } else {
                    random.uniform(-1.0, 1.0) + 0.4 * side + (k % 2) as f64
                }
            })
            .collect();
        targets.push(
            x.iter().enumerate().map(|(k, x)| x * (k % 3) as f64).sum::<f64>() + random.uniform(-1.0, 1.0),
        );
        labels.push(side as i64);
        values.extend(x);
    }
    let labels = BinaryLabels::from_integers(&labels).unwrap();
    (Dense::new(values, len, dim).unwrap(), labels, Targets::new(targets).unwrap())
}

/// Fits, and holds the fit to what it says: verified, and within the gap if it has converged.
fn fitted<E, L, M>(machine: &M, set: &TrainingSet<'_, E, L>, gap: f64) -> (Linear, DualityFigures)
where
    E: Examples + ?Sized,
    L: Labelling,
    M: LinearMachine<L> + Learner<E, L, Model = Linear, Certificate = LinearCertificate<M>>,
{
    let fit = machine.fit_with(set, &Control::default()).unwrap().converged().unwrap();
    assert!(fit.certificate.verify(set).unwrap().is_valid());
    let figures = fit.certificate.figures();
    assert!(figures.relative_gap() <= gap, "{figures:?}");
    (fit.model, figures)
}

fn close(a: &Linear, b: &Linear, allowed: f64) {
    let off = a.weights().iter().zip(b.weights()).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(off <= allowed && (a.bias() - b.bias()).abs() <= 10.0 * allowed, "{a:?} and {b:?}");
}

#[test]
fn classification_is_the_machine_over_the_linear_kernel() {
    let (examples, labels, _) = clouds(90, 5, 1);
    let gram = VectorGram::new(&examples, VectorKernel::linear()).unwrap();
    let set = TrainingSet::new(&examples, &labels).unwrap();
    for bias in BIASES {
        for cost in [0.01, 1.0, 50.0] {
            let linear = LinearSvc::default().with_cost(cost).with_bias(bias).with_gap(1e-11);
            let (model, figures) = fitted(&linear, &set, 1e-11);
            let other = CSvc::default().with_cost(cost).with_bias(bias).with_gap(1e-10);
            let other = other.fit(&gram, &labels).unwrap().converged().unwrap();
            let expected = other.certificate.figures();
            assert!((figures.primal / expected.primal - 1.0).abs() <= 1e-9, "{bias:?}, C = {cost}");
            close(&model, &other.model.over_columns(&examples).unwrap(), 1e-4);

            let (model, figures) = fitted(&linear.with_loss(SvcLoss::SquaredHinge), &set, 1e-11);
            let other = TwoNormSvc::default().with_cost(2.0 * cost).with_bias(bias).with_gap(1e-10);
            let other = other.fit(&gram, &labels).unwrap().converged().unwrap();
            let expected = other.certificate.figures();
            assert!((figures.primal / expected.primal - 1.0).abs() <= 1e-9, "{bias:?}, C = {cost}");
            close(&model, &other.model.over_columns(&examples).unwrap(), 1e-4);
        }
    }
}

#[test]
fn regression_is_the_machine_over_the_linear_kernel() {
    let (examples, _, targets) = clouds(90, 5, 2);
    let gram = VectorGram::new(&examples, VectorKernel::linear()).unwrap();
    let set = TrainingSet::new(&examples, &targets).unwrap();
    for bias in BIASES {
        for (cost, epsilon) in [(0.01, 0.1), (1.0, 0.5), (20.0, 0.0)] {
            let linear =
                LinearSvr::default().with_cost(cost).with_epsilon(epsilon).with_bias(bias).with_gap(1e-11);
            let (model, figures) = fitted(&linear, &set, 1e-11);
            let other =
                EpsilonSvr::default().with_cost(cost).with_epsilon(epsilon).with_bias(bias).with_gap(1e-10);
            let other = other.fit(&gram, &targets).unwrap().converged().unwrap();
            let expected = other.certificate.figures();
            assert!((figures.primal / expected.primal - 1.0).abs() <= 1e-9, "{bias:?}, C = {cost}");
            close(&model, &other.model.over_columns(&examples).unwrap(), 1e-4);

            let (model, figures) = fitted(&linear.with_loss(SvrLoss::SquaredEpsilonInsensitive), &set, 1e-11);
            let other = QuadraticSvr::default().with_cost(2.0 * cost).with_epsilon(epsilon).with_bias(bias);
            let other = other.with_gap(1e-10).fit(&gram, &targets).unwrap().converged().unwrap();
            let expected = other.certificate.figures();
            assert!((figures.primal / expected.primal - 1.0).abs() <= 1e-9, "{bias:?}, C = {cost}");
            close(&model, &other.model.over_columns(&examples).unwrap(), 1e-4);
        }
    }
}

#[test]
fn both_solvers_find_the_same_machine_in_every_storage() {
    for (len, dim) in [(80, 4), (25, 60)] {
        let (examples, labels, targets) = clouds(len, dim, 3);
        let sparse = Csr::from_rows(&examples).unwrap();
        let storages: [&dyn Examples; 2] = [&examples, &sparse];
        for bias in BIASES {
            let svc = LinearSvc::default().with_cost(0.3).with_bias(bias).with_gap(1e-10);
            let svr = LinearSvr::default().with_cost(0.3).with_bias(bias).with_gap(1e-10);
            let mut found: [Vec<(Linear, DualityFigures)>; 4] = Default::default();
            for examples in storages {
                for solver in [LinearSolver::Newton, LinearSolver::DualCoordinateDescent] {
                    let set = TrainingSet::new(examples, &labels).unwrap();
                    let (svc, svr) = (svc.with_solver(solver), svr.with_solver(solver));
                    found[0].push(fitted(&svc, &set, 1e-10));
                    found[1].push(fitted(&svc.with_loss(SvcLoss::SquaredHinge), &set, 1e-10));
                    let set = TrainingSet::new(examples, &targets).unwrap();
                    found[2].push(fitted(&svr, &set, 1e-10));
                    found[3].push(fitted(&svr.with_loss(SvrLoss::SquaredEpsilonInsensitive), &set, 1e-10));
                }
            }
            for same in found {
                for (model, figures) in &same[1..] {
                    assert!((figures.primal / same[0].1.primal - 1.0).abs() <= 2e-10);
                    close(model, &same[0].0, 1e-3);
                }
            }
        }
    }
}

#[test]
fn weights_are_repetitions_and_zero_is_absence() {
    let (examples, labels, targets) = clouds(40, 3, 4);
    let counts: Vec<usize> = (0..40).map(|row| (row + row / 3) % 3).collect();
    let weights = Weights::new(counts.iter().map(|&count| count as f64).collect()).unwrap();
    let rows: Vec<usize> = (0..40).flat_map(|row| std::iter::repeat_n(row, counts[row])).collect();
    let repeated = lm_core::Selection::new(&examples, &rows).unwrap();
    for solver in [LinearSolver::Newton, LinearSolver::DualCoordinateDescent] {
        let machine = LinearSvc::default().with_solver(solver).with_gap(1e-11);
        for loss in [SvcLoss::Hinge, SvcLoss::SquaredHinge] {
            let machine = machine.with_loss(loss);
            let set = TrainingSet::new(&examples, &labels).unwrap().with_weights(&weights).unwrap();
            let weighted = fitted(&machine, &set, 1e-11);
            let again = labels.select(&rows).unwrap();
            let plain = fitted(&machine, &TrainingSet::new(&repeated, &again).unwrap(), 1e-11);
            assert!((weighted.1.primal / plain.1.primal - 1.0).abs() <= 1e-10);
            close(&weighted.0, &plain.0, 1e-4);
        }
        let machine = LinearSvr::default().with_solver(solver).with_gap(1e-11);
        let set = TrainingSet::new(&examples, &targets).unwrap().with_weights(&weights).unwrap();
        let weighted = fitted(&machine, &set, 1e-11);
        let again = targets.select(&rows).unwrap();
        let plain = fitted(&machine, &TrainingSet::new(&repeated, &again).unwrap(), 1e-11);
        assert!((weighted.1.primal / plain.1.primal - 1.0).abs() <= 1e-10);
    }
}

#[test]
fn a_penalised_bias_is_a_constant_attribute() {
    let (examples, labels, _) = clouds(60, 3, 5);
    let mut values = Vec::new();
    for row in 0..60 {
        examples.row(row).for_each(|_, x| values.push(x));
        values.push(1.0);
    }
    let wider = Dense::new(values, 60, 4).unwrap();
    for solver in [LinearSolver::Newton, LinearSolver::DualCoordinateDescent] {
        let machine = LinearSvc::default().with_solver(solver).with_gap(1e-11);
        let set = TrainingSet::new(&examples, &labels).unwrap();
        let (penalised, _) = fitted(&machine.with_bias(Bias::Penalised), &set, 1e-11);
        let set = TrainingSet::new(&wider, &labels).unwrap();
        let (attribute, _) = fitted(&machine.with_bias(Bias::None), &set, 1e-11);
        let (weights, last) = attribute.weights().split_at(3);
        close(&penalised, &Linear::new(weights.to_vec(), last[0]).unwrap(), 1e-4);
    }
}

#[test]
fn moving_the_data_moves_a_free_bias_only() {
    let (examples, labels, _) = clouds(60, 4, 6);
    let moved: Vec<f64> = (0..60)
        .flat_map(|row| {
            let mut x = vec![0.0; 4];
            examples.row(row).write_to(&mut x);
            x.into_iter().map(|x| x + 1000.0)
        })
        .collect();
    let moved = Dense::new(moved, 60, 4).unwrap();
    for loss in [SvcLoss::Hinge, SvcLoss::SquaredHinge] {
        let machine = LinearSvc::default().with_loss(loss).with_gap(1e-10);
        let here = fitted(&machine, &TrainingSet::new(&examples, &labels).unwrap(), 1e-10);
        let there = fitted(&machine, &TrainingSet::new(&moved, &labels).unwrap(), 1e-10);
        assert!((here.1.primal / there.1.primal - 1.0).abs() <= 1e-9);
        let shift: f64 = there.0.weights().iter().map(|w| 1000.0 * w).sum();
        close(&Linear::new(there.0.weights().to_vec(), there.0.bias() + shift).unwrap(), &here.0, 1e-4);
    }
}

#[test]
fn data_that_can_be_separated_have_the_same_machine_at_any_large_cost() {
    let examples = Dense::new(vec![0.0, 0.0, 1.0, 0.0, 3.0, 0.0, 4.0, 2.0], 4, 2).unwrap();
    let labels = BinaryLabels::from_integers(&[-1, -1, 1, 1]).unwrap();
    let set = TrainingSet::new(&examples, &labels).unwrap();
    // Beyond, a margin that is short by its rounding costs more than the gap allows.
    for cost in [10.0, 1e4, 1e6] {
        let (model, figures) = fitted(&LinearSvc::default().with_cost(cost).with_gap(1e-9), &set, 1e-9);
        // Halfway between x = 1 and x = 3, where w = 1 and ½‖w‖² = ½.
        close(&model, &Linear::new(vec![1.0, 0.0], -2.0).unwrap(), 1e-4);
        assert!((figures.dual - 0.5).abs() < 1e-8, "C = {cost}: {figures:?}");
    }
}

#[test]
fn a_budget_ends_a_run_with_its_best_machine() {
    let (examples, labels, _) = clouds(3000, 6, 7);
    let set = TrainingSet::new(&examples, &labels).unwrap();
    let cancel = Cancel::default();
    cancel.cancel();
    let limits = [
        (Control::new(Budget::default().with_iterations(2)), Stop::Iterations),
        (Control::new(Budget::default().with_time(Duration::ZERO)), Stop::Time),
        (Control::default().with_cancel(&cancel), Stop::Cancelled),
    ];
    for solver in [LinearSolver::Newton, LinearSolver::DualCoordinateDescent] {
        let machine = LinearSvc::default().with_cost(10.0).with_gap(1e-12).with_solver(solver);
        for (control, stop) in &limits {
            let fit = machine.fit_with(&set, control).unwrap();
            assert_eq!(fit.report.stop, *stop, "{solver:?}");
            assert!(fit.certificate.verify(&set).unwrap().is_valid());
            assert!(fit.certificate.figures().relative_gap() > 1e-12);
        }
        let little = Control::new(Budget::default().with_memory(1000));
        assert!(matches!(machine.fit_with(&set, &little), Err(Error::Memory { .. })));
    }
}

#[test]
fn memory_for_vectors_only_is_enough() {
    let (examples, labels, _) = clouds(400, 30, 8);
    let set = TrainingSet::new(&examples, &labels).unwrap();
    // No room for a matrix of 30 columns: products with the data have to do.
    let tight = Control::new(Budget::default().with_memory(80_000));
    for loss in [SvcLoss::Hinge, SvcLoss::SquaredHinge] {
        let machine = LinearSvc::default().with_loss(loss).with_solver(LinearSolver::Newton).with_gap(1e-9);
        let fit = machine.fit_with(&set, &tight).unwrap().converged().unwrap();
        let (model, _) = fitted(&machine, &set, 1e-9);
        close(&fit.model, &model, 1e-3);
    }
}

#[test]
fn several_classes_are_told_apart_by_any_scheme() {
    let table = lm_data::classic::iris().unwrap();
    let labels: ClassLabels = table.data.classes().unwrap();
    let machine = LinearSvc::default().with_cost(10.0).with_gap(1e-9);
    let errors = |found: Vec<i64>| {
        let expected = labels.indices().iter().map(|&index| labels.classes()[index as usize]);
        found.iter().zip(expected).filter(|(a, b)| **a != *b).count()
    };
    let one = OneVsOne::new(machine).fit(&table.data.examples, &labels).unwrap();
    assert!(errors(one.model.classify(&table.data.examples).unwrap()) <= 3);
    let rest = OneVsRest::new(machine).fit(&table.data.examples, &labels).unwrap();
    assert!(errors(rest.model.classify(&table.data.examples).unwrap()) <= 15);
}

#[test]
fn settings_outside_their_domain_are_named() {
    let (examples, labels, targets) = clouds(10, 2, 9);
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let refused = LinearSvc::default().with_cost(bad).fit(&examples, &labels);
        assert!(matches!(refused, Err(Error::Setting { name: "cost", .. })));
        let refused = LinearSvr::default().with_cost(bad).fit(&examples, &targets);
        assert!(matches!(refused, Err(Error::Setting { name: "cost", .. })));
    }
    for bad in [-0.1, f64::NAN, f64::INFINITY] {
        let refused = LinearSvr::default().with_epsilon(bad).fit(&examples, &targets);
        assert!(matches!(refused, Err(Error::Setting { name: "epsilon", .. })));
    }
    for bad in [0.0, 1.0, f64::NAN] {
        let refused = LinearSvc::default().with_gap(bad).fit(&examples, &labels);
        assert!(matches!(refused, Err(Error::Setting { name: "gap", .. })));
    }
}

#[test]
fn nasty_inputs_end_with_a_machine_or_an_error_that_names_them() {
    let control = || Control::new(Budget::default().with_time(Duration::from_secs(5)));
    let line = |values: &[f64], labels: &[i64]| {
        (Dense::new(values.to_vec(), values.len(), 1).unwrap(), BinaryLabels::from_integers(labels).unwrap())
    };
    for solver in [LinearSolver::Newton, LinearSolver::DualCoordinateDescent] {
        for loss in [SvcLoss::Hinge, SvcLoss::SquaredHinge] {
            for bias in BIASES {
                let machine = LinearSvc::default().with_loss(loss).with_bias(bias).with_solver(solver);
                // The same points with opposite labels: nothing can be told apart, so the optimum is C Σ 1.
                let (examples, labels) = line(&[1.0, 1.0, 2.0, 2.0], &[-1, 1, -1, 1]);
                let set = TrainingSet::new(&examples, &labels).unwrap();
                let (_, figures) = fitted(&machine, &set, 1e-6);
                assert!((figures.primal - 4.0).abs() < 1e-5, "{figures:?}");
                // Identical points, and the zero vector in sparse rows without an entry.
                let (examples, labels) = line(&[3.0; 6], &[0, 7, 0, 7, 0, 0]);
                fitted(&machine, &TrainingSet::new(&examples, &labels).unwrap(), 1e-6);
                let empty = Csr::new(vec![0, 0, 1, 2], vec![0, 1], vec![1.0, 1.0], 2).unwrap();
                let labels = BinaryLabels::from_integers(&[-1, 1, 1]).unwrap();
                fitted(&machine, &TrainingSet::new(&empty, &labels).unwrap(), 1e-6);
                let nothing = Csr::new(vec![0, 0, 0], vec![], Vec::<f64>::new(), 2).unwrap();
                let labels = BinaryLabels::from_integers(&[-1, 1]).unwrap();
                fitted(&machine, &TrainingSet::new(&nothing, &labels).unwrap(), 1e-6);
                for scale in [1e300, 1e160, 1e150, 1e100, 1e-100, 1e-160, 1e-300] {
                    let (examples, labels) =
                        line(&[-2.0 * scale, -scale, scale, 2.0 * scale], &[-1, -1, 1, 1]);
                    let set = TrainingSet::new(&examples, &labels).unwrap();
                    match machine.fit_with(&set, &control()) {
                        Ok(fit) => {
                            assert!(fit.certificate.verify(&set).unwrap().is_valid());
                            let values = fit.model.decision_values(&examples).unwrap();
                            assert!(values.iter().all(|value| value.is_finite()));
                        }
                        Err(error) => {
                            let named = matches!(error, Error::Numerical { .. } | Error::NonFinite { .. });
                            assert!(named && scale > 1.0, "{machine:?} at {scale:e}: {error}");
                        }
                    }
                }
            }
        }
    }
    let nowhere = Dense::<f64>::new(vec![], 2, 0);
    if let Ok(examples) = nowhere {
        let labels = BinaryLabels::from_integers(&[-1, 1]).unwrap();
        assert!(matches!(LinearSvc::default().fit(&examples, &labels), Err(Error::Empty { .. })));
    }
    assert_eq!(Collection::len(&Dense::new(vec![0.0], 1, 1).unwrap()), 1);
}
