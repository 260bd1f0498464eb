//! Cells of CSV files.

use std::borrow::Cow;
use std::io;

use serde::Serialize;

pub fn csv_text<R>(rows: impl IntoIterator<Item = R>) -> io::Result<Vec<u8>>
where
    R: IntoIterator,
    R::Item: AsRef<[u8]>,
{
    written(false, |writer| rows.into_iter().try_for_each(|row| writer.write_record(row)))
}

/// Structs as CSV, under the names of their fields.
pub fn rows_csv(rows: impl IntoIterator<Item = impl Serialize>) -> io::Result<Vec<u8>> {
    written(true, |writer| rows.into_iter().try_for_each(|row| writer.serialize(row)))
}

/// What is written as CSV, under the names of fields if these are a header. Memory takes all of it: errors are those of rows
/// that have no form as CSV.
pub(super) fn written(
    has_headers: bool,
    write: impl FnOnce(&mut csv::Writer<Vec<u8>>) -> csv::Result<()>,
) -> io::Result<Vec<u8>> {
    let mut builder = csv::WriterBuilder::new();
    let mut writer = builder.has_headers(has_headers).flexible(true).from_writer(Vec::new());
    write(&mut writer)?;
    writer.into_inner().map_err(|error| io::Error::other(error.to_string()))
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
            ("depth 3", "depth 3"),
        ] {
            assert_eq!(escaped_cell(text), expected);
            assert_eq!(escaped_cell(expected), expected, "twice is as once");
        }
    }
}
