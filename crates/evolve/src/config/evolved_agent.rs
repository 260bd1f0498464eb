//! The evolved agent, which plays with the values of the candidates: as it is in `[agent]`, at the start of the evolution, and
//! as an opponent; or the program of somebody else that plays the games, `[fitness] runner = { ... }`.

use std::collections::BTreeMap;
use std::path::Path;

use schemars::JsonSchema;
use serde::Deserialize;

use super::stages::OpponentSection;
use super::{EvolutionConfig, Reader, Result, none_of};
use crate::{SlotPlan, Space};
use tictune_core::agent::{AgentSpec, Known, MinimaxSettings, ParameterValue, Scope, read_numbers};
use tictune_core::game::{GameInfo, WeightLayout};
use tictune_core::input::{InputError, Table, unknown};
use tictune_core::weights::Weights;

impl Reader<'_, '_, '_> {
    pub(super) fn evolved_agent(&self, root: &Table<'_, '_>) -> Result<AgentSpec> {
        if self.has_runner() {
            return self.runner();
        }
        let agent = AgentSpec::under("agent", root, self.scope)?
            .unwrap_or_else(|| MinimaxSettings::default().into());
        let refuse = |message: String| Err(root.error("agent", message));
        let is_program = agent.program().is_some();
        if agent.kind.depth().is_some() && !(is_program && agent.kind.limit().is_some()) {
            return refuse("its depth follows the stage: leave depth out".into());
        }
        let Some(layout) = self.layout else {
            // A program is complete once it has the numbers that are evolved.
            if is_program {
                return Ok(agent);
            }
            let complete = agent.complete_but_for_depth(self.scope.game);
            return complete.map_err(|error| root.error("agent", error));
        };
        if !evaluates_with(&agent, layout) {
            if is_program {
                let slot = layout.slots.first().map_or("slot", |slot| slot.name);
                return refuse(format!(
                    "it plays with the candidates' weights: write {{weights}} for the path of a file with them, or single \
                     weights by name such as {{{slot}}}, in cmd, env, setup or options"
                ));
            }
            return refuse(
                "it plays with the candidates' weights, so it must evaluate positions: greedy, minimax, iterative, expectimax, or mcts with playout=ept".into(),
            );
        }
        if agent.weights().is_some() {
            return refuse("its weights are the candidates': leave weights out".into());
        }
        match agent.kind.evaluation().and_then(|evaluation| evaluation.name.as_ref()) {
            Some(name) if name != layout.name => {
                refuse(format!("its evaluation is the one that is evolved, {}", layout.name))
            }
            _ => Ok(agent.without_weights()),
        }
    }

    pub(super) fn has_runner(&self) -> bool {
        self.scope.game.is_outside()
    }

    pub(super) fn runner(&self) -> Result<AgentSpec> {
        let fitness = self.section("fitness");
        let (Some(keys), Some(table)) = (&self.config.fitness.runner, fitness.inner("runner"))
        else {
            return Err(InputError::new("fitness.runner is missing"));
        };
        let pairs = [
            ("cmd", keys.cmd.as_ref().or(keys.once.as_ref()).cloned()),
            ("once", keys.once.as_ref().map(|_| "true".into())),
            ("timeout", keys.timeout.clone()),
            ("pairs", keys.pairs.map(|pairs| pairs.to_string())),
        ];
        if keys.cmd.is_some() == keys.once.is_some() {
            let message = "give cmd, a program that keeps running and answers line by line, or once, a command that is run \
                           for each request";
            return Err(fitness.error("runner", message));
        }
        let mut spec = AgentSpec::empty(self.scope.known.kind("runner")?);
        for (key, text) in pairs.iter().filter_map(|(key, text)| Some((key, text.as_ref()?))) {
            spec = spec.with_key(key, text, self.scope).map_err(|error| {
                let key = if *key == "cmd" && keys.once.is_some() { "once" } else { key };
                table.error(key, error.message.trim_start_matches("cmd: "))
            })?;
        }
        if let Some(program) = spec.program() {
            let key = if table.has("once") { "once" } else { "cmd" };
            program.check().map_err(|error| table.error(key, error))?;
        }
        Ok(spec)
    }

    /// The evolved agent with the values at which the evolution starts.
    pub(super) fn start(
        &self,
        evolved: &AgentSpec,
        space: &Space,
        initial: Option<&Weights>,
    ) -> Result<AgentSpec> {
        let wrong = |error: InputError| self.root.error_in("agent", &error);
        let initials = space.parameters.iter().map(|one| (one.key.as_str(), one.initial));
        let mut start = evolved.with_numbers(initials).map_err(wrong)?;
        if let Some(weights) = initial {
            start = start.with_weights(weights.clone());
        }
        if let Some(message) = start.program().and_then(|program| program.missing_number()) {
            return Err(self.section("fitness").error("runner", message));
        }
        let (Some(program), true) = (start.program(), self.root.has("agent")) else {
            return Ok(start);
        };
        if let Some(weights) = initial {
            let slots = weights.layout().slots.iter().map(|slot| slot.name).enumerate();
            let mut evolved = slots.filter(|(index, _)| space.slot(*index) != SlotPlan::Held);
            if let Some((_, name)) = evolved.find(|(_, name)| !program.reads_slot(name)) {
                let message = format!(
                    "the program does not receive {name}: write {{{name}}} or {{weights}} in cmd, env, setup or \
                     options, or leave {name} out with cmaes.leave_out"
                );
                return Err(self.root.error("agent", message));
            }
        }
        start.complete_but_for_depth(self.scope.game).map_err(wrong)
    }

    /// An opponent: an agent, or the evolved agent with other numbers than `start`; "initial" is `start` itself. With a runner, a
    /// name that the program knows, or numbers; those that are left out are as at the start.
    pub(super) fn opponent_agent(
        &self,
        keys: &OpponentSection,
        table: &Table<'_, '_>,
        start: &AgentSpec,
    ) -> Result<AgentSpec> {
        let mut agent = start.clone();
        if self.has_runner() {
            none_of(table, &["agent", "depths", "openings"], OWN_GAMES)?;
            if let Some(name) = &keys.name {
                agent = agent.with_key("name", name, self.scope).map_err(|error| {
                    table.error("name", error.message.trim_start_matches("name: "))
                })?;
                // The name says it all.
                if keys.numbers.is_none() {
                    agent = agent.with_key("numbers", "{}", self.scope)?;
                }
            } else if keys.numbers.is_none() {
                let message = "expected numbers = { NAME = VALUE }, a file of them, or name = \"...\", a name that the \
                               program knows";
                return Err(table.error_here(message));
            }
        } else {
            none_of(table, &["name"], "is for opponents that the program of fitness.runner knows")?;
            if keys.numbers.is_some() && table.has("agent") {
                let message = "numbers sets parameters of the evolved agent: leave agent out";
                return Err(table.misplaced("numbers", message));
            }
            if keys.numbers.is_none() && !matches!(table.string("agent"), Ok(Some("initial"))) {
                let message = "missing; give an agent, as in agent = \"random\", or numbers for the evolved agent";
                let agent = AgentSpec::under("agent", table, self.scope)?;
                let agent = agent.ok_or_else(|| table.error("agent", message))?;
                let complete = agent.complete_but_for_depth(self.scope.game);
                return complete.map_err(|error| table.error_in("agent", &error));
            }
        }
        let known = start.numeric_keys();
        let known: Vec<&str> = known.iter().map(String::as_str).collect();
        let numbers = match &keys.numbers {
            None => BTreeMap::new(),
            Some(Numbers::Here(numbers)) => numbers.clone(),
            Some(Numbers::File(file)) => read_numbers(&self.scope.folder.join(file))?,
        };
        for (name, value) in numbers {
            if self.has_runner() && !known.contains(&name.as_str()) {
                let message = unknown("parameter", &name, &known);
                return Err(table.error_about("numbers", &name, message));
            }
            let found = agent.with_number(&name, value.number());
            agent = found.map_err(|error| table.error_about("numbers", &name, error.message))?;
        }
        if self.has_runner() {
            return Ok(agent);
        }
        agent.complete_but_for_depth(self.scope.game).map_err(|error| table.error_here(error))
    }
}

pub(super) fn evaluates_with(agent: &AgentSpec, layout: &WeightLayout) -> bool {
    match agent.program() {
        Some(program) => layout.slots.iter().any(|slot| program.reads_slot(slot.name)),
        None => agent.kind.evaluates(),
    }
}

/// A program that plays the games.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Runner {
    /// A program that keeps running and answers line by line
    cmd: Option<String>,
    /// A command that is run for each request
    once: Option<String>,
    /// The time limit of an answer
    timeout: Option<String>,
    /// The most pairs of games per request
    pairs: Option<u64>,
}

/// Numbers by name: here, or in a file of lines NAME = NUMBER.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
#[schemars(extend("x-takes" = "a table of finite numbers, or the name of a file of them"))]
pub(super) enum Numbers {
    Here(BTreeMap<String, ParameterValue>),
    File(String),
}

pub(super) const OWN_GAMES: &str = "the program of fitness.runner plays its own game, with the values of \
                                    [[parameters]]: leave it out";

/// The game of a config: one that is known, or that of a runner. What such games do not have is not given, either.
pub(super) fn scope<'s>(
    root: &Table<'_, '_>,
    config: &EvolutionConfig,
    path: &'s Path,
    known: &'s Known,
) -> Result<Scope<'s>> {
    let outside = GameInfo::OUTSIDE;
    if config.fitness.runner.is_none() {
        let scope = config.head.scope(root, path, known)?;
        if scope.game.is_outside() {
            let message =
                "it is played by a program: write [fitness] runner = { cmd = \"PROGRAM\" }";
            return Err(root.error("game", message));
        }
        return Ok(scope);
    }
    if config.head.game.as_deref() != Some(outside.name) {
        none_of(root, &["game"], OWN_GAMES)?;
    }
    none_of(root, &["evaluation", "agent"], OWN_GAMES)?;
    if config.parameters.is_empty() {
        let message = "missing; write [[parameters]] with key, initial, low and high for each parameter of the program \
                       that is evolved";
        return Err(root.error("parameters", message));
    }
    Ok(Scope { game: outside, known, folder: path.parent().unwrap_or(Path::new("")) })
}
