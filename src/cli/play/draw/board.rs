//! The board, or the text and the moves of a game without one.

use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;
use ratatui_core::style::{Modifier, Style};

use super::{Palette, put};
use crate::cli::play::squares::{Part, Square, Squares};
use crate::cli::play::state::State;
use crate::registry::MoveValue;

/// The columns of a square: with room for a value, and without.
const WIDE: u16 = 5;
const NARROW: u16 = 3;

/// How many rows of moves are seen at least, where a game has no board.
const ROWS_OF_MOVES: u16 = 3;

/// A mark as large as a part that it has won.
const LARGE: [(char, [&str; 3]); 2] =
    [('x', ["\\   /", "  X  ", "/   \\"]), ('o', [".---.", "|   |", "'---'"])];

/// The columns of a square, where so many are free for the board.
pub(super) fn cell_width(state: &State, free: u16) -> u16 {
    match state.squares.is_board {
        true if size(state, WIDE).0 <= free => WIDE,
        true => NARROW,
        false => width_of_moves(&state.squares),
    }
}

/// The columns and rows of the board at least.
pub(super) fn least_size(state: &State) -> (u16, u16) {
    size(state, cell_width(state, 0))
}

/// The columns and rows of the board with squares of a width. A list of moves may be cut to a few rows.
pub(super) fn size(state: &State, cell: u16) -> (u16, u16) {
    let squares = &state.squares;
    let right = |part: &Part| number(part.column + part.columns) * cell + number(part.across);
    let bottom = |part: &Part| number(part.row + part.rows + part.down) + 1;
    let width = squares.parts.iter().map(right).max().unwrap_or_default();
    let height = squares.parts.iter().map(bottom).max().unwrap_or_default();
    if squares.is_board {
        return (width, height);
    }
    let lines = state.view.drawing.lines();
    let widest = lines.clone().map(|line| line.chars().count()).max().unwrap_or_default();
    (width.max(number(widest)), number(lines.count()) + 2 + height.min(1 + ROWS_OF_MOVES))
}

/// A move with brackets around it and a space after it.
fn width_of_moves(squares: &Squares) -> u16 {
    let longest = squares.squares.iter().map(|square| square.mv.chars().count()).max();
    number(longest.unwrap_or_default()) + 3
}

pub(super) fn draw(state: &State, palette: Palette, cell: u16, area: Rect, buffer: &mut Buffer) {
    if !state.squares.is_board {
        return draw_moves(state, palette, cell, area, buffer);
    }
    for (number, part) in state.squares.parts.iter().enumerate() {
        draw_part(state, palette, cell, (number, part), area, buffer);
    }
}

fn draw_part(
    state: &State,
    palette: Palette,
    cell: u16,
    (index, part): (usize, &Part),
    area: Rect,
    buffer: &mut Buffer,
) {
    let squares = state.squares.squares.iter().enumerate();
    let squares = squares.filter(|(_, square)| square.part == index);
    let is_live = squares.clone().any(|(_, square)| state.is_legal(&square.mv));
    let place = Rect {
        x: area.x + number(part.column) * cell + number(part.across),
        y: area.y + number(part.row + part.down) + 1,
        width: number(part.columns) * cell,
        height: number(part.rows),
    };
    let owner = part.owner.map_or(String::new(), |owner| format!(" {owner}"));
    let title = format!("─ {}{owner} ", part.name);
    let title = format!("{title:─<width$}", width = usize::from(place.width));
    let style = if is_live { palette.strong() } else { palette.faint() };
    put(buffer, place.x, place.y - 1, place.width, &title, style);
    if part.across > 0 {
        put(
            buffer,
            place.x - 1,
            place.y - 1,
            1,
            if part.down > 0 { "┼" } else { "┬" },
            palette.faint(),
        );
        for row in place.y..place.bottom() {
            put(buffer, place.x - 1, row, 1, "│", palette.faint());
        }
    }
    let large = LARGE.iter().find(|(mark, _)| Some(*mark) == part.owner);
    let large = large.filter(|_| place.width >= 5 && place.height >= 3);
    if let Some((mark, rows)) = large {
        let (x, y) = (place.x + (place.width - 5) / 2, place.y + (place.height - 3) / 2);
        for (row, text) in (y..).zip(rows) {
            put(buffer, x, row, 5, text, palette.mark(*mark));
        }
    }
    let last = state.view.moves.last();
    for (index, square) in squares {
        let (has_cursor, is_last) = (index == state.cursor, last == Some(&square.mv));
        if large.is_some() && !has_cursor && !(is_last && square.mark.is_some()) {
            continue;
        }
        let (text, style) = face(state, palette, cell, (index, square));
        let x = place.x + number(square.column - part.column) * cell;
        let y = place.y + number(square.row - part.row);
        put(buffer, x, y, cell, &text, style);
    }
}

/// What stands on a square of the board.
fn face(
    state: &State,
    palette: Palette,
    cell: u16,
    (index, square): (usize, &Square),
) -> (String, Style) {
    let (has_cursor, is_legal) = (index == state.cursor, state.is_legal(&square.mv));
    let is_last = square.mark.is_some() && state.view.moves.last() == Some(&square.mv);
    let room = usize::from(if has_cursor { cell - 2 } else { cell });
    let value = if square.mark.is_none() { state.value_of(&square.mv) } else { None };
    let (inner, style) = match (square.mark, value) {
        (Some(mark), _) if is_last && room > 2 => (format!("({mark})"), palette.mark(mark)),
        (Some(mark), _) => (mark.to_string(), palette.mark(mark)),
        (None, Some(value)) => {
            // With a space between the values of neighbours.
            let room = if cell == WIDE { room.min(4) } else { room };
            (brief(value, room), value_style(palette, value))
        }
        (None, None) if is_legal => ("·".into(), palette.legal()),
        (None, None) => (String::new(), Style::new()),
    };
    let text = match has_cursor {
        true => format!("[{inner:^room$}]"),
        false => format!("{inner:^room$}"),
    };
    (text, if has_cursor { style.add_modifier(Modifier::REVERSED) } else { style })
}

fn value_style(palette: Palette, value: &MoveValue) -> Style {
    if value.rank == 10 { palette.legal().add_modifier(Modifier::BOLD) } else { palette.legal() }
}

/// A value in as few characters as fit a square.
fn brief(value: &MoveValue, room: usize) -> String {
    let words = value.value.as_str();
    let candidates = match words {
        "it wins" => vec!["wins".into(), "win".into(), "W".into()],
        "it loses" => vec!["loses".into(), "los".into(), "L".into()],
        _ => {
            let number = words.split_whitespace().find_map(|word| word.parse::<f64>().ok());
            let number = number.unwrap_or_default();
            let share = words.contains('%').then(|| format!("{number:.0}%"));
            let rounded = |digits| format!("{number:.digits$}").replace("-0.0", "0.0");
            let short = [rounded(1), if number.abs() < 0.5 { "0".into() } else { rounded(0) }];
            share.into_iter().chain(short).collect()
        }
    };
    let fits = |text: &String| text.chars().count() <= room;
    candidates.into_iter().find(fits).unwrap_or_else(|| "…".into())
}

/// The text of a position, and its legal moves in rows.
fn draw_moves(state: &State, palette: Palette, cell: u16, area: Rect, buffer: &mut Buffer) {
    let mut y = area.y;
    for line in state.view.drawing.lines() {
        put(buffer, area.x, y, area.width, line, Style::new());
        y += 1;
    }
    y += 1;
    let Some(part) = state.squares.parts.first() else { return };
    put(buffer, area.x, y, area.width, &format!("─ {} ─", part.name), palette.faint());
    y += 1;
    let rows = usize::from(area.bottom().saturating_sub(y)).max(1);
    let cursor = state.squares.squares.get(state.cursor).map_or(0, |square| square.row);
    let first = cursor.saturating_sub(rows - 1);
    for (index, square) in state.squares.squares.iter().enumerate() {
        if !(first..first + rows).contains(&square.row) {
            continue;
        }
        let style = if state.is_legal(&square.mv) { palette.legal() } else { palette.faint() };
        let (text, style) = match index == state.cursor {
            true => (format!("[{}]", square.mv), style.add_modifier(Modifier::REVERSED)),
            false => (format!(" {} ", square.mv), style),
        };
        let x = area.x + number(square.column) * cell;
        put(buffer, x, y + number(square.row - first), cell, &text, style);
    }
}

/// A count as columns or rows of the screen.
fn number(count: usize) -> u16 {
    u16::try_from(count).unwrap_or(u16::MAX / 8)
}
