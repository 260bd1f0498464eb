//! Hashes that are the same in every build and on every machine.

use std::hash::{Hash, Hasher};

/// A hasher of 64 bits whose result depends on the written values alone.
///
/// Source: FNV-1a over words instead of bytes (Fowler, Noll, Vo), with the finaliser of SplitMix64 (Steele, Lea, Flood,
/// "Fast splittable pseudorandom number generators", 2014) after every word.
pub struct StableHasher(u64);

impl StableHasher {
    /// The hash of a value.
    pub fn hash(value: &impl Hash) -> u64 {
        let mut hasher = Self(0xcbf2_9ce4_8422_2325);
        value.hash(&mut hasher);
        hasher.finish()
    }

    #[inline]
    fn word(&mut self, word: u64) {
        let z = (self.0 ^ word).wrapping_mul(0x0000_0100_0000_01b3);
        let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        self.0 = z ^ (z >> 31);
    }
}

/// The methods of a [`Hasher`] for numbers: each is a word, as wide as on any machine.
macro_rules! numbers_as_words {
    ($($write:ident: $number:ty),+) => {
        $(#[inline]
        fn $write(&mut self, number: $number) {
            self.word(number as u64);
        })+
    };
    () => {
        $crate::game::stable_hash::numbers_as_words!(
            write_u8: u8, write_u16: u16, write_u32: u32, write_u64: u64, write_usize: usize, write_isize: isize
        );
    };
}
pub(crate) use numbers_as_words;

#[inline]
pub(crate) fn words(bytes: &[u8]) -> impl Iterator<Item = u64> {
    bytes.chunks(8).map(|chunk| {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        u64::from_le_bytes(word)
    })
}

impl Hasher for StableHasher {
    #[inline]
    fn write(&mut self, bytes: &[u8]) {
        words(bytes).for_each(|word| self.word(word));
        self.word(bytes.len() as u64);
    }

    numbers_as_words!();

    #[inline]
    fn finish(&self) -> u64 {
        self.0
    }
}
