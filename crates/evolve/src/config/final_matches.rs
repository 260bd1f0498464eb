//! What happens at the end of an evolution: best against mean, and the validation of the winner.

use schemars::JsonSchema;
use serde::Deserialize;

use super::evolved_agent::evaluates_with;
use super::stages::OpponentSection;
use super::{Reader, Result, even_games, none_of};
use crate::Parameter;
use crate::plan::{ComparisonPlan, ValidationPlan};
use tictune_core::agent::{AgentSpec, IterativeSettings, KindInfo, Limit, MctsSettings};
use tictune_core::arena::{MAX_GAMES, Openings};
use tictune_core::input::all_default;
use tictune_core::search::minimax::MAX_DEPTH;
use tictune_core::weights::{Weights, tell_apart};

/// The games of the mean of pairs against their start: a difference of 50 Elo is shown more often than not.
const GAMES_AGAINST_START: u64 = 400;

/// The limits of iterative deepening and of early playout termination, where a validation does not say.
const USUAL_ITERATIVE: &str = "nodes=2000";
const USUAL_EPT: &str = "iterations=200";

/// The games of a row of the validation, where it does not say, and the fewest of a row with a small budget.
const GAMES_OF_ROW: u64 = 200;
const LEAST_GAMES_OF_ROW: u64 = 20;

/// The greatest depth of a validation that names none; with a budget, so many plies beyond the deepest stage.
const MOST_DEPTH: u32 = 8;
const PLIES_BEYOND: u32 = 2;

/// The winner against other weights.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Validation {
    /// Games of each row, an even number; by default 200, and with a budget its games divided by the rows, from 20 to 200
    #[schemars(range(min = 2, max = MAX_GAMES))]
    games: Option<u64>,
    /// Depths of minimax; by default 1 to 8, and with a budget to two plies beyond the deepest stage
    #[schemars(inner(range(min = 1, max = MAX_DEPTH)))]
    depths: Option<Vec<u32>>,
    /// Limits of iterative deepening: nodes=N, time=T; by default nodes=2000
    iterative: Option<Vec<String>>,
    /// Limits of Monte Carlo tree search whose playouts end in an evaluation: iterations=N, time=T; by default iterations=200
    ept: Option<Vec<String>>,
    /// Weights by name or path; by default "initial" and published vectors
    opponents: Option<Vec<String>>,
    /// Further agents that the winner plays
    #[serde(default)]
    agents: Vec<OpponentSection>,
    /// Where games start; by default centre and random:4:held-out
    openings: Option<Vec<String>>,
}

impl Reader<'_, '_, '_> {
    pub(super) fn comparison(
        &self,
        evolved: &AgentSpec,
        parameters: &[Parameter],
        deepest: u32,
    ) -> Result<ComparisonPlan> {
        let table = self.section("comparison");
        let mut plan = self.config.comparison.clone().unwrap_or_else(all_default);
        let given = match &self.config.comparison {
            Some(_) => AgentSpec::under("agent", &table, self.scope)?,
            None => None,
        };
        if self.has_runner() && given.is_some() {
            let message = "the program of fitness.runner plays both: leave agent out";
            return Err(table.misplaced("agent", message));
        }
        plan.agent = match given {
            None => evolved.with_default_depth(deepest),
            Some(agent) => {
                let mut agent = agent.with_default_depth(deepest);
                let wrong = |error| table.error("agent", error);
                let initials = parameters.iter().map(|one| (one.key.as_str(), one.initial));
                let with_numbers = agent.with_numbers(initials).map_err(wrong)?;
                // A program has no values of its own.
                if agent.program().is_some() {
                    agent = with_numbers;
                }
                match self.layout {
                    None => agent.complete_but_for_depth(self.scope.game).map_err(wrong)?,
                    Some(layout)
                        if !evaluates_with(&agent, layout) || agent.weights().is_some() =>
                    {
                        let message = "it plays the best and the mean: give minimax or greedy without weights";
                        return Err(table.error("agent", message));
                    }
                    Some(_) => agent.without_weights(),
                }
            }
        };
        if self.in_pairs() && !table.has("games") {
            plan.games = GAMES_AGAINST_START;
        }
        plan.openings = self.openings_of(&table, "random:4:held-out")?;
        even_games(&table, plan.games)?;
        Ok(plan)
    }

    pub(super) fn validation(
        &self,
        initial: Option<&Weights>,
        evolved: &AgentSpec,
        deepest: u32,
    ) -> Result<ValidationPlan> {
        let (default, table) = (all_default(), self.section("validation"));
        let keys = self.config.validation.as_ref().unwrap_or(&default);
        if initial.is_none() && self.config.validation.is_some() {
            let message = "is for weights, and none are evolved: the agent plays the opponents of the last stage";
            none_of(&table, &["depths", "iterative", "ept", "opponents"], message)?;
        }
        // The weights of a program are tried in searches of tictune where a config asks for it.
        let is_program = evolved.program().is_some_and(|program| !program.plays_whole_games());
        let usual = |limit: &str| match is_program || initial.is_none() {
            true => Vec::new(),
            false => vec![limit.to_owned()],
        };
        let iterative = keys.iterative.clone().unwrap_or_else(|| usual(USUAL_ITERATIVE));
        let ept = keys.ept.clone().unwrap_or_else(|| usual(USUAL_EPT));
        let limits = |key, texts: &[String], kind: &KindInfo| -> Result<Vec<Limit>> {
            let wrong = |text: &str, error| table.error_about(key, text, error);
            let read = |text: &String| kind.limit(text).map_err(|error| wrong(text, error));
            texts.iter().map(read).collect()
        };
        for agent in table.inners("agents") {
            let message = "every agent of the validation plays as many games, from the same openings: leave it out";
            none_of(&agent, &["share", "depths", "openings"], message)?;
        }
        let agents = keys.agents.iter().zip(table.inners("agents"));
        let agents = agents.map(|(keys, table)| self.opponent_agent(keys, &table, evolved));
        let agents: Vec<AgentSpec> = agents.collect::<Result<_, _>>()?;
        let last = self.config.stages.last();
        let has_depth = last.is_some_and(|stage| stage.depth.is_some() || stage.depths.is_some());
        // With a budget, no deeper than shows whether a gain lasts: each ply takes about three times as long.
        let most = match self.in_pairs() && has_depth {
            true => (deepest + PLIES_BEYOND).min(MOST_DEPTH),
            false => MOST_DEPTH,
        };
        let default_depths = if is_program { 1..1 } else { 1..most + 1 };
        if let Some(agent) = agents.iter().find(|agent| !has_depth && agent.needs_depth()) {
            let message =
                format!("{agent} searches to a depth: give it one, since the last stage has none");
            return Err(table.error("agents", message));
        }
        // A start from a vector of the pool plays it once.
        let is_start = |name: &str, initial: &Weights| {
            let same = |weights: Weights| {
                (weights.layout().name, weights.values())
                    == (initial.layout().name, initial.values())
            };
            self.scope.weights(name).is_ok_and(same)
        };
        let names: Vec<&str> = match (&keys.opponents, initial) {
            (Some(names), _) => names.iter().map(String::as_str).collect(),
            (None, Some(initial)) if !is_program => {
                let others = self.scope.game.pool.iter().filter(|name| !is_start(name, initial));
                [&"initial"].into_iter().chain(others).copied().collect()
            }
            _ => Vec::new(),
        };
        let wrong = |name, error| table.error_about("opponents", name, error);
        let opponents = names.into_iter().map(|name| match (name, initial) {
            ("initial", Some(initial)) => Ok(initial.clone()),
            _ => self.scope.weights(name).map_err(|error| wrong(name, error)),
        });
        if keys.openings.as_ref().is_some_and(Vec::is_empty) {
            let message = "expected at least one, as in [\"none\"]";
            return Err(table.error("openings", message));
        }
        // The comparison of pairs plays the mean against the start already.
        let has_opponents = !self.config.opponents.is_empty()
            || self.config.stages.iter().any(|stage| !stage.opponents.is_empty());
        let repeats_comparison = self.in_pairs() && initial.is_none() && !has_opponents;
        let openings = match (&keys.openings, self.from_start) {
            _ if repeats_comparison && self.config.validation.is_none() => Vec::new(),
            (Some(texts), _) => texts.iter().map(String::as_str).collect(),
            (None, true) => vec!["none"],
            (None, false) => Openings::of_validation(self.scope.game),
        };
        let openings = openings.into_iter().map(|text| self.openings(&table, text));
        let mut plan = ValidationPlan {
            games: GAMES_OF_ROW,
            depths: keys.depths.clone().unwrap_or_else(|| default_depths.collect()),
            iterative: limits("iterative", &iterative, KindInfo::of::<IterativeSettings>())?,
            early_termination: limits("ept", &ept, KindInfo::of::<MctsSettings>())?,
            opponents: tell_apart(opponents.collect::<Result<_, _>>()?),
            agents,
            openings: openings.collect::<Result<_, _>>()?,
        };
        let default_games = match self.in_pairs() {
            true => self.games() / plan.rows().max(1) / 2 * 2,
            false => GAMES_OF_ROW,
        };
        plan.games = keys.games.unwrap_or(default_games.clamp(LEAST_GAMES_OF_ROW, GAMES_OF_ROW));
        even_games(&table, plan.games)?;
        Ok(plan)
    }
}
