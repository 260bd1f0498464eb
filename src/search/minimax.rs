//! Minimax to a fixed depth with alpha-beta pruning, and the exact set of best moves (Liang 4.2.1).
//!
//! All root moves of equal, exact value are candidates for the agent's random choice. A window shared
//! among root moves would return bounds instead of values and make worse moves look equal, so each
//! further root move is searched with a window of one score on either side of the best value: it
//! comes back as worse, equal, or better, and only a better one is searched again for its value.
//!
//! Moves are tried in the order of the value they lead to at once, killers first and moves that free
//! the opponent's choice last. The order changes the number of nodes and nothing else. The last ply
//! is valued by [`Evaluator::score_after`] without playing its moves.

use arrayvec::ArrayVec;
use rand::RngExt;

use crate::eval::{Evaluator, Score};
use crate::position::{MAX_MOVES, MoveList, Player, Position};
use crate::seed::Generator;

/// The deepest search in plies.
pub const MAX_DEPTH: u32 = 32;

/// What a search found out about a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Analysis<M> {
    /// The minimax value from the view of the side to move, in units of the evaluator.
    pub score: Score,
    /// Every move of that value, in generation order.
    pub best: MoveList<M>,
    /// Positions visited, the root not counted.
    pub nodes: u64,
}

/// A fixed-depth search with one evaluator. [`Extras`] are what iterative deepening adds to it.
#[derive(Debug)]
pub struct Minimax<'e, P: Position, E: Evaluator<P>, X = Plain> {
    evaluator: &'e E,
    /// The last two moves that were too good for the opponent to allow, by remaining depth.
    killers: [[Option<P::Move>; 2]; MAX_DEPTH as usize + 1],
    nodes: u64,
    extras: X,
    /// Whether the budget ended the search: no value means anything any more.
    stopped: bool,
}

/// What a search has beyond alpha-beta, killers and static ordering. None of it changes a value.
pub trait Extras<P: Position> {
    /// Whether the search has to end: asked at every position but the last ply's.
    #[inline]
    fn is_spent(&mut self, _nodes: u64) -> bool {
        false
    }

    /// Follows a move that is searched more than one ply beyond; [`leave`](Self::leave) takes it back.
    #[inline]
    fn enter(&mut self, _before: &P, _mv: P::Move, _after: &P) {}

    /// Takes back the last move that was entered.
    #[inline]
    fn leave(&mut self) {}

    /// What is known of a position searched so deep.
    #[inline]
    fn probe(&self, _position: &P, _depth: u32) -> Probe<P::Move> {
        Probe { key: 0, bound: None, first: None }
    }

    /// Learns the value of a position: exact inside the window, a bound outside.
    #[inline]
    fn store(
        &mut self,
        _key: u64,
        _depth: u32,
        _window: (Score, Score),
        _value: Score,
        _best: Option<P::Move>,
    ) {
    }

    /// How much a move has been worth elsewhere, for its rank.
    #[inline]
    fn bonus(&self, _side: Player, _mv: P::Move) -> i64 {
        0
    }

    /// Learns that a move was too good for the opponent to allow.
    #[inline]
    fn cut(&mut self, _side: Player, _mv: P::Move, _depth: u32) {}
}

/// A search of one depth, as iterative deepening needs it.
pub(super) trait FixedDepth<P: Position> {
    /// What it has beyond a plain search.
    type Extras;

    /// The value of a position and every move that reaches it, `first` being tried first. Nodes are
    /// counted on from the search before.
    fn search_root(&mut self, position: &P, depth: u32, first: &[P::Move]) -> Analysis<P::Move>;

    /// What it has beyond a plain search.
    fn extras(&mut self) -> &mut Self::Extras;

    /// Whether the budget ended the last search, whose result then means nothing.
    fn is_stopped(&self) -> bool;
}

/// What is known of a position.
#[derive(Clone, Copy, Debug)]
pub struct Probe<M> {
    /// Where the position's result will be stored.
    pub key: u64,
    /// Bounds of its value, lower and upper.
    pub bound: Option<(Score, Score)>,
    /// The move to try first.
    pub first: Option<M>,
}

/// Nothing extra: the fixed-depth agents.
#[derive(Clone, Copy, Debug, Default)]
pub struct Plain;

impl<P: Position> Extras<P> for Plain {}

/// The rank of a move that is known to have been best.
const FIRST: i64 = 1 << 44;

/// A move and when to try it: larger ranks first.
#[derive(Clone, Copy)]
struct Ranked<M> {
    mv: M,
    rank: i64,
}

impl<'e, P: Position, E: Evaluator<P>> Minimax<'e, P, E> {
    /// A search that has seen nothing.
    #[must_use]
    pub fn new(evaluator: &'e E) -> Self {
        Self::with_extras(evaluator, Plain)
    }

    /// The minimax value of a position `depth` plies deep, and every move that reaches it. A position
    /// whose game is over has its outcome's value and no best move.
    ///
    /// # Panics
    /// If `depth` is 0 or above [`MAX_DEPTH`].
    pub fn analyse(&mut self, position: &P, depth: u32) -> Analysis<P::Move> {
        self.nodes = 0;
        self.search_root(position, depth, &[])
    }
}

impl<'e, P: Position, E: Evaluator<P>, X: Extras<P>> Minimax<'e, P, E, X> {
    pub(super) fn with_extras(evaluator: &'e E, extras: X) -> Self {
        let killers = [[None; 2]; MAX_DEPTH as usize + 1];
        Self { evaluator, killers, nodes: 0, extras, stopped: false }
    }

    /// The value of playing a move, from the view of the side that plays it: exact inside the window,
    /// a bound outside. `depth` counts that move.
    fn value_after(
        &mut self,
        position: &P,
        state: &E::State,
        mv: P::Move,
        depth: u32,
        alpha: Score,
        beta: Score,
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
        if depth == 2 {
            return -self.search_last_ply(&after, &state, -alpha);
        }
        self.extras.enter(position, mv, &after);
        let value = -self.search(&after, &state, depth - 1, -beta, -alpha);
        self.extras.leave();
        value
    }

    /// Fail-soft alpha-beta, two plies deep or more: the value of a position that is not over, for the
    /// side to move.
    fn search(
        &mut self,
        position: &P,
        state: &E::State,
        depth: u32,
        alpha: Score,
        beta: Score,
    ) -> Score {
        if self.stopped || self.extras.is_spent(self.nodes) {
            self.stopped = true;
            return Score::DRAW;
        }
        let known = self.extras.probe(position, depth);
        if let Some((low, high)) = known.bound {
            if low == high || low >= beta {
                return low;
            }
            if high <= alpha {
                return high;
            }
        }
        let (mut best, mut best_move) = (Score::LOSS.previous(), None);
        let mut moves = self.rank(position, state, depth, known.first);
        while let Some(mv) = take_best(&mut moves) {
            let value = self.value_after(position, state, mv, depth, alpha.max(best), beta);
            if value > best {
                (best, best_move) = (value, Some(mv));
            }
            if best >= beta {
                self.remember_killer(mv, depth);
                self.extras.cut(position.side_to_move(), mv, depth);
                break;
            }
        }
        if !self.stopped {
            self.extras.store(known.key, depth, (alpha, beta), best, best_move);
        }
        best
    }

    /// [`search`](Self::search) at depth 1: nothing to order, nothing to play.
    fn search_last_ply(&mut self, position: &P, state: &E::State, beta: Score) -> Score {
        let side = position.side_to_move();
        let mut best = Score::LOSS.previous();
        for mv in position.legal_moves() {
            self.nodes += 1;
            best = best.max(self.evaluator.score_after(state, position, mv).seen_by(side));
            if best >= beta {
                break;
            }
        }
        best
    }

    /// The legal moves with their ranks.
    fn rank(
        &self,
        position: &P,
        state: &E::State,
        depth: u32,
        first: Option<P::Move>,
    ) -> ArrayVec<Ranked<P::Move>, MAX_MOVES> {
        // Scores lie within 2^31; a killer outweighs any of them, and freeing the choice most.
        const KILLER: i64 = 1 << 40;
        const WIDENS: i64 = 1 << 36;
        let side = position.side_to_move();
        let killers = &self.killers[depth as usize];
        let mut moves = ArrayVec::new();
        for mv in position.legal_moves() {
            let score = self.evaluator.score_after(state, position, mv).seen_by(side);
            let mut rank = i64::from(score.0) + self.extras.bonus(side, mv);
            if first == Some(mv) {
                rank += FIRST;
            }
            if killers.contains(&Some(mv)) {
                rank += KILLER;
            }
            if score != Score::WIN && position.widens_choice(mv) {
                rank -= WIDENS;
            }
            moves.push(Ranked { mv, rank });
        }
        moves
    }

    fn remember_killer(&mut self, mv: P::Move, depth: u32) {
        let killers = &mut self.killers[depth as usize];
        if killers[0] != Some(mv) {
            *killers = [Some(mv), killers[0]];
        }
    }
}

impl<P: Position, E: Evaluator<P>, X: Extras<P>> FixedDepth<P> for Minimax<'_, P, E, X> {
    type Extras = X;

    fn search_root(&mut self, position: &P, depth: u32, first: &[P::Move]) -> Analysis<P::Move> {
        assert!((1..=MAX_DEPTH).contains(&depth), "a depth of {depth} plies");
        let mut best = MoveList::new();
        if let Some(outcome) = position.outcome() {
            let score = Score::of_outcome(outcome, position.side_to_move());
            return Analysis { score, best, nodes: self.nodes };
        }
        let state = self.evaluator.state(position);
        let mut score = Score::LOSS.previous();
        let mut moves = self.rank(position, &state, depth, None);
        for ranked in moves.iter_mut().filter(|ranked| first.contains(&ranked.mv)) {
            ranked.rank += FIRST;
        }
        while let Some(mv) = take_best(&mut moves) {
            // No value is above WIN, so that a window may end there without hiding anything.
            let beta = if best.is_empty() { Score::WIN } else { score.next().min(Score::WIN) };
            let mut value = self.value_after(position, &state, mv, depth, score.previous(), beta);
            if value >= beta && beta < Score::WIN {
                value = self.value_after(position, &state, mv, depth, score, Score::WIN);
            }
            if self.stopped {
                break;
            }
            if value > score {
                score = value;
                best.clear();
            }
            if value == score {
                best.push(mv);
            }
        }
        best.sort_unstable();
        Analysis { score, best, nodes: self.nodes }
    }

    fn extras(&mut self) -> &mut X {
        &mut self.extras
    }

    fn is_stopped(&self) -> bool {
        self.stopped
    }
}

/// Takes out the move of the highest rank, the earliest of several. Most nodes need one or two moves,
/// so that sorting them all would be wasted.
fn take_best<M: Copy>(moves: &mut ArrayVec<Ranked<M>, MAX_MOVES>) -> Option<M> {
    let (mut best, mut rank) = (0, moves.first()?.rank);
    for (index, candidate) in moves.iter().enumerate().skip(1) {
        if candidate.rank > rank {
            (best, rank) = (index, candidate.rank);
        }
    }
    Some(moves.swap_remove(best).mv)
}

/// The move that Liang's agents play on an analysis: a won game is won at once if a move wins at
/// once; a lost one is drawn out by the first move after which the opponent cannot win at once, if
/// there is one; else one of the best moves at random, the only randomness of a minimax agent.
///
/// # Panics
/// If the analysis has no best move: the game was over.
pub fn choose<P: Position>(
    position: &P,
    analysis: &Analysis<P::Move>,
    generator: &mut Generator,
) -> P::Move {
    let holds = |&mv: &P::Move| {
        let after = position.after(mv);
        after.outcome().is_none() && after.winning_move().is_none()
    };
    let forced = match analysis.score {
        Score::WIN => position.winning_move(),
        Score::LOSS => position.legal_moves().find(holds),
        _ => None,
    };
    forced.unwrap_or_else(|| {
        analysis.best[generator.random_range(0..analysis.best.len() as u32) as usize]
    })
}
