//! A command-line program for a set of games.

use std::ffi::OsString;
use std::marker::PhantomData;
use std::process::ExitCode;

use crate::agent::{AgentKind, KindList};
use crate::built_in::{BuiltInGames, BuiltInKinds};
use crate::cli;
use crate::game::Game;
use crate::registry::Registry;

/// Runs the program `tictune`: the built-in games, with the arguments of the process. Their code is compiled once, with the library;
/// the code of a game that you add is compiled with your program.
#[must_use]
pub fn main() -> ExitCode {
    App::with_built_in_games().main()
}

/// A list of games as a type: `()`, or another list and one more game.
pub trait GameList {
    /// Adds the games to those of a program, each with agents of these kinds.
    fn add_to<K: KindList>(registry: &mut Registry);
}

impl GameList for () {
    fn add_to<K: KindList>(_: &mut Registry) {}
}

impl<Others: GameList, P: Game> GameList for (Others, P) {
    fn add_to<K: KindList>(registry: &mut Registry) {
        Others::add_to::<K>(registry);
        registry.add::<P, K>();
    }
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
pub struct App<Games = (), Kinds = BuiltInKinds>(PhantomData<fn() -> (Games, Kinds)>);

impl Default for App {
    fn default() -> Self {
        Self::new()
    }
}

impl App {
    /// A program without games, with the kinds of agents of this crate.
    #[must_use]
    pub const fn new() -> Self {
        Self(PhantomData)
    }

    /// A program with the games of this crate, UTTT first.
    #[must_use]
    pub const fn with_built_in_games() -> App<BuiltInGames> {
        App(PhantomData)
    }
}

impl<Games: GameList, Kinds: KindList> App<Games, Kinds> {
    /// Adds a game. The first one is the default of every command.
    #[must_use]
    pub fn game<P: Game>(self) -> App<(Games, P), Kinds> {
        App(PhantomData)
    }

    /// Adds a kind of agent, which can play all games of the program.
    #[must_use]
    pub fn kind<K: AgentKind>(self) -> App<Games, (Kinds, K)> {
        App(PhantomData)
    }

    pub(crate) fn registry(self) -> Registry {
        let mut registry = Registry::new::<Kinds>();
        Games::add_to::<Kinds>(&mut registry);
        registry
    }

    /// Runs the command that the arguments of the process name, and prints its error if it fails. The exit status is
    /// 0 for success, 1 for a failure, 2 for bad usage or bad input, and 130 for an interruption. The process is the
    /// program's own: Ctrl-C and other signals end the command, and a log that was asked for takes the events of the process.
    #[must_use]
    pub fn main(self) -> ExitCode {
        ExitCode::from(cli::run(self.registry(), std::env::args_os().collect(), true))
    }

    /// Does the same with the given arguments, the first of which is the program's name, inside of another program: it
    /// handles no signals and does not end the process.
    #[must_use]
    pub fn run(self, args: impl IntoIterator<Item = impl Into<OsString>>) -> ExitCode {
        let args = args.into_iter().map(Into::into).collect();
        ExitCode::from(cli::run(self.registry(), args, false))
    }
}
