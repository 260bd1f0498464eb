//! How much a run has won so far: its mean against its start, by the games that they play in each generation.

use std::fmt;

use serde::Serialize;

use super::elo;
use crate::evolve::GenerationRow;
use crate::stats::{Elo, Evidence, Tally};

/// The mean of a stage ahead of the start of its run, in Elo, with the 95 % interval. It is what the later half of the generations so far scored,
/// so that it is a little late: the mean of now is as good or better.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct Lead {
    /// The games of which it is known.
    pub games: u64,
    score: f64,
    /// Null if it is infinite, as are the ends of its interval.
    pub elo: Option<f64>,
    elo_low: Option<f64>,
    elo_high: Option<f64>,
}

impl Lead {
    /// With fewer generations, too little has changed.
    const LEAST: usize = 4;

    /// What the generations of a stage say, from its first on. `None` where there are few, or where mean and start do not play each other.
    pub(crate) fn of(rows: &[GenerationRow]) -> Option<Self> {
        let later = &rows[rows.len() / 2..];
        let all = later.iter().fold(Tally::default(), |all, row| all.plus(&row.of_start));
        let evidence = Evidence::Games([all.losses, all.draws, all.wins]);
        let Elo { elo, low, high } = evidence.elo();
        let known = rows.len() >= Self::LEAST && all.games() > 0;
        known.then(|| Self {
            games: all.games(),
            score: evidence.score(),
            elo,
            elo_low: low,
            elo_high: high,
        })
    }

    /// It and the ends of its interval, where all three are finite.
    pub(crate) fn with_interval(&self) -> Option<[f64; 3]> {
        Some([self.elo?, self.elo_low?, self.elo_high?])
    }
}

/// In words, as of the mean: "ahead of the start by +41 (+12 to +70) Elo in 148 games".
impl fmt::Display for Lead {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { games, score, elo: lead, elo_low, elo_high } = *self;
        let words = match (elo_low, elo_high) {
            (Some(low), _) if low > 0.0 => "ahead of the start by",
            (_, Some(high)) if high < 0.0 => "behind the start by",
            _ => "not shown ahead of the start:",
        };
        write!(f, "{words} {} Elo in {games} games", elo(lead, score, elo_low, elo_high))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(results: &[[u64; 3]]) -> Vec<GenerationRow> {
        let row = |&[wins, draws, losses]: &[u64; 3]| GenerationRow {
            of_start: Tally { wins, draws, losses },
            ..GenerationRow::default()
        };
        results.iter().map(row).collect()
    }

    #[test]
    fn it_is_what_the_later_half_scored() {
        let lead = Lead::of(&rows(&[[0, 0, 99], [0, 0, 99], [60, 0, 40], [80, 40, 20]])).unwrap();
        let [elo, low, high] = lead.with_interval().unwrap();
        assert!((elo - 400.0 * (160.0_f64 / 80.0).log10()).abs() < 1e-9, "{elo}");
        assert!((75.0..90.0).contains(&low) && (150.0..175.0).contains(&high), "{low} {high}");
        assert_eq!(
            lead.to_string(),
            format!("ahead of the start by +120 ({low:+.0} to {high:+.0}) Elo in 240 games")
        );
        for (result, words) in [
            ([1, 0, 60], "behind the start by"),
            ([5, 2, 4], "not shown ahead of the start:"),
            ([60, 0, 0], "ahead of the start by +inf"),
        ] {
            let lead = Lead::of(&rows(&[result; 4])).unwrap();
            assert!(lead.to_string().starts_with(words), "{lead}");
        }
        assert!(
            Lead::of(&rows(&[[1, 0, 1]; 3])).is_none() && Lead::of(&rows(&[[0; 3]; 9])).is_none()
        );
    }
}
