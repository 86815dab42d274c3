//! The program `lm`, which will train, predict and verify from the command line. So far it tells its version.

use std::io::Write;

fn main() -> std::io::Result<()> {
    writeln!(std::io::stdout(), "lm {}", env!("CARGO_PKG_VERSION"))
}
