//! Weights by regression: self-play, labels, a fit.
//!
//! Agents with the weights so far play each other. Of each game a few positions are kept, with the counts of the layout's
//! slots. A label says what share of the points the first player can expect there: by the game's result, by the value that a
//! deep search finds, or by a mix of both. The weights are then fitted to the labels, and the next round plays with them. In
//! units of the fit, the logistic function of an evaluation is the expected share of points.
//!
//! The result of a game as label of its positions, and logistic regression on them: CITE: Buro, "Statistical feature
//! combination for the evaluation of game positions", JAIR 3, 1995; tuning of chess programs by the same loss: Österlund,
//! "Texel's tuning method", 2014. The value of a deep search as label: CITE: Samuel, "Some studies in machine learning using
//! the game of checkers", IBM Journal 3(3), 1959; Veness, Silver, Uther, Blair, "Bootstrapping from game tree search",
//! NIPS 2009 (`RootStrap`).
//!
//! `plan` is the checked config, `games` plays and labels, `fit` fits, `run` is the whole.

mod fit;
mod games;
mod plan;
mod run;

pub use plan::{LabelPlan, RegressionMatch, RegressionPlan};
pub use run::{
    FitFigures, MatchFigures, Regression, RegressionSummary, RoundFigures, regress,
    seconds_of_regression,
};
