//! Matches: the two sides, and one game of a match.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::executor::{Detail, ExecutorError};
use super::game::{Forfeit, GameRecord, MoveCost, play_on};
use super::openings::{Opening, Openings};
use super::result::GameResult;
use super::schedule::GameTask;
use super::settings::MatchSettings;
use crate::agent::AgentFactory;
use crate::game::{Game, Outcome, Player};
use crate::search::Stop;
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
/// An opening that cannot be drawn: see [`Openings::draw`]; a panic, see [`ExecutorError::Panicked`];
/// [`ExecutorError::Stopped`] as soon as `goes_on` is false before a move. `stop` ends a search; the caller drops its game.
pub fn play_task<P: Game>(
    contest: &Contest<'_, P>,
    task: &GameTask,
    costs: Option<&mut Vec<MoveCost>>,
    goes_on: &dyn Fn() -> bool,
    stop: Stop<'_>,
) -> Result<GameRecord<P>, ExecutorError> {
    for factory in [contest.a, contest.b] {
        contest.openings.check_suits(factory)?;
    }
    let opening = draw::<P>(contest.openings, contest.rules, task)?;
    let mut moves = Vec::new();
    let played = catch(|| {
        let (a, b) = (task.spawn(contest.a, Role::AgentA), task.spawn(contest.b, Role::AgentB));
        let mut agents = if task.a_first { [a, b] } else { [b, a] };
        let goes_on = || if goes_on() { Ok(()) } else { Err(ExecutorError::Stopped) };
        play_on(&opening, &mut agents, costs, &mut moves, &goes_on, stop)
    });
    let (outcome, forfeit, sides) = played.map_err(|panic| {
        // What panicked once may do so again.
        let words = catch(|| {
            let start = opening.start.notation();
            let moves = moves.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
            format!("from the opening \"{start}\", after the moves \"{moves}\"")
        });
        let (a, b) = (contest.a.label(), contest.b.label());
        let first = if task.a_first { "A" } else { "B" };
        let words = words.unwrap_or_default();
        ExecutorError::Panicked(format!(
            "{panic}, in the game of seed {} {words}, between {a} (A) and {b} (B), where {first} moves first",
            task.seed
        ))
    })??;
    let record = GameRecord { start: opening.start, moves, outcome, forfeit, sides };
    // Programs end with work that is stopped: what they fail with then is no forfeit.
    if let Some(Forfeit { player, failure }) = &record.forfeit
        && goes_on()
    {
        let agent = if (*player == Player::First) == task.a_first { contest.a } else { contest.b };
        tracing::warn!(agent = agent.label(), %failure, "game forfeited");
    }
    Ok(record)
}

/// Draws the opening of a game.
///
/// # Errors
/// An opening that cannot be drawn: see [`Openings::draw`]; a panic of the game's code.
pub(super) fn draw<P: Game>(
    openings: &Openings,
    rules: P::Rules,
    task: &GameTask,
) -> Result<Opening<P>, ExecutorError> {
    let drawn = catch(|| openings.draw::<P>(rules, task.seed, task.number));
    let drawn = drawn.map_err(|panic| {
        let GameTask { number, seed, .. } = task;
        let text =
            format!("{panic}, when opening {number} of {openings} was drawn with seed {seed}");
        ExecutorError::Panicked(text)
    })?;
    Ok(drawn?)
}

/// Runs code that is perhaps not ours; a panic is an error in words. What it left half-done is not looked at again.
fn catch<T>(code: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(code)).map_err(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
        format!("the code of the game or of an agent panicked: {}", text.unwrap_or("no message"))
    })
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
        goes_on: &dyn Fn() -> bool,
        stop: Stop<'_>,
    ) -> Result<GameResult, ExecutorError> {
        let mut task = self.schedule.task(self.seed, first_number, index, self.games);
        let (first_seed, mut replays) = (task.seed, 0);
        loop {
            let mut costs = (detail == Detail::Moves).then(Vec::new);
            let record = play_task(contest, &task, costs.as_mut(), goes_on, stop)?;
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
