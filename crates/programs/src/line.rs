//! Lines of text from another program, within bounds.

use std::io::{self, BufRead, Read};

/// The longest line in bytes, its end included, where nothing else is said.
pub const MAX_LINE: usize = 8 * 1024;

pub fn read_line(input: &mut impl BufRead) -> io::Result<Option<String>> {
    read_piece(input, MAX_LINE)
}

/// Reads a line without its end; `None` at the end of the input. What is not UTF-8 is replaced. A line of more than
/// `longest` bytes, its end included, comes in pieces, so that a program that floods its output exhausts no memory.
pub(crate) fn read_piece(input: &mut impl BufRead, longest: usize) -> io::Result<Option<String>> {
    Ok(read_bytes(input, longest)?.as_deref().map(text))
}

fn read_bytes(input: &mut impl BufRead, most: usize) -> io::Result<Option<Vec<u8>>> {
    let mut line = Vec::new();
    let read = input.by_ref().take(most as u64).read_until(b'\n', &mut line)?;
    Ok((read > 0).then_some(line))
}

fn text(line: &[u8]) -> String {
    String::from_utf8_lossy(line).trim_end_matches(['\n', '\r']).to_string()
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Bounded {
    Line(String),
    TooLong,
}

/// Reads a line of at most so many bytes, its end included; `None` at the end of the input. What is not UTF-8 is replaced.
pub fn read_bounded(input: &mut impl BufRead, bound: usize) -> io::Result<Option<Bounded>> {
    let Some(line) = read_bytes(input, bound)? else { return Ok(None) };
    if line.len() < bound || line.ends_with(b"\n") {
        return Ok(Some(Bounded::Line(text(&line))));
    }
    while read_bytes(input, MAX_LINE)?.is_some_and(|more| !more.ends_with(b"\n")) {}
    Ok(Some(Bounded::TooLong))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_lose_their_ends_and_long_ones_come_in_pieces() {
        let text = [b"a b\r\n\n\xff\n", &[b'x'; MAX_LINE + 1][..]].concat();
        let mut input = text.as_slice();
        let lines: Vec<String> = std::iter::from_fn(|| read_line(&mut input).unwrap()).collect();
        assert_eq!(lines, ["a b", "", "\u{fffd}", &"x".repeat(MAX_LINE), "x"]);
    }

    #[test]
    fn lines_over_the_bound_are_read_past() {
        let text = [&[b'x'; 3 * MAX_LINE][..], b"\r\n1234567\n12345678\n\nend\n87654321"].concat();
        let mut input = text.as_slice();
        let lines: Vec<Bounded> =
            std::iter::from_fn(|| read_bounded(&mut input, 8).unwrap()).collect();
        let line = |text: &str| Bounded::Line(text.into());
        let long = Bounded::TooLong;
        let expected = [long.clone(), line("1234567"), long.clone(), line(""), line("end"), long];
        assert_eq!(lines, expected);
    }
}
