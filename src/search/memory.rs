//! What iterative deepening remembers of positions: the trait behind which it is, and the memories of
//! Lifshitz VII, bounded by a number of results.
//!
//! A result belongs to a position and a remaining depth: bounds of the value so deep. It answers only for
//! that depth, so that values stay those of a fixed depth. Positions whose replies are all valued at once,
//! those one ply above the leaves, are not looked up: that would cost more than it saves.
//!
//! A memory holds results of one player in one game under one set of rules. Values must be functions of the
//! position alone ([`Evaluator::OF_POSITION_ALONE`](crate::game::Evaluator::OF_POSITION_ALONE)), and with
//! `symmetry` equal for all images of a position, as they are under every evaluation of UTTT.

use arrayvec::ArrayVec;
use serde::{Deserialize, Serialize};
use strum::{Display, EnumString, VariantNames};

use super::minimax::{MAX_DEPTH, Probe};
use crate::game::{Position, Score};

/// Results of positions that were searched, as iterative deepening sees them.
pub trait Transpositions<P: Position> {
    /// Whether it remembers anything at all: if not, it need not be asked or told.
    #[inline]
    fn remembers(&self) -> bool {
        true
    }

    /// A search from a position begins.
    #[inline]
    fn start(&mut self, _root: &P) {}

    /// The line of play being searched continues with a move.
    #[inline]
    fn enter(&mut self, _before: &P, _mv: P::Move, _after: &P) {}

    /// The last move of that line is taken back.
    #[inline]
    fn leave(&mut self) {}

    /// What is known of the last position of the line, searched so deep.
    fn probe(&self, position: &P, depth: u32) -> Probe<P::Move>;

    /// Learns the value of a position by the key of its probe: exact inside the window, a bound outside.
    fn store(
        &mut self,
        key: u64,
        depth: u32,
        window: (Score, Score),
        value: Score,
        best: Option<P::Move>,
    );
}

/// What a value says of the exact one: lower and upper bound.
#[inline]
pub(super) fn bounds(value: Score, (alpha, beta): (Score, Score)) -> (Score, Score) {
    let low = if value > alpha { value } else { Score::LOSS };
    let high = if value < beta { value } else { Score::WIN };
    (low, high)
}

/// What a full memory does with a new result.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    Serialize,
    Deserialize,
    Display,
    EnumString,
    VariantNames,
)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Replacement {
    /// It is not remembered.
    #[default]
    KeepFirst,
    /// The oldest result goes.
    Fifo,
}

/// How positions are hashed.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    Serialize,
    Deserialize,
    Display,
    EnumString,
    VariantNames,
)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Hashing {
    /// From scratch, at every position.
    #[default]
    Full,
    /// Zobrist hashing: updated by what a move changes.
    Zobrist,
}

/// The settings of a memory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Settings {
    /// What happens when it is full.
    pub replacement: Replacement,
    /// How many results it holds at most, from 1 to [`MAX_POSITIONS`]. They take about 32 bytes each.
    pub positions: u32,
    /// Whether a position shares its results with its symmetric images. All of them are hashed each
    /// time, from scratch.
    pub symmetry: bool,
    /// How positions are hashed, without symmetry.
    pub hashing: Hashing,
}

impl Default for Settings {
    /// The 10^6 results of Lifshitz VII.
    fn default() -> Self {
        Self {
            replacement: Replacement::default(),
            positions: 1_000_000,
            symmetry: false,
            hashing: Hashing::default(),
        }
    }
}

/// The most results of a memory.
pub const MAX_POSITIONS: u32 = 200_000_000;

/// A bounded memory.
#[derive(Debug)]
pub struct Memory<M> {
    settings: Settings,
    /// In the order in which they came; a ring once it is full.
    entries: Vec<Entry<M>>,
    /// The oldest entry of a full ring.
    oldest: usize,
    /// By hash, one more than the place of the first entry of a chain; 0 for an empty one.
    chains: Vec<u32>,
    /// The Zobrist hashes of the positions on the line that is searched, the root first.
    line: ArrayVec<u64, { MAX_DEPTH as usize }>,
}

#[derive(Clone, Copy, Debug)]
struct Entry<M> {
    key: u64,
    low: Score,
    high: Score,
    best: Option<M>,
    /// The next entry of the chain, as in `chains`.
    next: u32,
}

impl<M: Copy> Memory<M> {
    /// An empty memory, all of whose room is taken at once.
    ///
    /// # Panics
    /// If it has no position, or more than [`MAX_POSITIONS`].
    #[must_use]
    pub fn new(settings: Settings) -> Self {
        let positions = settings.positions;
        assert!((1..=MAX_POSITIONS).contains(&positions), "{positions} positions");
        let positions = positions as usize;
        Self {
            settings,
            entries: Vec::with_capacity(positions),
            oldest: 0,
            // A power of two above 1, so that a shift finds the chain.
            chains: vec![0; positions.next_power_of_two().max(2)],
            line: ArrayVec::new(),
        }
    }

    /// The number of results that it holds.
    #[must_use]
    pub const fn held(&self) -> usize {
        self.entries.len()
    }

    /// The place in `chains` of a key.
    #[inline]
    fn chain(&self, key: u64) -> usize {
        // CITE: multiplicative hashing; Knuth, The Art of Computer Programming 3, 6.4.
        let bits = self.chains.len().trailing_zeros();
        (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - bits)) as usize
    }

    /// The place of a key's entry.
    #[inline]
    fn find(&self, key: u64) -> Option<usize> {
        let mut place = self.chains[self.chain(key)];
        while place != 0 {
            let entry = &self.entries[place as usize - 1];
            if entry.key == key {
                return Some(place as usize - 1);
            }
            place = entry.next;
        }
        None
    }

    /// Takes the oldest entry out of its chain: its place.
    fn forget_oldest(&mut self) -> usize {
        let place = self.oldest;
        self.oldest = (place + 1) % self.entries.len();
        let Entry { key, next, .. } = self.entries[place];
        let (chain, link) = (self.chain(key), place as u32 + 1);
        if self.chains[chain] == link {
            self.chains[chain] = next;
            return place;
        }
        let mut before = self.chains[chain];
        while before != 0 {
            let entry = &mut self.entries[before as usize - 1];
            if entry.next == link {
                entry.next = next;
                break;
            }
            before = entry.next;
        }
        place
    }

    /// Remembers a new key's result, if there is room.
    fn add(&mut self, key: u64, (low, high): (Score, Score), best: Option<M>) {
        let chain = self.chain(key);
        if self.entries.len() < self.settings.positions as usize {
            let next = std::mem::replace(&mut self.chains[chain], self.entries.len() as u32 + 1);
            self.entries.push(Entry { key, low, high, best, next });
        } else if self.settings.replacement == Replacement::Fifo {
            let place = self.forget_oldest();
            let next = std::mem::replace(&mut self.chains[chain], place as u32 + 1);
            self.entries[place] = Entry { key, low, high, best, next };
        }
    }
}

impl<P: Position> Transpositions<P> for Memory<P::Move> {
    fn start(&mut self, root: &P) {
        self.line.clear();
        if self.settings.hashing == Hashing::Zobrist {
            self.line.push(root.zobrist());
        }
    }

    #[inline]
    fn enter(&mut self, before: &P, mv: P::Move, after: &P) {
        if let Some(&hash) = self.line.last() {
            self.line.push(before.zobrist_after(hash, mv, after));
        }
    }

    #[inline]
    fn leave(&mut self) {
        self.line.pop();
    }

    #[inline]
    fn probe(&self, position: &P, depth: u32) -> Probe<P::Move> {
        let hash = match self.line.last() {
            _ if self.settings.symmetry => position.canonical_key(),
            Some(&hash) => hash,
            None => position.key(),
        };
        debug_assert!(self.line.last().is_none_or(|&hash| hash == position.zobrist()));
        let key = hash ^ u64::from(depth).wrapping_mul(0xd134_2543_de82_ef95);
        let Some(place) = self.find(key) else { return Probe { key, bound: None, first: None } };
        let Entry { low, high, best, .. } = self.entries[place];
        // The move may be that of an image.
        let first = if self.settings.symmetry { None } else { best };
        Probe { key, bound: Some((low, high)), first }
    }

    fn store(
        &mut self,
        key: u64,
        _: u32,
        window: (Score, Score),
        value: Score,
        best: Option<P::Move>,
    ) {
        let (low, high) = bounds(value, window);
        let Some(place) = self.find(key) else { return self.add(key, (low, high), best) };
        // What was known before stays true.
        let entry = &mut self.entries[place];
        entry.low = entry.low.max(low);
        entry.high = entry.high.min(high);
        entry.best = best.or(entry.best);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use proptest::prelude::*;

    use super::*;

    fn memory(replacement: Replacement, positions: u32) -> Memory<u8> {
        Memory::new(Settings { replacement, positions, ..Settings::default() })
    }

    /// What a memory does by definition.
    struct Twin {
        replacement: Replacement,
        most: usize,
        order: Vec<u64>,
        results: HashMap<u64, Score>,
    }

    impl Twin {
        fn add(&mut self, key: u64, low: Score) {
            if self.order.len() == self.most {
                if self.replacement == Replacement::KeepFirst {
                    return;
                }
                self.results.remove(&self.order.remove(0));
            }
            self.order.push(key);
            self.results.insert(key, low);
        }
    }

    proptest! {
        #[test]
        fn a_memory_holds_what_its_definition_says(
            fifo: bool,
            most in 1_usize..40,
            keys in prop::collection::vec((0_u64..60, any::<bool>()), 0..400),
        ) {
            let replacement = if fifo { Replacement::Fifo } else { Replacement::KeepFirst };
            let mut memory = memory(replacement, most as u32);
            let mut twin = Twin { replacement, most, order: Vec::new(), results: HashMap::new() };
            for (number, (key, spread)) in (0..).zip(keys) {
                // Spread over all bits, or all in few chains.
                let key = if spread { key.wrapping_mul(0x1234_5678_9abc_def1) } else { key };
                if memory.find(key).is_none() {
                    memory.add(key, (Score(number), Score::WIN), None);
                    twin.add(key, Score(number));
                }
                prop_assert!(memory.held() <= most);
                prop_assert_eq!(memory.held(), twin.order.len());
                for key in &twin.order {
                    let low = memory.find(*key).map(|place| memory.entries[place].low);
                    prop_assert_eq!(low, twin.results.get(key).copied());
                }
                let known = memory.entries.iter().filter(|e| memory.find(e.key).is_some()).count();
                prop_assert_eq!(known, memory.held(), "every entry is found, and nothing else");
            }
        }
    }

    #[test]
    fn a_window_makes_a_value_a_bound() {
        let window = (Score(-5), Score(5));
        assert_eq!(bounds(Score(3), window), (Score(3), Score(3)));
        assert_eq!(bounds(Score(5), window), (Score(5), Score::WIN));
        assert_eq!(bounds(Score(-5), window), (Score::LOSS, Score(-5)));
    }
}
