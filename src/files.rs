//! Files that results are kept in: CSV files that grow by whole rows, and files that are written whole
//! or not at all.

use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::input::InputError;

/// What the names of temporary files begin with, on their way to being renamed.
pub const TEMPORARY_PREFIX: &str = ".tictune-";

/// A file or folder that could not be read or written.
#[derive(Debug, Error)]
#[error("{}: cannot be {action}", path.display())]
pub struct FileError {
    path: PathBuf,
    /// What was tried, as in "written".
    action: &'static str,
    /// What the system says.
    source: std::io::Error,
}

impl FileError {
    /// For `map_err` on operations that write.
    pub fn writing(path: &Path) -> impl FnOnce(std::io::Error) -> Self + use<> {
        let path = path.to_path_buf();
        move |source| Self { path, action: "written", source }
    }

    /// For `map_err` on operations that read.
    pub fn reading(path: &Path) -> impl FnOnce(std::io::Error) -> Self + use<> {
        let path = path.to_path_buf();
        move |source| Self { path, action: "read", source }
    }
}

/// What is wrong with a log.
#[derive(Debug, Error)]
pub enum LogError {
    /// It is the log of something else, or holds something else.
    #[error(transparent)]
    Input(#[from] InputError),
    /// It could not be read or written.
    #[error(transparent)]
    File(#[from] FileError),
}

/// Writes a file whole or not at all: to a temporary file beside it, synced, then renamed.
///
/// # Errors
/// What the file system says; the old file, if any, is then unchanged.
pub fn write_atomically(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    let mut file = tempfile::Builder::new().prefix(TEMPORARY_PREFIX).tempfile_in(folder)?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    #[cfg(unix)]
    {
        // Temporary files are private; results are not.
        use std::os::unix::fs::PermissionsExt;
        file.as_file().set_permissions(std::fs::Permissions::from_mode(0o644))?;
    }
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}

/// Takes away the temporary files that a killed process left in a folder.
pub fn remove_temporary(folder: &Path) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().starts_with(TEMPORARY_PREFIX) {
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

/// A CSV file that grows by whole rows.
#[derive(Debug)]
pub struct GrowingCsv {
    path: PathBuf,
    file: File,
}

impl GrowingCsv {
    /// Opens a file, or begins it with a header. Gives its complete rows; a torn last line is cut off.
    ///
    /// # Errors
    /// Another header, rows of other lengths; what the file system says.
    pub fn open(
        path: &Path,
        header: &[String],
    ) -> Result<(Self, Vec<csv::StringRecord>), LogError> {
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(FileError::writing(folder))?;
        }
        let mut file = OpenOptions::new()
            .read(true)
            .append(true)
            .create(true)
            .open(path)
            .map_err(FileError::writing(path))?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(FileError::reading(path))?;
        let whole = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |newline| newline + 1);
        if whole < bytes.len() {
            file.set_len(whole as u64).map_err(FileError::writing(path))?;
        }
        let mut growing = Self { path: path.to_path_buf(), file };
        if whole == 0 {
            growing.append(header)?;
            return Ok((growing, Vec::new()));
        }
        let mut reader = csv::ReaderBuilder::new().flexible(true).from_reader(&bytes[..whole]);
        let wrong = |line: usize, message: String| {
            InputError::in_line(path, line, &String::from_utf8_lossy(&bytes), message)
        };
        let found = reader.headers().map_err(|error| wrong(1, error.to_string()))?;
        if found.iter().ne(header.iter().map(String::as_str)) {
            let message = format!("the columns are not those of this run: {}", header.join(","));
            return Err(wrong(1, message).into());
        }
        let mut rows = Vec::new();
        for row in reader.records() {
            let row = row.map_err(|error| wrong(rows.len() + 2, error.to_string()))?;
            if row.len() != header.len() {
                let message = format!("expected {} columns, found {}", header.len(), row.len());
                return Err(wrong(rows.len() + 2, message).into());
            }
            rows.push(row);
        }
        Ok((growing, rows))
    }

    /// Appends a row in one write.
    ///
    /// # Errors
    /// What the file system says; the row may then be torn.
    pub fn append(&mut self, fields: &[String]) -> Result<(), FileError> {
        let line = csv_text([fields]).map_err(FileError::writing(&self.path))?;
        self.file.write_all(&line).map_err(FileError::writing(&self.path))
    }

    /// Waits until the rows are on disk.
    ///
    /// # Errors
    /// What the file system says.
    pub fn sync(&self) -> Result<(), FileError> {
        self.file.sync_data().map_err(FileError::writing(&self.path))
    }

    /// An error about a row (0-based, the header not counted).
    #[must_use]
    pub fn wrong_row(&self, row: usize, message: impl Into<String>) -> InputError {
        // What cannot be read again is not shown; the message says enough without it.
        let text = std::fs::read_to_string(&self.path).unwrap_or_default();
        InputError::in_line(&self.path, row + 2, &text, message)
    }
}

/// Rows as CSV.
///
/// # Errors
/// None that is known: memory takes what is written to it.
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

#[cfg(test)]
mod tests {
    use super::*;

    fn text(words: &[&str]) -> Vec<String> {
        words.iter().map(|word| (*word).into()).collect()
    }

    #[test]
    fn a_torn_last_line_is_dropped_and_rows_go_on_after_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log.csv");
        let header = text(&["number", "name"]);
        let (mut log, rows) = GrowingCsv::open(&path, &header).unwrap();
        assert!(rows.is_empty());
        log.append(&text(&["7", "a, \"b\""])).unwrap();
        let whole = std::fs::read(&path).unwrap();
        for cut in 1..=whole.len() {
            std::fs::write(&path, [&whole[..], &whole[..cut - 1]].concat()).unwrap();
            let complete = std::fs::read_to_string(&path).unwrap().matches('\n').count() - 1;
            if complete > 1 {
                continue; // the header twice: refused as a row, below
            }
            let (mut log, rows) = GrowingCsv::open(&path, &header).unwrap();
            assert_eq!(rows.len(), 1);
            log.append(&text(&["7", "a, \"b\""])).unwrap();
            assert_eq!(GrowingCsv::open(&path, &header).unwrap().1.len(), 2);
        }
    }

    #[test]
    fn logs_of_other_runs_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log.csv");
        let header = text(&["number", "name"]);
        std::fs::write(&path, "a,b\n1,2\n").unwrap();
        let error = GrowingCsv::open(&path, &header).unwrap_err().to_string();
        assert!(error.contains("log.csv:1: the columns are not those of this run"), "{error}");
        std::fs::write(&path, format!("{}\n1\n", header.join(","))).unwrap();
        let error = GrowingCsv::open(&path, &header).unwrap_err().to_string();
        assert!(error.contains("log.csv:2: expected 2 columns, found 1"), "{error}");
    }
}
