//! An agent that lets another one move, but not always.

use rand::{RngExt, SeedableRng};

use super::builtin::RandomAgent;
use super::habits::{FirstMove, Habits};
use super::{Agent, Choice, Failure, Turn};
use crate::game::{Game, Position};
use crate::seed::{Generator, mix};

/// An agent with habits: random jumps, opening theory, the centre first, a second evaluation. What each of them draws comes
/// from a generator of its own.
pub(super) struct WithHabits<P: Position> {
    habits: Habits,
    own: Box<dyn Agent<P>>,
    /// The same agent with the second evaluation.
    other: Option<Box<dyn Agent<P>>>,
    other_moved: bool,
    theory: &'static [P::Move],
    random: RandomAgent,
    jumps: Generator,
    theories: Generator,
    mixes: Generator,
    own_moves: u32,
}

impl<P: Position> WithHabits<P> {
    pub(super) fn new(
        habits: Habits,
        own: Box<dyn Agent<P>>,
        other: Option<Box<dyn Agent<P>>>,
        theory: &'static [P::Move],
        seed: u64,
    ) -> Self {
        let generator = |number| Generator::seed_from_u64(mix(seed, number));
        Self {
            habits,
            own,
            other,
            other_moved: false,
            theory,
            random: RandomAgent::new(mix(seed, 2)),
            jumps: generator(1),
            theories: generator(0x7468_656f),
            mixes: generator(3),
            own_moves: 0,
        }
    }

    /// A random free cell of the theory's, while few moves have been made (Papadam, "Moves Based on Theory").
    fn theory_move(&mut self, position: &P) -> Option<P::Move> {
        let legal = || self.theory.iter().filter(|&&mv| position.is_legal(mv));
        let count = legal().count() as u32;
        if position.ply() > self.habits.theory_plies || count == 0 {
            return None;
        }
        let number = self.theories.random_range(0..count) as usize;
        legal().nth(number).copied()
    }
}

impl<P: Game> Agent<P> for WithHabits<P> {
    fn choose(&mut self, turn: &Turn<'_, P>) -> Result<Choice<P::Move>, Failure> {
        let position = turn.position;
        if self.habits.jump.is_some() {
            let chance = self.habits.jump_chance(self.own_moves);
            self.own_moves += 1;
            if self.jumps.random::<f64>() < chance {
                return self.random.choose(turn);
            }
        }
        if let Some(mv) = self.theory_move(position) {
            return Ok(Choice::free(mv));
        }
        if self.habits.first_move == FirstMove::Centre
            && let Some(mv) = P::centre_move()
            && *position == P::start(position.rules())
        {
            return Ok(Choice::free(mv));
        }
        if let Some(other) = &mut self.other {
            self.other_moved = self.mixes.random::<f64>() < self.habits.mix_share;
            if self.other_moved {
                return other.choose(turn);
            }
        }
        self.own.choose(turn)
    }

    fn expected_line(&self, turn: &Turn<'_, P>, choice: &Choice<P::Move>) -> Vec<P::Move> {
        let Habits { jump, theory, first_move, .. } = &self.habits;
        let always_searches =
            jump.is_none() && theory.is_none() && *first_move == FirstMove::Search;
        // A move that was not searched has no value, and no line.
        if choice.value.is_none() && !always_searches {
            return Vec::new();
        }
        match &self.other {
            Some(other) if self.other_moved => other.expected_line(turn, choice),
            _ => self.own.expected_line(turn, choice),
        }
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
