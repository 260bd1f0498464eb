//! The text of a new config.

use std::time::Duration;

use minijinja::context;
use serde::Serialize;

use super::Subject;
use super::command::{read_command, speaks_uci};
use crate::cli::template::render;
use crate::game::GameInfo;
use crate::input::InputError;

pub(super) struct Draft<'d> {
    /// The command of this program.
    pub(super) tictune: &'d str,
    pub(super) name: &'d str,
    pub(super) game: &'static GameInfo,
    pub(super) subject: &'d Subject,
    /// The time that there is, where nobody has measured how fast the games are.
    pub(super) time: Option<Duration>,
    pub(super) sizes: Sizes,
}

/// How many games are played for what.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Sizes {
    /// Of the search.
    pub(super) budget: u64,
    /// Of each row of the validation.
    pub(super) validation: u64,
}

impl Sizes {
    /// A search that is large enough for a few generations of each of two stages without opponents.
    const LEAST: u64 = 400;

    /// The usual sizes for a subject, where time is no matter.
    pub(super) const fn usual(is_runner: bool) -> Self {
        match is_runner {
            true => Self { budget: 20_000, validation: 1000 },
            false => Self { budget: 2_000, validation: 200 },
        }
    }

    /// Sizes for so many games in all: 15 % of them are for the validation, if that has one row, and no more than the usual ones.
    pub(super) fn fitting(self, all: f64) -> Self {
        let even = |games: f64| (games / 2.0) as u64 * 2;
        let validation = even(0.15 * all).clamp(10, self.validation);
        let budget = (all - validation as f64) as u64;
        Self { budget: budget.max(Self::LEAST), validation }
    }

    pub(super) const fn in_all(self) -> u64 {
        self.budget + self.validation
    }
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
        let Self { tictune, name, game, subject, sizes, .. } = self;
        let is_runner = matches!(subject, Subject::Program(_)) && game.is_outside();
        let engine = speaks_uci(game);
        let from_start = self.plays_from_start();
        let (evaluation, (program, numbers)) = match subject {
            Subject::Evaluation(evaluation) => (Some(evaluation), Default::default()),
            Subject::Program(command) => (None, read_command(command, game)?),
        };
        // One opponent alone teaches to beat this one, and to lose to others: experiments/pools.
        let opponents = game.pool.iter().map(|weights| format!("minimax:weights={weights}"));
        let opponents: Vec<String> = opponents.collect();
        let rules = game.rule_keys.iter();
        let rules =
            rules.map(|key| context! { name => key.name, default => default_rule(key.values) });
        // A stage may take a share of the time.
        let share = if from_start { 0.6 } else { 0.3 };
        let values = context! {
            tictune,
            name,
            game => game.name,
            evaluation,
            program,
            numbers,
            engine,
            from_start,
            rules => rules.collect::<Vec<_>>(),
            opponents,
            sizes,
            depths => game.first_depths,
            openings => if from_start { "none" } else { "random:4:train" },
            seconds => self.time.map(|time| (share * time.as_secs_f64()).ceil() as u64),
        };
        Ok(render(if is_runner { RUNNER } else { GAME }, values))
    }
}

/// The first of the values that a rule may have, as it is written in a config.
fn default_rule(values: &str) -> String {
    let value = values.split('|').next().unwrap_or_default();
    // A number has no quotes.
    if value.starts_with(char::is_lowercase) { format!("\"{value}\"") } else { value.into() }
}
