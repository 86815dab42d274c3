//! Epochs of the live learners, one learner and one storage at a time.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput};
use lm_benches::{noisy, sparse};
use lm_core::{Collection, Dense, Examples, Result, Sign};
use lm_online::{
    Aggressiveness, Bias, LivePegasos, Lms, PassiveAggressive, Perceptron, Relaxation, Schedule, Winnow,
};

fn main() -> Result<()> {
    let mut criterion = Criterion::default().sample_size(20).configure_from_args();
    for (rows, columns) in [(20_000, 50), (4_000, 784)] {
        let (values, signs) = noisy(rows, columns);
        let narrow: Vec<f32> = values.iter().map(|&value| value as f32).collect();
        let name = format!("{rows} × {columns}");
        epochs(&mut criterion, &format!("{name} f64"), &Dense::new(values, rows, columns)?, &signs)?;
        epochs(&mut criterion, &format!("{name} f32"), &Dense::new(narrow, rows, columns)?, &signs)?;
    }
    let words = sparse(10_000, 20_000, 80, 4)?;
    let rare = |row: usize| Sign::of(words.row(row).norm_squared() - 10.0);
    let signs: Vec<Sign> = (0..words.len()).map(rare).collect();
    epochs(&mut criterion, "sparse", &words, &signs)?;
    criterion.final_summary();
    Ok(())
}

/// An epoch of each learner, the number of examples being the throughput.
fn epochs<E: Examples>(criterion: &mut Criterion, name: &str, examples: &E, signs: &[Sign]) -> Result<()> {
    let mut group = criterion.benchmark_group("epoch");
    group.throughput(Throughput::Elements(examples.len() as u64));
    let dim = examples.dim();
    macro_rules! bench {
        ($learner:literal, $live:expr, $labels:expr) => {
            let mut live = $live;
            group.bench_function(BenchmarkId::new($learner, name), |bencher| {
                bencher.iter(|| black_box(live.learn_batch(examples, $labels)));
            });
        };
    }
    let targets: Vec<f64> = signs.iter().map(|sign| sign.value()).collect();
    let small = Schedule::constant(1e-4)?;
    bench!("perceptron", Perceptron::default().with_bias(Bias::Standard).live(dim)?, signs);
    bench!("relaxation", Relaxation::default().with_bias(Bias::Standard).live(dim)?, signs);
    bench!("passive–aggressive", passive().live(dim)?, signs);
    bench!("winnow", Winnow::default().with_promotion(1.001).live(dim)?, signs);
    bench!("lms", Lms::default().with_schedule(small).live(dim)?, &targets);
    bench!("pegasos", LivePegasos::new(dim, 1e-4)?, signs);
    group.finish();
    Ok(())
}

/// Steps of at most 0.1.
fn passive() -> PassiveAggressive {
    PassiveAggressive::default().with_aggressiveness(Aggressiveness::Capped(0.1)).with_bias(Bias::Standard)
}
