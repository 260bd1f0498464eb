//! Files and folders that belong to runs: nothing outside of them is written through a symbolic link.

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::path::Path;
use std::time::Duration;

use super::atomic::{folder_of, sync_folder};
use super::{FileError, JournalError};
use crate::input::{InputError, Result};

/// Opens a file of a run to read it and to write at its end; makes it if it is missing.
pub fn open_own(path: &Path) -> Result<File, JournalError> {
    let found = std::fs::symlink_metadata(path);
    if let Ok(found) = &found
        && !found.is_file()
    {
        let message = match found.is_symlink() {
            true => {
                "is a symbolic link; a run writes only to its own files: put the file itself here"
            }
            false => "is not a regular file; move it away",
        };
        return Err(InputError::in_file(path, message).into());
    }
    let opened = OpenOptions::new().read(true).append(true).create(true).open(path);
    let file = opened.map_err(FileError::writing(path))?;
    if found.is_err() {
        sync_folder(folder_of(path));
    }
    Ok(file)
}

/// Checks a folder that results go to, which may still be missing. `option` is how it was named, as in `--out`.
pub fn own_folder(option: &str, path: &Path) -> Result<()> {
    let refuse = |message: &str| Err(InputError::in_file(path, format!("{message} with {option}")));
    match std::fs::metadata(path) {
        Ok(found) if found.is_dir() => Ok(()),
        Ok(_) => refuse("is a file; name a folder for the results"),
        Err(_) if path.is_symlink() => {
            refuse("is a symbolic link that does not lead to a folder; name another folder")
        }
        // What is wrong with the folders above it is found when it is made.
        Err(_) => Ok(()),
    }
}

/// Locks a file or folder against other processes, for as long as the given handle is open.
pub fn lock(file: &File, folder: &Path, message: &str) -> Result<()> {
    /// A page that looks whether somebody plays the run holds the lock for less than this.
    const A_LOOK: Duration = Duration::from_millis(20);
    let locked = file.try_lock().or_else(|_| {
        std::thread::sleep(A_LOOK);
        file.try_lock()
    });
    match locked {
        Err(TryLockError::WouldBlock) => Err(InputError::in_file(folder, message)),
        // Not every file system has locks.
        Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => {
            tracing::warn!(%error, "the folder cannot be locked");
            Ok(())
        }
        _ => Ok(()),
    }
}

/// Whether another process has locked a file; not, if it is missing or cannot be read.
pub fn is_locked(path: &Path) -> bool {
    File::open(path)
        .is_ok_and(|file| matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)))
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn files_of_a_run_are_no_links_and_no_pipes() {
        let folder = tempfile::tempdir().unwrap();
        let [outside, link, dangling, pipe] =
            ["outside", "link", "dangling", "pipe"].map(|name| folder.path().join(name));
        std::fs::write(&outside, "mine").unwrap();
        symlink(&outside, &link).unwrap();
        symlink("nothing", &dangling).unwrap();
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        for (path, expected) in
            [(&link, "symbolic link"), (&dangling, "symbolic link"), (&pipe, "not a regular file")]
        {
            let error = open_own(path).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
        assert!(!folder.path().join("nothing").exists());
    }
}
