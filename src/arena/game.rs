//! One game.

use std::time::{Duration, Instant};

use super::Opening;
use crate::agent::Agent;
use crate::position::{Outcome, Player, Position};

/// What one side spent on a game.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SideStats {
    /// Moves it chose (those of the opening are nobody's).
    pub moves: u64,
    /// Positions it searched.
    pub nodes: u64,
    /// Wall time of its choices.
    pub search: Duration,
}

impl SideStats {
    /// Both together.
    #[must_use]
    pub fn plus(&self, other: &Self) -> Self {
        Self {
            moves: self.moves + other.moves,
            nodes: self.nodes + other.nodes,
            search: self.search + other.search,
        }
    }
}

/// Why a game ended without an end on the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Forfeit {
    /// The player made an illegal move.
    IllegalMove(Player),
}

/// A game that was played.
#[derive(Clone, Debug)]
pub struct GameRecord<P: Position> {
    /// Where it started.
    pub start: P,
    /// Every move from there, the opening's included.
    pub moves: Vec<P::Move>,
    /// How it ended; a forfeit is won by the other player.
    pub outcome: Outcome,
    /// Set if it did not end on the board.
    pub forfeit: Option<Forfeit>,
    /// By player: first, second.
    pub sides: [SideStats; 2],
}

/// Plays a game from an opening. `agents` are the first and the second player.
pub fn play_game<P: Position>(
    opening: &Opening<P>,
    agents: &mut [Box<dyn Agent<P>>; 2],
) -> GameRecord<P> {
    let mut position = opening.position();
    let mut moves = opening.moves.clone();
    let mut sides = [SideStats::default(); 2];
    let (outcome, forfeit) = loop {
        if let Some(outcome) = position.outcome() {
            break (outcome, None);
        }
        let player = position.side_to_move();
        let started = Instant::now();
        let choice = agents[player.index()].choose(&position);
        let side = &mut sides[player.index()];
        side.search += started.elapsed();
        side.moves += 1;
        side.nodes += choice.nodes;
        if position.play(choice.mv).is_err() {
            break (Outcome::Win(player.other()), Some(Forfeit::IllegalMove(player)));
        }
        moves.push(choice.mv);
    };
    GameRecord { start: opening.start.clone(), moves, outcome, forfeit, sides }
}
