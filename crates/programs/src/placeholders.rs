//! Placeholders in what an outside program is started with.
//!
//! `{corner}` stands for the number of that name, `{seed}` for the seed of the game, and `{weights}` for the path of a file
//! that is written for the agent. `{{` and `}}` stand for braces. A command is split into words first, and values are put in
//! then, so that no value is ever taken for more than one word.

use strum::{Display, EnumIter, EnumString};

use tictune_core::input::excerpt;

/// A game's seed as programs get it: from 0 to 2147483647, which every language's numbers hold.
pub(super) const fn program_seed(seed: u64) -> u32 {
    (seed >> 33) as u32
}

pub(super) fn words_of(command: &str) -> Result<Vec<String>, String> {
    let words = shlex::split(command).filter(|words| !words.is_empty());
    words.ok_or_else(|| {
        "expected a program and its arguments, quotes closed, as in ./bot 'two words'".into()
    })
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Display, EnumIter, EnumString)]
#[strum(serialize_all = "lowercase")]
pub(super) enum FileFormat {
    /// An object of numbers by name.
    Json,
    /// Lines `name,value` under a header.
    Csv,
    /// A weight file, or `name = value` where there are numbers only.
    Toml,
}

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Placeholder {
    Seed,
    /// The path of a file with weights and numbers.
    File(FileFormat),
    /// A number, or a weight, of this name.
    Named(String),
}

impl Placeholder {
    /// What a name between braces stands for; `None` for no name.
    fn of(name: &str) -> Option<Self> {
        let fits = |c: char| c.is_ascii_alphanumeric() || "_-.".contains(c);
        if !name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            || !name.chars().all(fits)
        {
            return None;
        }
        let format = name.strip_prefix("weights.").and_then(|format| format.parse().ok());
        Some(match name {
            "seed" => Self::Seed,
            "weights" => Self::File(FileFormat::Json),
            _ => format.map_or_else(|| Self::Named(name.into()), Self::File),
        })
    }

    pub(super) fn name(&self) -> Option<&str> {
        match self {
            Self::Named(name) => Some(name),
            Self::Seed | Self::File(_) => None,
        }
    }

    /// Why a number cannot be called so; `None` if it can.
    pub(super) fn refusal(name: &str) -> Option<String> {
        match Self::of(name) {
            Some(Self::Named(_)) => None,
            Some(_) => Some(format!("{{{name}}} is reserved: choose another name")),
            None => Some(format!(
                "\"{}\" is not a valid name: expected letters, digits, _, - and .",
                excerpt(name)
            )),
        }
    }
}

/// A text with values in place of placeholders. A brace that is neither doubled nor part of a placeholder is an error.
pub(super) fn fill(
    text: &str,
    mut value: impl FnMut(Placeholder) -> Result<String, String>,
) -> Result<String, String> {
    const LITERAL: &str = "for a literal brace, write {{ or }}";
    let (mut filled, mut rest) = (String::new(), text);
    while let Some(at) = rest.find(['{', '}']) {
        filled += &rest[..at];
        let (brace, after) = rest[at..].split_at(1);
        if let Some(after) = after.strip_prefix(brace) {
            filled += brace;
            rest = after;
            continue;
        }
        let name = match (brace, after.split_once('}')) {
            ("{", Some((name, _))) => name,
            ("{", None) => return Err(format!("a {{ is not closed; {LITERAL}")),
            _ => return Err(format!("a }} without a {{; {LITERAL}")),
        };
        let placeholder = Placeholder::of(name).ok_or_else(|| {
            let cut: String = name.chars().take(40).collect();
            format!("{{{}}} is not a placeholder such as {{corner}}; {LITERAL}", cut.escape_debug())
        })?;
        filled += &value(placeholder)?;
        rest = &after[name.len() + 1..];
    }
    Ok(filled + rest)
}

pub(super) fn placeholders_of(text: &str) -> Result<Vec<Placeholder>, String> {
    let mut found = Vec::new();
    let note = |placeholder| {
        found.push(placeholder);
        Ok(String::new())
    };
    fill(text, note)?;
    Ok(found)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn filled(text: &str) -> Result<String, String> {
        fill(text, |placeholder| Ok(format!("<{placeholder:?}>")))
    }

    #[test]
    fn placeholders_are_found_and_doubled_braces_are_braces() {
        for (text, expected) in [
            ("", ""),
            ("--fast", "--fast"),
            ("{corner}", "<Named(\"corner\")>"),
            ("a={a.b-c},b={_b}", "a=<Named(\"a.b-c\")>,b=<Named(\"_b\")>"),
            ("{seed}{weights}", "<Seed><File(Json)>"),
            ("{weights.csv} {weights.toml}", "<File(Csv)> <File(Toml)>"),
            ("{weights.yaml}", "<Named(\"weights.yaml\")>"),
            ("{{\"a\": {a}}}", "{\"a\": <Named(\"a\")>}"),
            ("{{}}", "{}"),
        ] {
            assert_eq!(filled(text).unwrap(), expected, "{text}");
        }
        for (text, expected) in [
            ("{corner", "a { is not closed"),
            ("corner}", "a } without a {"),
            ("{}", "{} is not a placeholder"),
            ("{ print $1 }", "{ print $1 } is not a placeholder such as {corner}"),
            ("{1st}", "write {{ or }}"),
        ] {
            let error = filled(text).unwrap_err();
            assert!(error.contains(expected), "{text}: {error}");
        }
    }

    proptest! {
        #[test]
        fn any_text_can_be_written_with_doubled_braces(text in ".*") {
            let _ = filled(&text);
            let doubled = text.replace('{', "{{").replace('}', "}}");
            prop_assert_eq!(filled(&doubled).unwrap(), text);
        }
    }
}
