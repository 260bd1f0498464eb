//! A command-line program for a set of games.

use std::ffi::OsString;
use std::marker::PhantomData;
use std::process::ExitCode;

use tictune_registry::{BuiltInGames, BuiltInKinds, GameList, Registry};

use crate::agent::{AgentKind, KindList};
use crate::cli;
use crate::game::Game;

/// Runs the program `tictune`: the built-in games, with the arguments of the process. Their code is compiled once, with the library;
/// the code of a game that you add is compiled with your program.
#[must_use]
pub fn main() -> ExitCode {
    App::with_built_in_games().main()
}

/// A command-line program with every command of `tictune`, for the games and the kinds of agents that you add.
///
/// ```no_run
/// use tictune::App;
/// use tictune::games::{Chess, Qubic, Uttt};
///
/// fn main() -> std::process::ExitCode {
///     // What `App::with_built_in_games()` gives.
///     App::new().game::<Uttt>().game::<Qubic>().game::<Chess>().main()
/// }
/// ```
#[derive(Debug)]
pub struct App<Games = (), Kinds = BuiltInKinds> {
    registry: fn() -> Registry,
    lists: PhantomData<fn() -> (Games, Kinds)>,
}

impl Default for App {
    fn default() -> Self {
        Self::new()
    }
}

impl App {
    /// A program without games, with the kinds of agents of this crate.
    #[must_use]
    pub const fn new() -> Self {
        Self::of(Registry::of::<(), BuiltInKinds>)
    }

    /// A program with the games of this crate, UTTT first.
    #[must_use]
    pub const fn with_built_in_games() -> App<BuiltInGames> {
        App::of(tictune_built_in::registry)
    }
}

impl<Games, Kinds> App<Games, Kinds> {
    const fn of(registry: fn() -> Registry) -> Self {
        Self { registry, lists: PhantomData }
    }
}

impl<Games: GameList, Kinds: KindList> App<Games, Kinds> {
    /// Adds a game. The first one is the default of every command.
    #[must_use]
    pub fn game<P: Game>(self) -> App<(Games, P), Kinds> {
        App::of(Registry::of::<(Games, P), Kinds>)
    }

    /// Adds a kind of agent, which can play all games of the program.
    #[must_use]
    pub fn kind<K: AgentKind>(self) -> App<Games, (Kinds, K)> {
        App::of(Registry::of::<Games, (Kinds, K)>)
    }

    /// Runs the command that the arguments of the process name, and prints its error if it fails. The exit status is
    /// 0 for success, 1 for a failure, 2 for bad usage or bad input, and 130 for an interruption. The process is the
    /// program's own: Ctrl-C and other signals end the command, and a log that was asked for takes the events of the process.
    #[must_use]
    pub fn main(self) -> ExitCode {
        ExitCode::from(cli::run((self.registry)(), std::env::args_os().collect(), true))
    }

    /// Does the same with the given arguments, the first of which is the program's name, inside of another program: it
    /// handles no signals and does not end the process.
    #[must_use]
    pub fn run(self, args: impl IntoIterator<Item = impl Into<OsString>>) -> ExitCode {
        let args = args.into_iter().map(Into::into).collect();
        ExitCode::from(cli::run((self.registry)(), args, false))
    }
}
