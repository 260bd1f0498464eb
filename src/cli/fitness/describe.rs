//! What is evolved and how, for a driver that does not read the config.

use serde::Serialize;

use crate::evolve::Plan;
use crate::evolve::plan::{NamedNumber, ScoreRule, Seeds, Stops};

/// The answer to `--describe`.
#[derive(Debug, Serialize)]
pub(super) struct Description<'p> {
    /// The version of this format, and of the lines that follow.
    version: u32,
    name: &'p str,
    game: &'p str,
    rules: &'p str,
    /// The evaluation whose weights are evolved; null where only numbers of an agent are.
    evaluation: Option<&'p str>,
    /// What is evolved, in the order of tictune's own coordinates.
    numbers: Vec<NamedNumber>,
    /// Slots that keep their value: candidates may leave them out.
    held: Vec<&'p str>,
    seed: u64,
    stage: usize,
    stages: usize,
    depth: u32,
    population: usize,
    sigma: f64,
    stops: &'p Stops,
    /// Games of a candidate.
    games: u64,
    schedule: String,
    openings: String,
    seeds: Seeds,
    score: ScoreRule,
    /// Who carries the candidates.
    agent: String,
    opponents: Vec<Opponent>,
}

#[derive(Debug, Serialize)]
struct Opponent {
    agent: String,
    games: u64,
}

/// Describes a stage of a plan, from 0.
pub(super) fn description(plan: &Plan, index: usize) -> Description<'_> {
    let stage = &plan.stages[index];
    let fitness = &stage.fitness;
    let opponents = fitness.opponents.iter().map(|opponent| Opponent {
        agent: stage.opponent(opponent).to_string(),
        games: opponent.games,
    });
    Description {
        version: 1,
        name: &plan.name,
        game: &plan.game,
        rules: &plan.rules,
        evaluation: plan.layout().map(|layout| layout.name),
        numbers: plan.numbers().collect(),
        held: plan.held().collect(),
        seed: plan.seed,
        stage: index + 1,
        stages: plan.stages.len(),
        depth: stage.depth,
        population: stage.population,
        sigma: stage.sigma,
        stops: &stage.stops,
        games: fitness.games,
        schedule: fitness.schedule.to_string(),
        openings: fitness.openings.to_string(),
        seeds: fitness.seeds,
        score: fitness.score,
        agent: plan.agent.with_default_depth(stage.depth).to_string(),
        opponents: opponents.collect(),
    }
}
