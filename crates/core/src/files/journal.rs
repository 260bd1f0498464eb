//! Journals: write-ahead logs of typed rows, as CSV.
//!
//! Code whose work must not be lost asks the journal for the next row. If the file holds it, it is read back and
//! checked; if not, the work is done and its row written, whole and synced, before anything is built on it. A run that was
//! stopped at any moment is thus replayed from its journals up to where it stopped, along the same path on which it continues.
//!
//! Rows are written and read by serde, field by field in the order of the columns; the structs and lists in them are flattened.

use std::fs::File;
use std::io::{Read, Write};
use std::marker::PhantomData;
use std::path::{Path, PathBuf};

use csv::StringRecord;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::cells::written;
use super::{FileError, JournalError, create_folder, open_own};
use crate::input::InputError;

#[derive(Debug)]
pub struct Journal<R> {
    path: PathBuf,
    file: File,
    /// The rows that the file held when it was opened and that are not taken yet.
    left: std::vec::IntoIter<StringRecord>,
    taken: usize,
    synced: bool,
    rows: PhantomData<fn() -> R>,
}

#[derive(Clone, Copy, Debug)]
pub struct ReadFields<'j>(&'j StringRecord);

impl ReadFields<'_> {
    /// The row, if it can be read as one. Columns after the last one that it reads are not looked at.
    pub fn read<R: DeserializeOwned>(&self) -> Option<R> {
        self.0.deserialize(None).ok()
    }

    /// Whether this row is written like that, all its columns.
    pub fn is<R: Serialize>(&self, row: &R) -> bool {
        let own = written(false, |writer| writer.write_record(self.0));
        own.is_ok_and(|own| line_of(row).is_ok_and(|line| line == own))
    }
}

impl<R: Serialize> Journal<R> {
    /// Opens a journal, or begins it with a header. A torn last line is cut off, once the rest is known to be a
    /// journal with this header.
    pub fn open(path: &Path, header: &[String]) -> Result<Self, JournalError> {
        if let Some(folder) = path.parent() {
            create_folder(folder).map_err(FileError::writing(folder))?;
        }
        let mut file = open_own(path)?;
        let (bytes, rows) = read_rows(&file, path, header)?;
        let whole = whole_lines(&bytes);
        if whole.len() < bytes.len() {
            file.set_len(whole.len() as u64).map_err(FileError::writing(path))?;
        }
        if whole.is_empty() {
            let begun = line_of(header).and_then(|line| file.write_all(&line));
            begun.map_err(FileError::writing(path))?;
        }
        Ok(Self {
            path: path.to_path_buf(),
            file,
            left: rows.into_iter(),
            taken: 0,
            synced: true,
            rows: PhantomData,
        })
    }

    /// Checks that a file, if there is one, is a journal with this header, and leaves it as it is.
    pub fn check(path: &Path, header: &[String]) -> Result<(), JournalError> {
        if std::fs::symlink_metadata(path).is_err() {
            return Ok(());
        }
        read_rows(&open_own(path)?, path, header).map(drop)
    }

    /// The same journal, whose rows wait for the disk only when it is [finished](Self::finish).
    pub const fn synced_at_the_end(mut self) -> Self {
        self.synced = false;
        self
    }

    /// The next row. If the file holds it, `check` reads it or says what is wrong with it; else `work` makes it.
    pub fn next<E: From<JournalError>>(
        &mut self,
        check: impl Fn(ReadFields<'_>) -> Result<R, String>,
        work: impl FnOnce() -> Result<R, E>,
    ) -> Result<R, E>
    where
        R: Send,
    {
        let mut rows = self.next_rows::<E>(1, |_, found| check(found), |_, put| put(work()?))?;
        Ok(rows.remove(0))
    }

    /// The next rows, so many. Those that the file holds are read by `check`, which gets their places among these; if
    /// some are missing, `work` gets those that are there, and puts the others in order.
    pub fn next_rows<E: From<JournalError>>(
        &mut self,
        count: usize,
        check: impl Fn(usize, ReadFields<'_>) -> Result<R, String>,
        work: impl FnOnce(&[R], &mut (dyn FnMut(R) -> Result<(), E> + Send)) -> Result<(), E>,
    ) -> Result<Vec<R>, E>
    where
        R: Send,
    {
        let mut rows = Vec::with_capacity(count);
        while rows.len() < count
            && let Some(row) = self.take(|found| check(rows.len(), found))?
        {
            rows.push(row);
        }
        if rows.len() < count {
            let mut made = Vec::new();
            let missing = count - rows.len();
            work(&rows, &mut |row| {
                self.append(&row).map_err(JournalError::from)?;
                made.push(row);
                // Synced at once, while other work may still go on.
                if made.len() == missing {
                    self.sync_new_rows()?;
                }
                Ok(())
            })?;
            rows.extend(made);
        } else {
            self.sync_new_rows()?;
        }
        Ok(rows)
    }

    fn take(
        &mut self,
        check: impl FnOnce(ReadFields<'_>) -> Result<R, String>,
    ) -> Result<Option<R>, JournalError> {
        let Some(record) = self.left.next() else { return Ok(None) };
        let row = check(ReadFields(&record)).map_err(|reason| self.wrong(reason))?;
        self.taken += 1;
        Ok(Some(row))
    }

    pub fn has_next(&self) -> bool {
        !self.left.as_slice().is_empty()
    }

    pub fn wrong(&self, message: impl Into<String>) -> InputError {
        wrong_line(&self.path, self.taken + 2, message.into())
    }

    /// Ends a journal, which must hold no more rows.
    pub fn finish(&self, reason: &str) -> Result<(), JournalError> {
        if self.has_next() {
            return Err(self.wrong(reason).into());
        }
        self.sync()?;
        Ok(())
    }

    pub fn take_all(&mut self, what: &str) -> Result<Vec<R>, JournalError>
    where
        R: DeserializeOwned,
    {
        let next = || self.take(|found| found.read().ok_or_else(|| what.into())).transpose();
        std::iter::from_fn(next).collect()
    }

    pub fn append(&mut self, row: &R) -> Result<(), FileError> {
        let written = line_of(row).and_then(|line| self.file.write_all(&line));
        written.map_err(FileError::writing(&self.path))?;
        self.taken += 1;
        Ok(())
    }

    pub fn sync(&self) -> Result<(), FileError> {
        self.file.sync_data().map_err(FileError::writing(&self.path))
    }

    /// Waits for rows that may not be on disk: those written now, and the last ones of a run that was killed.
    fn sync_new_rows(&self) -> Result<(), JournalError> {
        if self.synced && !self.has_next() {
            self.sync()?;
        }
        Ok(())
    }
}

/// The rows of a text of a journal, for those who only look at it: each, if it is one. A torn last line is left out.
pub fn rows_in<R: DeserializeOwned>(text: &[u8]) -> Vec<Option<R>> {
    let mut reader = csv::ReaderBuilder::new().flexible(true).from_reader(whole_lines(text));
    reader.records().map(|record| ReadFields(&record.ok()?).read()).collect()
}

pub(crate) fn journal_text<'r, R: Serialize + 'r>(
    header: &[String],
    rows: impl IntoIterator<Item = &'r R>,
) -> std::io::Result<Vec<u8>> {
    written(false, |writer| {
        writer.write_record(header)?;
        rows.into_iter().try_for_each(|row| writer.serialize(row))
    })
}

fn whole_lines(bytes: &[u8]) -> &[u8] {
    let end = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |newline| newline + 1);
    &bytes[..end]
}

/// The content of a journal, and its rows. A torn last line is left out, be it the header, and so is a tail of zeroes, which
/// some file systems leave after a loss of power.
fn read_rows(
    mut file: &File,
    path: &Path,
    header: &[String],
) -> Result<(Vec<u8>, Vec<StringRecord>), JournalError> {
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes).map_err(FileError::reading(path))?;
    let whole = whole_lines(&bytes);
    let wrong_header = || {
        let message = format!("the columns are not those of this run: {}", header.join(","));
        JournalError::from(wrong_line(path, 1, message))
    };
    if whole.is_empty() {
        let line = line_of(header).map_err(FileError::reading(path))?;
        let torn = bytes.iter().zip(&line).all(|(&found, &byte)| found == byte);
        let zeroes = bytes.iter().all(|&byte| byte == 0);
        return if torn && bytes.len() < line.len() || zeroes {
            Ok((bytes, Vec::new()))
        } else {
            Err(wrong_header())
        };
    }
    let mut reader = csv::ReaderBuilder::new().flexible(true).from_reader(whole);
    let found = reader.headers().map_err(|error| wrong_line(path, 1, error.to_string()))?;
    if found.iter().ne(header.iter().map(String::as_str)) {
        return Err(wrong_header());
    }
    let mut rows = Vec::new();
    for row in reader.records() {
        let line = rows.len() + 2;
        let row = row.map_err(|error| wrong_line(path, line, error.to_string()))?;
        if row.len() != header.len() {
            let message = format!("expected {} columns, found {}", header.len(), row.len());
            return Err(wrong_line(path, line, message).into());
        }
        rows.push(row);
    }
    Ok((bytes, rows))
}

/// The error of a line, which is read again to be shown; if it cannot be, the message says enough.
pub(crate) fn wrong_line(path: &Path, line: usize, message: String) -> InputError {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    InputError::in_line(path, line, &text, message)
}

fn line_of<R: Serialize + ?Sized>(row: &R) -> std::io::Result<Vec<u8>> {
    written(false, |writer| writer.serialize(row))
}

#[cfg(test)]
mod tests;
