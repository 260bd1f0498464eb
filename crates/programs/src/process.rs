//! Running another program and talking to it in lines.
//!
//! Every pipe has a thread of its own, so that whatever the program does, who asks it waits no longer than they want to: one that reads
//! nothing, one that floods its output, one that is silent. A program and all that it started end when its [`Program`] is dropped.

use std::collections::BTreeMap;
use std::io::{self, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender, SyncSender};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use super::line::{MAX_LINE, read_line, read_piece};
use super::placeholders::{Placeholder, fill};
use super::running;
use tictune_core::agent::{Failure, Lateness};
use tictune_core::arena::lock;
use tictune_core::input::escaped;

/// Lines of output that wait to be read; a program that writes more has to wait.
const MOST_WAITING: usize = 64;

/// Bytes of a program's standard error that are logged; the rest is read and dropped.
const MOST_LOGGED: usize = 64 * 1024;

const LEAST_LOGGED: usize = 64;

/// How long the last words of a program that has ended are waited for, and an answer that is too late.
const LAST_WORDS: Duration = Duration::from_millis(200);

/// How long a program may take to end when nobody asks any more.
pub(crate) const END: Duration = Duration::from_secs(2);

/// What a program is started with. No shell is involved.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Invocation {
    pub words: Vec<String>,
    /// Variables of its environment, beside those of this process.
    pub env: BTreeMap<String, String>,
    /// Lines that it is sent before anything else, without their ends.
    pub setup: Vec<String>,
    pub options: BTreeMap<String, String>,
}

impl Invocation {
    /// The same with values in place of placeholders. An error gets the key of the text before it.
    pub(crate) fn filled(
        &self,
        value: &mut dyn FnMut(Placeholder) -> Result<String, String>,
    ) -> Result<Self, String> {
        let mut filled = self.clone();
        let words = filled.words.iter_mut().map(|text| ("cmd".to_string(), text));
        let env = filled.env.iter_mut().map(|(name, text)| (format!("env: {name}"), text));
        let setup = filled.setup.iter_mut().map(|text| ("setup".to_string(), text));
        let options =
            filled.options.iter_mut().map(|(name, text)| (format!("options: {name}"), text));
        for (key, text) in words.chain(env).chain(setup).chain(options) {
            *text = fill(text, &mut *value).map_err(|error| format!("{key}: {error}"))?;
        }
        Ok(filled)
    }

    /// Starts the program, and sends it the lines of its setup. Logs call it `name`.
    pub fn start(&self, name: &str) -> Result<Program, String> {
        let program = self.spawn(name, MAX_LINE)?;
        self.setup.iter().for_each(|line| program.write(format!("{line}\n")));
        Ok(program)
    }

    /// Starts a program whose lines of output have up to so many bytes; longer ones come in pieces.
    pub(crate) fn spawn(&self, name: &str, longest_line: usize) -> Result<Program, String> {
        let Some((program, arguments)) = self.words.split_first() else {
            return Err("its command is empty".into());
        };
        let mut command = Command::new(program);
        command.args(arguments).envs(&self.env);
        Program::spawn(command, longest_line, name).map_err(|error| {
            let denied = error.kind() == io::ErrorKind::PermissionDenied;
            let help = if denied { "; `chmod +x` makes a file executable" } else { "" };
            format!("\"{}\": {error}{help}", program.escape_debug())
        })
    }
}

#[derive(Debug)]
pub struct Program {
    child: Child,
    /// Closed when the program's input is to end.
    requests: Option<Sender<String>>,
    answers: Receiver<String>,
    /// Disconnected when the program's standard error has ended.
    stderr_end: Receiver<()>,
    last_words: Arc<Mutex<String>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reading {
    Line(String),
    Late,
    /// The program closed its output: none will come any more.
    Closed,
}

impl Program {
    fn spawn(mut command: Command, longest_line: usize, name: &str) -> io::Result<Self> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        // In a group of its own it can be ended with all that it started, and Ctrl-C, which stops a run in
        // good order, does not end it in mid-game.
        let mut child = running::start(&mut command)?;
        let pid = child.id();
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (requests, queue) = mpsc::channel();
        let (queue_in, answers) = mpsc::sync_channel(MOST_WAITING);
        let (heard, stderr_end) = mpsc::channel::<()>();
        let last_words = Arc::<Mutex<String>>::default();
        // From here on, an error ends the program.
        let program = Self {
            child,
            requests: Some(requests),
            answers,
            stderr_end,
            last_words: Arc::clone(&last_words),
        };
        if let (Some(stdin), Some(stdout), Some(stderr)) = pipes {
            let name = name.to_string();
            thread::Builder::new().spawn(move || write_all(stdin, &queue))?;
            thread::Builder::new().spawn(move || read_answers(stdout, longest_line, &queue_in))?;
            thread::Builder::new().spawn(move || {
                log_errors(stderr, &name, pid, &last_words);
                drop(heard);
            })?;
        }
        Ok(program)
    }

    pub fn write(&self, text: String) {
        // The queue is closed once the program has closed its input, which is its own affair.
        let _ = self.requests.as_ref().map(|requests| requests.send(text));
    }

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

    /// A line of an answer, or how the wait for one failed.
    pub(crate) fn line(&mut self, deadline: Instant) -> Result<String, Failure> {
        match self.read(deadline) {
            Reading::Line(line) => Ok(line),
            Reading::Late => Err(Failure::Timeout { attempts: 1, later: Lateness::Unknown }),
            Reading::Closed => Err(Failure::Ended(self.obituary())),
        }
    }

    /// Waits a little longer for an answer that is too late, so that a program which is slow can be told from one that hangs.
    /// It was due at `due`.
    pub fn lateness(&self, due: Instant, mut is_answer: impl FnMut(&str) -> bool) -> Lateness {
        let deadline = Instant::now() + LAST_WORDS;
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

    /// How it ended by itself; `None` if it has not until a deadline. What it left is killed.
    pub fn status(&mut self, deadline: Instant) -> Option<ExitStatus> {
        loop {
            match self.child.try_wait() {
                Ok(Some(status)) => {
                    running::end(&mut self.child);
                    return Some(status);
                }
                _ if Instant::now() >= deadline => return None,
                _ => thread::sleep(Duration::from_millis(2)),
            }
        }
    }

    /// How a program that closed its output ended, and the last that it wrote on standard error.
    pub(crate) fn obituary(&mut self) -> String {
        let mut text = match self.status(Instant::now() + LAST_WORDS) {
            Some(status) => status.to_string(),
            None => "it closed its standard output".into(),
        };
        let _ = self.stderr_end.recv_timeout(LAST_WORDS);
        let last_words = self.last_words();
        if !last_words.is_empty() {
            text += &format!("; its last words: {last_words}");
        }
        text
    }

    /// The last that it wrote on standard error: see [`keep_last_words`]; empty if there is nothing.
    pub(crate) fn last_words(&self) -> String {
        lock(&self.last_words).clone()
    }

    /// Closes its input, and says whether it ends by itself. It is killed with its group, at the latest when this is dropped.
    pub(crate) fn finish(&mut self) -> bool {
        self.close_input();
        self.status(Instant::now() + END).is_some()
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        running::end(&mut self.child);
        // What it wrote before its end is logged, unless something that escaped holds the pipe open.
        let _ = self.stderr_end.recv_timeout(LAST_WORDS);
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

fn log_errors(stderr: impl Read, name: &str, pid: u32, last_words: &Mutex<String>) {
    let mut stderr = BufReader::new(stderr);
    let mut left = MOST_LOGGED;
    while let Ok(Some(line)) = read_line(&mut stderr) {
        keep_last_words(&mut lock(last_words), &line);
        if left == 0 {
            continue;
        }
        tracing::info!(program = name, pid, stderr = line);
        // Logs put more around a line.
        left = left.saturating_sub(line.len().max(LEAST_LOGGED));
        if left == 0 {
            tracing::info!(program = name, pid, "the rest of its standard error is not logged");
        }
    }
}

/// Takes in a line of standard error, of which the last is kept, shortened. A panic in Rust has two lines, the place and the
/// message, and a note after them.
fn keep_last_words(last_words: &mut String, line: &str) {
    let follows =
        line.starts_with([' ', '\t']) || line.starts_with("note: ") || line == "stack backtrace:";
    let line = line.trim();
    if line.is_empty() || follows && last_words.contains(" panicked at ") {
        return;
    }
    // With its message it has a space, so that no third line is added.
    let is_place = |(_, place): (&str, &str)| place.ends_with(':') && !place.contains(' ');
    if last_words.split_once(" panicked at ").is_some_and(is_place) {
        *last_words += &format!(" {}", shown(line));
    } else {
        *last_words = shown(line);
    }
}

/// The beginning of a line of standard error, long enough for a path in it.
fn shown(line: &str) -> String {
    const MOST: usize = 200;
    let start: String = line.chars().take(MOST).collect();
    let more = if start.len() < line.len() { "..." } else { "" };
    escaped(&start) + more
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_line_is_kept_and_all_of_a_panic() {
        let note = "  left: 1\nstack backtrace:\n   0: main\nnote: run with `RUST_BACKTRACE=1`";
        let place = "thread 'main' (4711) panicked at src/main.rs:7:5:";
        for (lines, expected) in [
            ("ready\nout of memory\n\n", "out of memory"),
            (&*format!("ready\n{place}\nno move\n{note}\n"), &*format!("{place} no move")),
            // A program may survive it.
            (&format!("{place}\nno move\n{note}\ngiving up\n"), "giving up"),
            (&format!("{place}\n\nno move:\n{note}\n"), &format!("{place} no move:")),
            (&format!("{place}\nno move:\ngiving up:\n"), "giving up:"),
        ] {
            let mut words = String::new();
            lines.lines().for_each(|line| keep_last_words(&mut words, line));
            assert_eq!(words, expected, "{lines}");
        }
    }
}
