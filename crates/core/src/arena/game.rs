//! One game: between agents that are there, and as a game of a match.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::executor::{ExecutorError, Unit};
use super::openings::{Opening, Openings};
use super::result::GameResult;
use super::schedule::GameTask;
use crate::agent::{Agent, AgentFactory, Choice, Failure, Past, Turn, Value};
use crate::game::{Adjudication, Game, Outcome, Player};
use crate::search::Stop;
use crate::seed::{Role, mix};

/// The costs of one side in a game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SideStats {
    /// Moves that it chose, those of the opening excluded.
    pub moves: u64,
    /// Positions it searched.
    pub nodes: u64,
    /// Iterations of Monte Carlo tree search.
    pub iterations: u64,
    /// Wall time of its choices, without the start of programs. A request that ended in a forfeit is not among them.
    pub search: Duration,
    /// The longest wall time of a choice.
    pub slowest: Duration,
    /// Attempts at a move that ran out of time.
    pub timeouts: u64,
    /// Moves that came late, but within the grace.
    pub late: u64,
}

impl SideStats {
    /// The sum of both. It stops at the largest number: what a log or a worker says may be anything.
    #[must_use]
    #[inline]
    pub fn plus(&self, other: &Self) -> Self {
        Self {
            moves: self.moves.saturating_add(other.moves),
            nodes: self.nodes.saturating_add(other.nodes),
            iterations: self.iterations.saturating_add(other.iterations),
            search: self.search.saturating_add(other.search),
            slowest: self.slowest.max(other.slowest),
            timeouts: self.timeouts.saturating_add(other.timeouts),
            late: self.late.saturating_add(other.late),
        }
    }
}

/// The cost of one move for the agent that made it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct MoveCost {
    /// Moves made before it since the start of the game, by both players.
    pub ply: u32,
    /// Who made it.
    pub player: Player,
    /// The number of legal moves.
    pub legal_moves: u32,
    /// Positions searched for it, by agents that count positions.
    pub nodes: u64,
    /// Iterations of Monte Carlo tree search for it.
    pub iterations: u64,
    /// The depth in plies that the search reached, where another program says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
    /// Wall time of the choice.
    pub time: Duration,
    /// What the position was worth to its agent, where it said so: see [`Choice::value`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<f64>,
}

/// A game that was played.
#[derive(Clone, Debug)]
pub struct GameRecord<P: Game> {
    /// Where it started.
    pub start: P,
    /// Every move from there, the opening's included.
    pub moves: Vec<P::Move>,
    /// How it ended; a forfeit is won by the other player.
    pub outcome: Outcome,
    /// How the loser forfeited it, if it did not end on the board.
    pub failure: Option<Failure>,
    /// The costs of the first and the second player.
    pub sides: [SideStats; 2],
    /// The costs of the moves after the opening, in order. A forfeited move was not made and is not among them.
    pub costs: Vec<MoveCost>,
}

/// Plays a game from an opening. `agents` are the first and the second player.
pub fn play_game<P: Game>(
    opening: &Opening<P>,
    agents: &mut [Box<dyn Agent<P>>; 2],
) -> GameRecord<P> {
    let mut record = begun(opening.clone());
    play_to_end(&mut record, agents, &|| true, Stop::NEVER);
    record
}

fn begun<P: Game>(Opening { start, moves }: Opening<P>) -> GameRecord<P> {
    let (sides, costs) = ([SideStats::default(); 2], Vec::new());
    GameRecord { start, moves, outcome: Outcome::Draw, failure: None, sides, costs }
}

/// Plays a game to its end; `false` if `goes_on`, which is asked before each move, was false. `stop` ends a search.
fn play_to_end<P: Game>(
    record: &mut GameRecord<P>,
    agents: &mut [Box<dyn Agent<P>>; 2],
    goes_on: &dyn Fn() -> bool,
    stop: Stop<'_>,
) -> bool {
    let GameRecord { start, moves, outcome, failure, sides, costs } = record;
    let mut position = moves.iter().fold(start.clone(), |position, &mv| position.after(mv));
    let mut adjudicator = Adjudicator::new(P::adjudication(position.rules()));
    let mut ply = position.ply(); // Some games count it again.
    loop {
        if let Some(on_the_board) = position.outcome() {
            *outcome = on_the_board;
            return true;
        }
        if !goes_on() {
            return false;
        }
        let player = position.side_to_move();
        let last_move = moves.last().copied();
        let past = Some(Past { start, moves });
        let opponent_clock = agents[player.other().index()].clock();
        let turn =
            Turn { position: &position, last_move, time_left: None, opponent_clock, past, stop };
        let started = Instant::now();
        let chosen = agents[player.index()].choose(&turn);
        let took = started.elapsed();
        let side = &mut sides[player.index()];
        let played = chosen.and_then(|choice| {
            let Choice { mv, nodes, depth, iterations, time, timeouts, late, value, .. } = choice;
            let time = time.unwrap_or(took);
            let value = match value {
                Some(Value::Centipawns(value)) => Some(value),
                _ => None,
            };
            side.moves += 1;
            side.search += time;
            side.slowest = side.slowest.max(time);
            side.late += u64::from(late);
            side.nodes += nodes;
            side.iterations += iterations;
            side.timeouts += timeouts;
            let legal_moves = position.legal_move_count() as u32;
            position.play(mv).map_err(|error| Failure::IllegalMove(error.mv))?;
            let cost = MoveCost { ply, player, legal_moves, nodes, iterations, depth, time, value };
            costs.push(cost);
            moves.push(mv);
            ply += 1;
            Ok(value)
        });
        match played {
            Ok(value) => {
                let decided = adjudicator.observe(player, value, moves.len(), ply);
                if let Some(agreed) = decided.filter(|_| position.outcome().is_none()) {
                    *outcome = agreed;
                    return true;
                }
            }
            Err(reason) => {
                if let Failure::Timeout { attempts, .. } = reason {
                    side.timeouts += attempts;
                }
                (*outcome, *failure) = (Outcome::Win(player.other()), Some(reason));
                return true;
            }
        }
    }
}

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

/// Plays one game of a contest.
///
/// # Errors
/// An opening that cannot be drawn: see [`Openings::draw`]; a panic, see [`ExecutorError::Panicked`];
/// [`ExecutorError::Stopped`] as soon as `goes_on` is false before a move. `stop` ends a search; the caller drops its game.
pub fn play_task<P: Game>(
    contest: &Contest<'_, P>,
    task: &GameTask,
    goes_on: &dyn Fn() -> bool,
    stop: Stop<'_>,
) -> Result<GameRecord<P>, ExecutorError> {
    for factory in [contest.a, contest.b] {
        contest.openings.check_suits(factory)?;
    }
    let &Contest { openings, rules, .. } = contest;
    let &GameTask { number, seed, .. } = task;
    let opening = catch(|| openings.draw::<P>(rules, seed, number)).map_err(|panic| {
        ExecutorError::Panicked(format!(
            "{panic}, when opening {number} of {openings} was drawn with seed {seed}"
        ))
    })?;
    let mut record = begun(opening?);
    let played = catch(|| {
        let (a, b) = (task.spawn(contest.a, Role::AgentA), task.spawn(contest.b, Role::AgentB));
        let mut agents = if task.a_first { [a, b] } else { [b, a] };
        play_to_end(&mut record, &mut agents, goes_on, stop)
    });
    let is_over = played.map_err(|panic| {
        // What panicked once may do so again.
        let words = catch(|| {
            let start = record.start.notation();
            let moves = record.moves.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
            format!("from the opening \"{start}\", after the moves \"{moves}\"")
        });
        let words = words.unwrap_or_default();
        let (a, b) = (&*contest.a.label, &*contest.b.label);
        let first = if task.a_first { "A" } else { "B" };
        ExecutorError::Panicked(format!(
            "{panic}, in the game of seed {seed} {words}, between {a} (A) and {b} (B), where {first} moves first"
        ))
    })?;
    // Programs end with work that is stopped: what they fail with then is no forfeit.
    if let Some(failure) = record.failure.as_ref().filter(|_| goes_on()) {
        let first_forfeited = record.outcome == Outcome::Win(Player::Second);
        let agent = if first_forfeited == task.a_first { contest.a } else { contest.b };
        tracing::warn!(agent = agent.label, %failure, "game forfeited");
    }
    if is_over { Ok(record) } else { Err(ExecutorError::Stopped) }
}

/// Runs code that is perhaps not ours; a panic is an error in words. What it left half-done is not looked at again.
pub(super) fn catch<T>(code: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(code)).map_err(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
        format!("the code of the game or of an agent panicked: {}", text.unwrap_or("no message"))
    })
}

/// A game that was drawn this often stays a draw: agents without randomness repeat themselves.
const MOST_REPLAYS: u64 = 100;

impl Unit {
    /// Plays one game of the match by its index, one of the [`range`](Self::range). If ties are replayed, it is played until it is
    /// decided. What it depends on is in the unit and the contest: its seed is [`of_game`](crate::seed::of_game)`(seed, number)`, with
    /// the number of its opening, which the two games of a pair share; each agent draws from
    /// [`of_role`](crate::seed::of_role)`(that seed, AgentA or AgentB)`.
    ///
    /// # Errors
    /// A panic of the game or of an agent; an opening that cannot be drawn; [`ExecutorError::Stopped`] as soon as `goes_on` is
    /// false before a move. `stop` ends a search; the caller drops its game.
    pub fn play<P: Game>(
        &self,
        contest: &Contest<'_, P>,
        index: u64,
        goes_on: &dyn Fn() -> bool,
        stop: Stop<'_>,
    ) -> Result<GameResult, ExecutorError> {
        let (mut task, mut replays) = (self.task(index), 0);
        let first_seed = task.seed;
        loop {
            let record = play_task(contest, &task, goes_on, stop)?;
            let is_decided = !self.settings.replay_ties || record.outcome != Outcome::Draw;
            if is_decided || replays == MOST_REPLAYS {
                return Ok(GameResult::new(record, task.a_first, self.detail));
            }
            replays += 1;
            task.seed = mix(first_seed, replays);
        }
    }
}

pub(super) struct Adjudicator {
    rules: Adjudication,
    /// For how many moves in succession each player has said that it wins, that it loses, that it draws.
    wins: [u32; 2],
    losses: [u32; 2],
    draws: [u32; 2],
}

impl Adjudicator {
    pub(super) fn new(rules: Adjudication) -> Self {
        Self { rules, wins: [0; 2], losses: [0; 2], draws: [0; 2] }
    }

    /// Hears what a player said of the position in which it moved. `plies` and `ply` count this move, too.
    #[inline]
    pub(super) fn observe(
        &mut self,
        player: Player,
        value: Option<f64>,
        plies: usize,
        ply: u32,
    ) -> Option<Outcome> {
        let Adjudication { resign, draw, max_plies } = self.rules;
        let own = player.index();
        let count = |counts: &mut [u32; 2], holds: bool| {
            counts[own] = if holds { counts[own] + 1 } else { 0 };
        };
        if let Some(resign) = resign {
            let score = f64::from(resign.score);
            count(&mut self.wins, value.is_some_and(|value| value >= score));
            count(&mut self.losses, value.is_some_and(|value| value <= -score));
            let lost = |loser: Player| {
                let (winner, loser) = (loser.other().index(), loser.index());
                let is_agreed = !resign.two_sided || self.wins[winner] >= resign.moves;
                self.losses[loser] >= resign.moves && is_agreed
            };
            if let Some(loser) = Player::BOTH.into_iter().find(|player| lost(*player)) {
                return Some(Outcome::Win(loser.other()));
            }
        }
        if let Some(draw) = draw {
            let score = f64::from(draw.score);
            count(&mut self.draws, value.is_some_and(|value| value.abs() <= score));
            if ply / 2 >= draw.from && self.draws.iter().all(|count| *count >= draw.moves) {
                return Some(Outcome::Draw);
            }
        }
        let is_long = max_plies.is_some_and(|most| plies >= most as usize);
        is_long.then_some(Outcome::Draw)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{DrawAgreed, Resign};

    /// The end of a game in which the players say these values in turn, and after how many moves.
    fn end(rules: Adjudication, values: &[[f64; 2]]) -> Option<(usize, Outcome)> {
        let mut adjudicator = Adjudicator::new(rules);
        let said = values.iter().flatten().zip(1..);
        said.zip(Player::BOTH.into_iter().cycle()).find_map(|((value, plies), player)| {
            let value = value.is_finite().then_some(*value);
            Some((plies, adjudicator.observe(player, value, plies, plies as u32)?))
        })
    }

    #[test]
    fn both_have_to_see_a_win_or_the_loser_alone() {
        let resign = Resign { score: 600, moves: 2, two_sided: true };
        let rules = Adjudication { resign: Some(resign), ..Adjudication::default() };
        let won = Outcome::Win(Player::Second);
        let seen =
            [[0.0, 700.0], [-600.0, 599.0], [-650.0, 700.0], [-650.0, 599.0], [-650.0, 600.0]];
        assert_eq!(end(rules, &[&seen[..], &[[-650.0, 800.0]]].concat()), Some((12, won)));
        assert_eq!(end(rules, &[[-700.0, 500.0]; 9]), None, "one side alone");
        assert_eq!(end(rules, &[[-700.0, f64::NAN]; 9]), None, "one side says nothing");
        assert_eq!(end(rules, &[[700.0, 700.0]; 9]), None, "both think that they win");
        let alone = Some(Resign { two_sided: false, ..resign });
        let rules = Adjudication { resign: alone, ..Adjudication::default() };
        assert_eq!(end(rules, &[[0.0, 700.0], [-700.0, 0.0], [-600.0, 0.0]]), Some((5, won)));
        assert_eq!(end(rules, &[[700.0, f64::NAN]; 9]), None, "only a loser resigns");
        assert_eq!(end(Adjudication::default(), &[[-9e9, 9e9]; 9]), None);
    }

    #[test]
    fn level_games_are_drawn_from_a_move_on_and_long_ones_at_once() {
        let draw = Some(DrawAgreed { score: 10, moves: 3, from: 5 });
        let rules = Adjudication { draw, ..Adjudication::default() };
        assert_eq!(end(rules, &[[10.0, -10.0]; 9]), Some((10, Outcome::Draw)));
        let swings = [[0.0, 0.0], [0.0, 11.0], [0.0, 0.0], [0.0, 0.0], [0.0, 11.0]];
        assert_eq!(end(rules, &swings), None);
        let rules = Adjudication { max_plies: Some(7), ..Adjudication::default() };
        assert_eq!(end(rules, &[[f64::NAN; 2]; 9]), Some((7, Outcome::Draw)));
    }
}
