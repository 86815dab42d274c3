//! What becomes of examples that are left out: the exact error, and what theory estimates it to be.

mod exact;

pub use exact::{ExactLeaveOneOut, Finding, Outcome, leave_one_out, left_out_values};
