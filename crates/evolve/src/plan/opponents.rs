//! Stages as they are played: with members of a hall of fame, as an admission match, in pairs on other openings.

use super::Vector;
use super::fitness::{Combine, FitnessPlan, OpponentPlan, Seeds, share_games};
use super::stage::StagePlan;
use tictune_core::agent::AgentSpec;
use tictune_core::arena::{MAX_GAMES, Openings, Schedule};
use tictune_core::input::InputError;
use tictune_core::seed::{mix, shuffle};

impl StagePlan {
    /// The stage as its candidates meet it while the hall of fame has these members, carried by `agent`.
    /// Members that the games do not suffice for are left out by lot, anew for each seed.
    ///
    /// # Errors
    /// An agent that cannot carry a member.
    pub fn with_members(
        mut self,
        members: &[Vector],
        agent: &AgentSpec,
        seed: u64,
    ) -> Result<Self, InputError> {
        let unit = self.fitness.schedule.unit();
        let (games, units) = (self.fitness.games, self.fitness.hall_games() / unit);
        if members.is_empty() || units == 0 {
            return Ok(self);
        }
        let depths: Vec<Option<u32>> = match self.depths.as_slice() {
            [] => vec![None],
            depths => depths.iter().copied().map(Some).collect(),
        };
        let all: Vec<(&Vector, Option<u32>)> = (members.iter())
            .flat_map(|member| depths.iter().map(move |&depth| (member, depth)))
            .collect();
        // Who plays, and who plays a pair more than others, is drawn.
        let mut order: Vec<usize> = (0..all.len()).collect();
        shuffle(&mut order, mix(seed, 0x6861_6c6c));
        order.truncate(units as usize);
        let split = share_games(units * unit, unit, &vec![1.0; order.len()]);
        let mut entries: Vec<(usize, u64)> = order.into_iter().zip(split).collect();
        entries.sort_unstable();
        let others = self.fitness.coevolution_games() + units * unit;
        self.fitness.share(games.saturating_sub(others));
        for (index, games) in entries {
            let (member, depth) = all[index];
            let agent = member.carried_by(agent)?;
            let opponent = OpponentPlan { agent, depth, openings: None, games, of_hall: true };
            self.fitness.opponents.push(opponent);
        }
        Ok(self)
    }

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

    /// The stage whose fitness is an admission match of its hall of fame, before members are added; `None` without
    /// a hall.
    pub fn admission_match(&self) -> Option<Self> {
        let hall = self.fitness.hall.as_ref()?;
        let mut stage = self.clone();
        stage.fitness.share(hall.games);
        // Openings that are given for admission matches are those of all their games.
        if hall.openings != self.fitness.openings {
            stage.fitness.opponents.iter_mut().for_each(|opponent| opponent.openings = None);
        }
        stage.fitness.games = hall.games;
        stage.fitness.openings = hall.openings.clone();
        stage.fitness.coevolution = None;
        stage.fitness.combine = Combine::Mean;
        Some(stage)
    }

    /// A stage whose fitness is so many games, an even number, in pairs from openings, shared among the opponents of the
    /// pool as the stage does it. Results are kept by opponent. Opponents that have openings of their own keep them,
    /// such as the centre, but for random ones: those were trained on.
    pub fn in_pairs(&self, games: u64, openings: &Openings) -> Self {
        let mut stage = self.clone();
        stage.fitness = FitnessPlan {
            schedule: Schedule::Paired,
            openings: openings.clone(),
            seeds: Seeds::Fresh,
            hall: None,
            coevolution: None,
            ..stage.fitness
        };
        for opponent in &mut stage.fitness.opponents {
            opponent.openings.take_if(|own| matches!(own, Openings::Random { .. }));
        }
        stage.with_games(games)
    }

    /// A stage whose fitness is another number of games, shared among the opponents as the stage does it. Results
    /// are kept by opponent.
    pub fn with_games(&self, games: u64) -> Self {
        let mut stage = self.clone();
        stage.fitness.games = games;
        stage.fitness.share(games);
        // The executor tells results by opponent where they do not merely add up.
        stage.fitness.combine = Combine::Worst;
        stage
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::tests::{builtin, spec, stage};
    use crate::plan::hall_fixture as hall;

    /// A stage against two opponents with a hall of fame, who carries its members, and one of them.
    fn with_hall() -> (StagePlan, AgentSpec, Vector) {
        let mut stage = stage(Schedule::Paired, &[("random", 60), ("reflex", 40)]);
        stage.fitness.hall = Some(hall(&stage.fitness.openings));
        (stage, spec("minimax"), builtin("liang-default"))
    }

    fn games(stage: &StagePlan) -> Vec<u64> {
        stage.fitness.opponents.iter().map(|plan| plan.games).collect()
    }

    #[test]
    fn games_stay_constant_and_members_get_the_share_of_the_hall() {
        let (mut stage, agent, member) = with_hall();
        let met = |stage: &StagePlan, members: usize, seed| {
            let members = vec![member.clone(); members];
            stage.clone().with_members(&members, &agent, seed).unwrap()
        };
        assert_eq!(met(&stage, 0, 1), stage, "the pool has all games at first");
        for depths in [vec![], vec![2, 3, 5]] {
            stage.depths = depths;
            for members in [1, 2, 3, 7, 20] {
                let with_hall = met(&stage, members, 1);
                let games = games(&with_hall);
                let of_hall = with_hall.fitness.opponents.iter().map(|plan| plan.of_hall);
                assert!(of_hall.eq((0..games.len()).map(|entry| entry >= 2)));
                let (pool, theirs) = games.split_at(2);
                assert_eq!((pool, theirs.iter().sum::<u64>()), (&[42, 28][..], 30));
                assert_eq!(theirs.len(), (members * stage.depths.len().max(1)).min(15));
                assert!(theirs.iter().all(|games| games % 2 == 0 && *games > 0));
                assert!(theirs.iter().max().unwrap() - theirs.iter().min().unwrap() <= 2);
                assert_eq!(with_hall, met(&stage, members, 1));
            }
        }
        // Members that the games do not suffice for are drawn anew.
        assert_ne!(met(&stage, 40, 1), met(&stage, 40, 2));
    }

    #[test]
    fn an_admission_match_is_shared_like_the_games_of_a_candidate() {
        let (mut stage, agent, member) = with_hall();
        stage.fitness.opponents[1].openings = Some(Openings::None);
        let admission = stage.admission_match().unwrap();
        assert_eq!(games(&admission), [12, 8]);
        let admission = admission.with_members(&[member], &agent, 1).unwrap();
        assert_eq!(games(&admission), [8, 6, 6]);
        // Opponents keep openings of their own, unless admission matches have others.
        assert_eq!(admission.fitness.opponents[1].openings, Some(Openings::None));
        stage.fitness.hall = Some(hall(&Openings::Centre));
        let admission = stage.admission_match().unwrap();
        assert_eq!(admission.fitness.opponents[1].openings, None);
        assert_eq!(*admission.fitness.openings_at(1), Openings::Centre);
    }
}
