//! Minimax to a fixed depth with alpha-beta pruning, and the exact set of best moves (Liang 4.2.1).
//!
//! The agent chooses at random among all root moves of the best value, so this set must be exact. With one alpha-beta window
//! for all root moves, the search would return bounds for some of them, and worse moves could look equal. Each root move after
//! the first is therefore searched with a window of one score on either side of the best value. It comes back as worse, equal
//! or better, and only a better move is searched again for its value.
//!
//! A [`Lookahead`] gives the values of the last plies: one ply for any evaluator, two for evaluators that find the best reply
//! by table look-up. Its values also order the moves above the last plies. With a look-ahead of one ply, killer moves are tried
//! first, and moves of a lower [order](Searchable::order) last. The order changes only the number of nodes.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Stop;
use super::transpositions::{Probe, Transpositions};
use crate::game::{
    Evaluator, First, Lookahead, MoveList, OnePly, Player, Position, Score, Searchable, Second,
    SideToMove,
};

/// The deepest search in plies.
pub const MAX_DEPTH: u32 = 32;

/// Which positions a minimax search skips.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Pruning {
    /// Positions that cannot change the result: alpha-beta.
    #[default]
    AlphaBeta,
    /// The same, but without the evaluator's look-ahead: every other position within the depth is visited and counted. The
    /// results are the same and the search is slower. Use it to compare node counts and times with searches that cannot look
    /// ahead.
    Stepwise,
}

/// The result of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Analysis<M> {
    /// The minimax value from the view of the side to move.
    pub score: Score,
    /// Every move of that value, in generation order. Empty if the game is over, or the search was stopped.
    pub best: MoveList<M>,
    /// The number of positions visited, without the root. Positions whose values come from a look-ahead are not counted, except
    /// those directly after a root move.
    pub nodes: u64,
}

impl<M: Copy> Analysis<M> {
    /// Nothing, before the first root move is compared.
    pub fn new(nodes: u64) -> Self {
        Self { score: Score::LOSS.previous(), best: MoveList::new(), nodes }
    }

    /// That of a game that is over.
    pub fn of_end<P: Position<Move = M>>(position: &P, nodes: u64) -> Option<Self> {
        let score = Score::of_outcome(position.outcome()?, position.side_to_move());
        Some(Self { score, best: MoveList::new(), nodes })
    }

    /// The value of a root move, as far as it matters: a window of one score on either side of the best value tells worse,
    /// equal and better moves apart. `search` gives a value in a window.
    #[inline]
    pub fn compare(&self, mut search: impl FnMut(Score, Score) -> Score) -> Score {
        // No value is above WIN, so the window may end there.
        let beta =
            if self.best.is_empty() { Score::WIN } else { self.score.next().min(Score::WIN) };
        let value = search(self.score.previous(), beta);
        if value >= beta && beta < Score::WIN { search(self.score, Score::WIN) } else { value }
    }

    /// Adds a root move and its value.
    pub fn add(&mut self, mv: M, value: Score) {
        if value > self.score {
            self.score = value;
            self.best.clear();
        }
        if value == self.score {
            self.best.push(mv);
        }
    }

    /// The result. If the search was stopped, it has not compared all moves and has no best ones.
    pub fn unless(mut self, stopped: bool) -> Self
    where
        M: Ord,
    {
        if stopped {
            self.best.clear();
        }
        self.best.sort_unstable();
        self
    }
}

/// A fixed-depth search with one evaluator. Iterative deepening adds [`Hooks`] to it.
#[derive(Debug)]
pub struct Minimax<'e, P: Position, E: Evaluator<P>, X = Stop<'e>> {
    evaluator: &'e E,
    /// Killer moves: the last two moves that caused a cutoff, by remaining depth.
    killers: [[Option<P::Move>; 2]; MAX_DEPTH as usize + 1],
    nodes: u64,
    hooks: X,
    /// Whether the evaluator's own look-ahead is not used.
    stepwise: bool,
    /// Whether the budget ended the search. Its values are then meaningless.
    stopped: bool,
}

/// What a search uses besides alpha-beta, killer moves and static ordering. It never changes a value.
pub trait Hooks<P: Position> {
    /// Whether the search has to end. Called at every searched position.
    fn is_spent(&mut self, nodes: u64) -> bool;

    /// Where results of positions are stored, if they are.
    #[inline]
    fn memory(&mut self) -> Option<&mut (dyn Transpositions<P> + 'static)> {
        None
    }

    /// The move's share in its rank that comes from searches of other positions.
    #[inline]
    fn bonus(&self, _side: Player, _mv: P::Move) -> i64 {
        0
    }

    /// Notes that a move caused a cutoff.
    #[inline]
    fn cut(&mut self, _side: Player, _mv: P::Move, _depth: u32) {}
}

/// A search of one depth, as used by iterative deepening.
pub trait FixedDepth<P: Position> {
    /// What it uses besides the plain search.
    type Hooks;

    /// The value of a position and every move that reaches it, none if it is stopped. Moves in `first` are tried first.
    fn search_root(&mut self, position: &P, depth: u32, first: &[P::Move]) -> Analysis<P::Move>;

    /// These hooks.
    fn hooks(&mut self) -> &mut Self::Hooks;

    /// Whether the budget ended the last search, whose result is then meaningless.
    fn is_stopped(&self) -> bool;
}

/// No hooks but a flag that ends the search, for agents of a fixed depth.
impl<P: Position> Hooks<P> for Stop<'_> {
    #[inline]
    fn is_spent(&mut self, _: u64) -> bool {
        self.is_set()
    }
}

/// With a look-ahead of two plies, the number of moves that are tried in order: if none causes a cutoff, probably no move does.
const TRIED_IN_ORDER: usize = 3;

const FIRST: i64 = 1 << 44;

/// A move, its value by the look-ahead, and its rank. Moves of a larger rank are tried first.
#[derive(Clone, Copy)]
pub(super) struct Ranked<M, R = i64> {
    pub(super) mv: M,
    pub(super) value: Score,
    pub(super) rank: R,
}

type RankedMoves<M> = MoveList<Ranked<M>>;

impl<'e, P: Searchable, E: Evaluator<P>> Minimax<'e, P, E> {
    /// Creates a search.
    pub fn new(evaluator: &'e E) -> Self {
        Self::with_hooks(evaluator, Stop::NEVER)
    }

    /// Sets what ends the search from outside.
    pub const fn until(mut self, stop: Stop<'e>) -> Self {
        self.hooks = stop;
        self
    }

    /// Searches a position `depth` plies deep, from 1 to [`MAX_DEPTH`], or it panics. Returns its minimax value and every move
    /// that reaches it. If the game is over, the value is that of its outcome and there is no best move.
    pub fn analyse(&mut self, position: &P, depth: u32) -> Analysis<P::Move> {
        (self.nodes, self.stopped) = (0, false);
        self.search_root(position, depth, &[])
    }
}

impl<'e, P: Searchable, E: Evaluator<P>, X: Hooks<P>> Minimax<'e, P, E, X> {
    /// Turns the look-ahead off, so that every position that is not pruned is visited and counted.
    pub fn stepwise(mut self) -> Self {
        self.stepwise = true;
        self
    }

    pub(super) fn with_hooks(evaluator: &'e E, hooks: X) -> Self {
        let killers = [[None; 2]; MAX_DEPTH as usize + 1];
        Self { evaluator, killers, nodes: 0, hooks, stepwise: false, stopped: false }
    }

    /// The value of a move for the side that plays it: exact inside the window, a bound outside. `depth` includes the move.
    fn value_after<S: SideToMove, L: Lookahead<P>>(
        &mut self,
        lookahead: &mut L,
        ranked: Ranked<P::Move>,
        depth: u32,
        alpha: Score,
        beta: Score,
    ) -> Score {
        self.nodes += 1;
        let Ranked { mv, value, .. } = ranked;
        // A won or lost game has the same value at any depth.
        if depth == L::PLIES || value == Score::WIN || value == Score::LOSS {
            return value;
        }
        if depth == L::PLIES + 1 {
            let value = lookahead.with_move::<S, _>(mv, |lookahead| {
                -lookahead.value::<S::Other>(-alpha, &mut self.nodes)
            });
            return value.unwrap_or_else(|end| end);
        }
        let before = self.hooks.memory().map(|_| lookahead.position());
        let value = lookahead.with_move::<S, _>(mv, |lookahead| {
            if let (Some(before), Some(memory)) = (&before, self.hooks.memory()) {
                memory.enter(before, mv, &lookahead.position());
            }
            let value = -self.search::<S::Other, L>(lookahead, depth - 1, -beta, -alpha);
            if let Some(memory) = self.hooks.memory() {
                memory.leave();
            }
            value
        });
        value.unwrap_or_else(|end| end)
    }

    /// Fail-soft alpha-beta above the plies of the look-ahead. Returns the value for the side to move.
    fn search<S: SideToMove, L: Lookahead<P>>(
        &mut self,
        lookahead: &mut L,
        depth: u32,
        alpha: Score,
        beta: Score,
    ) -> Score {
        if self.stopped || self.hooks.is_spent(self.nodes) {
            self.stopped = true;
            return Score::DRAW;
        }
        let known = match self.hooks.memory() {
            Some(memory) => memory.probe(&lookahead.position(), depth),
            None => Probe::unknown(0),
        };
        if let Some(value) = known.answer(alpha, beta) {
            return value;
        }
        let (mut best, mut best_move) = (Score::LOSS.previous(), None);
        let mut moves = RankedMoves::new();
        self.rank::<S, L>(lookahead, depth, known.first, &mut moves);
        for tried in 0.. {
            let in_order = L::PLIES == 1 || tried < TRIED_IN_ORDER;
            let next =
                if in_order { take_best(&mut moves, |ranked| ranked.rank) } else { moves.pop() };
            let Some(ranked) = next else { break };
            let value = self.value_after::<S, L>(lookahead, ranked, depth, alpha.max(best), beta);
            if value > best {
                (best, best_move) = (value, Some(ranked.mv));
            }
            if best >= beta {
                if L::PLIES == 1 {
                    note_killer(&mut self.killers[depth as usize], ranked.mv);
                    self.hooks.cut(S::PLAYER, ranked.mv, depth);
                }
                break;
            }
        }
        if let Some(memory) = self.hooks.memory().filter(|_| !self.stopped) {
            memory.store(known.key, depth, (alpha, beta), best, best_move);
        }
        best
    }

    /// Adds the legal moves with their ranks to `moves`. The list is too large to be returned by value.
    #[inline(always)]
    fn rank<S: SideToMove, L: Lookahead<P>>(
        &self,
        lookahead: &mut L,
        depth: u32,
        first: Option<P::Move>,
        moves: &mut RankedMoves<P::Move>,
    ) {
        // Scores lie within 2^31, so both of these outweigh any score.
        const KILLER: i64 = 1 << 40;
        const ORDER: i64 = 1 << 36;
        let killers = &self.killers[depth as usize];
        lookahead.for_each_move::<S>(|mv, value, order| {
            let mut rank = i64::from(value.0);
            if first == Some(mv) {
                rank += FIRST;
            }
            // Killer moves and history order moves only where the look-ahead does not include the replies.
            if L::PLIES == 1 {
                rank += self.hooks.bonus(S::PLAYER, mv);
                if killers.contains(&Some(mv)) {
                    rank += KILLER;
                }
                rank += i64::from(order) * ORDER;
            }
            moves.push(Ranked { mv, value, rank });
        });
    }

    fn search_moves<L: Lookahead<P>>(
        &mut self,
        lookahead: &mut L,
        depth: u32,
        first: &[P::Move],
    ) -> Analysis<P::Move> {
        match lookahead.side_to_move() {
            Player::First => self.search_side::<First, L>(lookahead, depth, first),
            Player::Second => self.search_side::<Second, L>(lookahead, depth, first),
        }
    }

    fn search_side<S: SideToMove, L: Lookahead<P>>(
        &mut self,
        lookahead: &mut L,
        depth: u32,
        first: &[P::Move],
    ) -> Analysis<P::Move> {
        let mut analysis = Analysis::new(0);
        let mut moves = RankedMoves::new();
        self.rank::<S, L>(lookahead, depth, None, &mut moves);
        for ranked in moves.iter_mut().filter(|ranked| first.contains(&ranked.mv)) {
            ranked.rank += FIRST;
        }
        while let Some(ranked) = take_best(&mut moves, |ranked| ranked.rank) {
            let value = analysis.compare(|alpha, beta| {
                self.value_after::<S, L>(lookahead, ranked, depth, alpha, beta)
            });
            if self.stopped {
                break;
            }
            analysis.add(ranked.mv, value);
        }
        Analysis { nodes: self.nodes, ..analysis.unless(self.stopped) }
    }
}

impl<P: Searchable, E: Evaluator<P>, X: Hooks<P>> FixedDepth<P> for Minimax<'_, P, E, X> {
    type Hooks = X;

    fn search_root(&mut self, position: &P, depth: u32, first: &[P::Move]) -> Analysis<P::Move> {
        assert!((1..=MAX_DEPTH).contains(&depth), "a depth of {depth} plies");
        if let Some(analysis) = Analysis::of_end(position, self.nodes) {
            return analysis;
        }
        // A look-ahead of two plies does not give the values of one.
        if depth > 1
            && !self.stepwise
            && let Some(mut lookahead) = self.evaluator.lookahead(position)
        {
            return self.search_moves(&mut lookahead, depth, first);
        }
        self.search_moves(&mut OnePly::new(self.evaluator, position), depth, first)
    }

    fn hooks(&mut self) -> &mut X {
        &mut self.hooks
    }

    fn is_stopped(&self) -> bool {
        self.stopped
    }
}

/// Takes out the move of the highest rank, the earliest among equals. Most nodes need one or two, so the list is not sorted.
#[inline(always)]
pub fn take_best<T: Copy, R: PartialOrd>(
    moves: &mut MoveList<T>,
    rank: impl Fn(&T) -> R,
) -> Option<T> {
    let (mut best, mut highest) = (0, rank(moves.first()?));
    for (index, candidate) in moves.iter().enumerate().skip(1) {
        let rank = rank(candidate);
        if rank > highest {
            (best, highest) = (index, rank);
        }
    }
    Some(moves.swap_remove(best))
}

#[inline]
pub(super) fn note_killer<M: Copy + PartialEq>(killers: &mut [Option<M>; 2], mv: M) {
    if killers[0] != Some(mv) {
        *killers = [Some(mv), killers[0]];
    }
}
