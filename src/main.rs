//! The command-line tool, with the games of this crate.

use std::process::ExitCode;

use tictune::App;

fn main() -> ExitCode {
    App::with_built_in_games().main()
}
