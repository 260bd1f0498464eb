//! Progress over the generations of a stage, and its stops.

use super::result::{Scored, StopReason};
use crate::journal::GenerationRow;
use crate::optimiser::Optimiser;
use crate::plan::{Candidate, StagePlan};

#[derive(Default)]
pub(super) struct Progress {
    /// The best of the stage, each vector once, the earlier one first where fitness is equal.
    pub(super) best: Vec<Scored>,
    kept: usize,
    /// The lowest best and the lowest median fitness of this run of the optimiser.
    lowest: [f64; 2],
    last_improvement: u64,
    seconds: f64,
    /// Whether the next generation meets other opponents, so that its fitness cannot be compared with that of those before.
    pub(super) begins_anew: bool,
    /// The first generation whose fitness can be compared with that of the last.
    pub(super) comparable_from: u64,
}

impl Progress {
    pub(super) fn new(kept: usize) -> Self {
        Self { kept, ..Self::default() }
    }

    pub(super) fn observe(
        &mut self,
        row: &GenerationRow,
        candidates: &[Candidate],
        fitness: &[f64],
    ) {
        self.seconds += row.seconds;
        if std::mem::take(&mut self.begins_anew) || self.comparable_from == 0 {
            self.best.clear();
            self.restart(row.generation);
            self.comparable_from = row.generation;
        }
        for (candidate, &fitness) in candidates.iter().zip(fitness) {
            self.rank(candidate, fitness, row.generation);
        }
        for (lowest, found) in self.lowest.iter_mut().zip([row.best_fitness, row.median_fitness]) {
            if found < *lowest {
                *lowest = found;
                self.last_improvement = row.generation;
            }
        }
    }

    /// Takes a candidate among the best, if it is one of them. Different points may stand for the same vector, as
    /// numbers are rounded.
    fn rank(&mut self, candidate: &Candidate, fitness: f64, generation: u64) {
        let place = self.best.partition_point(|better| better.fitness <= fitness);
        let same = self.best.iter().position(|other| other.candidate.values == candidate.values);
        if place < self.kept && same.is_none_or(|same| place <= same) {
            same.map(|same| self.best.remove(same));
            self.best.insert(place, Scored { candidate: candidate.clone(), fitness, generation });
            self.best.truncate(self.kept);
        }
    }

    pub(super) fn restart(&mut self, generation: u64) {
        self.lowest = [f64::INFINITY; 2];
        self.last_improvement = generation;
    }

    /// The reason to stop after a generation, if there is one. `stall` is one that the optimiser's run found.
    pub(super) fn stop(
        &self,
        stage: &StagePlan,
        row: &GenerationRow,
        optimiser: &dyn Optimiser,
        stall: Option<StopReason>,
    ) -> Option<StopReason> {
        let stops = &stage.stops;
        let idle = row.generation - self.last_improvement;
        let (most, limit) = (stops.max_evaluations, StopReason::limit);
        let stagnated = |most: u64| {
            StopReason::stall(format!("neither best nor median improved in {most} generations"))
        };
        let reasons = [
            (stops.target_fitness.filter(|target| row.best_fitness <= *target))
                .map(|target| limit(format!("target fitness {target} reached"))),
            (stops.max_generations.filter(|most| row.generation >= *most))
                .map(|most| limit(format!("{most} generations done"))),
            (row.evaluations >= most).then(|| limit(format!("{most} evaluations done"))),
            (stops.max_seconds.filter(|most| self.seconds >= *most))
                .map(|most| limit(format!("{most} seconds are up"))),
            stops.stagnation.filter(|most| idle >= *most).map(stagnated),
            optimiser.stop_reason().map(StopReason::stall),
            stall,
        ];
        reasons.into_iter().flatten().next()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Vector;

    /// A generation with this lowest fitness.
    fn generation(generation: u64, best_fitness: f64) -> GenerationRow {
        let median_fitness = best_fitness + 1.0;
        GenerationRow { generation, best_fitness, median_fitness, ..GenerationRow::default() }
    }

    fn candidate(value: f64) -> Candidate {
        let values =
            Vector { name: "c".into(), weights: None, parameters: vec![("p".into(), value)] };
        Candidate { point: vec![value], values }
    }

    #[test]
    fn the_best_are_kept_each_vector_once() {
        let mut progress = Progress::new(3);
        let mut note = |number: u64, scored: &[(f64, f64)]| {
            let candidates: Vec<Candidate> = scored.iter().map(|(x, _)| candidate(*x)).collect();
            let fitness: Vec<f64> = scored.iter().map(|(_, fitness)| *fitness).collect();
            progress.observe(&generation(number, 1.0), &candidates, &fitness);
            let best = progress.best.iter();
            best.map(|best| (best.candidate.point[0], best.generation)).collect::<Vec<_>>()
        };
        assert_eq!(note(1, &[(1.0, 5.0), (2.0, 4.0), (3.0, 4.0)]), [(2.0, 1), (3.0, 1), (1.0, 1)]);
        assert_eq!(note(2, &[(3.0, 4.0), (4.0, 6.0)]), [(2.0, 1), (3.0, 1), (1.0, 1)]);
        assert_eq!(note(3, &[(3.0, 3.0), (5.0, 4.5)]), [(3.0, 3), (2.0, 1), (5.0, 3)]);
    }

    #[test]
    fn records_are_of_generations_that_can_be_compared() {
        let mut progress = Progress::new(1);
        let note = |progress: &mut Progress, number: u64, fitness| {
            let candidates = [candidate(0.0), candidate(number as f64)];
            progress.observe(&generation(number, fitness), &candidates, &[fitness + 2.0, fitness]);
            (progress.best[0].generation, progress.comparable_from, progress.last_improvement)
        };
        assert_eq!(note(&mut progress, 1, 5.0), (1, 1, 1));
        assert_eq!(note(&mut progress, 2, 7.0), (1, 1, 1));
        progress.begins_anew = true;
        assert!(!progress.best.is_empty(), "the best so far is kept until there is another");
        assert_eq!(note(&mut progress, 3, 9.0), (3, 3, 3));
        assert_eq!(note(&mut progress, 4, 8.0), (4, 3, 4));
        // Another run of the optimiser meets the same opponents: the best stays.
        progress.restart(4);
        assert_eq!(note(&mut progress, 5, 8.5), (4, 3, 5));
    }
}
