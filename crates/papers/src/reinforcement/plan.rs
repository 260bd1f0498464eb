//! The checked form of a learning config: everything that determines its result, as plain data.

use std::fmt;

use serde::{Serialize, Serializer};

use super::TableKind;
use tictune_core::agent::AgentSpec;
use tictune_core::arena::{Openings, Schedule};
use tictune_core::files::fingerprint;
use tictune_core::game::WeightLayout;
use tictune_core::weights::Weights;

/// What is learned, and how.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LearnPlan {
    /// The name of the run and of its folder.
    pub name: String,
    /// The game.
    pub game: String,
    /// The rules, in their text form.
    pub rules: String,
    /// The seed of the run.
    pub seed: u64,
    /// The number of games.
    pub games: u64,
    /// When and how estimates change.
    pub method: Method,
    /// What is estimated.
    pub representation: Representation,
    /// The step size, above 0 and up to 1.
    pub alpha: f64,
    /// The discount of later rewards, 0 to 1.
    pub gamma: f64,
    /// The probability of a random move in the games that explore, 0 to 1.
    pub exploration: f64,
    /// The number of games that explore, from the first on. In the other games every move follows
    /// the policy.
    pub exploring_games: u64,
    /// The values of positions.
    pub value: ValuePlan,
    /// Who plays against the learner.
    pub opponent: Opponent,
    /// Where the games start.
    pub openings: Openings,
    /// Who moves first in which game. The learner is agent A.
    pub schedule: Schedule,
    /// The number of games in each row of `progress.csv`.
    pub report_every: u64,
}

impl LearnPlan {
    /// A hash of everything that determines the result: 16 hexadecimal digits.
    #[must_use]
    pub fn hash(&self) -> String {
        fingerprint(&serde_json::to_vec(self).unwrap_or_default())
    }
}

/// The values of positions. Rewards are differences of these values.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ValuePlan {
    /// The value of a won game; a lost game has the negative value.
    pub win: f64,
    /// The value of any other position, in weight units.
    pub weights: Weights,
}

/// When and how estimates change.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// After every move, by the best move of the next position.
    QLearning,
    /// At the end of the game. The errors of all moves from a move on are added up, each later one
    /// multiplied by one more factor lambda.
    TdLambda {
        /// From 0 (the next move only) to 1 (the whole game).
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

/// What is estimated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Representation {
    /// Every key of a table has its own estimate.
    Table(TableKind),
    /// The estimate is the sum of a layout's counts in the position after the move, each multiplied
    /// by a weight. The weights are learned.
    Features(&'static WeightLayout),
}

impl fmt::Display for Representation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Table(TableKind::BinaryFeatures(layout)) => {
                write!(f, "binary-features of {}", layout.name)
            }
            Self::Table(kind) => f.write_str(kind.name()),
            Self::Features(layout) => write!(f, "features of {}", layout.name),
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
    /// The learner itself. It learns from both sides of every game.
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
