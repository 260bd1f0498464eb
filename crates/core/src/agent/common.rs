//! Settings of most kinds: the evaluation, how agents open, and random moves now and then.

use std::sync::Arc;

use rand::{RngExt, SeedableRng};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::agents::Spawn;
use super::builtin::random;
use super::kind::AgentKind;
use super::{Agent, Choice, Turn};
use crate::game::{Evaluator, EvaluatorVisitor, Game, GameInfo};
use crate::input::{InputError, Result, unknown};
use crate::seed::{Generator, mix};
use crate::weights::Weights;

/// Settings that most kinds have in common. [`AgentKind::COMMON`](super::AgentKind::COMMON) says which of them a kind takes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct CommonSettings {
    /// Random jumps (Amar VII): a random move with probability jump / t^`jump_power`, drawn before each of its moves
    #[schemars(range(min = 1e-9, max = 1e9), example = 5, extend("x-evolves" = true, "x-takes" = "a number from 1e-9 to 1e9, as in jump=5"))]
    pub jump: Option<f64>,
    /// The power of t
    #[schemars(range(min = 0, max = 100), example = 1, extend("x-evolves" = true, "x-with" = "jump="))]
    pub jump_power: f64,
    /// t at its first move
    #[schemars(range(min = 1e-9, max = 1e9), example = 2.5, extend("x-evolves" = true, "x-with" = "jump=", "x-takes" = "a number from 1e-9 to 1e9"))]
    pub jump_start: f64,
    /// What is added to t with each of its moves
    #[schemars(range(min = 0, max = 1e9), example = 0.2, extend("x-evolves" = true, "x-with" = "jump=", "x-takes" = "a number from 0 to 1e9"))]
    pub jump_step: f64,
    /// Weights of a second evaluation, used for randomly chosen moves (Amar X)
    #[schemars(with = "Option<String>", example = &"liang-simple", extend("x-names" = "weights", "x-takes" = "weights"))]
    pub mix: Option<Weights>,
    /// The probability that the second evaluation is used, drawn before each of its moves
    #[schemars(range(min = 0, max = 1), example = 0.25, extend("x-evolves" = true, "x-with" = "mix=WEIGHTS", "x-takes" = "a share from 0 to 1"))]
    pub mix_share: f64,
    /// How the first move of a game is played
    #[schemars(extend("x-names" = "first move", "x-takes" = "search or centre"))]
    pub first_move: FirstMove,
    /// A set of opening moves, of which it plays random ones (Papadam, "Moves Based on Theory")
    #[schemars(example = &"corners", extend("x-names" = "theory", "x-takes" = "a set of opening moves of the game"))]
    pub theory: Option<String>,
    /// It plays from the set while at most this many moves were made by both sides
    #[schemars(example = 6, extend("x-evolves" = true, "x-with" = "theory=", "x-unit" = "a whole number of moves"))]
    pub theory_plies: u32,
    /// Its own seed instead of the match's
    #[schemars(example = 1)]
    pub seed: Option<u64>,
}

impl Default for CommonSettings {
    /// None. The numbers of jumps are Amar's (VIII): 5 / t^2 from 3.0 by 0.1.
    fn default() -> Self {
        Self {
            jump: None,
            jump_power: 2.0,
            jump_start: 3.0,
            jump_step: 0.1,
            mix: None,
            mix_share: 0.5,
            first_move: FirstMove::Search,
            theory: None,
            theory_plies: 4,
            seed: None,
        }
    }
}

/// How an agent plays the first move of a game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum FirstMove {
    /// It searches, as for any other move.
    #[default]
    Search,
    /// It plays the centre, as Liang's bots do.
    Centre,
}

impl CommonSettings {
    /// Whether they let an agent move unlike its kind.
    pub fn change_moves(&self) -> bool {
        let may_draw = self.jump.is_some() || self.theory.is_some() || self.mix.is_some();
        may_draw || self.first_move != FirstMove::Search
    }

    /// The chance of a random move at the own move of this number, from 0.
    pub fn jump_chance(&self, own_move: u32) -> f64 {
        let t = self.jump_start + f64::from(own_move) * self.jump_step;
        self.jump.map_or(0.0, |jump| jump / libm::pow(t, self.jump_power))
    }

    /// The moves of the opening theory; none where the agent has no theory. The error lists the sets that the game has.
    pub fn theory_moves<P: Game>(&self) -> Result<&'static [P::Move], String> {
        let Some(theory) = &self.theory else { return Ok(&[]) };
        check_theory(theory, P::INFO)?;
        let set = P::opening_sets().iter().find(|set| set.name == theory);
        Ok(set.map_or(&[], |set| set.moves))
    }
}

pub(super) fn check_theory(set: &str, game: &GameInfo) -> Result<(), String> {
    let sets = game.opening_sets();
    if sets.is_empty() {
        return Err(format!("theory: {} has no sets of opening moves", game.name));
    }
    if sets.contains(&set) {
        return Ok(());
    }
    Err(format!("theory: {}", unknown("set of opening moves", set, &sets)))
}

/// An agent that lets another one move, but not always: random jumps, opening theory, the centre first, a second evaluation.
/// What each of them draws comes from a generator of its own. `other` is the agent with the second evaluation.
pub(super) fn wrapped<P: Game>(
    settings: CommonSettings,
    mut own: Box<dyn Agent<P>>,
    mut other: Option<Box<dyn Agent<P>>>,
    theory: &'static [P::Move],
    seed: u64,
) -> impl Agent<P> {
    let generator = |number| Generator::seed_from_u64(mix(seed, number));
    let [mut jumps, mut theories, mut mixes] = [1, 0x7468_656f, 3].map(generator);
    let (mut jumper, mut own_moves) = (random(mix(seed, 2)), 0);
    move |turn: &Turn<'_, P>| {
        let position = turn.position;
        if settings.jump.is_some() {
            let chance = settings.jump_chance(own_moves);
            own_moves += 1;
            if jumps.random::<f64>() < chance {
                return jumper.choose(turn);
            }
        }
        // A random free cell of the theory's, while few moves have been made (Papadam, "Moves Based on Theory").
        let mut legal = theory.to_vec();
        legal.retain(|&mv| position.is_legal(mv));
        if position.ply() <= settings.theory_plies && !legal.is_empty() {
            return Ok(Choice::free(legal[theories.random_range(0..legal.len() as u32) as usize]));
        }
        if settings.first_move == FirstMove::Centre
            && let Some(mv) = P::centre_move()
            && *position == P::start(position.rules())
        {
            return Ok(Choice::free(mv));
        }
        match &mut other {
            Some(other) if mixes.random::<f64>() < settings.mix_share => other.choose(turn),
            _ => own.choose(turn),
        }
    }
}

/// The evaluation of an agent: a field of its settings with `#[serde(flatten)]`, which gives the keys `eval` and `weights`. The
/// settings then implement `evaluation` and `evaluation_mut`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Evaluation {
    /// The evaluation, if no weights are given; by default that of the game
    #[serde(rename = "eval")]
    #[schemars(
        example = &"comprehensive",
        extend("x-names" = "evaluation", "x-takes" = "an evaluation of the game")
    )]
    pub name: Option<String>,
    /// A built-in name or a path; by default the strongest built-in weights
    #[schemars(
        with = "Option<String>",
        example = &"liang-default",
        extend("x-names" = "weights", "x-takes" = "weights")
    )]
    pub weights: Option<Weights>,
}

/// Players of a search with the evaluator of its weights. `label` is the text form of the agent.
pub(super) fn searching<P: Game, K: AgentKind>(search: &K, label: &str) -> Result<Spawn<P>> {
    let spawn = || {
        let lacks = || format!("the kind {} has neither `prepare` nor an evaluation", K::NAME);
        let evaluation = search.evaluation().ok_or_else(|| InputError::new(lacks()))?;
        let weights = evaluation.weights.as_ref();
        let weights = weights.ok_or_else(|| InputError::new("no weights to evaluate with"))?;
        P::with_evaluator(weights.layout(), weights.values(), WithEvaluator(search))
            .map_err(InputError::new)?
    };
    spawn().map_err(|error| error.context(&format!("agent \"{label}\"")))
}

struct WithEvaluator<'k, K>(&'k K);

impl<P: Game, K: AgentKind> EvaluatorVisitor<P> for WithEvaluator<'_, K> {
    type Output = Result<Spawn<P>>;

    fn visit<E: Evaluator<P>>(self, evaluator: E) -> Result<Spawn<P>> {
        self.0.search(Arc::new(evaluator))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chances_of_a_jump_are_those_of_the_report() {
        // Amar VIII: about 0.55 at first, about 0.20 around turn 20.
        let amar = CommonSettings { jump: Some(5.0), ..CommonSettings::default() };
        let chances: Vec<f64> = (0..21).map(|turn| amar.jump_chance(turn)).collect();
        assert!((chances[0] - 5.0 / 9.0).abs() < 1e-12);
        assert!((chances[20] - 5.0 / 25.0).abs() < 1e-12);
        assert!(chances.windows(2).all(|pair| pair[1] < pair[0]));
    }
}
