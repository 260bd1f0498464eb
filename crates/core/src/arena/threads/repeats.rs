//! Games that repeat others, so that they need not be played.
//!
//! Where neither side uses random numbers, a game follows from its opening and who moves first. A match from few openings
//! (Liang's from the centre has one) then consists of the same few games.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use crate::agent::AgentSpec;
use crate::arena::executor::{Detail, ExecutorError, Unit, Work};
use crate::arena::game::draw;
use crate::arena::{GameResult, MatchSettings};
use crate::game::Game;

/// What is to be played of a unit.
#[derive(Clone)]
pub(super) enum GamesToPlay {
    All(u64),
    /// Only those that repeat no other.
    Different(Arc<Different>),
}

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
            Self::Different(all) => all.same_as.iter().map(|&n| played[n].clone()).collect(),
        }
    }
}

/// What games are: openings, the match, the number of its first opening, and which of its games.
type Key = (usize, MatchSettings, u64, Range<u64>);

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
        // Agents that were ready have no spec.
        let specs = || unit.agents.into_iter().map(|agent| work.agents.get(agent));
        let may_repeat = unit.detail == Detail::Outcomes
            && !unit.settings.replay_ties
            && specs().all(|spec| spec.is_some_and(AgentSpec::is_without_chance));
        if !may_repeat {
            return Ok(GamesToPlay::All(unit.games()));
        }
        let key = (unit.openings, unit.settings, unit.first_number, unit.range.clone());
        if let Some(known) = self.known.get(&key) {
            return Ok(known.clone());
        }
        let (mut places, mut games, mut same_as) = (HashMap::new(), Vec::new(), Vec::new());
        for index in unit.range.clone() {
            let task = unit.task(index);
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
