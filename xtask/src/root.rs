//! Where the workspace is.

use std::path::PathBuf;

/// The folder of the workspace: the parent of this package.
///
/// `cargo run` and `cargo test` name the package's folder in the environment. The folder of the build is
/// the answer for a program that was started by hand.
pub(crate) fn workspace_root() -> PathBuf {
    let package = std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
    let mut root = PathBuf::from(package);
    root.pop();
    root
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_root_holds_the_crates() {
        assert!(workspace_root().join("Cargo.toml").is_file());
        assert!(workspace_root().join("crates").is_dir());
    }
}
