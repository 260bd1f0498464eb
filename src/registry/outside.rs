//! The game of a runner: one that only a program of somebody else knows.

use std::io::{BufRead, Write};
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use super::{AnyGame, BotRequest, Console, PageAnswer, PageRequest, SessionRequest};
use crate::agent::AgentSpec;
use crate::arena::{
    Detail, Executor, MatchSettings, Openings, Schedule, Tournament, TournamentPlan, Unit, Work,
    none_if_stopped,
};
use crate::evolve::learn::{Regression, RegressionPlan};
use crate::evolve::{Plan, StagePlan};
use crate::files::FileError;
use crate::game::GameInfo;
use crate::input::InputError;
use crate::papers::reinforcement::{LearnError, LearnPlan, Lesson, ProgressRow};
use crate::papers::reproduce::{Reproducing, RowReport, Sizes, Table};
use crate::programs::doctor::Finding;
use crate::programs::runner::Runners;
use crate::programs::{ExternalSettings, Protocol};

/// A game of which tictune has neither rules nor positions.
#[derive(Debug, Default)]
pub(crate) struct Outside;

/// Why a command cannot be done.
fn refuse(command: &str, needs: &str) -> InputError {
    let game = GameInfo::OUTSIDE.name;
    InputError::new(format!(
        "{command} needs {needs}, and tictune knows none of the game {game}: only its program does. evolve, fitness, \
         compare, validate, report and match work with it"
    ))
}

impl AnyGame for Outside {
    fn info(&self) -> &'static GameInfo {
        GameInfo::OUTSIDE
    }

    fn perft(&self, _: &str, _: u32) -> Result<u64, InputError> {
        Err(refuse("perft", "rules"))
    }

    fn opening_keys(&self, _: &str, _: &Openings, _: u64, _: u64) -> Result<Vec<u64>, InputError> {
        // Only the program knows where its games start.
        Ok(Vec::new())
    }

    fn platform_rules(&self, _: Protocol) -> String {
        String::new()
    }

    fn threads(&self) -> Box<dyn Executor> {
        Box::new(Runners::default())
    }

    fn tournament(&self, _: &TournamentPlan) -> Result<Tournament, InputError> {
        Err(refuse("tournament", "moves"))
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
            none_if_stopped(runners.play(&work, &mut sink, &|_, _| {}, &never))?;
            seconds = started.elapsed().as_secs_f64();
        }
        Ok(games as f64 / seconds.max(1e-6))
    }

    fn learn(
        &self,
        _: &LearnPlan,
        _: &mut dyn FnMut(),
        _: &mut dyn FnMut(&ProgressRow) -> Result<(), FileError>,
        _: &AtomicBool,
    ) -> Result<Option<Lesson>, LearnError> {
        Err(refuse("learn", "positions").into())
    }

    fn regress(
        &self,
        _: &RegressionPlan,
        _: &(dyn Fn() + Sync),
        _: &AtomicBool,
    ) -> Result<Option<Regression>, LearnError> {
        Err(refuse("learn", "positions").into())
    }

    fn seconds_of_regression(&self, _: &RegressionPlan) -> Result<f64, LearnError> {
        Err(refuse("learn", "positions").into())
    }

    fn reproduce<'t>(
        &self,
        _: &'t Table,
        _: &Sizes,
        _: &[RowReport],
    ) -> Result<Box<dyn Reproducing + Send + 't>, InputError> {
        Err(refuse("reproduce", "moves"))
    }

    fn position(&self, _: &PageRequest<'_>) -> Result<PageAnswer, InputError> {
        Err(refuse("a board", "rules"))
    }

    fn play(&self, _: &SessionRequest<'_>, _: &mut dyn Console) -> anyhow::Result<()> {
        Err(refuse("play", "moves").into())
    }

    fn doctor(
        &self,
        _: &ExternalSettings,
        _: &str,
        _: &mut dyn FnMut(Finding),
    ) -> Result<(), InputError> {
        Err(refuse("doctor", "moves"))
    }

    fn bot(
        &self,
        _: &BotRequest<'_>,
        _: &mut dyn BufRead,
        _: &mut dyn Write,
        _: &dyn Fn(&str),
    ) -> anyhow::Result<()> {
        Err(refuse("bot", "moves").into())
    }
}
