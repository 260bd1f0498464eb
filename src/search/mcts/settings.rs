//! The exchangeable parts of Monte Carlo tree search, as plain data.

use serde::{Deserialize, Serialize};

use crate::search::named::named;

named! {
    /// How a child is selected.
    Tree, Uct {
        /// By mean reward and visits (Liang 4.3.1).
        #[default]
        Uct = "uct",
        /// With all-moves-as-first values of the node (Liang 4.3.2). They count the iterations that went
        /// through it, and those through a sibling in whose playout its move was made by the same player,
        /// once it has been visited.
        Rave = "rave",
        /// With those of the closest ancestor, the node itself included, that was visited often enough,
        /// else of the root (Cazenave 2015). A node's values count all moves that were made below it,
        /// in the tree or in playouts, since its children were made.
        Grave = "grave",
    }
}

named! {
    /// How a game is played out from a leaf.
    Playout, Random {
        /// Random moves to the end (Liang 3.1).
        #[default]
        Random = "random",
        /// A move that wins the game if there is one, else a random one (3.2).
        WinFirst = "win-first",
        /// Random moves, then an evaluation (3.3).
        Ept = "ept",
        /// Each move the best by an evaluation, ties at random, or a random one (4.4.3).
        Partial = "partial",
        /// All moves of a playout the best by an evaluation, or all random (4.4.3).
        Total = "total",
    }
}

named! {
    /// Early termination: the reward that a value stands for.
    Judge, Boundary {
        /// A win of the side for which it lies strictly beyond the boundary, else a draw (Liang 3.3.2).
        #[default]
        Boundary = "boundary",
        /// Graded: (1 + v / sqrt(v² + b²)) / 2 with the value v and the boundary b, so that a value at the
        /// boundary is worth 0.85, and a better one more unless b is 0. Even is 0.5, whatever a draw is worth.
        Sigmoid = "sigmoid",
    }
}

named! {
    /// What happens at a leaf that is visited again. Once a child that wins at once is known, it is always
    /// selected.
    Expansion, One {
        /// One child, in the order of moves.
        #[default]
        One = "one",
        /// All children at once, with rewards and visits from an evaluation (4.4.2); under RAVE
        /// all-moves-as-first values too. One is selected and played out in the same iteration.
        Heuristic = "heuristic",
    }
}

named! {
    /// Which move is played in the end; ties are broken at random.
    FinalMove, MaxRobust {
        /// The child of both the greatest reward and the most visits, else the most visits (Liang 4.3).
        #[default]
        MaxRobust = "max-robust",
        /// The greatest total reward.
        Max = "max",
        /// The most visits.
        Robust = "robust",
        /// The highest reward a visit among children with enough visits, ties by visits (Sista 2.1.2;
        /// Papadam's third rule).
        Ratio = "ratio",
        /// The least reward of the opponent: visits less rewards (Papadam's second rule). It likes children
        /// that were hardly visited.
        LeastLosses = "least-losses",
    }
}

named! {
    /// What several threads do (Sista 2.2).
    Parallel, Root {
        /// Each grows a tree of its own; the children of the roots are added up.
        #[default]
        Root = "root",
        /// All grow one tree, kept apart by virtual losses.
        Tree = "tree",
        /// One grows the tree; all play out from its leaf.
        Leaf = "leaf",
    }
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
    /// The keys of an agent's text form that these settings have.
    pub const KEYS: [&str; 22] = [
        "tree",
        "playout",
        "c",
        "rave",
        "reference",
        "expansion",
        "bias",
        "confidence",
        "amaf_confidence",
        "offset",
        "threshold",
        "boundary",
        "judge",
        "influence",
        "final",
        "min_visits",
        "draw",
        "solver",
        "threads",
        "parallel",
        "virtual_loss",
        "max_nodes",
    ];

    /// Whether some part of the search evaluates positions.
    #[must_use]
    pub fn evaluates(&self) -> bool {
        matches!(self.playout, Playout::Ept | Playout::Partial | Playout::Total)
            || self.expansion == Expansion::Heuristic
    }

    /// Sets what a key of [`KEYS`](Self::KEYS) stands for.
    ///
    /// # Errors
    /// What was expected instead of the value.
    pub fn set(&mut self, key: &str, value: &str) -> Result<(), String> {
        let number = |least: f64, most: f64, words: &str| {
            let number = value.parse().ok().filter(|x: &f64| (least..=most).contains(x));
            number.ok_or_else(|| words.to_string())
        };
        let at_least_0 = || number(0.0, f64::MAX, "a number from 0");
        let share = || number(0.0, 1.0, "a number from 0 to 1");
        let whole = |least: u32, most: u32| {
            let number = value.parse().ok().filter(|n: &u32| (least..=most).contains(n));
            number.ok_or_else(|| format!("a whole number from {least} to {most}"))
        };
        match key {
            "tree" => self.tree = value.parse()?,
            "playout" => self.playout = value.parse()?,
            "c" => self.exploration = at_least_0()?,
            "rave" => self.rave = at_least_0()?,
            "reference" => self.reference = whole(0, u32::MAX)?,
            "expansion" => self.expansion = value.parse()?,
            "bias" => self.bias = number(1e-9, 1e3, "a number from 1e-9 to 1000")?,
            "confidence" => self.confidence = number(1.0, 1e3, "a number from 1 to 1000")?,
            "amaf_confidence" => {
                self.amaf_confidence = number(1.0, 1e3, "a number from 1 to 1000")?;
            }
            "offset" => self.offset = Some(at_least_0()?),
            "threshold" => self.threshold = whole(0, 10_000)?,
            "boundary" => self.boundary = at_least_0()?,
            "judge" => self.judge = value.parse()?,
            "influence" => self.influence = share()?,
            "final" => self.final_move = value.parse()?,
            "min_visits" => self.min_visits = whole(0, u32::MAX)?,
            "draw" => self.draw = share()?,
            "solver" => self.solver = value.parse().map_err(|_| "true or false".to_string())?,
            "threads" => self.threads = whole(1, MAX_THREADS)?,
            "parallel" => self.parallel = value.parse()?,
            "virtual_loss" => self.virtual_loss = whole(0, 1000)?,
            "max_nodes" => self.max_nodes = whole(1000, MAX_NODES)?,
            _ => return Err("no such key".into()),
        }
        Ok(())
    }

    /// The value of a key of [`KEYS`](Self::KEYS) as [`set`](Self::set) reads it; `None` for an
    /// offset that follows the evaluation.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<String> {
        Some(match key {
            "tree" => self.tree.to_string(),
            "playout" => self.playout.to_string(),
            "c" => self.exploration.to_string(),
            "rave" => self.rave.to_string(),
            "reference" => self.reference.to_string(),
            "expansion" => self.expansion.to_string(),
            "bias" => self.bias.to_string(),
            "confidence" => self.confidence.to_string(),
            "amaf_confidence" => self.amaf_confidence.to_string(),
            "offset" => return self.offset.map(|offset| offset.to_string()),
            "threshold" => self.threshold.to_string(),
            "boundary" => self.boundary.to_string(),
            "judge" => self.judge.to_string(),
            "influence" => self.influence.to_string(),
            "final" => self.final_move.to_string(),
            "min_visits" => self.min_visits.to_string(),
            "draw" => self.draw.to_string(),
            "solver" => self.solver.to_string(),
            "threads" => self.threads.to_string(),
            "parallel" => self.parallel.to_string(),
            "virtual_loss" => self.virtual_loss.to_string(),
            "max_nodes" => self.max_nodes.to_string(),
            _ => return None,
        })
    }
}
