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
    /// Whether the next generation's fitness cannot be compared with that of those before.
    begins_anew: bool,
    /// The first generation whose fitness can be compared with that of the last.
    pub(super) comparable_from: u64,
}

impl Records {
    /// Takes note of a generation.
    pub(super) fn take_note(&mut self, row: &GenerationRow, asked: &[Vec<f64>]) {
        self.seconds += row.seconds;
        if std::mem::take(&mut self.begins_anew) || self.comparable_from == 0 {
            self.best = None;
            self.restart(row.generation);
            self.comparable_from = row.generation;
        }
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

    /// The next generation meets other opponents: fitness is not what it was, and all records are new.
    pub(super) const fn opponents_change(&mut self) {
        self.begins_anew = true;
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

#[cfg(test)]
mod tests {
    use super::*;

    /// A generation of two candidates with this lowest fitness, the second being the best.
    fn generation(generation: u64, best_fitness: f64) -> GenerationRow {
        GenerationRow {
            generation,
            evaluations: 2 * generation,
            best_fitness,
            best_index: 1,
            median_fitness: best_fitness + 1.0,
            worst_fitness: best_fitness + 2.0,
            mean_vector_fitness: best_fitness,
            sigma: 0.3,
            axis_ratio: 1.0,
            games: 40,
            distinct_games: 40,
            spread: 1.0,
            standard_error: 2.0,
            restart: 0,
            seconds: 1.0,
            games_per_second: 1.0,
            mean: vec![0.0],
        }
    }

    #[test]
    fn records_are_of_generations_that_can_be_compared() {
        let mut records = Records::default();
        let note = |records: &mut Records, number: u64, fitness| {
            records.take_note(&generation(number, fitness), &[vec![0.0], vec![number as f64]]);
            let best = records.best.as_ref().unwrap();
            (best.generation, records.comparable_from, records.last_improvement)
        };
        assert_eq!(note(&mut records, 1, 5.0), (1, 1, 1));
        assert_eq!(note(&mut records, 2, 7.0), (1, 1, 1));
        records.opponents_change();
        assert!(records.best.is_some(), "the best so far is kept until there is another");
        assert_eq!(note(&mut records, 3, 9.0), (3, 3, 3));
        assert_eq!(note(&mut records, 4, 8.0), (4, 3, 4));
        // Another run of the optimiser meets the same opponents: the best stays.
        records.restart(4);
        assert_eq!(note(&mut records, 5, 8.5), (4, 3, 5));
    }
}
