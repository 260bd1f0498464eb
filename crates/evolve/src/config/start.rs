//! Where an evolution starts, if not at `initial`: `[learn]` and `[screening]`.

use super::space::Steps;
use super::{NO_WEIGHTS, Reader, Result, find_weights, none_of, regression};
use crate::plan::{LearnedStart, ScreeningPlan, StagePlan};
use tictune_core::weights::{Weights, tell_apart};

impl Reader<'_, '_, '_> {
    pub(super) fn learned_start(
        &self,
        seed: u64,
        initial: Option<&Weights>,
        with_parameters: bool,
    ) -> Result<Option<LearnedStart>> {
        let Some(keys) = &self.config.learn else { return Ok(None) };
        let table = self.section("learn");
        let Some(initial) = initial else {
            return Err(table.error_here(NO_WEIGHTS));
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

    pub(super) fn screening(&self, stages: &[StagePlan]) -> Result<Option<ScreeningPlan>> {
        let Some(mut plan) = self.config.screening.clone() else { return Ok(None) };
        let table = self.section("screening");
        let screened = &stages[..stages.len().min(1)];
        super::noise::check_pool(&table, screened)?;
        super::noise::check_games(&table, screened, plan.games, plan.rounds)?;
        let find = |name| match self.layout {
            Some(layout) => find_weights(&table, "weights", name, layout, self.scope),
            None => Err(table.misplaced("weights", NO_WEIGHTS)),
        };
        let weights = table.strings("weights").into_iter().map(find);
        plan.weights = tell_apart(weights.collect::<Result<_, _>>()?);
        if plan.random > 0 && self.layout.is_none() {
            let message = "is of weights, and none are evolved: give perturbed";
            return Err(table.misplaced("random", message));
        }
        if plan.perturbed == 0 {
            none_of(&table, &["spread"], "is of perturbed starts: give perturbed, too")?;
        }
        plan.openings = self.openings_of(&table, "random:4:train")?;
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
