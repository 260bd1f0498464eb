//! Lines of text from another program, within bounds.

use std::io::{self, BufRead, Read};

/// The longest line in bytes, its end included. What is longer comes in pieces, so that a program
/// that floods its output exhausts no memory.
pub const MAX_LINE: usize = 8 * 1024;

/// Reads a line without its end; `None` at the end of the input. What is not UTF-8 is replaced.
///
/// # Errors
/// As reading from the input.
pub fn read_line(input: &mut impl BufRead) -> io::Result<Option<String>> {
    let mut line = Vec::new();
    if input.by_ref().take(MAX_LINE as u64).read_until(b'\n', &mut line)? == 0 {
        return Ok(None);
    }
    Ok(Some(String::from_utf8_lossy(&line).trim_end_matches(['\n', '\r']).to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_lose_their_ends_and_long_ones_come_in_pieces() {
        let mut text = b"a b\r\n\n\xff\n".to_vec();
        text.extend(vec![b'x'; MAX_LINE + 1]);
        let mut input = text.as_slice();
        let mut next = || read_line(&mut input).unwrap();
        assert_eq!(next().as_deref(), Some("a b"));
        assert_eq!(next().as_deref(), Some(""));
        assert_eq!(next().as_deref(), Some("\u{fffd}"));
        assert_eq!(next().map(|line| line.len()), Some(MAX_LINE));
        assert_eq!(next().as_deref(), Some("x"));
        assert_eq!(next(), None);
    }
}
