//! What a run has shown: best against mean, and the validation as a heat map.

use serde::Serialize;

use super::data::RunData;
use crate::evolve::MatchRow;
use crate::report::{comparison_table, validation_table};
use crate::stats::MatchStatistics;

#[derive(Clone, Debug, Serialize)]
pub(super) struct ComparisonView {
    verdict: String,
    table: String,
    best: ScoreBar,
}

/// A score with its 95 % interval.
#[derive(Clone, Debug, Serialize)]
pub(super) struct ScoreBar {
    /// In percent.
    pub(super) score: String,
    /// In percent, as in `48.1 to 61.3`.
    pub(super) interval: String,
    /// From 0 (no point) over 5 (half of them) to 10 (all).
    pub(super) shade: usize,
}

impl ScoreBar {
    pub(super) fn new(figures: &MatchStatistics) -> Self {
        // What Elo hides at its open ends is no point and all points.
        let share = |elo: Option<f64>, open: f64| {
            elo.map_or(open, |elo| 1.0 / (1.0 + libm::pow(10.0, -elo / 400.0)))
        };
        let (low, high) = (share(figures.elo_low, 0.0), share(figures.elo_high, 1.0));
        let percent = |share: f64| format!("{:.1}", 100.0 * share);
        Self {
            score: format!("{:.1}", 100.0 * figures.score),
            interval: format!("{} to {}", percent(low), percent(high)),
            shade: (10.0 * figures.score).round().clamp(0.0, 10.0) as usize,
        }
    }
}

pub(super) fn comparison(run: &RunData) -> Option<ComparisonView> {
    run.comparison.as_ref().map(|comparison| ComparisonView {
        verdict: comparison.verdict.clone(),
        table: comparison_table(comparison),
        best: ScoreBar::new(&comparison.figures),
    })
}

/// The validation: opponents and openings down, searches across.
#[derive(Clone, Debug, Serialize)]
pub(super) struct ValidationView {
    name: String,
    searches: Vec<String>,
    rows: Vec<HeatRow>,
    table: String,
    /// Whether matches are still to come.
    going_on: bool,
}

#[derive(Clone, Debug, Serialize)]
struct HeatRow {
    opponent: String,
    openings: String,
    cells: Vec<Option<HeatCell>>,
}

/// A match in a heat map.
#[derive(Clone, Debug, Serialize)]
pub(super) struct HeatCell {
    #[serde(flatten)]
    bar: ScoreBar,
    no_result: bool,
    /// All games together and those that repeat no other point to different sides.
    no_verdict: bool,
    about: String,
}

impl HeatCell {
    pub(super) fn new(row: &MatchRow) -> Self {
        Self {
            bar: ScoreBar::new(&row.figures),
            no_result: row.no_result,
            no_verdict: row.figures.p.is_none(),
            about: format!(
                "{} games: {} won, {} drawn, {} lost; {} distinct",
                row.games, row.tally.wins, row.tally.draws, row.tally.losses, row.distinct_games
            ),
        }
    }
}

pub(super) fn validation(run: &RunData) -> Option<ValidationView> {
    if run.validation.is_empty() {
        return None;
    }
    let mut searches: Vec<String> = Vec::new();
    let mut rows: Vec<(&str, &str)> = Vec::new();
    for row in &run.validation {
        let search = search_of(row);
        if !searches.contains(&search) {
            searches.push(search);
        }
        let place = (row.opponent.as_str(), row.openings.as_str());
        if !rows.contains(&place) {
            rows.push(place);
        }
    }
    let cell = |opponent: &str, openings: &str, search: &String| {
        let is_it = |row: &&MatchRow| {
            row.opponent == opponent && row.openings == openings && search_of(row) == *search
        };
        run.validation.iter().find(is_it).map(HeatCell::new)
    };
    let rows = rows.into_iter().map(|(opponent, openings)| HeatRow {
        opponent: opponent.into(),
        openings: openings.into(),
        cells: searches.iter().map(|search| cell(opponent, openings, search)).collect(),
    });
    let name = run.winner().to_string();
    Some(ValidationView {
        rows: rows.collect(),
        table: validation_table(&name, &run.validation),
        going_on: run.state == super::data::State::Running,
        name,
        searches,
    })
}

/// What the column of a match is called.
pub(super) fn search_of(row: &MatchRow) -> String {
    row.depth.map_or_else(|| row.search.clone(), |depth| format!("depth {depth}"))
}
