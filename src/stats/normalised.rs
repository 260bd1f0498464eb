//! Normalised Elo (nElo), as match runners of chess engines print it beside Elo.
//!
//! Elo depends on the share of draws and on how uneven the openings are: the same lead counts less where most games are
//! drawn. Normalised Elo is the lead in standard deviations of a game's score, so that it says how many games show a
//! lead, whatever the openings.
//!
//! CITE: Van den Bergh, "Normalized Elo" (cantate.be/Fishtest/normalized_elo_practical.pdf), as fastchess computes it from
//! pairs.

use super::{Elo, Tally, Z95};

/// The normalised Elo difference of a match with its 95 % interval; `pairs` as in [`elo`](super::elo). `None` where all
/// games, or all pairs, ended alike: there is no deviation to count in.
#[must_use]
pub fn normalised_elo(tally: &Tally, pairs: Option<&[u64; 5]>) -> Elo {
    let units: Vec<(f64, u64)> = match pairs {
        Some(pairs) => {
            pairs.iter().zip(0..).map(|(&count, points)| (f64::from(points) / 4.0, count)).collect()
        }
        None => vec![(0.0, tally.losses), (0.5, tally.draws), (1.0, tally.wins)],
    };
    let count = units.iter().map(|(_, count)| count).sum::<u64>() as f64;
    let sum = |of: &dyn Fn(f64) -> f64| {
        units.iter().map(|(score, count)| of(*score) * *count as f64).sum::<f64>() / count
    };
    let score = sum(&|score| score);
    let variance = sum(&|value| (value - score).powi(2));
    // The deviation of a single game: the score of a pair is the mean of two.
    let deviation = (variance * if pairs.is_some() { 2.0 } else { 1.0 }).sqrt();
    let at = |score: f64| {
        (deviation > 0.0).then(|| (score - 0.5) / deviation * 800.0 / std::f64::consts::LN_10)
    };
    let half = Z95 * (variance / count).sqrt();
    Elo { elo: at(score), low: at(score - half), high: at(score + half) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hand_computed_values() {
        let tally = Tally { wins: 60, draws: 0, losses: 40 };
        // Deviation sqrt(0.6 x 0.4) = 0.4899; 0.1 / 0.4899 x 347.4356.
        let single = normalised_elo(&tally, None);
        assert!((single.elo.unwrap() - 70.920).abs() < 1e-3, "{single:?}");
        let half = 1.959_964 * (0.24_f64 / 100.0).sqrt() / 0.24_f64.sqrt() * 347.435_6;
        assert!((single.high.unwrap() - single.elo.unwrap() - half).abs() < 1e-3, "{single:?}");
        // Pairs 0, 1 and 2 points: the variance of a pair's mean is 0.1 x 0.36 + 0.6 x 0.01 + 0.3 x 0.16 = 0.09.
        let pairs = normalised_elo(&tally, Some(&[5, 0, 30, 0, 15]));
        assert!((pairs.elo.unwrap() - 0.1 / 0.18_f64.sqrt() * 347.435_6).abs() < 1e-3, "{pairs:?}");
        let reversed = normalised_elo(&tally.reversed(), Some(&[15, 0, 30, 0, 5]));
        assert!((reversed.elo.unwrap() + pairs.elo.unwrap()).abs() < 1e-9);
    }

    #[test]
    fn without_a_deviation_there_is_none() {
        for (tally, pairs) in [
            (Tally { wins: 10, draws: 0, losses: 0 }, None),
            (Tally { wins: 5, draws: 0, losses: 5 }, Some([0, 0, 5, 0, 0])),
            (Tally::default(), None),
        ] {
            let found = normalised_elo(&tally, pairs.as_ref());
            assert_eq!((found.elo, found.low, found.high), (None, None, None));
        }
    }
}
