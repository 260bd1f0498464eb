//! Printed and measured results side by side.

use super::{repeated_games, table};
use crate::papers::reproduce::{
    ENOUGH_GAMES, Printed, Report, RowReport, Standing, Test, Verdict, chi_squared_yates,
};
use crate::stats::{Tally, p_equals, p_in_words};

/// A result as the thesis prints it: wins of A1, wins of A2, ties.
pub(crate) fn result_of(tally: &Tally) -> String {
    format!("{}:{}:{}", tally.wins, tally.losses, tally.draws)
}

/// A table of a document beside what was measured, and what of its conclusions holds.
pub(crate) fn reproduced_table(report: &Report) -> String {
    let mut text = format!("{}, Table {}: {}\n", report.document, report.table, report.title);
    if !report.standings.is_empty() {
        text += &standings(report);
    } else if report.rows.iter().any(|row| row.printed.is_some()) {
        text += &results(report);
    }
    text += &costs(report);
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

/// Printed and measured results of matches.
fn results(report: &Report) -> String {
    let row = |row: &RowReport| {
        let percent = |score: f64| format!("{:.1} %", 100.0 * score);
        vec![
            row.row.to_string(),
            first_name(row),
            row.names[1].clone(),
            row.printed.map_or(String::new(), |printed| match printed {
                Printed::Counts(tally) => result_of(&tally),
                Printed::Score { games, .. } => format!("of {games}"),
            }),
            result_of(&row.measurement.measured),
            row.printed.map_or(String::new(), |printed| percent(printed.score())),
            percent(row.measurement.measured.score()),
            p_in_words(row.printed_p),
            p_in_words(row.two_sided_p),
            p_in_words(row.homogeneity_p),
            row.agrees.map_or("", |agrees| agreement(agrees, row.has_enough_games())).into(),
            row.measurement.distinct_games.to_string(),
        ]
    };
    let heads = [
        "row",
        "A1",
        "A2",
        "printed A1:A2:ties",
        "measured",
        "A1's score printed",
        "measured",
        head_of_p(report.test),
        "two-sided p",
        "p (same)",
        "same?",
        "distinct",
    ];
    table(&heads, report.rows.iter().map(row))
}

/// The players of a round robin, and what is said of groups of them.
fn standings(report: &Report) -> String {
    let number = |number: Option<f64>| number.map_or(String::new(), |x| format!("{x:.3}"));
    let percent = |score: f64| format!("{:.2} %", 100.0 * score);
    let row = |standing: &Standing| {
        vec![
            standing.name.clone(),
            standing.printed.map_or(String::new(), percent),
            percent(standing.measured.score()),
            result_of(&standing.measured),
            p_in_words(standing.homogeneity_p),
            agreement(standing.agrees(), standing.has_enough_games()).into(),
            number(standing.printed_milliseconds),
            format!("{:.5}", standing.milliseconds),
            format!("{:.1}", standing.work),
        ]
    };
    let heads = [
        "agent",
        "printed",
        "measured",
        "won:lost:tied",
        "p (same)",
        "same?",
        "printed ms",
        "measured ms",
        "positions a move",
    ];
    let mut text = table(&heads, report.standings.iter().map(row));
    for reduction in &report.reductions {
        let pairs: Vec<String> = reduction
            .pairs
            .iter()
            .map(|(pair, share)| format!("{pair}: {}", percent(*share)))
            .collect();
        text += &format!(
            "{}: printed {}, measured {} ({})\n",
            reduction.name,
            reduction.printed.map_or_else(|| "without a number".into(), percent),
            percent(reduction.measured),
            pairs.join(", ")
        );
    }
    text
}

/// What moves cost, for rows with printed times and for sweeps that were not printed in numbers.
fn costs(report: &Report) -> String {
    let shown = |row: &&RowReport| {
        row.printed_milliseconds.is_some()
            || row.measurement.equal_time.is_some()
            || row.printed.is_none() && report.standings.is_empty()
    };
    let rows: Vec<&RowReport> = report.rows.iter().filter(shown).collect();
    if rows.is_empty() {
        return String::new();
    }
    let row = |row: &&RowReport| {
        let (ms, work) = (row.measurement.milliseconds_per_move, row.measurement.work_per_move);
        let ratio = |[a, b]: [f64; 2]| format!("{:.2}", a / b);
        let each = |side: usize| match work[side] {
            // Agents that count nothing.
            0.0 => "-".into(),
            work => format!("{:.3}", 1e3 * ms[side] / work),
        };
        vec![
            row.row.to_string(),
            first_name(row),
            row.names[1].clone(),
            format!("{:.1} %", 100.0 * row.measurement.measured.score()),
            row.printed_milliseconds.map_or(String::new(), |[a, b]| format!("{a} : {b}")),
            row.printed_milliseconds.map_or(String::new(), ratio),
            format!("{:.5} : {:.5}", ms[0], ms[1]),
            ratio(ms),
            format!("{:.1} : {:.1}", work[0], work[1]),
            format!("{} : {}", each(0), each(1)),
        ]
    };
    let heads = [
        "row",
        "A1",
        "A2",
        "A1's score",
        "printed ms",
        "ratio",
        "measured ms a move",
        "ratio",
        "positions or iterations a move",
        "microseconds each",
    ];
    table(&heads, rows.iter().map(row))
}

/// What is to be said of a row.
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
    if !report.standings.is_empty() {
        let agree = |standing: &&Standing| standing.agrees() && standing.has_enough_games();
        let few = report.standings.iter().filter(|standing| !standing.has_enough_games()).count();
        return format!(
            "{} of {} agents agree with what was printed (test of homogeneity, p >= 0.05){}\n",
            report.standings.iter().filter(agree).count(),
            report.standings.len(),
            too_few(few, "agents")
        );
    }
    let printed = report.rows.iter().filter(|row| row.printed.is_some()).count();
    if printed == 0 {
        return "printed without numbers: nothing to compare with\n".into();
    }
    let rows =
        |keep: &dyn Fn(&RowReport) -> bool| report.rows.iter().filter(|row| keep(row)).count();
    let conclusions: Vec<_> =
        report.rows.iter().filter_map(|row| row.conclusion.as_ref()).chain(&report.sweep).collect();
    let verdicts =
        |verdict| conclusions.iter().filter(|conclusion| conclusion.verdict == verdict).count();
    let untested = match verdicts(Verdict::TooFewGames) {
        0 => String::new(),
        count => format!(", {count} not tested with so few games"),
    };
    format!(
        "{} of {printed} rows agree with what was printed (test of homogeneity, p >= 0.05), {} with \
         Holm's correction for so many tests; {} conclusions: {} hold, {} not shown, {} contradicted{untested}{}\n",
        rows(&|row| row.agrees == Some(true) && row.has_enough_games()),
        rows(&|row| row.agrees_in_table() && row.has_enough_games()),
        conclusions.len(),
        verdicts(Verdict::Holds),
        verdicts(Verdict::NotShown),
        verdicts(Verdict::Contradicted),
        too_few(rows(&|row| row.printed.is_some() && !row.has_enough_games()), "rows")
    )
}

/// How many rows or agents have too few games for a comparison, at the end of a sentence.
fn too_few(count: usize, what: &str) -> String {
    match count {
        0 => String::new(),
        _ => format!("; {count} {what} have fewer than {ENOUGH_GAMES} games, too few to agree"),
    }
}

const fn in_words(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Holds => "holds here",
        Verdict::NotShown => "is not shown here",
        Verdict::Contradicted => "does not hold here",
        Verdict::TooFewGames => "is not tested by so few games",
    }
}
