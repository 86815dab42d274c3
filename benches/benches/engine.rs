//! The kernel-row engine: layouts, kernels, widths, numbers of rows and instructions one by one.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput};
use lm_benches::{dense, sparse};
use lm_core::gram::Instructions;
use lm_core::{
    Collection, Columns, Dense, Examples, Gram, Hypothesis, Result, SupportVectors, VectorExpansion,
    VectorGram, VectorKernel,
};

const LEN: usize = 10_000;

fn main() -> Result<()> {
    let mut criterion = Criterion::default().sample_size(20).configure_from_args();
    rows(&mut criterion)?;
    kernels(&mut criterion)?;
    layouts(&mut criterion)?;
    decisions(&mut criterion)?;
    criterion.final_summary();
    Ok(())
}

/// Rows of kernel values, the number of values being the throughput.
fn rows(criterion: &mut Criterion) -> Result<()> {
    let mut group = criterion.benchmark_group("rows");
    for dim in [4, 22, 64, 123, 784] {
        let examples = dense(LEN, dim, 1)?;
        let gram = VectorGram::new(&examples, VectorKernel::gaussian(1.0 / dim as f64)?)?;
        for count in [1, 4, 12, 60] {
            let asked: Vec<usize> = (0..count).map(|k| k * 100).collect();
            let mut out = vec![0.0_f32; count * LEN];
            group.throughput(Throughput::Elements((count * LEN) as u64));
            group.bench_function(BenchmarkId::new(format!("gaussian f32, {count} rows"), dim), |bencher| {
                bencher.iter(|| black_box(gram.fill_f32(&asked, Columns::All, &mut out)));
            });
        }
    }
    group.finish();
    Ok(())
}

/// Sixty rows in double precision, kernel by kernel.
fn kernels(criterion: &mut Criterion) -> Result<()> {
    let mut group = criterion.benchmark_group("kernels");
    let examples = dense(LEN, 64, 2)?;
    let asked: Vec<usize> = (0..60).map(|k| k * 100).collect();
    let mut out = vec![0.0; asked.len() * LEN];
    group.throughput(Throughput::Elements(out.len() as u64));
    for (name, kernel) in [
        ("linear", VectorKernel::linear()),
        ("polynomial", VectorKernel::polynomial(3, 0.1, 1.0)?),
        ("gaussian", VectorKernel::gaussian(0.02)?),
        ("laplacian", VectorKernel::laplacian(0.1)?),
        ("sigmoid", VectorKernel::sigmoid(0.01, 0.1)?),
    ] {
        let gram = VectorGram::new(&examples, kernel)?;
        group.bench_function(name, |bencher| {
            bencher.iter(|| black_box(gram.fill(&asked, Columns::All, &mut out)));
        });
    }
    group.finish();
    Ok(())
}

/// Sixty Gaussian rows with each kind of instructions, and in each layout.
fn layouts(criterion: &mut Criterion) -> Result<()> {
    let mut group = criterion.benchmark_group("layouts");
    let numbers = dense(LEN, 123, 3)?;
    let bits = numbers.contiguous().unwrap_or_default().iter().map(|v| f64::from(u8::from(*v > 0.5)));
    let bytes = numbers.contiguous().unwrap_or_default().iter().map(|v| (v.abs() * 100.0).round().min(255.0));
    let (bits, bytes) = (Dense::new(bits.collect(), LEN, 123)?, Dense::new(bytes.collect(), LEN, 123)?);
    let table = sparse(LEN, 20_000, 80, 4)?;
    let sets: [(&dyn Examples, f64); 4] = [(&numbers, 0.01), (&bits, 0.05), (&bytes, 1e-6), (&table, 0.1)];
    let asked: Vec<usize> = (0..60).map(|k| k * 100).collect();
    let mut out = vec![0.0_f32; asked.len() * LEN];
    group.throughput(Throughput::Elements(out.len() as u64));
    for (set, gamma) in sets {
        for instructions in Instructions::available() {
            let gram = VectorGram::new(set, VectorKernel::gaussian(gamma)?)?.with_instructions(instructions);
            let name = format!("{instructions:?}");
            group.bench_function(BenchmarkId::new(gram.layout().to_string(), name), |bencher| {
                bencher.iter(|| black_box(gram.fill_f32(&asked, Columns::All, &mut out)));
            });
        }
    }
    group.finish();
    Ok(())
}

/// Decision values in double precision, sides by single precision first.
fn decisions(criterion: &mut Criterion) -> Result<()> {
    let mut group = criterion.benchmark_group("decisions");
    for dim in [22, 123] {
        let (kept, points) = (dense(4_000, dim, 5)?, dense(1_000, dim, 6)?);
        let coefficients: Vec<f64> = (0..kept.len()).map(|k| (k as f64).sin()).collect();
        let support = SupportVectors::DenseF64(kept);
        let kernel = VectorKernel::gaussian(1.0 / dim as f64)?;
        let f = VectorExpansion::new(kernel, support, coefficients, 0.1)?;
        group.throughput(Throughput::Elements(4_000 * 1_000));
        group.bench_function(BenchmarkId::new("values", dim), |bencher| {
            bencher.iter(|| black_box(f.decision_values(&points)));
        });
        group.bench_function(BenchmarkId::new("sides", dim), |bencher| {
            bencher.iter(|| black_box(f.signs(&points)));
        });
    }
    group.finish();
    Ok(())
}
