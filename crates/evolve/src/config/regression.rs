//! Regression of weights: TOML in, a [`RegressionPlan`] out. It is a config of its own, for `tictune learn`, or the table
//! `[learn]` of an evolution.

use std::path::Path;

use super::{even_games, read_agent, read_name, read_rules, read_scope, start_vector};
use crate::learn::{LabelPlan, MatchPlan, RegressionPlan};
use tictune_core::agent::{Known, Scope};
use tictune_core::arena::{MAX_GAMES, Openings};
use tictune_core::game::WeightLayout;
use tictune_core::input::{Document, InputError, Table, read_text};
use tictune_core::search::minimax::MAX_DEPTH;
use tictune_core::weights::Weights;

/// The keys that a config of its own has beside those of the table.
const OWN_KEYS: [&str; 7] = ["name", "game", "rules", "seed", "method", "evaluation", "initial"];

/// The keys of the table.
pub(super) const KEYS: [&str; 12] = [
    "rounds",
    "games",
    "depth",
    "exploration",
    "openings",
    "positions",
    "labels",
    "fit",
    "ridge",
    "held_out",
    "opponent",
    "match",
];
const LABEL_KEYS: [&str; 2] = ["depth", "mix_result"];
const MATCH_KEYS: [&str; 3] = ["games", "depth", "openings"];

/// The most rounds, and the most positions of a game.
const MOST: u32 = 10_000;

/// Whether the text of a config of `tictune learn` asks for a regression.
#[must_use]
pub fn is_regression(text: &str) -> bool {
    let table: Option<toml::Table> = text.parse().ok();
    table.is_some_and(|table| {
        table.get("method").and_then(toml::Value::as_str) == Some("regression")
    })
}

/// Reads a config; `seed` stands in for its own.
///
/// # Errors
/// The first thing in it that is wrong.
pub fn load(
    path: &Path,
    seed: Option<u64>,
    known: &Known,
) -> Result<(RegressionPlan, String), InputError> {
    let text = read_text(path)?;
    let plan = parse(&text, path, seed, known)?;
    Ok((plan, text))
}

/// Reads the text of a config; `path` is the name that errors give and what paths in it are relative to.
///
/// # Errors
/// The first thing in it that is wrong.
pub fn parse(
    text: &str,
    path: &Path,
    seed: Option<u64>,
    known: &Known,
) -> Result<RegressionPlan, InputError> {
    let document = Document::parse(text, Some(path))?;
    let keys: Vec<&str> = OWN_KEYS.into_iter().chain(KEYS).collect();
    let root = &document.root(&keys)?;
    let scope = read_scope(root, path, known)?;
    let evaluation = root.string("evaluation")?.ok_or_else(|| {
        root.error("evaluation", "missing; the evaluation whose weights are fitted")
    })?;
    let layout = scope.layout(evaluation).map_err(|error| root.error("evaluation", error))?;
    let values = start_vector(root, layout, scope)?;
    let initial = Weights::new("initial", layout, values);
    let initial = initial.map_err(|error| root.error("initial", error))?;
    let name = read_name(root, path)?;
    let rules = read_rules(root, scope.game)?;
    let seed = seed.or(root.whole("seed", 0)?).unwrap_or(0);
    read(root, scope, (name, rules, seed), initial)
}

/// Reads the keys of a regression, from the root of its config or from a table of an evolution.
pub(super) fn read(
    table: &Table<'_, '_>,
    scope: Scope<'_>,
    (name, rules, seed): (String, String, u64),
    initial: Weights,
) -> Result<RegressionPlan, InputError> {
    check_layout(table, scope, initial.layout())?;
    let games = table.whole("games", 2)?.unwrap_or(2000);
    if games > MAX_GAMES {
        return Err(table.error("games", format!("expected at most {MAX_GAMES}, found {games}")));
    }
    let depth = table.whole32("depth", 1, MAX_DEPTH)?.unwrap_or(3);
    let openings = openings(table, "random:4-12:train", &rules, scope)?;
    let held_out = table.share("held_out")?.unwrap_or(0.2);
    let has_both = |share: f64| (games as f64 * share).floor() >= 1.0;
    if !has_both(held_out) || !has_both(1.0 - held_out) {
        let message = format!(
            "{held_out} of {games} games are held out; expected a share that leaves games on both sides"
        );
        return Err(table.error("held_out", message));
    }
    let ridge = table.number("ridge")?.unwrap_or(10.0);
    if !(1e-6..=1e12).contains(&ridge) {
        return Err(
            table.error("ridge", format!("expected a number from 1e-6 to 1e12, found {ridge}"))
        );
    }
    Ok(RegressionPlan {
        name,
        game: scope.game.name.into(),
        seed,
        initial,
        rounds: table.whole32("rounds", 1, MOST)?.unwrap_or(3),
        games,
        depth,
        exploration: table.share("exploration")?.unwrap_or(0.05),
        openings,
        positions: table.whole32("positions", 1, MOST)?.unwrap_or(8),
        labels: labels(table)?,
        fit: table.word("fit")?.unwrap_or_default(),
        ridge,
        held_out,
        opponent: opponent(table, scope, &rules, depth)?,
        rules,
    })
}

fn check_layout(
    table: &Table<'_, '_>,
    scope: Scope<'_>,
    layout: &'static WeightLayout,
) -> Result<(), InputError> {
    if scope.game.is_outside() {
        let message =
            "tictune knows no positions of a runner's game, so that nothing is learned of them";
        return Err(table.error_here(message));
    }
    if scope.game.of_position_alone(layout) {
        return Ok(());
    }
    let message =
        format!("{} looks at the last move; regression is of positions alone", layout.name);
    Err(table.error_here(message))
}

fn openings(
    table: &Table<'_, '_>,
    usual: &str,
    rules: &str,
    scope: Scope<'_>,
) -> Result<Openings, InputError> {
    let text = table.string("openings")?.unwrap_or(usual);
    Openings::parse_in(text, rules, scope).map_err(|error| table.error("openings", error))
}

/// What positions are said to be worth; by default their results.
fn labels(table: &Table<'_, '_>) -> Result<LabelPlan, InputError> {
    let Some(table) = table.table("labels", &LABEL_KEYS)? else {
        return Ok(LabelPlan { depths: Vec::new(), mix_result: 1.0 });
    };
    let mut depths = match table.whole32("depth", 1, MAX_DEPTH) {
        Ok(depth) => depth.into_iter().collect(),
        Err(error) => table.wholes("depth", 1, MAX_DEPTH).map_err(|_| error)?.unwrap_or_default(),
    };
    depths.sort_unstable();
    depths.dedup();
    let mix_result = table.share("mix_result")?;
    if depths.is_empty() && mix_result.is_some_and(|mix| mix < 1.0) {
        let message = "the rest of a label is the value of a search: give depth, too";
        return Err(table.error("mix_result", message));
    }
    let usual = if depths.is_empty() { 1.0 } else { 0.5 };
    Ok(LabelPlan { depths, mix_result: mix_result.unwrap_or(usual) })
}

/// The match of the fit. Both search as deep as self-play unless it says otherwise.
fn opponent(
    table: &Table<'_, '_>,
    scope: Scope<'_>,
    rules: &str,
    depth: u32,
) -> Result<Option<MatchPlan>, InputError> {
    let of_match = table.table("match", &MATCH_KEYS)?;
    let Some(agent) = read_agent(table, "opponent", scope)? else {
        return match of_match {
            Some(_) => Err(table.misplaced("match", "there is no opponent: give it, too")),
            None => Ok(None),
        };
    };
    let of_match = of_match.as_ref();
    let own_depth = of_match.map_or(Ok(None), |table| table.whole32("depth", 1, MAX_DEPTH))?;
    let depth = own_depth.unwrap_or(depth);
    let agent = agent.with_default_depth(depth).complete(scope.game);
    let agent = agent.map_err(|error| table.error("opponent", error))?;
    let usual = "random:4:held-out";
    let openings = match of_match {
        Some(of_match) => openings(of_match, usual, rules, scope)?,
        None => Openings::parse_in(usual, rules, scope)
            .map_err(|error| table.error("opponent", error))?,
    };
    let games = of_match.map_or(Ok(400), |table| even_games(table, 400))?;
    Ok(Some(MatchPlan { agent, depth, games, openings }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::known::built_in;
    use crate::learn::FitKind;

    const GOOD: &str = r#"name = "test"
game = "uttt"
method = "regression"
evaluation = "advanced"
initial = "liang-default"
seed = 3
rounds = 2
games = 100
depth = 2
exploration = 0.1
openings = "random:4:train"
positions = 5
labels = { depth = [7, 5], mix_result = 0.25 }
fit = "ridge"
ridge = 2.5
held_out = 0.1
opponent = "minimax:weights=liang-optimized"
match = { games = 60, depth = 4, openings = "centre" }
"#;

    fn read(text: &str) -> Result<RegressionPlan, String> {
        parse(text, Path::new("c.toml"), None, &built_in()).map_err(|error| error.to_string())
    }

    #[test]
    fn a_good_config_is_read_whole() {
        let plan = read(GOOD).unwrap();
        assert_eq!(plan.labels, LabelPlan { depths: vec![5, 7], mix_result: 0.25 });
        assert_eq!((plan.rounds, plan.games, plan.depth, plan.positions), (2, 100, 2, 5));
        assert_eq!((plan.fit, plan.ridge, plan.held_out), (FitKind::Ridge, 2.5, 0.1));
        let opponent = plan.opponent.as_ref().unwrap();
        let agent = "minimax:depth=4,eval=advanced,weights=liang-optimized";
        assert_eq!((opponent.agent.to_string().as_str(), opponent.games), (agent, 60));
        assert_eq!(opponent.depth, 4);
        assert!(is_regression(GOOD) && !is_regression("method = \"q-learning\""));
        assert_ne!(
            parse(GOOD, Path::new("c.toml"), Some(4), &built_in()).unwrap().hash(),
            plan.hash()
        );
        let json = serde_json::to_string(&plan).unwrap();
        let again: RegressionPlan = built_in().from_json(&json).unwrap();
        assert_eq!(again.hash(), plan.hash());
    }

    #[test]
    fn little_is_needed() {
        let plan = read("method = \"regression\"\nevaluation = \"extended\"").unwrap();
        assert_eq!((plan.name.as_str(), plan.rounds, plan.games), ("c", 3, 2000));
        assert!(plan.initial.values().iter().all(|value| *value == 0.0));
        assert_eq!(plan.labels, LabelPlan { depths: Vec::new(), mix_result: 1.0 });
        assert_eq!((plan.fit, plan.opponent), (FitKind::Logistic, None));
    }

    #[test]
    fn what_is_wrong_is_named_with_line_and_key() {
        for (old, new, expected) in [
            ("evaluation = \"advanced\"\n", "", "evaluation: missing"),
            (
                "\"advanced\"\ninitial = \"liang-default\"",
                "\"cells-weight\"",
                "looks at the last move",
            ),
            (
                "liang-default",
                "liang-comprehensive",
                "initial: liang-comprehensive holds weights for",
            ),
            ("games = 100", "games = 1", "c.toml:8: games: expected a whole number of at least 2"),
            (
                "0.1\nopenings",
                "2\nopenings",
                "c.toml:10: exploration: expected a number from 0 to 1",
            ),
            ("random:4:train", "rndom", "c.toml:11: openings: unknown openings"),
            ("[7, 5]", "0", "c.toml:13: labels.depth: expected a whole number from 1"),
            ("depth = [7, 5], ", "", "c.toml:13: labels.mix_result: the rest of a label"),
            ("0.25", "1.5", "c.toml:13: labels.mix_result: expected a number from 0 to 1"),
            ("\"ridge\"", "\"lasso\"", "c.toml:14: fit: unknown fit \"lasso\""),
            ("2.5", "0", "c.toml:15: ridge: expected a number from 1e-6"),
            ("held_out = 0.1", "held_out = 0", "c.toml:16: held_out: 0 of 100 games"),
            ("games = 60", "games = 61", "c.toml:18: match.games: expected an even number"),
            ("opponent =", "# opponent =", "c.toml:18: match: there is no opponent"),
            ("positions", "position", "c.toml:12: unknown key \"position\"; did you mean"),
        ] {
            let text = GOOD.replacen(old, new, 1);
            assert_ne!(text, GOOD, "{old} is not in the config");
            let error = read(&text).unwrap_err();
            assert!(error.contains(expected), "{new}:\n  {error}\n  {expected}");
        }
    }
}
