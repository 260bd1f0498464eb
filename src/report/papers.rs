//! A page of all tables of the papers: what was printed and what was measured, row by row.

use minijinja::context;
use serde::Serialize;

use super::layout::written;
use crate::papers::reproduce::{Conclusion, Printed, Report, RowReport, Table, Verdict};
use crate::stats::{SIGNIFICANCE, Tally, holm, p_in_words};

/// A paper with its lines, and how many of them agree.
#[derive(Default, Serialize)]
struct Paper {
    name: String,
    lines: Vec<Line>,
    /// Lines with a printed result, each match once; those that agree, and those that do after Holm's correction.
    counts: [usize; 3],
    /// Conclusions that hold, that are not contradicted, that are not shown, that are contradicted.
    conclusions: [usize; 4],
}

/// A row of a table, a player of a round robin, or what a table of several values concludes.
#[derive(Default, Serialize)]
struct Line {
    /// What `tictune reproduce` is given to repeat it.
    arguments: String,
    players: String,
    claim: String,
    printed: String,
    measured: String,
    agrees: String,
    differs: String,
}

/// The page in Markdown, from tables and their results. Tables of one paper follow each other.
pub(crate) fn papers_page(results: &[(Table, Report)]) -> String {
    let mut papers: Vec<Paper> = Vec::new();
    for (table, report) in results {
        if papers.last().is_none_or(|paper| paper.name != report.document) {
            papers.push(Paper { name: report.document.clone(), ..Paper::default() });
        }
        let paper = papers.last_mut().expect("one was pushed");
        paper.add(table, report);
    }
    papers.iter_mut().flat_map(|paper| &mut paper.lines).for_each(Line::escape);
    written(None, include_str!("templates/papers.md"), context! { papers })
}

impl Paper {
    fn add(&mut self, table: &Table, report: &Report) {
        for row in &report.rows {
            if row.printed.is_some() || row.conclusion.is_some() {
                self.add_row(row, line(table, report, row));
            }
        }
        let p_values: Vec<f64> =
            report.standings.iter().filter_map(|one| one.homogeneity_p).collect();
        let players = report.standings.iter().filter(|one| one.homogeneity_p.is_some());
        for ((one, p), p_of_table) in players.zip(&p_values).zip(holm(&p_values)) {
            self.count([*p, p_of_table]);
            self.lines.push(Line {
                arguments: report.table.clone(),
                players: one.name.clone(),
                printed: one.printed.map_or_else(String::new, percent),
                measured: percent(one.measured.score()),
                agrees: agrees(*p, p_of_table),
                ..Line::default()
            });
        }
        if let Some(sweep) = &report.sweep {
            self.add_conclusion(sweep);
            self.lines.push(Line {
                arguments: report.table.clone(),
                claim: claim(sweep),
                measured: sweep.measured.clone(),
                ..Line::default()
            });
        }
    }

    /// Adds a row. A match that the paper prints twice counts once.
    fn add_row(&mut self, row: &RowReport, mut line: Line) {
        let same = |other: &&Line| row.printed.is_some() && other.is_same_match(&line);
        if let Some(before) = self.lines.iter().find(same) {
            line.differs = format!("the same match as {}, counted there", before.arguments);
        } else {
            row.conclusion.iter().for_each(|conclusion| self.add_conclusion(conclusion));
            if let (Some(p), Some(p_of_table)) = (row.homogeneity_p, row.homogeneity_p_of_table) {
                self.count([p, p_of_table]);
            }
        }
        self.lines.push(line);
    }

    fn count(&mut self, p_values: [f64; 2]) {
        let agree = p_values.map(|p| usize::from(p >= SIGNIFICANCE));
        for (count, more) in self.counts.iter_mut().zip([1, agree[0], agree[1]]) {
            *count += more;
        }
    }

    fn add_conclusion(&mut self, conclusion: &Conclusion) {
        let index = match conclusion.verdict {
            Verdict::Holds => 0,
            Verdict::NotContradicted => 1,
            Verdict::NotShown => 2,
            Verdict::Contradicted => 3,
            Verdict::TooFewGames => return,
        };
        self.conclusions[index] += 1;
    }
}

fn line(table: &Table, report: &Report, row: &RowReport) -> Line {
    let [a, b] = &row.names;
    let value = row.value.as_ref().map_or_else(String::new, |value| format!(", {value}"));
    let why = || table.rows[row.row - 1].differs.as_ref().or(table.differs.as_ref());
    let measured = &row.measurement.measured;
    let (printed, measured) = match row.printed {
        Some(Printed::Score { score, .. }) => (percent(score), percent(measured.score())),
        Some(Printed::Counts(printed)) => (counts(&printed), counts(measured)),
        None => (String::new(), counts(measured)),
    };
    Line {
        arguments: format!("{} --rows {}", report.table, row.row),
        players: format!("{a}{value} : {b}"),
        claim: row.conclusion.as_ref().map_or_else(String::new, claim),
        printed,
        measured,
        agrees: match (row.homogeneity_p, row.homogeneity_p_of_table) {
            (Some(p), Some(p_of_table)) => agrees(p, p_of_table),
            _ => String::new(),
        },
        differs: match row.agrees {
            Some(false) => why().cloned().unwrap_or_default(),
            _ => String::new(),
        },
    }
}

impl Line {
    fn is_same_match(&self, other: &Self) -> bool {
        (&self.players, &self.printed) == (&other.players, &other.printed)
    }

    /// A bar would end a cell.
    fn escape(&mut self) {
        for cell in [&mut self.players, &mut self.claim, &mut self.measured, &mut self.differs] {
            *cell = cell.replace('|', "\\|");
        }
    }
}

fn counts(tally: &Tally) -> String {
    format!("{}:{}:{}", tally.wins, tally.losses, tally.draws)
}

fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

fn claim(conclusion: &Conclusion) -> String {
    let verdict = match conclusion.verdict {
        Verdict::Holds => "holds",
        Verdict::NotContradicted => "not contradicted",
        Verdict::NotShown => "not shown",
        Verdict::Contradicted => "contradicted",
        Verdict::TooFewGames => "too few games",
    };
    format!("{}: {verdict}", conclusion.claimed)
}

/// Whether a row agrees, with its p-value; in words where only the correction for all rows of its table makes it agree.
fn agrees(p: f64, p_of_table: f64) -> String {
    let word = match SIGNIFICANCE {
        least if p >= least => "yes",
        least if p_of_table >= least => "after Holm",
        _ => "no",
    };
    format!("{word} ({})", p_in_words(Some(p)))
}
