//! The checked form of a learning config: everything that determines its result, as plain data.

use std::fmt;

use serde::{Serialize, Serializer};
use strum::Display;

use super::TableKind;
use tictune_core::agent::AgentSpec;
use tictune_core::arena::{Openings, Schedule};
use tictune_core::files::fingerprint;
use tictune_core::game::WeightLayout;
use tictune_core::weights::Weights;

#[derive(Clone, Debug, PartialEq, Serialize)]
#[doc(hidden)]
pub struct LearnPlan {
    pub name: String,
    pub game: String,
    pub rules: String,
    pub seed: u64,
    pub games: u64,
    pub method: Method,
    pub representation: Representation,
    /// The step size, above 0 and up to 1.
    pub alpha: f64,
    /// The discount of later rewards, 0 to 1.
    pub gamma: f64,
    /// The probability of a random move in the games that explore, 0 to 1.
    pub exploration: f64,
    /// How many of the games explore, from the first on. In the others every move follows the policy.
    pub exploring_games: u64,
    pub value: ValuePlan,
    /// Who plays against the learner, in turn. If there is nobody, it plays itself and learns from both sides of every game.
    pub opponents: Vec<AgentSpec>,
    pub openings: Openings,
    /// Who moves first in which game. The learner is agent A.
    pub schedule: Schedule,
    /// The number of games in each row of `progress.csv`.
    pub report_every: u64,
}

impl LearnPlan {
    /// A hash of everything that determines the result.
    pub fn hash(&self) -> String {
        fingerprint(&serde_json::to_vec(self).unwrap_or_default())
    }

    /// The opponents as text; `self` in self-play.
    pub fn opponents_text(&self) -> String {
        match &*self.opponents {
            [] => "self".into(),
            opponents => opponents.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "),
        }
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
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Display)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Method {
    /// After every move, by the best move of the next position.
    QLearning,
    /// At the end of the game: errors of all moves from a move on, each later one times one more factor lambda.
    #[strum(to_string = "td-lambda ({lambda})")]
    TdLambda {
        /// From 0 (the next move only) to 1 (the whole game).
        lambda: f64,
    },
    /// At the end of the game, by the rewards that followed.
    MonteCarlo,
}

/// What is estimated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Representation {
    /// Every key of a table has its own estimate.
    Table(TableKind),
    /// The sum of a layout's counts in the position after the move, each times a weight, which is learned.
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
