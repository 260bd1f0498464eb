//! What the figures of the documents show, from matches move by move.

use super::Series;
use crate::files::{csv_text, harmless_cell};
use crate::report::moves::MoveRow;

/// The time of every move of A and B in milliseconds by the number of the move in its game, from 1,
/// both players' moves counted (Sista 4.1 to 4.3).
#[must_use]
pub(crate) fn times_of_moves(moves: &[MoveRow], names: [&str; 2]) -> [Series; 2] {
    by_agent(names, |by_a| {
        let of = moves.iter().filter(|row| row.by_a == by_a);
        of.map(|row| (f64::from(row.ply + 1), row.milliseconds)).collect()
    })
}

/// The mean time of a move of A and B in milliseconds by the number of the move in its game, from 1,
/// both players' moves counted (Lifshitz).
#[must_use]
pub(crate) fn time_by_turn(moves: &[MoveRow], names: [&str; 2]) -> [Series; 2] {
    by_agent(names, |by_a| {
        let mut sums: std::collections::BTreeMap<u32, (f64, u32)> = Default::default();
        for row in moves.iter().filter(|row| row.by_a == by_a) {
            let (sum, count) = sums.entry(row.ply + 1).or_default();
            *sum += row.milliseconds;
            *count += 1;
        }
        let mean = |(turn, (sum, count))| (f64::from(turn), sum / f64::from(count));
        sums.into_iter().map(mean).collect()
    })
}

/// The share of games that A and B have won after each game, and that were drawn, in percent by the
/// number of games (Sista 4.4). Results are A's half points: 2 a win, 1 a draw.
#[must_use]
pub(crate) fn cumulative_rates(results: &[u64], names: [&str; 2]) -> [Series; 3] {
    let rates = |name: &str, of: u64| {
        let mut count = 0;
        let point = |(games, &result): (u32, &u64)| {
            count += u32::from(result == of);
            (f64::from(games), 100.0 * f64::from(count) / f64::from(games))
        };
        Series { name: name.into(), points: (1..).zip(results).map(point).collect() }
    };
    let [a, b] = names.map(|name| format!("{name}: won"));
    [rates(&a, 2), rates(&b, 0), rates("drawn", 1)]
}

fn by_agent(names: [&str; 2], points: impl Fn(bool) -> Vec<(f64, f64)>) -> [Series; 2] {
    let [a, b] = names;
    [(a, true), (b, false)].map(|(name, by_a)| Series { name: name.into(), points: points(by_a) })
}

/// The columns of a file of points.
pub(crate) const POINT_COLUMNS: [&str; 3] = ["series", "x", "y"];

/// Series as CSV, a row a point: `series`, `x`, `y`.
///
/// # Errors
/// None that is known: memory takes what is written to it.
pub(crate) fn points_csv(series: &[Series]) -> std::io::Result<Vec<u8>> {
    let rows = series.iter().flat_map(|Series { name, points }| {
        let name = harmless_cell(name);
        points.iter().map(move |(x, y)| [name.to_string(), x.to_string(), y.to_string()])
    });
    csv_text([POINT_COLUMNS.map(String::from)].into_iter().chain(rows))
}
