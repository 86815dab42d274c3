//! What an interrupted run had finished, so that the next run goes on from there.
//!
//! Every entry that has run is kept in a file of its own until the run is complete. A file counts only for the same program
//! and the same options: its name holds a hash of both, and what belongs to others is removed.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::bench::Scope;
use super::entry::{Entry, Findings, Record};

/// The folder of what is finished, beside the report.
const FOLDER: &str = "unfinished";

/// What is kept of an entry.
#[derive(Serialize, Deserialize)]
struct Kept {
    findings: Findings,
    seconds: f64,
}

/// The finished entries of a run that was interrupted.
pub(super) struct Store {
    folder: PathBuf,
    key: u64,
}

impl Store {
    /// The store beside a report at `out`, for the program that is running and for these options.
    pub(super) fn open(out: &Path, scope: &Scope) -> io::Result<Self> {
        let program = fs::read(std::env::current_exe()?)?;
        let options = format!("{:?}", (&scope.data, scope.full));
        Ok(Self { folder: out.join(FOLDER), key: hash(&[&program, options.as_bytes()]) })
    }

    fn path(&self, entry: &Entry) -> PathBuf {
        self.folder.join(format!("{}-{:016x}.json", entry.id, self.key))
    }

    /// An entry that was finished before. A file that cannot be read counts as none: the entry runs again.
    pub(super) fn take<'a>(&self, entry: &'a Entry) -> Option<Record<'a>> {
        let text = fs::read_to_string(self.path(entry)).ok()?;
        let kept: Kept = serde_json::from_str(&text).ok()?;
        Some(Record { entry, findings: kept.findings, seconds: kept.seconds })
    }

    /// Keeps an entry. It is written beside its place first, so that an interruption leaves no half of a file.
    pub(super) fn keep(&self, record: &Record<'_>) -> io::Result<()> {
        fs::create_dir_all(&self.folder)?;
        let kept = Kept { findings: record.findings.clone(), seconds: record.seconds };
        let path = self.path(record.entry);
        let beside = path.with_extension("part");
        fs::write(&beside, serde_json::to_string(&kept)?)?;
        fs::rename(beside, path)
    }

    /// Forgets everything: the run is complete, or is to begin anew.
    pub(super) fn clear(&self) -> io::Result<()> {
        match fs::remove_dir_all(&self.folder) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }
}

/// The hash of Fowler, Noll and Vo (64 bits) of some texts with a mark between them.
fn hash(parts: &[&[u8]]) -> u64 {
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    let mut value = 0xcbf2_9ce4_8422_2325;
    for part in parts {
        value = part.iter().fold(value, |hash, &byte| step(hash, byte));
        value = step(value, 0xff);
    }
    value
}

#[cfg(test)]
mod tests {
    use super::super::sample;
    use super::*;

    #[test]
    fn what_is_finished_is_taken_by_the_same_options_only_until_it_is_cleared() {
        let out = std::env::temp_dir().join(format!("lm-resume-{}", std::process::id()));
        let store = Store::open(&out, &Scope::default()).unwrap();
        let records = sample::records();
        assert!(store.take(&sample::ENTRIES[0]).is_none());
        for record in &records {
            store.keep(record).unwrap();
        }
        for (entry, record) in sample::ENTRIES.iter().zip(&records) {
            let taken = store.take(entry).unwrap();
            assert_eq!(taken.findings, record.findings);
            assert_eq!(taken.seconds.to_bits(), record.seconds.to_bits());
        }
        let full = Store::open(&out, &Scope { full: true, data: None }).unwrap();
        assert!(full.take(&sample::ENTRIES[0]).is_none(), "other options, other results");
        fs::write(store.path(&sample::ENTRIES[1]), "{").unwrap();
        assert!(store.take(&sample::ENTRIES[1]).is_none(), "half a file is none");
        store.clear().unwrap();
        store.clear().unwrap();
        assert!(store.take(&sample::ENTRIES[0]).is_none());
        fs::remove_dir_all(&out).ok();
    }

    #[test]
    fn the_hash_is_the_published_one_and_sees_the_borders() {
        // The value of the empty text is the offset basis; one more mark follows each part.
        assert_eq!(hash(&[]), 0xcbf2_9ce4_8422_2325);
        assert_ne!(hash(&[b"ab", b"c"]), hash(&[b"a", b"bc"]));
    }
}
