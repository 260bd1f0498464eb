//! Agents as plain data.

use std::any::Any;

use super::habits::Habits;
use super::kind::{AgentKind, AnyKind, KindInfo};
use super::program::OtherProgram;
use crate::game::WeightLayout;
use crate::weights::Weights;

/// An agent as plain data: the settings of a kind, and habits. What it leaves open (depth, weights) is for its context to fill:
/// a stage of an evolution, or [`complete`](Self::complete).
///
/// Its text form is `KIND[:KEY=VALUE,...]`; [`Kinds::help`](super::Kinds::help) lists kinds and keys. Tables of TOML and JSON
/// have the same keys, and `kind`; in JSON, weights have their values.
#[derive(Clone, Debug)]
pub struct AgentSpec {
    /// The settings of its kind.
    pub kind: Box<dyn AnyKind>,
    /// How it opens a game, and when it plays otherwise than its kind does.
    pub habits: Habits,
}

impl PartialEq for AgentSpec {
    fn eq(&self, other: &Self) -> bool {
        self.kind.equals(&*other.kind) && self.habits == other.habits
    }
}

impl<K: AgentKind> From<K> for AgentSpec {
    fn from(settings: K) -> Self {
        Self { kind: Box::new(settings), habits: Habits::default() }
    }
}

impl AgentSpec {
    /// An agent of a kind with nothing but defaults. Kinds that cannot do without some key are not complete then.
    pub fn empty(kind: &KindInfo) -> Self {
        Self { kind: (kind.empty)(), habits: Habits::default() }
    }

    /// The name of its kind.
    pub fn kind_name(&self) -> &'static str {
        self.kind.info().name
    }

    /// Whether it is of a kind.
    pub fn is<K: AgentKind>(&self) -> bool {
        self.settings::<K>().is_some()
    }

    /// Its settings, if it is of a kind.
    pub fn settings<K: AgentKind>(&self) -> Option<&K> {
        (&*self.kind as &dyn Any).downcast_ref()
    }

    /// The same, to change them.
    pub fn settings_mut<K: AgentKind>(&mut self) -> Option<&mut K> {
        (&mut *self.kind as &mut dyn Any).downcast_mut()
    }

    /// The other program that it is, if it is one.
    pub fn program(&self) -> Option<&dyn OtherProgram> {
        self.kind.program()
    }

    /// What tells it from other agents of its run, in few words: of a program that plays whole games, its numbers; else its
    /// text form.
    pub fn short(&self) -> String {
        let Some(program) = self.program().filter(|program| program.plays_whole_games()) else {
            return self.to_string();
        };
        let numbers = program.numbers().iter().map(|(name, value)| format!("{name}={value}"));
        let words: Vec<String> =
            program.name().map(String::from).into_iter().chain(numbers).collect();
        if words.is_empty() { self.to_string() } else { words.join(",") }
    }

    /// The command of an outside program, placeholders as they are given.
    pub fn command(&self) -> Option<&str> {
        self.program().map(OtherProgram::command)
    }

    /// Whether it evaluates positions, or is a program that is given weights.
    pub fn evaluates(&self) -> bool {
        self.kind.evaluates()
    }

    /// Whether games with the same seeds repeat themselves: no clock, no race of threads and no other
    /// program has a say in its moves.
    pub fn is_repeatable(&self) -> bool {
        self.kind.is_repeatable()
    }

    /// Whether it has to see a game from its first move on: a program whose protocol tells no positions.
    pub fn plays_from_start_only(&self) -> bool {
        self.kind.plays_from_start_only()
    }

    /// Whether its moves are functions of the position alone: it is repeatable, and draws nothing.
    pub fn is_without_chance(&self) -> bool {
        let habits = &self.habits;
        let draws = habits.jump.is_some() || habits.theory.is_some() || habits.mix.is_some();
        self.kind.is_without_chance() && self.is_repeatable() && !draws
    }

    /// The weights of its evaluation, where they are given.
    pub fn weights(&self) -> Option<&Weights> {
        self.kind.evaluation()?.weights.as_ref()
    }

    /// Where it may hold weights, each with the key that gives them.
    pub(super) fn weight_slots_mut(
        &mut self,
    ) -> impl Iterator<Item = (&'static str, &mut Option<Weights>)> {
        let own = self.kind.weights_mut();
        own.into_iter().chain([("mix", &mut self.habits.mix)])
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
    pub fn layout(&self) -> Option<&'static WeightLayout> {
        self.weights().map(Weights::layout)
    }
}
