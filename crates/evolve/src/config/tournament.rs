//! Tournaments: TOML, or a list of agents, in, a [`TournamentPlan`] out.

use std::path::Path;

use super::{read_agent, read_name, read_rules, read_scope};
use tictune_core::agent::AgentSpec;
use tictune_core::agent::{Known, Scope};
use tictune_core::arena::{Entrant, Format, MatchSettings, Openings, Schedule, TournamentPlan};
use tictune_core::input::{Document, InputError, Table, distinct, read_text};

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

const KEYS: [&str; 10] = [
    "name",
    "game",
    "rules",
    "seed",
    "games",
    "schedule",
    "openings",
    "format",
    "replay_ties",
    "agents",
];
const AGENT_KEYS: [&str; 2] = ["agent", "name"];

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
    let document = Document::parse(text, Some(path))?;
    let root = &document.root(&KEYS)?;
    let scope = read_scope(root, path, known)?;
    let rules = read_rules(root, scope.game)?;
    let openings = match root.string("openings")? {
        Some(text) => Openings::parse_in(text, &rules, scope)
            .map_err(|error| root.error("openings", error))?,
        None => Openings::parse_in(DEFAULT_OPENINGS, &rules, scope)?,
    };
    let settings = MatchSettings {
        games: root.whole("games", 1)?.unwrap_or(DEFAULT_GAMES),
        seed: root.whole("seed", 0)?.unwrap_or(0),
        schedule: root.word("schedule")?.unwrap_or(Schedule::Paired),
        replay_ties: root.boolean("replay_ties")?.unwrap_or(false),
    };
    if overrides.games.is_none() && overrides.schedule.is_none() {
        settings.check().map_err(|error| root.error("games", error))?;
    }
    let tables = root.tables("agents", &AGENT_KEYS)?;
    if tables.len() < 2 {
        let found = tables.len();
        let message = format!("expected at least two, each headed [[agents]], found {found}");
        return Err(root.error("agents", message));
    }
    let agents = tables.iter().map(|table| agent(table, scope)).collect::<Result<Vec<_>, _>>()?;
    let plan = TournamentPlan {
        name: read_name(root, path)?,
        game: scope.game.name.into(),
        rules,
        format: root.word("format")?.unwrap_or_default(),
        games: settings.games,
        seed: settings.seed,
        schedule: settings.schedule,
        openings,
        replay_ties: settings.replay_ties,
        entrants: entrants(agents),
    };
    overridden(plan, overrides, scope)
}

/// A complete agent and its name.
fn agent(
    table: &Table<'_, '_>,
    scope: Scope<'_>,
) -> Result<(Option<String>, AgentSpec), InputError> {
    let spec = read_agent(table, "agent", scope)?
        .ok_or_else(|| table.error("agent", "missing; who plays, as in agent = \"random\""))?;
    let spec = spec.complete(scope.game).map_err(|error| table.error("agent", error))?;
    let name = table.string("name")?;
    if name.is_some_and(|name| name.trim().is_empty()) {
        return Err(table.error("name", "is empty"));
    }
    Ok((name.map(String::from), spec))
}

fn entrants(agents: Vec<(Option<String>, AgentSpec)>) -> Vec<Entrant> {
    let names: Vec<String> = agents
        .iter()
        .map(|(name, agent)| name.clone().unwrap_or_else(|| agent.to_string()))
        .collect();
    let entrant = |(name, (_, agent))| Entrant { name, agent };
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
    let read = |text: &String| Ok((None, AgentSpec::parse_in(text, scope)?.complete(scope.game)?));
    let agents = agents.iter().map(read).collect::<Result<Vec<_>, InputError>>()?;
    let plan = TournamentPlan {
        name: "tournament".into(),
        game: scope.game.name.into(),
        format: Format::default(),
        games: DEFAULT_GAMES,
        seed: 0,
        schedule: Schedule::Paired,
        openings: Openings::parse_in(DEFAULT_OPENINGS, &rules, scope)?,
        rules,
        replay_ties: false,
        entrants: entrants(agents),
    };
    overridden(plan, overrides, scope)
}

fn overridden(
    plan: TournamentPlan,
    overrides: &Overrides,
    scope: Scope<'_>,
) -> Result<TournamentPlan, InputError> {
    let Overrides { games, seed, openings, schedule, format, replay_ties } = overrides;
    let openings = match openings {
        // Paths on the command line are relative to the working directory.
        Some(text) => Openings::parse_in(text, &plan.rules, scope.in_folder(Path::new("")))?,
        None => plan.openings,
    };
    Ok(TournamentPlan {
        games: games.unwrap_or(plan.games),
        seed: seed.unwrap_or(plan.seed),
        openings,
        schedule: schedule.unwrap_or(plan.schedule),
        format: format.unwrap_or(plan.format),
        replay_ties: *replay_ties || plan.replay_ties,
        ..plan
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

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
        assert_eq!((plan.name.as_str(), plan.games, plan.seed), ("small", 20, 4));
        assert_eq!(plan.format, Format::Gauntlet);
        assert_eq!(plan.rules, "drawn_board=nobody,no_line=most_boards");
        let least = "[[agents]]\nagent = \"random\"\n[[agents]]\nagent = \"reflex\"";
        let plan = read(least).unwrap();
        assert_eq!((plan.name.as_str(), plan.games, plan.seed), ("c", 100, 0));
        assert_eq!((plan.format, plan.schedule), (Format::RoundRobin, Schedule::Paired));
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
        assert_eq!((plan.games, plan.schedule, plan.seed), (7, Schedule::First, 4));
        assert_eq!((plan.openings, plan.format), (Openings::None, Format::RoundRobin));
    }

    #[test]
    fn what_is_wrong_is_named_with_line_and_key() {
        for (old, new, expected) in [
            ("games = 20", "games = 21", "c.toml:3: games: a paired match needs an even number"),
            ("games = 20", "games = 0", "c.toml:3: games: expected a whole number of at least 1"),
            ("\"paired\"", "\"pairs\"", "c.toml:4: schedule: unknown schedule \"pairs\"; did you"),
            ("random:2", "rndom:2", "c.toml:5: openings: unknown openings"),
            ("\"gauntlet\"", "\"knockout\"", "c.toml:6: format: unknown format \"knockout\""),
            ("= false", "= 1", "c.toml:7: replay_ties: expected true or false, found 1"),
            ("depth=2", "dept=2", "c.toml:9: agents[1].agent: agent \"minimax:dept=2"),
            ("depth=2,", "", "c.toml:9: agents[1].agent: agent \"minimax:eval=advanced"),
            ("\"hero\"", "\" \"", "c.toml:10: agents[1].name: is empty"),
            ("name = \"hero\"", "nam = \"x\"", "c.toml:10: unknown key \"agents[1].nam\"; did you"),
            ("\"greedy\"", "\"greed\"", "c.toml:12: agents[2].agent.kind: unknown agent"),
            ("seed = 4", "sed = 4", "c.toml:2: unknown key \"sed\"; did you mean \"seed\"?"),
            ("\"small\"", "\"a/b\"", "c.toml:1: name: expected letters"),
            ("seed = 4", "game = \"go\"", "c.toml:2: game: unknown game"),
            ("most_boards", "most", "rules: no_line is \"draw\" or \"most_boards\", not \"most\""),
            ("agent = \"random\"", "name = \"x\"", "agents[3].agent: missing"),
        ] {
            let text = GOOD.replacen(old, new, 1);
            assert_ne!(text, GOOD, "{old} is not in the config");
            let error = read(&text).unwrap_err();
            assert!(error.contains(expected), "{new}:\n  {error}\n  {expected}");
        }
        let error = read("[[agents]]\nagent = \"random\"").unwrap_err();
        assert!(error.contains("agents: expected at least two"), "{error}");
    }

    proptest! {
        #[test]
        fn no_bytes_panic(edits in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6)) {
            let mut bytes = GOOD.as_bytes().to_vec();
            for (index, byte) in edits {
                let at = index.index(bytes.len());
                bytes[at] = byte;
            }
            let _ = read(&String::from_utf8_lossy(&bytes));
        }
    }
}
