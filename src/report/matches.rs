//! A match, as `tictune match` prints it.

use std::fmt;

use serde_json::{Value, json};

use super::{elo, merged, percent, rate};
use crate::arena::{ForfeitedGame, MatchPlan, MatchResult, SideStats};
use crate::stats::sprt::{Hypothesis, Model, SprtResult};
use crate::stats::{DIFFERENT_SIDES, Tally, p_equals};

#[derive(Clone, Copy)]
pub(crate) struct MatchReport<'m> {
    pub(crate) plan: &'m MatchPlan,
    pub(crate) result: &'m MatchResult,
}

const NAMES: [&str; 2] = ["A", "B"];

const fn forfeited_by(game: &ForfeitedGame) -> &'static str {
    NAMES[game.by as usize]
}

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
        let forfeit = |game: &ForfeitedGame| json!({ "game": game.game, "by": forfeited_by(game), "failure": game.failure.to_string() });
        let nelo = result.evidence.normalised_elo();
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
            json!({
                "nelo": nelo.elo,
                "nelo_low": nelo.low,
                "nelo_high": nelo.high,
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

    pub(crate) fn late_moves(&self) -> u64 {
        self.result.summary.sides.iter().map(|side| side.timeouts + side.late).sum()
    }

    /// Whether agents of tictune were late, too, which keep their time on a machine that is free.
    pub(crate) fn own_agents_were_late(&self) -> bool {
        let sides = self.plan.agents.iter().zip(&self.result.summary.sides);
        sides.into_iter().any(|(agent, side)| agent.command().is_none() && side.timeouts > 0)
    }

    fn lateness(&self, index: usize) -> String {
        let agent = &self.plan.agents[index];
        let SideStats { timeouts, late: in_grace, .. } = self.result.summary.sides[index];
        match (timeouts, in_grace) {
            (0, 0) if agent.kind.is_timed() => ", none late".into(),
            (0, 0) => String::new(),
            (late, _) if agent.command().is_none() => format!(", {late} late"),
            (0, in_grace) => format!(", {in_grace} late, all within the grace"),
            (late, in_grace) => {
                format!(", {} late, {in_grace} of them within the grace", late + in_grace)
            }
        }
    }

    fn write_figures(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let MatchResult { evidence, pairs, .. } = self.result;
        let figures = self.result.figures();
        writeln!(
            f,
            "score {}, Elo {}, {}",
            percent(figures.score),
            elo(figures.elo, evidence.score(), figures.elo_low, figures.elo_high),
            figures.p.map_or_else(|| "no p-value".into(), p_equals)
        )?;
        let games = self.result.summary.tally.games();
        let all = pairs.map_or(games, |pairs| pairs.iter().sum());
        let (distinct, unit) = (evidence.units(), if pairs.is_some() { "pairs" } else { "games" });
        if distinct < all {
            writeln!(
                f,
                "{distinct} of {all} {unit} repeat no other: Elo and p are of these alone"
            )?;
        }
        if figures.p.is_none() {
            writeln!(f, "no verdict: {DIFFERENT_SIDES}")?;
        }
        let [elo_error, nelo_error] = evidence.normal_errors();
        let nelo = evidence.normalised_elo().elo;
        if let (Some(elo), Some(nelo), Some(nelo_error)) = (figures.elo, nelo, nelo_error) {
            let elo_error = elo_error.map_or("inf".into(), |error| format!("{error:.2}"));
            writeln!(
                f,
                "as fastchess prints it: Elo {elo:.2} +/- {elo_error}, nElo {nelo:.2} +/- {nelo_error:.2}, LOS {:.2} %",
                100.0 * figures.los
            )?;
        }
        self.result.sprt.as_ref().map_or(Ok(()), |sprt| writeln!(f, "{}", sequential(sprt)))
    }
}

impl fmt::Display for MatchReport<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { plan, result } = self;
        let summary = &result.summary;
        let Tally { wins, draws, losses } = summary.tally;
        let (games, seconds) = (summary.tally.games(), result.elapsed.as_secs_f64());
        let forfeited = self.mostly_forfeited();
        if let Some(forfeited) = &forfeited {
            writeln!(f, "no result: {forfeited}")?;
        }
        writeln!(f, "A  {}\nB  {}", plan.agents[0], plan.agents[1])?;
        writeln!(
            f,
            "{games} games, openings {}, schedule {}, seed {}: A won {wins}, drew {draws}, lost {losses}",
            plan.openings, plan.settings.schedule, plan.settings.seed
        )?;
        if forfeited.is_none() {
            self.write_figures(f)?;
        }
        if let Some(pairs) = result.pairs {
            writeln!(f, "pairs by A's points 0, 1/2, 1, 3/2, 2: {pairs:?}")?;
        }
        writeln!(
            f,
            "{} distinct games, {}{seconds:.2} s, {}",
            result.distinct_games,
            // A runner's program tells nothing but who won.
            if summary.plies > 0 { format!("{} plies, ", summary.plies) } else { String::new() },
            rate(games as f64 / seconds)
        )?;
        for (index, name) in NAMES.into_iter().enumerate() {
            let (timeouts, errors) = (summary.timeouts[index], summary.errors[index]);
            if summary.plies == 0 && timeouts + errors == 0 {
                continue;
            }
            let side = &summary.sides[index];
            let moves = side.moves.max(1) as f64;
            // Of programs neither is known.
            let work = match (side.nodes, side.iterations) {
                (0, 0) => String::new(),
                (nodes, 0) => format!("{:.0} nodes a move, ", nodes as f64 / moves),
                (_, iterations) => format!("{:.0} iterations a move, ", iterations as f64 / moves),
            };
            writeln!(
                f,
                "{name}: {} moves, {work}{:.3} ms a move, the slowest {:.1} ms{}",
                side.moves,
                1e3 * side.search.as_secs_f64() / moves,
                1e3 * side.slowest.as_secs_f64(),
                self.lateness(index)
            )?;
            if timeouts + errors > 0 {
                writeln!(
                    f,
                    "{name} forfeited {timeouts} games on time and {errors} for other reasons"
                )?;
            }
        }
        for game in result.forfeits.iter().take(5) {
            writeln!(f, "game {}: {} forfeited: {}", game.game, forfeited_by(game), game.failure)?;
        }
        Ok(())
    }
}

fn sequential(result: &SprtResult) -> String {
    let (elo0, elo1) = (result.test.elo0, result.test.elo1);
    let elo = match result.test.model {
        Model::Logistic => "Elo",
        Model::Normalized => "nElo",
    };
    let said = match result.decision {
        Some(Hypothesis::H1) => format!(
            "H1 accepted: A is likely {elo1} {elo} stronger than B or more, not {elo0} or less"
        ),
        Some(Hypothesis::H0) => format!(
            "H0 accepted: A is likely {elo0} {elo} stronger than B or less, not {elo1} or more"
        ),
        None => {
            format!("not decided by these games: A may be {elo0} or {elo1} {elo} stronger than B")
        }
    };
    format!(
        "sequential test: {said}\nLLR: {:.2} ({:.2},{:.2}) <{elo0:.2},{elo1:.2}> {}",
        result.llr, result.lower, result.upper, result.test.model
    )
}
