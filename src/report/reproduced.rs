//! Printed and measured results side by side.

use super::layout::{Width, columns};
use super::{percent, repeated_games};
use crate::papers::reproduce::{
    ENOUGH_GAMES, Printed, Report, RowReport, Standing, Test, Verdict, chi_squared_yates,
};
use crate::stats::{Tally, p_equals, p_in_words};

/// A result as the thesis prints it: wins of A1, wins of A2, ties.
pub(crate) fn result_of(tally: &Tally) -> String {
    format!("{}:{}:{}", tally.wins, tally.losses, tally.draws)
}

/// A table of a document beside what was measured, and what of its conclusions holds.
pub(crate) fn reproduced_table(width: Width, report: &Report) -> String {
    let mut text = format!("{}, Table {}: {}\n", report.document, report.table, report.title);
    if !report.standings.is_empty() {
        text += &standings(width, report);
    } else if report.rows.iter().any(|row| row.printed.is_some()) {
        text += &results(width, report);
    }
    text += &costs(width, report);
    for row in &report.rows {
        text += &remarks(row, report.test);
    }
    if let Some(sweep) = &report.sweep {
        let verdict = in_words(sweep.verdict);
        text += &format!("\"{}\" {verdict}: {}\n", sweep.claimed, sweep.measured);
    }
    for choice in &report.choices {
        text += &format!("choice: {choice}\n");
    }
    text += &summary(report);
    let distinct = report.rows.iter().map(|row| row.measurement.distinct_games).sum();
    let games = report.rows.iter().map(|row| row.measurement.measured.games()).sum();
    text + &repeated_games(distinct, games)
}

/// The name of the p-value that a document prints. Liang's is that of A2's wins, strictly.
const fn head_of_p(test: Test) -> &'static str {
    match test {
        Test::OneSided => "Liang's p of A2",
        Test::TwoSided => "its p",
        Test::ChiSquared => "its chi-squared p",
    }
}

/// Whether printed and measured results agree, in a word. Few games agree with everything.
const fn agreement(agrees: bool, enough_games: bool) -> &'static str {
    match (agrees, enough_games) {
        (true, true) => "agrees",
        (true, false) => "too few games",
        (false, _) => "differs",
    }
}

fn first_name(row: &RowReport) -> String {
    match &row.value {
        Some(value) => format!("{}, {value}", row.names[0]),
        None => row.names[0].clone(),
    }
}

fn results(width: Width, report: &Report) -> String {
    columns(
        width,
        &report.rows,
        &[
            ("row", &|row| row.row.to_string()),
            ("A1", &|row| first_name(row)),
            ("A2", &|row| row.names[1].clone()),
            ("printed A1:A2:ties", &|row| match row.printed {
                None => String::new(),
                Some(Printed::Counts(tally)) => result_of(&tally),
                Some(Printed::Score { games, .. }) => format!("of {games}"),
            }),
            ("measured", &|row| result_of(&row.measurement.measured)),
            ("A1's score printed", &|row| {
                row.printed.map_or(String::new(), |printed| percent(printed.score()))
            }),
            ("measured", &|row| percent(row.measurement.measured.score())),
            (head_of_p(report.test), &|row| p_in_words(row.printed_p)),
            ("two-sided p", &|row| p_in_words(row.two_sided_p)),
            ("p (same)", &|row| p_in_words(row.homogeneity_p)),
            ("same?", &|row| {
                row.agrees.map_or("", |agrees| agreement(agrees, row.has_enough_games())).into()
            }),
            ("distinct", &|row| row.measurement.distinct_games.to_string()),
        ],
    )
}

/// The players of a round robin, and what is said of groups of them.
fn standings(width: Width, report: &Report) -> String {
    let percent = |score: f64| format!("{:.2} %", 100.0 * score);
    let mut text = columns(
        width,
        &report.standings,
        &[
            ("agent", &|standing| standing.name.clone()),
            ("printed", &|standing| standing.printed.map_or(String::new(), percent)),
            ("measured", &|standing| percent(standing.measured.score())),
            ("won:lost:tied", &|standing| result_of(&standing.measured)),
            ("p (same)", &|standing| p_in_words(standing.homogeneity_p)),
            ("same?", &|standing| agreement(standing.agrees(), standing.has_enough_games()).into()),
            ("printed ms", &|standing| {
                standing.printed_milliseconds.map_or(String::new(), |time| format!("{time:.3}"))
            }),
            ("measured ms", &|standing| format!("{:.5}", standing.milliseconds)),
            ("positions a move", &|standing| format!("{:.1}", standing.work)),
        ],
    );
    for reduction in &report.reductions {
        let pair = |(pair, share): &(String, f64)| format!("{pair}: {}", percent(*share));
        text += &format!(
            "{}: printed {}, measured {} ({})\n",
            reduction.name,
            reduction.printed.map_or_else(|| "without a number".into(), percent),
            percent(reduction.measured),
            reduction.pairs.iter().map(pair).collect::<Vec<_>>().join(", ")
        );
    }
    text
}

/// What moves cost, for rows with printed times and for sweeps that were not printed in numbers.
fn costs(width: Width, report: &Report) -> String {
    let shown = |row: &&RowReport| {
        row.printed_milliseconds.is_some()
            || row.measurement.equal_time.is_some()
            || row.printed.is_none() && report.standings.is_empty()
    };
    let rows: Vec<&RowReport> = report.rows.iter().filter(shown).collect();
    if rows.is_empty() {
        return String::new();
    }
    let ratio = |[a, b]: [f64; 2]| format!("{:.2}", a / b);
    columns(
        width,
        rows,
        &[
            ("row", &|row| row.row.to_string()),
            ("A1", &|row| first_name(row)),
            ("A2", &|row| row.names[1].clone()),
            ("A1's score", &|row| percent(row.measurement.measured.score())),
            ("printed ms", &|row| {
                row.printed_milliseconds.map_or(String::new(), |[a, b]| format!("{a} : {b}"))
            }),
            ("ratio", &|row| row.printed_milliseconds.map_or(String::new(), ratio)),
            ("measured ms a move", &|row| {
                let [a, b] = row.measurement.milliseconds_per_move;
                format!("{a:.5} : {b:.5}")
            }),
            ("ratio", &|row| ratio(row.measurement.milliseconds_per_move)),
            ("positions or iterations a move", &|row| {
                let [a, b] = row.measurement.work_per_move;
                format!("{a:.1} : {b:.1}")
            }),
            ("microseconds each", &|row| {
                let time = row.measurement.milliseconds_per_move;
                let each = |side: usize| match row.measurement.work_per_move[side] {
                    // Agents that count nothing.
                    0.0 => "-".into(),
                    work => format!("{:.3}", 1e3 * time[side] / work),
                };
                format!("{} : {}", each(0), each(1))
            }),
        ],
    )
}

fn remarks(row: &RowReport, test: Test) -> String {
    let measurement = &row.measurement;
    let mut text = String::new();
    if let Some(conclusion) = &row.conclusion {
        let test = row.test.unwrap_or(test);
        text += &format!(
            "row {}: \"{}\" {}: {} (two-sided {}, {}{})\n",
            row.row,
            conclusion.claimed,
            in_words(conclusion.verdict),
            conclusion.measured,
            row.two_sided_p.map_or_else(|| "p none".into(), p_equals),
            test.counted_games(&measurement.measured),
            chi_squared(row, test)
        );
    }
    if let Some([a, b]) = measurement.milliseconds_deviation {
        text += &format!(
            "row {}: the times of single moves have standard deviations of {a:.4} ms (A1) and {b:.4} ms (A2)\n",
            row.row
        );
    }
    if let Some(milliseconds) = measurement.equal_time {
        text += &format!(
            "row {}: equal time is {milliseconds:.4} ms a move, measured against a random player\n",
            row.row
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
    text
}

/// The statistic of Lifshitz's test of agents that should be alike, measured and printed.
fn chi_squared(row: &RowReport, test: Test) -> String {
    if test != Test::ChiSquared {
        return String::new();
    }
    let statistic = |tally: &Tally| {
        chi_squared_yates(tally).map_or_else(|| "none".into(), |(value, _)| format!("{value:.3}"))
    };
    let printed = row.printed.map_or_else(|| "none".into(), |printed| statistic(&printed.tally()));
    format!(
        "; Pearson's two-sample chi-squared with Yates's correction, the report's method: {}, printed {printed}",
        statistic(&row.measurement.measured)
    )
}

/// How much agrees, and how many conclusions hold.
fn summary(report: &Report) -> String {
    let too_few = |count: usize, what: &str| match count {
        0 => String::new(),
        _ => format!("; {count} {what} have fewer than {ENOUGH_GAMES} games, too few to agree"),
    };
    if !report.standings.is_empty() {
        let (enough, few): (Vec<&Standing>, Vec<_>) =
            report.standings.iter().partition(|standing| standing.has_enough_games());
        return format!(
            "{} of {} agents agree with what was printed (test of homogeneity, p >= 0.05){}\n",
            enough.iter().filter(|standing| standing.agrees()).count(),
            report.standings.len(),
            too_few(few.len(), "agents")
        );
    }
    let printed = report.rows.iter().filter(|row| row.printed.is_some());
    let (enough, few): (Vec<&RowReport>, Vec<_>) = printed.partition(|row| row.has_enough_games());
    if enough.is_empty() && few.is_empty() {
        return "printed without numbers: nothing to compare with\n".into();
    }
    let conclusions = report.rows.iter().filter_map(|row| row.conclusion.as_ref());
    let verdicts: Vec<Verdict> =
        conclusions.chain(&report.sweep).map(|conclusion| conclusion.verdict).collect();
    let count = |verdict| verdicts.iter().filter(|other| **other == verdict).count();
    let untested = match count(Verdict::TooFewGames) {
        0 => String::new(),
        count => format!(", {count} not tested with so few games"),
    };
    format!(
        "{} of {} rows agree with what was printed (test of homogeneity, p >= 0.05), {} with \
         Holm's correction for so many tests; {} conclusions: {} hold, {} not shown, {} contradicted{untested}{}\n",
        enough.iter().filter(|row| row.agrees == Some(true)).count(),
        enough.len() + few.len(),
        enough.iter().filter(|row| row.agrees_in_table()).count(),
        verdicts.len(),
        count(Verdict::Holds),
        count(Verdict::NotShown),
        count(Verdict::Contradicted),
        too_few(few.len(), "rows")
    )
}

const fn in_words(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Holds => "holds here",
        Verdict::NotShown => "is not shown here",
        Verdict::Contradicted => "does not hold here",
        Verdict::TooFewGames => "is not tested by so few games",
    }
}
