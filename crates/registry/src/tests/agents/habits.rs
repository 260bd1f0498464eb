//! Agents that do not play as their kind does, now and then.

use std::path::Path;

use tictune_core::agent::{Agents, Turn};
use tictune_core::game::{Game, Position};
use tictune_games::Uttt;

/// How often, over many games, the own move of this number is the reflex agent's first move.
fn share_of_first_moves(spec: &str, games: u64) -> f64 {
    let spec = Agents::<Uttt>::default().parse(spec, Path::new("")).unwrap();
    let factory = Agents::<Uttt>::default().prepare(&spec).unwrap();
    let start = Uttt::start(Default::default());
    let centre = Uttt::centre_move().unwrap();
    let is_centre =
        |seed: &u64| factory.spawn(*seed).choose(&Turn::new(&start)).unwrap().mv == centre;
    (0..games).filter(is_centre).count() as f64 / games as f64
}

#[test]
fn an_agent_jumps_as_often_as_it_should() {
    // Without a jump it opens with the centre; a jump hits the centre once in 81.
    let share = share_of_first_moves("greedy:weights=liang-default,first_move=centre,jump=5", 4000);
    let expected = 4.0 / 9.0 + 5.0 / 9.0 / 81.0;
    assert!((share - expected).abs() < 0.03, "{share} for {expected}");
    let always = share_of_first_moves("greedy:weights=liang-default,first_move=centre,jump=9", 300);
    assert!(always < 0.05, "{always}");
}

#[test]
fn an_agent_takes_the_other_evaluation_as_often_as_it_should() {
    // One ply deep, heur3 opens with the centre; connecting sees 81 equal moves.
    let of = |share| {
        share_of_first_moves(
            &format!("greedy:weights=liang-connecting,mix=lifshitz-heur3,mix_share={share}"),
            3000,
        )
    };
    let (none, all, third) = (of(0.0), of(1.0), of(0.3));
    assert!(none < 0.05, "{none}");
    assert_eq!(all, 1.0);
    assert!((third - (0.3 + 0.7 * none)).abs() < 0.04, "{third}");
}
