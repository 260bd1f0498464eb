//! The distribution at the end of an evolution, or so far: the correlations of the numbers that are evolved, and its principal
//! directions.

use serde_json::{Value, json};

use super::data::RunData;
use super::weights::cell;
use crate::report::charts::short;

/// As many numbers are in a table of correlations.
const MOST_CORRELATED: usize = 48;

/// The longest and the shortest axis of the last generation, and how far each number goes along them; `None` where there is only one,
/// or an older version played the run.
pub(super) fn directions(run: &RunData) -> Option<Value> {
    let axes = run.stages.iter().rev().find_map(|stage| stage.axes.last())?;
    let names: Vec<String> = run.plan().numbers().map(|number| number.name.into()).collect();
    let ([longest, .., shortest], true) = (axes.lengths(), axes.lengths().len() == names.len())
    else {
        return None;
    };
    let ends = axes.ends();
    let row = |(index, name): (usize, &String)| {
        let cells = ends.map(|end| cell(end, index));
        json!({ "name": name, "about": "", "cells": cells })
    };
    let named = |name: &str, length: &f64| format!("{name} axis: {}", short(*length));
    Some(json!({
        "of_optimum": run.plan().pairs.is_some(),
        "names": [named("longest", longest), named("shortest", shortest)],
        "rows": names.iter().enumerate().map(row).collect::<Vec<_>>(),
    }))
}

/// The correlations among the candidates of the last generations of the last stage; `None` before there are enough of
/// them, or where less than two numbers move.
pub(super) fn correlations(run: &RunData) -> Option<Value> {
    let names = run.names();
    let stage = run.stages.iter().rev().find(|stage| !stage.rows.is_empty())?;
    // As many as a correlation needs to be told from none, and no more than the later half of the stage.
    let wanted = 10 * names.len().min(MOST_CORRELATED) + 50;
    let mut samples: Vec<Vec<f64>> = Vec::new();
    let mut generations = 0;
    for row in stage.rows.iter().rev().take(stage.rows.len().div_ceil(2)) {
        if samples.len() >= wanted {
            break;
        }
        generations += 1;
        let around = |values: &[f64]| {
            let pairs = values.iter().zip(&row.mean).take(names.len());
            pairs.map(|(value, mean)| (value - mean) / row.sigma).collect::<Vec<f64>>()
        };
        samples.extend(stage.candidates(row.generation).map(|row| around(&row.values)));
    }
    if samples.len() < 20 || samples.iter().any(|sample| sample.len() < names.len()) {
        return None;
    }
    let product = |i: usize, j: usize| samples.iter().map(|x| x[i] * x[j]).sum::<f64>();
    let sizes: Vec<f64> = (0..names.len()).map(|i| product(i, i).sqrt()).collect();
    let moving = (0..names.len()).filter(|&i| sizes[i] > 0.0).take(MOST_CORRELATED);
    let moving: Vec<usize> = moving.collect();
    if moving.len() < 2 {
        return None;
    }
    let cell = |i: usize, j: usize| {
        let r = product(i, j) / (sizes[i] * sizes[j]);
        let text = format!("{r:.1}").replace("0.", ".");
        let text = if matches!(text.as_str(), ".0" | "-.0") { "·".into() } else { text };
        // From 0 (-1) over 5 (0) to 10 (+1).
        json!({ "text": text, "shade": (5.0 + 5.0 * r).round().clamp(0.0, 10.0) as usize })
    };
    let row = |&i: &usize| json!({ "name": names[i], "cells": moving.iter().map(|&j| cell(i, j)).collect::<Vec<_>>() });
    Some(json!({
        "samples": samples.len(),
        "generations": generations,
        "error": format!("{:.2}", 1.0 / (samples.len() as f64).sqrt()),
        "rows": moving.iter().map(row).collect::<Vec<_>>(),
        "numbers": (1..=moving.len()).collect::<Vec<_>>(),
    }))
}
