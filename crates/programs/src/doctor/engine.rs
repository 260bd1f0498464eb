//! The examination of a UCI engine: its name and options, two games against random moves, its end.

use std::time::Instant;

use super::super::{ExternalSettings, uci_agent};
use super::{Finding, Moves, Say, against_chance, ready, tell_ending};
use crate::engine::Engine;
use tictune_core::agent::{AgentFactory, Past, Turn};
use tictune_core::game::{Game, Player};
use tictune_core::input::Result;

/// Examines an engine. An agent that no match would accept, whatever the engine does, is an error.
pub(super) fn examine<P: Game>(
    external: &ExternalSettings,
    rules: P::Rules,
    say: &mut Say<'_>,
) -> Result<()> {
    let name = &external.command;
    uci_agent::check::<P>(external, name)?;
    let program = ready(external, name)?;
    let invocation = program.invocation(0);
    let asked = Instant::now();
    let mut engine = match Engine::start(&invocation, name) {
        Ok(engine) => engine,
        Err(error) => {
            say(match error.starts {
                true => Finding::wrong(error.why),
                false => Finding::not_started(&error.why),
            });
            return Ok(());
        }
    };
    say(Finding::good(format!(
        "it says that it is \"{}\", with {} options, after {:.1?}",
        engine.announced.name,
        engine.announced.options.len(),
        asked.elapsed()
    )));
    let announced = &engine.announced;
    let options = invocation.options.iter();
    let refused = options.filter_map(|(name, value)| announced.set(name, value).err());
    let refused: Vec<String> =
        uci_agent::refusal_of::<P>(announced, rules).into_iter().chain(refused).collect();
    if refused.is_empty() {
        if !invocation.options.is_empty() {
            say(Finding::good("it accepts the values of its options"));
        }
        let factory = AgentFactory::new(name, uci_agent::prepare::<P>(external, name)?);
        for player in Player::BOTH {
            if !game(&factory, &P::start(rules), player, say) {
                break;
            }
        }
    }
    refused.into_iter().for_each(|text| say(Finding::wrong(text)));
    tell_ending(engine.quit(), "after \"quit\"", "on \"quit\"", say);
    Ok(())
}

/// Plays a game against random moves; whether it came to its end.
fn game<P: Game>(factory: &AgentFactory<P>, start: &P, player: Player, say: &mut Say<'_>) -> bool {
    let (mut agent, mut own, mut valued) = (factory.spawn(0), Moves::default(), false);
    let ended = against_chance(start, player, |position, moves| {
        let past = Some(Past { start, moves });
        let turn = Turn { last_move: moves.last().copied(), past, ..Turn::new(position) };
        let asked = Instant::now();
        let choice = agent.choose(&turn).inspect_err(|failure| {
            let (number, fen) = (own.count + 1, position.notation());
            say(Finding::wrong(format!("move {number}, in {fen}: {failure}")));
        });
        let choice = choice.ok()?;
        own.add(choice.time.unwrap_or_else(|| asked.elapsed()));
        own.late += u32::from(choice.late);
        valued |= choice.value.is_some();
        Some(choice.mv)
    });
    if !ended {
        return false;
    }
    let side = if player == Player::First { "White" } else { "Black" };
    say(Finding::good(own.in_words(side)));
    if own.late > 0 {
        let Moves { count, late, .. } = own;
        say(Finding::note(format!("{late} of its {count} moves were late, within the grace")));
    }
    if !valued {
        say(Finding::note("it reports no scores (info score cp), so games cannot be adjudicated"));
    }
    true
}
