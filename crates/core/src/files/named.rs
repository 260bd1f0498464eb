//! Files that a person names, as in `--out FILE`: checked before the work, written after it.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::FileError;
use super::atomic::{folder_of, write_atomically};
use crate::input::{InputError, Result, escaped, was_read};

/// A file that a person named, to be written by this process.
///
/// A regular file is replaced as a whole, and a symbolic link is followed. Anything else that is there, such as a device
/// or a pipe, is written to.
#[derive(Debug)]
pub struct NamedFile {
    name: PathBuf,
    place: Place,
}

#[derive(Debug, PartialEq)]
enum Place {
    /// A regular file, which is there or not, without symbolic links.
    Regular(PathBuf),
    /// A device, a pipe or a socket; or an open file of a process, under `/dev` or `/proc`.
    Open(PathBuf),
}

impl NamedFile {
    /// Checks a file before the work whose results it gets. `option` is how it was named, as in `--out`.
    pub fn new(option: &str, name: &Path) -> Result<Self> {
        let wrong = |message: &str| {
            InputError::new(format!("{option} {}: {message}", escaped(&name.to_string_lossy())))
        };
        if name.as_os_str().is_empty() {
            return Err(wrong("expected the name of a file"));
        }
        let place = place(name).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => wrong("the folder of the file does not exist"),
            _ => wrong(&error.to_string()),
        })?;
        if let Place::Regular(path) = &place {
            if path.is_dir() {
                return Err(wrong("is a folder; name a file"));
            }
            if was_read(path) {
                return Err(wrong("is an input of this command; name another file"));
            }
        }
        Ok(Self { name: name.to_path_buf(), place })
    }

    /// Checks several files, each with the option that names it; no two may be one.
    pub fn several<'p>(named: impl IntoIterator<Item = (&'p str, &'p Path)>) -> Result<Vec<Self>> {
        let mut files: Vec<(&str, Self)> = Vec::new();
        for (option, path) in named {
            let file = Self::new(option, path)?;
            if let Some((other, _)) = files.iter().find(|(_, other)| other.is_same(&file)) {
                let name = escaped(&path.to_string_lossy());
                let message = format!("{other} and {option} name the same file, {name}");
                return Err(InputError::new(message));
            }
            files.push((option, file));
        }
        Ok(files.into_iter().map(|(_, file)| file).collect())
    }

    /// Whether both are one regular file. What is written to may get several texts.
    pub fn is_same(&self, other: &Self) -> bool {
        matches!(self.place, Place::Regular(_)) && self.place == other.place
    }

    /// Writes its content, and keeps the permissions of a file that is replaced.
    pub fn write(&self, bytes: &[u8]) -> Result<(), FileError> {
        let written = match &self.place {
            Place::Regular(path) => write_atomically(path, bytes),
            Place::Open(path) => match append(path).and_then(|mut file| file.write_all(bytes)) {
                // The reader has enough.
                Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
                written => written,
            },
        };
        written.map_err(FileError::writing(&self.name))
    }

    /// Opens it for a text that grows. A regular file is emptied first.
    pub fn open(&self) -> Result<File, FileError> {
        let opened = match &self.place {
            Place::Regular(path) => File::create(path),
            Place::Open(path) => append(path),
        };
        opened.map_err(FileError::writing(&self.name))
    }
}

fn append(path: &Path) -> io::Result<File> {
    OpenOptions::new().append(true).open(path)
}

fn place(name: &Path) -> io::Result<Place> {
    /// As many as Linux follows.
    const MOST_LINKS: usize = 40;
    let mut path = name.to_path_buf();
    for _ in 0..MOST_LINKS {
        let folder = folder_of(&path).canonicalize()?;
        let Some(file) = path.file_name() else {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "is a folder; name a file"));
        };
        path = folder.join(file);
        // Links there may lead to what has no name: the standard output, say.
        if ["/dev", "/proc"].iter().any(|system| path.starts_with(system)) {
            return Ok(Place::Open(path));
        }
        match std::fs::symlink_metadata(&path) {
            Ok(found) if found.is_symlink() => path = folder.join(std::fs::read_link(&path)?),
            Ok(found) if !found.is_file() && !found.is_dir() => return Ok(Place::Open(path)),
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => return Ok(Place::Regular(path)),
        }
    }
    Err(io::Error::new(io::ErrorKind::InvalidInput, "is a loop of symbolic links"))
}
