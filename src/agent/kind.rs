//! The registry of the kinds of agents: their names and keys.

use serde::{Deserialize, Serialize};

use super::{Habits, Limit};
use crate::input::{InputError, unknown};
use crate::search::mcts::Settings;

/// The kinds of agents: the registry of their names and keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A legal move at random.
    Random,
    /// The first legal move in generation order.
    Reflex,
    /// A person at the terminal, whom only `tictune play` asks.
    Human,
    /// The best move by an evaluation one ply deep.
    Greedy,
    /// Fixed-depth minimax.
    Minimax,
    /// Minimax with iterative deepening, within a limit.
    Iterative,
    /// Fixed-depth expectimax.
    Expectimax,
    /// Monte Carlo tree search, within a limit.
    Mcts,
    /// Another program.
    External,
    /// The move of the highest value in a table that was learned.
    Learned,
}

/// What the registry knows of a kind.
pub(super) struct Entry {
    pub(super) name: &'static str,
    pub(super) kind: Kind,
    pub(super) keys: &'static [&'static str],
    /// Whether the keys of [`Settings`] belong to it too.
    pub(super) mcts: bool,
    /// How its limit may be given; empty where it takes none.
    pub(super) limits: &'static str,
}

impl Kind {
    /// Every kind, in the order of the enum.
    pub(super) const ALL: [Entry; 10] = [
        Entry { name: "random", kind: Self::Random, keys: &["seed"], mcts: false, limits: "" },
        Entry { name: "reflex", kind: Self::Reflex, keys: &["seed"], mcts: false, limits: "" },
        Entry { name: "human", kind: Self::Human, keys: &[], mcts: false, limits: "" },
        Entry {
            name: "greedy",
            kind: Self::Greedy,
            keys: &["eval", "weights", "first_move", "theory", "theory_plies", "seed"],
            mcts: false,
            limits: "",
        },
        Entry {
            name: "minimax",
            kind: Self::Minimax,
            keys: &[
                "depth",
                "prune",
                "order",
                "widths",
                "eval",
                "weights",
                "first_move",
                "theory",
                "theory_plies",
                "seed",
            ],
            mcts: false,
            limits: "",
        },
        Entry {
            name: "iterative",
            kind: Self::Iterative,
            keys: &[
                "time",
                "nodes",
                "clock",
                "time_scale",
                "depth",
                "prune",
                "table",
                "memory",
                "memory_positions",
                "memory_symmetry",
                "memory_hash",
                "eval",
                "weights",
                "first_move",
                "theory",
                "theory_plies",
                "seed",
            ],
            mcts: false,
            limits: "time=100ms, nodes=100000 or clock=theaigames",
        },
        Entry {
            name: "expectimax",
            kind: Self::Expectimax,
            keys: &[
                "depth",
                "win",
                "eval",
                "weights",
                "first_move",
                "theory",
                "theory_plies",
                "seed",
            ],
            mcts: false,
            limits: "",
        },
        Entry {
            name: "mcts",
            kind: Self::Mcts,
            keys: &[
                "time",
                "iterations",
                "clock",
                "time_scale",
                "eval",
                "weights",
                "first_move",
                "theory",
                "theory_plies",
                "seed",
            ],
            mcts: true,
            limits: "iterations=25000, time=100ms or clock=theaigames",
        },
        Entry {
            name: "external",
            kind: Self::External,
            keys: &["cmd", "protocol", "time", "clock", "time_scale", "seed"],
            mcts: false,
            limits: "",
        },
        Entry {
            name: "learned",
            kind: Self::Learned,
            keys: &["from", "first_move", "seed"],
            mcts: false,
            limits: "",
        },
    ];

    /// The keys of its text form.
    #[must_use]
    pub fn keys(self) -> Vec<&'static str> {
        let entry = self.entry();
        let settings = if entry.mcts { &Settings::KEYS[..] } else { &[] };
        let habits = if entry.keys.contains(&"weights") { &Habits::KEYS[..] } else { &[] };
        entry.keys.iter().chain(settings).chain(habits).copied().collect()
    }

    /// The keys that tables of agents may hold, whatever the kind.
    #[must_use]
    pub fn all_keys() -> Vec<&'static str> {
        let mut all = vec!["kind"];
        for key in Self::ALL.iter().flat_map(|entry| entry.kind.keys()) {
            if !all.contains(&key) {
                all.push(key);
            }
        }
        all
    }

    /// Reads a limit of this kind of search, `KEY=VALUE`.
    ///
    /// # Errors
    /// Any other text, or a limit that the kind does not take.
    pub fn limit(self, text: &str) -> Result<Limit, InputError> {
        let (key, value) = text.split_once('=').unwrap_or((text, ""));
        let keys: Vec<&str> =
            Limit::KEYS.into_iter().filter(|key| self.entry().keys.contains(key)).collect();
        if !keys.contains(&key) {
            return Err(InputError::new(unknown("limit", key, &keys)));
        }
        Limit::from_pair(key, value)
            .map_err(|expected| InputError::new(format!("limit \"{text}\": expected {expected}")))
    }

    /// Whether it searches to a fixed depth, which has to be given.
    #[must_use]
    pub const fn has_depth(self) -> bool {
        matches!(self, Self::Minimax | Self::Expectimax)
    }

    /// The names of all kinds.
    #[must_use]
    pub fn names() -> Vec<&'static str> {
        Self::ALL.iter().map(|entry| entry.name).collect()
    }

    pub(super) const fn entry(self) -> &'static Entry {
        &Self::ALL[self as usize]
    }
}
