//! Configs of `tictune learn`: TOML in, a [`LearnPlan`] or a [`RegressionPlan`] out.

use std::path::Path;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::reinforcement::{LearnPlan, Method, Representation, TableKind, ValuePlan};
use tictune_core::agent::{AgentSpec, Known, Random, Scope};
use tictune_core::arena::{MAX_GAMES, MatchSettings, Openings, Schedule};
use tictune_core::input::{Result, Table, TomlFile, all_default, percent};
use tictune_core::weights::find_layout;
use tictune_evolve::config::{Head, regression};
use tictune_evolve::learn::RegressionPlan;

/// A config of reinforcement learning.
#[derive(Debug, Deserialize, JsonSchema)]
struct ReinforcementConfig {
    #[serde(flatten)]
    head: Head,
    /// How many games are learned from
    #[schemars(
        range(min = 1, max = MAX_GAMES),
        extend("x-missing" = "how many games are learned from, as in games = 1000")
    )]
    games: u64,
    /// How values are updated
    #[serde(default)]
    method: MethodName,
    /// How much later errors count, with method = "td-lambda"
    #[schemars(range(min = 0, max = 1))]
    lambda: Option<f64>,
    /// What has a value
    #[serde(default)]
    representation: RepresentationName,
    /// The layout whose counts are the features
    evaluation: Option<String>,
    /// The step size
    #[schemars(
        extend("exclusiveMinimum" = 0, "maximum" = 1, "x-missing" = "the step size, above 0 and up to 1, such as 0.1")
    )]
    alpha: f64,
    /// How much a later reward counts
    #[serde(default = "percent::<90>")]
    #[schemars(range(min = 0, max = 1))]
    gamma: f64,
    /// The probability of a random move in games that explore
    #[serde(default = "percent::<20>")]
    #[schemars(range(min = 0, max = 1))]
    exploration: f64,
    /// The share of games that explore; they come first
    #[serde(default = "percent::<50>")]
    #[schemars(range(min = 0, max = 1))]
    exploration_share: f64,
    /// What positions are worth
    value: Option<ValueSection>,
    /// Who plays against the learner; by default random
    #[serde(rename = "opponent")]
    #[schemars(with = "Option<AgentSpec>")]
    _opponent: AgentSpec,
    /// Several opponents instead, who play in turn
    #[serde(default, rename = "opponents")]
    _opponents: Vec<OneOpponent>,
    /// Where games start; by default none
    openings: Option<String>,
    /// Who moves first; by default coin
    schedule: Option<Schedule>,
    /// Games of a row of progress.csv; by default a twentieth
    #[schemars(range(min = 1))]
    report_every: Option<u64>,
}

/// One of several opponents.
#[derive(Debug, Deserialize, JsonSchema)]
struct OneOpponent {
    #[serde(rename = "agent")]
    #[schemars(extend("x-missing" = "give an agent, as in agent = \"random\""))]
    _agent: AgentSpec,
}

/// What positions are worth.
#[derive(Debug, Deserialize, JsonSchema)]
struct ValueSection {
    /// What a won game is worth; the default is that of Lifshitz
    #[serde(default = "percent::<50_000>")]
    #[schemars(range(min = 0, max = GREATEST_WIN), extend("x-takes" = "a number from 0 to 1e9"))]
    win: f64,
    /// Weights by name or path; by default liang-simple
    weights: Option<String>,
}

#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum MethodName {
    #[default]
    QLearning,
    MonteCarlo,
    TdLambda,
    /// See `tictune learn` with positions
    Regression,
}

#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum RepresentationName {
    #[default]
    StateActions,
    Features,
    BinaryFeatures,
}

/// Rows of `progress.csv` where the config does not say.
const DEFAULT_ROWS: u64 = 20;

/// The greatest value of a won game: far above what weights can use, far below overflow.
const GREATEST_WIN: f64 = 1e9;

/// What a config of `tictune learn` says.
#[derive(Debug)]
#[allow(clippy::large_enum_variant)] // There is one a process.
pub enum Learning {
    /// Weights are fitted to positions.
    Regression(RegressionPlan),
    /// What moves are worth is learned from games.
    Moves(LearnPlan),
}

/// Reads the text of a config; `seed` stands in for its own, and `path` is the name that errors give and what paths in it are
/// relative to.
///
/// # Errors
/// The first thing in it that is wrong.
pub fn parse(text: &str, path: &Path, seed: Option<u64>, known: &Known) -> Result<Learning> {
    let document = TomlFile::parse(text, Some(path))?;
    let root = &document.root();
    if let Ok(Some("regression")) = root.string("method") {
        return regression::plan(root, path, seed, known).map(Learning::Regression);
    }
    let config: ReinforcementConfig = root.read()?;
    let scope = config.head.scope(root, path, known)?;
    let rules = config.head.rules(root, scope.game)?;
    let games = config.games;
    let schedule = config.schedule.unwrap_or(Schedule::Coin);
    let settings = MatchSettings { games, seed: config.head.seed, schedule, replay_ties: false };
    settings.check().map_err(|error| root.error("games", error))?;
    Ok(Learning::Moves(LearnPlan {
        name: config.head.name(root, path)?,
        game: scope.game.name.into(),
        seed: seed.unwrap_or(config.head.seed),
        games,
        method: method(&config, root)?,
        representation: representation(&config, root, scope)?,
        alpha: config.alpha,
        gamma: config.gamma,
        exploration: config.exploration,
        exploring_games: (config.exploration_share * games as f64).floor() as u64,
        value: value(config.value.as_ref(), root, scope)?,
        opponents: opponents(root, scope)?,
        openings: Openings::parse_in(config.openings.as_deref().unwrap_or("none"), &rules, scope)
            .map_err(|error| root.error("openings", error))?,
        rules,
        schedule,
        report_every: config.report_every.unwrap_or(games.div_ceil(DEFAULT_ROWS)),
    }))
}

fn method(config: &ReinforcementConfig, root: &Table<'_, '_>) -> Result<Method> {
    match (config.method, config.lambda) {
        (MethodName::TdLambda, Some(lambda)) => Ok(Method::TdLambda { lambda }),
        (MethodName::TdLambda, None) => {
            Err(root.error("lambda", "missing; how much later errors count, from 0 to 1"))
        }
        (_, Some(_)) => Err(root.misplaced("lambda", "needs method = \"td-lambda\"")),
        (MethodName::QLearning, None) => Ok(Method::QLearning),
        (MethodName::MonteCarlo, None) => Ok(Method::MonteCarlo),
        (MethodName::Regression, None) => Err(root.error("method", "is not learned from games")),
    }
}

fn representation(
    config: &ReinforcementConfig,
    root: &Table<'_, '_>,
    scope: Scope<'_>,
) -> Result<Representation> {
    use RepresentationName::{BinaryFeatures, StateActions};
    let wrong = |message: String| root.error("evaluation", message);
    let name = match (config.representation, &config.evaluation) {
        (StateActions, None) => return Ok(Representation::Table(TableKind::StateActions)),
        (StateActions, Some(_)) => {
            return Err(root.misplaced(
                "evaluation",
                "needs representation = \"features\" or \"binary-features\"; the values of positions \
                 come from [value] weights",
            ));
        }
        (_, None) => return Err(wrong("missing; the layout whose counts are the features".into())),
        (_, Some(name)) => name,
    };
    let layout = find_layout(scope.game, name).map_err(|error| root.error("evaluation", error))?;
    if !scope.game.of_position_alone(layout) {
        let message = format!("{name} depends on the last move; features are of positions alone");
        return Err(wrong(message));
    }
    match config.representation {
        BinaryFeatures => TableKind::of_layout(layout).map(Representation::Table).map_err(wrong),
        _ => Ok(Representation::Features(layout)),
    }
}

/// What positions are worth. The report's: 500 for a win, else boards won minus boards lost.
fn value(keys: Option<&ValueSection>, root: &Table<'_, '_>, scope: Scope<'_>) -> Result<ValuePlan> {
    const DEFAULT_WEIGHTS: &str = "liang-simple";
    let default = all_default();
    let keys = keys.unwrap_or(&default);
    let found = scope.weights(keys.weights.as_deref().unwrap_or(DEFAULT_WEIGHTS));
    let weights = found.map_err(|error| {
        // The value of a position has a default in games that have those weights.
        let missing = format!(
            "missing; {} has no built-in weights {DEFAULT_WEIGHTS}, which value positions by default: write \
             a table [value] with weights = \"FILE\", a weight file",
            scope.game.name
        );
        match (root.inner("value"), &keys.weights) {
            (Some(table), Some(_)) => table.error("weights", error),
            (Some(table), None) => table.error("weights", missing),
            (None, _) => root.error("value", missing),
        }
    })?;
    Ok(ValuePlan { win: keys.win, weights })
}

/// Who plays against the learner; nobody in self-play.
fn opponents(root: &Table<'_, '_>, scope: Scope<'_>) -> Result<Vec<AgentSpec>> {
    let read = |key: &str, table: &Table<'_, '_>| {
        let agent =
            AgentSpec::under(key, table, scope)?.unwrap_or_else(|| Random::default().into());
        agent.complete(scope.game).map_err(|error| table.error(key, error))
    };
    let several = root.inners("opponents");
    if several.is_empty() {
        let is_self = matches!(root.string("opponent"), Ok(Some("self")));
        return if is_self { Ok(Vec::new()) } else { Ok(vec![read("opponent", root)?]) };
    }
    if root.has("opponent") {
        return Err(root.misplaced("opponent", "[[opponents]] take its place"));
    }
    several.iter().map(|table| read("agent", table)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::built_in;
    use tictune_games::uttt::evaluation::ADVANCED;

    use tictune_core::testing::check_mistakes;

    const GOOD: &str = r#"name = "test"
game = "uttt"
seed = 3
games = 100
method = "td-lambda"
lambda = 0.8
representation = "features"
evaluation = "advanced"
alpha = 0.01
gamma = 0.95
exploration = 0.3
exploration_share = 0.25
opponent = "minimax:depth=2"
openings = "random:4:train"
schedule = "coin"
report_every = 7
[value]
win = 100
weights = "liang-default"
[rules]
no_line = "most_boards"
"#;

    fn read(text: &str) -> Result<LearnPlan, String> {
        match parse(text, Path::new("c.toml"), None, &built_in()) {
            Ok(Learning::Moves(plan)) => Ok(plan),
            Ok(other) => panic!("{other:?}"),
            Err(error) => Err(error.to_string()),
        }
    }

    #[test]
    fn a_good_config_is_read_whole() {
        let plan = read(GOOD).unwrap();
        assert_eq!(plan.method, Method::TdLambda { lambda: 0.8 });
        assert_eq!(plan.representation, Representation::Features(&ADVANCED));
        assert_eq!((plan.games, plan.exploring_games, plan.report_every), (100, 25, 7));
        assert_eq!((plan.value.win, &*plan.value.weights.name), (100.0, "liang-default"));
        let opponent = "minimax:depth=2,eval=extended,weights=tictune-extended";
        assert_eq!(plan.opponents_text(), opponent);
        assert_eq!(plan.rules, "drawn_board=nobody,no_line=most_boards");
        assert_eq!(read(&format!("# a comment\n{GOOD}")).unwrap().hash(), plan.hash());
    }

    #[test]
    fn what_is_left_out_is_as_in_the_report() {
        let plan = read("games = 50\nalpha = 0.5").unwrap();
        assert_eq!((&*plan.name, plan.seed, plan.exploring_games), ("c", 0, 25));
        assert_eq!(plan.method, Method::QLearning);
        assert_eq!(plan.representation, Representation::Table(TableKind::StateActions));
        assert_eq!((plan.value.win, &*plan.value.weights.name), (500.0, "liang-simple"));
        assert_eq!((&*plan.opponents_text(), plan.openings), ("random", Openings::None));
        assert_eq!((plan.schedule, plan.report_every), (Schedule::Coin, 3));
    }

    #[test]
    fn what_is_wrong_is_named_with_line_and_key() {
        check_mistakes(include_str!("../mistakes.txt"), "learning", GOOD, read);
        let other = read("game = \"qubic\"\ngames = 9\nalpha = 0.5").unwrap_err();
        let expected = "c.toml:1: value: missing; qubic has no built-in weights liang-simple";
        assert!(other.contains(expected), "{other}");
        assert!(other.contains("[value] with weights = \"FILE\""), "{other}");
        let odd = read("games = 3\nalpha = 1\nschedule = \"paired\"").unwrap_err();
        assert!(odd.contains("c.toml:1: games: a paired match needs an even number"), "{odd}");
    }
}
