//! `tictune schema`: what configs and agents may hold, for editors.

use clap::{Args, ValueEnum};

use super::{Session, print_json};
use crate::config;

#[derive(Debug, Args)]
pub(super) struct SchemaArgs {
    /// What to describe
    #[arg(value_enum, default_value_t = Described::Config)]
    what: Described,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Described {
    /// The config of an evolution
    Config,
    /// An agent as a table
    Agents,
}

pub(super) fn run(args: &SchemaArgs, session: &Session) -> anyhow::Result<()> {
    print_json(&match args.what {
        Described::Config => config::schema(),
        Described::Agents => session.known().schema(),
    })
}
