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
    /// Of learning, screening, generations, finalists, and the matches at the end.
    pub(super) seconds: [Option<f64>; 5],
}

pub(super) struct StageEstimate {
    pub(super) generations: u64,
    /// Of its generations: with those of the mean vector, further rounds, checks of the mean and admission matches.
    pub(super) games: u64,
    /// The games of its starts, where starts are screened.
    pub(super) screening: Option<u64>,
    /// The time of its generations, without restarts and further rounds: in seconds, and in words.
    pub(super) time: Option<(f64, String)>,
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
            seconds: [
                if plan.learn.is_some() { speed.learning } else { Some(0.0) },
                seconds_of(&|stage| stage.screening.unwrap_or(0)),
                stages.iter().map(|stage| Some(stage.time.as_ref()?.0)).sum(),
                seconds_of(&|_| of_finalists),
                speed.of_matches,
            ],
            stages,
        })
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
        let time = rate.map(|rate| time(usual, *rate, generations, stage));
        Self { generations, games, screening, time }
    }
}

/// How long the generations of a stage take: in seconds, and in words.
fn time(games: u64, speed: f64, generations: u64, stage: &StagePlan) -> (f64, String) {
    /// Fewer generations learn little.
    const FEW: f64 = 10.0;
    let all = games as f64 / speed;
    let a_generation = all / generations.max(1) as f64;
    // The generation that is being played is finished.
    let ended_after = stage.stops.max_seconds.filter(|most| *most < all);
    let ended_after = ended_after.map(|most| (most / a_generation).ceil().max(1.0));
    let seconds = ended_after.map_or(all, |generations| generations * a_generation);
    let ended = ended_after.map(|generations| {
        let few = ": too few to learn much; lower games, or allow more seconds";
        let few = if generations < FEW { few } else { "" };
        let generations = counted(generations as usize, "generation");
        format!(", since max_seconds ends it after about {generations}{few}")
    });
    let ended = ended.unwrap_or_default();
    (seconds, format!("about {} at {speed:.0} games/s{ended}", duration(seconds)))
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
