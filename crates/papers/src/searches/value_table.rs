//! A transposition table of values (Liang 2.5.1): a hash table from positions to what an evaluation says of them.
//!
//! It is an evaluator itself, so that any search can use it; only the time of a search changes. The thesis found it slower
//! than evaluating, since its evaluations are cheap. So it is here: a search cannot even look ahead through it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use tictune_core::game::{Evaluator, OnePly, Position, Score, Searchable};

/// An evaluation whose values are stored by position.
pub struct EvaluationCache<P> {
    /// The evaluation of a position from scratch.
    value: Box<dyn Fn(&P) -> Score + Send + Sync>,
    scale: f64,
    /// A power of two of them.
    entries: Box<[Entry]>,
}

/// A stored value. Threads share a table: `check` is hash ^ value, so that halves of two entries do not pass for one.
#[derive(Debug, Default)]
struct Entry {
    check: AtomicU64,
    value: AtomicU64,
}

/// Set in every stored value, to tell it from an empty entry.
const STORED: u64 = 1 << 32;

impl<P: Position> EvaluationCache<P> {
    /// A table of at most so many MiB for the values of an evaluator.
    ///
    /// # Panics
    /// If the values depend on more than the position.
    pub fn new<E: Evaluator<P>>(evaluator: Arc<E>, mib: u32) -> Self {
        assert!(E::OF_POSITION_ALONE, "values that depend on more than the position");
        let count = ((mib as usize) << 20) / size_of::<Entry>();
        let count = 1_usize << count.max(1).ilog2();
        Self {
            scale: evaluator.scale(),
            value: Box::new(move |position| evaluator.score(&evaluator.state(position), position)),
            entries: (0..count).map(|_| Entry::default()).collect(),
        }
    }
}

impl<P: Searchable> Evaluator<P> for EvaluationCache<P> {
    /// The Zobrist hash of the position.
    type State = u64;
    type Lookahead<'e> = OnePly<'e, P, Self>;

    fn state(&self, position: &P) -> u64 {
        position.zobrist()
    }

    fn update(&self, state: &mut u64, before: &P, mv: P::Move, after: &P) {
        *state = before.zobrist_after(*state, mv, after);
    }

    fn score(&self, &hash: &u64, position: &P) -> Score {
        let entry = &self.entries[(hash >> 20) as usize & (self.entries.len() - 1)];
        let stored = entry.value.load(Relaxed);
        if stored & STORED != 0 && entry.check.load(Relaxed) == hash ^ stored {
            return Score(stored as u32 as i32);
        }
        let score = (self.value)(position);
        let stored = STORED | u64::from(score.0 as u32);
        entry.value.store(stored, Relaxed);
        entry.check.store(hash ^ stored, Relaxed);
        score
    }

    fn scale(&self) -> f64 {
        self.scale
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use tictune_core::testing::play::Playout;
    use tictune_games::uttt::{Rules, Uttt};

    use super::*;

    #[test]
    fn a_position_is_evaluated_once() {
        let value = |position: &Uttt| Score((position.key() % 1000) as i32);
        let asked = Arc::new(AtomicU64::new(0));
        let count = Arc::clone(&asked);
        let table = EvaluationCache::<Uttt> {
            value: Box::new(move |position| {
                count.fetch_add(1, Relaxed);
                value(position)
            }),
            scale: 1.0,
            entries: (0..1 << 16).map(|_| Entry::default()).collect(),
        };
        let playouts: Vec<_> = (0..20).map(|seed| Playout::new(Rules::default(), seed)).collect();
        let steps = playouts.iter().flat_map(Playout::<Uttt>::steps);
        let positions: Vec<Uttt> = steps.map(|step| step.position).collect();
        for position in positions.iter().chain(&positions) {
            assert_eq!(table.score(&table.state(position), position), value(position));
        }
        let different = positions.iter().map(Position::key).collect::<HashSet<_>>().len() as u64;
        // A few positions share a place in the table.
        let asked = asked.load(Relaxed);
        assert!(different > 800 && (different..different + 50).contains(&asked), "{asked}");
    }
}
