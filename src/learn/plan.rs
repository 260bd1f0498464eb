//! The checked form of a config of learning: everything that decides its result, as plain data.

use std::fmt;

use serde::{Serialize, Serializer};
use sha2::{Digest, Sha256};
use strum::VariantNames;

use crate::agent::AgentSpec;
use crate::arena::{Openings, Schedule};
use crate::game::WeightLayout;
use crate::weights::Weights;

/// What is to be learned, and how.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LearnPlan {
    /// The run's name: what its folder is called.
    pub name: String,
    /// The game.
    pub game: String,
    /// The rules, in their text form.
    pub rules: String,
    /// The seed of everything.
    pub seed: u64,
    /// Games to learn from.
    pub games: u64,
    /// When and how estimates change.
    pub method: Method,
    /// What estimates are kept of.
    pub representation: Representation,
    /// The step size, above 0 and up to 1.
    pub alpha: f64,
    /// The discount of later rewards, 0 to 1.
    pub gamma: f64,
    /// The probability of a random move in the games that explore, 0 to 1.
    pub exploration: f64,
    /// How many games explore, the first ones; in the rest every move is the policy's.
    pub exploring_games: u64,
    /// What positions are worth.
    pub value: ValuePlan,
    /// Who plays against the learner.
    pub opponent: Opponent,
    /// Where games start.
    pub openings: Openings,
    /// Who moves first when; agent A is the learner.
    pub schedule: Schedule,
    /// Games of each row of `progress.csv`.
    pub report_every: u64,
}

impl LearnPlan {
    /// A fingerprint of all that decides the result: 16 hexadecimal digits.
    #[must_use]
    pub fn hash(&self) -> String {
        let json = serde_json::to_vec(self).unwrap_or_default();
        Sha256::digest(&json).iter().take(8).map(|byte| format!("{byte:02x}")).collect()
    }
}

/// What positions are worth, of which rewards are differences.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ValuePlan {
    /// The value of a won game; a lost one has the negative.
    pub win: f64,
    /// The value of any other position, in weight units.
    pub weights: Weights,
}

/// When and how estimates change.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, VariantNames)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Method {
    /// After every move, by the best move of the next position.
    QLearning,
    /// At the end of the game, by all errors from a move on, each later one counting lambda times less.
    TdLambda {
        /// 0 (the next move only) to 1 (the whole game).
        lambda: f64,
    },
    /// At the end of the game, by the rewards that followed.
    MonteCarlo,
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::QLearning => f.write_str("q-learning"),
            Self::TdLambda { lambda } => write!(f, "td-lambda ({lambda})"),
            Self::MonteCarlo => f.write_str("monte-carlo"),
        }
    }
}

/// What estimates are kept of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, VariantNames)]
#[strum(serialize_all = "kebab-case")]
pub enum Representation {
    /// Every pair of a position and a move by itself.
    StateActions,
    /// The sum of a layout's counts in the position after the move, each times a weight: the weights are
    /// learned.
    Features(&'static WeightLayout),
    /// The signs of a layout's counts in the position after the move: each combination by itself.
    BinaryFeatures(&'static WeightLayout),
}

impl Representation {
    /// The layout whose counts matter.
    #[must_use]
    pub const fn layout(self) -> Option<&'static WeightLayout> {
        match self {
            Self::StateActions => None,
            Self::Features(layout) | Self::BinaryFeatures(layout) => Some(layout),
        }
    }
}

impl fmt::Display for Representation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::StateActions => f.write_str("state-actions"),
            Self::Features(layout) => write!(f, "features of {}", layout.name),
            Self::BinaryFeatures(layout) => write!(f, "binary-features of {}", layout.name),
        }
    }
}

impl Serialize for Representation {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// Who plays against the learner.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Opponent {
    /// The learner itself: it learns from both sides of every game.
    SelfPlay,
    /// An agent.
    Agent(Box<AgentSpec>),
}

impl fmt::Display for Opponent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::SelfPlay => f.write_str("self"),
            Self::Agent(agent) => agent.fmt(f),
        }
    }
}
