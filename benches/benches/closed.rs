//! Whole fits of the learners that solve linear systems, small enough to be run often.

use std::hint::black_box;

use criterion::Criterion;
use lm_benches::{classes, noisy, regression};
use lm_closed::{
    GaussianCovariance, GaussianProcess, KernelRidge, Lda, LeastSquares, Logistic, Moments, Ridge,
};
use lm_core::linalg::{Cholesky, Matrix, SingleCholesky, product_transposed};
use lm_core::{
    BinaryLabels, ClassLabels, Control, Dense, Learner, Result, Targets, TrainingSet, VectorGram,
    VectorKernel,
};

fn main() -> Result<()> {
    let mut criterion = Criterion::default().sample_size(20).configure_from_args();
    rows(&mut criterion)?;
    kernels(&mut criterion)?;
    factors(&mut criterion)?;
    criterion.final_summary();
    Ok(())
}

/// What is learned from sums over rows.
fn rows(criterion: &mut Criterion) -> Result<()> {
    let mut group = criterion.benchmark_group("rows");
    for (len, dim) in [(20_000, 50), (2_000, 300)] {
        let (values, targets) = regression(len, dim, 1);
        let (examples, targets) = (Dense::new(values, len, dim)?, Targets::new(targets)?);
        let name = |what: &str| format!("{what}, {len} × {dim}");
        group.bench_function(name("moments"), |bencher| {
            bencher.iter(|| black_box(Moments::of(&examples, &[targets.values()], None)));
        });
        group.bench_function(name("least squares"), |bencher| {
            bencher.iter(|| black_box(LeastSquares::default().fit(&examples, &targets)));
        });
        group.bench_function(name("ridge"), |bencher| {
            bencher.iter(|| black_box(Ridge::default().with_penalty(1.0).fit(&examples, &targets)));
        });
    }
    let (values, names) = classes(20_000, 50, 10, 2);
    let (examples, labels) = (Dense::new(values, 20_000, 50)?, ClassLabels::from_integers(&names)?);
    group.bench_function("LDA, 20000 × 50", |bencher| {
        bencher.iter(|| black_box(Lda::default().fit(&examples, &labels)));
    });
    let (values, signs) = noisy(20_000, 50);
    let (examples, labels) = (Dense::new(values, 20_000, 50)?, BinaryLabels::new(signs)?);
    group.bench_function("logistic, 20000 × 50", |bencher| {
        bencher.iter(|| black_box(Logistic::default().with_penalty(1.0).fit(&examples, &labels)));
    });
    group.finish();
    Ok(())
}

/// What is learned from kernel values.
fn kernels(criterion: &mut Criterion) -> Result<()> {
    let mut group = criterion.benchmark_group("kernels");
    let (values, targets) = regression(1_000, 8, 3);
    let (examples, targets) = (Dense::new(values, 1_000, 8)?, Targets::new(targets)?);
    let gram = VectorGram::new(&examples, VectorKernel::gaussian(0.1)?)?;
    group.bench_function("kernel ridge, 1000", |bencher| {
        bencher.iter(|| black_box(KernelRidge::default().fit(&gram, &targets)));
    });
    let set = TrainingSet::new(&examples, &targets)?;
    let process = GaussianProcess::new(GaussianCovariance::default().with_lengths(vec![1.5; 8]));
    group.bench_function("evidence and gradient, 1000 × 8", |bencher| {
        bencher.iter(|| black_box(process.evidence(&set, &Control::default())));
    });
    group.finish();
    Ok(())
}

/// Factorisations alone.
fn factors(criterion: &mut Criterion) -> Result<()> {
    let mut group = criterion.benchmark_group("factors");
    let (values, _) = regression(1_000, 1_000, 4);
    let square = Matrix::from_columns(values, 1_000, 1_000)?;
    let mut matrix = product_transposed(&square, &square)?;
    (0..1_000).for_each(|i| matrix[(i, i)] += 1.0);
    group.bench_function("Cholesky, 1000", |bencher| {
        bencher.iter(|| black_box(Cholesky::factor(matrix.clone())));
    });
    group.bench_function("Cholesky in single precision, 1000", |bencher| {
        bencher.iter(|| black_box(SingleCholesky::factor(&matrix)));
    });
    group.finish();
    Ok(())
}
