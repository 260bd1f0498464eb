//! Text of others, as messages show it: short, and without what a terminal would obey.

const MOST_CHARS: usize = 200;

const MOST_OF_MESSAGE: usize = 2000;

/// The beginning of an input, with its quotes and control characters escaped, for messages that repeat it.
pub fn excerpt(text: &str) -> String {
    let start: String = text.chars().take(MOST_CHARS).collect();
    let more = if start.len() < text.len() { "..." } else { "" };
    format!("{}{more}", start.escape_debug())
}

/// A text without what a terminal obeys: escapes stand for control characters and signs that turn the direction of writing.
pub fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        let turns = matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        match turns || c.is_control() && !matches!(c, '\n' | '\t') {
            true => safe.extend(c.escape_unicode()),
            false => safe.push(c),
        }
    }
    safe
}

/// A message of which too long a part repeats its input: its beginning and its end.
pub fn shortened(message: &str) -> String {
    shortened_to(MOST_OF_MESSAGE, message)
}

/// The beginning and the end of a text with more characters than `most`.
pub fn shortened_to(most: usize, message: &str) -> String {
    let length = message.chars().count();
    if length <= most {
        return escaped(message);
    }
    let half = most / 2;
    let start: String = message.chars().take(half).collect();
    let end: String = message.chars().skip(length - half).collect();
    escaped(&format!("{start} ... {end}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terminals_have_nothing_to_obey_and_long_inputs_are_cut() {
        for (text, expected) in [
            ("a\u{1b}[31mb\r\n\tc\u{7f}\u{9b}", "a\\u{1b}[31mb\\u{d}\n\tc\\u{7f}\\u{9b}"),
            ("x\u{202e}y", "x\\u{202e}y"),
            ("Zürich → 4 €", "Zürich → 4 €"),
        ] {
            assert_eq!(escaped(text), expected);
        }
        assert_eq!(excerpt("a \"b\"\n"), "a \\\"b\\\"\\n");
        assert_eq!(excerpt(&"x".repeat(201)), format!("{}...", "x".repeat(200)));
        let short = shortened(&format!("unknown {} Known: a, b", "ü".repeat(20_000)));
        assert!(short.starts_with("unknown ü") && short.ends_with("Known: a, b"), "{short}");
    }
}
