//! How many openings the matches share on which the verdicts of a run rest.
//!
//! Books are played without repeats while they last; random openings are drawn for each match on its own, so that two matches
//! may draw the same one.

use std::collections::HashSet;

use crate::arena::Openings;
use crate::evolve::plan::Part;
use crate::evolve::{Plan, Starts, matches_at_the_end};
use crate::input::InputError;
use crate::registry::AnyGame;

/// Where the games of a match in pairs start, its seed, and how many they are.
pub(super) type Match<'m> = (&'m Openings, u64, u64);

/// A line for the validation of a run, where it has openings of best against mean.
pub(super) fn of_run(game: &dyn AnyGame, plan: &Plan) -> Result<Option<String>, InputError> {
    let [comparison, validation] = keys_of_run(game, plan)?;
    let shared = in_words(&comparison.into_iter().flatten().collect(), &validation);
    Ok(shared.map(|shared| format!("validation: {shared} before it")))
}

/// A line where matches after a run have openings of those on which the run's verdicts rest.
pub(super) fn after_run(
    game: &dyn AnyGame,
    plan: &Plan,
    starts: Starts<'_>,
    played: &[Match<'_>],
) -> Result<Option<String>, InputError> {
    let of_run = keys_of_run(game, plan)?.into_iter().flatten().flatten().collect();
    let shared = in_words(&of_run, &keys(game, plan, starts, played)?);
    Ok(shared.map(|shared| format!("{shared} of the run")))
}

/// Those of best against mean, and those of the validation, whose rows may share openings.
fn keys_of_run(game: &dyn AnyGame, plan: &Plan) -> Result<[Vec<HashSet<u64>>; 2], InputError> {
    let all = matches_at_the_end(plan)?;
    let all: Vec<Match<'_>> = all.iter().map(|one| (&one.openings, one.seed, one.games)).collect();
    let of = |part, matches| keys(game, plan, Starts::OfRun(plan, part), matches);
    Ok([of(Part::Comparison, &all[..1])?, of(Part::Validation, &all[1..])?])
}

/// What tells the openings of each match apart; nothing where all games start alike.
fn keys(
    game: &dyn AnyGame,
    plan: &Plan,
    starts: Starts<'_>,
    matches: &[Match<'_>],
) -> Result<Vec<HashSet<u64>>, InputError> {
    let of_match = |&(openings, seed, games): &Match<'_>| {
        let openings = starts.given(openings, games)?;
        Ok(game.opening_keys(&plan.rules, &openings, seed, games / 2)?.into_iter().collect())
    };
    matches.iter().map(of_match).collect()
}

/// The most that one of the matches shares with others, if it is any.
fn in_words(others: &HashSet<u64>, matches: &[HashSet<u64>]) -> Option<String> {
    let shared = matches.iter().map(|own| (own.intersection(others).count(), own.len()));
    let (shared, all) = shared.max().filter(|(shared, _)| *shared > 0)?;
    let row = if matches.len() > 1 { " of a row" } else { "" };
    Some(format!("{shared} of the {all} openings{row} were already played in the matches"))
}
