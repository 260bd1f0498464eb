//! What iterative deepening stores of positions: the trait, and the transposition table.
//!
//! A result belongs to a position and a remaining depth. It consists of bounds of the value at that depth, so that values stay
//! those of a fixed depth.

use std::fmt::Debug;

use crate::game::{Position, Score};

/// Stored results of searched positions, as iterative deepening uses them.
pub trait Transpositions<P: Position>: Debug + Send {
    /// Begins a search from a position.
    #[inline]
    fn start(&mut self, _root: &P) {}

    /// Continues the line of play by a move.
    #[inline]
    fn enter(&mut self, _before: &P, _mv: P::Move, _after: &P) {}

    /// Takes back the last move of the line of play.
    #[inline]
    fn leave(&mut self) {}

    /// What is stored for the last position of the line of play at a remaining depth.
    fn probe(&mut self, position: &P, depth: u32) -> Probe<P::Move>;

    /// Stores the value of a position under the key of its probe. The value is exact inside the window and a bound outside.
    fn store(&mut self, key: u64, depth: u32, window: Window, value: Score, best: Option<P::Move>);
}

/// A lower and an upper bound.
pub type Window = (Score, Score);

/// What is stored for a position.
#[derive(Clone, Copy, Debug)]
pub struct Probe<M> {
    /// The key under which the position's result is stored.
    pub key: u64,
    /// Lower and upper bound of its value.
    pub bound: Option<Window>,
    /// The move to try first.
    pub first: Option<M>,
}

impl<M> Probe<M> {
    /// Nothing is stored.
    #[inline]
    pub const fn unknown(key: u64) -> Self {
        Self { key, bound: None, first: None }
    }

    /// The value, if the position need not be searched in a window.
    #[inline]
    pub fn answer(&self, alpha: Score, beta: Score) -> Option<Score> {
        let (low, high) = self.bound?;
        if low == high || low >= beta {
            return Some(low);
        }
        (high <= alpha).then_some(high)
    }
}

/// The lower and upper bound of the exact value that follow from a value and its search window.
#[inline]
pub fn bounds(value: Score, (alpha, beta): Window) -> Window {
    let low = if value > alpha { value } else { Score::LOSS };
    let high = if value < beta { value } else { Score::WIN };
    (low, high)
}

/// A transposition table. It answers with results of exactly the same depth, and with wins and losses of a smaller depth.
#[derive(Debug)]
pub struct TranspositionTable<M> {
    entries: Vec<Option<StoredScore<M>>>,
}

#[derive(Clone, Copy, Debug)]
struct StoredScore<M> {
    key: u64,
    low: Score,
    high: Score,
    best: Option<M>,
    depth: u8,
}

/// The smallest remaining depth at which a lookup is worth the time that its key takes.
const LEAST_DEPTH: u32 = 3;

impl<M: Copy> TranspositionTable<M> {
    pub(super) fn new(mib: u32) -> Self {
        let count = ((mib as usize) << 20) / size_of::<Option<StoredScore<M>>>();
        // A power of two, so that a mask gives the index.
        Self { entries: vec![None; 1 << count.max(1).ilog2()] }
    }

    #[inline]
    fn place(&self, key: u64) -> usize {
        // The upper bits of the key are better mixed than the lower ones.
        (key >> 20) as usize & (self.entries.len() - 1)
    }
}

impl<P: Position> Transpositions<P> for TranspositionTable<P::Move> {
    #[inline]
    fn probe(&mut self, position: &P, depth: u32) -> Probe<P::Move> {
        if depth < LEAST_DEPTH {
            return Probe::unknown(0);
        }
        let key = position.key();
        let found = self.entries[self.place(key)].filter(|entry| entry.key == key);
        let Some(entry) = found else { return Probe::unknown(key) };
        // A win or loss found at a smaller depth also holds at any greater depth.
        let (exact, less) = (u32::from(entry.depth) == depth, u32::from(entry.depth) < depth);
        let low = if exact || less && entry.low == Score::WIN { entry.low } else { Score::LOSS };
        let high = if exact || less && entry.high == Score::LOSS { entry.high } else { Score::WIN };
        Probe { key, bound: Some((low, high)), first: entry.best }
    }

    #[inline]
    fn store(&mut self, key: u64, depth: u32, window: Window, value: Score, best: Option<P::Move>) {
        if depth < LEAST_DEPTH {
            return;
        }
        let (low, high) = bounds(value, window);
        let place = self.place(key);
        self.entries[place] = Some(StoredScore { key, low, high, best, depth: depth as u8 });
    }
}
