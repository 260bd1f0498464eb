//! The finalists of a stage: its best candidates, its means and its start vector, measured again.
//!
//! The lowest fitness measured is the lowest of many noisy numbers: the winner's curse. Finalists therefore play
//! games that nobody played before, all of them the same ones against the stage's opponents, in rounds of
//! successive halving: each round has twice the games of the one before, and the better half of the finalists goes on, until one is shown
//! to lead or the rounds are over (CITE: Karnin, Koren, Somekh, "Almost optimal exploration in
//! multi-armed bandits", ICML 2013). A round is played in blocks, which are the units of the paired test. Every
//! block's results are on disk before the next is played.

mod gather;
#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};

use super::RunError;
use super::comparison::SIGNIFICANCE;
use super::fitness::{Batch, Measured};
use super::log::{parse_by_opponent, text_of_by_opponent};
use super::noise::FinalistsPlan;
use super::plan::{Combine, FitnessPlan, OpponentPlan, Seeds, StagePlan, share_games};
use super::stage::{StageContext, StageResult, candidate};
use crate::arena::Schedule;
use crate::files::{FileError, GrowingCsv, write_atomically};
use crate::seed::{Purpose, mix, of_run};
use crate::stats::Tally;
use crate::stats::paired::{Estimate, Unit};
use crate::weights::Weights;

/// Blocks of a round: enough for a variance, few enough to keep threads busy.
pub const BLOCKS: u64 = 10;

/// A vector that may be a stage's winner.
#[derive(Clone, Debug, PartialEq)]
pub struct Finalist {
    /// What it is, as in `best-2`, `mean`, `mean-after-50`.
    pub name: String,
    /// The generation that it is from, where it is from one.
    pub generation: Option<u64>,
    /// The fitness that was measured for it in the stage, where one was.
    pub fitness: Option<f64>,
    /// The vector.
    pub weights: Vec<f64>,
}

/// What measuring the finalists of a stage came to: `finalists.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Finalists {
    /// Plies that agents searched, as [`StagePlan::depth_in_words`] has it.
    pub depth: String,
    /// Where games started.
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
    /// The vector.
    pub weights: Vec<f64>,
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
    pub(super) fn add_provenance(&self, weights: &mut Weights) {
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

/// A finalist's results, a block each.
type Blocks = Vec<Measured>;

/// Chooses the winner of a stage that has ended and writes `finalists.json`; a log that is there is gone on with.
pub(super) fn crown(
    context: &StageContext<'_>,
    plan: &FinalistsPlan,
    start: &[f64],
    result: &StageResult,
) -> Result<Finalists, RunError> {
    let finalists = gather::gather(context, plan, start, result)?;
    let found = measure(context, plan, &finalists)?;
    tracing::info!(stage = context.index + 1, verdict = found.verdict, "finalists");
    let path = context.folder.join("finalists.json");
    let mut text = serde_json::to_string_pretty(&found)
        .map_err(|error| FileError::writing(&path)(error.into()))?;
    text.push('\n');
    write_atomically(&path, text.as_bytes()).map_err(FileError::writing(&path))?;
    context.observer.finalists_finished(context.index, &found);
    Ok(found)
}

/// Measures finalists in rounds until one is shown to lead all others that are left.
fn measure(
    context: &StageContext<'_>,
    plan: &FinalistsPlan,
    finalists: &[Finalist],
) -> Result<Finalists, RunError> {
    let StageContext { folder, index, .. } = *context;
    let stage = &context.plan.stages[index];
    let (mut log, logged) = GrowingCsv::open(&folder.join("finalist-games.csv"), &header())?;
    let mut logged = logged.iter().enumerate();
    let mut results: Vec<Blocks> = vec![Vec::new(); finalists.len()];
    let mut left: Vec<usize> = (0..finalists.len()).collect();
    let mut rounds = 0;
    loop {
        let label = format!("finalists of stage {}, round {}", index + 1, rounds + 1);
        let games = (plan.games << rounds) * left.len() as u64;
        context.observer.match_started(&label, games);
        for block in 0..BLOCKS {
            let place = Place { round: rounds, block };
            let mut known = Vec::new();
            for &finalist in &left {
                let Some((number, row)) = logged.next() else { break };
                let found = place
                    .parse(row, &finalists[finalist].name, &block_stage(stage, plan, rounds))
                    .map_err(|reason| log.wrong_row(number, reason))?;
                known.push(found);
            }
            let played =
                play_block(context, plan, place, finalists, &left[known.len()..], &mut log)?;
            for (&finalist, measured) in left.iter().zip(known.into_iter().chain(played)) {
                results[finalist].push(measured);
            }
        }
        rounds += 1;
        let score = |finalist: usize| score(stage.fitness.combine, &results[finalist]);
        left.sort_by(|&a, &b| score(b).total_cmp(&score(a)));
        let leads = |&other: &usize| {
            lead(stage, plan, finalists, &results, [left[0], other]).is_some_and(|lead| lead.shown)
        };
        if left.len() < 2 || rounds == plan.rounds || left[1..].iter().all(leads) {
            break;
        }
        left.truncate(left.len().div_ceil(2).max(2));
    }
    if let Some((number, _)) = logged.next() {
        return Err(log.wrong_row(number, "the re-evaluation ended before this row").into());
    }
    Ok(table(stage, plan, finalists, &results, left[0], rounds))
}

/// The place of a block in the log.
#[derive(Clone, Copy)]
struct Place {
    round: u32,
    block: u64,
}

fn header() -> Vec<String> {
    "round,block,finalist,wins,draws,losses,distinct_games,by_opponent"
        .split(',')
        .map(String::from)
        .collect()
}

impl Place {
    fn fields(self, name: &str, measured: &Measured) -> Vec<String> {
        let Tally { wins, draws, losses } = measured.tally;
        let place = [u64::from(self.round) + 1, self.block + 1].map(|number| number.to_string());
        let results = [wins, draws, losses, measured.distinct_games].map(|count| count.to_string());
        place
            .into_iter()
            .chain([name.to_string()])
            .chain(results)
            .chain([text_of_by_opponent(&measured.by_opponent)])
            .collect()
    }

    /// The results of a row that must be of this place and finalist; else what is wrong.
    fn parse(
        self,
        row: &csv::StringRecord,
        name: &str,
        stage: &StagePlan,
    ) -> Result<Measured, String> {
        let Self { round, block } = self;
        let expected =
            format!("expected round {}, block {}, finalist {name}", round + 1, block + 1);
        let number = |column: usize| row.get(column).and_then(|field| field.parse::<u64>().ok());
        if (number(0), number(1), row.get(2))
            != (Some(u64::from(round) + 1), Some(block + 1), Some(name))
        {
            return Err(expected);
        }
        let read = || {
            let by_opponent = parse_by_opponent(row.get(7)?)?;
            let tally = Tally { wins: number(3)?, draws: number(4)?, losses: number(5)? };
            let measured = Measured { tally, by_opponent, distinct_games: number(6)? };
            fits(&measured, &stage.fitness).then_some(measured)
        };
        read().ok_or_else(|| {
            format!("{expected}, with {} games against its opponents", stage.fitness.games)
        })
    }
}

/// Whether results have the games of a fitness, all together and by opponent.
fn fits(measured: &Measured, fitness: &FitnessPlan) -> bool {
    let mut games = vec![0; measured.by_opponent.len()];
    for (opponent, number) in fitness.opponents.iter().zip(fitness.opponent_numbers()) {
        match games.get_mut(number) {
            Some(games) => *games += opponent.games,
            None => return false,
        }
    }
    let Measured { tally: Tally { wins, draws, losses }, by_opponent, .. } = measured;
    let sum = by_opponent.iter().fold(Tally::default(), |sum, tally| sum.plus(tally));
    sum == measured.tally
        && [wins, draws, losses].iter().all(|count| **count <= fitness.games)
        && by_opponent.iter().map(Tally::games).eq(games)
}

/// A stage whose fitness is a block of games of a round (from 0).
fn block_stage(stage: &StagePlan, plan: &FinalistsPlan, round: u32) -> StagePlan {
    let games = (plan.games << round) / BLOCKS;
    let shares: Vec<f64> =
        stage.fitness.opponents.iter().map(|opponent| opponent.games as f64).collect();
    let split = share_games(games, 2, &shares);
    let opponents = stage.fitness.opponents.iter().zip(split);
    let fitness = FitnessPlan {
        games,
        schedule: Schedule::Paired,
        openings: plan.openings.clone(),
        seeds: Seeds::Fresh,
        // Results are wanted by opponent, whatever they come to.
        combine: Combine::Worst,
        opponents: opponents
            .map(|(opponent, games)| OpponentPlan { games, ..opponent.clone() })
            .collect(),
        ..stage.fitness.clone()
    };
    StagePlan { fitness, ..stage.clone() }
}

/// Plays a block of games of some finalists and logs it, a row each.
fn play_block(
    context: &StageContext<'_>,
    settings: &FinalistsPlan,
    place: Place,
    finalists: &[Finalist],
    to_play: &[usize],
    log: &mut GrowingCsv,
) -> Result<Vec<Measured>, RunError> {
    let StageContext { plan, index, executor, observer, stop, .. } = *context;
    if to_play.is_empty() {
        return Ok(Vec::new());
    }
    let stage = block_stage(&plan.stages[index], settings, place.round);
    let candidates = to_play
        .iter()
        .map(|&finalist| candidate(plan, &finalists[finalist].weights))
        .collect::<Result<Vec<_>, _>>()?;
    let seed = of_run(plan.seed, Purpose::Finalists, index as u64, 0);
    let seed = mix(mix(seed, place.round.into()), place.block);
    let batch = Batch { stage: &stage, agent: &plan.agent, rules: &plan.rules, seed, candidates };
    let mut played = Vec::new();
    let mut sink = |number: usize, measured: &Measured| {
        log.append(&place.fields(&finalists[to_play[number]].name, measured))?;
        played.push(measured.clone());
        Ok(())
    };
    executor.evaluate(&batch, &mut sink, &|| observer.game_played(), stop)?;
    log.sync()?;
    Ok(played)
}

/// All results of blocks, and those by opponent.
fn sums(blocks: &[Measured]) -> (Tally, Vec<Tally>) {
    let mut all = Tally::default();
    let mut by_opponent = Vec::new();
    for block in blocks {
        all = all.plus(&block.tally);
        by_opponent.resize(block.by_opponent.len(), Tally::default());
        for (sum, tally) in by_opponent.iter_mut().zip(&block.by_opponent) {
            *sum = sum.plus(tally);
        }
    }
    (all, by_opponent)
}

/// The opponent against whom results are worst.
fn worst_opponent(by_opponent: &[Tally]) -> usize {
    let scores = by_opponent.iter().map(Tally::score).enumerate();
    scores.min_by(|a, b| a.1.total_cmp(&b.1)).map_or(0, |(opponent, _)| opponent)
}

/// The share of points of blocks, combined over opponents.
fn score(combine: Combine, blocks: &[Measured]) -> f64 {
    let (all, by_opponent) = sums(blocks);
    combined(combine, &all, &by_opponent, worst_opponent(&by_opponent))
}

fn combined(combine: Combine, all: &Tally, by_opponent: &[Tally], worst: usize) -> f64 {
    let worst = || by_opponent.get(worst).map_or(f64::NAN, Tally::score);
    match combine {
        Combine::Mean => all.score(),
        Combine::Worst => worst(),
        Combine::MeanAndWorst => f64::midpoint(all.score(), worst()),
    }
}

/// The scores of blocks, each with its games. The worst opponent is that of all blocks: by it the
/// combined score of all is, to first order, the mean of these.
fn units(combine: Combine, blocks: &[Measured]) -> Vec<Unit> {
    let worst = worst_opponent(&sums(blocks).1);
    let unit = |block: &Measured| {
        let score = combined(combine, &block.tally, &block.by_opponent, worst);
        (score, block.tally.games() as f64)
    };
    blocks.iter().map(unit).collect()
}

/// How far a finalist leads another in the blocks that both played.
fn lead(
    stage: &StagePlan,
    plan: &FinalistsPlan,
    finalists: &[Finalist],
    results: &[Blocks],
    [a, b]: [usize; 2],
) -> Option<Lead> {
    let common = results[a].len().min(results[b].len());
    let [of_a, of_b] =
        [a, b].map(|finalist| units(stage.fitness.combine, &results[finalist][..common]));
    let differences: Vec<Unit> =
        of_a.iter().zip(&of_b).map(|((a, games), (b, _))| (a - b, *games)).collect();
    let estimate = Estimate::of(&differences)?;
    let p_value = estimate.p_value();
    Some(Lead {
        name: finalists[a].name.clone(),
        over: finalists[b].name.clone(),
        games: results[a][..common].iter().map(|block| block.tally.games()).sum(),
        difference: estimate.mean,
        standard_error: estimate.standard_error,
        p_value,
        shown: p_value < SIGNIFICANCE / f64::from(plan.rounds),
    })
}

/// What the results of all finalists come to.
fn table(
    stage: &StagePlan,
    plan: &FinalistsPlan,
    finalists: &[Finalist],
    results: &[Blocks],
    winner: usize,
    rounds: u32,
) -> Finalists {
    let combine = stage.fitness.combine;
    let leads = |a: usize, b: usize| lead(stage, plan, finalists, results, [a, b]);
    let row = |index: usize| {
        let (tally, by_opponent) = sums(&results[index]);
        let score = score(combine, &results[index]);
        let (score_low, score_high) = Estimate::of(&units(combine, &results[index]))
            .map_or((0.0, 1.0), |estimate| estimate.interval_of_share(tally.games()));
        let Finalist { name, generation, fitness, weights } = finalists[index].clone();
        FinalistRow {
            name,
            generation,
            fitness,
            rounds: (results[index].len() as u64 / BLOCKS) as u32,
            games: tally.games(),
            tally,
            distinct_games: results[index].iter().map(|block| block.distinct_games).sum(),
            score,
            score_low,
            score_high,
            by_opponent,
            behind: if index == winner { None } else { leads(winner, index) },
            weights,
        }
    };
    let mut rows: Vec<FinalistRow> = (0..finalists.len()).map(row).collect();
    // The winner, then who came furthest, then who scored most.
    rows.sort_by(|a, b| {
        let is_other = |row: &FinalistRow| row.behind.is_some();
        (is_other(a).cmp(&is_other(b)))
            .then(b.rounds.cmp(&a.rounds))
            .then(b.score.total_cmp(&a.score))
    });
    let not_shown: Vec<&FinalistRow> =
        rows.iter().filter(|row| row.behind.as_ref().is_some_and(|lead| !lead.shown)).collect();
    let name = &finalists[winner].name;
    let verdict = match not_shown.as_slice() {
        [] if rows.len() < 2 => format!("{name} is the only finalist"),
        [] => format!("{name} is shown to lead the others"),
        rows => {
            let each = rows.iter().map(|row| {
                let p = row.behind.as_ref().map_or(1.0, |lead| lead.p_value);
                format!("{} (p = {p:.2})", row.name)
            });
            format!(
                "no difference shown between {name} and {}",
                each.collect::<Vec<_>>().join(", ")
            )
        }
    };
    let place = |name: &str| finalists.iter().position(|finalist| finalist.name == name);
    let mut opponents: Vec<String> = Vec::new();
    for (opponent, number) in stage.fitness.opponents.iter().zip(stage.fitness.opponent_numbers()) {
        if number == opponents.len() {
            opponents.push(opponent.agent.to_string());
        }
    }
    Finalists {
        depth: stage.depth_in_words(),
        openings: plan.openings.to_string(),
        opponents,
        combine,
        rounds,
        winner: name.clone(),
        shown: not_shown.is_empty(),
        verdict,
        best_against_mean: place("best")
            .zip(place("mean"))
            .and_then(|(best, mean)| leads(best, mean)),
        rows,
    }
}
