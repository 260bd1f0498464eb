//! A whole run: its stages, then best against mean, then the validation of the winner.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use super::finalists::{Finalists, crown};
use super::plan::Vector;
use super::plan::{Plan, Start};
use super::results::write_vector;
use super::run_dir::{Manifest, RunDir, StageRecord};
use super::stage::{StageContext, StageResult, run_stage};
use super::validation::validate_run;
use super::{Comparison, MatchRow, Observer, RunError, compare};
use crate::agent::Playable;
use crate::arena::Executor;
use crate::game::Game;
use crate::input::InputError;
use crate::seed::{Purpose, of_run};

/// What a run came to.
#[derive(Clone, Debug)]
pub struct RunResult {
    /// Its stages.
    pub stages: Vec<StageResult>,
    /// The best candidate of the last stage.
    pub best: Vector,
    /// The mean of the last stage.
    pub mean: Vector,
    /// What the finalists of each stage came to; none where they are not configured.
    pub finalists: Vec<Finalists>,
    /// The winner of the last stage's finalists, if there are any.
    pub finalist: Option<Vector>,
    /// One against the other.
    pub comparison: Comparison,
    /// The winner's gauntlet, a row a match.
    pub validation: Vec<MatchRow>,
}

impl RunResult {
    /// The vector that was validated: the winner of the finalists, or else of the comparison.
    #[must_use]
    pub fn winner(&self) -> &Vector {
        let compared = if self.comparison.winner == "mean" { &self.mean } else { &self.best };
        self.finalist.as_ref().unwrap_or(compared)
    }
}

/// Runs a plan in a folder that [`RunDir::create`] has made, or continues it. A finished run is read
/// back without a game.
///
/// # Errors
/// [`RunError::Interrupted`] if `stop` was set, all that was measured being saved; logs that do not
/// fit the plan; what the file system says.
pub fn run<P: Playable>(
    plan: &Plan,
    dir: &RunDir,
    executor: &dyn Executor,
    observer: &dyn Observer,
    stop: &AtomicBool,
) -> Result<RunResult, RunError> {
    let rules: P::Rules = plan.rules.parse().map_err(|_| {
        InputError::new(format!("rules \"{}\" are not of {}", plan.rules, P::INFO.name))
    })?;
    let mut manifest = Manifest::new(plan.clone());
    let mut stages: Vec<StageResult> = Vec::new();
    let mut finalists: Vec<Finalists> = Vec::new();
    let initial = plan.vector_at("initial", &plan.start_point())?;
    let mut last = [initial.clone(), initial.clone()];
    let (mut winner, mut finalist): (Option<Vec<f64>>, Option<Vector>) = (None, None);
    for (index, stage) in plan.stages.iter().enumerate() {
        let folder = dir.stage(index, stage);
        let start = match (stage.start, stages.last()) {
            (Start::Best, Some(before)) => before.best.point.clone(),
            (Start::Mean, Some(before)) => before.mean.clone(),
            (Start::Winner, Some(_)) => winner.clone().unwrap_or_else(|| plan.start_point()),
            _ => plan.start_point(),
        };
        let members = stages.last().map_or(&[][..], |before| &before.hall);
        let context =
            StageContext { plan, index, folder: &folder, executor, observer, stop, members };
        let result = run_stage(&context, &start)?;
        last = [
            named(plan, index, &result, "best", &result.best.point)?,
            named(plan, index, &result, "mean", &result.mean)?,
        ];
        write::<P>(plan, &last, stage.depth, &folder)?;
        if let Some(settings) = &plan.noise.finalists {
            let (found, point) = crown(&context, settings, &start, &result)?;
            let mut vector = named(plan, index, &result, "winner", &point)?;
            vector.weights.iter_mut().for_each(|weights| found.add_provenance(weights));
            write_vector(plan, &vector, "winner", stage.depth, &folder, P::INFO)?;
            finalists.push(found);
            (winner, finalist) = (Some(point), Some(vector));
        }
        manifest.stages.push(StageRecord {
            folder: RunDir::stage_name(index, stage),
            stopped: result.stopped.to_string(),
            generations: result.generations,
            evaluations: result.evaluations,
            best_fitness: result.best.fitness,
            winner: finalists.last().map(|found| found.winner.clone()),
        });
        dir.write_manifest(&manifest)?;
        tracing::info!(stage = index + 1, stopped = %result.stopped, "stage finished");
        observer.stage_finished(index, &result);
        stages.push(result);
    }
    let depth = plan.stages.last().map_or(1, |stage| stage.depth);
    write::<P>(plan, &last, depth, dir.path())?;
    if let Some(winner) = &finalist {
        write_vector(plan, winner, "winner", depth, dir.path(), P::INFO)?;
    }
    let [best, mean] = last;

    let comparison = match dir.read_json::<Comparison>("comparison.json")? {
        Some(comparison) => {
            observer.comparison_finished(&comparison);
            comparison
        }
        None => {
            let seed = of_run(plan.seed, Purpose::Comparison, 0, 0);
            let pair = [&best, &mean];
            let comparison = compare::<P>(&plan.comparison, rules, seed, pair, observer, stop)?;
            dir.write_json("comparison.json", &comparison)?;
            comparison
        }
    };
    tracing::info!(verdict = comparison.verdict, "comparison");

    let compared = if comparison.winner == "mean" { &mean } else { &best };
    let winner = finalist.as_ref().unwrap_or(compared);
    let seed = of_run(plan.seed, Purpose::Validation, 0, 0);
    let log = dir.file("validation.csv");
    let validation =
        validate_run::<P>(plan, rules, seed, [winner, &initial], &log, observer, stop)?;
    dir.write_json("validation.json", &validation)?;
    manifest.finished = true;
    dir.write_manifest(&manifest)?;
    tracing::info!("run finished");
    Ok(RunResult { stages, best, mean, finalists, finalist, comparison, validation })
}

/// Writes the best and the mean to a folder.
fn write<P: Game>(
    plan: &Plan,
    vectors: &[Vector; 2],
    depth: u32,
    folder: &Path,
) -> Result<(), RunError> {
    let mut named = ["best", "mean"].into_iter().zip(vectors);
    named.try_for_each(|(name, vector)| write_vector(plan, vector, name, depth, folder, P::INFO))
}

/// A vector of a stage with its provenance, which names nothing but what decides the vector.
fn named(
    plan: &Plan,
    index: usize,
    result: &StageResult,
    name: &str,
    point: &[f64],
) -> Result<Vector, RunError> {
    let stage = &plan.stages[index];
    let mut vector = plan.vector_at(name, point)?;
    let parameters: Vec<toml::Value> = vector.pairs().map(toml::Value::from).collect();
    let Some(weights) = &mut vector.weights else { return Ok(vector) };
    let opponents: Vec<toml::Value> = stage
        .fitness
        .opponents
        .iter()
        .map(|plan| match &plan.openings {
            None => stage.opponent(plan).to_string().into(),
            Some(openings) => format!("{} from {openings}", stage.opponent(plan)).into(),
        })
        .collect();
    let whole = |number: u64| toml::Value::Integer(i64::try_from(number).unwrap_or(i64::MAX));
    let provenance = &mut weights.provenance;
    let mut put = |key: &str, value: toml::Value| provenance.insert(key.into(), value);
    put("source", format!("tictune evolve, run {}", plan.name).into());
    put("vector", name.into());
    put("config", plan.name.clone().into());
    put("config_hash", plan.hash().into());
    put("seed", plan.seed.to_string().into());
    put("stage", whole(index as u64 + 1));
    let mixed = stage.depths.iter().map(|&depth| whole(depth.into()));
    put(
        "depth",
        match stage.depths.is_empty() {
            true => whole(stage.depth.into()),
            false => toml::Value::Array(mixed.collect()),
        },
    );
    if name == "best" {
        put("generation", whole(result.best.generation));
        put("fitness", result.best.fitness.into());
    } else {
        put("generation", whole(result.generations));
    }
    if !parameters.is_empty() {
        put("parameters", parameters.into());
        put("agent", plan.agent.to_string().into());
    }
    put("evaluations", whole(result.evaluations));
    put("opponents", opponents.into());
    if stage.fitness.hall.is_some() {
        put("hall_of_fame", whole(result.hall.len() as u64));
    }
    if let Some(plan) = &stage.fitness.coevolution {
        put("coevolution", whole(plan.opponents as u64));
    }
    put("games", whole(stage.fitness.games));
    put("openings", stage.fitness.openings.to_string().into());
    put("seeds", format!("{:?}", stage.fitness.seeds).to_lowercase().into());
    put("tictune", env!("CARGO_PKG_VERSION").into());
    Ok(vector)
}
