//! Playing a table, and what comes of it.

use std::fmt;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use serde::{Deserialize, Serialize};

use super::table::{Table, Winner};
use crate::agent::{AgentSpec, Playable};
use crate::arena::{Contest, MatchSettings, Openings, play_match};
use crate::input::InputError;
use crate::stats::{Tally, holm, homogeneity, p_value, p_value_of_lead};

/// Below this two results differ, and one agent is shown to be stronger.
pub const SIGNIFICANCE: f64 = 0.05;

/// How large a table is played.
#[derive(Clone, Debug, PartialEq)]
pub struct Sizes {
    /// Games of each row; `None` as printed.
    pub games: Option<u64>,
    /// What `{monte_carlo}` stands for: a limit in text.
    pub monte_carlo: String,
    /// What `{deepening}` stands for.
    pub deepening: String,
    /// The seed of every row's match.
    pub seed: u64,
    /// The rows to play, from 1; empty for all.
    pub rows: Vec<usize>,
}

impl Sizes {
    /// A spec of a table with its limit.
    #[must_use]
    pub fn fill(&self, agent: &str) -> String {
        agent.replace("{monte_carlo}", &self.monte_carlo).replace("{deepening}", &self.deepening)
    }
}

/// A table that was played.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// The document.
    pub document: String,
    /// The table.
    pub table: String,
    /// Its title.
    pub title: String,
    /// Its rows.
    pub rows: Vec<RowReport>,
    /// Where the table is a sweep: what it concludes, and what came out here.
    pub sweep: Option<Conclusion>,
}

/// A row that was played. Results are from A's view.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RowReport {
    /// Its number in the table, from 1.
    pub row: usize,
    /// What a sweep varies.
    pub value: Option<String>,
    /// A and B as printed.
    pub names: [String; 2],
    /// A and B as they played.
    pub agents: [String; 2],
    /// Where games started.
    pub openings: String,
    /// Who moved first when.
    pub schedule: String,
    /// The rules.
    pub rules: String,
    /// The seed of the match.
    pub seed: u64,
    /// What was printed.
    pub printed: Tally,
    /// What was measured.
    pub measured: Tally,
    /// Different games.
    pub distinct_games: u64,
    /// Liang's p-value of B's wins, as printed results give it.
    pub printed_p: Option<f64>,
    /// The same of the measured results.
    pub measured_p: Option<f64>,
    /// The test of homogeneity of printed and measured results.
    pub homogeneity_p: f64,
    /// The same, corrected for the rows of the table (Holm).
    pub homogeneity_p_of_table: f64,
    /// Whether printed and measured agree: `homogeneity_p` is not below [`SIGNIFICANCE`].
    pub agrees: bool,
    /// What the document concludes from the row, and what came out here.
    pub conclusion: Option<Conclusion>,
    /// Positions, or iterations, that A and B searched a move.
    pub work_per_move: [f64; 2],
    /// Milliseconds of A and B a move.
    pub milliseconds_per_move: [f64; 2],
    /// Wall time of playing.
    pub seconds: f64,
}

/// A conclusion of a document, put to the test.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Conclusion {
    /// What the document says.
    pub claimed: String,
    /// What was measured.
    pub measured: String,
    /// Whether the conclusion holds here.
    pub holds: bool,
}

/// Who is shown to be stronger by the thesis's own test: the chance of more wins than B's, strictly,
/// among decided games; below 5 % B is, above 95 % A.
#[must_use]
pub(super) fn stronger(tally: &Tally) -> Winner {
    match p_value(&tally.reversed()) {
        Some(p) if p < SIGNIFICANCE => Winner::B,
        Some(p) if p > 1.0 - SIGNIFICANCE => Winner::A,
        _ => Winner::None,
    }
}

impl fmt::Display for Winner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::A => "A1 is stronger",
            Self::B => "A2 is stronger",
            Self::None => "no difference shown",
        })
    }
}

/// Plays a table. Rows of `earlier` that were played with the same settings are taken from there.
/// `finished` is called after each row with the report so far; `on_game` once a game, from any thread.
///
/// # Errors
/// Rows that do not exist; agents, openings or sizes that cannot be had; what `finished` returns.
/// `Ok(None)` if `stop` was set.
pub fn play<P: Playable, E: From<InputError>>(
    table: &Table,
    sizes: &Sizes,
    earlier: &[RowReport],
    mut finished: impl FnMut(&Report) -> Result<(), E>,
    on_game: &(dyn Fn() + Sync),
    stop: &AtomicBool,
) -> Result<Option<Report>, E> {
    let rules: P::Rules = table.rules.parse().map_err(|_| {
        InputError::new(format!("rules \"{}\" are not of {}", table.rules, P::GAME))
    })?;
    let openings = Openings::parse::<P>(&table.openings, rules, Path::new(""))?;
    let settings = MatchSettings {
        games: sizes.games.unwrap_or(table.games),
        seed: sizes.seed,
        schedule: table.schedule.parse()?,
        replay_ties: false,
    };
    if let Some(row) = sizes.rows.iter().find(|row| !(1..=table.rows.len()).contains(row)) {
        let message = format!("table {} has rows 1 to {}, not {row}", table.name, table.rows.len());
        return Err(InputError::new(message).into());
    }
    let mut report = Report {
        document: table.document.clone(),
        table: table.name.clone(),
        title: table.title.clone(),
        rows: Vec::new(),
        sweep: None,
    };
    for (number, row) in (1..).zip(&table.rows) {
        if !sizes.rows.is_empty() && !sizes.rows.contains(&number) {
            continue;
        }
        let prepare = |text: &String| {
            AgentSpec::parse(&sizes.fill(text), P::GAME, Path::new(""))?.prepare::<P>()
        };
        let [a, b] = [prepare(&row.agents[0])?, prepare(&row.agents[1])?];
        let agents = [a.label().to_string(), b.label().to_string()];
        let same = |known: &&RowReport| {
            known.agents == agents
                && known.measured.games() == settings.games
                && known.seed == settings.seed
                && known.openings == openings.to_string()
                && known.schedule == settings.schedule.to_string()
                && known.rules == rules.to_string()
        };
        let (measured, distinct_games, work_per_move, milliseconds_per_move, seconds) =
            if let Some(known) = earlier.iter().find(same) {
                let RowReport { measured, distinct_games, work_per_move, .. } = *known;
                let RowReport { milliseconds_per_move, seconds, .. } = *known;
                (measured, distinct_games, work_per_move, milliseconds_per_move, seconds)
            } else {
                let contest = Contest { a: &a, b: &b, rules, openings: &openings };
                let progress = || {
                    on_game();
                    !stop.load(Ordering::Relaxed)
                };
                let Some(result) = play_match(&contest, &settings, &progress)? else {
                    return Ok(None);
                };
                let sides = result.summary.sides;
                let per_move = |total: f64, side: usize| total / sides[side].moves.max(1) as f64;
                (
                    result.summary.tally,
                    result.distinct_games,
                    [0, 1].map(|i| per_move((sides[i].nodes + sides[i].iterations) as f64, i)),
                    [0, 1].map(|i| per_move(1e3 * sides[i].search.as_secs_f64(), i)),
                    result.elapsed.as_secs_f64(),
                )
            };
        let homogeneity_p = homogeneity(&row.printed, &measured);
        report.rows.push(RowReport {
            row: number,
            value: row.value.clone(),
            names: row.names.clone(),
            agents,
            openings: openings.to_string(),
            schedule: settings.schedule.to_string(),
            rules: rules.to_string(),
            seed: settings.seed,
            printed: row.printed,
            measured,
            distinct_games,
            printed_p: p_value(&row.printed.reversed()),
            measured_p: p_value(&measured.reversed()),
            homogeneity_p,
            homogeneity_p_of_table: homogeneity_p,
            agrees: homogeneity_p >= SIGNIFICANCE,
            conclusion: row.claim.map(|claim| Conclusion {
                claimed: claim.to_string(),
                measured: stronger(&measured).to_string(),
                holds: stronger(&measured) == claim,
            }),
            work_per_move,
            milliseconds_per_move,
            seconds,
        });
        let p_values: Vec<f64> = report.rows.iter().map(|row| row.homogeneity_p).collect();
        for (row, p) in report.rows.iter_mut().zip(holm(&p_values)) {
            row.homogeneity_p_of_table = p;
        }
        report.sweep = table.best.as_ref().and_then(|best| sweep(best, &report.rows));
        finished(&report)?;
    }
    Ok(Some(report))
}

/// Whether the value that a document calls best is not shown to be worse than the one that came out
/// best here: by the difference of their scores, normal approximation, one-sided.
fn sweep(best: &str, rows: &[RowReport]) -> Option<Conclusion> {
    let of_best = rows.iter().find(|row| row.value.as_deref() == Some(best))?;
    let highest = rows.iter().max_by(|a, b| a.measured.score().total_cmp(&b.measured.score()))?;
    let holds = p_value_of_lead(&highest.measured, &of_best.measured) >= SIGNIFICANCE;
    let value = highest.value.as_deref().unwrap_or_default();
    Some(Conclusion {
        claimed: format!("{best} is best"),
        measured: format!(
            "{value} is best with {:.1} %; {best} has {:.1} %",
            100.0 * highest.measured.score(),
            100.0 * of_best.measured.score()
        ),
        holds,
    })
}
