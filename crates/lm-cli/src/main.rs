//! The program `lm`.

fn main() {}
