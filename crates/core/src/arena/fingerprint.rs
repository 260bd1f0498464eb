//! Fingerprints, by which games are compared.

use std::hash::{Hash, Hasher};

use serde::{Deserialize, Serialize};

use crate::game::Game;
use crate::game::stable_hash::{numbers_as_words, words};
use crate::seed::mix;

/// A hash of 128 bits by which games are compared, the same on any machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Fingerprint([u64; 2]);

impl Fingerprint {
    /// The fingerprint of a start and the moves from there.
    pub fn new<P: Game>(start: &P, moves: &[P::Move]) -> Self {
        let mut hasher = FingerprintHasher([1, 2]);
        start.key().hash(&mut hasher);
        moves.hash(&mut hasher);
        Self(hasher.0)
    }

    /// The fingerprint of a game that a text stands for.
    pub fn of_text(text: &str) -> Self {
        let mut hasher = FingerprintHasher([3, 4]);
        hasher.write_usize(text.len());
        hasher.write(text.as_bytes());
        Self(hasher.0)
    }

    /// That of a game that another program played and did not name: only the seed of its pair and its number in it are known.
    pub fn unnamed(seed: u64, number: u64) -> Self {
        let mut hasher = FingerprintHasher([5, 6]);
        hasher.write_u64(seed);
        hasher.write_u64(number);
        Self([hasher.0[0], UNNAMED])
    }

    /// Half of it, by which a log knows the game; `None` for a game that was not named.
    #[doc(hidden)]
    #[inline]
    pub const fn key(&self) -> Option<u64> {
        if self.is_unnamed() { None } else { Some(self.0[0]) }
    }

    /// What stands for a game of which a log has the [`key`](Self::key).
    #[doc(hidden)]
    pub const fn of_key(key: u64) -> Self {
        Self([key, !UNNAMED])
    }

    #[doc(hidden)]
    pub const fn is_unnamed(&self) -> bool {
        self.0[1] == UNNAMED
    }
}

const UNNAMED: u64 = 0;

/// Two chains of 64 bits. The hashers of the standard library may change with its version.
pub(super) struct FingerprintHasher(pub(super) [u64; 2]);

impl Hasher for FingerprintHasher {
    #[inline]
    fn finish(&self) -> u64 {
        self.0[0]
    }

    #[inline]
    fn write(&mut self, bytes: &[u8]) {
        words(bytes).for_each(|word| self.word(word));
    }

    numbers_as_words!();
}

impl FingerprintHasher {
    #[inline]
    fn word(&mut self, word: u64) {
        self.0 = self.0.map(|state| mix(state, word));
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::game::Position;
    use crate::testing::toy::{Toy, ToyRules};

    #[test]
    fn fingerprints_tell_starts_lengths_and_orders_of_moves_apart() {
        let start = Toy::start(ToyRules::default());
        let moves: Vec<_> = start.legal_moves().take(4).collect();
        let later = start.after(moves[0]);
        let mut all: Vec<_> =
            (0..=4).map(|plies| Fingerprint::new(&start, &moves[..plies])).collect();
        all.push(Fingerprint::new(&start, &[moves[1], moves[0]]));
        all.push(Fingerprint::new(&later, &[]));
        all.push(Fingerprint::new(&later, &moves[1..]));
        assert_eq!(all.iter().collect::<HashSet<_>>().len(), all.len());
        assert_eq!(all[4], Fingerprint::new(&start.clone(), &moves.clone()));
        // No half of it does the work alone.
        for half in 0..2 {
            let halves: HashSet<u64> = all.iter().map(|fingerprint| fingerprint.0[half]).collect();
            assert_eq!(halves.len(), all.len());
        }
    }
}
