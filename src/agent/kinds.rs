//! The kinds of agents, each with the settings that it alone has.
//!
//! The fields of settings are the keys of texts and tables, with their help, ranges and defaults (see `table`). A new kind is a
//! variant of [`AgentKind`], with a struct of settings if it has any, and a line in `prepare`.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use strum::{
    Display, EnumDiscriminants, EnumIter, EnumMessage, EnumString, IntoEnumIterator, VariantNames,
};

use super::learned::Learned;
use super::limit::{self, Limit, LimitKeys};
use super::placeholders::PlaceholderValue;
use super::runner::RunnerSettings;
use crate::protocol::Protocol;
use crate::search::choice::{Choosing, Ties, WhenLost};
use crate::search::expectimax::DEFAULT_WIN;
use crate::search::iterative::{Depths, MAX_TABLE_MIB};
use crate::search::memory::{self, Replacement};
use crate::search::minimax::MAX_DEPTH;
use crate::search::quiescent::MAX_PLIES;
use crate::search::{Pruning, Sorting, Widths, mcts, pvs};
use crate::weights::Weights;

/// What an agent is, with the settings of its kind.
#[derive(
    Clone, Debug, PartialEq, EnumIter, EnumDiscriminants, Serialize, Deserialize, JsonSchema,
)]
#[serde(tag = "kind", rename_all = "lowercase")]
#[strum_discriminants(
    name(Kind),
    doc = "A kind of agent without its settings. Its name is that of the text form.",
    derive(Display, EnumIter, EnumMessage, EnumString, VariantNames, Serialize, Deserialize),
    serde(rename_all = "lowercase"),
    strum(serialize_all = "lowercase")
)]
pub enum AgentKind {
    /// Plays a random legal move.
    Random,
    /// Plays the first legal move in generation order.
    Reflex,
    /// Asks a person at the terminal, in `tictune play` only.
    Human,
    /// Plays the best move by an evaluation one ply deep.
    Greedy(GreedySettings),
    /// Searches to a fixed depth by minimax.
    Minimax(MinimaxSettings),
    /// Searches by minimax with iterative deepening, within a limit.
    Iterative(IterativeSettings),
    /// Searches by principal variation search for the strongest move, within a limit.
    Pvs(PvsSettings),
    /// Searches to a fixed depth by expectimax.
    Expectimax(ExpectimaxSettings),
    /// Searches by Monte Carlo tree search, within a limit.
    Mcts(MctsSettings),
    /// Asks another program.
    External(ExternalSettings),
    /// Plays the move of the highest value in a table that was learned.
    Learned(LearnedSettings),
    /// Plays whole matches of a game that tictune does not know, by a program.
    Runner(RunnerSettings),
}

impl From<Kind> for AgentKind {
    /// The kind with its default settings.
    fn from(kind: Kind) -> Self {
        let is_it = |full: &Self| Kind::from(full) == kind;
        Self::iter().find(is_it).expect("every kind has default settings")
    }
}

impl Kind {
    /// The keys that only some kinds have, beside those of their settings.
    pub(super) const fn habits(self) -> &'static [&'static str] {
        const ALL: &[&str] = &[
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
        match self {
            Self::Human | Self::Runner => &[],
            Self::Random | Self::Reflex | Self::External => &["seed"],
            Self::Learned => &["first_move", "seed"],
            _ => ALL,
        }
    }
}

/// The evaluation of an agent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Evaluation {
    /// The evaluation, where weights do not tell; by default that of the game
    #[serde(rename = "eval")]
    #[schemars(
        example = &"comprehensive",
        extend("x-names" = "evaluation", "x-takes" = "an evaluation of the game")
    )]
    pub name: Option<String>,
    /// A built-in name or a path; by default the strongest built-in weights
    #[schemars(
        with = "Option<String>",
        example = &"liang-default",
        extend("x-names" = "weights", "x-takes" = "weights")
    )]
    pub weights: Option<Weights>,
}

/// The settings of greedy agents.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct GreedySettings {
    /// What positions are worth.
    #[serde(flatten)]
    pub evaluation: Evaluation,
}

/// The settings of fixed-depth minimax.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct MinimaxSettings {
    /// The depth of the search in plies, for iterative and pvs the deepest; a stage of an evolution fills in a fixed one
    #[schemars(range(min = 1, max = MAX_DEPTH), example = 7, extend("x-unit" = PLIES))]
    pub depth: Option<u32>,
    /// What the search leaves out
    #[serde(rename = "prune")]
    pub pruning: Pruning,
    /// Which of several best moves is played
    pub ties: Ties,
    /// What is played in a lost position
    pub lost: WhenLost,
    /// Weights whose evaluation sorts the moves; by default those of the search
    #[schemars(
        with = "Option<String>",
        example = &"liang-default",
        extend("x-names" = "weights", "x-takes" = "weights")
    )]
    pub order: Option<Weights>,
    /// How moves of equal value are sorted; introsort is that of C++ (Papadam)
    #[serde(rename = "sort")]
    pub sorting: Sorting,
    /// How many of the sorted moves are tried at each ply (Papadam)
    #[schemars(
        with = "Option<String>",
        example = &"all,all,9,1",
        extend("x-takes" = Widths::expected())
    )]
    pub widths: Option<Widths>,
    /// For how many plies loud moves are followed beyond the depth (Liang 5.2); by default none
    #[schemars(range(min = 1, max = MAX_PLIES), example = 4, extend("x-unit" = PLIES))]
    pub quiescence: Option<u32>,
    /// A table of the values of positions in MiB (Liang 2.5.1); it changes the time alone
    #[schemars(range(min = 1, max = MAX_TABLE_MIB), example = 16, extend("x-unit" = MIB))]
    pub value_table: Option<u32>,
    /// What leaves are worth.
    #[serde(flatten)]
    pub evaluation: Evaluation,
}

const PLIES: &str = "a number of plies";
const MIB: &str = "a number of MiB";

impl MinimaxSettings {
    /// How a move is chosen from what the search found.
    #[must_use]
    pub const fn choosing(&self) -> Choosing {
        Choosing { ties: self.ties, lost: self.lost }
    }

    /// Whether the moves are sorted by an evaluation.
    #[must_use]
    pub fn sorts(&self) -> bool {
        self.order.is_some() || self.widths.is_some() || self.sorting != Sorting::Stable
    }
}

/// The settings of iterative deepening.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(extend("x-without" = ["iterations"]))]
pub struct IterativeSettings {
    /// What ends the search of a move.
    #[serde(flatten, with = "limit::keys")]
    #[schemars(with = "LimitKeys")]
    pub limit: Option<Limit>,
    /// The depth in plies at which the search ends
    #[schemars(range(min = 1, max = MAX_DEPTH), example = 7, extend("x-unit" = PLIES))]
    pub depth: Option<u32>,
    /// The size of the transposition table in MiB; by default 16 for pvs, and none for iterative
    #[schemars(range(min = 1, max = MAX_TABLE_MIB), example = 64, extend("x-unit" = MIB))]
    pub table: Option<u32>,
    /// What the search leaves out
    #[serde(rename = "prune")]
    pub pruning: Pruning,
    /// Which of several best moves is played
    pub ties: Ties,
    /// Which depths it searches.
    #[serde(flatten)]
    pub depths: Depths,
    /// A table of the values of positions in MiB (Liang 2.5.1); it changes the time alone
    #[schemars(range(min = 1, max = MAX_TABLE_MIB), example = 16, extend("x-unit" = MIB))]
    pub value_table: Option<u32>,
    /// What it remembers of positions, if not in a table.
    #[serde(flatten)]
    pub memory: memory::Settings,
    /// What leaves are worth.
    #[serde(flatten)]
    pub evaluation: Evaluation,
}

impl IterativeSettings {
    /// Whether it stores results of positions.
    #[must_use]
    pub fn remembers(&self) -> bool {
        self.table.is_some() || self.memory.replacement != Replacement::None
    }
}

/// The settings of principal variation search.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(extend("x-without" = ["iterations"]))]
pub struct PvsSettings {
    /// What ends the search of a move.
    #[serde(flatten, with = "limit::keys")]
    #[schemars(with = "LimitKeys")]
    pub limit: Option<Limit>,
    /// The depth in plies at which the search ends
    #[schemars(range(min = 1, max = MAX_DEPTH), example = 7, extend("x-unit" = PLIES))]
    pub depth: Option<u32>,
    /// The size of the transposition table in MiB; by default 16
    #[schemars(range(min = 1, max = MAX_TABLE_MIB), example = 64, extend("x-unit" = MIB))]
    pub table: Option<u32>,
    /// How it prunes and orders moves.
    #[serde(flatten)]
    pub search: pvs::Settings,
    /// What leaves are worth.
    #[serde(flatten)]
    pub evaluation: Evaluation,
}

/// The settings of expectimax.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ExpectimaxSettings {
    /// The depth of the search in plies, for iterative and pvs the deepest; a stage of an evolution fills in a fixed one
    #[schemars(range(min = 1, max = MAX_DEPTH), example = 7, extend("x-unit" = PLIES))]
    pub depth: Option<u32>,
    /// What a won game is worth in weight units
    #[schemars(
        range(min = 1e-9, max = 1e15),
        example = 500,
        extend("x-evolves" = true, "x-default" = DEFAULT_WIN, "x-takes" = "a number from 1e-9 to 1e15")
    )]
    pub win: Option<f64>,
    /// What leaves are worth.
    #[serde(flatten)]
    pub evaluation: Evaluation,
}

/// The settings of Monte Carlo tree search.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(extend("x-without" = ["nodes"]))]
pub struct MctsSettings {
    /// The parts of the search.
    #[serde(flatten)]
    pub search: mcts::Settings,
    /// What ends the search of a move.
    #[serde(flatten, with = "limit::keys")]
    #[schemars(with = "LimitKeys")]
    pub limit: Option<Limit>,
    /// A table of the values of positions in MiB (Liang 2.5.1); it changes the time alone
    #[schemars(range(min = 1, max = MAX_TABLE_MIB), example = 16, extend("x-unit" = MIB))]
    pub value_table: Option<u32>,
    /// What positions are worth, where a part of the search asks.
    #[serde(flatten)]
    pub evaluation: Evaluation,
}

/// Another program as an agent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(extend("x-without" = ["iterations"]))]
pub struct ExternalSettings {
    /// The program and its arguments. Quotes keep words together; no shell looks at it
    #[serde(rename = "cmd")]
    #[schemars(
        example = &"./bot --fast",
        extend("x-takes" = "a program and its arguments", "x-required" = "cmd=\"PROGRAM ARGUMENTS\"")
    )]
    pub command: String,
    /// The protocol that the program speaks
    #[schemars(extend(
        "x-takes" = Protocol::VARIANTS.join(" or "),
        "x-required" = "protocol=theaigames|codingame|uci"
    ))]
    pub protocol: Protocol,
    /// The share of its time that a move may be late before the game is forfeited; such moves are counted
    #[schemars(range(min = 0, max = 10), example = 0.5, extend("x-takes" = "a share of its time from 0 to 10"))]
    pub grace: f64,
    /// Variables of the program's environment; {corner} stands for a number
    #[schemars(example = texts("CORNER", "{corner}"), extend("x-takes" = TEXTS))]
    pub env: BTreeMap<String, String>,
    /// Lines that the program is sent before anything else
    #[serde(deserialize_with = "lines")]
    #[schemars(example = list("corner {corner}"), extend("x-takes" = "a list of lines, as in [\"line\"]"))]
    pub setup: Vec<String>,
    /// Options that the protocol has a way of setting
    #[schemars(example = texts("Hash", "16"), extend("x-takes" = TEXTS))]
    pub options: BTreeMap<String, String>,
    /// What {corner} in cmd, env, setup and options stands for, or what a runner is sent; also a file of such lines
    #[schemars(
        with = "BTreeMap<String, f64>",
        example = PlaceholderValue::example(),
        extend("x-names" = "numbers", "x-takes" = PlaceholderValue::TABLE)
    )]
    pub numbers: BTreeMap<String, PlaceholderValue>,
    /// What it may spend on a move: time or, for UCI engines, nodes; by default the clock of the protocol's platform.
    #[serde(flatten, with = "limit::keys")]
    #[schemars(with = "LimitKeys")]
    pub limit: Option<Limit>,
    /// The depth in plies to which a UCI engine searches
    #[schemars(range(min = 1, max = MAX_DEPTH), example = 7, extend("x-unit" = PLIES))]
    pub depth: Option<u32>,
    /// Weights of an evaluation of the game, which the program gets in a file, or slot by slot.
    #[serde(flatten)]
    pub evaluation: Evaluation,
}

/// An example of a table. Attributes take calls of functions, but no lists.
fn texts(name: &str, text: &str) -> BTreeMap<String, String> {
    BTreeMap::from([(name.into(), text.into())])
}

fn list(text: &str) -> [String; 1] {
    [text.into()]
}

const TEXTS: &str = "a table of texts, as in { NAME = \"text\" }";

fn lines<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    let lines = Vec::<String>::deserialize(deserializer)?;
    let is_several = |line: &String| line.contains(['\n', '\r']);
    if lines.iter().any(is_several) {
        Err(D::Error::custom("a line has an end within"))
    } else {
        Ok(lines)
    }
}

impl ExternalSettings {
    /// The default grace: bots that take nine tenths of their time are late now and then.
    pub const GRACE: f64 = 0.1;
}

impl Default for ExternalSettings {
    fn default() -> Self {
        Self {
            command: String::new(),
            protocol: Protocol::TheAiGames,
            grace: Self::GRACE,
            env: BTreeMap::new(),
            setup: Vec::new(),
            options: BTreeMap::new(),
            numbers: BTreeMap::new(),
            limit: None,
            depth: None,
            evaluation: Evaluation::default(),
        }
    }
}

/// The settings of an agent that plays what was learned.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct LearnedSettings {
    /// A values.csv of `tictune learn`, or its folder
    #[schemars(
        with = "String",
        example = &"runs/learned",
        extend(
            "x-names" = "values",
            "x-takes" = "a file or a folder",
            "x-required" = "from=PATH, a values.csv of tictune learn or its folder"
        )
    )]
    pub from: Learned,
}

impl AgentKind {
    /// Its evaluation, if agents of its kind have one.
    #[must_use]
    pub const fn evaluation(&self) -> Option<&Evaluation> {
        match self {
            Self::Greedy(settings) => Some(&settings.evaluation),
            Self::Minimax(settings) => Some(&settings.evaluation),
            Self::Iterative(settings) => Some(&settings.evaluation),
            Self::Pvs(settings) => Some(&settings.evaluation),
            Self::Expectimax(settings) => Some(&settings.evaluation),
            Self::Mcts(settings) => Some(&settings.evaluation),
            Self::External(settings) => Some(&settings.evaluation),
            Self::Random | Self::Reflex | Self::Human | Self::Learned(_) | Self::Runner(_) => None,
        }
    }

    /// The same, to change it.
    pub const fn evaluation_mut(&mut self) -> Option<&mut Evaluation> {
        match self {
            Self::Greedy(settings) => Some(&mut settings.evaluation),
            Self::Minimax(settings) => Some(&mut settings.evaluation),
            Self::Iterative(settings) => Some(&mut settings.evaluation),
            Self::Pvs(settings) => Some(&mut settings.evaluation),
            Self::Expectimax(settings) => Some(&mut settings.evaluation),
            Self::Mcts(settings) => Some(&mut settings.evaluation),
            Self::External(settings) => Some(&mut settings.evaluation),
            Self::Random | Self::Reflex | Self::Human | Self::Learned(_) | Self::Runner(_) => None,
        }
    }

    /// The size of its table of values in MiB, if it has one.
    #[must_use]
    pub const fn value_table(&self) -> Option<u32> {
        match self {
            Self::Minimax(settings) => settings.value_table,
            Self::Iterative(settings) => settings.value_table,
            Self::Mcts(settings) => settings.value_table,
            _ => None,
        }
    }

    /// Its limit, if it has one.
    #[must_use]
    pub const fn limit(&self) -> Option<Limit> {
        match self {
            Self::Iterative(settings) => settings.limit,
            Self::Pvs(settings) => settings.limit,
            Self::Mcts(settings) => settings.limit,
            Self::External(settings) => settings.limit,
            _ => None,
        }
    }

    /// Where its limit is, if agents of its kind take one.
    pub(crate) const fn limit_mut(&mut self) -> Option<&mut Option<Limit>> {
        match self {
            Self::Iterative(settings) => Some(&mut settings.limit),
            Self::Pvs(settings) => Some(&mut settings.limit),
            Self::Mcts(settings) => Some(&mut settings.limit),
            Self::External(settings) => Some(&mut settings.limit),
            _ => None,
        }
    }

    /// Its depth in plies, if it has one.
    #[must_use]
    pub const fn depth(&self) -> Option<u32> {
        match self {
            Self::Minimax(settings) => settings.depth,
            Self::Iterative(settings) => settings.depth,
            Self::Pvs(settings) => settings.depth,
            Self::Expectimax(settings) => settings.depth,
            Self::External(settings) => settings.depth,
            _ => None,
        }
    }

    /// Where its depth is, if it searches to a fixed depth, which has to be given: an engine does that has no other limit.
    pub(crate) const fn fixed_depth_mut(&mut self) -> Option<&mut Option<u32>> {
        match self {
            Self::External(settings) => {
                let has_depth = matches!(settings.protocol, Protocol::Uci);
                if has_depth && settings.limit.is_none() { Some(&mut settings.depth) } else { None }
            }
            Self::Minimax(settings) => Some(&mut settings.depth),
            Self::Expectimax(settings) => Some(&mut settings.depth),
            _ => None,
        }
    }
}
