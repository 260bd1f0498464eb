//! A conversation with a UCI engine: handshake, options, games, searches. Every wait has a limit.

use std::time::{Duration, Instant};

use thiserror::Error;

use super::line::MAX_LINE;
use super::process::{Ending, Invocation, Program, Reading};
use super::uci::{Announced, Report, best_move};
use tictune_core::agent::Lateness;

/// How long an engine may take to answer `uci` or `isready`. Large hash tables take a while.
pub(crate) const PATIENCE: Duration = Duration::from_secs(10);

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

#[derive(Debug)]
pub(crate) struct Engine {
    program: Program,
    pub(crate) announced: Announced,
}

impl Engine {
    pub(crate) fn start(invocation: &Invocation, name: &str) -> Result<Self, EngineError> {
        let program = invocation.spawn(name, MAX_LINE).map_err(EngineError::Start)?;
        let mut engine = Self { program, announced: Announced::default() };
        engine.ask("uci", "uciok")?;
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

    /// Lets it search: `position` and `go` are whole lines. Returns its move in text, and what it said of the search.
    pub(crate) fn search(
        &mut self,
        position: &str,
        go: &str,
        deadline: Instant,
    ) -> Result<(String, Report), EngineError> {
        // What it still had to say of an earlier search is no answer to this one.
        let _ = self.program.waiting().count();
        self.program.write(format!("{position}\n{go}\n"));
        let mut report = Report::default();
        loop {
            let line = self.line(deadline, EngineError::Late)?;
            match best_move(&line) {
                Some(mv) => return Ok((mv.to_string(), report)),
                None => report.read(&line),
            }
        }
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
