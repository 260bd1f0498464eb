//! Stages as they are played elsewhere: in other games, against other vectors.

use super::fitness::{OpponentPlan, SelfPlayPlan};
use super::stage::StagePlan;
use tictune_core::agent::AgentSpec;
use tictune_core::arena::MAX_GAMES;
use tictune_core::input::InputError;

impl StagePlan {
    /// The stage with another number of games for each candidate, shared among its opponents as before.
    ///
    /// # Errors
    /// An odd number where games are played in pairs or halves; too many; too few for every opponent.
    pub fn in_games(&self, games: u64) -> Result<Self, InputError> {
        let fitness = &self.fitness;
        if games == fitness.games {
            return Ok(self.clone());
        }
        let refuse = |expected: String| {
            Err(InputError::new(format!("games: expected {expected}, found {games}")))
        };
        if fitness.schedule.needs_even() && !games.is_multiple_of(2) {
            return refuse(format!("an even number with schedule {}", fitness.schedule));
        }
        if !(1..=MAX_GAMES).contains(&games) {
            return refuse(format!("a number from 1 to {MAX_GAMES}"));
        }
        let mut stage = self.clone();
        stage.fitness.games = games;
        stage.fitness.share(games);
        if stage.fitness.opponents.iter().any(|plan| plan.games == 0) {
            return refuse(format!("enough for all {} opponents", fitness.opponents.len()));
        }
        Ok(stage)
    }

    /// The stage as candidates play it who are measured one by one, and have no other of their pair. Where that is all whom they play,
    /// `start` takes its place.
    pub fn one_by_one(mut self, start: &AgentSpec) -> Self {
        let fitness = &mut self.fitness;
        let of_two = fitness.games_of_self_play();
        let entry = |plan: SelfPlayPlan| OpponentPlan {
            agent: start.clone(),
            depth: (plan.depth > 0).then_some(plan.depth),
            openings: None,
            games: plan.games,
        };
        let in_its_place = std::mem::take(&mut fitness.self_play).into_iter().map(entry);
        if fitness.opponents.is_empty() {
            fitness.opponents.extend(in_its_place);
        } else {
            fitness.games -= of_two;
        }
        self
    }

    /// The stage as candidates play it against vectors that are named for each: an entry for each depth takes the place of
    /// the opponents.
    pub fn against_vectors(mut self) -> Self {
        let mut depths = Vec::new();
        self.fitness.opponents.retain(|plan| {
            let is_new = !depths.contains(&plan.depth);
            depths.push(plan.depth);
            is_new
        });
        for plan in &mut self.fitness.opponents {
            (plan.openings, plan.games) = (None, 1);
        }
        self.fitness.share(self.fitness.games);
        self
    }
}
