//! A whole run: its stages, then best against mean, then the validation of the winner.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use super::dir::{Manifest, RunDir, StageRecord};
use super::vectors::{with_learned_start, with_provenance, write_vector};
use crate::error::{Result, RunError};
use crate::journal::{Comparison, MatchRow};
use crate::plan::{Part, Plan, Start, Vector};
use crate::stage::{Observer, StageContext, StageResult, run_stage};
use crate::verdict::{MatchContext, Starts, check_comparison, compare, fixtures_of_run, validate};
use tictune_core::arena::Executor;
use tictune_core::input::InputError;
use tictune_core::seed::{Purpose, of_run};

/// The result of a run.
#[derive(Clone, Debug)]
pub struct RunResult {
    /// Its stages.
    pub stages: Vec<StageResult>,
    /// The best candidate of the last stage; of pairs, the mean, or the start if it was shown to be stronger.
    pub best: Vector,
    /// The mean of the last stage.
    pub mean: Vector,
    /// The match of best against mean.
    pub comparison: Comparison,
    /// The validation of the winner, one row for each match.
    pub validation: Vec<MatchRow>,
}

impl RunResult {
    /// The vector that was validated: the winner of the comparison.
    pub fn winner(&self) -> &Vector {
        if self.comparison.winner == "mean" { &self.mean } else { &self.best }
    }
}

/// Runs a plan in a folder that [`RunDir::create`] has made, or continues it. A finished run is read back without
/// playing. Do not call it from a thread of a rayon pool: games are played from threads of the run, and an executor that has no pool
/// of its own then plays on the global one.
///
/// A plan with a learned start (a `[budget]` without weights in `initial`, or `[learn]`) begins with what `tictune evolve` has
/// learned in the folder `learn`: give the start as weights, or copy that folder.
///
/// # Errors
/// [`RunError::Interrupted`] if `stop` was set; everything measured is then saved. Where a stage fails, `stop` is set, too. Logs that do not fit the
/// plan; a failure of the file system.
pub fn run(
    plan: &Plan,
    dir: &RunDir,
    executor: &dyn Executor,
    observer: &dyn Observer,
    stop: &AtomicBool,
) -> Result<RunResult, RunError> {
    let at_the_end =
        MatchContext { executor, game: &plan.game, rules: &plan.rules, observer, stop };
    let before = dir.manifest()?.filter(|before| before.config_hash == plan.hash());
    let (plan_of_config, hash) = (plan, plan.hash());
    let mut manifest =
        before.map_or_else(|| Manifest::new(plan_of_config.clone()), Manifest::resumed);
    if !manifest.finished {
        manifest.play_hash = play_hash_in_words(executor, &plan.rules);
        dir.write_json("manifest.json", &manifest)?;
    }
    (manifest.finished, manifest.tictune) = (false, env!("CARGO_PKG_VERSION").into());
    manifest.stages.clear();
    let plan = &with_learned_start(plan_of_config, dir)?;
    let initial = plan.vector_at("initial", &plan.start_point())?;
    let mut stages = Stages {
        plan,
        dir,
        hash: &hash,
        context: at_the_end,
        results: Vec::new(),
        last: [initial.clone(), initial.clone()],
    };
    for index in 0..plan.stages.len() {
        stages.play(index)?;
        let result = &stages.results[index];
        manifest.stages.push(StageRecord {
            folder: RunDir::stage_name(index, &plan.stages[index]),
            stopped: result.stopped.clone(),
            generations: result.generations,
            evaluations: result.evaluations,
            best_fitness: result.best.fitness,
        });
        dir.write_json("manifest.json", &manifest)?;
        tracing::info!(stage = index + 1, stopped = %result.stopped, "stage finished");
        observer.stage_finished(index, result);
    }
    let depth = plan.stages.last().map_or(1, |stage| stage.depth);
    stages.write_vectors(depth, dir.path())?;
    if !plan.space.parameters.is_empty() {
        write_vector(plan, &initial, depth, dir.path(), dir.known())?;
    }
    let Stages { last: [best, mean], .. } = &stages;
    // Pairs have no best candidate: their start plays, and is the answer if it is shown to be stronger.
    let of_start = plan.pairs.is_some();
    let first = if of_start { &initial } else { best };
    let comparison = match dir.read_json::<Comparison>("comparison.json")? {
        Some(comparison) => {
            check_comparison(&comparison, &plan.comparison, first, of_start).map_err(|reason| {
                let message = format!(
                    "{reason}: it was edited, or written by another version; delete it and the match is played again"
                );
                InputError::in_file(&dir.file("comparison.json"), message)
            })?;
            observer.comparison_finished(&comparison);
            comparison
        }
        None => {
            let seed = of_run(plan.seed, Purpose::Comparison, 0, 0);
            let pair = [first, mean];
            let starts = Starts::OfRun(plan, Part::Comparison);
            let comparison =
                compare(&at_the_end, &plan.comparison, (seed, starts), pair, of_start)?;
            dir.write_json("comparison.json", &comparison)?;
            comparison
        }
    };
    tracing::info!(verdict = comparison.verdict, "comparison");
    if comparison.winner == Comparison::first_of(true) {
        stages.last[0] = stages.of_start()?;
        stages.write_vectors(depth, dir.path())?;
    }
    let Stages { results, last: [best, mean], .. } = stages;

    let mut result = RunResult { stages: results, best, mean, comparison, validation: Vec::new() };
    let seed = of_run(plan.seed, Purpose::Validation, 0, 0);
    let log = dir.file("validation.csv");
    let fixtures = fixtures_of_run(plan, [result.winner(), &initial], seed)?;
    let starts = Starts::OfRun(plan, Part::Validation);
    result.validation = validate(&at_the_end, &fixtures, starts, Some(&log))?;
    dir.write_json("validation.json", &result.validation)?;
    manifest.finished = true;
    dir.write_json("manifest.json", &manifest)?;
    tracing::info!("run finished");
    Ok(result)
}

/// What this build plays, as manifests have it.
pub fn play_hash_in_words(executor: &dyn Executor, rules: &str) -> Option<String> {
    executor.play_hash(rules).map(|hash| format!("{hash:016x}"))
}

struct Stages<'r> {
    plan: &'r Plan,
    dir: &'r RunDir,
    /// The hash of the plan as the config has it.
    hash: &'r str,
    context: MatchContext<'r>,
    results: Vec<StageResult>,
    last: [Vector; 2],
}

impl Stages<'_> {
    fn start(&self, index: usize) -> Vec<f64> {
        match (self.plan.stages[index].start, self.results.last()) {
            (Start::Best, Some(before)) => before.best.candidate.point.clone(),
            (Start::Mean, Some(before)) => before.mean.clone(),
            _ => self.plan.start_point(),
        }
    }

    fn play(&mut self, index: usize) -> Result<()> {
        let (plan, dir, stage) = (self.plan, self.dir, &self.plan.stages[index]);
        let MatchContext { executor, observer, stop, .. } = self.context;
        let folder = &dir.stage(index, stage);
        if folder.is_symlink() {
            let message = "is a symbolic link; a run writes only to its own folders: put the folder itself here";
            return Err(InputError::in_file(folder, message).into());
        }
        let start = self.start(index);
        let context = StageContext { plan, index, folder, executor, observer, stop };
        self.results.push(run_stage(&context, &start)?);
        let StageResult { best, mean, .. } = &self.results[index];
        self.last = [self.vector("best", &best.candidate.point)?, self.vector("mean", mean)?];
        self.write_vectors(stage.depth, folder)
    }

    /// A vector of the last stage that was played.
    fn vector(&self, name: &str, point: &[f64]) -> Result<Vector> {
        with_provenance(self.plan, self.hash, &self.results, name, point)
    }

    /// The start of the run, as the best vector that it knows.
    fn of_start(&self) -> Result<Vector> {
        let mut start = self.vector("best", &self.plan.start_point())?;
        if let Some(weights) = &mut start.weights {
            // It was not measured in the stage.
            weights.provenance.retain(|key, _| key != "generation" && key != "fitness");
        }
        Ok(start)
    }

    /// Writes best and mean to a folder, for agents of a depth.
    fn write_vectors(&self, depth: u32, folder: &Path) -> Result<()> {
        let mut vectors = self.last.iter();
        vectors.try_for_each(|one| write_vector(self.plan, one, depth, folder, self.dir.known()))
    }
}
