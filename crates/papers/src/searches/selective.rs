//! Alpha-beta over the most promising moves (Papadam, "Move Sorting" and "Forward Pruning"), with quiescence search if wanted.
//!
//! At every position, moves are sorted by an ordering evaluation, which may differ from the
//! evaluation of the leaves. Only the first moves are tried; their number depends on the ply. The
//! search gives the exact minimax value and set of best moves of the smaller tree that remains.
//! Which moves remain depends on the position and its ply only, never on the window. A root move
//! that is searched twice therefore has the same tree both times.
//!
//! A width of one move is a singular extension: the search follows the most promising line of play.
//!
//! With quiescence search, which Liang names among what stronger bots have (5.2), the search does not stop after
//! [loud](Searchable::is_loud) moves at the end of its depth: the side to move may take the value of the position, or play another
//! loud move, up to a number of further plies.

use std::cmp::Reverse;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use rand::SeedableRng;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tictune_core::agent::{
    Agent, AgentKind, AgentSettings, Choice, Effort, Evaluation, Failure, PLIES, Searches, Setup,
    Spawn, Turn, Value, in_weights, not_stopped, spawn,
};
use tictune_core::game::{
    Evaluator, EvaluatorVisitor, Game, MoveList, Position, Score, Searchable,
};
use tictune_core::input::InputError;
use tictune_core::search::minimax::MAX_DEPTH;
use tictune_core::search::{Analysis, Stop, Ties};
use tictune_core::seed::Generator;
use tictune_core::weights::Weights;

use super::introsort::introsort;

/// Searches the most promising moves to a fixed depth.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct SelectiveSettings {
    /// The depth of the search in plies
    #[schemars(range(min = 1, max = MAX_DEPTH), example = 7, extend("x-unit" = PLIES))]
    pub depth: Option<u32>,
    /// Which of several best moves is played
    pub ties: Ties,
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
    /// For how many plies loud moves are followed beyond the depth (Liang 5.2); by default none
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

/// How moves are sorted that the ordering evaluation values alike.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Sorting {
    /// They stay in generation order.
    #[default]
    Stable,
    /// They are left as C++'s `std::sort` leaves them (Papadam's program).
    Introsort,
}

impl AgentSettings for SelectiveSettings {
    tictune_core::fields_of_settings!(evaluation, depth);

    fn weights_mut(&mut self) -> Vec<(&'static str, &mut Option<Weights>)> {
        vec![("weights", &mut self.evaluation.weights), ("order", &mut self.order)]
    }

    fn fixed_depth_mut(&mut self) -> Option<&mut Option<u32>> {
        Some(&mut self.depth)
    }

    fn is_without_chance(&self) -> bool {
        self.ties == Ties::First
    }

    fn effort(&self) -> Effort {
        let plies = self.depth.unwrap_or(0).saturating_add(self.quiescence.unwrap_or(0));
        Effort { certain_plies: plies, ..Effort::default() }
    }
}

impl AgentKind for SelectiveSettings {
    const NAME: &'static str = "selective";

    fn prepare<P: Game>(&self, setup: &Setup<'_, P>) -> Result<Spawn<P>, InputError> {
        setup.searching(self)
    }
}

impl Searches for SelectiveSettings {
    fn search<P: Game, E: Evaluator<P>>(&self, evaluator: Arc<E>) -> Result<Spawn<P>, InputError> {
        let weights = self.order.as_ref().or(self.evaluation.weights.as_ref());
        let weights = weights.ok_or_else(|| InputError::new("no weights to sort by"))?;
        let order = P::with_evaluator(weights.layout(), weights.values(), Ordering)
            .map_err(|error| InputError::new(format!("order: {error}")))?;
        let settings = Arc::new(self.clone());
        Ok(spawn(move |seed| SelectiveAgent {
            evaluator: Arc::clone(&evaluator),
            order: Arc::clone(&order),
            widths: settings.widths.clone().unwrap_or_else(Widths::all),
            settings: Arc::clone(&settings),
            generator: Generator::seed_from_u64(seed),
        }))
    }
}

/// Makes an order of moves of whatever evaluator it is given.
struct Ordering;

impl<P: Position> EvaluatorVisitor<P> for Ordering {
    type Output = Arc<dyn MoveOrder<P>>;

    fn visit<O: Evaluator<P>>(self, order: O) -> Self::Output {
        Arc::new(order)
    }
}

struct SelectiveAgent<P: Position, E> {
    evaluator: Arc<E>,
    order: Arc<dyn MoveOrder<P>>,
    widths: Widths,
    settings: Arc<SelectiveSettings>,
    generator: Generator,
}

impl<P: Searchable, E: Evaluator<P>> Agent<P> for SelectiveAgent<P, E> {
    fn choose(&mut self, turn: &Turn<'_, P>) -> Result<Choice<P::Move>, Failure> {
        let &SelectiveSettings { depth, ties, lost, sorting, quiescence, .. } = &*self.settings;
        let position = turn.position;
        let search = Selective::new(&*self.evaluator, &*self.order, &self.widths).sorting(sorting);
        let mut search = search.quiescence(quiescence.unwrap_or(0)).until(turn.stop);
        let mut analysis = search.analyse(position, depth.unwrap_or(1));
        not_stopped(&analysis.best)?;
        if ties == Ties::First {
            let values = sorting.ranked(self.order.along(position).values(position));
            let rank = |mv: &P::Move| {
                values.iter().find(|(_, other)| other == mv).map(|(value, _)| Reverse(*value))
            };
            analysis.best.sort_by_key(rank);
        }
        let mv = match (lost, analysis.score) {
            (WhenLost::First, Score::LOSS) => position.nth_legal_move(0),
            _ => ties.choose(position, &analysis, &mut self.generator),
        };
        let value = Some(Value::Weights(in_weights::<P, E>(&self.evaluator, analysis.score)));
        Ok(Choice { nodes: analysis.nodes, value, ..Choice::free(mv) })
    }
}

/// The number of moves that are tried at each ply from the root. The last entry holds for all
/// further plies.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Widths(Vec<Width>);

/// The number of moves that are tried; `None` for all.
type Width = Option<u16>;

/// The largest number of moves in a width.
const LARGEST_WIDTH: u16 = 1000;

impl Widths {
    /// Every move at every ply.
    #[must_use]
    pub fn all() -> Self {
        Self(vec![None])
    }

    /// All moves at plies 0 to 2, then max(1, 64 - e^d) moves at ply d, rounded down (Papadam,
    /// "Forward Pruning").
    #[must_use]
    pub fn papadam() -> Self {
        Self(vec![None, None, None, Some(43), Some(9), Some(1)])
    }

    /// A description of the texts that are valid widths, for error messages.
    #[must_use]
    pub fn expected() -> String {
        format!(
            "papadam, or a list of all or numbers of moves from 1 to {LARGEST_WIDTH} for up to \
             {MAX_DEPTH} plies, as in \"all,all,9,1\""
        )
    }

    /// The most moves that are tried at a ply; the root is ply 0.
    #[inline]
    #[must_use]
    pub fn at(&self, ply: u32) -> usize {
        let width = self.0.get(ply as usize).or(self.0.last());
        width.copied().flatten().map_or(usize::MAX, usize::from)
    }
}

impl fmt::Display for Widths {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == Self::papadam() {
            return f.write_str("papadam");
        }
        let text = |width: &Width| width.map_or("all".into(), |count| count.to_string());
        f.write_str(&self.0.iter().map(text).collect::<Vec<_>>().join(","))
    }
}

impl FromStr for Widths {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "papadam" {
            return Ok(Self::papadam());
        }
        let width = |part: &str| -> Option<Width> {
            match part.trim() {
                "all" => Some(None),
                part => part.parse().ok().filter(|n| (1..=LARGEST_WIDTH).contains(n)).map(Some),
            }
        };
        let widths: Option<Vec<Width>> = text.split(',').map(width).collect();
        let widths = widths.filter(|widths| widths.len() <= MAX_DEPTH as usize);
        widths.map(Self).ok_or_else(Self::expected)
    }
}

impl TryFrom<String> for Widths {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<Widths> for String {
    fn from(widths: Widths) -> Self {
        widths.to_string()
    }
}

impl Sorting {
    /// Gives moves values by which they are tried in the order of this sort, the highest first, and
    /// of equal values the first in generation order.
    #[must_use]
    pub fn ranked<M: Copy>(self, mut moves: Sorted<M>) -> Sorted<M> {
        if self == Self::Introsort {
            introsort(&mut moves, &|a, b| a.0 > b.0);
            for (number, (value, _)) in (0..).zip(&mut moves) {
                *value = Score(-number);
            }
        }
        moves
    }
}

/// An evaluation that sorts moves. It is called once for each inner node through a trait object, so
/// that the search is compiled once for each leaf evaluation and not for each pair of evaluations.
pub trait MoveOrder<P: Position>: Send + Sync {
    /// Starts a line of play at a position.
    fn along<'o>(&'o self, root: &P) -> Box<dyn OrderAlong<P> + 'o>;
}

/// A [`MoveOrder`] along the current line of play.
pub trait OrderAlong<P: Position> {
    /// Continues the line of play by a move.
    fn enter(&mut self, before: &P, mv: P::Move, after: &P);

    /// Takes back the last move of the line.
    fn leave(&mut self);

    /// The legal moves of the line's last position in generation order. Each comes with the value
    /// of the position after it, from the view of the side that plays it.
    fn values(&self, position: &P) -> Sorted<P::Move>;
}

impl<P: Position, O: Evaluator<P>> MoveOrder<P> for O {
    fn along<'o>(&'o self, root: &P) -> Box<dyn OrderAlong<P> + 'o> {
        Box::new(Along { order: self, states: vec![self.state(root)] })
    }
}

/// An ordering evaluator and its states along the line of play.
struct Along<'o, P: Position, O: Evaluator<P>> {
    order: &'o O,
    states: Vec<O::State>,
}

impl<P: Position, O: Evaluator<P>> OrderAlong<P> for Along<'_, P, O> {
    fn enter(&mut self, before: &P, mv: P::Move, after: &P) {
        let mut state = self.states[self.states.len() - 1];
        self.order.update(&mut state, before, mv, after);
        self.states.push(state);
    }

    fn leave(&mut self) {
        self.states.pop();
    }

    fn values(&self, position: &P) -> Sorted<P::Move> {
        let (state, side) = (&self.states[self.states.len() - 1], position.side_to_move());
        let value = |mv| self.order.score_after(state, position, mv).seen_by(side);
        position.legal_moves().map(|mv| (value(mv), mv)).collect()
    }
}

/// A fixed-depth search that tries only the first moves in an order and evaluates leaves with `E`.
pub struct Selective<'e, P: Position, E> {
    evaluator: &'e E,
    order: &'e dyn MoveOrder<P>,
    widths: &'e Widths,
    sorting: Sorting,
    /// The most plies of loud moves that follow the depth.
    further: u32,
    stop: Stop<'e>,
}

impl<P: Position, E> fmt::Debug for Selective<'_, P, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Selective").field("widths", &self.widths).finish_non_exhaustive()
    }
}

/// A position with its evaluator state.
#[derive(Clone, Copy)]
struct Node<'n, P, S> {
    position: &'n P,
    state: &'n S,
    /// Plies from the root.
    ply: u32,
}

/// Moves with the ordering evaluator's value of the position after each, for the side that plays
/// it.
pub type Sorted<M> = MoveList<(Score, M)>;

impl<'e, P: Searchable, E: Evaluator<P>> Selective<'e, P, E> {
    /// Creates a search.
    #[must_use]
    pub const fn new(evaluator: &'e E, order: &'e dyn MoveOrder<P>, widths: &'e Widths) -> Self {
        Self { evaluator, order, widths, sorting: Sorting::Stable, further: 0, stop: Stop::NEVER }
    }

    /// Sets how moves of equal value are sorted.
    #[must_use]
    pub const fn sorting(mut self, sorting: Sorting) -> Self {
        self.sorting = sorting;
        self
    }

    /// Follows loud moves for at most so many plies beyond the depth.
    #[must_use]
    pub const fn quiescence(mut self, plies: u32) -> Self {
        self.further = plies;
        self
    }

    /// Sets what ends the search from outside.
    #[must_use]
    pub const fn until(mut self, stop: Stop<'e>) -> Self {
        self.stop = stop;
        self
    }

    /// Searches a position `depth` plies deep over the moves that are tried. Returns its minimax
    /// value and every root move among these that reaches it. If the game is over, the value is
    /// that of its outcome and there is no best move.
    ///
    /// # Panics
    /// If `depth` is 0 or above [`MAX_DEPTH`].
    pub fn analyse(&mut self, position: &P, depth: u32) -> Analysis<P::Move> {
        assert!((1..=MAX_DEPTH).contains(&depth), "a depth of {depth} plies");
        let mut best = MoveList::new();
        if let Some(outcome) = position.outcome() {
            let score = Score::of_outcome(outcome, position.side_to_move());
            return Analysis { score, best, nodes: 0 };
        }
        let state = self.evaluator.state(position);
        let node = Node { position, state: &state, ply: 0 };
        let mut walk = Walk {
            evaluator: self.evaluator,
            order: &mut *self.order.along(position),
            widths: self.widths,
            sorting: self.sorting,
            further: self.further,
            stop: self.stop,
            nodes: 0,
        };
        let mut score = Score::LOSS.previous();
        let mut moves = self.sorting.ranked(walk.order.values(position));
        for _ in 0..self.widths.at(0) {
            let Some(mv) = take_first(&mut moves) else { break };
            // As in `Minimax`, this window separates worse, equal and better moves.
            let beta = if best.is_empty() { Score::WIN } else { score.next().min(Score::WIN) };
            let mut value = walk.value_after(&node, mv, depth, score.previous(), beta);
            if value >= beta && beta < Score::WIN {
                value = walk.value_after(&node, mv, depth, score, Score::WIN);
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
        Analysis { score, best, nodes: walk.nodes }.unless(self.stop.is_set())
    }
}

/// One search from a root position.
struct Walk<'w, 'o, P: Position, E> {
    evaluator: &'w E,
    order: &'w mut (dyn OrderAlong<P> + 'o),
    widths: &'w Widths,
    sorting: Sorting,
    further: u32,
    stop: Stop<'w>,
    nodes: u64,
}

impl<P: Searchable, E: Evaluator<P>> Walk<'_, '_, P, E> {
    /// The value of playing a move, from the view of the side that plays it: exact inside the
    /// window, a bound outside. `depth` includes that move.
    fn value_after(
        &mut self,
        node: &Node<'_, P, E::State>,
        mv: P::Move,
        depth: u32,
        alpha: Score,
        beta: Score,
    ) -> Score {
        self.nodes += 1;
        let &Node { position, state, ply } = node;
        let side = position.side_to_move();
        let is_followed = self.further > 0 && position.is_loud(mv);
        if depth == 1 && !is_followed {
            return self.evaluator.score_after(state, position, mv).seen_by(side);
        }
        let after = position.after(mv);
        if let Some(outcome) = after.outcome() {
            return Score::of_outcome(outcome, side);
        }
        let mut state = *state;
        self.evaluator.update(&mut state, position, mv, &after);
        self.order.enter(position, mv, &after);
        let node = Node { position: &after, state: &state, ply: ply + 1 };
        let value = match depth {
            1 => -self.quiesce(&node, self.further, -beta, -alpha),
            _ => -self.search(&node, depth - 1, -beta, -alpha),
        };
        self.order.leave();
        value
    }

    /// The value of a position after a loud move, for the side to move, which need not go on.
    fn quiesce(
        &mut self,
        &Node { position, state, ply }: &Node<'_, P, E::State>,
        left: u32,
        alpha: Score,
        beta: Score,
    ) -> Score {
        let side = position.side_to_move();
        let mut best = self.evaluator.score(state, position).seen_by(side);
        if best >= beta || left == 0 || self.stop.is_set() {
            return best;
        }
        let mut moves = self.order.values(position);
        moves.retain(|(_, mv)| position.is_loud(*mv));
        let mut moves = self.sorting.ranked(moves);
        while let Some(mv) = take_first(&mut moves) {
            self.nodes += 1;
            let after = position.after(mv);
            let value = if let Some(outcome) = after.outcome() {
                Score::of_outcome(outcome, side)
            } else {
                let mut state = *state;
                self.evaluator.update(&mut state, position, mv, &after);
                self.order.enter(position, mv, &after);
                let node = Node { position: &after, state: &state, ply: ply + 1 };
                let value = -self.quiesce(&node, left - 1, -beta, -alpha.max(best));
                self.order.leave();
                value
            };
            best = best.max(value);
            if best >= beta {
                break;
            }
        }
        best
    }

    /// Fail-soft alpha-beta. Returns the value of a position that is not over, for the side to move.
    fn search(
        &mut self,
        node: &Node<'_, P, E::State>,
        depth: u32,
        alpha: Score,
        beta: Score,
    ) -> Score {
        if self.stop.is_set() {
            return Score::DRAW;
        }
        let width = self.widths.at(node.ply);
        let mut best = Score::LOSS.previous();
        if depth == 1 && self.further == 0 && width >= node.position.legal_move_count() {
            // Every move leads to a leaf, where sorting takes longer than trying them all.
            for mv in node.position.legal_moves() {
                best = best.max(self.value_after(node, mv, depth, alpha, beta));
                if best >= beta {
                    break;
                }
            }
            return best;
        }
        let mut moves = self.sorting.ranked(self.order.values(node.position));
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

/// Takes out the move of the highest value, the first in generation order among equals. The list is
/// not sorted, since one of the first moves often causes a cutoff.
fn take_first<M: Copy + Ord>(moves: &mut Sorted<M>) -> Option<M> {
    let (mut first, mut least) = (0, *moves.first()?);
    for (index, &(value, mv)) in moves.iter().enumerate().skip(1) {
        if value > least.0 || value == least.0 && mv < least.1 {
            (first, least) = (index, (value, mv));
        }
    }
    Some(moves.swap_remove(first).1)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_widths_of_the_report() {
        let widths = Widths::papadam();
        for ply in 0..MAX_DEPTH + 5 {
            let expected = match ply {
                0..3 => usize::MAX,
                _ => (64.0 - f64::from(ply).exp()).floor().max(1.0) as usize,
            };
            assert_eq!(widths.at(ply), expected, "ply {ply}");
        }
        assert_eq!("all,all,all,43,9,1".parse::<Widths>().unwrap(), widths);
        assert_eq!(widths.to_string(), "papadam");
    }

    #[test]
    fn the_last_width_holds_beyond() {
        let widths: Widths = "4, all,7".parse().unwrap();
        assert_eq!([0, 1, 2, 3, 30].map(|ply| widths.at(ply)), [4, usize::MAX, 7, 7, 7]);
        assert_eq!(widths.to_string(), "4,all,7");
        assert_eq!(Widths::all().to_string(), "all");
        for text in ["", "0", "1001", "1,,2", "-1", "some", "1;2"] {
            assert!(text.parse::<Widths>().unwrap_err().contains("from 1 to 1000"), "{text}");
        }
        assert!(vec!["1"; 33].join(",").parse::<Widths>().is_err());
    }

    proptest! {
        #[test]
        fn moves_are_taken_in_the_order_of_a_stable_sort(values in prop::collection::vec(-3_i32..4, 0..81)) {
            let mut moves: Sorted<usize> =
                values.iter().enumerate().map(|(mv, &value)| (Score(value), mv)).collect();
            let mut sorted: Vec<usize> = (0..values.len()).collect();
            sorted.sort_by_key(|&mv| -values[mv]);
            let taken: Vec<usize> = std::iter::from_fn(|| take_first(&mut moves)).collect();
            prop_assert_eq!(taken, sorted);
        }
    }
}
