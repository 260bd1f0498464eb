//! Configs of evolutions: TOML in, a checked [`Plan`] out.
//!
//! The struct of a section is in `plan` if the plan keeps it unchanged, otherwise in the file that reads it. Every key is explained in
//! `experiments/documented.toml`, and `tictune schema` prints the schema of the structs. Whatever is wrong gets an error with the
//! file, the line, the key, and what was expected. Those of tournaments are read by [`tournament`], those of
//! regression of weights by [`regression`].

mod budget;
mod evolved_agent;
mod final_matches;
mod parameters;
pub mod regression;
mod space;
mod stages;
pub mod tournament;

use std::collections::BTreeMap;
use std::fmt::Display;
use std::path::Path;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use self::budget::BudgetSection;
use self::final_matches::Validation;
use self::parameters::ParameterSection;
use self::space::{Hold, Steps};
use self::stages::{Fitness, OpponentSection, StageSection};
use crate::Space;
use crate::plan::{ComparisonPlan, MAX_POPULATION, Plan, SigmaUnit};
use tictune_core::agent::{AgentSpec, Known, Scope};
use tictune_core::arena::Openings;
use tictune_core::game::{GameInfo, NotationError, WeightLayout, check_values};
use tictune_core::input::{InputError, Result, Table, TomlFile, all_default, read_text, schema_of};
use tictune_core::weights::{Weights, find_game, find_layout};

const NO_WEIGHTS: &str = "no weights are evolved, since there is no evaluation: leave it out";

/// The candidates of a stage where no budget says how many.
const MOST_EVALUATIONS: u64 = 10_000;

/// What the command line changes in a config.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Overrides {
    /// The seed of the run.
    pub seed: Option<u64>,
    /// A limit on the generations of each stage.
    pub max_generations: Option<u64>,
    /// The games of the search that a budget of time has become.
    pub games_of_time: Option<u64>,
}

/// The JSON schema of a config of an evolution.
#[doc(hidden)]
pub fn schema() -> Value {
    schema_of::<EvolutionConfig>()
}

/// The text of a config's file.
///
/// # Errors
/// A file that cannot be read, or is empty.
pub fn read(path: &Path) -> Result<String> {
    let text = read_text(path)?;
    if text.trim().is_empty() {
        return Err(InputError::in_file(path, "is empty; `tictune new` writes a first config"));
    }
    Ok(text)
}

/// Reads the file of a config: see [`parse`].
///
/// # Errors
/// As [`read`] and [`parse`].
pub fn load(path: &Path, overrides: Overrides, known: &Known) -> Result<Plan> {
    parse(&read(path)?, path, overrides, known)
}

/// Reads the text of a config of one of the known games, of which the first is the default; `path` is the name that errors give and
/// what paths in it are relative to.
///
/// ```
/// use std::path::Path;
/// use tictune_core::agent::{CoreKinds, Known};
/// use tictune_core::game::Game;
/// use tictune_evolve::config::{Overrides, parse};
/// use tictune_games::Uttt;
///
/// let text = r#"
///     evaluation = "advanced"
///     cmaes = { population = 8, sigma = 0.3, initial = 0.5 }
///     fitness = { games = 20 }
///     opponents = [{ agent = "minimax:weights=liang-default" }]
///     stages = [{ depth = 2, max_generations = 5 }, { depth = 3, max_generations = 2 }]
/// "#;
/// let known = Known::new::<CoreKinds>(&[Uttt::INFO]);
/// let plan = parse(text, Path::new("small.toml"), Overrides::default(), &known)?;
/// assert_eq!(plan.stages[1].depth, 3);
/// # Ok::<(), tictune_core::input::InputError>(())
/// ```
///
/// # Errors
/// The first thing in it that is wrong.
pub fn parse(text: &str, path: &Path, overrides: Overrides, known: &Known) -> Result<Plan> {
    Config::parse(text, path)?.plan(overrides, known)
}

/// A config whose text is parsed, and of which plans can be made.
#[derive(Debug)]
pub struct Config<'t> {
    document: TomlFile<'t>,
    /// The name that errors give and what paths in it are relative to.
    pub path: &'t Path,
}

impl<'t> Config<'t> {
    /// Parses a text.
    ///
    /// # Errors
    /// A text that is not TOML.
    pub fn parse(text: &'t str, path: &'t Path) -> Result<Self> {
        Ok(Self { document: TomlFile::parse(text, Some(path))?, path })
    }

    /// Whether it chooses the rules of its game.
    pub fn has_rules(&self) -> bool {
        self.document.root().has("rules")
    }

    /// What it plans.
    ///
    /// # Errors
    /// The first thing in it that is wrong.
    pub fn plan(&self, overrides: Overrides, known: &Known) -> Result<Plan> {
        let root = self.document.root();
        let config: EvolutionConfig = root.read()?;
        Reader::new(&root, config, self.path, overrides, known)?.plan()
    }
}

/// A config of an evolution.
#[derive(Debug, Deserialize, JsonSchema)]
struct EvolutionConfig {
    #[serde(flatten)]
    head: Head,
    /// The evaluation of the game whose weights are evolved
    evaluation: Option<String>,
    budget: Option<BudgetSection>,
    #[serde(default = "all_default::<Cmaes>")]
    cmaes: Cmaes,
    #[serde(default = "all_default::<Fitness>")]
    fitness: Fitness,
    /// The agent that plays with the candidates' weights and parameters; by default minimax
    #[serde(rename = "agent")]
    #[schemars(with = "Option<AgentSpec>")]
    _agent: AgentSpec,
    #[serde(default)]
    parameters: Vec<ParameterSection>,
    #[serde(default)]
    opponents: Vec<OpponentSection>,
    #[serde(default)]
    stages: Vec<StageSection>,
    learn: Option<regression::Keys>,
    comparison: Option<ComparisonPlan>,
    validation: Option<Validation>,
}

/// What every config begins with.
#[derive(Debug, Deserialize, JsonSchema)]
#[doc(hidden)]
pub struct Head {
    /// Letters, digits, - _ and dots; by default the name of the file. The run is in runs/NAME
    pub name: Option<String>,
    /// The game; by default uttt
    pub game: Option<String>,
    /// The variant of the game's rules
    pub rules: Option<BTreeMap<String, Value>>,
    /// The seed of all random numbers of the run
    #[serde(default)]
    pub seed: u64,
}

/// The optimiser.
#[derive(Debug, Deserialize, JsonSchema)]
struct Cmaes {
    /// Candidates per generation; by default 4 + 3 ln(weights), rounded down, or, with a budget, two for each pair of a generation
    #[schemars(range(min = 2, max = MAX_POPULATION))]
    population: Option<u32>,
    /// The step size at the beginning of a stage, in weight units, or in steps if scale defines them
    #[schemars(extend("exclusiveMinimum" = 0))]
    sigma: Option<f64>,
    /// The unit of sigma
    #[serde(default)]
    sigma_unit: SigmaUnit,
    /// The start vector: a number for all weights, a list, or weights by name or path; by default 0
    initial: Option<Initial>,
    /// Weights held at 0, by name or "prefix*"
    #[serde(default)]
    leave_out: Vec<String>,
    /// Weights held at given values, or, as a list, at their initial values
    hold: Option<Hold>,
    /// The size of one step of a weight
    #[serde(default)]
    scale: Steps,
    /// A stage stops when it has measured this many candidates; with a budget, by default when its games are played
    #[schemars(range(min = 1), extend("default" = MOST_EVALUATIONS))]
    max_evaluations: Option<u64>,
}

/// A start vector.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
#[schemars(extend("x-takes" = "a finite number, a list of them, or the name or path of weights"))]
enum Initial {
    All(f64),
    Each(Vec<f64>),
    Weights(String),
}

impl Head {
    /// The name of a config, by default that of its file.
    pub fn name(&self, root: &Table<'_, '_>, path: &Path) -> Result<String> {
        let file_stem = path.file_stem().map_or("run".into(), |s| s.to_string_lossy().into_owned());
        let name = self.name.as_deref().unwrap_or(&file_stem);
        let fits = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        if name.is_empty() || name.len() > 100 || name.starts_with('.') || !name.chars().all(fits) {
            let message = "expected letters, digits, - _ and . (the run's folder has this name)";
            return Err(root.error("name", message));
        }
        Ok(name.into())
    }

    /// The game, by default the first known one, and the folder that paths are relative to.
    pub fn scope<'s>(
        &self,
        root: &Table<'_, '_>,
        path: &'s Path,
        known: &'s Known,
    ) -> Result<Scope<'s>> {
        let name =
            self.game.as_deref().or(known.games.first().map(|game| game.name)).unwrap_or_default();
        let game =
            find_game(&known.games, name).map_err(|error| root.error("game", error.message))?;
        Ok(Scope { game, known, folder: path.parent().unwrap_or(Path::new("")) })
    }

    /// The rules, in their text form.
    pub fn rules(&self, root: &Table<'_, '_>, game: &GameInfo) -> Result<String> {
        let wrong = |error: NotationError| match root.inner("rules") {
            Some(table) => table.error_here(error),
            None => root.error("rules", error),
        };
        let Some(rules) = &self.rules else { return game.check_rules("").map_err(wrong) };
        if game.rule_keys.is_empty() {
            let message = format!("{} has no variants of its rules: leave [rules] out", game.name);
            return Err(root.error("rules", message));
        }
        let names: Vec<&str> = game.rule_keys.iter().map(|key| key.name).collect();
        root.inner("rules").map_or(Ok(()), |table| table.check_keys(&names))?;
        let pairs = rules.iter().map(|(key, value)| match value {
            Value::String(text) => format!("{key}={text}"),
            value => format!("{key}={value}"),
        });
        game.check_rules(&pairs.collect::<Vec<_>>().join(",")).map_err(wrong)
    }
}

struct Reader<'r, 'd, 't> {
    root: &'r Table<'d, 't>,
    config: EvolutionConfig,
    scope: Scope<'r>,
    name: String,
    rules: String,
    layout: Option<&'static WeightLayout>,
    /// Whether the evolved agent has to see its games from the first move on.
    from_start: bool,
    overrides: Overrides,
}

impl<'r, 'd, 't> Reader<'r, 'd, 't> {
    fn new(
        root: &'r Table<'d, 't>,
        config: EvolutionConfig,
        path: &'r Path,
        overrides: Overrides,
        known: &'r Known,
    ) -> Result<Self> {
        let scope = evolved_agent::scope(root, &config, path, known)?;
        let rules = config.head.rules(root, scope.game)?;
        let evaluation = config.evaluation.as_deref();
        if evaluation.is_none() && config.parameters.is_empty() {
            let message = "missing; it may be left out only if [[parameters]] are evolved instead";
            return Err(root.error("evaluation", message));
        }
        let find = |name: &str| {
            find_layout(scope.game, name).map_err(|error| root.error("evaluation", error))
        };
        let layout = evaluation.map(find).transpose()?;
        let name = config.head.name(root, path)?;
        Ok(Self { root, config, scope, name, rules, layout, from_start: false, overrides })
    }

    /// A section, for errors about its keys; the whole config where it is left out.
    fn section(&self, name: &str) -> Table<'d, 't> {
        self.root.inner(name).unwrap_or_else(|| self.root.clone())
    }

    fn plan(mut self) -> Result<Plan> {
        let (root, cmaes) = (self.root, self.section("cmaes"));
        self.check_budget()?;
        let mut agent = self.evolved_agent(root)?;
        self.from_start = agent.kind.plays_from_start_only();
        self.add_usual_stage(&agent);
        let config = &self.config;
        let parameters = self.parameters(&mut agent)?;
        let (initial, slots) = match self.layout {
            Some(layout) => {
                let initial = config.cmaes.initial.as_ref();
                let mut values = start_vector(&cmaes, initial, layout, self.scope)?;
                let slots = self.slots(layout, &mut values, parameters.is_empty())?;
                let weights = Weights::new("initial", layout, values);
                (Some(weights.map_err(|error| cmaes.error("initial", error))?), slots)
            }
            None => {
                let keys = ["initial", "leave_out", "hold", "scale", "sigma_unit"];
                none_of(&cmaes, &keys, NO_WEIGHTS)?;
                (None, Vec::new())
            }
        };
        let sigma_unit = self.sigma_unit(!parameters.is_empty())?;
        let mut space = Space { slots, parameters, sigma_unit, axes: None };
        let dimensions = space.dimensions(self.layout.map_or(0, WeightLayout::len));
        let usual = self.default_sigma(dimensions);
        if let (Some((_, unit)), None) = (usual, config.cmaes.sigma) {
            space.sigma_unit = unit;
        }
        let start = self.start(&agent, &space, initial.as_ref())?;
        let stages = self.stages(dimensions, &start)?;
        let seed = self.overrides.seed.unwrap_or(config.head.seed);
        let with_parameters = !space.parameters.is_empty();
        let first_depth = stages.first().map_or(1, |stage| stage.depth.max(1));
        let learn = self.learned_start(seed, initial.as_ref(), with_parameters, first_depth)?;
        let deepest = stages.iter().map(|stage| stage.depth).max().unwrap_or(1);
        Ok(Plan {
            name: self.name.clone(),
            game: self.scope.game.name.into(),
            rules: self.rules.clone(),
            seed,
            chosen: self.chosen(learn.as_ref()),
            learn,
            comparison: self.comparison(&agent, &space.parameters, deepest)?,
            validation: self.validation(initial.as_ref(), &start, deepest)?,
            pairs: self.optimiser_of_pairs(),
            timed: self.timed(),
            initial,
            space,
            agent,
            stages,
        })
    }

    fn openings(&self, table: &Table<'_, '_>, text: &str) -> Result<Openings> {
        let openings = Openings::parse_in(text, &self.rules, self.scope)
            .map_err(|error| table.error_about("openings", text, error))?;
        if self.from_start && openings != Openings::None {
            let message = match self.has_runner() {
                true => {
                    "a runner chooses its own openings by the seeds: leave openings out. Held-out games have other \
                     seeds"
                }
                false => {
                    "the protocol of [agent] sends moves but no positions: it can only play \"none\""
                }
            };
            return Err(table.error_about("openings", text, message));
        }
        Ok(openings)
    }

    /// The openings of a table, by default some usual ones; none where the evolved agent can play no others.
    fn openings_of(&self, table: &Table<'_, '_>, usual: &str) -> Result<Openings> {
        let usual = if self.from_start { "none" } else { usual };
        self.openings(table, table.string("openings")?.unwrap_or(usual))
    }
}

fn start_vector(
    table: &Table<'_, '_>,
    initial: Option<&Initial>,
    layout: &'static WeightLayout,
    scope: Scope<'_>,
) -> Result<Vec<f64>> {
    match initial {
        None => Ok(vec![0.0; layout.len()]),
        Some(Initial::All(value)) => Ok(vec![*value; layout.len()]),
        Some(Initial::Each(values)) => {
            check_values(layout, values).map_err(|error| table.error("initial", error))?;
            Ok(values.clone())
        }
        Some(Initial::Weights(reference)) => {
            let wrong = |error: &dyn Display| table.error_about("initial", reference, error);
            let weights = scope.weights(reference).map_err(|error| wrong(&error))?;
            let found = weights.layout();
            if found != layout {
                let message = format!(
                    "{reference} holds weights for `{}`, not for `{}`",
                    found.name, layout.name
                );
                return Err(wrong(&message));
            }
            Ok(weights.values().to_vec())
        }
    }
}

fn none_of(table: &Table<'_, '_>, keys: &[&str], message: &str) -> Result<()> {
    let given = keys.iter().find(|key| table.has(key));
    given.map_or(Ok(()), |key| Err(table.misplaced(key, message)))
}

fn even_games(table: &Table<'_, '_>, games: u64) -> Result<()> {
    if games.is_multiple_of(2) {
        return Ok(());
    }
    Err(table.error(
        "games",
        format!("expected an even number, since openings are played in pairs; found {games}"),
    ))
}

#[cfg(test)]
mod tests;
