//! The standings of a round robin.

use super::result::{ReductionReport, RowReport, Standing};
use super::table::{Contestant, Printed, Quantity, Reduction, Table};
use tictune_core::stats::Tally;

/// The printed and measured results of every player, in the order of the table. Empty until all
/// rows are played.
pub(super) fn standings(table: &Table, rows: &[RowReport]) -> Vec<Standing> {
    if rows.len() < table.rows.len() {
        return Vec::new();
    }
    (0..table.players.len())
        .map(|player| standing(&table.players[player], player, table, rows))
        .collect()
}

fn standing(contestant: &Contestant, player: usize, table: &Table, rows: &[RowReport]) -> Standing {
    let mut measured = Tally::default();
    let mut printed_games = 0;
    // All rows have the same number of games, so means over rows are close to means over moves.
    let (mut milliseconds, mut work, mut count) = (0.0, 0.0, 0.0_f64);
    for row in rows {
        let players = table.rows.get(row.row - 1).and_then(|row| row.players);
        let Some(side) = players.and_then(|pair| pair.iter().position(|&p| p == player)) else {
            continue;
        };
        let tally = row.measurement.measured;
        measured = measured.plus(&if side == 0 { tally } else { tally.reversed() });
        printed_games += table.games;
        milliseconds += row.measurement.milliseconds_per_move[side];
        work += row.measurement.work_per_move[side];
        count += 1.0;
    }
    let printed = contestant.score.map(|score| Printed::Score { score, games: printed_games });
    Standing {
        name: contestant.name.clone(),
        printed: contestant.score,
        measured,
        homogeneity_p: printed.map(|printed| printed.homogeneity(&measured)),
        printed_milliseconds: contestant.milliseconds,
        milliseconds: milliseconds / count.max(1.0),
        work: work / count.max(1.0),
    }
}

/// The reductions of the table, computed from its standings.
pub(super) fn reductions(table: &Table, standings: &[Standing]) -> Vec<ReductionReport> {
    table.reductions.iter().filter_map(|reduction| reduced(reduction, standings)).collect()
}

fn reduced(reduction: &Reduction, standings: &[Standing]) -> Option<ReductionReport> {
    let value = |name: &str| {
        let standing = standings.iter().find(|standing| standing.name == name)?;
        Some(match reduction.quantity {
            Quantity::Score => standing.measured.score(),
            Quantity::Milliseconds => standing.milliseconds,
            Quantity::Work => standing.work,
        })
    };
    let share = |pair: &String| {
        let (normal, less) = pair.split_once(" > ")?;
        Some((pair.clone(), (value(normal)? - value(less)?) / value(normal)?))
    };
    let pairs = reduction.pairs.iter().map(share).collect::<Option<Vec<_>>>()?;
    let measured = pairs.iter().map(|(_, share)| share).sum::<f64>() / pairs.len() as f64;
    Some(ReductionReport {
        name: reduction.name.clone(),
        printed: reduction.printed,
        measured,
        pairs,
    })
}
