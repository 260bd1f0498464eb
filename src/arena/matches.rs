//! Matches: many games between two agents, spread over threads, with results in the order of the
//! games whatever the threads do.

use std::collections::HashSet;
use std::hash::Hash;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rayon::prelude::*;

use super::{Forfeit, GameRecord, GameTask, Openings, Schedule, SideStats, play_game};
use crate::agent::{AgentFactory, Failure};
use crate::input::InputError;
use crate::position::{Outcome, Player, Position};
use crate::seed::{Role, mix};
use crate::stats::Tally;
use crate::stats::sprt::SprtResult;

/// Two agents and where their games start.
#[derive(Clone, Debug)]
pub struct Contest<'c, P: Position> {
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
pub fn play_task<P: Position>(
    contest: &Contest<'_, P>,
    task: &GameTask,
) -> Result<GameRecord<P>, InputError> {
    for factory in [contest.a, contest.b] {
        contest.openings.check_suits(factory)?;
    }
    let opening = contest.openings.draw::<P>(contest.rules, task.seed, task.number)?;
    let (a, b) = (task.spawn(contest.a, Role::AgentA), task.spawn(contest.b, Role::AgentB));
    let mut agents = if task.a_first { [a, b] } else { [b, a] };
    let record = play_game(&opening, &mut agents);
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
    pub fn of<P: Position>(record: &GameRecord<P>, a_first: bool) -> Self {
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
pub struct Played<P: Position> {
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
    pub fn play<P: Position>(
        &self,
        contest: &Contest<'_, P>,
        index: u64,
    ) -> Result<Played<P>, InputError> {
        let mut task = self.schedule.task(self.seed, 0, index, self.games);
        let (first_seed, mut replays) = (task.seed, 0);
        loop {
            let record = play_task(contest, &task)?;
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
    game: (u64, Vec<M>),
    failure: Option<Failure>,
}

/// Plays a match on the threads of the current rayon pool. `progress` is called once a game, from
/// any of them; if it says `false` the match ends early, without a result.
///
/// # Errors
/// No games, more than [`MAX_GAMES`], or an odd number where they are paired or halved; openings that cannot be had.
pub fn play_match<P: Position>(
    contest: &Contest<'_, P>,
    settings: &MatchSettings,
    progress: &(dyn Fn() -> bool + Sync),
) -> Result<Option<MatchResult>, InputError> {
    settings.check()?;
    let started = Instant::now();
    let played = play_games(contest, settings, 0..settings.games, progress)?;
    Ok(played.map(|played| MatchResult::new(settings, &played, None, started.elapsed())))
}

/// Plays the games of a range of indices; `None` if `progress` said to stop.
pub(super) fn play_games<P: Position>(
    contest: &Contest<'_, P>,
    settings: &MatchSettings,
    range: Range<u64>,
    progress: &(dyn Fn() -> bool + Sync),
) -> Result<Option<Vec<Kept<P::Move>>>, InputError> {
    let stopped = AtomicBool::new(false);
    let play = |index| {
        if stopped.load(Ordering::Relaxed) {
            return Ok(None);
        }
        let played = settings.play(contest, index).map(|Played { summary, record }| {
            let game = (record.start.key(), record.moves);
            progress().then_some(Kept { summary, game, failure: record.forfeit.map(|f| f.failure) })
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
pub(super) mod tests {
    use super::*;
    use crate::agent::{Agent, AgentSpec, Choice, Turn};
    use crate::position::{Rules, Uttt, UtttMove};
    use std::path::Path;

    pub(in crate::arena) fn factory(text: &str) -> AgentFactory<Uttt> {
        AgentSpec::parse(text, "uttt", Path::new("")).unwrap().prepare().unwrap()
    }

    pub(in crate::arena) fn settings(games: u64, schedule: Schedule) -> MatchSettings {
        MatchSettings { games, seed: 0, schedule, replay_ties: false }
    }

    pub(in crate::arena) fn play(
        a: &str,
        b: &str,
        openings: &str,
        settings: &MatchSettings,
    ) -> MatchResult {
        let (a, b) = (factory(a), factory(b));
        let openings = Openings::parse::<Uttt>(openings, Rules::default(), Path::new("")).unwrap();
        let contest = Contest { a: &a, b: &b, rules: Rules::default(), openings: &openings };
        play_match(&contest, settings, &|| true).unwrap().unwrap()
    }

    pub(in crate::arena) fn without_times(mut result: MatchResult) -> MatchResult {
        result.elapsed = Duration::ZERO;
        for side in &mut result.summary.sides {
            (side.search, side.slowest) = (Duration::ZERO, Duration::ZERO);
        }
        result
    }

    #[test]
    fn the_stronger_agent_wins_from_either_side_of_the_table() {
        let ab = play(
            "minimax:depth=3,weights=liang-default",
            "random",
            "random:4",
            &settings(40, Schedule::Paired),
        );
        let ba = play(
            "random",
            "minimax:depth=3,weights=liang-default",
            "random:4",
            &settings(40, Schedule::Paired),
        );
        assert!(ab.summary.tally.score() > 0.9 && ba.summary.tally.score() < 0.1);
        let pairs = ab.pairs.unwrap();
        assert_eq!(pairs.iter().sum::<u64>(), 20);
        let points: u64 = pairs.iter().zip(0..).map(|(count, points)| count * points).sum();
        assert_eq!(points, ab.summary.half_points());
    }

    #[test]
    fn results_do_not_depend_on_threads() {
        let run = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let play = || {
                play("greedy:eval=advanced", "random", "random:2", &settings(60, Schedule::Coin))
            };
            without_times(pool.install(play))
        };
        assert_eq!(run(1), run(3));
    }

    #[test]
    fn an_agent_with_its_own_seed_ignores_the_matchs() {
        let run = |seed| {
            let settings = MatchSettings { seed, ..settings(20, Schedule::First) };
            without_times(play("random:seed=1", "random:seed=2", "none", &settings))
        };
        assert_eq!(run(1), run(2));
    }

    #[test]
    fn repeated_games_are_seen() {
        let result = play("reflex", "reflex", "none", &settings(10, Schedule::First));
        assert_eq!(result.distinct_games, 1);
        let result = play("random", "random", "none", &settings(200, Schedule::Paired));
        assert_eq!(result.distinct_games, 200);
    }

    #[test]
    fn replayed_ties_leave_no_draw_unless_the_agents_repeat_themselves() {
        let replay = MatchSettings { replay_ties: true, ..settings(100, Schedule::Coin) };
        assert_eq!(play("random", "random", "none", &replay).summary.tally.draws, 0);
    }

    #[test]
    fn games_that_cannot_be_paired_are_refused() {
        let (a, b) = (factory("random"), factory("random"));
        let contest = Contest { a: &a, b: &b, rules: Rules::default(), openings: &Openings::None };
        for (games, schedule, expected) in [
            (3, Schedule::Paired, "even number"),
            (3, Schedule::HalfAndHalf, "even number"),
            (0, Schedule::Coin, "at least one"),
            (u64::MAX - 1, Schedule::Paired, "at most 10000000 games"),
        ] {
            let error = play_match(&contest, &settings(games, schedule), &|| true).unwrap_err();
            assert!(error.to_string().contains(expected), "{error}");
        }
    }

    #[test]
    fn a_match_that_is_stopped_has_no_result() {
        let (a, b) = (factory("random"), factory("random"));
        let contest = Contest { a: &a, b: &b, rules: Rules::default(), openings: &Openings::None };
        assert_eq!(play_match(&contest, &settings(10, Schedule::Coin), &|| false), Ok(None));
    }

    #[test]
    fn an_illegal_move_loses_the_game_and_is_counted() {
        struct Stubborn;
        impl Agent<Uttt> for Stubborn {
            fn choose(&mut self, _: &Turn<'_, Uttt>) -> Result<Choice<UtttMove>, Failure> {
                Ok(Choice::free(UtttMove::CENTRE))
            }
        }
        let (a, b) = (AgentFactory::custom("stubborn", |_| Stubborn), factory("random"));
        let contest = Contest { a: &a, b: &b, rules: Rules::default(), openings: &Openings::None };
        let result =
            play_match(&contest, &settings(10, Schedule::First), &|| true).unwrap().unwrap();
        assert_eq!((result.summary.tally.losses, result.summary.errors), (10, [10, 0]));
        assert_eq!(result.forfeits.len(), 10);
        assert_eq!(result.forfeits[3].failure.to_string(), "illegal move 4,4");
    }
}
