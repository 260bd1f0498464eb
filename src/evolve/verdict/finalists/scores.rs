//! The results of finalists: scores with intervals, and paired tests over blocks.

use super::finalist::Finalist;
use super::settings::Rounds;
use crate::evolve::journal::{FinalistRow, Finalists, Lead};
use crate::evolve::measure::fitness::Measured;
use crate::evolve::measure::results::{share, sum, worst_opponent};
use crate::evolve::plan::{BLOCKS, SIGNIFICANCE, StagePlan, Vector};
use crate::stats::Tally;
use crate::stats::paired::{Estimate, Unit};

/// The results of finalists, block by block.
pub(super) struct Scores<'r> {
    stage: &'r StagePlan,
    settings: &'r Rounds<'r>,
    finalists: &'r [Finalist],
    /// Each finalist's blocks, in the order of play.
    pub(super) blocks: Vec<Vec<Measured>>,
}

impl<'r> Scores<'r> {
    pub(super) fn new(
        stage: &'r StagePlan,
        settings: &'r Rounds<'r>,
        finalists: &'r [Finalist],
    ) -> Self {
        Self { stage, settings, finalists, blocks: vec![Vec::new(); finalists.len()] }
    }

    fn sum(&self, finalist: usize) -> Measured {
        let none = Measured { tally: Tally::default(), by_opponent: Vec::new(), distinct_games: 0 };
        self.blocks[finalist].iter().fold(none, |all, block| sum(&all, block))
    }

    /// A finalist's share of points, combined over opponents.
    pub(super) fn score(&self, finalist: usize) -> f64 {
        let all = self.sum(finalist);
        share(self.stage.fitness.combine, &all, worst_opponent(&all.by_opponent))
    }

    /// The scores of a finalist's first blocks, each with its games. The worst opponent is that of all its blocks: by
    /// it the combined score of all is, to first order, the mean of these.
    fn units(&self, finalist: usize, count: usize) -> Vec<Unit> {
        let worst = worst_opponent(&self.sum(finalist).by_opponent);
        let unit = |block: &Measured| {
            (share(self.stage.fitness.combine, block, worst), block.tally.games() as f64)
        };
        self.blocks[finalist].iter().take(count).map(unit).collect()
    }

    /// How far a finalist leads another in the blocks that both played.
    pub(super) fn lead(&self, a: usize, b: usize) -> Option<Lead> {
        let common = self.blocks[a].len().min(self.blocks[b].len());
        let (of_a, of_b) = (self.units(a, common), self.units(b, common));
        let differences: Vec<Unit> =
            of_a.iter().zip(&of_b).map(|((a, games), (b, _))| (a - b, *games)).collect();
        let estimate = Estimate::of(&differences)?;
        let p_value = estimate.p_value();
        Some(Lead {
            name: self.finalists[a].name.clone(),
            over: self.finalists[b].name.clone(),
            games: of_a.iter().map(|(_, games)| *games as u64).sum(),
            difference: estimate.mean,
            standard_error: estimate.standard_error,
            p_value,
            shown: p_value < SIGNIFICANCE / f64::from(self.settings.rounds),
        })
    }

    fn row(&self, index: usize, winner: usize) -> FinalistRow {
        let Measured { tally, by_opponent, distinct_games } = self.sum(index);
        let units = self.units(index, usize::MAX);
        let (score_low, score_high) = Estimate::of(&units)
            .map_or((0.0, 1.0), |estimate| estimate.interval_of_share(tally.games()));
        let Finalist { name, generation, fitness, candidate } = self.finalists[index].clone();
        let Vector { weights, parameters, .. } = candidate.values;
        FinalistRow {
            name,
            generation,
            fitness,
            rounds: (units.len() as u64 / BLOCKS) as u32,
            games: tally.games(),
            tally,
            distinct_games,
            score: self.score(index),
            score_low,
            score_high,
            by_opponent,
            behind: if index == winner { None } else { self.lead(winner, index) },
            weights: weights.map_or_else(Vec::new, |weights| weights.values().to_vec()),
            parameters,
        }
    }

    /// The table of all finalists, and its verdict.
    pub(super) fn table(&self, winner: usize, rounds: u32) -> Finalists {
        let mut rows: Vec<FinalistRow> =
            (0..self.finalists.len()).map(|index| self.row(index, winner)).collect();
        // The winner, then who came furthest, then who scored most.
        rows.sort_by(|a, b| {
            (a.behind.is_some().cmp(&b.behind.is_some()))
                .then(b.rounds.cmp(&a.rounds))
                .then(b.score.total_cmp(&a.score))
        });
        let not_shown = |row: &&FinalistRow| row.behind.as_ref().is_some_and(|lead| !lead.shown);
        let equals: Vec<String> = (rows.iter().filter(not_shown))
            .map(|row| {
                let p = row.behind.as_ref().map_or(1.0, |lead| lead.p_value);
                format!("{} (p = {p:.2})", row.name)
            })
            .collect();
        let name = &self.finalists[winner].name;
        let verdict = match equals.as_slice() {
            [] if rows.len() < 2 => format!("{name} is the only finalist"),
            [] => format!("{name} is shown to lead the others"),
            _ => format!("no difference shown between {name} and {}", equals.join(", ")),
        };
        let fitness = self.stage.in_pairs(self.settings.games, self.settings.openings).fitness;
        let mut opponents: Vec<String> = Vec::new();
        for (opponent, number) in fitness.opponents.iter().zip(fitness.opponent_numbers()) {
            if number == opponents.len() {
                opponents.push(match &opponent.openings {
                    None => opponent.agent.to_string(),
                    Some(openings) => format!("{} from {openings}", opponent.agent),
                });
            }
        }
        let place = |name: &str| self.finalists.iter().position(|known| known.name == name);
        Finalists {
            depth: self.stage.depth_in_words(),
            openings: self.settings.openings.to_string(),
            opponents,
            combine: self.stage.fitness.combine,
            rounds,
            winner: name.clone(),
            shown: equals.is_empty(),
            verdict,
            best_against_mean: place("best")
                .zip(place("mean"))
                .and_then(|(best, mean)| self.lead(best, mean)),
            rows,
        }
    }
}
