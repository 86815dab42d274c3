//! The program as people and programs use it, one capability a file.

#![allow(clippy::unwrap_used, reason = "a test that cannot unwrap has failed")]
#![allow(clippy::panic, reason = "a test that panics has failed")]
#![allow(missing_docs, reason = "the names of tests say what they show")]

mod examples;
mod files;
mod libsvm;
mod machines;
mod models;
mod nasty_data;
mod saving;
mod stopping;
mod workshop;
