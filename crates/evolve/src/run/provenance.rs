//! Where vectors come from: what is written into their files.

use crate::error::RunError;
use crate::journal::Finalists;
use crate::plan::{Plan, Vector};
use crate::stage::StageResult;
use tictune_core::weights::Weights;

/// A vector of a stage with its provenance (`hash` is that of the config's plan), which names nothing but what decides the vector.
pub(super) fn with_provenance(
    plan: &Plan,
    hash: &str,
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
    let provenance = &mut weights.provenance;
    let mut put = |key: &str, value: toml::Value| provenance.insert(key.into(), value);
    put("source", format!("tictune evolve, run {}", plan.name).into());
    put("vector", name.into());
    put("config", plan.name.clone().into());
    put("config_hash", hash.into());
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
    if !stage.fitness.combine.is_mean() {
        put("combine", <&str>::from(stage.fitness.combine).into());
    }
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

/// Writes down where the winner of finalists comes from and what it scored when it was measured again.
pub(super) fn add_finalists(finalists: &Finalists, weights: &mut Weights) {
    let Some(row) = finalists.winning_row() else { return };
    let provenance = &mut weights.provenance;
    provenance.remove("generation");
    let mut put = |key: &str, value: toml::Value| provenance.insert(key.into(), value);
    put("finalist", row.name.clone().into());
    if let Some(generation) = row.generation {
        put("generation", whole(generation));
    }
    put("openings", finalists.openings.clone().into());
    put("seeds", "fresh".into());
    put("games", whole(row.games));
    put("wins", whole(row.tally.wins));
    put("draws", whole(row.tally.draws));
    put("losses", whole(row.tally.losses));
    put("distinct_games", whole(row.distinct_games));
    put("score", row.score.into());
    put("score_low", row.score_low.into());
    put("score_high", row.score_high.into());
    put("verdict", finalists.verdict.clone().into());
}

fn whole(number: u64) -> toml::Value {
    toml::Value::Integer(i64::try_from(number).unwrap_or(i64::MAX))
}
