//! What weights are worth: a gauntlet of matches in the searches that will use them.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use serde::{Deserialize, Serialize};

use super::comparison::play;
use super::plan::{Plan, ValidationPlan};
use super::space::Vector;
use super::{Observer, RunError};
use crate::agent::{
    AgentKind, AgentSpec, IterativeSettings, Limit, MctsSettings, MinimaxSettings, Playable,
};
use crate::arena::{MatchResult, Openings};
use crate::files::GrowingCsv;
use crate::search::mcts::{Playout, Settings};
use crate::seed::mix;
use crate::stats::{Figures, Tally};
use crate::weights::Weights;

/// A match of the weights in question, A, against an opponent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MatchRow {
    /// Where games started.
    pub openings: String,
    /// The opponent's weights, or `random playouts`; where parameters were evolved also `the start`, or an agent.
    pub opponent: String,
    /// The search that carried the weights, as an agent without them: see [`Trial`]. Or an agent with all that was
    /// evolved.
    pub search: String,
    /// Plies that both searched, where that was fixed.
    pub depth: Option<u32>,
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

/// The opponent of [`Trial::EarlyTermination`].
pub const RANDOM_PLAYOUTS: &str = "random playouts";

/// A search that weights are tried in.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Trial {
    /// Minimax of a depth on both sides, the opponent with its own weights.
    Minimax(u32),
    /// Iterative deepening with the same limit on both sides, the opponent with its own weights.
    Iterative(Limit),
    /// Monte Carlo tree search with the same limit on both sides: playouts that end early in an
    /// evaluation with the weights, against random playouts to the end.
    EarlyTermination(Limit),
}

impl Trial {
    /// The agents A, with the weights, and B.
    fn agents(self, weights: &Weights, opponent: &Weights) -> [AgentSpec; 2] {
        let with = |kind: AgentKind| {
            let spec = AgentSpec::from(kind);
            [weights, opponent].map(|weights| spec.with_weights(weights.clone()))
        };
        match self {
            Self::Minimax(depth) => {
                let depth = Some(depth);
                with(AgentKind::Minimax(MinimaxSettings { depth, ..Default::default() }))
            }
            Self::Iterative(limit) => {
                let limit = Some(limit);
                with(AgentKind::Iterative(IterativeSettings { limit, ..Default::default() }))
            }
            Self::EarlyTermination(limit) => {
                let random = MctsSettings { limit: Some(limit), ..Default::default() };
                let search = Settings { playout: Playout::Ept, ..Settings::default() };
                let ept = AgentKind::Mcts(MctsSettings { search, ..random.clone() });
                [AgentSpec::from(ept).with_weights(weights.clone()), AgentKind::Mcts(random).into()]
            }
        }
    }

    /// The agent that carries the weights, in text, without them.
    fn search(self, weights: &Weights) -> String {
        let [agent, _] = self.agents(weights, weights);
        agent.without_weights().to_string()
    }

    const fn depth(self) -> Option<u32> {
        match self {
            Self::Minimax(depth) => Some(depth),
            _ => None,
        }
    }
}

/// A match to play.
pub(super) struct Fixture<'p> {
    pub(super) openings: &'p Openings,
    opponent: String,
    search: String,
    depth: Option<u32>,
    agents: [AgentSpec; 2],
    pub(super) seed: u64,
}

/// The matches of weights in order.
pub(super) fn fixtures<'p>(
    plan: &'p ValidationPlan,
    weights: &Weights,
    seed: u64,
) -> Vec<Fixture<'p>> {
    let mut fixtures = Vec::new();
    for (number, openings) in (0..).zip(&plan.openings) {
        let mut add = |trial: Trial, opponent: &Weights, name: &str, number_of_trial| {
            fixtures.push(Fixture {
                openings,
                opponent: name.into(),
                search: trial.search(weights),
                depth: trial.depth(),
                agents: trial.agents(weights, opponent),
                seed: mix(mix(seed, number), number_of_trial),
            });
        };
        for opponent in &plan.opponents {
            for &depth in &plan.depths {
                add(Trial::Minimax(depth), opponent, &opponent.name, depth.into());
            }
            for (index, &limit) in (1000..).zip(&plan.iterative) {
                add(Trial::Iterative(limit), opponent, &opponent.name, index);
            }
        }
        for (index, &limit) in (2000..).zip(&plan.early_termination) {
            add(Trial::EarlyTermination(limit), weights, RANDOM_PLAYOUTS, index);
        }
    }
    fixtures
}

/// The matches of a run's agent where parameters were evolved: against itself at the start, and against the opponents
/// of the last stage.
fn fixtures_of_agent<'p>(
    plan: &'p Plan,
    [winner, initial]: [&Vector; 2],
    seed: u64,
) -> Result<Vec<Fixture<'p>>, RunError> {
    let mut fixtures = Vec::new();
    let Some(stage) = plan.stages.last().filter(|_| !plan.space.parameters.is_empty()) else {
        return Ok(fixtures);
    };
    let carrier = plan.agent.with_default_depth(stage.depth);
    let agent = winner.carried_by(&carrier)?;
    let mut opponents = vec![("the start".to_string(), initial.carried_by(&carrier)?)];
    for opponent in stage.fitness.opponents.iter().map(|plan| stage.opponent(plan)) {
        if !opponents.iter().any(|(_, other)| *other == opponent) {
            opponents.push((opponent.to_string(), opponent));
        }
    }
    for (number, openings) in (0..).zip(&plan.validation.openings) {
        for (index, (name, opponent)) in (3000..).zip(&opponents) {
            fixtures.push(Fixture {
                openings,
                opponent: name.clone(),
                search: agent.to_string(),
                depth: None,
                agents: [agent.clone(), opponent.clone()],
                seed: mix(mix(seed, number), index),
            });
        }
    }
    Ok(fixtures)
}

/// Plays weights against every opponent in every search of the plan from all openings, in pairs. With
/// `log`, a row is on disk when its match is over, and rows found there are not played again.
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
    play_all::<P>(fixtures(plan, weights, seed), plan.games, rules, log, observer, stop)
}

/// [`validate`] for the winner of a run; then, where parameters were evolved, the agent with them.
pub(super) fn validate_run<P: Playable>(
    plan: &Plan,
    rules: P::Rules,
    seed: u64,
    [winner, initial]: [&Vector; 2],
    log: &Path,
    observer: &dyn Observer,
    stop: &AtomicBool,
) -> Result<Vec<MatchRow>, RunError> {
    let validation = &plan.validation;
    let of_weights = |weights| fixtures(validation, weights, seed);
    let mut all = winner.weights.as_ref().map_or_else(Vec::new, of_weights);
    all.extend(fixtures_of_agent(plan, [winner, initial], seed)?);
    play_all::<P>(all, validation.games, rules, Some(log), observer, stop)
}

fn play_all<P: Playable>(
    fixtures: Vec<Fixture<'_>>,
    games: u64,
    rules: P::Rules,
    log: Option<&Path>,
    observer: &dyn Observer,
    stop: &AtomicBool,
) -> Result<Vec<MatchRow>, RunError> {
    let mut log = log.map(|path| GrowingCsv::open(path, &MatchRow::header())).transpose()?;
    let logged = log.as_mut().map_or_else(Vec::new, |(_, rows)| std::mem::take(rows));
    let mut rows = Vec::new();
    for fixture in fixtures {
        let Fixture { openings, opponent, search, depth, agents, seed } = fixture;
        let label = format!("{search} against {opponent} from {openings}");
        observer.match_started(&label, games);
        let row = match (logged.get(rows.len()), &mut log) {
            (Some(fields), Some((log, _))) => {
                let found = MatchRow::parse(fields).filter(|row| {
                    row.search == search
                        && row.opponent == opponent
                        && row.openings == openings.to_string()
                        && row.tally.games() == games
                });
                let message = format!("is not the match of this place: {label}");
                found.ok_or_else(|| log.wrong_row(rows.len(), message))?
            }
            (_, log) => {
                let result = play::<P>(&agents, rules, openings, games, seed, observer, stop)?;
                let row = MatchRow::new(openings, &opponent, search, depth, &result);
                if let Some((log, _)) = log {
                    log.append(&row.fields())?;
                    log.sync()?;
                }
                row
            }
        };
        observer.match_finished(&row);
        rows.push(row);
    }
    match &log {
        Some((log, _)) if logged.len() > rows.len() => {
            Err(log.wrong_row(rows.len(), "the validation ended before this row").into())
        }
        _ => Ok(rows),
    }
}

impl MatchRow {
    fn new(
        openings: &Openings,
        opponent: &str,
        search: String,
        depth: Option<u32>,
        result: &MatchResult,
    ) -> Self {
        let tally = result.summary.tally;
        Self {
            openings: openings.to_string(),
            opponent: opponent.into(),
            search,
            depth,
            games: tally.games(),
            tally,
            pairs: result.pairs.unwrap_or_default(),
            distinct_games: result.distinct_games,
            figures: Figures::of(&tally, result.pairs.as_ref()),
        }
    }

    fn header() -> Vec<String> {
        let columns = "openings,opponent,search,depth,games,wins,draws,losses,\
                       pairs_0,pairs_1,pairs_2,pairs_3,pairs_4,distinct_games,\
                       score,elo,elo_low,elo_high,los,p_value,p_value_two_sided";
        columns.split(',').map(String::from).collect()
    }

    fn fields(&self) -> Vec<String> {
        let Tally { wins, draws, losses } = self.tally;
        let optional = |value: Option<f64>| value.map_or(String::new(), |value| value.to_string());
        let figures = &self.figures;
        let counts = [self.games, wins, draws, losses].into_iter().chain(self.pairs);
        let depth = self.depth.map_or(String::new(), |depth| depth.to_string());
        [self.openings.clone(), self.opponent.clone(), self.search.clone(), depth]
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
        let tally = Tally { wins: count(5)?, draws: count(6)?, losses: count(7)? };
        let mut pairs = [0; 5];
        for (points, pair) in pairs.iter_mut().enumerate() {
            *pair = count(8 + points)?;
        }
        let games = tally.wins.checked_add(tally.draws)?.checked_add(tally.losses)?;
        let pairs_played = pairs.iter().try_fold(0_u64, |sum, pair| sum.checked_add(*pair))?;
        let points = pairs
            .iter()
            .zip(0_u64..)
            .try_fold(0_u64, |sum, (pair, points)| sum.checked_add(pair.checked_mul(points)?))?;
        if games != count(4)?
            || pairs_played.checked_mul(2)? != games
            || points != tally.wins.checked_mul(2)?.checked_add(tally.draws)?
        {
            return None;
        }
        Some(Self {
            openings: row.get(0)?.into(),
            opponent: row.get(1)?.into(),
            search: row.get(2)?.into(),
            depth: match row.get(3)? {
                "" => None,
                depth => Some(depth.parse().ok()?),
            },
            games: count(4)?,
            tally,
            pairs,
            distinct_games: count(13)?,
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
            search: "minimax:depth=3".into(),
            depth: Some(3),
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
