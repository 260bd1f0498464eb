//! Agents that let another agent move, but not always: random jumps, a second evaluation, opening theory, the
//! centre first.

use rand::{RngExt, SeedableRng};

use super::builtin::RandomAgent;
use super::habits::Habits;
use super::{Agent, Choice, Failure, Turn};
use crate::game::{Game, Position};
use crate::seed::{Generator, mix};

/// Another agent with random jumps.
pub(super) struct Jumping<P> {
    habits: Habits,
    inner: Box<dyn Agent<P>>,
    random: RandomAgent,
    generator: Generator,
    own_moves: u32,
}

impl<P: Position> Jumping<P> {
    pub(super) fn new(habits: Habits, inner: Box<dyn Agent<P>>, seed: u64) -> Self {
        let generator = Generator::seed_from_u64(mix(seed, 1));
        let random = RandomAgent::new(mix(seed, 2));
        Self { habits, inner, random, generator, own_moves: 0 }
    }
}

impl<P: Position> Agent<P> for Jumping<P> {
    fn choose(&mut self, turn: &Turn<'_, P>) -> Result<Choice<P::Move>, Failure> {
        let chance = self.habits.jump_chance(self.own_moves);
        self.own_moves += 1;
        if self.generator.random::<f64>() < chance {
            self.random.choose(turn)
        } else {
            self.inner.choose(turn)
        }
    }

    fn expected_line(&self, turn: &Turn<'_, P>, choice: &Choice<P::Move>) -> Vec<P::Move> {
        line_of(&*self.inner, turn, choice)
    }
}

/// The line that another agent expects, unless the move is none of its own: those have no value.
fn line_of<P: Position>(
    agent: &dyn Agent<P>,
    turn: &Turn<'_, P>,
    choice: &Choice<P::Move>,
) -> Vec<P::Move> {
    match choice.value {
        Some(_) => agent.expected_line(turn, choice),
        None => Vec::new(),
    }
}

/// Two agents, of which one is drawn before each move.
pub(super) struct Mixed<P> {
    pub(super) own: Box<dyn Agent<P>>,
    pub(super) other: Box<dyn Agent<P>>,
    share: f64,
    generator: Generator,
    /// Whether the other one moved last.
    other_moved: bool,
}

impl<P: Position> Mixed<P> {
    pub(super) fn new(
        own: Box<dyn Agent<P>>,
        other: Box<dyn Agent<P>>,
        share: f64,
        seed: u64,
    ) -> Self {
        let generator = Generator::seed_from_u64(mix(seed, 3));
        Self { own, other, share, generator, other_moved: false }
    }
}

impl<P: Position> Agent<P> for Mixed<P> {
    fn choose(&mut self, turn: &Turn<'_, P>) -> Result<Choice<P::Move>, Failure> {
        self.other_moved = self.generator.random::<f64>() < self.share;
        if self.other_moved { self.other.choose(turn) } else { self.own.choose(turn) }
    }

    fn expected_line(&self, turn: &Turn<'_, P>, choice: &Choice<P::Move>) -> Vec<P::Move> {
        let agent = if self.other_moved { &self.other } else { &self.own };
        agent.expected_line(turn, choice)
    }
}

/// Another agent that begins with a random free cell of a set, while at most so many moves have been
/// made (Papadam, "Moves Based on Theory").
pub(super) struct TheoryFirst<P: Position> {
    pub(super) agent: Box<dyn Agent<P>>,
    pub(super) moves: &'static [P::Move],
    pub(super) plies: u32,
    pub(super) generator: Generator,
}

impl<P: Position> Agent<P> for TheoryFirst<P> {
    fn choose(&mut self, turn: &Turn<'_, P>) -> Result<Choice<P::Move>, Failure> {
        if turn.position.ply() <= self.plies {
            let legal = || self.moves.iter().filter(|&&mv| turn.position.is_legal(mv));
            let count = legal().count() as u32;
            if count > 0 {
                let number = self.generator.random_range(0..count) as usize;
                if let Some(&mv) = legal().nth(number) {
                    return Ok(Choice::free(mv));
                }
            }
        }
        self.agent.choose(turn)
    }

    fn expected_line(&self, turn: &Turn<'_, P>, choice: &Choice<P::Move>) -> Vec<P::Move> {
        line_of(&*self.agent, turn, choice)
    }
}

/// Another agent that opens a game with the centre, as Liang's do.
pub(super) struct CentreFirst<P>(pub(super) Box<dyn Agent<P>>);

impl<P: Game> Agent<P> for CentreFirst<P> {
    fn choose(&mut self, turn: &Turn<'_, P>) -> Result<Choice<P::Move>, Failure> {
        match P::centre_move() {
            Some(mv) if *turn.position == P::start(turn.position.rules()) => Ok(Choice::free(mv)),
            _ => self.0.choose(turn),
        }
    }

    fn expected_line(&self, turn: &Turn<'_, P>, choice: &Choice<P::Move>) -> Vec<P::Move> {
        line_of(&*self.0, turn, choice)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chances_of_a_jump_are_those_of_the_report() {
        // Amar VIII: about 0.55 at first, about 0.20 around turn 20.
        let amar = Habits { jump: Some(5.0), ..Habits::default() };
        let chances: Vec<f64> = (0..21).map(|turn| amar.jump_chance(turn)).collect();
        assert!((chances[0] - 5.0 / 9.0).abs() < 1e-12);
        assert!((chances[20] - 5.0 / 25.0).abs() < 1e-12);
        assert!(chances.windows(2).all(|pair| pair[1] < pair[0]));
    }
}
