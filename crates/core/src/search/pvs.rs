//! Principal variation search, for play within a time: iterative deepening that looks less deeply at unpromising moves.
//!
//! Unlike [`Iterative`](super::Iterative), which keeps the values of fixed depths and the exact set of best moves, this search
//! wants the strongest move and has no law but the rules. It
//!
//! - searches all moves but the first with a window of one score, to show that they are no better
//!   (Marsland, Campbell, "Parallel search of strongly ordered game trees", ACM Computing Surveys 14, 1982);
//! - keeps bounds of positions in a table from move to move, with the best move of each;
//! - orders moves by the table, by their value one ply deep, and by whether they caused cutoffs in sibling positions (killer
//!   moves: Akl, Newborn, "The principal continuation and the killer heuristic", ACM 1977);
//! - searches late moves, and moves that look worse than what is already sure, some plies less deeply, and again to the full depth
//!   if they turn out well;
//! - begins each depth with a narrow window around the value of the one before;
//! - looks for wins by threats alone, in games that know threats ([`Searchable::forced_win`]): before the search, and some plies
//!   above its leaves.
//!
//! `experiments/patterns/README.md` says what each part is worth at equal time. Futility pruning, the history heuristic and
//! extensions of forced moves were not worth 30 Elo, alone or together, and are left out. Wins and losses that the search finds
//! are proven. A result within a node limit repeats itself bit for bit.

mod run;
mod table;

use std::sync::Arc;

use run::Run;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use table::PvsTable;
pub use table::buckets;

use super::Budget;
use crate::game::{Evaluator, OnePly, Position, Score, Searchable};

/// The deepest search in plies.
pub const MAX_DEPTH: u32 = 64;

/// The size of the table in MiB, unless another is set.
pub const TABLE_MIB: u32 = 16;

/// How the search reduces and orders moves: keys of agents of the kind `pvs`. Margins are in spreads: how far the values of
/// moves lie apart at the root and below it, on average.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct PvsParameters {
    /// The reduction of late moves, which grows with the depth: `reduction_base` + `reduction` ln(depth) ln(number of the move)
    /// plies, rounded down
    #[schemars(range(min = 0, max = 10), example = 0.8, extend("x-evolves" = true))]
    pub reduction: f64,
    /// Plies by which all late moves are reduced
    #[schemars(range(min = 0, max = 10), example = 0.5, extend("x-evolves" = true))]
    pub reduction_base: f64,
    /// Plies by which a late move is reduced for each spread that its value one ply deep is below alpha, the value that is sure
    /// already; a move above alpha is reduced less
    #[schemars(range(min = 0, max = 10), example = 2.0, extend("x-evolves" = true))]
    pub reduction_value: f64,
    /// What a move gains in the move order if it caused a cutoff in a sibling position
    #[schemars(range(min = 0, max = 10), example = 0.4, extend("x-evolves" = true))]
    pub killer: f64,
    /// Half the width of the aspiration window of a depth; 0 for a full window
    #[schemars(range(min = 0, max = 10), example = 0.4, extend("x-evolves" = true))]
    pub window: f64,
    /// Whether wins by threats alone are looked for, in games that know threats (Qubic)
    pub threats: bool,
}

impl Default for PvsParameters {
    fn default() -> Self {
        Self {
            reduction: 0.8,
            reduction_base: 0.5,
            reduction_value: 2.0,
            killer: 0.4,
            window: 0.4,
            threats: true,
        }
    }
}

/// The result of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PvsResult<M> {
    /// The move to play.
    pub mv: M,
    /// Its value from the view of the side to move.
    pub score: Score,
    /// The number of positions visited.
    pub nodes: u64,
    /// The depth of the last finished search in plies; 1 for a win by threats alone, 0 if there was no choice.
    pub depth: u32,
}

/// A principal variation search. What it knows of positions is kept from move to move.
#[derive(Debug)]
pub struct Pvs<P: Position, E> {
    pub(crate) evaluator: Arc<E>,
    deepest: u32,
    settings: PvsParameters,
    table: PvsTable<P::Move>,
    killers: Vec<[Option<P::Move>; 2]>,
    /// By depth and number of the move: the plies by which a search is reduced, but for what the move's value adds.
    reductions: Vec<[f32; NUMBERED]>,
}

/// The most positions that are visited in search of a [forced win](Searchable::forced_win) before the search; no more than half
/// of the budget.
const FORCED_AT_ROOT: u64 = 10_000;

/// The most that are visited at each position that is searched at least [`FORCED_FROM`] plies deep.
const FORCED: u32 = 200;
const FORCED_FROM: u32 = 3;

/// Moves are numbered up to here; later ones are reduced like the last.
const NUMBERED: usize = 32;

impl<P: Searchable, E: Evaluator<P>> Pvs<P, E> {
    /// Creates a search of at most `depth` plies with a table of `table` MiB.
    pub fn new(evaluator: Arc<E>, depth: Option<u32>, table: u32, settings: PvsParameters) -> Self {
        let reduction = |depth: u32, number: usize| {
            let logs = f64::from(depth.max(1)).ln() * ((number + 1) as f64).ln();
            (settings.reduction_base + settings.reduction * logs) as f32
        };
        let reductions = (0..=MAX_DEPTH)
            .map(|depth| std::array::from_fn(|number| reduction(depth, number)))
            .collect();
        Self {
            evaluator,
            deepest: depth.unwrap_or(MAX_DEPTH).clamp(1, MAX_DEPTH),
            settings,
            table: PvsTable::new(table),
            killers: vec![[None; 2]; MAX_DEPTH as usize + 1],
            reductions,
        }
    }

    /// The moves that the search expects after a move, as far as the table knows them.
    pub fn expected_line(&self, position: &P, mv: P::Move) -> Vec<P::Move> {
        let (mut line, mut position) = (vec![mv], position.after(mv));
        while line.len() < MAX_DEPTH as usize && position.outcome().is_none() {
            let stored = self.table.get(position.zobrist()).and_then(|stored| stored.best);
            let Some(mv) = stored.filter(|&mv| position.is_legal(mv)) else { break };
            line.push(mv);
            position.play_unchecked(mv);
        }
        line
    }

    /// Searches a position that is not over, or it panics. Depth 1 is always finished. The budget is not checked in the last ply,
    /// so that a node limit may be exceeded by some. The search ends early if only one move is legal, or the game is won or
    /// lost: then the move is the best of the depth before the loss was found.
    pub fn search(&mut self, position: &P, budget: Budget<'_>) -> PvsResult<P::Move> {
        if position.legal_move_count() == 1 {
            let mv = position.nth_legal_move(0);
            return PvsResult { mv, score: Score::DRAW, nodes: 0, depth: 0 };
        }
        let mut nodes = 0;
        let most = FORCED_AT_ROOT.min(budget.most / 2) as u32;
        if self.settings.threats
            && let Some(mv) = position.forced_win(most, &mut nodes)
        {
            return PvsResult { mv, score: Score::WIN, nodes, depth: 1 };
        }
        self.table.next_search();
        self.killers.fill([None; 2]);
        let evaluator = Arc::clone(&self.evaluator);
        let deepest = self.deepest.min(P::MAX_PLIES.saturating_sub(position.ply())).max(1);
        let mut run = Run::new(self, budget, nodes);
        match evaluator.lookahead(position) {
            Some(mut lookahead) => run.deepen(&mut lookahead, position, deepest),
            None if E::ALWAYS_LOOKS_AHEAD => unreachable!("the evaluator always looks ahead"),
            None => run.deepen(&mut OnePly::new(&*evaluator, position), position, deepest),
        }
    }
}
