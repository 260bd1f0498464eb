//! `tictune bot`

use std::io::{BufRead, ErrorKind, Write};
use std::path::Path;

use clap::Args;
use strum::VariantNames;

use super::{GameArgs, note, unknown_game};
use crate::agent::{Agent, AgentSpec, Playable, Turn};
use crate::game::Game;
use crate::games::by_game;
use crate::input::{InputError, unknown};
use crate::protocol::line::read_line;
use crate::protocol::{Bot, Protocol, Query};

#[derive(Debug, Args)]
pub(super) struct BotArgs {
    /// The protocol of the platform: theaigames, codingame
    #[arg(long, value_name = "NAME", value_parser = protocol)]
    protocol: Protocol,
    /// Who plays, as KIND[:KEY=VALUE,...] [default: iterative, or for qubic mcts, on the clock of the
    /// platform]
    #[arg(long, value_name = "AGENT")]
    agent: Option<String>,
    #[command(flatten)]
    game: GameArgs,
    /// The seed of the agent
    #[arg(long, default_value_t = 0, value_name = "S")]
    seed: u64,
}

fn protocol(name: &str) -> Result<Protocol, String> {
    name.parse().map_err(|_| unknown("protocol", name, Protocol::VARIANTS))
}

pub(super) fn run(args: &BotArgs) -> anyhow::Result<()> {
    let game = args.game.name();
    by_game!(game, P => play::<P>(args)).ok_or_else(|| unknown_game(game))?
}

fn play<P: Playable>(args: &BotArgs) -> anyhow::Result<()> {
    let protocol = args.protocol;
    let rules = match args.game.rules.as_str() {
        "" => P::rules_of(protocol),
        _ => args.game.rules::<P>()?,
    };
    let mut bot = P::bot(protocol, rules).ok_or_else(|| {
        InputError::new(format!(
            "the platforms of the protocol {protocol} do not play {}",
            P::INFO.name
        ))
    })?;
    let default = AgentSpec::strongest(P::INFO, &format!("clock={protocol}"));
    let spec = args.agent.as_deref().unwrap_or(&default);
    let factory = AgentSpec::parse::<P>(spec, Path::new(""))?.prepare::<P>()?;
    let mut agent = factory.spawn(factory.own_seed().unwrap_or(args.seed));
    let (mut input, mut output) = (std::io::stdin().lock(), std::io::stdout().lock());
    converse(&mut *bot, &mut *agent, &mut input, &mut output)
}

/// Answers until the input ends, or nobody reads the answers any more.
fn converse<P: Game>(
    bot: &mut dyn Bot<P>,
    agent: &mut dyn Agent<P>,
    input: &mut impl BufRead,
    output: &mut impl Write,
) -> anyhow::Result<()> {
    while let Some(line) = read_line(input)? {
        let query = match bot.read(&line) {
            Ok(None) => continue,
            Ok(Some(query)) => query,
            Err(problem) => {
                note(&problem);
                continue;
            }
        };
        for problem in &query.problems {
            note(problem);
        }
        let Some(mv) = choose(&query, agent) else {
            note("the platform asks for a move where there is none");
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

/// The agent's move, if there is a position to move in and the platform allows the move; else the
/// first that the platform allows.
fn choose<P: Game>(query: &Query<P>, agent: &mut dyn Agent<P>) -> Option<P::Move> {
    let Query { position, last_move, allowed, time_left, .. } = query;
    let turn = position.as_ref().map(|position| Turn {
        position,
        last_move: *last_move,
        time_left: *time_left,
    });
    match turn.map(|turn| agent.choose(&turn)) {
        Some(Ok(choice)) if allowed.contains(&choice.mv) => return Some(choice.mv),
        Some(Ok(choice)) => note(&format!("the platform does not allow {}", choice.mv)),
        Some(Err(failure)) => note(&failure.to_string()),
        None => {}
    }
    allowed.first().copied()
}
