//! Tests of what the games bring along: weights, formulas and openings.

use std::path::Path;

use super::*;
use tictune_core::arena::Openings;
use tictune_core::game::Formulas;
use tictune_core::weights::Weights;

/// The games that have evaluations.
const GAMES: [&GameInfo; 2] = [Uttt::INFO, Qubic::INFO];

#[test]
fn every_file_of_weights_reads_and_says_where_it_is_from() {
    for (game, vector) in GAMES.iter().flat_map(|game| game.vectors.iter().map(move |v| (game, v)))
    {
        let name = vector.name;
        let weights =
            Weights::built_in(game, name).unwrap_or_else(|| panic!("{name} does not read"));
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
fn every_game_has_a_pool_and_every_evaluation_a_strongest_vector() {
    for game in GAMES {
        assert!(!game.pool.is_empty(), "{}", game.name);
        assert!(game.pool.iter().all(|name| Weights::built_in(game, name).is_some()));
        for layout in game.layouts {
            let name = layout.name;
            assert_eq!(Weights::strongest(game, name).unwrap().layout(), *layout);
        }
    }
    assert_eq!(Weights::strongest(Uttt::INFO, "advanced").unwrap().name, "tictune-advanced");
    assert_eq!(Weights::strongest(Uttt::INFO, "connecting").unwrap().name, "liang-connecting");
    // Numbers of a table that a line of text cannot hold would be read back wrong.
    for (name, values) in Uttt::INFO.extension::<Formulas>().unwrap().tables {
        assert!(values().iter().all(|value| (-1024..=2944).contains(value)), "{name}");
    }
}

#[test]
fn published_values() {
    let uttt = |name| Weights::built_in(Uttt::INFO, name).unwrap();
    // Liang, Table 2.3, first and last rows; Table 2.5, last row.
    let optimized = uttt("liang-optimized");
    assert_eq!(optimized.values()[0], 1.481980523);
    assert_eq!(optimized.values()[7], 0.404213732);
    assert_eq!(uttt("liang-comprehensive").values()[13], -1.4313661716);
    assert_eq!(uttt("liang-default").values(), [50.0, 30.0, 20.0, 10.0, 5.0, 3.0, 2.0, 1.0]);
    assert_eq!(uttt("liang-connecting").values(), [1.0, 20.0, 1.0]);
    // Papadam, both evaluation functions.
    for name in ["papadam-ef1", "papadam-ef2"] {
        assert_eq!(Weights::built_in(Qubic::INFO, name).unwrap().values(), [2.0, 6.0]);
    }
}

#[test]
fn every_opening_of_the_chess_experiments_reads() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../experiments/chess");
    Openings::parse::<Chess>("file:openings.epd", Default::default(), &folder).unwrap();
}
