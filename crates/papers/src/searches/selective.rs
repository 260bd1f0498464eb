//! Alpha-beta over the most promising moves (Papadam, "Move Sorting" and "Forward Pruning"), with quiescence search if wanted.
//!
//! At every position, moves are sorted by an ordering evaluation, which may differ from the evaluation of the leaves. Only the
//! first moves are tried; their number depends on the ply. The search gives the exact minimax value and set of best moves of
//! the smaller tree that remains. That tree depends on positions and plies only, never on the window.
//!
//! A width of one move is a singular extension: the search follows the most promising line of play.
//!
//! With quiescence search, which Liang names among what stronger bots have (5.2), the search does not stop after
//! [loud](Searchable::is_loud) moves at the end of its depth: the side to move may take the value of the position, or play another
//! loud move, up to a number of further plies.

use std::cmp::Reverse;
use std::sync::Arc;

use rand::SeedableRng;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tictune_core::agent::{
    AgentKind, AgentSettings, Choice, Evaluation, Failure, PLIES, Spawn, Turn, Value, in_weights,
    not_stopped, spawn,
};
use tictune_core::game::{Evaluator, EvaluatorVisitor, Game, Position, Score, Searchable};
use tictune_core::input::{InputError, Result};
use tictune_core::search::minimax::MAX_DEPTH;
use tictune_core::search::{Analysis, Stop, TieBreak};
use tictune_core::seed::Generator;
use tictune_core::weights::Weights;

use super::order::{MoveOrder, OrderAlong, Sorting, take_first};
use super::widths::Widths;

/// Searches the most promising moves to a fixed depth.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct SelectiveSettings {
    /// The search depth in plies
    #[schemars(range(min = 1, max = MAX_DEPTH), example = 7, extend("x-unit" = PLIES))]
    pub depth: Option<u32>,
    /// Which of several best moves is played
    pub ties: TieBreak,
    /// What is played in a lost position
    pub lost: WhenLost,
    /// Weights whose evaluation sorts the moves; by default those of the search
    #[schemars(
        with = "Option<String>",
        example = &"liang-default",
        extend("x-names" = "weights", "x-takes" = "weights")
    )]
    pub order: Option<Weights>,
    /// How moves of equal value are sorted; introsort is that of C++ (Papadam)
    #[serde(rename = "sort")]
    pub sorting: Sorting,
    /// How many of the sorted moves are tried at each ply (Papadam); by default all
    #[schemars(
        with = "Option<String>",
        example = &"all,all,9,1",
        extend("x-takes" = Widths::expected())
    )]
    pub widths: Option<Widths>,
    /// Plies of quiescence search of loud moves beyond the depth (Liang 5.2); by default none
    #[schemars(range(min = 1, max = MAX_DEPTH), example = 4, extend("x-unit" = PLIES))]
    pub quiescence: Option<u32>,
    /// What leaves are worth.
    #[serde(flatten)]
    pub evaluation: Evaluation,
}

/// What is played in a position whose value is that of a lost game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum WhenLost {
    /// The first move after which the opponent cannot win at once, if there is one (Liang).
    #[default]
    Avoid,
    /// The first legal move in generation order (Papadam's program). A search that leaves out
    /// replies may take a position for lost that is not.
    First,
}

impl AgentSettings for SelectiveSettings {
    tictune_core::fields_of_settings!(evaluation, fixed_depth);

    fn weights_mut(&mut self) -> Vec<(&'static str, &mut Option<Weights>)> {
        vec![("weights", &mut self.evaluation.weights), ("order", &mut self.order)]
    }
}

impl AgentKind for SelectiveSettings {
    const NAME: &'static str = "selective";

    tictune_core::described_here!();

    fn search<P: Game, E: Evaluator<P>>(&self, evaluator: Arc<E>) -> Result<Spawn<P>> {
        let weights = self.order.as_ref().or(self.evaluation.weights.as_ref());
        let weights = weights.ok_or_else(|| InputError::new("no weights to sort by"))?;
        let order = P::with_evaluator(weights.layout(), weights.values(), Ordering)
            .map_err(|error| InputError::new(format!("order: {error}")))?;
        let widths = self.widths.clone().unwrap_or_else(Widths::all);
        let &Self { depth, ties, lost, sorting, quiescence, .. } = self;
        Ok(spawn(move |seed| {
            let (evaluator, order) = (Arc::clone(&evaluator), Arc::clone(&order));
            let (widths, mut generator) = (widths.clone(), Generator::seed_from_u64(seed));
            move |turn: &Turn<'_, P>| -> Result<_, Failure> {
                let (evaluator, order, widths) = (&*evaluator, &*order, &widths);
                let (position, stop) = (turn.position, turn.stop);
                let quiescence = quiescence.unwrap_or(0);
                let search = Selective { evaluator, order, widths, sorting, quiescence, stop };
                let mut analysis = search.analyse(position, depth.unwrap_or(1));
                not_stopped(&analysis.best)?;
                if ties == TieBreak::First {
                    sort(
                        &mut analysis.best,
                        &sorting.ranked(order.along(position).values(position)),
                    );
                }
                let mv = match (lost, analysis.score) {
                    (WhenLost::First, Score::LOSS) => position.nth_legal_move(0),
                    _ => ties.choose(position, &analysis, &mut generator),
                };
                let value = Some(Value::Weights(in_weights::<P, E>(evaluator, analysis.score)));
                Ok(Choice { nodes: analysis.nodes, value, ..Choice::free(mv) })
            }
        }))
    }
}

/// Sorts moves by their values, the highest first.
fn sort<M: Copy + PartialEq>(moves: &mut [M], values: &[(Score, M)]) {
    moves.sort_by_key(|mv| {
        values.iter().find(|(_, other)| other == mv).map(|value| Reverse(value.0))
    });
}

/// Makes an order of moves of whatever evaluator it is given.
struct Ordering;

impl<P: Position> EvaluatorVisitor<P> for Ordering {
    type Output = Arc<dyn MoveOrder<P>>;

    fn visit<O: Evaluator<P>>(self, order: O) -> Self::Output {
        Arc::new(order)
    }
}

/// A fixed-depth search that tries only the first moves in an order and evaluates leaves with `E`.
pub struct Selective<'e, P: Position, E> {
    /// Evaluates leaves.
    pub evaluator: &'e E,
    /// Sorts moves.
    pub order: &'e dyn MoveOrder<P>,
    /// How many moves are tried.
    pub widths: &'e Widths,
    /// How moves of equal value are sorted.
    pub sorting: Sorting,
    /// The most plies of loud moves that follow the depth.
    pub quiescence: u32,
    /// What ends the search from outside.
    pub stop: Stop<'e>,
}

impl<P: Searchable, E: Evaluator<P>> Selective<'_, P, E> {
    /// Searches a position `depth` plies deep over the moves that are tried. Returns its minimax value and every root move among
    /// these that reaches it. If the game is over, the value is that of its outcome and there is no best move.
    ///
    /// # Panics
    /// If `depth` is 0 or above [`MAX_DEPTH`].
    pub fn analyse(&self, position: &P, depth: u32) -> Analysis<P::Move> {
        assert!((1..=MAX_DEPTH).contains(&depth), "a depth of {depth} plies");
        if let Some(analysis) = Analysis::of_end(position, 0) {
            return analysis;
        }
        let state = self.evaluator.state(position);
        let node = Node { position, state: &state, ply: 0 };
        let mut walk = Walk { settings: self, order: &mut *self.order.along(position), nodes: 0 };
        let mut analysis = Analysis::new(0);
        let mut moves = self.sorting.ranked(walk.order.values(position));
        for _ in 0..self.widths.at(0) {
            let Some(mv) = take_first(&mut moves) else { break };
            let value =
                analysis.compare(|alpha, beta| walk.value_after(&node, mv, depth, alpha, beta));
            analysis.add(mv, value);
        }
        Analysis { nodes: walk.nodes, ..analysis.unless(self.stop.is_set()) }
    }
}

/// A position with its evaluator state.
struct Node<'n, P: Position, E: Evaluator<P>> {
    position: &'n P,
    state: &'n E::State,
    /// Plies from the root.
    ply: u32,
}

/// One search from a root position.
struct Walk<'w, 'o, P: Position, E> {
    settings: &'w Selective<'w, P, E>,
    order: &'w mut (dyn OrderAlong<P> + 'o),
    nodes: u64,
}

impl<P: Searchable, E: Evaluator<P>> Walk<'_, '_, P, E> {
    /// The value of a move, whose ply `depth` includes, for the side that plays it: exact in the window, a bound outside.
    fn value_after(
        &mut self,
        node: &Node<'_, P, E>,
        mv: P::Move,
        depth: u32,
        alpha: Score,
        beta: Score,
    ) -> Score {
        let &Node { position, state, .. } = node;
        let further = self.settings.quiescence;
        if depth == 1 && !(further > 0 && position.is_loud(mv)) {
            self.nodes += 1;
            let score = self.settings.evaluator.score_after(state, position, mv);
            return score.seen_by(position.side_to_move());
        }
        self.play(node, mv, |walk, after| match depth {
            1 => -walk.quiesce(after, further, -beta, -alpha),
            _ => -walk.search(after, depth - 1, -beta, -alpha),
        })
    }

    /// Plays a move. Its value is that of the end of the game, or what `then` finds.
    fn play(
        &mut self,
        &Node { position, state, ply }: &Node<'_, P, E>,
        mv: P::Move,
        then: impl FnOnce(&mut Self, &Node<'_, P, E>) -> Score,
    ) -> Score {
        self.nodes += 1;
        let after = position.after(mv);
        if let Some(outcome) = after.outcome() {
            return Score::of_outcome(outcome, position.side_to_move());
        }
        let mut state = *state;
        self.settings.evaluator.update(&mut state, position, mv, &after);
        self.order.enter(position, mv, &after);
        let value = then(self, &Node { position: &after, state: &state, ply: ply + 1 });
        self.order.leave();
        value
    }

    /// The value of a position after a loud move, for the side to move, which need not go on.
    fn quiesce(&mut self, node: &Node<'_, P, E>, left: u32, alpha: Score, beta: Score) -> Score {
        let &Node { position, state, .. } = node;
        let stands = self.settings.evaluator.score(state, position);
        let mut best = stands.seen_by(position.side_to_move());
        if best >= beta || left == 0 || self.settings.stop.is_set() {
            return best;
        }
        let mut moves = self.order.values(position);
        moves.retain(|(_, mv)| position.is_loud(*mv));
        let mut moves = self.settings.sorting.ranked(moves);
        while let Some(mv) = take_first(&mut moves) {
            let window = (-beta, -alpha.max(best));
            let value = self
                .play(node, mv, |walk, after| -walk.quiesce(after, left - 1, window.0, window.1));
            best = best.max(value);
            if best >= beta {
                break;
            }
        }
        best
    }

    /// Fail-soft alpha-beta. Returns the value of a position that is not over, for the side to move.
    fn search(&mut self, node: &Node<'_, P, E>, depth: u32, alpha: Score, beta: Score) -> Score {
        let &Selective { widths, sorting, quiescence, stop, .. } = self.settings;
        if stop.is_set() {
            return Score::DRAW;
        }
        let width = widths.at(node.ply);
        let mut best = Score::LOSS.previous();
        if depth == 1 && quiescence == 0 && width >= node.position.legal_move_count() {
            // Every move leads to a leaf, where sorting takes longer than trying them all.
            for mv in node.position.legal_moves() {
                best = best.max(self.value_after(node, mv, depth, alpha, beta));
                if best >= beta {
                    break;
                }
            }
            return best;
        }
        let mut moves = sorting.ranked(self.order.values(node.position));
        for _ in 0..width {
            let Some(mv) = take_first(&mut moves) else { break };
            best = best.max(self.value_after(node, mv, depth, alpha.max(best), beta));
            if best >= beta {
                break;
            }
        }
        best
    }
}
