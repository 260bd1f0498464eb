//! Matches: many games between two agents, spread over threads, with results in the order of the
//! games whatever the threads do.

use std::collections::HashSet;
use std::hash::Hash;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rayon::prelude::*;

use super::game::play_game_traced;
use super::{Forfeit, GameRecord, GameTask, MoveCost, Openings, Schedule, SideStats};
use crate::agent::{AgentFactory, Failure};
use crate::game::{Game, Outcome, Player, Position};
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
#[derive(Clone, Debug, PartialEq, Eq)]
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
    pub fn of<P: Game>(record: &GameRecord<P>, a_first: bool) -> Self {
        let a = if a_first { Player::First } else { Player::Second };
        let (mut timeouts, mut errors) = ([0; 2], [0; 2]);
        if let Some(forfeit) = &record.forfeit {
            let side = usize::from(forfeit.player != a);
            match forfeit.failure {
                Failure::Timeout { .. } => timeouts[side] = 1,
                _ => errors[side] = 1,
            }
        }
        let mut tally = Tally::default();
        match record.outcome {
            Outcome::Draw => tally.draws = 1,
            Outcome::Win(winner) if winner == a => tally.wins = 1,
            Outcome::Win(_) => tally.losses = 1,
        }
        Self {
            tally,
            timeouts,
            errors,
            plies: record.moves.len() as u64,
            sides: [record.sides[a.index()], record.sides[a.other().index()]],
        }
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

/// A game of a match that was played, replayed ties and all.
#[derive(Clone, Debug)]
pub struct Played<P: Game> {
    /// What it comes to, from A's view.
    pub summary: Summary,
    /// The game as it was played to its end.
    pub record: GameRecord<P>,
}

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

    /// Plays the game of an index below `games`, again while it is drawn if ties are replayed.
    ///
    /// # Errors
    /// As [`play_task`].
    pub fn play<P: Game>(
        &self,
        contest: &Contest<'_, P>,
        index: u64,
    ) -> Result<Played<P>, InputError> {
        self.play_traced(contest, index, None)
    }

    /// [`play`](Self::play) with the costs of the moves of the game that counts, where a list is given
    /// for them.
    fn play_traced<P: Game>(
        &self,
        contest: &Contest<'_, P>,
        index: u64,
        mut costs: Option<&mut Vec<MoveCost>>,
    ) -> Result<Played<P>, InputError> {
        let mut task = self.schedule.task(self.seed, 0, index, self.games);
        let (first_seed, mut replays) = (task.seed, 0);
        loop {
            if let Some(costs) = &mut costs {
                costs.clear();
            }
            let record = play_task_traced(contest, &task, costs.as_deref_mut())?;
            if !self.replay_ties || record.outcome != Outcome::Draw || replays == MOST_REPLAYS {
                return Ok(Played { summary: Summary::of(&record, task.a_first), record });
            }
            replays += 1;
            task.seed = mix(first_seed, replays);
        }
    }
}

/// What is kept of a played game until all are counted.
#[derive(Clone)]
pub(super) struct Kept<M> {
    pub(super) summary: Summary,
    /// What tells it from others: its start and its moves.
    pub(super) game: (u64, Vec<M>),
    pub(super) failure: Option<Failure>,
    /// Kept only of matches whose games are wanted move by move.
    pub(super) trace: Option<Box<Trace>>,
}

/// What tells of a game beyond its moves.
#[derive(Clone)]
pub(super) struct Trace {
    /// Where it started, in notation.
    pub(super) start: String,
    pub(super) costs: Vec<MoveCost>,
}

/// A match and all that was kept of its games.
pub(super) type Whole<P> = (MatchResult, Vec<Kept<<P as Position>::Move>>);

/// Plays a match on the threads of the current rayon pool. `progress` is called once a game, from
/// any of them; if it says `false` the match ends early, without a result.
///
/// # Errors
/// No games, more than [`MAX_GAMES`], or an odd number where they are paired or halved; openings that cannot be had.
pub fn play_match<P: Game>(
    contest: &Contest<'_, P>,
    settings: &MatchSettings,
    progress: &(dyn Fn() -> bool + Sync),
) -> Result<Option<MatchResult>, InputError> {
    Ok(play_and_keep(contest, settings, false, progress)?.map(|(result, _)| result))
}

/// [`play_match`] with what was kept of its games, `traced` or not.
pub(super) fn play_and_keep<P: Game>(
    contest: &Contest<'_, P>,
    settings: &MatchSettings,
    traced: bool,
    progress: &(dyn Fn() -> bool + Sync),
) -> Result<Option<Whole<P>>, InputError> {
    settings.check()?;
    let started = Instant::now();
    let played = play_games(contest, settings, 0..settings.games, traced, progress)?;
    let count =
        |played: Vec<_>| (MatchResult::new(settings, &played, None, started.elapsed()), played);
    Ok(played.map(count))
}

/// Plays the games of a range of indices; `None` if `progress` said to stop.
pub(super) fn play_games<P: Game>(
    contest: &Contest<'_, P>,
    settings: &MatchSettings,
    range: Range<u64>,
    traced: bool,
    progress: &(dyn Fn() -> bool + Sync),
) -> Result<Option<Vec<Kept<P::Move>>>, InputError> {
    let stopped = AtomicBool::new(false);
    let play = |index| {
        if stopped.load(Ordering::Relaxed) {
            return Ok(None);
        }
        let mut costs = traced.then(Vec::new);
        let played = settings.play_traced(contest, index, costs.as_mut());
        let played = played.map(|Played { summary, record }| {
            let trace =
                costs.map(|costs| Box::new(Trace { start: record.start.notation(), costs }));
            let game = (record.start.key(), record.moves);
            let failure = record.forfeit.map(|forfeit| forfeit.failure);
            progress().then_some(Kept { summary, game, failure, trace })
        });
        stopped.fetch_or(!matches!(played, Ok(Some(_))), Ordering::Relaxed);
        played
    };
    let played = range.into_par_iter().map(play).collect::<Result<Vec<_>, InputError>>()?;
    Ok(played.into_iter().collect())
}

/// The sums of the games of a match, in their order, and its five counts of pairs where they are paired.
pub(super) fn count<'g>(
    schedule: Schedule,
    games: impl Iterator<Item = &'g Summary>,
) -> (Summary, Option<[u64; 5]>) {
    let (mut sums, mut pairs, mut first_of_pair) = (Summary::default(), [0; 5], None);
    for game in games {
        sums = sums.plus(game);
        first_of_pair = match first_of_pair {
            None => Some(game.half_points()),
            Some(points) => {
                pairs[(points + game.half_points()) as usize] += 1;
                None
            }
        };
    }
    (sums, (schedule == Schedule::Paired).then_some(pairs))
}

impl MatchResult {
    pub(super) fn new<M: Eq + Hash>(
        settings: &MatchSettings,
        played: &[Kept<M>],
        sprt: Option<SprtResult>,
        elapsed: Duration,
    ) -> Self {
        let (summary, pairs) = count(settings.schedule, played.iter().map(|game| &game.summary));
        let distinct: HashSet<_> = played.iter().map(|played| &played.game).collect();
        let forfeits = (0..).zip(played).filter_map(|(game, played)| {
            let by_a = played.summary.timeouts[0] + played.summary.errors[0] > 0;
            played.failure.clone().map(|failure| ForfeitedGame { game, by_a, failure })
        });
        Self {
            summary,
            pairs,
            distinct_games: distinct.len() as u64,
            forfeits: forfeits.take(MOST_FORFEITS).collect(),
            sprt,
            elapsed,
        }
    }
}

#[cfg(test)]
pub(super) mod tests;
