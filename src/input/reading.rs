//! Reading files that a person names, within bounds.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use super::InputError;

/// The most bytes of a file that people write: a config, weights, an agent, openings.
const MOST_BYTES: u64 = 64 << 20;

/// The most bytes of a file of data that this program writes: learned values, moves.
const MOST_BYTES_OF_DATA: u64 = 1 << 30;

/// The files that this process has read as input. None of them is to be overwritten with results.
static READ: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// Reads a file of text that a user named: a missing or unreadable one is the user's error.
///
/// # Errors
/// The file cannot be read, is longer than 64 MiB, or is not UTF-8.
pub(crate) fn read_text(path: &Path) -> Result<String, InputError> {
    read_at_most(path, MOST_BYTES)
}

/// The same for files of data, which may be longer.
///
/// # Errors
/// The file cannot be read, is longer than 1 GiB, or is not UTF-8.
pub(crate) fn read_data(path: &Path) -> Result<String, InputError> {
    read_at_most(path, MOST_BYTES_OF_DATA)
}

fn read_at_most(path: &Path, most: u64) -> Result<String, InputError> {
    #[cfg(any(test, feature = "fuzzing"))]
    if NO_FILES.get() {
        return Err(InputError::in_file(path, "cannot be read: no files are"));
    }
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|file| file.take(most + 1).read_to_end(&mut bytes));
    read.map_err(|error| InputError::in_file(path, format!("cannot be read: {error}")))?;
    if bytes.len() as u64 > most {
        let message =
            format!("is longer than {} MiB, the most that is read of such a file", most >> 20);
        return Err(InputError::in_file(path, message));
    }
    if let Ok(place) = path.canonicalize() {
        READ.lock().unwrap_or_else(PoisonError::into_inner).insert(place);
    }
    String::from_utf8(bytes).map_err(|_| InputError::in_file(path, "is not UTF-8 text"))
}

#[cfg(any(test, feature = "fuzzing"))]
thread_local! {
    static NO_FILES: std::cell::Cell<bool> = const { std::cell::Cell::new(false) };
}

/// Does something during which this thread reads no files that are named: whatever bytes a fuzzer makes up, none of
/// them opens one.
#[cfg(any(test, feature = "fuzzing"))]
pub(crate) fn without_files<T>(work: impl FnOnce() -> T) -> T {
    let before = NO_FILES.replace(true);
    let done = work();
    NO_FILES.set(before);
    done
}

/// Whether this process has read a file as input, by this name or another.
#[must_use]
pub(crate) fn was_read(path: &Path) -> bool {
    let read = READ.lock().unwrap_or_else(PoisonError::into_inner);
    path.canonicalize().is_ok_and(|place| read.contains(&place))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_read_up_to_a_bound() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("text");
        std::fs::write(&path, vec![b'x'; (1 << 20) + 1]).unwrap();
        assert!(!was_read(&path));
        let error = read_at_most(&path, 1 << 20).unwrap_err().to_string();
        assert!(
            error.ends_with("text: is longer than 1 MiB, the most that is read of such a file")
        );
        assert_eq!(read_at_most(&path, (1 << 20) + 1).unwrap().len(), (1 << 20) + 1);
        assert!(was_read(&folder.path().join(".").join("text")));
    }

    #[cfg(unix)]
    #[test]
    fn a_device_without_an_end_is_no_text() {
        let error = read_text(Path::new("/dev/zero")).unwrap_err().to_string();
        assert!(error.contains("longer than 64 MiB"), "{error}");
    }
}
