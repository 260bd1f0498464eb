//! Tournaments: TOML, or a list of agents, in, a [`TournamentPlan`] out.

use std::path::Path;

use schemars::JsonSchema;
use serde::Deserialize;

use super::{Head, Result};
use tictune_core::agent::{AgentSpec, Known, Scope};
use tictune_core::arena::{
    Entrant, MatchSettings, Openings, Schedule, TournamentFormat, TournamentPlan,
};
use tictune_core::input::{TomlFile, all_default, distinct, read_text, whole};
use tictune_core::weights::number_namesakes;

/// A config of a tournament.
#[derive(Debug, Deserialize, JsonSchema)]
struct TournamentConfig {
    #[serde(flatten)]
    head: Head,
    /// Games of each pairing
    #[serde(default = "whole::<100, u64>")]
    #[schemars(range(min = 1))]
    games: u64,
    /// Who moves first in each game
    #[serde(default)]
    schedule: Schedule,
    /// Where games start; by default random:4
    openings: Option<String>,
    /// Who plays whom
    #[serde(default)]
    format: TournamentFormat,
    /// Whether drawn games are played again
    #[serde(default)]
    replay_ties: bool,
    #[serde(default)]
    agents: Vec<Competitor>,
}

/// Who takes part.
#[derive(Debug, Deserialize, JsonSchema)]
struct Competitor {
    #[schemars(extend("x-missing" = "give an agent, as in agent = \"random\""))]
    agent: AgentSpec,
    /// What it is called in the tables; by default its text
    name: Option<String>,
}

/// Reads a config.
///
/// # Errors
/// The first thing in it that is wrong. Its games are not checked where `other_games`: others take their place.
pub fn load(path: &Path, other_games: bool, known: &Known) -> Result<TournamentPlan> {
    parse(&read_text(path)?, path, other_games, known)
}

/// Reads the text of a config; `path` is the name that errors give and what paths in it are relative to.
///
/// # Errors
/// As of [`load`].
pub fn parse(text: &str, path: &Path, other_games: bool, known: &Known) -> Result<TournamentPlan> {
    let document = TomlFile::parse(text, Some(path))?;
    let root = &document.root();
    let mut config: TournamentConfig = root.read()?;
    let scope = config.head.scope(root, path, known)?;
    let rules = config.head.rules(root, scope.game)?;
    let openings = Openings::parse_in(config.default_openings(), &rules, scope)
        .map_err(|error| root.error("openings", error))?;
    if !other_games {
        config.settings().check().map_err(|error| root.error("games", error))?;
    }
    let found = config.agents.len();
    if found < 2 {
        let message = format!("expected at least two, each headed [[agents]], found {found}");
        return Err(root.error("agents", message));
    }
    for (competitor, table) in config.agents.iter_mut().zip(root.inners("agents")) {
        if let Some(agent) = AgentSpec::under("agent", &table, scope)? {
            let complete = agent.complete(scope.game);
            competitor.agent = complete.map_err(|error| table.error("agent", error))?;
        }
        if competitor.name.as_ref().is_some_and(|name| name.trim().is_empty()) {
            return Err(table.error("name", "is empty"));
        }
    }
    let name = config.head.name(root, path)?;
    Ok(config.plan(name, rules, openings, scope.game.name))
}

/// The tournament between the agents of a list; paths are relative to the working directory.
///
/// # Errors
/// The first of them that is wrong.
pub fn of_agents(agents: &[String], rules: String, scope: Scope<'_>) -> Result<TournamentPlan> {
    let read = |text: &String| {
        let agent = AgentSpec::parse_in(text, scope)?.complete(scope.game)?;
        Ok(Competitor { agent, name: None })
    };
    let agents = agents.iter().map(read).collect::<Result<_>>()?;
    let config = TournamentConfig { agents, ..all_default() };
    let openings = Openings::parse_in(config.default_openings(), &rules, scope)?;
    Ok(config.plan("tournament".into(), rules, openings, scope.game.name))
}

impl TournamentConfig {
    fn default_openings(&self) -> &str {
        self.openings.as_deref().unwrap_or("random:4")
    }

    const fn settings(&self) -> MatchSettings {
        let Self { games, schedule, replay_ties, head: Head { seed, .. }, .. } = *self;
        MatchSettings { games, seed, schedule, replay_ties }
    }

    fn plan(self, name: String, rules: String, openings: Openings, game: &str) -> TournamentPlan {
        let (settings, format) = (self.settings(), self.format);
        // Games keep the names that files have: those of a log are found by them.
        let mut named: Vec<AgentSpec> = self.agents.iter().map(|one| one.agent.clone()).collect();
        number_namesakes(named.iter_mut().flat_map(AgentSpec::all_weights_mut).map(|(_, one)| one));
        let called = |(one, named): (&Competitor, &AgentSpec)| {
            one.name.clone().unwrap_or_else(|| named.short())
        };
        let names: Vec<String> = self.agents.iter().zip(&named).map(called).collect();
        let entrants = distinct(&names).into_iter().zip(self.agents);
        let entrants = entrants.map(|(name, one)| Entrant { name, agent: one.agent }).collect();
        let game = game.into();
        TournamentPlan { name, game, rules, format, settings, openings, entrants }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use super::super::tests::check_mistakes;

    const GOOD: &str = include_str!("tests/tournament.toml");

    #[test]
    fn a_good_config_is_read_whole() {
        let read = |text: &str| {
            parse(text, Path::new("c.toml"), false, &crate::known::built_in())
                .map_err(|error| error.to_string())
        };
        let plan = read(GOOD).unwrap();
        let names = plan.entrants.iter().map(|entrant| &*entrant.name);
        let greedy = "greedy:eval=simple,weights=liang-simple";
        assert!(names.eq(["hero", greedy, "random", "random#2"]));
        assert_eq!((plan.settings.seed, plan.format), (4, TournamentFormat::Gauntlet));
        assert_eq!(plan.rules, "drawn_board=nobody,no_line=most_boards");
        check_mistakes("tournament", GOOD, read);
        let error = read("[[agents]]\nagent = \"random\"").unwrap_err();
        assert!(error.contains("agents: expected at least two"), "{error}");
    }
}
