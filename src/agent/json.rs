//! Agents in JSON.
//!
//! Plans are hashed by their JSON, and manifests of old runs hold it, so that the form is fixed: one flat object with the
//! parts of all kinds, most of them left out. [`PlainSpec`] has that form, field by field. [`AgentSpec`] goes through
//! it and is free to change.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::kinds::{
    AgentKind, Evaluation, ExternalSettings, IterativeSettings, Kind, SecondEvaluation,
    TranspositionTable,
};
use super::learned::Learned;
use super::limit::Limit;
use super::spec::{AgentSpec, FirstMove, RandomJump, Theory};
use crate::protocol::Protocol;
use crate::search::choice::Ties;
use crate::search::{Pruning, Widths, mcts, memory};
use crate::weights::Weights;

/// [`AgentSpec`] as it is in JSON.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct PlainSpec {
    kind: Kind,
    depth: Option<u32>,
    evaluation: Option<String>,
    weights: Option<Weights>,
    first_move: FirstMove,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    theory: Option<Theory>,
    seed: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    limit: Option<Limit>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    table: Option<u32>,
    #[serde(default, skip_serializing_if = "is_default")]
    options: PlainOptions,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    mcts: Option<mcts::Settings>,
    #[serde(default, skip_serializing_if = "is_default")]
    habits: PlainHabits,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    external: Option<PlainExternal>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    learned: Option<Learned>,
}

/// Settings of minimax and its relatives.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct PlainOptions {
    #[serde(default)]
    pruning: Pruning,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    win: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    order: Option<Weights>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    widths: Option<Widths>,
    #[serde(default, skip_serializing_if = "is_default")]
    ties: Ties,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    memory: Option<memory::Settings>,
}

/// Random jumps and the second evaluation.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct PlainHabits {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    jump: Option<RandomJump>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    mix: Option<SecondEvaluation>,
}

/// Another program.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct PlainExternal {
    command: String,
    protocol: Protocol,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

impl Serialize for AgentSpec {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        PlainSpec::from(self.clone()).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for AgentSpec {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        PlainSpec::deserialize(deserializer)?.try_into().map_err(D::Error::custom)
    }
}

impl From<AgentSpec> for PlainSpec {
    fn from(spec: AgentSpec) -> Self {
        let AgentSpec { mut kind, jump, first_move, theory, seed } = spec;
        let Evaluation { name: evaluation, weights, second: mix } =
            kind.evaluation_mut().map(std::mem::take).unwrap_or_default();
        let mut plain = Self {
            kind: Kind::from(&kind),
            depth: kind.depth(),
            evaluation,
            weights,
            first_move,
            theory,
            seed,
            limit: kind.limit(),
            table: None,
            options: PlainOptions::default(),
            mcts: None,
            habits: PlainHabits { jump, mix },
            external: None,
            learned: None,
        };
        match kind {
            AgentKind::Minimax(of) => {
                let (pruning, ties, order, widths) = (of.pruning, of.ties, of.order, of.widths);
                plain.options = PlainOptions { pruning, order, widths, ties, ..plain.options };
            }
            AgentKind::Iterative(IterativeSettings { pruning, table, .. }) => {
                plain.options.pruning = pruning;
                match table {
                    TranspositionTable::None => {}
                    TranspositionTable::Mebibytes(size) => plain.table = Some(size),
                    TranspositionTable::Bounded(memory) => plain.options.memory = Some(memory),
                }
            }
            AgentKind::Expectimax(settings) => plain.options.win = settings.win,
            AgentKind::Mcts(settings) => plain.mcts = Some(settings.search),
            AgentKind::External(ExternalSettings { command, protocol, .. }) => {
                plain.external = Some(PlainExternal { command, protocol });
            }
            AgentKind::Learned(learned) => plain.learned = Some(learned),
            AgentKind::Random | AgentKind::Reflex | AgentKind::Human | AgentKind::Greedy(_) => {}
        }
        plain
    }
}

impl TryFrom<PlainSpec> for AgentSpec {
    type Error = String;

    /// Refuses an object with parts that its kind does not have.
    fn try_from(plain: PlainSpec) -> Result<Self, String> {
        let PlainSpec { depth, limit, table, options, habits, .. } = plain.clone();
        let mut kind = AgentKind::from(plain.kind);
        match &mut kind {
            AgentKind::Minimax(settings) => {
                settings.depth = depth;
                settings.pruning = options.pruning;
                settings.ties = options.ties;
                settings.order = options.order;
                settings.widths = options.widths;
            }
            AgentKind::Iterative(settings) => {
                settings.limit = limit;
                settings.depth = depth;
                settings.pruning = options.pruning;
                settings.table = match (table, options.memory) {
                    (None, None) => TranspositionTable::None,
                    (Some(size), _) => TranspositionTable::Mebibytes(size),
                    (None, Some(memory)) => TranspositionTable::Bounded(memory),
                };
            }
            AgentKind::Expectimax(settings) => {
                settings.depth = depth;
                settings.win = options.win;
            }
            AgentKind::Mcts(settings) => {
                settings.limit = limit;
                settings.search = plain.mcts.clone().unwrap_or_default();
            }
            AgentKind::External(settings) => {
                let program =
                    plain.external.clone().ok_or("an external agent without a command")?;
                settings.command = program.command;
                settings.protocol = program.protocol;
                settings.limit = limit;
            }
            AgentKind::Learned(learned) => {
                *learned = plain.learned.clone().ok_or("a learned agent without a table")?;
            }
            AgentKind::Random | AgentKind::Reflex | AgentKind::Human | AgentKind::Greedy(_) => {}
        }
        if let Some(evaluation) = kind.evaluation_mut() {
            *evaluation = Evaluation {
                name: plain.evaluation.clone(),
                weights: plain.weights.clone(),
                second: habits.mix,
            };
        }
        let (first_move, theory, seed) = (plain.first_move, plain.theory.clone(), plain.seed);
        let spec = Self { kind, jump: habits.jump, first_move, theory, seed };
        match PlainSpec::from(spec.clone()) == plain {
            true => Ok(spec),
            false => Err(format!("not an agent of the kind {}: it has other parts", plain.kind)),
        }
    }
}
