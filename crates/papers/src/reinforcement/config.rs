//! Reinforcement learning: TOML in, a [`LearnPlan`] out.

use std::path::Path;

use strum::VariantNames;

use crate::reinforcement::table::MAX_SIGNS;
use crate::reinforcement::{LearnPlan, Method, Opponent, Representation, ValuePlan};
use tictune_core::agent::{AgentSpec, Known, Random, Scope};
use tictune_core::arena::{MAX_GAMES, MatchSettings, Openings, Schedule};
use tictune_core::input::{Document, InputError, Table, read_text, unknown, unknown_name};
use tictune_evolve::config::{read_agent, read_name, read_rules, read_scope};

const KEYS: [&str; 18] = [
    "name",
    "game",
    "rules",
    "seed",
    "games",
    "method",
    "lambda",
    "representation",
    "evaluation",
    "alpha",
    "gamma",
    "exploration",
    "exploration_share",
    "value",
    "opponent",
    "openings",
    "schedule",
    "report_every",
];
const VALUE_KEYS: [&str; 2] = ["win", "weights"];

/// Rows of `progress.csv` where the config does not say.
const DEFAULT_ROWS: u64 = 20;

/// The greatest value of a won game: far above what weights can use, far below overflow.
const GREATEST_WIN: f64 = 1e9;

/// Reads a config; `seed` stands in for its own.
///
/// # Errors
/// The first thing in it that is wrong.
pub fn load(
    path: &Path,
    seed: Option<u64>,
    known: &Known,
) -> Result<(LearnPlan, String), InputError> {
    let text = read_text(path)?;
    let plan = parse(&text, path, seed, known)?;
    Ok((plan, text))
}

/// Reads the text of a config; `path` is the name that errors give and what paths in it are relative
/// to.
///
/// # Errors
/// The first thing in it that is wrong.
pub fn parse(
    text: &str,
    path: &Path,
    seed: Option<u64>,
    known: &Known,
) -> Result<LearnPlan, InputError> {
    let document = Document::parse(text, Some(path))?;
    let root = &document.root(&KEYS)?;
    let scope = read_scope(root, path, known)?;
    let rules = read_rules(root, scope.game)?;
    let games = root.whole("games", 1)?.ok_or_else(|| {
        root.error("games", "missing; how many games are learned from, as in games = 1000")
    })?;
    let schedule = root.word("schedule")?.unwrap_or(Schedule::Coin);
    let own_seed = root.whole("seed", 0)?.unwrap_or(0);
    if games > MAX_GAMES {
        return Err(root.error("games", format!("expected at most {MAX_GAMES}, found {games}")));
    }
    let settings = MatchSettings { games, seed: own_seed, schedule, replay_ties: false };
    settings.check().map_err(|error| root.error("games", error))?;
    let share = root.share("exploration_share")?.unwrap_or(0.5);
    let alpha = root.share("alpha")?.filter(|alpha| *alpha > 0.0);
    let alpha = alpha.ok_or_else(|| {
        root.error("alpha", "missing, or 0; the step size, above 0 and up to 1, such as 0.1")
    })?;
    Ok(LearnPlan {
        name: read_name(root, path)?,
        game: scope.game.name.into(),
        rules: rules.clone(),
        seed: seed.unwrap_or(own_seed),
        games,
        method: method(root)?,
        representation: representation(root, scope)?,
        alpha,
        gamma: root.share("gamma")?.unwrap_or(0.9),
        exploration: root.share("exploration")?.unwrap_or(0.2),
        exploring_games: (share * games as f64).floor() as u64,
        value: value(root, scope)?,
        opponent: opponent(root, scope)?,
        openings: Openings::parse_in(root.string("openings")?.unwrap_or("none"), &rules, scope)
            .map_err(|error| root.error("openings", error))?,
        schedule,
        report_every: root.whole("report_every", 1)?.unwrap_or(games.div_ceil(DEFAULT_ROWS)),
    })
}

fn method(root: &Table<'_, '_>) -> Result<Method, InputError> {
    let lambda = root.share("lambda")?;
    match root.string("method")?.unwrap_or("q-learning") {
        "td-lambda" => Ok(Method::TdLambda {
            lambda: lambda.ok_or_else(|| {
                root.error("lambda", "missing; how much later errors count, from 0 to 1")
            })?,
        }),
        "q-learning" | "monte-carlo" if lambda.is_some() => {
            Err(root.misplaced("lambda", "goes with method = \"td-lambda\""))
        }
        "q-learning" => Ok(Method::QLearning),
        "monte-carlo" => Ok(Method::MonteCarlo),
        other => {
            let known: Vec<&str> = Method::VARIANTS.iter().copied().chain(["regression"]).collect();
            Err(root.error("method", unknown("method", other, &known)))
        }
    }
}

fn representation(root: &Table<'_, '_>, scope: Scope<'_>) -> Result<Representation, InputError> {
    let evaluation = root.string("evaluation")?;
    let layout = || {
        let name = evaluation.ok_or_else(|| {
            root.error("evaluation", "missing; the layout whose counts are the features")
        })?;
        let layout = scope.layout(name).map_err(|error| root.error("evaluation", error))?;
        if !scope.game.of_position_alone(layout) {
            let message = format!("{name} looks at the last move; features are of positions alone");
            return Err(root.error("evaluation", message));
        }
        Ok(layout)
    };
    match root.string("representation")?.unwrap_or("state-actions") {
        "state-actions" if evaluation.is_some() => Err(root.misplaced(
            "evaluation",
            "goes with representation = \"features\" or \"binary-features\"; what positions are worth \
             is [value] weights",
        )),
        "state-actions" => Ok(Representation::StateActions),
        "features" => Ok(Representation::Features(layout()?)),
        "binary-features" => match layout()? {
            layout if layout.len() > MAX_SIGNS => {
                let message = format!("{} slots; binary features take up to {MAX_SIGNS}", layout.len());
                Err(root.error("evaluation", message))
            }
            layout => Ok(Representation::BinaryFeatures(layout)),
        },
        other => {
            let error = unknown_name::<Representation>("representation", other);
            Err(root.error("representation", error))
        }
    }
}

/// What positions are worth. The report's: 500 for a win, else boards won minus boards lost.
fn value(root: &Table<'_, '_>, scope: Scope<'_>) -> Result<ValuePlan, InputError> {
    const DEFAULT_WIN: f64 = 500.0;
    const DEFAULT_WEIGHTS: &str = "liang-simple";
    let find = |reference| scope.weights(reference);
    // The value of a position has a default in games that have those weights.
    let missing = || {
        format!(
            "missing; {} has no built-in weights {DEFAULT_WEIGHTS}, by which positions are valued otherwise: write a \
             table [value] with weights = \"FILE\", a weight file",
            scope.game.name
        )
    };
    let Some(table) = root.table("value", &VALUE_KEYS)? else {
        let weights = find(DEFAULT_WEIGHTS).map_err(|_| root.error("value", missing()))?;
        return Ok(ValuePlan { win: DEFAULT_WIN, weights });
    };
    let win = table.number("win")?.unwrap_or(DEFAULT_WIN);
    if !(0.0..=GREATEST_WIN).contains(&win) {
        return Err(table.error("win", format!("expected a number from 0 to 1e9, found {win}")));
    }
    let weights = match table.string("weights")? {
        Some(reference) => find(reference).map_err(|error| table.error("weights", error))?,
        None => find(DEFAULT_WEIGHTS).map_err(|_| table.error("weights", missing()))?,
    };
    Ok(ValuePlan { win, weights })
}

fn opponent(root: &Table<'_, '_>, scope: Scope<'_>) -> Result<Opponent, InputError> {
    if let Ok(Some("self")) = root.string("opponent") {
        return Ok(Opponent::SelfPlay);
    }
    let agent = match read_agent(root, "opponent", scope)? {
        Some(agent) => agent,
        None => AgentSpec::from(Random::default()),
    };
    let agent = agent.complete(scope.game).map_err(|error| root.error("opponent", error))?;
    Ok(Opponent::Agent(Box::new(agent)))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::built_in;
    use tictune_games::uttt::evaluation::ADVANCED;

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
        parse(text, Path::new("c.toml"), None, &built_in()).map_err(|error| error.to_string())
    }

    #[test]
    fn a_good_config_is_read_whole() {
        let plan = read(GOOD).unwrap();
        assert_eq!(plan.method, Method::TdLambda { lambda: 0.8 });
        assert_eq!(plan.representation, Representation::Features(&ADVANCED));
        assert_eq!((plan.games, plan.exploring_games, plan.report_every), (100, 25, 7));
        assert_eq!((plan.value.win, plan.value.weights.name.as_str()), (100.0, "liang-default"));
        let opponent = "minimax:depth=2,eval=extended,weights=tictune-extended";
        assert_eq!(plan.opponent.to_string(), opponent);
        assert_eq!(plan.rules, "drawn_board=nobody,no_line=most_boards");
        assert_ne!(
            parse(GOOD, Path::new("c.toml"), Some(4), &built_in()).unwrap().hash(),
            plan.hash()
        );
        assert_eq!(read(&format!("# a comment\n{GOOD}")).unwrap().hash(), plan.hash());
    }

    #[test]
    fn what_is_left_out_is_as_in_the_report() {
        let plan = read("games = 50\nalpha = 0.5").unwrap();
        assert_eq!((plan.name.as_str(), plan.seed, plan.exploring_games), ("c", 0, 25));
        assert_eq!(
            (plan.method, plan.representation),
            (Method::QLearning, Representation::StateActions)
        );
        assert_eq!((plan.value.win, plan.value.weights.name.as_str()), (500.0, "liang-simple"));
        assert_eq!((plan.opponent.to_string(), plan.openings), ("random".into(), Openings::None));
        assert_eq!((plan.schedule, plan.report_every), (Schedule::Coin, 3));
        assert_eq!(
            read("games = 1\nalpha = 1\nopponent = \"self\"").unwrap().opponent,
            Opponent::SelfPlay
        );
    }

    #[test]
    fn what_is_wrong_is_named_with_line_and_key() {
        for (old, new, expected) in [
            ("games = 100\n", "", "games: missing"),
            ("games = 100", "games = 0", "c.toml:4: games: expected a whole number of at least 1"),
            ("\"coin\"", "\"paired\"\n#", ""),
            (
                "td-lambda",
                "td-lamda",
                "c.toml:5: method: unknown method \"td-lamda\"; did you mean",
            ),
            ("td-lambda", "q-learning", "c.toml:6: lambda: goes with method"),
            ("lambda = 0.8\n", "", "lambda: missing"),
            ("0.8", "1.5", "c.toml:6: lambda: expected a number from 0 to 1, found 1.5"),
            ("\"features\"", "\"feature\"", "c.toml:7: representation: unknown representation"),
            ("\"features\"", "\"state-actions\"", "c.toml:8: evaluation: goes with representation"),
            ("evaluation = \"advanced\"\n", "", "evaluation: missing"),
            (
                "\"advanced\"",
                "\"cells-weight\"",
                "c.toml:8: evaluation: cells-weight looks at the last move",
            ),
            ("\"advanced\"", "\"advance\"", "c.toml:8: evaluation: unknown evaluation"),
            ("alpha = 0.01", "alpha = 0", "c.toml:9: alpha: missing, or 0"),
            ("alpha = 0.01\n", "", "alpha: missing"),
            ("alpha = 0.01", "alfa = 1", "c.toml:9: unknown key \"alfa\"; did you mean \"alpha\"?"),
            ("0.95", "nan", "c.toml:10: gamma: expected a finite number"),
            ("0.3", "-1", "c.toml:11: exploration: expected a number from 0 to 1"),
            ("depth=2", "dept=2", "c.toml:13: opponent: agent \"minimax:dept=2"),
            (":depth=2", "", "c.toml:13: opponent: agent \"minimax\" needs a depth"),
            ("random:4", "rndom:4", "c.toml:14: openings: unknown openings"),
            ("\"coin\"", "\"coins\"", "c.toml:15: schedule: unknown schedule"),
            ("win = 100", "win = -1", "c.toml:18: value.win: expected a number from 0 to 1e9"),
            ("win = 100", "won = 1", "c.toml:18: unknown key \"value.won\"; did you mean \"win\"?"),
            ("liang-default", "liang-defaul", "c.toml:19: value.weights: unknown weights"),
            ("\"uttt\"", "\"go\"", "c.toml:2: game: unknown game"),
            ("most_boards", "most", "no_line is \"draw\" or \"most_boards\", not \"most\""),
        ] {
            let text = GOOD.replacen(old, new, 1);
            assert_ne!(text, GOOD, "{old} is not in the config");
            match read(&text) {
                Ok(_) => assert!(expected.is_empty(), "{new} was taken"),
                Err(error) => assert!(
                    !expected.is_empty() && error.contains(expected),
                    "{new}:\n  {error}\n  {expected}"
                ),
            }
        }
        let other = read("game = \"qubic\"\ngames = 9\nalpha = 0.5").unwrap_err();
        let expected = "c.toml:1: value: missing; qubic has no built-in weights liang-simple";
        assert!(other.contains(expected), "{other}");
        assert!(other.contains("[value] with weights = \"FILE\""), "{other}");
        let odd = read("games = 3\nalpha = 1\nschedule = \"paired\"").unwrap_err();
        assert!(odd.contains("c.toml:1: games: a paired match needs an even number"), "{odd}");
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
