//! The error of bad input: file, line, message, and the text at fault with a caret under it.

use std::fmt;
use std::ops::Range;
use std::path::Path;

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};

use super::escape::{escaped, shortened};

/// What was read, or what is wrong with it.
pub type Result<T, E = InputError> = std::result::Result<T, E>;

/// Something that a user, a file or another program supplied is wrong.
///
/// It prints as one line, `FILE:LINE: MESSAGE`. [`snippet`](Self::snippet) shows the text at fault:
///
/// ```
/// use std::path::Path;
/// use tictune_core::input::InputError;
///
/// let config = "name = \"run\"\nsed = 1";
/// let message = "unknown key \"sed\"; did you mean \"seed\"?";
/// let error = InputError::in_line(Path::new("run.toml"), 2, config, message).marking(config, 13..16);
/// assert_eq!(error.to_string(), format!("run.toml:2: {message}"));
/// assert_eq!(error.snippet().unwrap(), "  |\n2 | sed = 1\n  | ^^^");
/// ```
///
/// `Debug` prints the same, so that a `main` that returns it tells people what is wrong.
#[derive(Clone, PartialEq, Eq)]
pub struct InputError {
    /// The file it came from, as the user named it.
    pub file: Option<String>,
    /// The line in that file, from 1.
    pub line: Option<usize>,
    /// What is wrong, what was expected, what to do; it names the key at fault.
    pub message: String,
    /// In a box, so that results with this error stay small.
    excerpt: Option<Box<Excerpt>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Excerpt {
    line: String,
    /// Bytes of the line; none where the whole line is meant.
    marked: Option<Range<usize>>,
}

impl InputError {
    /// An error that belongs to no file (a command line, say).
    pub fn new(message: impl Into<String>) -> Self {
        Self { file: None, line: None, message: message.into(), excerpt: None }
    }

    /// An error about a file as a whole.
    pub fn in_file(file: &Path, message: impl Into<String>) -> Self {
        Self { file: Some(file.display().to_string()), ..Self::new(message) }
    }

    /// An error about a line of a file, from 1, whose whole text is given.
    pub fn in_line(file: &Path, line: usize, text: &str, message: impl Into<String>) -> Self {
        Self { line: Some(line), ..Self::in_file(file, message) }.showing(text, line)
    }

    pub(super) fn showing(self, text: &str, line: usize) -> Self {
        let found = text.lines().nth(line.saturating_sub(1));
        let excerpt = found.map(|line| Box::new(Excerpt { line: line.into(), marked: None }));
        Self { excerpt, ..self }
    }

    /// The same error with words before its message.
    pub fn context(mut self, context: &str) -> Self {
        self.message = format!("{context}: {}", self.message);
        self
    }

    /// The same error about some bytes of a text. Of several lines, the first is shown.
    pub fn marking(mut self, text: &str, span: Range<usize>) -> Self {
        let start = floor_char_boundary(text, span.start);
        let end = floor_char_boundary(text, span.end).max(start);
        let line_start = text[..start].rfind('\n').map_or(0, |newline| newline + 1);
        let line_end = text[start..].find('\n').map_or(text.len(), |newline| start + newline);
        let line = &text[line_start..line_end];
        let line = line.strip_suffix('\r').unwrap_or(line);
        let within = |at: usize| (at - line_start).min(line.len());
        let marked = Some(within(start)..within(end));
        self.excerpt = Some(Box::new(Excerpt { line: line.into(), marked }));
        self
    }

    /// The text that the error is about, and the bytes of it that are at fault; none about whole lines.
    pub(super) fn marked(&self) -> Option<(&str, Range<usize>)> {
        let excerpt = self.excerpt.as_ref()?;
        Some((&excerpt.line, excerpt.marked.clone()?))
    }

    /// The line at fault with its number and a caret under the key or value at fault, where the text is
    /// known. Tabs are shown as four spaces, control characters by visible signs; long lines are cut.
    pub fn snippet(&self) -> Option<String> {
        self.render(&Renderer::plain())
    }

    /// [`snippet`](Self::snippet) in the colours of terminals (ANSI escape sequences).
    pub fn styled_snippet(&self) -> Option<String> {
        self.render(&Renderer::styled())
    }

    fn render(&self, renderer: &Renderer) -> Option<String> {
        const WIDTH: usize = 100;
        let Excerpt { line, marked } = self.excerpt.as_deref()?;
        let (kind, span) = match marked {
            Some(span) => (AnnotationKind::Primary, span.clone()),
            None => (AnnotationKind::Visible, 0..line.len()),
        };
        let snippet = Snippet::source(line.as_str())
            .line_start(self.line.unwrap_or(1))
            .line_numbering(self.line.is_some())
            .annotation(kind.span(span));
        let group = Group::with_level(Level::ERROR).element(snippet);
        Some(renderer.clone().term_width(WIDTH).render(&[group]))
    }
}

impl fmt::Debug for InputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for InputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.file, self.line) {
            (Some(file), Some(line)) => write!(f, "{}:{line}: ", escaped(file))?,
            (Some(file), None) => write!(f, "{}: ", escaped(file))?,
            _ => {}
        }
        f.write_str(&shortened(&self.message))
    }
}

impl std::error::Error for InputError {}

/// The nearest place at or before a byte where a character begins.
fn floor_char_boundary(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0)
}
