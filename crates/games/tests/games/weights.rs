//! Tests of what the games bring along: weights and formulas.

use tictune_core::agent::AgentSpec;
use tictune_core::game::{Formulas, Game, GameInfo};
use tictune_core::weights::Weights;
use tictune_games::{Qubic, Uttt};

/// The games that have evaluations.
const GAMES: [&GameInfo; 2] = [Uttt::INFO, Qubic::INFO];

#[test]
fn every_game_has_a_pool_and_every_evaluation_a_strongest_vector() {
    for game in GAMES {
        assert!(!game.pool.is_empty(), "{}", game.name);
        assert!(game.pool.iter().all(|name| Weights::built_in(game, name).is_some()));
        for layout in game.layouts {
            assert_eq!(Weights::strongest(game, layout.name).unwrap().layout(), *layout);
        }
    }
    assert_eq!(Weights::strongest(Uttt::INFO, "advanced").unwrap().name, "tictune-advanced");
    assert_eq!(Weights::strongest(Uttt::INFO, "connecting").unwrap().name, "liang-connecting");
    let strongest = |rules| AgentSpec::strongest(Uttt::INFO, rules, "time=1s");
    assert_eq!(strongest("no_line=draw"), "pvs:weights=tictune-patterns,time=1s");
    let counted = strongest("drawn_board=nobody,no_line=most_boards");
    assert_eq!(counted, "pvs:weights=tictune-patterns-count,time=1s");
    // Numbers of a table that a line of text cannot hold would be read back wrong.
    for (name, values) in Uttt::INFO.extension::<Formulas>().unwrap().tables {
        for layout in Uttt::INFO.layouts {
            let values = values(layout.name);
            assert!(values.iter().all(|value| (-1024..=2944).contains(value)), "{name}");
        }
    }
}

#[test]
fn weights_say_where_they_are_from_and_have_the_published_values() {
    for game in GAMES {
        for vector in game.vectors {
            let weights = Weights::built_in(game, vector.name).expect(vector.name);
            let source = weights.provenance["source"].as_str().unwrap();
            let mut known =
                "Liang 2017, Table |Lifshitz, V |Sista 2016, |Amar 2014, VI |Papadam 2022, |tictune ".split('|');
            assert!(known.any(|start| source.starts_with(start)), "{source}");
        }
    }
    let uttt = |name| Weights::built_in(Uttt::INFO, name).unwrap();
    // Liang, Table 2.3, first and last rows; Table 2.5, last row.
    let optimized = uttt("liang-optimized");
    assert_eq!([0, 7].map(|slot| optimized.values()[slot]), [1.481980523, 0.404213732]);
    assert_eq!(uttt("liang-comprehensive").values()[13], -1.4313661716);
    assert_eq!(uttt("liang-default").values(), [50.0, 30.0, 20.0, 10.0, 5.0, 3.0, 2.0, 1.0]);
    assert_eq!(uttt("liang-connecting").values(), [1.0, 20.0, 1.0]);
    // Papadam, both evaluation functions.
    for name in ["papadam-ef1", "papadam-ef2"] {
        assert_eq!(Weights::built_in(Qubic::INFO, name).unwrap().values(), [2.0, 6.0]);
    }
}
