//! How much a command says beside its results, and in which form its log is.

use std::io::{IsTerminal, stderr};

use clap::{ArgAction, Args, ValueEnum};

const HEADING: &str = "What is said";

/// The options of every command.
#[derive(Clone, Copy, Debug, Default, Args)]
pub(super) struct Verbosity {
    /// Show no progress: nothing but results, warnings and errors
    #[arg(long, short, global = true, conflicts_with = "verbose", help_heading = HEADING)]
    pub(super) quiet: bool,
    /// Show progress in plain lines, and the log as well; -vv shows details of it
    #[arg(long, short, global = true, action = ArgAction::Count, help_heading = HEADING)]
    pub(super) verbose: u8,
    /// The form of the log: text, or json for a JSON object in each line
    #[arg(
        long,
        global = true,
        value_enum,
        default_value_t,
        value_name = "FORM",
        hide_possible_values = true,
        help_heading = HEADING
    )]
    pub(super) log_format: LogFormat,
}

/// The form of a log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum LogFormat {
    /// A line of text for each event
    #[default]
    Text,
    /// A JSON object in a line for each event
    Json,
}

impl Verbosity {
    /// Whether progress is shown by bars, which need a terminal to themselves.
    pub(super) fn shows_bars(self) -> bool {
        !self.quiet && self.verbose == 0 && stderr().is_terminal()
    }

    pub(super) const fn shows_log(self) -> bool {
        self.verbose > 0
    }

    pub(super) fn shows_json(self) -> bool {
        self.shows_log() && self.log_format == LogFormat::Json
    }
}
