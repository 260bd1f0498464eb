//! A command-line program for a set of games.

use std::ffi::OsString;
use std::process::ExitCode;

use crate::agent::Playable;
use crate::cli::{Cli, exit_code, print_error};
use crate::games::{Chess, Qubic, Uttt};
use crate::registry::Registry;

/// A command-line program with every command of `tictune`, for the games that you add.
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
#[derive(Default)]
pub struct App {
    registry: Registry,
}

impl App {
    /// A program without games.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A program with the games of this crate, UTTT first. Their code is compiled once, with the library; the code
    /// of a game that you add is compiled with your program.
    #[must_use]
    pub fn with_built_in_games() -> Self {
        Self::new().game::<Uttt>().game::<Qubic>().game::<Chess>()
    }

    /// Adds a game. The first one is the default of every command.
    #[must_use]
    pub fn game<P: Playable>(mut self) -> Self {
        self.registry.add::<P>();
        self
    }

    /// Runs the command that the arguments of the process name, and prints its error if it fails. The exit status is
    /// 0 for success, 1 for a failure, 2 for bad usage or bad input, and 130 for an interruption.
    #[must_use]
    pub fn main(self) -> ExitCode {
        self.run(std::env::args_os())
    }

    /// Does the same with the given arguments; the first is the program's name.
    #[must_use]
    pub fn run(self, args: impl IntoIterator<Item = impl Into<OsString> + Clone>) -> ExitCode {
        match Cli::read(&self.registry, args).run(&self.registry) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                print_error(&error);
                ExitCode::from(exit_code(&error))
            }
        }
    }
}
