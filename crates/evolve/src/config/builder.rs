//! Evolutions from code, with the keys and the defaults of the config file.

use std::marker::PhantomData;
use std::path::Path;

use toml::{Table, Value};

use super::{Overrides, parse};
use crate::Plan;
use tictune_core::agent::{CoreKinds, Known};
use tictune_core::game::Game;
use tictune_core::input::InputError;

/// Builds the plan of an evolution of a game from code.
///
/// It writes the text of a config and reads it as if it came from a file, so that keys, defaults and errors are the same:
/// `experiments/documented.toml` explains every key.
///
/// ```
/// use tictune_evolve::PlanBuilder;
/// use tictune_games::Uttt;
///
/// let builder = PlanBuilder::<Uttt>::new("small")
///     .set("evaluation", "advanced")
///     .set("cmaes.population", 8)
///     .set("cmaes.sigma", 0.3)
///     .set("cmaes.initial", 0.5)
///     .set("fitness.games", 20)
///     .opponent("minimax:weights=liang-default", 1.0)
///     .stage(2, 5)
///     .stage(3, 2)
///     .set("fitness.seeds", "fresh")
///     .set("validation.depths", vec![1, 2]);
/// let plan = builder.build()?;
/// assert_eq!(plan.stages.len(), 2);
/// assert_eq!(plan.stages[1].depth, 3);
/// # Ok::<(), tictune_core::input::InputError>(())
/// ```
#[derive(Clone, Debug)]
pub struct PlanBuilder<P> {
    config: Table,
    game: PhantomData<fn() -> P>,
}

impl<P: Game> PlanBuilder<P> {
    /// A config with the name of a run, and nothing else.
    #[must_use]
    pub fn new(name: &str) -> Self {
        Self { config: Table::new(), game: PhantomData }.set("name", name).set("game", P::INFO.name)
    }

    /// Sets a key, such as `seed` or `fitness.games`. The value may be text, a number, a truth value, or a list.
    ///
    /// # Panics
    /// If a part of the key before a dot was set to something that is no table.
    #[must_use]
    pub fn set(mut self, key: &str, value: impl Into<Value>) -> Self {
        let mut parts: Vec<&str> = key.split('.').collect();
        let last = parts.pop().unwrap_or_default();
        let mut table = &mut self.config;
        for part in parts {
            let inner = table.entry(part).or_insert_with(|| Table::new().into());
            table = inner.as_table_mut().unwrap_or_else(|| panic!("{part} of {key} is no table"));
        }
        table.insert(last.into(), value.into());
        self
    }

    /// Adds an opponent, an agent in its text form, with its share of the games.
    #[must_use]
    pub fn opponent(self, agent: &str, share: f64) -> Self {
        let keys = [("agent".into(), agent.into()), ("share".into(), share.into())];
        self.push("opponents", Table::from_iter(keys))
    }

    /// Adds a stage: plies that the agents search, and its most generations.
    #[must_use]
    pub fn stage(self, depth: u32, max_generations: u32) -> Self {
        let most = ("max_generations".into(), max_generations.into());
        self.push("stages", Table::from_iter([("depth".into(), depth.into()), most]))
    }

    /// Adds a table to a list of tables: a stage with other keys, an opponent, a parameter.
    ///
    /// # Panics
    /// If the key was set to something that is no list.
    #[must_use]
    pub fn push(mut self, key: &str, table: Table) -> Self {
        let list = self.config.entry(key).or_insert_with(|| Vec::<Value>::new().into());
        list.as_array_mut().unwrap_or_else(|| panic!("{key} is no list")).push(table.into());
        self
    }

    /// The text of the config: what a run keeps as `config.toml`.
    #[must_use]
    pub fn to_toml(&self) -> String {
        self.config.to_string()
    }

    /// Checks the config and fills in what it leaves open. Paths are relative to the working directory.
    ///
    /// # Errors
    /// The first thing in it that is wrong, with its key.
    pub fn build(&self) -> Result<Plan, InputError> {
        let known = Known::new::<CoreKinds>(&[P::INFO]);
        parse(&self.to_toml(), Path::new("plan.toml"), Overrides::default(), &known)
    }
}
