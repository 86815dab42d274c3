//! Real data over the whole range of settings: every fit ends, and what says that it converged has the gap it claims.
//!
//! The sets are public and not part of this repository; without them there is nothing to run.

use std::time::{Duration, Instant};

use lm_core::{
    BinaryLabels, Budget, Certificate, Control, Learner, Stop, TrainingSet, VectorGram, VectorKernel,
};
use lm_data::svmlight;
use lm_qp::{CSvc, MaximalMargin};

use crate::data;

const SETS: [&str; 6] =
    ["heart_scale", "sonar_scale", "ionosphere_scale", "australian_scale", "breast-cancer_scale", "sk_iris"];

const GAP: f64 = 1e-6;

fn kernels() -> Vec<VectorKernel> {
    let mut kernels: Vec<VectorKernel> =
        (-3..=2).map(|e| VectorKernel::gaussian(10.0_f64.powi(e)).unwrap()).collect();
    kernels.push(VectorKernel::linear());
    kernels.push(VectorKernel::polynomial(3, 0.1, 1.0).unwrap());
    kernels.push(VectorKernel::laplacian(0.1).unwrap());
    // No matrix of inner products in general: there may be no gap to close.
    kernels.push(VectorKernel::sigmoid(0.1, 0.0).unwrap());
    kernels
}

#[test]
fn every_fit_ends_and_says_truly_whether_it_converged() {
    for name in SETS {
        let Some(path) = data(&format!("{name}/train.svm.gz")) else { return };
        let set = svmlight::open::<f64>(&path, &svmlight::Options::default()).unwrap();
        let rows: Vec<usize> = (0..set.labels.len().min(400)).collect();
        let first: Vec<f64> =
            rows.iter().map(|&row| if set.labels[row] == set.labels[0] { 1.0 } else { -1.0 }).collect();
        let labels = BinaryLabels::from_numbers(&first).unwrap();
        let examples = lm_core::Selection::new(&set.examples, &rows).unwrap();
        for (k, kernel) in kernels().into_iter().enumerate() {
            let gram = VectorGram::new(&examples, kernel).unwrap();
            let training = TrainingSet::new(&gram, &labels).unwrap();
            let sigmoid = k == kernels().len() - 1;
            for exponent in [-3, -1, 0, 2, 4, 6] {
                let cost = 10.0_f64.powi(exponent);
                let limit = Duration::from_secs(20);
                let started = Instant::now();
                let control = Control::new(Budget::default().with_time(limit));
                let machine = CSvc::default().with_cost(cost).with_gap(GAP);
                let fit = machine.fit_with(&training, &control).unwrap();
                let figures = fit.certificate.figures();
                let what = format!("{name}, {kernel:?}, C = {cost}: {figures:?}, {:?}", fit.report);
                assert!(started.elapsed() < limit + Duration::from_secs(5), "{what}");
                assert!(fit.certificate.verify(&training).unwrap().is_valid(), "{what}");
                if fit.report.stop == Stop::Converged {
                    assert!(figures.relative_gap() <= GAP, "{what}");
                } else {
                    assert!(sigmoid, "{what}");
                }
            }
            let hard = MaximalMargin::default()
                .fit_with(&training, &Control::new(Budget::default().with_time(Duration::from_secs(20))))
                .unwrap();
            let what = format!("{name}, {kernel:?}: {:?}, {:?}", hard.certificate.figures(), hard.report);
            assert!(hard.certificate.verify(&training).unwrap().is_valid(), "{what}");
            assert!(sigmoid || matches!(hard.report.stop, Stop::Converged | Stop::Infeasible), "{what}");
        }
    }
}
