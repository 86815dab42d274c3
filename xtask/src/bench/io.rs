//! Reading svmlight files: ours against scikit-learn's `load_svmlight_file`, alternately, on the same files.

use std::error::Error;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::Instant;

use lm_core::{Collection, Examples};
use lm_data::svmlight;

use serde::{Deserialize, Serialize};

use super::peer::{Peer, started};
use super::report::{Run, milliseconds, ratio, times_faster, write_run};
use crate::root::workspace_root;

const SETS: [&str; 2] = ["ijcnn1", "covtype.binary"];

/// How many times faster than the peer the text files must be read.
const TARGET: f64 = 5.0;

/// Measures, reports, and says whether the target was met.
pub(super) fn run(data: &Path, repeats: u32) -> Result<bool, Box<dyn Error>> {
    let root = workspace_root();
    let mut peer = started(&root, "svmlight.py", &["scikit-learn==1.9.1"]);
    let mut run = Run::new("cargo xtask bench io --data DIR", repeats, &peer);
    for set in SETS {
        let gzip = data.join(set).join("train.svm.gz");
        let text = unpacked(&root, set, &gzip)?;
        for (form, path) in [("text", &text), ("gzip", &gzip)] {
            run.cases.push(measure(set, form, path, peer.as_mut(), repeats)?);
        }
    }
    write_run(&root, "io", &run, &table(&run.cases))?;
    let missed = |times: &Times| times.form == "text" && times.ratio().is_some_and(|ratio| ratio < TARGET);
    Ok(!run.cases.iter().any(missed))
}

/// What a program made of a file, and how long it took.
#[derive(Debug, Clone, Deserialize)]
struct Reading {
    seconds: f64,
    rows: usize,
    columns: usize,
    entries: usize,
    values: f64,
    labels: f64,
}

/// The times of one file, in seconds, in the order they were taken.
#[derive(Serialize)]
struct Times {
    set: &'static str,
    form: &'static str,
    bytes: u64,
    rows: usize,
    columns: usize,
    entries: usize,
    ours: Vec<f64>,
    theirs: Vec<f64>,
}

impl Times {
    fn ratio(&self) -> Option<f64> {
        ratio(&self.ours, &self.theirs)
    }

    /// A row of the table.
    fn line(&self) -> String {
        let least =
            |times: &[f64]| milliseconds(&times.iter().copied().reduce(f64::min).map_or(vec![], |t| vec![t]));
        format!(
            "| {} ({}) | {:.1} | {} | {} | {} | {} | {} | {} | {} |",
            self.set,
            self.form,
            self.bytes as f64 / 1e6,
            self.rows,
            self.entries,
            milliseconds(&self.ours),
            least(&self.ours),
            milliseconds(&self.theirs),
            least(&self.theirs),
            times_faster(self.ratio())
        )
    }
}

fn table(cases: &[Times]) -> String {
    let head = "| file | MB | rows | entries | ours, median ms | ours, best ms | scikit-learn, median ms | scikit-learn, best ms | times faster (medians) |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|\n";
    cases.iter().fold(head.to_owned(), |text, times| text + &times.line() + "\n")
}

/// Reads one file in turn with both programs, once more than counted: the first time warms the system's cache.
fn measure(
    set: &'static str,
    form: &'static str,
    path: &Path,
    mut peer: Option<&mut Peer>,
    repeats: u32,
) -> Result<Times, Box<dyn Error>> {
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    let mut first = None;
    for repeat in 0..=repeats {
        let own = read(path)?;
        let other =
            peer.as_deref_mut().map(|peer| peer.ask::<Reading>(&path.display().to_string())).transpose()?;
        if let Some(other) = &other {
            same(&own, other).map_err(|what| format!("{set}: the programs read different {what}"))?;
        }
        if repeat > 0 {
            ours.push(own.seconds);
            theirs.extend(other.map(|other| other.seconds));
        }
        first.get_or_insert(own);
    }
    let Some(own) = first else { return Err("no repeats".into()) };
    let bytes = std::fs::metadata(path)?.len();
    let times =
        Times { set, form, bytes, rows: own.rows, columns: own.columns, entries: own.entries, ours, theirs };
    println!("{}", times.line());
    Ok(times)
}

/// Reads a file by the public way in.
fn read(path: &Path) -> Result<Reading, Box<dyn Error>> {
    let start = Instant::now();
    let data = svmlight::open::<f64>(path, &svmlight::Options::default())?;
    let seconds = start.elapsed().as_secs_f64();
    Ok(Reading {
        seconds,
        rows: data.examples.len(),
        columns: data.examples.dim(),
        entries: data.examples.entries(),
        values: data.examples.parts().2.iter().sum(),
        labels: data.labels.iter().sum(),
    })
}

/// Whether two programs read the same: sizes exactly, sums up to the order of summation.
fn same(a: &Reading, b: &Reading) -> Result<(), &'static str> {
    if (a.rows, a.columns, a.entries) != (b.rows, b.columns, b.entries) {
        return Err("sizes");
    }
    let close = |x: f64, y: f64| (x - y).abs() <= 1e-9 * (1.0 + x.abs().max(y.abs()));
    if !close(a.values, b.values) {
        return Err("values");
    }
    if close(a.labels, b.labels) { Ok(()) } else { Err("labels") }
}

/// A decompressed copy of a file, made once.
fn unpacked(root: &Path, set: &str, gzip: &Path) -> Result<PathBuf, Box<dyn Error>> {
    let folder = root.join("target/bench-data");
    std::fs::create_dir_all(&folder)?;
    let (path, part) = (folder.join(format!("{set}.svm")), folder.join(format!("{set}.part")));
    if !path.is_file() {
        let file = File::open(gzip).map_err(|error| format!("{}: {error}", gzip.display()))?;
        std::io::copy(&mut flate2::read::MultiGzDecoder::new(file), &mut File::create(&part)?)?;
        std::fs::rename(&part, &path)?;
    }
    Ok(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_medians_and_best_times() {
        let mut times = Times {
            set: "a",
            form: "text",
            bytes: 2_000_000,
            rows: 1,
            columns: 1,
            entries: 1,
            ours: vec![0.5, 0.25, 1.0],
            theirs: vec![4.0, 5.0, 6.0],
        };
        assert_eq!(times.line(), "| a (text) | 2.0 | 1 | 1 | 500.0 | 250.0 | 5000.0 | 4000.0 | 10.0 |");
        times.theirs.clear();
        assert_eq!(times.ratio(), None);
    }

    #[test]
    fn readings_agree_up_to_the_order_of_summation() {
        let a = Reading { seconds: 1.0, rows: 2, columns: 3, entries: 4, values: 0.3, labels: 0.0 };
        assert_eq!(same(&a, &Reading { values: 0.1 + 0.2, seconds: 9.0, ..a.clone() }), Ok(()));
        assert_eq!(same(&a, &Reading { values: 0.31, ..a.clone() }), Err("values"));
        assert_eq!(same(&a, &Reading { labels: 1.0, ..a.clone() }), Err("labels"));
        assert_eq!(same(&a, &Reading { entries: 5, ..a.clone() }), Err("sizes"));
        assert!(same(&a, &Reading { values: f64::NAN, ..a.clone() }).is_err());
    }
}
