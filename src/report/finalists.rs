//! The finalists of a stage: a table, and what it shows.

use super::{repeated_games, table};
use crate::evolve::{FinalistRow, Finalists, Lead};
use crate::stats::{SIGNIFICANCE, p_equals, p_in_words};

/// The finalists of a stage, the winner first, and what is shown of them.
pub(crate) fn finalists_table(finalists: &Finalists) -> String {
    let row = |row: &FinalistRow| {
        let behind = row.behind.as_ref();
        vec![
            row.name.clone(),
            row.rounds.to_string(),
            row.games.to_string(),
            row.tally.wins.to_string(),
            row.tally.draws.to_string(),
            row.tally.losses.to_string(),
            format!("{:.1} %", 100.0 * row.score),
            format!("{:.1} to {:.1}", 100.0 * row.score_low, 100.0 * row.score_high),
            behind.map_or(String::new(), |lead| {
                format!("{:+.1}", 0.0 - (1000.0 * lead.difference).round() / 10.0)
            }),
            behind.map_or(String::new(), |lead| p_in_words(Some(lead.p_value))),
            row.distinct_games.to_string(),
        ]
    };
    let heads =
        ["", "rounds", "games", "won", "drew", "lost", "score", "95 %", "behind", "p", "distinct"];
    let mut text = table(&heads, finalists.rows.iter().map(row));
    // The games of a runner have no depth.
    let depth = match finalists.depth.as_str() {
        "0" => String::new(),
        depth => format!(" at depth {depth}"),
    };
    text += &format!(
        "against {}{depth} from {}: {}\n",
        finalists.opponents.join(" and "),
        finalists.openings,
        finalists.verdict
    );
    if let Some(lead) = &finalists.best_against_mean {
        text += &best_against_mean(lead);
    }
    text += &format!("(shown: p < {SIGNIFICANCE}, shared out among the rounds of the plan)\n");
    let distinct = finalists.rows.iter().map(|row| row.distinct_games).sum();
    let games = finalists.rows.iter().map(|row| row.games).sum();
    text + &repeated_games(distinct, games)
}

/// Best against mean, in the games that both played.
fn best_against_mean(lead: &Lead) -> String {
    format!(
        "best against mean, in {4} games of each against these opponents: {0:+.1} % (standard error {1:.1}), {2}: {3}\n",
        100.0 * lead.difference,
        100.0 * lead.standard_error,
        p_equals(lead.p_value),
        match (lead.shown, lead.difference > 0.0) {
            (false, _) => "no difference shown",
            (true, true) => "best is shown to lead",
            (true, false) => "mean is shown to lead",
        },
        lead.games
    )
}
