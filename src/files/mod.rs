//! Files that results are kept in: [journals](Journal), which grow by whole rows, and files that are written whole
//! or not at all.

mod atomic;
mod error;
mod journal;

pub(crate) use atomic::{TEMPORARY_PREFIX, csv_text, remove_temporary, write_atomically};
pub use error::{FileError, LogError};
pub(crate) use journal::{Found, Journal, journal_text, rows_in};
