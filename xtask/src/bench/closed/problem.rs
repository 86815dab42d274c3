//! One problem: how it is handed to peers, timed with each, and how near the answers are.

use std::error::Error;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::bench::engine::{read_numbers, write_numbers};
use crate::bench::peer::Peer;
use crate::bench::report::{milliseconds, ratio, times_faster};

/// How long a program has the machine to itself before it is timed: threads of the one before it may wait for more work
/// in a loop, which takes a core from the next.
const REST: Duration = Duration::from_millis(400);

/// The running peers, and where numbers are handed over.
pub(super) struct Peers {
    pub(super) main: Option<Peer>,
    pub(super) gpy: Option<Peer>,
    pub(super) scratch: PathBuf,
}

/// A method of a peer, and how many times faster ours must be.
#[derive(Clone, Copy)]
pub(super) struct Method {
    pub(super) name: &'static str,
    pub(super) shown: &'static str,
    pub(super) least: f64,
}

/// What is solved: by us in `ours`, by peers from what `load` makes them hold.
pub(super) struct Problem<'a> {
    pub(super) name: String,
    pub(super) methods: &'a [Method],
    pub(super) load: Value,
    pub(super) settings: Value,
    /// Solves the problem and gives the numbers of the answer.
    pub(super) ours: &'a dyn Fn() -> lm_core::Result<Vec<f64>>,
    /// How bad an answer is: its distance from ours in parts of ours, unless there is something better to say.
    pub(super) judge: &'a dyn Fn(&[f64], &[f64]) -> f64,
}

/// The times of one problem, in seconds.
#[derive(Serialize)]
pub(super) struct Times {
    problem: String,
    ours: Vec<f64>,
    /// How bad our own answer is, as the judge of peers says.
    difference: f64,
    peers: Vec<PeerTimes>,
}

/// The times of a peer's method.
#[derive(Serialize)]
struct PeerTimes {
    method: &'static str,
    least: f64,
    seconds: Vec<f64>,
    /// How bad its answer is.
    difference: f64,
}

#[derive(Deserialize)]
struct Loaded {
    rows: usize,
}

#[derive(Deserialize)]
struct Answer {
    seconds: f64,
}

impl Times {
    /// Whether the targets are met, as far as they were measured.
    pub(super) fn met(&self) -> bool {
        self.peers.iter().all(|peer| ratio(&self.ours, &peer.seconds).is_none_or(|ratio| ratio >= peer.least))
    }

    /// The head of the table.
    pub(super) fn head() -> String {
        "Whole fits through the public interface, medians; both sides may use both cores. A difference is that of the peer's \
         answer from ours in parts of ours, for logistic regression by how much the objective exceeds the least one seen, in \
         parts of it (in brackets ours).\n\n\
         | problem | ours, ms | peer | ms | times faster | asked for | difference |\n|---|--:|---|--:|--:|--:|--:|\n"
            .to_owned()
    }

    /// A line of the table for each peer.
    pub(super) fn lines(&self) -> String {
        if self.peers.is_empty() {
            return format!("| {} | {} | – | – | – | – | – |\n", self.problem, milliseconds(&self.ours));
        }
        let line = |peer: &PeerTimes| {
            let own =
                if self.difference > 0.0 { format!(" ({:.0e})", self.difference) } else { String::new() };
            format!(
                "| {} | {} | {} | {} | {} | {} | {:.0e}{own} |\n",
                self.problem,
                milliseconds(&self.ours),
                peer.method,
                milliseconds(&peer.seconds),
                times_faster(ratio(&self.ours, &peer.seconds)),
                peer.least,
                peer.difference,
            )
        };
        self.peers.iter().map(line).collect()
    }
}

impl Problem<'_> {
    /// Ours and theirs in turn, the first time not counted.
    pub(super) fn measure(&self, peers: &mut Peers, repeats: u32) -> Result<Times, Box<dyn Error>> {
        let answer = peers.scratch.join("closed-answer");
        let mut loaded = [false, false];
        let mut times =
            Times { problem: self.name.clone(), ours: Vec::new(), difference: 0.0, peers: Vec::new() };
        let mut answers: Vec<Vec<f64>> = Vec::new();
        let mut own = Vec::new();
        for repeat in 0..=repeats {
            std::thread::sleep(REST);
            let start = Instant::now();
            own = (self.ours)()?;
            times.ours.extend((repeat > 0).then(|| start.elapsed().as_secs_f64()));
            for method in self.methods {
                let apart = method.name == "GPy";
                let Some(peer) = (if apart { &mut peers.gpy } else { &mut peers.main }) else { continue };
                if !loaded[usize::from(apart)] {
                    let there: Loaded = peer.ask(&self.load.to_string())?;
                    if there.rows == 0 {
                        return Err(format!("{}: the peer has no rows", self.name).into());
                    }
                    loaded[usize::from(apart)] = true;
                }
                let request = json!({"kind": "fit", "method": method.name, "settings": self.settings, "answer": answer});
                std::thread::sleep(REST);
                let asked: Answer = peer.ask(&request.to_string())?;
                let at = match times.peers.iter().position(|known| known.method == method.shown) {
                    Some(at) => at,
                    None => {
                        let (method, least) = (method.shown, method.least);
                        times.peers.push(PeerTimes { method, least, seconds: Vec::new(), difference: 0.0 });
                        answers.push(Vec::new());
                        times.peers.len() - 1
                    }
                };
                times.peers[at].seconds.extend((repeat > 0).then_some(asked.seconds));
                answers[at] = read_numbers(&answer)?;
            }
        }
        times.difference = (self.judge)(&own, &own);
        for (peer, answer) in times.peers.iter_mut().zip(&answers) {
            peer.difference = (self.judge)(&own, answer);
        }
        print!("{}", times.lines());
        Ok(times)
    }
}

/// The distance of an answer from ours in parts of ours; infinite for another number of numbers.
pub(super) fn distance(ours: &[f64], theirs: &[f64]) -> f64 {
    if ours.len() != theirs.len() {
        return f64::INFINITY;
    }
    let norm = |of: &mut dyn Iterator<Item = f64>| of.map(|x| x * x).sum::<f64>().sqrt();
    norm(&mut ours.iter().zip(theirs).map(|(a, b)| a - b)) / norm(&mut ours.iter().copied())
}

/// What a peer loads: rows and labels as raw numbers in files.
pub(super) fn raw(
    peers: &Peers,
    name: &str,
    values: &[f64],
    columns: usize,
    labels: &[f64],
) -> Result<Value, Box<dyn Error>> {
    let file = |part: &str| peers.scratch.join(format!("closed-{name}-{part}"));
    if peers.main.is_some() || peers.gpy.is_some() {
        write_numbers(&file("rows"), values)?;
        write_numbers(&file("labels"), labels)?;
    }
    Ok(json!({"kind": "load", "file": file("rows"), "labels": file("labels"), "columns": columns}))
}
