//! Agents as plain data.

use std::any::Any;

use serde_json::Value;

use super::common::{CommonSettings, Evaluation};
use super::kind::{AgentKind, AnyKind, KindInfo};
use super::program::{OtherProgram, ParameterValue};
use super::table::AgentKey;
use super::text::AgentKeys;
use crate::game::GameInfo;
use crate::input::{InputError, Result, unknown};
use crate::weights::Weights;

/// An agent as plain data: the settings of a kind, and common ones. What it leaves open (depth, weights) is for its context to fill:
/// a stage of an evolution, or [`complete`](Self::complete).
///
/// Its text form is `KIND[:KEY=VALUE,...]`; [`Known::help`](super::Known::help) lists kinds and keys. Tables of TOML and JSON
/// have the same keys, and `kind`; in JSON, weights have their values.
#[derive(Clone, Debug)]
pub struct AgentSpec {
    /// The settings of its kind.
    pub kind: Box<dyn AnyKind>,
    /// How it opens a game, and when it plays unlike its kind.
    pub common: CommonSettings,
}

impl PartialEq for AgentSpec {
    fn eq(&self, other: &Self) -> bool {
        self.kind.equals(&*other.kind) && self.common == other.common
    }
}

impl<K: AgentKind> From<K> for AgentSpec {
    fn from(settings: K) -> Self {
        Self { kind: Box::new(settings), common: CommonSettings::default() }
    }
}

impl AgentSpec {
    /// An agent of a kind with nothing but defaults. Kinds that cannot do without some key are not complete then.
    pub fn empty(kind: &KindInfo) -> Self {
        Self { kind: (kind.empty)(), common: CommonSettings::default() }
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

    /// What tables, games and logs call it: a program that has a name or plays whole games by its name and its numbers; else its
    /// text form.
    pub fn short(&self) -> String {
        let named =
            |program: &&dyn OtherProgram| program.plays_whole_games() || program.name().is_some();
        let program = self.program().filter(named);
        let words = program.into_iter().flat_map(|program| {
            let numbers = program.numbers().iter().map(|(name, value)| format!("{name}={value}"));
            program.name().map(String::from).into_iter().chain(numbers)
        });
        let words: Vec<String> = words.collect();
        if words.is_empty() { self.to_string() } else { words.join(",") }
    }

    /// The command of an outside program, placeholders as they are given.
    pub fn command(&self) -> Option<&str> {
        self.program().map(OtherProgram::command)
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
        own.into_iter().chain([("mix", &mut self.common.mix)])
    }

    /// All weights that it holds, to change them, each with the key that gives it.
    pub fn all_weights_mut(&mut self) -> impl Iterator<Item = (&'static str, &mut Weights)> {
        self.weight_slots_mut().filter_map(|(key, slot)| Some((key, slot.as_mut()?)))
    }

    /// The same agent with other weights. An agent without an evaluation stays as it is.
    #[must_use]
    pub fn with_weights(&self, weights: Weights) -> Self {
        let mut agent = self.without_weights();
        if let Some(evaluation) = agent.kind.evaluation_mut() {
            evaluation.weights = Some(weights);
        }
        agent
    }

    /// The same agent with its weights and its evaluation left open.
    #[must_use]
    pub fn without_weights(&self) -> Self {
        let mut agent = self.clone();
        if let Some(evaluation) = agent.kind.evaluation_mut() {
            *evaluation = Evaluation::default();
        }
        agent
    }

    /// Whether it searches to a depth, and has none yet.
    pub fn needs_depth(&self) -> bool {
        self.clone().kind.fixed_depth_mut().is_some_and(|depth| depth.is_none())
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

    /// Fills in what is still open: the strongest built-in weights of the evaluation (of the game's
    /// default evaluation, if none is named).
    ///
    /// # Errors
    /// A person; a search to a fixed depth without one; a search without its limit; an evaluation without built-in
    /// weights; a program with a placeholder that has no value, or a value that no placeholder has.
    pub fn complete(mut self, game: &'static GameInfo) -> Result<Self> {
        let has_own_limits = self.program().is_some() || self.kind.depth().is_some();
        if !has_own_limits && self.kind.fixed_depth_mut().is_some() {
            let kind = self.kind_name();
            let message = format!("agent \"{self}\" needs a depth, as in {kind}:depth=5");
            return Err(InputError::new(message));
        }
        self.complete_but_for_depth(game)
    }

    /// [`complete`](Self::complete), but the depth of a search to a fixed depth may stay open.
    pub fn complete_but_for_depth(mut self, game: &'static GameInfo) -> Result<Self> {
        let (evaluates, text) = (self.kind.evaluates(), self.to_string());
        let wrong = |what: String| InputError::new(format!("agent \"{text}\"{what}"));
        self.kind.complete(&text, game)?;
        let is_program = self.program().is_some();
        if !is_program && self.kind.limit_mut().is_some_and(|limit| limit.is_none()) {
            let limits = self.kind.info().limits_by_example();
            return Err(wrong(format!(" needs a limit: {limits}")));
        }
        if let Some(evaluation) = self.kind.evaluation_mut().filter(|_| evaluates)
            && evaluation.weights.is_none()
        {
            let named = evaluation.name.as_deref();
            let name = named.or(game.layouts.first().map(|layout| layout.name)).ok_or_else(|| {
                wrong(format!(
                    " needs an evaluation, and tictune has none for {}: use an outside program (external), random, or \
                     mcts with random playouts",
                    game.name
                ))
            })?;
            let strongest = Weights::strongest(game, name).ok_or_else(|| {
                InputError::new(format!("no weights for {name} are built in; give weights=FILE"))
            })?;
            evaluation.weights = Some(strongest);
        }
        if let Some(program) = self.program() {
            program.check().map_err(|error| error.context(&format!("agent \"{self}\"")))?;
            if let (Some(message), None) = (program.missing_number(), program.name()) {
                return Err(wrong(format!(": {message}")));
            }
        }
        Ok(self)
    }

    /// The agent that plays a game best under rules (in text) with a limit such as `time=1s`, in text: who plays unless another
    /// is named.
    pub fn strongest(game: &GameInfo, rules: &str, limit: &str) -> String {
        let in_force = |rule: &str| rules.split(',').any(|one| one.trim() == rule);
        let under = game.strongest_under.iter().find(|(rule, _)| in_force(rule));
        let agent = under.map_or(game.strongest, |(_, agent)| agent);
        let separator = if agent.contains(':') { ',' } else { ':' };
        format!("{agent}{separator}{limit}")
    }

    /// Opponents for people, from weak to strong: the name of a level, and the agent in text.
    #[doc(hidden)]
    pub fn levels(game: &GameInfo, rules: &str) -> [(&'static str, String); 5] {
        let (easy, medium) = match game.vectors {
            [] => ("mcts:iterations=50", "mcts:iterations=500"),
            _ => ("greedy", "minimax:depth=2"),
        };
        [
            ("beginner", "random".into()),
            ("easy", easy.into()),
            ("medium", medium.into()),
            ("hard", Self::strongest(game, rules, "time=50ms")),
            ("expert", Self::strongest(game, rules, "time=1s")),
        ]
    }

    /// Agents from weak to strong, whose games are the same on any machine: what others are rated against.
    #[doc(hidden)]
    pub fn ladder(game: &GameInfo, rules: &str) -> Vec<String> {
        let mut agents: Vec<String> = vec!["random".into()];
        if !game.vectors.is_empty() {
            agents.extend(["greedy", "minimax:depth=2", "minimax:depth=4"].map(String::from));
            agents.extend(game.pool.iter().map(|name| format!("minimax:depth=4,weights={name}")));
            agents.extend(
                ["mcts:playout=ept,iterations=2000", "iterative:nodes=20000"].map(String::from),
            );
        }
        agents.extend([100, 2000, 20_000].map(|count| format!("mcts:iterations={count}")));
        if game.strongest != "mcts" {
            agents.extend(
                [2000, 20_000, 200_000]
                    .map(|count| Self::strongest(game, rules, &format!("nodes={count}"))),
            );
        }
        agents
    }
}

impl AgentSpec {
    /// The numbers of it that can be evolved: keys of its kind, or those that a program has names for.
    pub fn numeric_keys(&self) -> Vec<String> {
        match self.program() {
            Some(program) => program.number_names(),
            None => self.evolving().map(|key| key.name.clone()).collect(),
        }
    }

    /// Whether a numeric key takes whole numbers only.
    pub fn takes_whole(&self, key: &str) -> bool {
        self.numeric(key).is_some_and(AgentKey::is_whole)
    }

    /// The value of a numeric key, given or by default; `None` where it has none.
    pub fn number(&self, key: &str) -> Option<f64> {
        if let Some(program) = self.program() {
            return program.numbers().get(key).map(|value| value.number());
        }
        let key = self.numeric(key).filter(|key| self.missing(key).is_none())?;
        self.table().get(&key.name).unwrap_or(key.default()).as_f64()
    }

    fn evolving(&self) -> impl Iterator<Item = &'static AgentKey> + use<> {
        let keys = if self.program().is_some() { &[][..] } else { &self.kind.info().keys };
        keys.iter().filter(|key| key.is("x-evolves"))
    }

    fn numeric(&self, name: &str) -> Option<&'static AgentKey> {
        self.evolving().find(|key| key.name == name)
    }

    /// The same agent with another value of a numeric key. What a program knows as on and off stays so.
    ///
    /// # Errors
    /// A key that is unknown, no number, or of no use in the agent; a value out of its range.
    pub fn with_number(&self, key: &str, value: f64) -> Result<Self> {
        self.with_numbers([(key, value)])
    }

    /// The same agent with other values of several numeric keys.
    ///
    /// # Errors
    /// Those of [`Self::with_number`].
    pub fn with_numbers<'k>(&self, new: impl IntoIterator<Item = (&'k str, f64)>) -> Result<Self> {
        let mut agent = self.clone();
        let Some(program) = agent.kind.program_mut() else {
            let mut found = AgentKeys::of(self);
            for (key, value) in new {
                let (key, value) = self.key_and_number(key, value)?;
                found.set(key, value)?;
            }
            return found.build();
        };
        let check = program.name_check()?;
        for (key, value) in new {
            check(key)?;
            let old = program.numbers().get(key).copied();
            let old = old.unwrap_or(ParameterValue::Number(value));
            program.set_number(key, old.with_number(value));
        }
        Ok(agent)
    }

    /// A numeric key by its name, and a number as the key takes it.
    fn key_and_number(&self, key: &str, value: f64) -> Result<(&AgentKey, Value)> {
        let numeric = self.numeric(key).ok_or_else(|| {
            let keys: Vec<&str> = self.evolving().map(|key| &*key.name).collect();
            let message = match self.kind.info().key(key) {
                Some(_) => format!("{key} cannot be evolved. These keys can: {}", keys.join(", ")),
                None => unknown("numeric key", key, &keys),
            };
            InputError::new(format!("{}: {message}", self.kind_name()))
        })?;
        if let Some(part) = self.missing(numeric) {
            let message = format!("{key} has no effect in \"{self}\": it needs {part}");
            return Err(InputError::new(message));
        }
        let whole = value as u64;
        let is_whole = numeric.is_whole() && whole as f64 == value;
        let number = numeric.take(if is_whole { whole.into() } else { value.into() });
        let number = number.ok_or_else(|| {
            InputError::new(format!("{key}: expected {}, found {value}", numeric.takes()))
        })?;
        Ok((numeric, number))
    }

    /// The key and value that it lacks, if nothing in it looks at a number.
    fn missing<'k>(&self, key: &'k AgentKey) -> Option<&'k str> {
        let part = key.said("x-with").or((key.name == "jump").then_some("jump="));
        if let Some(part) = part {
            let name = part.split('=').next().unwrap_or(part);
            return (!self.table().contains_key(name)).then_some(part);
        }
        self.kind.ignores(&key.name)
    }
}
