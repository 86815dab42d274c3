//! A compact list of corrections: a byte or two for each.

/// The most bytes that a list takes, unless it is told otherwise.
pub(crate) const LIMIT: usize = 1 << 24;

/// The longest that a number of 64 bits becomes.
const LONGEST: usize = 10;

/// Numbers that never fall, kept as the gaps between them, seven bits of a gap in each byte. A list that would outgrow its
/// limit is cut: it counts on, and keeps no more.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Corrections {
    bytes: Vec<u8>,
    held: u64,
    made: u64,
    last: u64,
    limit: usize,
}

impl Corrections {
    /// An empty list of at most `limit` bytes.
    pub(crate) fn new(limit: usize) -> Self {
        Self { bytes: Vec::new(), held: 0, made: 0, last: 0, limit }
    }

    /// Adds a number that is not smaller than the one before.
    pub(crate) fn push(&mut self, number: u64) {
        let whole = self.held == self.made;
        self.made += 1;
        if !whole || self.bytes.len() + LONGEST > self.limit {
            return;
        }
        let mut gap = number.saturating_sub(self.last);
        while gap >= 0x80 {
            self.bytes.push(gap as u8 | 0x80);
            gap >>= 7;
        }
        self.bytes.push(gap as u8);
        self.last = number;
        self.held += 1;
    }

    /// How many were added.
    pub(crate) fn made(&self) -> u64 {
        self.made
    }

    /// How many are still known.
    pub(crate) fn held(&self) -> u64 {
        self.held
    }

    /// The memory that the list takes.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// A list from its bytes, of which `made` numbers were added.
    #[cfg(any(feature = "serde", test))]
    pub(crate) fn from_bytes(bytes: Vec<u8>, made: u64) -> lm_core::Result<Self> {
        let broken = lm_core::Error::Numerical { what: "the list of corrections" };
        let mut list = Self { bytes, held: 0, made, last: 0, limit: LIMIT };
        let (mut held, mut last, mut at) = (0, 0_u64, 0);
        while at < list.bytes.len() {
            let (gap, next) = gap(&list.bytes, at).ok_or(broken)?;
            last = last.checked_add(gap).ok_or(broken)?;
            (held, at) = (held + 1, next);
        }
        (list.held, list.last) = (held, last);
        if held <= made { Ok(list) } else { Err(broken) }
    }

    /// The numbers that are still known, in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = u64> + '_ {
        let (mut at, mut last) = (0, 0_u64);
        std::iter::from_fn(move || {
            let (gap, next) = gap(&self.bytes, at)?;
            (at, last) = (next, last.wrapping_add(gap));
            Some(last)
        })
    }
}

/// The gap that starts at a byte, and where the next one starts; none at the end, or where the bytes are not of a gap.
fn gap(bytes: &[u8], start: usize) -> Option<(u64, usize)> {
    let mut gap = 0_u64;
    for (offset, &byte) in bytes.get(start..)?.iter().enumerate().take(LONGEST) {
        let (part, shift) = (u64::from(byte & 0x7f), 7 * offset as u32);
        if part << shift >> shift != part {
            return None;
        }
        gap |= part << shift;
        if byte < 0x80 {
            return Some((gap, start + offset + 1));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back_as_they_went_in() {
        let numbers = [0, 0, 1, 128, 129, 16_500, 1 << 40, u64::MAX - 1, u64::MAX];
        let mut list = Corrections::new(LIMIT);
        numbers.iter().for_each(|&number| list.push(number));
        assert!(list.iter().eq(numbers));
        assert_eq!((list.made(), list.held()), (9, 9));
        let again = Corrections::from_bytes(list.bytes().to_vec(), 9).unwrap();
        assert_eq!(again, list);
    }

    #[test]
    fn near_numbers_take_a_byte_each() {
        let mut list = Corrections::new(LIMIT);
        (0..1000).for_each(|k| list.push(100 * k));
        assert_eq!(list.bytes().len(), 1000);
    }

    #[test]
    fn a_list_that_is_cut_says_so_and_keeps_its_beginning() {
        let mut list = Corrections::new(25);
        (0..1000).for_each(|k| list.push(k));
        assert_eq!((list.made(), list.held()), (1000, 16));
        assert!(list.iter().eq(0..16));
    }

    #[test]
    fn bytes_that_are_no_list_are_refused() {
        assert!(Corrections::from_bytes(vec![0x80], 1).is_err(), "a gap without an end");
        assert!(Corrections::from_bytes(vec![0xff; 11], 1).is_err(), "a gap of more than 64 bits");
        assert!(Corrections::from_bytes(vec![1, 1], 1).is_err(), "more than were made");
        let overflow = [vec![0xff; 9], vec![1, 1]].concat();
        assert!(Corrections::from_bytes(overflow, 2).is_err(), "a sum of more than 64 bits");
    }
}
