//! The weights of a run beside published ones, and on the squares that they are about.

use serde_json::{Value, json};

use super::data::RunData;
use crate::game::WeightLayout;
use crate::report::charts::short;
use crate::weights::Weights;

/// The vectors of the run and the published ones of its evaluation; `None` where no weights are evolved or there are
/// none yet.
pub(super) fn beside_published(run: &RunData) -> Option<Value> {
    let layout = run.plan().layout()?;
    let mut vectors = run.vectors.clone();
    if vectors.is_empty() {
        // Not finished: the mean of the distribution so far.
        let mean = &run.last()?.1.mean;
        let values = mean.get(..layout.len())?.to_vec();
        vectors.push(Weights::new("mean so far", layout, values).ok()?);
    }
    // The winner first: the boards are its own.
    vectors.sort_by_key(|weights| weights.name != run.winner());
    let boards = boards(layout, &vectors[0]);
    vectors.extend(run.published());
    let mut view = beside(layout, &vectors);
    view["boards"] = boards.into();
    Some(view)
}

/// Vectors of a layout beside each other, without boards.
pub(super) fn beside(layout: &WeightLayout, vectors: &[Weights]) -> Value {
    let row = |(index, slot): (usize, &crate::game::Slot)| {
        let cells: Vec<_> = vectors.iter().map(|weights| cell(weights, index)).collect();
        json!({ "name": slot.name, "about": slot.description, "cells": cells })
    };
    json!({
        "names": vectors.iter().map(|weights| &weights.name).collect::<Vec<_>>(),
        "rows": layout.slots.iter().enumerate().map(row).collect::<Vec<_>>(),
        "boards": [],
    })
}

/// A value with its bar: its share of the largest value of its vector, 0 to 50, and where it begins, 0 to 50.
fn cell(weights: &Weights, index: usize) -> Value {
    let value = weights.values()[index];
    let largest = weights.values().iter().map(|value| value.abs()).fold(0.0, f64::max);
    let length = if largest > 0.0 { 50.0 * value.abs() / largest } else { 0.0 };
    let from = if value < 0.0 { 50.0 - length } else { 50.0 };
    json!({ "value": short(value), "length": length, "from": from, "negative": value < 0.0 })
}

/// What layouts call the kinds of squares of a 3x3 board.
const REGIONS: [&str; 3] = ["middle", "corner", "side"];

/// The kind of each square of a 3x3 board, row by row.
const SQUARES: [usize; 9] = [1, 2, 1, 2, 0, 2, 1, 2, 1];

/// The boards of a layout whose slots name squares: `PREFIX_middle`, `PREFIX_corner` and `PREFIX_side` make a board of
/// three by three; `P_middle_middle` to `P_side_side` one of nine by nine; `poor_cell` and `rich_cell` the layers of
/// Qubic.
fn boards(layout: &WeightLayout, weights: &Weights) -> Vec<Value> {
    let index_of = |prefix: &str, region: &str| {
        let name = if prefix.is_empty() { region.into() } else { format!("{prefix}_{region}") };
        layout.index_of(&name)
    };
    let three = |prefix: &str| -> Option<Vec<usize>> {
        REGIONS.iter().map(|region| index_of(prefix, region)).collect()
    };
    let mut prefixes: Vec<&str> = Vec::new();
    for slot in layout.slots {
        let prefix = slot.name.strip_suffix("middle").map(|prefix| prefix.trim_end_matches('_'));
        prefixes.extend(prefix.filter(|prefix| three(prefix).is_some()));
    }
    let mut boards = Vec::new();
    // Nine by nine first, since it says all that its nine parts say.
    let outer = |prefix: &str| {
        let parts: Option<Vec<String>> = REGIONS
            .iter()
            .map(|region| {
                Some(if prefix.is_empty() {
                    (*region).to_string()
                } else {
                    format!("{prefix}_{region}")
                })
            })
            .collect();
        let parts = parts?;
        let slots: Option<Vec<Vec<usize>>> = parts.iter().map(|part| three(part)).collect();
        slots.map(|slots| (parts, slots))
    };
    let mut within: Vec<String> = Vec::new();
    let candidates: Vec<&str> = prefixes
        .iter()
        .filter_map(|prefix| {
            prefix.strip_suffix("middle").map(|prefix| prefix.trim_end_matches('_'))
        })
        .collect();
    for prefix in candidates {
        if let Some((parts, slots)) = outer(prefix) {
            let slot = |square: usize| {
                let (row, column) = (square / 9, square % 9);
                let board = SQUARES[3 * (row / 3) + column / 3];
                slots[board][SQUARES[3 * (row % 3) + column % 3]]
            };
            let title =
                if prefix.is_empty() { "squares".to_string() } else { prefix.replace('_', " ") };
            boards.push(board(title, 9, 3, layout, weights, (0..81).map(slot)));
            within.extend(parts);
        }
    }
    for prefix in prefixes.iter().filter(|prefix| !within.iter().any(|part| part == *prefix)) {
        if let Some(slots) = three(prefix) {
            let title =
                if prefix.is_empty() { "squares".to_string() } else { prefix.replace('_', " ") };
            boards.push(board(
                title,
                3,
                3,
                layout,
                weights,
                SQUARES.iter().map(|&kind| slots[kind]),
            ));
        }
    }
    if let (Some(poor), Some(rich)) = (layout.index_of("poor_cell"), layout.index_of("rich_cell")) {
        for layer in 0..4 {
            // Corners and inner cells of the cube have seven lines.
            let is_rich = |cell: usize| {
                let inner = [layer, cell / 4, cell % 4].map(|at| at == 1 || at == 2);
                inner.iter().all(|&inner| inner) || !inner.iter().any(|&inner| inner)
            };
            let slots = (0..16).map(|cell| if is_rich(cell) { rich } else { poor });
            boards.push(board(format!("layer {}", layer + 1), 4, 4, layout, weights, slots));
        }
    }
    boards
}

/// Weights on the squares that they are about: each with its shade, from 0 (as far below 0 as any value of the board) over 5 to
/// 10, and whether a line between small boards is on its left, and above it.
fn board(
    title: String,
    columns: usize,
    part: usize,
    layout: &WeightLayout,
    weights: &Weights,
    slots: impl Iterator<Item = usize>,
) -> Value {
    let slots: Vec<usize> = slots.collect();
    let values = weights.values();
    let largest = slots.iter().map(|&slot| values[slot].abs()).fold(0.0, f64::max);
    let cell = |(place, &slot): (usize, &usize)| {
        let share = if largest > 0.0 { values[slot] / largest } else { 0.0 };
        let edge = |at: usize| at != 0 && at.is_multiple_of(part);
        json!({
            "text": short(values[slot]),
            "about": layout.slots[slot].name,
            "shade": (5.0 + 5.0 * share).round().clamp(0.0, 10.0) as usize,
            "edges": [edge(place % columns), edge(place / columns)],
        })
    };
    let cells: Vec<_> = slots.iter().enumerate().map(cell).collect();
    json!({ "title": title, "columns": columns, "cells": cells })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Game;
    use crate::games::{Qubic, Uttt};

    fn of<P: Game>(name: &str) -> Vec<(String, usize, Vec<String>)> {
        let weights = Weights::built_in(P::INFO, name).unwrap();
        let boards = boards(weights.layout(), &weights).into_iter();
        boards
            .map(|board| {
                let text = |value: &Value| value.as_str().unwrap().to_string();
                let cells = board["cells"].as_array().unwrap();
                let about = cells.iter().map(|cell| text(&cell["about"])).collect();
                (text(&board["title"]), board["columns"].as_u64().unwrap() as usize, about)
            })
            .collect()
    }

    #[test]
    fn weights_of_squares_stand_on_their_squares() {
        let advanced = of::<Uttt>("liang-default");
        assert_eq!(advanced.len(), 2);
        assert_eq!((advanced[0].0.as_str(), advanced[0].1), ("macro", 3));
        assert_eq!(
            advanced[1].2[0..5],
            ["micro_corner", "micro_side", "micro_corner", "micro_side", "micro_middle"]
        );
        let comprehensive = of::<Uttt>("liang-comprehensive");
        let whole = comprehensive.iter().find(|board| board.1 == 9).unwrap();
        // The middle square of the corner board, and the corner square of the middle board.
        assert_eq!(
            (&*whole.2[9 + 1], &*whole.2[3 * 9 + 3]),
            ("micro_corner_middle", "micro_middle_corner")
        );
        assert!(of::<Uttt>("liang-connecting").is_empty());
    }

    #[test]
    fn rich_cells_of_qubic_are_corners_and_inner_cells() {
        let boards = of::<Qubic>(
            Qubic::INFO.vectors.iter().find(|v| v.toml.contains("rich_cell")).unwrap().name,
        );
        let rich =
            |layer: usize| boards[layer].2.iter().filter(|name| *name == "rich_cell").count();
        assert_eq!([0, 1, 2, 3].map(rich), [4; 4]);
    }
}
