//! Reading files that a person names, within bounds, and the file that a person may have meant.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::string::FromUtf8Error;
use std::sync::{Mutex, PoisonError};

use super::{InputError, Result};

/// The most bytes of a file that people write: a config, weights, an agent, openings.
const MOST_BYTES: u64 = 64 << 20;

/// The most bytes of a file of data that this program writes: learned values, moves.
const MOST_BYTES_OF_DATA: u64 = 1 << 30;

/// The files that this process has read as input. None of them is to be overwritten with results.
static READ: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// Reads a file of text that a user named: a missing or unreadable one is the user's error.
pub fn read_text(path: &Path) -> Result<String> {
    text_of(path, read_at_most(path, MOST_BYTES)?)
}

/// The same for games of chess (PGN), which are Latin-1 by their standard and UTF-8 by custom.
pub fn read_games(path: &Path) -> Result<String> {
    let bytes = read_at_most(path, MOST_BYTES_OF_DATA)?;
    let latin = |error: FromUtf8Error| error.as_bytes().iter().copied().map(char::from).collect();
    Ok(String::from_utf8(bytes).unwrap_or_else(latin))
}

/// The same for files of data, which may be longer.
pub fn read_data(path: &Path) -> Result<String> {
    text_of(path, read_at_most(path, MOST_BYTES_OF_DATA)?)
}

fn text_of(path: &Path, bytes: Vec<u8>) -> Result<String> {
    String::from_utf8(bytes).map_err(|_| InputError::in_file(path, "is not UTF-8 text"))
}

fn read_at_most(path: &Path, most: u64) -> Result<Vec<u8>> {
    if !may_be_read(path) {
        return Err(InputError::in_file(path, "is not a file that may be read here"));
    }
    if path.is_dir() {
        return Err(InputError::in_file(path, "is a folder; expected a file"));
    }
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|file| file.take(most + 1).read_to_end(&mut bytes));
    read.map_err(|error| {
        let near = did_you_mean(nearest_path(path).as_deref());
        InputError::in_file(path, format!("cannot be read: {error}{near}"))
    })?;
    if bytes.len() as u64 > most {
        let message = format!("is longer than {} MiB, the limit for such files", most >> 20);
        return Err(InputError::in_file(path, message));
    }
    if let Ok(place) = path.canonicalize() {
        READ.lock().unwrap_or_else(PoisonError::into_inner).insert(place);
    }
    Ok(bytes)
}

thread_local! {
    /// What of the named files this thread may read, if not all: those in a folder, or none.
    static MAY_READ: RefCell<Option<Option<PathBuf>>> = const { RefCell::new(None) };
}

fn may_be_read(path: &Path) -> bool {
    MAY_READ.with_borrow(|may_read| match may_read {
        None => true,
        Some(None) => false,
        Some(Some(folder)) => path.canonicalize().is_ok_and(|place| place.starts_with(folder)),
    })
}

/// Does something during which this thread reads named files in one folder only, whatever links say, or without one none.
pub fn reading_only_in<T>(folder: Option<&Path>, work: impl FnOnce() -> T) -> T {
    // A folder that is not there has no files.
    let folder = folder.and_then(|folder| folder.canonicalize().ok());
    let before = MAY_READ.replace(Some(folder));
    let done = work();
    MAY_READ.set(before);
    done
}

/// Whether this process has read a file as input, by this name or another.
pub(crate) fn was_read(path: &Path) -> bool {
    let read = READ.lock().unwrap_or_else(PoisonError::into_inner);
    path.canonicalize().is_ok_and(|place| read.contains(&place))
}

/// How alike two names have to be. Names of files are many, and often alike by chance.
const LEAST: f64 = 0.7;

const LONGEST: usize = 255;

const MOST_ENTRIES: usize = 10_000;

/// For a path that is not there, the one that is: each part that is missing is replaced by the entry of the nearest name.
pub fn nearest_path(path: &Path) -> Option<PathBuf> {
    let mut found = PathBuf::new();
    for part in path.components() {
        let given = found.join(part);
        found = match given.exists() {
            true => given,
            false => found.join(nearest_entry(&found, part.as_os_str().to_str()?)?),
        };
    }
    (!path.exists() && found.exists()).then_some(found)
}

/// "; did you mean PATH?", or nothing.
pub fn did_you_mean(near: Option<&Path>) -> String {
    near.map_or_else(String::new, |near| format!("; did you mean {}?", near.display()))
}

fn nearest_entry(folder: &Path, name: &str) -> Option<String> {
    if name.len() > LONGEST {
        return None;
    }
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let entries = std::fs::read_dir(folder).ok()?.flatten().take(MOST_ENTRIES);
    let likeness = |entry: &str| match Path::new(entry).file_stem() {
        // Only the ending was left out.
        Some(stem) if stem == name => 1.0,
        _ => strsim::normalized_damerau_levenshtein(name, entry),
    };
    entries
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter(|entry| entry.starts_with('.') == name.starts_with('.'))
        .map(|entry| (likeness(&entry), entry))
        .filter(|(likeness, _)| *likeness >= LEAST)
        // Of equals the first by name, whatever the order of the folder.
        .max_by(|a, b| a.0.total_cmp(&b.0).then_with(|| b.1.cmp(&a.1)))
        .map(|(_, entry)| entry)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn files_outside_of_a_folder_can_be_kept_shut() {
        let folder = tempfile::tempdir().unwrap();
        let [inside, outside] = ["inside", "outside"].map(|name| folder.path().join(name));
        std::fs::create_dir(&inside).unwrap();
        for path in [inside.join("a"), outside.clone()] {
            std::fs::write(path, "text").unwrap();
        }
        std::os::unix::fs::symlink(&outside, inside.join("link")).unwrap();
        let may = |path: PathBuf| read_text(&path).is_ok();
        reading_only_in(Some(&inside), || {
            assert!(may(inside.join("a")));
            assert!(!may(outside.clone()) && !may(inside.join("link")));
            assert!(!may(inside.join("../outside")));
            reading_only_in(None, || assert!(!may(inside.join("a"))));
            assert!(may(inside.join("a")));
        });
        assert!(may(outside.clone()));
    }
}
