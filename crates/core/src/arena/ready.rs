//! Matches between prepared agents on the threads of this process. Agents of your own need no spec.

use std::sync::atomic::{AtomicBool, Ordering};

use super::counts::MatchCounts;
use super::executor::{Detail, Work, none_if_stopped};
use super::threads::Ready;
use super::{Contest, MatchResult, MatchSettings, PlayedMatch};
use crate::game::Game;
use crate::input::InputError;
use crate::stats::sprt::Sprt;

/// Plays a match between prepared agents on the threads of the current rayon pool. `progress` is called after each
/// game, from any thread; if it returns `false` the match ends early, without a result.
///
/// # Errors
/// No games, more than [`MAX_GAMES`](super::MAX_GAMES), or an odd number where they are paired or halved; openings that cannot be drawn.
pub fn play_match<P: Game>(
    contest: &Contest<'_, P>,
    settings: &MatchSettings,
    progress: &(dyn Fn() -> bool + Sync),
) -> Result<Option<MatchResult>, InputError> {
    let played = play_ready(contest, settings, None, Detail::Costs, progress)?;
    Ok(played.map(|played| played.result))
}

/// [`play_match`] that also returns the games in order. Where ties are replayed, only the last, decided game is kept.
/// Everything but the times is the same on any number of threads.
///
/// With a sequential test, the match ends as soon as the test is decided. The test looks at the pairs (or at the games,
/// where they are not paired) in order. Games beyond the deciding one are dropped, so that the result does not depend on
/// threads.
///
/// # Errors
/// As [`play_match`]; with a test, a schedule under which the first games are not like the last.
pub fn play_match_traced<P: Game>(
    contest: &Contest<'_, P>,
    settings: &MatchSettings,
    test: Option<&Sprt>,
    progress: &(dyn Fn() -> bool + Sync),
) -> Result<Option<PlayedMatch>, InputError> {
    play_ready(contest, settings, test.copied(), Detail::Moves, progress)
}

fn play_ready<P: Game>(
    contest: &Contest<'_, P>,
    settings: &MatchSettings,
    test: Option<Sprt>,
    detail: Detail,
    progress: &(dyn Fn() -> bool + Sync),
) -> Result<Option<PlayedMatch>, InputError> {
    let stop = AtomicBool::new(false);
    let on_games = |games: u64| {
        if !(0..games).all(|_| progress()) {
            stop.store(true, Ordering::Relaxed);
        }
    };
    let work = Work {
        game: P::INFO.name.into(),
        rules: contest.rules.to_string(),
        agents: Vec::new(),
        openings: vec![contest.openings.for_match(settings)?],
        units: Vec::new(),
        must_start: false,
    };
    let executor = Ready { rules: contest.rules, agents: [contest.a, contest.b] };
    let counts = MatchCounts::new(*settings, test)?;
    let played = counts.play(&executor, work, detail, &on_games, &|_| (), &stop);
    Ok(none_if_stopped(played)?.filter(|played| !played.stopped))
}
