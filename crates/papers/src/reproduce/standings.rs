//! The standings of a round robin.

use super::measurement::Measurement;
use super::result::{ReductionReport, RowReport, Standing};
use super::table::{Contestant, Printed, Quantity, Reduction, Table};
use tictune_core::stats::Tally;

/// The printed and measured results of every player, in the order of the table; none until all rows are played.
pub(super) fn standings(table: &Table, rows: &[RowReport]) -> Vec<Standing> {
    if rows.len() < table.rows.len() {
        return Vec::new();
    }
    let standing = |(number, player)| standing(number, player, table, rows);
    table.players.iter().enumerate().map(standing).collect()
}

fn standing(number: usize, player: &Contestant, table: &Table, rows: &[RowReport]) -> Standing {
    let own = rows.iter().filter_map(|row| {
        let players = table.rows[row.row - 1].players?;
        Some((players.iter().position(|&player| player == number)?, &row.measurement))
    });
    let own: Vec<(usize, &Measurement)> = own.collect();
    let tallies = own.iter().map(|&(side, row)| match side {
        0 => row.measured,
        _ => row.measured.reversed(),
    });
    let measured = tallies.fold(Tally::default(), |sum, tally| sum.plus(&tally));
    // All rows have the same number of games, so means over rows are close to means over moves.
    let mean = |of: fn(&Measurement) -> [f64; 2]| {
        own.iter().map(|&(side, row)| of(row)[side]).sum::<f64>() / own.len().max(1) as f64
    };
    let games = own.len() as u64 * table.games;
    let printed = player.score.map(|score| Printed::Score { score, games });
    Standing {
        name: player.name.clone(),
        printed: player.score,
        measured,
        homogeneity_p: printed.map(|printed| printed.homogeneity(&measured)),
        printed_milliseconds: player.milliseconds,
        milliseconds: mean(|row| row.milliseconds_per_move),
        work: mean(|row| row.work_per_move),
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
