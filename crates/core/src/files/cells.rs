//! Cells of CSV files.

use std::borrow::Cow;

/// Rows as CSV.
pub fn csv_text<R>(rows: impl IntoIterator<Item = R>) -> std::io::Result<Vec<u8>>
where
    R: IntoIterator,
    R::Item: AsRef<[u8]>,
{
    let mut writer = csv::WriterBuilder::new().flexible(true).from_writer(Vec::new());
    for row in rows {
        writer.write_record(row)?;
    }
    writer.into_inner().map_err(|error| std::io::Error::other(error.to_string()))
}

/// Structs as CSV, under the names of their fields.
///
/// # Errors
/// None that is known: memory takes what is written to it.
pub fn rows_csv(rows: impl IntoIterator<Item = impl serde::Serialize>) -> std::io::Result<Vec<u8>> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    for row in rows {
        writer.serialize(row)?;
    }
    writer.into_inner().map_err(|error| std::io::Error::other(error.to_string()))
}

/// A text of somebody else, such as the name of an agent, for a cell: in one line, and never a formula to a spreadsheet,
/// which takes a text that begins with one of `=+-@` for one.
pub fn escaped_cell(text: &str) -> Cow<'_, str> {
    let formula = text.starts_with(['=', '+', '-', '@']);
    if !formula && !text.contains(char::is_control) {
        return Cow::Borrowed(text);
    }
    let line = text.chars().map(|c| if c.is_control() { ' ' } else { c });
    Cow::Owned(formula.then_some('\'').into_iter().chain(line).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_one_line_and_no_formula() {
        for (text, expected) in [
            ("=HYPERLINK(\"x\")", "'=HYPERLINK(\"x\")"),
            ("@SUM(A1)", "'@SUM(A1)"),
            ("-1+1", "'-1+1"),
            ("+a\nb", "'+a b"),
            ("\u{1b}[2Jd3", " [2Jd3"),
            ("depth 3", "depth 3"),
            ("", ""),
        ] {
            assert_eq!(escaped_cell(text), expected);
            assert_eq!(escaped_cell(&escaped_cell(text)), expected, "twice is as once");
        }
    }
}
