//! One stage: ask for candidates, measure them, log them, tell the optimiser; until a stop.

use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use super::hall::Hall;
use super::held_out::HeldOut;
use super::log::{Evaluation, GenerationRow};
use super::measure::cache::FitnessCache;
use super::measure::coevolution::Rivals;
use super::measure::fitness::{Batch, Measured};
use super::noise::Noise;
use super::plan::Vector;
use super::plan::{FitnessPlan, Plan, Seeds, StagePlan};
use super::reevaluation::Reevaluation;
use super::restarts::Restarts;
use super::stops::{Records, StopReason};
use super::{Observer, RunError};
use crate::arena::Executor;
use crate::cma::{CmaEs, Optimiser};
use crate::files::GrowingCsv;
use crate::input::InputError;
use crate::seed::{Purpose, of_run};
use crate::stats::{Tally, quantile};

/// A vector with the fitness measured for it.
#[derive(Clone, Debug, PartialEq)]
pub struct Scored {
    /// The vector as a point of the optimiser: see [`Plan::vector_at`].
    pub point: Vec<f64>,
    /// Its fitness.
    pub fitness: f64,
    /// The generation it is from, from 1.
    pub generation: u64,
}

/// What a stage came to.
#[derive(Clone, Debug, PartialEq)]
pub struct StageResult {
    /// The candidate of the lowest fitness, the earliest of several.
    pub best: Scored,
    /// The centre of the distribution after the last generation, a point of the optimiser.
    pub mean: Vec<f64>,
    /// Generations.
    pub generations: u64,
    /// Candidates measured.
    pub evaluations: u64,
    /// Why it ended.
    pub stopped: StopReason,
    /// The first generation whose fitness can be compared with the last one's: those before met another hall of fame
    /// or, where candidates play each other, other candidates.
    pub comparable_from: u64,
    /// Restarts of the optimiser.
    pub restarts: u64,
    /// The last means of the runs that restarts ended, each with the generation after which it was the mean.
    pub ended_means: Vec<(u64, Vec<f64>)>,
    /// The mean that was the best on held-out openings and its generation, where that was checked.
    pub held_out: Option<(u64, Vec<f64>)>,
    /// The members of the hall of fame at its end, the first to come first.
    pub hall: Vec<Vector>,
}

/// What a stage needs from its run.
pub(super) struct StageContext<'r> {
    pub(super) plan: &'r Plan,
    pub(super) index: usize,
    pub(super) folder: &'r Path,
    pub(super) executor: &'r dyn Executor,
    pub(super) observer: &'r dyn Observer,
    pub(super) stop: &'r AtomicBool,
    /// The members of the hall of fame of the stage before.
    pub(super) members: &'r [Vector],
}

/// Runs a stage, or replays what its logs hold and goes on from there.
pub(super) fn run_stage(
    context: &StageContext<'_>,
    start: &[f64],
) -> Result<StageResult, RunError> {
    let StageContext { plan, index, folder, observer, .. } = *context;
    let stage = &plan.stages[index];
    let columns = plan.columns();
    let (mut evaluations, logged) = GrowingCsv::open(
        &folder.join("evaluations.csv"),
        &Evaluation::header(&columns, &stage.fitness),
    )?;
    let (mut generations, logged_generations) =
        GrowingCsv::open(&folder.join("generations.csv"), &GenerationRow::header(&columns))?;
    let mut logged = logged.iter();
    let mut logged_generations = logged_generations.iter();
    let mut reevaluation = Reevaluation::open(context)?;
    let mut held_out = HeldOut::open(context)?;
    let mut restarts = Restarts::new(plan, index, start);
    let mut optimiser = restarts.first()?;
    let mut ended_means = Vec::new();
    observer.stage_started(index, stage);
    let mut cache = FitnessCache::new(&plan.agent, stage);
    let mut hall = Hall::open(context)?;
    let mut records = Records::default();
    let (mut generation, mut candidates) = (0, 0);
    let mut rows_read = 0;
    loop {
        generation += 1;
        let stage = &hall.stage(seed_of_games(context, generation))?;
        let asked = optimiser.population().to_vec();
        let mut costs: Vec<Evaluation> = Vec::new();
        for row in logged.by_ref().take(asked.len()) {
            let found = Evaluation::parse(row, &stage.fitness)
                .ok_or_else(|| evaluations.wrong_row(rows_read, "is no evaluation"))?;
            check_logged(plan, stage, generation, &asked[costs.len()], costs.len(), &found)
                .map_err(|reason| evaluations.wrong_row(rows_read, reason))?;
            rows_read += 1;
            let seed = seed_of_games(context, generation);
            cache.put(seed, &candidate(plan, &asked[costs.len()])?, found.measured.clone());
            costs.push(found);
        }
        candidates += asked.len() as u64;
        let logged_row = logged_generations.next();
        let replayed = costs.len() == asked.len() && logged_row.is_some();
        let row = match logged_row {
            Some(row) if replayed => {
                if let Some(reevaluation) = &mut reevaluation {
                    reevaluation.extend(context, stage, &hall, generation, &mut costs)?;
                }
                let place = (generation, candidates, restarts.number());
                let expected = summarise(plan, stage, place, &costs, &optimiser);
                let number = generation as usize - 1;
                let found = GenerationRow::parse(row)
                    .ok_or_else(|| generations.wrong_row(number, "is no generation"))?;
                let known = GenerationRow {
                    mean_vector_fitness: found.mean_vector_fitness,
                    seconds: found.seconds,
                    games_per_second: found.games_per_second,
                    ..expected
                };
                if found != known {
                    let message = "does not follow from evaluations.csv";
                    return Err(generations.wrong_row(number, message).into());
                }
                observer.generation_started(generation, 0);
                found
            }
            Some(_) => {
                let number = generation as usize - 1;
                let message =
                    "evaluations.csv has no such generation; it was written before this row";
                return Err(generations.wrong_row(number, message).into());
            }
            None => {
                let mut played = play_generation(
                    context,
                    stage,
                    generation,
                    &mut costs,
                    &mut evaluations,
                    &mut cache,
                    &optimiser,
                )?;
                if let Some(reevaluation) = &mut reevaluation {
                    let started = Instant::now();
                    played.games +=
                        reevaluation.extend(context, stage, &hall, generation, &mut costs)?;
                    played.seconds += started.elapsed().as_secs_f64();
                }
                let place = (generation, candidates, restarts.number());
                let expected = summarise(plan, stage, place, &costs, &optimiser);
                // Rounded as the file has it, so that a resumed run counts the same seconds.
                let rounded = |x: f64, digits: f64| (x * digits).round() / digits;
                let rate = played.games as f64 / played.seconds.max(1e-3);
                let row = GenerationRow {
                    mean_vector_fitness: played.mean_vector_fitness,
                    seconds: rounded(played.seconds, 1000.0),
                    games_per_second: rounded(rate, 10.0),
                    ..expected
                };
                generations.append(&row.fields())?;
                row
            }
        };
        let fitness: Vec<f64> = costs.iter().map(|evaluation| evaluation.fitness).collect();
        optimiser.tell(&fitness)?;
        records.take_note(&row, &asked);
        observer.generation_finished(stage, &row, replayed);
        log_generation(index, &row, replayed);
        if hall.generation_finished(generation, optimiser.mean(), logged.len() > 0)? {
            cache.clear();
            records.opponents_change();
        }
        // Candidates that play each other are measured against others in each generation.
        if stage.fitness.coevolution.is_some() {
            records.opponents_change();
        }
        let mut stall = restarts.count(asked.len());
        if let Some(held_out) = &mut held_out {
            stall = held_out.check(context, generation, optimiser.mean())?.or(stall);
        }
        if let Some(stopped) = records.stop(stage, &row, &optimiser, stall) {
            let best = records.best.as_ref().map_or(start, |best| &best.point);
            let mean = optimiser.mean().to_vec();
            if let Some(next) = restarts.after(&stopped, best, &mean)? {
                let population = next.population().len();
                tracing::info!(stage = index + 1, generation, %stopped, population, "restart");
                observer.restarted(restarts.number(), population, &stopped);
                optimiser = next;
                records.restart(generation);
                held_out.iter_mut().for_each(HeldOut::restart);
                ended_means.push((generation, mean));
                continue;
            }
            if let Some(row) = logged.next().and(Some(rows_read)) {
                let message = format!("the stage ended before this row: {stopped}");
                return Err(evaluations.wrong_row(row, message).into());
            }
            if logged_generations.next().is_some() {
                let message = format!("the stage ended before this row: {stopped}");
                return Err(generations.wrong_row(generation as usize, message).into());
            }
            reevaluation.map_or(Ok(()), |reevaluation| reevaluation.finish(&stopped))?;
            let best_held_out = held_out.as_ref().and_then(HeldOut::best);
            held_out.map_or(Ok(()), |held_out| held_out.finish(&stopped))?;
            hall.check_end()?;
            generations.sync()?;
            let best = records.best.take().unwrap_or_else(|| Scored {
                point: start.to_vec(),
                fitness: row.best_fitness,
                generation,
            });
            return Ok(StageResult {
                best,
                mean,
                generations: generation,
                evaluations: row.evaluations,
                stopped,
                restarts: restarts.number(),
                ended_means,
                held_out: best_held_out,
                comparable_from: records.comparable_from,
                hall: hall.into_members(),
            });
        }
    }
}

/// The games of a generation that the log does not hold yet.
struct Played {
    mean_vector_fitness: f64,
    seconds: f64,
    games: u64,
}

fn play_generation(
    context: &StageContext<'_>,
    stage: &StagePlan,
    generation: u64,
    costs: &mut Vec<Evaluation>,
    log: &mut GrowingCsv,
    cache: &mut FitnessCache,
    optimiser: &CmaEs,
) -> Result<Played, RunError> {
    let StageContext { plan, executor, observer, stop, .. } = *context;
    let (asked, done) = (optimiser.population(), costs.len());
    let mut candidates = asked[done..]
        .iter()
        .map(|values| candidate(plan, values))
        .collect::<Result<Vec<_>, _>>()?;
    candidates.push(candidate(plan, optimiser.mean())?);
    let rivals = match stage.fitness.coevolution {
        Some(_) => {
            let population = asked.iter().map(|values| candidate(plan, values));
            let population = population.collect::<Result<_, _>>()?;
            Some(Rivals { population, places: (done..=asked.len()).collect() })
        }
        None => None,
    };
    let seed = seed_of_games(context, generation);
    let games = stage.fitness.games * candidates.len() as u64;
    observer.generation_started(generation, games);
    if done == asked.len() {
        log.sync()?;
    }
    let mut mean_vector = None;
    let mut sink = |offset: usize, measured: &Measured| {
        let index = done + offset;
        let fitness = stage.fitness.cost(&measured.tally, &measured.by_opponent);
        let Some(point) = asked.get(index) else {
            mean_vector = Some(fitness);
            return Ok(());
        };
        let (measured, values) = (measured.clone(), plan.values_at(point));
        let evaluation = Evaluation { generation, index: index as u64, fitness, measured, values };
        log.append(&evaluation.fields())?;
        costs.push(evaluation);
        // Other threads play the mean vector's games meanwhile.
        if index + 1 == asked.len() {
            log.sync()?
        }
        Ok(())
    };
    let batch = Batch {
        stage,
        game: &plan.game,
        agent: &plan.agent,
        rules: &plan.rules,
        seed,
        candidates,
        rivals,
    };
    let started = Instant::now();
    cache.measure(executor, &batch, &mut sink, &|| observer.game_played(), stop)?;
    let seconds = started.elapsed().as_secs_f64();
    let mean_vector_fitness = mean_vector.ok_or(RunError::Interrupted)?;
    Ok(Played { mean_vector_fitness, seconds, games })
}

/// The seed of a generation's games.
pub(super) fn seed_of_games(context: &StageContext<'_>, generation: u64) -> u64 {
    let StageContext { plan, index, .. } = *context;
    let generation = seed_generation(&plan.stages[index].fitness, generation);
    of_run(plan.seed, Purpose::Fitness, index as u64, generation)
}

/// The generation whose games a generation plays: 0 where all play the same ones.
pub(super) const fn seed_generation(fitness: &FitnessPlan, generation: u64) -> u64 {
    match fitness.seeds {
        Seeds::Fixed => 0,
        Seeds::Fresh => generation,
    }
}

/// What a point of the optimiser stands for.
pub(super) fn candidate(plan: &Plan, point: &[f64]) -> Result<Vector, InputError> {
    plan.vector_at("candidate", point)
        .map_err(|error| error.context("the optimiser asks for what is no vector"))
}

/// Whether a logged row is what the optimiser asks for at this place; else what is wrong.
fn check_logged(
    plan: &Plan,
    stage: &StagePlan,
    generation: u64,
    asked: &[f64],
    index: usize,
    found: &Evaluation,
) -> Result<(), String> {
    if (found.generation, found.index) != (generation, index as u64) {
        return Err(format!(
            "expected generation {generation}, candidate {index}; found generation {}, candidate {}",
            found.generation, found.index
        ));
    }
    let bits = |values: &[f64]| values.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
    if bits(&found.values) != bits(&plan.values_at(asked)) {
        return Err(
            "these are not the values that the optimiser asks for here; the log is of another run, \
             or was made by another version or on another kind of machine"
                .into(),
        );
    }
    if found.measured.tally.games() != stage.fitness.games {
        return Err(format!("expected {} games in wins, draws and losses", stage.fitness.games));
    }
    let Measured { tally, by_opponent, .. } = &found.measured;
    if !by_opponent.is_empty() {
        let sum = by_opponent.iter().fold(Tally::default(), |sum, tally| sum.plus(tally));
        let games = by_opponent.iter().map(Tally::games);
        if sum != *tally || games.ne(stage.fitness.games_by_opponent()) {
            return Err("the results by opponent do not fit wins, draws and losses".into());
        }
    }
    if found.fitness != stage.fitness.cost(tally, by_opponent) {
        return Err("the fitness does not follow from wins, draws and losses".into());
    }
    Ok(())
}

/// The row of a generation as far as it follows from its evaluations: the place of a generation is its number, the
/// candidates measured so far, and the restarts before it.
fn summarise(
    plan: &Plan,
    stage: &StagePlan,
    (generation, evaluations, restart): (u64, u64, u64),
    costs: &[Evaluation],
    optimiser: &CmaEs,
) -> GenerationRow {
    let mut sorted: Vec<f64> = costs.iter().map(|evaluation| evaluation.fitness).collect();
    sorted.sort_by(f64::total_cmp);
    let best_fitness = quantile(&sorted, 0.0);
    let noise = Noise::of(&stage.fitness, costs);
    let best_index = costs.iter().position(|evaluation| evaluation.fitness == best_fitness);
    GenerationRow {
        generation,
        evaluations,
        best_fitness,
        best_index: best_index.unwrap_or(0) as u64,
        median_fitness: quantile(&sorted, 0.5),
        worst_fitness: quantile(&sorted, 1.0),
        mean_vector_fitness: 0.0,
        sigma: optimiser.sigma(),
        axis_ratio: optimiser.axis_ratio(),
        games: costs.iter().map(|evaluation| evaluation.measured.tally.games()).sum(),
        distinct_games: costs.iter().map(|evaluation| evaluation.measured.distinct_games).sum(),
        spread: noise.spread,
        standard_error: noise.standard_error,
        restart,
        seconds: 0.0,
        games_per_second: 0.0,
        mean: plan.values_at(optimiser.mean()),
    }
}

fn log_generation(stage: usize, row: &GenerationRow, replayed: bool) {
    tracing::info!(
        stage = stage + 1,
        generation = row.generation,
        evaluations = row.evaluations,
        best = row.best_fitness,
        median = row.median_fitness,
        mean_vector = row.mean_vector_fitness,
        sigma = row.sigma,
        axis_ratio = row.axis_ratio,
        spread = row.spread,
        standard_error = row.standard_error,
        restart = row.restart,
        distinct_games = row.distinct_games,
        replayed,
        "generation"
    );
}
