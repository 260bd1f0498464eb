//! Tournaments: many agents of which every pair that the format names plays a match.
//!
//! All games of all pairings are one list that the threads take from in order. A pairing's games are those
//! of the match between its agents with the tournament's settings: the same seeds, so the same openings for
//! every pairing. What a game is does not depend on who else takes part; its identity says what
//! it depends on, so that a game that is logged (see [`GameLog`]) is never played twice.

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use strum::{Display, EnumString, VariantNames};
use thiserror::Error;

use super::matches::count;
use super::tournament_log::{GameLog, GameRow};
use super::{Contest, Forfeit, GameTask, MatchSettings, Openings, Schedule, Summary};
use crate::agent::{AgentFactory, AgentSpec, Failure, Playable};
use crate::files::FileError;
use crate::game::{Game, Player};
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
)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case", parse_err_ty = InputError, parse_err_fn = unknown_format)]
pub enum Format {
    /// Everybody against everybody.
    #[default]
    RoundRobin,
    /// The first agent against everybody else.
    Gauntlet,
}

fn unknown_format(name: &str) -> InputError {
    unknown_name::<Format>("format", name)
}

impl Format {
    /// The pairings of so many agents, by number. `ordered`: a pairing is played in one direction only, so
    /// that both directions are pairings.
    #[must_use]
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
    /// Who moves first when. With [`Schedule::First`] both directions of a pairing are played.
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
    /// What it is called; no two have the same name.
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
        /// What it is called.
        agent: String,
        /// Why.
        failure: Failure,
    },
}

/// The most games of a tournament: all are held in memory.
pub const MAX_TOURNAMENT_GAMES: u64 = 1_000_000;

/// How much of a game's fingerprint is its identity: 96 bits in hexadecimal digits.
const IDENTITY_BYTES: usize = 12;

/// A tournament that is ready to be played.
#[derive(Debug)]
pub struct Tournament<P: Game> {
    names: Vec<String>,
    factories: Vec<AgentFactory<P>>,
    rules: P::Rules,
    openings: Openings,
    settings: MatchSettings,
    pairings: Vec<[usize; 2]>,
    /// What the games of each pairing have in common, hashed.
    common: Vec<Sha256>,
}

/// The games of a pairing, summed from the view of its first agent.
#[derive(Clone, Debug, PartialEq)]
pub struct PairingResult {
    /// The agents, by number.
    pub agents: [usize; 2],
    /// Sums over the games.
    pub summary: Summary,
    /// Where games are paired: pairs in which the first scored 0, 1/2, 1, 3/2 and 2 points.
    pub pairs: Option<[u64; 5]>,
    /// Different games.
    pub distinct_games: u64,
}

impl<P: Playable> Tournament<P> {
    /// Prepares the agents of a plan.
    ///
    /// # Errors
    /// Fewer than two agents, a number of games that the schedule does not allow, too many of them;
    /// rules of another game; agents that cannot be had.
    pub fn new(plan: &TournamentPlan) -> Result<Self, InputError> {
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
        let rules: P::Rules = plan.rules.parse().map_err(|_| {
            InputError::new(format!("rules \"{}\" are not of {}", plan.rules, P::INFO.name))
        })?;
        let complete = |entrant: &Entrant| entrant.agent.clone().complete(P::INFO);
        let specs = plan.entrants.iter().map(complete).collect::<Result<Vec<_>, _>>()?;
        let factories = specs.iter().map(AgentSpec::prepare).collect::<Result<Vec<_>, _>>()?;
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
        Ok(Self {
            names: plan.entrants.iter().map(|entrant| entrant.name.clone()).collect(),
            factories,
            rules,
            openings: plan.openings.clone(),
            settings,
            pairings,
            common,
        })
    }

    /// The agents' complete text forms.
    #[must_use]
    pub fn labels(&self) -> Vec<String> {
        self.factories.iter().map(|factory| factory.label().to_string()).collect()
    }

    /// All games.
    #[must_use]
    pub fn games(&self) -> u64 {
        self.pairings.len() as u64 * self.settings.games
    }

    /// The games that the log does not hold yet.
    #[must_use]
    pub fn open_games(&self, log: &GameLog) -> u64 {
        (0..self.games()).filter(|&game| log.find(&self.identity(game)).is_none()).count() as u64
    }

    /// A game's pairing, its number in there, and what is to be played.
    fn task(&self, game: u64) -> (usize, u64, GameTask) {
        let MatchSettings { games, seed, schedule, .. } = self.settings;
        let (pairing, index) = ((game / games) as usize, game % games);
        (pairing, index, schedule.task(seed, 0, index, games))
    }

    /// What tells a game from all others, of this tournament or another: a hash of both agents (in their
    /// order), the rules, the openings, the game's number and seed, who moves first, and the
    /// version of this program.
    #[must_use]
    pub fn identity(&self, game: u64) -> String {
        let (pairing, _, GameTask { number, seed, a_first }) = self.task(game);
        let mut hash = self.common[pairing].clone();
        hash.update(number.to_le_bytes());
        hash.update(seed.to_le_bytes());
        hash.update([u8::from(a_first)]);
        hash.finalize().iter().take(IDENTITY_BYTES).map(|byte| format!("{byte:02x}")).collect()
    }

    /// Plays the games that the log does not hold, on the threads of the current rayon pool, and gives all of
    /// them in order. A game is logged when it is over. `progress` is called after that, from any
    /// thread; if it says `false` no further game is begun, and there is no result.
    ///
    /// # Errors
    /// Openings that cannot be had; a program that cannot be started; a log that cannot be written.
    pub fn play(
        &self,
        log: Option<&GameLog>,
        progress: &(dyn Fn() -> bool + Sync),
    ) -> Result<Option<Vec<GameRow>>, TournamentError> {
        let stopped = AtomicBool::new(false);
        let play = |game: u64| -> Result<Option<(u64, GameRow)>, TournamentError> {
            let identity = self.identity(game);
            if let Some(row) = log.and_then(|log| log.find(&identity)) {
                return Ok(Some((game, self.placed(game, row.clone()))));
            }
            if stopped.load(Ordering::Relaxed) {
                return Ok(None);
            }
            let played = self.play_game(game, identity).and_then(|row| {
                if let Some(log) = log {
                    log.append(&row)?;
                }
                Ok(progress().then_some((game, row)))
            });
            stopped.fetch_or(!matches!(played, Ok(Some(_))), Ordering::Relaxed);
            played
        };
        // Threads take from a bridged iterator in its order.
        let played = (0..self.games()).par_bridge().map(play).collect::<Result<Vec<_>, _>>()?;
        if let Some(log) = log {
            log.sync()?;
        }
        let Some(mut played) = played.into_iter().collect::<Option<Vec<_>>>() else {
            return Ok(None);
        };
        played.sort_unstable_by_key(|(game, _)| *game);
        Ok(Some(played.into_iter().map(|(_, row)| row).collect()))
    }

    fn play_game(&self, game: u64, identity: String) -> Result<GameRow, TournamentError> {
        let (pairing, index, task) = self.task(game);
        let [a, b] = self.pairings[pairing];
        let contest = Contest {
            a: &self.factories[a],
            b: &self.factories[b],
            rules: self.rules,
            openings: &self.openings,
        };
        let played = self.settings.play(&contest, index)?;
        if let Some(Forfeit { player, failure: failure @ Failure::Start(_) }) =
            &played.record.forfeit
        {
            let by_a = (*player == Player::First) == task.a_first;
            let agent = self.names[if by_a { a } else { b }].clone();
            return Err(TournamentError::Start { agent, failure: failure.clone() });
        }
        Ok(self.placed(game, GameRow::new(identity, &task, &played)))
    }

    /// A row with the names and the number that its game has in this tournament.
    fn placed(&self, game: u64, row: GameRow) -> GameRow {
        let (pairing, index, _) = self.task(game);
        let [a, b] = self.pairings[pairing].map(|agent| self.names[agent].clone());
        GameRow { a, b, game: index, ..row }
    }

    /// The pairings of a tournament whose games are all given in order.
    #[must_use]
    pub fn results(&self, games: &[GameRow]) -> Vec<PairingResult> {
        let result = |(agents, games): (&[usize; 2], &[GameRow])| {
            let summaries = games.iter().map(|row| &row.summary);
            let (summary, pairs) = count(self.settings.schedule, summaries);
            let distinct: HashSet<_> = games.iter().map(|row| (&row.start, &row.moves)).collect();
            PairingResult { agents: *agents, summary, pairs, distinct_games: distinct.len() as u64 }
        };
        self.pairings.iter().zip(games.chunks(self.settings.games as usize)).map(result).collect()
    }

    /// Everybody's rating.
    #[must_use]
    pub fn ratings(&self, results: &[PairingResult]) -> Vec<Rating> {
        let pairing = |result: &PairingResult| rating::Pairing {
            players: result.agents,
            tally: result.summary.tally,
            pairs: result.pairs,
        };
        rate(self.names.len(), &results.iter().map(pairing).collect::<Vec<_>>())
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::arena::play_match;
    use crate::games::uttt::{Rules, Uttt};

    fn plan(agents: &[&str], games: u64) -> TournamentPlan {
        let entrant = |text: &&str| Entrant {
            name: (*text).into(),
            agent: AgentSpec::parse::<Uttt>(text, Path::new("")).unwrap(),
        };
        TournamentPlan {
            name: "test".into(),
            game: "uttt".into(),
            rules: Rules::default().to_string(),
            format: Format::RoundRobin,
            games,
            seed: 3,
            schedule: Schedule::Paired,
            openings: Openings::parse::<Uttt>("random:4", Rules::default(), Path::new("")).unwrap(),
            replay_ties: false,
            entrants: agents.iter().map(entrant).collect(),
        }
    }

    fn tournament(plan: &TournamentPlan) -> Tournament<Uttt> {
        Tournament::new(plan).unwrap()
    }

    #[test]
    fn formats_say_who_plays_whom() {
        let robin = Format::RoundRobin;
        assert_eq!(robin.pairings(3, false), [[0, 1], [0, 2], [1, 2]]);
        assert_eq!(robin.pairings(3, true).len(), 6);
        assert_eq!(Format::Gauntlet.pairings(3, false), [[0, 1], [0, 2]]);
        assert_eq!(Format::Gauntlet.pairings(3, true), [[0, 1], [0, 2], [1, 0], [2, 0]]);
        for &name in Format::VARIANTS {
            assert_eq!(name.parse::<Format>().unwrap().to_string(), name);
        }
        assert!("knockout".parse::<Format>().unwrap_err().to_string().contains("Known"));
    }

    #[test]
    fn a_pairing_is_the_match_between_its_agents() {
        let plan = plan(&["greedy:eval=simple", "random", "reflex"], 20);
        let tournament = tournament(&plan);
        let games = tournament.play(None, &|| true).unwrap().unwrap();
        assert_eq!(games.len(), 60);
        for result in tournament.results(&games) {
            let [a, b] = result.agents.map(|agent| &tournament.factories[agent]);
            let contest = Contest { a, b, rules: Rules::default(), openings: &plan.openings };
            let expected = play_match(&contest, &tournament.settings, &|| true).unwrap().unwrap();
            assert_eq!(result.summary.tally, expected.summary.tally);
            assert_eq!(result.summary.plies, expected.summary.plies);
            assert_eq!(result.pairs, expected.pairs);
            assert_eq!(result.distinct_games, expected.distinct_games);
        }
    }

    #[test]
    fn identities_are_of_games_not_of_tournaments() {
        let identities = |plan: &TournamentPlan| -> HashSet<String> {
            let tournament = tournament(plan);
            (0..tournament.games()).map(|game| tournament.identity(game)).collect()
        };
        let two = plan(&["random", "reflex"], 4);
        let base = identities(&two);
        assert_eq!(base.len(), 4);
        // More agents or games, other names: the same games are among them.
        assert!(identities(&plan(&["greedy", "random", "reflex"], 4)).is_superset(&base));
        assert!(identities(&plan(&["random", "reflex"], 6)).is_superset(&base));
        let mut renamed = two.clone();
        renamed.entrants[0].name = "dice".into();
        assert_eq!(identities(&renamed), base);
        // The other order, seeds, rules, openings: other games.
        let change = |edit: &dyn Fn(&mut TournamentPlan)| {
            let mut other = two.clone();
            edit(&mut other);
            identities(&other)
        };
        for other in [
            identities(&plan(&["reflex", "random"], 4)),
            change(&|plan| plan.seed = 4),
            change(&|plan| plan.rules = "drawn_board=both,no_line=draw".into()),
            change(&|plan| plan.openings = Openings::None),
            change(&|plan| plan.replay_ties = true),
            change(&|plan| plan.entrants[0].agent.seed = Some(1)),
        ] {
            assert!(other.is_disjoint(&base));
        }
        // An agent against itself, thrice.
        assert_eq!(identities(&plan(&["random", "random", "random"], 4)).len(), 12);
    }

    #[test]
    fn plans_that_cannot_be_played_are_refused() {
        let refused =
            |plan: &TournamentPlan| Tournament::<Uttt>::new(plan).unwrap_err().to_string();
        assert!(refused(&plan(&["random"], 4)).contains("two agents, not 1"));
        assert!(refused(&plan(&["random", "reflex"], 3)).contains("an even number"));
        assert!(refused(&plan(&["random", "reflex"], 2_000_000)).contains("at most 1000000 games"));
        assert!(refused(&plan(&["minimax", "reflex"], 4)).contains("needs a depth"));
    }

    #[test]
    fn games_of_the_log_are_not_played_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.csv");
        let tournament = tournament(&plan(&["greedy:eval=simple", "random"], 40));
        let log = GameLog::open(&path).unwrap();
        // Stopped after the tenth game.
        let played = std::sync::atomic::AtomicU64::new(0);
        let ten = || played.fetch_add(1, Ordering::Relaxed) < 9;
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        assert!(pool.install(|| tournament.play(Some(&log), &ten)).unwrap().is_none());
        drop(log);
        let log = GameLog::open(&path).unwrap();
        assert_eq!(tournament.open_games(&log), 30);
        let rows = tournament.play(Some(&log), &|| true).unwrap().unwrap();
        drop(log);
        let log = GameLog::open(&path).unwrap();
        assert_eq!(tournament.open_games(&log), 0);
        let again = tournament.play(Some(&log), &|| panic!("a game was played")).unwrap().unwrap();
        assert_eq!(again, rows);
    }
}
