//! The command-line tool: parse, call, print the error chain, exit code.

use std::process::ExitCode;

use clap::Parser;
use tictune::cli::{Cli, exit_code, print_error};

fn main() -> ExitCode {
    match Cli::parse().run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            print_error(&error);
            ExitCode::from(exit_code(&error))
        }
    }
}
