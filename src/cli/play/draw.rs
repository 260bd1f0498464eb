//! The full screen as a picture of its state.

mod board;
mod panel;

use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;
use ratatui_core::style::{Color, Modifier, Style};
use ratatui_core::text::{Line, Span};

pub(super) use panel::status;

use super::state::State;
use crate::input::escaped;

/// The least columns and rows of a screen, which most terminals begin with.
const LEAST: (u16, u16) = (80, 24);

/// The least columns of the panel beside the board.
const PANEL: u16 = 27;

/// The rows above the board, and those below it.
const ABOVE: u16 = 1;
const BELOW: u16 = 3;

const KEYS: &str = "arrows, Tab, Enter: play  h hint  u undo  l level  n new game  ? help  q quit";

const HELP: &[(&str, &str)] = &[
    ("arrow keys", "move the cursor, the brackets"),
    ("Tab, Shift-Tab", "to the next legal square, and back"),
    ("PgDn, PgUp", "to the same square of the next part, and back"),
    ("Enter", "plays the square under the cursor, if it is legal"),
    ("a digit or :", "begins a move in notation; Enter plays it, Esc drops it"),
    ("h", "hint: a move, and what the agent thinks of every move"),
    ("u", "undo: takes back your last move, and the answer to it"),
    ("l", "level: the next opponent plays from here on"),
    ("n", "a new game"),
    ("? ", "this help; any key closes it"),
    ("q, Esc", "quits, and prints how to go on"),
    ("", ""),
    ("·", "a legal square"),
    ("(x)", "the last move"),
    ("", ""),
    ("--lines", "plays line by line instead"),
];

/// The styles of a screen.
#[derive(Clone, Copy, Debug)]
pub(super) struct Palette {
    colours: bool,
}

impl Palette {
    /// With colours or, as `NO_COLOR` asks for, without.
    pub(super) const fn new(colours: bool) -> Self {
        Self { colours }
    }

    fn coloured(self, colour: Color) -> Style {
        if self.colours { Style::new().fg(colour) } else { Style::new() }
    }

    fn mark(self, mark: char) -> Style {
        let colour = if mark == 'x' { Color::Cyan } else { Color::Yellow };
        self.coloured(colour).add_modifier(Modifier::BOLD)
    }

    fn legal(self) -> Style {
        self.coloured(Color::Green)
    }

    const fn faint(self) -> Style {
        Style::new().add_modifier(Modifier::DIM)
    }

    const fn strong(self) -> Style {
        Style::new().add_modifier(Modifier::BOLD)
    }
}

/// Draws the screen.
pub(super) fn draw(state: &State, palette: Palette, area: Rect, buffer: &mut Buffer) {
    let needed = needed(state);
    if area.width < needed.0 || area.height < needed.1 {
        return draw_too_small(needed, area, buffer);
    }
    let cell = board::cell_width(state, area.width - PANEL - 3);
    let (width, _) = board::size(state, cell);
    let height = area.height - ABOVE - BELOW;
    if state.shows_help {
        draw_help(palette, Rect { x: 1, y: ABOVE, width: area.width - 2, height }, buffer);
    } else {
        let board = Rect { x: 1, y: ABOVE, width, height };
        board::draw(state, palette, cell, board, buffer);
        let x = board.right() + 2;
        let panel = Rect { x, y: ABOVE, width: area.width - x - 1, height };
        panel::draw(state, palette, panel, buffer);
    }
    let (line, style) = match &state.typed {
        Some(typed) => (format!("your move: {typed}_"), palette.strong()),
        None => (state.message.clone(), palette.strong()),
    };
    put(buffer, 1, area.height - 2, area.width - 2, &line, style);
    put(buffer, 1, area.height - 1, area.width - 2, KEYS, palette.faint());
}

/// The columns and rows that the screen takes at least.
fn needed(state: &State) -> (u16, u16) {
    let (width, height) = board::least_size(state);
    (LEAST.0.max(width + PANEL + 4), LEAST.1.max(height + ABOVE + BELOW))
}

fn draw_too_small(needed: (u16, u16), area: Rect, buffer: &mut Buffer) {
    let text = format!(
        "The board needs {} columns and {} rows. This terminal has {} and {}. Make it larger, or quit with q and play with --lines.",
        needed.0, needed.1, area.width, area.height
    );
    let lines = wrapped(&text, usize::from(area.width), usize::from(area.height));
    for (row, line) in lines.iter().enumerate() {
        put(buffer, 0, row as u16, area.width, line, Style::new());
    }
}

fn draw_help(palette: Palette, area: Rect, buffer: &mut Buffer) {
    put(buffer, area.x, area.y, area.width, "What the keys do", palette.strong());
    for (row, (keys, what)) in (area.y + 2..area.bottom()).zip(HELP) {
        put(buffer, area.x + 2, row, 16, keys, palette.strong());
        put(buffer, area.x + 20, row, area.width - 20, what, Style::new());
    }
}

/// Writes a line, without what a terminal would obey.
fn put(buffer: &mut Buffer, x: u16, y: u16, width: u16, text: &str, style: Style) {
    if buffer.area.contains((x, y).into()) {
        let line = Line::from(Span::styled(escaped(text), style));
        buffer.set_line(x, y, &line, width);
    }
}

/// A text in lines of at most so many columns. What does not fit is left out, with dots for it.
fn wrapped(text: &str, width: usize, most: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        let word = cut(word, width);
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                line.push(' ');
                line.push_str(&word);
            }
            _ => lines.push(word),
        }
    }
    if lines.len() > most {
        lines.truncate(most);
        if let Some(last) = lines.last_mut() {
            *last = cut(&format!("{last} …"), width);
        }
    }
    lines
}

/// A text of at most so many characters, with dots for what is left out.
fn cut(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.into();
    }
    let kept: String = text.chars().take(width.saturating_sub(1)).collect();
    kept + "…"
}
