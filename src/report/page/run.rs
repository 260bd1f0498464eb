//! A run as a page shows it.

use serde_json::{Value, json};

use super::data::RunData;
use super::distribution;
use super::evolution;
use super::results;
use super::status::{Status, number};
use super::weights::beside_published;
use super::{depth_of, drawn};
use crate::evolve::plan::place_in_range;
use crate::evolve::{Parameter, StagePlan};
use crate::report::{
    comparison_table, in_six_digits, profile_plots, profile_table, regression_table,
};

pub(crate) fn run_view(run: &RunData) -> Value {
    let plan = run.plan();
    let paths = drawn(&evolution::paths(run));
    // Too many numbers have no path each.
    let without_path = if paths.is_empty() { 0 } else { run.names().len() - paths.len() };
    json!({
        "status": Status::of(run),
        // Every second piece is a name.
        "evolves": plan.to_string().split('`').collect::<Vec<_>>(),
        "game": plan.game,
        "rules": plan.rules,
        "seed": plan.seed,
        "config_hash": run.manifest.config_hash,
        "tictune": run.manifest.tictune,
        "charts": drawn(&evolution::plots(run)),
        "has_fitness": evolution::has_fitness(run),
        "distinct": evolution::is_distinct(run),
        "without_path": without_path,
        "paths": paths,
        "correlations": distribution::correlations(run),
        "directions": distribution::directions(run),
        "learned": run.learned.as_ref().map(|summary| regression_table(None, summary)),
        "stages": (0..plan.stages.len()).map(|index| stage_view(run, index)).collect::<Vec<_>>(),
        "comparison": run.comparison.as_ref().map(|comparison| json!({
            "first": comparison.first(),
            "verdict": comparison.verdict,
            "table": comparison_table(None, comparison),
            "best": results::score_bar(&comparison.result.figures),
        })),
        "validation": results::validation(run),
        "profile": (!run.profile.is_empty()).then(|| json!({
            "charts": drawn(&profile_plots(plan, &run.profile)),
            "table": profile_table(None, run.winner(), &run.profile),
            "name": run.winner(),
            "going_on": run.is_being_played,
        })),
        "agents": run.agents,
        "weights": beside_published(run),
        "parameters": parameters(run),
        "config": run.config,
    })
}

/// The parameters at the start and at the end, or so far, each with its place in its range in percent.
fn parameters(run: &RunData) -> Value {
    let row = |(index, parameter): (usize, &Parameter)| {
        let Parameter { key, initial, low, high, scale, .. } = parameter;
        let cell = |value: f64| {
            let place = place_in_range(value, [*low, *high], Some(*scale)).clamp(0.0, 1.0);
            json!({ "value": in_six_digits(&value.to_string()), "length": 100.0 * place })
        };
        let values = run.values.iter().filter_map(|(_, values)| values.get(index).copied());
        let cells: Vec<Value> = std::iter::once(*initial).chain(values).map(cell).collect();
        json!({ "name": format!("{key}, {low} to {high}"), "cells": cells })
    };
    let rows = run.plan().space.parameters.iter().enumerate().map(row);
    let names = run.values.iter().map(|(name, _)| *name);
    json!({ "names": names.collect::<Vec<_>>(), "rows": rows.collect::<Vec<_>>() })
}

fn stage_view(run: &RunData, index: usize) -> Value {
    let (plan, stage, data) = (run.plan(), &run.plan().stages[index], &run.stages[index]);
    json!({
        "depth": depth_of(stage),
        "games": stage.fitness.games,
        "openings": stage.fitness.openings.to_string(),
        "population": stage.population,
        "sigma": plan.space.sigma_unit.in_words(stage.sigma),
        "opponents": opponents(stage),
        "generations": data.rows.len(),
        "ended": run.manifest.stages.get(index).map(|record| json!({
            "by": record.stopped,
            "what": plan.fitness_in_words(),
            "fitness": (!stage.has_few_games()).then(|| number(record.best_fitness)),
            "generations": record.generations,
        })),
    })
}

/// Who plays the candidates of a stage, how many games each has, and its share of them in percent.
fn opponents(stage: &StagePlan) -> Vec<Value> {
    let fitness = &stage.fitness;
    let share = |games: u64| (1000.0 * games as f64 / fitness.games.max(1) as f64).round() / 10.0;
    let pool = fitness.opponents.iter().map(|plan| {
        let (agent, openings) = (stage.opponent(plan).short(), plan.openings.as_ref());
        let openings = openings.map(|openings| openings.to_string());
        json!({ "agent": agent, "openings": openings, "games": plan.games, "share": share(plan.games) })
    });
    let is_mixed = fitness.self_play.len() > 1;
    let other = fitness.self_play.iter().filter(|plan| plan.games > 0).map(|plan| {
        let depth = is_mixed.then_some(plan.depth);
        json!({ "agent": null, "depth": depth, "games": plan.games, "share": share(plan.games) })
    });
    pool.chain(other).collect()
}
