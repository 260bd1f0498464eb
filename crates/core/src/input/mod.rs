//! Reading what people write: TOML tables with errors that say where, what was expected, and what to do.

#[doc(hidden)]
mod document;
mod error;
#[doc(hidden)]
mod escape;
mod reading;
#[doc(hidden)]
mod schema;

use std::borrow::Borrow;
use std::collections::BTreeMap;

pub(crate) use self::document::to_json;
pub use self::document::{Table, TomlFile};
pub use self::error::{InputError, Result};
pub use self::escape::{escaped, excerpt, shortened, shortened_to};
pub(crate) use self::reading::was_read;
#[doc(hidden)]
pub use self::reading::{
    did_you_mean, nearest_path, read_data, read_games, read_text, reading_only_in,
};
pub use self::schema::{all_default, completed, percent, schema_of, whole};
pub(crate) use self::schema::{in_range, number_text, takes, words};

/// The known word nearest to an unknown one, if one is near enough to be meant.
#[doc(hidden)]
pub fn nearest<'k>(word: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    known
        .into_iter()
        .map(|candidate| (strsim::normalized_damerau_levenshtein(word, candidate), candidate))
        .filter(|(similarity, _)| *similarity >= 0.5)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, candidate)| candidate)
}

/// "unknown KIND "WORD"; did you mean "NEAR"? Known: ...".
#[doc(hidden)]
pub fn unknown(kind: &str, word: &str, known: &[&str]) -> String {
    let word: String = word.chars().take(60).collect();
    let near = nearest(&word, known.iter().copied())
        .map_or(String::new(), |near| format!("; did you mean \"{near}\"?"));
    let word = word.escape_debug();
    let stop = if near.is_empty() { "." } else { "" };
    let known = if known.is_empty() { "none" } else { &known.join(", ") };
    format!("unknown {kind} \"{word}\"{near}{stop} Known: {known}")
}

/// The values of a text `KEY=VALUE,...`, each key once and among those of a `kind` that are `known`.
#[doc(hidden)]
pub fn key_values<'t>(
    text: &'t str,
    kind: &str,
    known: &[&str],
) -> Result<BTreeMap<&'t str, &'t str>, String> {
    let mut values = BTreeMap::new();
    for part in text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
        let pair = part.split_once('=').map(|(key, value)| (key.trim(), value.trim()));
        let wrong =
            || format!("\"{}\" is not KEY=VALUE with a key of {}", excerpt(part), known.join(", "));
        let (key, value) = pair.ok_or_else(wrong)?;
        if !known.contains(&key) {
            return Err(unknown(kind, key, known));
        }
        if values.insert(key, value).is_some() {
            return Err(format!("{key} is given twice"));
        }
    }
    Ok(values)
}

/// Names with commas between them; of more than `most`, the first ones and the number of the others.
#[doc(hidden)]
pub fn few<S: Borrow<str>>(names: &[S], most: usize) -> String {
    match names.len().saturating_sub(most) {
        0 => names.join(", "),
        more => format!("{} and {more} more", names[..most].join(", ")),
    }
}

/// Gives all but the first of equal names a number, so that results distinguish them: `best`, `best#2`.
#[doc(hidden)]
pub fn distinct(names: &[String]) -> Vec<String> {
    let number = |(index, name): (usize, &String)| {
        let earlier = names[..index].iter().filter(|earlier| *earlier == name).count();
        if earlier == 0 { name.clone() } else { format!("{name}#{}", earlier + 1) }
    };
    names.iter().enumerate().map(number).collect()
}

#[cfg(test)]
mod tests;
