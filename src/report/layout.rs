//! Tables as text, and how wide they may be.

use comfy_table::{CellAlignment, ContentArrangement, Table, presets};

/// The width that tables have to fit, if any; without it, they are as wide as their contents.
pub(crate) type Width = Option<u16>;

/// A column of a table: its head, and what it has of a row.
pub(super) type Column<'c, R> = (&'c str, &'c dyn Fn(&R) -> String);

/// A plain table with a row for each item: numbers to the right, the first column to the left.
pub(super) fn columns<R>(
    width: Width,
    rows: impl IntoIterator<Item = R>,
    columns: &[Column<'_, R>],
) -> String {
    let heads: Vec<&str> = columns.iter().map(|(head, _)| *head).collect();
    let cells = |row: R| columns.iter().map(|(_, cell)| cell(&row)).collect();
    table(width, &heads, rows.into_iter().map(cells))
}

/// A plain table: numbers to the right, the first column to the left.
pub(crate) fn table(
    width: Width,
    heads: &[&str],
    rows: impl IntoIterator<Item = Vec<String>>,
) -> String {
    laid_out(width, heads, rows, CellAlignment::Right)
}

/// A plain table of texts, all to the left.
pub(crate) fn text_table(
    width: Width,
    heads: &[&str],
    rows: impl IntoIterator<Item = Vec<String>>,
) -> String {
    laid_out(width, heads, rows, CellAlignment::Left)
}

fn laid_out(
    width: Width,
    heads: &[&str],
    rows: impl IntoIterator<Item = Vec<String>>,
    alignment: CellAlignment,
) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_header(heads).add_rows(rows);
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(alignment);
    }
    if let Some(width) = width {
        table.set_content_arrangement(ContentArrangement::Dynamic).set_width(width);
    }
    table.trim_fmt() + "\n"
}

/// Breaks lines that are longer than so many characters, between words, and indents what follows.
pub(crate) fn folded(text: &str, width: u16) -> String {
    text.split_inclusive('\n').map(|line| folded_line(line, usize::from(width))).collect()
}

fn folded_line(line: &str, width: usize) -> String {
    if line.trim_end().chars().count() <= width {
        return line.to_owned();
    }
    let indent = " ".repeat(line.len() - line.trim_start().len() + 4);
    let (mut lines, mut now) = (String::new(), String::new());
    for word in line.trim_end().split_inclusive(' ') {
        let is_empty = now.trim().is_empty();
        if !is_empty && (now.chars().count() + word.trim_end().chars().count()) > width {
            lines += &format!("{}\n", now.trim_end());
            now.clone_from(&indent);
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
            table(width, &heads, agents.map(row))
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

    #[test]
    fn long_lines_are_broken_between_words() {
        let text = "short\n  one two three four five\nsix\n\n";
        assert_eq!(folded(text, 80), text);
        let expected = "short\n  one two\n      three\n      four\n      five\nsix\n\n";
        assert_eq!(folded(text, 11), expected);
        let long = "a_word_that_is_too_long and more\n";
        assert_eq!(folded(long, 10), "a_word_that_is_too_long\n    and\n    more\n");
    }
}
