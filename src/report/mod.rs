//! Results for people and programs: tables, JSON rows, charts, and runs as HTML.

pub(crate) mod charts;
mod finalists;
mod layout;
pub(crate) mod moves;
mod noise;
pub(crate) mod page;
pub(crate) mod pgn;
mod regression;
mod reproduced;
mod reproduced_charts;
mod time;
pub(crate) mod tournament;
mod validation;

use std::fmt;

use serde::Serialize;

use crate::arena::{ForfeitedGame, MatchPlan, MatchResult, MostlyForfeited, Side};
use crate::evolve::Comparison;
use crate::game::GameInfo;
use crate::stats::sprt::{Hypothesis, Model, SprtResult};
use crate::stats::{DIFFERENT_SIDES, Evidence, MatchStatistics, Tally, p_equals};

pub(crate) use finalists::finalists_table;
pub(crate) use layout::{folded, table, text_table, within};
pub(crate) use noise::{noisy_stages, uninformative};
pub(crate) use regression::regression_table;
pub(crate) use reproduced::{reproduced_table, result_of};
pub(crate) use reproduced_charts::{Drawn, charts_of_row, charts_of_table};
pub(crate) use time::{duration, seconds_left, share_done};
pub(crate) use validation::{trained_openings, validation_table};

/// What `match --json` prints.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct MatchReport {
    pub game: &'static str,
    pub rules: String,
    pub agents: [String; 2],
    pub games: u64,
    #[serde(flatten)]
    pub tally: Tally,
    /// Games forfeited by running out of time, by either side.
    pub timeouts: u64,
    /// Games forfeited for any other reason: an illegal move, garbage, a program that ended.
    pub errors: u64,
    #[serde(flatten)]
    pub figures: MatchStatistics,
    /// The normalised Elo difference by the evidence; null where all of it ended alike.
    pub nelo: Option<f64>,
    /// The lower end of its 95 % interval.
    pub nelo_low: Option<f64>,
    pub nelo_high: Option<f64>,
    /// Pairs in which A scored 0, 1/2, 1, 3/2 and 2 points; null where games are not paired.
    pub pairs: Option<[u64; 5]>,
    /// Of these the pairs that are evidence: see [`MatchResult::evidence`].
    pub distinct_pairs: Option<[u64; 5]>,
    pub distinct_games: u64,
    pub plies: u64,
    pub seconds: f64,
    pub seed: u64,
    pub openings: String,
    /// Who moved first when.
    pub schedule: String,
    pub by_agent: [AgentReport; 2],
    /// Games that were forfeited: the first hundred of them.
    pub forfeits: Vec<ForfeitReport>,
    /// How the sequential test ended; null without one.
    pub sprt: Option<SprtResult>,
    #[serde(skip)]
    forfeited: Option<MostlyForfeited>,
    #[serde(skip)]
    evidence: Evidence,
}

/// What one agent spent on a match.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct AgentReport {
    pub agent: String,
    pub moves: u64,
    /// Time of its choices, summed over games.
    pub search_seconds: f64,
    pub slowest_seconds: f64,
    pub nodes: u64,
    /// Iterations of Monte Carlo tree search, summed over games.
    pub iterations: u64,
    /// Games it forfeited by running out of time.
    pub timeouts: u64,
    /// Games it forfeited for any other reason.
    pub errors: u64,
    /// Attempts at a move that ran out of time, whether or not the game was forfeited.
    pub late_attempts: u64,
    /// Moves that came late, but within the grace.
    pub moves_in_grace: u64,
    /// Whether it had a limit of time.
    #[serde(skip)]
    is_timed: bool,
    /// Whether it is an outside program.
    #[serde(skip)]
    is_program: bool,
}

impl AgentReport {
    const fn forfeits(&self) -> u64 {
        self.timeouts + self.errors
    }
}

#[derive(Clone, Debug, Serialize)]
pub(crate) struct ForfeitReport {
    /// The game's number, from 0.
    pub game: u64,
    /// Who forfeited it: `A` or `B`.
    pub by: &'static str,
    pub failure: String,
}

impl MatchReport {
    /// The report of a match that was played.
    pub(crate) fn new(game: &GameInfo, plan: &MatchPlan, result: &MatchResult) -> Self {
        let labels = plan.agents.each_ref().map(ToString::to_string);
        let summary = &result.summary;
        let by_agent = [0, 1].map(|index| AgentReport {
            agent: labels[index].clone(),
            moves: summary.sides[index].moves,
            search_seconds: summary.sides[index].search.as_secs_f64(),
            slowest_seconds: summary.sides[index].slowest.as_secs_f64(),
            nodes: summary.sides[index].nodes,
            iterations: summary.sides[index].iterations,
            timeouts: summary.timeouts[index],
            errors: summary.errors[index],
            late_attempts: summary.sides[index].timeouts,
            moves_in_grace: summary.sides[index].late,
            is_timed: plan.agents[index].kind.is_timed(),
            is_program: plan.agents[index].command().is_some(),
        });
        let forfeit = |forfeit: &ForfeitedGame| ForfeitReport {
            game: forfeit.game,
            by: if forfeit.by_a { "A" } else { "B" },
            failure: forfeit.failure.to_string(),
        };
        let nelo = result.evidence.normalised_elo();
        Self {
            game: game.name,
            rules: plan.rules.clone(),
            agents: labels,
            games: summary.tally.games(),
            tally: summary.tally,
            timeouts: summary.timeouts.iter().sum(),
            errors: summary.errors.iter().sum(),
            figures: result.figures(),
            nelo: nelo.elo,
            nelo_low: nelo.low,
            nelo_high: nelo.high,
            pairs: result.pairs,
            distinct_pairs: result.evidence.pairs(),
            distinct_games: result.distinct_games,
            plies: summary.plies,
            seconds: result.elapsed.as_secs_f64(),
            seed: plan.settings.seed,
            openings: plan.openings.to_string(),
            schedule: plan.settings.schedule.to_string(),
            by_agent,
            forfeits: result.forfeits.iter().map(forfeit).collect(),
            sprt: result.sprt,
            forfeited: summary.mostly_forfeited(),
            evidence: result.evidence,
        }
    }

    /// Who forfeited more than half of the games, in a sentence: such a match says nothing about strength.
    pub(crate) fn mostly_forfeited(&self) -> Option<String> {
        let forfeited = self.forfeited?;
        let name = forfeited.by.map(|side| if side == Side::A { "A" } else { "B" });
        let is_theirs = |forfeit: &&ForfeitReport| name.is_none_or(|name| forfeit.by == name);
        let first = self.forfeits.iter().find(is_theirs);
        let reason = first.map_or("", |forfeit| &forfeit.failure);
        Some(format!("{}: {reason}", forfeited.in_words("agent A", "agent B", "both agents")))
    }
}

impl AgentReport {
    /// How many of its moves were late, in words.
    fn lateness(&self) -> String {
        match (self.late_attempts, self.moves_in_grace) {
            (0, 0) if self.is_timed => ", none late".into(),
            (0, 0) => String::new(),
            (late, _) if !self.is_program => format!(", {late} late"),
            (0, in_grace) => format!(", {in_grace} late, all within the grace"),
            (late, in_grace) => {
                format!(", {} late, {in_grace} of them within the grace", late + in_grace)
            }
        }
    }
}

impl MatchReport {
    /// How many moves were late, of both sides.
    pub(crate) fn late_moves(&self) -> u64 {
        self.by_agent.iter().map(|side| side.late_attempts + side.moves_in_grace).sum()
    }

    /// Whether agents of tictune were late, too, which keep their time on a machine that is free.
    pub(crate) fn own_agents_were_late(&self) -> bool {
        self.by_agent.iter().any(|side| !side.is_program && side.late_attempts > 0)
    }

    fn write_figures(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let figures = &self.figures;
        writeln!(
            f,
            "score {:.1} %, Elo {} ({} to {}), {}",
            100.0 * figures.score,
            elo(figures.elo, self.evidence.score()),
            elo(figures.elo_low, 0.0),
            elo(figures.elo_high, 1.0),
            figures.p.map_or_else(|| "no p-value".into(), p_equals)
        )?;
        let all = self.pairs.map_or(self.games, |pairs| pairs.iter().sum());
        let (distinct, unit) =
            (self.evidence.units(), if self.pairs.is_some() { "pairs" } else { "games" });
        if distinct < all {
            writeln!(
                f,
                "{distinct} of {all} {unit} repeat no other: Elo and p are of these alone"
            )?;
        }
        if figures.p.is_none() {
            writeln!(f, "no verdict: {DIFFERENT_SIDES}")?;
        }
        let [elo_error, nelo_error] = self.evidence.normal_errors();
        if let (Some(elo), Some(nelo), Some(nelo_error)) = (figures.elo, self.nelo, nelo_error) {
            let elo_error = elo_error.map_or("inf".into(), |error| format!("{error:.2}"));
            writeln!(
                f,
                "as fastchess prints it: Elo {elo:.2} +/- {elo_error}, nElo {nelo:.2} +/- {nelo_error:.2}, LOS {:.2} %",
                100.0 * figures.los
            )?;
        }
        self.sprt.as_ref().map_or(Ok(()), |sprt| writeln!(f, "{}", sequential(sprt)))
    }
}

impl fmt::Display for MatchReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Tally { wins, draws, losses } = self.tally;
        if let Some(forfeited) = self.mostly_forfeited() {
            writeln!(f, "no result: {forfeited}")?;
        }
        writeln!(f, "A  {}\nB  {}", self.agents[0], self.agents[1])?;
        writeln!(
            f,
            "{} games, openings {}, schedule {}, seed {}: A won {wins}, drew {draws}, lost {losses}",
            self.games, self.openings, self.schedule, self.seed
        )?;
        if self.forfeited.is_none() {
            self.write_figures(f)?;
        }
        if let Some(pairs) = self.pairs {
            writeln!(f, "pairs by A's points 0, 1/2, 1, 3/2, 2: {pairs:?}")?;
        }
        writeln!(
            f,
            "{} distinct games, {}{:.2} s, {}",
            self.distinct_games,
            // A runner's program tells nothing but who won.
            if self.plies > 0 { format!("{} plies, ", self.plies) } else { String::new() },
            self.seconds,
            rate(self.games as f64 / self.seconds)
        )?;
        let sides = ["A", "B"].iter().zip(&self.by_agent);
        for (name, side) in sides.filter(|(_, side)| self.plies > 0 || side.forfeits() > 0) {
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
                1e3 * side.search_seconds / moves,
                1e3 * side.slowest_seconds,
                side.lateness()
            )?;
            if side.forfeits() > 0 {
                writeln!(
                    f,
                    "{name} forfeited {} games on time and {} for other reasons",
                    side.timeouts, side.errors
                )?;
            }
        }
        for ForfeitReport { game, by, failure } in self.forfeits.iter().take(5) {
            writeln!(f, "game {game}: {by} forfeited: {failure}")?;
        }
        Ok(())
    }
}

/// The result of a sequential test, in a sentence.
fn sequential(result: &SprtResult) -> String {
    let (elo0, elo1) = (result.test.elo0(), result.test.elo1());
    let elo = match result.test.model() {
        Model::Logistic => "Elo",
        Model::Normalized => "nElo",
    };
    let said = match result.decision {
        Some(Hypothesis::H1) => {
            format!(
                "H1 accepted: A is likely {elo1} {elo} stronger than B or more, not {elo0} or less"
            )
        }
        Some(Hypothesis::H0) => {
            format!(
                "H0 accepted: A is likely {elo0} {elo} stronger than B or less, not {elo1} or more"
            )
        }
        None => {
            format!("not decided by these games: A may be {elo0} or {elo1} {elo} stronger than B")
        }
    };
    format!(
        "sequential test: {said}\nLLR: {:.2} ({:.2},{:.2}) <{elo0:.2},{elo1:.2}> {}",
        result.llr,
        result.lower,
        result.upper,
        result.test.model()
    )
}

/// An Elo number, or the infinity that null stands for at this end.
fn elo(value: Option<f64>, end: f64) -> String {
    match value {
        Some(elo) => format!("{elo:+.0}"),
        None if end > 0.5 => "+inf".into(),
        None => "-inf".into(),
    }
}

/// A speed with as many digits as people read.
pub(crate) fn rate(games_per_second: f64) -> String {
    match games_per_second {
        speed if speed < 10.0 => format!("{speed:.1} games/s"),
        speed => format!("{speed:.0} games/s"),
    }
}

/// A number of things: "1 pairing", "2 pairings".
pub(crate) fn counted(count: usize, thing: &str) -> String {
    format!("{count} {thing}{}", if count == 1 { "" } else { "s" })
}

pub(crate) fn comparison_table(comparison: &Comparison) -> String {
    let Comparison { tally, figures, .. } = comparison;
    let sides = [("best", *tally, figures.score), ("mean", tally.reversed(), 1.0 - figures.score)];
    let row = |(name, tally, score): &(&str, Tally, f64)| {
        vec![
            (*name).to_string(),
            tally.wins.to_string(),
            tally.draws.to_string(),
            tally.losses.to_string(),
            format!("{:.1} %", 100.0 * score),
        ]
    };
    let mut text = table(&["", "won", "drew", "lost", "score"], sides.iter().map(row));
    text += &format!(
        "{} games, {}, openings {}, {} distinct: {}\n",
        comparison.games,
        comparison.agent,
        comparison.openings,
        comparison.distinct_games,
        comparison.verdict
    );
    text + &repeated_games(comparison.distinct_games, comparison.games)
}

/// A warning where fewer than 90 % of the games are distinct; else nothing.
pub(crate) fn repeated_games(distinct: u64, games: u64) -> String {
    if distinct * 10 >= games * 9 {
        return String::new();
    }
    format!(
        "warning: only {distinct} of {games} games are distinct; one that is played again shows nothing new\n"
    )
}
