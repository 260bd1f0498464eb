//! What goes wrong with files.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::input::{InputError, escaped};

/// A file or folder that could not be read or written.
#[derive(Debug, Error)]
#[error("{}: cannot be {action}", escaped(&path.to_string_lossy()))]
pub struct FileError {
    path: PathBuf,
    action: &'static str,
    source: io::Error,
}

impl FileError {
    /// For `map_err` on operations that write.
    pub fn writing(path: &Path) -> impl FnOnce(io::Error) -> Self + use<> {
        let path = path.to_path_buf();
        move |source| Self { path, action: "written", source }
    }

    /// Whether the file system is read-only, or this file is to this user.
    pub fn is_read_only(&self) -> bool {
        let refused = [io::ErrorKind::ReadOnlyFilesystem, io::ErrorKind::PermissionDenied];
        self.action == "written" && refused.contains(&self.source.kind())
    }

    /// For `map_err` on operations that read.
    pub fn reading(path: &Path) -> impl FnOnce(io::Error) -> Self + use<> {
        let path = path.to_path_buf();
        move |source| Self { path, action: "read", source }
    }
}

/// An error in a log.
#[derive(Debug, Error)]
pub enum LogError {
    /// It belongs to something else, or its content is wrong.
    #[error(transparent)]
    Input(#[from] InputError),
    /// It could not be read or written.
    #[error(transparent)]
    File(#[from] FileError),
}
