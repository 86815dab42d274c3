//! Decision values of Gaussian expansions, against scikit-learn and scikit-learn-intelex with the same support vectors.

use std::error::Error;
use std::path::Path;
use std::time::Instant;

use lm_core::{Dense, Examples, Hypothesis, Sign, SupportVectors, VectorExpansion, VectorKernel};
use lm_data::svmlight;
use serde::{Deserialize, Serialize};

use crate::bench::peer::Peer;
use crate::bench::report::{milliseconds, ratio, times_faster};
use crate::idx;

/// Points that are decided.
const POINTS: usize = 10_000;

/// How many times faster than each peer ours must be.
const TARGETS: [(&str, f64); 2] = [("scikit-learn", 30.0), ("scikit-learn-intelex", 3.0)];

/// The times of one machine, in seconds.
#[derive(Serialize)]
pub(super) struct Times {
    case: &'static str,
    vectors: usize,
    layout: String,
    /// Decision values in double precision.
    ours: Vec<f64>,
    /// The sides alone.
    sides: Vec<f64>,
    /// Those of each peer.
    theirs: Vec<(&'static str, Vec<f64>)>,
}

impl Times {
    pub(super) fn met(&self) -> bool {
        let reached = |name: &str, target: f64| {
            let peer = self.theirs.iter().find(|(peer, _)| *peer == name);
            peer.is_none_or(|(_, times)| ratio(&self.ours, times).is_none_or(|ratio| ratio >= target))
        };
        TARGETS.iter().all(|&(name, target)| reached(name, target))
    }
}

/// Dense examples with labels ±1, and points to decide on.
struct Set {
    case: &'static str,
    values: Vec<f64>,
    labels: Vec<f64>,
    columns: usize,
    points: Vec<f64>,
    cost: f64,
    gamma: f64,
}

#[derive(Deserialize)]
struct Machine {
    vectors: usize,
    bias: f64,
}

#[derive(Deserialize)]
struct Answer {
    seconds: f64,
}

pub(super) fn measure(
    data: &Path,
    scratch: &Path,
    peer: Option<&mut Peer>,
    repeats: u32,
) -> Result<Vec<Times>, Box<dyn Error>> {
    let Some(peer) = peer else {
        println!("the support vectors come from a peer: no decision values without one");
        return Ok(Vec::new());
    };
    let sets = [a9a(data)?, mnist(data)?];
    sets.into_iter().map(|set| case(set, scratch, peer, repeats)).collect()
}

fn case(set: Set, scratch: &Path, peer: &mut Peer, repeats: u32) -> Result<Times, Box<dyn Error>> {
    let Set { case, values, labels, columns, points, cost, gamma } = set;
    let file = |name: &str| scratch.join(format!("{case}-{name}.f64"));
    super::write_numbers(&file("examples"), &values)?;
    super::write_numbers(&file("labels"), &labels)?;
    super::write_numbers(&file("points"), &points)?;
    let machine: Machine = peer.ask(
        &serde_json::json!({
            "kind": "fit", "file": file("examples"), "labels": file("labels"), "columns": columns, "cost": cost,
            "gamma": gamma, "vectors": file("vectors"), "coefficients": file("coefficients"),
        })
        .to_string(),
    )?;
    let support = Dense::new(super::read_numbers(&file("vectors"))?, machine.vectors, columns)?;
    let coefficients = super::read_numbers(&file("coefficients"))?;
    let sizes: f64 = coefficients.iter().map(|c| c.abs()).sum();
    let kernel = VectorKernel::gaussian(gamma)?;
    let expansion =
        VectorExpansion::new(kernel, SupportVectors::DenseF64(support), coefficients, machine.bias)?;
    let queries = Dense::new(points, POINTS, columns)?;
    let layout = expansion.layout().map_or_else(String::new, |layout| layout.to_string());
    let mut times = Times {
        case,
        vectors: machine.vectors,
        layout,
        ours: Vec::new(),
        sides: Vec::new(),
        theirs: TARGETS.map(|(name, _)| (name, Vec::new())).to_vec(),
    };
    for repeat in 0..=repeats {
        let start = Instant::now();
        let own = expansion.decision_values(&queries)?;
        let seconds = start.elapsed().as_secs_f64();
        let start = Instant::now();
        let signs = expansion.signs(&queries)?;
        let signs_seconds = start.elapsed().as_secs_f64();
        if !signs.iter().zip(&own).all(|(sign, value)| *sign == Sign::of(*value)) {
            return Err("the sides are not those of the decision values".into());
        }
        if repeat > 0 {
            times.ours.push(seconds);
            times.sides.push(signs_seconds);
        }
        for (name, seconds) in &mut times.theirs {
            // The slow peer some times less.
            if repeat > 3 && *name == "scikit-learn" {
                continue;
            }
            let answer: Answer = peer.ask(
                &serde_json::json!({
                    "kind": "decide", "machine": name, "file": file("points"), "columns": columns,
                    "values": file("values"),
                })
                .to_string(),
            )?;
            let values = super::read_numbers(&file("values"))?;
            if !own.iter().zip(&values).all(|(a, b)| (a - b).abs() <= 1e-9 * sizes) {
                return Err(format!("{name} decides otherwise").into());
            }
            if repeat > 0 {
                seconds.push(answer.seconds);
            }
        }
    }
    println!("{}", line(&times));
    Ok(times)
}

/// The census data, with entries 0 and 1.
fn a9a(data: &Path) -> Result<Set, Box<dyn Error>> {
    let read = svmlight::open::<f64>(data.join("a9a/train.svm.gz"), &svmlight::Options::default())?;
    let examples = Dense::copied(&read.examples)?;
    let (values, columns) = (examples.contiguous().unwrap_or_default().to_vec(), examples.dim());
    let points = values[..POINTS * columns].to_vec();
    Ok(Set { case: "a9a", values, labels: read.labels, columns, points, cost: 1.0, gamma: 0.05 })
}

/// Handwritten digits, even against odd, with grey values between 0 and 1. The cost is so small that every example
/// becomes a support vector.
fn mnist(data: &Path) -> Result<Set, Box<dyn Error>> {
    const EACH: usize = 4_000;
    let (images, sizes) = idx::read(&data.join("mnist/train-images-idx3-ubyte"), 3)?;
    let (digits, _) = idx::read(&data.join("mnist/train-labels-idx1-ubyte"), 1)?;
    let (tests, _) = idx::read(&data.join("mnist/t10k-images-idx3-ubyte"), 3)?;
    let columns = sizes[1] * sizes[2];
    let grey = |bytes: &[u8]| bytes.iter().map(|&byte| f64::from(byte) / 255.0).collect::<Vec<f64>>();
    let (mut values, mut labels, mut counts) = (Vec::new(), Vec::new(), [0; 2]);
    for (image, digit) in images.chunks_exact(columns).zip(&digits) {
        let odd = usize::from(digit % 2);
        if counts[odd] < EACH {
            counts[odd] += 1;
            values.extend(grey(image));
            labels.push(if odd == 1 { 1.0 } else { -1.0 });
        }
    }
    let points = grey(&tests[..POINTS * columns]);
    Ok(Set { case: "mnist", values, labels, columns, points, cost: 1e-3, gamma: 0.02 })
}

fn line(times: &Times) -> String {
    let peers = times.theirs.iter().map(|(_, theirs)| {
        format!("{} | {}", milliseconds(theirs), times_faster(ratio(&times.ours, theirs)))
    });
    format!(
        "| {} | {} × {POINTS} | {} | {} | {} | {} |",
        times.case,
        times.vectors,
        times.layout,
        milliseconds(&times.ours),
        milliseconds(&times.sides),
        peers.collect::<Vec<String>>().join(" | ")
    )
}

/// The table of all machines.
pub(super) fn table(all: &[Times]) -> String {
    let head = "Decision values of Gaussian expansions in double precision, the same support vectors for all, medians.\n\n\
                | data | vectors × points | layout | ours, ms | ours, sides only, ms | scikit-learn, ms | times faster | \
                scikit-learn-intelex f64, ms | times faster |\n|---|---|---|--:|--:|--:|--:|--:|--:|\n";
    all.iter().fold(head.to_owned(), |text, times| text + &line(times) + "\n")
}
