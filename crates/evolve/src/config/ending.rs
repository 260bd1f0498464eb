//! What happens at the end of an evolution: best against mean, and the validation of the winner.

use super::carrier::carries;
use super::{
    COMPARISON_KEYS, Reader, VALIDATION_AGENT_KEYS, VALIDATION_KEYS, even_games, read_agent,
};
use crate::Parameter;
use crate::plan::{ComparisonPlan, ValidationPlan};
use tictune_core::agent::{AgentSpec, IterativeSettings, KindInfo, Limit, MctsSettings};
use tictune_core::arena::Openings;
use tictune_core::input::InputError;
use tictune_core::search::minimax::MAX_DEPTH;
use tictune_core::weights::{Weights, tell_apart};

impl Reader<'_, '_, '_> {
    pub(super) fn comparison(
        &self,
        carrier: &AgentSpec,
        parameters: &[Parameter],
        deepest: u32,
    ) -> Result<ComparisonPlan, InputError> {
        let table = self.root.table("comparison", &COMPARISON_KEYS)?;
        let default = carrier.with_default_depth(deepest);
        let Some(table) = table else {
            let usual = if self.from_start { "none" } else { "random:4:held-out" };
            let openings = Openings::parse_in(usual, &self.rules, self.scope)?;
            return Ok(ComparisonPlan { games: 1000, agent: default, openings });
        };
        if self.has_runner() && table.has("agent") {
            let message = "the program of fitness.runner plays both: leave agent out";
            return Err(table.misplaced("agent", message));
        }
        let agent = match read_agent(&table, "agent", self.scope)? {
            None => default,
            Some(agent) => {
                let mut agent = agent.with_default_depth(deepest);
                for parameter in parameters {
                    let with_number = agent
                        .with_number(&parameter.key, parameter.initial)
                        .map_err(|error| table.error("agent", error))?;
                    // A program has no value of its own.
                    if agent.program().is_some() {
                        agent = with_number;
                    }
                }
                match self.layout {
                    None => agent
                        .complete_but_for_depth(self.scope.game)
                        .map_err(|error| table.error("agent", error))?,
                    Some(layout) if !carries(&agent, layout) || agent.weights().is_some() => {
                        let message =
                            "it carries the best and the mean: minimax or greedy without weights";
                        return Err(table.error("agent", message));
                    }
                    Some(_) => agent.without_weights(),
                }
            }
        };
        let openings = self.openings_of(&table, "random:4:held-out")?;
        Ok(ComparisonPlan { games: even_games(&table, 1000)?, agent, openings })
    }

    pub(super) fn validation(
        &self,
        initial: Option<&Weights>,
        carrier: &AgentSpec,
    ) -> Result<ValidationPlan, InputError> {
        let table = self.root.table("validation", &VALIDATION_KEYS)?;
        let table = table.as_ref();
        let of_weights = ["depths", "iterative", "ept", "opponents"];
        if let (Some(table), None) = (table, initial)
            && let Some(key) = of_weights.iter().find(|key| table.has(key))
        {
            let message = "is for weights, and none are evolved: the agent plays the opponents of the last stage";
            return Err(table.misplaced(key, message));
        }
        let strings = |key| table.map_or(Ok(None), |table| table.strings(key));
        let limits = |key, kind: &KindInfo| -> Result<Vec<Limit>, InputError> {
            let texts = strings(key)?.unwrap_or_default();
            let read = |text: &str| match (kind.limit(text), table) {
                (Err(error), Some(table)) => Err(table.error_about(key, text, error)),
                (limit, _) => limit,
            };
            texts.into_iter().map(read).collect()
        };
        let depths = table.map_or(Ok(None), |table| table.wholes("depths", 1, MAX_DEPTH))?;
        // The weights of a program are tried in searches of tictune where a config asks for it.
        let is_program = carrier.program().is_some_and(|program| !program.plays_whole_games());
        let usual_depths = if is_program { 1..1 } else { 1..9 };
        let agents = match table {
            Some(table) => table.tables("agents", self.opponent_keys(&VALIDATION_AGENT_KEYS))?,
            None => Vec::new(),
        };
        let agents = agents.iter().map(|agent| self.opponent_agent(agent, carrier));
        let agents: Vec<AgentSpec> = agents.collect::<Result<_, _>>()?;
        // A start from a vector of the pool plays it once.
        let is_start = |name: &str| {
            let same = |weights: Weights| {
                let initial = initial.map(|initial| (initial.layout().name, initial.values()));
                initial == Some((weights.layout().name, weights.values()))
            };
            self.scope.weights(name).is_ok_and(same)
        };
        let others = || self.scope.game.pool.iter().copied().filter(|name| !is_start(name));
        let pool = || std::iter::once("initial").chain(others());
        let names = strings("opponents")?.unwrap_or_else(|| match initial {
            Some(_) if !is_program => pool().collect(),
            _ => Vec::new(),
        });
        let opponents = names.into_iter().map(|name| match (name, initial) {
            ("initial", Some(initial)) => Ok(initial.clone()),
            _ => self.scope.weights(name).map_err(|error| match table {
                Some(table) => table.error_about("opponents", name, error),
                None => error,
            }),
        });
        let openings = strings("openings")?.unwrap_or_else(|| match self.from_start {
            true => vec!["none"],
            false => Openings::of_validation(self.scope.game),
        });
        let openings = openings.into_iter().map(|text| match table {
            Some(table) => self.openings(table, text),
            None => Openings::parse_in(text, &self.rules, self.scope),
        });
        Ok(ValidationPlan {
            games: table.map_or(Ok(200), |table| even_games(table, 200))?,
            depths: depths.unwrap_or_else(|| usual_depths.collect()),
            iterative: limits("iterative", KindInfo::of::<IterativeSettings>())?,
            early_termination: limits("ept", KindInfo::of::<MctsSettings>())?,
            opponents: tell_apart(opponents.collect::<Result<_, _>>()?),
            agents,
            openings: openings.collect::<Result<_, _>>()?,
        })
    }
}
