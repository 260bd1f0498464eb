//! The weights of a run beside published ones, and on the squares that they are about.

use serde_json::{Value, json};

use super::data::RunData;
use crate::game::WeightLayout;
use crate::report::charts::short;
use crate::weights::Weights;

/// The vectors of the run and the published ones of its evaluation; `None` where no weights are evolved or there are none yet.
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

/// The boards of a layout whose slots name squares: `PREFIX_middle` to `PREFIX_side` make a board of three by three,
/// `PREFIX_middle_middle` to `PREFIX_side_side` one of nine by nine, and `poor_cell` and `rich_cell` the layers of Qubic.
fn boards(weights: &Weights) -> Vec<Value> {
    let kind = |row: usize, column: usize| match (row % 3, column % 3) {
        (1, 1) => "middle",
        (1, _) | (_, 1) => "side",
        _ => "corner",
    };
    let of_prefix = ["macro_", "won_", "micro_", ""].into_iter().filter_map(|prefix| {
        let title = if prefix.is_empty() { "squares" } else { prefix.trim_end_matches('_') };
        let large =
            |row, column| format!("{prefix}{}_{}", kind(row / 3, column / 3), kind(row, column));
        let small = |row, column| format!("{prefix}{}", kind(row, column));
        board(title, 9, weights, large).or_else(|| board(title, 3, weights, small))
    });
    let layers = (0..4).filter_map(|layer| {
        // Corners and inner cells of the cube have seven lines.
        let cell = |row: usize, column: usize| {
            let inner = [layer, row, column].map(|at| at == 1 || at == 2);
            let is_rich = inner == [true; 3] || inner == [false; 3];
            if is_rich { "rich_cell".into() } else { "poor_cell".into() }
        };
        board(&format!("layer {}", layer + 1), 4, weights, cell)
    });
    of_prefix.chain(layers).collect()
}

/// Weights on the squares that they are about, if all have one: each with its shade, from 0 (as far below 0 as any value of the
/// board) over 5 to 10, and whether a line between small boards is on its left, and above it.
fn board(
    title: &str,
    size: usize,
    weights: &Weights,
    name: impl Fn(usize, usize) -> String,
) -> Option<Value> {
    let (layout, values) = (weights.layout(), weights.values());
    let squares = (0..size * size).map(|square| (square / size, square % size));
    let slots = squares.map(|(row, column)| layout.index_of(&name(row, column)));
    let slots: Vec<usize> = slots.collect::<Option<_>>()?;
    let largest = slots.iter().map(|&slot| values[slot].abs()).fold(0.0, f64::max);
    let cell = |(place, &slot): (usize, &usize)| {
        let share = if largest > 0.0 { values[slot] / largest } else { 0.0 };
        let edge = |at: usize| size == 9 && at != 0 && at.is_multiple_of(3);
        json!({
            "text": short(values[slot]),
            "about": layout.slots[slot].name,
            "shade": (5.0 + 5.0 * share).round().clamp(0.0, 10.0) as usize,
            "edges": [edge(place % size), edge(place / size)],
        })
    };
    let cells: Vec<_> = slots.iter().enumerate().map(cell).collect();
    Some(json!({ "title": title, "columns": size, "cells": cells }))
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
