//! The result of a stage, and observers, which follow the progress of a run.

use crate::journal::{Comparison, GenerationRow, MatchRow};
use crate::plan::{Candidate, StagePlan};

/// A vector with the fitness measured for it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scored {
    pub candidate: Candidate,
    pub fitness: f64,
    /// The generation it is from, from 1.
    pub generation: u64,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct StageResult {
    /// The candidate of the lowest fitness, the earliest of several.
    pub best: Scored,
    /// The centre of the distribution after the last generation, a point of the optimiser.
    pub mean: Vec<f64>,
    pub generations: u64,
    pub evaluations: u64,
    /// Why it ended, in words.
    pub stopped: String,
}

impl StageResult {
    /// Keeps the best of the candidates of a generation, if it is better than those before.
    pub(super) fn note(&mut self, generation: u64, candidates: &[Candidate], fitness: &[f64]) {
        for (candidate, &fitness) in candidates.iter().zip(fitness) {
            if self.best.generation == 0 || fitness < self.best.fitness {
                let candidate = candidate.clone();
                self.best = Scored { candidate, fitness, generation };
            }
        }
    }
}

/// Follows the progress of a run. It is called from the threads that play.
pub trait Observer: Sync {
    /// A stage (0-based) begins or, on resuming, is replayed.
    fn stage_started(&self, _index: usize, _stage: &StagePlan) {}
    /// A generation (1-based) is about to play this many games, 0 when it is replayed from the log.
    fn generation_started(&self, _generation: u64, _games: u64) {}
    /// A game was played.
    fn game_played(&self) {}
    /// The optimiser was told the fitness of a generation.
    fn generation_finished(&self, _row: &GenerationRow, _replayed: bool) {}
    /// A stage ended.
    fn stage_finished(&self, _index: usize, _result: &StageResult) {}
    /// Matches at the end of the run are about to play this many games, those included that are read from the log.
    fn matches_started(&self, _games: u64) {}
    /// One of these matches begins.
    fn match_started(&self, _label: &str) {}
    /// A match at the end of the run was played, or read from the log.
    fn match_finished(&self, _row: &MatchRow) {}
    /// Best and mean were compared.
    fn comparison_finished(&self, _comparison: &Comparison) {}
}

/// An observer that does nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Observer for Silent {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_is_the_earliest_of_the_lowest_fitness() {
        let mut result = StageResult::default();
        let mut noted = |generation: u64, scored: &[(f64, f64)]| {
            let candidate = |x: f64| Candidate { point: vec![x], ..Candidate::default() };
            let candidates: Vec<Candidate> = scored.iter().map(|(x, _)| candidate(*x)).collect();
            let fitness: Vec<f64> = scored.iter().map(|(_, fitness)| *fitness).collect();
            result.note(generation, &candidates, &fitness);
            (result.best.candidate.point[0], result.best.generation)
        };
        assert_eq!(noted(1, &[(1.0, 5.0), (2.0, 4.0), (3.0, 4.0)]), (2.0, 1));
        assert_eq!(noted(2, &[(3.0, 4.0), (4.0, 6.0)]), (2.0, 1));
        assert_eq!(noted(3, &[(3.0, 3.0), (5.0, 4.5)]), (3.0, 3));
    }
}
