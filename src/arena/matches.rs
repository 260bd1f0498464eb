//! Matches: the two sides, and one game of a match.

use super::executor::Detail;
use super::game::{Forfeit, GameRecord, MoveCost, play_game_traced};
use super::openings::Openings;
use super::result::GameResult;
use super::schedule::GameTask;
use super::settings::MatchSettings;
use crate::agent::AgentFactory;
use crate::game::{Game, Outcome, Player};
use crate::input::InputError;
use crate::seed::{Role, mix};

/// Two agents and where their games start.
#[derive(Clone, Debug)]
pub struct Contest<'c, P: Game> {
    /// Agent A. Results are from its view.
    pub a: &'c AgentFactory<P>,
    /// Agent B.
    pub b: &'c AgentFactory<P>,
    /// The rules of the game.
    pub rules: P::Rules,
    /// Where games start.
    pub openings: &'c Openings,
}

/// Plays one game of a contest. The costs of the moves go to the list, if one is given.
///
/// # Errors
/// An opening that cannot be drawn: see [`Openings::draw`].
pub(crate) fn play_task<P: Game>(
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

/// A game that was drawn this often stays a draw: agents without randomness repeat themselves.
const MOST_REPLAYS: u64 = 100;

impl MatchSettings {
    /// Plays one game by its index, which is below `games`. If ties are replayed, it is played until it is decided.
    /// `first_number` is the number of the match's first opening.
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
            let record = play_task(contest, &task, costs.as_mut())?;
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
