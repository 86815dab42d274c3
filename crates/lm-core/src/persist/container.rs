//! The container in memory: a header that is checked before anything else is believed, and a payload.

use bincode::error::DecodeError;

use super::crc64::Crc64;
use super::{KindPath, Persist};
use crate::{Error, Result};

/// The largest container that is written or read: 16 GiB, or 1 GiB where addresses have 32 bits.
pub const MAX_BYTES: usize = 1 << if cfg!(target_pointer_width = "64") { 34 } else { 30 };

pub(super) const MAGIC: [u8; 8] = *b"\x89LM\r\n\x1a\n\0";
pub(super) const VERSION: u16 = 1;
pub(super) const HEADER: usize = 28;

const AT_VERSION: usize = 8;
const AT_KIND_LENGTH: usize = 10;
const AT_PAYLOAD_LENGTH: usize = 12;
const AT_CHECKSUM: usize = 20;

fn config() -> impl bincode::config::Config {
    bincode::config::standard().with_little_endian().with_fixed_int_encoding().with_limit::<MAX_BYTES>()
}

fn refused(offset: usize, problem: &'static str) -> Error {
    Error::Container { offset: offset as u64, problem }
}

/// The container of a model.
///
/// ```
/// use lm_core::{Linear, persist};
///
/// let model = Linear::new(vec![0.5, -2.0], 1.0)?;
/// let bytes = persist::encode(&model)?;
/// assert_eq!(persist::decode::<Linear>(&bytes)?, model);
/// assert!(persist::decode::<Linear>(&bytes[1..]).is_err());
/// # Ok::<(), lm_core::Error>(())
/// ```
///
/// # Errors
/// [`Error::TooLarge`] beyond [`MAX_BYTES`], [`Error::Container`] if the model's `Serialize` refuses.
pub fn encode<M: Persist>(model: &M) -> Result<Vec<u8>> {
    let kind = KindPath::of::<M>();
    let kind = kind.as_str().as_bytes();
    let kind_length = u16::try_from(kind.len()).map_err(|_| Error::TooLarge {
        what: "the kind of a model",
        size: kind.len(),
        limit: usize::from(u16::MAX),
    })?;
    let mut bytes = Vec::with_capacity(HEADER + kind.len());
    bytes.extend_from_slice(&MAGIC);
    bytes.extend_from_slice(&VERSION.to_le_bytes());
    bytes.extend_from_slice(&kind_length.to_le_bytes());
    bytes.resize(HEADER, 0);
    bytes.extend_from_slice(kind);
    let start = bytes.len();
    bincode::serde::encode_into_std_write(model, &mut bytes, config())
        .map_err(|_| refused(start, "the model cannot be written; its `Serialize` must not refuse"))?;
    if bytes.len() > MAX_BYTES {
        return Err(Error::TooLarge { what: "the container", size: bytes.len(), limit: MAX_BYTES });
    }
    let payload = (bytes.len() - start) as u64;
    bytes[AT_PAYLOAD_LENGTH..AT_CHECKSUM].copy_from_slice(&payload.to_le_bytes());
    let checksum = checksum(&bytes);
    bytes[AT_CHECKSUM..HEADER].copy_from_slice(&checksum.to_le_bytes());
    Ok(bytes)
}

/// The checksum of a container that has at least a header.
fn checksum(bytes: &[u8]) -> u64 {
    Crc64::new().with(&bytes[..AT_CHECKSUM]).with(&bytes[HEADER..]).value()
}

/// The model in a container.
///
/// # Errors
/// [`Error::Container`], with the place and the reason, unless the bytes are exactly what [`encode`] writes for a
/// valid model of this kind and version.
pub fn decode<M: Persist>(bytes: &[u8]) -> Result<M> {
    let header = Header::read(bytes)?;
    header.check_kind::<M>(bytes)?;
    header.check_length(bytes.len() as u64)?;
    let start = header.payload_start();
    if checksum(bytes) != header.checksum {
        return Err(refused(AT_CHECKSUM, "the checksum does not match: the bytes are damaged"));
    }
    let payload = &bytes[start..];
    let decoded = bincode::serde::borrow_decode_from_slice(payload, config());
    let (model, used) = decoded.map_err(|error| refused(start, problem(&error)))?;
    if used == payload.len() {
        Ok(model)
    } else {
        Err(refused(start + used, "the model ends before its payload does"))
    }
}

/// What the kind of a container is, such as `linear@1`, so that a program can choose what to decode it as.
///
/// The header is checked as far as it goes; the checksum and the payload are not.
///
/// ```
/// use lm_core::{Linear, persist};
///
/// let bytes = persist::encode(&Linear::new(vec![1.0], 0.0)?)?;
/// assert_eq!(persist::kind_of(&bytes)?, "linear@1");
/// # Ok::<(), lm_core::Error>(())
/// ```
///
/// # Errors
/// [`Error::Container`] unless the bytes start with the header and kind of a container.
pub fn kind_of(bytes: &[u8]) -> Result<&str> {
    Header::read(bytes)?.kind(bytes)
}

/// What a failure to decode the payload means.
fn problem(error: &DecodeError) -> &'static str {
    match error {
        DecodeError::UnexpectedEnd { .. } => "the payload ends before the model does",
        DecodeError::LimitExceeded => "the payload claims more bytes than a container may have",
        DecodeError::OtherString(_) | DecodeError::Other(_) => {
            "the payload holds numbers that make no valid model of this kind"
        }
        _ => "the payload is not of the form that this kind has",
    }
}

/// The fixed part of a container.
#[derive(Debug, Clone, Copy)]
pub(super) struct Header {
    kind_length: usize,
    payload_length: u64,
    checksum: u64,
}

impl Header {
    /// Reads and checks the magic, the version and the sizes that it claims.
    pub(super) fn read(bytes: &[u8]) -> Result<Self> {
        let field = |at: usize, length: usize| bytes.get(at..at + length);
        let short = refused(bytes.len(), "shorter than the header of a container, which has 28 bytes");
        let number = |at, length| {
            let field = field(at, length).ok_or(short)?;
            Ok(field.iter().rev().fold(0_u64, |number, &byte| (number << 8) | u64::from(byte)))
        };
        let head = &bytes[..bytes.len().min(MAGIC.len())];
        if head != &MAGIC[..head.len()] {
            return Err(refused(0, "not a model file: it must start with 89 4C 4D 0D 0A 1A 0A 00"));
        }
        let checksum = number(AT_CHECKSUM, 8)?;
        match number(AT_VERSION, 2)? {
            version if version == u64::from(VERSION) => {}
            0 => return Err(refused(AT_VERSION, "version 0 of the container; accepted is version 1")),
            _ => {
                return Err(refused(
                    AT_VERSION,
                    "written by a newer version of this library; accepted is version 1 of the container",
                ));
            }
        }
        let kind_length = number(AT_KIND_LENGTH, 2)? as usize;
        let payload_length = number(AT_PAYLOAD_LENGTH, 8)?;
        let header = Self { kind_length, payload_length, checksum };
        if header.total().is_none_or(|total| total > MAX_BYTES as u64) {
            return Err(refused(AT_PAYLOAD_LENGTH, "a length beyond the largest container accepted"));
        }
        Ok(header)
    }

    /// The length of the whole container, unless it overflows.
    pub(super) fn total(&self) -> Option<u64> {
        self.payload_length.checked_add(self.payload_start() as u64)
    }

    /// Checks that the container has exactly the length that it claims.
    pub(super) fn check_length(&self, found: u64) -> Result<()> {
        match self.total() {
            Some(total) if total == found => Ok(()),
            Some(total) if total < found => {
                Err(Error::Container { offset: total, problem: "bytes after the end of the container" })
            }
            _ => Err(Error::Container { offset: found, problem: "the file ends before its payload does" }),
        }
    }

    /// Checks that the kind is the one asked for.
    pub(super) fn check_kind<M: Persist>(&self, bytes: &[u8]) -> Result<()> {
        let (found, expected) = (self.kind(bytes)?, KindPath::of::<M>());
        if found == expected.as_str() {
            return Ok(());
        }
        let names = |path: &str| -> Vec<String> {
            path.split('/').map(|kind| kind.split('@').next().unwrap_or_default().to_owned()).collect()
        };
        let same_names = names(found) == names(expected.as_str());
        Err(refused(
            HEADER,
            if same_names {
                "a model of the kind asked for, in another version than this library reads"
            } else {
                "a model of another kind than asked for"
            },
        ))
    }

    /// Where the payload starts.
    pub(super) fn payload_start(&self) -> usize {
        HEADER + self.kind_length
    }

    fn kind<'b>(&self, bytes: &'b [u8]) -> Result<&'b str> {
        let kind = bytes.get(HEADER..self.payload_start());
        let kind = kind.ok_or_else(|| refused(bytes.len(), "the file ends before its kind does"))?;
        match std::str::from_utf8(kind) {
            Ok(text) if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_graphic()) => Ok(text),
            _ => Err(refused(HEADER, "the kind must be visible ASCII characters")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_is_what_the_documentation_says() {
        assert_eq!(MAX_BYTES as u64, if usize::BITS >= 64 { 16 << 30 } else { 1 << 30 });
    }
}
