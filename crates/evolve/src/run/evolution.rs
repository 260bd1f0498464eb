//! A whole run: its stages, then best against mean, then the validation of the winner.

use std::sync::atomic::AtomicBool;

use super::dir::{Manifest, RunDir, StageRecord};
use super::vectors::{add_finalists, with_learned_start, with_provenance, write_vector};
use crate::error::{Result, RunError};
use crate::journal::{Comparison, Finalists, MatchRow};
use crate::plan::{Part, Plan, Start, Vector};
use crate::stage::{Observer, StageContext, StageResult, run_stage};
use crate::verdict::{
    MatchContext, Starts, check_comparison, choose_start, compare, finalists::choose_winner,
    fixtures_of_run, validate,
};
use tictune_core::arena::Executor;
use tictune_core::input::InputError;
use tictune_core::seed::{Purpose, of_run};
use tictune_core::weights::Weights;

/// The result of a run.
#[derive(Clone, Debug)]
pub struct RunResult {
    /// Its stages.
    pub stages: Vec<StageResult>,
    /// The best candidate of the last stage.
    pub best: Vector,
    /// The mean of the last stage.
    pub mean: Vector,
    /// The starts that were measured before the first stage, if there were several.
    pub screening: Option<Finalists>,
    /// The finalists of each stage; empty if the config asks for none.
    pub finalists: Vec<Finalists>,
    /// The winner of the last stage's finalists, if there are any.
    pub finalist: Option<Vector>,
    /// The match of best against mean.
    pub comparison: Comparison,
    /// The validation of the winner, one row for each match.
    pub validation: Vec<MatchRow>,
}

impl RunResult {
    /// The vector that was validated: the winner of the finalists, or else of the comparison.
    pub fn winner(&self) -> &Vector {
        let compared = if self.comparison.winner == "mean" { &self.mean } else { &self.best };
        self.finalist.as_ref().unwrap_or(compared)
    }
}

/// Runs a plan in a folder that [`RunDir::create`] has made, or continues it. A finished run is read back without
/// playing.
///
/// # Errors
/// [`RunError::Interrupted`] if `stop` was set; everything measured is then saved. Logs that do not fit the
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
    let (plan, learned) = &with_learned_start(plan_of_config, dir)?;
    let initial = plan.vector_at("initial", &plan.start_point())?;
    let mut stages = Stages {
        plan,
        dir,
        hash: &hash,
        learned,
        context: at_the_end,
        results: Vec::new(),
        last: [initial.clone(), initial.clone()],
        screening: None,
        finalists: Vec::new(),
        winner: None,
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
            winner: stages.finalists.last().map(|found| found.winner.clone()),
        });
        dir.write_json("manifest.json", &manifest)?;
        tracing::info!(stage = index + 1, stopped = %result.stopped, "stage finished");
        observer.stage_finished(index, result);
    }
    stages.write_vectors()?;
    let Stages { results, last: [best, mean], finalists, winner, screening, .. } = stages;
    let finalist = winner.map(|(_, vector)| vector);

    let comparison = match dir.read_json::<Comparison>("comparison.json")? {
        Some(comparison) => {
            check_comparison(&comparison, &plan.comparison, &best).map_err(|reason| {
                let message = format!(
                    "{reason}: it was edited, or is of another version; delete it and the match is played again"
                );
                InputError::in_file(&dir.file("comparison.json"), message)
            })?;
            observer.comparison_finished(&comparison);
            comparison
        }
        None => {
            let seed = of_run(plan.seed, Purpose::Comparison, 0, 0);
            let pair = [&best, &mean];
            let starts = Starts::OfRun(plan, Part::Comparison);
            let comparison = compare(&at_the_end, &plan.comparison, (seed, starts), pair)?;
            dir.write_json("comparison.json", &comparison)?;
            comparison
        }
    };
    tracing::info!(verdict = comparison.verdict, "comparison");

    let mut result = RunResult {
        stages: results,
        best,
        mean,
        screening,
        finalists,
        finalist,
        comparison,
        validation: Vec::new(),
    };
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
    learned: &'r [Weights],
    context: MatchContext<'r>,
    results: Vec<StageResult>,
    last: [Vector; 2],
    screening: Option<Finalists>,
    finalists: Vec<Finalists>,
    /// The winner of the last finalists, as a point too.
    winner: Option<(Vec<f64>, Vector)>,
}

impl Stages<'_> {
    fn start(&self, index: usize) -> Vec<f64> {
        let start = || self.plan.start_point();
        match (self.plan.stages[index].start, self.results.last()) {
            (Start::Best, Some(before)) => before.best.candidate.point.clone(),
            (Start::Mean, Some(before)) => before.mean.clone(),
            (Start::Winner, Some(_)) => {
                self.winner.as_ref().map_or_else(start, |(point, _)| point.clone())
            }
            _ => start(),
        }
    }

    fn play(&mut self, index: usize) -> Result<()> {
        let (plan, dir, stage) = (self.plan, self.dir, &self.plan.stages[index]);
        let MatchContext { executor, observer, stop, .. } = self.context;
        let folder = &dir.stage(index, stage);
        if folder.is_symlink() {
            let message = "is a symbolic link; a run writes only to folders of its own: put the folder itself here";
            return Err(InputError::in_file(folder, message).into());
        }
        let in_folder = |file: &str| format!("{}/{file}", RunDir::stage_name(index, stage));
        let mut start = self.start(index);
        let members = self.results.last().map_or(&[][..], |before| &before.hall);
        let context = StageContext { plan, index, folder, executor, observer, stop, members };
        if let Some(settings) = plan.screening.as_ref().filter(|_| index == 0) {
            let (found, point) = choose_start(&context, settings, &start, self.learned)?;
            tracing::info!(stage = index + 1, verdict = found.verdict, "screening");
            dir.write_json(&in_folder("screening.json"), &found)?;
            observer.screening_finished(&found);
            self.screening = Some(found);
            start = point;
        }
        let result = run_stage(&context, &start)?;
        let best = &result.best.candidate.point;
        self.last = [
            with_provenance(plan, self.hash, index, &result, "best", best)?,
            with_provenance(plan, self.hash, index, &result, "mean", &result.mean)?,
        ];
        for (name, vector) in ["best", "mean"].into_iter().zip(&self.last) {
            write_vector(plan, vector, name, stage.depth, folder, dir.known())?;
        }
        if let Some(settings) = &plan.noise.finalists {
            let (found, point) = choose_winner(&context, settings, &start, &result)?;
            tracing::info!(stage = index + 1, verdict = found.verdict, "finalists");
            dir.write_json(&in_folder("finalists.json"), &found)?;
            observer.finalists_finished(index, &found);
            let mut vector = with_provenance(plan, self.hash, index, &result, "winner", &point)?;
            vector.weights.iter_mut().for_each(|weights| add_finalists(&found, weights));
            write_vector(plan, &vector, "winner", stage.depth, folder, dir.known())?;
            self.finalists.push(found);
            self.winner = Some((point, vector));
        }
        self.results.push(result);
        Ok(())
    }

    fn write_vectors(&self) -> Result<()> {
        let depth = self.plan.stages.last().map_or(1, |stage| stage.depth);
        let winner = self.winner.iter().map(|(_, vector)| ("winner", vector));
        for (name, vector) in ["best", "mean"].into_iter().zip(&self.last).chain(winner) {
            write_vector(self.plan, vector, name, depth, self.dir.path(), self.dir.known())?;
        }
        Ok(())
    }
}
