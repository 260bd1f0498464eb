//! A conversation with a UCI engine: handshake, options, games, searches. Every wait has a limit.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use super::line::MAX_LINE;
use super::process::{Invocation, Program};
use super::uci::{Announced, Report, best_move};
use tictune_core::agent::{Failure, Lateness};
use tictune_core::arena::lock;

/// How long an engine may take to answer `uci` or `isready`. Large hash tables take a while.
pub(crate) const PATIENCE: Duration = Duration::from_secs(10);

/// How long an engine may take to end a search that it is told to stop.
const STOP_PATIENCE: Duration = Duration::from_secs(1);

/// The commands that were started and did not answer, and how often in succession. Each start takes [`PATIENCE`], and a run may start an
/// engine for every game.
static SILENT: Mutex<BTreeMap<Vec<String>, u32>> = Mutex::new(BTreeMap::new());

/// How often an engine is started that says nothing.
const MOST_SILENT_STARTS: u32 = 2;

/// Why there is no engine to talk to, in words.
pub(crate) struct NotReady {
    pub(crate) why: String,
    /// Whether its program starts, but does not say what it is.
    pub(crate) starts: bool,
}

#[derive(Debug)]
pub(crate) struct Engine {
    program: Program,
    pub(crate) announced: Announced,
}

impl Engine {
    /// Starts an engine, which says what it is.
    pub(crate) fn start(invocation: &Invocation, name: &str) -> Result<Self, NotReady> {
        let command = &invocation.words;
        let silent = || NotReady {
            why: format!(
                "it did not answer \"uci\" with \"uciok\" within {} s. Is it a UCI engine, and does it flush its output?",
                PATIENCE.as_secs()
            ),
            starts: true,
        };
        if lock(&SILENT).get(command).is_some_and(|times| *times >= MOST_SILENT_STARTS) {
            return Err(silent());
        }
        let program =
            invocation.spawn(name, MAX_LINE).map_err(|why| NotReady { why, starts: false })?;
        let mut engine = Self { program, announced: Announced::default() };
        match engine.ask("uci", "uciok") {
            Ok(()) => {
                lock(&SILENT).remove(command);
                Ok(engine)
            }
            Err(Failure::Timeout { .. }) => {
                *lock(&SILENT).entry(command.clone()).or_default() += 1;
                Err(silent())
            }
            Err(Failure::Ended(how)) => {
                let why = format!("it ended before it said uciok: {how}");
                Err(NotReady { why, starts: true })
            }
            Err(other) => Err(NotReady { why: other.to_string(), starts: true }),
        }
    }

    pub(crate) fn send(&self, line: &str) {
        self.program.write(format!("{line}\n"));
    }

    pub(crate) fn set(&self, name: &str, value: &str) -> Result<(), Failure> {
        let line = self.announced.set(name, value).map_err(Failure::Start)?;
        self.send(&line);
        Ok(())
    }

    /// Prepares it for a game: it forgets the one before, its hash table included where it has a button for that.
    pub(crate) fn new_game(&mut self) -> Result<(), Failure> {
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

    /// Waits for the end of a search: the line that says its best move, and what it said before.
    pub(crate) fn found(&mut self, deadline: Instant) -> Result<(String, Report), Failure> {
        let mut report = Report::default();
        loop {
            let line = self.program.line(deadline)?;
            if best_move(&line).is_some() {
                return Ok((line, report));
            }
            report.read(&line);
        }
    }

    /// Ends a search whose result nobody wants.
    pub(crate) fn stop(&mut self) -> Result<(), Failure> {
        self.send("stop");
        self.found(Instant::now() + STOP_PATIENCE).map(drop)
    }

    pub(crate) fn lateness(&self, due: Instant) -> Lateness {
        self.program.lateness(due, |line| best_move(line).is_some())
    }

    /// Tells it to end, and says whether it does.
    pub(crate) fn quit(&mut self) -> bool {
        self.send("quit");
        self.program.finish()
    }

    /// Asks, and waits for a line that is the answer. Lines before it may announce something.
    fn ask(&mut self, asked: &str, expected: &str) -> Result<(), Failure> {
        self.send(asked);
        let deadline = Instant::now() + PATIENCE;
        loop {
            let line = self.program.line(deadline)?;
            if line.trim() == expected {
                return Ok(());
            }
            self.announced.read(&line);
        }
    }
}
