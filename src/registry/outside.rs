//! The game of a runner: one that only a program of somebody else knows.

use std::sync::atomic::AtomicBool;
use std::time::Instant;

use super::{AnyGame, KnownGame};
use crate::agent::AgentSpec;
use crate::arena::{
    Calls, Detail, Executor, ExecutorError, MatchSettings, Openings, Schedule, Unit, Work,
};
use crate::evolve::{Plan, StagePlan};
use crate::game::GameInfo;
use crate::input::InputError;
use crate::programs::runner::Runners;

/// A game of which tictune has neither rules nor positions.
#[derive(Debug, Default)]
pub(crate) struct Outside;

impl AnyGame for Outside {
    fn info(&self) -> &'static GameInfo {
        GameInfo::OUTSIDE
    }

    fn known(&self, command: &str, needs: &str) -> Result<&dyn KnownGame, InputError> {
        let game = GameInfo::OUTSIDE.name;
        Err(InputError::new(format!(
            "{command} needs {needs}, and tictune knows none of the game {game}: only its program does. evolve, fitness, \
             compare, validate, report and match work with it"
        )))
    }

    fn opening_keys(&self, _: &str, _: &Openings, _: u64, _: u64) -> Result<Vec<u64>, InputError> {
        // Only the program knows where its games start.
        Ok(Vec::new())
    }

    fn threads(&self) -> Box<dyn Executor> {
        Box::new(Runners::default())
    }

    fn check_agent(&self, _: &AgentSpec) -> Result<(), InputError> {
        // Only the program knows what it takes.
        Ok(())
    }

    fn check_ranges(&self, _: &Plan) -> Result<(), InputError> {
        // Only the program knows its ranges.
        Ok(())
    }

    fn games_per_second(&self, plan: &Plan, stage: &StagePlan) -> Result<f64, InputError> {
        const PAIRS: u64 = 10;
        let start = plan.vector_at("initial", &plan.start_point())?;
        let start = start.carried_by(&plan.agent)?;
        let opponent = stage.fitness.opponents.first();
        let opponent = opponent.map_or_else(|| start.clone(), |plan| plan.agent.clone());
        let (schedule, games) = (Schedule::Paired, 2 * PAIRS * rayon::current_num_threads() as u64);
        let settings = MatchSettings { games, seed: plan.seed, schedule, replay_ties: false };
        let (first_number, detail) = (0, Detail::Outcomes);
        let unit =
            Unit { agents: [0, 1], openings: 0, settings, first_number, range: 0..games, detail };
        let work = Work {
            game: plan.game.clone(),
            rules: String::new(),
            agents: vec![start, opponent],
            openings: vec![Openings::None],
            units: vec![unit],
            must_start: true,
        };
        let mut sink = |_, _| std::ops::ControlFlow::Continue(());
        let never = AtomicBool::new(false);
        let runners = Runners::default();
        let mut seconds = 0.0;
        // The first time, its programs have to start.
        for _ in 0..2 {
            let started = Instant::now();
            let played = runners.play(&work, Calls::new(&mut sink, &never));
            played.map_err(ExecutorError::into_input)?;
            seconds = started.elapsed().as_secs_f64();
        }
        Ok(games as f64 / seconds.max(1e-6))
    }
}
