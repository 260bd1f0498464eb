//! A conversation with a UCI engine: handshake, options, games, searches. Every wait has a limit.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use thiserror::Error;

use super::line::MAX_LINE;
use super::process::{Ending, Invocation, Program, Reading};
use super::uci::{Announced, Report, best_move};
use tictune_core::agent::Lateness;
use tictune_core::arena::lock;

/// How long an engine may take to answer `uci` or `isready`. Large hash tables take a while.
pub(crate) const PATIENCE: Duration = Duration::from_secs(10);

/// How long an engine may take to end a search that it is told to stop.
const STOP_PATIENCE: Duration = Duration::from_secs(1);

#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum EngineError {
    #[error("{0}")]
    Start(String),
    #[error("it did not answer \"{asked}\" with \"{expected}\" within {} s", PATIENCE.as_secs())]
    Silent { asked: &'static str, expected: &'static str },
    #[error("{0}")]
    Ended(String),
    #[error("no move in time")]
    Late,
    #[error("{0}")]
    Option(String),
}

/// The commands that were started in vain, and how often in succession. Each start takes [`PATIENCE`], and a run may start an
/// engine for every game.
static SILENT: Mutex<BTreeMap<Vec<String>, (u32, EngineError)>> = Mutex::new(BTreeMap::new());

/// How often an engine is started that says nothing.
const MOST_SILENT_STARTS: u32 = 2;

/// What an engine says at the end of a search.
pub(crate) struct Found {
    pub(crate) mv: String,
    /// The reply that it expects.
    pub(crate) reply: Option<String>,
    pub(crate) report: Report,
}

#[derive(Debug)]
pub(crate) struct Engine {
    program: Program,
    pub(crate) announced: Announced,
}

impl Engine {
    pub(crate) fn start(invocation: &Invocation, name: &str) -> Result<Self, EngineError> {
        let command = &invocation.words;
        let known =
            lock(&SILENT).get(command).filter(|(times, _)| *times >= MOST_SILENT_STARTS).cloned();
        if let Some((_, error)) = known {
            return Err(error);
        }
        let program = invocation.spawn(name, MAX_LINE).map_err(EngineError::Start)?;
        let mut engine = Self { program, announced: Announced::default() };
        if let Err(error) = engine.ask("uci", "uciok") {
            if matches!(error, EngineError::Silent { .. }) {
                let mut silent = lock(&SILENT);
                silent.entry(command.clone()).or_insert((0, error.clone())).0 += 1;
            }
            return Err(error);
        }
        lock(&SILENT).remove(command);
        Ok(engine)
    }

    pub(crate) fn send(&self, line: &str) {
        self.program.write(format!("{line}\n"));
    }

    pub(crate) fn set(&self, name: &str, value: &str) -> Result<(), EngineError> {
        let line = self.announced.set(name, value).map_err(EngineError::Option)?;
        self.send(&line);
        Ok(())
    }

    /// Prepares it for a game: it forgets the one before, its hash table included where it has a button for that.
    pub(crate) fn new_game(&mut self) -> Result<(), EngineError> {
        self.send("ucinewgame");
        if self.announced.set("Clear Hash", "").is_ok() {
            self.send("setoption name Clear Hash");
        }
        self.ask("isready", "readyok")
    }

    /// Lets it search: `position` and `go` are whole lines.
    pub(crate) fn go(&mut self, position: &str, go: &str) {
        // What it still had to say of an earlier search is no answer to this one.
        let _ = self.program.waiting().count();
        self.program.write(format!("{position}\n{go}\n"));
    }

    /// Waits for the end of a search.
    pub(crate) fn found(&mut self, deadline: Instant) -> Result<Found, EngineError> {
        let mut report = Report::default();
        loop {
            let line = self.line(deadline, EngineError::Late)?;
            match best_move(&line) {
                Some((mv, reply)) => {
                    return Ok(Found { mv: mv.into(), reply: reply.map(String::from), report });
                }
                None => report.read(&line),
            }
        }
    }

    /// Ends a search whose result nobody wants.
    pub(crate) fn stop(&mut self) -> Result<(), EngineError> {
        self.send("stop");
        self.found(Instant::now() + STOP_PATIENCE).map(drop)
    }

    pub(crate) fn lateness(&self, due: Instant) -> Lateness {
        self.program.lateness(due, |line| best_move(line).is_some())
    }

    /// Tells it to end, and waits for that. Then it is killed with all that it left.
    pub(crate) fn quit(&mut self, patience: Duration) -> Ending {
        self.send("quit");
        self.program.finish(patience)
    }

    /// Asks, and waits for a line that is the answer. Lines before it may announce something.
    fn ask(&mut self, asked: &'static str, expected: &'static str) -> Result<(), EngineError> {
        self.send(asked);
        let deadline = Instant::now() + PATIENCE;
        loop {
            let line = self.line(deadline, EngineError::Silent { asked, expected })?;
            if line.trim() == expected {
                return Ok(());
            }
            self.announced.read(&line);
        }
    }

    fn line(&mut self, deadline: Instant, late: EngineError) -> Result<String, EngineError> {
        match self.program.read(deadline) {
            Reading::Line(line) => Ok(line),
            Reading::Late => Err(late),
            Reading::Closed => Err(EngineError::Ended(self.program.obituary())),
        }
    }
}
