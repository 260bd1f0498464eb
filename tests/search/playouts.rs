//! Random playouts, compared with games played move by move.

use rand::{Rng, SeedableRng};
use tictune::game::{Outcome, Player, Position};
use tictune::games::uttt::{Rules, Uttt};
use tictune::search::mcts::random_playout;
use tictune::seed::{Generator, mix};

use crate::positions::{describe, positions};

fn playout(position: &Uttt, seed: u64, game: u64) -> Outcome {
    random_playout(position, &mut Generator::seed_from_u64(mix(seed, game)))
}

/// A playout in its simplest form.
fn naive(position: &Uttt, seed: u64, game: u64) -> Outcome {
    let (mut position, mut generator) = (*position, Generator::seed_from_u64(mix(seed, game)));
    loop {
        if let Some(outcome) = position.outcome() {
            return outcome;
        }
        let moves: Vec<_> = position.legal_moves().collect();
        let index = (u64::from(generator.next_u32()) * moves.len() as u64) >> 32;
        position.play(moves[index as usize]).expect("a legal move");
    }
}

#[test]
fn every_playout_is_the_naive_one() {
    for (number, position) in (0..).zip(positions(77).take(400)) {
        for game in 0..60 {
            let outcomes = [playout, naive].map(|play| play(&position, number, game));
            assert_eq!(outcomes[0], outcomes[1], "game {game} from {}", describe(&position));
        }
    }
}

#[test]
fn counts_from_the_start_are_the_pinned_ones() {
    // There is nothing to compare the counts with, but they are the same on every machine.
    let counts = Rules::all().map(|rules| {
        let (start, mut counts) = (Uttt::start(rules), [0; 3]);
        for game in 0..20_000 {
            counts[match playout(&start, 0, game) {
                Outcome::Win(Player::First) => 0,
                Outcome::Win(Player::Second) => 1,
                Outcome::Draw => 2,
            }] += 1;
        }
        counts
    });
    assert_eq!(
        counts,
        [[8210, 7417, 4373], [9915, 8856, 1229], [9790, 8739, 1471], [10414, 9314, 272]]
    );
}
