//! The log files of commands.

use std::fs::File;
use std::path::PathBuf;
use std::sync::Mutex;

use clap::Args;

use crate::files::NamedFile;
use crate::input::InputError;

/// The log option of a command without a run folder.
#[derive(Debug, Args)]
pub(super) struct LogArgs {
    /// Write forfeited games, and the standard error of external programs, to this file
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
}

impl LogArgs {
    /// Starts the log in a new file, if one was asked for.
    pub(super) fn open(&self) -> anyhow::Result<()> {
        self.open_beside(&[])
    }

    /// The same of a command that writes other files too.
    pub(super) fn open_beside(&self, others: &[NamedFile]) -> anyhow::Result<()> {
        let Some(path) = &self.log else { return Ok(()) };
        let file = NamedFile::new("--log", path)?;
        if others.iter().any(|other| other.is_same(&file)) {
            let message = format!("--log {}: names a file that the results go to", path.display());
            return Err(InputError::new(message).into());
        }
        log_to(file.open()?);
        Ok(())
    }
}

/// Sends structured logs to a file from now on.
pub(super) fn log_to(file: File) {
    let subscriber =
        tracing_subscriber::fmt().with_writer(Mutex::new(file)).with_ansi(false).finish();
    let _ = tracing::subscriber::set_global_default(subscriber);
}
