//! What estimates of the leave-one-out error are worth: a table of them beside the exact error of data sets in the format of
//! LIBSVM (`NAME/train.svm.gz` in a folder), and how much faster the exact one is than fits without each example.
//!
//! ```text
//! cargo run --release -p lm-bounds --example left_out FOLDER [NAME…]
//! ```

#![allow(clippy::print_stdout, reason = "an example speaks through the terminal")]

use std::path::Path;
use std::time::Instant;

use lm_bounds::{Spans, leave_one_out, support_share, xi_alpha};
use lm_core::multiclass::DecideRows;
use lm_core::{
    BinaryLabels, Budget, Collection, Control, Dense, Examples, Labelling, Learner, Lift, MatrixGram,
    Selection, Sign, TrainingSet, VectorGram, VectorKernel, WithoutOne, parallel,
};
use lm_data::scaling::{Scaler, Scaling};
use lm_data::svmlight;
use lm_qp::{CSvc, Removals};

type Done<T> = Result<T, Box<dyn std::error::Error>>;

/// The sets of two classes that are asked for unless others are named.
const NAMES: [&str; 8] = [
    "heart_scale",
    "sonar_scale",
    "ionosphere_scale",
    "german_numer_scale",
    "australian_scale",
    "diabetes_scale",
    "breast-cancer_scale",
    "splice",
];

fn main() -> Done<()> {
    let mut arguments = std::env::args().skip(1);
    let Some(folder) = arguments.next() else { return Err("which folder holds the data sets?".into()) };
    let named: Vec<String> = arguments.collect();
    let names = if named.is_empty() { NAMES.map(String::from).to_vec() } else { named };
    println!("| data | ℓ | C | exact | span | ξα | #sv/ℓ | exact, s | refits, s | times faster |");
    println!("|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|");
    for name in names {
        let (examples, labels) = read(&Path::new(&folder).join(&name).join("train.svm.gz"))?;
        for cost in [1.0, 10.0, 100.0] {
            line(&name, &examples, &labels, cost)?;
        }
    }
    Ok(())
}

/// Examples scaled to −1 … 1, and their labels.
fn read(path: &Path) -> Done<(Dense<'static>, BinaryLabels)> {
    let set = svmlight::open::<f64>(path, &svmlight::Options::default())?;
    let scaler = Scaler::fit(&set.examples, Scaling::MinMax { low: -1.0, high: 1.0 })?;
    let labels = BinaryLabels::from_numbers(&set.labels)?;
    Ok((scaler.apply(&set.examples)?, labels))
}

/// One machine with a Gaussian kernel of the width that is usual for so many features.
fn line(name: &str, examples: &Dense<'_>, labels: &BinaryLabels, cost: f64) -> Done<()> {
    let kernel = VectorKernel::gaussian(1.0 / examples.dim() as f64)?;
    let gram = MatrixGram::computed(&VectorGram::new(examples, kernel)?, &Budget::default())?;
    let (set, control, machine) =
        (TrainingSet::new(&gram, labels)?, Control::default(), CSvc::default().with_cost(cost));
    let start = Instant::now();
    let solved = Removals::solve(&machine, &set, &control)?;
    let exact = leave_one_out(&solved, &control)?;
    let seconds = start.elapsed().as_secs_f64();
    let start = Instant::now();
    let wrong = parallel::map(labels.len(), |row| is_wrong(&machine, &gram, labels, row));
    let wrong = wrong.into_iter().collect::<lm_core::Result<Vec<bool>>>()?;
    let refits = start.elapsed().as_secs_f64();
    let wrong: Vec<usize> = (0..wrong.len()).filter(|&row| wrong[row]).collect();
    if exact.undecided() > 0 || exact.wrong() != wrong {
        println!("{name}, C = {cost}: {} undecided; {:?} and {wrong:?}", exact.undecided(), exact.wrong());
    }
    let span = Spans::of(&solved)?.map_or("–".to_owned(), |spans| format!("{:.4}", spans.error()));
    println!(
        "| {name} | {} | {cost} | {:.4} | {span} | {:.4} | {:.4} | {seconds:.3} | {refits:.2} | {:.0} |",
        labels.len(),
        exact.error(),
        xi_alpha(solved.shares(), 1.0, true)?,
        support_share(solved.shares()),
        refits / seconds
    );
    Ok(())
}

/// Whether the machine that has not seen an example, learned from the beginning, is wrong about it.
fn is_wrong(
    machine: &CSvc,
    gram: &MatrixGram<'_>,
    labels: &BinaryLabels,
    row: usize,
) -> lm_core::Result<bool> {
    let kept: Vec<usize> = (0..labels.len()).filter(|&other| other != row).collect();
    let fit = machine.fit(&Selection::new(gram, &kept)?, &labels.select(&kept)?)?;
    let value = fit.model.lifted(&kept)?.decision_values_at(gram, &[row])?[0];
    Ok(Sign::of(value) != labels.signs()[row])
}
