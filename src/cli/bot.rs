//! `tictune bot`

use clap::Args;
use strum::VariantNames;

use super::{GameArgs, Session};
use crate::input::unknown;
use crate::programs::Protocol;
use crate::registry::BotRequest;

#[derive(Debug, Args)]
pub(super) struct BotArgs {
    /// The protocol of the platform: theaigames, codingame
    #[arg(long, value_name = "NAME", value_parser = protocol)]
    protocol: Protocol,
    /// The agent that plays, as KIND[:KEY=VALUE,...] or @FILE [default: the game's strongest search with the
    /// strongest built-in weights, on the clock of the platform; for uttt pvs with tictune-patterns, or
    /// tictune-patterns-count where most boards win]
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

pub(super) fn run(args: &BotArgs, session: &Session) -> anyhow::Result<()> {
    let (game, _) = args.game.find(session)?;
    let request = BotRequest {
        protocol: args.protocol,
        agent: args.agent.as_deref(),
        rules: &args.game.rules,
        seed: args.seed,
        input: &mut std::io::stdin().lock(),
        output: &mut std::io::stdout().lock(),
        note: &|text| session.note(text),
    };
    game.known("bot", "moves")?.bot(request)
}
