//! Weights as source text of the languages that bots are written in.
//!
//! Every format prints the shortest decimal digits that read back as the same 64-bit number, so that
//! values are bit-exact wherever the reader rounds correctly, as all these languages' readers do. With them goes the
//! evaluation as a function: `writer` writes a `formula` in a `language`.

mod formula;
mod language;
mod source;
mod writer;

use serde_json::{Value, json};
use strum::{EnumString, VariantNames};

pub(crate) use self::language::Language;
pub(crate) use self::source::Literal;
use self::source::Parts;
use super::Weights;
use crate::game::{Formulas, GameInfo, Slot};
use crate::input::{InputError, unknown};

/// A format to export to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString, VariantNames)]
#[strum(serialize_all = "lowercase", parse_err_ty = InputError, parse_err_fn = unknown_format)]
pub enum Format {
    /// A weight file of tictune.
    Toml,
    /// An object with name, game, evaluation, and the weights by name.
    Json,
    /// Lines `slot,value`.
    Csv,
    /// A `pub const` for each slot.
    Rust,
    /// A header of `static const double`.
    C,
    /// A C++ header: a namespace of `constexpr double`, named after the weights.
    #[strum(serialize = "c++", serialize = "cpp")]
    Cpp,
    /// A final class of `public static final double`, named after the weights.
    Java,
    /// A JavaScript module of constants.
    #[strum(serialize = "js", serialize = "javascript")]
    JavaScript,
    /// A module of constants.
    Python,
}

fn unknown_format(name: &str) -> InputError {
    InputError::new(unknown("format", name, Format::VARIANTS))
}

/// The weights as text of a format. Of a language the text has a function `evaluate` as well, if the game describes its
/// evaluations ([`Formulas`]).
#[must_use]
pub fn export(weights: &Weights, format: Format, game: &GameInfo) -> String {
    match Language::of(format) {
        Some(language) => source(weights, language, game),
        None => match format {
            Format::Json => format!("{:#}\n", json(weights)),
            Format::Csv => csv(weights),
            _ => weights.to_toml(),
        },
    }
}

impl Language {
    /// An evaluation as a function `evaluate`, if the game describes it: its text, without the constants that it names (the
    /// weights, in capitals), and its parameters.
    pub(crate) fn evaluate(
        &self,
        evaluation: &str,
        game: &GameInfo,
    ) -> Option<(String, Vec<String>)> {
        let formula = formula::find(game.extension()?, evaluation)?;
        let evaluate = formula.functions.last()?;
        let parameters = evaluate.parameters.iter().map(|(name, _)| name.clone()).collect();
        Some((self.formula(&formula)?, parameters))
    }
}

/// What an export says that has constants alone.
pub(crate) const NO_FUNCTION: &str = "There is no function here: the game does not describe this evaluation in the language of exports \
                               (Game::extensions, Formulas).";

fn source(weights: &Weights, language: &Language, game: &GameInfo) -> String {
    let layout = weights.layout();
    let (name, evaluation, of_game) = (clean(&weights.name), layout.name, layout.game);
    let title = format!("Weights {name} of the {evaluation} evaluation of {of_game}.");
    let function = language.evaluate(evaluation, game);
    let usage = match (&function, game.extension::<Formulas>()) {
        (Some((_, parameters)), Some(all)) => {
            let is_taken = |name: &str| parameters.iter().any(|taken| taken == name);
            let arguments = all.arguments.iter().filter(|(name, _)| is_taken(name));
            let arguments: String = arguments.map(|(_, sentence)| format!(" {sentence}")).collect();
            format!("{}{arguments}\n\n{}", all.usage, all.rules)
        }
        _ => NO_FUNCTION.into(),
    };
    // Commands are not wrapped, so that they can be copied.
    let mut origin = provenance(weights);
    if !origin.is_empty() {
        origin.splice(0..0, ["", "Where the weights come from:"].map(String::from));
    }
    let origin = origin.iter().map(|line| language.comment_line(line)).collect();
    let note = if language.note.is_empty() { "" } else { &format!("\n\n{}", language.note) };
    let header = format!("What is counted: {}.\n\n{usage}{note}", layout.description);
    let slots = layout.slots.iter().zip(weights.values());
    let constant = |(slot, value): (&Slot, &f64)| {
        let what = format!("The number of: {}; {} at most", slot.description, slot.greatest_count);
        language.constant(&slot.name.to_uppercase(), Literal::Real(*value), &what)
    };
    let parts = Parts {
        title,
        header,
        origin,
        place: format!("{}_weights", identifier(&weights.name)),
        constants: slots.map(constant).collect(),
        functions: function.map_or_else(String::new, |(text, _)| text),
    };
    source::file(language, &parts)
}

/// Names that headers of C define.
const MACROS: [&str; 8] =
    ["EOF", "NULL", "NAN", "INFINITY", "DOMAIN", "OVERFLOW", "UNDERFLOW", "BUFSIZ"];

/// Numbers that an agent or a program was tuned to, as constants. `title` is a sentence about them, `name` says what they are
/// called, and `origin` has lines about where they come from.
#[must_use]
pub(crate) fn numbers(
    (title, name): (&str, &str),
    numbers: &[(String, Literal)],
    origin: &[String],
    language: &Language,
) -> String {
    let (mut constants, mut names) = (String::new(), Vec::new());
    for (key, value) in numbers {
        let mut name = identifier(key).to_uppercase();
        while MACROS.contains(&&*name) || names.contains(&name) {
            name.push('_');
        }
        constants += &language.constant(&name, *value, &format!("The number {}", clean(key)));
        names.push(name);
    }
    let parts = Parts {
        title: clean(title),
        origin: origin.iter().map(|line| language.comment_line(&plain(line))).collect(),
        place: format!("{}_numbers", identifier(name)),
        constants,
        ..Parts::default()
    };
    source::file(language, &parts)
}

fn provenance(weights: &Weights) -> Vec<String> {
    let line = |(key, value): (&String, &toml::Value)| match value {
        toml::Value::String(text) => plain(&format!("{key} = {text}")),
        value => plain(&format!("{key} = {value}")),
    };
    weights.provenance.iter().map(line).collect()
}

/// A line of a comment without what could end it in one of the languages, or be read by its compiler: characters beyond
/// ASCII, and backslashes, which Java reads in comments and which join lines in C.
fn plain(text: &str) -> String {
    let words = text.replace(char::is_whitespace, " ");
    let is_plain = |c: &char| (c.is_ascii_graphic() && *c != '\\') || *c == ' ';
    // A backslash in C, where trigraphs are read.
    words.chars().filter(is_plain).collect::<String>().replace("??/", "??")
}

fn csv(weights: &Weights) -> String {
    let slots = weights.layout().slots.iter().zip(weights.values());
    let lines = slots.map(|(slot, value)| format!("{},{value:?}\n", slot.name));
    format!("slot,value\n{}", lines.collect::<String>())
}

pub(crate) fn json(weights: &Weights) -> Value {
    let layout = weights.layout();
    let slots = || layout.slots.iter().zip(weights.values());
    let values = slots().map(|(slot, &value)| (slot.name, value));
    let descriptions = slots().map(|(slot, _)| (slot.name, slot.description));
    json!({
        "name": weights.name,
        "game": layout.game,
        "evaluation": layout.name,
        "description": layout.description,
        "weights": values.collect::<Value>(),
        "descriptions": descriptions.collect::<Value>(),
        "provenance": weights.provenance,
    })
}

/// A name that ends no comment of any language, in ASCII, which compilers of any locale read.
fn clean(name: &str) -> String {
    let kept = |c: char| c.is_ascii_alphanumeric() || " -_.".contains(c);
    name.chars().map(|c| if kept(c) { c } else { '_' }).collect()
}

/// A name in letters, digits and underscores, with a letter first. It may be a word of a language.
fn identifier(name: &str) -> String {
    let kept = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' };
    let name: String = name.chars().map(kept).collect();
    let start = if name.starts_with(|c: char| c.is_ascii_lowercase()) { "" } else { "of_" };
    format!("{start}{name}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Game;
    use crate::games::Uttt;

    #[test]
    fn headers_of_other_values_have_another_guard() {
        let layout = Weights::builtin::<Uttt>("liang-simple").unwrap().layout();
        let guard = |value: f64| {
            let weights = Weights::new("best of 2", layout, vec![value]).unwrap();
            let text = export(&weights, Format::C, Uttt::INFO);
            let line = text.lines().find(|line| line.starts_with("#ifndef ")).unwrap().to_string();
            assert!(line.starts_with("#ifndef TICTUNE_BEST_OF_2_WEIGHTS_"), "{line}");
            line
        };
        assert_eq!(guard(1.0), guard(1.0));
        assert_ne!(guard(1.0), guard(2.0));
    }

    #[test]
    fn tuned_numbers_are_constants_of_their_kinds() {
        let all = [
            ("King Safety", Literal::Whole(-3)),
            ("2nd", Literal::Real(3.0)),
            ("back", Literal::Switch(true)),
            ("Back", Literal::Switch(false)),
            ("nan", Literal::Whole(7)),
        ];
        let all = all.map(|(name, value)| (name.to_string(), value));
        let origin = ["*/ \\ over".to_string()];
        let formats = [Format::Rust, Format::Cpp, Format::Java, Format::JavaScript, Format::Python];
        let text = formats.map(|format| {
            numbers(("Numbers of x.", "x-1"), &all, &origin, Language::of(format).unwrap())
        });
        insta::assert_snapshot!(text.join("\n"));
    }
}
