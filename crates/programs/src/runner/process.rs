//! A runner's program: one that stays and answers line by line, or one that is started for each request.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::RunnerSettings;
use super::request::Request;
use crate::placeholders::words_of;
use crate::process::{Invocation, Program, Reading};
use tictune_core::arena::GameResult;
use tictune_core::input::excerpt;

const POLL: Duration = Duration::from_millis(50);

const SHOWN: usize = 200;

/// The longest line of output in bytes. One that is longer is no answer.
const MAX_ANSWER: usize = 1 << 20;

#[derive(Debug)]
pub(super) enum Failed {
    Stopped,
    /// The program ended or was silent: another one may answer.
    Lost(String),
    /// What it answered does not fit, or it cannot be started.
    Wrong(String),
}

#[derive(Debug)]
pub(super) struct Process {
    command: String,
    /// A program that stays; none if one is started for each request.
    program: Option<Program>,
    /// Requests so far: the last one's id.
    requests: u64,
    lines: u64,
}

impl Process {
    pub(super) fn start(settings: &RunnerSettings) -> Result<Self, Failed> {
        let start = || launch(words_of(&settings.command).map_err(Failed::Wrong)?, settings);
        let program = (!settings.once).then(start).transpose()?;
        Ok(Self { command: settings.command.clone(), program, requests: 0, lines: 0 })
    }

    pub(super) fn is_of(&self, settings: &RunnerSettings) -> bool {
        self.command == settings.command && self.program.is_none() == settings.once
    }

    /// Whether a program that stays ends when its input does.
    pub(super) fn end(self) -> Option<bool> {
        self.program.map(|mut program| program.finish())
    }

    pub(super) fn ask(
        &mut self,
        request: &Request<'_>,
        stop: &AtomicBool,
    ) -> Result<Vec<GameResult>, Failed> {
        let Some(program) = &mut self.program else { return play_once(request, stop) };
        self.requests += 1;
        let id = self.requests;
        let line = request.line(id);
        program.write(format!("{line}\n"));
        let timeout = request.agents[0].timeout;
        let deadline = Instant::now() + timeout;
        let about = |what: String| {
            let start: String = line.chars().take(SHOWN).collect();
            let more = if start.len() < line.len() { " ..." } else { "" };
            tracing::warn!(request = %line, what, "request not answered");
            format!("{what}; the request: {start}{more}")
        };
        let answer = loop {
            match read(program, deadline, stop)? {
                Reading::Line(text) => {
                    self.lines += 1;
                    if !text.trim().is_empty() {
                        break text;
                    }
                }
                Reading::Late => {
                    let timeout = humantime::format_duration(timeout);
                    let what = format!("no answer to request {id} within {timeout}");
                    return Err(Failed::Lost(about(what + "; does it flush its output?")));
                }
                Reading::Closed => {
                    let how = program.obituary();
                    let what = format!("ended before it answered request {id}: {how}");
                    return Err(Failed::Lost(about(what)));
                }
            }
        };
        request.read(id, &answer).map_err(|what| {
            let (number, text) = (self.lines, excerpt(&answer));
            Failed::Wrong(about(format!(
                "line {number} of its output, \"{text}\", is not an answer to request {id}: {what}"
            )))
        })
    }
}

fn play_once(request: &Request<'_>, stop: &AtomicBool) -> Result<Vec<GameResult>, Failed> {
    let [candidate, opponent] = request.agents;
    let (pairs, seed) = (request.pairs(), request.seeds.first().copied().unwrap_or(0));
    let words = candidate.words(opponent, pairs, seed).map_err(Failed::Wrong)?;
    let command = shlex::try_join(words.iter().map(String::as_str)).unwrap_or_default();
    let about = |what: String| format!("{what}; the command: {command}");
    let mut program = launch(words, candidate)?;
    program.close_input();
    let deadline = Instant::now() + candidate.timeout;
    let too_late = || {
        let timeout = humantime::format_duration(candidate.timeout);
        Failed::Lost(about(format!("did not end within {timeout}")))
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
    let status = until(deadline, stop, |next| program.status(next))?.ok_or_else(too_late)?;
    if !status.success() {
        let how = program.obituary();
        return Err(Failed::Lost(about(format!("failed: {how}"))));
    }
    request.read_counts(&last).map_err(|what| {
        let text = excerpt(&last);
        Failed::Wrong(about(format!("the last line of its output is \"{text}\": {what}")))
    })
}

fn launch(words: Vec<String>, settings: &RunnerSettings) -> Result<Program, Failed> {
    let invocation = Invocation { words, ..Invocation::default() };
    let started = invocation.spawn(&settings.command, MAX_ANSWER);
    started.map_err(|error| Failed::Wrong(format!("cannot be started: {error}")))
}

fn read(program: &Program, deadline: Instant, stop: &AtomicBool) -> Result<Reading, Failed> {
    let read = |next| Some(program.read(next)).filter(|reading| *reading != Reading::Late);
    Ok(until(deadline, stop, read)?.unwrap_or(Reading::Late))
}

/// Waits for something until a deadline; the stop flag ends the wait.
fn until<T>(
    deadline: Instant,
    stop: &AtomicBool,
    mut wait: impl FnMut(Instant) -> Option<T>,
) -> Result<Option<T>, Failed> {
    loop {
        if stop.load(Ordering::Relaxed) {
            return Err(Failed::Stopped);
        }
        match wait(deadline.min(Instant::now() + POLL)) {
            None if Instant::now() < deadline => {}
            found => return Ok(found),
        }
    }
}
