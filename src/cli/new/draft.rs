//! The text of a new config.

use std::time::Duration;

use minijinja::context;

use super::Subject;
use super::command::{of_options, read_command, speaks_uci};
use super::engine::NewEngine;
use crate::cli::parameter_list::Listed;
use crate::game::GameInfo;
use crate::input::InputError;
use crate::report::rendered;

pub(super) struct Draft<'d> {
    /// The command of this program.
    pub(super) tictune: &'d str,
    pub(super) name: &'d str,
    pub(super) game: &'static GameInfo,
    pub(super) subject: &'d Subject,
    /// The time that there is.
    pub(super) time: Duration,
}

/// The text of a config for a game of tictune, with what is to be filled in.
const GAME: &str = include_str!("templates/game.toml.jinja");

const RUNNER: &str = include_str!("templates/runner.toml.jinja");

impl Draft<'_> {
    /// Whether it is about a program that begins games at the start: those of platforms are told moves, and engines positions.
    fn plays_from_start(&self) -> bool {
        matches!(self.subject, Subject::Program(_)) && !speaks_uci(self.game)
    }

    pub(super) fn config(&self) -> Result<String, InputError> {
        let Self { tictune, name, game, subject, time } = self;
        let is_runner = matches!(subject, Subject::Program(_)) && game.is_outside();
        let engine = speaks_uci(game);
        let from_start = self.plays_from_start();
        let (evaluation, (program, numbers)) = match subject {
            Subject::Evaluation(evaluation) => (Some(evaluation), Default::default()),
            Subject::Program(command) => (None, read_command(command, game)?),
            Subject::Engine(NewEngine { command, parameters, .. }) => {
                let listed = |one: &Listed| (one.option.clone(), Some(one.clone()));
                (None, (command.clone(), of_options(parameters.iter().map(listed))))
            }
        };
        // One opponent alone teaches to beat this one, and to lose to others: experiments/pools.
        let opponents = game.pool.iter().map(|weights| format!("minimax:weights={weights}"));
        let mut opponents: Vec<String> = opponents.collect();
        if opponents.is_empty() {
            opponents = vec!["random".into(), "mcts:iterations=200".into()];
        }
        let rules = game.rule_keys.iter();
        let rules =
            rules.map(|key| context! { name => key.name, default => default_rule(key.values) });
        let (fixed, own_name) = match subject {
            Subject::Engine(engine) => (engine.fixed.as_slice(), engine.name.as_str()),
            _ => (&[][..], ""),
        };
        let values = context! {
            tictune,
            name,
            game => game.name,
            evaluation,
            program,
            numbers,
            own_name,
            fixed,
            engine,
            from_start,
            rules => rules.collect::<Vec<_>>(),
            opponents,
            // Games of engines are slow, and a short run is not to end with minutes of them.
            last_games => if engine && *time <= Duration::from_secs(600) { 40 } else { 200 },
            time => in_words(*time),
            depths => game.first_depths,
            openings => if from_start { "none" } else { "random:4:train" },
        };
        Ok(rendered(if is_runner { RUNNER } else { GAME }, values))
    }
}

/// A time as a config has it.
pub(super) fn in_words(time: Duration) -> String {
    humantime::format_duration(time).to_string().replace(' ', "")
}

/// The first of the values that a rule may have, as it is written in a config.
fn default_rule(values: &str) -> String {
    let value = values.split('|').next().unwrap_or_default();
    let is_bare = value.parse::<u32>().is_ok() || value.parse::<bool>().is_ok();
    if is_bare { value.into() } else { format!("\"{value}\"") }
}
