//! What commands say beside their results: how much, in which form, and the files of their logs.

use std::fs::File;
use std::io::{IsTerminal, Write, stderr};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};

use clap::{ArgAction, Args, ValueEnum};
use tracing::Level;

use super::Session;
use super::run_folder::not_of_a_run;
use super::session::locked;
use crate::evolve::RunError;
use crate::files::{FileError, NamedFile, TEMPORARY_PREFIX, create_folder, lock, open_own};
use crate::input::{InputError, escaped};

const HEADING: &str = "Logging";

/// The options of every command.
#[derive(Clone, Copy, Debug, Default, Args)]
pub(super) struct Verbosity {
    /// Show no progress, only results, warnings and errors
    #[arg(long, short, global = true, conflicts_with = "verbose", help_heading = HEADING)]
    pub(super) quiet: bool,
    /// Show progress in plain lines, one for each generation, and the log; -vv logs more details
    #[arg(long, short, global = true, action = ArgAction::Count, help_heading = HEADING)]
    pub(super) verbose: u8,
    /// The format of the log: text, or json for one JSON object per line
    #[arg(
        long,
        global = true,
        value_enum,
        default_value_t,
        value_name = "FORM",
        hide_possible_values = true,
        help_heading = HEADING
    )]
    log_format: LogFormat,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum LogFormat {
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

    /// Writes a line to standard error, without what a terminal would obey. Where the log is there as JSON, the line is part of
    /// it, so that a program can read all.
    pub(super) fn note(self, text: &str) {
        if self.verbose > 0 && self.log_format == LogFormat::Json {
            return tracing::info!("{text}");
        }
        let _ = writeln!(stderr(), "{}", escaped(text));
    }
}

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
        not_of_a_run("--log", path)?;
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
        let log = tracing_subscriber::fmt().with_ansi(false).with_max_level(level);
        let log = log.with_writer(Arc::clone(&self.log));
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
        let name = entry.map(|entry| entry.file_name().to_string_lossy().into_owned());
        name.is_ok_and(|name| is_own(&name) || name.starts_with(TEMPORARY_PREFIX))
    }))
}

/// Where the events of a command go.
#[derive(Default)]
pub(super) struct Log {
    pub(super) to_stderr: bool,
    pub(super) file: OnceLock<Mutex<File>>,
}

impl Write for &Log {
    fn write(&mut self, event: &[u8]) -> std::io::Result<usize> {
        if self.to_stderr {
            let _ = stderr().write_all(event);
        }
        if let Some(file) = self.file.get() {
            locked(file).write_all(event)?;
        }
        Ok(event.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
