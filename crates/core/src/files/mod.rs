//! Files that results are kept in: [journals](Journal), which grow by whole rows, files that are written whole or not at
//! all, and [files that a person names](NamedFile).

mod atomic;
mod cells;
mod error;
mod journal;
mod named;
mod own;

use sha2::{Digest, Sha256};

#[doc(hidden)]
pub use atomic::{
    TEMPORARY_PREFIX, create_folder, remove_old_temporary, remove_temporary, write_atomically,
};
#[doc(hidden)]
pub use cells::{csv_text, escaped_cell, rows_csv};
pub use error::{FileError, LogError};
pub(crate) use journal::journal_text;
#[doc(hidden)]
pub use journal::{Found, Journal, rows_in};
#[doc(hidden)]
pub use named::NamedFile;
#[doc(hidden)]
pub use own::{is_locked, lock, open_own, own_folder};

/// A fingerprint of what a file holds: 16 hexadecimal digits.
#[doc(hidden)]
pub fn fingerprint(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}
