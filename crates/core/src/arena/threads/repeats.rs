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
pub(super) struct GamesToPlay {
    /// The first of each different game, by its index in the match, and how often it comes.
    pub(super) games: Vec<(u64, u64)>,
    /// Which of those each game of the unit is; empty if none is sure to repeat another.
    same_as: Vec<usize>,
}

impl GamesToPlay {
    /// All games of the unit from those that were played.
    pub(super) fn all_games(&self, played: Vec<GameResult>) -> Vec<GameResult> {
        if self.same_as.is_empty() {
            return played;
        }
        self.same_as.iter().map(|&place| played[place].clone()).collect()
    }
}

/// What games are: openings, the match, the number of its first opening, and which of its games.
type Key = (usize, MatchSettings, u64, Range<u64>);

/// Finds repeated games, once for all units that differ in their agents only.
#[derive(Default)]
pub(super) struct Repeats {
    known: HashMap<Key, Arc<GamesToPlay>>,
}

impl Repeats {
    /// What is to be played of a unit.
    pub(super) fn games_to_play<P: Game>(
        &mut self,
        work: &Work,
        unit: &Unit,
        rules: P::Rules,
    ) -> Result<Arc<GamesToPlay>, ExecutorError> {
        // Agents that were ready have no spec.
        let specs = || unit.agents.into_iter().map(|agent| work.agents.get(agent));
        let may_repeat = unit.detail == Detail::Outcomes
            && !unit.settings.replay_ties
            && specs().all(|spec| spec.is_some_and(AgentSpec::is_without_chance));
        if !may_repeat {
            let games = unit.range.clone().map(|index| (index, 1)).collect();
            return Ok(Arc::new(GamesToPlay { games, same_as: Vec::new() }));
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
        let to_play = Arc::new(GamesToPlay { games, same_as });
        self.known.insert(key, Arc::clone(&to_play));
        Ok(to_play)
    }
}
