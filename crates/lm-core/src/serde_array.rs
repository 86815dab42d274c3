//! Arrays of numbers in serde formats: raw little-endian bytes in binary ones, a list of numbers in readable ones.
//!
//! Bytes are copied as a whole, and a decoder allocates exactly what they need, whatever a length field claims. Use
//! as `#[serde(with = "lm_core::serde_array")]` on a `Vec` of `f64`, `f32`, `u32`, `u64` or `i64`.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{Error as _, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A number with a fixed little-endian form.
pub trait Number: Copy + Serialize + for<'de> Deserialize<'de> {
    /// The number of bytes of that form.
    const BYTES: usize;

    /// Appends the number to `out`.
    fn write(self, out: &mut Vec<u8>);

    /// Reads a number from exactly [`Number::BYTES`] bytes; `None` for any other count.
    fn read(bytes: &[u8]) -> Option<Self>;
}

macro_rules! number {
    ($($type:ty),*) => {$(
        impl Number for $type {
            const BYTES: usize = size_of::<$type>();

            fn write(self, out: &mut Vec<u8>) {
                out.extend_from_slice(&self.to_le_bytes());
            }

            fn read(bytes: &[u8]) -> Option<Self> {
                bytes.try_into().ok().map(<$type>::from_le_bytes)
            }
        }
    )*};
}

number!(f32, f64, u32, u64, i64);

/// Writes an array.
///
/// # Errors
/// Whatever the format's serialiser refuses.
pub fn serialize<T: Number, S: Serializer>(values: &[T], serializer: S) -> Result<S::Ok, S::Error> {
    if serializer.is_human_readable() {
        return values.serialize(serializer);
    }
    let mut bytes = Vec::with_capacity(values.len() * T::BYTES);
    values.iter().for_each(|value| value.write(&mut bytes));
    serializer.serialize_bytes(&bytes)
}

/// Reads an array.
///
/// # Errors
/// Whatever the format's deserialiser refuses, and a byte count that is not a multiple of the number's size.
pub fn deserialize<'de, T: Number, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<T>, D::Error> {
    if deserializer.is_human_readable() {
        deserializer.deserialize_seq(Array(PhantomData))
    } else {
        deserializer.deserialize_bytes(Array(PhantomData))
    }
}

struct Array<T>(PhantomData<T>);

impl<'de, T: Number> Visitor<'de> for Array<T> {
    type Value = Vec<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array of numbers")
    }

    fn visit_bytes<E: serde::de::Error>(self, bytes: &[u8]) -> Result<Self::Value, E> {
        if !bytes.len().is_multiple_of(T::BYTES) {
            return Err(E::invalid_length(bytes.len(), &"a whole number of numbers"));
        }
        // Collecting into an `Option` would grow by doubling; the bytes are there, so their number can be trusted.
        let mut values = Vec::with_capacity(bytes.len() / T::BYTES);
        values.extend(bytes.chunks_exact(T::BYTES).map_while(T::read));
        Ok(values)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<Self::Value, A::Error> {
        let mut values = Vec::new();
        while let Some(value) = sequence.next_element()? {
            values.try_reserve(1).map_err(A::Error::custom)?;
            values.push(value);
        }
        Ok(values)
    }
}
