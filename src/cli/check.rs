//! `tictune evolve --check`: the plan in words, and how long it takes.

mod estimate;
pub(super) mod speed;
mod words;

use std::sync::Arc;
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use self::speed::{Measured, Speed, measure};
use self::words::in_words;
use super::{Session, ThreadArgs, print};
use crate::evolve::{Plan, StartedProgram};
use crate::registry::AnyGame;

/// Whether outside programs may be started to estimate a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Programs {
    /// They are.
    Started,
    /// Nothing of theirs is run, and where they play, no time is estimated.
    Left,
}

/// Prints the plan and estimates its games and time. To measure the speed it plays a few games, for a bounded time.
pub(super) fn check(
    session: &Session,
    game: &dyn AnyGame,
    plan: &Plan,
    threads: &ThreadArgs,
    programs: Programs,
) -> anyhow::Result<()> {
    /// How long games are played for the estimate.
    const BUDGET: Duration = Duration::from_secs(20);
    /// How long, where outside programs think.
    const BUDGET_OF_PROGRAMS: Duration = Duration::from_secs(60);
    let has_programs = plan.has_programs();
    if has_programs && programs == Programs::Left {
        return print(&in_words(session, plan, None)?);
    }
    let budget = if has_programs { BUDGET_OF_PROGRAMS } else { BUDGET };
    let (sender, measured) = channel();
    let begun = Instant::now();
    let (registry, interrupt) = (Arc::clone(&session.registry), Arc::clone(&session.interrupt));
    let (pool, name, own_plan) = (threads.pool()?, game.info().name, plan.clone());
    // A search that may go on for days has no other end than that of the process.
    std::thread::spawn(move || {
        let game = registry.find(Some(name)).expect("it was found by this name");
        interrupt.at_work(|| pool.install(|| measure(game, &own_plan, sender)));
    });
    let mut speed = Speed::default();
    while let Ok(measured) = measured.recv_timeout(budget.saturating_sub(begun.elapsed())) {
        match measured {
            Measured::Learning(seconds) => speed.learning = Some(seconds?),
            Measured::Stage(rate) => speed.stages.push(rate?),
            Measured::Matches(seconds) => speed.of_matches = Some(seconds?),
        }
    }
    print(&in_words(session, plan, Some(&speed))?)
}

pub(super) fn missing(started: &StartedProgram) -> Option<String> {
    let StartedProgram { program, missing, .. } = started;
    missing.as_ref().map(|missing| match missing == program {
        true => format!(
            "there is no program {program} that may be run; build it, or correct its path, which counts from the current \
             folder"
        ),
        false => format!(
            "there is no file {missing}; correct its path, which counts from the current folder"
        ),
    })
}
