//! `tictune export`

use std::path::{Path, PathBuf};

use clap::Args;
use clap::builder::PossibleValuesParser;
use strum::VariantNames;

use super::print;
use crate::files::{FileError, write_atomically};
use crate::input::InputError;
use crate::registry::Registry;
use crate::weights::export::export;
use crate::weights::{Format, Weights};

#[derive(Debug, Args)]
pub(super) struct ExportArgs {
    /// A weight file, or the name of built-in weights
    weights: String,
    /// The format to write
    #[arg(long, value_parser = PossibleValuesParser::new(Format::VARIANTS))]
    format: String,
    /// The file to write instead of standard output
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

pub(super) fn run(args: &ExportArgs, registry: &Registry) -> anyhow::Result<()> {
    let weights = Weights::find_of_any_game(&args.weights, registry.known(), Path::new(""))?;
    let text = export(&weights, args.format.parse()?);
    match &args.out {
        None => print(&text),
        Some(path) if is_input(&args.weights, path) => {
            let message = "is the weight file itself; name another file with --out";
            Err(InputError::in_file(path, message).into())
        }
        Some(path) => {
            Ok(write_atomically(path, text.as_bytes()).map_err(FileError::writing(path))?)
        }
    }
}

/// Whether the output would overwrite the input.
fn is_input(weights: &str, out: &Path) -> bool {
    match (Path::new(weights).canonicalize(), out.canonicalize()) {
        (Ok(input), Ok(output)) => input == output,
        _ => false,
    }
}
