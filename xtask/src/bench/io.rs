//! Reading svmlight files: ours against scikit-learn's `load_svmlight_file`, alternately, on the same files.

use std::error::Error;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::Instant;

use lm_core::{Collection, Examples};
use lm_data::svmlight;

use super::peer::{Peer, Reading};
use super::report::{Run, Times, write_run};
use crate::root::workspace_root;

const SETS: [&str; 2] = ["ijcnn1", "covtype.binary"];

/// How many times faster than the peer the text files must be read.
const TARGET: f64 = 5.0;

/// Measures, reports, and says whether the target was met.
pub(super) fn run(data: &Path, repeats: u32) -> Result<bool, Box<dyn Error>> {
    let root = workspace_root();
    let mut peer = match Peer::start(&root) {
        Ok(peer) => Some(peer),
        Err(error) => {
            eprintln!("scikit-learn cannot be run ({error}); measuring ours only");
            None
        }
    };
    let mut run = Run::new(repeats, peer.as_ref().map(|peer| peer.versions.clone()).unwrap_or_default());
    for set in SETS {
        let gzip = data.join(set).join("train.svm.gz");
        let text = unpacked(&root, set, &gzip)?;
        for (form, path) in [("text", &text), ("gzip", &gzip)] {
            run.files.push(measure(set, form, path, peer.as_mut(), repeats)?);
        }
    }
    write_run(&root, &run)?;
    let missed = |times: &&Times| times.form == "text" && times.ratio().is_some_and(|ratio| ratio < TARGET);
    Ok(!run.files.iter().any(|times| missed(&times)))
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
        let other = peer.as_deref_mut().map(|peer| peer.read(path)).transpose()?;
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
    fn readings_agree_up_to_the_order_of_summation() {
        let a = Reading { seconds: 1.0, rows: 2, columns: 3, entries: 4, values: 0.3, labels: 0.0 };
        assert_eq!(same(&a, &Reading { values: 0.1 + 0.2, seconds: 9.0, ..a.clone() }), Ok(()));
        assert_eq!(same(&a, &Reading { values: 0.31, ..a.clone() }), Err("values"));
        assert_eq!(same(&a, &Reading { labels: 1.0, ..a.clone() }), Err("labels"));
        assert_eq!(same(&a, &Reading { entries: 5, ..a.clone() }), Err("sizes"));
        assert!(same(&a, &Reading { values: f64::NAN, ..a.clone() }).is_err());
    }
}
