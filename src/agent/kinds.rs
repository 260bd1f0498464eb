//! The kinds of agents, each with the settings that it alone has.
//!
//! A new kind is a variant of [`AgentKind`], with a struct of settings if it has any. Its keys are in the table of
//! `keys`, and `prepare` makes players of it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use strum::{
    Display, EnumDiscriminants, EnumIter, EnumMessage, EnumString, IntoEnumIterator, VariantNames,
};

use super::learned::Learned;
use super::limit::Limit;
use super::placeholders::PlaceholderValue;
use super::runner::RunnerSettings;
use crate::protocol::Protocol;
use crate::search::choice::{Choosing, Ties, WhenLost};
use crate::search::iterative::Depths;
use crate::search::{Pruning, Sorting, Widths, mcts, memory, pvs};
use crate::weights::Weights;

/// What an agent is, with the settings of its kind.
#[derive(Clone, Debug, PartialEq, EnumIter, EnumDiscriminants)]
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
    Learned(Learned),
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

/// The evaluation of an agent.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Evaluation {
    /// Its name, where the spec gives it without weights.
    pub name: Option<String>,
    /// Its weights.
    pub weights: Option<Weights>,
    /// Another one that is used for some of the moves.
    pub second: Option<SecondEvaluation>,
}

/// A second evaluation, used instead of the agent's own with a chance that is drawn before each own move
/// (Amar X).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SecondEvaluation {
    /// Its weights.
    pub weights: Weights,
    /// The chance that it is used.
    pub share: f64,
}

impl SecondEvaluation {
    /// The default chance.
    pub const SHARE: f64 = 0.5;
}

/// The settings of greedy agents.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GreedySettings {
    /// What positions are worth.
    pub evaluation: Evaluation,
}

/// The settings of fixed-depth minimax.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MinimaxSettings {
    /// The depth in plies; a stage of an evolution fills it in.
    pub depth: Option<u32>,
    /// What the search leaves out.
    pub pruning: Pruning,
    /// Which of several best moves is played.
    pub ties: Ties,
    /// What is played in a lost position.
    pub lost: WhenLost,
    /// The weights whose evaluation sorts the moves, if not its own.
    pub order: Option<Weights>,
    /// How moves are sorted that this evaluation values alike.
    pub sorting: Sorting,
    /// How many of the sorted moves are tried at each ply.
    pub widths: Option<Widths>,
    /// The most plies for which it follows loud moves beyond its depth.
    pub quiescence: Option<u32>,
    /// The size of its table of values in MiB.
    pub value_table: Option<u32>,
    /// What leaves are worth.
    pub evaluation: Evaluation,
}

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
#[derive(Clone, Debug, Default, PartialEq)]
pub struct IterativeSettings {
    /// What ends the search of a move.
    pub limit: Option<Limit>,
    /// The deepest it goes, in plies.
    pub depth: Option<u32>,
    /// Which depths it searches.
    pub depths: Depths,
    /// What the search leaves out.
    pub pruning: Pruning,
    /// Which of several best moves is played.
    pub ties: Ties,
    /// What it remembers of positions.
    pub table: TranspositionTable,
    /// The size of its table of values in MiB.
    pub value_table: Option<u32>,
    /// What leaves are worth.
    pub evaluation: Evaluation,
}

/// What iterative deepening remembers of positions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum TranspositionTable {
    /// Nothing.
    #[default]
    None,
    /// A table of so many MiB.
    Mebibytes(u32),
    /// A bounded number of results (Lifshitz VII).
    Bounded(memory::Settings),
}

impl TranspositionTable {
    /// The settings of a bounded number of results, if it is that.
    #[must_use]
    pub const fn bounded(&self) -> Option<&memory::Settings> {
        match self {
            Self::Bounded(settings) => Some(settings),
            Self::None | Self::Mebibytes(_) => None,
        }
    }
}

/// The settings of principal variation search.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PvsSettings {
    /// What ends the search of a move.
    pub limit: Option<Limit>,
    /// The deepest it goes, in plies.
    pub depth: Option<u32>,
    /// The size of its table in MiB, if not [`TABLE_MIB`](crate::search::pvs::TABLE_MIB).
    pub table: Option<u32>,
    /// How it prunes and orders moves.
    pub search: pvs::Settings,
    /// What leaves are worth.
    pub evaluation: Evaluation,
}

/// The settings of expectimax.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ExpectimaxSettings {
    /// The depth in plies; a stage of an evolution fills it in.
    pub depth: Option<u32>,
    /// What a won game is worth in weight units, if not [`DEFAULT_WIN`](crate::search::expectimax::DEFAULT_WIN).
    pub win: Option<f64>,
    /// What leaves are worth.
    pub evaluation: Evaluation,
}

/// The settings of Monte Carlo tree search.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MctsSettings {
    /// What ends the search of a move.
    pub limit: Option<Limit>,
    /// The parts of the search.
    pub search: mcts::Settings,
    /// The size of its table of values in MiB.
    pub value_table: Option<u32>,
    /// What positions are worth, where a part of the search asks.
    pub evaluation: Evaluation,
}

/// Another program as an agent.
#[derive(Clone, Debug, PartialEq)]
pub struct ExternalSettings {
    /// The program and its arguments, separated by spaces; quotes keep words together. No shell
    /// looks at it.
    pub command: String,
    /// The protocol that it speaks.
    pub protocol: Protocol,
    /// What it may spend on a move: time or, for UCI engines, nodes; by default the clock of the protocol's platform.
    pub limit: Option<Limit>,
    /// The depth in plies to which a UCI engine searches.
    pub depth: Option<u32>,
    /// The share of its time that it may be late with a move; [`GRACE`](Self::GRACE) by default.
    pub grace: f64,
    /// Variables of its environment, beside those of this process.
    pub env: BTreeMap<String, String>,
    /// Lines that it is sent before anything else.
    pub setup: Vec<String>,
    /// Options that the protocol has a way of setting.
    pub options: BTreeMap<String, String>,
    /// What placeholders such as `{corner}` in the command, and in all of the above, stand for.
    pub numbers: BTreeMap<String, PlaceholderValue>,
    /// Weights of an evaluation of the game, which the program gets in a file, or slot by slot.
    pub evaluation: Evaluation,
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
            limit: None,
            depth: None,
            grace: Self::GRACE,
            env: BTreeMap::new(),
            setup: Vec::new(),
            options: BTreeMap::new(),
            numbers: BTreeMap::new(),
            evaluation: Evaluation::default(),
        }
    }
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
