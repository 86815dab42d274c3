//! A folder with data in it, in which the program is run.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};
use std::sync::atomic::{AtomicU32, Ordering};

use serde_json::Value;

/// A folder of its own for each test, removed when the test has passed.
pub(crate) struct Workshop {
    folder: PathBuf,
}

/// What a run of the program came to.
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Ran {
    pub(crate) fn of(output: &Output) -> Self {
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        let (out, err) = (text(&output.stdout), text(&output.stderr));
        assert!(!err.contains("panicked"), "{err}");
        Self { code: output.status.code().unwrap_or(-1), out, err }
    }

    /// The JSON object of a run.
    pub(crate) fn json(&self) -> Value {
        let lines: Vec<&str> = self.out.lines().collect();
        assert_eq!(lines.len(), 1, "one line of JSON: {} {}", self.out, self.err);
        serde_json::from_str(lines[0]).unwrap()
    }
}

/// Iris, whose rows are sorted by class.
pub(crate) const IRIS: &str = include_str!("../../../lm-data/data/iris.csv");

impl Workshop {
    /// A folder with the data that the examples of the help and of the docs use.
    pub(crate) fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let name = format!("lm-cli-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let workshop = Self { folder: std::env::temp_dir().join(name) };
        fs::create_dir_all(&workshop.folder).unwrap();
        workshop.write("flowers.csv", IRIS);
        let (head, rows) = IRIS.split_once('\n').unwrap();
        let rows: Vec<&str> = rows.lines().collect();
        let table = |rows: &[&str]| format!("{head}\n{}\n", rows.join("\n"));
        let third = |test: bool| {
            let some = rows.iter().enumerate().filter(|(k, _)| (k % 3 == 0) == test).map(|(_, row)| *row);
            table(&some.collect::<Vec<_>>())
        };
        workshop.write("flowers-train.csv", third(false));
        workshop.write("flowers-test.csv", third(true));
        let without = |line: &str| line.rsplit_once(',').unwrap().0.to_owned();
        let measured: Vec<String> = rows.iter().step_by(10).map(|row| without(row)).collect();
        workshop.write("measurements.csv", format!("{}\n{}\n", without(head), measured.join("\n")));
        // The last two classes, which no hyperplane separates, as svmlight text.
        let sparse = |row: &&str| {
            let cells: Vec<&str> = row.split(',').collect();
            let entries: Vec<String> =
                cells[..4].iter().zip(1..).map(|(cell, k)| format!("{k}:{cell}")).collect();
            format!("{} {}\n", if cells[4] == "virginica" { "+1" } else { "-1" }, entries.join(" "))
        };
        let pair = rows.iter().filter(|row| !row.ends_with("setosa")).map(sparse);
        let pair: Vec<String> = pair.collect();
        let part = |test: bool| -> String {
            pair.iter()
                .enumerate()
                .filter(|(k, _)| (k % 4 == 0) == test)
                .map(|(_, line)| line.as_str())
                .collect()
        };
        workshop.write("pair.svm", part(false));
        workshop.write("pair-test.svm", part(true));
        let mut prices = String::from("area,age,price\n");
        for k in 0..60_u32 {
            let (area, age) = (40.0 + f64::from(k * 37 % 61), f64::from(k * 17 % 29));
            let price = 3.0 + 0.2 * area - 0.05 * age + (f64::from(k * 23 % 11) - 5.0) * 0.2;
            prices += &format!("{area},{age},{price:.3}\n");
        }
        workshop.write("prices.csv", &prices);
        workshop
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    pub(crate) fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        fs::write(self.path(name), text).unwrap();
    }

    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_lm"));
        command.current_dir(&self.folder);
        command
    }

    /// Runs a command line: words between spaces, or between double quotes.
    pub(crate) fn lm(&self, line: &str) -> Ran {
        Ran::of(&self.command().args(words(line)).output().unwrap())
    }

    /// As [`Workshop::lm`], for runs that end with 0.
    pub(crate) fn done(&self, line: &str) -> Ran {
        let ran = self.lm(line);
        assert_eq!(ran.code, 0, "lm {line}\n{}{}", ran.out, ran.err);
        ran
    }

    /// As [`Workshop::lm`], for runs that are refused: what standard error says.
    pub(crate) fn refused(&self, line: &str) -> String {
        let ran = self.lm(line);
        assert_eq!(ran.code, 2, "lm {line}\n{}{}", ran.out, ran.err);
        assert!(ran.out.is_empty(), "lm {line} wrote {}", ran.out);
        ran.err
    }
}

impl Drop for Workshop {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            let _ = fs::remove_dir_all(&self.folder);
        }
    }
}

/// The words of a command line.
pub(crate) fn words(line: &str) -> Vec<String> {
    let (mut words, mut word, mut quoted, mut any) = (Vec::new(), String::new(), false, false);
    for c in line.chars() {
        match c {
            '"' => (quoted, any) = (!quoted, true),
            ' ' if !quoted => {
                if any {
                    words.push(std::mem::take(&mut word));
                }
                any = false;
            }
            c => {
                word.push(c);
                any = true;
            }
        }
    }
    if any {
        words.push(word);
    }
    words
}
