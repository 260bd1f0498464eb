use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::*;
use crate::elo_of_score;
use crate::tests::close;

fn pairing(a: usize, b: usize, wins: u64, draws: u64, losses: u64) -> Pairing {
    Pairing { players: [a, b], evidence: Evidence::Games([losses, draws, wins]) }
}

fn elo(rating: &Rating) -> f64 {
    rating.elo.unwrap()
}

fn standings(ratings: &[Rating]) -> Vec<RatingStatus> {
    ratings.iter().map(|rating| rating.standing).collect()
}

#[test]
fn a_long_chain_of_players_who_rarely_score_against_the_next_is_rated() {
    let ladder: Vec<Pairing> = (0..20).map(|p| pairing(p, p + 1, 999, 0, 1)).collect();
    let ratings = rate(21, &ladder);
    let step = elo_of_score(0.999).unwrap();
    close(elo(&ratings[0]) - elo(&ratings[20]), 20.0 * step, 1e-3);
    // The rating in the middle has the smallest error.
    let half = |p: usize| ratings[p].high.unwrap() - elo(&ratings[p]);
    assert!(half(10) < half(0) && half(10) < half(20));
}

#[test]
fn intervals_of_two_players_are_those_of_a_match() {
    // Each of the two ratings moves half the difference around their mean. The interval of a match converts the ends of
    // the score's interval to Elo; this one is a linear approximation.
    for evidence in [
        Evidence::Games([170, 120, 210]),
        Evidence::Pairs([10, 40, 100, 60, 40]),
        // Draws narrow it, and draws alone do not give certainty: one game more might have been decided.
        Evidence::Games([10, 80, 10]),
        Evidence::Games([0, 100, 0]),
    ] {
        let rating = rate(2, &[Pairing { players: [0, 1], evidence }])[0];
        let expected = evidence.elo();
        let half = (rating.high.unwrap() - rating.low.unwrap()) / 2.0;
        close(half / ((expected.high.unwrap() - expected.low.unwrap()) / 4.0), 1.0, 0.02);
    }
}

#[test]
fn the_maximum_satisfies_its_equations() {
    // Hunter (2004), section 2: every player's points equal those that the ratings predict.
    let games = [
        pairing(0, 1, 30, 5, 15),
        pairing(0, 2, 49, 0, 1),
        pairing(1, 2, 10, 3, 7),
        pairing(3, 1, 2, 1, 17),
        pairing(2, 3, 8, 8, 4),
    ];
    let ratings = rate(4, &games);
    for player in 0..4 {
        let (mut points, mut predicted) = (0.0, 0.0);
        for Pairing { players, evidence } in &games {
            let (score, games) = (evidence.score(), evidence.games() as f64);
            for (side, score) in [(0, score), (1, 1.0 - score)] {
                let [one, opponent] = [players[side], players[1 - side]].map(|p| elo(&ratings[p]));
                if players[side] == player {
                    points += score * games;
                    predicted += score_of_elo(one - opponent) * games;
                }
            }
        }
        close(predicted, points, 1e-6);
    }
    close(ratings.iter().map(elo).sum(), 0.0, 1e-7);
}

#[test]
fn true_ratings_lie_within_their_intervals_as_often_as_promised() {
    let truth = [-120.0, -40.0, 0.0, 40.0, 120.0];
    let mut inside = 0;
    for seed in 0..200 {
        let mut generator = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut games = Vec::new();
        for (a, b) in (0..truth.len()).flat_map(|a| (0..a).map(move |b| (a, b))) {
            let score = score_of_elo(truth[a] - truth[b]);
            let mut counts = [0; 3];
            for _ in 0..60 {
                // A fifth of the games are draws.
                match generator.random::<f64>() {
                    toss if toss < 0.2 => counts[1] += 1,
                    toss if toss < 0.1 + score => counts[2] += 1,
                    _ => counts[0] += 1,
                }
            }
            games.push(Pairing { players: [a, b], evidence: Evidence::Games(counts) });
        }
        for (rating, truth) in rate(truth.len(), &games).iter().zip(truth) {
            inside += u32::from(rating.low.unwrap() < truth && truth < rating.high.unwrap());
        }
    }
    assert!((930..970).contains(&inside), "{inside} of 1000");
}

#[test]
fn clean_sweeps_are_open_at_one_end() {
    use RatingStatus::{Above, Apart, Below, Rated};
    let games = [
        pairing(0, 1, 50, 0, 0),
        pairing(0, 2, 50, 0, 0),
        pairing(1, 2, 30, 0, 20),
        pairing(1, 3, 20, 0, 0),
        pairing(2, 3, 20, 0, 0),
    ];
    let ratings = rate(4, &games);
    assert_eq!(standings(&ratings), [Above, Rated, Rated, Below]);
    assert_eq!((ratings[0].elo, ratings[0].high), (None, None));
    assert_eq!((ratings[3].elo, ratings[3].low), (None, None));
    // Two opponents near 0 have nearly the effect of one at 0.
    let of_wilson = elo_of_score(wilson_interval(1.0, 100.0).0).unwrap();
    close(ratings[0].low.unwrap(), of_wilson, 5.0);
    assert!(ratings[3].high.unwrap() < -150.0);
    // The clean sweeps do not change the other ratings.
    close(elo(&ratings[1]), elo_of_score(0.6).unwrap() / 2.0, 1e-7);
    // The sweep of one opponent ends where that of a match does.
    let games = [pairing(0, 1, 0, 0, 40), pairing(1, 2, 10, 10, 10)];
    let ratings = rate(3, &games);
    close(ratings[0].high.unwrap(), games[0].evidence.elo().high.unwrap() + elo(&ratings[1]), 1e-7);
    // Groups that never met are not compared, and nobody is rated where everybody swept or was swept.
    let groups = [pairing(0, 1, 5, 0, 5), pairing(2, 3, 6, 0, 4), pairing(3, 4, 1, 1, 1)];
    assert_eq!(standings(&rate(6, &groups)), [Apart, Apart, Rated, Rated, Rated, Apart]);
    let swept = [pairing(0, 1, 9, 0, 0), pairing(1, 2, 9, 0, 0), pairing(0, 2, 9, 0, 0)];
    assert!(rate(3, &swept).iter().all(|r| r.standing == Apart && r.elo.is_none()));
    assert!(rate(0, &[]).is_empty());
}
