//! Tournaments: TOML, or a list of agents, in, a [`TournamentPlan`] out.

use std::path::Path;

use schemars::JsonSchema;
use serde::Deserialize;

use super::Head;
use tictune_core::agent::{AgentSpec, Known, Scope};
use tictune_core::arena::{Entrant, Format, MatchSettings, Openings, Schedule, TournamentPlan};
use tictune_core::input::{InputError, TomlFile, distinct, read_text, whole};

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
    #[serde(default = "whole::<DEFAULT_GAMES>")]
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
    #[schemars(extend("x-missing" = "who plays, as in agent = \"random\""))]
    agent: AgentSpec,
    /// What it is called in the tables; by default its text
    name: Option<String>,
}

const DEFAULT_GAMES: u64 = 100;
const DEFAULT_OPENINGS: &str = "random:4";

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
    let root = &document.open_root();
    let mut config: Config = root.read()?;
    let scope = config.head.scope(root, path, known)?;
    let rules = config.head.rules(root, scope.game)?;
    let openings = config.openings.as_deref().unwrap_or(DEFAULT_OPENINGS);
    let openings = Openings::parse_in(openings, &rules, scope)
        .map_err(|error| root.error("openings", error))?;
    let Config { games, schedule, replay_ties, .. } = config;
    let seed = config.head.seed;
    let settings = MatchSettings { games, seed, schedule, replay_ties };
    if overrides.games.is_none() && overrides.schedule.is_none() {
        settings.check().map_err(|error| root.error("games", error))?;
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
    let plan = TournamentPlan {
        name: config.head.name(root, path)?,
        game: scope.game.name.into(),
        rules,
        format: config.format,
        settings,
        openings,
        entrants: entrants(config.agents),
    };
    overridden(plan, overrides, scope)
}

fn entrants(agents: Vec<Competitor>) -> Vec<Entrant> {
    let name = |one: &Competitor| one.name.clone().unwrap_or_else(|| one.agent.to_string());
    let names: Vec<String> = agents.iter().map(name).collect();
    let entrant = |(name, one): (String, Competitor)| Entrant { name, agent: one.agent };
    distinct(&names).into_iter().zip(agents).map(entrant).collect()
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
    let agents = agents.iter().map(read).collect::<Result<Vec<_>, InputError>>()?;
    let (games, schedule) = (DEFAULT_GAMES, Schedule::Paired);
    let plan = TournamentPlan {
        name: "tournament".into(),
        game: scope.game.name.into(),
        format: Format::default(),
        settings: MatchSettings { games, seed: 0, schedule, replay_ties: false },
        openings: Openings::parse_in(DEFAULT_OPENINGS, &rules, scope)?,
        rules,
        entrants: entrants(agents),
    };
    overridden(plan, overrides, scope)
}

fn overridden(
    mut plan: TournamentPlan,
    overrides: &Overrides,
    scope: Scope<'_>,
) -> Result<TournamentPlan, InputError> {
    if let Some(text) = &overrides.openings {
        // Paths on the command line are relative to the working directory.
        let scope = Scope { folder: Path::new(""), ..scope };
        plan.openings = Openings::parse_in(text, &plan.rules, scope)?;
    }
    plan.format = overrides.format.unwrap_or(plan.format);
    let settings = &mut plan.settings;
    settings.games = overrides.games.unwrap_or(settings.games);
    settings.seed = overrides.seed.unwrap_or(settings.seed);
    settings.schedule = overrides.schedule.unwrap_or(settings.schedule);
    settings.replay_ties |= overrides.replay_ties;
    Ok(plan)
}

#[cfg(test)]
mod tests {
    use super::*;

    use super::super::tests::check_mistakes;

    const GOOD: &str = r#"name = "small"
seed = 4
games = 20
schedule = "paired"
openings = "random:2"
format = "gauntlet"
replay_ties = false
[[agents]]
agent = "minimax:depth=2,weights=liang-default"
name = "hero"
[[agents]]
agent = { kind = "greedy", eval = "simple" }
[[agents]]
agent = "random"
[[agents]]
agent = "random"
[rules]
no_line = "most_boards"
"#;

    fn read(text: &str) -> Result<TournamentPlan, String> {
        parse(text, Path::new("c.toml"), &Overrides::default(), &crate::known::built_in())
            .map_err(|error| error.to_string())
    }

    #[test]
    fn a_good_config_is_read_whole() {
        let plan = read(GOOD).unwrap();
        let names: Vec<&str> = plan.entrants.iter().map(|entrant| entrant.name.as_str()).collect();
        let greedy = "greedy:eval=simple,weights=liang-simple";
        assert_eq!(names, ["hero", greedy, "random", "random#2"]);
        assert_eq!((plan.name.as_str(), plan.settings.games, plan.settings.seed), ("small", 20, 4));
        assert_eq!(plan.format, Format::Gauntlet);
        assert_eq!(plan.rules, "drawn_board=nobody,no_line=most_boards");
        let least = "[[agents]]\nagent = \"random\"\n[[agents]]\nagent = \"reflex\"";
        let plan = read(least).unwrap();
        assert_eq!((plan.name.as_str(), plan.settings.games, plan.settings.seed), ("c", 100, 0));
        assert_eq!((plan.format, plan.settings.schedule), (Format::RoundRobin, Schedule::Paired));
        assert_eq!(plan.openings.to_string(), "random:4");
    }

    #[test]
    fn options_come_before_the_config() {
        let overrides = Overrides {
            games: Some(7),
            schedule: Some(Schedule::First),
            openings: Some("none".into()),
            format: Some(Format::RoundRobin),
            ..Overrides::default()
        };
        let plan = parse(GOOD, Path::new("c.toml"), &overrides, &crate::known::built_in()).unwrap();
        let MatchSettings { games, seed, schedule, .. } = plan.settings;
        assert_eq!((games, schedule, seed), (7, Schedule::First, 4));
        assert_eq!((plan.openings, plan.format), (Openings::None, Format::RoundRobin));
    }

    #[test]
    fn what_is_wrong_is_named_with_line_and_key() {
        check_mistakes("tournament", GOOD, read);
        let error = read("[[agents]]\nagent = \"random\"").unwrap_err();
        assert!(error.contains("agents: expected at least two"), "{error}");
    }
}
