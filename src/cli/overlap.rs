//! How many openings the matches share on which the verdicts of a run rest.
//!
//! Books are played without repeats while they last; random openings are drawn for each match on its own, so that two matches
//! may draw the same one.

use std::collections::HashSet;

use crate::evolve::{Plan, VerdictMatch, verdict_matches};
use crate::input::InputError;
use crate::registry::AnyGame;

/// A line for the comparison and one for the validation of a run, where they have openings of the matches before them.
pub(super) fn of_run(game: &dyn AnyGame, plan: &Plan) -> Result<Vec<String>, InputError> {
    let (mut seen, mut lines) = (HashSet::new(), Vec::new());
    // The rows of a validation are matches of their own; they may share openings.
    for of_part in verdict_matches(plan)?.chunk_by(|one, next| one.part == next.part) {
        let (keys, shared) = shared_with(&seen, game, plan, of_part)?;
        let part = <&str>::from(of_part[0].part);
        lines.extend(shared.map(|shared| format!("{part}: {shared} before it")));
        seen.extend(keys);
    }
    Ok(lines)
}

/// A line where a match after a run has openings of those on which the run's verdicts rest.
pub(super) fn after_run(
    game: &dyn AnyGame,
    plan: &Plan,
    played: &[VerdictMatch],
) -> Result<Option<String>, InputError> {
    let (of_run, _) = shared_with(&HashSet::new(), game, plan, &verdict_matches(plan)?)?;
    let (_, shared) = shared_with(&of_run, game, plan, played)?;
    Ok(shared.map(|shared| format!("{shared} of the run")))
}

/// What tells the openings of matches apart (nothing where all games start alike); and the most that one of them shares with
/// others, in words.
fn shared_with(
    others: &HashSet<u64>,
    game: &dyn AnyGame,
    plan: &Plan,
    matches: &[VerdictMatch],
) -> Result<(HashSet<u64>, Option<String>), InputError> {
    let (mut keys, mut most) = (HashSet::new(), (0, 0));
    for VerdictMatch { openings, seed, count, .. } in matches {
        let own: HashSet<u64> =
            game.opening_keys(&plan.rules, openings, *seed, *count)?.into_iter().collect();
        most = most.max((own.intersection(others).count(), own.len()));
        keys.extend(own);
    }
    let row = if matches.len() > 1 { " of a row" } else { "" };
    let (shared, all) = most;
    let words = format!("{shared} of the {all} openings{row} were already played in the matches");
    Ok((keys, (shared > 0).then_some(words)))
}
