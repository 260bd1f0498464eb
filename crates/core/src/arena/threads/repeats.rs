//! Games that repeat others, so that they need not be played.
//!
//! Where neither side uses random numbers, a game follows from its opening and who moves first. A match from few openings
//! (Liang's from the centre has one) then consists of the same few games.

use std::collections::HashMap;
use std::sync::Arc;

use crate::agent::AgentSpec;
use crate::arena::executor::{Detail, ExecutorError, Unit, Work};
use crate::arena::game::draw;
use crate::arena::{GameResult, MatchSettings};
use crate::game::Game;

/// What is to be played of a unit.
#[derive(Clone)]
pub(super) enum GamesToPlay {
    /// All games, this many.
    All(u64),
    /// Only those that repeat no other.
    Different(Arc<Different>),
}

/// The different games of a unit.
pub(super) struct Different {
    /// The first of each, and how often it comes.
    games: Vec<(u64, u64)>,
    /// Which of those each game of the unit is.
    same_as: Vec<usize>,
}

impl GamesToPlay {
    pub(super) fn count(&self) -> u64 {
        match self {
            Self::All(games) => *games,
            Self::Different(different) => different.games.len() as u64,
        }
    }

    /// The game of a place among those to be played: its index in the match, and how many games of the unit it is.
    pub(super) fn game(&self, unit: &Unit, place: u64) -> (u64, u64) {
        match self {
            Self::All(_) => (unit.range.start + place, 1),
            Self::Different(different) => different.games[place as usize],
        }
    }

    /// All games of the unit from those that were played.
    pub(super) fn all_games(&self, played: Vec<GameResult>) -> Vec<GameResult> {
        match self {
            Self::All(_) => played,
            Self::Different(different) => {
                different.same_as.iter().map(|&place| played[place].clone()).collect()
            }
        }
    }
}

/// What games are: openings, the match, the number of its first opening, and which of its games.
type Key = (usize, MatchSettings, u64, [u64; 2]);

/// Finds repeated games, once for all units that differ in their agents only.
#[derive(Default)]
pub(super) struct Repeats {
    known: HashMap<Key, GamesToPlay>,
}

impl Repeats {
    /// What is to be played of a unit.
    pub(super) fn games_to_play<P: Game>(
        &mut self,
        work: &Work,
        unit: &Unit,
        rules: P::Rules,
    ) -> Result<GamesToPlay, ExecutorError> {
        let without_chance = |agent: usize| {
            // Agents that were ready have no spec.
            work.agents.get(agent).is_some_and(AgentSpec::is_without_chance)
        };
        let settings = unit.settings;
        if unit.detail != Detail::Outcomes
            || settings.replay_ties
            || !unit.agents.into_iter().all(without_chance)
        {
            return Ok(GamesToPlay::All(unit.games()));
        }
        let range = [unit.range.start, unit.range.end];
        let key = (unit.openings, settings, unit.first_number, range);
        if let Some(known) = self.known.get(&key) {
            return Ok(known.clone());
        }
        let (mut places, mut games, mut same_as) = (HashMap::new(), Vec::new(), Vec::new());
        for index in unit.range.clone() {
            let task =
                settings.schedule.task(settings.seed, unit.first_number, index, settings.games);
            let opening = draw::<P>(&work.openings[unit.openings], rules, &task)?;
            let game = (task.a_first, opening.start.key(), opening.moves);
            let place = *places.entry(game).or_insert(games.len());
            match games.get_mut(place) {
                Some((_, times)) => *times += 1,
                None => games.push((index, 1)),
            }
            same_as.push(place);
        }
        let to_play = GamesToPlay::Different(Arc::new(Different { games, same_as }));
        self.known.insert(key, to_play.clone());
        Ok(to_play)
    }
}
