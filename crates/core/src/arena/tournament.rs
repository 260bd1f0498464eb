//! Tournaments: a match for every pairing of several agents.
//!
//! For the executor every game is its own unit, so that it can be logged as soon as it is over. The games of a pairing are
//! those of a match between its agents; all pairings have the same seeds, and so the same openings. A game's identity is a
//! hash of everything that it depends on, so that a logged game is never played twice.

use std::ops::ControlFlow;
use std::sync::atomic::AtomicBool;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use strum::{Display, EnumString, VariantNames};

use super::executor::{Calls, Detail, Executor, ExecutorError, Unit, Work};
use super::matches::MatchCounts;
use super::tournament_log::{GameLog, TournamentRow};
use super::{
    BookRange, Fingerprint, GameResult, GameTask, MatchResult, MatchSettings, Openings, Schedule,
    Side, rules_of,
};
use crate::agent::{AgentSpec, Agents};
use crate::files::hexadecimal;
use crate::game::Game;
use crate::input::{InputError, Result, unknown};
use crate::stats::rating::{self, Rating, rate};
use crate::weights::number_namesakes;

/// Who plays whom.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[derive(Serialize, Deserialize, JsonSchema, Display, EnumString, VariantNames)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case", parse_err_ty = InputError, parse_err_fn = unknown_format)]
pub enum TournamentFormat {
    /// Every agent plays every other.
    #[default]
    RoundRobin,
    /// The first agent plays all others.
    Gauntlet,
}

fn unknown_format(name: &str) -> InputError {
    InputError::new(unknown("format", name, TournamentFormat::VARIANTS))
}

impl TournamentFormat {
    /// The pairings of so many agents, by number. `ordered`: both directions of a pairing are pairings.
    pub fn pairings(self, agents: usize, ordered: bool) -> Vec<[usize; 2]> {
        let all = (0..agents).flat_map(|a| (0..agents).map(move |b| [a, b]));
        let wanted = |[a, b]: &[usize; 2]| {
            a != b && (ordered || a < b) && (self == Self::RoundRobin || *a == 0 || *b == 0)
        };
        all.filter(wanted).collect()
    }
}

/// A tournament as plain data.
#[derive(Clone, Debug, PartialEq)]
pub struct TournamentPlan {
    /// What its folder is called.
    pub name: String,
    /// The game.
    pub game: String,
    /// Its rules in text form.
    pub rules: String,
    /// Who plays whom.
    pub format: TournamentFormat,
    /// The match of each pairing. With [`Schedule::First`] both directions of a pairing are played.
    pub settings: MatchSettings,
    /// Where games start.
    pub openings: Openings,
    /// Who takes part.
    pub entrants: Vec<Entrant>,
}

/// An agent that takes part in a tournament.
#[derive(Clone, Debug, PartialEq)]
pub struct Entrant {
    /// Its name; no two agents have the same.
    pub name: String,
    /// The agent.
    pub agent: AgentSpec,
}

/// The most games of a tournament. All are held in memory.
const MAX_TOURNAMENT_GAMES: u64 = 1_000_000;

/// How much of a game's fingerprint is its identity: 96 bits in hexadecimal digits.
const IDENTITY_BYTES: usize = 12;

/// A tournament that is ready to be played.
#[derive(Debug)]
pub struct Tournament {
    names: Vec<String>,
    work: Work,
    settings: MatchSettings,
    pairings: Vec<[usize; 2]>,
    /// A hash of what the games of each pairing have in common.
    common: Vec<Sha256>,
    /// Checks that the result of a logged game follows from its moves.
    check: fn(&TournamentRow, &str) -> Result<(), String>,
}

/// The games of a pairing.
#[derive(Clone, Debug, PartialEq)]
pub struct PairingResult {
    /// The agents, by number.
    pub agents: [usize; 2],
    /// The result, from the view of the first.
    pub result: MatchResult,
}

/// A hash of what the games of a pairing have in common.
fn in_common(
    work: &Work,
    openings: &Openings,
    replay_ties: bool,
    [a, b]: &[usize; 2],
) -> Result<Sha256> {
    let specs = &work.agents;
    // The same agent may take part more than once.
    let copy = |of: usize| specs[..of].iter().filter(|s| **s == specs[of]).count();
    let what = (
        ("tictune", env!("CARGO_PKG_VERSION"), &work.game, &work.rules),
        (openings, replay_ties),
        (&specs[*a], copy(*a), &specs[*b], copy(*b)),
    );
    let text = serde_json::to_vec(&what)
        .map_err(|error| InputError::new(format!("agents without an identity: {error}")))?;
    Ok(Sha256::new_with_prefix(text))
}

impl Tournament {
    /// Completes the agents of a plan, and checks that they can play.
    ///
    /// # Errors
    /// Fewer than two agents, a number of games that the schedule does not allow, too many of them;
    /// rules of another game; agents that cannot play.
    pub fn new<P: Game>(plan: &TournamentPlan, players: &Agents<P>) -> Result<Self> {
        let settings = plan.settings;
        settings.check()?;
        let MatchSettings { games, seed, schedule, replay_ties } = settings;
        let agents = plan.entrants.len();
        if agents < 2 {
            return Err(InputError::new(format!("a tournament needs two agents, not {agents}")));
        }
        let pairings = plan.format.pairings(agents, schedule == Schedule::First);
        let count = pairings.len() as u64;
        if count > MAX_TOURNAMENT_GAMES / games {
            return Err(InputError::new(format!(
                "a tournament has at most {MAX_TOURNAMENT_GAMES} games; {count} x {games} (pairings x games of each) are more"
            )));
        }
        let rules = rules_of::<P>(&plan.rules)?;
        let complete = |entrant: &Entrant| entrant.agent.clone().complete(P::INFO);
        let specs = plan.entrants.iter().map(complete).collect::<Result<Vec<_>, _>>()?;
        specs.iter().try_for_each(|spec| players.prepare_for(spec, rules).map(drop))?;
        // The first positions of an order that is the seed's, so that a tournament that grows begins with the same.
        let range = BookRange { order: seed, first: 0, count: settings.openings() };
        let work = Work {
            game: P::INFO.name.into(),
            rules: rules.to_string(),
            agents: specs,
            openings: vec![plan.openings.in_range(range)?],
            units: Vec::new(),
            // A program that cannot be started is no fault of its play.
            must_start: true,
        };
        let common = |pairing| in_common(&work, &plan.openings, replay_ties, pairing);
        let common = pairings.iter().map(common).collect::<Result<_>>()?;
        Ok(Self {
            names: plan.entrants.iter().map(|entrant| entrant.name.clone()).collect(),
            work,
            settings,
            pairings,
            common,
            check: |row, rules| {
                let rules = rules.parse().map_err(|_| "its rules cannot be read".to_string())?;
                row.check::<P>(rules)
            },
        })
    }

    /// The agents' complete text forms, in which different weights have different names.
    pub fn labels(&self) -> Vec<String> {
        let mut agents = self.work.agents.clone();
        let weights = agents.iter_mut().flat_map(AgentSpec::all_weights_mut);
        number_namesakes(weights.map(|(_, weights)| weights));
        agents.iter().map(AgentSpec::to_string).collect()
    }

    /// All games.
    pub fn games(&self) -> u64 {
        self.pairings.len() as u64 * self.settings.games
    }

    /// The games that the log does not hold yet.
    #[doc(hidden)]
    pub fn open_games(&self, log: &GameLog) -> u64 {
        (0..self.games()).filter(|&game| log.find(&self.identity(game)).is_none()).count() as u64
    }

    /// Checks that each logged game of this tournament is the one that its identity stands for, with the result that its moves
    /// lead to. The error names the first row of which that is not so, with its line.
    #[doc(hidden)]
    pub fn check(&self, log: &GameLog) -> Result<()> {
        for game in 0..self.games() {
            let Some(row) = log.find(&self.identity(game)) else { continue };
            let (_, _, GameTask { number, seed, a_first }) = self.task(game);
            let fits = (row.number, row.seed, row.first == Side::A) == (number, seed, a_first);
            let wrong = "number, seed and first are not those of the game with this identity";
            let fits = fits.then_some(()).ok_or_else(|| wrong.to_string());
            fits.and_then(|()| (self.check)(row, &self.work.rules)).map_err(|reason| {
                let remedy =
                    "it was edited or damaged; remove the line and the game is played again";
                log.wrong(&row.identity, format!("{reason}: {remedy}"))
            })?;
        }
        Ok(())
    }

    /// A game's pairing, its number in the pairing, and the game to play.
    fn task(&self, game: u64) -> (usize, u64, GameTask) {
        let MatchSettings { games, seed, schedule, .. } = self.settings;
        let (pairing, index) = ((game / games) as usize, game % games);
        (pairing, index, schedule.task(seed, 0, index, games))
    }

    /// The identity of a game, in this tournament or any other: a hash of both agents (in their order), the rules, the openings,
    /// the game's number and seed, who moves first, and the version of this program.
    #[doc(hidden)]
    pub fn identity(&self, game: u64) -> String {
        let (pairing, _, GameTask { number, seed, a_first }) = self.task(game);
        let mut hash = self.common[pairing].clone();
        hash.update(number.to_le_bytes());
        hash.update(seed.to_le_bytes());
        hash.update([u8::from(a_first)]);
        hexadecimal(&hash.finalize()[..IDENTITY_BYTES])
    }

    /// Plays the games that the log does not hold, and gives all of them in order. A game is logged when it is over, and
    /// `progress` is called after that, from any thread.
    ///
    /// # Errors
    /// [`ExecutorError::Stopped`] when `stop` was set, games in their middle are then dropped; openings that cannot be
    /// drawn; a program that cannot be started; a log that cannot be written.
    pub fn play(
        &self,
        executor: &dyn Executor,
        log: Option<&GameLog>,
        progress: &(dyn Fn() + Sync),
        stop: &AtomicBool,
    ) -> Result<Vec<TournamentRow>, ExecutorError> {
        let logged = |game: u64| {
            let row = log.and_then(|log| log.find(&self.identity(game)));
            row.map(|row| self.placed(game, row.clone()))
        };
        let mut rows: Vec<Option<TournamentRow>> = (0..self.games()).map(logged).collect();
        let open: Vec<u64> = (0..self.games()).filter(|&n| rows[n as usize].is_none()).collect();
        let mut failed = None;
        let mut sink = |unit: usize, games: Vec<GameResult>| {
            for (game, result) in open[unit..].iter().copied().zip(games) {
                let row = TournamentRow::new(self.identity(game), &self.task(game).2, result);
                let row = self.placed(game, row);
                if let Err(error) = log.map_or(Ok(()), |log| log.append(&row)) {
                    failed = Some(error);
                    return ControlFlow::Break(());
                }
                rows[game as usize] = Some(row);
                progress();
            }
            ControlFlow::Continue(())
        };
        let played = executor.play(&self.work(&open), Calls::new(&mut sink, stop));
        failed.map_or(Ok(()), Err)?;
        match played {
            Ok(()) | Err(ExecutorError::Stopped) => {}
            Err(ExecutorError::Start { agent, failure }) => {
                let text = format!("agent {}: {failure}", self.names[agent]);
                return Err(ExecutorError::Program(text));
            }
            Err(error) => return Err(error),
        }
        log.map_or(Ok(()), GameLog::sync)?;
        rows.into_iter().collect::<Option<_>>().ok_or(ExecutorError::Stopped)
    }

    fn work(&self, games: &[u64]) -> Work {
        let unit = |&game: &u64| {
            let (pairing, index, _) = self.task(game);
            let (settings, detail) = (self.settings, Detail::Moves);
            let (agents, range) = (self.pairings[pairing], index..index + 1);
            Unit { agents, openings: 0, settings, first_number: 0, range, detail }
        };
        Work { units: games.iter().map(unit).collect(), ..self.work.clone() }
    }

    /// A row with the names and the number that its game has in this tournament.
    fn placed(&self, game: u64, row: TournamentRow) -> TournamentRow {
        let (pairing, index, _) = self.task(game);
        let [a, b] = self.pairings[pairing].map(|agent| self.names[agent].clone());
        TournamentRow { a, b, game: index, ..row }
    }

    /// The pairings of a tournament whose games are all given in order.
    pub fn results(&self, games: &[TournamentRow]) -> Vec<PairingResult> {
        let result = |(&agents, games): (&[usize; 2], &[TournamentRow])| {
            let mut counts = MatchCounts::new(self.settings, None);
            for row in games {
                let game = format!("{} {}", row.start, row.moves);
                counts.count(&row.summary(), Fingerprint::of_text(&game));
            }
            PairingResult { agents, result: counts.finish() }
        };
        self.pairings.iter().zip(games.chunks(self.settings.games as usize)).map(result).collect()
    }

    /// The rating of each agent.
    pub fn ratings(&self, results: &[PairingResult]) -> Vec<Rating> {
        let pairing = |&PairingResult { agents: players, ref result }: &PairingResult| {
            rating::Pairing { players, evidence: result.evidence }
        };
        rate(self.names.len(), &results.iter().map(pairing).collect::<Vec<_>>())
    }
}

#[cfg(test)]
mod tests;
