//! What a run ends with: best against mean, and the winner against the vectors it should beat.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use serde::{Deserialize, Serialize};

use super::log::GrowingCsv;
use super::plan::{ComparisonPlan, ValidationPlan};
use super::{Observer, RunError};
use crate::agent::{AgentSpec, Kind, Playable};
use crate::arena::{Contest, MatchResult, MatchSettings, Openings, Schedule, play_match};
use crate::seed::mix;
use crate::stats::{Figures, Tally};
use crate::weights::Weights;

/// A difference is shown if chance alone gives as large a one less often than this.
pub const SIGNIFICANCE: f64 = 0.05;

/// A match of the weights in question, A, against an opponent's.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MatchRow {
    /// Where games started.
    pub openings: String,
    /// The opponent's weights.
    pub opponent: String,
    /// Plies that both searched.
    pub depth: u32,
    /// Games.
    pub games: u64,
    /// Results from A's view.
    #[serde(flatten)]
    pub tally: Tally,
    /// Pairs in which A scored 0, 1/2, 1, 3/2 and 2 points.
    pub pairs: [u64; 5],
    /// Different games.
    pub distinct_games: u64,
    /// What follows from the counts.
    #[serde(flatten)]
    pub figures: Figures,
}

/// Best against mean.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// Who carried both, without weights.
    pub agent: String,
    /// Where games started.
    pub openings: String,
    /// Games.
    pub games: u64,
    /// Results from the best candidate's view.
    #[serde(flatten)]
    pub tally: Tally,
    /// Pairs in which it scored 0, 1/2, 1, 3/2 and 2 points.
    pub pairs: [u64; 5],
    /// Different games.
    pub distinct_games: u64,
    /// What follows from the counts.
    #[serde(flatten)]
    pub figures: Figures,
    /// `best` or `mean`: which scored more, the best where both scored the same.
    pub winner: String,
    /// Whether the difference is shown: the two-sided p-value is below [`SIGNIFICANCE`].
    pub shown: bool,
    /// The outcome in words.
    pub verdict: String,
}

/// Plays the best candidate against the mean, in pairs.
///
/// # Errors
/// [`RunError::Interrupted`] if `stop` was set; agents or openings that cannot be had.
pub fn compare<P: Playable>(
    plan: &ComparisonPlan,
    rules: P::Rules,
    seed: u64,
    [best, mean]: [&Weights; 2],
    observer: &dyn Observer,
    stop: &AtomicBool,
) -> Result<Comparison, RunError> {
    observer.match_started("best against mean", plan.games);
    let agents = [best, mean].map(|weights| plan.agent.with_weights(weights.clone()));
    let result = play::<P>(&agents, rules, &plan.openings, plan.games, seed, observer, stop)?;
    let tally = result.summary.tally;
    let figures = Figures::of(&tally, result.pairs.as_ref());
    let shown = figures.p_value_two_sided.is_some_and(|p| p < SIGNIFICANCE);
    let winner = if tally.losses > tally.wins { "mean" } else { "best" };
    let p = figures.p_value_two_sided.unwrap_or(1.0);
    let verdict = if shown {
        let (name, other) = if winner == "best" { ("best", "mean") } else { ("mean", "best") };
        format!("{name} is stronger than {other}: p = {p:.2e}, n = {}", plan.games)
    } else {
        format!("no difference shown: p = {p:.2}, n = {}", plan.games)
    };
    let agent = AgentSpec { weights: None, evaluation: None, ..plan.agent.clone() };
    let comparison = Comparison {
        agent: agent.to_string(),
        openings: plan.openings.to_string(),
        games: plan.games,
        tally,
        pairs: result.pairs.unwrap_or_default(),
        distinct_games: result.distinct_games,
        figures,
        winner: winner.into(),
        shown,
        verdict,
    };
    observer.comparison_finished(&comparison);
    Ok(comparison)
}

/// Plays weights against every opponent at every depth from all openings, in pairs, both sides with
/// the same fixed-depth minimax. With `log`, a row is on disk when its match is over, and rows found
/// there are not played again.
///
/// # Errors
/// [`RunError::Interrupted`] if `stop` was set; a log of other matches; what the file system says.
pub fn validate<P: Playable>(
    plan: &ValidationPlan,
    rules: P::Rules,
    seed: u64,
    weights: &Weights,
    log: Option<&Path>,
    observer: &dyn Observer,
    stop: &AtomicBool,
) -> Result<Vec<MatchRow>, RunError> {
    let (mut log, logged) = match log {
        Some(path) => {
            let (log, rows) = GrowingCsv::open(path, &MatchRow::header())?;
            (Some(log), rows)
        }
        None => (None, Vec::new()),
    };
    let mut logged = logged.iter().enumerate();
    let mut rows = Vec::new();
    for (number, openings) in plan.openings.iter().enumerate() {
        for opponent in &plan.opponents {
            for &depth in &plan.depths {
                let label = format!("depth {depth} against {} from {openings}", opponent.name);
                observer.match_started(&label, plan.games);
                let row = match logged.next() {
                    Some((index, fields)) => {
                        let found = MatchRow::parse(fields).filter(|row| {
                            row.depth == depth
                                && row.opponent == opponent.name
                                && row.openings == openings.to_string()
                                && row.tally.games() == plan.games
                        });
                        let wrong = |log: &GrowingCsv| {
                            log.wrong_row(index, format!("is not the match of this place: {label}"))
                        };
                        match (found, &log) {
                            (Some(row), _) => row,
                            (None, Some(log)) => return Err(wrong(log)),
                            (None, None) => return Err(RunError::Interrupted),
                        }
                    }
                    None => {
                        let agents = [weights, opponent].map(|weights| minimax(depth, weights));
                        let seed = mix(mix(seed, number as u64), u64::from(depth));
                        let games = plan.games;
                        let result =
                            play::<P>(&agents, rules, openings, games, seed, observer, stop)?;
                        let row = MatchRow::new(openings, &opponent.name, depth, &result);
                        if let Some(log) = &mut log {
                            log.append(&row.fields())?;
                            log.sync()?;
                        }
                        row
                    }
                };
                observer.match_finished(&row);
                rows.push(row);
            }
        }
    }
    if let (Some((index, _)), Some(log)) = (logged.next(), &log) {
        return Err(log.wrong_row(index, "the validation ended before this row"));
    }
    Ok(rows)
}

fn minimax(depth: u32, weights: &Weights) -> AgentSpec {
    let weights = Some(weights.clone());
    AgentSpec { depth: Some(depth), weights, ..AgentSpec::new(Kind::Minimax) }
}

fn play<P: Playable>(
    agents: &[AgentSpec; 2],
    rules: P::Rules,
    openings: &Openings,
    games: u64,
    seed: u64,
    observer: &dyn Observer,
    stop: &AtomicBool,
) -> Result<MatchResult, RunError> {
    let [a, b] = [agents[0].prepare::<P>()?, agents[1].prepare::<P>()?];
    let contest = Contest { a: &a, b: &b, rules, openings };
    let settings = MatchSettings { games, seed, schedule: Schedule::Paired, replay_ties: false };
    let progress = || {
        observer.game_played();
        !stop.load(Ordering::Relaxed)
    };
    play_match(&contest, &settings, &progress)?.ok_or(RunError::Interrupted)
}

impl MatchRow {
    fn new(openings: &Openings, opponent: &str, depth: u32, result: &MatchResult) -> Self {
        let tally = result.summary.tally;
        Self {
            openings: openings.to_string(),
            opponent: opponent.into(),
            depth,
            games: tally.games(),
            tally,
            pairs: result.pairs.unwrap_or_default(),
            distinct_games: result.distinct_games,
            figures: Figures::of(&tally, result.pairs.as_ref()),
        }
    }

    fn header() -> Vec<String> {
        let columns = "openings,opponent,depth,games,wins,draws,losses,\
                       pairs_0,pairs_1,pairs_2,pairs_3,pairs_4,distinct_games,\
                       score,elo,elo_low,elo_high,los,p_value,p_value_two_sided";
        columns.split(',').map(String::from).collect()
    }

    fn fields(&self) -> Vec<String> {
        let Tally { wins, draws, losses } = self.tally;
        let optional = |value: Option<f64>| value.map_or(String::new(), |value| value.to_string());
        let figures = &self.figures;
        let counts = [self.games, wins, draws, losses].into_iter().chain(self.pairs);
        [self.openings.clone(), self.opponent.clone(), self.depth.to_string()]
            .into_iter()
            .chain(counts.chain([self.distinct_games]).map(|count| count.to_string()))
            .chain([
                figures.score.to_string(),
                optional(figures.elo),
                optional(figures.elo_low),
                optional(figures.elo_high),
                figures.los.to_string(),
                optional(figures.p_value),
                optional(figures.p_value_two_sided),
            ])
            .collect()
    }

    fn parse(row: &csv::StringRecord) -> Option<Self> {
        let count = |column: usize| row.get(column)?.parse::<u64>().ok();
        let tally = Tally { wins: count(4)?, draws: count(5)?, losses: count(6)? };
        let mut pairs = [0; 5];
        for (points, pair) in pairs.iter_mut().enumerate() {
            *pair = count(7 + points)?;
        }
        let games = tally.wins.checked_add(tally.draws)?.checked_add(tally.losses)?;
        let pairs_played = pairs.iter().try_fold(0_u64, |sum, pair| sum.checked_add(*pair))?;
        let points = pairs
            .iter()
            .zip(0_u64..)
            .try_fold(0_u64, |sum, (pair, points)| sum.checked_add(pair.checked_mul(points)?))?;
        if games != count(3)?
            || pairs_played.checked_mul(2)? != games
            || points != tally.wins.checked_mul(2)?.checked_add(tally.draws)?
        {
            return None;
        }
        Some(Self {
            openings: row.get(0)?.into(),
            opponent: row.get(1)?.into(),
            depth: row.get(2)?.parse().ok()?,
            games: count(3)?,
            tally,
            pairs,
            distinct_games: count(12)?,
            figures: Figures::of(&tally, Some(&pairs)),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_round_trip() {
        let tally = Tally { wins: 5, draws: 2, losses: 3 };
        let pairs = [0, 1, 1, 3, 0];
        let row = MatchRow {
            openings: "random:4:held-out".into(),
            opponent: "a, b".into(),
            depth: 3,
            games: 10,
            tally,
            pairs,
            distinct_games: 10,
            figures: Figures::of(&tally, Some(&pairs)),
        };
        let fields = csv::StringRecord::from(row.fields());
        assert_eq!(fields.len(), MatchRow::header().len());
        assert_eq!(MatchRow::parse(&fields), Some(row));
    }
}
