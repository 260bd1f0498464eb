//! Regression of weights: TOML in, a [`RegressionPlan`] out. It is a config of its own, for `tictune learn`, or the table
//! `[learn]` of an evolution.

use std::path::Path;

use schemars::JsonSchema;
use serde::Deserialize;

use super::{Head, Initial, Result, even_games, start_vector};
use crate::learn::{LabelPlan, RegressionMatch, RegressionPlan};
use tictune_core::agent::{AgentSpec, Known, Scope};
use tictune_core::arena::{MAX_GAMES, Openings};
use tictune_core::input::{Table, all_default, whole};
use tictune_core::search::minimax::MAX_DEPTH;
use tictune_core::weights::{Weights, find_layout};

const MOST: u32 = 10_000;

/// A config of its own.
#[derive(Debug, Deserialize, JsonSchema)]
struct RegressionConfig {
    #[serde(flatten)]
    head: Head,
    /// regression
    #[serde(rename = "method")]
    _method: Option<String>,
    #[schemars(extend("x-missing" = "the evaluation whose weights are fitted"))]
    evaluation: String,
    /// The weights that play first; by default 0
    initial: Option<Initial>,
    #[serde(flatten)]
    keys: Keys,
}

/// The start vector by regression on positions of self-play.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub(super) struct Keys {
    /// Rounds; each plays with the weights of the round before
    #[serde(default = "whole::<3, u32>")]
    #[schemars(range(min = 1, max = MOST))]
    rounds: u32,
    /// Games per round
    #[serde(default = "whole::<2000, u64>")]
    #[schemars(range(min = 5, max = MAX_GAMES))]
    games: u64,
    /// The search depth in these games in plies
    #[serde(default = "whole::<3, u32>")]
    #[schemars(range(min = 1, max = MAX_DEPTH))]
    depth: u32,
    /// The values of positions; by default the results of their games
    labels: Option<Labels>,
    /// The opponent of the learned weights at the end; by default none
    #[serde(rename = "opponent")]
    #[schemars(with = "Option<AgentSpec>")]
    _opponent: AgentSpec,
    /// The match at the end
    #[serde(rename = "match")]
    of_match: Option<Match>,
}

impl Keys {
    /// Labels are a depth and the part of the results; without them they are the results.
    pub(super) fn new(rounds: u32, games: u64, depth: u32, labels: Option<(u32, f64)>) -> Self {
        let labels = labels.map(|(depth, mix)| Labels {
            depth: Some(GameDepths::One(depth)),
            mix_result: Some(mix),
        });
        Self { rounds, games, depth, labels, ..all_default() }
    }

    pub(super) fn all_games(&self) -> u64 {
        self.games.saturating_mul(self.rounds.into())
    }
}

/// What positions are worth.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
struct Labels {
    /// The search depth in plies, or several
    depth: Option<GameDepths>,
    /// The part of a label that is the game's result; by default 1 without a depth, and 0.5 with one
    #[schemars(range(min = 0, max = 1))]
    mix_result: Option<f64>,
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
#[schemars(extend("x-takes" = format!("a whole number from 1 to {MAX_DEPTH}, or a list of them")))]
enum GameDepths {
    One(#[schemars(range(min = 1, max = MAX_DEPTH))] u32),
    Several(#[schemars(inner(range(min = 1, max = MAX_DEPTH)))] Vec<u32>),
}

/// A match of the learned weights.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
struct Match {
    /// An even number
    #[serde(default = "whole::<400, u64>")]
    #[schemars(range(min = 2, max = MAX_GAMES))]
    games: u64,
    /// The search depth in plies; by default that of self-play
    #[schemars(range(min = 1, max = MAX_DEPTH))]
    depth: Option<u32>,
}

/// The plan of a config whose outermost table this is; `seed` stands in for its own, and paths in it are relative to the folder
/// of `path`.
#[doc(hidden)]
pub fn plan(
    root: &Table<'_, '_>,
    path: &Path,
    seed: Option<u64>,
    known: &Known,
) -> Result<RegressionPlan> {
    let config: RegressionConfig = root.read()?;
    let scope = config.head.scope(root, path, known)?;
    let layout = find_layout(scope.game, &config.evaluation)
        .map_err(|error| root.error("evaluation", error))?;
    let values = start_vector(root, config.initial.as_ref(), layout, scope)?;
    let initial = Weights::new("initial", layout, values);
    let initial = initial.map_err(|error| root.error("initial", error))?;
    let name = config.head.name(root, path)?;
    let of_run = (name, config.head.rules(root, scope.game)?, seed.unwrap_or(config.head.seed));
    read(&config.keys, root, scope, of_run, initial)
}

pub(super) fn read(
    keys: &Keys,
    table: &Table<'_, '_>,
    scope: Scope<'_>,
    (name, rules, seed): (String, String, u64),
    initial: Weights,
) -> Result<RegressionPlan> {
    if scope.game.is_outside() {
        let message =
            "tictune does not know the positions of a runner's game, so it cannot learn from them";
        return Err(table.error_here(message));
    }
    let layout = initial.layout();
    if !scope.game.of_position_alone(layout) {
        let message = format!(
            "{} depends on the last move; regression needs an evaluation of positions alone",
            layout.name
        );
        return Err(table.error_here(message));
    }
    // No key says where these games start.
    let openings =
        |text| Openings::parse_in(text, &rules, scope).map_err(|error| table.error_here(error));
    Ok(RegressionPlan {
        name,
        game: scope.game.name.into(),
        seed,
        initial,
        rounds: keys.rounds,
        games: keys.games,
        depth: keys.depth,
        openings: openings("random:4-12:train")?,
        labels: labels(keys.labels.as_ref(), table)?,
        opponent: opponent(keys, table, scope, openings)?,
        rules,
    })
}

fn labels(keys: Option<&Labels>, table: &Table<'_, '_>) -> Result<LabelPlan> {
    let mix_result = keys.and_then(|keys| keys.mix_result);
    let mut depths = match keys.and_then(|keys| keys.depth.as_ref()) {
        None => Vec::new(),
        Some(GameDepths::One(depth)) => vec![*depth],
        Some(GameDepths::Several(depths)) => depths.clone(),
    };
    depths.sort_unstable();
    depths.dedup();
    if depths.is_empty() && mix_result.is_some_and(|mix| mix < 1.0) {
        let message = "the rest of a label is the value of a search: give depth, too";
        return Err(table.inner("labels").unwrap_or(table.clone()).error("mix_result", message));
    }
    let usual = if depths.is_empty() { 1.0 } else { 0.5 };
    Ok(LabelPlan { depths, mix_result: mix_result.unwrap_or(usual) })
}

/// The match of the fit. Both search as deep as self-play unless it says otherwise.
fn opponent(
    keys: &Keys,
    table: &Table<'_, '_>,
    scope: Scope<'_>,
    openings: impl Fn(&'static str) -> Result<Openings>,
) -> Result<Option<RegressionMatch>> {
    let of_match = keys.of_match.as_ref();
    let Some(agent) = AgentSpec::under("opponent", table, scope)? else {
        return match of_match {
            Some(_) => Err(table.misplaced("match", "there is no opponent: give it, too")),
            None => Ok(None),
        };
    };
    let depth = of_match.and_then(|keys| keys.depth).unwrap_or(keys.depth);
    let agent = agent.with_default_depth(depth).complete(scope.game);
    let agent = agent.map_err(|error| table.error("opponent", error))?;
    let games = of_match.map_or(400, |keys| keys.games);
    even_games(&table.inner("match").unwrap_or(table.clone()), games)?;
    Ok(Some(RegressionMatch { agent, depth, games, openings: openings("random:4:held-out")? }))
}

#[cfg(test)]
mod tests {
    use super::super::tests::check_mistakes;
    use super::*;
    use crate::known::built_in;
    use tictune_core::input::TomlFile;

    const GOOD: &str = include_str!("tests/regression.toml");

    fn read(text: &str) -> Result<RegressionPlan, String> {
        let path = Path::new("c.toml");
        let document = TomlFile::parse(text, Some(path));
        let plan = document.and_then(|file| plan(&file.root(), path, None, &built_in()));
        plan.map_err(|error| error.to_string())
    }

    #[test]
    fn a_config_is_read_whole_and_little_of_it_is_needed() {
        let plan = read(GOOD).unwrap();
        assert_eq!(plan.labels, LabelPlan { depths: vec![5, 7], mix_result: 0.25 });
        let opponent = plan.opponent.as_ref().unwrap();
        let agent = "minimax:depth=4,eval=advanced,weights=liang-optimized";
        assert_eq!((opponent.agent.to_string().as_str(), opponent.depth), (agent, 4));
        let json = serde_json::to_string(&plan).unwrap();
        assert_eq!(built_in().from_json::<RegressionPlan>(&json).unwrap().hash(), plan.hash());
        let plan = read("method = \"regression\"\nevaluation = \"extended\"").unwrap();
        assert_eq!((plan.name.as_str(), plan.rounds, plan.games), ("c", 3, 2000));
        assert_eq!(plan.labels, LabelPlan { depths: Vec::new(), mix_result: 1.0 });
        check_mistakes("regression", GOOD, read);
    }
}
