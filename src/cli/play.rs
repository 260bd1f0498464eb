//! `tictune play`

use clap::{Args, ValueEnum};

use super::console::Terminal;
use super::{GameArgs, at_work};
use crate::agent::AgentSpec;
use crate::game::GameInfo;
use crate::registry::{Registry, SessionRequest};

#[derive(Debug, Args)]
pub(super) struct PlayArgs {
    /// The opponent, as KIND[:KEY=VALUE,...] or @FILE; human for two people at this terminal [default: the game's
    /// strongest search, time=1s]
    #[arg(long, value_name = "AGENT")]
    agent: Option<String>,
    /// How strong the opponent is, instead of an agent
    #[arg(long, value_enum, conflicts_with = "agent")]
    level: Option<Level>,
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

/// The strength of an opponent by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Level {
    /// Plays at random
    Beginner,
    /// Looks one move ahead
    Easy,
    /// Looks at your reply, too
    Medium,
    /// The strongest search, with 50 ms a move
    Hard,
    /// The same with a second a move
    Expert,
}

impl Level {
    /// The agent of a game. Games without weights are played by playouts.
    fn agent(self, game: &'static GameInfo) -> String {
        let has_weights = !game.vectors.is_empty();
        match self {
            Self::Beginner => "random".into(),
            Self::Easy if has_weights => "greedy".into(),
            Self::Medium if has_weights => "minimax:depth=2".into(),
            Self::Easy => "mcts:iterations=50".into(),
            Self::Medium => "mcts:iterations=500".into(),
            Self::Hard => AgentSpec::strongest(game, "time=50ms"),
            Self::Expert => AgentSpec::strongest(game, "time=1s"),
        }
    }
}

pub(super) fn run(args: &PlayArgs, registry: &Registry) -> anyhow::Result<()> {
    let game = args.game.find(registry)?;
    let of_level = args.level.map(|level| level.agent(game.info()));
    let request = SessionRequest {
        agent: args.agent.as_deref().or(of_level.as_deref()),
        rules: &args.game.rules(game)?,
        second: (args.first || args.second).then_some(args.second),
        from: args.from.as_deref(),
        seed: args.seed,
    };
    let mut terminal = Terminal::new()?;
    at_work(|| game.play(&request, &mut terminal))
}
