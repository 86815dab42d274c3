//! CRC-64/XZ: the checksum of the container.
//!
//! The reflected polynomial of ECMA-182, all ones before and after. It finds every burst of up to 64 damaged bits and
//! misses other damage once in 2⁶⁴. It guards against accidents, not against forgers.

const POLYNOMIAL: u64 = 0xC96C_5795_D787_0F42;

/// `TABLES[k][b]`: what byte `b` contributes after `k` further bytes, so that eight bytes are taken in one step.
static TABLES: [[u64; 256]; 8] = tables();

const fn tables() -> [[u64; 256]; 8] {
    let mut tables = [[0; 256]; 8];
    let mut byte = 0;
    while byte < 256 {
        let (mut crc, mut bit) = (byte as u64, 0);
        while bit < 8 {
            crc = if crc & 1 == 1 { (crc >> 1) ^ POLYNOMIAL } else { crc >> 1 };
            bit += 1;
        }
        tables[0][byte] = crc;
        byte += 1;
    }
    let mut step = 1;
    while step < 8 {
        let mut byte = 0;
        while byte < 256 {
            let before = tables[step - 1][byte];
            tables[step][byte] = (before >> 8) ^ tables[0][(before & 0xFF) as usize];
            byte += 1;
        }
        step += 1;
    }
    tables
}

/// A checksum under way.
#[derive(Debug, Clone, Copy)]
pub(super) struct Crc64(u64);

impl Crc64 {
    pub(super) fn new() -> Self {
        Self(u64::MAX)
    }

    /// The checksum of everything so far, followed by `bytes`.
    pub(super) fn with(self, bytes: &[u8]) -> Self {
        let (blocks, rest) = bytes.as_chunks::<8>();
        let mut crc = self.0;
        for block in blocks {
            let mixed = (crc ^ u64::from_le_bytes(*block)).to_le_bytes();
            crc = (0..8).fold(0, |sum, k| sum ^ TABLES[7 - k][mixed[k] as usize]);
        }
        for &byte in rest {
            crc = (crc >> 8) ^ TABLES[0][((crc ^ u64::from(byte)) & 0xFF) as usize];
        }
        Self(crc)
    }

    pub(super) fn value(self) -> u64 {
        !self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_published_check_value_is_met() {
        assert_eq!(Crc64::new().with(b"123456789").value(), 0x995D_C9BB_DF19_39FA);
        assert_eq!(Crc64::new().value(), 0);
    }

    #[test]
    fn any_division_into_parts_gives_the_same() {
        let bytes: Vec<u8> = (0..100_u8).map(|k| k.wrapping_mul(37)).collect();
        let whole = Crc64::new().with(&bytes).value();
        for cut in 0..bytes.len() {
            assert_eq!(Crc64::new().with(&bytes[..cut]).with(&bytes[cut..]).value(), whole);
        }
    }
}
