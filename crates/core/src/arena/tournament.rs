//! Tournaments: a match for every pairing of several agents.
//!
//! For the executor every game is its own unit, so that it can be logged as soon as it is over. The games of a pairing are
//! those of a match between its agents with the tournament's settings. All pairings have the same seeds, and so the same
//! openings. A game does not depend on who else takes part. Its identity is a hash of everything that it depends on, so
//! that a logged game is never played twice.

use std::ops::ControlFlow;
use std::sync::atomic::AtomicBool;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use strum::{Display, EnumString, VariantNames};
use thiserror::Error;

use super::executor::{Detail, Executor, ExecutorError, Unit, Work};
use super::matches::MatchCounts;
use super::tournament_log::{GameLog, GameRow};
use super::{
    BookRange, Fingerprint, GameResult, GameTask, MatchResult, MatchSettings, Openings, Schedule,
    Side, rules_of,
};
use crate::agent::{AgentSpec, Agents, Failure};
use crate::files::FileError;
use crate::game::Game;
use crate::input::{InputError, unknown_name};
use crate::stats::rating::{self, Rating, rate};

/// Who plays whom.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    Serialize,
    Deserialize,
    Display,
    EnumString,
    VariantNames,
    JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case", parse_err_ty = InputError, parse_err_fn = unknown_format)]
pub enum Format {
    /// Every agent plays every other.
    #[default]
    RoundRobin,
    /// The first agent plays all others.
    Gauntlet,
}

fn unknown_format(name: &str) -> InputError {
    unknown_name::<Format>("format", name)
}

impl Format {
    /// The pairings of so many agents, by number. `ordered`: a pairing is played in one direction only, so
    /// that both directions are pairings.
    pub fn pairings(self, agents: usize, ordered: bool) -> Vec<[usize; 2]> {
        let all = (0..agents).flat_map(|a| (0..agents).map(move |b| [a, b]));
        let wanted = |[a, b]: &[usize; 2]| {
            a != b && (ordered || a < b) && (self == Self::RoundRobin || *a == 0 || *b == 0)
        };
        all.filter(wanted).collect()
    }
}

/// A tournament as plain data.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TournamentPlan {
    /// Its name.
    pub name: String,
    /// The game.
    pub game: String,
    /// Its rules in text form.
    pub rules: String,
    /// Who plays whom.
    pub format: Format,
    /// Games of each pairing.
    pub games: u64,
    /// The seed of every pairing.
    pub seed: u64,
    /// Who moves first in each game. With [`Schedule::First`] both directions of a pairing are played.
    pub schedule: Schedule,
    /// Where games start.
    pub openings: Openings,
    /// Whether drawn games are played again (Amar).
    pub replay_ties: bool,
    /// Who takes part.
    pub entrants: Vec<Entrant>,
}

/// An agent that takes part in a tournament.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Entrant {
    /// Its name; no two agents have the same.
    pub name: String,
    /// The agent.
    pub agent: AgentSpec,
}

/// Why a tournament ended before its end.
#[derive(Debug, Error)]
pub enum TournamentError {
    /// Something that was supplied is wrong.
    #[error(transparent)]
    Input(#[from] InputError),
    /// The log could not be written.
    #[error(transparent)]
    File(#[from] FileError),
    /// An external agent could not be started: no fault of its play, so the game is not counted.
    #[error("agent {agent}: {failure}")]
    Start {
        /// Its name.
        agent: String,
        /// Why.
        failure: Failure,
    },
    /// The code of the game or of an agent panicked in a game. The text says with what, and in which game.
    #[error("{0}")]
    Panicked(String),
    /// It was asked to stop. Games that were over are in the log.
    #[error("interrupted")]
    Stopped,
}

/// The most games of a tournament. All are held in memory.
pub const MAX_TOURNAMENT_GAMES: u64 = 1_000_000;

/// How much of a game's fingerprint is its identity: 96 bits in hexadecimal digits.
const IDENTITY_BYTES: usize = 12;

/// A tournament that is ready to be played.
#[derive(Debug)]
pub struct Tournament {
    names: Vec<String>,
    /// All of the work but its units.
    work: Work,
    settings: MatchSettings,
    pairings: Vec<[usize; 2]>,
    /// A hash of what the games of each pairing have in common.
    common: Vec<Sha256>,
    /// Checks that the result of a logged game follows from its moves.
    check: fn(&GameRow, &str) -> Result<(), String>,
}

/// The games of a pairing.
#[derive(Clone, Debug, PartialEq)]
pub struct PairingResult {
    /// The agents, by number.
    pub agents: [usize; 2],
    /// The result, from the view of the first.
    pub result: MatchResult,
}

impl Tournament {
    /// Completes the agents of a plan, and checks that they can play.
    ///
    /// # Errors
    /// Fewer than two agents, a number of games that the schedule does not allow, too many of them;
    /// rules of another game; agents that cannot play.
    pub fn new<P: Game>(plan: &TournamentPlan, players: &Agents<P>) -> Result<Self, InputError> {
        let TournamentPlan { games, seed, schedule, replay_ties, .. } = *plan;
        let settings = MatchSettings { games, seed, schedule, replay_ties };
        settings.check()?;
        let agents = plan.entrants.len();
        if agents < 2 {
            return Err(InputError::new(format!("a tournament needs two agents, not {agents}")));
        }
        let pairings = plan.format.pairings(agents, schedule == Schedule::First);
        if pairings.len() as u64 > MAX_TOURNAMENT_GAMES / games {
            return Err(InputError::new(format!(
                "a tournament has at most {MAX_TOURNAMENT_GAMES} games; {} pairings of {games} are more",
                pairings.len()
            )));
        }
        let rules = rules_of::<P>(&plan.rules)?;
        let complete = |entrant: &Entrant| entrant.agent.clone().complete(P::INFO);
        let specs = plan.entrants.iter().map(complete).collect::<Result<Vec<_>, _>>()?;
        specs.iter().try_for_each(|spec| players.prepare(spec).map(drop))?;
        let common = pairings
            .iter()
            .map(|&[a, b]| {
                // The same agent may take part more than once.
                let copy = |of: usize| specs[..of].iter().filter(|s| **s == specs[of]).count();
                let what = (
                    ("tictune", env!("CARGO_PKG_VERSION"), P::INFO.name, rules.to_string()),
                    (&plan.openings, replay_ties),
                    (&specs[a], copy(a), &specs[b], copy(b)),
                );
                let text = serde_json::to_vec(&what).map_err(|error| {
                    InputError::new(format!("agents without an identity: {error}"))
                })?;
                Ok(Sha256::new_with_prefix(text))
            })
            .collect::<Result<_, InputError>>()?;
        // The first positions of an order that is the seed's, so that a tournament that grows begins with the same.
        let range = BookRange { order: seed, first: 0, count: settings.openings() };
        Ok(Self {
            names: plan.entrants.iter().map(|entrant| entrant.name.clone()).collect(),
            work: Work {
                game: P::INFO.name.into(),
                rules: rules.to_string(),
                agents: specs,
                openings: vec![plan.openings.in_range(range)?],
                units: Vec::new(),
                // A program that cannot be started is no fault of its play.
                must_start: true,
            },
            settings,
            pairings,
            common,
            check: |row, rules| {
                let rules = rules.parse().map_err(|_| "its rules cannot be read".to_string())?;
                row.check::<P>(rules)
            },
        })
    }

    /// The agents' complete text forms.
    pub fn labels(&self) -> Vec<String> {
        self.work.agents.iter().map(AgentSpec::to_string).collect()
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

    /// Checks the games of this tournament that the log holds: each as the game that its identity stands for, with the
    /// result that its moves lead to.
    ///
    /// # Errors
    /// The first row of which that is not so, with its line.
    #[doc(hidden)]
    pub fn check(&self, log: &GameLog) -> Result<(), InputError> {
        for game in 0..self.games() {
            let Some(row) = log.find(&self.identity(game)) else { continue };
            let (_, _, GameTask { number, seed, a_first }) = self.task(game);
            let checked = if (row.number, row.seed, row.first == Side::A) == (number, seed, a_first)
            {
                (self.check)(row, &self.work.rules)
            } else {
                Err("number, seed and first are not those of the game with this identity".into())
            };
            checked.map_err(|reason| {
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

    /// The identity of a game, in this tournament or any other: a hash of both agents (in their
    /// order), the rules, the openings, the game's number and seed, who moves first, and the
    /// version of this program.
    #[doc(hidden)]
    pub fn identity(&self, game: u64) -> String {
        let (pairing, _, GameTask { number, seed, a_first }) = self.task(game);
        let mut hash = self.common[pairing].clone();
        hash.update(number.to_le_bytes());
        hash.update(seed.to_le_bytes());
        hash.update([u8::from(a_first)]);
        hash.finalize().iter().take(IDENTITY_BYTES).map(|byte| format!("{byte:02x}")).collect()
    }

    /// Plays the games that the log does not hold, and gives all of them in order. A game is logged when it is over, and
    /// `progress` is called after that, from any thread.
    ///
    /// # Errors
    /// [`TournamentError::Stopped`] when `stop` was set, games in their middle are then dropped; openings that cannot be
    /// drawn; a program that cannot be started; a log that cannot be written.
    pub fn play(
        &self,
        executor: &dyn Executor,
        log: Option<&GameLog>,
        progress: &(dyn Fn() + Sync),
        stop: &AtomicBool,
    ) -> Result<Vec<GameRow>, TournamentError> {
        let mut rows: Vec<Option<GameRow>> = (0..self.games())
            .map(|game| {
                let row = log.and_then(|log| log.find(&self.identity(game)));
                row.map(|row| self.placed(game, row.clone()))
            })
            .collect();
        let open = (0..).zip(&rows).filter(|(_, row)| row.is_none());
        let open: Vec<u64> = open.map(|(game, _)| game).collect();
        let mut failed = None;
        let mut sink = |unit: usize, games: Vec<GameResult>| {
            for (game, result) in open[unit..].iter().copied().zip(games) {
                let row = self
                    .placed(game, GameRow::new(self.identity(game), &self.task(game).2, result));
                if let Err(error) = log.map_or(Ok(()), |log| log.append(&row)) {
                    failed = Some(error);
                    return ControlFlow::Break(());
                }
                rows[game as usize] = Some(row);
                progress();
            }
            ControlFlow::Continue(())
        };
        let played = executor.play(&self.work(&open), &mut sink, &|_, _| (), stop);
        if let Some(error) = failed {
            return Err(error.into());
        }
        match played {
            Ok(()) | Err(ExecutorError::Stopped) => {}
            Err(ExecutorError::Input(error)) => return Err(error.into()),
            Err(ExecutorError::Program(what)) => return Err(InputError::new(what).into()),
            Err(ExecutorError::Panicked(text)) => return Err(TournamentError::Panicked(text)),
            Err(ExecutorError::Start { agent, failure }) => {
                let agent = self.names[agent].clone();
                return Err(TournamentError::Start { agent, failure });
            }
        }
        if let Some(log) = log {
            log.sync()?;
        }
        rows.into_iter().collect::<Option<_>>().ok_or(TournamentError::Stopped)
    }

    /// Games to be played, each a unit.
    fn work(&self, games: &[u64]) -> Work {
        let unit = |&game: &u64| {
            let (pairing, index, _) = self.task(game);
            Unit {
                agents: self.pairings[pairing],
                openings: 0,
                settings: self.settings,
                first_number: 0,
                range: index..index + 1,
                detail: Detail::Moves,
            }
        };
        Work { units: games.iter().map(unit).collect(), ..self.work.clone() }
    }

    /// A row with the names and the number that its game has in this tournament.
    fn placed(&self, game: u64, row: GameRow) -> GameRow {
        let (pairing, index, _) = self.task(game);
        let [a, b] = self.pairings[pairing].map(|agent| self.names[agent].clone());
        GameRow { a, b, game: index, ..row }
    }

    /// The pairings of a tournament whose games are all given in order.
    pub fn results(&self, games: &[GameRow]) -> Vec<PairingResult> {
        let result = |(&agents, games): (&[usize; 2], &[GameRow])| {
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
        let pairing = |result: &PairingResult| rating::Pairing {
            players: result.agents,
            evidence: result.result.evidence,
        };
        rate(self.names.len(), &results.iter().map(pairing).collect::<Vec<_>>())
    }
}

#[cfg(test)]
mod tests;
