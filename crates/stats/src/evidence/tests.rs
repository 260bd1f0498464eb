use proptest::prelude::*;

use super::*;
use crate::tests::close;

fn pairs(counts: [u64; 5]) -> Evidence {
    Evidence::Pairs(counts)
}

/// The rows of a table of what fastchess 1.8.2 computes from counts of pairs: those, then Elo, its error, normalised Elo, its
/// error, and the likelihood of superiority in percent.
pub(crate) fn fastchess() -> Vec<([u64; 5], Vec<f64>)> {
    let text = include_str!("../../../../tests/data/fastchess.csv");
    let row = |line: &str| {
        let cells: Vec<f64> = line.split(',').map(|cell| cell.parse().unwrap()).collect();
        let counts = [0, 1, 2, 3, 4].map(|place| cells[place] as u64);
        (counts, cells[5..].to_vec())
    };
    text.lines().skip(1).map(row).collect()
}

#[test]
fn figures_are_those_of_fastchess_to_the_last_digit() {
    let rows = fastchess();
    assert_eq!(rows.len(), 12);
    for (counts, expected) in rows {
        let evidence = pairs(counts);
        let [elo_error, nelo_error] = evidence.normal_errors().map(Option::unwrap);
        let (elo, nelo) = (evidence.elo().elo.unwrap(), evidence.normalised_elo().elo.unwrap());
        let found = [elo, elo_error, nelo, nelo_error, 100.0 * evidence.los()];
        for (found, expected) in found.iter().zip(expected) {
            assert_eq!(format!("{found:.2}"), format!("{expected:.2}"), "{counts:?}: {found}");
        }
    }
}

#[test]
fn known_answers_of_p() {
    // The smallest sweep that shows a difference is of six; 60 of 100 tosses: P(X >= 60) = 0.028444.
    for (evidence, expected) in [
        (pairs([0, 0, 40, 0, 5]), 0.0625),
        (pairs([6, 0, 40, 0, 0]), 0.03125),
        (Evidence::Games([6, 9, 0]), 0.03125),
        (pairs([0, 0, 7, 0, 0]), 1.0),
        (Evidence::Games([40, 7, 60]), 0.056_888),
        (pairs([0, 40, 9, 60, 0]), 0.056_888),
        (pairs([40, 0, 9, 0, 60]), 0.056_888),
    ] {
        close(evidence.p().unwrap(), expected, 5e-7);
    }
}

#[test]
fn without_evidence_nothing_is_known() {
    for evidence in [pairs([0; 5]), Evidence::Games([0; 3])] {
        assert_eq!(evidence.interval(), (0.0, 1.0));
        assert_eq!((evidence.los(), evidence.p()), (0.5, None));
        assert_eq!(evidence.elo(), Elo { elo: None, low: None, high: None });
    }
}

#[test]
fn sweeps_are_open_at_one_end_and_never_certain() {
    for evidence in [pairs([0, 0, 0, 0, 50]), Evidence::Games([0, 0, 100])] {
        let Elo { elo, low, high } = evidence.elo();
        assert_eq!((elo, high), (None, None));
        assert!((300.0..1000.0).contains(&low.unwrap()), "{low:?}");
        assert!(evidence.los() > 0.999_999);
    }
    assert_eq!(pairs([0, 0, 0, 0, 1]).los(), 0.5, "one pair says nothing");
    let level = pairs([0, 0, 50, 0, 0]).elo();
    assert_eq!(level.elo, Some(0.0));
    assert!(level.low.unwrap() < -5.0, "an interval without variance is not a point");
    assert_eq!(pairs([0, 0, 50, 0, 0]).normalised_elo().elo, None);
}

#[test]
fn where_all_games_and_the_evidence_point_to_different_sides_there_is_no_p() {
    // One pair was lost and repeated; the others were won.
    let (tally, pairs) = (crate::Tally { wins: 20, draws: 0, losses: 60 }, pairs([1, 0, 0, 0, 10]));
    assert_eq!(crate::MatchStatistics::of(&tally, &pairs).p, None);
    assert!(crate::MatchStatistics::of(&tally.reversed(), &pairs).p.unwrap() < 0.05);
}

/// All ways in which the coins may fall, one by one.
fn twin(ones: u32, twos: u32, sum: i64) -> f64 {
    let all = 1_u64 << (ones + twos);
    let extreme = (0..all).filter(|coins| {
        let steps = |toss: u32| if toss < ones { 1 } else { 2 };
        let signed = |toss: u32| if coins >> toss & 1 == 1 { steps(toss) } else { -steps(toss) };
        (0..ones + twos).map(signed).sum::<i64>().abs() >= sum
    });
    extreme.count() as f64 / all as f64
}

#[test]
fn chances_are_those_of_all_ways_in_which_the_coins_fall() {
    for (ones, twos) in [(0, 0), (1, 0), (0, 1), (5, 0), (0, 6), (4, 5), (7, 3), (1, 9)] {
        for sum in 0..=i64::from(ones + 2 * twos) {
            let chance = chance_of_points([ones.into(), twos.into()], sum as f64);
            let expected = twin(ones, twos, sum);
            assert!((chance - expected).abs() < 1e-12, "{ones} {twos} {sum}: {chance}, {expected}");
        }
    }
}

#[test]
fn many_units_come_near_the_normal_distribution() {
    // Two standard deviations; the sums are two apart, so that half of a step of two is added.
    for (ones, twos) in [(10_000, 5_000), (1_000_000, 0), (2_000, 2_000_000)] {
        let deviation = (ones as f64 + 4.0 * twos as f64).sqrt();
        let sum = (deviation).ceil() * 2.0;
        let expected = 2.0 * Normal::standard().sf((sum - 1.0) / deviation);
        let chance = chance_of_points([ones, twos], sum);
        assert!((chance / expected - 1.0).abs() < 1e-3, "{chance}, {expected}");
    }
    assert_eq!(chance_of_points([0, 5_000], 10_000.0), 0.0, "too small for a float");
}

proptest! {
    #[test]
    fn an_interval_excludes_one_half_if_and_only_if_p_is_small(
        small in prop::array::uniform5(0_u64..12), large in prop::array::uniform5(0_u64..3000)
    ) {
        for counts in [small, large] {
            let [lost, _, drawn, _, won] = counts;
            for evidence in [pairs(counts), Evidence::Games([lost, drawn, won])] {
                let Some(p) = evidence.p() else { continue };
                let (low, high) = evidence.interval();
                prop_assert!(0.0 <= low && low <= high && high <= 1.0, "{low} {high}");
                prop_assert_eq!(low <= 0.5 && 0.5 <= high, p >= SIGNIFICANCE, "{:?} {} {} {}", evidence, p, low, high);
                prop_assert!(low <= evidence.score() + 1e-12 && evidence.score() <= high + 1e-12);
            }
        }
    }

    #[test]
    fn the_other_side_sees_the_mirror_image(counts in prop::array::uniform5(0_u64..200)) {
        prop_assume!(counts.iter().sum::<u64>() > 0);
        let mut reversed = counts;
        reversed.reverse();
        let (a, b) = (pairs(counts), pairs(reversed));
        prop_assert!((a.p().unwrap() - b.p().unwrap()).abs() < 1e-12);
        prop_assert!((a.los() + b.los() - 1.0).abs() < 1e-9);
        let ((low, _), (_, high)) = (a.interval(), b.interval());
        prop_assert!((low + high - 1.0).abs() < 1e-9);
    }
}
