//! Another program in a Python process of its own, asked line by line.

use std::collections::BTreeMap;
use std::error::Error;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde::de::DeserializeOwned;

/// Settings of the C library with which large arrays are kept and used again instead of being given back. A page that is touched
/// for the first time costs more than the arithmetic on it, and in a virtual machine a time that varies.
pub(super) const KEPT_MEMORY: [(&str, &str); 2] =
    [("MALLOC_MMAP_THRESHOLD_", "17179869184"), ("MALLOC_TRIM_THRESHOLD_", "17179869184")];

/// A running Python process that answers requests.
pub(super) struct Peer {
    child: Child,
    requests: ChildStdin,
    answers: BufReader<ChildStdout>,
    /// The versions of what it runs.
    pub(super) versions: BTreeMap<String, String>,
}

impl Peer {
    /// Makes a virtual environment with pinned releases, if there is none yet, and starts a script of `benches/peers`.
    fn start(
        root: &Path,
        environment: &str,
        script: &str,
        releases: &[&str],
    ) -> Result<Self, Box<dyn Error>> {
        let folder = root.join("target/peers").join(environment);
        let python = folder.join(if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" });
        if !python.is_file() {
            done(Command::new("python3").args(["-m", "venv"]).arg(&folder), "python3 -m venv")?;
        }
        let mut install = Command::new(&python);
        done(install.args(["-m", "pip", "install", "--quiet"]).args(releases), "pip install")?;
        let mut child = Command::new(&python)
            .arg(root.join("benches/peers").join(script))
            // As fast as the peer can be.
            .envs(KEPT_MEMORY)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let requests = child.stdin.take().ok_or("no way to ask the peer")?;
        let answers = BufReader::new(child.stdout.take().ok_or("no way to hear the peer")?);
        let mut peer = Self { child, requests, answers, versions: BTreeMap::new() };
        peer.versions = serde_json::from_str(&peer.line()?)?;
        Ok(peer)
    }

    /// Sends a line and reads the answer.
    pub(super) fn ask<T: DeserializeOwned>(&mut self, request: &str) -> Result<T, Box<dyn Error>> {
        writeln!(self.requests, "{request}")?;
        self.requests.flush()?;
        Ok(serde_json::from_str(&self.line()?)?)
    }

    fn line(&mut self) -> Result<String, Box<dyn Error>> {
        let mut line = String::new();
        if self.answers.read_line(&mut line)? == 0 {
            return Err("the peer ended without an answer".into());
        }
        Ok(line)
    }
}

/// Starts a peer in the environment that most share, or says why only ours is measured.
pub(super) fn started(root: &Path, script: &str, releases: &[&str]) -> Option<Peer> {
    started_in(root, "venv", script, releases)
}

/// Starts a peer in an environment of this name, or says why only ours is measured.
pub(super) fn started_in(root: &Path, environment: &str, script: &str, releases: &[&str]) -> Option<Peer> {
    Peer::start(root, environment, script, releases)
        .map_err(|error| eprintln!("{} cannot be run ({error}); measuring ours only", releases.join(" and ")))
        .ok()
}

impl Drop for Peer {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn done(command: &mut Command, name: &str) -> Result<(), Box<dyn Error>> {
    let status = command.status().map_err(|error| format!("{name}: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("{name}: {status}").into()) }
}
