//! scikit-learn in a process of its own, asked file by file.

use std::collections::BTreeMap;
use std::error::Error;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde::Deserialize;

/// The release that is measured.
const RELEASE: &str = "scikit-learn==1.9.1";

/// What a program made of a file, and how long it took.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Reading {
    pub(super) seconds: f64,
    pub(super) rows: usize,
    pub(super) columns: usize,
    pub(super) entries: usize,
    pub(super) values: f64,
    pub(super) labels: f64,
}

/// A running Python process that reads files on request.
pub(super) struct Peer {
    child: Child,
    requests: ChildStdin,
    answers: BufReader<ChildStdout>,
    /// The versions of what it runs.
    pub(super) versions: BTreeMap<String, String>,
}

impl Peer {
    /// Makes a virtual environment with the pinned release, if there is none yet, and starts the process.
    pub(super) fn start(root: &Path) -> Result<Self, Box<dyn Error>> {
        let folder = root.join("target/peers/venv");
        let python = folder.join(if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" });
        if !python.is_file() {
            done(Command::new("python3").args(["-m", "venv"]).arg(&folder), "python3 -m venv")?;
        }
        done(
            Command::new(&python).args(["-m", "pip", "install", "--quiet", RELEASE]),
            "pip install scikit-learn",
        )?;
        let mut child = Command::new(&python)
            .arg(root.join("benches/peers/svmlight.py"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let requests = child.stdin.take().ok_or("no way to ask the peer")?;
        let answers = BufReader::new(child.stdout.take().ok_or("no way to hear the peer")?);
        let mut peer = Self { child, requests, answers, versions: BTreeMap::new() };
        peer.versions = serde_json::from_str(&peer.line()?)?;
        Ok(peer)
    }

    /// Lets it read a file.
    pub(super) fn read(&mut self, path: &Path) -> Result<Reading, Box<dyn Error>> {
        writeln!(self.requests, "{}", path.display())?;
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
