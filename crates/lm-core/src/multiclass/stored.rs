//! Models of many parts in serde formats.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{Error as _, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

/// Classes and a list of models, as a decoder reads them before they are checked.
#[derive(Deserialize)]
#[serde(bound(deserialize = "H: Deserialize<'de>"))]
pub(super) struct Stored<H> {
    #[serde(with = "crate::serde_array")]
    pub(super) classes: Vec<i64>,
    #[serde(deserialize_with = "list")]
    pub(super) models: Vec<H>,
}

/// Reads a list of models. Memory grows with the models that have arrived, by an eighth at a time, so that neither a
/// claimed length nor the usual doubling decides how much is taken.
pub(super) fn list<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Vec<T>, D::Error> {
    deserializer.deserialize_seq(List(PhantomData))
}

struct List<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for List<T> {
    type Value = Vec<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of models")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<Vec<T>, A::Error> {
        const FIRST: usize = 256;
        let mut models = Vec::new();
        while let Some(model) = sequence.next_element()? {
            if models.len() == models.capacity() {
                let step =
                    FIRST.max(models.len() / 8).min(sequence.size_hint().map_or(FIRST, |left| left + 1));
                models.try_reserve_exact(step.max(1)).map_err(A::Error::custom)?;
            }
            models.push(model);
        }
        Ok(models)
    }
}
