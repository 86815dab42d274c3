//! Kernel ridge regression: references, equalities with other machines, budgets, and the conformance suite.

use std::time::Duration;

use lm_closed::{Form, KernelRidge, KernelSolver, Ridge};
use lm_core::testing::conformance::{Suite, assert_conforms};
use lm_core::{
    BinaryLabels, Budget, Certificate, Collection, Control, Dense, Error, Gram, Hypothesis, Learner,
    MatrixGram, OverVectors, Stop, Targets, TrainingSet, VectorGram, VectorKernel, Weights,
};

use crate::samples::{apart, dyadic, wavy};

#[test]
fn a_free_bias_has_the_digits_of_the_reference() {
    // `data/kernel_references.py`: mpmath 1.3.0 with 60 digits.
    let (examples, targets) = dyadic();
    let gram = VectorGram::new(&examples, VectorKernel::polynomial(2, 1.0, 1.0).unwrap()).unwrap();
    let machine = KernelRidge::default().with_penalty(0.125).with_bias(true).with_gap(1e-24);
    let fit = machine.fit(&gram, &targets).unwrap();
    let alpha = fit.certificate.alpha();
    for (found, reference) in [
        (fit.model.bias(), -0.770_880_129_974_026_3),
        (alpha[0], -0.290_551_062_644_116_4),
        (alpha[5], -0.018_251_933_238_730_797),
    ] {
        assert!((found - reference).abs() < 1e-12 * reference.abs(), "{found} {reference}");
    }
}

#[test]
fn with_the_linear_kernel_it_is_ridge_regression() {
    let iris = lm_data::classic::iris().unwrap().data;
    let petal: Vec<f64> = (0..iris.examples.len()).map(|row| iris.examples.slice(row)[3]).collect();
    let others: Vec<[f64; 3]> = (0..iris.examples.len())
        .map(|row| [iris.examples.slice(row)[0], iris.examples.slice(row)[1], iris.examples.slice(row)[2]])
        .collect();
    let real = (Dense::from_rows(&others).unwrap(), Targets::new(petal).unwrap());
    for (examples, targets) in [real, wavy(80, 6, 1), wavy(10, 30, 2)] {
        let gram = VectorGram::new(&examples, VectorKernel::linear()).unwrap();
        for (lambda, free_bias) in [(0.5, false), (0.5, true), (30.0, true)] {
            let fit = KernelRidge::default().with_penalty(lambda).with_bias(free_bias).with_gap(1e-22);
            let fit = fit.fit(&gram, &targets).unwrap();
            let f = fit.model.over_columns(&examples).unwrap();
            for form in [Form::Primal, Form::Dual] {
                let ridge = Ridge::default().with_penalty(lambda).with_bias(free_bias).with_form(form);
                let ridge = ridge.fit(&examples, &targets).unwrap().model;
                let size = ridge.norm().max(ridge.bias().abs());
                assert!(apart(f.weights(), ridge.weights()) < 1e-10 * size, "{form:?}");
                assert!((f.bias() - ridge.bias()).abs() < 1e-10 * size, "{form:?}");
            }
        }
    }
}

#[test]
fn seconds_since_1970_give_the_machine_of_seconds_since_the_first() {
    // Whole seconds, which both offsets keep exactly; from 0 on the set is near 0 and not moved.
    let seconds: Vec<f64> = (0..60).map(|k| f64::from(k * k % 101)).collect();
    let targets = Targets::new(seconds.iter().map(|s| (s / 9.0).sin()).collect()).unwrap();
    let fit = |offset: f64| {
        let moved = Dense::new(seconds.iter().map(|s| s + offset).collect(), 60, 1).unwrap();
        let gram = VectorGram::new(&moved, VectorKernel::gaussian(0.02).unwrap()).unwrap();
        let fit = KernelRidge::default().with_penalty(0.01).with_bias(true).with_gap(1e-24);
        let fit = fit.fit(&gram, &targets).unwrap();
        let set = TrainingSet::new(&gram, &targets).unwrap();
        assert!(fit.certificate.verify(&set).unwrap().is_valid(), "{offset:e}");
        fit.certificate.alpha().to_vec()
    };
    let near = fit(0.0);
    let size = near.iter().fold(0.0_f64, |size, alpha| size.max(alpha.abs()));
    for offset in [1.7e9, 1.7e12] {
        assert!(apart(&near, &fit(offset)) < 1e-9 * size, "{offset:e}");
    }
}

#[test]
fn leaving_out_one_example_is_fitting_without_it() {
    let (examples, targets) = wavy(25, 2, 3);
    let kernel = VectorKernel::gaussian(0.7).unwrap();
    let gram = VectorGram::new(&examples, kernel).unwrap();
    let weights = Weights::new((0..25).map(|row| f64::from(row % 4)).collect()).unwrap();
    let set = TrainingSet::new(&gram, &targets).unwrap();
    for (set, free_bias) in [(set, false), (set, true), (set.with_weights(&weights).unwrap(), true)] {
        let machine = KernelRidge::default().with_penalty(0.1).with_bias(free_bias).with_gap(1e-24);
        let errors = machine.leave_one_out(&set, &Control::default()).unwrap();
        for (row, error) in errors.iter().enumerate() {
            if set.weight(row) == 0.0 {
                assert_eq!(*error, 0.0);
                continue;
            }
            let without: Vec<f64> =
                (0..25).map(|other| if other == row { 0.0 } else { set.weight(other) }).collect();
            let without = Weights::new(without).unwrap();
            let rest = TrainingSet::new(&gram, &targets).unwrap().with_weights(&without).unwrap();
            let fit = machine.fit_with(&rest, &Control::default()).unwrap();
            let value = fit.model.decision_values(&gram).unwrap()[row];
            assert!((targets.values()[row] - value - error).abs() < 1e-10, "{row}");
        }
    }
}

#[test]
fn all_solvers_certify_the_same_function() {
    let (examples, targets) = wavy(900, 3, 4);
    let gram = VectorGram::new(&examples, VectorKernel::gaussian(0.5).unwrap()).unwrap();
    let set = TrainingSet::new(&gram, &targets).unwrap();
    let mut reference: Option<Vec<f64>> = None;
    for solver in [
        KernelSolver::Cholesky,
        KernelSolver::SingleCholesky,
        KernelSolver::FewColumns,
        KernelSolver::MatrixFree,
        KernelSolver::Automatic,
    ] {
        let machine = KernelRidge::default().with_penalty(0.05).with_bias(true).with_solver(solver);
        let fit = machine.fit(&gram, &targets).unwrap().converged().unwrap();
        assert!(fit.certificate.verify(&set).unwrap().is_valid(), "{solver:?}");
        assert!(fit.certificate.relative_gap() <= 1e-16, "{solver:?}");
        let values = fit.model.decision_values(&gram).unwrap();
        let allowed = 2.0 * fit.certificate.function_error() + 1e-9;
        let reference = reference.get_or_insert_with(|| values.clone());
        assert!(apart(&values, reference) < allowed, "{solver:?}: {:e}", apart(&values, reference));
    }
}

#[test]
fn without_room_for_the_matrix_the_products_are_computed() {
    let (examples, targets) = wavy(1200, 2, 5);
    let gram = VectorGram::new(&examples, VectorKernel::gaussian(0.5).unwrap()).unwrap();
    let set = TrainingSet::new(&gram, &targets).unwrap();
    let machine = KernelRidge::default().with_penalty(0.1);
    let control = Control::new(Budget::default().with_memory(1 << 20));
    let fit = machine.fit_with(&set, &control).unwrap().converged().unwrap();
    assert!(fit.certificate.verify(&set).unwrap().is_valid());
    let whole = machine.fit(&gram, &targets).unwrap();
    let (a, b) = (fit.model.decision_values(&gram).unwrap(), whole.model.decision_values(&gram).unwrap());
    assert!(apart(&a, &b) < 1e-7);
    let direct = machine.with_solver(KernelSolver::Cholesky).fit_with(&set, &control);
    assert!(matches!(direct, Err(Error::Memory { .. })));
    let nothing = Control::new(Budget::default().with_memory(1000));
    assert!(matches!(machine.fit_with(&set, &nothing), Err(Error::Memory { .. })));
}

#[test]
fn a_run_without_time_returns_the_best_constant_and_says_so() {
    let (examples, targets) = wavy(500, 2, 6);
    let gram = VectorGram::new(&examples, VectorKernel::gaussian(0.5).unwrap()).unwrap();
    let set = TrainingSet::new(&gram, &targets).unwrap();
    let control = Control::new(Budget::default().with_time(Duration::ZERO));
    for solver in [KernelSolver::Cholesky, KernelSolver::MatrixFree, KernelSolver::FewColumns] {
        let machine = KernelRidge::default().with_bias(true).with_solver(solver);
        let fit = machine.fit_with(&set, &control).unwrap();
        assert_eq!(fit.report.stop, Stop::Time);
        let mean = targets.values().iter().sum::<f64>() / 500.0;
        assert!((fit.model.bias() - mean).abs() < 1e-12);
        assert!(fit.certificate.relative_gap() > 0.1);
        assert!(fit.certificate.verify(&set).unwrap().is_valid());
    }
}

#[test]
fn extreme_scales_give_finite_functions_or_errors() {
    let (examples, targets) = wavy(40, 2, 7);
    let gram = VectorGram::new(&examples, VectorKernel::gaussian(0.5).unwrap()).unwrap();
    let whole = MatrixGram::computed(&gram, &Budget::default()).unwrap();
    let size = |scale: f64, values: &[f64]| -> Vec<f64> { values.iter().map(|v| v * scale).collect() };
    let plain = KernelRidge::default().fit(&gram, &targets).unwrap().model.decision_values(&gram).unwrap();
    for scale in [1e140, 1e-140, 1e-300] {
        let scaled = Targets::new(size(scale, targets.values())).unwrap();
        let fit = KernelRidge::default().fit(&gram, &scaled).unwrap();
        let values = fit.model.decision_values(&gram).unwrap();
        assert!(apart(&size(1.0 / scale, &values), &plain) < 1e-10, "{scale:e}");
    }
    let huge = Targets::new(size(1e300, targets.values())).unwrap();
    assert!(matches!(KernelRidge::default().fit(&gram, &huge), Err(Error::Numerical { .. })));
    for scale in [1e150, 1e300, 1e-150, 1e-300] {
        let matrix = MatrixGram::precomputed(size(scale, whole.values()), 40).unwrap();
        let result = KernelRidge::default().with_penalty(scale).fit(&matrix, &targets);
        if let Ok(fit) = result {
            assert!(fit.certificate.alpha().iter().all(|alpha| alpha.is_finite()));
        }
    }
}

#[test]
fn a_matrix_that_is_not_one_of_inner_products_is_never_called_solved() {
    // Eigenvalues 3 and −1: with λ = ½ the system is not positive definite.
    let gram = MatrixGram::precomputed(vec![1.0, 2.0, 2.0, 1.0], 2).unwrap();
    let targets = Targets::new(vec![1.0, -1.0]).unwrap();
    for solver in [KernelSolver::Automatic, KernelSolver::MatrixFree, KernelSolver::SingleCholesky] {
        match KernelRidge::default().with_penalty(0.5).with_solver(solver).fit(&gram, &targets) {
            Ok(fit) => assert_ne!(fit.report.stop, Stop::Converged, "{solver:?}"),
            Err(error) => assert!(matches!(error, Error::Numerical { .. }), "{error}"),
        }
    }
}

#[test]
fn settings_outside_their_domain_are_named() {
    let gram = MatrixGram::precomputed(vec![1.0, 0.5, 0.5, 1.0], 2).unwrap();
    let targets = Targets::new(vec![1.0, 3.0]).unwrap();
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let refused = KernelRidge::default().with_penalty(bad).fit(&gram, &targets);
        assert!(matches!(refused, Err(Error::Setting { name: "penalty", .. })));
    }
    for bad in [0.0, 1.0, f64::NAN] {
        let refused = KernelRidge::default().with_gap(bad).fit(&gram, &targets);
        assert!(matches!(refused, Err(Error::Setting { name: "gap", .. })));
    }
    let tiny = Weights::new(vec![1.0, 1e-320]).unwrap();
    let set = TrainingSet::new(&gram, &targets).unwrap().with_weights(&tiny).unwrap();
    let refused = KernelRidge::default().fit_with(&set, &Control::default());
    assert!(matches!(refused, Err(Error::Weight { row: 1, .. })));
}

#[test]
fn kernel_ridge_conforms() {
    for kernel in [VectorKernel::gaussian(0.5).unwrap(), VectorKernel::linear()] {
        for free_bias in [false, true] {
            let machine = KernelRidge::default().with_penalty(0.1).with_bias(free_bias).with_gap(1e-20);
            let learner = OverVectors::new(machine, kernel);
            assert_conforms(&Suite::<_, Targets>::regression(&learner).persistent().certified());
            assert_conforms(&Suite::<_, BinaryLabels>::binary(&learner).persistent().certified());
        }
    }
}

#[test]
fn the_iterative_ways_conform() {
    for solver in [KernelSolver::SingleCholesky, KernelSolver::FewColumns, KernelSolver::MatrixFree] {
        let machine =
            KernelRidge::default().with_penalty(0.1).with_bias(true).with_gap(1e-22).with_solver(solver);
        let learner = OverVectors::new(machine, VectorKernel::gaussian(0.5).unwrap());
        assert_conforms(
            &Suite::<_, Targets>::regression(&learner).persistent().certified().with_tolerance(1e-7),
        );
    }
}

#[test]
fn a_gram_matrix_of_anything_will_do() {
    // The same matrix, computed and precomputed: the same function, whatever the examples were.
    let (examples, targets) = wavy(30, 2, 8);
    let gram = VectorGram::new(&examples, VectorKernel::laplacian(0.5).unwrap()).unwrap();
    let whole = MatrixGram::computed(&gram, &Budget::default()).unwrap();
    let (a, b) = (
        KernelRidge::default().fit(&gram, &targets).unwrap(),
        KernelRidge::default().fit(&whole as &dyn Gram, &targets).unwrap(),
    );
    assert_eq!(a.model, b.model);
}
