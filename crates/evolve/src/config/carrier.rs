//! The agent that carries the candidates: as it is in `[agent]`, at the start of the evolution, and as an opponent.

use super::Reader;
use std::collections::BTreeMap;

use super::runner::Numbers;
use super::stages::Opponent;
use crate::Space;
use tictune_core::agent::{AgentSpec, MinimaxSettings, ParameterValue, read_numbers};
use tictune_core::game::WeightLayout;
use tictune_core::input::{InputError, Table};
use tictune_core::weights::Weights;

impl Reader<'_, '_, '_> {
    pub(super) fn carrier(&self, root: &Table<'_, '_>) -> Result<AgentSpec, InputError> {
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
        if !carries(&agent, layout) {
            if is_program {
                let slot = layout.slots.first().map_or("slot", |slot| slot.name);
                return refuse(format!(
                    "it carries the candidate weights: write {{weights}} for the path of a file with them, or slots by \
                     name such as {{{slot}}}, in cmd, env, setup or options"
                ));
            }
            return refuse(
                "it carries the candidate weights, so it must evaluate positions: greedy, minimax, iterative, expectimax, or mcts with playout=ept".into(),
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

    /// The carrier with the values at which the evolution starts.
    pub(super) fn start(
        &self,
        carrier: &AgentSpec,
        space: &Space,
        initial: Option<&Weights>,
    ) -> Result<AgentSpec, InputError> {
        let wrong = |error: InputError| self.root.error_in("agent", &error);
        let mut start = carrier.clone();
        for parameter in &space.parameters {
            start = start.with_number(&parameter.key, parameter.initial).map_err(wrong)?;
        }
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
            let evolved = |index: &usize| space.slot(*index) != crate::SlotPlan::Held;
            let mut slots = (0..weights.layout().len()).filter(evolved);
            let unread = slots.find(|&slot| !program.reads_slot(weights.layout().slots[slot].name));
            if let Some(slot) = unread {
                let name = weights.layout().slots[slot].name;
                let message = format!(
                    "nothing tells the program of {name}: write {{{name}}} or {{weights}} in cmd, env, setup or \
                     options, or leave {name} out by cmaes.leave_out"
                );
                return Err(self.root.error("agent", message));
            }
        }
        start.complete_but_for_depth(self.scope.game).map_err(wrong)
    }

    /// An opponent: an agent, or the carrier with other numbers than `start`; "initial" is `start` itself.
    pub(super) fn opponent_agent(
        &self,
        keys: &Opponent,
        table: &Table<'_, '_>,
        start: &AgentSpec,
    ) -> Result<AgentSpec, InputError> {
        if self.has_runner() {
            return self.runner_opponent(keys, table, start);
        }
        if keys.name.is_some() {
            let message = "is for opponents that the program of fitness.runner knows";
            return Err(table.misplaced("name", message));
        }
        if keys.numbers.is_some() && table.has("agent") {
            let message = "numbers is of the agent that carries the candidates: leave agent out";
            return Err(table.misplaced("numbers", message));
        }
        let is_start = matches!(table.string("agent"), Ok(Some("initial")));
        if keys.numbers.is_none() && !is_start {
            let agent = AgentSpec::under("agent", table, self.scope)?.ok_or_else(|| {
                table.error(
                    "agent",
                    "missing; who plays, as in agent = \"random\"; or give numbers for the carrier",
                )
            })?;
            return agent
                .complete_but_for_depth(self.scope.game)
                .map_err(|error| table.error_in("agent", &error));
        }
        let mut agent = start.clone();
        for (name, value) in self.numbers(keys)? {
            let found = agent.with_number(&name, value.number());
            agent = found.map_err(|error| table.error_about("numbers", &name, error.message))?;
        }
        agent.complete_but_for_depth(self.scope.game).map_err(|error| table.error_here(error))
    }

    /// The numbers of an opponent by name: a table, or a file of such lines.
    pub(super) fn numbers(
        &self,
        keys: &Opponent,
    ) -> Result<BTreeMap<String, ParameterValue>, InputError> {
        match &keys.numbers {
            None => Ok(BTreeMap::new()),
            Some(Numbers::Here(numbers)) => Ok(numbers.clone()),
            Some(Numbers::File(file)) => read_numbers(&self.scope.folder.join(file)),
        }
    }
}

/// Whether an agent can be given the weights of a layout.
pub(super) fn carries(agent: &AgentSpec, layout: &WeightLayout) -> bool {
    match agent.program() {
        Some(program) => layout.slots.iter().any(|slot| program.reads_slot(slot.name)),
        None => agent.evaluates(),
    }
}
