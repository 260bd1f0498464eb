//! Whom candidates play beside the pool of the config: the members of a hall of fame, and each other.
//!
//! CITE: Rosin and Belew, "New Methods for Competitive Coevolution", Evolutionary Computation 5(1), 1997: the hall
//! of fame, and fitness from a sample of the other candidates instead of all of them.

use std::borrow::Cow;

use rand::{RngExt, SeedableRng};
use serde::{Deserialize, Serialize};

use super::plan::{FitnessPlan, OpponentPlan, StagePlan, share_games};
use super::space::Vector;
use crate::agent::AgentSpec;
use crate::arena::Openings;
use crate::input::InputError;
use crate::seed::{Generator, mix};
use crate::stats::{Tally, los};

/// A hall of fame that a stage fills with its own means, and that candidates then play.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HallPlan {
    /// Generations from one entrance match to the next.
    pub every: u64,
    /// Games of an entrance match.
    pub games: u64,
    /// Where the games of entrance matches start; opponents with openings of their own keep them where these are
    /// those of the fitness.
    pub openings: Openings,
    /// The share of a candidate's games that goes to the members, above 0 and below 1; to the pool as long as
    /// there are none. An entrance match is shared in the same way.
    pub share: f64,
    /// The most members. When the hall is full, the member that has been in it for the longest leaves.
    pub size: usize,
    /// How far above one half of the points the score of an entrance match has to be.
    pub margin: f64,
    /// The least likelihood of superiority that an entrance match has to show: see [`los`].
    pub confidence: f64,
    /// Whether a stage begins with the members of the stage before.
    pub carry: bool,
}

impl HallPlan {
    /// Whether results of an entrance match let the mean in.
    #[must_use]
    pub fn lets_in(&self, tally: &Tally) -> bool {
        tally.score() > 0.5 + self.margin && los(tally) >= self.confidence
    }
}

/// Candidates of a generation that play each other. A game counts for both sides.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CoevolutionPlan {
    /// How many of the others each candidate plays.
    pub opponents: usize,
    /// The depths, in plies, at which it plays each of them.
    pub depths: Vec<u32>,
    /// Games against each of them at each depth.
    pub games: u64,
}

impl CoevolutionPlan {
    /// Games of a candidate against others.
    #[must_use]
    pub const fn games_of_a_candidate(&self) -> u64 {
        self.opponents as u64 * self.depths.len() as u64 * self.games
    }
}

impl FitnessPlan {
    /// The games of each opponent of the pool, where `games` of a candidate's games are the pool's.
    #[must_use]
    pub fn pool_split(&self, games: u64) -> Vec<u64> {
        let shares: Vec<f64> = self.opponents.iter().map(|plan| plan.games as f64).collect();
        if shares.is_empty() {
            Vec::new()
        } else {
            share_games(games, self.schedule.unit(), &shares)
        }
    }

    /// The games that go to the hall of fame once it has members, in whole pairs; 0 without a hall.
    #[must_use]
    pub fn hall_games(&self) -> u64 {
        let unit = self.schedule.unit();
        let share = self.hall.as_ref().map_or(0.0, |hall| hall.share);
        (self.games as f64 * share / unit as f64).round() as u64 * unit
    }

    /// Games of a candidate against others of its generation.
    #[must_use]
    pub fn coevolution_games(&self) -> u64 {
        self.coevolution.as_ref().map_or(0, CoevolutionPlan::games_of_a_candidate)
    }
}

impl StagePlan {
    /// The stage as its candidates meet it while the hall of fame has these members, carried by `agent`.
    /// Members that the games do not suffice for are left out by lot, anew for each seed.
    ///
    /// # Errors
    /// An agent that cannot carry a member.
    pub fn with_members(
        &self,
        members: &[Vector],
        agent: &AgentSpec,
        seed: u64,
    ) -> Result<Cow<'_, Self>, InputError> {
        let unit = self.fitness.schedule.unit();
        let (games, units) = (self.fitness.games, self.fitness.hall_games() / unit);
        if members.is_empty() || units == 0 {
            return Ok(Cow::Borrowed(self));
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
        let mut stage = self.clone();
        let others = self.fitness.coevolution_games() + units * unit;
        let pool = self.fitness.pool_split(games.saturating_sub(others));
        for (opponent, games) in stage.fitness.opponents.iter_mut().zip(pool) {
            opponent.games = games;
        }
        for (index, games) in entries {
            let (member, depth) = all[index];
            let agent = member.carried_by(agent)?;
            let opponent = OpponentPlan { agent, depth, openings: None, games, of_hall: true };
            stage.fitness.opponents.push(opponent);
        }
        Ok(Cow::Owned(stage))
    }

    /// The stage whose fitness is an entrance match of its hall of fame, before members are added; `None` without
    /// a hall.
    #[must_use]
    pub fn entrance(&self) -> Option<Self> {
        let hall = self.fitness.hall.as_ref()?;
        let mut stage = self.clone();
        let split = self.fitness.pool_split(hall.games);
        for (opponent, games) in stage.fitness.opponents.iter_mut().zip(split) {
            opponent.games = games;
            // Openings that are given for entrance matches are those of all their games.
            if hall.openings != self.fitness.openings {
                opponent.openings = None;
            }
        }
        stage.fitness.games = hall.games;
        stage.fitness.openings = hall.openings.clone();
        stage.fitness.coevolution = None;
        stage.fitness.combine = super::plan::Combine::Mean;
        Some(stage)
    }
}

/// Puts places in a random order that follows from a seed.
pub(super) fn shuffle(order: &mut [usize], seed: u64) {
    let mut generator = Generator::seed_from_u64(seed);
    for last in (1..order.len()).rev() {
        // 32 bits, so that every machine draws the same.
        order.swap(last, generator.random_range(0..=last as u32) as usize);
    }
}

#[cfg(test)]
pub(super) mod tests {
    use std::path::Path;

    use super::super::measure::fitness::tests::stage;
    use super::*;
    use crate::arena::Schedule;
    use crate::games::Uttt;
    use crate::weights::Weights;

    pub(in crate::evolve) fn hall(openings: &Openings) -> HallPlan {
        HallPlan {
            every: 2,
            games: 20,
            openings: openings.clone(),
            share: 0.3,
            size: 2,
            margin: 0.0,
            confidence: 0.5,
            carry: false,
        }
    }

    #[test]
    fn games_stay_constant_and_members_get_the_share_of_the_hall() {
        let mut stage = stage(Schedule::Paired, &[("random", 60), ("reflex", 40)]);
        stage.fitness.hall = Some(hall(&stage.fitness.openings));
        let agent = AgentSpec::parse::<Uttt>("minimax", Path::new("")).unwrap();
        let member = Vector::of_weights(Weights::builtin::<Uttt>("liang-default").unwrap());
        let met = |stage: &StagePlan, members: &[Vector], seed| {
            stage.with_members(members, &agent, seed).unwrap().into_owned()
        };
        assert_eq!(met(&stage, &[], 1), stage, "the pool has all games at first");
        for depths in [vec![], vec![2, 3, 5]] {
            stage.depths = depths;
            for members in [1, 2, 3, 7, 20] {
                let members = vec![member.clone(); members];
                let with_hall = met(&stage, &members, 1);
                let games = |of_hall: bool| -> Vec<u64> {
                    let entries = with_hall.fitness.opponents.iter();
                    entries.filter(|plan| plan.of_hall == of_hall).map(|plan| plan.games).collect()
                };
                assert_eq!(games(false), [42, 28]);
                let theirs = games(true);
                assert_eq!(theirs.iter().sum::<u64>(), 30);
                assert!(theirs.iter().all(|games| games % 2 == 0 && *games > 0));
                let entries = members.len() * stage.depths.len().max(1);
                assert_eq!(theirs.len(), entries.min(15));
                assert!(theirs.iter().max().unwrap() - theirs.iter().min().unwrap() <= 2);
                assert_eq!(with_hall, met(&stage, &members, 1));
            }
        }
        let many = vec![member; 40];
        assert_ne!(
            met(&stage, &many, 1),
            met(&stage, &many, 2),
            "members that the games do not suffice for are drawn anew"
        );
    }

    #[test]
    fn an_entrance_match_is_shared_like_the_games_of_a_candidate() {
        let mut stage = stage(Schedule::Paired, &[("random", 60), ("reflex", 40)]);
        assert_eq!(stage.entrance(), None);
        stage.fitness.hall = Some(hall(&stage.fitness.openings));
        let entrance = stage.entrance().unwrap();
        let games = |stage: &StagePlan| -> Vec<u64> {
            stage.fitness.opponents.iter().map(|plan| plan.games).collect()
        };
        assert_eq!(games(&entrance), [12, 8]);
        let agent = AgentSpec::parse::<Uttt>("minimax", Path::new("")).unwrap();
        let member = Vector::of_weights(Weights::builtin::<Uttt>("liang-default").unwrap());
        assert_eq!(games(&entrance.with_members(&[member], &agent, 1).unwrap()), [8, 6, 6]);
    }

    #[test]
    fn opponents_keep_their_own_openings_but_in_entrance_matches_that_have_others() {
        let mut stage = stage(Schedule::Paired, &[("random", 60), ("reflex", 40)]);
        stage.fitness.opponents[1].openings = Some(Openings::None);
        stage.fitness.hall = Some(hall(&stage.fitness.openings));
        let agent = AgentSpec::parse::<Uttt>("minimax", Path::new("")).unwrap();
        let member = Vector::of_weights(Weights::builtin::<Uttt>("liang-default").unwrap());
        let own = |stage: &StagePlan| stage.fitness.opponents[1].openings.clone();
        let members = [member];
        assert_eq!(own(&stage.with_members(&members, &agent, 1).unwrap()), Some(Openings::None));
        let entrance = stage.entrance().unwrap();
        assert_eq!(own(&entrance.with_members(&members, &agent, 1).unwrap()), Some(Openings::None));
        stage.fitness.hall = Some(hall(&Openings::Centre));
        assert_eq!(own(&stage.entrance().unwrap()), None);
        assert_eq!(*stage.entrance().unwrap().fitness.openings_at(1), Openings::Centre);
    }

    #[test]
    fn who_has_beaten_the_pool_enters() {
        let plan = hall(&Openings::None);
        let tally = |wins, draws, losses| Tally { wins, draws, losses };
        assert!(plan.lets_in(&tally(51, 0, 49)));
        assert!(!plan.lets_in(&tally(50, 0, 50)));
        assert!(!plan.lets_in(&tally(0, 0, 0)), "no games are no victory");
        let by_far = HallPlan { margin: 0.1, ..plan.clone() };
        assert!(by_far.lets_in(&tally(61, 0, 39)) && !by_far.lets_in(&tally(60, 0, 40)));
        let surely = HallPlan { confidence: 0.95, ..plan };
        // The normal approximation: 1.645 standard deviations of ten are 59 of a hundred.
        assert!(surely.lets_in(&tally(59, 0, 41)) && !surely.lets_in(&tally(58, 0, 42)));
    }

    #[test]
    fn orders_are_drawn_evenly() {
        let mut counts = [[0; 4]; 4];
        for seed in 0..4000 {
            let mut order = [0, 1, 2, 3];
            shuffle(&mut order, mix(7, seed));
            order.iter().enumerate().for_each(|(place, &index)| counts[place][index] += 1);
        }
        assert!(counts.iter().flatten().all(|count| (890..1110).contains(count)), "{counts:?}");
    }
}
