//! The games and kinds of agents of a program, by name. This is the one place where the name of a game becomes a type.
//!
//! Below this crate, what plays is generic over the game; what does not play asks a trait such as `TableGame`. Above it, nothing is: commands ask a [`Registry`] for a game by its name
//! and get an [`AnyGame`], which is implemented once, for every type that is a [`Game`]. So it is also where the searches and the
//! matches of UTTT are compiled ([`Registry::uttt`]); those of the other games are in `tictune-built-in`.

#![cfg_attr(not(test), warn(clippy::unwrap_used))]
#![allow(missing_docs, reason = "users of the libraries do not see this one")]

mod adviser;
pub mod bench;
mod bot;
mod games;
mod lines;
mod page;
mod record;

use std::io::{BufRead, Write};
use std::sync::Arc;

use rayon::ThreadPool;

use tictune_core::agent::{AgentSpec, Agents, CoreKinds, KindList, Known};
use tictune_core::arena::{Executor, Tournament, TournamentPlan};
use tictune_core::game::{Game, GameInfo};
use tictune_core::input::{InputError, Result};
use tictune_core::search::Stop;
use tictune_core::weights::find_game;
use tictune_evolve::learn::RegressionGame;
use tictune_evolve::{Parameter, Plan};
use tictune_games::{Chess, KNOWN, Qubic, Uttt};
use tictune_papers::WithPapers;
use tictune_papers::reproduce::TableGame;
use tictune_programs::doctor::Say;
use tictune_programs::{ExternalSettings, Protocol, RunnerSettings};

use games::RunnerGame;
pub use lines::Console;
pub use page::{Ask, Question};

/// The games of tictune, UTTT first.
pub type BuiltInGames = ((((), Uttt), Qubic), Chess);

/// The kinds of agents of tictune.
pub type BuiltInKinds = (WithPapers<(CoreKinds, ExternalSettings)>, RunnerSettings);

/// The games and the kinds of agents of tictune by name, as configs and files of runs are read with.
#[must_use]
pub fn built_in() -> Known {
    Known::new::<BuiltInKinds>(KNOWN)
}

/// A list of games as a type: `()`, or another list and one more game.
pub trait GameList {
    /// Adds the games to those of a program, each with agents of these kinds.
    fn add_to<K: KindList>(registry: &mut Registry);
}

impl GameList for () {
    fn add_to<K: KindList>(_: &mut Registry) {}
}

impl<Others: GameList, P: Game> GameList for (Others, P) {
    fn add_to<K: KindList>(registry: &mut Registry) {
        Others::add_to::<K>(registry);
        registry.add::<P, K>();
    }
}

/// The games that a program knows.
pub struct Registry {
    games: Vec<Box<dyn AnyGame>>,
    known: Known,
}

impl Registry {
    /// Of these games, the first of which is the default, and these kinds of agents.
    #[must_use]
    pub fn of<G: GameList, K: KindList>() -> Self {
        let mut registry = Self { games: Vec::new(), known: Known::new::<K>(&[]) };
        G::add_to::<K>(&mut registry);
        registry
    }

    /// The first of the built-in games, with the built-in kinds. This function is not generic, so that UTTT is compiled here and
    /// nowhere else.
    #[must_use]
    pub fn uttt() -> Self {
        Self::of::<((), Uttt), BuiltInKinds>()
    }

    /// Adds a game, with agents of these kinds.
    pub fn add<P: Game, K: KindList>(&mut self) {
        P::INFO.assert_consistent();
        self.games.push(Box::new(Agents::<P>::of::<K>()));
        self.known.games.push(P::INFO);
    }

    pub fn known(&self) -> &Known {
        &self.known
    }

    /// A game by its name; without a name, the first one.
    pub fn find(&self, name: Option<&str>) -> Result<&dyn AnyGame> {
        let game = match name {
            Some(name) => find_game(&self.known.games, name)?.name,
            None => self.known.games.first().map_or("", |game| game.name),
        };
        if game == GameInfo::OUTSIDE.name {
            return Ok(&RunnerGame);
        }
        let found = self.games.iter().find(|known| known.info().name == game);
        found.map(|known| &**known).ok_or_else(|| InputError::new("the program knows no game"))
    }
}

/// A game between a person and an agent, or between two people.
#[derive(Clone, Debug)]
pub struct SessionRequest<'r> {
    /// The agent, or `human`; by default the strongest kind for the game.
    pub agent: Option<&'r str>,
    pub rules: &'r str,
    /// Whether the person plays second; `None` if no side was chosen.
    pub second: Option<bool>,
    /// The position to start from, in notation.
    pub from: Option<&'r str>,
    pub seed: u64,
    /// The command that begins such a game, to which a person who leaves may add where to go on.
    pub command: &'r str,
}

/// An agent on a platform, which sends requests and gets moves.
pub struct BotRequest<'r> {
    pub protocol: Protocol,
    /// The agent; by default the strongest kind for the game, on the platform's clock.
    pub agent: Option<&'r str>,
    /// The rules, in their text form; empty for those of the platform.
    pub rules: &'r str,
    pub seed: u64,
    pub input: &'r mut dyn BufRead,
    pub output: &'r mut dyn Write,
    /// Is told of faulty requests.
    pub note: &'r dyn Fn(&str),
}

/// A game whose type is erased, also one that only the program of a runner knows: what every match and evolution needs.
pub trait AnyGame: Send + Sync {
    fn info(&self) -> &'static GameInfo;

    fn known(&self, command: &str, needs: &str) -> Result<&dyn KnownGame>;

    /// An executor for its games on the threads of a rayon pool, or else of the one in which it is called.
    fn threads(&self, pool: Option<Arc<ThreadPool>>) -> Box<dyn Executor>;

    /// Checks that an agent can play by these rules. It starts UCI engines, which say what they take.
    fn check_agent(&self, agent: &AgentSpec, rules: &str) -> Result<()>;
}

impl dyn AnyGame + '_ {
    /// Lets every UCI engine of a plan say whether it takes its options, and those that carry candidates both ends of the range of
    /// each parameter.
    pub fn check_ranges(&self, plan: &Plan) -> Result<()> {
        let is_engine = |agent: &AgentSpec| {
            let program = agent.settings::<ExternalSettings>();
            program.is_some_and(|program| program.protocol == Protocol::Uci)
        };
        let check = |agent: &AgentSpec| self.check_agent(agent, &plan.rules);
        for stage in &plan.stages {
            let opponents = stage.fitness.opponents.iter();
            for opponent in opponents.filter(|opponent| is_engine(&opponent.agent)) {
                check(&stage.opponent(opponent))?;
            }
        }
        let depth = plan.stages.last().map_or(1, |stage| stage.depth);
        for agent in plan.validation.agents.iter().filter(|agent| is_engine(agent)) {
            check(&agent.with_default_depth(depth))?;
        }
        let Some(first) = plan.stages.first() else { return Ok(()) };
        let mut evolved = vec![(&plan.agent, first.depth)];
        if plan.comparison.agent != plan.agent.with_default_depth(depth) {
            evolved.push((&plan.comparison.agent, depth));
        }
        let initial = plan.vector_at("initial", &plan.start_point())?;
        for (evolved, depth) in evolved.into_iter().filter(|(evolved, _)| is_engine(evolved)) {
            let start = initial.apply_to(evolved)?;
            check(&start.with_default_depth(depth))?;
            let parameters = &plan.space.parameters;
            for end in [|one: &Parameter| one.low, |one: &Parameter| one.high] {
                let ends = parameters.iter().map(|one| (one.key.as_str(), end(one)));
                let all = start.with_numbers(ends.clone())?.with_default_depth(depth);
                if check(&all).is_ok() {
                    continue;
                }
                // One at a time, to name the one that the engine does not take.
                for (key, value) in ends {
                    let agent = start.with_number(key, value)?.with_default_depth(depth);
                    check(&agent).map_err(|error| {
                        InputError::new(format!("the range of the parameter {key}: {error}"))
                    })?;
                }
            }
        }
        Ok(())
    }
}

/// What commands need the rules of a game for. Rules come in their text form.
pub trait KnownGame: TableGame + RegressionGame + Send + Sync {
    /// The number of sequences of `depth` legal moves from the start.
    fn perft(&self, rules: &str, depth: u32) -> Result<u64>;

    fn platform_rules(&self, protocol: Protocol) -> String;

    fn tournament(&self, plan: &TournamentPlan) -> Result<Tournament>;

    /// A position as a page shows it, with an agent for what is asked of one.
    fn position(
        &self,
        question: &Question,
        agent: Option<AgentSpec>,
        stop: Stop<'_>,
    ) -> Result<serde_json::Value>;

    fn play(&self, request: &SessionRequest<'_>, console: &mut dyn Console) -> anyhow::Result<()>;

    fn doctor(&self, program: &ExternalSettings, rules: &str, say: &mut Say<'_>) -> Result<()>;

    /// Lets an agent play on a platform.
    fn bot(&self, request: BotRequest<'_>) -> anyhow::Result<()>;
}
