//! What the games of finalists come to: scores with intervals, and paired tests over blocks.

use serde::{Deserialize, Serialize};

use super::{BLOCKS, Finalist};
use crate::evolve::comparison::SIGNIFICANCE;
use crate::evolve::measure::fitness::Measured;
use crate::evolve::plan::FinalistsPlan;
use crate::evolve::plan::{Combine, StagePlan};
use crate::evolve::remeasure::{share, sum, worst_opponent};
use crate::stats::Tally;
use crate::stats::paired::{Estimate, Unit};
use crate::weights::Weights;

/// What measuring the finalists of a stage came to: `finalists.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Finalists {
    /// Plies that agents searched, as [`StagePlan::depth_in_words`] has it.
    pub depth: String,
    /// Where games started, but for opponents with openings of their own.
    pub openings: String,
    /// Whom they played, each once.
    pub opponents: Vec<String>,
    /// What the results against several opponents come to.
    pub combine: Combine,
    /// Rounds that were played.
    pub rounds: u32,
    /// The name of the winner: who scored most of those who came furthest.
    pub winner: String,
    /// Whether it is shown to lead every other one.
    pub shown: bool,
    /// The outcome in words.
    pub verdict: String,
    /// The best candidate of the stage against its mean; none where the two are the same vector.
    pub best_against_mean: Option<Lead>,
    /// The finalists, the winner first.
    pub rows: Vec<FinalistRow>,
}

/// A finalist's results.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FinalistRow {
    /// What it is.
    pub name: String,
    /// The generation that it is from, where it is from one.
    pub generation: Option<u64>,
    /// The fitness that was measured for it in the stage: no measure of its strength.
    pub fitness: Option<f64>,
    /// Rounds that it played.
    pub rounds: u32,
    /// Games.
    pub games: u64,
    /// Results against all opponents.
    #[serde(flatten)]
    pub tally: Tally,
    /// Different games, counted in each block.
    pub distinct_games: u64,
    /// Its share of points in these games, 0..=1, combined over opponents as the stage does it.
    pub score: f64,
    /// The lower end of the 95 % interval of the score.
    pub score_low: f64,
    /// The upper end.
    pub score_high: f64,
    /// Results against each opponent.
    pub by_opponent: Vec<Tally>,
    /// How far the winner leads, in the games that both played; none for the winner.
    pub behind: Option<Lead>,
    /// Its weights; none where none are evolved.
    pub weights: Vec<f64>,
    /// The numbers of the agent that are evolved, by key.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parameters: Vec<(String, f64)>,
}

/// How far one vector leads another in games that both played: a paired test over blocks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Lead {
    /// Who is said to lead.
    pub name: String,
    /// Whom.
    pub over: String,
    /// Games of each.
    pub games: u64,
    /// The difference of their scores.
    pub difference: f64,
    /// Its standard error.
    pub standard_error: f64,
    /// Two-sided: see [`Estimate::p_value`].
    pub p_value: f64,
    /// Whether the difference is shown: the p-value is below [`SIGNIFICANCE`], shared out among the rounds, since
    /// there is a look at the results after each.
    pub shown: bool,
}

impl Finalists {
    /// The winner's results.
    #[must_use]
    pub fn winning_row(&self) -> Option<&FinalistRow> {
        self.rows.first()
    }

    /// Writes down where the winner comes from and what it scored when it was measured again.
    pub(in crate::evolve) fn add_provenance(&self, weights: &mut Weights) {
        let Some(row) = self.winning_row() else { return };
        let whole = |number: u64| toml::Value::Integer(i64::try_from(number).unwrap_or(i64::MAX));
        let provenance = &mut weights.provenance;
        provenance.remove("generation");
        let mut put = |key: &str, value: toml::Value| provenance.insert(key.into(), value);
        put("finalist", row.name.clone().into());
        if let Some(generation) = row.generation {
            put("generation", whole(generation));
        }
        put("openings", self.openings.clone().into());
        put("seeds", "fresh".into());
        put("games", whole(row.games));
        put("wins", whole(row.tally.wins));
        put("draws", whole(row.tally.draws));
        put("losses", whole(row.tally.losses));
        put("distinct_games", whole(row.distinct_games));
        put("score", row.score.into());
        put("score_low", row.score_low.into());
        put("score_high", row.score_high.into());
        put("verdict", self.verdict.clone().into());
    }
}

/// The results of finalists, block by block.
pub(super) struct Results<'r> {
    stage: &'r StagePlan,
    plan: &'r FinalistsPlan,
    finalists: &'r [Finalist],
    /// Each finalist's blocks, in the order of play.
    pub(super) blocks: Vec<Vec<Measured>>,
}

impl<'r> Results<'r> {
    pub(super) fn new(
        stage: &'r StagePlan,
        plan: &'r FinalistsPlan,
        finalists: &'r [Finalist],
    ) -> Self {
        Self { stage, plan, finalists, blocks: vec![Vec::new(); finalists.len()] }
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
            shown: p_value < SIGNIFICANCE / f64::from(self.plan.rounds),
        })
    }

    fn row(&self, index: usize, winner: usize) -> FinalistRow {
        let Measured { tally, by_opponent, distinct_games } = self.sum(index);
        let units = self.units(index, usize::MAX);
        let (score_low, score_high) = Estimate::of(&units)
            .map_or((0.0, 1.0), |estimate| estimate.interval_of_share(tally.games()));
        let Finalist { name, generation, fitness, point } = self.finalists[index].clone();
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
            weights: point,
            parameters: Vec::new(),
        }
    }

    /// What the results of all finalists come to. Their vectors are still points of the optimiser.
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
        let fitness = self.stage.in_pairs(self.plan.games, &self.plan.openings).fitness;
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
            openings: self.plan.openings.to_string(),
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
