//! The implementations of [`AnyGame`] and [`KnownGame`], for the agents of every type of game, and of [`AnyGame`] for the game of a runner.

use std::sync::Arc;

use rayon::ThreadPool;

use super::lines::LineSession;
use super::{AnyGame, BotRequest, Console, KnownGame, Question, Result, SessionRequest, bot, page};
use tictune_core::agent::{AgentSpec, Agents};
use tictune_core::arena::{Executor, Threads, Tournament, TournamentPlan, rules_of};
use tictune_core::game::{Game, GameInfo, perft};
use tictune_core::input::InputError;
use tictune_core::search::Stop;
use tictune_programs::doctor::{Say, examine};
use tictune_programs::runner::Runners;
use tictune_programs::{ExternalSettings, Platforms, Protocol};

impl<P: Game> AnyGame for Agents<P> {
    fn info(&self) -> &'static GameInfo {
        P::INFO
    }

    fn known(&self, _: &str, _: &str) -> Result<&dyn KnownGame> {
        Ok(self)
    }

    fn threads(&self, pool: Option<Arc<ThreadPool>>) -> Box<dyn Executor> {
        Box::new(Threads::new(self.clone()).in_pool(pool))
    }

    fn check_agent(&self, agent: &AgentSpec, rules: &str) -> Result<()> {
        self.prepare_for(agent, rules_of::<P>(rules)?).map(drop)
    }
}

impl<P: Game> KnownGame for Agents<P> {
    fn perft(&self, rules: &str, depth: u32) -> Result<u64> {
        Ok(perft(&P::start(rules_of::<P>(rules)?), depth))
    }

    fn platform_rules(&self, protocol: Protocol) -> String {
        (Platforms::<P>::of().rules)(protocol).to_string()
    }

    fn tournament(&self, plan: &TournamentPlan) -> Result<Tournament> {
        Tournament::new(plan, self)
    }

    fn position(
        &self,
        question: &Question,
        agent: Option<AgentSpec>,
        stop: Stop<'_>,
    ) -> Result<serde_json::Value> {
        page::answer(self, rules_of::<P>(&question.rules)?, question, agent, stop)
    }

    fn play(&self, request: &SessionRequest<'_>, console: &mut dyn Console) -> anyhow::Result<()> {
        LineSession::begin(self, request)?.converse(console)
    }

    fn doctor(&self, program: &ExternalSettings, rules: &str, say: &mut Say<'_>) -> Result<()> {
        examine::<P>(program, rules_of::<P>(rules)?, say)
    }

    fn bot(&self, request: BotRequest<'_>) -> anyhow::Result<()> {
        bot::play(self, request)
    }
}

/// A game of which tictune has neither rules nor positions: only the program knows where its games start, and what it takes.
pub(super) struct RunnerGame;

impl AnyGame for RunnerGame {
    fn info(&self) -> &'static GameInfo {
        GameInfo::OUTSIDE
    }

    fn known(&self, command: &str, needs: &str) -> Result<&dyn KnownGame> {
        let game = GameInfo::OUTSIDE.name;
        Err(InputError::new(format!(
            "{command} needs {needs}, and tictune knows none of the game {game}: only its program does. evolve, fitness, \
             compare, validate, profile, report, export, doctor and match work with it"
        )))
    }

    fn threads(&self, pool: Option<Arc<ThreadPool>>) -> Box<dyn Executor> {
        Box::new(Runners::new(pool))
    }

    fn check_agent(&self, _: &AgentSpec, _: &str) -> Result<()> {
        Ok(())
    }
}
