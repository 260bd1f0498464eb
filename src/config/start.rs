//! Where an evolution starts, if not at `initial`: `[learn]` and `[screening]`.

use super::{MAX_POPULATION, Reader, regression};
use crate::evolve::plan::{LearnedStart, ScreeningPlan, StagePlan};
use crate::input::{InputError, Table};
use crate::weights::{Weights, tell_apart};

/// The tables of a config that are read here.
pub(super) const TABLES: [&str; 2] = ["learn", "screening"];

const SCREENING_KEYS: [&str; 6] = ["games", "rounds", "weights", "perturbed", "spread", "random"];

impl Reader<'_, '_, '_> {
    /// The regression that gives the start.
    pub(super) fn learned_start(
        &self,
        cmaes: &Table<'_, '_>,
        seed: u64,
        initial: Option<&Weights>,
        with_parameters: bool,
    ) -> Result<Option<LearnedStart>, InputError> {
        let Some(table) = self.root.table("learn", &regression::KEYS)? else { return Ok(None) };
        let Some(initial) = initial else {
            return Err(table
                .error_here("no weights are evolved, since there is no evaluation: leave it out"));
        };
        if with_parameters {
            return Err(table.error_here(
                "it learns weights alone: evolve [[parameters]] in a run of their own",
            ));
        }
        let of_run = (self.name.clone(), self.rules.clone(), seed);
        let regression = regression::read(&table, self.scope, of_run, initial.clone())?;
        let steps = cmaes.string("scale")? == Some("initial");
        Ok(Some(LearnedStart { regression, steps }))
    }

    /// The starts that are measured before a stage.
    pub(super) fn screening(
        &self,
        stages: &[StagePlan],
    ) -> Result<Option<ScreeningPlan>, InputError> {
        let Some(table) = self.root.table("screening", &SCREENING_KEYS)? else { return Ok(None) };
        let games = table.whole("games", 1)?.unwrap_or(200);
        let rounds = table.whole32("rounds", 1, super::noise::MOST_ROUNDS)?.unwrap_or(5);
        let screened = &stages[..stages.len().min(1)];
        super::noise::check_pool(&table, screened)?;
        super::noise::check_games(&table, screened, games, rounds)?;
        let names = table.strings("weights")?.unwrap_or_default();
        let find = |name: &str| {
            let Some(layout) = self.layout else {
                let message = "no weights are evolved, since there is no evaluation: leave it out";
                return Err(table.misplaced("weights", message));
            };
            let weights = Weights::find(name, self.scope)
                .map_err(|error| table.error_about("weights", name, error))?;
            if weights.layout() == layout {
                return Ok(weights);
            }
            let found = weights.layout().name;
            let message = format!("{name} holds weights for `{found}`, not for `{}`", layout.name);
            Err(table.error_about("weights", name, message))
        };
        let weights = names.into_iter().map(find).collect::<Result<_, _>>()?;
        let count = |key: &str| {
            Ok::<u64, InputError>(table.whole32(key, 0, MAX_POPULATION)?.unwrap_or(0).into())
        };
        let (perturbed, random) = (count("perturbed")?, count("random")?);
        if random > 0 && self.layout.is_none() {
            let message = "is of weights, and none are evolved: give perturbed";
            return Err(table.misplaced("random", message));
        }
        if perturbed == 0 && table.has("spread") {
            return Err(table.misplaced("spread", "is of perturbed starts: give perturbed, too"));
        }
        let plan = ScreeningPlan {
            games,
            rounds,
            openings: self.openings_of(&table, "random:4:train")?,
            weights: tell_apart(weights),
            perturbed,
            spread: table.positive("spread")?.unwrap_or(1.0),
            random,
        };
        if plan.weights.is_empty() && plan.perturbed + plan.random == 0 && !self.root.has("learn") {
            let message = "there is one start only: give weights, perturbed or random, or a [learn] table with several depths";
            return Err(table.error_here(message));
        }
        Ok(Some(plan))
    }
}
