//! What goes wrong with files.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::input::{InputError, escaped};

#[derive(Debug, Error)]
#[error("{}: cannot be {action}", escaped(&path.to_string_lossy()))]
pub struct FileError {
    path: PathBuf,
    action: &'static str,
    source: io::Error,
}

impl FileError {
    pub fn writing(path: &Path) -> impl FnOnce(io::Error) -> Self + use<> {
        let path = path.to_path_buf();
        move |source| Self { path, action: "written", source }
    }

    /// Whether the file system is read-only, or this file is to this user.
    pub fn is_read_only(&self) -> bool {
        let refused = [io::ErrorKind::ReadOnlyFilesystem, io::ErrorKind::PermissionDenied];
        self.action == "written" && refused.contains(&self.source.kind())
    }

    pub fn reading(path: &Path) -> impl FnOnce(io::Error) -> Self + use<> {
        let path = path.to_path_buf();
        move |source| Self { path, action: "read", source }
    }
}

#[derive(Debug, Error)]
pub enum LogError {
    /// It belongs to something else, or its content is wrong.
    #[error(transparent)]
    Input(#[from] InputError),
    #[error(transparent)]
    File(#[from] FileError),
}
