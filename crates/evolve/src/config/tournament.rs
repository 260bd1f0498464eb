//! Tournaments: TOML, or a list of agents, in, a [`TournamentPlan`] out.

use std::path::Path;

use schemars::JsonSchema;
use serde::Deserialize;

use super::{Head, Result};
use tictune_core::agent::{AgentSpec, Known, Scope};
use tictune_core::arena::{Entrant, Format, MatchSettings, Openings, Schedule, TournamentPlan};
use tictune_core::input::{InputError, TomlFile, all_default, distinct, read_text, whole};

/// What the command line changes in a config, or chooses for a list of agents.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Overrides {
    /// Games of each pairing.
    pub games: Option<u64>,
    /// The seed of every pairing.
    pub seed: Option<u64>,
    /// Where games start.
    pub openings: Option<String>,
    /// Who moves first when.
    pub schedule: Option<Schedule>,
    /// Who plays whom.
    pub format: Option<Format>,
    /// Play drawn games again, whatever the config says.
    pub replay_ties: bool,
}

/// A config of a tournament.
#[derive(Debug, Deserialize, JsonSchema)]
struct Config {
    #[serde(flatten)]
    head: Head,
    /// Games of each pairing
    #[serde(default = "whole::<100>")]
    #[schemars(range(min = 1))]
    games: u64,
    /// Who moves first in each game
    #[serde(default)]
    schedule: Schedule,
    /// Where games start; by default random:4
    openings: Option<String>,
    /// Who plays whom
    #[serde(default)]
    format: Format,
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
/// The first thing in it that is wrong.
pub fn load(
    path: &Path,
    overrides: &Overrides,
    known: &Known,
) -> Result<TournamentPlan, InputError> {
    parse(&read_text(path)?, path, overrides, known)
}

/// Reads the text of a config; `path` is the name that errors give and what paths in it are relative
/// to.
///
/// # Errors
/// The first thing in it that is wrong.
pub fn parse(
    text: &str,
    path: &Path,
    overrides: &Overrides,
    known: &Known,
) -> Result<TournamentPlan, InputError> {
    let document = TomlFile::parse(text, Some(path))?;
    let root = &document.root();
    let mut config: Config = root.read()?;
    let scope = config.head.scope(root, path, known)?;
    let rules = config.head.rules(root, scope.game)?;
    let openings = Openings::parse_in(config.usual_openings(), &rules, scope)
        .map_err(|error| root.error("openings", error))?;
    if overrides.games.is_none() && overrides.schedule.is_none() {
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
    config.plan((name, rules, openings), overrides, scope)
}

/// The tournament between the agents of a list; paths are relative to the working directory.
///
/// # Errors
/// The first of them, or of the options, that is wrong.
pub fn of_agents(
    agents: &[String],
    rules: String,
    overrides: &Overrides,
    scope: Scope<'_>,
) -> Result<TournamentPlan, InputError> {
    let read = |text: &String| {
        let agent = AgentSpec::parse_in(text, scope)?.complete(scope.game)?;
        Ok(Competitor { agent, name: None })
    };
    let agents = agents.iter().map(read).collect::<Result<_>>()?;
    let config = Config { agents, ..all_default() };
    let openings = Openings::parse_in(config.usual_openings(), &rules, scope)?;
    config.plan(("tournament".into(), rules, openings), overrides, scope)
}

impl Config {
    fn usual_openings(&self) -> &str {
        self.openings.as_deref().unwrap_or("random:4")
    }

    const fn settings(&self) -> MatchSettings {
        let Self { games, schedule, replay_ties, head: Head { seed, .. }, .. } = *self;
        MatchSettings { games, seed, schedule, replay_ties }
    }

    fn plan(
        self,
        (name, rules, mut openings): (String, String, Openings),
        overrides: &Overrides,
        scope: Scope<'_>,
    ) -> Result<TournamentPlan> {
        if let Some(text) = &overrides.openings {
            // Paths on the command line are relative to the working directory.
            openings = Openings::parse_in(text, &rules, Scope { folder: Path::new(""), ..scope })?;
        }
        let mut settings = self.settings();
        settings.games = overrides.games.unwrap_or(settings.games);
        settings.seed = overrides.seed.unwrap_or(settings.seed);
        settings.schedule = overrides.schedule.unwrap_or(settings.schedule);
        settings.replay_ties |= overrides.replay_ties;
        let format = overrides.format.unwrap_or(self.format);
        let called = |one: &Competitor| one.name.clone().unwrap_or_else(|| one.agent.short());
        let names: Vec<String> = self.agents.iter().map(called).collect();
        let entrants = distinct(&names).into_iter().zip(self.agents);
        let entrants = entrants.map(|(name, one)| Entrant { name, agent: one.agent }).collect();
        let game = scope.game.name.into();
        Ok(TournamentPlan { name, game, rules, format, settings, openings, entrants })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use super::super::tests::check_mistakes;

    const GOOD: &str = include_str!("tests/tournament.toml");

    fn read_with(overrides: &Overrides, text: &str) -> Result<TournamentPlan, String> {
        parse(text, Path::new("c.toml"), overrides, &crate::known::built_in())
            .map_err(|error| error.to_string())
    }

    #[test]
    fn a_good_config_is_read_whole_and_options_come_before_it() {
        let read = |text: &str| read_with(&Overrides::default(), text);
        let plan = read(GOOD).unwrap();
        let names = plan.entrants.iter().map(|entrant| &*entrant.name);
        let greedy = "greedy:eval=simple,weights=liang-simple";
        assert!(names.eq(["hero", greedy, "random", "random#2"]));
        assert_eq!((plan.settings.seed, plan.format), (4, Format::Gauntlet));
        assert_eq!(plan.rules, "drawn_board=nobody,no_line=most_boards");
        let overrides = Overrides {
            games: Some(7),
            schedule: Some(Schedule::First),
            openings: Some("none".into()),
            format: Some(Format::RoundRobin),
            ..Overrides::default()
        };
        let plan = read_with(&overrides, GOOD).unwrap();
        let settings = plan.settings;
        assert_eq!((settings.games, settings.schedule, settings.seed), (7, Schedule::First, 4));
        assert_eq!((plan.openings, plan.format), (Openings::None, Format::RoundRobin));
        check_mistakes("tournament", GOOD, read);
        let error = read("[[agents]]\nagent = \"random\"").unwrap_err();
        assert!(error.contains("agents: expected at least two"), "{error}");
    }
}
