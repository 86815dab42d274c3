//! A maximal margin machine, and all that theory says of it: the ledger as text; with a file name, also as a picture.
//!
//! ```text
//! cargo run -p lm-bounds --example ledger [picture.svg]
//! ```

#![allow(clippy::print_stdout, reason = "an example speaks through the terminal")]

use lm_bounds::ledger::{Evidence, Ledger};
use lm_bounds::radius;
use lm_core::{BinaryLabels, Dense, Hypothesis, Learner, Margins, TrainingSet, VectorGram, VectorKernel};
use lm_data::generate::{SeparableSettings, separable};
use lm_qp::{Bias, CSvc};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Two classes on both sides of a hyperplane through the origin; half of the examples are for the test.
    let made = separable(&SeparableSettings::default().with_len(2000).with_dim(5).with_margin(0.2), 1)?.data;
    let half = |from: usize| -> lm_core::Result<(Dense<'static>, BinaryLabels)> {
        let rows: Vec<&[f64]> = (from..from + 1000).map(|row| made.examples.slice(row)).collect();
        Ok((Dense::from_rows(&rows)?, BinaryLabels::new(made.labels.signs()[from..from + 1000].to_vec())?))
    };
    let ((examples, labels), (new, truth)) = (half(0)?, half(1000)?);
    let gram = VectorGram::new(&examples, VectorKernel::linear())?;
    let fit = CSvc::default().with_bias(Bias::None).with_cost(1e4).fit(&gram, &labels)?.converged()?;
    let plane = fit.model.over_columns(&examples)?;

    let margins = Margins::geometric(&plane, &TrainingSet::new(&examples, &labels)?)?;
    let norms = lm_core::Gram::diagonal(&gram)?;
    let cosines = margins.values().iter().zip(&norms).map(|(m, k)| (m / k.sqrt()).clamp(-1.0, 1.0)).collect();
    let wrong = |signs: &[lm_core::Sign], labels: &BinaryLabels| {
        signs.iter().zip(labels.signs()).filter(|(a, b)| a != b).count() as u64
    };
    let evidence = Evidence::new(1000)
        .with_training_errors(wrong(&plane.signs(&examples)?, &labels))
        .with_support(fit.model.rows().len() as u64)
        .with_dimension(5)
        .with_margins(margins.values().to_vec())
        .with_cosines(cosines)
        .with_radius(radius::largest_norm(&gram)?)
        .with_held_out(wrong(&plane.signs(&new)?, &truth), 1000);
    let ledger = Ledger::new(0.05)?.with_name("five attributes, margin 0.2").with(&evidence)?;
    println!("{}", ledger.text());
    if let Some(path) = std::env::args().nth(1) {
        std::fs::write(path, ledger.picture())?;
    }
    Ok(())
}
