//! A conversation with a person: text out, lines in.

use std::io::{IsTerminal, stdin, stdout};
#[cfg(unix)]
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::Duration;

#[cfg(unix)]
use rustix::termios::{OptionalActions, Termios};
use rustyline::DefaultEditor;
use rustyline::error::ReadlineError;

use super::{at_rest, print, stop_flag};
use crate::evolve::RunError;
use crate::programs::line::read_line;
use crate::registry::Console;

/// Standard input and output.
pub(super) struct Terminal {
    lines: Lines,
    stop: &'static AtomicBool,
}

enum Lines {
    /// Input and output are terminals: lines can be edited, and the arrow keys recall earlier ones.
    Edited(Box<DefaultEditor>),
    /// Input or output is a pipe or a file.
    Plain {
        /// The input lines, from a thread of their own, so that a signal ends the wait for them.
        lines: Receiver<std::io::Result<String>>,
        /// Whether to print each line after the prompt, because no terminal does.
        echo: bool,
    },
}

/// Ends the wait for a line that is edited: puts the terminal back as it was. Returns whether there was such a wait.
pub(super) fn leave_editor() -> bool {
    #[cfg(unix)]
    if EDITING.swap(false, Ordering::SeqCst) {
        if let Some(modes) = MODES.get() {
            let _ = rustix::termios::tcsetattr(stdin(), OptionalActions::Now, modes);
        }
        return true;
    }
    false
}

/// Whether a line is being edited. The line editor does not return when a signal comes.
#[cfg(unix)]
static EDITING: AtomicBool = AtomicBool::new(false);

/// The modes of the terminal outside of the line editor.
#[cfg(unix)]
static MODES: OnceLock<Termios> = OnceLock::new();

impl Terminal {
    pub(super) fn new() -> anyhow::Result<Self> {
        let stop = stop_flag()?;
        let typed = stdin().is_terminal();
        let lines = if typed && stdout().is_terminal() {
            #[cfg(unix)]
            if let Ok(modes) = rustix::termios::tcgetattr(stdin()) {
                let _ = MODES.set(modes);
            }
            Lines::Edited(Box::new(DefaultEditor::new()?))
        } else {
            Lines::Plain { lines: read_in_background(), echo: !typed }
        };
        Ok(Self { lines, stop })
    }
}

/// The lines of standard input, each read when it is needed.
fn read_in_background() -> Receiver<std::io::Result<String>> {
    let (sender, lines) = sync_channel(1);
    std::thread::spawn(move || {
        let mut input = stdin().lock();
        while let Some(line) = read_line(&mut input).transpose() {
            let failed = line.is_err();
            if sender.send(line).is_err() || failed {
                break;
            }
        }
    });
    lines
}

impl Console for Terminal {
    fn say(&mut self, text: &str) -> anyhow::Result<()> {
        print(text)
    }

    fn ask(&mut self, prompt: &str) -> anyhow::Result<Option<String>> {
        // A signal that comes while nothing is at work does not end this process by force.
        at_rest(|| self.read(prompt))
    }
}

impl Terminal {
    fn read(&mut self, prompt: &str) -> anyhow::Result<Option<String>> {
        match &mut self.lines {
            Lines::Edited(editor) => {
                if self.stop.load(Ordering::Relaxed) {
                    return Err(RunError::Interrupted.into());
                }
                #[cfg(unix)]
                EDITING.store(true, Ordering::SeqCst);
                let line = editor.readline(prompt);
                #[cfg(unix)]
                EDITING.store(false, Ordering::SeqCst);
                match line {
                    Ok(line) => {
                        let _ = editor.add_history_entry(&line);
                        Ok(Some(line))
                    }
                    Err(ReadlineError::Eof) => Ok(None),
                    Err(ReadlineError::Interrupted) => Err(RunError::Interrupted.into()),
                    Err(error) => Err(error.into()),
                }
            }
            Lines::Plain { lines, echo } => {
                print(prompt)?;
                let line = loop {
                    if self.stop.load(Ordering::Relaxed) {
                        return Err(RunError::Interrupted.into());
                    }
                    match lines.recv_timeout(Duration::from_millis(50)) {
                        Ok(line) => break Some(line?),
                        Err(RecvTimeoutError::Timeout) => {}
                        Err(RecvTimeoutError::Disconnected) => break None,
                    }
                };
                match &line {
                    Some(line) if *echo => print(&format!("{line}\n"))?,
                    Some(_) => {}
                    None => print("\n")?,
                }
                Ok(line)
            }
        }
    }
}
