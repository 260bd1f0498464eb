//! Iterative deepening with a bounded memory of positions (Lifshitz VII).
//!
//! A result belongs to a position and a remaining depth. It consists of bounds of the value at that depth and is used at that
//! depth only, so that values stay those of a fixed depth. Positions one ply above the leaves are not looked up: evaluating
//! all of their replies at once takes less time.
//!
//! A memory holds results for one player in one game under one set of rules. Values must depend on the position alone. With
//! `symmetry`, they must also be equal for all symmetric images of a position, as they are under every evaluation of UTTT.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tictune_core::agent::{
    AgentKind, AgentSettings, Effort, Evaluation, Limit, PLIES, Spawn, deepening, limit,
};
use tictune_core::game::{Evaluator, Game, Score, Searchable};
use tictune_core::input::InputError;
use tictune_core::search::iterative::Depths;
use tictune_core::search::minimax::MAX_DEPTH;
use tictune_core::search::transpositions::{Probe, Transpositions, bounds};
use tictune_core::search::{Iterative, Ties};

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
    pub memory: Settings,
    /// What leaves are worth.
    #[serde(flatten)]
    pub evaluation: Evaluation,
}

impl AgentSettings for RememberingSettings {
    tictune_core::fields_of_settings!(evaluation, depth, limit);

    fn check_keys(&self) -> Result<(), InputError> {
        if self.memory.symmetry && self.memory.hashing == Hashing::Zobrist {
            return Err(InputError::new(
                "symmetry=true needs hash=full: zobrist updates the hash of one image only",
            ));
        }
        Ok(())
    }

    fn effort(&self) -> Effort {
        // About 32 bytes per position.
        let mebibytes = self.memory.positions >> 15;
        Effort { mebibytes, ..Effort::default() }
    }
}

impl AgentKind for RememberingSettings {
    const NAME: &'static str = "remembering";

    fn search<P: Game, E: Evaluator<P>>(&self, evaluator: Arc<E>) -> Result<Spawn<P>, InputError> {
        if !E::OF_POSITION_ALONE {
            return Err(InputError::new(
                "remembering needs an evaluation of the position alone; this one depends on earlier moves",
            ));
        }
        let Self { limit, depth, depths, memory, .. } = self.clone();
        Ok(deepening(limit.unwrap_or(Limit::Nodes(1)), Ties::Random, move || {
            let search = Iterative::new(Arc::clone(&evaluator), depth, None).depths(depths);
            search.remembering(Memory::new(memory.clone()))
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
pub struct Settings {
    /// What a full memory does with a new result
    #[serde(rename = "replace")]
    pub replacement: Replacement,
    /// How many results the memory holds. Each takes about 32 bytes
    #[schemars(range(min = 1, max = MAX_POSITIONS), example = 5000)]
    pub positions: u32,
    /// Whether symmetric positions share their results; all images are then hashed from scratch at every lookup
    pub symmetry: bool,
    /// How positions are hashed
    #[serde(rename = "hash")]
    pub hashing: Hashing,
}

impl Default for Settings {
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
pub struct Memory<M> {
    settings: Settings,
    /// In the order of arrival; a ring buffer once it is full.
    entries: Vec<Entry<M>>,
    /// The index of the oldest entry of a full ring buffer.
    oldest: usize,
    /// By hash, the index of the first entry of a chain plus one; 0 for an empty chain.
    chains: Vec<u32>,
    /// The Zobrist hashes of the current line of play, from the root on; empty with full hashing.
    line: Vec<u64>,
}

#[derive(Clone, Copy, Debug)]
struct Entry<M> {
    key: u64,
    low: Score,
    high: Score,
    best: Option<M>,
    /// The next entry of the chain, in the form used by `chains`.
    next: u32,
}

impl<M: Copy> Memory<M> {
    /// Allocates all of its space.
    ///
    /// # Panics
    /// If the number of positions is 0 or above [`MAX_POSITIONS`].
    pub fn new(settings: Settings) -> Self {
        let positions = settings.positions;
        assert!((1..=MAX_POSITIONS).contains(&positions), "{positions} positions");
        let positions = positions as usize;
        Self {
            settings,
            entries: Vec::with_capacity(positions),
            oldest: 0,
            // A power of two above 1, so that a shift gives the chain.
            chains: vec![0; positions.next_power_of_two().max(2)],
            line: Vec::new(),
        }
    }

    /// The index in `chains` of a key.
    #[inline]
    fn chain(&self, key: u64) -> usize {
        // CITE: multiplicative hashing; Knuth, The Art of Computer Programming 3, 6.4.
        let bits = self.chains.len().trailing_zeros();
        (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - bits)) as usize
    }

    /// The index of a key's entry.
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

    /// Takes the oldest entry out of its chain and returns its index.
    fn forget_oldest(&mut self) -> usize {
        let place = self.oldest;
        self.oldest = (place + 1) % self.entries.len();
        let Entry { key, next, .. } = self.entries[place];
        let chain = self.chain(key);
        let mut link = &mut self.chains[chain];
        while *link != place as u32 + 1 {
            let before = *link as usize - 1;
            link = &mut self.entries[before].next;
        }
        *link = next;
        place
    }

    /// Stores a result under a new key, unless the memory is full and keeps its first results.
    fn add(&mut self, key: u64, (low, high): (Score, Score), best: Option<M>) {
        let is_full = self.entries.len() == self.settings.positions as usize;
        let place = match self.settings.replacement {
            Replacement::KeepFirst if is_full => return,
            Replacement::Fifo if is_full => self.forget_oldest(),
            _ => self.entries.len(),
        };
        let chain = self.chain(key);
        let next = std::mem::replace(&mut self.chains[chain], place as u32 + 1);
        let entry = Entry { key, low, high, best, next };
        if is_full { self.entries[place] = entry } else { self.entries.push(entry) }
    }
}

impl<P: Searchable> Transpositions<P> for Memory<P::Move> {
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
        let Some(place) = self.find(key) else { return Probe::unknown(key) };
        let Entry { low, high, best, .. } = self.entries[place];
        // The stored move may belong to a symmetric image.
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
        // Bounds that were stored before still hold.
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

    proptest! {
        #[test]
        fn a_memory_holds_what_its_definition_says(
            fifo: bool,
            most in 1_usize..40,
            keys in prop::collection::vec((0_u64..60, any::<bool>()), 0..400),
        ) {
            let replacement = if fifo { Replacement::Fifo } else { Replacement::KeepFirst };
            let positions = most as u32;
            let mut memory =
                Memory::<u8>::new(Settings { replacement, positions, ..Settings::default() });
            // An obvious implementation: keys in their order, and results.
            let (mut order, mut results) = (Vec::new(), HashMap::new());
            for (number, (key, spread)) in (0..).zip(keys) {
                // Keys spread over all bits, or concentrated in a few chains.
                let key = if spread { key.wrapping_mul(0x1234_5678_9abc_def1) } else { key };
                if memory.find(key).is_none() {
                    memory.add(key, (Score(number), Score::WIN), None);
                    if order.len() == most && fifo {
                        results.remove(&order.remove(0));
                    }
                    if order.len() < most {
                        order.push(key);
                        results.insert(key, Score(number));
                    }
                }
                prop_assert_eq!(memory.entries.len(), order.len());
                for key in &order {
                    let low = memory.find(*key).map(|place| memory.entries[place].low);
                    prop_assert_eq!(low, results.get(key).copied());
                }
            }
        }
    }
}
