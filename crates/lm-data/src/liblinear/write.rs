//! Writing a model file of LIBLINEAR.

use std::io::Write;
use std::path::Path;

use lm_core::{Error, Result, persist};

use super::model::Model;
use crate::text::general::General;

/// Writes a model to a file, so that the path holds the old content or the new one at every moment.
///
/// # Errors
/// [`Error::Io`] if the folder does not exist or cannot be written to, in which case the old file is untouched.
pub fn save(path: impl AsRef<Path>, model: &Model) -> Result<()> {
    let mut text = Vec::new();
    write(&mut text, model)?;
    persist::replace(path, &text)
}

/// Writes a model as LIBLINEAR does, with seventeen digits.
///
/// # Errors
/// [`Error::Io`] if the writer fails.
pub fn write(writer: &mut impl Write, model: &Model) -> Result<()> {
    written(writer, model).map_err(|error| Error::io("writing the model", &error))
}

fn written(writer: &mut impl Write, model: &Model) -> std::io::Result<()> {
    let classes = if model.solver.is_classification() { model.labels.len() } else { 2 };
    write!(writer, "solver_type {}\nnr_class {classes}\n", model.solver.name())?;
    if !model.labels.is_empty() {
        writer.write_all(b"label")?;
        model.labels.iter().try_for_each(|label| write!(writer, " {label}"))?;
        writer.write_all(b"\n")?;
    }
    write!(writer, "nr_feature {}\nbias {}\n", model.features, General(model.bias, 17))?;
    if let Some(rho) = model.rho {
        writeln!(writer, "rho {}", General(rho, 17))?;
    }
    writer.write_all(b"w\n")?;
    for row in model.weights.chunks_exact(model.functions.len().max(1)) {
        row.iter().try_for_each(|&weight| write!(writer, "{} ", General(weight, 17)))?;
        writer.write_all(b"\n")?;
    }
    writer.flush()
}
