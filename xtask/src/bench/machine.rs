//! What a measurement ran on.

use std::process::Command;

use serde::Serialize;

/// The machine and the compiler.
#[derive(Serialize)]
pub(super) struct Machine {
    /// The name of the processor, as far as the system tells.
    pub(super) processor: String,
    /// The threads the program may use.
    pub(super) threads: usize,
    /// The operating system and the architecture.
    pub(super) system: String,
    /// The compiler.
    pub(super) compiler: String,
}

impl Machine {
    /// Asks the system.
    pub(super) fn here() -> Self {
        let cpu = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let named = cpu.lines().find_map(|line| line.strip_prefix("model name")?.split_once(':'));
        let processor = named.map_or_else(|| "unknown".to_owned(), |(_, name)| name.trim().to_owned());
        let compiler = Command::new("rustc").arg("--version").output();
        let compiler = compiler.map(|out| String::from_utf8_lossy(&out.stdout).trim().to_owned());
        Self {
            processor,
            threads: std::thread::available_parallelism().map_or(1, Into::into),
            system: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
            compiler: compiler.unwrap_or_else(|_| "unknown".to_owned()),
        }
    }
}
