//! Tables of what a run measures beside its generations.

use super::layout::{Width, columns};
use super::{percent, repeated_games};
use crate::evolve::learn::{MatchFigures, RegressionSummary};
use crate::evolve::{Comparison, Finalists, PairedResult};
use crate::stats::{SIGNIFICANCE, p_equals, p_in_words};

pub(crate) fn comparison_table(width: Width, comparison: &Comparison) -> String {
    let PairedResult { games, tally, distinct_games, .. } = comparison.result;
    let mut text = columns(
        width,
        [("best", tally), ("mean", tally.reversed())],
        &[
            ("", &|(name, _)| (*name).into()),
            ("won", &|(_, tally)| tally.wins.to_string()),
            ("drew", &|(_, tally)| tally.draws.to_string()),
            ("lost", &|(_, tally)| tally.losses.to_string()),
            ("score", &|(_, tally)| percent(tally.score())),
        ],
    );
    text += &format!(
        "{games} games, {}, openings {}, {distinct_games} distinct: {}\n",
        comparison.agent, comparison.openings, comparison.verdict
    );
    text + &repeated_games(distinct_games, games)
}

/// The finalists of a stage, the winner first, and what is shown of them.
pub(crate) fn finalists_table(width: Width, finalists: &Finalists) -> String {
    let Finalists { opponents, openings, verdict, .. } = finalists;
    let mut text = columns(
        width,
        &finalists.rows,
        &[
            ("", &|row| row.name.clone()),
            ("rounds", &|row| row.rounds.to_string()),
            ("games", &|row| row.games.to_string()),
            ("won", &|row| row.tally.wins.to_string()),
            ("drew", &|row| row.tally.draws.to_string()),
            ("lost", &|row| row.tally.losses.to_string()),
            ("score", &|row| percent(row.score)),
            ("95 %", &|row| {
                format!("{:.1} to {:.1}", 100.0 * row.score_low, 100.0 * row.score_high)
            }),
            ("behind", &|row| {
                let behind = |share: f64| format!("{:+.1}", 0.0 - (1000.0 * share).round() / 10.0);
                row.behind.as_ref().map_or(String::new(), |lead| behind(lead.difference))
            }),
            ("p", &|row| {
                row.behind.as_ref().map_or(String::new(), |lead| p_in_words(Some(lead.p_value)))
            }),
            ("distinct", &|row| row.distinct_games.to_string()),
        ],
    );
    // The games of a runner have no depth.
    let depth = match finalists.depth.as_str() {
        "0" => String::new(),
        depth => format!(" at depth {depth}"),
    };
    text += &format!("against {}{depth} from {openings}: {verdict}\n", opponents.join(" and "));
    if let Some(lead) = &finalists.best_against_mean {
        text += &format!(
            "best against mean, in {} games of each against these opponents: {:+.1} % (standard error {:.1}), {}: {}\n",
            lead.games,
            100.0 * lead.difference,
            100.0 * lead.standard_error,
            p_equals(lead.p_value),
            match (lead.shown, lead.difference > 0.0) {
                (false, _) => "no difference shown",
                (true, true) => "best is shown to lead",
                (true, false) => "mean is shown to lead",
            }
        );
    }
    text += &format!("(shown: p < {SIGNIFICANCE}, shared out among the rounds of the plan)\n");
    let distinct = finalists.rows.iter().map(|row| row.distinct_games).sum();
    let games = finalists.rows.iter().map(|row| row.games).sum();
    text + &repeated_games(distinct, games)
}

/// The fits of a regression, and the match of what was learned.
pub(crate) fn regression_table(width: Width, summary: &RegressionSummary) -> String {
    let fits = summary.rounds.iter();
    let fits = fits.flat_map(|round| round.fits.iter().map(move |fit| (round, fit)));
    let mut text = columns(
        width,
        fits,
        &[
            ("round", &|(round, _)| round.round.to_string()),
            ("first player", &|(round, _)| {
                format!("{}-{}-{}", round.tally.wins, round.tally.draws, round.tally.losses)
            }),
            ("labels", &|(_, fit)| {
                fit.depth.map_or("results".into(), |depth| format!("depth {depth}"))
            }),
            ("fitted", &|(_, fit)| fit.positions.to_string()),
            ("held out", &|(_, fit)| fit.held_out.to_string()),
            ("log-loss", &|(_, fit)| format!("{:.4}", fit.log_loss)),
            ("of results", &|(_, fit)| format!("{:.4}", fit.log_loss_of_results)),
            ("of mean", &|(_, fit)| format!("{:.4}", fit.log_loss_of_mean)),
            ("condition", &|(_, fit)| {
                fit.condition.map_or("infinite".into(), |number| format!("{number:.1}"))
            }),
            ("unseen", &|(_, fit)| fit.unseen.len().to_string()),
        ],
    );
    if let Some(MatchFigures { agent, opponent, openings, tally, elo, elo_low, elo_high }) =
        &summary.played
    {
        let [elo, low, high] = [elo, elo_low, elo_high]
            .map(|elo| elo.map_or("open".into(), |elo| format!("{elo:+.0}")));
        text += &format!(
            "{agent} with the learned weights against {opponent} from {openings}: won {}, drew {}, lost {}, {}, Elo \
             {elo} ({low} to {high})\n",
            tally.wins,
            tally.draws,
            tally.losses,
            percent(tally.score())
        );
    }
    text
}
