//! Configs of evolutions: TOML in, a checked [`Plan`] out.
//!
//! A section is a struct of the plan, where it is a part of it as it stands, or of `keys` or the file that is named after it. Every key is explained in
//! `experiments/documented.toml`, and `tictune schema` prints the schema of the structs. Whatever is wrong is answered with the
//! file, the line, the key, and what was expected. Those of tournaments are read by [`tournament`], those of
//! regression of weights by [`regression`].

mod builder;
mod carrier;
mod final_matches;
mod hall_of_fame;
mod keys;
mod noise;
mod parameters;
pub mod regression;
mod runner;
mod space;
mod stages;
mod start;
pub mod tournament;

use std::fmt::Display;
use std::path::Path;

use serde_json::Value;

#[doc(hidden)]
pub use self::keys::Head;
use self::keys::{Config, Initial};
use crate::Space;
use crate::plan::Plan;
use tictune_core::agent::{Known, Scope};
use tictune_core::arena::Openings;
use tictune_core::game::{WeightLayout, check_values};
use tictune_core::input::{InputError, Table, TomlFile, read_text, schema_of};
use tictune_core::weights::Weights;

pub use builder::PlanBuilder;

/// What the command line changes in a config.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Overrides {
    /// The seed of the run.
    pub seed: Option<u64>,
    /// A limit on the generations of each stage.
    pub max_generations: Option<u64>,
}

/// The JSON schema of a config of an evolution.
#[doc(hidden)]
pub fn schema() -> Value {
    schema_of::<Config>()
}

/// Reads a config of one of the known games; the first of them is the default.
///
/// # Errors
/// The first thing in it that is wrong.
pub fn load(
    path: &Path,
    overrides: Overrides,
    known: &Known,
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
    known: &Known,
) -> Result<Plan, InputError> {
    let document = TomlFile::parse(text, Some(path))?;
    let root = document.open_root();
    let config: Config = root.read()?;
    Reader::new(&root, &config, path, known)?.plan(overrides)
}

/// What the parts of a config share.
struct Reader<'r, 'd, 't> {
    root: &'r Table<'d, 't>,
    config: &'r Config,
    scope: Scope<'r>,
    name: String,
    rules: String,
    layout: Option<&'static WeightLayout>,
    /// Whether the carrier has to see its games from the first move on.
    from_start: bool,
}

impl<'r, 'd, 't> Reader<'r, 'd, 't> {
    fn new(
        root: &'r Table<'d, 't>,
        config: &'r Config,
        path: &'r Path,
        known: &'r Known,
    ) -> Result<Self, InputError> {
        let scope = runner::scope(root, config, path, known)?;
        let rules = config.head.rules(root, scope.game)?;
        runner::check(root, config, scope.game)?;
        let evaluation = config.evaluation.as_deref();
        if evaluation.is_none() && config.parameters.is_empty() {
            let message =
                "missing; it may be left out only where [[parameters]] are evolved instead";
            return Err(root.error("evaluation", message));
        }
        let find = |name: &str| scope.layout(name).map_err(|error| root.error("evaluation", error));
        let layout = evaluation.map(find).transpose()?;
        let name = config.head.name(root, path)?;
        Ok(Self { root, config, scope, name, rules, layout, from_start: false })
    }

    /// A section, for errors about its keys; the whole config where it is left out.
    fn section(&self, name: &str) -> Table<'d, 't> {
        self.root.inner(name).unwrap_or_else(|| self.root.clone())
    }

    fn plan(mut self, overrides: Overrides) -> Result<Plan, InputError> {
        let (root, config, cmaes) = (self.root, self.config, self.section("cmaes"));
        let mut agent = self.carrier(root)?;
        self.from_start = agent.plays_from_start_only();
        let parameters = self.parameters(&mut agent)?;
        let (initial, slots) = match self.layout {
            Some(layout) => {
                let initial = config.cmaes.initial.as_ref();
                let mut values = start_vector(&cmaes, initial, layout, self.scope)?;
                let slots = self.slots(layout, &mut values, parameters.is_empty())?;
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
        let sigma_unit = self.sigma_unit(!parameters.is_empty())?;
        let space = Space { slots, parameters, sigma_unit };
        let dimensions = space.dimensions(self.layout.map_or(0, WeightLayout::len));
        let start = self.start(&agent, &space, initial.as_ref())?;
        let stages = self.stages(dimensions, overrides, &start)?;
        let seed = overrides.seed.unwrap_or(config.head.seed);
        let with_parameters = !space.parameters.is_empty();
        let learn = self.learned_start(seed, initial.as_ref(), with_parameters)?;
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
            noise: self.noise(&stages)?,
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

/// A start vector, which is the key `initial` of a table.
fn start_vector(
    table: &Table<'_, '_>,
    initial: Option<&Initial>,
    layout: &'static WeightLayout,
    scope: Scope<'_>,
) -> Result<Vec<f64>, InputError> {
    match initial {
        None => Ok(vec![0.0; layout.len()]),
        Some(Initial::All(value)) => Ok(vec![*value; layout.len()]),
        Some(Initial::Each(values)) => {
            check_values(layout, values).map_err(|error| table.error("initial", error))?;
            Ok(values.clone())
        }
        Some(Initial::Weights(reference)) => {
            let weights = find_weights(table, "initial", reference, layout, scope)?;
            Ok(weights.values().to_vec())
        }
    }
}

/// Weights of a layout, by a name or path under a key.
fn find_weights(
    table: &Table<'_, '_>,
    key: &str,
    reference: &str,
    layout: &WeightLayout,
    scope: Scope<'_>,
) -> Result<Weights, InputError> {
    let wrong = |error: &dyn Display| table.error_about(key, reference, error);
    let weights = scope.weights(reference).map_err(|error| wrong(&error))?;
    if weights.layout() == layout {
        return Ok(weights);
    }
    let found = weights.layout().name;
    Err(wrong(&format!("{reference} holds weights for `{found}`, not for `{}`", layout.name)))
}

/// Checks a number of games that are played in pairs.
fn even_games(table: &Table<'_, '_>, games: u64) -> Result<(), InputError> {
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
