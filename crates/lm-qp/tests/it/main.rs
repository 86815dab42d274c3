//! Capabilities of `lm-qp`, one file each.

#![allow(clippy::unwrap_used, reason = "a test that cannot unwrap has failed")]
#![allow(clippy::panic, reason = "a test that panics has failed")]
#![allow(missing_docs, reason = "the names of tests say what they show")]

mod conformance;
mod counting;
mod cross_validation;
mod enclosures;
mod formulations;
mod groups;
mod libsvm_files;
mod linear;
mod linear_conformance;
mod linear_program;
mod linear_reference;
mod lp_svc;
mod nasty_input;
mod nasty_machines;
mod oracle;
mod probabilities;
mod reference_values;
mod separability;
mod shared_rows;
mod small_sets;
mod working_sets;

use std::path::PathBuf;

/// A file of public data that is not part of this repository: in the folder that `LM_DATA` names, or in the one beside the
/// checkout.
fn data(name: &str) -> Option<PathBuf> {
    let beside = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let folder = std::env::var_os("LM_DATA").map_or(beside, PathBuf::from);
    Some(folder.join(name)).filter(|path| path.is_file())
}
