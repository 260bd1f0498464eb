//! Batches of random playouts, compared with games played one by one.

use rand::Rng;
use tictune::game::{Outcome, Player, Position, Searchable};
use tictune::games::uttt::batch::{
    Instructions, Outcomes, each_random_playout, playout_generator, random_playouts,
};
use tictune::games::uttt::{Rules, Uttt};
use tictune::search::mcts::random_playout;

use crate::positions::{describe, positions};

/// A playout in its simplest form.
fn naive(position: &Uttt, seed: u64, game: u64) -> Outcome {
    let (mut position, mut generator) = (*position, playout_generator(seed, game));
    loop {
        if let Some(outcome) = position.outcome() {
            return outcome;
        }
        let moves: Vec<_> = position.legal_moves().collect();
        let index = (u64::from(generator.next_u32()) * moves.len() as u64) >> 32;
        position.play(moves[index as usize]).expect("a legal move");
    }
}

fn sets() -> impl Iterator<Item = Instructions> {
    Instructions::ALL.into_iter().filter(|set| set.available())
}

/// The outcomes of a batch of games, in the order of their numbers. Each must be reported exactly
/// once.
fn batch(
    position: &Uttt,
    seed: u64,
    games: std::ops::Range<u64>,
    instructions: Instructions,
) -> Vec<Outcome> {
    let mut ends = vec![None; (games.end - games.start) as usize];
    each_random_playout(position, seed, games.clone(), instructions, &mut |game, outcome| {
        let end = ends[(game - games.start) as usize].replace(outcome);
        assert_eq!(end, None, "game {game} ended twice from {}", describe(position));
    });
    ends.into_iter().map(|end| end.expect("a game that never ended")).collect()
}

#[test]
fn every_game_of_a_batch_is_the_naive_one_under_all_instructions() {
    let mut seen = [0; 3];
    for (number, position) in (0..).zip(positions(77).take(400)) {
        // Fewer games than lanes, and numbers of games that are not multiples of the lanes.
        let games = 3 * number..3 * number + [1, 20, 64, 150][number as usize / 4 % 4];
        let expected: Vec<Outcome> =
            games.clone().map(|game| naive(&position, number, game)).collect();
        for outcome in &expected {
            seen[match outcome {
                Outcome::Win(player) => player.index(),
                Outcome::Draw => 2,
            }] += 1;
        }
        for set in sets() {
            let ends = batch(&position, number, games.clone(), set);
            let differs = ends.iter().zip(&expected).position(|(ours, theirs)| ours != theirs);
            assert_eq!(
                differs,
                None,
                "{set:?}, seed {number}, games {games:?} from {}",
                describe(&position)
            );
        }
    }
    assert!(seen.iter().all(|&count| count > 1000), "every end should be common: {seen:?}");
}

#[test]
fn whole_games_are_the_single_playouts_under_all_rules() {
    for rules in Rules::all() {
        let start = Uttt::start(rules);
        let single: Vec<Outcome> =
            (0..5000).map(|game| random_playout(&start, &mut playout_generator(7, game))).collect();
        for set in sets() {
            assert!(batch(&start, 7, 0..5000, set) == single, "{set:?}, rules {rules}");
        }
    }
}

#[test]
fn batches_may_be_split_anywhere() {
    let start = Uttt::start(Rules::default());
    let whole = random_playouts(&start, 3, 10..500);
    for middle in [10, 11, 73, 74, 300, 500] {
        let parts =
            [random_playouts(&start, 3, 10..middle), random_playouts(&start, 3, middle..500)];
        let sum = |count: fn(&Outcomes) -> u64| parts.iter().map(count).sum::<u64>();
        assert_eq!(
            [sum(|part| part.first), sum(|part| part.second), sum(|part| part.draws)],
            [whole.first, whole.second, whole.draws],
            "split at {middle}"
        );
    }
}

#[test]
fn finished_games_and_empty_batches_are_what_they_are() {
    let start = Uttt::start(Rules::default());
    assert_eq!(random_playouts(&start, 1, 5..5), Outcomes::default());
    assert_eq!(random_playouts(&start, 1, u64::MAX..u64::MAX), Outcomes::default());
    for game in 0..40 {
        let (mut over, mut generator) = (start, playout_generator(2, game));
        while over.outcome().is_none() {
            over.play_drawn(|count| generator.next_u32() % count);
        }
        let [mut first, mut second, mut draws] = [0; 3];
        *match over.outcome() {
            Some(Outcome::Win(Player::First)) => &mut first,
            Some(Outcome::Win(Player::Second)) => &mut second,
            _ => &mut draws,
        } = 9;
        assert_eq!(random_playouts(&over, 1, 0..9), Outcomes { first, second, draws });
    }
    // The highest numbers that games can have.
    let games = u64::MAX - 3..u64::MAX;
    let expected: Vec<Outcome> = games.clone().map(|game| naive(&start, 1, game)).collect();
    assert_eq!(batch(&start, 1, games, Instructions::best()), expected);
}

#[test]
fn counts_from_the_start_are_the_pinned_ones() {
    // There is nothing to compare the counts with, but they are the same on every machine.
    let counts = Rules::all().map(|rules| {
        let Outcomes { first, second, draws } = random_playouts(&Uttt::start(rules), 0, 0..20_000);
        [first, second, draws]
    });
    assert_eq!(
        counts,
        [[8210, 7417, 4373], [9915, 8856, 1229], [9790, 8739, 1471], [10414, 9314, 272]]
    );
}
