//! Where a run was, and where it made corrections.

use crate::Order;
use crate::corrections::{Corrections, LIMIT};
use crate::order::Orders;

/// The course of a run: the order of its visits, how far it came, and at which examples it made corrections.
///
/// A run of `k` corrections takes about `k` to `2k` bytes, up to a limit of 16 MiB or what the budget leaves. Beyond that
/// the journal is cut: it counts all corrections and knows the first ones.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Stored", into = "Stored"))]
pub struct Journal {
    order: Order,
    len: usize,
    /// How many places of passes were gone through, `len` in each pass.
    places: u64,
    /// The place of each correction.
    corrections: Corrections,
    in_first_pass: u64,
}

impl Journal {
    /// An empty journal about `len` examples, of at most so many bytes.
    pub(crate) fn new(order: Order, len: usize, bytes: usize) -> Self {
        Self { order, len, places: 0, corrections: Corrections::new(bytes.min(LIMIT)), in_first_pass: 0 }
    }

    /// Notes a correction, `ahead` places after those gone through.
    pub(crate) fn correct(&mut self, ahead: usize) {
        let place = self.places + ahead as u64;
        self.corrections.push(place);
        self.in_first_pass += u64::from(place < self.len as u64);
    }

    /// Notes that so many more places were gone through.
    pub(crate) fn advance(&mut self, places: usize) {
        self.places += places as u64;
    }

    /// The order in which the examples were visited.
    pub fn order(&self) -> Order {
        self.order
    }

    /// The number of examples.
    pub fn examples(&self) -> usize {
        self.len
    }

    /// How many examples were visited, over all passes, those of weight 0 included.
    pub fn visited(&self) -> u64 {
        self.places
    }

    /// How many corrections were made.
    pub fn corrections(&self) -> u64 {
        self.corrections.made()
    }

    /// How many of them were made in the first pass.
    pub fn corrections_in_first_pass(&self) -> u64 {
        self.in_first_pass
    }

    /// Whether the places of the later corrections are no longer known.
    pub fn is_cut(&self) -> bool {
        self.corrections.held() < self.corrections.made()
    }

    /// The bytes that the places of the corrections take.
    pub fn bytes(&self) -> usize {
        self.corrections.bytes().len()
    }

    /// The example of each correction, in order, as far as they are known.
    pub fn mistakes(&self) -> Vec<u32> {
        let mut mistakes = Vec::new();
        self.for_each_correction(|row| mistakes.push(row as u32));
        mistakes
    }

    /// How often each example was corrected, as far as that is known: the coefficients `α` of the dual form.
    pub fn counts(&self) -> Vec<u64> {
        let mut counts = vec![0; self.len];
        self.for_each_correction(|row| counts[row] += 1);
        counts
    }

    fn for_each_correction(&self, mut visit: impl FnMut(usize)) {
        let (mut orders, len) = (Orders::new(self.order, self.len), self.len as u64);
        let mut places = self.corrections.iter().peekable();
        while let Some(pass) = places.peek().map(|place| place / len) {
            let order = orders.of_pass(pass);
            while let Some(place) = places.next_if(|place| place / len == pass) {
                let place = (place % len) as usize;
                visit(order.map_or(place, |order| order[place] as usize));
            }
        }
    }

    /// The places of the corrections that are known.
    pub(crate) fn places(&self) -> impl Iterator<Item = u64> + '_ {
        self.corrections.iter()
    }
}

/// A journal as it is kept.
#[cfg(feature = "serde")]
#[derive(serde::Serialize, serde::Deserialize)]
struct Stored {
    order: Order,
    len: u64,
    places: u64,
    corrections: Vec<u8>,
    made: u64,
    in_first_pass: u64,
}

#[cfg(feature = "serde")]
impl TryFrom<Stored> for Journal {
    type Error = lm_core::Error;

    fn try_from(stored: Stored) -> lm_core::Result<Self> {
        let broken = lm_core::Error::Numerical { what: "the journal of a run" };
        let Stored { order, places, made, in_first_pass, .. } = stored;
        let len = usize::try_from(stored.len).map_err(|_| broken)?;
        crate::visits::check_len(len)?;
        let corrections = Corrections::from_bytes(stored.corrections, made)?;
        let within = corrections.iter().last().is_none_or(|last| last < places);
        if len > 0 && within && in_first_pass <= made {
            Ok(Self { order, len, places, corrections, in_first_pass })
        } else {
            Err(broken)
        }
    }
}

#[cfg(feature = "serde")]
impl From<Journal> for Stored {
    fn from(journal: Journal) -> Self {
        Self {
            order: journal.order,
            len: journal.len as u64,
            places: journal.places,
            corrections: journal.corrections.bytes().to_vec(),
            made: journal.corrections.made(),
            in_first_pass: journal.in_first_pass,
        }
    }
}
