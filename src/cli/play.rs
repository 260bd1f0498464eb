//! `tictune play`: a person plays at the terminal, line by line.

use clap::{Args, ValueEnum};

use super::console::Terminal;
use super::matches::warn_of_platform;
use super::{GameArgs, Session, quoted};
use crate::agent::AgentSpec;
use crate::registry::SessionRequest;

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
    /// Play first (the default)
    #[arg(long, conflicts_with = "second")]
    first: bool,
    /// Play second
    #[arg(long)]
    second: bool,
    /// Start from this position, in notation [default: the start of the game]
    #[arg(long, value_name = "NOTATION")]
    from: Option<String>,
    /// The seed of the agent
    #[arg(long, default_value_t = 0, value_name = "S")]
    seed: u64,
}

/// The strength of an opponent by name, in the order of [`AgentSpec::levels`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Level {
    /// Plays at random
    Beginner,
    /// Looks one move ahead; 50 random games per move where a game has no weights
    Easy,
    /// Looks at your reply, too; 500 random games per move where a game has no weights
    Medium,
    /// The strongest search, with 50 ms per move
    Hard,
    /// The same with one second per move
    Expert,
}

pub(super) fn run(args: &PlayArgs, session: &Session) -> anyhow::Result<()> {
    let (game, rules) = args.game.find(session)?;
    let levels = AgentSpec::levels(game.info(), &rules);
    let of_level = args.level.map(|level| levels[level as usize].1.as_str());
    let agent = args.agent.as_deref().or(of_level);
    if args.game.rules.is_empty() {
        let scope = session.scope(game.info());
        let given = args.agent.as_deref().and_then(|text| AgentSpec::parse_in(text, scope).ok());
        warn_of_platform(session, game, &rules, &given, "--rules");
    }
    let command = args.command(session, agent);
    let request = SessionRequest {
        agent,
        rules: &rules,
        second: (args.first || args.second).then_some(args.second),
        from: args.from.as_deref(),
        seed: args.seed,
        command: &command,
    };
    let mut terminal = Terminal::new(session)?;
    session.interrupt.busy(|| game.known("play", "moves")?.play(&request, &mut terminal))
}

impl PlayArgs {
    /// The command that begins such a game, but for the position.
    fn command(&self, session: &Session, agent: Option<&str>) -> String {
        let (game, rules) = (self.game.game.as_deref(), &self.game.rules);
        let rules = (!rules.is_empty()).then_some(rules.as_str());
        let option = |name: &str, value: Option<&str>| {
            value.map_or_else(String::new, |value| format!(" {name} {}", quoted(value)))
        };
        let mut command = format!("{} play", session.program());
        command += &option("--game", game);
        command += &option("--rules", rules);
        if self.second {
            command += " --second";
        }
        if self.seed != 0 {
            command += &format!(" --seed {}", self.seed);
        }
        command + &option("--agent", agent)
    }
}
