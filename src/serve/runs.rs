//! The runs that the page shows: those in the folders that it was given, and no others.

use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::Site;
use crate::evolve::{Plan, RunDir};
use crate::files::hexadecimal;
use crate::input::{InputError, Result};
use crate::weights::find_game;

pub(crate) struct FoundRun {
    /// What addresses of pages call it. It says nothing of its place, and no address leads to another folder.
    pub(super) id: String,
    pub(super) place: String,
    pub(super) dir: RunDir,
}

/// How deep below a given folder runs are looked for.
pub(crate) const DEEPEST: u32 = 4;

/// How many folders the page looks into below a given one.
const MOST_FOLDERS: u32 = 5000;

/// Shows a folder and those below it to a visitor, by their names, until it says that one is a run: runs hold no runs. Links are
/// not followed, and hidden folders are left out.
pub(crate) fn each_folder(folder: &Path, depth: u32, is_run: &mut dyn FnMut(&Path) -> bool) {
    if is_run(folder) || depth == 0 {
        return;
    }
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let is_shown = |entry: &std::fs::DirEntry| {
        let is_hidden = entry.file_name().to_string_lossy().starts_with('.');
        entry.file_type().is_ok_and(|kind| kind.is_dir()) && !is_hidden
    };
    let mut inner: Vec<PathBuf> = entries.filter(is_shown).map(|entry| entry.path()).collect();
    inner.sort();
    inner.iter().for_each(|folder| each_folder(folder, depth - 1, is_run));
}

impl Site<'_> {
    /// The runs as they are now, in the order of their names.
    pub(crate) fn runs(&self) -> Vec<FoundRun> {
        let mut found: Vec<FoundRun> = Vec::new();
        for root in &self.folders {
            let mut left = MOST_FOLDERS;
            each_folder(root, DEEPEST, &mut |folder| {
                left = left.saturating_sub(1);
                if left == 0 || !folder.join("manifest.json").is_file() {
                    return left == 0;
                }
                let id = id_of(folder);
                // A folder may be given together with one that it is in.
                if found.iter().all(|run| run.id != id) {
                    let place = match folder.strip_prefix(root) {
                        Ok(place) if !place.as_os_str().is_empty() => place,
                        _ => Path::new(folder.file_name().unwrap_or_default()),
                    };
                    let place = place.display().to_string();
                    let dir = RunDir::new(folder, self.registry.known());
                    found.push(FoundRun { id, place, dir });
                }
                true
            });
        }
        found
    }

    pub(super) fn find(&self, id: &str) -> Option<FoundRun> {
        self.runs().into_iter().find(|run| run.id == id)
    }

    pub(super) fn plan_of(&self, id: &str) -> Result<(RunDir, Plan)> {
        let none = || InputError::new("there is no such run");
        let dir = self.find(id).ok_or_else(none)?.dir;
        let manifest = dir.manifest().map_err(|error| InputError::new(error.to_string()))?;
        let plan = manifest.ok_or_else(none)?.plan;
        // The game may be one that this program does not know.
        find_game(&self.registry.known().games, &plan.game)?;
        Ok((dir, plan))
    }
}

/// The name of a folder in addresses: it stays the same as long as the folder does.
fn id_of(folder: &Path) -> String {
    let folder = folder.canonicalize().unwrap_or_else(|_| folder.into());
    hexadecimal(&Sha256::digest(folder.as_os_str().as_encoded_bytes())[..6])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::serve::tests::site;

    #[test]
    fn runs_are_found_inside_of_the_folder_only() {
        let folder = tempfile::tempdir().unwrap();
        let run = |name: &str| {
            let path = folder.path().join(name);
            std::fs::create_dir_all(&path).unwrap();
            std::fs::write(path.join("manifest.json"), "{}").unwrap();
        };
        for name in ["runs/b", "runs/theme/a", "runs/.hidden/c", "runs/b/stage-1", "outside/d"] {
            run(name);
        }
        #[cfg(unix)]
        std::os::unix::fs::symlink(
            folder.path().join("outside/d"),
            folder.path().join("runs/link"),
        )
        .unwrap();
        let found = |roots: &[&str]| {
            let roots: Vec<PathBuf> = roots.iter().map(|root| folder.path().join(root)).collect();
            site(&roots).runs()
        };
        let places = |root: &str| -> Vec<String> {
            found(&[root]).into_iter().map(|run| run.place).collect()
        };
        assert_eq!(places("runs"), ["b", "theme/a"]);
        assert_eq!(places("runs/b"), ["b"], "a run may be given itself");
        assert_eq!(places("nothing"), [""; 0]);
        assert_eq!(found(&["runs", "runs/theme/../b"]).len(), 2, "each run once");
    }
}
