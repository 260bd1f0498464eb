//! Where logs go.

use std::fs::File;
use std::path::PathBuf;
use std::sync::Mutex;

use clap::Args;

use crate::files::FileError;

/// The log of a command that has no run folder.
#[derive(Debug, Args)]
pub(super) struct LogArgs {
    /// Write forfeited games, and the standard error of external programs, to this file
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
}

impl LogArgs {
    /// Begins the log, in a new file, if one is wanted.
    pub(super) fn open(&self) -> Result<(), FileError> {
        if let Some(path) = &self.log {
            log_to(File::create(path).map_err(FileError::writing(path))?);
        }
        Ok(())
    }
}

/// Sends structured logs to a file from now on.
pub(super) fn log_to(file: File) {
    let subscriber =
        tracing_subscriber::fmt().with_writer(Mutex::new(file)).with_ansi(false).finish();
    let _ = tracing::subscriber::set_global_default(subscriber);
}
