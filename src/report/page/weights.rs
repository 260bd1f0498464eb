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
    let boards = boards(&vectors[0]);
    vectors.extend(run.published());
    let mut view = beside(layout, &vectors);
    view["boards"] = boards.into();
    Some(view)
}

/// Vectors of a layout beside each other, without boards.
pub(super) fn beside(layout: &WeightLayout, vectors: &[Weights]) -> Value {
    let row = |(index, slot): (usize, &crate::game::Slot)| {
        let cells: Vec<_> = vectors.iter().map(|weights| cell(weights.values(), index)).collect();
        json!({ "name": slot.name, "about": slot.description, "cells": cells })
    };
    json!({
        "names": vectors.iter().map(|weights| &weights.name).collect::<Vec<_>>(),
        "rows": layout.slots.iter().enumerate().map(row).collect::<Vec<_>>(),
        "boards": [],
    })
}

/// A value of a vector with its bar: its share of the largest one, 0 to 50, and where it begins, 0 to 50.
pub(super) fn cell(values: &[f64], index: usize) -> Value {
    let value = values[index];
    let largest = values.iter().map(|value| value.abs()).fold(0.0, f64::max);
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
fn boards(weights: &Weights) -> Vec<Value> {
    let layout = weights.layout();
    let parts_of = |prefix: &str| match prefix {
        "" => REGIONS.map(String::from),
        prefix => REGIONS.map(|region| format!("{prefix}_{region}")),
    };
    let three = |prefix: &str| -> Option<Vec<usize>> {
        parts_of(prefix).iter().map(|name| layout.index_of(name)).collect()
    };
    let title = |prefix: &str| match prefix {
        "" => "squares".into(),
        prefix => prefix.replace('_', " "),
    };
    let before_middle =
        |name: &str| Some(name.strip_suffix("middle")?.trim_end_matches('_').to_string());
    let slots = layout.slots.iter();
    let mut small: Vec<String> = slots.filter_map(|slot| before_middle(slot.name)).collect();
    small.retain(|prefix| three(prefix).is_some());
    let mut boards = Vec::new();
    // Nine by nine first, since it says all that its nine parts say.
    let large: Vec<String> = small.iter().filter_map(|prefix| before_middle(prefix)).collect();
    for prefix in large {
        let parts = parts_of(&prefix);
        let Some(slots) = parts.iter().map(|part| three(part)).collect::<Option<Vec<_>>>() else {
            continue;
        };
        let slot = |square: usize| {
            let (row, column) = (square / 9, square % 9);
            slots[SQUARES[3 * (row / 3) + column / 3]][SQUARES[3 * (row % 3) + column % 3]]
        };
        boards.push(board(title(&prefix), 9, weights, (0..81).map(slot)));
        small.retain(|prefix| !parts.contains(prefix));
    }
    for prefix in small {
        if let Some(slots) = three(&prefix) {
            boards.push(board(title(&prefix), 3, weights, SQUARES.iter().map(|kind| slots[*kind])));
        }
    }
    if let (Some(poor), Some(rich)) = (layout.index_of("poor_cell"), layout.index_of("rich_cell")) {
        for layer in 0..4 {
            // Corners and inner cells of the cube have seven lines.
            let is_rich = |cell: usize| {
                let inner = [layer, cell / 4, cell % 4].map(|at| at == 1 || at == 2);
                inner == [true; 3] || inner == [false; 3]
            };
            let slots = (0..16).map(|cell| if is_rich(cell) { rich } else { poor });
            boards.push(board(format!("layer {}", layer + 1), 4, weights, slots));
        }
    }
    boards
}

/// Weights on the squares that they are about: each with its shade, from 0 (as far below 0 as any value of the board) over 5 to
/// 10, and whether a line between small boards is on its left, and above it.
fn board(
    title: String,
    columns: usize,
    weights: &Weights,
    slots: impl Iterator<Item = usize>,
) -> Value {
    let slots: Vec<usize> = slots.collect();
    let values = weights.values();
    let largest = slots.iter().map(|&slot| values[slot].abs()).fold(0.0, f64::max);
    let cell = |(place, &slot): (usize, &usize)| {
        let share = if largest > 0.0 { values[slot] / largest } else { 0.0 };
        let edge = |at: usize| columns == 9 && at != 0 && at.is_multiple_of(3);
        json!({
            "text": short(values[slot]),
            "about": weights.layout().slots[slot].name,
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

    /// The title of each board, and the slots on its squares.
    fn of<P: Game>(name: &str) -> Vec<(Value, Vec<Value>)> {
        let boards = boards(&Weights::built_in(P::INFO, name).unwrap()).into_iter();
        let about = |board: &Value| -> Vec<Value> {
            board["cells"].as_array().unwrap().iter().map(|cell| cell["about"].clone()).collect()
        };
        boards.map(|board| (board["title"].clone(), about(&board))).collect()
    }

    #[test]
    fn weights_of_squares_stand_on_their_squares() {
        let [outer, inner] = &of::<Uttt>("liang-default")[..] else { panic!("two boards") };
        assert_eq!((&outer.0, outer.1.len()), (&json!("macro"), 9));
        let corner_to_middle = ["corner", "side", "corner", "side", "middle"];
        assert_eq!(inner.1[..5], corner_to_middle.map(|kind| json!(format!("micro_{kind}"))));
        let comprehensive = of::<Uttt>("liang-comprehensive");
        let (_, whole) = comprehensive.iter().find(|(_, slots)| slots.len() == 81).unwrap();
        // The middle square of the corner board, and the corner square of the middle board.
        assert_eq!(
            [&whole[9 + 1], &whole[3 * 9 + 3]],
            ["micro_corner_middle", "micro_middle_corner"]
        );
        assert!(of::<Uttt>("liang-connecting").is_empty());
        // Rich cells of Qubic are corners and inner cells.
        let by_cells = Qubic::INFO.vectors.iter().find(|v| v.toml.contains("rich_cell")).unwrap();
        for (_, slots) in of::<Qubic>(by_cells.name) {
            assert_eq!(slots.iter().filter(|slot| **slot == "rich_cell").count(), 4);
        }
    }
}
