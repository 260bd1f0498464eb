//! The finalists of a stage: its best candidates, its means and its start vector, measured again.
//!
//! The lowest fitness measured is the lowest of many noisy numbers: the winner's curse. Finalists therefore play
//! games that nobody played before, all of them the same ones against the stage's opponents, in rounds of
//! successive halving: each round has twice the games of the one before, and the better half of the finalists goes on, until one is shown
//! to lead or the rounds are over (CITE: Karnin, Koren, Somekh, "Almost optimal exploration in
//! multi-armed bandits", ICML 2013). A round is played in blocks, which are the units of the paired test. Every
//! block's results are on disk before the next is played.

mod gather;
mod result;
#[cfg(test)]
pub(super) mod tests;

use super::RunError;
use super::measure::fitness::{Batch, Measured, measure_batch};
use super::plan::FinalistsPlan;
use super::plan::StagePlan;
use super::remeasure::{RESULT_COLUMNS, parse_results, result_fields};
use super::stage::{StageContext, StageResult, candidate};
use crate::files::{FileError, GrowingCsv, write_atomically};
use crate::seed::{Purpose, mix, of_run};

pub use result::{FinalistRow, Finalists, Lead};

use result::Results;

/// Blocks of a round: enough for a variance, few enough to keep threads busy.
pub const BLOCKS: u64 = 10;

/// A vector that may be a stage's winner.
#[derive(Clone, Debug, PartialEq)]
pub struct Finalist {
    /// What it is, as in `best-2`, `mean`, `mean-after-50`.
    pub name: String,
    /// The generation that it is from, where it is from one.
    pub generation: Option<u64>,
    /// The fitness that was measured for it in the stage, where one was.
    pub fitness: Option<f64>,
    /// The vector, as a point of the optimiser.
    pub point: Vec<f64>,
}

/// Chooses the winner of a stage that has ended, gives it as a point of the optimiser too, and writes `finalists.json`; a log that is there is gone on with.
pub(super) fn crown(
    context: &StageContext<'_>,
    plan: &FinalistsPlan,
    start: &[f64],
    result: &StageResult,
) -> Result<(Finalists, Vec<f64>), RunError> {
    let finalists = gather::gather(context, plan, start, result)?;
    let mut found = measure(context, plan, &finalists)?;
    let winner = found.winning_row().map_or_else(|| result.mean.clone(), |row| row.weights.clone());
    for row in &mut found.rows {
        let vector = candidate(context.plan, &row.weights)?;
        row.weights = vector.weights.map_or_else(Vec::new, |weights| weights.values().to_vec());
        row.parameters = vector.parameters;
    }
    tracing::info!(stage = context.index + 1, verdict = found.verdict, "finalists");
    let path = context.folder.join("finalists.json");
    let mut text = serde_json::to_string_pretty(&found)
        .map_err(|error| FileError::writing(&path)(error.into()))?;
    text.push('\n');
    write_atomically(&path, text.as_bytes()).map_err(FileError::writing(&path))?;
    context.observer.finalists_finished(context.index, &found);
    Ok((found, winner))
}

/// Measures finalists in rounds until one is shown to lead all others that are left.
fn measure(
    context: &StageContext<'_>,
    plan: &FinalistsPlan,
    finalists: &[Finalist],
) -> Result<Finalists, RunError> {
    let StageContext { folder, index, .. } = *context;
    let stage = &context.plan.stages[index];
    let (mut log, logged) = GrowingCsv::open(&folder.join("finalist-games.csv"), &header())?;
    let mut logged = logged.iter().enumerate();
    let mut results = Results::new(stage, plan, finalists);
    let mut left: Vec<usize> = (0..finalists.len()).collect();
    let mut rounds = 0;
    loop {
        let label = format!("finalists of stage {}, round {}", index + 1, rounds + 1);
        let games = (plan.games << rounds) * left.len() as u64;
        context.observer.match_started(&label, games);
        for block in 0..BLOCKS {
            let place = Place { round: rounds, block };
            let mut known = Vec::new();
            for &finalist in &left {
                let Some((number, row)) = logged.next() else { break };
                let found = place
                    .parse(row, &finalists[finalist].name, &block_stage(stage, plan, rounds))
                    .map_err(|reason| log.wrong_row(number, reason))?;
                known.push(found);
            }
            let played =
                play_block(context, plan, place, finalists, &left[known.len()..], &mut log)?;
            for (&finalist, measured) in left.iter().zip(known.into_iter().chain(played)) {
                results.blocks[finalist].push(measured);
            }
        }
        rounds += 1;
        left.sort_by(|&a, &b| results.score(b).total_cmp(&results.score(a)));
        let leads = |&other: &usize| results.lead(left[0], other).is_some_and(|lead| lead.shown);
        // Those who dropped out as well: the verdict is about all.
        let others: Vec<usize> = (0..finalists.len()).filter(|&other| other != left[0]).collect();
        if rounds == plan.rounds || others.iter().all(leads) {
            break;
        }
        left.truncate(left.len().div_ceil(2).max(2));
    }
    if let Some((number, _)) = logged.next() {
        return Err(log.wrong_row(number, "the re-evaluation ended before this row").into());
    }
    Ok(results.table(left[0], rounds))
}

/// The place of a block in the log.
#[derive(Clone, Copy)]
struct Place {
    round: u32,
    block: u64,
}

fn header() -> Vec<String> {
    ["round", "block", "finalist"].into_iter().chain(RESULT_COLUMNS).map(String::from).collect()
}

impl Place {
    fn fields(self, name: &str, measured: &Measured) -> Vec<String> {
        let place = [u64::from(self.round) + 1, self.block + 1].map(|number| number.to_string());
        place.into_iter().chain([name.to_string()]).chain(result_fields(measured)).collect()
    }

    /// The results of a row that must be of this place and finalist; else what is wrong.
    fn parse(
        self,
        row: &csv::StringRecord,
        name: &str,
        stage: &StagePlan,
    ) -> Result<Measured, String> {
        let Self { round, block } = self;
        let expected =
            format!("expected round {}, block {}, finalist {name}", round + 1, block + 1);
        let number = |column: usize| row.get(column).and_then(|field| field.parse::<u64>().ok());
        if (number(0), number(1), row.get(2))
            != (Some(u64::from(round) + 1), Some(block + 1), Some(name))
        {
            return Err(expected);
        }
        parse_results(row, 3, &stage.fitness).ok_or_else(|| {
            format!("{expected}, with {} games against its opponents", stage.fitness.games)
        })
    }
}

/// A stage whose fitness is a block of games of a round (from 0).
fn block_stage(stage: &StagePlan, plan: &FinalistsPlan, round: u32) -> StagePlan {
    stage.in_pairs((plan.games << round) / BLOCKS, &plan.openings)
}

/// Plays a block of games of some finalists and logs it, a row each.
fn play_block(
    context: &StageContext<'_>,
    settings: &FinalistsPlan,
    place: Place,
    finalists: &[Finalist],
    to_play: &[usize],
    log: &mut GrowingCsv,
) -> Result<Vec<Measured>, RunError> {
    let StageContext { plan, index, executor, observer, stop, .. } = *context;
    if to_play.is_empty() {
        return Ok(Vec::new());
    }
    let stage = block_stage(&plan.stages[index], settings, place.round);
    let candidates = to_play
        .iter()
        .map(|&finalist| candidate(plan, &finalists[finalist].point))
        .collect::<Result<Vec<_>, _>>()?;
    let seed = of_run(plan.seed, Purpose::Finalists, index as u64, 0);
    let seed = mix(mix(seed, place.round.into()), place.block);
    let batch = Batch {
        stage: &stage,
        game: &plan.game,
        agent: &plan.agent,
        rules: &plan.rules,
        seed,
        candidates,
        rivals: None,
    };
    let mut played = Vec::new();
    let mut sink = |number: usize, measured: &Measured| {
        log.append(&place.fields(&finalists[to_play[number]].name, measured))?;
        played.push(measured.clone());
        Ok(())
    };
    measure_batch(executor, &batch, &mut sink, &|| observer.game_played(), stop)?;
    log.sync()?;
    Ok(played)
}
