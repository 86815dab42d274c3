//! What becomes of examples that are left out: the exact error, and what theory estimates it to be.

mod estimates;
mod exact;
mod span;

pub use estimates::{gacv, jaakkola_haussler, norm_squared, radius_margin, support_share, xi_alpha};
pub use exact::{ExactLeaveOneOut, Finding, Outcome, leave_one_out, left_out_values};
pub use span::{Spans, spans_squared};
