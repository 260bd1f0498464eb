//! An agent on a platform: the conversation of `tictune bot`.

use std::cell::Cell;
use std::io::{BufRead, ErrorKind, Write};

use super::BotRequest;
use tictune_core::agent::{Agent, AgentSpec, Agents, Turn};
use tictune_core::arena::rules_of;
use tictune_core::game::Game;
use tictune_core::input::InputError;
use tictune_programs::line::read_line;
use tictune_programs::{Bot, Platforms, Query};

pub(super) fn play<P: Game>(agents: &Agents<P>, request: BotRequest<'_>) -> anyhow::Result<()> {
    let BotRequest { protocol, agent, rules, seed, input, output, note } = request;
    let platforms = Platforms::<P>::of();
    let rules = match rules {
        "" => (platforms.rules)(protocol),
        text => rules_of::<P>(text)?,
    };
    let mut bot = (platforms.bot)(protocol, rules).ok_or_else(|| {
        InputError::new(format!("the platforms of {protocol} do not play {}", P::INFO.name))
    })?;
    let default = AgentSpec::strongest(P::INFO, &rules.to_string(), &format!("clock={protocol}"));
    let factory = agents.ready(agent.unwrap_or(&default))?;
    let mut agent = factory.spawn(factory.own_seed.unwrap_or(seed));
    let complained = Cell::new(0_u32);
    // Not much of each problem, and not of any number of them, so that a platform that sends junk fills nobody's disk.
    let note = |problem: &str| {
        /// Far more than any game has.
        const MOST: u32 = 1000;
        const MOST_CHARS: usize = 300;
        let made = complained.replace(complained.get().saturating_add(1));
        if made < MOST {
            note(&problem.chars().take(MOST_CHARS).collect::<String>());
        } else if made == MOST {
            note("further problems are not reported");
        }
    };
    converse(&mut *bot, &mut *agent, input, output, &note)
}

/// Answers until the input ends, or nobody reads the answers any more.
fn converse<P: Game>(
    bot: &mut dyn Bot<P>,
    agent: &mut dyn Agent<P>,
    mut input: &mut dyn BufRead,
    output: &mut dyn Write,
    note: &dyn Fn(&str),
) -> anyhow::Result<()> {
    while let Some(line) = read_line(&mut input)? {
        let query = match bot.read(&line) {
            Ok(None) => continue,
            Ok(Some(query)) => query,
            Err(problem) => {
                note(&problem);
                continue;
            }
        };
        query.problems.iter().for_each(|problem| note(problem));
        let Some(mv) = choose(&query, agent, note) else {
            note("the platform asks for a move, but there is none");
            continue;
        };
        let answer = bot.answer(mv) + "\n";
        match output.write_all(answer.as_bytes()).and_then(|()| output.flush()) {
            Err(error) if error.kind() == ErrorKind::BrokenPipe => return Ok(()),
            written => written?,
        }
    }
    Ok(())
}

/// The agent's move, if there is a position to move in and the platform allows the move; else the first that the platform allows.
fn choose<P: Game>(
    query: &Query<P>,
    agent: &mut dyn Agent<P>,
    note: &dyn Fn(&str),
) -> Option<P::Move> {
    let Query { position, last_move, allowed, time_left, .. } = query;
    let turn = position.as_ref().map(|position| Turn {
        position,
        last_move: *last_move,
        time_left: *time_left,
        ..Turn::new(position)
    });
    match turn.map(|turn| agent.choose(&turn)) {
        Some(Ok(choice)) if allowed.contains(&choice.mv) => return Some(choice.mv),
        Some(Ok(choice)) => note(&format!("the platform does not allow {}", choice.mv)),
        Some(Err(failure)) => note(&failure.to_string()),
        None => {}
    }
    allowed.first().copied()
}
