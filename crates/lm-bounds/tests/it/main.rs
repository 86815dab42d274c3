//! What the crate promises, checked from outside.

mod references;
