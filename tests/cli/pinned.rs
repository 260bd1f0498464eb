//! Pinned matches, move for move. Results depend on config and seed alone, so faster code must not
//! change them. Each match is pinned by a digest of its games (`--games-csv`). The digest does not
//! contain the number of searched positions. But the games of agents limited by positions depend on
//! it.

use sha2::{Digest, Sha256};

use crate::common::run;

/// A match and the digest of its games.
type Pin = (&'static str, &'static str, &'static [&'static str], &'static str);

const RULES: &str = "drawn_board=both,no_line=most_boards";

/// Agent A, agent B, further arguments, and the first 64 bits of the digest.
const PINS: &[Pin] = &[
    // Liang's Table 2.8 and the stages before it, with both kinds of openings.
    (
        "minimax:depth=3,weights=liang-comprehensive",
        "minimax:depth=3,weights=liang-optimized",
        &["--openings", "centre", "--schedule", "half-and-half", "--games", "300"],
        "cbdf829b595eb6f9",
    ),
    (
        "minimax:depth=3,weights=liang-comprehensive",
        "minimax:depth=3,weights=liang-default",
        &["--games", "200", "--seed", "1"],
        "c1bc6d4e14389acc",
    ),
    (
        "minimax:depth=5,weights=liang-comprehensive",
        "minimax:depth=5,weights=liang-optimized",
        &["--openings", "centre", "--games", "60"],
        "befe7779b0943569",
    ),
    (
        "minimax:depth=5,weights=liang-default",
        "minimax:depth=4,weights=liang-comprehensive",
        &["--games", "40"],
        "2d88f9344f508ff4",
    ),
    (
        "minimax:depth=7,weights=liang-comprehensive",
        "minimax:depth=7,weights=liang-optimized",
        &["--openings", "centre", "--schedule", "half-and-half", "--games", "20"],
        "1e8950ba7107ec78",
    ),
    (
        "minimax:depth=7,weights=liang-optimized",
        "minimax:depth=6,weights=liang-default",
        &["--games", "20", "--seed", "2"],
        "5bb0d0dfefd16785",
    ),
    (
        "minimax:depth=8,weights=liang-simple",
        "minimax:depth=8,weights=liang-connecting",
        &["--games", "4"],
        "90e972a5b0f4ffa2",
    ),
    (
        "greedy:weights=liang-default",
        "minimax:depth=2,weights=liang-optimized",
        &["--games", "200", "--openings", "none"],
        "684f037717270b3a",
    ),
    // Ties, random jumps and second evaluations; evaluations of the other documents.
    (
        "minimax:depth=4,ties=first,weights=liang-simple",
        "minimax:depth=4,weights=sista",
        &["--games", "40"],
        "d2787edae5b7cc6a",
    ),
    (
        "minimax:depth=4,weights=lifshitz-heur1,jump=0.2",
        "minimax:depth=3,weights=lifshitz-heur4",
        &["--games", "40"],
        "6b6316dff8882d8f",
    ),
    (
        "minimax:depth=3,weights=lifshitz-heur2",
        "minimax:depth=3,weights=lifshitz-heur3",
        &["--games", "40"],
        "b1d8a4a224281f57",
    ),
    (
        "minimax:depth=3,weights=amar-winning",
        "minimax:depth=3,weights=amar-recursive",
        &["--games", "40"],
        "0b54f8739b26ccdc",
    ),
    (
        "minimax:depth=2,weights=amar-cells",
        "plain:depth=3,weights=liang-default",
        &["--games", "20"],
        "d5c4f056b62c1758",
    ),
    // Every variant of the rules.
    (
        "minimax:depth=5,weights=liang-optimized",
        "minimax:depth=4,weights=liang-simple",
        &["--games", "40", "--rules", "drawn_board=both"],
        "1cabeea5e66180df",
    ),
    (
        "minimax:depth=5,weights=liang-comprehensive",
        "minimax:depth=4,weights=sista",
        &["--games", "40", "--rules", "no_line=most_boards"],
        "bdeb838e4042de5b",
    ),
    (
        "minimax:depth=6,weights=liang-comprehensive",
        "minimax:depth=5,weights=liang-connecting",
        &["--games", "20", "--rules", RULES],
        "6e01bd01e3c0e855",
    ),
    // Searches limited by positions.
    (
        "iterative:nodes=3000,weights=liang-comprehensive",
        "iterative:nodes=2000,table=1,weights=liang-optimized",
        &["--games", "20"],
        "8ece5929b22d2cbc",
    ),
    (
        "remembering:nodes=2000,replace=keep-first,weights=lifshitz-heur3",
        "iterative:depth=5,nodes=100000,weights=liang-default",
        &["--games", "10"],
        "64ddd325c86d72df",
    ),
    // Tree searches with playouts.
    (
        "mcts:iterations=300",
        "mcts:iterations=300,tree=rave,playout=win-first",
        &["--games", "20"],
        "bebff9d5ed8d6edb",
    ),
    (
        "mcts:iterations=300,playout=ept,weights=liang-comprehensive",
        "mcts:iterations=300,tree=grave,solver=true",
        &["--games", "20"],
        "8d6a008f2491c2b5",
    ),
    ("random", "reflex", &["--games", "400"], "b714e30912cb9e06"),
    // Qubic.
    (
        "minimax:depth=3,weights=papadam-ef1",
        "minimax:depth=3,weights=papadam-ef2",
        &["--game", "qubic", "--games", "10"],
        "a09acf9d2392014e",
    ),
    (
        "minimax:depth=2,weights=tictune-lines",
        "mcts:iterations=200",
        &["--game", "qubic", "--games", "10"],
        "141a5f34e91bc65b",
    ),
];

#[test]
fn every_pinned_match_is_played_as_ever() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("games.csv").display().to_string();
    let mut wrong = String::new();
    for (a, b, more, expected) in PINS {
        let output = run(&[&["match", a, b, "--json", "--games-csv", &file], *more].concat());
        assert!(output.status.success(), "{a} against {b}: {output:?}");
        let games = std::fs::read(&file).unwrap();
        let digest = Sha256::digest(&games);
        let found: String = digest[..8].iter().map(|byte| format!("{byte:02x}")).collect();
        if found != *expected {
            wrong += &format!("{a} against {b} {more:?}: \"{found}\", pinned \"{expected}\"\n");
        }
    }
    assert!(wrong.is_empty(), "other games than ever:\n{wrong}");
}
