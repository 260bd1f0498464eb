//! Weights that are compiled in: the published vectors.

use std::path::Path;

use super::Weights;
use super::file::parse_weights;
use crate::game::{GameInfo, Vector};

fn read(game: &'static GameInfo, vector: &Vector) -> Option<Weights> {
    parse_weights(vector.toml, Path::new(&format!("{}.toml", vector.name)), &[game]).ok()
}

/// Built-in weights of a game by name.
#[must_use]
pub fn find(game: &'static GameInfo, name: &str) -> Option<Weights> {
    read(game, game.vectors.iter().find(|vector| vector.name == name)?)
}

/// The strongest built-in weights of an evaluation: the first in the game's list.
#[must_use]
pub fn strongest(game: &'static GameInfo, evaluation: &str) -> Option<Weights> {
    let all = game.vectors.iter().filter_map(|vector| read(game, vector));
    all.into_iter().find(|weights| weights.layout().name == evaluation)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Game;
    use crate::games::{Qubic, Uttt};

    const GAMES: [&GameInfo; 2] = [Uttt::INFO, Qubic::INFO];

    fn uttt(name: &str) -> Weights {
        find(Uttt::INFO, name).unwrap()
    }

    #[test]
    fn every_file_reads_and_says_where_it_is_from() {
        for (game, vector) in
            GAMES.iter().flat_map(|game| game.vectors.iter().map(move |v| (game, v)))
        {
            let name = vector.name;
            let weights = find(game, name).unwrap_or_else(|| panic!("{name} does not read"));
            let source = weights.provenance["source"].as_str().unwrap();
            let known = [
                "Liang 2017, Table 2.",
                "Lifshitz, V ",
                "Sista 2016, 3.2",
                "Amar 2014, VI ",
                "Papadam 2022, ",
                "tictune evolve, ",
                "tictune fit, ",
            ];
            assert!(known.iter().any(|start| source.starts_with(start)), "{source}");
        }
    }

    #[test]
    fn every_evaluation_has_a_strongest_vector_of_its_own() {
        for game in GAMES {
            for layout in game.layouts {
                assert_eq!(strongest(game, layout.name).unwrap().layout(), *layout);
            }
        }
        assert_eq!(strongest(Uttt::INFO, "advanced").unwrap().name, "tictune-advanced");
        assert_eq!(strongest(Uttt::INFO, "connecting").unwrap().name, "liang-connecting");
    }

    #[test]
    fn every_game_has_a_pool_of_its_own_weights() {
        for game in GAMES {
            assert!(!game.pool.is_empty(), "{}", game.name);
            assert!(game.pool.iter().all(|name| find(game, name).is_some()));
        }
    }

    #[test]
    fn published_values() {
        // Liang, Table 2.3, first and last rows; Table 2.5, last row.
        let optimized = uttt("liang-optimized");
        assert_eq!(optimized.values()[0], 1.481980523);
        assert_eq!(optimized.values()[7], 0.404213732);
        assert_eq!(uttt("liang-comprehensive").values()[13], -1.4313661716);
        assert_eq!(uttt("liang-default").values(), [50.0, 30.0, 20.0, 10.0, 5.0, 3.0, 2.0, 1.0]);
        assert_eq!(uttt("liang-connecting").values(), [1.0, 20.0, 1.0]);
        // Papadam, both evaluation functions.
        for name in ["papadam-ef1", "papadam-ef2"] {
            assert_eq!(find(Qubic::INFO, name).unwrap().values(), [2.0, 6.0]);
        }
    }
}
