//! A page of all tables of the papers: what was printed and what was measured, row by row.

use minijinja::context;
use serde::Serialize;

use super::layout::written;
use super::result_of;
use crate::papers::reproduce::{
    Conclusion, ENOUGH_GAMES, PaperTable, Printed, RowReport, TableReport,
};
use crate::stats::{SIGNIFICANCE, Tally, holm};

/// A row of a table, a player of a round robin, or what a table of several values concludes.
#[derive(Default, Serialize)]
struct ReportRow<'r> {
    /// What `tictune reproduce` is given to repeat it.
    arguments: String,
    players: String,
    conclusion: Option<&'r Conclusion>,
    printed: String,
    measured: String,
    /// The p-value of the printed and the measured result, and the same corrected for the table (Holm).
    p: Option<[f64; 2]>,
    differs: String,
    /// Whether it has too few games to agree, whatever they say.
    is_short: bool,
    /// Whether it repeats a match that the paper printed before, which counts once.
    is_repeated: bool,
}

/// The page in Markdown, from tables and their results. Tables of one paper follow each other.
pub(crate) fn papers_page(results: &[(PaperTable, TableReport)]) -> String {
    let of_paper = |tables: &[(PaperTable, TableReport)]| {
        let mut lines: Vec<ReportRow<'_>> = Vec::new();
        for mut line in tables.iter().flat_map(lines_of) {
            let result = |of: &ReportRow<'_>| (of.players.clone(), of.printed.clone());
            let before = lines.iter().find(|before| result(before) == result(&line));
            if let Some(before) = before.filter(|_| !line.printed.is_empty()) {
                line.differs = format!("the same match as {}, counted there", before.arguments);
                line.is_repeated = true;
            }
            lines.push(line);
        }
        let counted = || lines.iter().filter(|line| !line.is_repeated);
        let agree = |index: usize| {
            let enough = counted().filter(|line| !line.is_short);
            let p_values = enough.filter_map(|line| Some(line.p?[index]));
            p_values.filter(|p| *p >= SIGNIFICANCE).count()
        };
        let printed = || counted().filter(|line| line.p.is_some());
        let counts = [printed().count(), agree(0), agree(1)];
        let short = printed().filter(|line| line.is_short).count();
        context! { name => tables[0].1.document, counts, short, enough => ENOUGH_GAMES, lines }
    };
    let papers = results.chunk_by(|(_, one), (_, next)| one.document == next.document);
    let papers: Vec<_> = papers.map(of_paper).collect();
    written(None, include_str!("templates/papers.md"), context! { papers })
}

fn lines_of((table, report): &(PaperTable, TableReport)) -> Vec<ReportRow<'_>> {
    let rows = report.rows.iter().filter(|row| row.printed.is_some() || row.conclusion.is_some());
    let rows = rows.map(|row| of_row(table, report, row));
    let tested = report.standings.iter().filter_map(|one| Some((one, one.homogeneity_p?)));
    let p_values: Vec<f64> = tested.clone().map(|(_, p)| p).collect();
    let players = tested.zip(holm(&p_values)).map(|((one, p), p_of_table)| ReportRow {
        arguments: report.table.clone(),
        players: one.name.clone(),
        printed: one.printed.map_or_else(String::new, percent),
        measured: percent(one.measured.score()),
        p: Some([p, p_of_table]),
        differs: table.differs.clone().filter(|_| p < SIGNIFICANCE).unwrap_or_default(),
        is_short: one.measured.games() < ENOUGH_GAMES,
        ..ReportRow::default()
    });
    let sweep = report.sweep.iter().map(|sweep| ReportRow {
        arguments: report.table.clone(),
        conclusion: Some(sweep),
        measured: sweep.measured.clone(),
        ..ReportRow::default()
    });
    rows.chain(players).chain(sweep).collect()
}

fn of_row<'r>(table: &PaperTable, report: &TableReport, row: &'r RowReport) -> ReportRow<'r> {
    let [a, b] = &row.names;
    let value = row.value.as_ref().map_or_else(String::new, |value| format!(", {value}"));
    let measured: &Tally = &row.measurement.measured;
    let (printed, measured) = match row.printed {
        Some(Printed::Score { score, .. }) => (percent(score), percent(measured.score())),
        Some(Printed::Counts(printed)) => (result_of(&printed), result_of(measured)),
        None => (String::new(), result_of(measured)),
    };
    let why = table.rows[row.row - 1].differs.as_ref().or(table.differs.as_ref());
    let why = why.filter(|_| row.agrees == Some(false));
    ReportRow {
        arguments: format!("{} --rows {}", report.table, row.row),
        players: format!("{a}{value} : {b}"),
        conclusion: row.conclusion.as_ref(),
        printed,
        measured,
        p: row.homogeneity_p.zip(row.homogeneity_p_of_table).map(<[f64; 2]>::from),
        differs: why.cloned().unwrap_or_default(),
        is_short: row.measurement.measured.games() < ENOUGH_GAMES,
        is_repeated: false,
    }
}

fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}
