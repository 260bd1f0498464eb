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
    pub(super) games: u64,
    /// Generations of the two stages.
    pub(super) generations: [u64; 2],
    /// Of a finalist in the first round.
    pub(super) finalists: u64,
    pub(super) comparison: u64,
    pub(super) validation: u64,
}

/// Candidates and the mean vector of a generation.
const MEASURED: f64 = 17.0;

/// A finalist's games of the first round, summed over a stage's seven finalists (two candidates, two means, their average, the
/// start, the model) and two rounds, of which the second has twice as many.
const OF_FINALISTS: f64 = 21.0;

impl Sizes {
    /// The usual sizes for a subject, where time is no matter.
    pub(super) const fn usual(is_runner: bool) -> Self {
        Self {
            games: if is_runner { 300 } else { 60 },
            generations: [30, 10],
            finalists: 600,
            comparison: 300,
            validation: if is_runner { 1000 } else { 200 },
        }
    }

    /// Sizes for so many games in all, in a config with so many stages: 20 % of them for finalists, 5 % for the comparison, 15 %
    /// for the validation, and what is left for the generations. There are up to 200 of these; no other size is above the usual
    /// one. The smallest sizes may have more games than that: see [`in_all`](Self::in_all).
    pub(super) fn fitting(self, all: f64, stages: usize) -> Self {
        /// With fewer generations more games a candidate are no use.
        const ENOUGH: f64 = 20.0;
        /// A round of finalists is ten blocks of pairs.
        const BLOCKS: u64 = 20;
        let even = |games: f64, most: u64| ((games / 2.0) as u64).saturating_mul(2).clamp(10, most);
        let of_finalists = OF_FINALISTS * stages as f64;
        let matches = Self {
            generations: [0; 2],
            finalists: even(0.2 * all / of_finalists, self.finalists).next_multiple_of(BLOCKS),
            comparison: even(0.05 * all, self.comparison),
            validation: even(0.15 * all, self.validation),
            ..self
        };
        let left = all - matches.in_all(stages);
        let games = even(left / MEASURED / ENOUGH, self.games);
        let generations = ((left / MEASURED / games as f64) as u64).clamp(2, 200);
        Self { games, generations: [generations.div_ceil(2), generations / 2], ..matches }
    }

    /// The games of a run with these sizes, at most, where the validation has one row.
    pub(super) fn in_all(self, stages: usize) -> f64 {
        let generations: u64 = self.generations.iter().sum();
        MEASURED * generations as f64 * self.games as f64
            + OF_FINALISTS * stages as f64 * self.finalists as f64
            + (self.comparison + self.validation) as f64
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

    /// Its stages: of growing depth, where the program has depths.
    pub(super) fn stages(&self) -> usize {
        if self.plays_from_start() { 1 } else { 2 }
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
        let opponent = match game.pool.first() {
            Some(weights) => format!("minimax:weights={weights}"),
            None => "initial".into(),
        };
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
            opponent,
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
