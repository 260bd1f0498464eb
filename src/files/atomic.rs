//! Files that are written whole or not at all.

use std::io::Write;
use std::path::Path;

/// What the names of temporary files begin with, on their way to being renamed.
pub(crate) const TEMPORARY_PREFIX: &str = ".tictune-";

/// Writes a file whole or not at all: to a temporary file beside it, synced, then renamed.
///
/// # Errors
/// What the file system says; the old file, if any, is then unchanged.
pub(crate) fn write_atomically(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    let mut file = tempfile::Builder::new().prefix(TEMPORARY_PREFIX).tempfile_in(folder)?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    #[cfg(unix)]
    {
        // Temporary files are private; results are not.
        use std::os::unix::fs::PermissionsExt;
        file.as_file().set_permissions(std::fs::Permissions::from_mode(0o644))?;
    }
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}

/// Takes away the temporary files that a killed process left in a folder.
pub(crate) fn remove_temporary(folder: &Path) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().starts_with(TEMPORARY_PREFIX) {
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

/// Rows as CSV.
///
/// # Errors
/// None that is known: memory takes what is written to it.
pub(crate) fn csv_text<R>(rows: impl IntoIterator<Item = R>) -> std::io::Result<Vec<u8>>
where
    R: IntoIterator,
    R::Item: AsRef<[u8]>,
{
    let mut writer = csv::WriterBuilder::new().flexible(true).from_writer(Vec::new());
    for row in rows {
        writer.write_record(row)?;
    }
    writer.into_inner().map_err(|error| std::io::Error::other(error.to_string()))
}
