//! `tictune play`: on the full screen of a terminal, or line by line.

mod draw;
mod full_screen;
mod screen;
mod squares;
mod state;

use std::io::{IsTerminal, stdin, stdout};
use std::path::Path;

use clap::{Args, ValueEnum};

pub(super) use screen::close as close_screen;
use state::Opponent;

use super::console::Terminal;
use super::{GameArgs, at_work, platform, program, quoted};
use crate::agent::AgentSpec;
use crate::game::GameInfo;
use crate::registry::{Registry, SessionRequest};
use crate::weights::Scope;

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
    /// Play line by line on a terminal too, instead of on the full screen
    #[arg(long)]
    lines: bool,
}

/// The strength of an opponent by name, in the order of [`AgentSpec::levels`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Level {
    /// Plays at random
    Beginner,
    /// Looks one move ahead; 50 random games a move where a game has no weights
    Easy,
    /// Looks at your reply, too; 500 random games a move where a game has no weights
    Medium,
    /// The strongest search, with 50 ms a move
    Hard,
    /// The same with a second a move
    Expert,
}

impl Level {
    fn opponent(self, game: &GameInfo) -> Opponent {
        let (name, agent) = AgentSpec::levels(game)[self as usize].clone();
        Opponent { name: name.into(), agent, from_start: false }
    }
}

pub(super) fn run(args: &PlayArgs, registry: &Registry) -> anyhow::Result<()> {
    let game = args.game.find(registry)?;
    let of_level = args.level.map(|level| level.opponent(game.info()).agent);
    let rules = args.game.rules(game)?;
    let scope = Scope { game: game.info(), known: registry.known(), folder: Path::new("") };
    let given = args.agent.as_deref().and_then(|text| AgentSpec::parse_in(text, scope).ok());
    if args.game.rules.rules.is_empty() {
        platform::warn(game.info(), &rules, &given, platform::OPTION);
    }
    // A program that sees whole games only goes on with none.
    let from_start = given.is_some_and(|agent| agent.plays_from_start_only());
    let command = args.command();
    let mut with_agent = if from_start { String::new() } else { command.clone() };
    if let Some(agent) = of_level.as_deref().or(args.agent.as_deref()) {
        with_agent += &format!(" --agent {}", quoted(Path::new(agent)));
    }
    let request = SessionRequest {
        agent: args.agent.as_deref().or(of_level.as_deref()),
        rules: &rules,
        second: (args.first || args.second).then_some(args.second),
        from: args.from.as_deref(),
        seed: args.seed,
        command: &with_agent,
    };
    if args.lines || !is_screen() {
        let mut terminal = Terminal::new()?;
        return at_work(|| game.play(&request, &mut terminal));
    }
    let session = game.session(&request)?;
    let named = (game.info().name, request.rules);
    let mut opponents: Vec<Opponent> =
        Level::value_variants().iter().map(|level| level.opponent(game.info())).collect();
    let mut opponent = args.level.unwrap_or(Level::Expert) as usize;
    if let (Some(agent), Some(_)) = (&args.agent, session.computer()) {
        let (name, agent) = ("the given agent".into(), agent.clone());
        opponents.insert(0, Opponent { name, agent, from_start });
        opponent = 0;
    }
    full_screen::play(session, named, &command, opponents, opponent)
}

impl PlayArgs {
    /// The command that begins such a game, but for the agent and the position.
    fn command(&self) -> String {
        let mut command = format!("{} play", program());
        let (game, rules) = (self.game.game.as_deref(), &self.game.rules.rules);
        let rules = (!rules.is_empty()).then_some(rules.as_str());
        for (option, value) in [("--game", game), ("--rules", rules)] {
            if let Some(value) = value {
                command += &format!(" {option} {}", quoted(Path::new(value)));
            }
        }
        if self.second {
            command += " --second";
        }
        if self.seed != 0 {
            command += &format!(" --seed {}", self.seed);
        }
        if self.lines {
            command += " --lines";
        }
        command
    }
}

/// Whether input and output are a terminal that can do more than print lines.
fn is_screen() -> bool {
    let is_dumb = std::env::var_os("TERM").is_some_and(|name| name == "dumb");
    stdin().is_terminal() && stdout().is_terminal() && !is_dumb
}

#[cfg(test)]
mod tests;
