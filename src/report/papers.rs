//! A page of all tables of the papers: what was printed and what was measured, row by row.

use std::collections::HashMap;

use minijinja::context;
use serde::Serialize;

use super::layout::written;
use crate::papers::reproduce::{Conclusion, Printed, Report, RowReport, Table, Verdict};
use crate::stats::{SIGNIFICANCE, Tally, p_in_words};

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
#[derive(Serialize)]
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
        let mut matches: HashMap<(String, String), String> =
            self.lines.iter().map(|line| (line.of_match(), line.arguments.clone())).collect();
        for row in
            report.rows.iter().filter(|row| row.printed.is_some() || row.conclusion.is_some())
        {
            let (line, printed) = (line(table, report, row), row.printed.is_some());
            let before = matches.insert(line.of_match(), line.arguments.clone());
            match before.filter(|_| printed) {
                Some(before) => {
                    let differs = format!("the same match as {before}, counted there");
                    self.lines.push(Line { differs, ..line });
                }
                None => {
                    self.conclusions_add(row.conclusion.as_ref());
                    if printed {
                        let agree = [Some(1.0), row.homogeneity_p, row.homogeneity_p_of_table];
                        self.count(agree);
                    }
                    self.lines.push(line);
                }
            }
        }
        for one in &report.standings {
            self.count([one.printed.map(|_| 1.0), one.homogeneity_p, one.homogeneity_p]);
            self.lines.push(Line {
                arguments: report.table.clone(),
                players: one.name.clone(),
                claim: String::new(),
                printed: one.printed.map_or_else(String::new, percent),
                measured: percent(one.measured.score()),
                agrees: agrees(one.homogeneity_p, one.homogeneity_p),
                differs: String::new(),
            });
        }
        if let Some(sweep) = &report.sweep {
            self.conclusions_add(Some(sweep));
            self.lines.push(Line {
                arguments: report.table.clone(),
                players: String::new(),
                claim: claim(sweep),
                printed: String::new(),
                measured: sweep.measured.clone(),
                agrees: String::new(),
                differs: String::new(),
            });
        }
    }

    fn count(&mut self, p_values: [Option<f64>; 3]) {
        for (count, p) in self.counts.iter_mut().zip(p_values) {
            *count += usize::from(p.is_some_and(|p| p >= SIGNIFICANCE));
        }
    }

    fn conclusions_add(&mut self, conclusion: Option<&Conclusion>) {
        let index = conclusion.and_then(|conclusion| match conclusion.verdict {
            Verdict::Holds => Some(0),
            Verdict::NotContradicted => Some(1),
            Verdict::NotShown => Some(2),
            Verdict::Contradicted => Some(3),
            Verdict::TooFewGames => None,
        });
        index.into_iter().for_each(|index| self.conclusions[index] += 1);
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
        agrees: agrees(row.homogeneity_p, row.homogeneity_p_of_table),
        differs: match row.agrees {
            Some(false) => why().cloned().unwrap_or_default(),
            _ => String::new(),
        },
    }
}

impl Line {
    fn of_match(&self) -> (String, String) {
        (self.players.clone(), self.printed.clone())
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
fn agrees(p: Option<f64>, p_of_table: Option<f64>) -> String {
    let agrees = |p: Option<f64>| p.is_some_and(|p| p >= SIGNIFICANCE);
    let word = match p {
        None => return String::new(),
        Some(_) if agrees(p) => "yes",
        Some(_) if agrees(p_of_table) => "after Holm",
        Some(_) => "no",
    };
    format!("{word} ({})", p_in_words(p))
}
