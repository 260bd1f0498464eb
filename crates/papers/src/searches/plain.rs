//! Plain minimax: moves are tried in generation order, and every position is evaluated step by step. Values and sets of best
//! moves are those of [`Minimax`](tictune_core::search::Minimax); the positions visited are many more.
//!
//! - Without pruning it visits every position within the depth (Lifshitz IV): what pruning saves is the difference.
//! - With alpha-beta it gives every root move a full window, as Liang's program does (4.2). A limit of positions of that
//!   program is comparable with one of this search, not with one of a search that sorts moves.
//! - With `shared_window` a root move has the value of those before it as its lower bound: alpha-beta as textbooks have it.

use std::marker::PhantomData;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tictune_core::agent::{
    AgentKind, AgentSettings, Evaluation, Limit, MIB, PLIES, Spawn, deepening, fixed_depth, limit,
};
use tictune_core::game::{Evaluator, Game, OnePly, Position, Score, Searchable};
use tictune_core::input::{InputError, Result};
use tictune_core::search::iterative::{Depths, MAX_TABLE_MIB, OneDepth};
use tictune_core::search::minimax::{FixedDepth, Hooks, MAX_DEPTH};
use tictune_core::search::{Analysis, Iterative, Stop, TieBreak};

/// Searches by minimax in the order in which moves are generated, to a fixed depth or within a limit.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(extend("x-without" = ["iterations"]))]
pub struct PlainSettings {
    /// What ends the search of a move; without, it searches to its depth.
    #[serde(flatten, with = "limit::keys")]
    #[schemars(with = "limit::LimitKeys")]
    pub limit: Option<Limit>,
    /// The search depth in plies; with a limit, the greatest
    #[schemars(range(min = 1, max = MAX_DEPTH), example = 7, extend("x-unit" = PLIES))]
    pub depth: Option<u32>,
    /// Which depths it searches within a limit.
    #[serde(flatten)]
    pub depths: Depths,
    /// Whether it prunes by alpha-beta, with a full window for every root move (Liang's program)
    pub alpha_beta: bool,
    /// Whether root moves are compared with the best move before them, so that alpha-beta prunes there as well
    #[schemars(extend("x-with" = "alpha_beta="))]
    pub shared_window: bool,
    /// The size of a table of position values in MiB (Liang 2.5.1); it changes only the time
    #[schemars(range(min = 1, max = MAX_TABLE_MIB), example = 16, extend("x-unit" = MIB))]
    pub value_table: Option<u32>,
    /// Which of several best moves is played
    pub ties: TieBreak,
    /// What leaves are worth.
    #[serde(flatten)]
    pub evaluation: Evaluation,
}

impl AgentSettings for PlainSettings {
    tictune_core::fields_of_settings!(evaluation, depth);

    fn limit(&self) -> Option<Limit> {
        self.limit
    }

    /// An agent of a fixed depth takes none.
    fn limit_mut(&mut self) -> Option<&mut Option<Limit>> {
        self.limit.is_some().then_some(&mut self.limit)
    }

    fn fixed_depth_mut(&mut self) -> Option<&mut Option<u32>> {
        self.limit.is_none().then_some(&mut self.depth)
    }

    fn mebibytes(&self) -> u32 {
        self.value_table.unwrap_or(0)
    }
}

impl AgentKind for PlainSettings {
    const NAME: &'static str = "plain";

    tictune_core::described_here!();

    fn search<P: Game, E: Evaluator<P>>(&self, evaluator: Arc<E>) -> Result<Spawn<P>> {
        match self.value_table {
            None => Ok(self.players(evaluator)),
            Some(_) if !E::OF_POSITION_ALONE => Err(InputError::new(
                "value_table= needs an evaluation of the position alone; this one depends on earlier moves",
            )),
            Some(size) => Ok(self.players(Arc::new(EvaluationCache::new(evaluator, size)))),
        }
    }
}

impl PlainSettings {
    fn players<P: Game, E: Evaluator<P>>(&self, evaluator: Arc<E>) -> Spawn<P> {
        let &Self { limit, depth, depths, ties, .. } = self;
        let pruning = match (self.alpha_beta, self.shared_window) {
            (false, _) => Pruning::None,
            (true, false) => Pruning::BelowRoot,
            (true, true) => Pruning::Everywhere,
        };
        let Some(limit) = limit else {
            let analyse = move |evaluator: &E, position: &P, depth: u32, stop: Stop<'_>| {
                Unsorted::new(evaluator, pruning, stop).analyse(position, depth)
            };
            return fixed_depth(evaluator, depth.unwrap_or(1), ties, analyse);
        };
        deepening(limit, ties, move || {
            let search = Iterative::new(Arc::clone(&evaluator), depth, None).depths(depths);
            search.searching(unsorted(pruning))
        })
    }
}

/// How iterative deepening searches a depth in generation order. It looks nothing up: a memory that the search was given
/// ([`Iterative::remembering`]) is not used.
pub fn unsorted<P: Position, E: Evaluator<P>>(pruning: Pruning) -> OneDepth<P, E> {
    match pruning {
        Pruning::None => {
            |evaluator, hooks| Box::new(Unsorted::new(evaluator, Pruning::None, hooks))
        }
        Pruning::BelowRoot => {
            |evaluator, hooks| Box::new(Unsorted::new(evaluator, Pruning::BelowRoot, hooks))
        }
        Pruning::Everywhere => {
            |evaluator, hooks| Box::new(Unsorted::new(evaluator, Pruning::Everywhere, hooks))
        }
    }
}

/// Where a search in generation order prunes by alpha-beta.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pruning {
    /// Nowhere: it visits every position within the depth.
    None,
    /// In the tree of each root move, so that root moves all have exact values.
    BelowRoot,
    /// Also among the root moves. Those that reach the best value have exact ones.
    Everywhere,
}

impl Pruning {
    /// Each of them, by the positions that a search visits, most first.
    pub const ALL: [Self; 3] = [Self::None, Self::BelowRoot, Self::Everywhere];
}

/// A fixed-depth search in generation order, with alpha-beta or without.
#[derive(Debug)]
pub struct Unsorted<'e, P, E, X> {
    evaluator: &'e E,
    pruning: Pruning,
    nodes: u64,
    hooks: X,
    stopped: bool,
    game: PhantomData<fn(P)>,
}

/// A window between all values.
const FULL: (Score, Score) = (Score::LOSS.previous(), Score::WIN.next());

impl<'e, P: Position, E: Evaluator<P>, X: Hooks<P>> Unsorted<'e, P, E, X> {
    /// Creates a search. Without pruning, its nodes are all positions within the depth, the sum of perft(1) to perft(depth).
    pub const fn new(evaluator: &'e E, pruning: Pruning, hooks: X) -> Self {
        Self { evaluator, pruning, nodes: 0, hooks, stopped: false, game: PhantomData }
    }

    /// Searches a position `depth` plies deep. Returns its minimax value and every move that reaches
    /// it. If the game is over, the value is that of its outcome and there is no best move.
    ///
    /// # Panics
    /// If `depth` is 0 or above [`MAX_DEPTH`].
    pub fn analyse(mut self, position: &P, depth: u32) -> Analysis<P::Move> {
        self.search_root(position, depth, &[])
    }

    /// The value of a move, whose ply `depth` includes, for the side that plays it: exact in the window, a bound outside.
    fn value_after(
        &mut self,
        (position, state): (&P, &E::State),
        mv: P::Move,
        depth: u32,
        (alpha, beta): (Score, Score),
    ) -> Score {
        self.nodes += 1;
        let side = position.side_to_move();
        if depth == 1 {
            return self.evaluator.score_after(state, position, mv).seen_by(side);
        }
        let after = position.after(mv);
        if let Some(outcome) = after.outcome() {
            return Score::of_outcome(outcome, side);
        }
        let mut state = *state;
        self.evaluator.update(&mut state, position, mv, &after);
        -self.search((&after, &state), depth - 1, (-beta, -alpha))
    }

    /// The value of a position that is not over, for the side to move.
    fn search(
        &mut self,
        (position, state): (&P, &E::State),
        depth: u32,
        (alpha, beta): (Score, Score),
    ) -> Score {
        // Without pruning, the budget is not checked in the last ply.
        let prunes = self.pruning != Pruning::None;
        let checks = prunes || depth > 1;
        if checks && (self.stopped || self.hooks.is_spent(self.nodes)) {
            self.stopped = true;
            return Score::DRAW;
        }
        let mut best = Score::LOSS.previous();
        for mv in position.legal_moves() {
            let window = if prunes { (alpha.max(best), beta) } else { FULL };
            best = best.max(self.value_after((position, state), mv, depth, window));
            if best >= beta {
                break;
            }
        }
        best
    }
}

impl<P: Position, E: Evaluator<P>, X: Hooks<P>> FixedDepth<P> for Unsorted<'_, P, E, X> {
    type Hooks = X;

    /// The order of moves is that of generation, so the moves to try first are ignored.
    fn search_root(&mut self, position: &P, depth: u32, _: &[P::Move]) -> Analysis<P::Move> {
        assert!((1..=MAX_DEPTH).contains(&depth), "a depth of {depth} plies");
        if let Some(analysis) = Analysis::of_end(position, self.nodes) {
            return analysis;
        }
        let state = self.evaluator.state(position);
        let mut analysis = Analysis::new(0);
        for mv in position.legal_moves() {
            // A value that equals the best one is exact, too.
            let shared = self.pruning == Pruning::Everywhere && !analysis.best.is_empty();
            let window = (if shared { analysis.score.previous() } else { FULL.0 }, FULL.1);
            let value = self.value_after((position, &state), mv, depth, window);
            if self.stopped {
                break;
            }
            analysis.add(mv, value);
        }
        Analysis { nodes: self.nodes, ..analysis.unless(self.stopped) }
    }

    fn hooks(&mut self) -> &mut X {
        &mut self.hooks
    }

    fn is_stopped(&self) -> bool {
        self.stopped
    }
}

/// A transposition table of values (Liang 2.5.1): an evaluation whose values are stored by position.
///
/// It is an evaluator itself, so that any search can use it; only the time of a search changes. The thesis found it slower
/// than evaluating, since its evaluations are cheap. So it is here: a search cannot even look ahead through it.
pub struct EvaluationCache<P> {
    /// The evaluation of a position from scratch.
    value: Box<dyn Fn(&P) -> Score + Send + Sync>,
    scale: f64,
    /// A power of two of them.
    entries: Box<[StoredValue]>,
}

/// A stored value. Threads share a table: `check` is hash ^ value, so that halves of two entries do not pass for one.
#[derive(Debug, Default)]
struct StoredValue {
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
        let count = ((mib as usize) << 20) / size_of::<StoredValue>();
        let count = 1_usize << count.max(1).ilog2();
        Self {
            scale: evaluator.scale(),
            value: Box::new(move |position| evaluator.score(&evaluator.state(position), position)),
            entries: (0..count).map(|_| StoredValue::default()).collect(),
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
    use tictune_core::testing::play::{RandomGame, RandomStep};
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
            // So few that many positions share a place.
            entries: (0..1 << 4).map(|_| StoredValue::default()).collect(),
        };
        let mut positions = 0;
        for seed in 0..20 {
            for RandomStep { position, .. } in
                RandomGame::<Uttt>::new(Rules::default(), seed).steps()
            {
                let scores = [(); 2].map(|()| table.score(&table.state(&position), &position));
                assert_eq!(scores, [value(&position); 2]);
                positions += 1;
            }
        }
        assert!((positions - 20..=positions).contains(&asked.load(Relaxed)));
    }
}
