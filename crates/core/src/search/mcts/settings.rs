//! The exchangeable parts of Monte Carlo tree search, as plain data.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How a child is selected.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Tree {
    /// By mean reward and visits (Liang 4.3.1).
    #[default]
    Uct,
    /// With the all-moves-as-first values of the child itself (Liang 4.3.2). They count two kinds of iteration: those that
    /// went through the child, and those that went through a sibling and in whose playout the same player made the child's
    /// move. The second kind counts only once the child has been visited.
    Rave,
    /// With the all-moves-as-first values of the closest ancestor that was visited often enough, or of the root if there is
    /// none (Cazenave 2015). The node itself counts as an ancestor. The values count all moves made below that ancestor, in
    /// the tree or in playouts, since its children were added.
    Grave,
}

/// How a game is played out from a leaf.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Playout {
    /// Random moves to the end (Liang 3.1).
    #[default]
    Random,
    /// A winning move if there is one, otherwise a random move (Liang 3.2).
    WinFirst,
    /// Random moves up to a limit, then an evaluation (Liang 3.3).
    Ept,
    /// The same, with a winning move wherever there is one (Liang 3.3).
    EptWinFirst,
    /// Each move is either the best by an evaluation, ties broken at random, or a random move (Liang 4.4.3).
    Partial,
    /// The moves of a playout are either all the best by an evaluation, or all random (Liang
    /// 4.4.3).
    Total,
}

impl Playout {
    /// Whether an evaluation judges the position after a number of moves.
    #[inline]
    pub const fn terminates_early(self) -> bool {
        matches!(self, Self::Ept | Self::EptWinFirst)
    }
}

/// The reward for a value in early termination.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Judge {
    /// A win for the side whose value lies strictly beyond the boundary, otherwise a draw (Liang
    /// 3.3.2).
    #[default]
    Boundary,
    /// A graded reward: (1 + v / sqrt(v² + b²)) / 2 for the value v and the boundary b. A value at the boundary gives about
    /// 0.85, and a larger value gives more, unless b is 0. An even value gives 0.5, whatever the reward of a draw.
    Sigmoid,
}

/// How a leaf that is visited again is expanded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Expansion {
    /// One child for each visit, in the order of [`ExpansionOrder`].
    #[default]
    One,
    /// All children at once, with initial rewards and visits from an evaluation (Liang 4.4.2); under RAVE also with
    /// all-moves-as-first values. One of them is selected and played out in the same iteration.
    Heuristic,
    /// One child for each visit, in generation order, each with such initial rewards and visits when it is created.
    OneHeuristic,
}

/// Which child a leaf gets when it is visited again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ExpansionOrder {
    /// The next one in generation order (Liang 4.3).
    #[default]
    Generation,
    /// One of those that are left, at random (Sista 2.1.2, Papadam).
    Random,
}

/// How a child whose move has won the game is selected.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum WonChild {
    /// Always, from its first visit on (Liang's program).
    #[default]
    Always,
    /// By its value, as all children are (Liang 4.3.1).
    ByValue,
}

/// From whose view the evaluation is taken that gives a child its initial reward.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RewardView {
    /// The player who moves into the child, as for all rewards.
    #[default]
    Mover,
    /// The player to move at the root, at all nodes (Liang's program). The opponent's moves that are
    /// good for the searching player then look good to the opponent.
    Root,
}

/// The rule for the final move. Ties are broken at random.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FinalMove {
    /// The child with both the greatest reward and the most visits, or the most visited child if there is none (Liang 4.3).
    #[default]
    MaxRobust,
    /// Like `MaxRobust`, with visits and rewards weighed with the all-moves-as-first ones by the beta of RAVE: (1 - beta) n +
    /// beta n_amaf, and q in the same way (Liang's program). Without RAVE it is `MaxRobust`.
    MaxRobustRave,
    /// The child with the greatest total reward.
    Max,
    /// The child with the most visits.
    Robust,
    /// The child with the highest reward per visit among those with enough visits; ties go to the
    /// most visited (Sista 2.1.2; Papadam's third rule).
    Ratio,
    /// The child with the least reward for the opponent: visits minus rewards (Papadam's second
    /// rule). This favours children with few visits.
    LeastLosses,
}

/// How several threads work together (Sista 2.2).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Parallel {
    /// Each thread grows its own tree, and the children of the roots are added up.
    #[default]
    Root,
    /// All threads grow one tree. Virtual losses send them to different leaves.
    Tree,
    /// One thread grows the tree, and all threads play out from its leaf.
    Leaf,
}

/// The settings of a search: the keys of agents of the kind `mcts`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct MctsParameters {
    /// How a child is selected
    #[schemars(extend("x-always" = true))]
    pub tree: Tree,
    /// How a game is played out from a leaf
    #[schemars(extend("x-always" = true))]
    pub playout: Playout,
    /// The exploration constant C (Liang 4.3.1)
    #[serde(rename = "c")]
    #[schemars(range(min = 0), example = 0.5, extend("x-evolves" = true))]
    pub exploration: f64,
    /// The RAVE constant R (Liang 4.3.2)
    #[schemars(range(min = 0), example = 0.1, extend("x-evolves" = true))]
    pub rave: f64,
    /// Visits that a node needs before its own all-moves-as-first values are used (Cazenave 2015)
    #[schemars(example = 50, extend("x-evolves" = true))]
    pub reference: u32,
    /// What a leaf gets when it is visited again: one child, all with heuristic values, or one with a heuristic value
    pub expansion: Expansion,
    /// Which child a leaf gets
    pub expansion_order: ExpansionOrder,
    /// How a child whose move has won is selected. With `solver`, always
    pub won_child: WonChild,
    /// Heuristic reward of a child = (value + offset) x bias, in weight units. A drawn game has the value 0, a won game `offset`,
    /// a lost game -`offset`. Rewards are at least 0, and rounded down to a multiple of 2^-20 as all rewards are
    #[schemars(range(min = 1e-9, max = 1000), example = 0.1, extend("x-evolves" = true))]
    pub bias: f64,
    /// Heuristic visits of a child = its reward, before rounding, x confidence, truncated
    #[schemars(range(min = 1, max = 1000), example = 2, extend("x-evolves" = true))]
    pub confidence: f64,
    /// The same for all-moves-as-first values
    #[schemars(range(min = 1, max = 1000), example = 2, extend("x-evolves" = true))]
    pub amaf_confidence: f64,
    /// What is added to heuristic values, in weight units; by default the largest value of the evaluation
    #[schemars(range(min = 0), example = 100, extend("x-evolves" = true))]
    pub offset: Option<f64>,
    /// From whose point of view children get their heuristic values
    pub view: RewardView,
    /// Moves of a playout after which it is evaluated (Liang 3.3)
    #[schemars(range(max = 10_000), example = 50, extend("x-evolves" = true))]
    pub threshold: u32,
    /// Values strictly beyond it count as won or lost, in weight units (Liang 3.3.2); under `sigmoid` it is the value that gives 0.85
    #[schemars(range(min = 0), example = 0.7, extend("x-evolves" = true))]
    pub boundary: f64,
    /// How a value becomes a reward when a playout ends early
    pub judge: Judge,
    /// The probability that the evaluation chooses a move, or all moves of a playout (Liang 4.4.3)
    #[schemars(range(min = 0, max = 1), example = 0.5, extend("x-evolves" = true))]
    pub influence: f64,
    /// The rule for the final move
    #[serde(rename = "final")]
    pub final_move: FinalMove,
    /// Visits that a child needs to be chosen by the ratio rule
    #[schemars(example = 10, extend("x-evolves" = true))]
    pub min_visits: u32,
    /// The reward of a draw, for either side: 0 in Sista
    #[schemars(range(min = 0, max = 1), example = 0.5, extend("x-evolves" = true))]
    pub draw: f64,
    /// Whether proven wins, losses and draws are backed up to the root
    pub solver: bool,
    /// Whether the tree is kept from move to move. Iterations of earlier searches count in visits, but not in the budget
    pub reuse: bool,
    /// Threads of one search
    #[schemars(range(min = 1, max = MAX_THREADS), example = 4)]
    pub threads: u32,
    /// What several threads share (Sista 2.2)
    pub parallel: Parallel,
    /// Virtual losses that a thread adds on its way down a shared tree
    #[schemars(range(max = 1000), example = 1, extend("x-evolves" = true))]
    pub virtual_loss: u32,
    /// Nodes of a tree at which the search ends. A node takes 32 bytes, and under UCT on one thread another 11 to 32 for its
    /// estimates; under GRAVE half of the nodes stand for its tables
    #[schemars(range(min = 1000, max = MAX_NODES), example = 1_000_000)]
    pub max_nodes: u32,
}

impl Default for MctsParameters {
    fn default() -> Self {
        Self {
            tree: Tree::default(),
            playout: Playout::default(),
            exploration: 0.5,
            rave: 0.1,
            reference: 50,
            expansion: Expansion::default(),
            expansion_order: ExpansionOrder::default(),
            won_child: WonChild::default(),
            bias: 0.1,
            confidence: 2.0,
            amaf_confidence: 2.0,
            offset: None,
            view: RewardView::default(),
            threshold: 50,
            boundary: 0.7,
            judge: Judge::default(),
            influence: 0.5,
            final_move: FinalMove::default(),
            min_visits: 1,
            draw: 0.5,
            solver: false,
            reuse: false,
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

impl MctsParameters {
    /// What a key goes with, if nothing in the search looks at it.
    pub fn ignores(&self, key: &str) -> Option<&'static str> {
        let expands_all = self.expansion != Expansion::One;
        let by_value = matches!(self.playout, Playout::Partial | Playout::Total);
        let (goes_with, is_used) = match key {
            "rave" => ("tree=rave or tree=grave", self.tree != Tree::Uct),
            "reference" => ("tree=grave", self.tree == Tree::Grave),
            "expansion_order" => {
                ("expansion=one or one-heuristic", self.expansion != Expansion::Heuristic)
            }
            "won_child" => ("solver=false", !self.solver),
            "bias" | "confidence" | "offset" | "view" => ("expansion=heuristic", expands_all),
            "amaf_confidence" => {
                ("tree=rave and expansion=heuristic", expands_all && self.tree == Tree::Rave)
            }
            "threshold" | "boundary" => {
                ("playout=ept or playout=ept-win-first", self.playout.terminates_early())
            }
            "influence" => ("playout=partial or playout=total", by_value),
            "min_visits" => ("final=ratio", self.final_move == FinalMove::Ratio),
            "reuse" => ("tree=uct or tree=rave", self.tree != Tree::Grave),
            "virtual_loss" => (
                "parallel=tree and threads= above 1",
                self.threads > 1 && self.parallel == Parallel::Tree,
            ),
            _ => return None,
        };
        (!is_used).then_some(goes_with)
    }

    /// Whether a child that has won is selected whatever its value.
    #[inline]
    pub(super) fn takes_wins(&self) -> bool {
        self.solver || self.won_child == WonChild::Always
    }

    /// Whether some part of the search evaluates positions.
    #[inline]
    pub fn evaluates(&self) -> bool {
        self.playout.terminates_early()
            || matches!(self.playout, Playout::Partial | Playout::Total)
            || self.expansion != Expansion::One
    }
}
