//! How much a run has won so far: its mean against its start, by the games that they play in each generation.

use std::fmt;

use serde::Serialize;

use super::elo;
use crate::evolve::plan::Seeds;
use crate::evolve::{GenerationRow, StagePlan};
use crate::stats::{Elo, Evidence, Tally};

/// The mean of a stage ahead of the start of its run, in Elo, with the 95 % interval. It is what the means of the later half of the generations
/// so far scored, so that it is a little late.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct Lead {
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

    /// What the generations of a stage say, from its first on: the games of each mean against the start. `None` where there are few, where mean
    /// and start do not play each other, and where all generations play the same games, which are no evidence twice.
    pub(crate) fn of(stage: &StagePlan, generations: &[GenerationRow]) -> Option<Self> {
        let later = &generations[generations.len() / 2..];
        let all = later.iter().fold(Tally::default(), |all, row| all.plus(&row.against_start));
        if generations.len() < Self::LEAST
            || all.games() == 0
            || stage.fitness.seeds == Seeds::Fixed
        {
            return None;
        }
        let evidence = Evidence::Games([all.losses, all.draws, all.wins]);
        let (Elo { elo, low, high }, score) = (evidence.elo(), evidence.score());
        Some(Self { games: all.games(), score, elo, elo_low: low, elo_high: high })
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
        // No number says how far.
        if lead.is_none() {
            let place = if score > 0.5 { "ahead of" } else { "behind" };
            return write!(f, "{place} the start in all {games} games");
        }
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
    use crate::built_in;
    use crate::config::{Overrides, parse};

    fn of(seeds: &str, results: &[[u64; 3]]) -> Option<Lead> {
        let text = format!(
            "evaluation = \"simple\"\nbudget = {{ games = 500 }}\nfitness = {{ seeds = \"{seeds}\" }}\n[[stages]]\ndepth = 1\n"
        );
        let path = std::path::Path::new("c.toml");
        let plan = parse(&text, path, Overrides::default(), &built_in()).unwrap();
        let row = |&[wins, draws, losses]: &[u64; 3]| {
            let against_start = Tally { wins, draws, losses };
            GenerationRow { against_start, ..GenerationRow::default() }
        };
        Lead::of(&plan.stages[0], &results.iter().map(row).collect::<Vec<_>>())
    }

    #[test]
    fn it_is_what_the_later_half_scored() {
        let results = [[0, 0, 99], [0, 0, 99], [60, 0, 40], [80, 40, 20]];
        assert_eq!(of("fixed", &results), None);
        let lead = of("fresh", &results).unwrap();
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
            ([60, 0, 0], "ahead of the start in all 120 games"),
        ] {
            let lead = of("fresh", &[result; 4]).unwrap();
            assert!(lead.to_string().starts_with(words), "{lead}");
        }
        assert!(of("fresh", &[[1, 0, 1]; 3]).is_none() && of("fresh", &[[0; 3]; 9]).is_none());
    }
}
