//! The log files of commands.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use clap::Args;
use tracing::Level;

use super::Session;
use super::verbosity::{LogFormat, Verbosity};
use crate::evolve::RunError;
use crate::files::{FileError, NamedFile, TEMPORARY_PREFIX, create_folder, lock, open_own};
use crate::input::InputError;

/// The log option of a command without a run folder.
#[derive(Debug, Args)]
pub(super) struct LogArgs {
    /// Write forfeited games, and the standard error of external programs, to this file
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
}

impl LogArgs {
    /// Starts the log in a new file, if one was asked for: one that no other output of the command goes to.
    pub(super) fn open(&self, session: &Session, others: &[NamedFile]) -> anyhow::Result<()> {
        let Some(path) = &self.log else { return Ok(()) };
        let file = NamedFile::new("--log", path)?;
        if others.iter().any(|other| other.is_same(&file)) {
            let message = format!("--log {}: names a file that the results go to", path.display());
            return Err(InputError::new(message).into());
        }
        session.log_to(file.open()?);
        Ok(())
    }
}

impl Session {
    /// Sends structured logs to the run's log file, which also locks the folder against a second process.
    pub(super) fn open_log(&self, folder: &Path) -> anyhow::Result<File> {
        let file = lock_log(folder)?;
        self.log_to(file.try_clone().map_err(FileError::writing(&folder.join("log.txt")))?);
        Ok(file)
    }

    fn log_to(&self, file: File) {
        let _ = self.log.file.set(Mutex::new(file));
        self.start_log();
    }

    /// Begins to log, to the file of [`log_to`](Self::log_to) and, where that was asked for, to standard error. Another program's
    /// own log is left alone.
    pub(super) fn start_log(&self) {
        if !self.is_process {
            return;
        }
        let level = if self.verbosity.verbose > 1 { Level::DEBUG } else { Level::INFO };
        let log = Arc::clone(&self.log);
        let writer = move || Sink(Arc::clone(&log));
        let log =
            tracing_subscriber::fmt().with_writer(writer).with_ansi(false).with_max_level(level);
        let _ = match self.verbosity.log_format {
            LogFormat::Text => tracing::subscriber::set_global_default(log.finish()),
            LogFormat::Json => tracing::subscriber::set_global_default(log.json().finish()),
        };
    }
}

/// Locks the folder in the same way, and writes nothing to the run's log file.
pub(super) fn lock_log(folder: &Path) -> anyhow::Result<File> {
    create_folder(folder).map_err(FileError::writing(folder))?;
    let file = open_own(&folder.join("log.txt")).map_err(RunError::from)?;
    lock(&file, folder, "another tictune is running in this folder")?;
    Ok(file)
}

/// Whether a folder holds nothing but such files and temporary ones, as what a command that was stopped early leaves.
pub(super) fn holds_only(folder: &Path, is_own: impl Fn(&str) -> bool) -> Result<bool, FileError> {
    let mut entries = std::fs::read_dir(folder).map_err(FileError::reading(folder))?;
    Ok(entries.all(|entry| {
        entry.is_ok_and(|entry| {
            let name = entry.file_name();
            let name = name.to_string_lossy();
            is_own(&name) || name.starts_with(TEMPORARY_PREFIX)
        })
    }))
}

/// Where the events of a command go.
pub(super) struct Log {
    to_stderr: bool,
    file: OnceLock<Mutex<File>>,
}

impl Log {
    pub(super) fn new(verbosity: Verbosity) -> Self {
        Self { to_stderr: verbosity.shows_log(), file: OnceLock::new() }
    }
}

struct Sink(Arc<Log>);

impl Write for Sink {
    fn write(&mut self, event: &[u8]) -> std::io::Result<usize> {
        if self.0.to_stderr {
            let _ = std::io::stderr().write_all(event);
        }
        if let Some(file) = self.0.file.get() {
            file.lock().unwrap_or_else(PoisonError::into_inner).write_all(event)?;
        }
        Ok(event.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
