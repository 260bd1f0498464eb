//! `tictune play`

use clap::Args;

use super::console::Terminal;
use super::{GameArgs, at_work};
use crate::registry::{Registry, SessionRequest};

#[derive(Debug, Args)]
pub(super) struct PlayArgs {
    /// The opponent, as KIND[:KEY=VALUE,...] or @FILE; human for two people at this terminal [default: the game's
    /// strongest search, time=1s]
    #[arg(long, value_name = "AGENT")]
    agent: Option<String>,
    #[command(flatten)]
    game: GameArgs,
    /// Play first, as x (the default)
    #[arg(long, conflicts_with = "second")]
    first: bool,
    /// Play second, as o
    #[arg(long)]
    second: bool,
    /// Start from this position, in notation [default: the start of the game]
    #[arg(long, value_name = "NOTATION")]
    from: Option<String>,
    /// The seed of the agent
    #[arg(long, default_value_t = 0, value_name = "S")]
    seed: u64,
}

pub(super) fn run(args: &PlayArgs, registry: &Registry) -> anyhow::Result<()> {
    let game = args.game.find(registry)?;
    let request = SessionRequest {
        agent: args.agent.as_deref(),
        rules: &args.game.rules(game)?,
        second: (args.first || args.second).then_some(args.second),
        from: args.from.as_deref(),
        seed: args.seed,
    };
    let mut terminal = Terminal::new()?;
    at_work(|| game.play(&request, &mut terminal))
}
