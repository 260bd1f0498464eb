//! Regression of weights: TOML in, a [`RegressionPlan`] out. It is a config of its own, for `tictune learn`, or the table
//! `[learn]` of an evolution.

use std::path::Path;

use super::{even_games, read_agent, read_name, read_rules, read_scope, start_vector};
use crate::arena::{MAX_GAMES, Openings};
use crate::game::{GameInfo, WeightLayout};
use crate::input::{Document, InputError, Table, read_text};
use crate::learn::regression::{LabelPlan, MatchPlan, RegressionPlan};
use crate::search::minimax::MAX_DEPTH;
use crate::weights::{Scope, Weights};

/// The keys that a config of its own has beside those of the table.
const OWN_KEYS: [&str; 7] = ["name", "game", "rules", "seed", "method", "evaluation", "initial"];

/// The keys of the table.
pub(super) const KEYS: [&str; 6] = ["rounds", "games", "depth", "labels", "opponent", "match"];
const LABEL_KEYS: [&str; 2] = ["depth", "mix_result"];
const MATCH_KEYS: [&str; 2] = ["games", "depth"];

/// The most rounds.
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
    known: &[&'static GameInfo],
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
    known: &[&'static GameInfo],
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
    let games = table.whole("games", 5)?.unwrap_or(2000);
    if games > MAX_GAMES {
        return Err(table.error("games", format!("expected at most {MAX_GAMES}, found {games}")));
    }
    let depth = table.whole32("depth", 1, MAX_DEPTH)?.unwrap_or(3);
    let openings = openings(table, "random:4-12:train", &rules, scope)?;
    Ok(RegressionPlan {
        name,
        game: scope.game.name.into(),
        seed,
        initial,
        rounds: table.whole32("rounds", 1, MOST)?.unwrap_or(3),
        games,
        depth,
        openings,
        labels: labels(table)?,
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

/// Openings that every regression has.
fn openings(
    table: &Table<'_, '_>,
    text: &str,
    rules: &str,
    scope: Scope<'_>,
) -> Result<Openings, InputError> {
    Openings::parse_in(text, rules, scope).map_err(|error| table.error_here(error))
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
    let openings = openings(table, "random:4:held-out", rules, scope)?;
    let games = of_match.map_or(Ok(400), |table| even_games(table, 400))?;
    Ok(Some(MatchPlan { agent, depth, games, openings }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::KNOWN;

    const GOOD: &str = r#"name = "test"
game = "uttt"
method = "regression"
evaluation = "advanced"
initial = "liang-default"
seed = 3
rounds = 2
games = 100
depth = 2
labels = { depth = [7, 5], mix_result = 0.25 }
opponent = "minimax:weights=liang-optimized"
match = { games = 60, depth = 4 }
"#;

    fn read(text: &str) -> Result<RegressionPlan, String> {
        parse(text, Path::new("c.toml"), None, KNOWN).map_err(|error| error.to_string())
    }

    #[test]
    fn a_good_config_is_read_whole() {
        let plan = read(GOOD).unwrap();
        assert_eq!(plan.labels, LabelPlan { depths: vec![5, 7], mix_result: 0.25 });
        assert_eq!((plan.rounds, plan.games, plan.depth), (2, 100, 2));
        let opponent = plan.opponent.as_ref().unwrap();
        let agent = "minimax:depth=4,eval=advanced,weights=liang-optimized";
        assert_eq!((opponent.agent.to_string().as_str(), opponent.games), (agent, 60));
        assert_eq!(opponent.depth, 4);
        assert!(is_regression(GOOD) && !is_regression("method = \"q-learning\""));
        assert_ne!(parse(GOOD, Path::new("c.toml"), Some(4), KNOWN).unwrap().hash(), plan.hash());
        let json = serde_json::to_string(&plan).unwrap();
        let again: RegressionPlan = crate::weights::from_json(&json, KNOWN).unwrap();
        assert_eq!(again.hash(), plan.hash());
    }

    #[test]
    fn little_is_needed() {
        let plan = read("method = \"regression\"\nevaluation = \"extended\"").unwrap();
        assert_eq!((plan.name.as_str(), plan.rounds, plan.games), ("c", 3, 2000));
        assert!(plan.initial.values().iter().all(|value| *value == 0.0));
        assert_eq!(plan.labels, LabelPlan { depths: Vec::new(), mix_result: 1.0 });
        assert_eq!(plan.opponent, None);
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
            ("games = 100", "games = 1", "c.toml:8: games: expected a whole number of at least 5"),
            ("[7, 5]", "0", "c.toml:10: labels.depth: expected a whole number from 1"),
            ("depth = [7, 5], ", "", "c.toml:10: labels.mix_result: the rest of a label"),
            ("0.25", "1.5", "c.toml:10: labels.mix_result: expected a number from 0 to 1"),
            ("games = 60", "games = 61", "c.toml:12: match.games: expected an even number"),
            ("opponent =", "# opponent =", "c.toml:12: match: there is no opponent"),
            ("rounds", "round", "c.toml:7: unknown key \"round\"; did you mean"),
        ] {
            let text = GOOD.replacen(old, new, 1);
            assert_ne!(text, GOOD, "{old} is not in the config");
            let error = read(&text).unwrap_err();
            assert!(error.contains(expected), "{new}:\n  {error}\n  {expected}");
        }
    }
}
