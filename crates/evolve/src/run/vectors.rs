//! The files of a vector: its weights, and as text the agent that it was evolved for.

use std::path::Path;

use super::dir::RunDir;
use crate::error::RunError;
use crate::plan::{Plan, Vector};
use tictune_core::agent::AgentSpec;
use tictune_core::files::{FileError, write_atomically};
use tictune_core::game::GameInfo;
use tictune_core::input::InputError;
use tictune_core::weights::{Weights, find_game, read_weights, write_weights};

/// The file of an agent beside the weights of the same name.
#[must_use]
pub fn agent_file(name: &str) -> String {
    format!("{name}-agent.txt")
}

/// Writes a vector to a folder: `NAME.toml`, if weights were evolved, and `NAME-agent.txt`, whose agent searches to
/// `depth` where it needs one. Paths in the latter are relative to the folder.
pub(super) fn write_vector(
    plan: &Plan,
    vector: &Vector,
    name: &str,
    depth: u32,
    folder: &Path,
    game: &'static GameInfo,
) -> Result<(), RunError> {
    let mut agent = vector.carried_by(&plan.agent)?.with_default_depth(depth);
    let file = |weights: &mut Weights, file: String| {
        let path = folder.join(&file);
        write_weights(&path, weights).map_err(FileError::writing(&path))?;
        weights.name = file;
        Ok::<(), RunError>(())
    };
    // What the carrier took from elsewhere goes with it.
    for (key, weights) in agent.all_weights_mut() {
        if key == "weights" && vector.weights.is_some() {
            file(weights, format!("{name}.toml"))?;
        } else if !weights.are_built_in(game) {
            file(weights, format!("carrier-{key}.toml"))?;
        }
    }
    let path = folder.join(agent_file(name));
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
