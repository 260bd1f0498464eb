//! The loop of a stage: ask the optimiser for candidates, measure them, log their results, tell the optimiser; until a
//! stop.

mod context;
mod generation;
mod hall;
mod held_out;
mod progress;
mod reevaluation;
mod restarts;
mod result;

pub(super) use self::context::StageContext;
use self::generation::{Generation, Generations, MeasuredGeneration};
use self::hall::Hall;
use self::held_out::HeldOut;
use self::progress::Progress;
use self::restarts::Restarts;
use self::result::StopReason;
pub use self::result::{Observer, Sample, Scored, Silent, StageResult};
use crate::error::Result;
use crate::journal::GenerationRow;
use crate::measure::results::{share, worst_opponent};
use crate::optimiser::Optimiser;

/// Runs a stage from a point, or replays its journals and continues from there.
pub(crate) fn run_stage(context: &StageContext<'_>, start: &[f64]) -> Result<StageResult> {
    let mut stage = Stage::open(context, start)?;
    context.observer.stage_started(context.index, context.stage());
    loop {
        let generation = stage.ask()?;
        let measured = stage.generations.measure(&generation, &stage.hall)?;
        let stopped = stage.tell(&generation, &measured)?;
        if let Some(reason) = stopped
            && !stage.restart(&reason)?
        {
            return stage.finish(reason);
        }
    }
}

struct Stage<'r> {
    context: &'r StageContext<'r>,
    optimiser: Box<dyn Optimiser>,
    restarts: Restarts<'r>,
    generations: Generations<'r>,
    hall: Hall<'r>,
    held_out: Option<HeldOut<'r>>,
    progress: Progress,
    /// What it has so far. The mean is the last one that stands for finite numbers.
    result: StageResult,
}

impl<'r> Stage<'r> {
    fn open(context: &'r StageContext<'r>, start: &'r [f64]) -> Result<Self> {
        let generations = Generations::open(context)?;
        let held_out = HeldOut::open(context)?;
        let restarts = Restarts::new(context.plan, context.index, start);
        let finalists = context.plan.noise.finalists.as_ref();
        let kept = finalists.map_or(1, |finalists| finalists.best.max(1) as usize);
        let candidate = context.plan.candidate(start)?;
        let best = Scored { candidate, fitness: f64::NAN, generation: 0 };
        let result = StageResult { best, mean: start.to_vec(), ..StageResult::default() };
        let (optimiser, hall, progress) =
            (restarts.first()?, Hall::open(context)?, Progress::new(kept));
        Ok(Self { context, optimiser, restarts, generations, hall, held_out, progress, result })
    }

    fn ask(&mut self) -> Result<Generation> {
        let Self { context, optimiser, result, .. } = self;
        result.generations += 1;
        let number = result.generations;
        let stage = self.hall.stage(context.seed_of_games(number))?;
        let stage = context.training(number, stage, 0)?;
        let candidates = optimiser.population().iter().map(|point| context.plan.candidate(point));
        let candidates = candidates.collect::<Result<Vec<_>, _>>()?;
        result.evaluations += candidates.len() as u64;
        let row = GenerationRow {
            generation: number,
            evaluations: result.evaluations,
            sigma: optimiser.sigma(),
            axis_ratio: optimiser.axis_ratio(),
            restart: self.restarts.number(),
            mean: context.plan.values_at(optimiser.mean()),
            ..GenerationRow::default()
        };
        let mean = context.plan.candidate(optimiser.mean())?;
        Ok(Generation { number, stage, candidates, mean, row })
    }

    /// Tells the results of a generation to the optimiser and the observer; returns a reason to stop, if there is one.
    fn tell(
        &mut self,
        generation: &Generation,
        measured: &MeasuredGeneration,
    ) -> Result<Option<StopReason>> {
        let MeasuredGeneration { row, candidates, replayed } = measured;
        let fitness: Vec<f64> = candidates.iter().map(|row| row.fitness).collect();
        self.optimiser.tell(&fitness)?;
        if let Some(finalists) = &self.context.plan.noise.finalists {
            self.result.centres.push(generation.mean.point.clone());
            if finalists.model {
                let combine = generation.stage.fitness.combine;
                let measured = candidates.iter().map(|row| &row.measured);
                let samples = generation.candidates.iter().zip(measured);
                self.result.samples.extend(samples.map(|(candidate, measured)| Sample {
                    generation: generation.number,
                    point: candidate.point.clone(),
                    score: share(combine, measured, worst_opponent(&measured.by_opponent)),
                    games: measured.tally.games(),
                }));
            }
        }
        self.progress.observe(row, &generation.candidates, &fitness);
        self.context.observer.generation_finished(&generation.stage, row, *replayed);
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
        if self.overflows() {
            let reason = "its candidates or its mean have grown beyond all finite numbers";
            return Ok(Some(StopReason::stall(reason)));
        }
        self.result.mean = self.optimiser.mean().to_vec();
        if self.context.plan.pairs.is_some() {
            self.result.best.fitness = row.mean_vector_fitness;
        }
        let (mean, later) = (self.optimiser.mean(), self.generations.evaluations.has_next());
        if self.hall.generation_finished(generation.number, mean, later)? {
            self.generations.cache.clear();
            self.progress.begins_anew = true;
        }
        // Candidates that play each other are measured against others in each generation.
        if generation.stage.fitness.coevolution.is_some() {
            self.progress.begins_anew = true;
        }
        let mut stall = self.restarts.count(generation.candidates.len());
        if let Some(held_out) = &mut self.held_out {
            stall = held_out.check(generation.number, mean)?.or(stall);
        }
        Ok(self.progress.stop(&generation.stage, row, &*self.optimiser, stall))
    }

    /// Whether the optimiser has come to a mean, or asks for a candidate, with a value that is no finite number.
    fn overflows(&self) -> bool {
        let Self { context, optimiser, .. } = self;
        let mut points = optimiser.population().iter().map(Vec::as_slice).chain([optimiser.mean()]);
        points.any(|point| context.plan.candidate(point).is_err())
    }

    fn restart(&mut self, reason: &StopReason) -> Result<bool> {
        let mean = self.result.mean.clone();
        let Some(optimiser) = self.restarts.after(reason, &mean)? else { return Ok(false) };
        let (stage, generation) = (self.context.index + 1, self.result.generations);
        let population = optimiser.population().len();
        tracing::info!(stage, generation, stopped = %reason.words, population, "restart");
        self.context.observer.restarted(self.restarts.number(), population, &reason.words);
        self.optimiser = optimiser;
        self.progress.restart(generation);
        self.held_out.iter_mut().for_each(HeldOut::restart);
        self.result.ended_means.push((generation, mean));
        Ok(true)
    }

    fn finish(self, StopReason { words: stopped, .. }: StopReason) -> Result<StageResult> {
        let reason = format!("the stage ended before this row: {stopped}");
        self.generations.finish(&reason)?;
        if let Some(held_out) = &self.held_out {
            held_out.journal.finish(&reason)?;
        }
        if let Some(journal) = &self.hall.journal {
            journal.finish(&reason)?;
        }
        let Self { mut result, progress, .. } = self;
        result.samples.retain(|sample| sample.generation >= progress.comparable_from);
        if self.context.plan.pairs.is_some() {
            // A candidate of a pair has few games, and lies away from the mean on purpose.
            result.best.candidate = self.context.plan.candidate(&result.mean)?;
            result.best.generation = result.generations;
            result.runners_up = progress.best;
        } else {
            let mut best = progress.best.into_iter();
            // A stage that had no candidate ends where it started.
            result.best = best.next().unwrap_or(result.best);
            result.runners_up = best.collect();
        }
        Ok(StageResult {
            stopped,
            comparable_from: progress.comparable_from,
            held_out: self.held_out.and_then(HeldOut::into_best),
            hall: self.hall.members,
            ..result
        })
    }
}
