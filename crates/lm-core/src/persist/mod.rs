//! Models on disk: one container for every kind of model.
//!
//! ```text
//! offset  bytes  field
//!      0      8  magic: 89 4C 4D 0D 0A 1A 0A 00
//!      8      2  version of the container, 1
//!     10      2  length k of the kind
//!     12      8  length of the payload
//!     20      8  CRC-64/XZ over bytes 0–19, the kind and the payload
//!     28      k  kind: ASCII, such as `linear@1`, or `one-vs-one@1/linear@1` for a model made of models
//!   28+k      …  payload
//! ```
//!
//! All numbers are little-endian. The magic starts with a byte outside ASCII and holds both line endings and an
//! end-of-file mark, so that a file mangled as text is known at once. The payload is the model in bincode's serde
//! form with integers of fixed length; bincode is named nowhere but in this module.
//!
//! A decoder checks, in this order: that the header is there, the magic, the version, the kind, that the payload is
//! exactly what remains, its size against [`MAX_BYTES`], the checksum, the payload, and that the payload was used to its
//! last byte. The numbers are checked by the types themselves: every model's `Deserialize` goes through its
//! constructor (`#[serde(try_from)]`), so a decoded model has passed the same checks as a fitted one. Arrays are copied
//! straight from the bytes that hold them ([`serde_array`](crate::serde_array)), so a decoder allocates about what
//! the payload holds, whatever lengths it claims.

mod container;
mod crc64;
mod file;
mod models;

pub use container::{MAX_BYTES, decode, encode, kind_of};
pub use file::{load, read, replace, save, write};

use serde::Serialize;
use serde::de::DeserializeOwned;

/// A model that can be kept in the container.
///
/// The implementor promises that `Deserialize` validates: a value that it returns could have been made by the type's
/// constructors. A derived `Deserialize` does so only for types without invariants of their own; all others use
/// `#[serde(try_from = …)]`.
pub trait Persist: Serialize + DeserializeOwned {
    /// The name of the kind: 1 to 32 characters of `a`–`z`, `0`–`9` and `-`, never used for another kind. Checked when
    /// the program is compiled.
    const KIND: &'static str;

    /// The version of the kind, raised whenever its serde form changes.
    const VERSION: u16;

    /// Adds this kind to the path that names a file's content. A model made of other models adds theirs after its
    /// own.
    fn describe(path: &mut KindPath) {
        path.push::<Self>();
    }
}

/// The kinds that make up a model, outermost first, such as `one-vs-one@1/linear@1`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct KindPath(String);

impl KindPath {
    /// The path of a kind.
    pub fn of<M: Persist>() -> Self {
        let mut path = Self::default();
        M::describe(&mut path);
        path
    }

    /// Appends one kind, without what it is made of.
    pub fn push<M: Persist>(&mut self) {
        const { assert!(is_kind(M::KIND), "a kind is 1 to 32 characters of a-z, 0-9 and '-'") };
        if !self.0.is_empty() {
            self.0.push('/');
        }
        self.0.push_str(M::KIND);
        self.0.push('@');
        self.0.push_str(&M::VERSION.to_string());
    }

    /// The path as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

const fn is_kind(kind: &str) -> bool {
    let bytes = kind.as_bytes();
    let mut position = 0;
    while position < bytes.len() {
        if !matches!(bytes[position], b'a'..=b'z' | b'0'..=b'9' | b'-') {
            return false;
        }
        position += 1;
    }
    !bytes.is_empty() && bytes.len() <= 32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_short_and_plain() {
        for (kind, good) in [
            ("linear", true),
            ("one-vs-1", true),
            ("", false),
            ("Linear", false),
            ("a/b", false),
            ("a@1", false),
        ] {
            assert_eq!(is_kind(kind), good, "{kind}");
        }
        assert!(is_kind("abcdefghijklmnopqrstuvwxyz012345"));
        assert!(!is_kind("abcdefghijklmnopqrstuvwxyz0123456"));
    }
}
