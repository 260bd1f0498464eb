//! The rows of what vectors scored: candidates, further rounds of them, checks on held-out openings, blocks of finalists.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::cells::{Cell, cell, short};
use crate::measure::fitness::Measured;
use crate::measure::games::PlayedGame;
use crate::plan::FitnessPlan;
use tictune_core::stats::Tally;

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
        let fixed = ["generation", "index", "fitness", "wins", "draws", "losses", "distinct_games"];
        let by_opponent = (!fitness.combine.is_mean()).then_some("by_opponent");
        let fixed = fixed.into_iter().chain(by_opponent).map(String::from);
        fixed.chain(columns.iter().cloned()).collect()
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
        let (generation, index, fitness, tally, distinct_games, rest): (
            _,
            _,
            _,
            _,
            _,
            Vec<String>,
        ) = Deserialize::deserialize(deserializer)?;
        // No number reads like results by opponent.
        let by_opponent: Option<Vec<Tally>> = rest.first().and_then(|text| Cell::read(text));
        let values = rest[usize::from(by_opponent.is_some())..].iter().map(|text| text.parse());
        let values = values.collect::<Result<_, _>>().map_err(serde::de::Error::custom)?;
        let by_opponent = by_opponent.unwrap_or_default();
        let measured = Measured { tally, by_opponent, distinct_games, games: Vec::new() };
        Ok(Self { generation, index, fitness, measured, values })
    }
}

/// The columns of [`Results`].
const RESULTS: [&str; 5] = ["wins", "draws", "losses", "distinct_games", "by_opponent"];

fn header(before: &[&str], after: &[&str]) -> Vec<String> {
    [before, &RESULTS, after].concat().into_iter().map(String::from).collect()
}

/// [`Measured`] in the rows below.
#[derive(Serialize, Deserialize)]
#[serde(remote = "Measured")]
struct Results {
    tally: Tally,
    distinct_games: u64,
    #[serde(with = "cell")]
    by_opponent: Vec<Tally>,
    #[serde(skip)]
    games: Vec<PlayedGame>,
}

/// The same with the games one by one.
#[derive(Serialize, Deserialize)]
#[serde(remote = "Measured")]
struct ResultsAndGames {
    tally: Tally,
    distinct_games: u64,
    #[serde(with = "cell")]
    by_opponent: Vec<Tally>,
    #[serde(with = "cell")]
    games: Vec<PlayedGame>,
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
    #[serde(with = "Results")]
    pub measured: Measured,
}

impl RoundRow {
    pub fn header() -> Vec<String> {
        header(&["generation", "round", "index", "fitness"], &[])
    }
}

/// A row of `held-out.csv`: a check of the mean after a generation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HeldOutRow {
    pub generation: u64,
    #[serde(with = "Results")]
    pub measured: Measured,
    /// The share of points, combined over opponents. It follows from the results, and is not read.
    #[serde(serialize_with = "short", skip_deserializing)]
    pub score: f64,
    /// Whether it is better than the best check before. It follows from the rows, and is not read.
    #[serde(skip_deserializing)]
    pub better: bool,
}

impl HeldOutRow {
    pub fn header() -> Vec<String> {
        header(&["generation"], &["score", "better"])
    }
}

/// A row of `finalist-games.csv`: a finalist's games of a block.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BlockRow {
    pub round: u32,
    pub block: u64,
    pub finalist: String,
    #[serde(with = "ResultsAndGames")]
    pub measured: Measured,
}

impl BlockRow {
    pub fn header() -> Vec<String> {
        header(&["round", "block", "finalist"], &["played"])
    }
}

/// Whether the games of results, one by one, are those of the sums.
pub(crate) fn games_fit(measured: &Measured) -> bool {
    let mut sums = vec![Tally::default(); measured.by_opponent.len()];
    for game in &measured.games {
        let Some(sum) = sums.get_mut(game.opponent) else { return false };
        match game.points {
            2 => sum.wins += 1,
            1 => sum.draws += 1,
            _ => sum.losses += 1,
        }
    }
    sums == measured.by_opponent
}

/// Whether results have the games of a fitness, all together and by opponent, and no more different games than games.
pub(crate) fn fits(measured: &Measured, fitness: &FitnessPlan) -> bool {
    let Measured { tally, by_opponent, distinct_games, .. } = measured;
    let sum = by_opponent.iter().fold(Tally::default(), |sum, tally| sum.plus(tally));
    sum == *tally
        && *distinct_games <= tally.games()
        && by_opponent.iter().map(Tally::games).eq(fitness.games_by_opponent())
}
