//! The command-line tool: parse, call, print the error chain, exit code.

use std::io::Write;
use std::process::ExitCode;

use clap::Parser;
use tictune::cli::{Cli, exit_code};

fn main() -> ExitCode {
    match Cli::parse().run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let causes: Vec<String> = error.chain().map(ToString::to_string).collect();
            let _ = writeln!(std::io::stderr(), "error: {}", causes.join(": "));
            ExitCode::from(exit_code(&error))
        }
    }
}
