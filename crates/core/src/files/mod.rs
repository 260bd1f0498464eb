//! Files that results are kept in: [journals](Journal), which grow by whole rows, files that are written whole or not at
//! all, and [files that a person names](NamedFile).

mod atomic;
mod cells;
mod journal;
mod named;
mod own;

use std::io;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};
use thiserror::Error;

use crate::input::{InputError, escaped};

#[doc(hidden)]
pub use atomic::{
    TEMPORARY_PREFIX, TIME_TO_WRITE, create_folder, remove_temporary, write_atomically,
};
#[doc(hidden)]
pub use cells::{csv_text, escaped_cell, rows_csv};
#[doc(hidden)]
pub use journal::{Journal, ReadFields, rows_in};
pub(crate) use journal::{journal_text, wrong_line};
#[doc(hidden)]
pub use named::NamedFile;
#[doc(hidden)]
pub use own::{is_locked, lock, open_own, own_folder};

/// A fingerprint of what a file holds: 16 hexadecimal digits.
#[doc(hidden)]
pub fn fingerprint(bytes: &[u8]) -> String {
    hexadecimal(&Sha256::digest(bytes)[..8])
}

#[doc(hidden)]
pub fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[derive(Debug, Error)]
#[error("{}: cannot be {action}", escaped(&path.to_string_lossy()))]
pub struct FileError {
    path: PathBuf,
    action: &'static str,
    source: io::Error,
}

impl FileError {
    pub fn writing(path: &Path) -> impl FnOnce(io::Error) -> Self + use<> {
        Self::when("written", path)
    }

    pub fn reading(path: &Path) -> impl FnOnce(io::Error) -> Self + use<> {
        Self::when("read", path)
    }

    fn when(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self + use<> {
        let path = path.to_path_buf();
        move |source| Self { path, action, source }
    }
}

#[derive(Debug, Error)]
pub enum JournalError {
    /// It belongs to something else, or its content is wrong.
    #[error(transparent)]
    Input(#[from] InputError),
    #[error(transparent)]
    File(#[from] FileError),
}
