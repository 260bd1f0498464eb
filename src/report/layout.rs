//! Tables as text, and how wide they may be.

use std::cell;

use comfy_table::{CellAlignment, ColumnConstraint, ContentArrangement, Table, Width, presets};

/// The longest words that columns keep whole where a table is too wide: the first of these that leaves room. Longer ones, such as
/// agents, are broken.
const LONGEST_WORDS: [usize; 4] = [24, 16, 12, 8];

/// The spaces on both sides of a cell.
const PADDING: usize = 2;

thread_local! {
    /// The width that tables have to fit, if any.
    static WIDTH: cell::Cell<Option<u16>> = const { cell::Cell::new(None) };
}

/// What `write` writes, with tables that fit so many characters. Without a width, tables are as wide as their contents.
pub(crate) fn within<T>(width: Option<u16>, write: impl FnOnce() -> T) -> T {
    let before = WIDTH.replace(width);
    let written = write();
    WIDTH.set(before);
    written
}

/// A plain table: numbers to the right, the first column to the left.
pub(crate) fn table(heads: &[&str], rows: impl IntoIterator<Item = Vec<String>>) -> String {
    laid_out(heads, rows, CellAlignment::Right)
}

/// A plain table of texts, all to the left.
pub(crate) fn text_table(heads: &[&str], rows: impl IntoIterator<Item = Vec<String>>) -> String {
    laid_out(heads, rows, CellAlignment::Left)
}

fn laid_out(
    heads: &[&str],
    rows: impl IntoIterator<Item = Vec<String>>,
    alignment: CellAlignment,
) -> String {
    let mut rows: Vec<Vec<String>> =
        std::iter::once(heads.iter().map(ToString::to_string).collect()).chain(rows).collect();
    if let Some(stacked) = WIDTH.get().and_then(|width| stacked(&rows, width, alignment)) {
        return stacked;
    }
    let fitted = WIDTH.get().map(|width| (width, fit(&mut rows, width)));
    let mut table = Table::new();
    let mut rows = rows.into_iter();
    table.load_style(presets::NOTHING).set_header(rows.next().unwrap_or_default()).add_rows(rows);
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(alignment);
    }
    if let Some((width, least)) = fitted {
        table.set_content_arrangement(ContentArrangement::Dynamic).set_width(width);
        for (column, least) in table.column_iter_mut().zip(least) {
            let least = Width::Fixed((least + PADDING) as u16);
            column.set_constraint(ColumnConstraint::LowerBoundary(least));
        }
    }
    table.trim_fmt() + "\n"
}

/// The spaces before the further lines of a row.
const INDENT: usize = 4;

/// The longest cells and words of each column.
fn widths(rows: &[Vec<String>]) -> Vec<(usize, usize)> {
    let mut widths = vec![(0, 0); rows.iter().map(Vec::len).max().unwrap_or(0)];
    for row in rows {
        for ((word, cell), content) in widths.iter_mut().zip(row) {
            let words = content.split_whitespace().map(|word| word.chars().count());
            *word = words.fold(*word, usize::max);
            *cell = content.chars().count().max(*cell);
        }
    }
    widths
}

/// A table too wide for the width, each row in as many lines as whole columns need. `None` where wrapping long cells is enough,
/// so that no number is broken, and where a single column is too wide.
fn stacked(rows: &[Vec<String>], width: u16, alignment: CellAlignment) -> Option<String> {
    let width = usize::from(width);
    let cells: Vec<usize> = widths(rows).iter().map(|(_, cell)| *cell).collect();
    // Cells of this length are wrapped, and shorter ones stay whole.
    let longest = LONGEST_WORDS[0];
    let least: usize = cells.iter().map(|cell| cell.min(&longest) + PADDING).sum();
    if least <= width || cells.iter().any(|cell| cell + INDENT > width) {
        return None;
    }
    // The columns of each line.
    let mut lines: Vec<Vec<usize>> = vec![Vec::new()];
    let mut room = width;
    for (column, cell) in cells.iter().enumerate() {
        let line = lines.last_mut()?;
        if line.is_empty() || cell + PADDING <= room {
            room -= (cell + if line.is_empty() { 0 } else { PADDING }).min(room);
            line.push(column);
        } else {
            room = width - INDENT - cell;
            lines.push(vec![column]);
        }
    }
    let mut text = String::new();
    for row in rows {
        for (number, columns) in lines.iter().enumerate() {
            let cells = columns.iter().map(|&column| {
                let (cell, width) = (row.get(column).map_or("", String::as_str), cells[column]);
                match alignment {
                    CellAlignment::Right if column > 0 => format!("{cell:>width$}"),
                    _ => format!("{cell:<width$}"),
                }
            });
            let indent = if number == 0 { 0 } else { INDENT };
            let line = format!("{:indent$}{}", "", cells.collect::<Vec<_>>().join("  "));
            text += line.trim_end();
            text += "\n";
        }
    }
    Some(text)
}

/// The least width of each column, so that cells wrap between words where that is enough. As many columns as have room stay
/// whole, those first that need the least. In the others, longer words are broken where they have a mark.
/// On a terminal narrower than that there are no least widths, and `comfy_table` splits words as it can.
fn fit(rows: &mut [Vec<String>], width: u16) -> Vec<usize> {
    let widths = widths(rows);
    let room_beside = |longest: usize| {
        let least: usize = widths.iter().map(|(word, _)| word.min(&longest) + PADDING).sum();
        Some((longest, usize::from(width).checked_sub(least)?))
    };
    let Some((longest, mut room)) = LONGEST_WORDS.into_iter().find_map(room_beside) else {
        return Vec::new();
    };
    let mut least: Vec<usize> = widths.iter().map(|(word, _)| *word.min(&longest)).collect();
    let lacks = |least: &[usize], column: usize| widths[column].1 - least[column];
    let mut columns: Vec<usize> = (0..widths.len()).collect();
    columns.sort_by_key(|&column| lacks(&least, column));
    columns.retain(|&column| {
        let stays_whole = lacks(&least, column) <= room;
        if stays_whole {
            room -= lacks(&least, column);
            least[column] = widths[column].1;
        }
        !stays_whole
    });
    for &column in &columns {
        for row in rows.iter_mut() {
            if let Some(cell) = row.get_mut(column) {
                *cell = broken(cell, least[column]);
            }
        }
    }
    least
}

/// Breaks the words of a cell that are longer than so many characters into lines, after the marks that agents and paths have.
fn broken(cell: &str, most: usize) -> String {
    let word = |word: &str| {
        let mut lines = vec![String::new()];
        for part in word.split_inclusive([':', '-', '=', ',', '/']) {
            let now = lines.last().map_or(0, |line| line.chars().count());
            match lines.last_mut() {
                Some(line) if now == 0 || now + part.chars().count() <= most => *line += part,
                _ => lines.push(part.into()),
            }
        }
        lines.join("\n")
    };
    cell.split(' ').map(word).collect::<Vec<_>>().join(" ")
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

    const AGENT: &str = "minimax:depth=5,eval=comprehensive,weights=liang-comprehensive";

    fn rows() -> Vec<Vec<String>> {
        let row = |name: &str| {
            let numbers = ["+123 (+99 to +147)", "1000", "600", "250", "150", "72.5 %", "0.031"];
            [name].iter().chain(&numbers).map(ToString::to_string).collect()
        };
        vec![row(AGENT), row("mcts:time=100ms"), row("the agent of the run")]
    }

    const HEADS: [&str; 8] = ["agent", "Elo (95 %)", "games", "won", "drew", "lost", "score", "p"];

    fn widest(text: &str) -> usize {
        text.lines().map(|line| line.chars().count()).max().unwrap_or(0)
    }

    #[test]
    fn tables_fit_the_width_and_lose_nothing() {
        let free = table(&HEADS, rows());
        assert!(widest(&free) > 100, "{free}");
        assert_eq!(within(Some(200), || table(&HEADS, rows())), free);
        for width in [100, 80, 40] {
            let narrow = within(Some(width), || table(&HEADS, rows()));
            assert!(widest(&narrow) <= usize::from(width), "{narrow}");
            let kept = |text: &str| text.chars().filter(|c| !c.is_whitespace()).count();
            assert_eq!(kept(&narrow), kept(&free), "{narrow}");
            if width < 80 {
                continue;
            }
            // Only what is long is wrapped.
            for word in ["1000", "72.5 %", "+99 to", "score"] {
                assert!(narrow.contains(word), "{word} in\n{narrow}");
            }
        }
        assert_eq!(table(&HEADS, rows()), free, "the width holds for one report alone");
    }

    #[test]
    fn a_table_of_many_columns_has_rows_of_several_lines() {
        let heads = ["against", "openings", "search", "games", "Elo (95 %)", "p", "distinct"];
        let row = [
            "initial",
            "random:4:held-out",
            "minimax:depth=5",
            "200",
            "+436 (+344 to +613)",
            "1.9e-15",
            "199",
        ];
        let rows = || [row.map(String::from).to_vec()];
        let free = table(&heads, rows());
        assert_eq!((free.lines().count(), within(Some(100), || table(&heads, rows()))), (2, free));
        let narrow = within(Some(60), || table(&heads, rows()));
        let expected = "against           openings           search  games\n    \
                        \u{20}        Elo (95 %)        p  distinct\n\
                        initial  random:4:held-out  minimax:depth=5    200\n    \
                        +436 (+344 to +613)  1.9e-15       199\n";
        assert_eq!(narrow, expected);
        assert!(widest(&narrow) <= 60);
        for width in [30, 40, 80] {
            let narrow = within(Some(width), || table(&heads, rows()));
            for cell in row {
                assert!(narrow.contains(cell), "{cell} in\n{narrow}");
            }
        }
    }

    #[test]
    fn long_words_are_broken_after_their_marks() {
        for width in [100, 80] {
            let narrow = within(Some(width), || table(&HEADS, rows()));
            let first =
                narrow.lines().map(|line| line.split("  ").next().unwrap_or_default().trim());
            let parts = first.skip_while(|part| !part.starts_with("minimax"));
            let parts = parts.take_while(|part| !part.contains("mcts"));
            let parts: Vec<&str> = parts.filter(|part| !part.is_empty()).collect();
            assert_eq!(parts.concat(), AGENT, "{narrow}");
            let ends = |part: &&str| part.ends_with([':', '-', '=', ',']);
            assert!(parts[..parts.len() - 1].iter().all(ends), "{narrow}");
        }
        // A word without marks is split as it comes.
        assert_eq!(broken("abcdefgh i", 4), "abcdefgh i");
        assert_eq!(broken("runs/a-b: c", 5), "runs/\na-b: c");
    }

    #[test]
    fn long_lines_are_broken_between_words() {
        let text = "short\n  one two three four five\nsix\n\n";
        assert_eq!(folded(text, 80), text);
        let expected = "short\n  one two\n      three\n      four\n      five\nsix\n\n";
        assert_eq!(folded(text, 11), expected);
        assert_eq!(
            folded("a_word_that_is_too_long and more\n", 10),
            "a_word_that_is_too_long\n    and\n    more\n"
        );
    }
}
