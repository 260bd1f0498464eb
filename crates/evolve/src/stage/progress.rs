//! Progress over the generations of a stage, and its stops.

use super::result::Scored;
use crate::journal::GenerationRow;
use crate::optimiser::Optimiser;
use crate::plan::{Candidate, StagePlan};

#[derive(Default)]
pub(super) struct Progress {
    /// The candidate of the lowest fitness, the earliest of several.
    pub(super) best: Option<Scored>,
}

impl Progress {
    pub(super) fn observe(&mut self, generation: u64, candidates: &[Candidate], fitness: &[f64]) {
        for (candidate, &fitness) in candidates.iter().zip(fitness) {
            if self.best.as_ref().is_none_or(|best| fitness < best.fitness) {
                let candidate = candidate.clone();
                self.best = Some(Scored { candidate, fitness, generation });
            }
        }
    }

    /// The reason to stop after a generation, if there is one.
    pub(super) fn stop(
        &self,
        stage: &StagePlan,
        row: &GenerationRow,
        optimiser: &dyn Optimiser,
    ) -> Option<String> {
        let stops = &stage.stops;
        let most = stops.max_evaluations;
        let reasons = [
            (stops.target_fitness.filter(|target| row.best_fitness <= *target))
                .map(|target| format!("target fitness {target} reached")),
            (stops.max_generations.filter(|most| row.generation >= *most))
                .map(|most| format!("{most} generations done")),
            (row.evaluations >= most).then(|| format!("{most} evaluations done")),
            optimiser.stop_reason().map(String::from),
        ];
        reasons.into_iter().flatten().next()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Vector;

    #[test]
    fn the_best_is_the_earliest_of_the_lowest_fitness() {
        let mut progress = Progress::default();
        let mut note = |generation: u64, scored: &[(f64, f64)]| {
            let candidate = |x: f64| {
                let parameters = vec![("p".into(), x)];
                let values = Vector { name: "c".into(), weights: None, parameters };
                Candidate { point: vec![x], values }
            };
            let candidates: Vec<Candidate> = scored.iter().map(|(x, _)| candidate(*x)).collect();
            let fitness: Vec<f64> = scored.iter().map(|(_, fitness)| *fitness).collect();
            progress.observe(generation, &candidates, &fitness);
            let best = progress.best.as_ref().unwrap();
            (best.candidate.point[0], best.generation)
        };
        assert_eq!(note(1, &[(1.0, 5.0), (2.0, 4.0), (3.0, 4.0)]), (2.0, 1));
        assert_eq!(note(2, &[(3.0, 4.0), (4.0, 6.0)]), (2.0, 1));
        assert_eq!(note(3, &[(3.0, 3.0), (5.0, 4.5)]), (3.0, 3));
    }
}
