//! When a stage ends, or a run of its optimiser.

use std::fmt;

use super::log::GenerationRow;
use super::plan::StagePlan;
use super::stage::Scored;
use crate::cma::{CmaEs, Optimiser};

/// Why a stage ended.
#[derive(Clone, Debug, PartialEq)]
pub enum StopReason {
    /// A candidate reached the target fitness.
    TargetFitness(f64),
    /// The most generations were played.
    MaxGenerations(u64),
    /// The most candidates were measured.
    MaxEvaluations(u64),
    /// The time is up.
    MaxSeconds(f64),
    /// Neither best nor median improved for this many generations.
    Stagnation(u64),
    /// The optimiser cannot go on.
    Optimiser(String),
    /// So many checks of the mean on held-out openings in a row brought nothing better.
    HeldOut(u64),
    /// A restart with a small population has measured as many candidates as it may.
    SmallRun(u64),
}

impl fmt::Display for StopReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TargetFitness(target) => write!(f, "target fitness {target} reached"),
            Self::MaxGenerations(most) => write!(f, "{most} generations done"),
            Self::MaxEvaluations(most) => write!(f, "{most} evaluations done"),
            Self::MaxSeconds(most) => write!(f, "{most} seconds are up"),
            Self::Stagnation(generations) => {
                write!(f, "neither best nor median improved in {generations} generations")
            }
            Self::Optimiser(reason) => f.write_str(reason),
            Self::HeldOut(checks) => {
                write!(f, "the mean did not improve on held-out openings in {checks} checks")
            }
            Self::SmallRun(most) => write!(f, "{most} evaluations of a small population done"),
        }
    }
}

impl StopReason {
    /// Whether another start of the optimiser may help.
    pub(super) const fn is_stall(&self) -> bool {
        matches!(
            self,
            Self::Stagnation(_) | Self::Optimiser(_) | Self::HeldOut(_) | Self::SmallRun(_)
        )
    }
}

/// Records kept for the stops.
#[derive(Default)]
pub(super) struct Records {
    /// The best of the stage.
    pub(super) best: Option<Scored>,
    /// The lowest fitness of this run of the optimiser.
    lowest_best: Option<f64>,
    lowest_median: Option<f64>,
    last_improvement: u64,
    seconds: f64,
}

impl Records {
    /// Takes note of a generation.
    pub(super) fn take_note(&mut self, row: &GenerationRow, asked: &[Vec<f64>]) {
        self.seconds += row.seconds;
        if self.best.as_ref().is_none_or(|best| row.best_fitness < best.fitness)
            && let Some(point) = asked.get(row.best_index as usize)
        {
            self.best = Some(Scored {
                point: point.clone(),
                fitness: row.best_fitness,
                generation: row.generation,
            });
        }
        if self.lowest_best.is_none_or(|lowest| row.best_fitness < lowest) {
            self.lowest_best = Some(row.best_fitness);
            self.last_improvement = row.generation;
        }
        if self.lowest_median.is_none_or(|lowest| row.median_fitness < lowest) {
            self.lowest_median = Some(row.median_fitness);
            self.last_improvement = row.generation;
        }
    }

    /// Begins anew for another run of the optimiser, after a generation.
    pub(super) fn restart(&mut self, generation: u64) {
        self.lowest_best = None;
        self.lowest_median = None;
        self.last_improvement = generation;
    }

    /// The reason to stop after a generation, if there is one. `stall` is one that the optimiser's run found.
    pub(super) fn stop(
        &self,
        stage: &StagePlan,
        row: &GenerationRow,
        optimiser: &CmaEs,
        stall: Option<StopReason>,
    ) -> Option<StopReason> {
        let stops = &stage.stops;
        if let Some(target) = stops.target_fitness.filter(|target| row.best_fitness <= *target) {
            return Some(StopReason::TargetFitness(target));
        }
        if let Some(most) = stops.max_generations.filter(|most| row.generation >= *most) {
            return Some(StopReason::MaxGenerations(most));
        }
        if row.evaluations >= stops.max_evaluations {
            return Some(StopReason::MaxEvaluations(stops.max_evaluations));
        }
        if let Some(most) = stops.max_seconds.filter(|most| self.seconds >= *most) {
            return Some(StopReason::MaxSeconds(most));
        }
        let idle = row.generation - self.last_improvement;
        if let Some(most) = stops.stagnation.filter(|most| idle >= *most) {
            return Some(StopReason::Stagnation(most));
        }
        if let Some(reason) = optimiser.stop_reason() {
            return Some(StopReason::Optimiser(reason.into()));
        }
        stall
    }
}
