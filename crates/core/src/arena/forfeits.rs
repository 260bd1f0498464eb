//! Forfeited games: counted while they are played, and when they are too many for a result.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard};

use serde::{Deserialize, Serialize};

use super::executor::{Calls, Executor, ExecutorError, Work, lock};
use super::result::{GameResult, MostlyForfeited, Side, Summary};
use crate::agent::AgentSpec;
use crate::stats::Tally;

/// The games of a run and how many of them were forfeited, as a run keeps them from one session to the next.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeptForfeits {
    /// All games, from the views of the agents A.
    tally: Tally,
    timeouts: [u64; 2],
    errors: [u64; 2],
    first: Option<String>,
}

impl KeptForfeits {
    /// Whether no game is forfeited twice. Sums of such counts stay small numbers.
    pub fn is_possible(&self) -> bool {
        const MOST: u64 = 1 << 48;
        let Tally { wins, draws, losses } = self.tally;
        let forfeits = || self.timeouts.into_iter().chain(self.errors);
        let mut all = [wins, draws, losses].into_iter().chain(forfeits());
        all.all(|count| count < MOST) && forfeits().sum::<u64>() <= wins + losses
    }
}

type Keep<'e> = dyn Fn(&KeptForfeits) + Sync + 'e;

/// An executor that counts the games which another one plays, and those that were forfeited.
pub struct CountForfeits<'e> {
    executor: &'e dyn Executor,
    counts: Mutex<ForfeitCounts>,
    keep: Option<&'e Keep<'e>>,
    /// Whether the next work fails if some program forfeits every game of it: see [`needing_games`](Self::needing_games).
    needs_games: AtomicBool,
}

#[derive(Default)]
struct ForfeitCounts {
    kept: KeptForfeits,
    programs: BTreeMap<String, ProgramCounts>,
}

#[derive(Default)]
struct ProgramCounts {
    games: u64,
    forfeits: u64,
    /// The text form of the agent that forfeited the first of them, and how.
    first: Option<(String, String)>,
    by: BTreeSet<usize>,
}

impl ProgramCounts {
    /// Whether it is the program that does not play, and not the numbers of a candidate that are beyond it.
    fn is_hopeless(&self) -> bool {
        const GAMES: u64 = 20;
        const AGENTS: usize = 3;
        self.forfeits == self.games && self.games >= GAMES && self.by.len() >= AGENTS
    }
}

impl<'e> CountForfeits<'e> {
    pub fn new(executor: &'e dyn Executor) -> Self {
        Self { executor, counts: Mutex::default(), keep: None, needs_games: AtomicBool::new(false) }
    }

    /// Counts on from an earlier session. Where programs play, `keep` is handed the counts after each work that they played.
    pub fn after(self, earlier: KeptForfeits, keep: &'e Keep<'e>) -> Self {
        let counts = Mutex::new(ForfeitCounts { kept: earlier, ..ForfeitCounts::default() });
        Self { counts, keep: Some(keep), ..self }
    }

    /// Fails in the first work, if some program forfeits every game of it, and passes no result on from its first game.
    pub fn needing_games(self) -> Self {
        Self { needs_games: AtomicBool::new(true), ..self }
    }

    /// Where a program has forfeited all of its games so far, the agent that forfeited the first, and what to say of it.
    pub fn never_played(&self) -> Option<(String, String)> {
        self.counts().programs.iter().find_map(|(command, program)| {
            let games = Some(program.games).filter(|games| *games == program.forfeits)?;
            let (agent, failure) = program.first.as_ref()?;
            let text = format!(
                "\"{command}\" forfeited all of its {games} games; the first failure: {failure}"
            );
            Some((agent.clone(), text))
        })
    }

    fn counts(&self) -> MutexGuard<'_, ForfeitCounts> {
        lock(&self.counts)
    }

    /// Whether more than half of all games so far were forfeited, and by whom, from the views of the agents A.
    pub fn mostly_forfeited(&self) -> Option<MostlyForfeited> {
        let KeptForfeits { tally, timeouts, errors, .. } = self.counts().kept;
        Summary { tally, timeouts, errors, ..Summary::default() }.mostly_forfeited()
    }

    /// What was counted in words, and how often a program was replaced; `None` if there is nothing to say.
    pub fn in_words(&self) -> Option<String> {
        let KeptForfeits { tally, timeouts, errors, first } = self.counts().kept.clone();
        let [timeouts, errors] = [timeouts, errors].map(|sides| sides.iter().sum::<u64>());
        let (forfeits, games) = (timeouts + errors, tally.games());
        let first = first.map_or_else(String::new, |first| format!("; the first by {first}"));
        let forfeits = (forfeits > 0).then(|| {
            format!(
                "{forfeits} of {games} games were forfeited by programs: {timeouts} on time, {errors} for other reasons{first}"
            )
        });
        let said: Vec<String> = forfeits.into_iter().chain(restarts(self)).collect();
        (!said.is_empty()).then(|| said.join("; "))
    }
}

impl ForfeitCounts {
    fn add(&mut self, work: &Work, numbers: [usize; 2], game: &GameResult) {
        let Summary { tally, timeouts, errors, .. } = Summary::of(game);
        self.kept.tally = self.kept.tally.plus(&tally);
        for side in [0, 1] {
            self.kept.timeouts[side] += timeouts[side];
            self.kept.errors[side] += errors[side];
        }
        let agents = numbers.map(|number| work.agents.get(number));
        let name = |side: Side| agents[side as usize].map_or(String::new(), AgentSpec::short);
        let forfeit = game.forfeit().map(|(side, failure)| (side, name(side), failure));
        if let Some((_, agent, failure)) = &forfeit {
            self.kept.first.get_or_insert_with(|| format!("{agent}: {failure}"));
        }
        let command = |side: Side| agents[side as usize].and_then(AgentSpec::command);
        for side in [Side::A, Side::B] {
            let Some(name) = command(side) else { continue };
            let program = self.programs.entry(name.into()).or_default();
            // A game of a program against itself is one.
            program.games += u64::from(side == Side::A || command(Side::A) != Some(name));
            if let Some((.., failure)) = forfeit.as_ref().filter(|(by, ..)| *by == side) {
                program.forfeits += 1;
                program.by.insert(numbers[side as usize]);
                let agent = || agents[side as usize].map_or(String::new(), ToString::to_string);
                program.first.get_or_insert_with(|| (agent(), failure.to_string()));
            }
        }
    }
}

/// How often a program that did not answer was replaced, in words; `None` if none was.
pub fn restarts(executor: &dyn Executor) -> Option<String> {
    match executor.restarts() {
        0 => None,
        1 => Some("a program did not answer and was replaced once".into()),
        times => Some(format!("programs did not answer and were replaced {times} times")),
    }
}

impl Executor for CountForfeits<'_> {
    fn play(&self, work: &Work, calls: Calls<'_>) -> Result<(), ExecutorError> {
        let Calls { sink, on_games, stop } = calls;
        let needs_games = self.needs_games.swap(false, Ordering::Relaxed);
        let mut held = Vec::new();
        let mut counting = |unit: usize, games: Vec<GameResult>| {
            let mut counts = self.counts();
            for game in &games {
                counts.add(work, work.units[unit].agents, game);
            }
            let is_hopeless = counts.programs.values().any(ProgramCounts::is_hopeless);
            drop(counts);
            if !needs_games {
                return sink(unit, games);
            }
            held.push((unit, games));
            match self.never_played() {
                Some(_) if is_hopeless => ControlFlow::Break(()),
                Some(_) => ControlFlow::Continue(()),
                None => held.drain(..).try_for_each(|(unit, games)| sink(unit, games)),
            }
        };
        let played = self.executor.play(work, Calls { sink: &mut counting, on_games, stop });
        match self.never_played().filter(|_| needs_games) {
            Some((_, text)) => played.and(Err(ExecutorError::Program(text))),
            None => {
                let counts = self.counts();
                if let Some(keep) = self.keep.filter(|_| !counts.programs.is_empty()) {
                    keep(&counts.kept);
                }
                played
            }
        }
    }

    fn play_hash(&self, rules: &str) -> Option<u64> {
        self.executor.play_hash(rules)
    }

    fn restarts(&self) -> u64 {
        self.executor.restarts()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_that_cannot_be_are_refused() {
        let tally = Tally { wins: 2, draws: 1, losses: 0 };
        let possible = KeptForfeits { tally, timeouts: [0, 1], errors: [0, 1], first: None };
        assert!(possible.is_possible() && KeptForfeits::default().is_possible());
        for (timeouts, errors) in [([2, 0], [0, 1]), ([u64::MAX, 1], [1, 0])] {
            assert!(!KeptForfeits { timeouts, errors, ..possible.clone() }.is_possible());
        }
        let tally = Tally { wins: u64::MAX, ..tally };
        assert!(!KeptForfeits { tally, ..possible }.is_possible());
    }
}
