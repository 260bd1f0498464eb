//! What agents of any search can do before they search: jump at random (Amar VII), or take one of two
//! evaluations by chance (Amar X).

use rand::{RngExt, SeedableRng};
use serde::{Deserialize, Serialize};

use super::players::RandomAgent;
use super::{Agent, Choice, Failure, Turn};
use crate::game::Position;
use crate::input::InputError;
use crate::seed::{Generator, mix};
use crate::weights::{Scope, Weights};

/// The habits of an agent; by default it has none.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Habits {
    /// Whether it jumps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub jump: Option<Jump>,
    /// Whether it has another evaluation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mix: Option<Mix>,
}

/// Random jumps: before each own move a number is drawn from [0, 1), and below f(t) the move is a random
/// legal one. f(t) = numerator / t^power; t begins at `start` in each game and grows by `step` with each
/// own move. Amar VIII: 5 / t^2 from 3.0 by 0.1.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Jump {
    /// The numerator of f, above 0.
    pub numerator: f64,
    /// The power of t, from 0.
    pub power: f64,
    /// The first t, above 0.
    pub start: f64,
    /// What is added to t with each own move, from 0.
    pub step: f64,
}

impl Jump {
    /// The numbers of the report, for the keys that are not given.
    const AMAR: Self = Self { numerator: 5.0, power: 2.0, start: 3.0, step: 0.1 };

    /// The chance of a jump at the own move of this number, from 0.
    fn chance(&self, own_move: u32) -> f64 {
        self.numerator / libm::pow(self.start + f64::from(own_move) * self.step, self.power)
    }
}

/// Another evaluation, taken instead of the agent's own with a chance that is drawn before each own move.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Mix {
    /// The weights of the other evaluation.
    pub weights: Weights,
    /// The chance that it is taken.
    pub share: f64,
}

impl Habits {
    /// The keys of the text form.
    pub const KEYS: [&str; 6] =
        ["jump", "jump_power", "jump_start", "jump_step", "mix", "mix_share"];

    /// Whether the agent has any.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.jump.is_none() && self.mix.is_none()
    }

    /// Its keys and values in the text form; those that are as in the report are left out.
    #[must_use]
    pub fn pairs(&self) -> Vec<(&'static str, String)> {
        let mut pairs = Vec::new();
        if let Some(jump) = self.jump {
            pairs.push(("jump", jump.numerator.to_string()));
            for (key, value, default) in [
                ("jump_power", jump.power, Jump::AMAR.power),
                ("jump_start", jump.start, Jump::AMAR.start),
                ("jump_step", jump.step, Jump::AMAR.step),
            ] {
                if value != default {
                    pairs.push((key, value.to_string()));
                }
            }
        }
        if let Some(other) = &self.mix {
            pairs.push(("mix", other.weights.name.clone()));
            if other.share != EVEN {
                pairs.push(("mix_share", other.share.to_string()));
            }
        }
        pairs
    }
}

/// The share of the other evaluation, if none is given.
const EVEN: f64 = 0.5;

/// The habits of an agent while its keys are read, in any order.
#[derive(Debug, Default)]
pub(super) struct Reading {
    numbers: [Option<f64>; 4],
    weights: Option<Weights>,
    share: Option<f64>,
}

impl Reading {
    /// Reads a key of [`Habits::KEYS`].
    pub(super) fn set(
        &mut self,
        key: &str,
        value: &str,
        scope: Option<Scope<'_>>,
    ) -> Result<(), InputError> {
        let number = |range: std::ops::RangeInclusive<f64>, expected: &str| {
            value.parse().ok().filter(|x| range.contains(x)).ok_or_else(|| {
                let value: String = value.chars().take(40).collect();
                InputError::new(format!(
                    "{key}: expected {expected}, found \"{}\"",
                    value.escape_debug()
                ))
            })
        };
        const ABOVE_0: std::ops::RangeInclusive<f64> = 1e-9..=1e9;
        match key {
            "jump" => self.numbers[0] = Some(number(ABOVE_0, "a number above 0, as in jump=5")?),
            "jump_power" => self.numbers[1] = Some(number(0.0..=100.0, "a number from 0 to 100")?),
            "jump_start" => self.numbers[2] = Some(number(ABOVE_0, "a number above 0")?),
            "jump_step" => self.numbers[3] = Some(number(0.0..=1e9, "a number from 0")?),
            "mix" => self.weights = scope.map(|scope| Weights::find(value, scope)).transpose()?,
            _ => self.share = Some(number(0.0..=1.0, "a share from 0 to 1")?),
        }
        Ok(())
    }

    /// What only all keys together tell.
    pub(super) fn finish(self) -> Result<Habits, InputError> {
        let [numerator, power, start, step] = self.numbers;
        let jump = match numerator {
            None if power.or(start).or(step).is_some() => {
                return Err(InputError::new("jump_power, jump_start and jump_step go with jump="));
            }
            None => None,
            Some(numerator) => Some(Jump {
                numerator,
                power: power.unwrap_or(Jump::AMAR.power),
                start: start.unwrap_or(Jump::AMAR.start),
                step: step.unwrap_or(Jump::AMAR.step),
            }),
        };
        let mix = match (self.weights, self.share) {
            (None, Some(_)) => return Err(InputError::new("mix_share goes with mix=WEIGHTS")),
            (None, None) => None,
            (Some(weights), share) => Some(Mix { weights, share: share.unwrap_or(EVEN) }),
        };
        Ok(Habits { jump, mix })
    }
}

/// Another agent that jumps.
pub(super) struct Jumping<P> {
    jump: Jump,
    inner: Box<dyn Agent<P>>,
    random: RandomAgent,
    generator: Generator,
    own_moves: u32,
}

impl<P: Position> Jumping<P> {
    pub(super) fn new(jump: Jump, inner: Box<dyn Agent<P>>, seed: u64) -> Self {
        let generator = Generator::seed_from_u64(mix(seed, 1));
        let random = RandomAgent::new(mix(seed, 2));
        Self { jump, inner, random, generator, own_moves: 0 }
    }
}

impl<P: Position> Agent<P> for Jumping<P> {
    fn choose(&mut self, turn: &Turn<'_, P>) -> Result<Choice<P::Move>, Failure> {
        let chance = self.jump.chance(self.own_moves);
        self.own_moves += 1;
        if self.generator.random::<f64>() < chance {
            self.random.choose(turn)
        } else {
            self.inner.choose(turn)
        }
    }
}

/// Two agents, of which one is drawn before each move.
pub(super) struct Mixed<P> {
    pub(super) own: Box<dyn Agent<P>>,
    pub(super) other: Box<dyn Agent<P>>,
    share: f64,
    generator: Generator,
}

impl<P: Position> Mixed<P> {
    pub(super) fn new(
        own: Box<dyn Agent<P>>,
        other: Box<dyn Agent<P>>,
        share: f64,
        seed: u64,
    ) -> Self {
        Self { own, other, share, generator: Generator::seed_from_u64(mix(seed, 3)) }
    }
}

impl<P: Position> Agent<P> for Mixed<P> {
    fn choose(&mut self, turn: &Turn<'_, P>) -> Result<Choice<P::Move>, Failure> {
        if self.generator.random::<f64>() < self.share {
            self.other.choose(turn)
        } else {
            self.own.choose(turn)
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::AgentSpec;
    use super::*;
    use crate::game::Game;
    use crate::games::uttt::Uttt;

    #[test]
    fn chances_of_a_jump_are_those_of_the_report() {
        // Amar VIII: about 0.55 at first, about 0.20 around turn 20.
        let chances: Vec<f64> = (0..21).map(|turn| Jump::AMAR.chance(turn)).collect();
        assert!((chances[0] - 5.0 / 9.0).abs() < 1e-12);
        assert!((chances[20] - 5.0 / 25.0).abs() < 1e-12);
        assert!(chances.windows(2).all(|pair| pair[1] < pair[0]));
    }

    /// How often, over many games, the own move of this number is the reflex agent's first move.
    fn share_of_first_moves(spec: &str, games: u64) -> f64 {
        let spec = AgentSpec::parse::<Uttt>(spec, Path::new("")).unwrap();
        let factory = spec.prepare::<Uttt>().unwrap();
        let start = Uttt::start(Default::default());
        let centre = Uttt::centre_move().unwrap();
        let is_centre =
            |seed: &u64| factory.spawn(*seed).choose(&Turn::new(&start)).unwrap().mv == centre;
        (0..games).filter(is_centre).count() as f64 / games as f64
    }

    #[test]
    fn an_agent_jumps_as_often_as_it_should() {
        // Without a jump it opens with the centre; a jump hits the centre once in 81.
        let share =
            share_of_first_moves("greedy:weights=liang-default,first_move=centre,jump=5", 4000);
        let expected = 4.0 / 9.0 + 5.0 / 9.0 / 81.0;
        assert!((share - expected).abs() < 0.03, "{share} for {expected}");
        let always =
            share_of_first_moves("greedy:weights=liang-default,first_move=centre,jump=9", 300);
        assert!(always < 0.05, "{always}");
    }

    #[test]
    fn an_agent_takes_the_other_evaluation_as_often_as_it_should() {
        // One ply deep, heur3 opens with the centre; connecting sees 81 equal moves.
        let of = |share| {
            share_of_first_moves(
                &format!("greedy:weights=liang-connecting,mix=lifshitz-heur3,mix_share={share}"),
                3000,
            )
        };
        let (none, all, third) = (of(0.0), of(1.0), of(0.3));
        assert!(none < 0.05, "{none}");
        assert_eq!(all, 1.0);
        assert!((third - (0.3 + 0.7 * none)).abs() < 0.04, "{third}");
    }

    #[test]
    fn errors_say_what_goes_together() {
        for (text, expected) in [
            ("greedy:weights=liang-default,jump_start=3", "go with jump="),
            ("greedy:weights=liang-default,mix_share=0.5", "mix_share goes with mix=WEIGHTS"),
            ("greedy:weights=liang-default,jump=0", "jump: expected a number above 0"),
            ("greedy:weights=liang-default,mix=nobody", "unknown weights \"nobody\""),
            ("random:jump=5", "unknown key \"jump\""),
        ] {
            let error = AgentSpec::parse::<Uttt>(text, Path::new("")).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
    }
}
