//! A runner's program: one that stays and answers line by line, or one that is started for each request.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::RunnerSettings;
use super::request::Request;
use crate::process::{Ending, Launcher, Program, Reading};
use tictune_core::arena::GameResult;
use tictune_core::input::excerpt;

/// How often the stop flag is looked at while a program is awaited.
const POLL: Duration = Duration::from_millis(50);

/// How many characters of a request that was not answered are shown.
const SHOWN: usize = 200;

/// The longest line of output in bytes. One that is longer is no answer.
const MAX_ANSWER: usize = 1 << 20;

/// Why a request was not answered.
#[derive(Debug)]
pub(super) enum Failed {
    /// The work was asked to stop.
    Stopped,
    /// The program ended or was silent: another one may answer.
    Lost(String),
    /// What it answered does not fit, or it cannot be started.
    Wrong(String),
}

/// A program that stays.
#[derive(Debug)]
pub(super) struct Process {
    program: Program,
    /// Requests so far: the last one's id.
    requests: u64,
    /// Lines of output so far.
    lines: u64,
}

impl Process {
    /// Starts the program of an agent.
    pub(super) fn start(settings: &RunnerSettings) -> Result<Self, Failed> {
        let words = settings.plain_words().map_err(|error| Failed::Wrong(error.message))?;
        Ok(Self { program: launch(words, settings)?, requests: 0, lines: 0 })
    }

    /// Ends its input, and waits for its end.
    pub(super) fn end(mut self, patience: Duration) -> Ending {
        self.program.finish(patience)
    }

    /// Has a request answered.
    pub(super) fn ask(
        &mut self,
        request: &Request<'_>,
        stop: &AtomicBool,
    ) -> Result<Vec<GameResult>, Failed> {
        self.requests += 1;
        let id = self.requests;
        let line = request.line(id);
        self.program.write(format!("{line}\n"));
        let timeout = request.agents[0].timeout;
        let deadline = Instant::now() + timeout;
        let start: String = line.chars().take(SHOWN).collect();
        let more = if start.len() < line.len() { " ..." } else { "" };
        let about = |what: &str| {
            tracing::warn!(request = %line, what, "request not answered");
            format!("{what}; the request: {start}{more}")
        };
        let answer = loop {
            match read(&self.program, deadline, stop)? {
                Reading::Line(text) => {
                    self.lines += 1;
                    if !text.trim().is_empty() {
                        break text;
                    }
                }
                Reading::Late => {
                    let timeout = humantime::format_duration(timeout);
                    return Err(Failed::Lost(about(&format!(
                        "no answer to request {id} within {timeout}"
                    ))));
                }
                Reading::Closed => {
                    let how = self.program.obituary();
                    return Err(Failed::Lost(about(&format!(
                        "ended before it answered request {id}: {how}"
                    ))));
                }
            }
        };
        request.read(id, &answer).map_err(|what| {
            let (number, text) = (self.lines, excerpt(&answer));
            let line =
                format!("line {number} of its output, \"{text}\", is no answer to request {id}");
            Failed::Wrong(about(&format!("{line}: {what}")))
        })
    }
}

/// Has a request played by a program that is started for it.
pub(super) fn play_once(
    request: &Request<'_>,
    stop: &AtomicBool,
) -> Result<Vec<GameResult>, Failed> {
    let [candidate, opponent] = request.agents;
    let (pairs, seed) = (request.pairs() as u64, request.seeds.first().copied().unwrap_or(0));
    let words = candidate.words(opponent, pairs, seed);
    let words = words.map_err(|error| Failed::Wrong(error.message))?;
    let command = shlex::try_join(words.iter().map(String::as_str)).unwrap_or_default();
    let about = |what: &str| format!("{what}; the command: {command}");
    let mut program = launch(words, candidate)?;
    program.close_input();
    let deadline = Instant::now() + candidate.timeout;
    let too_late = || {
        let timeout = humantime::format_duration(candidate.timeout);
        Failed::Lost(about(&format!("did not end within {timeout}")))
    };
    let mut last = String::new();
    loop {
        match read(&program, deadline, stop)? {
            Reading::Line(text) if text.trim().is_empty() => {}
            Reading::Line(text) => last = text,
            Reading::Late => return Err(too_late()),
            Reading::Closed => break,
        }
    }
    // A program may have more to do once its output is closed.
    let status = loop {
        if stop.load(Ordering::Relaxed) {
            return Err(Failed::Stopped);
        }
        match program.status(deadline.min(Instant::now() + POLL)) {
            Some(status) => break status,
            None if Instant::now() < deadline => {}
            None => return Err(too_late()),
        }
    };
    if !status.success() {
        let how = program.obituary();
        return Err(Failed::Lost(about(&format!("failed: {how}"))));
    }
    request.read_counts(&last).map_err(|what| {
        let text = excerpt(&last);
        Failed::Wrong(about(&format!("the last line of its output is \"{text}\": {what}")))
    })
}

fn launch(words: Vec<String>, settings: &RunnerSettings) -> Result<Program, Failed> {
    let launcher = Launcher::new(words, Vec::new(), &settings.command);
    let launcher = launcher.ok_or_else(|| Failed::Wrong("its command is empty".into()))?;
    let started = launcher.longest_line(MAX_ANSWER).start();
    started.map_err(|error| Failed::Wrong(format!("cannot be started: {error}")))
}

/// Waits for a piece of output until a deadline; the stop flag ends the wait.
fn read(program: &Program, deadline: Instant, stop: &AtomicBool) -> Result<Reading, Failed> {
    loop {
        if stop.load(Ordering::Relaxed) {
            return Err(Failed::Stopped);
        }
        match program.read(deadline.min(Instant::now() + POLL)) {
            Reading::Late if Instant::now() < deadline => {}
            reading => return Ok(reading),
        }
    }
}
