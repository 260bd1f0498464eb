//! A match, as `tictune match` prints it.

use minijinja::context;
use serde_json::{Value, json};

use super::layout::written;
use super::{elo, merged, rate};
use crate::agent::AgentSpec;
use crate::arena::{ForfeitedGame, MatchPlan, MatchResult};
use crate::input::distinct;
use crate::stats::{DIFFERENT_SIDES, Evidence, MatchStatistics};

pub(super) const MATCH: &str = include_str!("templates/match.txt");

#[derive(Clone, Copy)]
pub(crate) struct MatchReport<'m> {
    pub(crate) plan: &'m MatchPlan,
    pub(crate) result: &'m MatchResult,
}

const NAMES: [&str; 2] = ["A", "B"];

impl MatchReport<'_> {
    /// What `match --json` prints.
    pub(crate) fn json(&self) -> Value {
        let Self { plan, result } = self;
        let summary = &result.summary;
        let agents = plan.agents.each_ref().map(ToString::to_string);
        let by_agent = [0, 1].map(|index| {
            let side = &summary.sides[index];
            json!({
                "agent": agents[index],
                "moves": side.moves,
                "search_seconds": side.search.as_secs_f64(),
                "slowest_seconds": side.slowest.as_secs_f64(),
                "nodes": side.nodes,
                "iterations": side.iterations,
                "timeouts": summary.timeouts[index],
                "errors": summary.errors[index],
                // Attempts at a move that ran out of time, whether or not the game was forfeited.
                "late_attempts": side.timeouts,
                "moves_in_grace": side.late,
            })
        });
        let forfeit = |ForfeitedGame { game, by, failure }: &ForfeitedGame| {
            let failure = failure.to_string();
            json!({ "game": game, "by": NAMES[*by as usize], "failure": failure })
        };
        merged(&[
            json!({
                "game": plan.game,
                "rules": plan.rules,
                "agents": agents,
                "games": summary.tally.games(),
            }),
            json!(summary.tally),
            json!({
                "timeouts": summary.timeouts.iter().sum::<u64>(),
                "errors": summary.errors.iter().sum::<u64>(),
            }),
            json!(result.figures()),
            normalised(&result.evidence),
            json!({
                "pairs": result.pairs,
                "distinct_pairs": result.evidence.pairs(),
                "distinct_games": result.distinct_games,
                "plies": summary.plies,
                "seconds": result.elapsed.as_secs_f64(),
                "seed": plan.settings.seed,
                "openings": plan.openings.to_string(),
                "schedule": plan.settings.schedule.to_string(),
                "by_agent": by_agent,
                "forfeits": result.forfeits.iter().map(forfeit).collect::<Vec<_>>(),
                "sprt": result.sprt,
            }),
        ])
    }

    /// Who forfeited more than half of the games, in a sentence: such a match says nothing about strength.
    pub(crate) fn mostly_forfeited(&self) -> Option<String> {
        let forfeited = self.result.summary.mostly_forfeited()?;
        let is_theirs = |game: &&ForfeitedGame| forfeited.by.is_none_or(|side| game.by == side);
        let first = self.result.forfeits.iter().find(is_theirs);
        let reason = first.map_or(String::new(), |game| game.failure.to_string());
        Some(format!("{}: {reason}", forfeited.in_words("agent A", "agent B", "both agents")))
    }

    pub(crate) fn text(&self) -> String {
        let Self { plan, result: MatchResult { summary, evidence, pairs, elapsed, .. } } = self;
        let mut report = self.json();
        for ((side, name), agent) in (0..).zip(NAMES).zip(&plan.agents) {
            let side: &mut Value = &mut report["by_agent"][side];
            side["name"] = name.into();
            side["is_program"] = agent.command().is_some().into();
            side["is_timed"] = agent.kind.is_timed().into();
        }
        let names = plan.agents.each_ref().map(AgentSpec::short);
        let are_different = plan.agents[0] != plan.agents[1];
        report["agents"] = if are_different { json!(distinct(&names)) } else { json!(names) };
        let games = summary.tally.games();
        let more = context! {
            no_result => self.mostly_forfeited(),
            speed => rate(games as f64 / elapsed.as_secs_f64()),
        };
        let words = words_of(evidence, *pairs, &self.result.figures());
        let values = context! { ..more, ..words, ..minijinja::Value::from_serialize(report) };
        written(None, MATCH, values)
    }
}

/// The normalised Elo difference of a match, as JSON.
pub(super) fn normalised(evidence: &Evidence) -> Value {
    let nelo = evidence.normalised_elo();
    json!({ "nelo": nelo.elo, "nelo_low": nelo.low, "nelo_high": nelo.high })
}

/// What the text of a match takes from its evidence.
pub(super) fn words_of(
    evidence: &Evidence,
    pairs: Option<[u64; 5]>,
    figures: &MatchStatistics,
) -> minijinja::Value {
    let MatchStatistics { elo: estimate, elo_low, elo_high, .. } = *figures;
    context! {
        elo_in_words => elo(estimate, evidence.score(), elo_low, elo_high),
        distinct_units => evidence.units(),
        distinct_score => evidence.score(),
        units => pairs.map(|pairs| pairs.iter().sum::<u64>()),
        different_sides => DIFFERENT_SIDES,
        errors_of_elo => evidence.normal_errors(),
    }
}
