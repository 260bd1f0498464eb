//! One stage: ask for candidates, measure them, log them, tell the optimiser; until a stop.

use std::fmt;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use super::fitness::{Batch, Executor, Measured};
use super::known::Known;
use super::log::{Evaluation, GenerationRow};
use super::plan::{Plan, Seeds, StagePlan};
use super::{Observer, RunError};
use crate::cma::{CmaEs, CmaEsSettings, Optimiser};
use crate::files::GrowingCsv;
use crate::input::InputError;
use crate::seed::{Purpose, of_run};
use crate::stats::{Tally, quantile};
use crate::weights::Weights;

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
        }
    }
}

/// A vector with the fitness measured for it.
#[derive(Clone, Debug, PartialEq)]
pub struct Scored {
    /// The vector.
    pub weights: Vec<f64>,
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
    /// The centre of the distribution after the last generation.
    pub mean: Vec<f64>,
    /// Generations.
    pub generations: u64,
    /// Candidates measured.
    pub evaluations: u64,
    /// Why it ended.
    pub stopped: StopReason,
}

/// What a stage needs from its run.
pub(super) struct StageContext<'r> {
    pub(super) plan: &'r Plan,
    pub(super) index: usize,
    pub(super) folder: &'r Path,
    pub(super) executor: &'r dyn Executor,
    pub(super) observer: &'r dyn Observer,
    pub(super) stop: &'r AtomicBool,
}

/// Records kept for the stops.
#[derive(Default)]
struct Records {
    best: Option<Scored>,
    lowest_median: Option<f64>,
    last_improvement: u64,
    seconds: f64,
}

/// Runs a stage, or replays what its logs hold and goes on from there.
pub(super) fn run_stage(
    context: &StageContext<'_>,
    start: &[f64],
) -> Result<StageResult, RunError> {
    let StageContext { plan, index, folder, observer, .. } = *context;
    let stage = &plan.stages[index];
    let layout = plan.layout();
    let (mut evaluations, logged) = GrowingCsv::open(
        &folder.join("evaluations.csv"),
        &Evaluation::header(layout, &stage.fitness),
    )?;
    let (mut generations, logged_generations) =
        GrowingCsv::open(&folder.join("generations.csv"), &GenerationRow::header(layout))?;
    let mut logged = logged.iter();
    let mut logged_generations = logged_generations.iter();
    let mut optimiser = CmaEs::new(CmaEsSettings {
        initial: start.to_vec(),
        sigma: stage.sigma,
        population: stage.population,
        seed: of_run(plan.seed, Purpose::Optimiser, index as u64, 0),
    })?;
    observer.stage_started(index, stage);
    let mut known = Known::nothing(plan, stage);
    let mut records = Records::default();
    let mut generation = 0;
    let mut rows_read = 0;
    loop {
        generation += 1;
        let asked = optimiser.population().to_vec();
        let mut costs: Vec<Evaluation> = Vec::new();
        for row in logged.by_ref().take(stage.population) {
            let found = Evaluation::parse(row, &stage.fitness)
                .ok_or_else(|| evaluations.wrong_row(rows_read, "is no evaluation"))?;
            check_logged(stage, generation, &asked[costs.len()], costs.len(), &found)
                .map_err(|reason| evaluations.wrong_row(rows_read, reason))?;
            rows_read += 1;
            let seed = seed_of_games(context, generation);
            known.put(seed, &candidate(plan, &found.weights)?, found.measured.clone());
            costs.push(found);
        }
        let logged_row = logged_generations.next();
        let replayed = costs.len() == stage.population && logged_row.is_some();
        let row = match logged_row {
            Some(row) if replayed => {
                let expected = summarise(stage, generation, &costs, &optimiser);
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
                let played = play_generation(
                    context,
                    generation,
                    &asked,
                    &mut costs,
                    &mut evaluations,
                    &mut known,
                    &optimiser,
                )?;
                let expected = summarise(stage, generation, &costs, &optimiser);
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
        records.take_note(&row, &costs);
        observer.generation_finished(stage, &row, replayed);
        log_generation(index, &row, replayed);
        if let Some(stopped) = records.stop(stage, &row, &optimiser) {
            if let Some(row) = logged.next().and(Some(rows_read)) {
                let message = format!("the stage ended before this row: {stopped}");
                return Err(evaluations.wrong_row(row, message).into());
            }
            if logged_generations.next().is_some() {
                let message = format!("the stage ended before this row: {stopped}");
                return Err(generations.wrong_row(generation as usize, message).into());
            }
            generations.sync()?;
            let best = records.best.unwrap_or_else(|| Scored {
                weights: start.to_vec(),
                fitness: row.best_fitness,
                generation,
            });
            let mean = optimiser.mean().to_vec();
            let evaluations = row.evaluations;
            return Ok(StageResult { best, mean, generations: generation, evaluations, stopped });
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
    generation: u64,
    asked: &[Vec<f64>],
    costs: &mut Vec<Evaluation>,
    log: &mut GrowingCsv,
    known: &mut Known,
    optimiser: &CmaEs,
) -> Result<Played, RunError> {
    let StageContext { plan, index, executor, observer, stop, .. } = *context;
    let stage = &plan.stages[index];
    let done = costs.len();
    let mut candidates = asked[done..]
        .iter()
        .map(|values| candidate(plan, values))
        .collect::<Result<Vec<_>, _>>()?;
    candidates.push(candidate(plan, optimiser.mean())?);
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
        let Some(weights) = asked.get(index) else {
            mean_vector = Some(fitness);
            return Ok(());
        };
        let (measured, weights) = (measured.clone(), weights.clone());
        let evaluation = Evaluation { generation, index: index as u64, fitness, measured, weights };
        log.append(&evaluation.fields())?;
        costs.push(evaluation);
        // Other threads play the mean vector's games meanwhile.
        if index + 1 == asked.len() {
            log.sync()?
        }
        Ok(())
    };
    let batch = Batch { stage, agent: &plan.agent, rules: &plan.rules, seed, candidates };
    let started = Instant::now();
    known.evaluate(executor, &batch, &mut sink, &|| observer.game_played(), stop)?;
    let seconds = started.elapsed().as_secs_f64();
    let mean_vector_fitness = mean_vector.ok_or(RunError::Interrupted)?;
    Ok(Played { mean_vector_fitness, seconds, games })
}

/// The seed of a generation's games.
fn seed_of_games(context: &StageContext<'_>, generation: u64) -> u64 {
    let StageContext { plan, index, .. } = *context;
    let seed_generation = match plan.stages[index].fitness.seeds {
        Seeds::Fixed => 0,
        Seeds::Fresh => generation,
    };
    of_run(plan.seed, Purpose::Fitness, index as u64, seed_generation)
}

/// A vector of the optimiser as weights.
pub(super) fn candidate(plan: &Plan, values: &[f64]) -> Result<Weights, InputError> {
    Weights::new("candidate", plan.layout(), values.to_vec()).map_err(|error| {
        InputError::new(format!("the optimiser asks for what is no vector: {error}"))
    })
}

/// Whether a logged row is what the optimiser asks for at this place; else what is wrong.
fn check_logged(
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
    if bits(&found.weights) != bits(asked) {
        return Err(
            "these are not the weights that the optimiser asks for here; the log is of another run, \
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
        let numbers = stage.fitness.opponent_numbers();
        let games = |number| {
            let entries = numbers.iter().zip(&stage.fitness.opponents);
            entries.filter(|entry| *entry.0 == number).map(|entry| entry.1.games).sum::<u64>()
        };
        let fit = |(number, tally): (usize, &Tally)| tally.games() == games(number);
        if sum != *tally || !by_opponent.iter().enumerate().all(fit) {
            return Err("the results by opponent do not fit wins, draws and losses".into());
        }
    }
    if found.fitness != stage.fitness.cost(tally, by_opponent) {
        return Err("the fitness does not follow from wins, draws and losses".into());
    }
    Ok(())
}

/// The row of a generation as far as it follows from its evaluations.
fn summarise(
    stage: &StagePlan,
    generation: u64,
    costs: &[Evaluation],
    optimiser: &CmaEs,
) -> GenerationRow {
    let mut sorted: Vec<f64> = costs.iter().map(|evaluation| evaluation.fitness).collect();
    sorted.sort_by(f64::total_cmp);
    let best_fitness = quantile(&sorted, 0.0);
    let best_index = costs.iter().position(|evaluation| evaluation.fitness == best_fitness);
    GenerationRow {
        generation,
        evaluations: generation * stage.population as u64,
        best_fitness,
        best_index: best_index.unwrap_or(0) as u64,
        median_fitness: quantile(&sorted, 0.5),
        worst_fitness: quantile(&sorted, 1.0),
        mean_vector_fitness: 0.0,
        sigma: optimiser.sigma(),
        axis_ratio: optimiser.axis_ratio(),
        games: stage.fitness.games * stage.population as u64,
        distinct_games: costs.iter().map(|evaluation| evaluation.measured.distinct_games).sum(),
        seconds: 0.0,
        games_per_second: 0.0,
        mean: optimiser.mean().to_vec(),
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
        distinct_games = row.distinct_games,
        replayed,
        "generation"
    );
}

impl Records {
    fn take_note(&mut self, row: &GenerationRow, costs: &[Evaluation]) {
        self.seconds += row.seconds;
        if self.best.as_ref().is_none_or(|best| row.best_fitness < best.fitness)
            && let Some(best) = costs.get(row.best_index as usize)
        {
            self.best = Some(Scored {
                weights: best.weights.clone(),
                fitness: best.fitness,
                generation: row.generation,
            });
            self.last_improvement = row.generation;
        }
        if self.lowest_median.is_none_or(|lowest| row.median_fitness < lowest) {
            self.lowest_median = Some(row.median_fitness);
            self.last_improvement = row.generation;
        }
    }

    fn stop(
        &self,
        stage: &StagePlan,
        row: &GenerationRow,
        optimiser: &CmaEs,
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
        let idle = row.generation - self.last_improvement;
        if let Some(most) = stops.stagnation.filter(|most| idle >= *most) {
            return Some(StopReason::Stagnation(most));
        }
        if let Some(reason) = optimiser.stop_reason() {
            return Some(StopReason::Optimiser(reason.into()));
        }
        stops.max_seconds.filter(|most| self.seconds >= *most).map(StopReason::MaxSeconds)
    }
}
