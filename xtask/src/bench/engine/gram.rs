//! Whole Gaussian Gram matrices in double precision, against scikit-learn's `rbf_kernel`.

use std::error::Error;
use std::path::Path;
use std::time::Instant;

use lm_core::{Budget, Dense, MatrixGram, VectorGram, VectorKernel};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use serde::{Deserialize, Serialize};

use crate::bench::peer::Peer;
use crate::bench::report::{milliseconds, ratio, times_faster};

const LEN: usize = 8_000;

/// How many times faster ours must be.
const TARGET: f64 = 5.0;

/// The times of one matrix, in seconds.
#[derive(Serialize)]
pub(super) struct Times {
    len: usize,
    columns: usize,
    /// In memory of the matrix before, which was touched already.
    ours: Vec<f64>,
    /// In new memory.
    fresh: Vec<f64>,
    theirs: Vec<f64>,
}

impl Times {
    pub(super) fn met(&self) -> bool {
        ratio(&self.ours, &self.theirs).is_none_or(|ratio| ratio >= TARGET)
    }
}

#[derive(Deserialize)]
struct Answer {
    seconds: f64,
    sum: f64,
}

/// Random numbers between −1 and 1.
pub(super) fn numbers(count: usize) -> Vec<f64> {
    let mut random = ChaCha8Rng::seed_from_u64(3);
    (0..count).map(|_| random.random_range(-1.0..1.0)).collect()
}

pub(super) fn measure(
    scratch: &Path,
    mut peer: Option<&mut Peer>,
    repeats: u32,
) -> Result<Vec<Times>, Box<dyn Error>> {
    let mut all = Vec::new();
    for columns in [20, 300] {
        let values = numbers(LEN * columns);
        let file = scratch.join(format!("gram-{columns}.f64"));
        super::write_numbers(&file, &values)?;
        let examples = Dense::new(values, LEN, columns)?;
        let gamma = 1.0 / columns as f64;
        let request = serde_json::json!({"kind": "gram", "file": file, "columns": columns, "gamma": gamma});
        let mut times = Times { len: LEN, columns, ours: Vec::new(), fresh: Vec::new(), theirs: Vec::new() };
        let mut memory = Vec::new();
        for repeat in 0..=repeats {
            let ours = |memory| {
                let start = Instant::now();
                let gram = VectorGram::new(&examples, VectorKernel::gaussian(gamma)?)?;
                let matrix = MatrixGram::computed_in(&gram, &Budget::default(), memory)?;
                Ok::<_, lm_core::Error>((start.elapsed().as_secs_f64(), matrix.into_values()))
            };
            let (fresh, values) = ours(Vec::new())?;
            drop(values);
            let (own, values) = ours(memory)?;
            memory = values;
            let sum: f64 = memory.iter().sum();
            let other =
                peer.as_deref_mut().map(|peer| peer.ask::<Answer>(&request.to_string())).transpose()?;
            if other.as_ref().is_some_and(|other| (other.sum - sum).abs() > 1e-9 * sum) {
                return Err("the programs computed different matrices".into());
            }
            if repeat > 0 {
                times.ours.push(own);
                times.fresh.push(fresh);
                times.theirs.extend(other.map(|other| other.seconds));
            }
        }
        println!("{}", line(&times));
        all.push(times);
    }
    Ok(all)
}

fn line(times: &Times) -> String {
    format!(
        "| {} × {} | {} | {} | {} | {} |",
        times.len,
        times.columns,
        milliseconds(&times.ours),
        milliseconds(&times.fresh),
        milliseconds(&times.theirs),
        times_faster(ratio(&times.ours, &times.theirs))
    )
}

/// The table of all matrices.
pub(super) fn table(all: &[Times]) -> String {
    let head = "Whole Gaussian Gram matrices in double precision, packing included, medians. Both programs work in memory that \
                was touched before: new pages of half a gigabyte cost more than the arithmetic. The time in new memory is \
                told beside.\n\n\
                | examples | ours, ms | ours in new memory, ms | scikit-learn `rbf_kernel`, ms | times faster |\n\
                |---|--:|--:|--:|--:|\n";
    all.iter().fold(head.to_owned(), |text, times| text + &line(times) + "\n")
}
