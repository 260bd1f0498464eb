//! What agents of most kinds have beside the settings of their kind: how they open, and random moves now and then.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::game::{Game, GameInfo};
use crate::input::unknown;
use crate::weights::Weights;

/// What wraps the players of a kind. [`AgentKind::HABITS`](super::AgentKind::HABITS) says which of it a kind takes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Habits {
    /// Random jumps (Amar VII): a random move with the chance jump / t^`jump_power`, drawn before each own move
    #[schemars(range(min = 1e-9, max = 1e9), example = 5, extend("x-evolves" = true, "x-takes" = "a number above 0, as in jump=5"))]
    pub jump: Option<f64>,
    /// The power of t
    #[schemars(range(min = 0, max = 100), example = 1, extend("x-evolves" = true, "x-with" = "jump="))]
    pub jump_power: f64,
    /// t at the first own move
    #[schemars(range(min = 1e-9, max = 1e9), example = 2.5, extend("x-evolves" = true, "x-with" = "jump=", "x-takes" = "a number above 0"))]
    pub jump_start: f64,
    /// What is added to t with each own move
    #[schemars(range(min = 0, max = 1e9), example = 0.2, extend("x-evolves" = true, "x-with" = "jump=", "x-takes" = "a number from 0"))]
    pub jump_step: f64,
    /// Weights of a second evaluation, used for some moves by chance (Amar X)
    #[schemars(with = "Option<String>", example = &"liang-simple", extend("x-names" = "weights", "x-takes" = "weights"))]
    pub mix: Option<Weights>,
    /// The chance that the second evaluation is used, drawn before each own move
    #[schemars(range(min = 0, max = 1), example = 0.25, extend("x-evolves" = true, "x-with" = "mix=WEIGHTS", "x-takes" = "a share from 0 to 1"))]
    pub mix_share: f64,
    /// How the first move of a game is played
    #[schemars(extend("x-names" = "first move", "x-takes" = "search or centre"))]
    pub first_move: FirstMove,
    /// A set of moves to begin with at random (Papadam, "Moves Based on Theory")
    #[schemars(example = &"corners", extend("x-names" = "theory", "x-takes" = "a set of opening moves of the game"))]
    pub theory: Option<String>,
    /// It plays from the set while at most so many moves were made by both
    #[schemars(example = 6, extend("x-evolves" = true, "x-with" = "theory=", "x-unit" = "a whole number of moves"))]
    pub theory_plies: u32,
    /// Its own seed instead of the match's
    #[schemars(example = 1)]
    pub seed: Option<u64>,
}

impl Default for Habits {
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

impl Habits {
    /// All its keys.
    pub const ALL: &'static [&'static str] = &[
        "jump",
        "jump_power",
        "jump_start",
        "jump_step",
        "mix",
        "mix_share",
        "first_move",
        "theory",
        "theory_plies",
        "seed",
    ];

    /// The chance of a random move at the own move of this number, from 0.
    #[must_use]
    pub fn jump_chance(&self, own_move: u32) -> f64 {
        let t = self.jump_start + f64::from(own_move) * self.jump_step;
        self.jump.map_or(0.0, |jump| jump / libm::pow(t, self.jump_power))
    }

    /// The moves of the opening theory; none where the agent has no theory.
    ///
    /// # Errors
    /// A game without the set, in words that list the known ones.
    pub fn theory_moves<P: Game>(&self) -> Result<&'static [P::Move], String> {
        let Some(theory) = &self.theory else { return Ok(&[]) };
        check_theory(theory, P::INFO)?;
        let set = P::opening_sets().iter().find(|set| set.name == theory);
        Ok(set.map_or(&[], |set| set.moves))
    }
}

/// Checks that a game has a set of opening moves.
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
