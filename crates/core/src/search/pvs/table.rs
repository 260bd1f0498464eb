//! The transposition table of principal variation search: bounds and best moves of positions, in buckets of two.
//!
//! The first place of a bucket keeps the deepest result of the present search, the second the latest.

use super::run::Window;
use crate::game::Score;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Bound {
    Lower,
    Upper,
    Exact,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Stored<M> {
    pub(super) value: Score,
    pub(super) best: Option<M>,
    /// The remaining depth of the search that found it.
    pub(super) depth: u8,
    pub(super) bound: Bound,
}

impl<M> Stored<M> {
    /// The value, if it makes a search of this depth and window superfluous. Wins and losses are proven and hold at any depth.
    #[inline]
    pub(super) fn answer(&self, depth: u32, window: Window) -> Option<Score> {
        let Window { alpha, beta } = window;
        let (low, high) = (self.bound != Bound::Upper, self.bound != Bound::Lower);
        let proven = low && self.value == Score::WIN || high && self.value == Score::LOSS;
        let outside = low && self.value >= beta || high && self.value <= alpha;
        // Inside a window of more than one score the line of play is wanted.
        let deep_enough = u32::from(self.depth) >= depth && beta <= alpha.next();
        (proven || deep_enough && (outside || self.bound == Bound::Exact)).then_some(self.value)
    }
}

#[derive(Clone, Copy, Debug)]
struct PvsEntry<M> {
    key: u32,
    /// The search that stored it, modulo 256.
    search: u8,
    stored: Stored<M>,
}

#[derive(Debug)]
pub(super) struct PvsTable<M> {
    /// A power of two of them.
    buckets: Vec<[Option<PvsEntry<M>>; 2]>,
    search: u8,
}

/// The number of buckets of a table of at most so many MiB: a power of two. Each holds what is known of two positions.
pub fn buckets<M>(mib: u32) -> usize {
    let count = ((mib as usize) << 20) / size_of::<[Option<PvsEntry<M>>; 2]>();
    1 << count.max(1).ilog2()
}

impl<M: Copy> PvsTable<M> {
    pub(super) fn new(mib: u32) -> Self {
        Self { buckets: vec![[None; 2]; buckets::<M>(mib)], search: 0 }
    }

    /// Begins the search of another move: what is stored until now may be replaced first.
    pub(super) fn next_search(&mut self) {
        self.search = self.search.wrapping_add(1);
    }

    #[inline]
    fn bucket(&self, key: u64) -> usize {
        (key >> 32) as usize & (self.buckets.len() - 1)
    }

    #[inline]
    pub(super) fn get(&self, key: u64) -> Option<Stored<M>> {
        let bucket = &self.buckets[self.bucket(key)];
        let found = bucket.iter().flatten().find(|entry| entry.key == key as u32)?;
        Some(found.stored)
    }

    #[inline]
    pub(super) fn store(&mut self, key: u64, mut stored: Stored<M>) {
        let (index, key) = (self.bucket(key), key as u32);
        let bucket = &mut self.buckets[index];
        let keeps = |entry: &PvsEntry<M>| {
            entry.key != key && entry.search == self.search && entry.stored.depth > stored.depth
        };
        let place = usize::from(bucket[0].as_ref().is_some_and(keeps));
        if let Some(before) = bucket[place].filter(|entry| entry.key == key) {
            stored.best = stored.best.or(before.stored.best);
        }
        bucket[place] = Some(PvsEntry { key, search: self.search, stored });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stored(value: i32, depth: u8, bound: Bound) -> Stored<u8> {
        Stored { value: Score(value), best: Some(depth), depth, bound }
    }

    #[test]
    fn deep_results_stay_and_old_ones_go() {
        let mut table: PvsTable<u8> = PvsTable::new(0);
        let depths = |table: &PvsTable<u8>| [1, 2, 3, 4].map(|key| Some(table.get(key)?.depth));
        for (key, depth) in [(1, 9), (2, 3), (3, 4)] {
            table.store(key, stored(5, depth, Bound::Exact));
        }
        assert_eq!(depths(&table), [Some(9), None, Some(4), None]);
        // The next search replaces the deep one, however shallow it is.
        table.next_search();
        table.store(4, stored(5, 1, Bound::Exact));
        assert_eq!(depths(&table), [None, None, Some(4), Some(1)]);
        // A result without a move keeps the move that was known.
        table.store(4, Stored { best: None, ..stored(0, 2, Bound::Upper) });
        assert_eq!(table.get(4).unwrap().best, Some(1));
    }
}
