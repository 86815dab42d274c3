//! The container in files and streams.
//!
//! # Method
//! A save never touches the file that is there: it writes a new file beside it, has the operating system put that on
//! the disk, and renames it over the old one, which is one step for anybody who looks. Whenever the program or the
//! machine stops, the path holds the old model or the new one, whole. What may remain is a file `.lm-….tmp`.

use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use super::Persist;
use super::container::{HEADER, Header, MAX_BYTES, decode, encode};
use crate::{Error, Result};

/// Writes a model to a file, so that the path holds the old content or the new one at every moment.
///
/// A symbolic link at the path is replaced, not followed.
///
/// ```
/// use lm_core::{Linear, persist};
///
/// let folder = std::env::temp_dir().join(format!("lm-save-example-{}", std::process::id()));
/// std::fs::create_dir_all(&folder).map_err(|error| lm_core::Error::io("making a folder", &error))?;
/// let path = folder.join("model.lm");
/// let model = Linear::new(vec![0.5, -2.0], 1.0)?;
/// persist::save(&path, &model)?;
/// assert_eq!(persist::load::<Linear>(&path)?, model);
/// # std::fs::remove_dir_all(&folder).map_err(|error| lm_core::Error::io("removing a folder", &error))?;
/// # Ok::<(), lm_core::Error>(())
/// ```
///
/// # Errors
/// As [`encode`], before anything is written; [`Error::Io`] if the folder does not exist or cannot be written to, in
/// which case the temporary file is removed and the old file is untouched.
pub fn save<M: Persist>(path: impl AsRef<Path>, model: &M) -> Result<()> {
    replace(path, &encode(model)?)
}

/// Writes any bytes to a file, so that the path holds the old content or the new one at every moment, as [`save`] does.
///
/// # Errors
/// [`Error::Io`] if the folder does not exist or cannot be written to, in which case the temporary file is removed and the
/// old file is untouched.
pub fn replace(path: impl AsRef<Path>, bytes: &[u8]) -> Result<()> {
    let path = path.as_ref();
    let folder = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let (temporary, file) = create_temporary(folder)?;
    let result = write_out(file, bytes).and_then(|()| {
        fs::rename(&temporary, path).map_err(|error| Error::io("renaming the temporary file", &error))
    });
    if let Err(error) = result {
        // The first failure is the one to report; the file may be gone with the disk.
        let _ = fs::remove_file(&temporary);
        return Err(error);
    }
    sync_folder(folder)
}

/// A new file in the folder, under a name that no other save uses.
fn create_temporary(folder: &Path) -> Result<(PathBuf, File)> {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    const ATTEMPTS: usize = 1000;
    let mut last = Error::Io { operation: "creating a temporary file", kind: ErrorKind::AlreadyExists };
    for _ in 0..ATTEMPTS {
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = folder.join(format!(".lm-{}-{count}.tmp", std::process::id()));
        match OpenOptions::new().write(true).create_new(true).open(&path) {
            Ok(file) => return Ok((path, file)),
            // Left behind by an earlier process with the same number.
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => {
                last = Error::io("creating a temporary file", &error);
                break;
            }
        }
    }
    Err(last)
}

/// Closes the file when done: some systems refuse to rename an open one.
fn write_out(mut file: File, bytes: &[u8]) -> Result<()> {
    let written = file.write_all(bytes).and_then(|()| file.flush()).and_then(|()| file.sync_all());
    written.map_err(|error| Error::io("writing the temporary file", &error))
}

/// Makes the rename itself outlast a power failure.
#[cfg(unix)]
fn sync_folder(folder: &Path) -> Result<()> {
    let synced = File::open(folder).and_then(|folder| folder.sync_all());
    synced.map_err(|error| Error::io("syncing the folder", &error))
}

/// Folders cannot be opened as files here.
#[cfg(not(unix))]
fn sync_folder(_: &Path) -> Result<()> {
    Ok(())
}

/// Reads a model from a file.
///
/// The size of the file is compared with what its header claims before the payload is read; nothing larger than
/// [`MAX_BYTES`] is read.
///
/// # Errors
/// As [`decode`]; [`Error::Io`] if the file cannot be read.
pub fn load<M: Persist>(path: impl AsRef<Path>) -> Result<M> {
    let mut file = File::open(path.as_ref()).map_err(|error| Error::io("opening the model file", &error))?;
    let metadata = file.metadata().map_err(|error| Error::io("opening the model file", &error))?;
    if metadata.is_dir() {
        return Err(Error::Io { operation: "opening the model file", kind: ErrorKind::IsADirectory });
    }
    // Pipes and devices have no size to compare with.
    let size = metadata.is_file().then_some(metadata.len());
    if let Some(size) = size.filter(|&size| size > MAX_BYTES as u64) {
        let problem = "the file is larger than the largest container accepted";
        return Err(Error::Container { offset: size.min(MAX_BYTES as u64), problem });
    }
    read_sized(&mut file, size)
}

/// Reads a model from a stream, which must end where the container does.
///
/// # Errors
/// As [`decode`]; [`Error::Io`] if reading fails.
pub fn read<M: Persist>(mut reader: impl Read) -> Result<M> {
    read_sized(&mut reader, None)
}

fn read_sized<M: Persist>(reader: &mut impl Read, size: Option<u64>) -> Result<M> {
    let mut bytes = Vec::new();
    fill(reader, &mut bytes, HEADER)?;
    let header = Header::read(&bytes)?;
    if let Some(size) = size {
        header.check_length(size)?;
    }
    fill(reader, &mut bytes, header.payload_start())?;
    header.check_kind::<M>(&bytes)?;
    // `Header::read` has checked that the total is at most `MAX_BYTES`.
    let total = header.total().and_then(|total| usize::try_from(total).ok()).unwrap_or(MAX_BYTES);
    fill(reader, &mut bytes, total)?;
    let mut beyond = Vec::new();
    let read = reader.by_ref().take(1).read_to_end(&mut beyond);
    read.map_err(|error| Error::io("reading the model", &error))?;
    if bytes.len() == total && !beyond.is_empty() {
        let problem = "bytes after the end of the container";
        return Err(Error::Container { offset: total as u64, problem });
    }
    decode(&bytes)
}

/// Appends bytes until there are `total` of them or the stream ends. Memory grows with what has arrived, not with what
/// was promised, and never beyond `total`.
fn fill(reader: &mut impl Read, bytes: &mut Vec<u8>, total: usize) -> Result<()> {
    const FIRST: usize = 1 << 20;
    while bytes.len() < total {
        let start = bytes.len();
        let end = total.min(start + start.max(FIRST));
        let refused = |_| Error::Memory { what: "the model file", needed: end, allowed: start };
        bytes.try_reserve_exact(end - start).map_err(refused)?;
        let read = reader.by_ref().take((end - start) as u64).read_to_end(bytes);
        read.map_err(|error| Error::io("reading the model", &error))?;
        if bytes.len() < end {
            break;
        }
    }
    Ok(())
}

/// Writes a model to a stream.
///
/// ```
/// use lm_core::{Linear, persist};
///
/// let model = Linear::new(vec![0.5], 1.0)?;
/// let mut bytes = Vec::new();
/// persist::write(&mut bytes, &model)?;
/// assert_eq!(persist::read::<Linear>(&bytes[..])?, model);
/// # Ok::<(), lm_core::Error>(())
/// ```
///
/// # Errors
/// As [`encode`]; [`Error::Io`] if writing fails.
pub fn write<M: Persist>(mut writer: impl Write, model: &M) -> Result<()> {
    let bytes = encode(model)?;
    let written = writer.write_all(&bytes).and_then(|()| writer.flush());
    written.map_err(|error| Error::io("writing the model", &error))
}
