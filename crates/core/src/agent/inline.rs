//! The values of an agent's text form: quoted, or tables and lists as TOML writes them in one line.

use std::ops::Range;

use serde_json::Value;
use toml::de::DeTable;

use super::table::shown;
use crate::input::{InputError, Result, excerpt, to_json};

pub fn key(name: &str) -> String {
    let is_bare = |c: char| c.is_ascii_alphanumeric() || "_-".contains(c);
    if !name.is_empty() && name.chars().all(is_bare) { name.into() } else { string(name) }
}

/// A text as a TOML string in one line: as JSON writes it, except for one character.
fn string(text: &str) -> String {
    Value::from(text).to_string().replace('\u{7f}', "\\u007F")
}

/// A value as TOML has it in one line.
pub(super) fn write(value: &Value) -> String {
    match value {
        Value::String(text) => string(text),
        Value::Array(items) => format!("[{}]", Vec::from_iter(items.iter().map(write)).join(", ")),
        Value::Object(table) => {
            let pairs =
                table.iter().map(|(name, value)| format!("{} = {}", key(name), write(value)));
            format!("{{ {} }}", Vec::from_iter(pairs).join(", "))
        }
        scalar => shown(scalar),
    }
}

/// Reads a table or a list; `None` if the text is neither.
pub(super) fn read(text: &str) -> Option<Value> {
    let text = format!("value = {text}");
    let table = DeTable::parse(&text).ok()?;
    let mut values = table.get_ref().values();
    let value = values.next()?.get_ref();
    values.next().is_none().then(|| to_json(value))
}

/// A value as it stands in the text form; `inline` tells tables and lists.
pub(super) fn quote(value: &str, inline: bool) -> String {
    if inline && value.starts_with(['{', '[']) {
        return value.into();
    }
    let quotes = ["\"", "'", "'''", "\"\"\""];
    let is_plain = !value.contains([',', ' ', '=', '"']) && !value.starts_with(['{', '[', '\'']);
    match quotes.into_iter().find(|quote| !value.contains(quote)) {
        Some(quote) if !is_plain => format!("{quote}{value}{quote}"),
        _ => value.into(),
    }
}

pub(super) fn unquote(value: &str) -> String {
    let within = |quote: &str| value.strip_prefix(quote)?.strip_suffix(quote);
    ["'''", "\"\"\"", "'", "\""].into_iter().find_map(within).unwrap_or(value).into()
}

/// The parts of `a=1,b="x,y",c={ d = "e,f" }` between commas that are outside quotes, braces and brackets.
pub(super) fn split(text: &str) -> Result<Vec<Range<usize>>> {
    let (mut parts, mut start, mut at) = (Vec::new(), 0, 0);
    while at < text.len() {
        at = match text.as_bytes()[at] {
            b',' => {
                parts.push(start..at);
                start = at + 1;
                start
            }
            b'=' => end_of_value(text, at + 1)?,
            b'"' => closing(text, at, "\"")?,
            _ => at + 1,
        }
    }
    if !text.is_empty() {
        parts.push(start..text.len());
    }
    Ok(parts)
}

/// Where a value that has a beginning and an end of its own ends; where it begins, if it has none.
fn end_of_value(text: &str, start: usize) -> Result<usize> {
    let value = text[start..].trim_start();
    let start = text.len() - value.len();
    // "" is an empty value, and no beginning of three quotes.
    let quotes = ["'''", "\"\"\"", "'"];
    if let Some(quote) = quotes.into_iter().find(|quote| value.starts_with(quote)) {
        return closing(text, start, quote);
    }
    if !value.starts_with(['{', '[']) {
        return Ok(start);
    }
    let (mut depth, mut quote, mut escaped) = (0_u32, None, false);
    for (place, byte) in value.bytes().enumerate() {
        match (quote, byte) {
            _ if escaped => escaped = false,
            (Some(b'"'), b'\\') => escaped = true,
            (Some(open), _) if byte == open => quote = None,
            (None, b'"' | b'\'') => quote = Some(byte),
            (None, b'{' | b'[') => depth += 1,
            (None, b'}' | b']') if depth == 1 => return Ok(start + place + 1),
            (None, b'}' | b']') => depth -= 1,
            _ => {}
        }
    }
    Err(unclosed(if quote.is_some() { "a quote" } else { "a { or [" }, text))
}

/// The byte after the quote that closes the one at a place. Of more than three quotes in a row the last three close, as in
/// TOML: a value may end with one or two of its own.
fn closing(text: &str, at: usize, quote: &str) -> Result<usize> {
    let after = at + quote.len();
    let found = text[after..].find(quote).map(|length| after + length + quote.len());
    let mut end = found.ok_or_else(|| unclosed("a quote", text))?;
    if quote.len() == 3 {
        let more = text[end..].bytes().take(2).take_while(|byte| quote.as_bytes()[0] == *byte);
        end += more.count();
    }
    Ok(end)
}

fn unclosed(what: &str, text: &str) -> InputError {
    InputError::new(format!(
        "{what} is not closed in \"{}\"; write cmd=\"...\", or cmd='...' where the command has double quotes",
        excerpt(text)
    ))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn parts(text: &str) -> Vec<&str> {
        split(text).unwrap().into_iter().map(|part| &text[part]).collect()
    }

    #[test]
    fn commas_within_quotes_braces_and_brackets_are_kept() {
        for whole in [
            &["a=1", "b=\"x, y\"", "c=2"][..],
            &["a='x, \"y\"'", "b=2"],
            &["a= { b = \"},\\\",\", c = 'x,' }", "d=[1, [2]]"],
            &["a=\"\"", "b=\"'\"", "c=it's", "d="],
            &["a='''x,'y\",'''", "b=1"],
            &["a=[x]/y.csv", "b=1"],
        ] {
            assert_eq!(parts(&whole.join(",")), whole);
        }
        for text in ["a='x", "a=\"x", "a={ b = 1", "a={ b = 1,c=[1]", "a=[\"]", "a=x\""] {
            assert!(split(text).unwrap_err().to_string().contains("is not closed"), "{text}");
        }
    }

    proptest! {
        #[test]
        fn what_is_quoted_is_one_part(value in "[a{}\\[\\],=\"' \\\\]{0,12}") {
            // Nothing is left to quote it with.
            prop_assume!(!(value.contains("'''") && value.contains("\"\"\"")));
            let quoted = quote(&value, false);
            let text = format!("a={quoted},b=1");
            prop_assert_eq!(parts(&text), [format!("a={quoted}"), "b=1".into()]);
            prop_assert_eq!(unquote(&quoted), value);
        }

        #[test]
        fn tables_and_lists_read_back(texts in prop::collection::btree_map(".{0,8}", ".{0,8}", 1..4)) {
            for value in [serde_json::json!(texts), texts.values().cloned().collect()] {
                let text = write(&value);
                let whole = format!("a={text},b=1");
                prop_assert_eq!(parts(&whole), [format!("a={text}"), "b=1".into()]);
                prop_assert_eq!(read(&text), Some(value));
            }
        }
    }
}
