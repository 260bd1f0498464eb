//! Files that are written whole or not at all, and folders that hold them.

use std::fs::{File, Permissions};
use std::io::Write;
use std::path::Path;
use std::time::Duration;

/// What the names of temporary files begin with, on their way to being renamed.
pub const TEMPORARY_PREFIX: &str = ".tictune-";

/// Writes a file whole or not at all: to a temporary file beside it, synced, then renamed, and the folder synced. A
/// file that is replaced keeps its permissions.
pub fn write_atomically(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let folder = folder_of(path);
    let mut file = tempfile::Builder::new().prefix(TEMPORARY_PREFIX).tempfile_in(folder)?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    if let Some(permissions) = permissions_for(path) {
        file.as_file().set_permissions(permissions)?;
    }
    file.persist(path).map_err(|error| error.error)?;
    sync_folder(folder);
    Ok(())
}

/// The permissions of a file that is written: those of the one that it replaces, or else readable by everyone.
#[cfg(unix)]
fn permissions_for(path: &Path) -> Option<Permissions> {
    use std::os::unix::fs::PermissionsExt;
    let replaced = std::fs::symlink_metadata(path).ok().filter(std::fs::Metadata::is_file);
    let mode = replaced.map_or(0o644, |replaced| replaced.permissions().mode() & 0o777);
    Some(Permissions::from_mode(mode))
}

#[cfg(not(unix))]
fn permissions_for(_: &Path) -> Option<Permissions> {
    None
}

/// Makes a folder and those above it where they are missing; what was made survives a loss of power.
pub fn create_folder(path: &Path) -> std::io::Result<()> {
    let missing: Vec<&Path> = path.ancestors().take_while(|folder| !folder.exists()).collect();
    std::fs::create_dir_all(path)?;
    missing
        .into_iter()
        .filter(|made| !made.as_os_str().is_empty())
        .map(folder_of)
        .for_each(sync_folder);
    Ok(())
}

pub(super) fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Waits until the names in a folder are on disk. Not every file system can, and none loses more than new names.
pub(super) fn sync_folder(folder: &Path) {
    let synced = File::open(folder).and_then(|folder| folder.sync_all());
    if let Err(error) = synced {
        tracing::debug!(%error, folder = %folder.display(), "the folder cannot be synced");
    }
}

/// Writing a file takes no longer.
pub const TIME_TO_WRITE: Duration = Duration::from_secs(60);

/// Takes away the temporary files of this age that a killed process left: [`TIME_TO_WRITE`] where another may be writing.
pub fn remove_temporary(folder: &Path, age: Duration) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let temporary = entry.file_name().to_string_lossy().starts_with(TEMPORARY_PREFIX);
        let modified = entry.metadata().and_then(|found| found.modified());
        let old = || modified.is_ok_and(|then| then.elapsed().is_ok_and(|since| since >= age));
        if temporary && (age.is_zero() || old()) {
            let _ = std::fs::remove_file(entry.path());
        }
    }
}
