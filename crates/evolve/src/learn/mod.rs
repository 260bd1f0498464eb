//! Weights by regression: self-play, labels, a fit.
//!
//! Agents with the weights so far play each other. Of each game a few positions are kept, with the counts of the layout's
//! slots. A label says what share of the points the first player can expect there: by the game's result, by the value that a
//! deep search finds, or by a mix of both. The weights are then fitted to the labels, and the next round plays with them. In
//! units of the fit, the logistic function of an evaluation is the expected share of points.
//!
//! The result of a game as label of its positions, and logistic regression on them: Buro, "Statistical feature combination for
//! the evaluation of game positions", JAIR 3, 1995; tuning of chess programs by the same loss: Österlund, "Texel's tuning method",
//! 2014. The value of a deep search as label: Samuel, "Some studies in machine learning using the game of checkers", IBM Journal
//! 3(3), 1959; Veness, Silver, Uther, Blair, "Bootstrapping from game tree search", NIPS 2009 (`RootStrap`).
//!
//! [`RegressionPlan`] is the checked config, `games` plays and labels, `fit` fits, `run` is the whole.

mod fit;
mod games;
mod run;

use serde::{Deserialize, Serialize};

pub use self::games::RegressionGame;
pub use self::run::{
    FitFigures, MatchFigures, Regression, RegressionSummary, RoundFigures, in_toml, regress,
    regression_seconds,
};
use tictune_core::agent::{AgentSpec, MinimaxSettings};
use tictune_core::arena::Openings;
use tictune_core::files::fingerprint;
use tictune_core::weights::Weights;

/// A regression of weights on positions of self-play.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RegressionPlan {
    pub name: String,
    pub game: String,
    pub rules: String,
    pub seed: u64,
    /// The weights that play and search in the first round. Their layout is the one that is fitted.
    pub initial: Weights,
    /// Rounds of games and a fit. Each plays with the weights of the one before.
    pub rounds: u32,
    pub games: u64,
    /// Plies that minimax searches in these games.
    pub depth: u32,
    pub openings: Openings,
    pub labels: LabelPlan,
    /// The match of the fit, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opponent: Option<RegressionMatch>,
}

/// What positions are said to be worth: the expected share of points.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LabelPlan {
    /// The depths of the searches whose values are labels, ascending, in plies. The last round has a fit for each; the rounds
    /// before it use the last of them. Empty where results alone are labels.
    pub depths: Vec<u32>,
    /// The part of a label that is the game's result, 0 to 1; the rest is the value of the search.
    pub mix_result: f64,
}

/// A match of the weights that were fitted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RegressionMatch {
    pub agent: AgentSpec,
    /// Plies that minimax with the weights searches.
    pub depth: u32,
    /// Games, an even number.
    pub games: u64,
    pub openings: Openings,
}

impl RegressionPlan {
    /// The probability of a random move in the games.
    pub const EXPLORATION: f64 = 0.05;
    /// The most positions of a game that are kept.
    pub const POSITIONS: u32 = 8;
    /// The weight of the penalty: that of so many positions.
    const RIDGE: f64 = 10.0;
    /// The share of games whose positions are not fitted, but measure the fit.
    pub const HELD_OUT: f64 = 0.2;

    /// A hash of everything that determines the result: 16 hexadecimal digits.
    pub fn hash(&self) -> String {
        fingerprint(&serde_json::to_vec(self).unwrap_or_default())
    }

    /// Minimax of a depth with weights, as it plays and as it labels.
    pub fn minimax(&self, depth: u32, weights: &Weights) -> AgentSpec {
        AgentSpec::from(MinimaxSettings::default())
            .with_default_depth(depth)
            .with_weights(weights.clone())
    }

    /// The depths of the labels of a round, from 0: each is fitted. None where results are labels. Weights that are all 0 say
    /// nothing, so that where learning begins with nothing the first labels are results.
    fn label_depths(&self, round: u32, weights: &Weights) -> Vec<Option<u32>> {
        let nothing = weights.values().iter().all(|value| *value == 0.0);
        match self.labels.depths.as_slice() {
            [.., last] if !nothing && round + 1 < self.rounds => vec![Some(*last)],
            depths if !nothing && !depths.is_empty() => depths.iter().copied().map(Some).collect(),
            _ => vec![None],
        }
    }

    /// Whether a game (from 0) is held out: the given share of them, spread evenly.
    fn is_held_out(&self, game: u64) -> bool {
        let before = |games: u64| (games as f64 * Self::HELD_OUT).floor();
        before(game + 1) > before(game)
    }

    pub fn all_games(&self) -> u64 {
        self.games.saturating_mul(self.rounds.into())
    }
}
