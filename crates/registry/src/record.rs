//! A game so far.

use tictune_core::agent::Turn;
use tictune_core::game::{Game, IllegalMove, NotationError, Player};
use tictune_core::search::Stop;

/// A game so far: every position since the start, and the move that led to it.
pub(super) struct GameSoFar<P: Game> {
    /// Never empty.
    played: Vec<(P, Option<P::Move>)>,
}

impl<P: Game> GameSoFar<P> {
    /// A game at its start, or in a position in notation.
    pub(super) fn start(rules: P::Rules, from: Option<&str>) -> Result<Self, NotationError> {
        let start = match from {
            None => P::start(rules),
            Some(text) => P::from_notation(text, rules)?,
        };
        Ok(Self { played: vec![(start, None)] })
    }

    pub(super) fn position(&self) -> &P {
        &self.played[self.played.len() - 1].0
    }

    fn last_move(&self) -> Option<P::Move> {
        self.played[self.played.len() - 1].1
    }

    pub(super) fn moves(&self) -> impl Iterator<Item = P::Move> {
        self.played.iter().filter_map(|(_, mv)| *mv)
    }

    pub(super) fn turn<'a>(&'a self, stop: Stop<'a>) -> Turn<'a, P> {
        Turn { last_move: self.last_move(), stop, ..Turn::new(self.position()) }
    }

    pub(super) fn play(&mut self, mv: P::Move) {
        self.played.push((self.position().after(mv), Some(mv)));
    }

    pub(super) fn play_text(&mut self, text: &str) -> Result<(), String> {
        let mv = P::parse_move(text).map_err(|error| error.to_string())?;
        if !self.position().is_legal(mv) {
            return Err(IllegalMove { mv: mv.to_string() }.to_string());
        }
        self.play(mv);
        Ok(())
    }

    /// Takes back the last move of some players and what came after it, and says which moves these are; `None` if there is none.
    pub(super) fn take_back(&mut self, moves: impl Fn(Player) -> bool) -> Option<Vec<P::Move>> {
        let (_, earlier) = self.played.split_last()?;
        let before = earlier.iter().rposition(|(position, _)| moves(position.side_to_move()))?;
        Some(self.played.drain(before + 1..).filter_map(|(_, mv)| mv).collect())
    }

    /// The position as text, with the last move marked.
    pub(super) fn drawing(&self) -> String {
        self.position().drawing(self.last_move())
    }
}
