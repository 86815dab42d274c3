//! Rows of Gaussian kernel values: nanoseconds a value, and the share of the processor's peak.

use std::error::Error;
use std::path::Path;
use std::time::Instant;

use lm_benches::peak;
use lm_core::{Collection, Columns, Csr, Dense, Examples, Gram, VectorGram, VectorKernel};
use lm_data::svmlight;
use serde::Serialize;

/// Examples of every case.
const LEN: usize = 10_000;

/// Rows that are asked for at a time.
const ROWS: usize = 60;

/// The time that the calls of one run take together, about.
const CALLS_SECONDS: f64 = 0.02;

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
    /// Nanoseconds a value in single precision on one thread, all runs.
    single: Vec<f64>,
    /// The same in double precision.
    double: Vec<f64>,
    /// In single precision on two threads.
    single_two: Vec<f64>,
    /// Operations a second of the processor, measured between the runs, on one thread and on two.
    peak: Option<f64>,
    peak_two: Option<f64>,
}

impl Rows {
    /// The share of the peak, counting two operations a column and nothing for the exponential.
    fn share(&self, nanoseconds: &[f64], peak: Option<f64>) -> Option<f64> {
        Some(2.0 * self.columns as f64 / best(nanoseconds) * 1e9 / peak?)
    }

    fn scaling(&self) -> f64 {
        best(&self.single) / best(&self.single_two)
    }

    /// Whether the targets of dense rows are met.
    pub(super) fn met(&self) -> bool {
        let near = self.share(&self.single, self.peak).is_none_or(|share| share >= TARGET);
        !self.dense || self.columns < WIDE || (near && self.scaling() >= SCALING)
    }
}

fn best(times: &[f64]) -> f64 {
    times.iter().copied().fold(f64::INFINITY, f64::min)
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
        single: Vec::new(),
        double: Vec::new(),
        single_two: Vec::new(),
        peak: None,
        peak_two: None,
    };
    let pool = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let (one, two) = (pool(1)?, pool(2)?);
    let rows: Vec<usize> = (0..ROWS).map(|k| k * (len / ROWS)).collect();
    let (mut narrow, mut wide) = (vec![0.0_f32; ROWS * len], vec![0.0; ROWS * len]);
    let first = time(|| gram.fill_f32(&rows, Columns::All, &mut narrow))?;
    // One call after the other, as a solver asks: a single one would be timed with the waking of a thread.
    let calls = ((CALLS_SECONDS / first) as usize).clamp(1, 1000);
    let scale = 1e9 / (calls * ROWS * len) as f64;
    let mut narrow_calls = || (0..calls).try_for_each(|_| gram.fill_f32(&rows, Columns::All, &mut narrow));
    let mut wide_calls = || (0..calls).try_for_each(|_| gram.fill(&rows, Columns::All, &mut wide));
    // Many short runs: the best of them is the one with the fewest disturbances.
    for repeat in 0..=4 * repeats {
        let mut narrow_run = || time(&mut narrow_calls);
        let single = one.install(&mut narrow_run)?;
        let single_two = two.install(&mut narrow_run)?;
        let double = one.install(|| time(&mut wide_calls))?;
        if repeat > 0 {
            found.single.push(single * scale);
            found.single_two.push(single_two * scale);
            found.double.push(double * scale);
        }
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
    let share = |times: &[f64], peak| match rows.share(times, peak) {
        Some(share) if rows.dense => format!("{:.0} %", 100.0 * share),
        _ => "–".to_owned(),
    };
    format!(
        "| {} | {:.0} | {} | {:.3} | {} | {:.3} | {} | {:.2} | {:.3} |",
        rows.case,
        rows.entries,
        rows.layout,
        best(&rows.single),
        share(&rows.single, rows.peak),
        best(&rows.single_two),
        share(&rows.single_two, rows.peak_two),
        rows.scaling(),
        best(&rows.double)
    )
}

/// The table of all cases.
pub(super) fn table(all: &[Rows]) -> String {
    let gigaflops = |peak: Option<f64>| peak.map_or("–".to_owned(), |peak| format!("{:.0}", peak / 1e9));
    let peaks = |of: fn(&Rows) -> Option<f64>| gigaflops(all.iter().filter_map(of).reduce(f64::max));
    let head = format!(
        "Rows of Gaussian kernel values, {ROWS} rows at a time over {LEN} examples, best of all runs. The peak is that of \
         single-precision multiply-adds, measured between the runs: {} GF/s on one thread and {} on two at best. A share \
         counts two operations a column and none for the exponential.\n\n\
         | examples | entries | layout | f32, ns a value | share of peak | f32 on two threads, ns | share of peak | \
         scaling | f64, ns a value |\n|---|--:|---|--:|--:|--:|--:|--:|--:|\n",
        peaks(|rows| rows.peak),
        peaks(|rows| rows.peak_two)
    );
    all.iter().fold(head, |text, rows| text + &line(rows) + "\n")
}
