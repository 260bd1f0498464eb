//! Hashes that are the same in every build and on every machine.

use std::hash::{Hash, Hasher};

/// A hasher of 64 bits whose result depends on the written values alone.
///
/// CITE: FNV-1a over words instead of bytes (Fowler, Noll, Vo), with the finaliser of SplitMix64 (Steele, Lea, Flood,
/// "Fast splittable pseudorandom number generators", 2014) after every word.
pub struct StableHasher(u64);

impl StableHasher {
    /// The hash of a value.
    pub fn hash(value: &impl Hash) -> u64 {
        let mut hasher = Self(0xcbf2_9ce4_8422_2325);
        value.hash(&mut hasher);
        hasher.finish()
    }

    fn word(&mut self, word: u64) {
        let z = (self.0 ^ word).wrapping_mul(0x0000_0100_0000_01b3);
        let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        self.0 = z ^ (z >> 31);
    }
}

impl Hasher for StableHasher {
    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.word(u64::from_le_bytes(word));
        }
        self.word(bytes.len() as u64);
    }

    fn write_u8(&mut self, number: u8) {
        self.word(number.into());
    }

    fn write_u16(&mut self, number: u16) {
        self.word(number.into());
    }

    fn write_u32(&mut self, number: u32) {
        self.word(number.into());
    }

    fn write_u64(&mut self, number: u64) {
        self.word(number);
    }

    // As wide as on any machine.
    fn write_usize(&mut self, number: usize) {
        self.word(number as u64);
    }

    fn write_isize(&mut self, number: isize) {
        self.word(number as i64 as u64);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}
