//! Pinned matches, move for move. Results depend on config and seed alone, so faster code must not change them. Each match is
//! pinned by a digest of its games (`--games-csv`). The digest does not contain the number of searched positions. But the
//! games of agents limited by positions depend on it.

use sha2::{Digest, Sha256};

use crate::common::Folder;

#[test]
fn every_pinned_match_is_played_as_ever() {
    let folder = Folder::new();
    let mut wrong = String::new();
    let pins = include_str!("../data/pinned.txt").lines().filter(|line| !line.starts_with('#'));
    for (expected, line) in pins.map(|line| line.split_once("  ").unwrap()) {
        folder.said(&format!("match {line} --json --games-csv games.csv"));
        let digest = Sha256::digest(folder.read("games.csv"));
        let found: String = digest[..8].iter().map(|byte| format!("{byte:02x}")).collect();
        if found != expected {
            wrong += &format!("{found}  {line}\n");
        }
    }
    assert!(wrong.is_empty(), "other games than ever:\n{wrong}");
}
