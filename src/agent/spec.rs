//! Agents as plain data.

use super::habits::Habits;
use super::kinds::{AgentKind, Evaluation, Kind};
use crate::game::WeightLayout;
use crate::search::choice::Ties;
use crate::weights::Weights;

/// An agent as plain data. What a spec leaves open (depth, weights) is for its context to fill: a
/// stage of an evolution, or [`complete`](Self::complete).
///
/// Its text form is `KIND[:KEY=VALUE,...]`; [`AgentSpec::help`] lists kinds and keys. Tables of TOML and JSON have the same keys,
/// and `kind`; in JSON, weights have their values.
#[derive(Clone, Debug, PartialEq)]
pub struct AgentSpec {
    /// What it is, with the settings of its kind.
    pub kind: AgentKind,
    /// How it opens a game, and when it plays otherwise than its kind does.
    pub habits: Habits,
}

impl From<AgentKind> for AgentSpec {
    fn from(kind: AgentKind) -> Self {
        Self { kind, habits: Habits::default() }
    }
}

impl AgentSpec {
    /// A spec of which only the kind is given.
    #[must_use]
    pub fn new(kind: Kind) -> Self {
        AgentKind::from(kind).into()
    }

    /// The kind without its settings.
    #[must_use]
    pub fn kind(&self) -> Kind {
        Kind::from(&self.kind)
    }

    /// What tells it from other agents of its run, in few words: of a runner, its name or its numbers; else its text form.
    #[must_use]
    pub fn short(&self) -> String {
        let AgentKind::Runner(settings) = &self.kind else { return self.to_string() };
        let numbers = settings.numbers.iter().map(|(name, value)| format!("{name}={value}"));
        let words: Vec<String> = settings.name.iter().cloned().chain(numbers).collect();
        if words.is_empty() { self.to_string() } else { words.join(",") }
    }

    /// The command of an outside program, placeholders as they are given.
    #[must_use]
    pub fn command(&self) -> Option<&str> {
        match &self.kind {
            AgentKind::External(settings) => Some(&settings.command),
            AgentKind::Runner(settings) => Some(&settings.command),
            _ => None,
        }
    }

    /// Whether it evaluates positions, or is a program that is given weights.
    #[must_use]
    pub fn evaluates(&self) -> bool {
        match &self.kind {
            AgentKind::Mcts(settings) => settings.search.evaluates(),
            AgentKind::External(settings) => settings.evaluation != Evaluation::default(),
            kind => kind.evaluation().is_some(),
        }
    }

    /// Whether it has a limit of time. A program has one by default.
    #[must_use]
    pub fn is_timed(&self) -> bool {
        match self.kind.limit() {
            Some(limit) => limit.time_rules().is_some(),
            None => matches!(self.kind, AgentKind::External(_)),
        }
    }

    /// Whether games with the same seeds repeat themselves: no clock, no race of threads and no other
    /// program has a say in its moves.
    #[must_use]
    pub fn is_repeatable(&self) -> bool {
        let timed = self.is_timed();
        match &self.kind {
            AgentKind::External(_) | AgentKind::Runner(_) | AgentKind::Human => false,
            AgentKind::Mcts(settings) => !timed && settings.search.threads <= 1,
            _ => !timed,
        }
    }

    /// Whether it has to see a game from its first move on: a program whose protocol tells no positions.
    #[must_use]
    pub const fn plays_from_start_only(&self) -> bool {
        match &self.kind {
            AgentKind::External(settings) => !settings.protocol.carries_positions(),
            AgentKind::Runner(_) => true,
            _ => false,
        }
    }

    /// Whether its moves are functions of the position alone: it is repeatable, and draws nothing.
    #[must_use]
    pub fn is_without_chance(&self) -> bool {
        let searches_so = match &self.kind {
            AgentKind::Reflex => true,
            AgentKind::Minimax(settings) => settings.ties == Ties::First,
            _ => false,
        };
        let habits = &self.habits;
        let draws = habits.jump.is_some() || habits.theory.is_some() || habits.mix.is_some();
        searches_so && self.is_repeatable() && !draws
    }

    /// The weights of its evaluation, where they are given.
    #[must_use]
    pub fn weights(&self) -> Option<&Weights> {
        self.kind.evaluation()?.weights.as_ref()
    }

    /// Where it may hold weights, each with the key that gives them.
    pub(super) fn weight_slots_mut(
        &mut self,
    ) -> impl Iterator<Item = (&'static str, &mut Option<Weights>)> {
        let (order, own) = match &mut self.kind {
            AgentKind::Minimax(settings) => {
                (Some(&mut settings.order), Some(&mut settings.evaluation.weights))
            }
            kind => (None, kind.evaluation_mut().map(|evaluation| &mut evaluation.weights)),
        };
        let all = [("weights", own), ("order", order), ("mix", Some(&mut self.habits.mix))];
        all.into_iter().filter_map(|(key, slot)| Some((key, slot?)))
    }

    /// All weights that it holds, to change them, each with the key that gives it.
    pub fn all_weights_mut(&mut self) -> impl Iterator<Item = (&'static str, &mut Weights)> {
        self.weight_slots_mut().filter_map(|(key, slot)| Some((key, slot.as_mut()?)))
    }

    /// The same agent with other weights. An agent without an evaluation stays as it is.
    #[must_use]
    pub fn with_weights(&self, weights: Weights) -> Self {
        self.carrying(Some(weights))
    }

    /// The same agent with its weights and its evaluation left open.
    #[must_use]
    pub fn without_weights(&self) -> Self {
        self.carrying(None)
    }

    fn carrying(&self, weights: Option<Weights>) -> Self {
        let mut agent = self.clone();
        if let Some(evaluation) = agent.kind.evaluation_mut() {
            (evaluation.name, evaluation.weights) = (None, weights);
        }
        agent
    }

    /// The same agent at a depth, unless it has its own.
    #[must_use]
    pub fn with_default_depth(&self, depth: u32) -> Self {
        let mut agent = self.clone();
        if let Some(own) = agent.kind.fixed_depth_mut() {
            own.get_or_insert(depth);
        }
        agent
    }

    /// The layout of its evaluation, where it has one.
    #[must_use]
    pub fn layout(&self) -> Option<&'static WeightLayout> {
        self.weights().map(Weights::layout)
    }
}
