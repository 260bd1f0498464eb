//! A regression of weights: a table of its fits, and its match.

use super::table;
use crate::evolve::learn::{MatchFigures, RegressionSummary};

/// The fits of a regression, and the match of what was learned.
pub(crate) fn regression_table(summary: &RegressionSummary) -> String {
    let rows = summary.rounds.iter().flat_map(|round| {
        round.fits.iter().map(move |fit| {
            let counts = [round.tally.wins, round.tally.draws, round.tally.losses];
            let counts = counts.map(|count| count.to_string()).join("-");
            vec![
                round.round.to_string(),
                counts,
                fit.depth.map_or("results".into(), |depth| format!("depth {depth}")),
                fit.positions.to_string(),
                fit.held_out.to_string(),
                format!("{:.4}", fit.log_loss),
                format!("{:.4}", fit.log_loss_of_results),
                format!("{:.4}", fit.log_loss_of_mean),
                fit.condition.map_or("infinite".into(), |number| format!("{number:.1}")),
                fit.unseen.len().to_string(),
            ]
        })
    });
    let heads = [
        "round",
        "first player",
        "labels",
        "fitted",
        "held out",
        "log-loss",
        "of results",
        "of mean",
        "condition",
        "unseen",
    ];
    let mut text = table(&heads, rows);
    if let Some(MatchFigures { agent, opponent, openings, tally, elo, elo_low, elo_high }) =
        &summary.played
    {
        let sign = |elo: &Option<f64>| elo.map_or("open".into(), |elo| format!("{elo:+.0}"));
        text += &format!(
            "{agent} with the learned weights against {opponent} from {openings}: won {}, drew {}, lost {}, {:.1} %, Elo \
             {} ({} to {})\n",
            tally.wins,
            tally.draws,
            tally.losses,
            100.0 * tally.score(),
            sign(elo),
            sign(elo_low),
            sign(elo_high)
        );
    }
    text
}
