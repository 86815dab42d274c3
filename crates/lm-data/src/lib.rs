//! Data for linear learning machines: reading, writing, scaling, splitting and generating it, and small classic sets.
//!
//! A learner takes examples as vectors of finite numbers, with a label for each. This crate is the way there: from a
//! file, from a generator, or from a set that is part of the crate, to [`lm_core::Examples`] and labels. Nothing that
//! comes out of it holds a NaN or an infinity, and nothing that goes in is repaired in silence: what cannot be read is
//! refused, with its line and byte.
//!
//! # From a file to a training set
//!
//! ```
//! use lm_core::{Collection, Examples, Labelling, Selection, TrainingSet};
//! use lm_data::scaling::{Scaler, Scaling};
//! use lm_data::{split, svmlight};
//!
//! // Four examples, as LIBSVM's tools write them.
//! let text = "+1 1:2 3:0.5\n-1 2:4\n+1 1:1 3:0.25\n-1 2:8 3:1\n";
//! let data = svmlight::read::<f64>(text.as_bytes(), &svmlight::Options::default())?;
//! let labels = data.binary()?;
//!
//! // A scaling is fitted once, then applied to everything that follows.
//! let scaler = Scaler::fit(&data.examples, Scaling::MaxAbs)?;
//! let examples = scaler.apply_sparse(&data.examples)?;
//! assert_eq!(examples.row(3).norm_squared(), 2.0);
//!
//! // Half of each class is set aside; selections copy nothing.
//! let halves = split::stratified_train_test(&data.classes()?, 0.5, 7)?;
//! let train = Selection::new(&examples, &halves.train)?;
//! let train_labels = labels.select(&halves.train)?;
//! let set = TrainingSet::new(&train, &train_labels)?;
//! assert_eq!(set.len(), 2);
//! # Ok::<(), lm_core::Error>(())
//! ```
//!
//! # The rooms
//!
//! - [`svmlight`]: sparse examples as text, the format of most public collections. [`svmlight::open`] parses on all
//!   cores and overlaps reading or decompressing with parsing; [`svmlight::Blocks`] needs memory for one block only.
//! - [`csv`]: tables with a header, a target column and perhaps class names.
//! - [`scaling`]: columns or rows brought to a common size, by a [`scaling::Scaler`] that is saved with the model.
//! - [`split`]: training and test rows, folds, with or without the proportions of the classes.
//! - [`generate`]: made-up data whose truth is known, such as separable data with a guaranteed margin.
//! - [`classic`]: iris and the handwritten digits.
//! - [`libsvm`], [`liblinear`]: model files of these libraries, read as machines that predict, and written.
//!
//! # What every reader promises
//!
//! - **One result.** The number of threads, the size of blocks, streaming or not, gzip or not: the same bits, and for
//!   a bad file the same error, the first one of the text.
//! - **Correct rounding.** Every decimal becomes the nearest number of the type that is read; every number written is
//!   read back as itself.
//! - **Bounded memory.** Arrays are reserved after counting what the text can hold, never from a number that a file
//!   claims. Lines and texts have limits that the caller can set.
//! - **A place for every error.** [`lm_core::Error::Parse`] says the line, counted from 1, and the byte of the
//!   decompressed text, counted from 0, and what would have been accepted.
//!
//! # Randomness
//!
//! Splits and generators take a seed and use ChaCha8, by name, so that a seed means the same data on every machine and
//! in every later version.
//!
//! # Features
//!
//! `parallel` (default): parse on all cores. Without it the same code runs on one.

pub mod classic;
pub mod csv;
pub mod generate;
pub mod liblinear;
pub mod libsvm;
pub mod scaling;
pub mod split;
pub mod svmlight;

mod labelled;
mod random;
mod text;

pub use labelled::Labelled;
pub use text::Stored;
