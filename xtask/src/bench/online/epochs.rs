//! One epoch of the perceptron and of Pegasos, against a plain read of the same memory and against the epochs of other
//! programs.

use std::error::Error;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::Instant;

use lm_benches::noisy;
use lm_core::{Csr, Dense, Element, Examples, Sign};
use lm_data::svmlight;
use lm_online::{Averaging, Bias, Live, LivePegasos, Perceptron, PerceptronRule};
use serde::{Deserialize, Serialize};

use crate::bench::engine::{read_numbers, write_numbers};
use crate::bench::peer::Peer;
use crate::bench::report::{median, ratio, times_faster};

/// How many times a plain read of the same memory a dense epoch of the perceptron may take.
const READS: f64 = 1.5;

/// How many times faster than the same epoch of scikit-learn ours must be, on dense and on sparse examples.
const DENSE: f64 = 10.0;
const SPARSE: f64 = 5.0;

/// Epochs over which those of a peer are timed.
const PEER_EPOCHS: u32 = 5;

/// The times of an epoch over one set, in seconds.
#[derive(Serialize)]
pub(super) struct Times {
    case: String,
    dense: bool,
    bytes: usize,
    /// The share of examples that led to a correction of the perceptron in its last epoch.
    corrected: f64,
    read: Vec<f64>,
    perceptron: Vec<f64>,
    pegasos: Vec<f64>,
    /// scikit-learn's `Perceptron`.
    sklearn_perceptron: Vec<f64>,
    /// scikit-learn's `SGDClassifier` with the hinge loss.
    sklearn_sgd: Vec<f64>,
    /// A pass of Vowpal Wabbit over its cache, with the hinge loss.
    wabbit: Vec<f64>,
}

impl Times {
    /// Whether the targets are met, as far as they were measured.
    pub(super) fn met(&self) -> bool {
        let target = if self.dense { DENSE } else { SPARSE };
        let reached =
            |ours: &[f64], theirs: &[f64], least: f64| ratio(ours, theirs).is_none_or(|ratio| ratio >= least);
        (!self.dense || reached(&self.perceptron, &self.read, 1.0 / READS))
            && reached(&self.perceptron, &self.sklearn_perceptron, target)
            && reached(&self.pegasos, &self.sklearn_sgd, target)
            && reached(&self.pegasos, &self.wabbit, 1.0)
    }
}

/// What a peer is asked of a set: to load it, and whether it is also written for Vowpal Wabbit.
struct Request {
    load: serde_json::Value,
    words: Option<PathBuf>,
    /// Where the weights of the peer's perceptron are to be written, if they must be ours.
    weights: Option<PathBuf>,
}

#[derive(Deserialize)]
struct Answer {
    seconds: f64,
}

#[derive(Deserialize)]
struct Loaded {
    rows: usize,
}

#[derive(Deserialize)]
struct Weights {
    bias: f64,
}

pub(super) fn measure(
    data: &Path,
    scratch: &Path,
    mut peer: Option<&mut Peer>,
    repeats: u32,
) -> Result<Vec<Times>, Box<dyn Error>> {
    let mut all = Vec::new();
    for (rows, columns) in [(100_000, 50), (60_000, 784)] {
        let (values, signs) = noisy(rows, columns);
        let narrow: Vec<f32> = values.iter().map(|&value| value as f32).collect();
        let name = format!("{rows} × {columns}");
        all.push(dense((&name, "f64"), &values, (rows, columns), &signs, scratch, &mut peer, repeats)?);
        all.push(dense((&name, "f32"), &narrow, (rows, columns), &signs, scratch, &mut peer, repeats)?);
    }
    // The first ten of twenty news groups against the others.
    for (name, above) in [("a9a", 0.0), ("news20", 10.0)] {
        let path = data.join(name).join("train.svm.gz");
        let read = svmlight::open::<f64>(&path, &svmlight::Options::default())?;
        let signs: Vec<Sign> = read.labels.iter().map(|label| Sign::of(label - above - 0.5)).collect();
        let load = serde_json::json!({"kind": "load", "file": path, "above": above});
        let words = (name == "a9a").then(|| scratch.join("a9a.words"));
        let request = Request { load, words, weights: None };
        all.push(case(name.to_owned(), &read.examples, &signs, &request, &mut peer, repeats)?);
    }
    Ok(all)
}

/// A number as it lies in a file.
trait Raw: Element {
    const TYPE: &'static str;
    fn bytes(self) -> Vec<u8>;
}

impl Raw for f64 {
    const TYPE: &'static str = "float64";
    fn bytes(self) -> Vec<u8> {
        self.to_le_bytes().to_vec()
    }
}

impl Raw for f32 {
    const TYPE: &'static str = "float32";
    fn bytes(self) -> Vec<u8> {
        self.to_le_bytes().to_vec()
    }
}

fn dense<T: Raw>(
    (name, storage): (&str, &str),
    values: &[T],
    (rows, columns): (usize, usize),
    signs: &[Sign],
    scratch: &Path,
    peer: &mut Option<&mut Peer>,
    repeats: u32,
) -> Result<Times, Box<dyn Error>> {
    let file = |part: &str| scratch.join(format!("epochs-{rows}-{columns}-{part}"));
    if peer.is_some() {
        let bytes: Vec<u8> = values.iter().flat_map(|value| value.bytes()).collect();
        std::fs::write(file(storage), bytes)?;
        write_numbers(&file("labels"), &signs.iter().map(|sign| sign.value()).collect::<Vec<f64>>())?;
    }
    let load = serde_json::json!({
        "kind": "load", "file": file(storage), "labels": file("labels"), "columns": columns, "type": T::TYPE,
    });
    // Only in double precision does the peer compute as we do.
    let weights = (storage == "f64").then(|| file("weights"));
    let request = Request { load, words: None, weights };
    let examples = Dense::borrowed(values, rows, columns)?;
    case(format!("{name} {storage}"), &examples, signs, &request, peer, repeats)
}

/// Arrays that an epoch reads.
trait Arrays: Examples {
    /// Reads all of them once, and does as little as possible with them.
    fn read(&self) -> u64;
    /// Their size.
    fn bytes(&self) -> usize;
    const DENSE: bool;
}

impl<T: Raw> Arrays for Dense<'_, T> {
    fn read(&self) -> u64 {
        sum(self.contiguous().unwrap_or_default())
    }

    fn bytes(&self) -> usize {
        size_of_val(self.contiguous().unwrap_or_default())
    }

    const DENSE: bool = true;
}

impl Arrays for Csr<'_, f64> {
    fn read(&self) -> u64 {
        let (offsets, indices, values) = self.parts();
        let small: u64 = indices.iter().map(|&index| u64::from(index)).sum();
        offsets.iter().fold(small, |sum, &offset| sum.wrapping_add(offset as u64)).wrapping_add(sum(values))
    }

    fn bytes(&self) -> usize {
        let (offsets, indices, values) = self.parts();
        size_of_val(offsets) + size_of_val(indices) + size_of_val(values)
    }

    const DENSE: bool = false;
}

/// The sum of all numbers in sixteen parts, so that it takes no longer than the memory.
fn sum<T: Element>(values: &[T]) -> u64 {
    let mut sums = [0.0; 16];
    let (blocks, rest) = values.as_chunks::<16>();
    for block in blocks {
        sums.iter_mut().zip(block).for_each(|(sum, value)| *sum += value.to_f64());
    }
    rest.iter().for_each(|value| sums[0] += value.to_f64());
    sums.iter().sum::<f64>().to_bits()
}

fn perceptron(columns: usize) -> lm_core::Result<Live<PerceptronRule>> {
    Perceptron::default().with_bias(Bias::Standard).live(columns)
}

fn case<E: Arrays>(
    name: String,
    examples: &E,
    signs: &[Sign],
    request: &Request,
    peer: &mut Option<&mut Peer>,
    repeats: u32,
) -> Result<Times, Box<dyn Error>> {
    if let Some(peer) = peer {
        let loaded: Loaded = peer.ask(&request.load.to_string())?;
        if loaded.rows != examples.len() {
            return Err(format!("{name}: the peer has {} rows", loaded.rows).into());
        }
        if let Some(text) = &request.words {
            let _: Loaded = peer.ask(&serde_json::json!({"kind": "words", "text": text}).to_string())?;
        }
        compare(&name, examples, signs, request, peer)?;
    }
    let mut times = Times {
        case: name,
        dense: E::DENSE,
        bytes: examples.bytes(),
        corrected: 0.0,
        read: Vec::new(),
        perceptron: Vec::new(),
        pegasos: Vec::new(),
        sklearn_perceptron: Vec::new(),
        sklearn_sgd: Vec::new(),
        wabbit: Vec::new(),
    };
    let mut corrected = perceptron(examples.dim())?;
    let mut hinge = LivePegasos::new(examples.dim(), 1e-4)?.with_averaging(Averaging::Last)?;
    for repeat in 0..=repeats {
        let own = [
            time(|| Ok(black_box(examples.read())))?,
            time(|| corrected.learn_batch(examples, signs).map(|met| met.corrections))?,
            time(|| hinge.learn_batch(examples, signs))?,
        ];
        times.corrected = own[1].1 as f64 / examples.len() as f64;
        if repeat > 0 {
            times.read.push(own[0].0);
            times.perceptron.push(own[1].0);
            times.pegasos.push(own[2].0);
        }
        let Some(peer) = peer else { continue };
        let mut ask = |request: serde_json::Value, to: &mut Vec<f64>| -> Result<(), Box<dyn Error>> {
            let answer: Answer = peer.ask(&request.to_string())?;
            to.extend((repeat > 0).then_some(answer.seconds));
            Ok(())
        };
        let epoch =
            |machine: &str| serde_json::json!({"kind": "epoch", "machine": machine, "epochs": PEER_EPOCHS});
        ask(epoch("Perceptron"), &mut times.sklearn_perceptron)?;
        ask(epoch("SGDClassifier"), &mut times.sklearn_sgd)?;
        if let Some(text) = &request.words {
            let passes = serde_json::json!({"kind": "pass", "text": text, "epochs": 4 * PEER_EPOCHS});
            ask(passes, &mut times.wabbit)?;
        }
    }
    println!("{}", line(&times));
    Ok(times)
}

/// Three epochs of the perceptron are the same procedure in both programs, so they end with the same weights.
fn compare<E: Examples>(
    name: &str,
    examples: &E,
    signs: &[Sign],
    request: &Request,
    peer: &mut Peer,
) -> Result<(), Box<dyn Error>> {
    let Some(file) = &request.weights else { return Ok(()) };
    let asked = serde_json::json!({"kind": "weights", "epochs": 3, "weights": file});
    let theirs: Weights = peer.ask(&asked.to_string())?;
    let mut own = perceptron(examples.dim())?;
    for _ in 0..3 {
        own.learn_batch(examples, signs)?;
    }
    let (own, weights) = (own.model()?, read_numbers(file)?);
    let size = own.norm();
    let near = |a: f64, b: f64| (a - b).abs() <= 1e-9 * size;
    let all_near = own.weights().iter().zip(&weights).all(|(&a, &b)| near(a, b));
    if weights.len() == examples.dim() && all_near && near(own.bias(), theirs.bias) {
        Ok(())
    } else {
        Err(format!("{name}: the perceptrons end with different weights").into())
    }
}

/// The seconds that some work takes, and what came of it.
fn time<T>(work: impl FnOnce() -> lm_core::Result<T>) -> lm_core::Result<(f64, T)> {
    let start = Instant::now();
    let made = work()?;
    Ok((start.elapsed().as_secs_f64(), made))
}

fn line(times: &Times) -> String {
    let milliseconds = |times: &[f64]| {
        median(times).map_or_else(|| "–".to_owned(), |seconds| format!("{:.2}", 1e3 * seconds))
    };
    let reads = ratio(&times.read, &times.perceptron).map_or_else(String::new, |reads| format!("{reads:.2}"));
    format!(
        "| {} | {:.1} | {:.1} % | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |",
        times.case,
        times.bytes as f64 / 1e6,
        100.0 * times.corrected,
        milliseconds(&times.read),
        milliseconds(&times.perceptron),
        reads,
        milliseconds(&times.sklearn_perceptron),
        times_faster(ratio(&times.perceptron, &times.sklearn_perceptron)),
        milliseconds(&times.pegasos),
        milliseconds(&times.sklearn_sgd),
        times_faster(ratio(&times.pegasos, &times.sklearn_sgd)),
        milliseconds(&times.wabbit),
        times_faster(ratio(&times.pegasos, &times.wabbit)),
    )
}

/// The table of all sets.
pub(super) fn table(all: &[Times]) -> String {
    let head = "One epoch over all examples in the order given, on one thread, medians. A read sums the arrays that hold the \
                examples. Epochs of peers are timed without what a fit does before and after them.\n\n\
                | examples | MB | corrected | read, ms | perceptron, ms | times a read | scikit-learn `Perceptron`, ms | \
                times faster | Pegasos, ms | scikit-learn `SGDClassifier` (hinge), ms | times faster | \
                Vowpal Wabbit (hinge, cached), ms | times faster |\n\
                |---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n";
    all.iter().fold(head.to_owned(), |text, times| text + &line(times) + "\n")
}
