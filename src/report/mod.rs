//! Results for people and programs: tables, JSON rows, charts, and runs as HTML.

pub(crate) mod charts;
mod differences;
mod layout;
mod lead;
mod matches;
pub(crate) mod moves;
mod noise;
pub(crate) mod page;
mod papers;
pub(crate) mod pgn;
pub(crate) mod pgn_results;
mod profile;
mod reproduced_charts;
mod tables;
mod time;
pub(crate) mod tournament;
mod validation;
use serde_json::Value;

use crate::evolve::MatchRow;
use crate::stats::Tally;
pub(crate) use differences::differences;
pub(crate) use layout::{CellAlignment, Width, rendered, table, wrapped, written};
pub(crate) use lead::Lead;
pub(crate) use matches::MatchReport;
pub(crate) use noise::{noise_section, uninformative};
pub(crate) use papers::papers_page;
pub(crate) use profile::{profile_plots, profile_table};
pub(crate) use reproduced_charts::{Drawn, charts_of_row, charts_of_table};
pub(crate) use tables::{comparison_section, comparison_table, regression_table, reproduced_table};
pub(crate) use time::{duration, games_a_second, time_left};
pub(crate) use validation::{validation_section, validation_table};

/// One object with the keys of several.
pub(crate) fn merged(parts: &[Value]) -> Value {
    let parts = parts.iter().filter_map(Value::as_object).flatten();
    Value::Object(parts.map(|(key, value)| (key.clone(), value.clone())).collect())
}

/// An Elo difference with its interval. What is null stands for an infinity: the difference for that at the end of its score.
fn elo(elo: Option<f64>, score: f64, low: Option<f64>, high: Option<f64>) -> String {
    let number = |elo: Option<f64>, end: f64| match elo {
        Some(elo) => format!("{elo:+.0}"),
        None if end > 0.5 => "+inf".into(),
        None => "-inf".into(),
    };
    format!("{} ({} to {})", number(elo, score), number(low, 0.0), number(high, 1.0))
}

/// A result as the thesis prints it: wins of A1, wins of A2, ties.
pub(crate) fn result_of(tally: &Tally) -> String {
    format!("{}:{}:{}", tally.wins, tally.losses, tally.draws)
}

/// A text whose long numbers have six digits: for people, not for copying.
pub(crate) fn in_six_digits(text: &str) -> String {
    let short = |word: &str| match word.parse::<f64>() {
        Ok(number) if word.len() > 8 && number.fract() != 0.0 => {
            let digits = (5.0 - number.abs().log10().floor()).clamp(0.0, 12.0);
            format!("{number:.0$}", digits as usize)
        }
        _ => word.to_string(),
    };
    text.split_inclusive([' ', '=', ','])
        .map(|part| {
            let word = part.trim_end_matches([' ', '=', ',']);
            short(word) + &part[word.len()..]
        })
        .collect()
}

/// A speed with as many digits as people read.
pub(crate) fn rate(games_per_second: f64) -> String {
    let decimals = usize::from(games_per_second < 10.0);
    format!("{games_per_second:.decimals$} games/s")
}

/// The items of a list without those that repeat others, in their order.
fn distinct<T: PartialEq>(all: impl IntoIterator<Item = T>) -> Vec<T> {
    all.into_iter().fold(Vec::new(), |mut found, one| {
        if !found.contains(&one) {
            found.push(one);
        }
        found
    })
}

/// A number of things: "1 pairing", "2 pairings".
pub(crate) fn counted(count: usize, thing: &str) -> String {
    format!("{count} {thing}{}", if count == 1 { "" } else { "s" })
}

/// A warning where fewer than 90 % of the games are distinct.
pub(crate) fn repeated_games(distinct: u64, games: u64) -> Option<String> {
    (distinct * 10 < games * 9).then(|| {
        format!(
            "warning: only {distinct} of {games} games are distinct; repeated games are no new evidence\n"
        )
    })
}

/// The same warning below a table of matches; nothing where they need none.
fn repeated_in(rows: &[MatchRow]) -> String {
    let distinct = rows.iter().map(|row| row.result.distinct_games).sum();
    let games = rows.iter().map(|row| row.result.games).sum();
    repeated_games(distinct, games).unwrap_or_default()
}
