//! The one implementation of [`AnyGame`] and [`KnownGame`], for every type of game.

use std::io::{BufRead, Write};
use std::sync::atomic::AtomicBool;

use super::lines::Session;
use super::{AnyGame, BotRequest, Console, KnownGame, PageRequest, SessionRequest, bot, page};
use crate::agent::{AgentSpec, Agents};
use crate::arena::{
    Contest, Executor, ExecutorError, MatchSettings, Openings, Schedule, Threads, Tournament,
    TournamentPlan, play_match,
};
use crate::evolve::learn::{Regression, RegressionPlan, regress, seconds_of_regression};
use crate::evolve::plan::{CoevolutionPlan, OpponentPlan};
use crate::evolve::{Plan, RunError, StagePlan};
use crate::files::FileError;
use crate::game::{Game, GameInfo, NotationError, Position, perft};
use crate::input::InputError;
use crate::papers::reinforcement::{LearnPlan, Lesson, ProgressRow, learn};
use crate::papers::reproduce::{Reproducing, Reproduction, RowReport, Sizes, Table};
use crate::programs::doctor::{Finding, examine};
use crate::programs::{ExternalSettings, Platforms, Protocol};
use crate::seed::mix;

/// A game in the registry, with the agents that can play it.
pub(crate) struct Entry<P> {
    pub(super) agents: Agents<P>,
}

fn rules_of<P: Position>(text: &str) -> Result<P::Rules, InputError> {
    text.parse().map_err(|error: NotationError| InputError::new(error.to_string()))
}

impl<P: Game> AnyGame for Entry<P> {
    fn info(&self) -> &'static GameInfo {
        P::INFO
    }

    fn known(&self, _: &str, _: &str) -> Result<&dyn KnownGame, InputError> {
        Ok(self)
    }

    fn threads(&self) -> Box<dyn Executor> {
        Box::new(Threads::new(self.agents.clone()))
    }

    fn opening_keys(
        &self,
        rules: &str,
        openings: &Openings,
        seed: u64,
        count: u64,
    ) -> Result<Vec<u64>, InputError> {
        if matches!(openings, Openings::None | Openings::Centre) {
            return Ok(Vec::new());
        }
        let rules = rules_of::<P>(rules)?;
        let key = |number| {
            let opening = openings.draw::<P>(rules, mix(seed, number), number)?;
            Ok(opening.position().key())
        };
        (0..count).map(key).collect()
    }

    fn games_per_second(&self, plan: &Plan, stage: &StagePlan) -> Result<f64, InputError> {
        games_per_second(&self.agents, plan, stage)
    }

    fn check_agent(&self, agent: &AgentSpec) -> Result<(), InputError> {
        self.agents.prepare(agent).map(|_| ())
    }

    fn check_ranges(&self, plan: &Plan) -> Result<(), InputError> {
        check_ranges(&self.agents, plan)
    }
}

impl<P: Game> KnownGame for Entry<P> {
    fn perft(&self, rules: &str, depth: u32) -> Result<u64, InputError> {
        Ok(perft(&P::start(rules_of::<P>(rules)?), depth))
    }

    fn platform_rules(&self, protocol: Protocol) -> String {
        (Platforms::<P>::of().rules)(protocol).to_string()
    }

    fn tournament(&self, plan: &TournamentPlan) -> Result<Tournament, InputError> {
        Tournament::new(plan, &self.agents)
    }

    fn learn(
        &self,
        plan: &LearnPlan,
        on_game: &mut dyn FnMut(),
        on_row: &mut dyn FnMut(&ProgressRow) -> Result<(), FileError>,
        stop: &AtomicBool,
    ) -> Result<Lesson, RunError> {
        learn(&self.agents, plan, on_game, on_row, stop)
    }

    fn regress(
        &self,
        plan: &RegressionPlan,
        on_game: &(dyn Fn() + Sync),
        stop: &AtomicBool,
    ) -> Result<Regression, RunError> {
        regress(&self.agents, plan, on_game, stop)
    }

    fn seconds_of_regression(&self, plan: &RegressionPlan) -> Result<f64, RunError> {
        seconds_of_regression(&self.agents, plan)
    }

    fn reproduce<'t>(
        &self,
        table: &'t Table,
        sizes: &Sizes,
        earlier: &[RowReport],
    ) -> Result<Box<dyn Reproducing + Send + 't>, InputError> {
        Ok(Box::new(Reproduction::new(&self.agents, table, sizes, earlier)?))
    }

    fn position(&self, request: &PageRequest<'_>) -> Result<serde_json::Value, InputError> {
        page::answer(&self.agents, rules_of::<P>(request.rules)?, request)
    }

    fn play(&self, request: &SessionRequest<'_>, console: &mut dyn Console) -> anyhow::Result<()> {
        Session::begin(&self.agents, request)?.converse(console)
    }

    fn doctor(
        &self,
        program: &ExternalSettings,
        rules: &str,
        say: &mut dyn FnMut(Finding),
    ) -> Result<(), InputError> {
        examine::<P>(program, rules_of::<P>(rules)?, say)
    }

    fn bot(
        &self,
        request: &BotRequest<'_>,
        input: &mut dyn BufRead,
        output: &mut dyn Write,
        note: &dyn Fn(&str),
    ) -> anyhow::Result<()> {
        bot::play(&self.agents, request, input, output, note)
    }
}

/// Lets every engine of a plan check its options, and gives those that carry candidates both ends of each range.
fn check_ranges<P: Game>(agents: &Agents<P>, plan: &Plan) -> Result<(), InputError> {
    let is_engine = |agent: &AgentSpec| {
        agent
            .settings::<ExternalSettings>()
            .is_some_and(|program| program.protocol == Protocol::Uci)
    };
    for stage in &plan.stages {
        for opponent in stage.fitness.opponents.iter().filter(|opponent| is_engine(&opponent.agent))
        {
            agents.prepare(&stage.opponent(opponent))?;
        }
    }
    let depth = plan.stages.last().map_or(1, |stage| stage.depth);
    for agent in plan.validation.agents.iter().filter(|agent| is_engine(agent)) {
        agents.prepare(&agent.with_default_depth(depth))?;
    }
    let Some(first) = plan.stages.first() else { return Ok(()) };
    let mut carriers = vec![(&plan.agent, first.depth)];
    if plan.comparison.agent != plan.agent.with_default_depth(depth) {
        carriers.push((&plan.comparison.agent, depth));
    }
    let initial = plan.vector_at("initial", &plan.start_point())?;
    for (carrier, depth) in carriers.into_iter().filter(|(carrier, _)| is_engine(carrier)) {
        let start = initial.carried_by(carrier)?;
        agents.prepare(&start.with_default_depth(depth))?;
        for parameter in &plan.space.parameters {
            for end in [parameter.low, parameter.high] {
                let agent = start.with_number(&parameter.key, end)?;
                agents.prepare(&agent.with_default_depth(depth)).map_err(|error| {
                    let key = &parameter.key;
                    InputError::new(format!("the range of the parameter {key}: {error}"))
                })?;
            }
        }
    }
    Ok(())
}

/// The speed of a stage in games per second, measured by playing for a moment with the start vector against each search of
/// its opponents.
fn games_per_second<P: Game>(
    agents: &Agents<P>,
    plan_of_run: &Plan,
    stage: &StagePlan,
) -> Result<f64, InputError> {
    let rules = rules_of::<P>(&plan_of_run.rules)?;
    let start = plan_of_run.vector_at("initial", &plan_of_run.start_point())?;
    let start = start.carried_by(&plan_of_run.agent)?;
    // Candidates against each other as the start vector against itself.
    let itself = |plan: &CoevolutionPlan| {
        let games = plan.opponents as u64 * plan.games;
        let opponent = |&depth: &u32| OpponentPlan {
            agent: start.clone(),
            depth: Some(depth),
            openings: None,
            games,
            of_hall: false,
        };
        plan.depths.iter().map(opponent).collect::<Vec<_>>()
    };
    let themselves = stage.fitness.coevolution.as_ref().map(itself).unwrap_or_default();
    // Games take as long with other weights.
    let mut measured: Vec<([AgentSpec; 2], f64)> = Vec::new();
    let mut seconds_of_all = 0.0;
    for plan in stage.fitness.opponents.iter().chain(&themselves) {
        let candidate = start.with_default_depth(plan.depth.unwrap_or(stage.depth));
        let opponent = stage.opponent(plan);
        let searches = [candidate.without_weights(), opponent.without_weights()];
        let known = measured.iter().find(|(known, _)| *known == searches);
        let seconds = match known {
            Some((_, seconds)) => *seconds,
            None => {
                let (a, b) = (agents.prepare(&candidate)?, agents.prepare(&opponent)?);
                let openings = &stage.fitness.openings;
                let contest = Contest { a: &a, b: &b, rules, openings };
                let schedule = stage.fitness.schedule;
                let seconds = seconds_a_game(&contest, schedule, plan_of_run.seed)?;
                measured.push((searches, seconds));
                seconds
            }
        };
        seconds_of_all += seconds * plan.games as f64;
    }
    Ok(stage.fitness.games as f64 / seconds_of_all)
}

/// The time that a game of a contest takes on all threads, measured by playing for a moment.
fn seconds_a_game<P: Game>(
    contest: &Contest<'_, P>,
    schedule: Schedule,
    seed: u64,
) -> Result<f64, InputError> {
    const ENOUGH_SECONDS: f64 = 0.3;
    let (mut games, mut played, mut seconds) = (4, 0, 0.0);
    while seconds < ENOUGH_SECONDS {
        let settings = MatchSettings { games, seed, schedule, replay_ties: false };
        let result = play_match(contest, &settings, &|| true).map_err(ExecutorError::into_input)?;
        seconds += result.elapsed.as_secs_f64();
        played += games;
        games *= 2;
    }
    Ok(seconds / played as f64)
}
