//! The examination of a UCI engine: handshake, options, two games against random moves, its end.

use std::time::{Duration, Instant};

use rand::{RngExt, SeedableRng};

use super::super::{ExternalSettings, uci_agent};
use super::{END, Finding, Grade, left_running};
use crate::engine::{Engine, EngineError};
use crate::process::Launcher;
use tictune_core::agent::{AgentFactory, Past, Turn};
use tictune_core::game::{Game, Player};
use tictune_core::input::InputError;
use tictune_core::seed::Generator;

/// Examines an engine. `say` gets each finding when it is known.
///
/// # Errors
/// An agent that no match would accept, whatever the engine does.
pub(super) fn examine<P: Game>(
    external: &ExternalSettings,
    rules: P::Rules,
    say: &mut dyn FnMut(Finding),
) -> Result<(), InputError> {
    let name = &external.command;
    uci_agent::check::<P>(external, name)?;
    let invocation = super::ready(external, name)?.invocation(0);
    let mut say = |grade, text: String| say(Finding { grade, text });
    let Some(mut engine) = greeted(Launcher::new(invocation.words, invocation.env, name), &mut say)
    else {
        return Ok(());
    };
    invocation.setup.iter().for_each(|line| engine.send(line));
    let mut healthy = true;
    for (name, value) in &invocation.options {
        if let Err(error) = engine.set(name, value) {
            healthy = false;
            say(Grade::Wrong, error.to_string());
        }
    }
    if healthy && !invocation.options.is_empty() {
        say(Grade::Good, "it takes what its options are set to".into());
    }
    let asked = Instant::now();
    match engine.new_game() {
        Ok(()) => say(Grade::Good, format!("it is ready for a game after {:.1?}", asked.elapsed())),
        Err(error) => {
            healthy = false;
            say(Grade::Wrong, format!("after ucinewgame and isready: {error}"));
        }
    }
    if healthy {
        let spawn = uci_agent::prepare::<P>(external, name)?;
        let label = name.clone();
        let factory = AgentFactory::new(label, spawn);
        for player in Player::BOTH {
            if !game(&factory, P::start(rules), player, &mut say) {
                break;
            }
        }
    }
    ending(&mut engine, &mut say);
    Ok(())
}

/// An engine that starts and greets.
fn greeted(launcher: Option<Launcher>, say: &mut dyn FnMut(Grade, String)) -> Option<Engine> {
    let asked = Instant::now();
    let started = match launcher {
        Some(launcher) => Engine::start(&launcher),
        None => Err(EngineError::Start("its command is empty".into())),
    };
    match started {
        Ok(engine) => {
            let (name, options) = (&engine.announced().name, engine.announced().options.len());
            let took = asked.elapsed();
            let text =
                format!("it says that it is \"{name}\", with {options} options, after {took:.1?}");
            say(Grade::Good, text);
            Some(engine)
        }
        Err(error) => {
            say(
                Grade::Wrong,
                match error {
                    EngineError::Start(error) => format!(
                        "it does not start: {error}. cmd is a program and its arguments; relative paths count from this folder"
                    ),
                    EngineError::Silent { .. } => {
                        format!("{error}. Is it a UCI engine, and does it flush its output?")
                    }
                    error => format!("it ended before it said uciok: {error}"),
                },
            );
            None
        }
    }
}

/// Plays a game against random moves; whether it came to its end.
fn game<P: Game>(
    factory: &AgentFactory<P>,
    start: P,
    player: Player,
    say: &mut dyn FnMut(Grade, String),
) -> bool {
    let (mut agent, mut generator) = (factory.spawn(0), Generator::seed_from_u64(0));
    let (mut position, mut moves) = (start.clone(), Vec::new());
    let (mut count, mut total, mut slowest, mut late) = (0_u32, Duration::ZERO, Duration::ZERO, 0);
    let mut valued = false;
    while position.outcome().is_none() {
        let mv = if position.side_to_move() == player {
            let past = Some(Past { start: &start, moves: &moves });
            let last_move = moves.last().copied();
            let turn = Turn { last_move, past, ..Turn::new(&position) };
            let asked = Instant::now();
            let choice = match agent.choose(&turn) {
                Ok(choice) => choice,
                Err(failure) => {
                    let fen = position.notation();
                    say(Grade::Wrong, format!("move {}, in {fen}: {failure}", count + 1));
                    return false;
                }
            };
            let took = choice.time.unwrap_or_else(|| asked.elapsed());
            (count, total, slowest) = (count + 1, total + took, slowest.max(took));
            late += u32::from(choice.late);
            valued |= choice.value.is_some();
            choice.mv
        } else {
            let index = generator.random_range(0..position.legal_move_count() as u32);
            position.nth_legal_move(index as usize)
        };
        position.play_unchecked(mv);
        moves.push(mv);
    }
    let side = if player == Player::First { "White" } else { "Black" };
    let mean = total / count.max(1);
    let text = format!(
        "it played a game as {side}: {count} moves, {mean:.1?} a move, the slowest {slowest:.1?}"
    );
    say(Grade::Good, text);
    if late > 0 {
        let text = format!("{late} of its {count} moves were late, within the grace");
        say(Grade::Note, text);
    }
    if !valued {
        let text =
            "it gives no values (info score cp), so that games cannot be resigned or agreed drawn";
        say(Grade::Note, text.into());
    }
    true
}

fn ending(engine: &mut Engine, say: &mut dyn FnMut(Grade, String)) {
    let ending = engine.quit(END);
    if ending.status.is_none() {
        say(
            Grade::Wrong,
            format!("it does not end within {END:?} after \"quit\"; matches kill it"),
        );
    }
    if ending.left_running > 0 {
        say(Grade::Wrong, left_running(ending.left_running));
    } else if ending.status.is_some() {
        say(Grade::Good, "it ends on \"quit\", and leaves nothing behind".into());
    }
}
