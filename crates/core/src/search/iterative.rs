//! Minimax with iterative deepening (Liang 4.2.2): the search goes one ply deeper each time until its budget is spent. The
//! results of an unfinished depth are dropped.
//!
//! Values and sets of best moves are those of [`Minimax`] at the same depth. The additions in this module change only how many
//! positions are searched.
//!
//! Two of them save time at every depth: trying the best moves of the last depth first, and the history of moves that caused
//! cutoffs. The table saves time from about ten plies on, and is off by default. Principal variation search inside the tree
//! saved a few per cent of the nodes and no time, and is left out.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::budget::POSITIONS_BETWEEN_CLOCKS;
use super::minimax::{FixedDepth, Hooks, MAX_DEPTH};
use super::transpositions::{TranspositionTable, Transpositions};
use super::{Analysis, Budget, Minimax};
use crate::game::{Evaluator, Player, Position, Score, Searchable};

/// The largest transposition table in MiB.
pub const MAX_TABLE_MIB: u32 = 4096;

/// Minimax with iterative deepening. What it stores of positions is kept from move to move.
#[derive(Debug)]
pub struct Iterative<P: Position, E> {
    pub(crate) evaluator: Arc<E>,
    deepest: u32,
    depths: Depths,
    stepwise: bool,
    other: Option<OneDepth<P, E>>,
    /// The calls through a trait object take less time than hashing a position.
    memory: Option<Box<dyn Transpositions<P>>>,
    /// See [`Deepening`]. It is kept here so that searches need not allocate it.
    history: Vec<u32>,
}

/// Makes a search of one depth.
pub type OneDepth<P, E> =
    for<'t> fn(&'t E, Deepening<'t, P>) -> Box<dyn FixedDepth<P, Hooks = Deepening<'t, P>> + 't>;

/// The depths that are searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Depths {
    /// The first depth of iterative deepening, which is always finished
    #[serde(rename = "first_depth")]
    #[schemars(range(min = 1, max = MAX_DEPTH), example = 3, extend("x-unit" = "a number of plies"))]
    pub first: u32,
    /// How much deeper each search is than the one before (Lifshitz: 2)
    #[serde(rename = "depth_step")]
    #[schemars(range(min = 1, max = MAX_DEPTH), example = 2, extend("x-unit" = "a number of plies"))]
    pub step: u32,
}

impl Depths {
    /// The depths up to the deepest one. A game that ends before the next of them is searched to its end.
    fn up_to(self, deepest: u32) -> impl Iterator<Item = u32> {
        let steps = (self.first..deepest).step_by(self.step as usize);
        steps.chain(std::iter::once(deepest))
    }
}

impl Default for Depths {
    /// Every depth.
    fn default() -> Self {
        Self { first: 1, step: 1 }
    }
}

/// The result of the deepest finished search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deepened<M> {
    /// The value and best moves of that depth. The node count covers all depths, the unfinished one included.
    pub analysis: Analysis<M>,
    /// The depth in plies.
    pub depth: u32,
}

impl<P: Searchable, E: Evaluator<P>> Iterative<P, E> {
    /// Creates a search of at most `deepest` plies, with a transposition table of `table` MiB or none.
    pub fn new(evaluator: Arc<E>, deepest: Option<u32>, table: Option<u32>) -> Self {
        Self {
            evaluator,
            deepest: deepest.unwrap_or(MAX_DEPTH).clamp(1, MAX_DEPTH),
            depths: Depths::default(),
            stepwise: false,
            other: None,
            memory: table.map(|mib| Box::new(TranspositionTable::new(mib)) as _),
            history: Vec::new(),
        }
    }

    /// Stores results of positions in another memory than a transposition table.
    pub fn remembering(mut self, memory: impl Transpositions<P> + 'static) -> Self {
        self.memory = Some(Box::new(memory));
        self
    }

    /// Turns the evaluator's look-ahead off, so that every position that is not pruned is visited and counted.
    pub const fn stepwise(mut self, stepwise: bool) -> Self {
        self.stepwise = stepwise;
        self
    }

    /// Searches each depth with another search than [`Minimax`].
    pub fn searching(mut self, one_depth: OneDepth<P, E>) -> Self {
        self.other = Some(one_depth);
        self
    }

    /// Sets the depths that are searched; none of the numbers may be 0.
    pub const fn depths(mut self, depths: Depths) -> Self {
        assert!(depths.first > 0 && depths.step > 0, "depths from 1 in steps from 1");
        self.depths = depths;
        self
    }

    /// Searches a position that is not over, a step deeper each time. The first depth, and depths 1 and 2, are always finished,
    /// unless the budget's flag stops them: then there are no best moves. The budget is not checked in the last two plies of a
    /// search, or the last three if the evaluator looks ahead: a node limit may be exceeded by some hundreds.
    ///
    /// The search ends early when a greater depth cannot change the result. If the position turns out to be lost, the result is
    /// that of the depth before, whose best moves delay the loss longest.
    pub fn search(&mut self, position: &P, budget: Budget<'_>) -> Deepened<P::Move> {
        let mut deepest = self.deepest.min(P::MAX_PLIES.saturating_sub(position.ply())).max(1);
        if position.legal_move_count() == 1 {
            deepest = 1;
        }
        let depths = self.depths.up_to(deepest);
        if let Some(memory) = &mut self.memory {
            memory.start(position);
        }
        self.history.clear();
        self.history.resize(2 * P::MOVE_INDICES, 0);
        let history = self.history.split_at_mut(P::MOVE_INDICES).into();
        let deepening = Deepening {
            budget: Budget { most: u64::MAX, deadline: None, ..budget },
            until_clock: POSITIONS_BETWEEN_CLOCKS,
            history,
            memory: self.memory.as_deref_mut(),
        };
        let evaluator = &*self.evaluator;
        if let Some(search) = self.other {
            return deepen(&mut *search(evaluator, deepening), position, depths, budget);
        }
        let mut search = Minimax::with_hooks(evaluator, deepening);
        // Limits on positions count visited positions, so the evaluator must not look ahead.
        if self.stepwise || budget.most != u64::MAX {
            search = search.stepwise();
        }
        deepen(&mut search, position, depths, budget)
    }
}

fn deepen<'t, P: Position, S: FixedDepth<P, Hooks = Deepening<'t, P>> + ?Sized>(
    search: &mut S,
    position: &P,
    mut depths: impl Iterator<Item = u32>,
    budget: Budget<'t>,
) -> Deepened<P::Move> {
    let depth = depths.next().unwrap_or(1);
    let analysis = search.search_root(position, depth, &[]);
    let mut result = Deepened { analysis, depth };
    search.hooks().budget = budget;
    for depth in depths {
        if matches!(result.analysis.score, Score::WIN | Score::LOSS) {
            break;
        }
        let analysis = search.search_root(position, depth, &result.analysis.best);
        result.analysis.nodes = analysis.nodes;
        if search.is_stopped() || analysis.score == Score::LOSS {
            break;
        }
        result = Deepened { analysis, depth };
    }
    result
}

/// What deepening adds to the search of a depth.
pub struct Deepening<'t, P> {
    budget: Budget<'t>,
    until_clock: u32,
    /// By player and move: how often the move caused a cutoff, weighted by the square of the remaining depth.
    history: [&'t mut [u32]; 2],
    memory: Option<&'t mut (dyn Transpositions<P> + 'static)>,
}

impl<P: Position> Hooks<P> for Deepening<'_, P> {
    #[inline]
    fn is_spent(&mut self, nodes: u64) -> bool {
        if nodes >= self.budget.most {
            return true;
        }
        self.until_clock -= 1;
        if self.until_clock > 0 {
            return false;
        }
        self.until_clock = POSITIONS_BETWEEN_CLOCKS;
        self.budget.is_late()
    }

    #[inline]
    fn memory(&mut self) -> Option<&mut (dyn Transpositions<P> + 'static)> {
        self.memory.as_deref_mut()
    }

    #[inline]
    fn bonus(&self, side: Player, mv: P::Move) -> i64 {
        i64::from(self.history[side.index()][P::move_index(mv)]) << 16
    }

    #[inline]
    fn cut(&mut self, side: Player, mv: P::Move, depth: u32) {
        let entry = &mut self.history[side.index()][P::move_index(mv)];
        *entry = entry.saturating_add(depth * depth);
    }
}
