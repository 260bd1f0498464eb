//! How many openings the matches share on which the verdicts of a run rest.
//!
//! Books are played without repeats while they last; random openings are drawn for each match on its own, so that two matches
//! may draw the same one.

use std::collections::HashSet;

use crate::evolve::{Plan, VerdictMatch, verdict_matches};
use crate::input::InputError;
use crate::registry::AnyGame;

/// A line for the comparison and one for the validation of a run, where they have openings of the matches before them.
///
/// # Errors
/// Openings that cannot be drawn.
pub(super) fn of_run(game: &dyn AnyGame, plan: &Plan) -> Result<Vec<String>, InputError> {
    let mut seen = HashSet::new();
    let mut lines = Vec::new();
    let matches = verdict_matches(plan)?;
    // The rows of a validation are matches of their own; they may share openings.
    for of_part in matches.chunk_by(|one, next| one.part == next.part) {
        let mut most = None;
        let mut keys = HashSet::new();
        for played in of_part {
            let own: HashSet<u64> = keys_of(game, plan, played)?.into_iter().collect();
            let shared = own.intersection(&seen).count();
            if most.is_none_or(|(most, _)| shared > most) {
                most = Some((shared, own.len()));
            }
            keys.extend(own);
        }
        if let Some((shared, all)) = most.filter(|(shared, _)| *shared > 0) {
            let row = if of_part.len() > 1 { " of a row" } else { "" };
            lines.push(format!(
                "{}: {shared} of the {all} openings{row} were played in the matches before it, too",
                <&str>::from(of_part[0].part)
            ));
        }
        seen.extend(keys);
    }
    Ok(lines)
}

/// A line where a match after a run has openings of those on which the run's verdicts rest.
///
/// # Errors
/// Openings that cannot be drawn.
pub(super) fn after_run(
    game: &dyn AnyGame,
    plan: &Plan,
    played: &[VerdictMatch],
) -> Result<Option<String>, InputError> {
    let mut of_run = HashSet::new();
    for known in verdict_matches(plan)? {
        of_run.extend(keys_of(game, plan, &known)?);
    }
    let mut most = (0, 0);
    for one in played {
        let own: HashSet<u64> = keys_of(game, plan, one)?.into_iter().collect();
        most = most.max((own.intersection(&of_run).count(), own.len()));
    }
    let (shared, all) = most;
    Ok((shared > 0).then(|| {
        let row = if played.len() > 1 { " of a row" } else { "" };
        format!("{shared} of the {all} openings{row} were played in the matches of the run, too")
    }))
}

/// What tells the openings of a match apart; none where all its games start alike.
fn keys_of(game: &dyn AnyGame, plan: &Plan, played: &VerdictMatch) -> Result<Vec<u64>, InputError> {
    game.opening_keys(&plan.rules, &played.openings, played.seed, played.count)
}
