//! Matches: what they are, one game of them, and what they come to.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::executor::Detail;
use super::game::play_game_traced;
use super::result::{GameResult, Side};
use super::{Forfeit, GameRecord, GameTask, MoveCost, Openings, Schedule, SideStats};
use crate::agent::{AgentFactory, Failure};
use crate::game::{Game, Outcome, Player};
use crate::input::InputError;
use crate::seed::{Role, mix};
use crate::stats::Tally;
use crate::stats::sprt::SprtResult;

/// Two agents and where their games start.
#[derive(Clone, Debug)]
pub struct Contest<'c, P: Game> {
    /// Agent A, whose view results are given from.
    pub a: &'c AgentFactory<P>,
    /// Agent B.
    pub b: &'c AgentFactory<P>,
    /// The rules of the game.
    pub rules: P::Rules,
    /// Where games start.
    pub openings: &'c Openings,
}

/// Plays one game of a contest.
///
/// # Errors
/// An opening that cannot be had: see [`Openings::draw`].
pub fn play_task<P: Game>(
    contest: &Contest<'_, P>,
    task: &GameTask,
) -> Result<GameRecord<P>, InputError> {
    play_task_traced(contest, task, None)
}

/// [`play_task`] with the costs of its moves, where a list is given for them.
fn play_task_traced<P: Game>(
    contest: &Contest<'_, P>,
    task: &GameTask,
    costs: Option<&mut Vec<MoveCost>>,
) -> Result<GameRecord<P>, InputError> {
    for factory in [contest.a, contest.b] {
        contest.openings.check_suits(factory)?;
    }
    let opening = contest.openings.draw::<P>(contest.rules, task.seed, task.number)?;
    let (a, b) = (task.spawn(contest.a, Role::AgentA), task.spawn(contest.b, Role::AgentB));
    let mut agents = if task.a_first { [a, b] } else { [b, a] };
    let record = play_game_traced(&opening, &mut agents, costs);
    if let Some(Forfeit { player, failure }) = &record.forfeit {
        let agent = if (*player == Player::First) == task.a_first { contest.a } else { contest.b };
        tracing::warn!(agent = agent.label(), %failure, "game forfeited");
    }
    Ok(record)
}

/// The settings of a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct MatchSettings {
    /// How many games.
    pub games: u64,
    /// The seed that every game's seed is mixed from.
    pub seed: u64,
    /// Who moves first when.
    pub schedule: Schedule,
    /// Whether drawn games are played again, with new seeds, until they are decided (Amar).
    pub replay_ties: bool,
}

/// Games that stay drawn as often as this stay draws: agents without randomness repeat themselves.
const MOST_REPLAYS: u64 = 100;

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
    /// What A and B spent.
    pub sides: [SideStats; 2],
}

impl Summary {
    /// The summary of one game.
    #[must_use]
    pub fn of(game: &GameResult) -> Self {
        let (mut timeouts, mut errors) = ([0; 2], [0; 2]);
        match game.forfeit() {
            Some((side, Failure::Timeout { .. })) => timeouts[side as usize] = 1,
            Some((side, _)) => errors[side as usize] = 1,
            None => {}
        }
        let mut tally = Tally::default();
        match game.winner {
            Some(Side::A) => tally.wins = 1,
            None => tally.draws = 1,
            Some(Side::B) => tally.losses = 1,
        }
        Self { tally, timeouts, errors, plies: game.plies, sides: game.sides }
    }

    /// Both together.
    #[must_use]
    pub fn plus(&self, other: &Self) -> Self {
        Self {
            tally: self.tally.plus(&other.tally),
            timeouts: [0, 1].map(|side| self.timeouts[side] + other.timeouts[side]),
            errors: [0, 1].map(|side| self.errors[side] + other.errors[side]),
            plies: self.plies + other.plies,
            sides: [self.sides[0].plus(&other.sides[0]), self.sides[1].plus(&other.sides[1])],
        }
    }

    /// The same games from B's view.
    #[must_use]
    pub const fn reversed(&self) -> Self {
        Self {
            tally: self.tally.reversed(),
            timeouts: [self.timeouts[1], self.timeouts[0]],
            errors: [self.errors[1], self.errors[0]],
            plies: self.plies,
            sides: [self.sides[1], self.sides[0]],
        }
    }

    /// Half points of A: 2 a win, 1 a draw.
    #[must_use]
    pub const fn half_points(&self) -> u64 {
        2 * self.tally.wins + self.tally.draws
    }
}

/// The result of a match.
#[derive(Clone, Debug, PartialEq)]
pub struct MatchResult {
    /// Sums over all games.
    pub summary: Summary,
    /// Where games are paired: pairs in which A scored 0, 1/2, 1, 3/2 and 2 points.
    pub pairs: Option<[u64; 5]>,
    /// Different games: start and move sequence, symmetry not reduced.
    pub distinct_games: u64,
    /// Games that were forfeited, by index, and how: the first [`MOST_FORFEITS`] of them.
    pub forfeits: Vec<ForfeitedGame>,
    /// How its sequential test ended, where it had one.
    pub sprt: Option<SprtResult>,
    /// Wall time of playing.
    pub elapsed: Duration,
}

impl MatchResult {
    /// The agent, `A` or `B`, that could not be started in any of its games, and why.
    #[must_use]
    pub fn never_started(&self) -> Option<(char, &Failure)> {
        [('A', true), ('B', false)].into_iter().zip(&self.summary.sides).find_map(
            |((name, is_a), side)| {
                let mut failures = self.forfeits.iter().filter(|f| f.by_a == is_a);
                let first = &failures.clone().next()?.failure;
                let never = failures.all(|f| matches!(f.failure, Failure::Start(_)));
                (never && side.moves == 0).then_some((name, first))
            },
        )
    }
}

/// A forfeited game of a match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ForfeitedGame {
    /// Its number, from 0.
    pub game: u64,
    /// Whether A forfeited it, or else B.
    pub by_a: bool,
    /// How.
    pub failure: Failure,
}

/// The most forfeited games that a result lists; all are counted.
pub const MOST_FORFEITS: usize = 100;

/// The most games of a match: all are held in memory until they are counted.
pub const MAX_GAMES: u64 = 10_000_000;

impl MatchSettings {
    /// Checks the number of games.
    ///
    /// # Errors
    /// No games, more than [`MAX_GAMES`], or an odd number where they are paired or halved.
    pub fn check(&self) -> Result<(), InputError> {
        let Self { games, schedule, .. } = *self;
        if games == 0 || schedule.needs_even() && !games.is_multiple_of(2) {
            let kind = if games == 0 { "at least one game" } else { "an even number of games" };
            return Err(InputError::new(format!("a {schedule} match needs {kind}, not {games}")));
        }
        if games > MAX_GAMES {
            let message = format!("a match has at most {MAX_GAMES} games, not {games}");
            return Err(InputError::new(message));
        }
        Ok(())
    }

    /// Plays the game of an index below `games`, again while it is drawn if ties are replayed. `first_number` is the
    /// number of the match's first opening.
    ///
    /// # Errors
    /// As [`play_task`].
    pub(super) fn play<P: Game>(
        &self,
        contest: &Contest<'_, P>,
        first_number: u64,
        index: u64,
        detail: Detail,
    ) -> Result<GameResult, InputError> {
        let mut task = self.schedule.task(self.seed, first_number, index, self.games);
        let (first_seed, mut replays) = (task.seed, 0);
        loop {
            let mut costs = (detail == Detail::Moves).then(Vec::new);
            let record = play_task_traced(contest, &task, costs.as_mut())?;
            if !self.replay_ties || record.outcome != Outcome::Draw || replays == MOST_REPLAYS {
                return Ok(GameResult::new(&record, task.a_first, costs));
            }
            replays += 1;
            task.seed = mix(first_seed, replays);
        }
    }
}

#[cfg(test)]
pub(super) mod tests;
