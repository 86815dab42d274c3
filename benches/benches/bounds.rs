//! The exact leave-one-out error, and what it replaces.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion};
use lm_bounds::{Spans, leave_one_out};
use lm_core::{
    BinaryLabels, Budget, Control, Dense, Labelling, Learner, MatrixGram, Result, Selection, Sign,
    TrainingSet, VectorGram, VectorKernel,
};
use lm_data::classic;
use lm_qp::{CSvc, Removals};

fn main() -> Result<()> {
    let mut criterion = Criterion::default().sample_size(10).configure_from_args();
    let digits = classic::digits()?.data;
    for rows in [500, 1000] {
        let values: Vec<&[f64]> = (0..rows).map(|row| digits.examples.slice(row)).collect();
        let sign = |row: usize| if digits.labels[row] % 2.0 == 0.0 { Sign::Negative } else { Sign::Positive };
        let labels = BinaryLabels::new((0..rows).map(sign).collect())?;
        let examples = Dense::from_rows(&values)?;
        let gram = VectorGram::new(&examples, VectorKernel::gaussian(1e-3)?)?;
        let gram = MatrixGram::computed(&gram, &Budget::default())?;
        left_out(&mut criterion, &gram, &labels)?;
    }
    criterion.final_summary();
    Ok(())
}

/// The error by removals and by fits from the beginning, and the spans of the support vectors.
fn left_out(criterion: &mut Criterion, gram: &MatrixGram<'_>, labels: &BinaryLabels) -> Result<()> {
    let (set, control, n) = (TrainingSet::new(gram, labels)?, Control::default(), labels.signs().len());
    let mut group = criterion.benchmark_group("leave one out");
    for cost in [1.0, 100.0] {
        let machine = CSvc::default().with_cost(cost);
        let name = format!("{n} digits, C = {cost}");
        group.bench_function(BenchmarkId::new("exact", &name), |bencher| {
            bencher
                .iter(|| leave_one_out(&Removals::solve(&machine, &set, &control)?, &control).map(black_box));
        });
        group.bench_function(BenchmarkId::new("refits", &name), |bencher| {
            bencher
                .iter(|| (0..n).map(|row| refit(&machine, gram, labels, row)).collect::<Result<Vec<f64>>>());
        });
        let solved = Removals::solve(&machine, &set, &control)?;
        group.bench_function(BenchmarkId::new("spans", &name), |bencher| {
            bencher.iter(|| Spans::of(&solved).map(black_box));
        });
    }
    group.finish();
    Ok(())
}

/// The bias of the machine without an example, learned from the beginning on the same kernel values.
fn refit(machine: &CSvc, gram: &MatrixGram<'_>, labels: &BinaryLabels, row: usize) -> Result<f64> {
    let kept: Vec<usize> = (0..labels.signs().len()).filter(|&other| other != row).collect();
    let fit = machine.fit(&Selection::new(gram, &kept)?, &labels.select(&kept)?)?;
    Ok(black_box(fit.model.bias()))
}
