//! Two runs side by side.

use serde_json::{Value, json};

use super::data::RunData;
use super::drawn;
use super::evolution::{
    BEST, DISTINCT, FITNESS, MEAN, OVER_ALL, Unit, curve, distinct_share, fitness_line,
    median_deviation, paths_of_both,
};
use super::results::{heat_cell, search_of};
use super::status::Status;
use super::weights::beside;
use crate::evolve::{GenerationRow, MatchRow, Plan};
use crate::report::charts::{Line, Mark, Plot, Scale};
use crate::report::distinct;
use crate::weights::Weights;

const MOST_DIFFERENCES: usize = 60;

pub(crate) fn compare_view(runs: [&RunData; 2]) -> Value {
    let differences = differences(runs);
    let labels = labels(runs);
    json!({
        "runs": runs.map(Status::of),
        "names": names(runs),
        "charts": drawn(&distributions(runs, &labels)),
        // The path of every number, where both evolve the same.
        "paths": drawn(&paths_of_both(runs, &labels)),
        "differences": differences.iter().take(MOST_DIFFERENCES).collect::<Vec<_>>(),
        "more": differences.len().saturating_sub(MOST_DIFFERENCES),
        "validation": validation(runs),
        "weights": weights(runs),
    })
}

/// The names of the runs; where they are the same, with what tells them apart: their seeds, or else their folders.
fn names(runs: [&RunData; 2]) -> [String; 2] {
    let [a, b] = runs.map(RunData::plan);
    runs.map(|run| {
        let Plan { name, seed, .. } = run.plan();
        match (a.name == b.name, a.seed == b.seed) {
            (false, _) => name.clone(),
            (true, false) => format!("{name}, seed {seed}"),
            (true, true) => format!("{name} in {}", run.folder),
        }
    })
}

fn labels(runs: [&RunData; 2]) -> [String; 2] {
    let [a, b] = names(runs);
    [format!("A: {a}"), format!("B: {b}")]
}

pub(super) fn plots(runs: [&RunData; 2]) -> Vec<Plot> {
    let labels = labels(runs);
    distributions(runs, &labels).into_iter().chain(paths_of_both(runs, &labels)).collect()
}

fn distributions(runs: [&RunData; 2], names: &[String; 2]) -> Vec<Plot> {
    let both = |line: &dyn Fn(&RunData, &str, usize) -> Line| {
        let b = line(runs[1], &names[1], BEST).marked(Mark::Dashed);
        vec![line(runs[0], &names[0], MEAN), b]
    };
    // The same axis for both: a hundred games.
    let fitness = |value: fn(&GenerationRow) -> f64| {
        both(&|run, name, colour| fitness_line(run, &Unit::percent(run), name, colour, value))
    };
    let column = |value: fn(&GenerationRow) -> f64| {
        both(&|run, name, colour| curve(run, name, colour, |_, row| value(row)))
    };
    let from_zero = |title: &str, note: &str, y_label: &str, lines| Plot {
        from_zero: true,
        ..Plot::new(title, note, [OVER_ALL, y_label], lines)
    };
    let logarithmic = |title: &str, note: &str, lines| Plot {
        y_scale: Scale::Logarithmic,
        ..Plot::new(title, note, [OVER_ALL, &title.to_lowercase()], lines)
    };
    let points = Unit::percent(runs[0]).label;
    let mean = fitness(|row| row.mean_vector_fitness);
    let best = fitness(|row| row.best_fitness);
    let axes = "longest over shortest axis; logarithmic";
    let deviations = "median of all parameters among the candidates; logarithmic";
    vec![
        from_zero("Fitness of the mean vector", FITNESS, &points, mean),
        from_zero("Best fitness", FITNESS, &points, best),
        logarithmic("Sigma", "logarithmic", column(|row| row.sigma)),
        logarithmic("Axis ratio", axes, column(|row| row.axis_ratio)),
        logarithmic("Standard deviation", deviations, both(&median_deviation)),
        from_zero("Distinct games", DISTINCT[0], DISTINCT[1], both(&distinct_share)),
    ]
}

fn differences(runs: [&RunData; 2]) -> Vec<Value> {
    let plans = runs.map(|run| {
        let mut keys = Vec::new();
        flatten("", &serde_json::to_value(run.plan()).unwrap_or_default(), &mut keys);
        keys
    });
    let difference = |key: &String| {
        let values = plans.each_ref().map(|keys| {
            let found = keys.iter().find(|(other, _)| other == key);
            found.map_or("—", |(_, value)| value.as_str())
        });
        (values[0] != values[1]).then(|| json!({ "key": key, "values": values }))
    };
    distinct(plans.iter().flatten().map(|(key, _)| key))
        .into_iter()
        .filter_map(difference)
        .collect()
}

/// The leaves of a JSON value with their paths. Lists of numbers are leaves.
fn flatten(path: &str, value: &Value, found: &mut Vec<(String, String)>) {
    const LONGEST: usize = 120;
    match value {
        Value::Object(map) => {
            for (key, value) in map {
                let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
                flatten(&path, value, found);
            }
        }
        Value::Array(list) if list.iter().any(|value| !value.is_number()) => {
            for (index, value) in list.iter().enumerate() {
                flatten(&format!("{path}[{}]", index + 1), value, found);
            }
        }
        value => {
            let text = value.as_str().map_or_else(|| value.to_string(), String::from);
            let short: String = text.chars().take(LONGEST).collect();
            let more = if short.len() < text.len() { " ..." } else { "" };
            found.push((path.into(), short + more));
        }
    }
}

/// The same matches of both winners, as far as either played them.
fn validation(runs: [&RunData; 2]) -> Vec<Value> {
    fn place(row: &MatchRow) -> (&str, &str, String) {
        (&row.opponent, &row.openings, search_of(row))
    }
    let both = |at: (&str, &str, String)| {
        let scores =
            runs.map(|run| run.validation.iter().find(|row| place(row) == at).map(heat_cell));
        let (opponent, openings, search) = at;
        json!({ "opponent": opponent, "openings": openings, "search": search, "scores": scores })
    };
    let rows = runs.iter().flat_map(|run| &run.validation);
    distinct(rows.map(place)).into_iter().map(both).collect()
}

/// The winners' weights, where both have the same evaluation.
fn weights(runs: [&RunData; 2]) -> Option<Value> {
    let winner = |run: &RunData, name: &str| -> Option<Weights> {
        let found = run.vectors.iter().find(|weights| weights.name == run.winner());
        let mut weights = found.or(run.vectors.first())?.clone();
        weights.name = name.into();
        Some(weights)
    };
    let [a, b] = [winner(runs[0], "A")?, winner(runs[1], "B")?];
    let layout = a.layout();
    (layout == b.layout()).then(|| beside(layout, &[a, b]))
}
