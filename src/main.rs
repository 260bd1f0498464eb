//! The command-line tool, with the games of this crate.

use std::process::ExitCode;

fn main() -> ExitCode {
    tictune::main()
}
