//! Scripts for the shell that play as external programs.
#![cfg(unix)]

use std::path::PathBuf;

use tempfile::TempDir;

/// A folder for scripts and for the files that they write.
pub(crate) struct Scripts(TempDir);

impl Scripts {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// A shell script as an external agent; `$DIR` stands for this folder.
    pub(crate) fn agent(&self, name: &str, script: &str, keys: &str) -> String {
        let path = self.path(name);
        let head = format!("DIR='{}'\n", self.0.path().display());
        std::fs::write(&path, head + script).unwrap();
        format!("external:cmd=\"sh '{}'\",{keys}", path.display())
    }

    /// The lines of a file that scripts wrote.
    pub(crate) fn lines(&self, name: &str) -> Vec<String> {
        let text = std::fs::read_to_string(self.path(name)).unwrap_or_default();
        text.lines().map(String::from).collect()
    }
}

/// Whether a process runs. A process that has ended and waits for another parent does not run.
pub(crate) fn runs(pid: &str) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit_once(") ").is_some_and(|(_, rest)| !rest.starts_with(['Z', 'X']))
}
