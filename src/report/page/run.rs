//! A run as a page shows it.

use serde_json::{Value, json};

use super::data::RunData;
use super::distribution;
use super::evolution;
use super::results;
use super::status::{Status, number};
use super::weights::beside_published;
use super::{depth_of, drawn};
use crate::evolve::StagePlan;
use crate::report::{comparison_table, counted, profile_plots, profile_table, regression_table};

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
        "config": run.config,
    })
}

fn stage_view(run: &RunData, index: usize) -> Value {
    let (stage, data) = (&run.plan().stages[index], &run.stages[index]);
    let depth = depth_of(stage).map_or(String::new(), |depth| format!(": {depth}"));
    json!({
        "title": format!("Stage {}{depth}", index + 1),
        "about": format!(
            "{} games per candidate; openings {}; population {}; sigma at its beginning {}.",
            stage.fitness.games,
            stage.fitness.openings,
            stage.population,
            run.plan().space.sigma_unit.in_words(stage.sigma)
        ),
        "opponents": opponents(stage),
        "ended": match run.manifest.stages.get(index) {
            Some(record) => format!(
                "Stopped: {}. The {} is {} after {}.",
                record.stopped,
                run.plan().fitness_in_words(),
                number(record.best_fitness),
                counted(record.generations as usize, "generation")
            ),
            None if data.rows.is_empty() => "No generation yet.".into(),
            None => format!("{} so far.", counted(data.rows.len(), "generation")),
        },
    })
}

fn opponents(stage: &StagePlan) -> Vec<Value> {
    let fitness = &stage.fitness;
    let all = fitness.games.max(1) as f64;
    let view = |name: String, games: u64| {
        let share = (1000.0 * games as f64 / all).round() / 10.0;
        json!({ "name": name, "games": games, "share": share })
    };
    let pool = fitness.opponents.iter().map(|plan| {
        let openings = plan.openings.as_ref();
        let from = openings.map_or(String::new(), |openings| format!(", openings {openings}"));
        view(format!("{}{from}", stage.opponent(plan)), plan.games)
    });
    let is_mixed = fitness.self_play.len() > 1;
    let other = fitness.self_play.iter().filter(|plan| plan.games > 0).map(|plan| {
        let at = if is_mixed { &*format!(" at depth {}", plan.depth) } else { "" };
        view(format!("the other one of its pair{at}"), plan.games)
    });
    pool.chain(other).collect()
}
