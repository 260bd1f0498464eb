//! TOML documents and their tables, read key by key, or by the schema of a struct (`schema`).
//!
//! Serde could fill structs by itself and keep the spans (`toml::Spanned`). But its errors name neither the
//! path of a key ("cmaes.sigma") nor the nearest known one.

use std::fmt;
use std::ops::Range;
use std::path::Path;

use toml::Spanned;
use toml::de::{DeString, DeTable, DeValue};

use super::{InputError, Result, excerpt, nearest};

#[derive(Debug)]
pub struct TomlFile<'t> {
    file: Option<&'t Path>,
    text: &'t str,
    root: Spanned<DeTable<'t>>,
}

impl<'t> TomlFile<'t> {
    /// Parses TOML; `file` is the name that errors give.
    pub fn parse(text: &'t str, file: Option<&'t Path>) -> Result<Self> {
        DeTable::parse(text).map(|root| Self { file, text, root }).map_err(|error| {
            let message = error.message().trim().replace('\n', " ");
            match error.span() {
                Some(span) => error_at(file, text, span, message),
                None => of_file(file, None, message),
            }
        })
    }

    pub fn root(&self) -> Table<'_, 't> {
        Table { document: self, prefix: String::new(), table: self.root.get_ref(), span: None }
    }

    fn error(&self, span: Range<usize>, message: String) -> InputError {
        error_at(self.file, self.text, span, message)
    }
}

fn error_at(file: Option<&Path>, text: &str, span: Range<usize>, message: String) -> InputError {
    of_file(file, Some(line_of(text, span.start)), message).marking(text, span)
}

fn of_file(file: Option<&Path>, line: Option<usize>, message: String) -> InputError {
    let mut error = InputError::new(message);
    error.file = file.map(|path| path.display().to_string());
    error.line = line;
    error
}

fn line_of(text: &str, at: usize) -> usize {
    1 + text.as_bytes().iter().take(at).filter(|&&byte| byte == b'\n').count()
}

#[derive(Clone, Debug)]
pub struct Table<'d, 't> {
    document: &'d TomlFile<'t>,
    /// Its name with a dot at the end, as in `cmaes.`; empty for the outermost.
    pub(super) prefix: String,
    table: &'d DeTable<'t>,
    /// Its header, or all of an inline table; none for the outermost.
    span: Option<Range<usize>>,
}

pub(crate) type Entry<'d, 't> = &'d Spanned<DeValue<'t>>;

impl<'d, 't> Table<'d, 't> {
    /// Checks that the table has no other keys.
    pub fn check_keys(&self, known: &[&str]) -> Result<()> {
        let Some(key) = self.table.keys().find(|key| !known.contains(&&**key.get_ref())) else {
            return Ok(());
        };
        let name = excerpt(&format!("{}{}", self.prefix, key.get_ref()));
        let near = nearest(key.get_ref(), known.iter().copied())
            .map_or(String::new(), |near| format!("did you mean \"{near}\"? "));
        let known = known.join(", ");
        let message = format!("unknown key \"{name}\"; {near}the keys here are: {known}");
        Err(self.document.error(key.span(), message))
    }

    /// The keys and values in the order of the document.
    pub(crate) fn entries(&self) -> Vec<(&'d str, Entry<'d, 't>)> {
        let mut entries: Vec<_> = self.table.iter().collect();
        entries.sort_by_key(|(key, _)| key.span().start);
        entries.into_iter().map(|(key, value)| (&**key.get_ref(), value)).collect()
    }

    fn open(&self, name: &str, value: Entry<'d, 't>) -> Option<Self> {
        let (prefix, table) = (format!("{}{name}.", self.prefix), value.get_ref().as_table()?);
        Some(Self { document: self.document, prefix, table, span: Some(value.span()) })
    }

    /// The table under a key, if there is one.
    pub fn inner(&self, key: &str) -> Option<Self> {
        self.open(key, self.table.get(key)?)
    }

    /// The tables of the list under a key.
    pub fn inners(&self, key: &str) -> Vec<Self> {
        let open = |(index, item)| self.open(&format!("{key}[{}]", index + 1), item);
        let items = self.table.get(key).and_then(|value| value.get_ref().as_array());
        items.into_iter().flatten().enumerate().filter_map(open).collect()
    }

    pub fn string(&self, key: &str) -> Result<Option<&'d str>> {
        let Some(value) = self.table.get(key) else { return Ok(None) };
        let wrong = || self.wrong_type(key, "a string", value);
        value.get_ref().as_str().ok_or_else(wrong).map(Some)
    }

    /// An error about a value, or one in it, under a key.
    pub(super) fn error_at(&self, key: &str, at: Entry<'d, 't>, message: String) -> InputError {
        let is_whole = self.table.get(key).is_some_and(|value| std::ptr::eq(value, at));
        self.wrong(if is_whole { self.value_span(key) } else { Some(at.span()) }, key, message)
    }

    /// An error about the value of a key, or about the table if the key is missing.
    pub fn error(&self, key: &str, message: impl fmt::Display) -> InputError {
        self.wrong(self.value_span(key), key, message)
    }

    /// An error about a key that should not be there.
    pub fn misplaced(&self, key: &str, message: impl fmt::Display) -> InputError {
        let name = self.table.get_key_value(key).map(|(name, _)| name.span());
        self.wrong(name, key, message)
    }

    /// An error about a part of the value of a key: an item of a list, a name in a table, or where the words stand first.
    pub fn error_about(&self, key: &str, part: &str, message: impl fmt::Display) -> InputError {
        let within = self.table.get(key).and_then(|value| match value.get_ref() {
            DeValue::Array(items) => {
                let named = |item: &&Spanned<_>| DeValue::as_str(item.get_ref()) == Some(part);
                items.iter().find(named).map(Spanned::span)
            }
            DeValue::Table(table) => {
                table.keys().find(|name| *name.get_ref() == part).map(Spanned::span)
            }
            _ => {
                let source = self.document.text.get(value.span())?;
                let start = value.span().start + source.find(part)?;
                Some(start..start + part.len())
            }
        });
        self.wrong(within.or_else(|| self.value_span(key)), key, message)
    }

    /// An error about the text that is the value of a key: what the error marks in the text is marked in the document.
    pub fn error_in(&self, key: &str, error: &InputError) -> InputError {
        let marked = error.marked().filter(|_| error.file.is_none()).and_then(|(text, part)| {
            let value = self.table.get(key)?.span();
            let start = value.start + self.document.text.get(value)?.find(text)?;
            Some(start + part.start..start + part.end)
        });
        self.wrong(marked.or_else(|| self.value_span(key)), key, error)
    }

    /// An error about the table as a whole.
    pub fn error_here(&self, message: impl fmt::Display) -> InputError {
        let name = self.prefix.trim_end_matches('.');
        let colon = if name.is_empty() { "" } else { ": " };
        self.wrong_at(None, format!("{name}{colon}{message}"))
    }

    fn wrong(&self, span: Option<Range<usize>>, key: &str, why: impl fmt::Display) -> InputError {
        self.wrong_at(span, format!("{}{key}: {why}", self.prefix))
    }

    /// An error about a part of the table, or about the table. Of the outermost, which has no header, it shows the line
    /// with the first key, where others can be added.
    fn wrong_at(&self, span: Option<Range<usize>>, message: String) -> InputError {
        match span.or_else(|| self.span.clone()) {
            Some(span) => self.document.error(span, message),
            None => {
                let text = self.document.text;
                let first = self.table.keys().map(|key| key.span().start).min();
                let line = first.map_or(1, |start| line_of(text, start));
                of_file(self.document.file, Some(line), message).showing(text, line)
            }
        }
    }

    /// Where the value of a key is; where its key is, if the value begins on another line (a table with a header).
    fn value_span(&self, key: &str) -> Option<Range<usize>> {
        let (name, value) = self.table.get_key_value(key)?;
        let line = |span: Range<usize>| line_of(self.document.text, span.start);
        let beside = line(name.span()) == line(value.span());
        Some(if beside { value.span() } else { name.span() })
    }

    pub fn has(&self, key: &str) -> bool {
        self.table.contains_key(key)
    }

    pub(super) fn wrong_type(&self, key: &str, expected: &str, found: Entry<'d, 't>) -> InputError {
        self.error(key, format!("expected {expected}, found {}", shown(found)))
    }
}

/// A value in the words of errors.
pub(super) fn shown(value: Entry<'_, '_>) -> String {
    match value.get_ref() {
        DeValue::String(text) => {
            let text: String = text.chars().take(40).collect();
            format!("the string \"{}\"", text.escape_debug())
        }
        DeValue::Integer(number) => excerpt(number.as_str()),
        DeValue::Float(number) => excerpt(number.as_str()),
        DeValue::Boolean(value) => value.to_string(),
        DeValue::Array(_) => "an array".into(),
        other => format!("a {}", other.type_str()),
    }
}

/// A TOML value in JSON. What JSON does not have, numbers that are not finite and dates, is text.
pub(crate) fn to_json(value: &DeValue<'_>) -> serde_json::Value {
    match value {
        DeValue::String(text) => (&**text).into(),
        DeValue::Boolean(on) => (*on).into(),
        DeValue::Integer(number) => i64::from_str_radix(number.as_str(), number.radix())
            .map_or_else(|_| number.as_str().into(), Into::into),
        DeValue::Float(number) => match number.as_str().parse::<f64>() {
            Ok(number) if number.is_finite() => number.into(),
            Ok(number) => number.to_string().into(),
            Err(_) => number.as_str().into(),
        },
        DeValue::Datetime(date) => date.to_string().into(),
        DeValue::Array(items) => items.iter().map(|item| to_json(item.get_ref())).collect(),
        DeValue::Table(table) => {
            let pair = |(name, value): (&Spanned<DeString<'_>>, Entry<'_, '_>)| {
                (name.get_ref().to_string(), to_json(value.get_ref()))
            };
            table.iter().map(pair).collect::<serde_json::Map<_, _>>().into()
        }
    }
}
