//! Weights that are compiled in: the published vectors.

use std::path::Path;
use std::sync::OnceLock;

use super::Weights;
use super::file::parse_weights;

/// Name and text of each file of the folder `weights/`.
const FILES: &[(&str, &str)] = &[
    ("liang-simple", include_str!("../../weights/liang-simple.toml")),
    ("liang-connecting", include_str!("../../weights/liang-connecting.toml")),
    ("liang-connecting-as-run", include_str!("../../weights/liang-connecting-as-run.toml")),
    ("liang-default", include_str!("../../weights/liang-default.toml")),
    ("liang-optimized", include_str!("../../weights/liang-optimized.toml")),
    ("liang-comprehensive", include_str!("../../weights/liang-comprehensive.toml")),
    ("lifshitz-heur1", include_str!("../../weights/lifshitz-heur1.toml")),
    ("lifshitz-heur2", include_str!("../../weights/lifshitz-heur2.toml")),
    ("lifshitz-heur3", include_str!("../../weights/lifshitz-heur3.toml")),
    ("lifshitz-heur4", include_str!("../../weights/lifshitz-heur4.toml")),
    ("sista", include_str!("../../weights/sista.toml")),
    ("amar-winning", include_str!("../../weights/amar-winning.toml")),
    ("amar-recursive", include_str!("../../weights/amar-recursive.toml")),
    ("amar-cells", include_str!("../../weights/amar-cells.toml")),
    ("papadam-ef1", include_str!("../../weights/papadam-ef1.toml")),
    ("papadam-ef2", include_str!("../../weights/papadam-ef2.toml")),
    ("tictune-advanced", include_str!("../../weights/tictune-advanced.toml")),
    ("tictune-comprehensive", include_str!("../../weights/tictune-comprehensive.toml")),
    ("tictune-extended", include_str!("../../weights/tictune-extended.toml")),
    ("tictune-lines", include_str!("../../weights/tictune-lines.toml")),
];

fn all() -> &'static [Weights] {
    static ALL: OnceLock<Vec<Weights>> = OnceLock::new();
    ALL.get_or_init(|| {
        let read = |(name, text): &(&str, &str)| {
            parse_weights(text, Path::new(&format!("{name}.toml"))).ok()
        };
        FILES.iter().filter_map(read).collect()
    })
}

/// The names of the built-in weights.
pub fn names() -> impl Iterator<Item = &'static str> {
    FILES.iter().map(|(name, _)| *name)
}

/// Built-in weights by name.
#[must_use]
pub fn find(name: &str) -> Option<Weights> {
    all().iter().find(|weights| weights.name == name).cloned()
}

/// The strongest built-in weights of an evaluation of a game.
#[must_use]
pub fn strongest(game: &str, evaluation: &str) -> Option<Weights> {
    find(match (game, evaluation) {
        ("uttt", "simple") => "liang-simple",
        ("uttt", "connecting") => "liang-connecting",
        ("uttt", "advanced") => "tictune-advanced",
        ("uttt", "comprehensive") => "tictune-comprehensive",
        ("uttt", "heur1") => "lifshitz-heur1",
        ("uttt", "heur2") => "lifshitz-heur2",
        ("uttt", "heur3") => "lifshitz-heur3",
        ("uttt", "heur4") => "lifshitz-heur4",
        ("uttt", "grid") => "sista",
        ("uttt", "winning-possibilities") => "amar-winning",
        ("uttt", "recursive-weight") => "amar-recursive",
        ("uttt", "cells-weight") => "amar-cells",
        ("uttt", "extended") => "tictune-extended",
        ("qubic", "ef1") => "papadam-ef1",
        ("qubic", "ef2") => "papadam-ef2",
        ("qubic", "lines") => "tictune-lines",
        _ => return None,
    })
}

/// The built-in weights of a game that a validation plays against, unless others are named.
#[must_use]
pub fn pool(game: &str) -> &'static [&'static str] {
    match game {
        "uttt" => &["liang-default", "liang-optimized", "liang-comprehensive"],
        "qubic" => &["papadam-ef1", "papadam-ef2"],
        _ => &[],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Game;
    use crate::games::GAMES;
    use crate::games::qubic::Qubic;
    use crate::games::uttt::Uttt;

    #[test]
    fn every_file_reads_and_says_where_it_is_from() {
        for name in names() {
            let weights = find(name).unwrap_or_else(|| panic!("{name} does not read"));
            let source = weights.provenance["source"].as_str().unwrap();
            let known = [
                "Liang 2017, Table 2.",
                "Lifshitz, V ",
                "Sista 2016, 3.2",
                "Amar 2014, VI ",
                "Papadam 2022, ",
                "tictune evolve, ",
            ];
            assert!(known.iter().any(|start| source.starts_with(start)), "{source}");
        }
    }

    #[test]
    fn every_evaluation_has_a_strongest_vector_of_its_own() {
        for layout in Uttt::layouts().iter().chain(Qubic::layouts()) {
            assert_eq!(strongest(layout.game, layout.name).unwrap().layout(), *layout);
        }
    }

    #[test]
    fn every_game_has_a_pool_of_its_own_weights() {
        for game in GAMES {
            assert!(!pool(game).is_empty(), "{game}");
            assert!(pool(game).iter().all(|name| find(name).unwrap().layout().game == *game));
        }
    }

    #[test]
    fn published_values() {
        // Liang, Table 2.3, first and last rows; Table 2.5, last row.
        let optimized = find("liang-optimized").unwrap();
        assert_eq!(optimized.values()[0], 1.481980523);
        assert_eq!(optimized.values()[7], 0.404213732);
        let comprehensive = find("liang-comprehensive").unwrap();
        assert_eq!(comprehensive.values()[13], -1.4313661716);
        assert_eq!(
            find("liang-default").unwrap().values(),
            [50.0, 30.0, 20.0, 10.0, 5.0, 3.0, 2.0, 1.0]
        );
        assert_eq!(find("liang-connecting").unwrap().values(), [1.0, 20.0, 1.0]);
        // Papadam, both evaluation functions.
        for name in ["papadam-ef1", "papadam-ef2"] {
            assert_eq!(find(name).unwrap().values(), [2.0, 6.0]);
        }
    }
}
