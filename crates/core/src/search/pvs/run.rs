//! The search of one move.

use super::table::{Bound, PvsTable, Stored};
use super::{FORCED, FORCED_FROM, MAX_DEPTH, NUMBERED, Pvs, PvsParameters, PvsResult};
use crate::game::{First, Lookahead, MoveList, Player, Score, Searchable, Second, SideToMove};
use crate::search::budget::{Budget, POSITIONS_BETWEEN_CLOCKS};
use crate::search::minimax::{self, note_killer, take_best};
use std::cmp::Reverse;

/// How far a move's value may be from alpha to count for its reduction, in spreads.
const MOST_SPREADS: f32 = 8.0;

pub(super) struct Run<'s, P: Searchable> {
    settings: PvsParameters,
    table: &'s mut PvsTable<P::Move>,
    killers: &'s mut [[Option<P::Move>; 2]],
    reductions: &'s [[f32; NUMBERED]],
    budget: Budget<'s>,
    until_clock: u32,
    nodes: u64,
    /// Whether the budget may end the search: not before depth 1 is finished.
    may_stop: bool,
    stopped: bool,
    killer_margin: i32,
    window_margin: i32,
    spreads_per_score: f32,
}

/// A move with its value one ply deep.
type RankedMove<M> = minimax::Ranked<M, i32>;

/// Sorts moves by rank after a first one. Compiled once a game, not once an evaluation.
fn sort<M: Copy + Eq>(moves: &mut [RankedMove<M>], first: Option<M>) {
    moves.sort_by_key(|ranked| (Some(ranked.mv) != first, Reverse(ranked.rank)));
}

/// A position on the line of play, with its hash.
struct LineNode<'p, P> {
    position: &'p P,
    key: u64,
    ply: usize,
}

impl<'s, P: Searchable> Run<'s, P> {
    pub(super) fn new<E>(search: &'s mut Pvs<P, E>, budget: Budget<'s>, nodes: u64) -> Self {
        Self {
            settings: search.settings,
            table: &mut search.table,
            killers: &mut search.killers,
            reductions: &search.reductions,
            budget,
            until_clock: POSITIONS_BETWEEN_CLOCKS,
            nodes,
            may_stop: false,
            stopped: false,
            killer_margin: 0,
            window_margin: 0,
            spreads_per_score: 0.0,
        }
    }

    pub(super) fn deepen<L: Lookahead<P>>(
        &mut self,
        lookahead: &mut L,
        position: &P,
        deepest: u32,
    ) -> PvsResult<P::Move> {
        match position.side_to_move() {
            Player::First => self.deepen_for::<First, L>(lookahead, position, deepest),
            Player::Second => self.deepen_for::<Second, L>(lookahead, position, deepest),
        }
    }

    /// Searches one ply deeper each time. If the budget ends a depth, its best move so far counts: the old best came first.
    fn deepen_for<S: SideToMove, L: Lookahead<P>>(
        &mut self,
        lookahead: &mut L,
        position: &P,
        deepest: u32,
    ) -> PvsResult<P::Move> {
        let root = LineNode { position, key: position.zobrist(), ply: 0 };
        let mut moves = Vec::new();
        lookahead.for_each_move::<S>(|mv, value, _| {
            moves.push(RankedMove { mv, value, rank: value.0 });
        });
        self.nodes += moves.len() as u64;
        sort(&mut moves, None);
        let spread = self.spread::<S, L>(lookahead, &moves);
        let score = |margin: f64| (margin * spread).min(f64::from(Score::HEURISTIC_BOUND)) as i32;
        self.killer_margin = score(self.settings.killer);
        self.window_margin = score(self.settings.window);
        self.spreads_per_score = (1.0 / spread.max(1.0)) as f32;
        let RankedMove { mv, value: score, .. } = moves[0];
        let mut found = PvsResult { mv, score, nodes: 0, depth: L::PLIES };
        self.may_stop = true;
        for depth in L::PLIES + 1..=deepest {
            if is_decided(found.score) {
                break;
            }
            let mut window = Window::around(found.score, self.window_margin);
            let best = loop {
                let best = self.search_root::<S, L>(lookahead, &root, &mut moves, depth, window);
                let above = best.is_some_and(|best| best.1 >= window.beta);
                let outside = above || best.is_none_or(|best| best.1 <= window.alpha);
                if self.stopped || !outside || window.alpha == Window::FULL.alpha {
                    break best;
                }
                if let Some((mv, _)) = best.filter(|_| above) {
                    // Better than expected: it stands even if there is no time to find out by how much.
                    found.mv = mv;
                    let place = moves.iter().position(|ranked| ranked.mv == mv);
                    moves[..=place.unwrap_or(0)].rotate_right(1);
                }
                window = Window::FULL;
            };
            // A loss found in an unfinished depth would only replace moves that delay it longer.
            if let Some((mv, score)) = best.filter(|best| !self.stopped || best.1 > Score::LOSS) {
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
            sort(&mut moves, Some(found.mv));
        }
        found.nodes = self.nodes;
        found
    }

    /// How far the values of moves lie apart: the mean distance from the best, at the root and after each move.
    fn spread<S: SideToMove, L: Lookahead<P>>(
        &mut self,
        lookahead: &mut L,
        moves: &[RankedMove<P::Move>],
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

    /// The best move of the root and its value, or of the moves that were searched before the budget ended, if any.
    fn search_root<S: SideToMove, L: Lookahead<P>>(
        &mut self,
        lookahead: &mut L,
        root: &LineNode<'_, P>,
        moves: &mut [RankedMove<P::Move>],
        depth: u32,
        window: Window,
    ) -> Option<(P::Move, Score)> {
        let mut best: Option<(P::Move, Score)> = None;
        let mut alpha = window.alpha;
        for (number, ranked) in moves.iter_mut().enumerate() {
            let mv = ranked.mv;
            let before = self.nodes;
            let full = Window { alpha, beta: window.beta };
            let mut value = Score::DRAW;
            if number > 0 {
                let narrow = Window::just_above(alpha);
                value = self.value_after::<S, L>(lookahead, root, *ranked, depth, narrow);
            }
            if number == 0 || value > alpha && value < window.beta && !self.stopped {
                value = self.value_after::<S, L>(lookahead, root, *ranked, depth, full);
            }
            if self.stopped {
                break;
            }
            ranked.rank = (self.nodes - before).min(i32::MAX as u64) as i32;
            if best.is_none_or(|best| value > best.1) {
                // Of moves that are no better than alpha only the first has been compared.
                let best_move = if value > alpha { mv } else { best.map_or(mv, |best| best.0) };
                best = Some((best_move, value));
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
    fn value_after<S: SideToMove, L: Lookahead<P>>(
        &mut self,
        lookahead: &mut L,
        node: &LineNode<'_, P>,
        ranked: RankedMove<P::Move>,
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
            let next = LineNode { position: &after, key, ply: node.ply + 1 };
            -self.search::<S::Other, L>(lookahead, &next, depth - 1, -window)
        });
        value.unwrap_or_else(|end| end)
    }

    /// The value of a position for the side to move: exact inside the window, as far as reductions allow, else a bound.
    fn search<S: SideToMove, L: Lookahead<P>>(
        &mut self,
        lookahead: &mut L,
        node: &LineNode<'_, P>,
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
        let answer = stored.and_then(|stored| stored.answer(depth, window));
        if let Some(value) = answer {
            return value;
        }
        if depth >= FORCED_FROM && self.wins_by_threats(node.position) {
            self.store(node.key, depth, window, Score::WIN, None);
            return Score::WIN;
        }
        let first = stored.and_then(|stored| stored.best);
        let mut moves = MoveList::<RankedMove<P::Move>>::new();
        if self.rank::<S, L>(lookahead, node.ply, first, &mut moves) {
            return Score::WIN;
        }
        let (mut best, mut best_move, mut alpha) = (Score::LOSS.previous(), None, window.alpha);
        for number in 0.. {
            let Some(ranked) = take_best(&mut moves, |ranked| ranked.rank) else { break };
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
                note_killer(&mut self.killers[node.ply.min(MAX_DEPTH as usize)], ranked.mv);
                break;
            }
        }
        self.store(node.key, depth, window, best, best_move);
        best
    }

    #[inline]
    fn wins_by_threats(&mut self, position: &P) -> bool {
        let before = self.nodes;
        let wins = self.settings.threats && position.forced_win(FORCED, &mut self.nodes).is_some();
        if self.nodes > before {
            self.until_clock = 1;
        }
        wins
    }

    /// Searches the first move with the whole window, and later ones less deeply with a narrow one, unless they prove good.
    fn value_of_move<S: SideToMove, L: Lookahead<P>>(
        &mut self,
        lookahead: &mut L,
        node: &LineNode<'_, P>,
        ranked: RankedMove<P::Move>,
        number: usize,
        depth: u32,
        window: Window,
    ) -> Score {
        if number == 0 {
            return self.value_after::<S, L>(lookahead, node, ranked, depth, window);
        }
        let narrow = Window::just_above(window.alpha);
        let is_narrow = window.beta.0 <= window.alpha.0 + 1;
        let plies = self.reduction(ranked.value, number, depth, window.alpha);
        let reduction = plies.saturating_sub(u32::from(!is_narrow));
        let reduced = depth - reduction;
        let mut value = self.value_after::<S, L>(lookahead, node, ranked, reduced, narrow);
        if value > window.alpha && reduction > 0 && !self.stopped {
            value = self.value_after::<S, L>(lookahead, node, ranked, depth, narrow);
        }
        if value > window.alpha && value < window.beta && !is_narrow && !self.stopped {
            value = self.value_after::<S, L>(lookahead, node, ranked, depth, window);
        }
        value
    }

    /// The plies by which a move is searched less deeply at first.
    #[inline]
    fn reduction(&self, value: Score, number: usize, depth: u32, alpha: Score) -> u32 {
        let by_number = self.reductions[depth.min(MAX_DEPTH) as usize][number.min(NUMBERED - 1)];
        let spreads = alpha.0.saturating_sub(value.0) as f32 * self.spreads_per_score;
        let by_value =
            self.settings.reduction_value as f32 * spreads.clamp(-MOST_SPREADS, MOST_SPREADS);
        ((by_number + by_value).max(0.0) as u32).min(depth - 1)
    }

    /// Adds the legal moves with their ranks to `moves`, or says that one of them wins at once.
    #[inline(always)]
    fn rank<S: SideToMove, L: Lookahead<P>>(
        &self,
        lookahead: &mut L,
        ply: usize,
        first: Option<P::Move>,
        moves: &mut MoveList<RankedMove<P::Move>>,
    ) -> bool {
        let killers = &self.killers[ply.min(MAX_DEPTH as usize)];
        let mut wins = false;
        lookahead.for_each_move::<S>(|mv, value, _| {
            wins |= value == Score::WIN;
            let mut rank = value.0;
            if killers.contains(&Some(mv)) {
                rank = rank.saturating_add(self.killer_margin);
            }
            if first == Some(mv) {
                rank = i32::MAX;
            }
            moves.push(RankedMove { mv, value, rank });
        });
        wins
    }

    fn store(&mut self, key: u64, depth: u32, window: Window, value: Score, best: Option<P::Move>) {
        let bound = match value {
            _ if value >= window.beta => Bound::Lower,
            _ if value > window.alpha => Bound::Exact,
            _ => Bound::Upper,
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

/// A window of alpha-beta: what lies outside is only bounded.
#[derive(Clone, Copy, Debug)]
pub(super) struct Window {
    pub(super) alpha: Score,
    pub(super) beta: Score,
}

impl Window {
    const FULL: Self = Self { alpha: Score::LOSS.previous(), beta: Score::WIN };

    /// The window in which a score is shown to be above `alpha`, or not.
    #[inline]
    const fn just_above(alpha: Score) -> Self {
        Self { alpha, beta: alpha.next() }
    }

    #[inline]
    fn around(score: Score, margin: i32) -> Self {
        if is_decided(score) || margin == 0 {
            return Self::FULL;
        }
        Self { alpha: Score(score.0 - margin), beta: Score(score.0 + margin) }
    }
}

impl std::ops::Neg for Window {
    type Output = Self;

    #[inline]
    fn neg(self) -> Self {
        Self { alpha: -self.beta, beta: -self.alpha }
    }
}

/// Whether a score is not that of an evaluation, but won, lost, or a bound beyond.
#[inline]
const fn is_decided(score: Score) -> bool {
    score.0.abs() >= Score::WIN.0 - 1
}
