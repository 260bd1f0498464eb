//! What the notations of several games share: rows of squares as text, and text from outside as messages quote it.

use crate::game::Player;

/// A row of squares: `x`, `o`, or a digit for that many empty ones.
pub fn write_row(owners: impl Iterator<Item = Option<Player>>) -> String {
    let mut text = String::new();
    let owners: Vec<Option<Player>> = owners.collect();
    for run in owners.chunk_by(|a, b| a.is_none() && b.is_none()) {
        match run[0] {
            Some(player) => text.push(player.mark()),
            None => text += &run.len().to_string(),
        }
    }
    text
}

/// Reads a row of squares: the marks of both players, bit 0 the leftmost square. The error says what is wrong; `other_length`
/// does where there are not `length` squares.
pub fn read_row(
    symbols: &str,
    length: u32,
    other_length: impl Fn() -> String,
) -> Result<[u16; 2], String> {
    let mut marks = [0_u16; 2];
    let mut column = 0;
    for symbol in symbols.chars() {
        let player = match symbol {
            'x' | 'X' => Player::First,
            'o' | 'O' => Player::Second,
            '1'..='9' => {
                column += u32::from(symbol) - u32::from('0');
                continue;
            }
            _ => return Err(format!("unexpected '{}'", symbol.escape_default())),
        };
        if column >= length {
            return Err(other_length());
        }
        marks[player.index()] |= 1 << column;
        column += 1;
    }
    if column == length { Ok(marks) } else { Err(other_length()) }
}

/// Puts parentheses around a symbol of a drawing, at a byte of one of its lines: the last move. Symbols have spaces around
/// them, which give way.
pub fn in_parentheses(drawing: &str, line: usize, at: usize) -> String {
    let mark = |(number, text): (usize, &str)| {
        let mut text = text.to_string();
        if number == line && text.is_ascii() && (1..text.len()).contains(&at) {
            text.replace_range(at - 1..at, "(");
            text.replace_range(at + 1..(at + 2).min(text.len()), ")");
        }
        text
    };
    drawing.lines().enumerate().map(mark).collect::<Vec<_>>().join("\n")
}

/// Text from outside, shortened so that the message stays on one line.
pub fn shorten(text: &str) -> String {
    if text.chars().count() <= 40 {
        text.into()
    } else {
        text.chars().take(37).chain("...".chars()).collect()
    }
}
