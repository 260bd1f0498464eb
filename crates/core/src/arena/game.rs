//! One game.

use std::convert::Infallible;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::judge::Judge;
use super::openings::Opening;
use crate::agent::{Agent, Choice, Failure, Past, Turn, Value};
use crate::game::{Game, Outcome, Player};
use crate::search::Stop;

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
    /// Wall time of the choice.
    pub time: Duration,
    /// What the position was worth to its agent, where it said so: see [`Choice::value`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<f64>,
}

/// A forfeit: the game ended, but not on the board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Forfeit {
    /// Who forfeited.
    pub player: Player,
    /// The reason.
    pub failure: Failure,
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
    /// Set if a player forfeited.
    pub forfeit: Option<Forfeit>,
    /// The costs of the first and the second player.
    pub sides: [SideStats; 2],
}

/// How a game ended, who forfeited it, and the costs of both players.
type Ended = (Outcome, Option<Forfeit>, [SideStats; 2]);

/// Plays a game from an opening. `agents` are the first and the second player.
pub fn play_game<P: Game>(
    opening: &Opening<P>,
    agents: &mut [Box<dyn Agent<P>>; 2],
) -> GameRecord<P> {
    play_game_traced(opening, agents, None)
}

/// [`play_game`] that also records the cost of each move, in order, if a list is given. Moves of the opening cost
/// nothing, and a forfeited move was not made: neither is on the list.
pub fn play_game_traced<P: Game>(
    opening: &Opening<P>,
    agents: &mut [Box<dyn Agent<P>>; 2],
    costs: Option<&mut Vec<MoveCost>>,
) -> GameRecord<P> {
    let mut moves = Vec::new();
    let to_its_end = || Ok::<_, Infallible>(());
    let Ok((outcome, forfeit, sides)) =
        play_on(opening, agents, costs, &mut moves, &to_its_end, Stop::NEVER);
    GameRecord { start: opening.start.clone(), moves, outcome, forfeit, sides }
}

/// The same; `moves` holds every move as soon as it is made. `goes_on` is asked before each, and may end the
/// game; `stop` ends a search.
///
/// # Errors
/// That of `goes_on`.
pub(super) fn play_on<P: Game, E>(
    opening: &Opening<P>,
    agents: &mut [Box<dyn Agent<P>>; 2],
    mut costs: Option<&mut Vec<MoveCost>>,
    moves: &mut Vec<P::Move>,
    goes_on: &dyn Fn() -> Result<(), E>,
    stop: Stop<'_>,
) -> Result<Ended, E> {
    let mut position = opening.position();
    moves.clone_from(&opening.moves);
    let mut sides = [SideStats::default(); 2];
    let mut judge = Judge::new(P::adjudication(position.rules()));
    loop {
        if let Some(outcome) = position.outcome() {
            return Ok((outcome, None, sides));
        }
        goes_on()?;
        let player = position.side_to_move();
        let past = Some(Past { start: &opening.start, moves });
        let last_move = moves.last().copied();
        let turn = Turn { position: &position, last_move, time_left: None, past, stop };
        let started = Instant::now();
        let chosen = agents[player.index()].choose(&turn);
        let took = started.elapsed();
        let side = &mut sides[player.index()];
        let played = chosen.and_then(|choice| {
            let Choice { mv, nodes, iterations, time, timeouts, late, value, .. } = choice;
            let took = time.unwrap_or(took);
            let value = value.and_then(Value::centipawns);
            side.moves += 1;
            side.search += took;
            side.slowest = side.slowest.max(took);
            side.late += u64::from(late);
            side.nodes += nodes;
            side.iterations += iterations;
            side.timeouts += timeouts;
            let (ply, legal_moves) = (position.ply(), position.legal_move_count() as u32);
            position.play(mv).map_err(|error| Failure::IllegalMove(error.mv))?;
            if let Some(costs) = &mut costs {
                let time = took;
                costs.push(MoveCost { ply, player, legal_moves, nodes, iterations, time, value });
            }
            Ok((mv, value))
        });
        match played {
            Ok((mv, value)) => {
                moves.push(mv);
                let decided = judge.hear(player, value, moves.len(), position.ply());
                if let Some(outcome) = decided.filter(|_| position.outcome().is_none()) {
                    return Ok((outcome, None, sides));
                }
            }
            Err(failure) => {
                if let Failure::Timeout { attempts, .. } = failure {
                    side.timeouts += attempts;
                }
                let forfeit = Some(Forfeit { player, failure });
                return Ok((Outcome::Win(player.other()), forfeit, sides));
            }
        }
    }
}
