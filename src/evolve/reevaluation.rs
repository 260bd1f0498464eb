//! Further games for the candidates of a generation, where noise dominates their ranking.
//!
//! When all have played the games of the fitness, rounds of fresh games follow: for the better half, and of
//! those for the better half again (successive halving); for those whose rank is uncertain about the middle,
//! where the optimiser tells good from bad; or for all. The optimiser is told the cost of all games of a
//! candidate, scaled to the number that the fitness has. `rounds.csv` has a row a candidate and round; it is on disk
//! before the optimiser is told. Who plays next is a function of the rows before.

use super::RunError;
use super::hall::Hall;
use super::log::Evaluation;
use super::measure::fitness::{Batch, Measured, measure_batch};
use super::noise::{Noise, standard_error};
use super::plan::{FitnessPlan, StagePlan};
use super::plan::{ReevaluationPlan, Who};
use super::remeasure::{RESULT_COLUMNS, parse_results, result_fields, sum};
use super::stage::{StageContext, candidate, seed_generation, seed_of_games};
use super::stops::StopReason;
use crate::files::GrowingCsv;
use crate::seed::{Purpose, mix, of_run};

/// The columns before those of the results.
const PLACE_COLUMNS: [&str; 4] = ["generation", "round", "index", "fitness"];

/// The further rounds of a stage's generations.
pub(super) struct Reevaluation<'r> {
    plan: &'r ReevaluationPlan,
    log: GrowingCsv,
    logged: std::vec::IntoIter<csv::StringRecord>,
    rows: usize,
}

/// The columns of `rounds.csv`.
pub(super) fn header() -> Vec<String> {
    PLACE_COLUMNS.into_iter().chain(RESULT_COLUMNS).map(String::from).collect()
}

impl<'r> Reevaluation<'r> {
    /// The further rounds of a stage, if it has any.
    pub(super) fn open(context: &StageContext<'r>) -> Result<Option<Self>, RunError> {
        let StageContext { plan, folder, .. } = *context;
        let Some(settings) = &plan.noise.reevaluation else { return Ok(None) };
        let (log, rows) = GrowingCsv::open(&folder.join("rounds.csv"), &header())?;
        Ok(Some(Self { plan: settings, log, logged: rows.into_iter(), rows: 0 }))
    }

    /// Plays the further rounds of a generation, those that are not in the log, and adds all of them to what its
    /// candidates have. `met` is the stage that they have met, with the same members of the hall of fame. Gives the games
    /// that were played now.
    pub(super) fn extend(
        &mut self,
        context: &StageContext<'_>,
        met: &StagePlan,
        hall: &Hall<'_>,
        generation: u64,
        candidates: &mut [Evaluation],
    ) -> Result<u64, RunError> {
        let mut last: Vec<usize> = (0..candidates.len()).collect();
        let (mut spent, mut played) = (0, 0);
        let games = self.plan.games.unwrap_or(met.fitness.games);
        let fitness = &met.fitness;
        let stage = &hall.stage_of(games, seed_of_games(context, generation))?;
        for round in 1..=self.plan.rounds {
            last = next_round(self.plan, fitness, candidates, &last, games, spent);
            if last.is_empty() {
                break;
            }
            spent += games * last.len() as u64;
            let mut known = 0;
            for &index in &last {
                let Some(row) = self.logged.next() else { break };
                let candidate = &mut candidates[index];
                let measured =
                    self.take(&row, &stage.fitness, generation, round, candidate.index)?;
                add(fitness, candidate, measured);
                if row.get(3) != Some(candidate.fitness.to_string().as_str()) {
                    let message = "the fitness does not follow from the results so far";
                    return Err(self.log.wrong_row(self.rows, message).into());
                }
                self.rows += 1;
                known += 1;
            }
            let place = (generation, round);
            self.play(context, (stage, fitness), place, &last[known..], candidates)?;
            played += games * (last.len() - known) as u64;
        }
        Ok(played)
    }

    /// The results in a row of the log that must be of this place.
    fn take(
        &self,
        row: &csv::StringRecord,
        fitness: &FitnessPlan,
        generation: u64,
        round: u32,
        index: u64,
    ) -> Result<Measured, RunError> {
        let place = [generation, round.into(), index].map(|number| number.to_string());
        let of_here = (0..).zip(&place).all(|(column, text)| row.get(column) == Some(text));
        let measured = parse_results(row, PLACE_COLUMNS.len(), fitness).filter(|_| of_here);
        measured.ok_or_else(|| {
            let message = format!(
                "expected {} games of candidate {index} in round {round} of generation {generation}",
                fitness.games
            );
            self.log.wrong_row(self.rows, message).into()
        })
    }

    /// Plays a round of some candidates, a row each: `stage` has the games of the round, `fitness` is what they add to.
    fn play(
        &mut self,
        context: &StageContext<'_>,
        (stage, fitness): (&StagePlan, &FitnessPlan),
        (generation, round): (u64, u32),
        to_play: &[usize],
        candidates: &mut [Evaluation],
    ) -> Result<(), RunError> {
        let StageContext { plan, index, executor, observer, stop, .. } = *context;
        if to_play.is_empty() {
            return Ok(());
        }
        observer.generation_started(generation, stage.fitness.games * to_play.len() as u64);
        let seed_generation = seed_generation(fitness, generation);
        let seed = of_run(plan.seed, Purpose::Reevaluation, index as u64, seed_generation);
        let point = |index: usize| plan.point_of(&candidates[index].values);
        let weights = to_play.iter().map(|&index| candidate(plan, &point(index)));
        let batch = Batch {
            stage,
            game: &plan.game,
            agent: &plan.agent,
            rules: &plan.rules,
            seed: mix(seed, round.into()),
            candidates: weights.collect::<Result<_, _>>()?,
            rivals: None,
        };
        let mut sink = |number: usize, measured: &Measured| {
            let candidate = &mut candidates[to_play[number]];
            add(fitness, candidate, measured.clone());
            let place =
                [generation, round.into(), candidate.index].map(|number| number.to_string());
            let fitness = candidate.fitness.to_string();
            let fields = place.into_iter().chain([fitness]).chain(result_fields(measured));
            self.log.append(&fields.collect::<Vec<_>>())?;
            self.rows += 1;
            Ok(())
        };
        measure_batch(executor, &batch, &mut sink, &|| observer.game_played(), stop)?;
        Ok(self.log.sync()?)
    }

    /// Checks that the log has no more rows than there were rounds.
    pub(super) fn finish(mut self, stopped: &StopReason) -> Result<(), RunError> {
        match self.logged.next() {
            Some(_) => {
                let message = format!("the stage ended before this row: {stopped}");
                Err(self.log.wrong_row(self.rows, message).into())
            }
            None => Ok(()),
        }
    }
}

/// Adds the results of a round to a candidate's.
fn add(fitness: &FitnessPlan, candidate: &mut Evaluation, mut measured: Measured) {
    if fitness.combine.is_mean() {
        measured.by_opponent.clear();
    }
    candidate.measured = sum(&candidate.measured, &measured);
    let Measured { tally, by_opponent, .. } = &candidate.measured;
    let scale = fitness.games as f64 / tally.games() as f64;
    candidate.fitness = fitness.cost(tally, by_opponent) * scale;
}

/// Who plays another round, by index, ascending; nobody where the rounds are over. `last` played the one
/// before, `spent` further games have been played in the generation.
fn next_round(
    plan: &ReevaluationPlan,
    fitness: &FitnessPlan,
    candidates: &[Evaluation],
    last: &[usize],
    games: u64,
    spent: u64,
) -> Vec<usize> {
    if let Some(errors) = plan.spread_below {
        let noise = Noise::of(fitness, candidates);
        if noise.spread >= errors * noise.standard_error {
            return Vec::new();
        }
    }
    let affordable =
        plan.budget.map_or(usize::MAX, |budget| (budget.saturating_sub(spent) / games) as usize);
    let cost = |index: usize| candidates[index].fitness;
    let mut order: Vec<usize> = match plan.who {
        Who::All => (0..candidates.len()).collect(),
        Who::Halving => {
            let mut order = last.to_vec();
            order.sort_by(|&a, &b| cost(a).total_cmp(&cost(b)));
            order.truncate(last.len().div_ceil(2));
            order
        }
        Who::Boundary => about_the_middle(fitness, candidates),
    };
    let enough = match plan.who {
        // A round of all is played by all or not at all.
        Who::All => order.len(),
        _ => 2,
    };
    if order.len().min(affordable) < enough {
        return Vec::new();
    }
    order.truncate(affordable);
    order.sort_unstable();
    order
}

/// The candidates of whom it is uncertain whether they are among the better half, the least certain first: within
/// two standard errors of the middle.
fn about_the_middle(fitness: &FitnessPlan, candidates: &[Evaluation]) -> Vec<usize> {
    let mut costs: Vec<f64> = candidates.iter().map(|candidate| candidate.fitness).collect();
    costs.sort_by(f64::total_cmp);
    let half = costs.len() / 2;
    let (Some(below), Some(above)) = (costs.get(half.saturating_sub(1)), costs.get(half)) else {
        return Vec::new();
    };
    let middle = f64::midpoint(*below, *above);
    let errors_off = |candidate: &Evaluation| {
        (candidate.fitness - middle).abs()
            / standard_error(fitness, candidate).max(f64::MIN_POSITIVE)
    };
    let off: Vec<f64> = candidates.iter().map(errors_off).collect();
    let mut order: Vec<usize> = (0..off.len()).filter(|&index| off[index] < 2.0).collect();
    order.sort_by(|&a, &b| off[a].total_cmp(&off[b]));
    order
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::Schedule;
    use crate::evolve::measure::fitness::tests::stage;
    use crate::stats::Tally;

    /// Candidates that lost so many of 100 games.
    fn lost(losses: &[u64]) -> (FitnessPlan, Vec<Evaluation>) {
        let candidate = |(index, &losses): (usize, &u64)| Evaluation {
            generation: 1,
            index: index as u64,
            fitness: losses as f64,
            measured: Measured {
                tally: Tally { wins: 100 - losses, draws: 0, losses },
                by_opponent: Vec::new(),
                distinct_games: 100,
            },
            values: Vec::new(),
        };
        let fitness = stage(Schedule::Paired, &[("random", 100)]).fitness;
        (fitness, losses.iter().enumerate().map(candidate).collect())
    }

    const PLAN: ReevaluationPlan = ReevaluationPlan {
        who: Who::Halving,
        games: None,
        rounds: 3,
        budget: None,
        spread_below: None,
    };

    #[test]
    fn the_better_half_goes_on_and_its_better_half_again() {
        let (fitness, candidates) = lost(&[50, 30, 40, 60, 20, 70]);
        let next = |last: &[usize]| next_round(&PLAN, &fitness, &candidates, last, 100, 0);
        assert_eq!(next(&[0, 1, 2, 3, 4, 5]), [1, 2, 4]);
        assert_eq!(next(&[1, 2, 4]), [1, 4]);
        assert!(next(&[1, 4]).is_empty(), "one has nobody to be told from");
    }

    #[test]
    fn those_about_the_middle_go_on_the_nearest_first() {
        // The middle is between 44 and 50, a standard error about 5.
        let (fitness, candidates) = lost(&[50, 5, 40, 90, 44, 52]);
        let plan = ReevaluationPlan { who: Who::Boundary, ..PLAN };
        let next = |plan: &_, spent| next_round(plan, &fitness, &candidates, &[], 100, spent);
        assert_eq!(next(&plan, 0), [0, 2, 4, 5]);
        let plan = ReevaluationPlan { budget: Some(350), ..plan };
        assert_eq!(next(&plan, 0), [0, 4, 5], "the middle is 47");
        assert!(next(&plan, 200).is_empty());
    }

    #[test]
    fn all_go_on_while_the_spread_is_below_so_many_errors() {
        let plan =
            ReevaluationPlan { who: Who::All, spread_below: Some(2.0), budget: Some(600), ..PLAN };
        let next = |losses: &[u64], spent| {
            let (fitness, candidates) = lost(losses);
            next_round(&plan, &fitness, &candidates, &[], 100, spent)
        };
        assert_eq!(next(&[48, 50, 52, 51], 0), [0, 1, 2, 3]);
        assert_eq!(next(&[48, 50, 52, 51], 200), [0, 1, 2, 3]);
        assert!(next(&[48, 50, 52, 51], 201).is_empty(), "all or nobody");
        assert!(next(&[10, 50, 90, 51], 0).is_empty(), "no noise to speak of");
    }
}
