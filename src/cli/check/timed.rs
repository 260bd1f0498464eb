//! A budget of time, turned into games.

use std::time::Duration;

use anyhow::bail;

use super::speed::{games_of, measure};
use crate::arena::MAX_GAMES;
use crate::cli::{Session, ThreadArgs};
use crate::config::{Config, Overrides};
use crate::evolve::plan::TimedBudget;
use crate::evolve::{Manifest, Plan};
use crate::input::InputError;
use crate::registry::AnyGame;
use crate::report::duration;

/// The plan of a config whose budget may be a time: with the games that fit into it. They are those of a run that has begun, `known`, if it is
/// one of this config; if not, some are played here to see how long they take.
pub(in crate::cli) fn in_time(
    session: &Session,
    game: &dyn AnyGame,
    plan: Plan,
    (config, overrides): (&Config<'_>, Overrides),
    known: Option<&Manifest>,
    here: Option<&ThreadArgs>,
) -> anyhow::Result<Plan> {
    let Some(TimedBudget { seconds, games: None }) = plan.timed else { return Ok(plan) };
    let with = |games| {
        let overrides = Overrides { games_of_time: Some(games), ..overrides };
        config.plan(overrides, session.known())
    };
    let begun = known.and_then(|manifest| Some((manifest, manifest.plan.timed?.games?)));
    if let Some((manifest, games)) = begun
        && let Ok(plan) = with(games)
        && manifest.belongs_to(&plan)
    {
        return Ok(plan);
    }
    let Some(threads) = here else {
        let message = "a [budget] with a time is measured on this machine, but other machines play this run: give it games";
        bail!(InputError::in_file(config.path, message));
    };
    session.inform("measuring the speed of this machine ...");
    let Some(games) = threads.install(session, || games_in(session, game, &plan, seconds))?? else {
        bail!(
            "a few games of the search take longer than {LONGEST:?} here: give [budget] a number of games in place of a time"
        );
    };
    session.inform(&format!(
        "{games} games of the search fit into the time; with games = {games} in its place, any machine plays the same run"
    ));
    if games == MAX_GAMES {
        session.note(&format!(
            "warning: budget.time is for more than {MAX_GAMES} games, the most that a run may have"
        ));
    }
    Ok(with(games)?)
}

/// How long the games of a plan are played to see how long they take, at most.
pub(in crate::cli) const LONGEST: Duration = Duration::from_secs(60);

/// The games of the search that fit into a time beside the matches at the end, but at least into half of it; `None` if a few take
/// longer than [`LONGEST`]. The plan has some number of games.
pub(in crate::cli) fn games_in(
    session: &Session,
    game: &dyn AnyGame,
    plan: &Plan,
    seconds: f64,
) -> anyhow::Result<Option<u64>> {
    let measured = measure(game, plan, LONGEST)?;
    let [Some(learning), Some(generations), matches] = measured.parts(plan) else {
        return Ok(None);
    };
    let matches = matches.unwrap_or(f64::INFINITY);
    if matches > seconds / 2.0 {
        let [half, end] = [seconds / 2.0, matches].map(|time| {
            if time.is_finite() {
                format!("about {}", duration(time))
            } else {
                "longer than could be measured".into()
            }
        });
        session.note(&format!(
            "warning: the comparison and validation take {end}, which leaves too little of the budget: the search has {half}, half of it; \
             [comparison] with fewer games, and [validation] with fewer games, depths or openings, take less time"
        ));
    }
    let seconds = seconds - matches.min(seconds / 2.0);
    let learned = plan.learn.as_ref().map_or(0, |learn| learn.regression.all_games());
    let evolved = plan.stages.iter().map(games_of).sum::<u64>() as f64;
    let all = learning + generations;
    // With fewer games, less is learned; with more, no more is.
    let games = match seconds < all {
        true => (learned as f64 + evolved) * seconds / all,
        false => learned as f64 + evolved + (seconds - all) * evolved / generations,
    };
    // Two digits: what is measured is not known better.
    let unit = 10_f64.powf((games.max(1.0).log10().floor() - 1.0).max(0.0));
    Ok(Some(((games / unit).floor() * unit).min(MAX_GAMES as f64) as u64))
}
