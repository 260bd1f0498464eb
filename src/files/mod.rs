//! Files that results are kept in: [journals](Journal), which grow by whole rows, and files that are written whole
//! or not at all.

mod atomic;
mod error;
mod journal;

pub use atomic::{TEMPORARY_PREFIX, csv_text, remove_temporary, write_atomically};
pub use error::{FileError, LogError};
pub use journal::{Found, Journal, Put, journal_text, rows_in};
