//! Writing a model file of LIBSVM.

use std::io::Write;
use std::path::Path;

use lm_core::{Error, Result, persist};

use super::model::{Functions, Model, kernel_words, width};
use crate::text::general::{Brief, General};

/// Writes a model to a file, so that the path holds the old content or the new one at every moment.
///
/// # Errors
/// As [`write()`]; [`Error::Io`] if the folder does not exist or cannot be written to, in which case the old file is untouched.
pub fn save(path: impl AsRef<Path>, model: &Model) -> Result<()> {
    let mut text = Vec::new();
    write(&mut text, model)?;
    persist::replace(path, &text)
}

/// Writes a model as LIBSVM does: numbers of the header and coefficients with seventeen digits, values of support vectors with
/// eight where these name the number, and with seventeen otherwise. What LIBSVM wrote comes out byte for byte.
///
/// # Errors
/// [`Error::Layout`] for a kernel that the format does not have, [`Error::Io`] if the writer fails.
pub fn write(writer: &mut impl Write, model: &Model) -> Result<()> {
    let mut text = Vec::new();
    header(&mut text, model)?;
    let failed = |error: std::io::Error| Error::io("writing the model", &error);
    writer.write_all(&text).map_err(failed)?;
    let width = width(model.task, model.labels.len());
    for (vector, coefficients) in model.coefficients.chunks_exact(width.max(1)).enumerate() {
        text.clear();
        coefficients.iter().for_each(|&value| append(&mut text, format_args!("{} ", General(value, 17))));
        match &model.functions {
            Functions::Rows(rows) => {
                let number = rows.get(vector).map_or(0, |row| row + 1);
                append(&mut text, format_args!("0:{number} "));
            }
            Functions::Vectors(functions) => {
                functions.support().as_examples().row(vector).for_each(|column, value| {
                    append(&mut text, format_args!("{}:{} ", column + 1, Brief(value)));
                });
            }
        }
        text.push(b'\n');
        writer.write_all(&text).map_err(failed)?;
    }
    writer.flush().map_err(failed)
}

fn header(text: &mut Vec<u8>, model: &Model) -> Result<()> {
    let (name, [degree, gamma, coef0]) = kernel_words(&model.kernel())?;
    append(text, format_args!("svm_type {}\nkernel_type {name}\n", model.task.name()));
    for (key, value) in [("degree", degree), ("gamma", gamma), ("coef0", coef0)] {
        if let Some(value) = value {
            append(text, format_args!("{key} {}\n", General(value, 17)));
        }
    }
    let classes = if model.task.is_classification() { model.labels.len() } else { 2 };
    append(text, format_args!("nr_class {classes}\ntotal_sv {}\n", model.support_len()));
    numbers(text, "rho", &model.rho);
    if !model.labels.is_empty() {
        append(text, format_args!("label"));
        model.labels.iter().for_each(|label| append(text, format_args!(" {label}")));
        text.push(b'\n');
    }
    numbers(text, "probA", &model.prob_a);
    numbers(text, "probB", &model.prob_b);
    numbers(text, "prob_density_marks", &model.marks);
    if !model.sizes.is_empty() {
        append(text, format_args!("nr_sv"));
        model.sizes.iter().for_each(|size| append(text, format_args!(" {size}")));
        text.push(b'\n');
    }
    append(text, format_args!("SV\n"));
    Ok(())
}

/// A key with its numbers; nothing, if there are none.
fn numbers(text: &mut Vec<u8>, key: &str, values: &[f64]) {
    if values.is_empty() {
        return;
    }
    append(text, format_args!("{key}"));
    values.iter().for_each(|&value| append(text, format_args!(" {}", General(value, 17))));
    text.push(b'\n');
}

fn append(text: &mut Vec<u8>, what: std::fmt::Arguments<'_>) {
    // Writing to memory cannot fail.
    let _ = text.write_fmt(what);
}
