//! Further games for the candidates of a generation, where noise dominates their ranking.
//!
//! After the games of the fitness, rounds of fresh games follow. They go to the better half, then to the better half of
//! those (successive halving). The optimiser is told the cost of all games of a candidate, scaled to the number of games of the fitness. `rounds.csv`
//! has a row for each candidate and round, which is on disk before the optimiser is told. Who plays next follows from the
//! earlier rows.

use super::context::StageContext;
use super::generation::Generation;
use super::hall::Hall;
use crate::error::Result;
use crate::journal::{CandidateRow, RoundRow, header};
use crate::measure::fitness::Measured;
use crate::measure::results::sum;
use crate::plan::{FitnessPlan, ReevaluationPlan, StagePlan};
use tictune_core::files::Journal;
use tictune_core::seed::{Purpose, mix};

pub(super) struct Reevaluation<'r> {
    context: &'r StageContext<'r>,
    plan: &'r ReevaluationPlan,
    pub(super) journal: Journal<RoundRow>,
}

impl<'r> Reevaluation<'r> {
    pub(super) fn open(context: &'r StageContext<'r>) -> Result<Option<Self>> {
        let Some(plan) = &context.plan.noise.reevaluation else { return Ok(None) };
        let journal =
            Journal::open(&context.folder.join("rounds.csv"), &header(RoundRow::COLUMNS, []))?;
        Ok(Some(Self { context, plan, journal }))
    }

    /// Plays the further rounds of a generation, those that are not in the journal, and adds all of them to what its
    /// candidates have. Opponents are those of the generation, with the same members of the hall of fame. Gives the
    /// games that were played now.
    pub(super) fn extend(
        &mut self,
        generation: &Generation,
        hall: &Hall<'_>,
        candidates: &mut [CandidateRow],
    ) -> Result<u64> {
        let fitness = &generation.stage.fitness;
        let games = self.plan.games.unwrap_or(fitness.games);
        let seed = self.context.seed_of_games(generation.number);
        let stage = hall.stage_with_games(games, seed)?;
        let mut last: Vec<usize> = (0..candidates.len()).collect();
        let mut played = 0;
        for round in 1..=self.plan.rounds {
            last = next_round(candidates, &last);
            if last.is_empty() {
                break;
            }
            // After the games of the fitness, and of the rounds before.
            let before = fitness.openings_of(fitness.games + games * u64::from(round - 1));
            let stage = self.context.training(generation.number, stage.clone(), before)?;
            played += games * self.play(generation, &stage, round, &last, candidates)?;
        }
        Ok(played)
    }

    /// A round of some candidates, whose games `stage` has. Gives how many of them played it now.
    fn play(
        &mut self,
        generation: &Generation,
        stage: &StagePlan,
        round: u32,
        indices: &[usize],
        candidates: &mut [CandidateRow],
    ) -> Result<u64> {
        let Self { context, journal, .. } = self;
        let fitness = &generation.stage.fitness;
        let row = |place: usize, measured: Measured| {
            let candidate = &candidates[indices[place]];
            let fitness = with_round(fitness, candidate, &measured).fitness;
            let (generation, index) = (candidate.generation, candidate.index);
            RoundRow { generation, round, index, fitness, measured }
        };
        let mut played = 0;
        let seed = context.seed(Purpose::Reevaluation, context.seed_generation(generation.number));
        let values = indices.iter().map(|&index| &generation.candidates[index].values);
        let rows = context.measured_rows(
            journal,
            (stage, mix(seed, round.into())),
            &values.collect::<Vec<_>>(),
            (|row| row.measured, &row),
            |candidates| {
                played = candidates;
                let games = stage.fitness.games * played;
                context.observer.generation_started(generation.number, games);
            },
            |place| {
                let (games, candidate) = (stage.fitness.games, indices[place]);
                let generation = generation.number;
                format!(
                    "{games} games of candidate {candidate} in round {round} of generation {generation}, and what follows"
                )
            },
        )?;
        for (&index, row) in indices.iter().zip(rows) {
            candidates[index] = with_round(fitness, &candidates[index], &row.measured);
        }
        Ok(played)
    }
}

fn with_round(fitness: &FitnessPlan, candidate: &CandidateRow, round: &Measured) -> CandidateRow {
    let mut round = round.clone();
    if fitness.combine.is_mean() {
        round.by_opponent.clear();
    }
    let measured = sum(&candidate.measured, &round);
    let scale = fitness.games as f64 / measured.tally.games() as f64;
    let cost = fitness.cost(&measured.tally, &measured.by_opponent) * scale;
    CandidateRow { fitness: cost, measured, ..candidate.clone() }
}

/// The candidates that play another round, by index, ascending: the better half of those that played the `last` one; none
/// when the rounds are over.
fn next_round(candidates: &[CandidateRow], last: &[usize]) -> Vec<usize> {
    let cost = |index: usize| candidates[index].fitness;
    let mut order = last.to_vec();
    order.sort_by(|&a, &b| cost(a).total_cmp(&cost(b)));
    order.truncate(last.len().div_ceil(2));
    if order.len() < 2 {
        return Vec::new();
    }
    order.sort_unstable();
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_better_half_goes_on_and_its_better_half_again() {
        let candidates = [50.0, 30.0, 40.0, 60.0, 20.0, 70.0].map(|fitness| CandidateRow {
            generation: 1,
            index: 0,
            fitness,
            measured: Measured::default(),
            values: Vec::new(),
        });
        let next = |last: &[usize]| next_round(&candidates, last);
        assert_eq!(next(&[0, 1, 2, 3, 4, 5]), [1, 2, 4]);
        assert_eq!(next(&[1, 2, 4]), [1, 4]);
        assert!(next(&[1, 4]).is_empty(), "a single candidate has no rival");
    }
}
