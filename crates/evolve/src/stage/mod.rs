//! The loop of a stage: ask the optimiser for candidates, measure them, log their results, tell the optimiser; until a
//! stop.

mod context;
mod generation;
mod progress;
mod result;

use nalgebra::DMatrix;

pub(super) use self::context::StageContext;
use self::generation::{Generation, Generations, MeasuredGeneration};
use self::progress::Progress;
pub use self::result::{Observer, Scored, Silent, StageResult};
use crate::error::Result;
use crate::journal::GenerationRow;
use crate::optimiser::{CmaEs, CmaEsSettings, MirroredPairs, Optimiser, PairSettings};
use crate::plan::{PairsPlan, Plan};
use tictune_core::seed::{Purpose, of_run};

/// Runs a stage from a point, or replays its journals and continues from there.
pub(crate) fn run_stage(context: &StageContext<'_>, start: &[f64]) -> Result<StageResult> {
    let mut stage = Stage::open(context, start)?;
    context.observer.stage_started(context.index, context.stage());
    loop {
        let generation = stage.ask()?;
        let measured = stage.generations.measure(&generation)?;
        if let Some(stopped) = stage.tell(&generation, &measured)? {
            return stage.finish(stopped);
        }
    }
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
        gain: if index == 0 { pairs.gain } else { PairsPlan::LITTLE },
        spread: pairs.spread,
        games: stage.fitness.games as f64,
        mirrored: stage.fitness.games_of_self_play() as f64 / stage.fitness.games as f64,
        seed,
    };
    let played = Box::new(|point: &[f64]| plan.played_point(point));
    Ok(Box::new(MirroredPairs::new(settings, played)))
}

struct Stage<'r> {
    context: &'r StageContext<'r>,
    optimiser: Box<dyn Optimiser + 'r>,
    generations: Generations<'r>,
    progress: Progress,
    /// What it has so far. The mean is the last one that stands for finite numbers.
    result: StageResult,
}

impl<'r> Stage<'r> {
    fn open(context: &'r StageContext<'r>, start: &'r [f64]) -> Result<Self> {
        let generations = Generations::open(context)?;
        let candidate = context.plan.candidate(start)?;
        let best = Scored { candidate, fitness: f64::NAN, generation: 0 };
        let result = StageResult { best, mean: start.to_vec(), ..StageResult::default() };
        let optimiser = optimiser(context.plan, context.index, start)?;
        Ok(Self { context, optimiser, generations, progress: Progress::default(), result })
    }

    fn ask(&mut self) -> Result<Generation> {
        let Self { context, optimiser, result, .. } = self;
        result.generations += 1;
        let number = result.generations;
        let stage = context.training(number)?;
        let candidates = optimiser.population().iter().map(|point| context.plan.candidate(point));
        let candidates = candidates.collect::<Result<Vec<_>, _>>()?;
        result.evaluations += candidates.len() as u64;
        let row = GenerationRow {
            generation: number,
            evaluations: result.evaluations,
            sigma: optimiser.sigma(),
            axis_ratio: optimiser.axis_ratio(),
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
    ) -> Result<Option<String>> {
        let MeasuredGeneration { row, candidates, replayed } = measured;
        let fitness: Vec<f64> = candidates.iter().map(|row| row.fitness).collect();
        self.optimiser.tell(&fitness)?;
        self.progress.observe(row.generation, &generation.candidates, &fitness);
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
            return Ok(Some(reason.into()));
        }
        self.result.mean = self.optimiser.mean().to_vec();
        if self.context.plan.pairs.is_some() {
            self.result.best.fitness = row.mean_vector_fitness;
        }
        Ok(self.progress.stop(&generation.stage, row, &*self.optimiser))
    }

    /// Whether the optimiser has come to a mean, or asks for a candidate, with a value that is no finite number.
    fn overflows(&self) -> bool {
        let Self { context, optimiser, .. } = self;
        let mut points = optimiser.population().iter().map(Vec::as_slice).chain([optimiser.mean()]);
        points.any(|point| context.plan.candidate(point).is_err())
    }

    fn finish(self, stopped: String) -> Result<StageResult> {
        self.generations.finish(&format!("the stage ended before this row: {stopped}"))?;
        let Self { context, progress, mut result, .. } = self;
        if context.plan.pairs.is_some() {
            // A candidate of a pair has few games, and lies away from the mean on purpose.
            result.best.candidate = context.plan.candidate(&result.mean)?;
            result.best.generation = result.generations;
        } else if let Some(best) = progress.best {
            result.best = best;
        }
        Ok(StageResult { stopped, ..result })
    }
}
