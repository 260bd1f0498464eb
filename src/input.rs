//! Reading what people write: TOML tables with errors that say where, what was expected, and what
//! to do.

use std::fmt;
use std::ops::Range;
use std::path::Path;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// Something that a user, a file or another program supplied is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputError {
    /// The file it came from, as the user named it.
    pub file: Option<String>,
    /// The line in that file, from 1.
    pub line: Option<usize>,
    /// What is wrong, what was expected, what to do; it names the key at fault.
    pub message: String,
}

impl InputError {
    /// An error that belongs to no file (a command line, say).
    pub fn new(message: impl Into<String>) -> Self {
        Self { file: None, line: None, message: message.into() }
    }

    /// An error about a file as a whole.
    pub fn in_file(file: &Path, message: impl Into<String>) -> Self {
        Self { file: Some(file.display().to_string()), line: None, message: message.into() }
    }

    /// The same error with words before its message.
    #[must_use]
    pub fn context(mut self, context: &str) -> Self {
        self.message = format!("{context}: {}", self.message);
        self
    }
}

impl fmt::Display for InputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.file, self.line) {
            (Some(file), Some(line)) => write!(f, "{file}:{line}: ")?,
            (Some(file), None) => write!(f, "{file}: ")?,
            _ => {}
        }
        f.write_str(&self.message)
    }
}

impl std::error::Error for InputError {}

/// Reads a file of text that a user named: a missing or unreadable one is the user's error.
///
/// # Errors
/// The file cannot be read, or is not UTF-8.
pub fn read_text(path: &Path) -> Result<String, InputError> {
    let bytes = std::fs::read(path)
        .map_err(|error| InputError::in_file(path, format!("cannot be read: {error}")))?;
    String::from_utf8(bytes).map_err(|_| InputError::in_file(path, "is not UTF-8 text"))
}

/// The known word nearest to an unknown one, if one is near enough to be meant.
#[must_use]
pub fn nearest<'k>(word: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    known
        .into_iter()
        .map(|candidate| (strsim::normalized_damerau_levenshtein(word, candidate), candidate))
        .filter(|(similarity, _)| *similarity >= 0.5)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, candidate)| candidate)
}

/// "unknown KIND "WORD"; did you mean "NEAR"? Known: ...".
#[must_use]
pub fn unknown(kind: &str, word: &str, known: &[&str]) -> String {
    let word: String = word.chars().take(60).collect();
    let near = nearest(&word, known.iter().copied())
        .map_or(String::new(), |near| format!("; did you mean \"{near}\"?"));
    let word = word.escape_debug();
    let stop = if near.is_empty() { "." } else { "" };
    format!("unknown {kind} \"{word}\"{near}{stop} Known: {}", known.join(", "))
}

/// Gives all but the first of equal names a number, so that results tell them apart: `best`, `best#2`.
#[must_use]
pub fn distinct(names: &[String]) -> Vec<String> {
    let number = |(index, name): (usize, &String)| match names[..index]
        .iter()
        .filter(|earlier| *earlier == name)
        .count()
    {
        0 => name.clone(),
        earlier => format!("{name}#{}", earlier + 1),
    };
    names.iter().enumerate().map(number).collect()
}

/// A TOML document and where it came from.
#[derive(Debug)]
pub struct Document<'t> {
    file: Option<String>,
    text: &'t str,
    root: Spanned<DeTable<'t>>,
}

impl<'t> Document<'t> {
    /// Parses TOML; `file` is the name that errors give.
    ///
    /// # Errors
    /// What is not TOML, with its line.
    pub fn parse(text: &'t str, file: Option<&Path>) -> Result<Self, InputError> {
        let file = file.map(|path| path.display().to_string());
        match DeTable::parse(text) {
            Ok(root) => Ok(Self { file, text, root }),
            Err(error) => {
                let line = error.span().map(|span| line_of(text, &span));
                Err(InputError { file, line, message: error.message().trim().replace('\n', " ") })
            }
        }
    }

    /// The outermost table, which may hold the known keys and no other.
    ///
    /// # Errors
    /// An unknown key.
    pub fn root<'d>(&'d self, known: &[&str]) -> Result<Table<'d, 't>, InputError> {
        let all = 0..self.text.len();
        Table::open(self, String::new(), self.root.get_ref(), all, known)
    }

    fn error(&self, span: &Range<usize>, message: String) -> InputError {
        InputError { file: self.file.clone(), line: Some(line_of(self.text, span)), message }
    }
}

fn line_of(text: &str, span: &Range<usize>) -> usize {
    let end = span.start.min(text.len());
    1 + text.as_bytes()[..end].iter().filter(|&&byte| byte == b'\n').count()
}

/// A table of a document whose keys are all known ones.
#[derive(Clone, Debug)]
pub struct Table<'d, 't> {
    document: &'d Document<'t>,
    /// Its name with a dot at the end, as in `cmaes.`; empty for the outermost.
    prefix: String,
    table: &'d DeTable<'t>,
    span: Range<usize>,
}

/// A value with its type in TOML's words.
type Entry<'d, 't> = &'d Spanned<DeValue<'t>>;

impl<'d, 't> Table<'d, 't> {
    fn open(
        document: &'d Document<'t>,
        prefix: String,
        table: &'d DeTable<'t>,
        span: Range<usize>,
        known: &[&str],
    ) -> Result<Self, InputError> {
        let opened = Self { document, prefix, table, span };
        for key in table.keys() {
            let name: &str = key.get_ref();
            if !known.contains(&name) {
                let full = format!("{}{name}", opened.prefix);
                let near = nearest(name, known.iter().copied())
                    .map_or(String::new(), |near| format!("did you mean \"{near}\"? "));
                let message = format!(
                    "unknown key \"{}\"; {near}The keys here are: {}",
                    full.escape_debug(),
                    known.join(", ")
                );
                return Err(document.error(&key.span(), message));
            }
        }
        Ok(opened)
    }

    /// An error about one of the table's keys (its line), or about the table if the key is missing.
    #[must_use]
    pub fn error(&self, key: &str, message: impl fmt::Display) -> InputError {
        let found = self.table.iter().find(|(name, _)| name.get_ref() == key);
        let span = found.map_or(self.span.clone(), |(name, _)| name.span());
        self.document.error(&span, format!("{}{key}: {message}", self.prefix))
    }

    /// An error about the table as a whole.
    #[must_use]
    pub fn error_here(&self, message: impl fmt::Display) -> InputError {
        let name = self.prefix.trim_end_matches('.');
        let colon = if name.is_empty() { "" } else { ": " };
        self.document.error(&self.span, format!("{name}{colon}{message}"))
    }

    /// Whether the key is there.
    #[must_use]
    pub fn has(&self, key: &str) -> bool {
        self.table.contains_key(key)
    }

    fn wrong_type(&self, key: &str, expected: &str, found: Entry<'d, 't>) -> InputError {
        let found = found.get_ref();
        let shown = match found {
            DeValue::String(text) => format!(
                "the string \"{}\"",
                text.chars().take(40).collect::<String>().escape_debug()
            ),
            DeValue::Integer(number) => number.as_str().to_string(),
            DeValue::Float(number) => number.as_str().to_string(),
            DeValue::Boolean(value) => value.to_string(),
            other => format!("a {}", other.type_str()),
        };
        self.error(key, format!("expected {expected}, found {shown}"))
    }

    fn optional<T>(
        &self,
        key: &str,
        expected: &str,
        read: impl Fn(&'d DeValue<'t>) -> Option<T>,
    ) -> Result<Option<T>, InputError> {
        match self.table.get(key) {
            None => Ok(None),
            Some(value) => match read(value.get_ref()) {
                Some(read) => Ok(Some(read)),
                None => Err(self.wrong_type(key, expected, value)),
            },
        }
    }

    /// A string.
    ///
    /// # Errors
    /// A value of another type.
    pub fn string(&self, key: &str) -> Result<Option<&'d str>, InputError> {
        self.optional(key, "a string", DeValue::as_str)
    }

    /// True or false.
    ///
    /// # Errors
    /// A value of another type.
    pub fn boolean(&self, key: &str) -> Result<Option<bool>, InputError> {
        self.optional(key, "true or false", DeValue::as_bool)
    }

    /// A whole number of at least `least`.
    ///
    /// # Errors
    /// A value of another type, or too small or large.
    pub fn whole(&self, key: &str, least: u64) -> Result<Option<u64>, InputError> {
        let expected = format!("a whole number of at least {least}");
        self.optional(key, &expected, |value| whole(value).filter(|&number| number >= least))
    }

    /// [`whole`](Self::whole) for numbers of 32 bits.
    ///
    /// # Errors
    /// As there.
    pub fn whole32(&self, key: &str, least: u32, most: u32) -> Result<Option<u32>, InputError> {
        let expected = format!("a whole number from {least} to {most}");
        let fits = |number: &u32| (least..=most).contains(number);
        self.optional(key, &expected, |v| whole(v).and_then(|n| u32::try_from(n).ok()).filter(fits))
    }

    /// A finite number.
    ///
    /// # Errors
    /// A value of another type, NaN or infinite.
    pub fn number(&self, key: &str) -> Result<Option<f64>, InputError> {
        self.optional(key, "a finite number", |value| number(value).filter(|x| x.is_finite()))
    }

    /// A finite number above zero.
    ///
    /// # Errors
    /// A value of another type, NaN, infinite, zero, negative, or too small for full precision.
    pub fn positive(&self, key: &str) -> Result<Option<f64>, InputError> {
        let fits = |x: &f64| x.is_normal() && *x > 0.0;
        self.optional(key, "a number above 0", |value| number(value).filter(fits))
    }

    /// An array whose elements all read.
    ///
    /// # Errors
    /// A value of another type, or an element that does not read.
    pub fn array<T>(
        &self,
        key: &str,
        expected: &str,
        read: impl Fn(&'d DeValue<'t>) -> Option<T>,
    ) -> Result<Option<Vec<T>>, InputError> {
        self.optional(key, expected, |value| {
            value.as_array()?.iter().map(|element| read(element.get_ref())).collect()
        })
    }

    /// A list of strings.
    ///
    /// # Errors
    /// Anything else.
    pub fn strings(&self, key: &str) -> Result<Option<Vec<&'d str>>, InputError> {
        self.array(key, "a list of strings", DeValue::as_str)
    }

    /// A list of whole numbers from `least` to `most`.
    ///
    /// # Errors
    /// Anything else.
    pub fn wholes(&self, key: &str, least: u32, most: u32) -> Result<Option<Vec<u32>>, InputError> {
        let expected = format!("a list of whole numbers from {least} to {most}");
        let fits = |number: &u32| (least..=most).contains(number);
        self.array(key, &expected, |v| whole(v).and_then(|n| u32::try_from(n).ok()).filter(fits))
    }

    /// A table inside this one.
    ///
    /// # Errors
    /// A value of another type, or unknown keys inside.
    pub fn table(&self, key: &str, known: &[&str]) -> Result<Option<Self>, InputError> {
        match self.table.get(key) {
            None => Ok(None),
            Some(value) => match value.get_ref().as_table() {
                Some(table) => {
                    let prefix = format!("{}{key}.", self.prefix);
                    Self::open(self.document, prefix, table, value.span(), known).map(Some)
                }
                None => Err(self.wrong_type(key, "a table", value)),
            },
        }
    }

    /// A table of finite numbers under names of any kind, in the order of the names.
    ///
    /// # Errors
    /// Anything else.
    pub fn numbers(&self, key: &str) -> Result<Option<Vec<(&'d str, f64)>>, InputError> {
        self.optional(key, "a table of finite numbers", |value| {
            let entry = |(name, value): (&'d Spanned<toml::de::DeString<'t>>, Entry<'d, 't>)| {
                let name: &'d str = name.get_ref();
                Some((name, number(value.get_ref()).filter(|x| x.is_finite())?))
            };
            value.as_table()?.iter().map(entry).collect()
        })
    }

    /// The tables of an array of tables; none where the key is missing.
    ///
    /// # Errors
    /// A value of another type, or unknown keys inside.
    pub fn tables(&self, key: &str, known: &[&str]) -> Result<Vec<Self>, InputError> {
        let Some(value) = self.table.get(key) else { return Ok(Vec::new()) };
        let wrong = || {
            self.wrong_type(key, &format!("tables, each headed [[{}{key}]]", self.prefix), value)
        };
        let array = value.get_ref().as_array().ok_or_else(wrong)?;
        let open = |(index, element): (usize, Entry<'d, 't>)| {
            let table = element.get_ref().as_table().ok_or_else(wrong)?;
            let prefix = format!("{}{key}[{}].", self.prefix, index + 1);
            Self::open(self.document, prefix, table, element.span(), known)
        };
        array.iter().enumerate().map(open).collect()
    }

    /// Every scalar of the table as text, in order: what `KEY=VALUE` would be on a command line.
    ///
    /// # Errors
    /// A value that is no scalar.
    pub fn scalars(&self) -> Result<Vec<(&'d str, String)>, InputError> {
        let scalar = |(key, value): (&'d Spanned<toml::de::DeString<'t>>, Entry<'d, 't>)| {
            let name: &'d str = key.get_ref();
            let text = match value.get_ref() {
                DeValue::String(text) => text.to_string(),
                DeValue::Integer(_) => whole(value.get_ref())
                    .map(|n| n.to_string())
                    .ok_or_else(|| self.wrong_type(name, "a whole number", value))?,
                DeValue::Float(number) => number.as_str().to_string(),
                DeValue::Boolean(value) => value.to_string(),
                _ => return Err(self.wrong_type(name, "a string or a number", value)),
            };
            Ok((name, text))
        };
        self.table.iter().map(scalar).collect()
    }
}

fn whole(value: &DeValue<'_>) -> Option<u64> {
    let number = value.as_integer()?;
    u64::from_str_radix(number.as_str(), number.radix()).ok()
}

/// A number, whole or not, as f64; a whole number that f64 cannot hold exactly is none.
pub(crate) fn number(value: &DeValue<'_>) -> Option<f64> {
    match value {
        DeValue::Float(number) => number.as_str().parse().ok(),
        DeValue::Integer(number) => {
            let whole = i64::from_str_radix(number.as_str(), number.radix()).ok()?;
            (whole.unsigned_abs() <= 1 << 53).then_some(whole as f64)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse<'t>(text: &'t str) -> Document<'t> {
        Document::parse(text, Some(Path::new("x.toml"))).unwrap()
    }

    #[test]
    fn errors_name_file_line_key_and_what_was_expected() {
        let document = parse("a = 1\n\n[cmaes]\npopulation = \"many\"\nsigma = nan\n");
        let root = document.root(&["a", "cmaes"]).unwrap();
        let cmaes = root.table("cmaes", &["population", "sigma"]).unwrap().unwrap();
        assert_eq!(
            cmaes.whole("population", 2).unwrap_err().to_string(),
            "x.toml:4: cmaes.population: expected a whole number of at least 2, found the string \"many\""
        );
        assert_eq!(
            cmaes.positive("sigma").unwrap_err().to_string(),
            "x.toml:5: cmaes.sigma: expected a number above 0, found nan"
        );
        assert_eq!(root.whole("b", 1), Ok(None));
    }

    #[test]
    fn unknown_keys_are_answered_with_the_nearest() {
        let document = parse("\npopulaton = 1");
        let error = document.root(&["population", "sigma"]).unwrap_err().to_string();
        assert_eq!(
            error,
            "x.toml:2: unknown key \"populaton\"; did you mean \"population\"? The keys here are: population, sigma"
        );
    }

    #[test]
    fn broken_toml_has_a_line() {
        let error = Document::parse("a = 1\nb = = 2", Some(Path::new("x.toml"))).unwrap_err();
        assert_eq!(error.line, Some(2));
        let error = Document::parse("a = 1\na = 2", None).unwrap_err();
        assert!(error.to_string().contains("duplicate"), "{error}");
    }
}
