//! The results of finalists: scores with intervals, and paired tests over blocks.

use super::{Finalist, Rounds};
use crate::journal::{FinalistRow, Finalists, Lead};
use crate::measure::fitness::Measured;
use crate::measure::results::{PlayedPair, pairs_in_blocks};
use crate::measure::results::{share, sum, worst_opponent};
use crate::plan::{BLOCKS, StagePlan, Vector};
use tictune_core::stats::paired::{Estimate, Unit, p_of_signs};
use tictune_core::stats::{Evidence, SIGNIFICANCE, Tally};

pub(super) const ALL: usize = usize::MAX;

pub(super) struct Scores<'r> {
    stage: &'r StagePlan,
    settings: &'r Rounds<'r>,
    finalists: &'r [Finalist],
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

    fn sum(&self, finalist: usize, blocks: usize) -> Measured {
        let blocks = self.blocks[finalist].iter().take(blocks);
        blocks.fold(Measured::default(), |all, block| sum(&all, block))
    }

    /// A finalist's share of points in its first blocks, combined over opponents.
    pub(super) fn score(&self, finalist: usize, blocks: usize) -> f64 {
        let all = self.sum(finalist, blocks);
        share(self.stage.fitness.combine, &all, worst_opponent(&all.by_opponent))
    }

    fn pairs(&self, finalist: usize) -> (Vec<Vec<PlayedPair>>, u64) {
        let blocks = self.blocks[finalist].iter().map(|block| &block.games[..]);
        pairs_in_blocks(blocks, BLOCKS as usize)
    }

    /// The scores of a finalist's first blocks by the pairs that are evidence, each with its games. The worst opponent is
    /// that of all its blocks: by it the combined score of all is, to first order, the mean of these.
    fn units(&self, finalist: usize, count: usize) -> Vec<Unit> {
        let worst = worst_opponent(&self.sum(finalist, ALL).by_opponent);
        let unit = |(block, pairs): (&Measured, Vec<PlayedPair>)| {
            let mut new = Measured {
                by_opponent: vec![Tally::default(); block.by_opponent.len()],
                ..Measured::default()
            };
            for pair in pairs.iter().filter(|pair| pair.is_new) {
                // Two games of so many points: what is won and what is drawn makes no difference to a score.
                let (wins, draws) = (pair.points / 2, pair.points % 2);
                let tally = Tally { wins, draws, losses: 2 - wins - draws };
                new.tally = new.tally.plus(&tally);
                new.by_opponent[pair.opponent] = new.by_opponent[pair.opponent].plus(&tally);
            }
            (share(self.stage.fitness.combine, &new, worst), new.tally.games() as f64)
        };
        self.blocks[finalist].iter().zip(self.pairs(finalist).0).take(count).map(unit).collect()
    }

    /// How far a finalist leads another in the blocks that both played.
    pub(super) fn lead(&self, a: usize, b: usize) -> Lead {
        let common = self.blocks[a].len().min(self.blocks[b].len());
        let units = self.units(a, common).into_iter().zip(self.units(b, common));
        let differences: Vec<Unit> = units
            .map(|((of_a, games), (of_b, others))| (of_a - of_b, games.min(others)))
            .filter(|(difference, _)| difference.is_finite())
            .collect();
        let estimate = Estimate::of(&differences);
        let (difference, standard_error) =
            estimate.map_or((0.0, 0.0), |estimate| (estimate.mean, estimate.standard_error));
        let agree = difference * (self.score(a, common) - self.score(b, common)) >= 0.0;
        let p_value = if agree { p_of_signs(&differences) } else { 1.0 };
        Lead {
            name: self.finalists[a].name.clone(),
            over: self.finalists[b].name.clone(),
            games: differences.iter().map(|(_, games)| *games as u64).sum(),
            difference,
            standard_error,
            p_value,
            shown: p_value < SIGNIFICANCE / f64::from(self.settings.rounds),
        }
    }

    /// The 95 % interval of a finalist's score, by the pairs that are evidence.
    fn interval(&self, finalist: usize) -> (f64, f64) {
        if !self.stage.fitness.combine.is_mean() {
            let units = self.units(finalist, ALL);
            let units: Vec<Unit> = units.into_iter().filter(|(_, games)| *games > 0.0).collect();
            let games = units.iter().map(|(_, games)| *games as u64).sum();
            return Estimate::of(&units)
                .map_or((0.0, 1.0), |estimate| estimate.interval_of_share(games));
        }
        let mut counts = [0; 5];
        let pairs = self.pairs(finalist).0.into_iter().flatten();
        pairs.filter(|pair| pair.is_new).for_each(|pair| counts[pair.points as usize] += 1);
        Evidence::Pairs(counts).interval()
    }

    fn row(&self, index: usize, winner: usize) -> FinalistRow {
        let Measured { tally, by_opponent, .. } = self.sum(index, ALL);
        let (score_low, score_high) = self.interval(index);
        let Finalist { name, generation, fitness, candidate } = self.finalists[index].clone();
        let Vector { weights, parameters, .. } = candidate.values;
        FinalistRow {
            name,
            generation,
            fitness,
            rounds: (self.blocks[index].len() as u64 / BLOCKS) as u32,
            games: tally.games(),
            tally,
            distinct_games: self.pairs(index).1,
            score: self.score(index, ALL),
            score_low,
            score_high,
            by_opponent,
            behind: (index != winner).then(|| self.lead(winner, index)),
            weights: weights.map_or_else(Vec::new, |weights| weights.values().to_vec()),
            parameters,
        }
    }

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
                .map(|(best, mean)| self.lead(best, mean)),
            rows,
        }
    }
}
