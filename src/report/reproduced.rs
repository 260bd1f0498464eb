//! Printed and measured results side by side.

use super::{p_value, repeated_games, table};
use crate::reproduce::{Report, RowReport, Test, Verdict};
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
            result_of(&row.measurement.measured),
            format!("{:.1} %", 100.0 * row.printed.score()),
            format!("{:.1} %", 100.0 * row.measurement.measured.score()),
            p_value(row.printed_p),
            p_value(row.measured_p),
            p_value(Some(row.homogeneity_p)),
            if row.agrees { "agrees" } else { "differs" }.into(),
            row.measurement.distinct_games.to_string(),
        ]
    };
    let p_head = match report.test {
        Test::OneSided => "A2's p",
        Test::TwoSided => "p",
    };
    let heads = [
        "row",
        "A1",
        "A2",
        "printed A1:A2:ties",
        "measured",
        "A1's score",
        "measured",
        p_head,
        "measured",
        "same?",
        "",
        "distinct",
    ];
    let mut text = format!("{}, Table {}: {}\n", report.document, report.table, report.title);
    text += &table(&heads, report.rows.iter().map(row));
    for row in &report.rows {
        let measurement = &row.measurement;
        if let Some(conclusion) = &row.conclusion {
            text += &format!(
                "row {}: \"{}\" {}: {} ({p_head} = {}, n = {})\n",
                row.row,
                conclusion.claimed,
                in_words(conclusion.verdict),
                conclusion.measured,
                p_value(row.measured_p),
                measurement.measured.games()
            );
        }
        for (name, side) in [("A1", 0), ("A2", 1)] {
            let (timeouts, errors) = (measurement.timeouts[side], measurement.errors[side]);
            if timeouts + errors > 0 {
                text += &format!(
                    "row {}: {name} forfeited {timeouts} games on time and {errors} for other reasons\n",
                    row.row
                );
            }
        }
    }
    if let Some(sweep) = &report.sweep {
        let verdict = in_words(sweep.verdict);
        text += &format!("\"{}\" {verdict}: {}\n", sweep.claimed, sweep.measured);
    }
    let rows =
        |keep: &dyn Fn(&RowReport) -> bool| report.rows.iter().filter(|row| keep(row)).count();
    let conclusions: Vec<_> =
        report.rows.iter().filter_map(|row| row.conclusion.as_ref()).chain(&report.sweep).collect();
    let verdicts =
        |verdict| conclusions.iter().filter(|conclusion| conclusion.verdict == verdict).count();
    text += &format!(
        "{} of {} rows agree with what was printed (test of homogeneity, p >= 0.05), {} with Holm's \
         correction for so many tests; {} conclusions: {} hold, {} not shown, {} contradicted\n",
        rows(&|row| row.agrees),
        report.rows.len(),
        rows(&RowReport::agrees_in_table),
        conclusions.len(),
        verdicts(Verdict::Holds),
        verdicts(Verdict::NotShown),
        verdicts(Verdict::Contradicted)
    );
    let distinct = report.rows.iter().map(|row| row.measurement.distinct_games).sum();
    let games = report.rows.iter().map(|row| row.measurement.measured.games()).sum();
    text + &repeated_games(distinct, games)
}

const fn in_words(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Holds => "holds here",
        Verdict::NotShown => "is not shown here",
        Verdict::Contradicted => "does not hold here",
    }
}
