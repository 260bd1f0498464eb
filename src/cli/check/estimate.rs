//! How many games a plan plays, and how long they take.

use super::speed::Speed;
use crate::evolve::plan::{FinalistsPlan, NoisePlan, RestartPlan};
use crate::evolve::{Plan, StagePlan, matches_at_the_end};
use crate::input::InputError;
use crate::report::{counted, duration};

/// The games of a plan and the seconds that they take, at most. Times that were not measured are `None`.
pub(super) struct Estimate {
    pub(super) stages: Vec<StageEstimate>,
    pub(super) games: u64,
    pub(super) learning: Option<f64>,
    pub(super) screening: Option<f64>,
    pub(super) generations: Option<f64>,
    pub(super) finalists: Option<f64>,
    pub(super) matches: Option<f64>,
}

pub(super) struct StageEstimate {
    pub(super) generations: u64,
    /// Of its generations: with those of the mean vector, further rounds, checks of the mean and admission matches.
    pub(super) games: u64,
    /// The games of its starts, where starts are screened.
    pub(super) screening: Option<u64>,
    /// The time of its generations, without restarts and further rounds.
    pub(super) time: Option<Time>,
}

impl Estimate {
    /// # Errors
    /// Matches of the validation that cannot be.
    pub(super) fn of(plan: &Plan, speed: &Speed) -> Result<Self, InputError> {
        let stages = plan.stages.iter().enumerate();
        let stages: Vec<StageEstimate> =
            stages.map(|(index, stage)| StageEstimate::of(plan, stage, index, speed)).collect();
        let of_finalists = most_games_of_finalists(plan);
        let games_of_stage = |stage: &StageEstimate| {
            stage.games.saturating_add(stage.screening.unwrap_or(0)).saturating_add(of_finalists)
        };
        let at_the_end = matches_at_the_end(plan)?;
        let games = stages.iter().map(games_of_stage).chain(at_the_end.iter().map(|one| one.games));
        let seconds_of = |games: &dyn Fn(&StageEstimate) -> u64| {
            let games = stages.iter().map(games).enumerate().filter(|(_, games)| *games > 0);
            games.map(|(index, games)| speed.seconds(index, games)).sum()
        };
        Ok(Self {
            games: games.fold(0, u64::saturating_add),
            learning: if plan.learn.is_some() { speed.learning } else { Some(0.0) },
            screening: seconds_of(&|stage| stage.screening.unwrap_or(0)),
            generations: stages.iter().map(|stage| Some(stage.time.as_ref()?.seconds)).sum(),
            finalists: seconds_of(&|_| of_finalists),
            matches: speed.of_matches,
            stages,
        })
    }

    pub(super) fn seconds(&self) -> Option<f64> {
        [self.learning, self.screening, self.generations, self.finalists, self.matches]
            .into_iter()
            .sum()
    }
}

impl StageEstimate {
    fn of(plan: &Plan, stage: &StagePlan, index: usize, speed: &Speed) -> Self {
        let generations = stage.most_generations();
        let screening = plan.screening.as_ref().filter(|_| index == 0).map(|screening| {
            let learned =
                plan.learn.as_ref().map_or(0, |learn| learn.regression.labels.depths.len());
            screening.most_games(learned as u64)
        });
        // Few stages have all restarts and all further rounds that they may have.
        let noise = NoisePlan { restarts: None, reevaluation: None, ..plan.noise.clone() };
        let usual = most_games(&noise, stage, generations);
        let games = most_games(&plan.noise, stage, generations);
        let rate = speed.stages.get(index);
        let time = rate.map(|rate| Time::of(usual, *rate, generations, stage));
        Self { generations, games, screening, time }
    }
}

pub(super) struct Time {
    seconds: f64,
    games_per_second: f64,
    /// The generations after which `max_seconds` ends it, where it does before its last.
    ended_after: Option<u64>,
}

impl Time {
    fn of(games: u64, games_per_second: f64, generations: u64, stage: &StagePlan) -> Self {
        let (seconds, generations) = (games as f64 / games_per_second, generations.max(1) as f64);
        let Some(most) = stage.stops.max_seconds.filter(|most| *most < seconds) else {
            return Self { seconds, games_per_second, ended_after: None };
        };
        // The generation that is being played is finished.
        let a_generation = seconds / generations;
        let after = (most / a_generation).ceil().max(1.0);
        Self { seconds: after * a_generation, games_per_second, ended_after: Some(after as u64) }
    }

    pub(super) fn in_words(&self) -> String {
        /// Fewer generations learn little.
        const FEW: u64 = 10;
        let (time, speed) = (duration(self.seconds), self.games_per_second);
        let about = format!("about {time} at {speed:.0} games/s");
        let Some(after) = self.ended_after else { return about };
        let few = ": too few to learn much; lower games, or allow more seconds";
        format!(
            "{about}, since max_seconds ends it after about {}{}",
            counted(after as usize, "generation"),
            if after < FEW { few } else { "" }
        )
    }
}

fn most_games(noise: &NoisePlan, stage: &StagePlan, generations: u64) -> u64 {
    let NoisePlan { held_out, reevaluation, restarts, .. } = noise;
    let fitness = &stage.fitness;
    let population = stage.population as u64;
    // Candidates of all generations; restarts may have larger populations, as far as the budget goes.
    let usual = generations.saturating_mul(population);
    let candidates = restarts.as_ref().map_or(usual, |_| {
        let largest = population as f64 * RestartPlan::GROWTH.powf(RestartPlan::MOST as f64);
        let grown = generations.saturating_mul(largest.ceil() as u64);
        grown.min(stage.stops.max_evaluations.max(usual))
    });
    let further = reevaluation.as_ref().map_or(0, |further| {
        let shares = (1..=further.rounds.min(64))
            .map(|round| candidates.div_ceil(1 << round.min(63)).saturating_add(generations));
        let played = shares.fold(0, u64::saturating_add);
        played.saturating_mul(further.games.unwrap_or(fitness.games))
    });
    let every = |every: u64, games: u64| (generations / every.max(1)).saturating_mul(games);
    let checks = held_out.as_ref().map_or(0, |checks| every(checks.every, checks.games));
    let admission = fitness.hall.as_ref().map_or(0, |hall| every(hall.every, hall.games));
    candidates
        .saturating_add(generations)
        .saturating_mul(fitness.games)
        .saturating_add(further)
        .saturating_add(checks)
        .saturating_add(admission)
}

/// The most games of a stage's finalists: each round has twice as many as the one before.
fn most_games_of_finalists(plan: &Plan) -> u64 {
    plan.noise.finalists.as_ref().map_or(0, |finalists| {
        let FinalistsPlan { games, rounds, best, means, average, start, model, .. } = finalists;
        let vectors =
            best + means + [*average > 1, *start, *model].map(u64::from).iter().sum::<u64>();
        let times = 2_u64.saturating_pow(*rounds).saturating_sub(1);
        vectors.saturating_mul(*games).saturating_mul(times)
    })
}
