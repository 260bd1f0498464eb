//! `tictune evolve --check`: the plan in words, and how long it takes.

mod speed;
pub(super) mod timed;
mod words;

use std::sync::Arc;
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use self::speed::{MeasuredSpeed, measure};
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
    let has_programs = plan.has_programs();
    if has_programs && !starts_programs {
        return print(&in_words(session, plan, None)?);
    }
    // How long games are played for the estimate.
    let budget = Duration::from_secs(if has_programs { 60 } else { 10 });
    let (sender, measured) = channel();
    let begun = Instant::now();
    let (registry, interrupt) = (Arc::clone(&session.registry), Arc::clone(&session.interrupt));
    let (pool, name, own_plan) = (threads.pool()?, game.info().name, plan.clone());
    // A search that may go on for days has no other end than that of the process.
    std::thread::spawn(move || {
        let game = registry.find(Some(name)).expect("it was found by this name");
        let mut say = |speed: &MeasuredSpeed| _ = sender.send(Ok(speed.clone()));
        let measured = interrupt.busy(|| pool.install(|| measure(game, &own_plan, &mut say)));
        let _ = sender.send(measured);
    });
    let mut speed = MeasuredSpeed::default();
    while let Ok(found) = measured.recv_timeout(budget.saturating_sub(begun.elapsed())) {
        speed = found?;
    }
    print(&in_words(session, plan, Some(&speed))?)
}

pub(super) fn missing(StartedProgram { program, missing, .. }: &StartedProgram) -> Option<String> {
    const PATH: &str = "correct its path, which is relative to the current folder";
    missing.as_ref().map(|missing| match missing == program {
        true => format!("there is no program {program} that may be run; build it, or {PATH}"),
        false => format!("the file {missing} does not exist; {PATH}"),
    })
}
