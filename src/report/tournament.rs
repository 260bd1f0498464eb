//! The results of a tournament as JSON, CSV and text.

use minijinja::context;
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::layout::{Width, written};
use super::{merged, repeated_games};
use crate::arena::{MatchResult, PairingResult, Summary, TournamentPlan};
use crate::files::{csv_text, escaped_cell};
use crate::stats::Tally;
use crate::stats::rating::{Rating, RatingStatus};

pub(crate) struct TournamentReport<'t> {
    plan: &'t TournamentPlan,
    games: usize,
    /// The agents, the strongest first.
    agents: Vec<AgentRow>,
    /// The score (0..=1) of each agent, in that order, against each; null where they did not meet. Where both
    /// directions were played it is of the games in which the row's agent moved first.
    cross: Vec<Vec<Option<f64>>>,
    results: &'t [PairingResult],
}

#[derive(Serialize)]
struct AgentRow {
    rank: usize,
    name: String,
    agent: String,
    games: u64,
    #[serde(flatten)]
    tally: Tally,
    /// Different games: of each of its pairings, summed.
    distinct_games: u64,
    score: f64,
    /// Elo above the mean of those rated; null outside them.
    elo: Option<f64>,
    /// The lower end of its 95 % interval; null if it is open.
    elo_low: Option<f64>,
    elo_high: Option<f64>,
    /// Whether it is rated, and if not how it stands to those that are.
    standing: RatingStatus,
    moves: u64,
    ms_per_move: f64,
    nodes_per_move: f64,
    iterations_per_move: f64,
    /// Games forfeited by running out of time.
    timeouts: u64,
    /// Games forfeited for any other reason.
    errors: u64,
}

impl<'t> TournamentReport<'t> {
    pub(crate) fn new(
        plan: &'t TournamentPlan,
        labels: &[String],
        results: &'t [PairingResult],
        ratings: &[Rating],
        games: usize,
    ) -> Self {
        let sums: Vec<Summary> =
            (0..plan.entrants.len()).map(|agent| sum_of(agent, results)).collect();
        let mut order: Vec<usize> = (0..plan.entrants.len()).collect();
        let standings =
            [RatingStatus::Above, RatingStatus::Rated, RatingStatus::Below, RatingStatus::Apart];
        let place = |agent: usize| standings.iter().position(|one| *one == ratings[agent].standing);
        // What ranks agents of one standing: the rating, or else the score. Of equals the earlier one stays first.
        let strength = |agent: usize| ratings[agent].elo.unwrap_or(sums[agent].tally.score());
        order.sort_by(|&a, &b| place(a).cmp(&place(b)).then(strength(b).total_cmp(&strength(a))));
        let row = |(rank, &agent): (usize, &usize)| {
            let (sum, rating) = (&sums[agent], &ratings[agent]);
            let side = &sum.sides[0];
            let a_move = |total: f64| total / side.moves.max(1) as f64;
            AgentRow {
                rank,
                name: plan.entrants[agent].name.clone(),
                agent: labels[agent].clone(),
                games: sum.tally.games(),
                tally: sum.tally,
                distinct_games: (results.iter())
                    .filter(|result| result.agents.contains(&agent))
                    .map(|result| result.result.distinct_games)
                    .sum(),
                score: sum.tally.score(),
                elo: rating.elo,
                elo_low: rating.low,
                elo_high: rating.high,
                standing: rating.standing,
                moves: side.moves,
                ms_per_move: a_move(1e3 * side.search.as_secs_f64()),
                nodes_per_move: a_move(side.nodes as f64),
                iterations_per_move: a_move(side.iterations as f64),
                timeouts: sum.timeouts[0],
                errors: sum.errors[0],
            }
        };
        let against = |&a: &usize| order.iter().map(|&b| score_between(a, b, results)).collect();
        Self {
            plan,
            games,
            agents: (1..).zip(&order).map(row).collect(),
            cross: order.iter().map(against).collect(),
            results,
        }
    }

    /// What `tournament --json` prints, and `tournament.json` holds.
    pub(crate) fn json(&self) -> Value {
        let TournamentPlan { name, game, rules, format, openings, settings, .. } = self.plan;
        json!({
            "name": name,
            "game": game,
            "rules": rules,
            "format": format.to_string(),
            "schedule": settings.schedule.to_string(),
            "openings": openings.to_string(),
            "seed": settings.seed,
            "replay_ties": settings.replay_ties,
            "games_per_pairing": settings.games,
            "games": self.games,
            "agents": self.agents,
            "cross": self.cross,
            "pairings": self.results.iter().map(|result| self.pairing(result)).collect::<Vec<_>>(),
        })
    }

    /// `table.csv`: a row an agent, with its keys in JSON as columns.
    pub(crate) fn table_csv(&self) -> std::io::Result<Vec<u8>> {
        let rows = self.agents.iter().map(serde_json::to_value).collect::<Result<Vec<_>, _>>()?;
        let rows: Vec<&Map<String, Value>> = rows.iter().filter_map(Value::as_object).collect();
        let heads = rows.first().map(|row| row.keys().cloned().collect::<Vec<_>>());
        let cell = |(key, value): (&String, &Value)| match (value, value.as_f64()) {
            (Value::String(text), _) => escaped_cell(text).into(),
            (_, Some(time)) if key == "ms_per_move" => format!("{time:.6}"),
            (Value::Number(number), Some(real)) if number.is_f64() => real.to_string(),
            (Value::Null, _) => String::new(),
            (value, _) => value.to_string(),
        };
        csv_text(heads.into_iter().chain(rows.iter().map(|row| row.iter().map(cell).collect())))
    }

    /// `cross.csv`: the cross table, with names at both sides.
    pub(crate) fn cross_csv(&self) -> std::io::Result<Vec<u8>> {
        let names = self.agents.iter().map(|row| escaped_cell(&row.name).into());
        let heads = std::iter::once("name".to_string()).chain(names).collect();
        let row = |(agent, scores): (&AgentRow, &Vec<Option<f64>>)| -> Vec<String> {
            let scores = scores.iter().map(|s| s.map_or(String::new(), |score| score.to_string()));
            std::iter::once(escaped_cell(&agent.name).into()).chain(scores).collect()
        };
        csv_text(std::iter::once(heads).chain(self.agents.iter().zip(&self.cross).map(row)))
    }

    fn pairing(&self, of: &PairingResult) -> Value {
        let [a, b] = self.names(of);
        let MatchResult { summary, pairs, evidence, distinct_games, .. } = &of.result;
        merged(&[
            json!({ "a": a, "b": b, "games": summary.tally.games() }),
            json!(summary.tally),
            json!(of.result.figures()),
            self.no_result(of).map_or(Value::Null, |no_result| json!({ "no_result": no_result })),
            json!({
                // By the points of A: 0, 1/2, 1, 3/2 and 2; null where games are not paired.
                "pairs": pairs,
                "distinct_pairs": evidence.pairs(),
                "distinct_games": distinct_games,
                "plies": summary.plies,
                "timeouts": summary.timeouts.iter().sum::<u64>(),
                "errors": summary.errors.iter().sum::<u64>(),
            }),
        ])
    }

    fn names(&self, of: &PairingResult) -> [&str; 2] {
        of.agents.map(|agent| self.plan.entrants[agent].name.as_str())
    }

    /// Who forfeited more than half of the games of a pairing, which then say nothing about strength.
    fn no_result(&self, of: &PairingResult) -> Option<String> {
        let [a, b] = self.names(of);
        Some(of.result.summary.mostly_forfeited()?.in_words(a, b, "both"))
    }

    /// A line for each pairing that was forfeited for the most part.
    pub(crate) fn no_results(&self) -> Vec<String> {
        let line = |of: &PairingResult| {
            let ([a, b], forfeited) = (self.names(of), self.no_result(of)?);
            Some(format!("no result of {a} against {b}: {forfeited}"))
        };
        self.results.iter().filter_map(line).collect()
    }

    /// A line for each pairing of which fewer than 90 % of the games are distinct.
    pub(crate) fn warnings(&self) -> String {
        let warning = |of: &PairingResult| {
            let ([a, b], MatchResult { summary, distinct_games, .. }) =
                (self.names(of), &of.result);
            let warning = repeated_games(*distinct_games, summary.tally.games())?;
            Some(format!("{a} against {b}: {warning}"))
        };
        self.results.iter().filter_map(warning).collect()
    }

    /// The tables of agents and of their scores against each other.
    pub(crate) fn text(&self, width: Width) -> String {
        let no_results = self.no_results();
        let values = context! { no_results, ..minijinja::Value::from_serialize(self.json()) };
        written(width, include_str!("templates/tournament.txt"), values)
    }
}

/// All games of an agent from its own view.
fn sum_of(agent: usize, results: &[PairingResult]) -> Summary {
    let views = results.iter().filter_map(|PairingResult { agents: [a, b], result }| match agent {
        agent if agent == *a => Some(result.summary),
        agent if agent == *b => Some(result.summary.reversed()),
        _ => None,
    });
    views.fold(Summary::default(), |all, one| all.plus(&one))
}

/// The score of A against B: of the pairing in this direction, else of the other.
fn score_between(a: usize, b: usize, results: &[PairingResult]) -> Option<f64> {
    let find = |agents| results.iter().find(|result| result.agents == agents);
    let tally = |agents| Some(find(agents)?.result.summary.tally);
    let tally = tally([a, b]).or_else(|| Some(tally([b, a])?.reversed()));
    tally.map(|tally| tally.score())
}
