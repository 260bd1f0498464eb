//! Restarts of a stage's optimiser when it stalls, with growing populations.
//!
//! IPOP multiplies the population at each restart (CITE: Auger, Hansen, "A restart CMA evolution strategy with
//! increasing population size", CEC 2005). BIPOP alternates such runs with ones of small populations and step
//! sizes, which may use as many evaluations altogether (CITE: Hansen, "Benchmarking a BI-population CMA-ES on
//! the BBOB-2009 function testbed", GECCO 2009). A restart has a fresh distribution; what it draws follows from
//! the seed of the run, the stage and the number of the restart.

use rand::RngExt;

use super::result::StopReason;
use crate::error::Result;
use crate::optimiser::{CmaEs, CmaEsSettings, MirroredPairs, Optimiser, PairSettings};
use crate::plan::{PairsPlan, Plan, RestartKind, RestartPlan, RestartStart, StagePlan};
use nalgebra::DMatrix;
use tictune_core::seed::{Purpose, Role, generator, of_run};

/// A run of the optimiser within a stage.
#[derive(Default)]
struct Run {
    is_small: bool,
    evaluations: u64,
}

pub(super) struct Restarts<'r> {
    plan: &'r Plan,
    stage: &'r StagePlan,
    index: u64,
    start: &'r [f64],
    /// The first run is neither a large one nor a small one.
    runs: Vec<Run>,
}

impl<'r> Restarts<'r> {
    pub(super) fn new(plan: &'r Plan, index: usize, start: &'r [f64]) -> Self {
        let (stage, index) = (&plan.stages[index], index as u64);
        Self { plan, stage, index, start, runs: vec![Run::default()] }
    }

    pub(super) fn number(&self) -> u64 {
        self.runs.len() as u64 - 1
    }

    pub(super) fn first(&self) -> Result<Box<dyn Optimiser>> {
        if let Some(pairs) = &self.plan.pairs {
            return Ok(Box::new(self.pairs(pairs)));
        }
        self.optimiser(self.start, self.stage.population, self.stage.sigma)
    }

    fn optimiser(
        &self,
        initial: &[f64],
        population: usize,
        sigma: f64,
    ) -> Result<Box<dyn Optimiser>> {
        let optimiser = CmaEs::new(CmaEsSettings {
            initial: initial.to_vec(),
            sigma: self.plan.sigma_from(sigma, initial),
            population,
            seed: of_run(self.plan.seed, Purpose::Optimiser, self.index, self.number()),
            mean_rate: self.plan.noise.mean_rate.unwrap_or(1.0),
        })?;
        Ok(Box::new(optimiser))
    }

    fn pairs(&self, pairs: &PairsPlan) -> MirroredPairs {
        let (stage, start) = (self.stage, self.start);
        // The same steps in all stages: a mean that has grown is no worse known.
        let sigma = self.plan.sigma_from(stage.sigma, &self.plan.start_point());
        let axes = match &self.plan.space.axes {
            Some(axes) => {
                DMatrix::from_fn(start.len(), start.len(), |i, j| axes[i][j] * stage.sigma)
            }
            None => DMatrix::identity(start.len(), start.len()) * sigma,
        };
        let games = stage.fitness.games as f64;
        MirroredPairs::new(PairSettings {
            initial: start.to_vec(),
            axes,
            pairs: stage.population / 2,
            distance: if self.index == 0 { pairs.distance } else { PairsPlan::NEAR },
            games,
            mirrored: stage.fitness.coevolution_games() as f64 / games,
            seed: of_run(self.plan.seed, Purpose::Optimiser, self.index, 0),
        })
    }

    /// Counts a generation of this run; gives a reason to end it where a small run has had its share.
    pub(super) fn count(&mut self, candidates: usize) -> Option<StopReason> {
        let last_large = self.runs.iter().rfind(|run| !run.is_small);
        let share = last_large.map_or(0, |run| run.evaluations) / 2;
        let run = self.runs.last_mut()?;
        run.evaluations += candidates as u64;
        (run.is_small && run.evaluations >= share)
            .then(|| StopReason::stall(format!("{share} evaluations of a small population done")))
    }

    /// The optimiser to go on with when a run has ended for a reason, at this mean; `None` if the stage is to end.
    pub(super) fn after(
        &mut self,
        reason: &StopReason,
        mean: &[f64],
    ) -> Result<Option<Box<dyn Optimiser>>> {
        let Some(settings) = &self.plan.noise.restarts else { return Ok(None) };
        if !reason.is_stall || self.number() >= RestartPlan::MOST {
            return Ok(None);
        }
        let spent = |small: bool| -> u64 {
            let runs = self.runs[1..].iter().filter(|run| run.is_small == small);
            runs.map(|run| run.evaluations).sum()
        };
        let is_small = settings.kind == RestartKind::Bipop && spent(true) < spent(false);
        self.runs.push(Run { is_small, evaluations: 0 });
        let (population, sigma) = self.size(is_small);
        // The stage ends where its budget holds no generation of that size any more.
        let total: u64 = self.runs.iter().map(|run| run.evaluations).sum();
        if total + population as u64 > self.stage.stops.max_evaluations {
            return Ok(None);
        }
        let initial = match settings.start {
            RestartStart::Start => self.start,
            RestartStart::Mean => mean,
        };
        Ok(Some(self.optimiser(initial, population, sigma)?))
    }

    /// The population of a run, one that fits into memory, and an even one where candidates play each other in a ring; and its
    /// step size.
    fn size(&self, is_small: bool) -> (usize, f64) {
        let stage = self.stage;
        let large = self.runs[1..].iter().filter(|run| !run.is_small).count();
        let (mut multiple, mut sigma) = (RestartPlan::GROWTH.powi(large as i32), stage.sigma);
        if is_small {
            let seed = of_run(self.plan.seed, Purpose::Restart, self.index, self.number());
            let mut draws = generator(seed, Role::Coin);
            let [of_population, of_sigma]: [f64; 2] = [draws.random(), draws.random()];
            // Hansen 2009: from the standard population to half the last large one, mostly near the former.
            multiple = (multiple / 2.0).max(1.0).powf(of_population * of_population);
            sigma *= 10_f64.powf(-2.0 * of_sigma);
        }
        let size = (stage.population as f64 * multiple).floor().min(1e6) as usize;
        let in_ring = stage.fitness.coevolution.is_some();
        (if in_ring { size.next_multiple_of(2) } else { size }, sigma)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Combine;
    use crate::verdict::finalists::tests::plan;

    /// A stage of so many evaluations that restarts.
    fn restarting(kind: RestartKind, start: RestartStart, budget: u64) -> Plan {
        let mut plan = plan(Combine::Mean);
        plan.stages[0].population = 10;
        plan.stages[0].stops.max_evaluations = budget;
        plan.noise.restarts = Some(RestartPlan { kind, start });
        plan
    }

    /// The populations of the runs of a stage, each of which stalls after so many generations.
    fn populations(kind: RestartKind, generations: u64, budget: u64) -> Vec<usize> {
        let plan = restarting(kind, RestartStart::Start, budget);
        let start = vec![0.5; plan.start_point().len()];
        let mut restarts = Restarts::new(&plan, 0, &start);
        let mut optimiser = restarts.first().unwrap();
        let mut seen = Vec::new();
        loop {
            let population = optimiser.population().len();
            seen.push(population);
            assert_eq!(optimiser.mean(), start);
            let small = (0..generations).find_map(|_| restarts.count(population));
            let reason = small.unwrap_or_else(|| StopReason::stall("it stagnated"));
            match restarts.after(&reason, &start).unwrap() {
                Some(next) => optimiser = next,
                None => return seen,
            }
        }
    }

    #[test]
    fn ipop_doubles_the_population_each_time() {
        assert_eq!(populations(RestartKind::Ipop, 7, 10_000), [10, 20, 40, 80, 160, 320, 640]);
        // 70 + 140 + 280 measured, and the next generation would be one of 80.
        assert_eq!(populations(RestartKind::Ipop, 7, 490 + 80), [10, 20, 40, 80]);
        assert_eq!(populations(RestartKind::Ipop, 7, 490 + 79), [10, 20, 40]);
    }

    #[test]
    fn bipop_spends_as_much_on_small_populations_as_on_large_ones() {
        let seen = populations(RestartKind::Bipop, 8, u64::MAX);
        assert_eq!(seen[..2], [10, 20], "the first restart is a large one");
        let large = seen[1..].iter().filter(|size| **size >= 20 && **size % 20 == 0);
        assert!(large.take(2).eq(&[20, 40]), "{seen:?}");
        assert!(seen.len() == 10 && seen.iter().all(|size| *size >= 10), "{seen:?}");
    }

    #[test]
    fn a_stall_restarts_at_the_start_or_at_the_mean_and_a_budget_is_none() {
        for (place, expected) in [(RestartStart::Start, 0.0), (RestartStart::Mean, 2.0)] {
            let plan = restarting(RestartKind::Ipop, place, 1000);
            let [start, mean, at] = [0.0, 2.0, expected].map(|x| vec![x; plan.start_point().len()]);
            let mut restarts = Restarts::new(&plan, 0, &start);
            let limit = StopReason::limit("the time is up".into());
            assert!(restarts.after(&limit, &mean).unwrap().is_none());
            assert_eq!(restarts.number(), 0);
            let next = restarts.after(&StopReason::stall("it stalled"), &mean).unwrap().unwrap();
            assert_eq!(next.mean(), at);
        }
    }
}
