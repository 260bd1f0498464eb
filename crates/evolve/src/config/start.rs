//! Where an evolution starts, if not at `initial`: `[learn]` and `[screening]`.

use schemars::JsonSchema;
use serde::Deserialize;

use super::space::Steps;
use super::{MAX_POPULATION, Reader, find_weights, percent, regression, small, whole};
use crate::plan::{LearnedStart, ScreeningPlan, StagePlan};
use tictune_core::input::InputError;
use tictune_core::weights::{Weights, tell_apart};

/// Starts measured by successive halving: the first stage starts from the best.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Screening {
    /// Games of each in the first round, a multiple of 20
    #[serde(default = "whole::<200>")]
    #[schemars(range(min = 1))]
    games: u64,
    /// The most rounds
    #[serde(default = "small::<5>")]
    #[schemars(range(min = 1, max = super::noise::MOST_ROUNDS))]
    rounds: u32,
    /// Weights that take part, by name or path
    #[serde(default)]
    weights: Vec<String>,
    /// So many vectors around the start take part
    #[serde(default)]
    #[schemars(range(min = 0, max = MAX_POPULATION))]
    perturbed: u64,
    /// How far around the start they lie: the multiple of the stage's step size
    #[serde(default = "percent::<100>")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    spread: f64,
    /// So many random vectors take part
    #[serde(default)]
    #[schemars(range(min = 0, max = MAX_POPULATION))]
    random: u64,
}

impl Reader<'_, '_, '_> {
    /// The regression that gives the start.
    pub(super) fn learned_start(
        &self,
        seed: u64,
        initial: Option<&Weights>,
        with_parameters: bool,
    ) -> Result<Option<LearnedStart>, InputError> {
        let Some(keys) = &self.config.learn else { return Ok(None) };
        let table = self.section("learn");
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
        let regression = regression::read(keys, &table, self.scope, of_run, initial.clone())?;
        let steps = self.config.cmaes.scale == Steps::Initial;
        Ok(Some(LearnedStart { regression, steps }))
    }

    /// The starts that are measured before a stage.
    pub(super) fn screening(
        &self,
        stages: &[StagePlan],
    ) -> Result<Option<ScreeningPlan>, InputError> {
        let Some(keys) = &self.config.screening else { return Ok(None) };
        let table = self.section("screening");
        let screened = &stages[..stages.len().min(1)];
        super::noise::check_pool(&table, screened)?;
        super::noise::check_games(&table, screened, keys.games, keys.rounds)?;
        let find = |name: &String| match self.layout {
            Some(layout) => find_weights(&table, "weights", name, layout, self.scope),
            None => {
                let message = "no weights are evolved, since there is no evaluation: leave it out";
                Err(table.misplaced("weights", message))
            }
        };
        let weights = keys.weights.iter().map(find).collect::<Result<_, _>>()?;
        if keys.random > 0 && self.layout.is_none() {
            let message = "is of weights, and none are evolved: give perturbed";
            return Err(table.misplaced("random", message));
        }
        if keys.perturbed == 0 && table.has("spread") {
            return Err(table.misplaced("spread", "is of perturbed starts: give perturbed, too"));
        }
        let plan = ScreeningPlan {
            games: keys.games,
            rounds: keys.rounds,
            openings: self.openings_of(&table, None, "random:4:train")?,
            weights: tell_apart(weights),
            perturbed: keys.perturbed,
            spread: keys.spread,
            random: keys.random,
        };
        if plan.weights.is_empty()
            && plan.perturbed + plan.random == 0
            && self.config.learn.is_none()
        {
            let message = "there is one start only: give weights, perturbed or random, or a [learn] table with several depths";
            return Err(table.error_here(message));
        }
        Ok(Some(plan))
    }
}
