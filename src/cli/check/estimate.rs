//! How many games a plan plays, and how long they take.

use super::speed::Speed;
use crate::evolve::{Plan, StagePlan, matches_at_the_end};
use crate::input::InputError;
use crate::report::duration;

/// The games of a plan and the seconds that they take, at most. Times that were not measured are `None`.
pub(super) struct Estimate {
    pub(super) stages: Vec<StageEstimate>,
    pub(super) games: u64,
    /// Of learning, generations, and the matches at the end.
    pub(super) seconds: [Option<f64>; 3],
}

pub(super) struct StageEstimate {
    pub(super) generations: u64,
    /// Of its generations, with those of the mean vector.
    pub(super) games: u64,
    /// The time of its generations: in seconds, and in words.
    pub(super) time: Option<(f64, String)>,
}

impl Estimate {
    /// # Errors
    /// Matches of the validation that cannot be.
    pub(super) fn of(plan: &Plan, speed: &Speed) -> Result<Self, InputError> {
        let stages = plan.stages.iter().enumerate();
        let stages: Vec<StageEstimate> =
            stages.map(|(index, stage)| StageEstimate::of(stage, index, speed)).collect();
        let at_the_end = matches_at_the_end(plan)?;
        let games =
            stages.iter().map(|stage| stage.games).chain(at_the_end.iter().map(|one| one.games));
        Ok(Self {
            games: games.fold(0, u64::saturating_add),
            seconds: [
                if plan.learn.is_some() { speed.learning } else { Some(0.0) },
                stages.iter().map(|stage| Some(stage.time.as_ref()?.0)).sum(),
                speed.of_matches,
            ],
            stages,
        })
    }
}

impl StageEstimate {
    fn of(stage: &StagePlan, index: usize, speed: &Speed) -> Self {
        let generations = stage.most_generations();
        let games = generations.saturating_mul(stage.games_of(stage.population));
        let rate = speed.stages.get(index);
        let time = rate.map(|rate| {
            let seconds = games as f64 / rate;
            (seconds, format!("about {} at {rate:.0} games/s", duration(seconds)))
        });
        Self { generations, games, time }
    }
}
