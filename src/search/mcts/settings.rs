//! The exchangeable parts of Monte Carlo tree search, as plain data.

use serde::{Deserialize, Serialize};
use strum::{Display, EnumString, VariantNames};

/// How a child is selected.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    Serialize,
    Deserialize,
    Display,
    EnumString,
    VariantNames,
)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Tree {
    /// By mean reward and visits (Liang 4.3.1).
    #[default]
    Uct,
    /// With all-moves-as-first values of the node (Liang 4.3.2). They count the iterations that went
    /// through it, and those through a sibling in whose playout its move was made by the same player,
    /// once it has been visited.
    Rave,
    /// With those of the closest ancestor, the node itself included, that was visited often enough,
    /// else of the root (Cazenave 2015). A node's values count all moves that were made below it,
    /// in the tree or in playouts, since its children were made.
    Grave,
}

/// How a game is played out from a leaf.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    Serialize,
    Deserialize,
    Display,
    EnumString,
    VariantNames,
)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Playout {
    /// Random moves to the end (Liang 3.1).
    #[default]
    Random,
    /// A move that wins the game if there is one, else a random one (3.2).
    WinFirst,
    /// Random moves, then an evaluation (3.3).
    Ept,
    /// Each move the best by an evaluation, ties at random, or a random one (4.4.3).
    Partial,
    /// All moves of a playout the best by an evaluation, or all random (4.4.3).
    Total,
}

/// Early termination: the reward that a value stands for.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    Serialize,
    Deserialize,
    Display,
    EnumString,
    VariantNames,
)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Judge {
    /// A win of the side for which it lies strictly beyond the boundary, else a draw (Liang 3.3.2).
    #[default]
    Boundary,
    /// Graded: (1 + v / sqrt(v² + b²)) / 2 with the value v and the boundary b, so that a value at the
    /// boundary is worth 0.85, and a better one more unless b is 0. Even is 0.5, whatever a draw is worth.
    Sigmoid,
}

/// What happens at a leaf that is visited again. Once a child that wins at once is known, it is always
/// selected.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    Serialize,
    Deserialize,
    Display,
    EnumString,
    VariantNames,
)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Expansion {
    /// One child, in the order of moves.
    #[default]
    One,
    /// All children at once, with rewards and visits from an evaluation (4.4.2); under RAVE
    /// all-moves-as-first values too. One is selected and played out in the same iteration.
    Heuristic,
}

/// Which move is played in the end; ties are broken at random.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    Serialize,
    Deserialize,
    Display,
    EnumString,
    VariantNames,
)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum FinalMove {
    /// The child of both the greatest reward and the most visits, else the most visits (Liang 4.3).
    #[default]
    MaxRobust,
    /// The greatest total reward.
    Max,
    /// The most visits.
    Robust,
    /// The highest reward a visit among children with enough visits, ties by visits (Sista 2.1.2;
    /// Papadam's third rule).
    Ratio,
    /// The least reward of the opponent: visits less rewards (Papadam's second rule). It likes children
    /// that were hardly visited.
    LeastLosses,
}

/// What several threads do (Sista 2.2).
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    Serialize,
    Deserialize,
    Display,
    EnumString,
    VariantNames,
)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Parallel {
    /// Each grows a tree of its own; the children of the roots are added up.
    #[default]
    Root,
    /// All grow one tree, kept apart by virtual losses.
    Tree,
    /// One grows the tree; all play out from its leaf.
    Leaf,
}

/// The settings of a search.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    /// How a child is selected.
    pub tree: Tree,
    /// How a game is played out.
    pub playout: Playout,
    /// The exploration constant C of Liang 4.3.1.
    pub exploration: f64,
    /// The RAVE constant R of Liang 4.3.2.
    pub rave: f64,
    /// GRAVE: the visits from which a node's own all-moves-as-first values are used.
    pub reference: u32,
    /// What happens at a leaf.
    pub expansion: Expansion,
    /// Heuristic expansion: reward of a child = (value + offset) x bias, value in weight units: 0 of a
    /// drawn game, `offset` of a won one, -`offset` of a lost one. Not below 0, and rounded down to a
    /// multiple of 2^-20, as all rewards are.
    pub bias: f64,
    /// Heuristic expansion: visits of a child = reward (before rounding) x confidence, truncated.
    pub confidence: f64,
    /// The same for all-moves-as-first values.
    pub amaf_confidence: f64,
    /// What is added to values, in weight units; by default the largest value that the evaluation
    /// can have.
    pub offset: Option<f64>,
    /// Early termination: moves of a playout after which the evaluation is asked.
    pub threshold: u32,
    /// Early termination: values strictly beyond it count as won or lost, in weight units; under
    /// [`Judge::Sigmoid`] the value that is worth 0.85.
    pub boundary: f64,
    /// Early termination: the reward that a value stands for.
    #[serde(default)]
    pub judge: Judge,
    /// Partial and total influence: how likely the evaluation is asked, 0..=1.
    pub influence: f64,
    /// Which move is played.
    pub final_move: FinalMove,
    /// The ratio rule: the visits that a child must have.
    pub min_visits: u32,
    /// The reward of a draw, for either side: 0.5, or 0 as Sista counts.
    pub draw: f64,
    /// Whether proven wins, losses and draws are backed up.
    pub solver: bool,
    /// Threads.
    pub threads: u32,
    /// What they do.
    pub parallel: Parallel,
    /// Tree parallelism: losses that a thread pretends on its way down.
    pub virtual_loss: u32,
    /// Nodes of a tree at which the search ends, 32 bytes each, and 11 to 32 for the estimates of UCT on
    /// one thread; under GRAVE half of them stand for its tables.
    pub max_nodes: u32,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            tree: Tree::default(),
            playout: Playout::default(),
            exploration: 0.5,
            rave: 0.1,
            reference: 50,
            expansion: Expansion::default(),
            bias: 0.1,
            confidence: 2.0,
            amaf_confidence: 2.0,
            offset: None,
            threshold: 50,
            boundary: 0.7,
            judge: Judge::default(),
            influence: 0.5,
            final_move: FinalMove::default(),
            min_visits: 1,
            draw: 0.5,
            solver: false,
            threads: 1,
            parallel: Parallel::default(),
            virtual_loss: 1,
            max_nodes: 16_000_000,
        }
    }
}

/// The most threads of one search.
pub const MAX_THREADS: u32 = 1024;

/// The most nodes of one tree.
pub const MAX_NODES: u32 = 1 << 30;

impl Settings {
    /// Whether some part of the search evaluates positions.
    #[must_use]
    pub fn evaluates(&self) -> bool {
        matches!(self.playout, Playout::Ept | Playout::Partial | Playout::Total)
            || self.expansion == Expansion::Heuristic
    }
}
