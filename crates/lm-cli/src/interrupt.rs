//! Ctrl-C: the first asks the run to stop with what it has, the second ends the program at once.

use lm_core::Cancel;

use crate::failure::{Ending, Failure, Outcome};

/// A token that Ctrl-C cancels.
pub(crate) fn cancel_on_interrupt() -> Outcome<Cancel> {
    let cancel = Cancel::default();
    let token = cancel.clone();
    let set = ctrlc::set_handler(move || {
        if token.is_cancelled() {
            std::process::exit(Ending::Interrupted as i32);
        }
        token.cancel();
    });
    set.map_err(|error| Failure::new(format!("Ctrl-C cannot be watched for: {error}")))?;
    Ok(cancel)
}
