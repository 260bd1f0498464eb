//! Principal variation search, for play within a time: iterative deepening that looks less deeply at unpromising moves.
//!
//! Unlike [`Iterative`](super::Iterative), which keeps the values of fixed depths and the exact set of best moves, this
//! search wants the strongest move and has no law but the rules. It
//!
//! - searches all moves but the first with a window of one score, to show that they are no better
//!   (Marsland, Campbell, "Parallel search of strongly ordered game trees", ACM Computing Surveys 14, 1982);
//! - keeps bounds of positions in a [table](table) from move to move, with the best move of each;
//! - orders moves by the table, by their value one ply deep, and by how often they caused cutoffs elsewhere
//!   (Schaeffer, "The history heuristic", ICCA Journal 6, 1983);
//! - searches late moves some plies less deeply, and again to the full depth if they turn out well;
//! - leaves out moves near the leaves whose value is hopelessly low (Heinz, "Extended futility pruning", ICCA Journal
//!   21, 1998);
//! - begins each depth with a narrow window around the value of the one before.
//!
//! Wins and losses that it finds are proven: nothing is left out of the proof of a loss.
//!
//! A result within a limit of nodes repeats itself bit for bit.

mod table;

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use table::{Bound, Stored, Table};

use super::Budget;
use crate::game::{
    Evaluator, First, Lookahead, MoveList, OnePly, Player, Position, Score, Second, Side,
};

/// The deepest search in plies.
pub const MAX_DEPTH: u32 = 64;

/// The size of the table in MiB, unless another is set.
pub const TABLE_MIB: u32 = 16;

/// How the search prunes and orders moves. Margins are in spreads: how far the values of moves lie apart at the root and
/// below it, on average.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    /// The plies that a late move's depth is reduced by: `reduction_base` + `reduction` ln(depth) ln(number of the move),
    /// rounded down.
    pub reduction: f64,
    /// See `reduction`.
    pub reduction_base: f64,
    /// A move with this many plies left or fewer is left out if its value one ply deep, plus `futility` a ply, is too low.
    pub futility_depth: u32,
    /// See `futility_depth`.
    pub futility: f64,
    /// The greatest share of the history in the rank of a move.
    pub history: f64,
    /// What the rank of a move gains that caused a cutoff in a sibling.
    pub killer: f64,
    /// Half the width of the first window of a depth; 0 for a full window.
    pub window: f64,
    /// Whether a move without a choice costs no ply.
    pub extend_forced: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            reduction: 0.8,
            reduction_base: 0.5,
            futility_depth: 3,
            futility: 0.6,
            history: 0.7,
            killer: 0.4,
            window: 0.4,
            extend_forced: true,
        }
    }
}

/// The result of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found<M> {
    /// The move to play.
    pub mv: M,
    /// Its value from the view of the side to move.
    pub score: Score,
    /// The number of positions visited.
    pub nodes: u64,
    /// The depth of the last finished search in plies; 0 if there was no choice.
    pub depth: u32,
}

/// A principal variation search. What it knows of positions and moves is kept from move to move.
#[derive(Debug)]
pub struct Pvs<P: Position, E> {
    evaluator: Arc<E>,
    deepest: u32,
    settings: Settings,
    table: Table<P::Move>,
    /// By player and move: how well the move did lately, from -[`MOST`] to [`MOST`].
    history: [Vec<i32>; 2],
    /// By ply: the last two moves that caused a cutoff.
    killers: Vec<[Option<P::Move>; 2]>,
    /// By depth and number of the move: the plies by which a search is reduced.
    reductions: Vec<[u8; NUMBERED]>,
}

/// Moves are numbered up to here; later ones are reduced like the last.
const NUMBERED: usize = 32;

/// The largest entry of the history.
const MOST: i32 = 1 << 14;

/// The number of positions between two checks of the clock.
const POSITIONS_BETWEEN_CLOCKS: u32 = 64;

impl<P: Position, E: Evaluator<P>> Pvs<P, E> {
    /// Creates a search of at most `deepest` plies with a table of `table` MiB.
    #[must_use]
    pub fn new(evaluator: Arc<E>, deepest: Option<u32>, table: u32) -> Self {
        Self::with_settings(evaluator, deepest, table, Settings::default())
    }

    /// Like [`new`](Self::new), with other settings.
    #[must_use]
    pub fn with_settings(
        evaluator: Arc<E>,
        deepest: Option<u32>,
        table: u32,
        settings: Settings,
    ) -> Self {
        let reduction = |depth: u32, number: usize| {
            if depth < 2 || number == 0 {
                return 0;
            }
            let logs = f64::from(depth).ln() * ((number + 1) as f64).ln();
            let plies = settings.reduction_base + settings.reduction * logs;
            (plies.max(0.0) as u32).min(depth - 1) as u8
        };
        let reductions = (0..=MAX_DEPTH)
            .map(|depth| std::array::from_fn(|number| reduction(depth, number)))
            .collect();
        Self {
            evaluator,
            deepest: deepest.unwrap_or(MAX_DEPTH).clamp(1, MAX_DEPTH),
            settings,
            table: Table::new(table),
            history: [vec![0; P::MOVE_INDICES], vec![0; P::MOVE_INDICES]],
            killers: vec![[None; 2]; MAX_DEPTH as usize + 1],
            reductions,
        }
    }

    /// What values positions.
    pub fn evaluator(&self) -> &E {
        &self.evaluator
    }

    /// The moves that the search expects after a move, as far as the table knows them.
    #[must_use]
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

    /// Searches a position that is not over. Depth 1 is always finished. The budget is not checked in the last ply, so that
    /// a limit of nodes may be exceeded by some.
    ///
    /// The search ends early if only one move is legal, or the game is won or lost. In a lost position the move is the best
    /// of the depth before the loss was found.
    ///
    /// # Panics
    /// If the game is over.
    pub fn search(&mut self, position: &P, budget: Budget) -> Found<P::Move> {
        if position.legal_move_count() == 1 {
            let mv = position.nth_legal_move(0);
            return Found { mv, score: Score::DRAW, nodes: 0, depth: 0 };
        }
        self.table.next_search();
        for entry in self.history.iter_mut().flatten() {
            *entry /= 4;
        }
        self.killers.fill([None; 2]);
        let evaluator = Arc::clone(&self.evaluator);
        let deepest = self.deepest.min(P::MAX_PLIES.saturating_sub(position.ply())).max(1);
        let mut run = Run::new(self, budget);
        match evaluator.lookahead(position) {
            Some(mut lookahead) => run.deepen(&mut lookahead, position, deepest),
            None => run.deepen(&mut OnePly::new(&*evaluator, position), position, deepest),
        }
    }
}

/// The search of one move.
struct Run<'s, P: Position> {
    settings: Settings,
    table: &'s mut Table<P::Move>,
    history: &'s mut [Vec<i32>; 2],
    killers: &'s mut [[Option<P::Move>; 2]],
    reductions: &'s [[u8; NUMBERED]],
    budget: Budget,
    until_clock: u32,
    nodes: u64,
    /// Whether the budget may end the search: not before depth 1 is finished.
    may_stop: bool,
    /// Whether it did. Values are then meaningless.
    stopped: bool,
    /// The margins of the settings in scores.
    margins: Margins,
}

/// Margins in scores.
#[derive(Clone, Copy, Default)]
struct Margins {
    futility: i32,
    history: i32,
    killer: i32,
    window: i32,
}

/// A move with its value one ply deep and its rank. Moves of a larger rank are tried first.
#[derive(Clone, Copy)]
struct Ranked<M> {
    mv: M,
    value: Score,
    rank: i32,
}

/// A position on the line of play, with its hash.
struct Node<'p, P> {
    position: &'p P,
    key: u64,
    /// The plies from the root.
    ply: usize,
}

/// A window of scores. What lies outside is only bounded.
#[derive(Clone, Copy)]
struct Window {
    alpha: Score,
    beta: Score,
}

impl Window {
    const FULL: Self = Self { alpha: Score::LOSS.previous(), beta: Score::WIN };

    /// The window in which a score is shown to be above `alpha`, or not.
    const fn just_above(alpha: Score) -> Self {
        Self { alpha, beta: alpha.next() }
    }

    const fn is_of_one_score(self) -> bool {
        self.beta.0 <= self.alpha.0 + 1
    }

    fn around(score: Score, margin: i32) -> Self {
        if is_decided(score) || margin == 0 {
            return Self::FULL;
        }
        Self { alpha: Score(score.0 - margin), beta: Score(score.0 + margin) }
    }
}

impl std::ops::Neg for Window {
    type Output = Self;

    fn neg(self) -> Self {
        Self { alpha: -self.beta, beta: -self.alpha }
    }
}

/// Whether a score is not that of an evaluation, but won, lost, or a bound beyond.
const fn is_decided(score: Score) -> bool {
    score.0.abs() >= Score::WIN.0 - 1
}

impl<'s, P: Position> Run<'s, P> {
    fn new<E>(search: &'s mut Pvs<P, E>, budget: Budget) -> Self {
        Self {
            settings: search.settings,
            table: &mut search.table,
            history: &mut search.history,
            killers: &mut search.killers,
            reductions: &search.reductions,
            budget,
            until_clock: POSITIONS_BETWEEN_CLOCKS,
            nodes: 0,
            may_stop: false,
            stopped: false,
            margins: Margins::default(),
        }
    }

    fn deepen<L: Lookahead<P>>(
        &mut self,
        lookahead: &mut L,
        position: &P,
        deepest: u32,
    ) -> Found<P::Move> {
        match position.side_to_move() {
            Player::First => self.deepen_for::<First, L>(lookahead, position, deepest),
            Player::Second => self.deepen_for::<Second, L>(lookahead, position, deepest),
        }
    }

    /// Searches one ply deeper each time. If the budget ends a depth, its best move so far counts: the best of the depth before
    /// was searched first.
    fn deepen_for<S: Side, L: Lookahead<P>>(
        &mut self,
        lookahead: &mut L,
        position: &P,
        deepest: u32,
    ) -> Found<P::Move> {
        let root = Node { position, key: position.zobrist(), ply: 0 };
        let mut moves = Vec::new();
        lookahead.for_each_move::<S>(|mv, value, _| {
            moves.push(Ranked { mv, value, rank: value.0 });
        });
        self.nodes += moves.len() as u64;
        moves.sort_by_key(|ranked| std::cmp::Reverse(ranked.rank));
        let spread = self.spread::<S, L>(lookahead, &moves);
        self.margins = Margins::of(&self.settings, spread);
        let Ranked { mv, value: score, .. } = moves[0];
        let mut found = Found { mv, score, nodes: 0, depth: L::PLIES };
        self.may_stop = true;
        for depth in L::PLIES + 1..=deepest {
            if is_decided(found.score) {
                break;
            }
            let mut window = Window::around(found.score, self.margins.window);
            let best = loop {
                let best = self.search_root::<S, L>(lookahead, &root, &mut moves, depth, window);
                let outside =
                    best.is_none_or(|best| best.1 <= window.alpha || best.1 >= window.beta);
                if self.stopped || !outside || window.alpha == Window::FULL.alpha {
                    break best;
                }
                window = Window::FULL;
            };
            // A loss found in an unfinished depth would only replace moves that delay it longer.
            if let Some((mv, score)) = best.filter(|best| !(self.stopped && is_decided(-best.1))) {
                if score == Score::LOSS {
                    found.score = score;
                    break;
                }
                (found.mv, found.score) = (mv, score);
            }
            if self.stopped {
                break;
            }
            found.depth = depth;
            // The best move first, and then those that were hardest to refute.
            moves.sort_by_key(|ranked| (ranked.mv != found.mv, std::cmp::Reverse(ranked.rank)));
        }
        found.nodes = self.nodes;
        found
    }

    /// How far the values of moves lie apart: the mean distance from the best, at the root and after each move.
    fn spread<S: Side, L: Lookahead<P>>(
        &mut self,
        lookahead: &mut L,
        moves: &[Ranked<P::Move>],
    ) -> f64 {
        let (mut sum, mut count) = (0.0, 0_u32);
        let mut add = |values: &[i32]| {
            let best = values.iter().copied().max().unwrap_or(0);
            sum += values.iter().map(|value| f64::from(best) - f64::from(*value)).sum::<f64>();
            count += values.len() as u32;
        };
        let undecided = |value: Score| (!is_decided(value)).then_some(value.0);
        add(&moves.iter().filter_map(|ranked| undecided(ranked.value)).collect::<Vec<_>>());
        for ranked in moves.iter().filter(|ranked| !is_decided(ranked.value)) {
            let _ = lookahead.with_move::<S, _>(ranked.mv, |lookahead| {
                let mut values = MoveList::<i32>::new();
                lookahead.for_each_move::<S::Other>(|_, value, _| values.extend(undecided(value)));
                add(&values);
            });
        }
        sum / f64::from(count.max(1))
    }

    /// The best move of the root and its value, or of the moves that were searched before the budget ended; `None` if that was
    /// none.
    fn search_root<S: Side, L: Lookahead<P>>(
        &mut self,
        lookahead: &mut L,
        root: &Node<'_, P>,
        moves: &mut [Ranked<P::Move>],
        depth: u32,
        window: Window,
    ) -> Option<(P::Move, Score)> {
        let mut best: Option<(P::Move, Score)> = None;
        let mut alpha = window.alpha;
        for number in 0..moves.len() {
            let ranked = moves[number];
            let before = self.nodes;
            let full = Window { alpha, beta: window.beta };
            let mut value = Score::DRAW;
            if number > 0 {
                let narrow = Window::just_above(alpha);
                value = self.value_after::<S, L>(lookahead, root, ranked, depth, narrow);
            }
            if number == 0 || value > alpha && value < window.beta && !self.stopped {
                value = self.value_after::<S, L>(lookahead, root, ranked, depth, full);
            }
            if self.stopped {
                break;
            }
            moves[number].rank = (self.nodes - before).min(i32::MAX as u64) as i32;
            if best.is_none_or(|best| value > best.1) {
                // Of moves that are no better than alpha only the first has been compared.
                let mv =
                    if value > alpha { ranked.mv } else { best.map_or(ranked.mv, |best| best.0) };
                best = Some((mv, value));
            }
            alpha = alpha.max(value);
            if alpha >= window.beta {
                break;
            }
        }
        if let Some((mv, value)) = best.filter(|_| !self.stopped) {
            self.store(root.key, depth, window, value, Some(mv));
        }
        best
    }

    /// The value of playing a move from the view of the side that plays it. `depth` includes that move.
    #[inline]
    fn value_after<S: Side, L: Lookahead<P>>(
        &mut self,
        lookahead: &mut L,
        node: &Node<'_, P>,
        ranked: Ranked<P::Move>,
        depth: u32,
        window: Window,
    ) -> Score {
        // A won or lost game has the same value at any depth.
        if depth <= L::PLIES || is_decided(ranked.value) {
            return ranked.value;
        }
        let value = lookahead.with_move::<S, _>(ranked.mv, |lookahead| {
            let after = lookahead.position();
            let key = node.position.zobrist_after(node.key, ranked.mv, &after);
            let next = Node { position: &after, key, ply: node.ply + 1 };
            -self.search::<S::Other, L>(lookahead, &next, depth - 1, -window)
        });
        value.unwrap_or_else(|end| end)
    }

    /// The value of a position for the side to move: exact inside the window, as far as reductions allow, else a bound.
    fn search<S: Side, L: Lookahead<P>>(
        &mut self,
        lookahead: &mut L,
        node: &Node<'_, P>,
        depth: u32,
        window: Window,
    ) -> Score {
        if depth <= L::PLIES {
            return lookahead.value::<S>(window.beta, &mut self.nodes);
        }
        self.nodes += 1;
        if self.is_spent() {
            return Score::DRAW;
        }
        let stored = self.table.get(node.key);
        if let Some(value) =
            stored.and_then(|stored| stored.answer(depth, window.alpha, window.beta))
        {
            return value;
        }
        let first = stored.and_then(|stored| stored.best);
        let mut moves = MoveList::<Ranked<P::Move>>::new();
        if self.rank::<S, L>(lookahead, node.ply, first, &mut moves) {
            return Score::WIN;
        }
        let is_forced = moves.len() == 1 && self.settings.extend_forced;
        let depth = depth + u32::from(is_forced);
        let (mut best, mut best_move, mut alpha) = (Score::LOSS.previous(), None, window.alpha);
        for number in 0.. {
            let Some(ranked) = take_best(&mut moves) else { break };
            if number > 0 && self.is_futile(&ranked, depth, alpha, window) && best > Score::LOSS {
                continue;
            }
            let now = Window { alpha, beta: window.beta };
            let value = self.value_of_move::<S, L>(lookahead, node, ranked, number, depth, now);
            if self.stopped {
                return Score::DRAW;
            }
            if value > best {
                (best, best_move) = (value, Some(ranked.mv));
            }
            alpha = alpha.max(value);
            if alpha >= window.beta {
                self.note_cutoff::<S>(ranked.mv, depth, node.ply);
                break;
            }
        }
        self.store(node.key, depth, window, best, best_move);
        best
    }

    /// Searches the first move with the whole window, and later ones less deeply with a narrow one, unless they prove good.
    fn value_of_move<S: Side, L: Lookahead<P>>(
        &mut self,
        lookahead: &mut L,
        node: &Node<'_, P>,
        ranked: Ranked<P::Move>,
        number: usize,
        depth: u32,
        window: Window,
    ) -> Score {
        if number == 0 {
            return self.value_after::<S, L>(lookahead, node, ranked, depth, window);
        }
        let narrow = Window::just_above(window.alpha);
        let is_narrow = window.is_of_one_score();
        let by_number = self.reductions[depth.min(MAX_DEPTH) as usize][number.min(NUMBERED - 1)];
        let reduction = u32::from(by_number).saturating_sub(u32::from(!is_narrow));
        let reduced = (depth - reduction).max(1);
        let mut value = self.value_after::<S, L>(lookahead, node, ranked, reduced, narrow);
        if value > window.alpha && reduction > 0 && !self.stopped {
            value = self.value_after::<S, L>(lookahead, node, ranked, depth, narrow);
        }
        if value > window.alpha && value < window.beta && !is_narrow && !self.stopped {
            value = self.value_after::<S, L>(lookahead, node, ranked, depth, window);
        }
        value
    }

    /// Whether a move near the leaves is too bad to be tried.
    #[inline]
    fn is_futile(
        &self,
        ranked: &Ranked<P::Move>,
        depth: u32,
        alpha: Score,
        window: Window,
    ) -> bool {
        let hopeless = || {
            let margin = self.margins.futility.saturating_mul(depth as i32);
            ranked.value.0.saturating_add(margin) <= alpha.0
        };
        depth <= self.settings.futility_depth
            && window.is_of_one_score()
            && !is_decided(ranked.value)
            && !is_decided(alpha)
            && hopeless()
    }

    /// Adds the legal moves with their ranks to `moves`, or says that one of them wins at once.
    #[inline(always)]
    fn rank<S: Side, L: Lookahead<P>>(
        &self,
        lookahead: &mut L,
        ply: usize,
        first: Option<P::Move>,
        moves: &mut MoveList<Ranked<P::Move>>,
    ) -> bool {
        let killers = &self.killers[ply.min(MAX_DEPTH as usize)];
        let history = &self.history[S::INDEX];
        let mut wins = false;
        lookahead.for_each_move::<S>(|mv, value, _| {
            wins |= value == Score::WIN;
            let past = i64::from(self.margins.history) * i64::from(history[P::move_index(mv)]);
            let mut rank = value.0.saturating_add((past / i64::from(MOST)) as i32);
            if killers.contains(&Some(mv)) {
                rank = rank.saturating_add(self.margins.killer);
            }
            if first == Some(mv) {
                rank = i32::MAX;
            }
            moves.push(Ranked { mv, value, rank });
        });
        wins
    }

    /// Notes that a move caused a cutoff.
    fn note_cutoff<S: Side>(&mut self, mv: P::Move, depth: u32, ply: usize) {
        let bonus = (32 * depth * depth).min(MOST as u32 / 4) as i32;
        let entry = &mut self.history[S::INDEX][P::move_index(mv)];
        *entry += bonus - *entry * bonus / MOST;
        let killers = &mut self.killers[ply.min(MAX_DEPTH as usize)];
        if killers[0] != Some(mv) {
            *killers = [Some(mv), killers[0]];
        }
    }

    fn store(&mut self, key: u64, depth: u32, window: Window, value: Score, best: Option<P::Move>) {
        let bound = if value >= window.beta {
            Bound::Lower
        } else if value > window.alpha {
            Bound::Exact
        } else {
            Bound::Upper
        };
        self.table.store(key, Stored { value, best, depth: depth as u8, bound });
    }

    #[inline]
    fn is_spent(&mut self) -> bool {
        self.until_clock -= 1;
        if self.until_clock == 0 {
            self.until_clock = POSITIONS_BETWEEN_CLOCKS;
            self.stopped |= self.may_stop && self.budget.is_late();
        }
        self.stopped |= self.may_stop && self.nodes >= self.budget.most;
        self.stopped
    }
}

impl Margins {
    fn of(settings: &Settings, spread: f64) -> Self {
        let score = |margin: f64| (margin * spread).min(f64::from(Score::HEURISTIC_BOUND)) as i32;
        Self {
            futility: score(settings.futility),
            history: score(settings.history),
            killer: score(settings.killer),
            window: score(settings.window),
        }
    }
}

/// Takes out the move of the highest rank, the earliest among equals.
#[inline(always)]
fn take_best<M: Copy>(moves: &mut MoveList<Ranked<M>>) -> Option<Ranked<M>> {
    let (mut best, mut rank) = (0, moves.first()?.rank);
    for (index, ranked) in moves.iter().enumerate().skip(1) {
        if ranked.rank > rank {
            (best, rank) = (index, ranked.rank);
        }
    }
    Some(moves.swap_remove(best))
}
