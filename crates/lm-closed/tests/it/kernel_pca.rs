//! Kernel principal components: variances, projections, weights, files.

use std::time::Duration;

use lm_closed::{KernelPca, VectorComponents};
use lm_core::linalg::{Matrix, SymmetricEigen};
use lm_core::{
    Budget, Certificate, Control, Dense, Error, MatrixGram, Stop, VectorGram, VectorKernel, Weights, persist,
};

use crate::samples::{apart, wavy};

#[test]
fn with_the_linear_kernel_the_variances_are_those_of_the_covariance_matrix() {
    let iris = lm_data::classic::iris().unwrap().data;
    let (len, dim) = (150, 4);
    let mut covariance = Matrix::zeros(dim, dim).unwrap();
    let mean: Vec<f64> =
        (0..dim).map(|k| (0..len).map(|row| iris.examples.slice(row)[k]).sum::<f64>() / len as f64).collect();
    for row in 0..len {
        for i in 0..dim {
            for j in 0..dim {
                let x = iris.examples.slice(row);
                covariance[(i, j)] += (x[i] - mean[i]) * (x[j] - mean[j]) / len as f64;
            }
        }
    }
    let mut expected = SymmetricEigen::of(&covariance).unwrap().values;
    expected.reverse();
    let gram = VectorGram::new(&iris.examples, VectorKernel::linear()).unwrap();
    let fit = KernelPca::default().fit(&gram).unwrap();
    assert_eq!(fit.model.rank(), 4);
    assert!(apart(fit.model.variances(), &expected) < 1e-10);
    assert!((fit.model.explained().iter().sum::<f64>() - 1.0).abs() < 1e-12);
    assert!(fit.certificate.verify(&gram).unwrap().is_valid());
    let other = VectorGram::new(&iris.examples, VectorKernel::gaussian(0.1).unwrap()).unwrap();
    assert!(!fit.certificate.verify(&other).unwrap().is_valid());
}

#[test]
fn members_and_new_vectors_are_projected_alike() {
    let (examples, _) = wavy(70, 3, 1);
    let kernel = VectorKernel::gaussian(0.3).unwrap();
    let gram = VectorGram::new(&examples, kernel).unwrap();
    let fit = KernelPca::default().with_components(5).fit(&gram).unwrap();
    let members = fit.model.project(&gram).unwrap();
    let vectors = fit.model.over_vectors(&examples, kernel).unwrap();
    let again = vectors.project(&examples).unwrap();
    assert!(apart(members.values(), again.values()) < 1e-10);
    let mut row = vec![0.0; 70];
    lm_core::Gram::fill(&gram, &[9], lm_core::Columns::All, &mut row).unwrap();
    let one = fit.model.project_values(&row).unwrap();
    for k in 0..5 {
        assert!((one[k] - members[(9, k)]).abs() < 1e-12);
        let mean: f64 = members.column(k).iter().sum::<f64>() / 70.0;
        let variance: f64 = members.column(k).iter().map(|x| x * x).sum::<f64>() / 70.0;
        assert!(mean.abs() < 1e-12 && (variance - fit.model.variances()[k]).abs() < 1e-12);
    }
    let decoded: VectorComponents = persist::decode(&persist::encode(&vectors).unwrap()).unwrap();
    assert_eq!(decoded.project(&examples).unwrap(), again);
    assert!(vectors.project(&Dense::new(vec![1.0], 1, 1).unwrap()).is_err());
}

#[test]
fn a_weight_is_repetition_and_weight_0_is_absence() {
    let (examples, _) = wavy(12, 2, 2);
    let count = |row: usize| row % 3;
    let copies: Vec<&[f64]> =
        (0..12).flat_map(|row| std::iter::repeat_n(examples.slice(row), count(row))).collect();
    let repeated = Dense::from_rows(&copies).unwrap();
    let kernel = VectorKernel::gaussian(0.5).unwrap();
    let weights = Weights::new((0..12).map(|row| count(row) as f64).collect()).unwrap();
    let gram = VectorGram::new(&examples, kernel).unwrap();
    let pca = KernelPca::default().with_components(3);
    let weighted = pca.fit_with(&gram, Some(&weights), &Control::default()).unwrap();
    let copied = pca.fit(&VectorGram::new(&repeated, kernel).unwrap()).unwrap();
    assert!(apart(weighted.model.variances(), copied.model.variances()) < 1e-12);
    assert!((weighted.model.total_variance() - copied.model.total_variance()).abs() < 1e-12);
    assert!(weighted.certificate.verify(&gram).unwrap().is_valid());
    let (a, b) = (
        weighted.model.over_vectors(&examples, kernel).unwrap().project(&examples).unwrap(),
        copied.model.over_vectors(&repeated, kernel).unwrap().project(&examples).unwrap(),
    );
    for k in 0..3 {
        let turn = (a[(0, k)] * b[(0, k)]).signum();
        let b: Vec<f64> = b.column(k).iter().map(|x| turn * x).collect();
        assert!(apart(a.column(k), &b) < 1e-9, "{k}");
    }
}

#[test]
fn degenerate_matrices_have_no_directions_and_no_time_gives_none() {
    let same = MatrixGram::precomputed(vec![1.0; 9], 3).unwrap();
    let fit = KernelPca::default().fit(&same).unwrap();
    assert_eq!((fit.model.rank(), fit.model.explained().len()), (0, 0));
    assert!(fit.certificate.verify(&same).unwrap().is_valid());
    let one = MatrixGram::precomputed(vec![4.0], 1).unwrap();
    assert_eq!(KernelPca::default().fit(&one).unwrap().model.rank(), 0);
    let (examples, _) = wavy(30, 2, 3);
    let gram = VectorGram::new(&examples, VectorKernel::linear()).unwrap();
    let late = Control::new(Budget::default().with_time(Duration::ZERO));
    let fit = KernelPca::default().fit_with(&gram, None, &late).unwrap();
    assert_eq!((fit.report.stop, fit.model.rank()), (Stop::Time, 0));
    let small = Control::new(Budget::default().with_memory(100));
    assert!(matches!(KernelPca::default().fit_with(&gram, None, &small), Err(Error::Memory { .. })));
    assert!(matches!(KernelPca::default().with_components(0).fit(&gram), Err(Error::Setting { .. })));
    let two = Weights::new(vec![1.0, 1.0]).unwrap();
    assert!(KernelPca::default().fit_with(&gram, Some(&two), &Control::default()).is_err());
}
