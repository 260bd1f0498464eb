//! The runs that the page shows: those in the folders that it was given, and no others.

use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::agent::Known;
use crate::evolve::RunDir;

/// The folders that the page was given.
#[derive(Debug)]
pub(super) struct Runs {
    roots: Vec<PathBuf>,
    known: Known,
}

pub(super) struct FoundRun {
    /// What addresses of pages call it. It says nothing of its place, and no address leads to another folder.
    pub(super) id: String,
    pub(super) place: String,
    pub(super) dir: RunDir,
}

/// How deep below a given folder runs are looked for.
const DEEPEST: usize = 4;

/// As many folders are looked at.
const MOST_FOLDERS: usize = 5000;

impl Runs {
    pub(super) fn new(roots: &[PathBuf], known: &Known) -> Self {
        Self { roots: roots.to_vec(), known: known.clone() }
    }

    /// The runs as they are now, in the order of their names.
    pub(super) fn all(&self) -> Vec<FoundRun> {
        let mut found = Vec::new();
        for root in &self.roots {
            // Where links lead out of the folder, nothing is followed.
            if let Ok(inside) = root.canonicalize() {
                let mut left = MOST_FOLDERS;
                self.search(root, root, &inside, DEEPEST, &mut left, &mut found);
            }
        }
        found
    }

    pub(super) fn find(&self, id: &str) -> Option<FoundRun> {
        self.all().into_iter().find(|run| run.id == id)
    }

    /// The run of an address, or of a name that a person typed. Names with characters that addresses encode are not found.
    pub(super) fn find_or_named(&self, id: &str) -> Option<FoundRun> {
        self.find(id).or_else(|| self.all().into_iter().find(|run| run.place == id))
    }

    fn search(
        &self,
        folder: &Path,
        root: &Path,
        inside: &Path,
        depth: usize,
        left: &mut usize,
        found: &mut Vec<FoundRun>,
    ) {
        let within = folder.canonicalize().is_ok_and(|place| place.starts_with(inside));
        if !within || *left == 0 {
            return;
        }
        *left -= 1;
        if folder.join("manifest.json").is_file() {
            let name = match folder.strip_prefix(root) {
                Ok(place) if !place.as_os_str().is_empty() => place,
                _ => Path::new(folder.file_name().unwrap_or_default()),
            };
            let id = id_of(folder);
            // A folder may be given together with one that it is in.
            if found.iter().all(|run| run.id != id) {
                let (place, dir) = (name.display().to_string(), RunDir::new(folder, &self.known));
                found.push(FoundRun { id, place, dir });
            }
            return;
        }
        if depth == 0 {
            return;
        }
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        let hidden = |path: &Path| {
            path.file_name().is_none_or(|name| name.to_string_lossy().starts_with('.'))
        };
        let mut folders: Vec<PathBuf> = entries
            .map(|entry| entry.path())
            .filter(|path| path.is_dir() && !hidden(path))
            .collect();
        folders.sort();
        for folder in folders {
            self.search(&folder, root, inside, depth - 1, left, found);
        }
    }
}

/// The name of a folder in addresses: it stays the same as long as the folder does.
fn id_of(folder: &Path) -> String {
    let folder = folder.canonicalize().unwrap_or_else(|_| folder.into());
    let hash = Sha256::digest(folder.as_os_str().as_encoded_bytes());
    hash.iter().take(6).map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let places = |root: &str| -> Vec<String> {
            let all = Runs::new(&[folder.path().join(root)], &Known::default()).all();
            all.into_iter().map(|run| run.place).collect()
        };
        assert_eq!(places("runs"), ["b", "theme/a"]);
        assert_eq!(places("runs/b"), ["b"], "a run may be given itself");
        assert_eq!(places("nothing"), [""; 0]);
        let twice = [folder.path().join("runs"), folder.path().join("runs/theme/../b")];
        assert_eq!(Runs::new(&twice, &Known::default()).all().len(), 2, "each run once");
        let runs = Runs::new(&[folder.path().join("runs")], &Known::default());
        assert!(runs.find_or_named("theme/a").is_some());
        let id = runs.all()[1].id.clone();
        assert_eq!(runs.find(&id).unwrap().place, "theme/a");
        assert!(runs.find("../outside/d").is_none());
    }
}
