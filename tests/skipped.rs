//! The last test binary, by its name: it prints one line, what tests were skipped for want of. It has no harness, which
//! would capture the line.
//!
//! `TICTUNE_TESTS_NEED="python3 node"` makes it fail if one of these was missing.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "this is what it is for")]

use std::process::ExitCode;

#[path = "common/needs.rs"]
mod needs;

fn main() -> ExitCode {
    // Other runners of tests ask for a list, which is empty.
    if std::env::args().any(|arg| arg == "--list") {
        return ExitCode::SUCCESS;
    }
    let skipped = needs::take_skipped();
    let each = skipped.iter().map(|(what, count)| format!("{what} ({count})"));
    match each.collect::<Vec<_>>().join(", ").as_str() {
        "" => println!("\nnothing was skipped"),
        text => println!("\nskipped for want of: {text}"),
    }
    let needed = std::env::var("TICTUNE_TESTS_NEED").unwrap_or_default();
    let missing: Vec<&str> =
        needed.split_whitespace().filter(|what| skipped.contains_key(*what)).collect();
    if missing.is_empty() {
        return ExitCode::SUCCESS;
    }
    eprintln!("error: TICTUNE_TESTS_NEED names {}", missing.join(", "));
    ExitCode::FAILURE
}
