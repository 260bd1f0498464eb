//! The files of a vector: its weights, with where they come from, and as text the agent that it was evolved for; and the
//! regression that a run begins with, in its folder `learn`.

use std::path::Path;

use super::dir::RunDir;
use crate::error::{Result, RunError};
use crate::learn::{Regression, RegressionSummary, in_toml};
use crate::plan::{LearnedStart, Plan, Vector};
use crate::stage::StageResult;
use tictune_core::agent::{AgentSpec, Known, OtherProgram};
use tictune_core::files::{FileError, write_atomically};
use tictune_core::input::InputError;
use tictune_core::weights::{Weights, find_game, read_weights, write_weights};

/// The file of an agent beside the weights of the same name.
pub fn agent_file(name: &str) -> String {
    format!("{name}-agent.txt")
}

/// Writes a vector to a folder: `NAME.toml`, if weights were evolved, and `NAME-agent.txt`, whose agent searches to
/// `depth` where it needs one. Paths in the latter are relative to the folder.
pub(super) fn write_vector(
    plan: &Plan,
    vector: &Vector,
    depth: u32,
    folder: &Path,
    known: &Known,
) -> Result<()> {
    let game = find_game(&known.games, &plan.game)?;
    let mut agent = vector.apply_to(&plan.agent)?.with_default_depth(depth);
    let file = |weights: &mut Weights, file: String| {
        let path = folder.join(&file);
        write_weights(&path, weights).map_err(FileError::writing(&path))?;
        weights.name = file;
        Ok::<(), RunError>(())
    };
    // An engine's name says which parameters it has, so that tables and PGN files name the two sides.
    let engine = agent.program().filter(|program| !program.plays_whole_games());
    if let Some(name) = engine.and_then(OtherProgram::name) {
        let name = format!("{name} {}", vector.name);
        agent = agent.with_key("name", &name, known.scope(game, folder)).unwrap_or(agent);
    }
    // What the evolved agent took from elsewhere goes with it.
    for (key, weights) in agent.all_weights_mut() {
        if key == "weights" && vector.weights.is_some() {
            file(weights, format!("{}.toml", vector.name))?;
        } else if !weights.are_built_in(game) {
            file(weights, format!("carrier-{key}.toml"))?;
        }
    }
    let path = folder.join(agent_file(&vector.name));
    write_atomically(&path, format!("{agent}\n").as_bytes()).map_err(FileError::writing(&path))?;
    Ok(())
}

/// Reads the files of a run's best or mean vector.
pub fn read_vector(plan: &Plan, dir: &RunDir, name: &str) -> Result<Vector, InputError> {
    let weights = plan
        .initial
        .as_ref()
        .map(|_| read_weights(&dir.file(&format!("{name}.toml")), &dir.known().games));
    let mut vector =
        Vector { name: name.into(), weights: weights.transpose()?, parameters: Vec::new() };
    if !plan.space.parameters.is_empty() {
        let file = agent_file(name);
        let game = find_game(&dir.known().games, &plan.game)?;
        let scope = dir.known().scope(game, dir.path());
        let agent = AgentSpec::parse_in(&format!("@{file}"), scope)?;
        vector.parameters = parameters_of(plan, &agent)
            .map_err(|message| InputError::in_file(&dir.file(&file), message))?;
    }
    Ok(vector)
}

/// The vector of an agent of the plan: its weights and its numbers, as far as they are evolved.
pub fn vector_of_agent(plan: &Plan, name: &str, agent: &AgentSpec) -> Result<Vector, InputError> {
    let weights = plan.layout().map(|layout| {
        let weights = agent.weights().filter(|weights| weights.layout().name == layout.name);
        let message = format!("it needs weights of {}, which the config evolves", layout.name);
        weights.cloned().ok_or_else(|| InputError::new(message))
    });
    let parameters = parameters_of(plan, agent).map_err(InputError::new)?;
    let vector = Vector { name: name.into(), weights: weights.transpose()?, parameters };
    Ok(vector.named(name))
}

fn parameters_of(plan: &Plan, agent: &AgentSpec) -> Result<Vec<(String, f64)>, String> {
    let of = |key: &String| match agent.number(key) {
        Some(value) => Ok((key.clone(), value)),
        None => Err(format!("has no {key}, which is evolved")),
    };
    plan.space.parameters.iter().map(|parameter| of(&parameter.key)).collect()
}

/// A vector of the last stage that has a result, with its provenance (`hash` is that of the config's plan), which names nothing but
/// what decides the vector.
pub(super) fn with_provenance(
    plan: &Plan,
    hash: &str,
    results: &[StageResult],
    name: &str,
    point: &[f64],
) -> Result<Vector> {
    let index = results.len() - 1;
    let (stage, result) = (&plan.stages[index], &results[index]);
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
    let provenance = &mut weights.provenance;
    let mut put = |key: &str, value: toml::Value| provenance.insert(key.into(), value);
    put("source", format!("tictune evolve, run {}", plan.name).into());
    put("vector", name.into());
    put("config", plan.name.clone().into());
    put("config_hash", hash.into());
    put("seed", plan.seed.to_string().into());
    put("stage", in_toml(index as u64 + 1));
    if stage.has_depth() {
        let depths = &stage.depths;
        put("depth", if depths.is_empty() { stage.depth.into() } else { depths.clone().into() });
    }
    if name == "best" {
        put("generation", in_toml(result.best.generation));
        put("fitness", result.best.fitness.into());
    } else {
        put("generation", in_toml(result.generations));
    }
    if !parameters.is_empty() {
        put("parameters", parameters.into());
        put("agent", plan.agent.to_string().into());
    }
    put("evaluations", in_toml(result.evaluations));
    put("opponents", opponents.into());
    if !stage.fitness.self_play.is_empty() {
        put("self_play", true.into());
    }
    put("games", in_toml(stage.fitness.games));
    put("openings", stage.fitness.openings.to_string().into());
    put("seeds", format!("{:?}", stage.fitness.seeds).to_lowercase().into());
    put("tictune", env!("CARGO_PKG_VERSION").into());
    Ok(vector)
}

/// What the positions of a regression say of the weights.
pub const INFORMATION: &str = "information.json";

/// The regression of a run as a folder of its own.
pub fn learn_dir(dir: &RunDir) -> RunDir {
    RunDir::new(dir.file("learn"), dir.known())
}

#[doc(hidden)]
impl RunDir {
    /// Writes the weights of a regression, and `summary.json` last.
    pub fn write_regression(&self, found: Regression) -> Result<RegressionSummary> {
        for (weights, file) in found.weights.iter().zip(&found.summary.learned) {
            let path = self.file(file);
            write_weights(&path, weights).map_err(FileError::writing(&path))?;
        }
        self.write_json(INFORMATION, &found.information)?;
        self.write_json("summary.json", &found.summary)?;
        Ok(found.summary)
    }
}

/// The result of the regression that a run begins with; `None` if the plan has none, or it is still to be played.
pub fn learned_start(plan: &Plan, dir: &RunDir) -> Result<Option<RegressionSummary>> {
    let Some(LearnedStart { regression, .. }) = &plan.learn else { return Ok(None) };
    let dir = learn_dir(dir);
    let summary: Option<RegressionSummary> = dir.read_json("summary.json")?;
    match summary {
        Some(summary) if summary.config_hash != regression.hash() => {
            let message = "is of another config: delete the folder, and its games are played again";
            Err(InputError::in_file(&dir.file("summary.json"), message).into())
        }
        summary => Ok(summary),
    }
}

/// The plan with its learned start; the plan itself where none is learned.
pub fn with_learned_start(plan: &Plan, dir: &RunDir) -> Result<Plan> {
    let Some(learn) = &plan.learn else { return Ok(plan.clone()) };
    let Some(summary) = learned_start(plan, dir)? else {
        let message = "the start of this run is not learned yet: play its regression first, as tictune evolve does";
        return Err(InputError::in_file(dir.path(), message).into());
    };
    let folder = learn_dir(dir);
    let Some(file) = summary.learned.last() else {
        let path = folder.file("summary.json");
        return Err(InputError::in_file(&path, "names no learned weights").into());
    };
    let path = folder.file(file);
    let start = read_weights(&path, &dir.known().games)?;
    if Some(start.layout()) != plan.layout() {
        let message = "is not of the evaluation that is evolved";
        return Err(InputError::in_file(&path, message).into());
    }
    let started = if learn.keeps_start { plan.clone() } else { plan.started_from(&start) };
    if !learn.axes {
        return Ok(started);
    }
    let slots = start.values().len();
    let information: Option<Vec<Vec<f64>>> = folder.read_json(INFORMATION)?;
    let square =
        |rows: &Vec<Vec<f64>>| rows.len() == slots && rows.iter().all(|row| row.len() == slots);
    let information = information.filter(square).ok_or_else(|| {
        let message = "is missing, or not of the learned weights: delete the folder, and its games are played again";
        InputError::in_file(&folder.file(INFORMATION), message)
    })?;
    let size = if learn.keeps_start { started.size_by(&information) } else { 1.0 };
    Ok(started.with_axes(&information, size))
}
