//! A conversation with a person: text out, lines in.

use std::io::{IsTerminal, stdin, stdout};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::Duration;

use anyhow::ensure;
#[cfg(unix)]
use rustix::termios::OptionalActions;
use rustyline::DefaultEditor;
use rustyline::error::ReadlineError;

use super::{Session, print};
use crate::evolve::RunError;
use crate::programs::line::read_line;
use crate::registry::Console;

pub(super) struct Terminal<'s> {
    session: &'s Session,
    lines: Lines,
    stop: &'s AtomicBool,
}

enum Lines {
    /// Input and output are terminals: lines can be edited, and the arrow keys recall earlier ones.
    Edited(Box<DefaultEditor>),
    /// Input or output is a pipe or a file.
    Plain {
        lines: Receiver<std::io::Result<String>>,
        /// Whether to print each line after the prompt, because no terminal does.
        echo: bool,
    },
}

impl<'s> Terminal<'s> {
    pub(super) fn new(session: &'s Session) -> anyhow::Result<Self> {
        let stop = session.stop_flag()?;
        let typed = stdin().is_terminal();
        let lines = if typed && stdout().is_terminal() {
            Lines::Edited(Box::new(DefaultEditor::new()?))
        } else {
            Lines::Plain { lines: in_background(|| read_line(&mut stdin().lock())), echo: !typed }
        };
        Ok(Self { session, lines, stop })
    }
}

/// What standard input has, each item read when it is needed, on a thread of its own: a signal ends the wait for it.
pub(super) fn in_background<T: Send + 'static>(
    read: impl Fn() -> std::io::Result<Option<T>> + Send + 'static,
) -> Receiver<std::io::Result<T>> {
    let (sender, items) = sync_channel(1);
    std::thread::spawn(move || {
        while let Some(item) = read().transpose() {
            let failed = item.is_err();
            if sender.send(item).is_err() || failed {
                break;
            }
        }
    });
    items
}

/// The next of them; `None` at the end.
pub(super) fn next_of<T>(
    items: &Receiver<std::io::Result<T>>,
    stop: &AtomicBool,
) -> anyhow::Result<Option<T>> {
    loop {
        ensure!(!stop.load(Ordering::Relaxed), RunError::Interrupted);
        match items.recv_timeout(Duration::from_millis(50)) {
            Ok(item) => return Ok(Some(item?)),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return Ok(None),
        }
    }
}

/// Edits a line. The line editor does not return when a signal comes: the terminal is put back as it was, and the process ends.
fn edited(
    session: &Session,
    editor: &mut DefaultEditor,
    prompt: &str,
) -> anyhow::Result<Option<String>> {
    #[cfg(unix)]
    let modes = rustix::termios::tcgetattr(stdin());
    let verbosity = session.verbosity;
    let leave = move || {
        #[cfg(unix)]
        if let Ok(modes) = &modes {
            let _ = rustix::termios::tcsetattr(stdin(), OptionalActions::Now, modes);
        }
        verbosity.note("");
        130
    };
    match session.interrupt.waiting(leave, || editor.readline(prompt)) {
        Ok(line) => {
            let _ = editor.add_history_entry(&line);
            Ok(Some(line))
        }
        Err(ReadlineError::Eof) => Ok(None),
        Err(ReadlineError::Interrupted) => Err(RunError::Interrupted.into()),
        Err(error) => Err(error.into()),
    }
}

impl Console for Terminal<'_> {
    fn say(&mut self, text: &str) -> anyhow::Result<()> {
        print(text)
    }

    fn ask(&mut self, prompt: &str) -> anyhow::Result<Option<String>> {
        let Self { session, lines, stop } = self;
        // A signal that comes while nothing is at work does not end this process by force.
        session.interrupt.idle(|| match lines {
            Lines::Edited(_) if stop.load(Ordering::Relaxed) => Err(RunError::Interrupted.into()),
            Lines::Edited(editor) => edited(session, editor, prompt),
            Lines::Plain { lines, echo } => {
                print(prompt)?;
                let line = next_of(lines, stop)?;
                match &line {
                    Some(line) if *echo => print(&format!("{line}\n"))?,
                    Some(_) => {}
                    None => print("\n")?,
                }
                Ok(line)
            }
        })
    }
}
