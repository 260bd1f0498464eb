//! Results for people and programs: tables, JSON rows, charts, and runs as HTML.

pub(crate) mod charts;
mod finalists;
mod layout;
mod matches;
pub(crate) mod moves;
mod noise;
pub(crate) mod page;
pub(crate) mod pgn;
mod regression;
mod reproduced;
mod reproduced_charts;
mod time;
pub(crate) mod tournament;
mod validation;

use crate::evolve::{Comparison, PairedResult};
use crate::stats::Tally;

pub(crate) use finalists::finalists_table;
pub(crate) use layout::{folded, table, text_table, within};
pub(crate) use matches::MatchReport;
pub(crate) use noise::{noisy_stages, uninformative};
pub(crate) use regression::regression_table;
pub(crate) use reproduced::{reproduced_table, result_of};
pub(crate) use reproduced_charts::{Drawn, charts_of_row, charts_of_table};
pub(crate) use time::{duration, seconds_left, share_done};
pub(crate) use validation::{trained_openings, validation_table};

/// An Elo number, or the infinity that null stands for at this end.
fn elo(value: Option<f64>, end: f64) -> String {
    match value {
        Some(elo) => format!("{elo:+.0}"),
        None if end > 0.5 => "+inf".into(),
        None => "-inf".into(),
    }
}

/// A speed with as many digits as people read.
pub(crate) fn rate(games_per_second: f64) -> String {
    match games_per_second {
        speed if speed < 10.0 => format!("{speed:.1} games/s"),
        speed => format!("{speed:.0} games/s"),
    }
}

/// A number of things: "1 pairing", "2 pairings".
pub(crate) fn counted(count: usize, thing: &str) -> String {
    format!("{count} {thing}{}", if count == 1 { "" } else { "s" })
}

pub(crate) fn comparison_table(comparison: &Comparison) -> String {
    let PairedResult { games, tally, figures, distinct_games, .. } = comparison.result;
    let sides = [("best", tally, figures.score), ("mean", tally.reversed(), 1.0 - figures.score)];
    let row = |(name, tally, score): &(&str, Tally, f64)| {
        vec![
            (*name).to_string(),
            tally.wins.to_string(),
            tally.draws.to_string(),
            tally.losses.to_string(),
            format!("{:.1} %", 100.0 * score),
        ]
    };
    let mut text = table(&["", "won", "drew", "lost", "score"], sides.iter().map(row));
    text += &format!(
        "{games} games, {}, openings {}, {distinct_games} distinct: {}\n",
        comparison.agent, comparison.openings, comparison.verdict
    );
    text + &repeated_games(distinct_games, games)
}

/// A warning where fewer than 90 % of the games are distinct; else nothing.
pub(crate) fn repeated_games(distinct: u64, games: u64) -> String {
    if distinct * 10 >= games * 9 {
        return String::new();
    }
    format!(
        "warning: only {distinct} of {games} games are distinct; one that is played again shows nothing new\n"
    )
}
