//! Reading svmlight text: generated data always, real data sets where `LM_DATA` names their folder.
//!
//! ```text
//! LM_DATA=folder cargo bench -p lm-benches --bench io
//! ```

use std::error::Error;
use std::hint::black_box;
use std::io::Read;

use criterion::{Criterion, Throughput};
use lm_benches::{real_data, svmlight_text};
use lm_data::svmlight::{self, Blocks, Options};

fn main() -> Result<(), Box<dyn Error>> {
    let mut criterion = Criterion::default().sample_size(20).configure_from_args();
    bench_text(&mut criterion, "generated", &svmlight_text(20_000, 20, 1)?)?;
    for name in ["ijcnn1", "covtype.binary"] {
        let Some(path) = real_data(name) else { continue };
        let compressed = std::fs::read(path)?;
        let mut text = Vec::new();
        flate2::read::GzDecoder::new(&compressed[..]).read_to_end(&mut text)?;
        bench_text(&mut criterion, name, &text)?;
        let options = Options::default();
        let mut group = criterion.benchmark_group(format!("svmlight/{name}"));
        group.throughput(Throughput::Bytes(text.len() as u64));
        group.bench_function("read gzip", |bencher| {
            bencher.iter(|| black_box(svmlight::read::<f64>(&compressed[..], &options)));
        });
    }
    criterion.final_summary();
    Ok(())
}

/// Times the ways of reading one text, after checking that it can be read.
fn bench_text(criterion: &mut Criterion, name: &str, text: &[u8]) -> Result<(), Box<dyn Error>> {
    let options = Options::default();
    let whole = svmlight::read::<f64>(text, &options)?;
    let mut group = criterion.benchmark_group(format!("svmlight/{name}"));
    group.throughput(Throughput::Bytes(text.len() as u64));
    group.bench_function("read f64", |bencher| {
        bencher.iter(|| black_box(svmlight::read::<f64>(text, &options)));
    });
    group.bench_function("read f32", |bencher| {
        bencher.iter(|| black_box(svmlight::read::<f32>(text, &options)));
    });
    group.bench_function("stream f64", |bencher| {
        bencher.iter(|| {
            let blocks = Blocks::<_, f64>::new(text, &options);
            black_box(
                blocks.map(|blocks| blocks.filter_map(Result::ok).map(|b| b.labels.len()).sum::<usize>()),
            )
        });
    });
    group.bench_function("write", |bencher| {
        bencher.iter(|| {
            let mut out = Vec::with_capacity(text.len() + (1 << 17));
            black_box(svmlight::write(&mut out, &whole.examples, &whole.labels)).map(|()| out.len())
        });
    });
    group.finish();
    Ok(())
}
