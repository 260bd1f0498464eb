//! Running another program and talking to it in lines.
//!
//! Every pipe has a thread of its own, so that whatever the program does, whoever asks it waits no
//! longer than they want to: one that reads nothing, one that floods its output, one that is silent.
//! A program and all that it started end when its [`Program`] is dropped.

use std::io::{self, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender, SyncSender};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use std::{fmt, thread};

use super::last_words::LastWords;
use super::line::{MAX_LINE, read_line, read_piece};
use super::running;
use tictune_core::agent::Lateness;

/// Lines of output that wait to be read; a program that writes more has to wait.
const MOST_WAITING: usize = 64;

/// Bytes of a program's standard error that are logged; the rest is read and dropped.
const MOST_LOGGED: usize = 64 * 1024;

/// What a line counts for at least: logs put more around it.
const LEAST_LOGGED: usize = 64;

/// How long the last words of a program that has ended are waited for, the end of what it had started, and an answer that is
/// too late.
const GRACE: Duration = Duration::from_millis(200);

/// A program and its arguments, ready to be run any number of times.
#[derive(Clone, Debug)]
pub struct Launcher {
    name: String,
    program: String,
    arguments: Vec<String>,
    env: Vec<(String, String)>,
    longest_line: usize,
}

impl Launcher {
    /// A program, its arguments, and variables for its environment. No shell looks at them. Logs call the program `name`.
    /// `None` if there is no word.
    #[must_use]
    pub fn new(words: Vec<String>, env: Vec<(String, String)>, name: &str) -> Option<Self> {
        let mut words = words.into_iter();
        let program = words.next()?;
        let (name, arguments) = (name.into(), words.collect());
        Some(Self { name, program, arguments, env, longest_line: MAX_LINE })
    }

    /// Takes lines of output of up to so many bytes; longer ones come in pieces.
    #[must_use]
    pub(crate) fn longest_line(self, bytes: usize) -> Self {
        Self { longest_line: bytes, ..self }
    }

    /// Starts the program.
    ///
    /// # Errors
    /// It is not there, may not be run, or the system has no more processes or threads to give.
    pub fn start(&self) -> Result<Program, StartError> {
        self.spawn().map_err(|source| StartError { program: self.program.clone(), source })
    }

    fn spawn(&self) -> io::Result<Program> {
        let mut command = Command::new(&self.program);
        command.args(&self.arguments).envs(self.env.iter().map(|(name, value)| (name, value)));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        // In a group of its own it can be ended with all that it started, and Ctrl-C, which stops a run in
        // good order, does not end it in mid-game.
        let mut process = Process { child: running::start(&mut command)?, ended: false };
        let pid = process.child.id();
        let (requests, queue) = mpsc::channel();
        let (queue_in, answers) = mpsc::sync_channel(MOST_WAITING);
        let (heard, stderr_end) = mpsc::channel::<()>();
        let last_words = Arc::new(Mutex::new(LastWords::default()));
        if let Some(stdin) = process.child.stdin.take() {
            thread::Builder::new().spawn(move || write_all(stdin, &queue))?;
        }
        if let Some(stdout) = process.child.stdout.take() {
            let longest = self.longest_line;
            thread::Builder::new().spawn(move || read_answers(stdout, longest, &queue_in))?;
        }
        if let Some(stderr) = process.child.stderr.take() {
            let (name, last_words) = (self.name.clone(), Arc::clone(&last_words));
            thread::Builder::new().spawn(move || {
                log_errors(stderr, &name, pid, &last_words);
                drop(heard);
            })?;
        }
        Ok(Program { process, requests: Some(requests), answers, stderr_end, last_words })
    }
}

/// A program that could not be started.
#[derive(Debug)]
pub struct StartError {
    program: String,
    source: io::Error,
}

impl fmt::Display for StartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{}\": {}", self.program.escape_debug(), self.source)
    }
}

impl std::error::Error for StartError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.source)
    }
}

fn write_all(mut stdin: ChildStdin, queue: &Receiver<String>) {
    // A program that listens no longer may still talk: if it does not, that is what is noticed.
    for text in queue {
        if stdin.write_all(text.as_bytes()).and_then(|()| stdin.flush()).is_err() {
            return;
        }
    }
}

fn read_answers(stdout: impl Read, longest: usize, queue: &SyncSender<String>) {
    let mut stdout = BufReader::new(stdout);
    while let Ok(Some(line)) = read_piece(&mut stdout, longest) {
        if queue.send(line).is_err() {
            return;
        }
    }
}

fn log_errors(stderr: impl Read, name: &str, pid: u32, last_words: &Mutex<LastWords>) {
    let mut stderr = BufReader::new(stderr);
    let mut logged = 0;
    while let Ok(Some(line)) = read_line(&mut stderr) {
        last_words.lock().unwrap_or_else(PoisonError::into_inner).hear(&line);
        if logged > MOST_LOGGED {
            continue;
        }
        logged += line.len().max(LEAST_LOGGED);
        tracing::info!(program = name, pid, stderr = line);
        if logged > MOST_LOGGED {
            tracing::info!(program = name, pid, "the rest of its standard error is not logged");
        }
    }
}

/// A program that runs.
#[derive(Debug)]
pub struct Program {
    process: Process,
    /// Closed when the program's input is to end.
    requests: Option<Sender<String>>,
    answers: Receiver<String>,
    /// Disconnected when the program's standard error has ended.
    stderr_end: Receiver<()>,
    last_words: Arc<Mutex<LastWords>>,
}

/// How a program ended after its input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ending {
    /// Its exit status; `None` if it had to be killed.
    pub status: Option<std::process::ExitStatus>,
    /// How many processes that it had started went on, at least.
    pub left_running: usize,
}

/// The result of waiting for a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reading {
    /// A line, without its end.
    Line(String),
    /// None came in time.
    Late,
    /// The program closed its output: none will come any more.
    Closed,
}

impl Program {
    /// Sends text, without waiting for the program to read it.
    pub fn write(&self, text: String) {
        // The queue is closed once the program has closed its input, which is its own affair.
        let _ = self.requests.as_ref().map(|requests| requests.send(text));
    }

    /// Waits for a line until a deadline.
    pub fn read(&self, deadline: Instant) -> Reading {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Reading::Late;
        }
        match self.answers.recv_timeout(left) {
            Ok(line) => Reading::Line(line),
            Err(RecvTimeoutError::Timeout) => Reading::Late,
            Err(RecvTimeoutError::Disconnected) => Reading::Closed,
        }
    }

    /// Waits a little longer for an answer that is too late, so that a program which is slow can be told from one that hangs.
    /// It was due at `due`.
    pub fn lateness(&self, due: Instant, mut is_answer: impl FnMut(&str) -> bool) -> Lateness {
        let deadline = Instant::now() + GRACE;
        loop {
            let reading = self.read(deadline);
            let milliseconds = u64::try_from(due.elapsed().as_millis()).unwrap_or(u64::MAX);
            match reading {
                Reading::Line(line) if is_answer(&line) => {
                    return Lateness::Answered { milliseconds };
                }
                Reading::Line(_) => {}
                Reading::Late => return Lateness::Silent { milliseconds },
                Reading::Closed => return Lateness::Unknown,
            }
        }
    }

    /// Lines that have arrived and were not read yet; not all of them, if the program keeps writing.
    pub fn waiting(&self) -> impl Iterator<Item = String> {
        self.answers.try_iter().take(MOST_WAITING)
    }

    /// Closes its input, as soon as it has got what was written.
    pub(crate) fn close_input(&mut self) {
        self.requests = None;
    }

    /// How it ended; `None` if it has not ended by itself until a deadline.
    pub fn status(&mut self, deadline: Instant) -> Option<ExitStatus> {
        self.process.wait_until(deadline)
    }

    /// How a program that closed its output ended, and the last that it wrote on standard error.
    pub(crate) fn obituary(&mut self) -> String {
        let mut text = match self.process.wait_until(Instant::now() + GRACE) {
            Some(status) => status.to_string(),
            None => "it closed its standard output".into(),
        };
        let _ = self.stderr_end.recv_timeout(GRACE);
        let last_words = self.last_words();
        if !last_words.is_empty() {
            text += &format!("; its last words: {last_words}");
        }
        text
    }

    /// The last that it wrote on standard error: see [`LastWords`]; empty if there is nothing.
    #[must_use]
    pub(crate) fn last_words(&self) -> String {
        self.last_words.lock().unwrap_or_else(PoisonError::into_inner).text.clone()
    }

    /// Closes its input, and waits for it to end by itself. Then it is killed with all that it left.
    pub fn finish(&mut self, patience: Duration) -> Ending {
        let group = self.process.child.id();
        let started = running::descendants(group);
        self.close_input();
        let deadline = Instant::now() + patience;
        let status = loop {
            match self.process.child.try_wait() {
                Ok(None) if Instant::now() < deadline => thread::sleep(Duration::from_millis(2)),
                status => break status.ok().flatten(),
            }
        };
        let left_running = status.map_or(0, |_| left_running(&started, group));
        started.into_iter().for_each(running::kill);
        self.process.end();
        Ending { status, left_running }
    }
}

/// How many of the processes that a program started go on after it, at least. They may need a moment to notice its end.
fn left_running(started: &[u32], group: u32) -> usize {
    let deadline = Instant::now() + GRACE;
    loop {
        let others = started.iter().filter(|process| running::runs(**process)).count();
        let count = others.max(usize::from(running::group_runs(group)));
        if count == 0 || Instant::now() >= deadline {
            return count;
        }
        thread::sleep(Duration::from_millis(5));
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        self.process.end();
        // What it wrote before its end is logged, unless something that escaped holds the pipe open.
        let _ = self.stderr_end.recv_timeout(GRACE);
    }
}

/// A child process that leaves no zombie.
#[derive(Debug)]
struct Process {
    child: Child,
    ended: bool,
}

impl Process {
    /// Waits for it to end by itself.
    fn wait_until(&mut self, deadline: Instant) -> Option<ExitStatus> {
        loop {
            if let Ok(Some(status)) = self.child.try_wait() {
                self.end();
                return Some(status);
            }
            if Instant::now() >= deadline {
                return None;
            }
            thread::sleep(Duration::from_millis(2));
        }
    }

    /// Ends it with all that it started, once.
    fn end(&mut self) {
        if std::mem::replace(&mut self.ended, true) {
            return;
        }
        running::end(&mut self.child);
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.end();
    }
}
