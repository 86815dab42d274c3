//! Hypotheses: the same function in each of its forms.

use lm_core::testing::{SplitMix64, close};
use lm_core::{
    Collection, Columns, Csr, Dense, DualExpansion, Error, Examples, Gram, Hypothesis, Lift, Linear,
    MatrixGram, Selection, SupportVectors, VectorExpansion, VectorGram, VectorKernel,
};

/// Rows with about a third of zeros, all multiples of 1/64, so that single precision holds them.
fn random_rows(len: usize, dim: usize, random: &mut SplitMix64) -> Dense<'static> {
    let number = |random: &mut SplitMix64| {
        if random.below(3) == 0 { 0.0 } else { (random.uniform(-2.0, 2.0) * 64.0).round() / 64.0 }
    };
    Dense::new((0..len * dim).map(|_| number(random)).collect(), len, dim).unwrap()
}

fn narrowed(dense: &Dense<'_>) -> Dense<'static, f32> {
    let values = dense.contiguous().unwrap().iter().map(|&value| value as f32).collect();
    Dense::new(values, dense.len(), dense.dim()).unwrap()
}

/// The bound on the rounding of a sum of `terms` products of this size.
fn rounding(terms: usize, size: f64) -> f64 {
    4.0 * (terms + 2) as f64 * f64::EPSILON * (size + 1.0)
}

#[test]
fn with_the_linear_kernel_all_three_forms_are_one_function() {
    for seed in 0..60 {
        let mut random = SplitMix64::new(seed);
        let (len, dim) = (1 + random.below(40), 1 + random.below(30));
        let (train, new) = (random_rows(len, dim, &mut random), random_rows(25, dim, &mut random));
        let mut coefficients: Vec<f64> = (0..len).map(|_| random.uniform(-1.0, 1.0)).collect();
        coefficients.iter_mut().skip(1).step_by(3).for_each(|c| *c = 0.0);
        let bias = random.uniform(-1.0, 1.0);

        let dual = DualExpansion::from_all(&coefficients, bias).unwrap();
        let mut w = vec![0.0; dim];
        coefficients.iter().enumerate().for_each(|(row, &c)| train.add_scaled(row, c, &mut w));
        let linear = Linear::new(w, bias).unwrap();
        let expansion = dual.over_vectors(&train, VectorKernel::linear()).unwrap();
        assert!(dual.rows().len() < len || len == 1);

        let gram = VectorGram::new(&train, VectorKernel::linear()).unwrap();
        let allowed = rounding(len + dim, 4.0 * (len * dim) as f64);
        let agree = |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| close(*a, *b, 0.0, allowed));
        let on_train = linear.decision_values(&train).unwrap();
        assert!(agree(&dual.decision_values(&gram).unwrap(), &on_train), "seed {seed}");
        assert!(agree(&expansion.decision_values(&train).unwrap(), &on_train), "seed {seed}");

        let on_new = linear.decision_values(&new).unwrap();
        assert!(agree(&expansion.decision_values(&new).unwrap(), &on_new), "seed {seed}");
        let by_kernel_values = |row: usize| {
            let kernel_values: Vec<f64> = (0..len).map(|j| train.row(j).dot(&new.row(row))).collect();
            dual.decide(&kernel_values).unwrap()
        };
        assert!(agree(&(0..new.len()).map(by_kernel_values).collect::<Vec<_>>(), &on_new), "seed {seed}");
        assert!(close(dual.norm_squared(&gram).unwrap().sqrt(), linear.norm(), 1e-9, allowed), "seed {seed}");
    }
}

#[test]
fn a_new_example_needs_a_kernel_value_for_every_support_row() {
    let f = DualExpansion::new(vec![3, 1], vec![2.0, -1.0], 0.5).unwrap();
    assert_eq!(f.decide(&[9.0, 10.0, 9.0, 100.0]).unwrap(), 190.5);
    assert!(matches!(f.decide(&[9.0, 10.0, 9.0]), Err(Error::Index { index: 3, len: 3, .. })));
    assert!(matches!(f.decide(&[0.0, 0.0, 0.0, f64::MAX]), Err(Error::Numerical { .. })));
    assert!(matches!(f.decide(&[0.0, f64::NAN, 0.0, 0.0]), Err(Error::Numerical { .. })));
    let small = MatrixGram::precomputed(vec![1.0, 0.5, 0.5, 1.0], 2).unwrap();
    assert!(matches!(f.decision_values(&small), Err(Error::Index { .. })));
}

#[test]
fn support_vectors_keep_the_storage_of_the_examples() {
    let mut random = SplitMix64::new(5);
    let dense = random_rows(12, 6, &mut random);
    let narrow = narrowed(&dense);
    let (sparse, narrow_sparse) = (Csr::from_rows(&dense).unwrap(), Csr::from_rows(&narrow).unwrap());
    let rows = [7, 0, 7, 11];
    let kinds = [
        SupportVectors::copied(&dense, &rows).unwrap(),
        SupportVectors::copied(&narrow, &rows).unwrap(),
        SupportVectors::copied(&sparse, &rows).unwrap(),
        SupportVectors::copied(&narrow_sparse, &rows).unwrap(),
        SupportVectors::copied(&Selection::new(&sparse, &[11, 7, 0]).unwrap(), &[1, 2, 1, 0]).unwrap(),
    ];
    assert!(matches!(kinds[0], SupportVectors::DenseF64(_)));
    assert!(matches!(kinds[1], SupportVectors::DenseF32(_)));
    assert!(matches!(kinds[2], SupportVectors::SparseF64(_)));
    assert!(matches!(kinds[3], SupportVectors::SparseF32(_)));
    assert!(matches!(kinds[4], SupportVectors::SparseF64(_)));
    let new = random_rows(9, 6, &mut random);
    let kernel = VectorKernel::gaussian(0.3).unwrap();
    let values = |support: &SupportVectors| {
        let f = VectorExpansion::new(kernel, support.clone(), vec![1.0, -2.0, 0.5, 0.25], 0.1).unwrap();
        f.decision_values(&new).unwrap()
    };
    let expected = values(&kinds[0]);
    for support in &kinds[1..] {
        let pairs = values(support).into_iter().zip(&expected).all(|(a, b)| close(a, *b, 1e-13, 1e-15));
        assert!(pairs, "{support:?}");
    }
    assert!(matches!(SupportVectors::copied(&dense, &[12]), Err(Error::Index { index: 12, len: 12, .. })));
    let constant =
        VectorExpansion::new(kernel, SupportVectors::copied(&dense, &[]).unwrap(), vec![], 0.5).unwrap();
    assert!(constant.decision_values(&dense).unwrap().iter().all(|value| *value == 0.5));
    assert!(matches!(constant.decision(&[1.0; 99]), Err(Error::Length { .. })));
}

#[test]
fn rows_that_differ_in_storage_become_dense() {
    use lm_core::Row;

    struct Mixed(Dense<'static>, Csr<'static>);

    impl Collection for Mixed {
        fn len(&self) -> usize {
            2
        }
    }

    impl Examples for Mixed {
        fn dim(&self) -> usize {
            2
        }

        fn row(&self, row: usize) -> Row<'_> {
            if row == 0 { self.1.row(0) } else { self.0.row(0) }
        }
    }

    let dense = Dense::new(vec![0.0, 3.0], 1, 2).unwrap();
    let mixed = Mixed(dense.clone(), Csr::from_rows(&dense).unwrap());
    let support = SupportVectors::copied(&mixed, &[0, 1]).unwrap();
    assert_eq!(support, SupportVectors::DenseF64(Dense::new(vec![0.0, 3.0, 0.0, 3.0], 2, 2).unwrap()));
}

#[test]
fn an_expansion_learned_from_a_selection_is_lifted_to_the_whole_set() {
    let mut random = SplitMix64::new(9);
    let examples = random_rows(10, 3, &mut random);
    let gram = VectorGram::new(&examples, VectorKernel::polynomial(2, 1.0, 1.0).unwrap()).unwrap();
    let rows = [8, 2, 5, 1];
    let some = Selection::new(&gram, &rows).unwrap();
    let f = DualExpansion::new(vec![3, 0], vec![1.5, -0.5], 0.25).unwrap();
    let lifted = f.clone().lifted(&rows).unwrap();
    assert!(matches!(f.clone().lifted(&rows[..1]), Err(Error::Index { len: 1, .. })));
    assert_eq!(lifted.rows(), [1, 8]);
    let (part, whole) = (f.decision_values(&some).unwrap(), lifted.decision_values(&gram).unwrap());
    for (value, &row) in part.iter().zip(&rows) {
        assert!(close(*value, whole[row], 1e-14, 0.0));
    }
    // Functions of the example itself say the same of any set.
    let linear = Linear::new(vec![1.0, 2.0, 3.0], 0.0).unwrap();
    assert_eq!(linear.clone().lifted(&rows).unwrap(), linear);
    let expansion = lifted.over_vectors(&examples, gram.kernel()).unwrap();
    assert_eq!(expansion.clone().lifted(&rows).unwrap(), expansion);
    let mut row = vec![0.0; 10];
    gram.fill(&[4], Columns::All, &mut row).unwrap();
    assert!(close(lifted.decide(&row).unwrap(), expansion.decision(examples.slice(4)).unwrap(), 1e-12, 0.0));
}

#[test]
fn expansions_that_do_not_fit_are_refused() {
    let support = || SupportVectors::DenseF64(Dense::new(vec![1.0, 2.0], 2, 1).unwrap());
    let make =
        |coefficients, bias| VectorExpansion::new(VectorKernel::linear(), support(), coefficients, bias);
    assert!(matches!(make(vec![1.0], 0.0), Err(Error::Length { expected: 2, found: 1, .. })));
    assert!(matches!(make(vec![1.0, f64::NAN], 0.0), Err(Error::NonFinite { row: 1, .. })));
    assert!(matches!(make(vec![1.0, 1.0], f64::INFINITY), Err(Error::Numerical { .. })));
    let f = make(vec![1.0, 1.0], 0.0).unwrap();
    assert!(matches!(f.decision(&[1.0, 2.0]), Err(Error::Length { .. })));
    assert!(matches!(f.decision(&[f64::MAX]), Err(Error::Numerical { .. })));
    let set = Dense::new(vec![1.0], 1, 1).unwrap();
    assert!(matches!(
        f.decision_values_into(&set, &mut [0.0; 2]),
        Err(Error::Length { expected: 1, found: 2, .. })
    ));
    assert!(matches!(DualExpansion::new(vec![1, 2], vec![1.0], 0.0), Err(Error::Length { .. })));
}
