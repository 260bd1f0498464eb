//! Tables as text, and how wide they may be.

pub(crate) use comfy_table::CellAlignment;
use comfy_table::{ContentArrangement, Table, presets};
use minijinja::value::ViaDeserialize;
use minijinja::{Environment, State, UndefinedBehavior, Value, escape_formatter};
use serde::Serialize;

use super::{counted, duration, elo, in_six_digits};
use crate::papers::reproduce::{ENOUGH_GAMES, Printed, chi_squared_yates};
use crate::stats::{SIGNIFICANCE, Tally, p_equals, p_in_words};

/// The width that tables have to fit, if any; without it, they are as wide as their contents.
pub(crate) type Width = Option<u16>;

/// The words of templates between the cells of a table, in a head above numbers, in one above texts and in the rows; and what
/// stands for them where values may have the same words.
const BETWEEN: [(&str, char); 3] = [(" || ", '\u{1d}'), (" |< ", '\u{1e}'), (" | ", '\u{1f}')];

/// A text by a template, in which `a || b` is the head of a table, and the lines `1 | 2` after it are its rows. After `a |< b` all
/// columns are to the left.
pub(crate) fn written(width: Width, template: &str, values: impl Serialize) -> String {
    let signed = |text: String, (word, sign): &(&str, char)| text.replace(word, &sign.to_string());
    let written = rendered(&BETWEEN.iter().fold(template.to_owned(), signed), values);
    let [numbers, texts, row] = BETWEEN.map(|(_, sign)| sign);
    let (mut text, mut lines) = (String::new(), written.split_inclusive('\n').peekable());
    while let Some(line) = lines.next() {
        let (head, others) = match line.contains(texts) {
            true => (texts, CellAlignment::Left),
            false => (numbers, CellAlignment::Right),
        };
        if line.contains(head) {
            let rows = std::iter::from_fn(|| lines.next_if(|line| line.contains(row)));
            let cells =
                |line: &str| line.trim_end_matches('\n').split(row).map(String::from).collect();
            let heads: Vec<&str> = line.trim_end_matches('\n').split(head).collect();
            text += &table(width, others, &heads, rows.map(cells));
        } else {
            text += line;
        }
    }
    text
}

/// The text of a template. Numbers are written as Rust writes them: 1 and not 1.0.
pub(crate) fn rendered(template: &str, values: impl Serialize) -> String {
    let text = environment().render_str(template, values);
    text.expect("the templates of the crate fit their values")
}

/// What templates of texts can do with values. What is null has no text.
fn environment() -> Environment<'static> {
    fn fixed(value: Option<f64>, decimals: usize) -> String {
        value.map_or(String::new(), |value| format!("{value:.decimals$}"))
    }
    let mut templates = Environment::new();
    templates.set_undefined_behavior(UndefinedBehavior::SemiStrict);
    templates.set_trim_blocks(true);
    templates.set_lstrip_blocks(true);
    templates.set_keep_trailing_newline(true);
    templates.set_formatter(|out, state: &State, value| match f64::try_from(value.clone()) {
        Ok(number) if !value.is_integer() => Ok(write!(out, "{number}")?),
        _ => escape_formatter(out, state, value),
    });
    templates.add_global("significance", SIGNIFICANCE);
    templates.add_filter("toml", |text: String| toml::Value::from(text).to_string());
    templates
        .add_filter("pad", |value: Value, width: usize| format!("{:<width$}", value.to_string()));
    templates.add_filter("fixed", fixed);
    templates.add_filter("signed", |value: Option<f64>, decimals: usize| {
        value.map_or(String::new(), |value| format!("{value:+.decimals$}"))
    });
    templates.add_filter("percent", |share: Option<f64>, decimals: Option<usize>| {
        let decimals = decimals.unwrap_or(1);
        share.map_or(String::new(), |share| format!("{:.decimals$} %", 100.0 * share))
    });
    templates.add_filter("counted", counted);
    templates.add_filter("six_digits", |value: Value| in_six_digits(&value.to_string()));
    templates.add_filter("duration", duration);
    templates.add_filter("p_in_words", p_in_words);
    templates.add_filter("p_equals", p_equals);
    templates.add_function("elo", elo);
    templates.add_filter("score", |of: ViaDeserialize<Printed>| of.score());
    templates.add_filter("chi_squared", |of: ViaDeserialize<Printed>| {
        chi_squared_yates(&of.tally()).map_or("none".into(), |(value, _)| fixed(Some(value), 3))
    });
    templates.add_test("enough_games", |of: ViaDeserialize<Tally>| of.games() >= ENOUGH_GAMES);
    templates
}

/// A plain table. The first column is to the left, and the others as they are aligned: numbers to the right.
pub(crate) fn table(
    width: Width,
    others: CellAlignment,
    heads: &[&str],
    rows: impl IntoIterator<Item = Vec<String>>,
) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_header(heads).add_rows(rows);
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(others);
    }
    if let Some(width) = width {
        table.set_content_arrangement(ContentArrangement::Dynamic).set_width(width);
    }
    table.trim_fmt() + "\n"
}

/// Lines of at most so many characters, where words allow it.
pub(crate) fn wrapped(text: &str, width: usize) -> String {
    let (mut lines, mut now) = (String::new(), String::new());
    for word in text.split_inclusive(' ') {
        let is_empty = now.trim().is_empty();
        if !is_empty && now.chars().count() + word.trim_end().chars().count() > width {
            lines += &format!("{}\n", now.trim_end());
            now.clear();
        }
        now += word;
    }
    format!("{lines}{}\n", now.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn widest(text: &str) -> usize {
        text.lines().map(|line| line.chars().count()).max().unwrap_or(0)
    }

    #[test]
    fn tables_fit_the_width_and_lose_nothing() {
        let agents =
            ["minimax:depth=5,eval=comprehensive,weights=liang-comprehensive", "the agent"];
        let heads = ["agent", "Elo (95 %)", "games", "won", "drew", "lost", "score", "p"];
        let numbers = ["+123 (+99 to +147)", "1000", "600", "250", "150", "72.5 %", "0.031"];
        let in_width = |width| {
            let row = |name| [name].iter().chain(&numbers).map(ToString::to_string).collect();
            table(width, CellAlignment::Right, &heads, agents.map(row))
        };
        let free = in_width(None);
        assert!(widest(&free) > 100, "{free}");
        assert_eq!(in_width(Some(200)), free);
        for width in [100, 80, 40] {
            let narrow = in_width(Some(width));
            assert!(widest(&narrow) <= usize::from(width), "{narrow}");
            let kept = |text: &str| text.chars().filter(|c| !c.is_whitespace()).count();
            assert_eq!(kept(&narrow), kept(&free), "{narrow}");
        }
    }
}
