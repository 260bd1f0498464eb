//! `tictune evolve --check`: the plan in words, and how long it takes.

mod speed;
pub(super) mod timed;
mod words;

use std::path::Path;
use std::time::Duration;

use self::speed::measure;
use self::words::in_words;
use super::{Session, ThreadArgs, print};
use crate::evolve::{Plan, StartedProgram};
use crate::registry::AnyGame;

/// Prints the plan and estimates its games and time. To measure the speed it plays a few games, for a bounded time. Where outside
/// programs play and may not be started, it estimates no time.
pub(super) fn check(
    session: &Session,
    game: &dyn AnyGame,
    plan: &Plan,
    threads: &ThreadArgs,
    starts_programs: bool,
) -> anyhow::Result<()> {
    // How long games are played for the estimate.
    let most = Duration::from_secs(if plan.has_programs() { 60 } else { 10 });
    let measured = match plan.has_programs() && !starts_programs {
        true => None,
        false => Some(threads.install(session, || measure(game, plan, most))??),
    };
    print(&in_words(session, plan, measured)?)
}

pub(super) fn missing(StartedProgram { program, missing, .. }: &StartedProgram) -> Option<String> {
    const PATH: &str = "correct its path, which is relative to the current folder";
    missing.as_ref().map(|missing| match missing == program {
        true if Path::new(program).is_file() => {
            format!("the file {program} is not executable: `chmod +x {program}` makes it so")
        }
        true => format!("there is no program {program} that may be run; build it, or {PATH}"),
        false => format!("the file {missing} does not exist; {PATH}"),
    })
}
