//! Charts of the games of a match, as the papers have them.

use std::collections::BTreeMap;
use std::path::Path;

use super::{ChartLine, Mark, Plot, short};
use crate::files::{csv_text, escaped_cell};
use crate::input::{Result, read_data};
use crate::papers::reproduce::{Drawing, MoveTime, RowTrace};
use crate::report::moves::parse_match;

/// The charts of a file that `match --moves` or `match --games-csv` wrote.
pub(crate) fn match_plots(path: &Path) -> Result<Vec<Plot>> {
    let games = parse_match(&read_data(path)?, path)?;
    let drawings = match games.moves.is_empty() {
        true => &[Drawing::Convergence][..],
        false => &[Drawing::TimeByTurn, Drawing::TimeOfMoves],
    };
    Ok(drawings.iter().map(|drawing| plot_of_games(*drawing, &games, ["A", "B"])).collect())
}

pub(crate) fn plot_of_games(drawing: Drawing, games: &RowTrace, names: [&str; 2]) -> Plot {
    let times = ["number of the move, both players counted", "milliseconds per move"];
    let plot = match drawing {
        Drawing::TimeByTurn => {
            let lines = time_by_turn(&games.moves, names).into();
            Plot::new("Mean time of a move", "", times, lines)
        }
        Drawing::TimeOfMoves => {
            let lines = times_of_moves(&games.moves, names);
            let levels = lines.iter().filter(|line| !line.points.is_empty()).map(|line| {
                let mean =
                    line.points.iter().map(|point| point.1).sum::<f64>() / line.points.len() as f64;
                (format!("{}: mean {}", line.name, short(mean)), line.colour, mean)
            });
            let levels = levels.collect();
            Plot { levels, ..Plot::new("Time of each move", "", times, lines.into()) }
        }
        Drawing::Convergence => {
            let lines = cumulative_rates(&games.half_points, names).into();
            let axes = ["games", "share of games (%)"];
            Plot::new("Results as games are played", "", axes, lines)
        }
    };
    Plot { from_zero: true, ..plot }
}

/// The time of every move of A and B (Sista 4.1 to 4.3).
fn times_of_moves(moves: &[MoveTime], names: [&str; 2]) -> [ChartLine; 2] {
    let of = |by_a| moves.iter().filter(move |row| row.by_a == by_a);
    let points = |by_a| of(by_a).map(|row| (f64::from(row.ply + 1), row.milliseconds)).collect();
    [(0, true), (1, false)]
        .map(|(side, by_a)| ChartLine::new(names[side], side, points(by_a)).marked(Mark::Dots))
}

/// The mean time of the moves of A and B by their number in the game (Lifshitz).
fn time_by_turn(moves: &[MoveTime], names: [&str; 2]) -> [ChartLine; 2] {
    times_of_moves(moves, names).map(|line| {
        let mut sums: BTreeMap<u32, (f64, u32)> = BTreeMap::new();
        for (turn, milliseconds) in &line.points {
            let (sum, count) = sums.entry(*turn as u32).or_default();
            *sum += milliseconds;
            *count += 1;
        }
        let mean = |(turn, (sum, count))| (f64::from(turn), sum / f64::from(count));
        ChartLine::new(&line.name, line.colour, sums.into_iter().map(mean).collect())
            .marked(Mark::Points)
    })
}

/// The share of games that A and B have won after each game, and that were drawn (Sista 4.4). Results are A's half points.
fn cumulative_rates(results: &[u64], names: [&str; 2]) -> [ChartLine; 3] {
    let rates = |name: &str, colour: usize, of: u64| {
        let mut count = 0;
        let point = |(games, &result): (u32, &u64)| {
            count += u32::from(result == of);
            (f64::from(games), 100.0 * f64::from(count) / f64::from(games))
        };
        ChartLine::new(name, colour, (1..).zip(results).map(point).collect())
    };
    let [a, b] = names.map(|name| format!("{name}: won"));
    [rates(&a, 0, 2), rates(&b, 1, 0), rates("drawn", 2, 1).marked(Mark::Dashed)]
}

/// Lines as CSV, a row a point: `series`, `x`, `y`.
pub(crate) fn points_csv(lines: &[ChartLine]) -> std::io::Result<Vec<u8>> {
    let rows = lines.iter().flat_map(|ChartLine { name, points, .. }| {
        let name = escaped_cell(name);
        points.iter().map(move |(x, y)| [name.to_string(), x.to_string(), y.to_string()])
    });
    csv_text([["series", "x", "y"].map(String::from)].into_iter().chain(rows))
}
