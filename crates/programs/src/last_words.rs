//! What a program wrote last on its standard error.

use tictune_core::input::escaped;

/// The last line that a program wrote, shortened. Of a panic in Rust it is the line of the panic and its message, not the
/// advice and the backtrace after them.
#[derive(Debug, Default)]
pub(super) struct LastWords {
    pub(super) text: String,
    panic: Panic,
}

/// Where the text is in a panic.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Panic {
    #[default]
    None,
    /// Its place was read; the next line is its message.
    Place,
    /// Its message was read, too.
    Message,
}

impl LastWords {
    /// Hears one more line.
    pub(super) fn hear(&mut self, line: &str) {
        let words = line.trim();
        if words.is_empty() || self.panic == Panic::Message && is_aftermath(line) {
            return;
        }
        match self.panic {
            Panic::Place => {
                self.text = format!("{} {}", self.text, shown(words));
                self.panic = Panic::Message;
            }
            Panic::None | Panic::Message => {
                let is_panic = words.starts_with("thread '") && words.contains(" panicked at ");
                self.panic = match is_panic {
                    // Before Rust 1.73 the message was in the same line.
                    true if words.ends_with(':') => Panic::Place,
                    true => Panic::Message,
                    false => Panic::None,
                };
                self.text = shown(words);
            }
        }
    }
}

/// Whether a line says no more of a panic than its message does.
fn is_aftermath(line: &str) -> bool {
    line.starts_with([' ', '\t']) || line.starts_with("note: ") || line == "stack backtrace:"
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

    fn heard(lines: &str) -> String {
        let mut words = LastWords::default();
        lines.lines().for_each(|line| words.hear(line));
        words.text
    }

    #[test]
    fn the_last_line_is_kept_and_a_panic_before_what_follows_it() {
        let note = "note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace";
        let new = "thread 'main' panicked at src/main.rs:7:5:";
        let with_number = "thread 'main' (4711) panicked at src/main.rs:7:5:";
        let old = "thread 'main' panicked at 'no move', src/main.rs:7:5";
        for (lines, expected) in [
            ("ready\nout of memory\n\n".into(), "out of memory".to_string()),
            (format!("ready\n{new}\nno move\n{note}\n"), format!("{new} no move")),
            (format!("{with_number}\nno move\n{note}\n"), format!("{with_number} no move")),
            (format!("{old}\n{note}\n"), old.into()),
            (
                format!("{new}\nno move\nstack backtrace:\n   0: rust_begin_unwind\n{note}"),
                format!("{new} no move"),
            ),
            // A program may survive it.
            (format!("{new}\nno move\n{note}\ngiving up\n"), "giving up".into()),
        ] {
            assert_eq!(heard(&lines), expected, "{lines}");
        }
    }
}
