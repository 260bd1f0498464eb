//! Results: of a game, and of a match.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::executor::Detail;
use super::fingerprint::Fingerprint;
use super::game::{GameRecord, MoveCost, SideStats};
use super::schedule::{MatchSettings, Schedule};
use super::tournament_log::Forfeit;
use crate::agent::Failure;
use crate::game::{Game, Outcome, Player};
use crate::stats::sprt::SprtResult;
use crate::stats::{Evidence, MatchStatistics, Tally};

/// One of the two agents of a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    /// Agent A. Results are from its view.
    A,
    /// Agent B.
    B,
}

/// The result of a game, after its ties were replayed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GameResult {
    /// Who won; `None` is a draw.
    pub winner: Option<Side>,
    /// How the loser forfeited it, if it did not end on the board.
    pub failure: Option<Failure>,
    /// The number of plies, those of the opening included.
    pub plies: u64,
    /// The costs of A and B.
    pub sides: [SideStats; 2],
    /// The fingerprint of its start and moves. Symmetric games have different ones.
    pub fingerprint: Fingerprint,
    /// The moves of the game, if they were asked for.
    pub moves: Option<Box<GameMoves>>,
}

/// A game move by move.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GameMoves {
    /// Where it started, in notation.
    pub start: String,
    /// Every move from there in notation, the opening's included.
    pub moves: Vec<String>,
    /// The costs of the moves after the opening, in order.
    pub costs: Vec<MoveCost>,
}

impl GameResult {
    /// The result of a record.
    pub fn new<P: Game>(record: GameRecord<P>, a_first: bool, detail: Detail) -> Self {
        let a = if a_first { Player::First } else { Player::Second };
        let moves = || GameMoves {
            start: record.start.notation(),
            moves: record.moves.iter().map(ToString::to_string).collect(),
            costs: record.costs,
        };
        Self {
            winner: match record.outcome {
                Outcome::Draw => None,
                Outcome::Win(winner) => Some(if winner == a { Side::A } else { Side::B }),
            },
            failure: record.failure,
            plies: record.moves.len() as u64,
            sides: [record.sides[a.index()], record.sides[a.other().index()]],
            fingerprint: Fingerprint::new(&record.start, &record.moves),
            moves: (detail == Detail::Moves).then(|| Box::new(moves())),
        }
    }

    /// A game of which another program tells only who won it.
    pub fn reported(winner: Option<Side>, fingerprint: Fingerprint) -> Self {
        let sides = [SideStats::default(); 2];
        Self { winner, failure: None, plies: 0, sides, fingerprint, moves: None }
    }

    /// The game as counts, from A's view.
    pub fn tally(&self) -> Tally {
        Summary::of(self).tally
    }

    /// Who forfeited the game, if anybody did, and how.
    #[inline]
    pub fn forfeit(&self) -> Option<(Side, &Failure)> {
        let loser = if self.winner? == Side::A { Side::B } else { Side::A };
        self.failure.as_ref().map(|failure| (loser, failure))
    }

    /// What is the same whenever the game is played again: no times.
    #[doc(hidden)]
    pub fn repeatable(&self, detail: Detail) -> Self {
        let counts = |SideStats { moves, nodes, iterations, .. }: SideStats| SideStats {
            moves,
            nodes,
            iterations,
            ..SideStats::default()
        };
        let mut moves = self.moves.clone().filter(|_| detail == Detail::Moves);
        for cost in moves.iter_mut().flat_map(|moves| &mut moves.costs) {
            cost.time = Duration::ZERO;
        }
        Self { sides: self.sides.map(counts), moves, ..self.clone() }
    }
}

/// Sums over games, from A's view.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Summary {
    /// Wins, draws and losses of A.
    pub tally: Tally,
    /// Games that A and B forfeited by running out of time.
    pub timeouts: [u64; 2],
    /// Games that A and B forfeited for any other reason: see [`Failure`].
    pub errors: [u64; 2],
    /// All plies, those of openings included.
    pub plies: u64,
    /// The costs of A and B.
    pub sides: [SideStats; 2],
}

impl Summary {
    /// The summary of one game.
    #[inline]
    pub fn of(game: &GameResult) -> Self {
        let forfeit = game.failure.as_ref().map(Forfeit::of);
        Self::of_game(game.winner, forfeit, game.plies, game.sides)
    }

    /// That of a game which the loser forfeited so.
    #[inline]
    pub(super) fn of_game(
        winner: Option<Side>,
        forfeit: Option<Forfeit>,
        plies: u64,
        sides: [SideStats; 2],
    ) -> Self {
        let lost_by = |side| u64::from(winner.is_some_and(|winner| winner != side));
        let [losses, wins] = [Side::A, Side::B].map(lost_by);
        let tally = Tally { wins, draws: u64::from(winner.is_none()), losses };
        let by = |kind| if forfeit == Some(kind) { [losses, wins] } else { [0; 2] };
        let (timeouts, errors) = (by(Forfeit::Timeout), by(Forfeit::Error));
        Self { tally, timeouts, errors, plies, sides }
    }

    /// The sum of both.
    #[must_use]
    pub fn plus(&self, other: &Self) -> Self {
        Self {
            tally: self.tally.plus(&other.tally),
            timeouts: [0, 1].map(|side| self.timeouts[side] + other.timeouts[side]),
            errors: [0, 1].map(|side| self.errors[side] + other.errors[side]),
            plies: self.plies.saturating_add(other.plies),
            sides: [0, 1].map(|side| self.sides[side].plus(&other.sides[side])),
        }
    }

    /// The same games from B's view.
    #[must_use]
    pub fn reversed(mut self) -> Self {
        self.tally = self.tally.reversed();
        self.timeouts.reverse();
        self.errors.reverse();
        self.sides.reverse();
        self
    }

    /// Half points of A: 2 for a win, 1 for a draw.
    pub const fn half_points(&self) -> u64 {
        2 * self.tally.wins + self.tally.draws
    }

    /// Whether more than half of the games were forfeited, and by whom.
    pub fn mostly_forfeited(&self) -> Option<MostlyForfeited> {
        let games = self.tally.games();
        let [a, b] = [0, 1].map(|side| self.timeouts[side] + self.errors[side]);
        let all = [(Some(Side::A), a), (Some(Side::B), b), (None, a + b)];
        let (by, forfeits) = all.into_iter().find(|(_, forfeits)| 2 * forfeits > games)?;
        Some(MostlyForfeited { by, forfeits, games })
    }
}

/// Games of which more than half were forfeited: they say nothing about strength.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MostlyForfeited {
    /// Who forfeited more than half of the games; `None` if both did together.
    pub by: Option<Side>,
    /// How many games were forfeited so.
    pub forfeits: u64,
    /// All games.
    pub games: u64,
}

impl MostlyForfeited {
    /// In words, with what A, B and both of them are called.
    pub fn in_words(&self, a: &str, b: &str, both: &str) -> String {
        let who = match self.by {
            Some(Side::A) => a,
            Some(Side::B) => b,
            None => both,
        };
        format!("{who} forfeited {} of {} games", self.forfeits, self.games)
    }
}

/// The result of a match.
#[derive(Clone, Debug, PartialEq)]
pub struct MatchResult {
    /// Sums over all games.
    pub summary: Summary,
    /// Where games are paired: pairs in which A scored 0, 1/2, 1, 3/2 and 2 points.
    pub pairs: Option<[u64; 5]>,
    /// What of it is evidence: pairs of games that were not played before in the match, or such games where they are not paired.
    pub evidence: Evidence,
    /// The number of distinct games, by start and moves. Symmetric games count as distinct, and so do games of which another
    /// program tells only who won, unless the results of pairs repeat with a period, three times or more: one period counts.
    pub distinct_games: u64,
    /// The first 100 forfeited games, by index.
    pub forfeits: Vec<ForfeitedGame>,
    /// The games move by move, in order, if they were asked for. Where ties are replayed, only the last, decided game is kept.
    pub games: Vec<GameTrace>,
    /// How its sequential test ended, where it had one.
    pub sprt: Option<SprtResult>,
    /// Wall time of playing.
    pub elapsed: Duration,
    /// Whether it was stopped before its last game. What is here are the games up to one that was not finished.
    pub stopped: bool,
}

impl MatchResult {
    /// What follows from the results; without p-values where most games were forfeited.
    pub fn figures(&self) -> MatchStatistics {
        let figures = MatchStatistics::of(&self.summary.tally, &self.evidence);
        let is_result = self.summary.mostly_forfeited().is_none();
        if is_result { figures } else { figures.without_p_values() }
    }

    /// The agent that could not be started in any of its games, and why.
    pub fn never_started(&self) -> Option<(Side, &Failure)> {
        [Side::A, Side::B].into_iter().find_map(|side| {
            let theirs = || self.forfeits.iter().filter(|game| game.by == side);
            let never = theirs().all(|game| matches!(game.failure, Failure::Start(_)));
            let first = theirs().next().filter(|_| never)?;
            (self.summary.sides[side as usize].moves == 0).then_some((side, &first.failure))
        })
    }
}

/// A forfeited game of a match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ForfeitedGame {
    /// Its number, from 0.
    pub game: u64,
    /// Who forfeited it.
    pub by: Side,
    /// The reason.
    pub failure: Failure,
}

/// A game of a match, move by move.
#[derive(Clone, Debug, PartialEq)]
pub struct GameTrace {
    /// Its number in the match, from 0.
    pub game: u64,
    /// The number of its pair, from 0, where games are paired.
    pub pair: Option<u64>,
    /// Whether A moved first.
    pub a_first: bool,
    /// Half points of A: 2 for a win, 1 for a draw.
    pub half_points: u64,
    /// The forfeit, if there was one.
    pub failure: Option<Failure>,
    /// Its start, moves and costs.
    pub played: GameMoves,
}

impl GameTrace {
    /// The game of an index of a match; `None` where its moves were not kept.
    pub(super) fn new(settings: &MatchSettings, index: u64, game: GameResult) -> Option<Self> {
        let half_points = Summary::of(&game).half_points();
        let task = settings.schedule.task(settings.seed, 0, index, settings.games);
        Some(Self {
            game: index,
            pair: (settings.schedule == Schedule::Paired).then_some(task.number),
            a_first: task.a_first,
            half_points,
            failure: game.failure,
            played: *game.moves?,
        })
    }

    /// The number of moves of the opening.
    pub fn opening_plies(&self) -> usize {
        self.played.moves.len() - self.played.costs.len()
    }

    /// Whether A made a move of this player.
    pub fn is_a(&self, player: Player) -> bool {
        (player == Player::First) == self.a_first
    }
}
