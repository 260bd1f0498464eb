//! Opponents of candidates besides the pool: the hall of fame, and other candidates.

use schemars::JsonSchema;
use serde::Deserialize;

use super::{Reader, Result, even_games};
use crate::plan::{CoevolutionPlan, FitnessPlan, HallPlan, MAX_POPULATION};
use tictune_core::arena::{Openings, Schedule};
use tictune_core::input::percent;

/// Candidates of a generation play each other.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Coevolution {
    /// How many others each candidate plays
    #[schemars(
        range(min = 1, max = MAX_POPULATION),
        extend("x-missing" = "how many of the others each candidate plays")
    )]
    opponents: u32,
    /// The share of a candidate's games; with 1 there are no [[opponents]]
    #[serde(default = "percent::<100>")]
    #[schemars(extend("exclusiveMinimum" = 0, "maximum" = 1))]
    pub(super) share: f64,
}

impl Reader<'_, '_, '_> {
    /// The hall of fame of a stage. `openings` are those of its fitness.
    pub(super) fn hall(&self, openings: &Openings) -> Result<Option<HallPlan>> {
        let Some(mut plan) = self.config.hall_of_fame.clone() else { return Ok(None) };
        let table = self.section("hall_of_fame");
        even_games(&table, plan.games)?;
        plan.openings = match table.string("openings")? {
            Some(text) => self.openings(&table, text)?,
            None => openings.clone(),
        };
        Ok(Some(plan))
    }

    /// The games of candidates against each other, out of all games of a candidate.
    pub(super) fn coevolution(
        &self,
        games: u64,
        schedule: Schedule,
        depths: &[u32],
        alone: bool,
    ) -> Result<Option<CoevolutionPlan>> {
        let mirrored = self.in_pairs();
        let written = self.config.coevolution.as_ref().map(|keys| (keys.opponents, keys.share));
        let usual = (mirrored && alone).then_some((1, 1.0));
        let Some((opponents, share)) = written.or(usual) else { return Ok(None) };
        if mirrored && opponents > 1 {
            let message = "of a pair, each plays the other: 1";
            return Err(self.section("coevolution").error("opponents", message));
        }
        let table = self.section("coevolution");
        if schedule != Schedule::Paired {
            let message = format!(
                "candidates play each other in pairs: it needs fitness.schedule paired, not {schedule}"
            );
            return Err(table.error_here(message));
        }
        let matches = u64::from(opponents) * depths.len() as u64;
        // Whole pairs of games, the same number in every match.
        let each = ((games / 2) as f64 * share / matches as f64).floor() as u64 * 2;
        if each == 0 || share >= 1.0 && each * matches != games {
            let message = format!(
                "{matches} matches of a candidate need as many game pairs each: share {share} of {games} games has to be at \
                 least {least}, and with share 1 a multiple of it",
                least = 2 * matches
            );
            return Err(table.error("opponents", message));
        }
        let opponents = opponents as usize;
        Ok(Some(CoevolutionPlan { opponents, depths: depths.to_vec(), games: each, mirrored }))
    }

    /// Checks that every opponent of the pool has games, in the fitness when the hall of fame takes
    /// its share and in admission matches. Also checks that a hall has a pool and that a generation
    /// is large enough for coevolution.
    pub(super) fn check_opponents(&self, fitness: &FitnessPlan, population: usize) -> Result<()> {
        if let Some(plan) = &fitness.coevolution {
            let wrong = |error| self.section("coevolution").error("opponents", error);
            plan.check_population(population).map_err(wrong)?;
        }
        let Some(hall) = &fitness.hall else { return Ok(()) };
        let table = self.section("hall_of_fame");
        if fitness.opponents.is_empty() {
            let message = "it needs opponents: the mean is admitted when it has beaten them";
            return Err(table.error_here(message));
        }
        let (games, theirs) = (fitness.games, fitness.hall_games());
        let left = (games - fitness.coevolution_games()).saturating_sub(theirs);
        let too_small = |games: u64| fitness.split(games, fitness.schedule.unit()).contains(&0);
        if theirs == 0 || too_small(left) {
            let message = format!(
                "of {games} games {theirs} would go to the hall and {left} to the pool, whose every opponent needs some"
            );
            return Err(table.error("share", message));
        }
        if too_small(hall.games - (hall.games as f64 * hall.share / 2.0).round() as u64 * 2) {
            let message = format!("too few for every opponent of the pool: {}", hall.games);
            return Err(table.error("games", message));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{check_mistakes, read};

    const CONFIG: &str = include_str!("tests/hall_of_fame.toml");

    #[test]
    fn games_are_shared_among_pool_hall_and_each_other() {
        let fitness = &read(CONFIG).unwrap().stages[0].fitness;
        assert_eq!(
            fitness.coevolution.as_ref().map(|plan| (plan.opponents, plan.games)),
            Some((3, 6))
        );
        assert_eq!((fitness.hall_games(), fitness.games_by_opponent()), (10, vec![12, 10, 18]));
        assert_eq!(fitness.hall.as_ref().unwrap().openings, fitness.openings);
        check_mistakes("hall of fame", CONFIG, read);
    }
}
