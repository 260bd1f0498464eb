//! Iterative deepening with a bounded memory of positions (Lifshitz VII).
//!
//! A result belongs to a position and a remaining depth. It consists of bounds of the value at that depth and is used at that
//! depth only, so that values stay those of a fixed depth. Positions one ply above the leaves are not looked up: evaluating
//! all of their replies at once takes less time.
//!
//! A memory holds results for one player in one game under one set of rules. Values must depend on the position alone. With
//! `symmetry`, they must also be equal for all symmetric images of a position, as they are under every evaluation of UTTT.

use std::collections::{HashMap, VecDeque};
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tictune_core::agent::{
    AgentKind, AgentSettings, Evaluation, Limit, PLIES, Spawn, deepening, limit,
};
use tictune_core::game::{Evaluator, Game, Score, Searchable};
use tictune_core::input::{InputError, Result};
use tictune_core::search::iterative::Depths;
use tictune_core::search::minimax::MAX_DEPTH;
use tictune_core::search::transpositions::{Probe, Transpositions, Window, bounds};
use tictune_core::search::{Iterative, TieBreak};

/// Searches like iterative, and remembers the results of a bounded number of positions.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(extend("x-without" = ["iterations"]))]
pub struct RememberingSettings {
    /// What ends the search of a move.
    #[serde(flatten, with = "limit::keys")]
    #[schemars(with = "limit::LimitKeys")]
    pub limit: Option<Limit>,
    /// The depth in plies at which the search ends
    #[schemars(range(min = 1, max = MAX_DEPTH), example = 7, extend("x-unit" = PLIES))]
    pub depth: Option<u32>,
    /// Which depths it searches.
    #[serde(flatten)]
    pub depths: Depths,
    /// What it remembers of positions.
    #[serde(flatten)]
    pub memory: MemorySettings,
    /// What leaves are worth.
    #[serde(flatten)]
    pub evaluation: Evaluation,
}

impl AgentSettings for RememberingSettings {
    tictune_core::fields_of_settings!(evaluation, depth, limit);

    fn check_keys(&self) -> Result<()> {
        if self.memory.symmetry && self.memory.hashing == Hashing::Zobrist {
            return Err(InputError::new(
                "symmetry=true needs hash=full: zobrist updates the hash of one image only",
            ));
        }
        Ok(())
    }

    fn mebibytes(&self) -> u32 {
        // Up to 128 bytes per position.
        self.memory.positions >> 13
    }
}

impl AgentKind for RememberingSettings {
    const NAME: &'static str = "remembering";

    tictune_core::described_here!();

    fn search<P: Game, E: Evaluator<P>>(&self, evaluator: Arc<E>) -> Result<Spawn<P>> {
        if !E::OF_POSITION_ALONE {
            return Err(InputError::new(
                "remembering needs an evaluation of the position alone; this one depends on earlier moves",
            ));
        }
        let Self { limit, depth, depths, memory, .. } = self.clone();
        Ok(deepening(Limit::of_complete(limit), TieBreak::Random, move || {
            let search = Iterative::new(Arc::clone(&evaluator), depth, None).depths(depths);
            search.remembering(BoundedMemory::new(memory.clone()))
        }))
    }
}

/// What a full memory does with a new result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Replacement {
    /// The new result is not stored.
    #[default]
    KeepFirst,
    /// The oldest result is replaced.
    Fifo,
    /// The result that was looked up or stored the longest time ago is replaced.
    Lru,
}

/// How positions are hashed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Hashing {
    /// From scratch at every position.
    #[default]
    Full,
    /// Zobrist hashing, updated by what a move changes.
    Zobrist,
}

/// The settings of a memory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct MemorySettings {
    /// What a full memory does with a new result
    #[serde(rename = "replace")]
    pub replacement: Replacement,
    /// How many results the memory holds. Each takes up to 128 bytes
    #[schemars(range(min = 1, max = MAX_POSITIONS), example = 5000)]
    pub positions: u32,
    /// Whether symmetric positions share their results; all images are then hashed from scratch at every lookup
    pub symmetry: bool,
    /// How positions are hashed
    #[serde(rename = "hash")]
    pub hashing: Hashing,
}

impl Default for MemorySettings {
    /// The default holds 10^6 results, as in Lifshitz VII.
    fn default() -> Self {
        Self {
            replacement: Replacement::default(),
            positions: 1_000_000,
            symmetry: false,
            hashing: Hashing::default(),
        }
    }
}

/// The most results that a memory can hold.
pub const MAX_POSITIONS: u32 = 200_000_000;

/// A bounded memory.
#[derive(Debug)]
pub struct BoundedMemory<M> {
    settings: MemorySettings,
    results: HashMap<u64, StoredResult<M>, BuildHasherDefault<OfHash>>,
    /// The keys in the order in which they are replaced, with the times of these uses; empty where the first results are kept.
    /// Only the last use of a result counts.
    uses: VecDeque<(u64, u64)>,
    /// How many uses there were.
    time: u64,
    /// The Zobrist hashes of the current line of play, from the root on; empty with full hashing.
    line: Vec<u64>,
}

#[derive(Clone, Copy, Debug)]
struct StoredResult<M> {
    low: Score,
    high: Score,
    best: Option<M>,
    /// The time of the last use that counts.
    used: u64,
}

/// Keys are hashes already, in 64 bits.
#[derive(Default)]
struct OfHash(u64);

impl Hasher for OfHash {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write_u64(&mut self, key: u64) {
        // The table wants even bits on both sides, and of symmetric images the least key counts. Source: Knuth, TAOCP 3, 6.4.
        let hash = key.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = hash ^ hash >> 32;
    }

    fn write(&mut self, _: &[u8]) {}
}

impl<M> BoundedMemory<M> {
    /// Allocates all space of its results.
    ///
    /// # Panics
    /// If the number of positions is 0 or above [`MAX_POSITIONS`].
    pub fn new(settings: MemorySettings) -> Self {
        let positions = settings.positions;
        assert!((1..=MAX_POSITIONS).contains(&positions), "{positions} positions");
        let results = HashMap::with_capacity_and_hasher(positions as usize, Default::default());
        Self { settings, results, uses: VecDeque::new(), time: 0, line: Vec::new() }
    }

    /// Notes that a result is used now.
    fn note_use(&mut self, key: u64) {
        let Some(result) = self.results.get_mut(&key) else { return };
        self.time += 1;
        result.used = self.time;
        self.uses.push_back((key, self.time));
        if self.uses.len() > 2 * self.settings.positions as usize {
            let results = &self.results;
            self.uses.retain(|(key, time)| results.get(key).is_some_and(|one| one.used == *time));
        }
    }

    /// Drops the result whose last use is the longest ago.
    fn drop_one(&mut self) {
        while let Some((key, time)) = self.uses.pop_front() {
            if self.results.get(&key).is_some_and(|result| result.used == time) {
                self.results.remove(&key);
                return;
            }
        }
    }
}

impl<P: Searchable> Transpositions<P> for BoundedMemory<P::Move> {
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
    fn probe(&mut self, position: &P, depth: u32) -> Probe<P::Move> {
        let hash = match self.line.last() {
            _ if self.settings.symmetry => position.canonical_key(),
            Some(&hash) => hash,
            None => position.key(),
        };
        debug_assert!(self.line.last().is_none_or(|&hash| hash == position.zobrist()));
        let key = hash ^ u64::from(depth).wrapping_mul(0xd134_2543_de82_ef95);
        let Some(&StoredResult { low, high, best, .. }) = self.results.get(&key) else {
            return Probe::unknown(key);
        };
        if self.settings.replacement == Replacement::Lru {
            self.note_use(key);
        }
        // The stored move may belong to a symmetric image.
        let first = if self.settings.symmetry { None } else { best };
        Probe { key, bound: Some((low, high)), first }
    }

    fn store(&mut self, key: u64, _: u32, window: Window, value: Score, best: Option<P::Move>) {
        let (low, high) = bounds(value, window);
        let replacement = self.settings.replacement;
        if let Some(entry) = self.results.get_mut(&key) {
            // Bounds that were stored before still hold.
            entry.low = entry.low.max(low);
            entry.high = entry.high.min(high);
            entry.best = best.or(entry.best);
            if replacement == Replacement::Lru {
                self.note_use(key);
            }
            return;
        }
        if self.results.len() == self.settings.positions as usize {
            if replacement == Replacement::KeepFirst {
                return;
            }
            self.drop_one();
        }
        self.results.insert(key, StoredResult { low, high, best, used: 0 });
        if replacement != Replacement::KeepFirst {
            self.note_use(key);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use tictune_games::Uttt;

    use super::*;

    proptest! {
        #[test]
        fn a_memory_holds_what_its_definition_says(
            replacement in prop::sample::select(vec![Replacement::KeepFirst, Replacement::Fifo, Replacement::Lru]),
            positions in 1_u32..40,
            stored in prop::collection::vec((0_u64..60, -9..9), 0..400),
        ) {
            let settings = MemorySettings { replacement, positions, ..MemorySettings::default() };
            // An obvious implementation: keys and their bounds in the order in which they are replaced.
            let (mut memory, most) = (BoundedMemory::new(settings), positions as usize);
            let mut expected: Vec<(u64, Score, Score)> = Vec::new();
            for (key, value) in stored {
                let (value, window) = (Score(value), (Score(-3), Score(3)));
                Transpositions::<Uttt>::store(&mut memory, key, 2, window, value, None);
                let (low, high) = bounds(value, window);
                if let Some(place) = expected.iter().position(|known| known.0 == key) {
                    let (_, least, greatest) = expected[place];
                    expected[place] = (key, low.max(least), high.min(greatest));
                    if replacement == Replacement::Lru {
                        expected[place..].rotate_left(1);
                    }
                } else if replacement != Replacement::KeepFirst || expected.len() < most {
                    expected.push((key, low, high));
                    expected.drain(..expected.len().saturating_sub(most));
                }
            }
            prop_assert_eq!(memory.results.len(), expected.len());
            for (key, low, high) in expected {
                let found = &memory.results[&key];
                prop_assert_eq!((found.low, found.high), (low, high));
            }
        }
    }
}
