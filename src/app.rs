//! The program as a value: the games it knows, and every command for them.

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Parser;

use crate::agent::Playable;
use crate::cli::{Cli, exit_code, print_error};
use crate::games::{Qubic, Uttt};
use crate::registry::Registry;

/// A program with every command of `tictune`, for the games that are added to it.
///
/// ```no_run
/// use tictune::App;
/// use tictune::games::{Qubic, Uttt};
///
/// fn main() -> std::process::ExitCode {
///     // What `App::with_built_in_games()` gives.
///     App::new().game::<Uttt>().game::<Qubic>().main()
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

    /// A program with the games of this crate, UTTT first. Their code is compiled in the library, once; a game
    /// that is added elsewhere is compiled there.
    #[must_use]
    pub fn with_built_in_games() -> Self {
        Self::new().game::<Uttt>().game::<Qubic>()
    }

    /// Adds a game. The first one added is meant where a command names none.
    #[must_use]
    pub fn game<P: Playable>(mut self) -> Self {
        self.registry.add::<P>();
        self
    }

    /// Runs the command of the process's arguments and prints the error, if there is one. The exit status is 0
    /// if all is done, 1 for a failure, 2 for bad usage or bad input, 130 for an interruption.
    #[must_use]
    pub fn main(self) -> ExitCode {
        self.run(std::env::args_os())
    }

    /// [`main`](Self::main) with other arguments; the first is the program's name.
    #[must_use]
    pub fn run(self, args: impl IntoIterator<Item = impl Into<OsString> + Clone>) -> ExitCode {
        match Cli::parse_from(args).run(&self.registry) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                print_error(&error);
                ExitCode::from(exit_code(&error))
            }
        }
    }
}
