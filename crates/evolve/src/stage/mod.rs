//! The loop of a stage: ask the optimiser for candidates, measure them, log their results, tell the optimiser; until a stop.

mod games;
mod generation;

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, Scope};

use nalgebra::DMatrix;

use self::games::Asked;
use self::generation::{Generation, Generations, MeasuredGeneration};
use crate::error::Result;
use crate::journal::{AxesRow, Comparison, GenerationRow, MatchRow};
use crate::plan::{Candidate, PairsPlan, Part, Plan, Seeds, StagePlan};
use tictune_core::arena::Executor;
use tictune_core::input::InputError;
use tictune_core::seed::{Purpose, of_run};
use tictune_optimiser::{CmaEs, CmaEsSettings, MirroredPairs, Optimiser, PairSettings};

/// Follows the progress of a run. It is called from the threads that play.
pub trait Observer: Sync {
    /// A stage (0-based) begins or, on resuming, is replayed.
    fn stage_started(&self, _index: usize, _stage: &StagePlan) {}
    /// A generation (1-based) is about to play this many games, 0 when it is replayed from the log.
    fn generation_started(&self, _generation: u64, _games: u64) {}
    fn game_played(&self) {}
    /// The optimiser was told the fitness of a generation.
    fn generation_finished(&self, _row: &GenerationRow, _replayed: bool) {}
    /// A stage ended, played or replayed.
    fn stage_finished(&self, _index: usize, _result: &StageResult) {}
    /// Matches at the end of the run are about to play this many games, those included that are read from the log.
    fn matches_started(&self, _games: u64) {}
    /// One of these matches begins.
    fn match_started(&self, _label: &str) {}
    /// A match at the end of the run was played, or read from the log.
    fn match_finished(&self, _row: &MatchRow) {}
    /// The best candidate and the mean were compared, or, of pairs, the start and the mean.
    fn comparison_finished(&self, _comparison: &Comparison) {}
}

/// An observer that does nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Observer for Silent {}

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
    /// The candidate of the lowest fitness, the earliest of several; of pairs, their mean.
    pub best: Scored,
    /// The centre of the distribution after the last generation, a point of the optimiser.
    pub mean: Vec<f64>,
    pub generations: u64,
    pub evaluations: u64,
    /// Why it ended, in words.
    pub stopped: String,
}

/// What all parts of a stage need from its run.
#[derive(Clone, Copy)]
pub(crate) struct StageContext<'r> {
    pub plan: &'r Plan,
    pub index: usize,
    pub folder: &'r Path,
    pub executor: &'r dyn Executor,
    pub observer: &'r dyn Observer,
    pub stop: &'r AtomicBool,
}

impl<'r> StageContext<'r> {
    pub(crate) fn stage(&self) -> &'r StagePlan {
        &self.plan.stages[self.index]
    }

    /// The generation that a generation takes its games from: 0 where all play the same ones.
    fn seed_generation(&self, generation: u64) -> u64 {
        match self.stage().fitness.seeds {
            Seeds::Fixed => 0,
            Seeds::Fresh => generation,
        }
    }

    /// The stage as a generation plays it: with the positions of its books that are those of the generation.
    fn training(&self, generation: u64) -> Result<StagePlan, InputError> {
        // Generations are counted from 1; with fixed seeds, all have the positions of the first.
        let before = self.seed_generation(generation).saturating_sub(1);
        let stage = self.stage();
        let first = before.saturating_mul(stage.openings_of_generation());
        self.plan.stage_given(Part::Training(self.index), first, stage.clone())
    }
}

/// Runs a stage from a point, or replays its journals and continues from there.
pub(crate) fn run_stage(context: &StageContext<'_>, start: &[f64]) -> Result<StageResult> {
    thread::scope(|scope| {
        let result = Stage::open(context, start, scope).and_then(Stage::run);
        if result.is_err() {
            // Games of the next generation may go on, for which nobody waits any more.
            context.stop.store(true, Ordering::Relaxed);
        }
        result
    })
}

/// The optimiser of a stage that begins at a point.
fn optimiser<'p>(plan: &'p Plan, index: usize, start: &[f64]) -> Result<Box<dyn Optimiser + 'p>> {
    let stage = &plan.stages[index];
    let (initial, seed) = (start.to_vec(), of_run(plan.seed, Purpose::Optimiser, index as u64, 0));
    let Some(pairs) = &plan.pairs else {
        let (sigma, population) = (plan.sigma_from(stage.sigma, start), stage.population);
        return Ok(Box::new(CmaEs::new(CmaEsSettings { initial, sigma, population, seed })?));
    };
    let axes = match &plan.space.axes {
        Some(axes) => DMatrix::from_fn(start.len(), start.len(), |i, j| axes[i][j] * stage.sigma),
        // The same steps in all stages: a mean that has grown is no worse known.
        None => {
            let sigma = plan.sigma_from(stage.sigma, &plan.start_point());
            DMatrix::identity(start.len(), start.len()) * sigma
        }
    };
    let settings = PairSettings {
        initial,
        axes,
        limits: plan.limits(),
        pairs: stage.population / 2,
        gain: if index == 0 { pairs.gain } else { PairsPlan::GAIN_FROM_GOOD_START },
        spread: pairs.spread,
        games: stage.fitness.games as f64,
        mirrored: stage.fitness.games_of_self_play() as f64 / stage.fitness.games as f64,
        seed,
    };
    let played = Box::new(|point: &[f64]| plan.played_point(point));
    Ok(Box::new(MirroredPairs::new(settings, played)))
}

struct Stage<'s, 'r> {
    context: &'r StageContext<'r>,
    optimiser: Box<dyn Optimiser + 'r>,
    generations: Generations<'s, 'r>,
    /// How many generations the optimiser was asked for.
    asked: u64,
    /// What it has so far. The mean is the last one that stands for finite numbers.
    result: StageResult,
}

impl<'s, 'r> Stage<'s, 'r> {
    fn open(
        context: &'r StageContext<'r>,
        start: &'r [f64],
        scope: &'s Scope<'s, 'r>,
    ) -> Result<Self> {
        let generations = Generations::open(context, scope)?;
        let candidate = context.plan.candidate(start)?;
        let best = Scored { candidate, fitness: f64::NAN, generation: 0 };
        let result = StageResult { best, mean: start.to_vec(), ..StageResult::default() };
        let optimiser = optimiser(context.plan, context.index, start)?;
        Ok(Self { context, optimiser, generations, asked: 0, result })
    }

    /// Generation after generation. An optimiser that looks ahead is asked for the next one before it is told this one, and from then
    /// on the games of two generations overlap: an order that does not depend on how long games take.
    fn run(mut self) -> Result<StageResult> {
        self.context.observer.stage_started(self.context.index, self.context.stage());
        let mut next = self.ask()?;
        while let Some(mut asked) = next {
            let looks_beyond = self.looks_beyond(&asked.generation);
            next = if looks_beyond { self.ask()? } else { None };
            let measured = self.generations.measure(&mut asked, next.as_mut())?;
            if let Some(stopped) = self.tell(&asked.generation, &measured)? {
                return self.finish(stopped);
            }
            if !looks_beyond {
                next = self.ask()?;
            }
        }
        let reason = "its candidates or its mean have grown beyond all finite numbers";
        self.finish(reason.into())
    }

    /// Whether the optimiser is asked for the generation after this one before it is told this one. Not where this may be the last one; nor
    /// in the first, before which nothing is known.
    fn looks_beyond(&self, generation: &Generation) -> bool {
        let (stops, row) = (&generation.stage.stops, &generation.row);
        self.optimiser.looks_ahead()
            && row.generation > 1
            && stops.target_fitness.is_none()
            && stops.max_generations.is_none_or(|most| row.generation < most)
            && row.evaluations < stops.max_evaluations
    }

    /// The next generation; `None` where the optimiser asks for a value that is no finite number, which is an error of the first.
    fn ask(&mut self) -> Result<Option<Asked>> {
        let Self { context, optimiser, asked: number, .. } = self;
        let points = optimiser.ask();
        let mean = context.plan.candidate(optimiser.mean());
        let candidates = points.iter().map(|point| context.plan.candidate(point));
        let (candidates, mean) = match (candidates.collect::<Result<Vec<_>, _>>(), mean) {
            (Ok(candidates), Ok(mean)) => (candidates, mean),
            (Err(error), _) | (_, Err(error)) if *number == 0 => return Err(error.into()),
            _ => return Ok(None),
        };
        *number += 1;
        let stage = context.training(*number)?;
        let row = GenerationRow {
            generation: *number,
            evaluations: *number * candidates.len() as u64,
            sigma: optimiser.sigma(),
            axis_ratio: optimiser.axis_ratio(),
            mean: context.plan.values_at(optimiser.mean()),
            ..GenerationRow::default()
        };
        let axes = AxesRow::new(*number, &optimiser.axes());
        Ok(Some(Asked::new(Generation { number: *number, stage, candidates, mean, row, axes })))
    }

    /// Tells the results of a generation to the optimiser and the observer; returns a reason to stop, if there is one.
    fn tell(
        &mut self,
        generation: &Generation,
        measured: &MeasuredGeneration,
    ) -> Result<Option<String>> {
        let MeasuredGeneration { row, candidates, replayed } = measured;
        let fitness: Vec<f64> = candidates.iter().map(|row| row.fitness).collect();
        self.optimiser.tell(&fitness)?;
        self.context.observer.generation_finished(row, *replayed);
        if !replayed {
            let GenerationRow { best_fitness, median_fitness, sigma, distinct_games, .. } = row;
            let (stage, generation) = (self.context.index + 1, row.generation);
            tracing::info!(
                stage,
                generation,
                best_fitness,
                median_fitness,
                sigma,
                distinct_games,
                "generation"
            );
        }
        (self.result.generations, self.result.evaluations) = (row.generation, row.evaluations);
        let mean = self.optimiser.mean();
        if self.context.plan.candidate(mean).is_ok() {
            self.result.mean = mean.to_vec();
        }
        if self.context.plan.pairs.is_some() {
            self.result.best.fitness = row.mean_vector_fitness;
        } else if self.result.best.generation == 0 || row.best_fitness < self.result.best.fitness {
            // Of equals, the earlier generation keeps its place.
            let candidate = generation.candidates[row.best_index as usize].clone();
            let (fitness, generation) = (row.best_fitness, row.generation);
            self.result.best = Scored { candidate, fitness, generation };
        }
        Ok(self.reason_to_stop(&generation.stage, row))
    }

    fn reason_to_stop(&self, stage: &StagePlan, row: &GenerationRow) -> Option<String> {
        let stops = &stage.stops;
        let most = stops.max_evaluations;
        let reasons = [
            (stops.target_fitness.filter(|target| row.best_fitness <= *target))
                .map(|target| format!("target fitness {target} reached")),
            (stops.max_generations.filter(|most| row.generation >= *most))
                .map(|most| format!("{most} generation{} done", if most == 1 { "" } else { "s" })),
            (row.evaluations >= most).then(|| format!("{most} evaluations done")),
            self.optimiser.stop_reason().map(String::from),
        ];
        reasons.into_iter().flatten().next()
    }

    fn finish(self, stopped: String) -> Result<StageResult> {
        self.generations.finish(&format!("the stage ended before this row: {stopped}"))?;
        let Self { context, mut result, .. } = self;
        if context.plan.pairs.is_some() {
            // A candidate of a pair has few games, and lies away from the mean on purpose.
            result.best.candidate = context.plan.candidate(&result.mean)?;
            result.best.generation = result.generations;
        }
        Ok(StageResult { stopped, ..result })
    }
}

/// Whether a stage stopped for this reason because it had played all its games, so that it continues if it gets more.
pub fn ended_by_games(stopped: &str) -> bool {
    stopped.ends_with(" done")
}
