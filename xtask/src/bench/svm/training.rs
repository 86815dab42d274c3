//! Training: the same problem at LIBSVM's own stop rule for all, and what every answer is worth.

use std::error::Error;
use std::fs::File;
use std::path::Path;
use std::time::{Duration, Instant};

use flate2::read::GzDecoder;
use lm_core::{BinaryLabels, Collection, Dense, Examples, Learner, OverVectors, VectorKernel};
use lm_data::svmlight;
use lm_qp::{CSvc, Solver};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::evaluate::{Worth, worth};
use crate::bench::SuiteArguments;
use crate::bench::engine::{read_numbers, write_numbers};
use crate::bench::peer::Peer;
use crate::bench::report::{median, ratio, times_faster};
use crate::idx;

/// How long a program has the machine to itself before it is timed.
const REST: Duration = Duration::from_millis(400);

/// LIBSVM's stop rule, for all.
const EPSILON: f64 = 1e-3;

/// A gap may be worse than a peer's by this factor and still count as the same.
const SAME: f64 = 1.05;

/// What is asked of the geometric mean of the ratios against each peer, and of each ratio.
const PEERS: [(&str, f64); 4] = [("LIBSVM", 15.0), ("SVC", 15.0), ("intel f64", 5.0), ("intel f32", 3.0)];
const LEAST: f64 = 1.5;

/// A data set, how much of it, how its labels become two classes, and the width of the kernel.
struct Case {
    folder: &'static str,
    rows: usize,
    gamma: f64,
    costs: &'static [f64],
    side: fn(f64) -> bool,
}

const CASES: [Case; 9] = [
    Case { folder: "a9a", rows: 10_000, gamma: 0.05, costs: &[1.0, 100.0], side: |y| y > 0.0 },
    Case { folder: "a9a", rows: 32_561, gamma: 0.05, costs: &[1.0], side: |y| y > 0.0 },
    Case { folder: "w8a", rows: 49_749, gamma: 0.05, costs: &[1.0], side: |y| y > 0.0 },
    Case { folder: "ijcnn1", rows: 15_000, gamma: 2.0, costs: &[1.0, 32.0], side: |y| y > 0.0 },
    Case { folder: "ijcnn1", rows: 49_990, gamma: 2.0, costs: &[32.0], side: |y| y > 0.0 },
    Case { folder: "mnist", rows: 8_000, gamma: 0.02, costs: &[1.0, 10.0], side: |y| y % 2.0 == 0.0 },
    Case { folder: "usps", rows: 7_291, gamma: 0.0078125, costs: &[1.0, 100.0], side: |y| y % 2.0 == 0.0 },
    Case { folder: "letter", rows: 15_000, gamma: 1.0, costs: &[1.0, 100.0], side: |y| y <= 13.0 },
    Case { folder: "splice", rows: 1_000, gamma: 0.0166, costs: &[1.0, 100.0], side: |y| y > 0.0 },
];

/// The times of one problem, in seconds, and what the answers are worth.
#[derive(Serialize)]
pub(super) struct Times {
    problem: String,
    ours: Vec<f64>,
    worth: Worth,
    peers: Vec<PeerTimes>,
}

#[derive(Serialize)]
struct PeerTimes {
    name: &'static str,
    seconds: Vec<f64>,
    worth: Worth,
}

#[derive(Deserialize)]
struct Answer {
    seconds: f64,
}

#[derive(Deserialize)]
struct Loaded {
    rows: usize,
}

impl Times {
    pub(super) fn head() -> String {
        "Whole fits through the public interface, medians of seconds; both sides may use both cores, and stop by LIBSVM's rule at \
         1e-3. Gap and violation of every answer are those of one evaluator in double precision.\n\n\
         | problem | ours, s | gap | violation | peer | s | gap | violation | times faster |\n\
         |---|--:|--:|--:|---|--:|--:|--:|--:|\n"
            .to_owned()
    }

    pub(super) fn lines(&self) -> String {
        let seconds = |of: &[f64]| median(of).map_or("–".to_owned(), |seconds| format!("{seconds:.3}"));
        let own = format!(
            "| {} | {} | {:.1e} | {:.1e} |",
            self.problem,
            seconds(&self.ours),
            self.worth.gap,
            self.worth.kkt
        );
        if self.peers.is_empty() {
            return format!("{own} – | – | – | – | – |\n");
        }
        let line = |peer: &PeerTimes| {
            format!(
                "{own} {} | {} | {:.1e} | {:.1e} | {}{} |\n",
                peer.name,
                seconds(&peer.seconds),
                peer.worth.gap,
                peer.worth.kkt,
                times_faster(ratio(&self.ours, &peer.seconds)),
                if self.counts(peer) { "" } else { " (our gap is worse)" },
            )
        };
        self.peers.iter().map(line).collect()
    }

    /// Whether our answer is as good as that of a peer.
    fn counts(&self, peer: &PeerTimes) -> bool {
        self.worth.gap <= SAME * peer.worth.gap
    }
}

/// The geometric means of all ratios, peer by peer.
pub(super) fn summary(all: &[Times]) -> String {
    let mut text = "| peer | geometric mean | least | asked for |\n|---|--:|--:|--:|\n".to_owned();
    for (name, asked) in PEERS {
        if let Some((mean, least)) = means(all, name) {
            text += &format!("| {name} | {mean:.1} | {least:.1} | {asked} |\n");
        }
    }
    text
}

/// Geometric mean and least of the ratios that count.
fn means(all: &[Times], name: &str) -> Option<(f64, f64)> {
    let of = |times: &Times| {
        let peer = times.peers.iter().find(|peer| peer.name == name && times.counts(peer))?;
        ratio(&times.ours, &peer.seconds)
    };
    let ratios: Vec<f64> = all.iter().filter_map(of).collect();
    let sum: f64 = ratios.iter().map(|ratio| ratio.ln()).sum();
    let least = ratios.iter().copied().fold(f64::INFINITY, f64::min);
    (!ratios.is_empty()).then(|| ((sum / ratios.len() as f64).exp(), least))
}

pub(super) fn met(all: &[Times]) -> bool {
    let reached = |&(name, asked): &(&str, f64)| {
        means(all, name).is_none_or(|(mean, least)| mean >= asked && least >= LEAST)
    };
    PEERS.iter().all(reached)
}

pub(super) fn measure(
    arguments: &SuiteArguments,
    scratch: &Path,
    mut peer: Option<&mut Peer>,
) -> Result<Vec<Times>, Box<dyn Error>> {
    let mut all = Vec::new();
    for case in &CASES {
        let name = |cost: f64| format!("{} {}, C = {cost}", case.folder, case.rows);
        let costs: Vec<f64> =
            case.costs.iter().copied().filter(|&cost| arguments.wants(&name(cost))).collect();
        if costs.is_empty() {
            continue;
        }
        let Some(Read { values, labels, columns }) = read(case, &arguments.data)? else {
            println!("{} is left out: it is not in {}", case.folder, arguments.data.display());
            continue;
        };
        let rows = labels.len();
        let (file, label_file) = (scratch.join("svm-rows"), scratch.join("svm-labels"));
        if let Some(peer) = peer.as_deref_mut() {
            write_numbers(&file, &values)?;
            write_numbers(&label_file, &labels)?;
            let load = json!({"kind": "load", "file": file, "labels": label_file, "columns": columns});
            let there: Loaded = peer.ask(&load.to_string())?;
            if there.rows != rows {
                return Err("the peer has another number of rows".into());
            }
        }
        let examples = Dense::new(values, rows, columns)?;
        for cost in costs {
            let set = Set { examples: &examples, labels: &labels, cost, gamma: case.gamma };
            let times = set.measure(name(cost), peer.as_deref_mut(), scratch, arguments.repeats)?;
            print!("{}", times.lines());
            all.push(times);
        }
    }
    Ok(all)
}

/// A data set in memory, its labels being ±1.
struct Read {
    values: Vec<f64>,
    labels: Vec<f64>,
    columns: usize,
}

/// The first rows of a data set; none if it is not there.
fn read(case: &Case, data: &Path) -> Result<Option<Read>, Box<dyn Error>> {
    let side = |label: f64| if (case.side)(label) { 1.0 } else { -1.0 };
    let folder = data.join(case.folder);
    if case.folder == "mnist" {
        if !folder.is_dir() {
            return Ok(None);
        }
        let (images, sizes) = idx::read(&folder.join("train-images-idx3-ubyte"), 3)?;
        let (digits, _) = idx::read(&folder.join("train-labels-idx1-ubyte"), 1)?;
        let columns = sizes[1] * sizes[2];
        let rows = case.rows.min(digits.len());
        let values = images[..rows * columns].iter().map(|&grey| f64::from(grey) / 255.0).collect();
        let labels = digits[..rows].iter().map(|&digit| side(f64::from(digit))).collect();
        return Ok(Some(Read { values, labels, columns }));
    }
    let path = folder.join("train.svm.gz");
    if !path.is_file() {
        return Ok(None);
    }
    let read = svmlight::read::<f64>(GzDecoder::new(File::open(&path)?), &svmlight::Options::default())?;
    let (rows, columns) = (case.rows.min(read.examples.len()), read.examples.dim());
    let mut values = vec![0.0; rows * columns];
    for (row, to) in values.chunks_exact_mut(columns).enumerate() {
        read.examples.row(row).write_to(to);
    }
    let labels = read.labels[..rows].iter().map(|&label| side(label)).collect();
    Ok(Some(Read { values, labels, columns }))
}

struct Set<'a> {
    examples: &'a Dense<'a>,
    labels: &'a [f64],
    cost: f64,
    gamma: f64,
}

impl Set<'_> {
    fn measure(
        &self,
        problem: String,
        mut peer: Option<&mut Peer>,
        scratch: &Path,
        repeats: u32,
    ) -> Result<Times, Box<dyn Error>> {
        let Self { examples, labels, cost, gamma } = *self;
        let signs: Vec<i64> = labels.iter().map(|&y| y as i64).collect();
        let answer = scratch.join("svm-answer");
        let machine =
            CSvc::default().with_cost(cost).with_solver(Solver::default().with_libsvm_epsilon(EPSILON));
        let learner = OverVectors::new(machine, VectorKernel::gaussian(gamma)?);
        let (mut ours, mut own) = (Vec::new(), Vec::new());
        let mut theirs: Vec<(Vec<f64>, Vec<f64>)> = vec![(Vec::new(), Vec::new()); PEERS.len()];
        for repeat in 0..=repeats {
            std::thread::sleep(REST);
            let start = Instant::now();
            let fit = learner.fit(examples, &BinaryLabels::from_integers(&signs)?)?;
            ours.extend((repeat > 0).then(|| start.elapsed().as_secs_f64()));
            own = fit.certificate.evidence().coefficients().to_vec();
            let Some(peer) = peer.as_deref_mut() else { continue };
            for ((name, _), (seconds, coefficients)) in PEERS.iter().zip(&mut theirs) {
                // A peer that takes long is measured less often.
                if seconds.len() >= 3 && seconds.iter().sum::<f64>() > 60.0 {
                    continue;
                }
                std::thread::sleep(REST);
                let settings = json!({"cost": cost, "gamma": gamma, "epsilon": EPSILON});
                let request = json!({"kind": "fit", "method": name, "settings": settings, "answer": answer});
                let asked: Answer = peer.ask(&request.to_string())?;
                seconds.extend((repeat > 0).then_some(asked.seconds));
                *coefficients = read_numbers(&answer)?;
            }
        }
        let judge = |coefficients: &[f64]| worth(examples, labels, coefficients, cost, gamma);
        let mut peers = Vec::new();
        for ((name, _), (seconds, coefficients)) in PEERS.iter().zip(theirs) {
            if !seconds.is_empty() {
                peers.push(PeerTimes { name, seconds, worth: judge(&coefficients)? });
            }
        }
        Ok(Times { problem, ours, worth: judge(&own)?, peers })
    }
}
