//! Bots for CodinGame, each one Rust file that its author can paste.
//!
//! The files in `bots` make up the source, with placeholders for the constants of an agent: `bot` has the rules, the search and
//! the protocol, and is the same for all evaluations. What values positions takes its place inside, by the evaluation:
//!
//! - `patterns`, which looks up fitted values;
//! - `extended`, which looks up what small boards and the macro board add;
//! - `squares` for sums over squares, which looks up values two plies deep and fills its tables with the exported function;
//! - `formula` for what is left: it calls the exported function for every position, which is slow.
//!
//! They play what the agent `pvs` plays, move for move at the same number of positions: a change of that search, of an
//! evaluation or of a look-ahead has to be made there, too. A test compares them.

use super::packing::pack;
use crate::uttt::evaluation::is_sum_over_squares;
use crate::uttt::evaluation::patterns::PatternValues;
use tictune_core::game::{FixedPoint, WeightLayout};
use tictune_core::input::{InputError, Result};

/// The most characters that the platform takes.
const LONGEST: usize = 100_000;

/// The name of the format of bots. They use Rust's standard library only.
pub const FORMAT: &str = "codingame-rust";

/// A text of the folder `bots`.
macro_rules! part {
    ($name:literal) => {
        include_str!(concat!("bots/", $name, ".rs.txt"))
    };
}

/// Nine squares as one number, for what looks up small boards.
const SQUARES_OF_NINE: &str = part!("squares_of_nine");
/// The cells that decide a small board, for what looks up what decided boards are worth.
const SPECIAL: &str = part!("special");
/// The exported function.
const EVALUATE: &str = part!("evaluate");

/// What is written of an evaluation.
fn parts(layout: &'static WeightLayout) -> Vec<&'static str> {
    match layout.name {
        "patterns" | "patterns-count" => vec![SQUARES_OF_NINE, SPECIAL, part!("patterns")],
        "extended" => vec![SQUARES_OF_NINE, SPECIAL, part!("extended")],
        // These have no look-ahead of two plies.
        "heur2" | "heur4" => vec![EVALUATE, part!("formula")],
        _ if is_sum_over_squares(layout) => vec![SQUARES_OF_NINE, EVALUATE, part!("squares")],
        _ => vec![EVALUATE, part!("formula")],
    }
}

/// What a bot is made of.
#[derive(Clone, Debug)]
pub struct BotParts<'p> {
    /// What its first lines say: where it comes from.
    pub about: &'p str,
    /// The evaluation.
    pub layout: &'static WeightLayout,
    /// Its weights.
    pub weights: &'p [f64],
    /// The function `evaluate` in Rust, with the names of its parameters; none for an evaluation that looks values up.
    pub function: Option<(&'p str, &'p [String])>,
    /// The constants of the search: the names of placeholders, and numbers, `true` or `false`.
    pub search: &'p [(&'static str, String)],
}

/// The source of a bot.
///
/// # Errors
/// Weights that are not of the evaluation; an evaluation of more than positions; a file that would be too long for the platform.
pub fn source(bot: &BotParts<'_>) -> Result<String> {
    let fixed = FixedPoint::new(bot.layout, bot.weights).map_err(InputError::new)?;
    let weights: Vec<String> = fixed.weights.iter().map(i32::to_string).collect();
    let parts = parts(bot.layout);
    let mut evaluation = parts.concat();
    if parts.contains(&EVALUATE) {
        let found = bot.function.and_then(|(function, of)| Some((function, arguments(of)?)));
        let Some((function, arguments)) = found else {
            return Err(InputError::new(format!(
                "no bot can be written with {}, whose values depend on the moves that led to a position; all other evaluations \
                 of uttt can be",
                bot.layout.name
            )));
        };
        evaluation = evaluation
            .replace("{{constants}}\n", &constants(bot.layout, &weights))
            .replace("{{function}}", &indented(function.trim_matches('\n')))
            .replace("{{arguments}}", &arguments);
    }
    let data = match bot.layout.name {
        name @ ("patterns" | "patterns-count") => format!(
            "\n/// The fitted values of patterns, packed.\nconst VALUES: &str = \"{}\";\n",
            pack(&PatternValues::built_in(name).0)
        ),
        _ => String::new(),
    };
    let mut source =
        part!("bot").replace("{{evaluation}}\n", &evaluation).replace("{{data}}", &data);
    for (name, value) in bot.search {
        source = source.replace(&format!("{{{{{name}}}}}"), value);
    }
    source = source.replace("{{weights}}", &weights.join(", "));
    source = source.replace("{{about}}", &comment(bot.about));
    match source.chars().count() {
        ..LONGEST => Ok(source),
        length => Err(InputError::new(format!(
            "the bot would have {length} characters, and CodinGame takes less than {LONGEST}; shorten the provenance of \
             its weights"
        ))),
    }
}

/// The weights as constants that the exported function names.
fn constants(layout: &WeightLayout, weights: &[String]) -> String {
    let names = layout.slots.iter().map(|slot| slot.name.to_uppercase());
    let constant = |(name, weight)| format!("    const {name}: f64 = {weight}.0;\n");
    names.zip(weights).map(constant).collect()
}

/// A function inside a module.
fn indented(function: &str) -> String {
    let line = |line| match line {
        "" => "\n".to_owned(),
        line => format!("    {line}\n"),
    };
    function.lines().map(line).collect()
}

/// What the exported function is called with after the cells; `None` if it asks for more than a position.
fn arguments(parameters: &[String]) -> Option<String> {
    let argument = |name: &String| {
        Some(match name.as_str() {
            "cells" => "",
            "target" => ", if position.target == ANYWHERE { -1 } else { position.target as i32 }",
            "player" => ", position.side as i32 + 1",
            _ => return None,
        })
    };
    parameters.iter().map(argument).collect()
}

/// Lines as comments, in ASCII without what could end a comment or continue it.
fn comment(text: &str) -> String {
    let kept = |c: char| (c.is_ascii_graphic() && c != '\\') || c == ' ';
    let line = |line: &str| line.chars().map(|c| if kept(c) { c } else { '_' }).collect::<String>();
    let lines = text.lines().map(|text| format!("// {}", line(text)).trim_end().to_owned());
    lines.collect::<Vec<_>>().join("\n")
}
