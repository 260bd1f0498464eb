//! The report of a table: printed and measured results, and what follows from them.

use super::homogeneity::p_of_lead;
use super::result::{
    Conclusion, Measurement, ReductionReport, RowReport, RowSettings, Standing, TableReport,
    Verdict,
};
use super::table::{Contestant, ENOUGH_GAMES, PaperTable, Printed, Quantity, Reduction, Row, Test};
use tictune_core::stats::{SIGNIFICANCE, Tally, holm};

/// Compares a table with what has been measured of its rows so far, which come with their numbers from 1.
pub(super) fn report(
    command: &str,
    table: &PaperTable,
    played: Vec<(usize, &RowSettings, &Measurement)>,
) -> TableReport {
    let reported = |(number, settings, measurement)| {
        row_report(number, &table.rows[number - 1], settings, measurement, table.test)
    };
    let mut rows: Vec<RowReport> = played.into_iter().map(reported).collect();
    let p_values: Vec<f64> = rows.iter().filter_map(|row| row.homogeneity_p).collect();
    let printed = rows.iter_mut().filter(|row| row.homogeneity_p.is_some());
    for (row, p) in printed.zip(holm(&p_values)) {
        row.homogeneity_p_of_table = Some(p);
    }
    let all_played = rows.len() == table.rows.len();
    let sweep = table.best.as_ref().filter(|_| all_played).and_then(|best| sweep(best, &rows));
    let standings = standings(table, &rows);
    TableReport {
        command: command.into(),
        document: table.document.clone(),
        table: table.name.clone(),
        title: table.title.clone(),
        test: table.test,
        rows,
        sweep,
        reductions: table.reductions.iter().filter_map(|one| reduced(one, &standings)).collect(),
        standings,
        choices: table.choices.clone(),
        figure: table.figure.clone(),
        drawn: table.drawn.clone(),
    }
}

fn row_report(
    number: usize,
    row: &Row,
    settings: &RowSettings,
    measurement: &Measurement,
    test: Test,
) -> RowReport {
    let measured = &measurement.measured;
    let homogeneity_p = row.printed.map(|printed| printed.homogeneity(measured));
    let test = row.test.unwrap_or(test);
    let conclusion = row.claim.map(|claim| Conclusion {
        claimed: claim.to_string(),
        measured: test.stronger(measured).to_string(),
        verdict: Verdict::of(claim, test.stronger(measured), measured.games()),
    });
    RowReport {
        row: number,
        value: row.value.clone(),
        names: row.names(),
        settings: settings.clone(),
        printed: row.printed,
        printed_milliseconds: row.milliseconds,
        test: row.test,
        measurement: measurement.clone(),
        printed_p: row.printed.and_then(|printed| test.p_value(&printed.tally())),
        measured_p: test.p_value(measured),
        two_sided_p: test.two_sided_p(measured),
        homogeneity_p,
        homogeneity_p_of_table: homogeneity_p,
        agrees: homogeneity_p.map(|p| p >= SIGNIFICANCE),
        conclusion,
    }
}

/// Tests the value that a document calls best: is it significantly worse than the value that is best here? The latter was
/// chosen among several and is partly best by chance, so that the p-value of its lead is multiplied by their number
/// (Bonferroni). If no value is significantly worse, the sweep shows nothing. The p-values are approximations for many games.
fn sweep(best: &str, rows: &[RowReport]) -> Option<Conclusion> {
    let of_best = rows.iter().find(|row| row.value.as_deref() == Some(best))?;
    let score = |row: &RowReport| row.measurement.measured.score();
    let highest = rows.iter().max_by(|a, b| score(a).total_cmp(&score(b)))?;
    let lead_over = |row: &RowReport| {
        let p = p_of_lead(&highest.measurement.measured, &row.measurement.measured);
        (p * (rows.len() - 1) as f64).min(1.0)
    };
    let value = |row: &RowReport| row.value.clone().unwrap_or_default();
    let others = rows.iter().filter(|row| row.row != highest.row);
    let as_good: Vec<String> =
        others.filter(|row| lead_over(row) >= SIGNIFICANCE).map(value).collect();
    let games = |row: &RowReport| row.measurement.measured.games();
    let verdict = if rows.iter().any(|row| games(row) < ENOUGH_GAMES) {
        Verdict::TooFewGames
    } else if of_best.row != highest.row && lead_over(of_best) < SIGNIFICANCE {
        Verdict::Contradicted
    } else if as_good.len() + 1 == rows.len() {
        Verdict::NotShown
    } else if of_best.row != highest.row {
        Verdict::NotContradicted
    } else {
        Verdict::Holds
    };
    let mut measured = format!("{} is best with {:.1} %", value(highest), 100.0 * score(highest));
    if of_best.row != highest.row {
        let p = lead_over(of_best);
        measured += &format!("; {best} has {:.1} % (p = {p:.3})", 100.0 * score(of_best));
    }
    measured += "; not shown to be worse: ";
    measured += &if as_good.is_empty() { "no other".into() } else { as_good.join(", ") };
    Some(Conclusion { claimed: format!("{best} is best"), measured, verdict })
}

/// The printed and measured results of every player, in the order of the table; none until all rows are played.
fn standings(table: &PaperTable, rows: &[RowReport]) -> Vec<Standing> {
    if rows.len() < table.rows.len() {
        return Vec::new();
    }
    let standing = |(number, player): (usize, &Contestant)| {
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
    };
    table.players.iter().enumerate().map(standing).collect()
}

/// A reduction of the table, computed from its standings.
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

#[cfg(test)]
mod tests {
    use super::super::table::TableWinner;
    use super::*;

    #[test]
    fn verdicts() {
        use TableWinner::{A, B, None};
        use Verdict::{Contradicted, Holds, NotShown, TooFewGames};
        for (claimed, measured, games, expected) in [
            (A, A, 6, Holds),
            (None, None, ENOUGH_GAMES, Holds),
            (None, None, ENOUGH_GAMES - 1, TooFewGames),
            (A, None, 6, NotShown),
            (B, None, 6, NotShown),
            (A, B, 6, Contradicted),
            (None, B, 6, Contradicted),
        ] {
            assert_eq!(Verdict::of(claimed, measured, games), expected, "{claimed} {measured}");
        }
    }

    #[test]
    fn two_wins_of_two_show_nothing() {
        let stronger = |wins, losses, draws| {
            let tally = Tally { wins, draws, losses };
            [Test::OneSided, Test::TwoSided, Test::ChiSquared].map(|test| test.stronger(&tally))
        };
        assert_eq!(stronger(0, 2, 0), [TableWinner::None; 3]);
        assert_eq!(stronger(5, 0, 0), [TableWinner::None; 3]);
        assert_eq!(stronger(0, 6, 0), [TableWinner::B; 3]);
        // Draws count in Lifshitz's tests only.
        assert_eq!(stronger(6, 0, 94), [TableWinner::A, TableWinner::None, TableWinner::None]);
    }

    /// A sweep whose rows won this many games of 1000.
    fn rows(wins: &[u64]) -> Vec<RowReport> {
        let report = |(index, &wins): (usize, &u64)| {
            let row = Row { value: Some(format!("v{index}")), ..Row::default() };
            let measured = Tally { wins, draws: 0, losses: 1000 - wins };
            let measurement = Measurement { measured, ..Measurement::default() };
            row_report(index + 1, &row, &RowSettings::default(), &measurement, Test::OneSided)
        };
        wins.iter().enumerate().map(report).collect()
    }

    #[test]
    fn the_best_of_a_sweep_need_not_lead_but_must_not_be_behind() {
        let three = |best: &str| sweep(best, &rows(&[500, 600, 590])).unwrap();
        let leads = "v1 is best with 60.0 %; not shown to be worse: v2";
        assert_eq!((three("v1").verdict, &*three("v1").measured), (Verdict::Holds, leads));
        assert_eq!(three("v2").verdict, Verdict::NotContradicted);
        assert_eq!(three("v0").verdict, Verdict::Contradicted);
        assert!(three("v0").measured.contains("v0 has 50.0 % (p = 0.000)"));
        // A few games show nothing, however clear they are.
        let mut few = rows(&[0, 1000]);
        few[0].measurement.measured = Tally { wins: 0, draws: 0, losses: 20 };
        few[1].measurement.measured = Tally { wins: 20, draws: 0, losses: 0 };
        assert_eq!(sweep("v0", &few).unwrap().verdict, Verdict::TooFewGames);
        // 5 % for one comparison is not 5 % for eight: a lead of 40 in 1000 has p = 0.035.
        assert_eq!(sweep("v0", &rows(&[560, 600])).unwrap().verdict, Verdict::Contradicted);
        let eight = rows(&[560, 600, 560, 560, 560, 560, 560, 560]);
        let verdicts = ["v0", "v1"].map(|best| sweep(best, &eight).unwrap().verdict);
        assert_eq!(verdicts, [Verdict::NotShown; 2]);
    }
}
