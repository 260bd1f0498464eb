//! The rows of a stage's journals: its generations, their candidates, further rounds of these, checks on held-out openings,
//! admission matches, and blocks of finalists.

use std::path::Path;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::measure::cells::{Cell, cell, fixed, real, reals, short, short_or_none};
use crate::measure::fitness::Measured;
use crate::measure::results::PlayedGame;
use crate::plan::FitnessPlan;
use tictune_core::files::rows_in;
use tictune_core::stats::{Evidence, Tally};

/// The names of columns that are there in every run, and then others.
pub(crate) fn header(fixed: &str, more: impl IntoIterator<Item = String>) -> Vec<String> {
    fixed.split(',').map(String::from).chain(more).collect()
}

/// A row of `generations.csv`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GenerationRow {
    /// The generation, from 1.
    pub generation: u64,
    /// Candidates measured in the stage so far.
    pub evaluations: u64,
    #[serde(serialize_with = "short")]
    pub best_fitness: f64,
    /// The candidate that has it, from 0; the earliest of several.
    pub best_index: u64,
    #[serde(serialize_with = "short")]
    pub median_fitness: f64,
    #[serde(serialize_with = "short")]
    pub worst_fitness: f64,
    /// The fitness of the mean of the distribution that the candidates were drawn from.
    #[serde(serialize_with = "short")]
    pub mean_vector_fitness: f64,
    /// The step size of that distribution.
    #[serde(serialize_with = "real")]
    pub sigma: f64,
    /// Its longest axis over its shortest.
    #[serde(serialize_with = "real")]
    pub axis_ratio: f64,
    /// Games of the candidates.
    pub games: u64,
    /// Different games of each candidate, summed.
    pub distinct_games: u64,
    /// The standard deviation of the candidates' fitness.
    #[serde(serialize_with = "real")]
    pub spread: f64,
    /// The standard error of one fitness: the root of the mean square of the candidates'.
    #[serde(serialize_with = "real")]
    pub standard_error: f64,
    /// Restarts of the optimiser before this generation.
    pub restart: u64,
    /// Wall time of playing, the mean vector's games included.
    #[serde(serialize_with = "fixed::<3, _>")]
    pub seconds: f64,
    /// Games a second, the mean vector's included, and those that were found in the cache.
    #[serde(serialize_with = "fixed::<1, _>")]
    pub games_per_second: f64,
    /// The mean of the distribution, in the plan's [columns](crate::Plan::columns).
    #[serde(serialize_with = "reals")]
    pub mean: Vec<f64>,
}

impl GenerationRow {
    #[doc(hidden)]
    pub fn header(columns: &[String]) -> Vec<String> {
        let fixed = "generation,evaluations,best_fitness,best_index,median_fitness,worst_fitness,\
                     mean_vector_fitness,sigma,axis_ratio,games,distinct_games,spread,standard_error,\
                     restart,seconds,games_per_second";
        header(fixed, columns.iter().map(|column| format!("mean_{column}")))
    }
}

/// A row of `evaluations.csv`.
#[derive(Clone, Debug, PartialEq)]
pub struct CandidateRow {
    /// The generation, from 1.
    pub generation: u64,
    /// The candidate in its generation, from 0.
    pub index: u64,
    pub fitness: f64,
    pub measured: Measured,
    /// Its values in the plan's [columns](crate::Plan::columns).
    pub values: Vec<f64>,
}

impl CandidateRow {
    /// Results by opponent are there where the cost depends on them.
    pub fn header(columns: &[String], fitness: &FitnessPlan) -> Vec<String> {
        let fixed = "generation,index,fitness,wins,draws,losses,distinct_games";
        let by_opponent = (!fitness.combine.is_mean()).then(|| "by_opponent".into());
        header(fixed, by_opponent.into_iter().chain(columns.iter().cloned()))
    }
}

impl Serialize for CandidateRow {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { generation, index, fitness, measured, values } = self;
        let Measured { tally, by_opponent, distinct_games, .. } = measured;
        let by_opponent = (!by_opponent.is_empty()).then(|| by_opponent.text());
        let values = values.iter().map(|value| format!("{value:?}"));
        let rest: Vec<String> = by_opponent.into_iter().chain(values).collect();
        let fitness = fitness.to_string();
        (generation, index, fitness, tally, distinct_games, rest).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for CandidateRow {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let (generation, index, fitness, (tally, distinct_games), rest) =
            <(_, _, _, (_, _), Vec<String>)>::deserialize(deserializer)?;
        // No number reads like results by opponent.
        let by_opponent: Option<Vec<Tally>> = rest.first().and_then(|text| Cell::read(text));
        let values = rest[usize::from(by_opponent.is_some())..].iter().map(|text| text.parse());
        let values = values.collect::<Result<_, _>>().map_err(serde::de::Error::custom)?;
        let by_opponent = by_opponent.unwrap_or_default();
        let measured = Measured { tally, by_opponent, distinct_games, games: Vec::new() };
        Ok(Self { generation, index, fitness, measured, values })
    }
}

/// A row of `rounds.csv`: further games of a candidate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RoundRow {
    pub generation: u64,
    pub round: u32,
    /// The candidate in its generation, from 0.
    pub index: u64,
    /// Its cost after this round, of all its games.
    #[serde(serialize_with = "short")]
    pub fitness: f64,
    pub measured: Measured,
}

impl RoundRow {
    pub(crate) const COLUMNS: &str =
        "generation,round,index,fitness,wins,draws,losses,distinct_games,by_opponent";
}

/// A row of `held-out.csv`: a check of the mean after a generation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HeldOutRow {
    pub generation: u64,
    pub measured: Measured,
    /// The share of points, combined over opponents. It follows from the results, and is not read.
    #[serde(serialize_with = "short", skip_deserializing)]
    pub score: f64,
    /// Whether it is better than the best check before. It follows from the rows, and is not read.
    #[serde(skip_deserializing)]
    pub better: bool,
}

impl HeldOutRow {
    pub(crate) const COLUMNS: &str =
        "generation,wins,draws,losses,distinct_games,by_opponent,score,better";
}

/// A row of `finalist-games.csv`: a finalist's games of a block.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BlockRow {
    pub round: u32,
    pub block: u64,
    pub finalist: String,
    /// Without the games one by one.
    pub measured: Measured,
    #[serde(with = "cell")]
    pub games: Vec<PlayedGame>,
}

impl BlockRow {
    pub(crate) const COLUMNS: &str =
        "round,block,finalist,wins,draws,losses,distinct_games,by_opponent,played";
}

/// Whether results have the games of a fitness, all together, by opponent and, where they are there, one by one; and no more
/// different games than games.
pub(crate) fn fits(measured: &Measured, fitness: &FitnessPlan) -> bool {
    let Measured { tally, by_opponent, distinct_games, games } = measured;
    let mut sums = vec![Tally::default(); by_opponent.len()];
    for game in games {
        let Some(sum) = sums.get_mut(game.opponent) else { return false };
        match game.points {
            2 => sum.wins += 1,
            1 => sum.draws += 1,
            _ => sum.losses += 1,
        }
    }
    let sum = by_opponent.iter().fold(Tally::default(), |sum, tally| sum.plus(tally));
    sum == *tally
        && (games.is_empty() || sums == *by_opponent)
        && *distinct_games <= tally.games()
        && by_opponent.iter().map(Tally::games).eq(fitness.games_by_opponent())
}

/// An admission match: a row of `hall.csv`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Admission {
    /// The generation that it follows, from 1.
    pub generation: u64,
    /// Members of the hall that it was played against, beside the pool.
    pub members: u64,
    pub games: u64,
    /// Results from the mean's view.
    pub tally: Tally,
    pub distinct_games: u64,
    /// What of them is evidence.
    #[serde(with = "cell")]
    pub evidence: Evidence,
    #[serde(serialize_with = "short")]
    pub score: f64,
    /// The [p-value](Evidence::p).
    #[serde(serialize_with = "short_or_none")]
    pub p: Option<f64>,
    pub entered: bool,
    /// The member that left for it.
    pub left: Option<String>,
    /// The mean, in the plan's [columns](crate::Plan::columns).
    #[serde(serialize_with = "reals")]
    pub values: Vec<f64>,
}

impl Admission {
    /// The name of the journal in the folder of a stage.
    #[doc(hidden)]
    pub const FILE: &'static str = "hall.csv";

    #[doc(hidden)]
    pub fn header(columns: &[String]) -> Vec<String> {
        let fixed = "generation,members,games,wins,draws,losses,distinct_games,distinct,score,p,entered,left";
        header(fixed, columns.iter().cloned())
    }
}

/// The admission matches in the journal of a stage's folder, for those who report; none without a journal. A torn last
/// line is left out.
pub fn admissions(folder: &Path) -> Vec<Admission> {
    let text = std::fs::read(folder.join(Admission::FILE)).unwrap_or_default();
    let whole = |row: Option<Admission>| row.filter(|row| row.games == row.tally.games());
    rows_in(&text).into_iter().map_while(whole).collect()
}
