//! Weights as source text of the languages that bots are written in.
//!
//! Every format prints the shortest decimal digits that read back as the same 64-bit number, so that
//! values are bit-exact wherever the reader rounds correctly, as all these languages' readers do.

use std::fmt::Write;

use strum::{EnumIter, EnumString, VariantNames};

use super::Weights;
use crate::input::{InputError, unknown_name};

/// A format to export to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumIter, EnumString, VariantNames)]
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
    /// A final class of `public static final double`.
    Java,
    /// A module of constants.
    Python,
}

fn unknown_format(name: &str) -> InputError {
    unknown_name::<Format>("format", name)
}

/// The weights as text of a format.
#[must_use]
pub fn export(weights: &Weights, format: Format) -> String {
    let layout = weights.layout();
    let title = format!(
        "Weights {} of the {} evaluation of {}.",
        clean(&weights.name),
        layout.name,
        layout.game
    );
    let values = || layout.slots.iter().zip(weights.values());
    let constants = |text: &mut String, line: &dyn Fn(&str, &str, &str) -> String| {
        for (slot, value) in values() {
            let name = slot.name.to_uppercase();
            text.push_str(&line(&name, &format!("{value:?}"), slot.description));
        }
    };
    match format {
        Format::Toml => weights.to_toml(),
        Format::Json => json(weights),
        Format::Csv => values().fold("slot,value\n".into(), |mut text, (slot, value)| {
            let _ = writeln!(text, "{},{value:?}", slot.name);
            text
        }),
        Format::Rust => {
            let mut text = format!("// {title}\n\n");
            constants(&mut text, &|name, value, what| {
                format!("/// Weight of: {what}.\npub const {name}: f64 = {value};\n")
            });
            text
        }
        Format::C => {
            let guard = format!("TICTUNE_{}_{}_WEIGHTS_H", layout.game, layout.name).to_uppercase();
            let mut text = format!("/* {title} */\n#ifndef {guard}\n#define {guard}\n\n");
            constants(&mut text, &|name, value, what| {
                format!("/* {what} */\nstatic const double {name} = {value};\n")
            });
            text + "\n#endif\n"
        }
        Format::Java => {
            let class = format!("{}Weights", capitalised(layout.name));
            let mut text = format!(
                "/** {title} */\npublic final class {class} {{\n    private {class}() {{}}\n\n"
            );
            constants(&mut text, &|name, value, what| {
                format!(
                    "    /** Weight of: {what}. */\n    public static final double {name} = {value};\n"
                )
            });
            text + "}\n"
        }
        Format::Python => {
            let mut text = format!("\"\"\"{title}\"\"\"\n\n");
            constants(&mut text, &|name, value, what| format!("{name} = {value}  # {what}\n"));
            text
        }
    }
}

fn json(weights: &Weights) -> String {
    let layout = weights.layout();
    let slots = layout.slots.iter().zip(weights.values());
    let object = serde_json::json!({
        "name": weights.name,
        "game": layout.game,
        "evaluation": layout.name,
        "weights": slots
            .map(|(slot, &value)| (slot.name.to_string(), value.into()))
            .collect::<serde_json::Map<_, _>>(),
    });
    format!("{object:#}\n")
}

/// A name that ends no comment of any language, in ASCII, which compilers of any locale read.
fn clean(name: &str) -> String {
    let kept = |c: char| c.is_ascii_alphanumeric() || " -_.".contains(c);
    name.chars().map(|c| if kept(c) { c } else { '_' }).collect()
}

fn capitalised(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}

#[cfg(test)]
mod tests {
    use strum::IntoEnumIterator;

    use super::*;
    use crate::games::Uttt;

    #[test]
    fn no_name_breaks_out_of_a_comment() {
        let mut weights = Weights::builtin::<Uttt>("liang-simple").unwrap();
        weights.name = "*/ system(\"x\");\n\"\"\"".into();
        for format in Format::iter().skip(3) {
            let text = export(&weights, format);
            assert!(!text.contains("*/ system") && !text.contains("x\"\""), "{text}");
        }
    }

    #[test]
    fn json_and_csv_hold_every_slot_exactly() {
        let weights = Weights::builtin::<Uttt>("liang-comprehensive").unwrap();
        let object: serde_json::Value =
            serde_json::from_str(&export(&weights, Format::Json)).unwrap();
        let csv = export(&weights, Format::Csv);
        for ((slot, &value), line) in
            weights.layout().slots.iter().zip(weights.values()).zip(csv.lines().skip(1))
        {
            assert_eq!(object["weights"][slot.name].as_f64(), Some(value));
            let (name, text) = line.split_once(',').unwrap();
            assert_eq!((name, text.parse()), (slot.name, Ok(value)));
        }
    }
}
