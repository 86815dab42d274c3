//! What users send to a support vector machine: each input gets the right machine or an error that names the place.

use std::time::Duration;

use lm_core::{
    BinaryLabels, Budget, Certificate, Control, Csr, Dense, Error, Examples, Fit, Hypothesis, Learner, Stop,
    TrainingSet, VectorGram, VectorKernel, Weights,
};
use lm_qp::{CSvc, DualCertificate};

/// Trains on vectors, checks that the certificate is valid and every value finite.
fn train<E: Examples>(
    examples: &E,
    labels: &BinaryLabels,
    kernel: VectorKernel,
    cost: f64,
) -> Result<Fit<Vec<f64>, DualCertificate<CSvc>>, Error> {
    let gram = VectorGram::new(examples, kernel)?;
    let control = Control::new(Budget::default().with_time(Duration::from_secs(5)));
    let set = TrainingSet::new(&gram, labels)?;
    let fit = CSvc::default().with_cost(cost).fit_with(&set, &control)?;
    assert!(fit.certificate.verify(&set)?.is_valid());
    let values = fit.model.decision_values(&gram)?;
    assert!(values.iter().all(|value| value.is_finite()));
    Ok(fit.map(|_| values))
}

fn kernels() -> Vec<VectorKernel> {
    vec![
        VectorKernel::linear(),
        VectorKernel::polynomial(3, 1.0, 1.0).unwrap(),
        VectorKernel::gaussian(0.5).unwrap(),
        VectorKernel::laplacian(0.5).unwrap(),
        VectorKernel::sigmoid(0.5, -1.0).unwrap(),
    ]
}

fn line(values: &[f64], labels: &[i64]) -> (Dense<'static>, BinaryLabels) {
    (Dense::new(values.to_vec(), values.len(), 1).unwrap(), BinaryLabels::from_integers(labels).unwrap())
}

#[test]
fn the_same_points_with_opposite_labels_are_handled() {
    for kernel in kernels() {
        let (examples, labels) = line(&[1.0, 1.0, 2.0, 2.0], &[-1, 1, -1, 1]);
        let fit = train(&examples, &labels, kernel, 1.0).unwrap();
        assert_eq!(fit.report.stop, Stop::Converged, "{kernel:?}");
        // Nothing can be told apart, so every slack is 1: the optimum is C Σ 1.
        assert!(
            (fit.certificate.figures().primal - 4.0).abs() < 1e-5,
            "{kernel:?}: {:?}",
            fit.certificate.figures()
        );
    }
}

#[test]
fn identical_points_and_constant_columns_are_handled() {
    for kernel in kernels() {
        let (examples, labels) = line(&[3.0; 6], &[0, 7, 0, 7, 0, 0]);
        assert_eq!(
            train(&examples, &labels, kernel, 1.0).unwrap().report.stop,
            Stop::Converged,
            "{kernel:?}"
        );
        let rows = [[1.0, 5.0, 1.0], [2.0, 5.0, 2.0], [3.0, 5.0, 3.0], [4.0, 5.0, 4.0]];
        let labels = BinaryLabels::from_integers(&[0, 0, 1, 1]).unwrap();
        let examples = Dense::from_rows(&rows).unwrap();
        train(&examples, &labels, kernel, 1.0).unwrap();
    }
}

#[test]
fn huge_and_tiny_scales_give_a_machine_or_a_clear_error() {
    for scale in [1e300, 1e160, 1e150, 1e-150, 1e-160, 1e-300] {
        let (examples, labels) = line(&[-2.0 * scale, -scale, scale, 2.0 * scale], &[-1, -1, 1, 1]);
        for kernel in kernels() {
            match train(&examples, &labels, kernel, 1.0) {
                Ok(fit) => assert!(fit.model.iter().all(|value| value.is_finite())),
                Err(error) => {
                    let named = matches!(error, Error::Numerical { .. } | Error::KernelValue { .. });
                    assert!(named, "{kernel:?} at {scale:e}: {error}");
                    assert!(scale > 1.0, "{kernel:?} at {scale:e}: {error}");
                }
            }
        }
        // Distances need no squares of the data: these two kernels are always defined.
        for kernel in [VectorKernel::gaussian(1.0).unwrap(), VectorKernel::laplacian(1.0).unwrap()] {
            let fit = train(&examples, &labels, kernel, 1.0).unwrap();
            assert_eq!(fit.report.stop, Stop::Converged, "{kernel:?} at {scale:e}");
            if scale > 1.0 {
                let values = fit.model;
                assert!(values[0] < 0.0 && values[1] < 0.0 && values[2] > 0.0 && values[3] > 0.0);
            }
        }
    }
}

#[test]
fn empty_rows_of_sparse_data_are_the_zero_vector() {
    let examples = Csr::new(vec![0, 0, 1, 2], vec![0, 1], vec![1.0, 1.0], 2).unwrap();
    let labels = BinaryLabels::from_integers(&[-1, 1, 1]).unwrap();
    for kernel in kernels() {
        train(&examples, &labels, kernel, 10.0).unwrap();
    }
}

#[test]
fn a_time_limit_is_kept() {
    let values: Vec<f64> = (0..3000).map(|k| f64::from(k * 7919 % 3001)).collect();
    let labels: Vec<i64> = (0..3000).map(|k| i64::from(k * k % 7 < 3)).collect();
    let (examples, labels) = line(&values, &labels);
    let gram = VectorGram::new(&examples, VectorKernel::gaussian(1e-4).unwrap()).unwrap();
    let set = TrainingSet::new(&gram, &labels).unwrap();
    let control = Control::new(Budget::default().with_time(Duration::from_millis(50)));
    let fit = CSvc::default().with_cost(1e6).with_gap(1e-12).fit_with(&set, &control).unwrap();
    assert_eq!(fit.report.stop, Stop::Time);
    assert!(fit.certificate.verify(&set).unwrap().is_valid());
}

#[test]
fn an_indefinite_kernel_ends_with_an_honest_certificate() {
    let values: Vec<f64> = (0..60).map(|k| (f64::from(k) * 0.7).sin() * 4.0).collect();
    let labels: Vec<i64> = values.iter().map(|v| i64::from(v.fract() > 0.0)).collect();
    let (examples, labels) = line(&values, &labels);
    let kernel = VectorKernel::sigmoid(-1.0, 0.5).unwrap();
    let fit = train(&examples, &labels, kernel, 10.0).unwrap();
    let gap = fit.certificate.figures().relative_gap();
    assert_eq!(fit.report.stop == Stop::Converged, gap <= 1e-6);
}

#[test]
fn a_cache_of_two_rows_gives_the_same_machine_as_one_of_all() {
    let values: Vec<f64> = (0..80).map(|k| (f64::from(k) * 1.3).sin() * 3.0).collect();
    let labels: Vec<i64> = (0..80).map(|k| i64::from(k % 3 == 0)).collect();
    let (examples, labels) = line(&values, &labels);
    let gram = VectorGram::new(&examples, VectorKernel::gaussian(2.0).unwrap()).unwrap();
    let set = TrainingSet::new(&gram, &labels).unwrap();
    let all = CSvc::default().fit(&gram, &labels).unwrap();
    let two = Control::new(Budget::default().with_memory(80 * 8 * 2 + 80 * 8 + 100));
    let few = CSvc::default().fit_with(&set, &two).unwrap();
    assert_eq!(all.model, few.model);
    assert!(few.report.cache.unwrap().evictions > 0);
    let none = Control::new(Budget::default().with_memory(100));
    assert!(matches!(CSvc::default().fit_with(&set, &none), Err(Error::Memory { .. })));
}

#[test]
fn weights_that_are_not_weights_are_refused() {
    for bad in [f64::NAN, -1.0, f64::INFINITY] {
        assert!(matches!(Weights::new(vec![1.0, bad]), Err(Error::Weight { row: 1, .. })));
    }
}
