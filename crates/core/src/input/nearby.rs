//! The file or folder that a person may have meant.

use std::path::{Path, PathBuf};

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_path_is_one_that_is_there() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        std::fs::create_dir(path("experiments")).unwrap();
        std::fs::write(path("experiments/quickstart.toml"), "").unwrap();
        for (typed, is_near) in [
            ("experiments/quickstrat.toml", true),
            ("experiments/quickstart", true),
            ("exprimnts/quikstart.toml", true),
            ("experiments/quickstart.toml", false),
            ("experiments/other.toml", false),
            ("x/quickstart.toml", false),
        ] {
            let expected = is_near.then(|| path("experiments/quickstart.toml"));
            assert_eq!(nearest_path(&path(typed)), expected, "{typed}");
        }
    }
}
