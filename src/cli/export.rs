//! `tictune export`

use std::path::{Path, PathBuf};

use clap::Args;
use clap::builder::PossibleValuesParser;
use strum::VariantNames;

use super::print;
use super::validate::winner_of_run;
use crate::files::{FileError, write_atomically};
use crate::input::InputError;
use crate::registry::Registry;
use crate::weights::export::export;
use crate::weights::{Format, Weights};

#[derive(Debug, Args)]
pub(super) struct ExportArgs {
    /// A weight file, the name of built-in weights, or the folder of a run (its winner)
    weights: String,
    /// The format to write
    #[arg(long, value_parser = PossibleValuesParser::new(Format::VARIANTS))]
    format: String,
    /// The file to write instead of standard output
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

pub(super) fn run(args: &ExportArgs, registry: &Registry) -> anyhow::Result<()> {
    let path = Path::new(&args.weights);
    let weights = match path.is_dir() {
        true => winner_of_run(path, registry)?.0,
        false => Weights::find_of_any_game(&args.weights, registry.known(), Path::new(""))?,
    };
    let text = export(&weights, args.format.parse()?);
    match &args.out {
        None => print(&text),
        Some(path) if is_input(&args.weights, path) => {
            let message =
                "is the weight file itself, or a file of the run; name another file with --out";
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
        // No file of a run is overwritten.
        (Ok(input), Ok(output)) if input.is_dir() => output.starts_with(&input),
        (Ok(input), Ok(output)) => input == output,
        _ => false,
    }
}
