//! A budget of time, turned into games.

use std::path::Path;

use super::speed::{seconds_of_matches, seconds_of_search};
use crate::cli::{Session, ThreadArgs};
use crate::config::{self, Overrides};
use crate::evolve::Plan;
use crate::evolve::plan::TimedBudget;
use crate::registry::AnyGame;

/// The plan of a config whose budget may be a time: with the games that fit into it, `known` or by the speed of this machine,
/// which is measured by playing a few.
pub(in crate::cli) fn in_time(
    session: &Session,
    game: &dyn AnyGame,
    plan: Plan,
    (path, overrides): (&Path, Overrides),
    known: Option<TimedBudget>,
    threads: &ThreadArgs,
) -> anyhow::Result<Plan> {
    let Some(TimedBudget { seconds, games: None }) = plan.timed else { return Ok(plan) };
    let known = known.filter(|known| known.seconds == seconds).and_then(|known| known.games);
    let games = match known {
        Some(games) => games,
        None => {
            session.inform("measuring the speed of this machine ...");
            threads.install(session, || games_in(game, &plan, seconds))??
        }
    };
    let overrides = Overrides { games_of_time: Some(games), ..overrides };
    Ok(config::load(path, overrides, session.known())?.0)
}

/// The games of the search that fit into a time beside the matches at the end, but at least into half of it. The plan has
/// some number of games.
fn games_in(game: &dyn AnyGame, plan: &Plan, seconds: f64) -> anyhow::Result<u64> {
    let [learning, a_game] = seconds_of_search(game, plan)?;
    let matches = seconds_of_matches(game, plan)?;
    let seconds = seconds - matches.min(seconds / 2.0);
    let learned = plan.learn.as_ref().map_or(0, |learn| learn.regression.all_games());
    let stages =
        plan.stages.iter().map(|stage| stage.most_generations() * stage.games_of(stage.population));
    let evolved = stages.sum::<u64>() as f64;
    let all = learning + evolved * a_game;
    // With fewer games, less is learned; with more, no more is.
    let games = match seconds < all {
        true => (learned as f64 + evolved) * seconds / all,
        false => learned as f64 + evolved + (seconds - all) / a_game,
    };
    // Two digits: what is measured is not known better.
    let unit = 10_f64.powf((games.max(1.0).log10().floor() - 1.0).max(0.0));
    Ok(((games / unit).floor() * unit) as u64)
}
