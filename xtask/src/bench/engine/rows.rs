//! Rows of Gaussian kernel values: nanoseconds a value, and the share of the processor's peak.

use std::error::Error;
use std::path::Path;
use std::time::Instant;

use lm_benches::peak;
use lm_core::{Collection, Columns, Csr, Dense, Examples, Gram, VectorGram, VectorKernel};
use lm_data::svmlight;
use serde::Serialize;

use crate::bench::report::{median, ratio};

/// Examples of every case.
const LEN: usize = 10_000;

/// Rows that are asked for at a time.
const ROWS: usize = 60;

/// The time that the calls of one run take together, about.
const RUN_SECONDS: f64 = 0.05;

/// The share of the peak that dense rows in single precision must reach from [`WIDE`] columns on.
const TARGET: f64 = 0.8;
const WIDE: usize = 64;

/// How many times one thread two threads must reach.
const SCALING: f64 = 1.8;

/// The best rates of one case.
#[derive(Serialize)]
pub(super) struct Rows {
    case: String,
    layout: String,
    columns: usize,
    /// Entries of an example, on average.
    entries: f64,
    dense: bool,
    /// In single precision on one thread.
    single: Calls,
    /// The same in double precision.
    double: Calls,
    /// In single precision on two threads.
    single_two: Calls,
    /// Operations a second of the processor, measured between the runs, on one thread and on two.
    peak: Option<f64>,
    peak_two: Option<f64>,
}

impl Rows {
    /// The share of the peak, counting two operations a column and nothing for the exponential.
    fn share(&self, calls: &Calls, peak: Option<f64>) -> Option<f64> {
        Some(2.0 * self.columns as f64 / calls.best() * 1e9 / peak?)
    }

    fn scaling(&self) -> Option<f64> {
        ratio(&self.single_two.medians, &self.single.medians)
    }

    /// Whether the targets of dense rows are met.
    pub(super) fn met(&self) -> bool {
        let near = self.share(&self.single, self.peak).is_none_or(|share| share >= TARGET);
        let both = self.scaling().is_none_or(|scaling| scaling >= SCALING);
        !self.dense || self.columns < WIDE || (near && both)
    }
}

/// Nanoseconds a value, call after call as a solver asks: of each run the best call, and the median one.
#[derive(Serialize, Default)]
struct Calls {
    bests: Vec<f64>,
    medians: Vec<f64>,
}

impl Calls {
    /// Times the calls of a run.
    fn run(&mut self, values: usize, mut call: impl FnMut() -> lm_core::Result<()>) -> lm_core::Result<()> {
        let first = time(&mut call)?;
        let count = ((RUN_SECONDS / first) as usize).clamp(5, 1000);
        let calls = (0..count).map(|_| time(&mut call)).collect::<lm_core::Result<Vec<f64>>>()?;
        let nanoseconds: Vec<f64> = calls.iter().map(|seconds| 1e9 * seconds / values as f64).collect();
        self.bests.extend(nanoseconds.iter().copied().reduce(f64::min));
        self.medians.extend(median(&nanoseconds));
        Ok(())
    }

    fn best(&self) -> f64 {
        self.bests.iter().copied().fold(f64::INFINITY, f64::min)
    }
}

/// Measures dense rows of several widths, and sparse ones.
pub(super) fn measure(data: &Path, repeats: u32) -> Result<Vec<Rows>, Box<dyn Error>> {
    let mut all = Vec::new();
    for columns in [4, 22, 64, 123, 784] {
        let values = super::gram::numbers(LEN * columns);
        let examples = Dense::new(values, LEN, columns)?;
        let gamma = 1.0 / columns as f64;
        all.push(case(&format!("dense, {columns} columns"), &examples, gamma, repeats)?);
    }
    for (name, gamma) in [("a9a", 0.05), ("w8a", 0.05), ("news20", 0.5)] {
        let path = data.join(name).join("train.svm.gz");
        let read = svmlight::open::<f64>(&path, &svmlight::Options::default())?;
        let examples = first(&read.examples)?;
        all.push(case(name, &examples, gamma, repeats)?);
    }
    Ok(all)
}

/// The first examples of a set.
fn first(examples: &Csr<'_>) -> Result<Csr<'static>, Box<dyn Error>> {
    let len = examples.len().min(LEN);
    let (offsets, indices, values) = examples.parts();
    let end = offsets[len];
    let parts = (offsets[..=len].to_vec(), indices[..end].to_vec(), values[..end].to_vec());
    Ok(Csr::new(parts.0, parts.1, parts.2, examples.dim())?)
}

fn case<E: Examples>(name: &str, examples: &E, gamma: f64, repeats: u32) -> Result<Rows, Box<dyn Error>> {
    let gram = VectorGram::new(examples, VectorKernel::gaussian(gamma)?)?;
    let len = examples.len();
    let entries = |row: usize| {
        let mut count = 0;
        examples.row(row).for_each(|_, value| count += usize::from(value != 0.0));
        count
    };
    let mut found = Rows {
        case: name.to_owned(),
        layout: gram.layout().to_string(),
        columns: examples.dim(),
        entries: (0..len).map(entries).sum::<usize>() as f64 / len as f64,
        dense: name.starts_with("dense"),
        single: Calls::default(),
        double: Calls::default(),
        single_two: Calls::default(),
        peak: None,
        peak_two: None,
    };
    let pool = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let (one, two) = (pool(1)?, pool(2)?);
    let rows: Vec<usize> = (0..ROWS).map(|k| k * (len / ROWS)).collect();
    let (mut narrow, mut wide) = (vec![0.0_f32; ROWS * len], vec![0.0; ROWS * len]);
    let values = ROWS * len;
    for repeat in 0..4 * repeats {
        let mut narrow_call = || gram.fill_f32(&rows, Columns::All, &mut narrow);
        one.install(|| found.single.run(values, &mut narrow_call))?;
        two.install(|| found.single_two.run(values, &mut narrow_call))?;
        one.install(|| found.double.run(values, || gram.fill(&rows, Columns::All, &mut wide)))?;
        if repeat % repeats == 0 {
            found.peak = found.peak.into_iter().chain(peak::single_precision(1)).reduce(f64::max);
            found.peak_two = found.peak_two.into_iter().chain(peak::single_precision(2)).reduce(f64::max);
        }
    }
    println!("{}", line(&found));
    Ok(found)
}

/// Seconds of a piece of work.
fn time(work: impl FnOnce() -> lm_core::Result<()>) -> Result<f64, lm_core::Error> {
    let start = Instant::now();
    work()?;
    Ok(start.elapsed().as_secs_f64())
}

fn line(rows: &Rows) -> String {
    let share = |calls: &Calls, peak| match rows.share(calls, peak) {
        Some(share) if rows.dense => format!("{:.0} %", 100.0 * share),
        _ => "–".to_owned(),
    };
    format!(
        "| {} | {:.0} | {} | {:.3} | {} | {:.3} | {} | {} | {:.3} |",
        rows.case,
        rows.entries,
        rows.layout,
        rows.single.best(),
        share(&rows.single, rows.peak),
        rows.single_two.best(),
        share(&rows.single_two, rows.peak_two),
        rows.scaling().map_or_else(|| "–".to_owned(), |scaling| format!("{scaling:.2}")),
        rows.double.best()
    )
}

/// The table of all cases.
pub(super) fn table(all: &[Rows]) -> String {
    let gigaflops = |peak: Option<f64>| peak.map_or("–".to_owned(), |peak| format!("{:.0}", peak / 1e9));
    let peaks = |of: fn(&Rows) -> Option<f64>| gigaflops(all.iter().filter_map(of).reduce(f64::max));
    let head = format!(
        "Rows of Gaussian kernel values, {ROWS} rows at a time over {LEN} examples, call after call: times of the best call, \
         scaling by the median calls. The peak is that of \
         single-precision multiply-adds, measured between the runs: {} GF/s on one thread and {} on two at best. A share \
         counts two operations a column and none for the exponential.\n\n\
         | examples | entries | layout | f32, ns a value | share of peak | f32 on two threads, ns | share of peak | \
         scaling | f64, ns a value |\n|---|--:|---|--:|--:|--:|--:|--:|--:|\n",
        peaks(|rows| rows.peak),
        peaks(|rows| rows.peak_two)
    );
    all.iter().fold(head, |text, rows| text + &line(rows) + "\n")
}
