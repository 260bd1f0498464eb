//! Bots for CodinGame, each one source file that its author can paste.
//!
//! `bot.rs.txt` and `bot.cpp.txt` are the bots, with placeholders for the constants of an agent. They play what the agent `pvs`
//! plays with weights of the evaluation `patterns`, move for move at the same number of positions: a change of that search, of
//! the evaluation or of its look-ahead has to be made there, too. A test compares them.

use strum::{Display, EnumString, VariantNames};

use super::packing::pack;
use crate::game::FixedPoint;
use crate::games::uttt::evaluation::PATTERN_VALUES;
use crate::games::uttt::evaluation::patterns::PatternValues;
use crate::input::InputError;

/// The most characters that the platform takes.
const LONGEST: usize = 100_000;

/// The language of a bot. Its name is that of the export's format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Display, EnumString, VariantNames)]
pub enum Language {
    /// Rust, standard library only.
    #[strum(serialize = "codingame-rust")]
    Rust,
    /// C++17, standard library only.
    #[strum(serialize = "codingame-cpp")]
    Cpp,
}

impl Language {
    const fn template(self) -> &'static str {
        match self {
            Self::Rust => include_str!("bot.rs.txt"),
            Self::Cpp => include_str!("bot.cpp.txt"),
        }
    }
}

/// What a bot is made of.
#[derive(Clone, Debug)]
pub struct BotParts<'p> {
    /// What its first lines say: where it comes from.
    pub about: &'p str,
    /// The weights of the evaluation `patterns`.
    pub weights: &'p [f64],
    /// The constants of the search: the names of placeholders, and numbers, `true` or `false`.
    pub search: &'p [(&'static str, String)],
}

/// The source of a bot.
///
/// # Errors
/// Weights that are not of the evaluation; a file that would be too long for the platform.
pub fn source(language: Language, parts: &BotParts<'_>) -> Result<String, InputError> {
    let fixed = FixedPoint::new(&PATTERN_VALUES, parts.weights)
        .map_err(|error| InputError::new(error.to_string()))?;
    let weights: Vec<String> = fixed.weights.iter().map(i32::to_string).collect();
    let mut text = language.template().to_owned();
    for (name, value) in parts.search {
        text = text.replace(&format!("{{{{{name}}}}}"), value);
    }
    let text = text
        .replace("{{weights}}", &weights.join(", "))
        .replace("{{about}}", &comment(parts.about))
        .replace("{{packed}}", &pack(PatternValues::built_in().all()));
    match text.chars().count() {
        ..LONGEST => Ok(text),
        length => Err(InputError::new(format!(
            "the bot would have {length} characters, and CodinGame takes less than {LONGEST}; shorten the provenance of \
             its weights"
        ))),
    }
}

/// Lines as comments, in ASCII without what could end a comment or continue it.
fn comment(text: &str) -> String {
    let kept = |c: char| (c.is_ascii_graphic() && c != '\\') || c == ' ';
    let line = |line: &str| line.chars().map(|c| if kept(c) { c } else { '_' }).collect::<String>();
    let lines: Vec<String> =
        text.lines().map(|text| format!("// {}", line(text)).trim_end().to_owned()).collect();
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_stay_comments_and_long_files_are_refused() {
        assert_eq!(comment("a\n\nb\\\nc\r\u{202e}\u{2028}d"), "// a\n//\n// b_\n// c___d");
        let about = "x".repeat(LONGEST);
        let parts = BotParts { about: &about, weights: &[1.0; 9], search: &[] };
        let error = source(Language::Rust, &parts).unwrap_err().to_string();
        assert!(error.contains("takes less than 100000"), "{error}");
        let parts = BotParts { weights: &[1.0; 3], ..parts };
        assert!(source(Language::Rust, &parts).unwrap_err().to_string().contains("9 weights"));
    }
}
