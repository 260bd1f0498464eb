//! Printed and measured results side by side.

use super::{p_value, repeated_games, table};
use crate::reproduce::{Report, RowReport, Winner};
use crate::stats::Tally;

/// A result as the thesis prints it: wins of A1, wins of A2, ties.
#[must_use]
pub fn result_of(tally: &Tally) -> String {
    format!("{}:{}:{}", tally.wins, tally.losses, tally.draws)
}

/// A table of a document beside what was measured, and what of its conclusions holds.
#[must_use]
pub fn reproduced_table(report: &Report) -> String {
    let row = |row: &RowReport| {
        let mut a1 = row.names[0].clone();
        if let Some(value) = &row.value {
            a1 += &format!(", {value}");
        }
        vec![
            row.row.to_string(),
            a1,
            row.names[1].clone(),
            result_of(&row.printed),
            result_of(&row.measured),
            format!("{:.1} %", 100.0 * row.printed.score()),
            format!("{:.1} %", 100.0 * row.measured.score()),
            p_value(row.printed_p),
            p_value(row.measured_p),
            p_value(Some(row.homogeneity_p)),
            if row.agrees { "agrees" } else { "differs" }.into(),
        ]
    };
    let heads = [
        "row",
        "A1",
        "A2",
        "printed A1:A2:ties",
        "measured",
        "A1's score",
        "measured",
        "A2's p",
        "measured",
        "same?",
        "",
    ];
    let mut text = format!("{}, Table {}: {}\n", report.document, report.table, report.title);
    text += &table(&heads, report.rows.iter().map(row));
    for row in &report.rows {
        if let Some(conclusion) = &row.conclusion {
            let verdict = match conclusion.holds {
                true => "holds here",
                false if conclusion.measured == Winner::None.to_string() => "is not shown here",
                false => "does not hold here",
            };
            text += &format!(
                "row {}: \"{}\" {verdict}: {} (A2's p = {}, n = {})\n",
                row.row,
                conclusion.claimed,
                conclusion.measured,
                p_value(row.measured_p),
                row.measured.games()
            );
        }
    }
    if let Some(sweep) = &report.sweep {
        let verdict = if sweep.holds { "holds" } else { "does not hold" };
        text += &format!("\"{}\" {verdict} here: {}\n", sweep.claimed, sweep.measured);
    }
    let agree = report.rows.iter().filter(|row| row.agrees).count();
    let conclusions =
        || report.rows.iter().filter_map(|row| row.conclusion.as_ref()).chain(&report.sweep);
    text += &format!(
        "{agree} of {} rows agree with what was printed (test of homogeneity, p >= 0.05); {} of {} \
         conclusions hold\n",
        report.rows.len(),
        conclusions().filter(|conclusion| conclusion.holds).count(),
        conclusions().count()
    );
    let distinct = report.rows.iter().map(|row| row.distinct_games).sum();
    let games = report.rows.iter().map(|row| row.measured.games()).sum();
    text + &repeated_games(distinct, games)
}
