//! Configs of evolutions: TOML in, a checked [`Plan`] out.
//!
//! Every key is explained in `experiments/documented.toml`. Whatever is wrong is answered with the
//! file, the line, the key, and what was expected. Those of tournaments are read by [`tournament`], those of
//! reinforcement learning by [`learn`], those of regression by [`regression`].

mod builder;
mod carrier;
mod ending;
mod hall_of_fame;
pub mod learn;
mod noise;
mod parameters;
pub mod regression;
mod runner;
mod space;
mod stages;
mod start;
pub mod tournament;

use std::path::Path;

use crate::agent::{AgentSpec, Kind};
use crate::arena::{MAX_GAMES, Openings};
use crate::evolve::Space;
use crate::evolve::plan::Plan;
use crate::game::{GameInfo, WeightLayout, check_values};
use crate::input::{Document, InputError, Table, number, read_text};
use crate::weights::{Scope, Weights, find_game};

pub use builder::PlanBuilder;

/// What the command line changes in a config.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Overrides {
    /// The seed of the run.
    pub seed: Option<u64>,
    /// A limit on the generations of each stage.
    pub max_generations: Option<u64>,
}

impl Overrides {
    /// Whether nothing is changed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

const TOP_KEYS: [&str; 14] = [
    "name",
    "game",
    "rules",
    "evaluation",
    "seed",
    "cmaes",
    "fitness",
    "agent",
    "parameters",
    "opponents",
    "hall_of_fame",
    "coevolution",
    "stages",
    "comparison",
];
const CMAES_KEYS: [&str; 8] = [
    "population",
    "sigma",
    "sigma_unit",
    "initial",
    "leave_out",
    "hold",
    "scale",
    "max_evaluations",
];
const FITNESS_KEYS: [&str; 7] =
    ["games", "schedule", "openings", "seeds", "score", "combine", "runner"];
const HALL_KEYS: [&str; 7] = ["every", "games", "openings", "share", "size", "confidence", "carry"];
const COEVOLUTION_KEYS: [&str; 2] = ["opponents", "share"];
const OPPONENT_KEYS: [&str; 5] = ["agent", "numbers", "share", "depths", "openings"];
const STAGE_KEYS: [&str; 11] = [
    "depth",
    "depths",
    "start",
    "sigma",
    "games",
    "max_generations",
    "max_evaluations",
    "target_fitness",
    "max_seconds",
    "stagnation",
    "opponents",
];
const COMPARISON_KEYS: [&str; 3] = ["games", "agent", "openings"];
const VALIDATION_KEYS: [&str; 7] =
    ["games", "depths", "iterative", "ept", "opponents", "agents", "openings"];
const VALIDATION_AGENT_KEYS: [&str; 2] = ["agent", "numbers"];

/// The most candidates a generation and weights may have: far above what a run can use.
const MAX_POPULATION: u32 = 100_000;

/// Reads a config of one of the known games; the first of them is the default.
///
/// # Errors
/// The first thing in it that is wrong.
pub fn load(
    path: &Path,
    overrides: Overrides,
    known: &[&'static GameInfo],
) -> Result<(Plan, String), InputError> {
    let text = read_text(path)?;
    if text.trim().is_empty() {
        return Err(InputError::in_file(
            path,
            "is empty; `tictune new` writes a config to begin with",
        ));
    }
    let plan = parse(&text, path, overrides, known)?;
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
    overrides: Overrides,
    known: &[&'static GameInfo],
) -> Result<Plan, InputError> {
    let document = Document::parse(text, Some(path))?;
    let more = ["validation"].into_iter().chain(noise::TABLES).chain(start::TABLES);
    let keys: Vec<&str> = TOP_KEYS.into_iter().chain(more).collect();
    let root = document.root(&keys)?;
    Reader::new(&root, path, known)?.plan(overrides)
}

/// The game of a config, and the folder that its paths are relative to.
fn read_scope<'s>(
    root: &Table<'_, '_>,
    path: &'s Path,
    known: &'s [&'static GameInfo],
) -> Result<Scope<'s>, InputError> {
    let game = match root.string("game")? {
        Some(name) if name != GameInfo::OUTSIDE.name && runner::is_there(root)? => {
            let message = "the games are those of the program of fitness.runner: leave game out";
            return Err(root.error("game", message));
        }
        None if runner::is_there(root)? => GameInfo::OUTSIDE,
        Some(name) => find_game(known, name).map_err(|error| root.error("game", error.message))?,
        None => *known.first().ok_or_else(|| root.error("game", "missing"))?,
    };
    Ok(Scope { game, known, folder: path.parent().unwrap_or(Path::new("")) })
}

/// What the parts of a config share.
struct Reader<'r, 'd, 't> {
    root: &'r Table<'d, 't>,
    scope: Scope<'r>,
    name: String,
    /// The rules in their text form.
    rules: String,
    /// The evaluation that is evolved, if one is.
    layout: Option<&'static WeightLayout>,
    /// Whether the carrier has to see its games from the first move on.
    from_start: bool,
}

impl<'r, 'd, 't> Reader<'r, 'd, 't> {
    fn new(
        root: &'r Table<'d, 't>,
        path: &'r Path,
        known: &'r [&'static GameInfo],
    ) -> Result<Self, InputError> {
        let scope = read_scope(root, path, known)?;
        let rules = read_rules(root, scope.game)?;
        runner::check(root, scope.game)?;
        let evaluation = root.string("evaluation")?;
        if evaluation.is_none() && !root.has("parameters") {
            let message =
                "missing; it may be left out only where [[parameters]] are evolved instead";
            return Err(root.error("evaluation", message));
        }
        let find = |name: &str| scope.layout(name).map_err(|error| root.error("evaluation", error));
        let layout = evaluation.map(find).transpose()?;
        let name = read_name(root, path)?;
        Ok(Self { root, scope, name, rules, layout, from_start: false })
    }

    fn plan(mut self, overrides: Overrides) -> Result<Plan, InputError> {
        let root = self.root;
        let keys: Vec<&str> = CMAES_KEYS.into_iter().chain(noise::CMAES_KEYS).collect();
        let cmaes = root.table("cmaes", &keys)?.ok_or_else(|| {
            root.error("cmaes", "missing; write a [cmaes] table with initial and sigma")
        })?;
        let mut agent = self.carrier(root)?;
        self.from_start = agent.plays_from_start_only();
        let parameters = self.parameters(&mut agent)?;
        let (initial, slots) = match self.layout {
            Some(layout) => {
                let mut values = start_vector(&cmaes, layout, self.scope)?;
                let learned = root.has("learn");
                let slots =
                    space::slots(&cmaes, layout, &mut values, parameters.is_empty(), learned)?;
                let weights = Weights::new("initial", layout, values);
                (Some(weights.map_err(|error| cmaes.error("initial", error))?), slots)
            }
            None => (None, Vec::new()),
        };
        let of_weights = ["initial", "leave_out", "hold", "scale", "sigma_unit"];
        if let Some(key) = of_weights.iter().find(|key| initial.is_none() && cmaes.has(key)) {
            let message = "no weights are evolved, since there is no evaluation: leave it out";
            return Err(cmaes.misplaced(key, message));
        }
        let sigma_unit = space::sigma_unit(&cmaes, !parameters.is_empty())?;
        let space = Space { slots, parameters, sigma_unit };
        let dimensions = space.dimensions(self.layout.map_or(0, WeightLayout::len));
        let start = self.start(&agent, &space, initial.as_ref())?;
        let stages = self.stages(&cmaes, dimensions, overrides, &start)?;
        let seed = overrides.seed.or(root.whole("seed", 0)?).unwrap_or(0);
        let with_parameters = !space.parameters.is_empty();
        let learn = self.learned_start(&cmaes, seed, initial.as_ref(), with_parameters)?;
        let deepest = stages.iter().map(|stage| stage.depth).max().unwrap_or(1);
        Ok(Plan {
            name: self.name.clone(),
            game: self.scope.game.name.into(),
            rules: self.rules.clone(),
            seed,
            learn,
            screening: self.screening(&stages)?,
            comparison: self.comparison(&agent, &space.parameters, deepest)?,
            validation: self.validation(initial.as_ref(), &start)?,
            noise: self.noise(&cmaes, &stages)?,
            initial,
            space,
            agent,
            stages,
        })
    }

    fn openings(&self, table: &Table<'_, '_>, text: &str) -> Result<Openings, InputError> {
        let openings = Openings::parse_in(text, &self.rules, self.scope)
            .map_err(|error| table.error_about("openings", text, error))?;
        if self.from_start && openings != Openings::None {
            let message = match self.has_runner() {
                true => {
                    "a runner has openings of its own, which the seeds decide: leave openings out. Held-out games are \
                     those of other seeds"
                }
                false => {
                    "the protocol of [agent] tells moves and no positions: \"none\" is all it can play"
                }
            };
            return Err(table.error_about("openings", text, message));
        }
        Ok(openings)
    }

    /// The openings of a table, by default some usual ones; none where the carrier can play no others.
    fn openings_of(&self, table: &Table<'_, '_>, usual: &str) -> Result<Openings, InputError> {
        let usual = if self.from_start { "none" } else { usual };
        self.openings(table, table.string("openings")?.unwrap_or(usual))
    }
}

/// The start vector under the key `initial` of a table: one number for all slots, a list, or weights by name or path.
fn start_vector(
    table: &Table<'_, '_>,
    layout: &'static WeightLayout,
    scope: Scope<'_>,
) -> Result<Vec<f64>, InputError> {
    let length = layout.len();
    if let Ok(Some(reference)) = table.string("initial") {
        let weights =
            Weights::find(reference, scope).map_err(|error| table.error("initial", error))?;
        if weights.layout() != layout {
            let message = format!(
                "{reference} holds weights for `{}`, not for `{}`",
                weights.layout().name,
                layout.name
            );
            return Err(table.error("initial", message));
        }
        Ok(weights.values().to_vec())
    } else if let Ok(Some(value)) = table.number("initial") {
        Ok(vec![value; length])
    } else {
        let expected = "a finite number, a list of them, or the name or path of weights";
        let read = |value: &_| number(value).filter(|x: &f64| x.is_finite());
        let values = table.array("initial", expected, read)?.unwrap_or_else(|| vec![0.0; length]);
        check_values(layout, &values).map_err(|error| table.error("initial", error))?;
        Ok(values)
    }
}

/// The rules of a config, in their text form.
fn read_rules(root: &Table<'_, '_>, game: &GameInfo) -> Result<String, InputError> {
    if game.rule_keys.is_empty() && root.has("rules") {
        let message = format!("{} has no variants of its rules: leave [rules] out", game.name);
        return Err(root.error("rules", message));
    }
    let keys: Vec<&str> = game.rule_keys.iter().map(|key| key.name).collect();
    let Some(table) = root.table("rules", &keys)? else {
        return game.check_rules("").map_err(|error| root.error("rules", error));
    };
    let pairs: Vec<String> =
        table.scalars()?.into_iter().map(|(key, value)| format!("{key}={value}")).collect();
    game.check_rules(&pairs.join(",")).map_err(|error| table.error_here(error))
}

/// An agent, written as text or as a table.
fn read_agent(
    table: &Table<'_, '_>,
    key: &str,
    scope: Scope<'_>,
) -> Result<Option<AgentSpec>, InputError> {
    let of_text =
        |text: &str| AgentSpec::parse_in(text, scope).map_err(|error| table.error_in(key, &error));
    match table.string(key) {
        Ok(text) => text.map(of_text).transpose(),
        Err(_) if !table.holds_table(key) => Err(table.error(
            key,
            "expected an agent: text such as \"minimax:depth=3\", or a table with kind",
        )),
        Err(_) => table
            .table(key, &Kind::all_keys())?
            .map(|keys| AgentSpec::from_table(&keys, scope))
            .transpose(),
    }
}

/// The name of a config, by default that of its file.
fn read_name(root: &Table<'_, '_>, path: &Path) -> Result<String, InputError> {
    let file_stem = path.file_stem().map_or("run".into(), |s| s.to_string_lossy().into_owned());
    let name = root.string("name")?.unwrap_or(&file_stem);
    let fits = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    if name.is_empty() || name.len() > 100 || name.starts_with('.') || !name.chars().all(fits) {
        let message = "expected letters, digits, - _ and . (the run's folder is called so)";
        return Err(root.error("name", message));
    }
    Ok(name.into())
}

/// A number of games that are played in pairs.
fn even_games(table: &Table<'_, '_>, default: u64) -> Result<u64, InputError> {
    let games = table.whole("games", 2)?.unwrap_or(default);
    if games > MAX_GAMES {
        return Err(table.error("games", format!("expected at most {MAX_GAMES}, found {games}")));
    }
    if games.is_multiple_of(2) {
        return Ok(games);
    }
    Err(table.error(
        "games",
        format!("expected an even number, since openings are played in pairs; found {games}"),
    ))
}

#[cfg(test)]
mod tests;
