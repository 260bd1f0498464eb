//! One generation: its candidates, their rows, and its own row.

use std::borrow::Cow;

use crate::journal::{CandidateRow, GenerationRow, fits};
use crate::measure::fitness::Measured;
use crate::measure::results::standard_error;
use crate::plan::{Candidate, Plan, StagePlan};
use tictune_core::files::Found;
use tictune_core::stats::quantile;

/// The candidates that the optimiser asks for, and where they stand.
pub(super) struct Generation<'g> {
    pub(super) number: u64,
    /// The stage as they meet it.
    pub(super) stage: Cow<'g, StagePlan>,
    pub(super) candidates: Vec<Candidate>,
    /// The centre that they were drawn from.
    pub(super) mean: Candidate,
    pub(super) sigma: f64,
    pub(super) axis_ratio: f64,
    /// Candidates of the stage so far, these included.
    pub(super) evaluations: u64,
    /// Restarts of the optimiser before them.
    pub(super) restart: u64,
}

impl Generation<'_> {
    pub(super) fn evaluation(&self, plan: &Plan, index: usize, measured: Measured) -> CandidateRow {
        let Measured { tally, by_opponent, .. } = &measured;
        CandidateRow {
            generation: self.number,
            index: index as u64,
            fitness: self.stage.fitness.cost(tally, by_opponent),
            values: plan.values_at(&self.candidates[index].point),
            measured,
        }
    }

    /// Reads the row of a candidate; else what is wrong with it.
    pub(super) fn check(
        &self,
        plan: &Plan,
        index: usize,
        found: Found<'_>,
    ) -> Result<CandidateRow, String> {
        let row: CandidateRow = found.read().ok_or("is no evaluation")?;
        let fitness = &self.stage.fitness;
        if (row.generation, row.index) != (self.number, index as u64) {
            return Err(format!(
                "expected generation {}, candidate {index}; found generation {}, candidate {}",
                self.number, row.generation, row.index
            ));
        }
        if row.measured.tally.games() != fitness.games {
            return Err(format!("expected {} games in wins, draws and losses", fitness.games));
        }
        if row.measured.distinct_games > fitness.games {
            return Err(format!("distinct_games: expected at most the {} games", fitness.games));
        }
        let expected = self.evaluation(plan, index, row.measured.clone());
        let bits = |values: &[f64]| values.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
        if bits(&row.values) != bits(&expected.values) {
            return Err("these are not the values that the optimiser asks for here; the log is of another run, \
                        or was made by another version or on another kind of machine"
                .into());
        }
        if !fitness.combine.is_mean() && !fits(&row.measured, fitness) {
            return Err("the results by opponent do not fit wins, draws and losses".into());
        }
        if row.fitness != expected.fitness {
            return Err("the fitness does not follow from wins, draws and losses".into());
        }
        Ok(row)
    }

    /// The row of the generation as far as it follows from its evaluations. Of the noise, too: nothing but wins, draws and
    /// losses is in the log of a run, and a resumed one has to find the same.
    pub(super) fn summary(&self, plan: &Plan, evaluations: &[CandidateRow]) -> GenerationRow {
        let mut sorted: Vec<f64> = evaluations.iter().map(|row| row.fitness).collect();
        sorted.sort_by(f64::total_cmp);
        let best_fitness = quantile(&sorted, 0.0);
        let best_index = evaluations.iter().position(|row| row.fitness == best_fitness);
        let count = evaluations.len() as f64;
        let mean = evaluations.iter().map(|row| row.fitness).sum::<f64>() / count;
        let squares: f64 = evaluations.iter().map(|row| (row.fitness - mean).powi(2)).sum();
        let error = |row: &CandidateRow| standard_error(&self.stage.fitness, &row.measured);
        let errors: f64 = evaluations.iter().map(|row| error(row).powi(2)).sum();
        GenerationRow {
            generation: self.number,
            evaluations: self.evaluations,
            best_fitness,
            best_index: best_index.unwrap_or(0) as u64,
            median_fitness: quantile(&sorted, 0.5),
            worst_fitness: quantile(&sorted, 1.0),
            sigma: self.sigma,
            axis_ratio: self.axis_ratio,
            games: evaluations.iter().map(|row| row.measured.tally.games()).sum(),
            distinct_games: evaluations.iter().map(|row| row.measured.distinct_games).sum(),
            spread: (squares / (count - 1.0).max(1.0)).sqrt(),
            standard_error: (errors / count).sqrt(),
            restart: self.restart,
            mean: plan.values_at(&self.mean.point),
            ..GenerationRow::default()
        }
    }
}
