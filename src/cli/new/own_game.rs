//! `tictune new --own-game DIR`: a crate for your own game.

use std::fs;
use std::path::Path;

use anyhow::{Context, ensure};
use minijinja::context;

use crate::cli::{Session, print, quoted};
use crate::input::InputError;
use crate::report::rendered;

/// The files of the crate beside its Cargo.toml: those of the example `own_game`, which our tests build and check.
const FILES: [(&str, &str); 4] = [
    (".gitignore", "/target\n/runs\n"),
    ("src/main.rs", include_str!("../../../examples/own_game/main.rs")),
    ("src/connect_four.rs", include_str!("../../../examples/own_game/connect_four.rs")),
    ("connect-four.toml", include_str!("../../../examples/own_game/connect-four.toml")),
];

pub(super) fn write(folder: &Path, session: &Session) -> anyhow::Result<()> {
    let is_vacant =
        !folder.exists() || fs::read_dir(folder).is_ok_and(|mut files| files.next().is_none());
    let there = InputError::in_file(folder, "already exists; name another folder");
    ensure!(is_vacant, there);
    // A clone around this folder, or where this program was built.
    let here = std::env::current_dir().unwrap_or_default();
    let is_clone = |folder: &&Path| {
        let package = fs::read_to_string(folder.join("Cargo.toml")).unwrap_or_default();
        package.contains("name = \"tictune\"\n")
    };
    let clone = here.ancestors().chain([Path::new(env!("CARGO_MANIFEST_DIR"))]).find(is_clone);
    let (version, rust) = (env!("CARGO_PKG_VERSION"), env!("CARGO_PKG_RUST_VERSION"));
    let template = include_str!("templates/own_game.toml.jinja");
    let cargo = rendered(template, context! { clone, version, rust });
    for (name, text) in [("Cargo.toml", cargo.as_str())].into_iter().chain(FILES) {
        let path = folder.join(name);
        let cannot = || format!("cannot write {}", path.display());
        fs::create_dir_all(path.parent().unwrap_or(folder)).with_context(cannot)?;
        fs::write(&path, text).with_context(cannot)?;
    }
    let folder = quoted(folder);
    if clone.is_none() {
        session.note(&format!("note: set the folder of a clone of tictune in {folder}/Cargo.toml"));
    }
    print(&format!(
        "wrote {folder}: Connect Four on a small board, to replace with your game\n  \
         cd {folder}\n  \
         cargo test                                         checks the game\n  \
         cargo run --release -- play                        plays against you\n  \
         cargo run --release -- evolve connect-four.toml    evolves its evaluation\n"
    ))
}
