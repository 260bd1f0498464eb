//! The text of a new config.

use std::time::Duration;

use minijinja::context;

use super::Subject;
use super::command::{of_options, read_command, speaks_uci};
use crate::cli::parameter_list::Listed;
use crate::game::GameInfo;
use crate::input::Result;
use crate::report::rendered;

const GAME: &str = include_str!("templates/game.toml.jinja");
const RUNNER: &str = include_str!("templates/runner.toml.jinja");

/// The text of a config for so much time, with what is to be filled in. `tictune` is the command of this program.
pub(super) fn config(
    (tictune, name): (&str, &str),
    game: &GameInfo,
    subject: &Subject,
    time: Duration,
) -> Result<String> {
    let is_program = matches!(subject, Subject::Program(_));
    let engine = speaks_uci(game);
    // Programs of platforms are told moves, and engines positions.
    let from_start = is_program && !engine;
    let (mut evaluation, mut fixed, mut own_name) = (None, &[][..], "");
    let (program, numbers) = match subject {
        Subject::Evaluation(name) => {
            evaluation = Some(name);
            Default::default()
        }
        Subject::Program(command) => read_command(command, game)?,
        Subject::Engine(engine) => {
            (fixed, own_name) = (&engine.fixed, &engine.name);
            let listed = |one: &Listed| (one.option.clone(), Some(one.clone()));
            (engine.command.clone(), of_options(engine.parameters.iter().map(listed)))
        }
    };
    // One opponent alone teaches to beat this one, and to lose to others: experiments/pools.
    let opponents = game.pool.iter().map(|weights| format!("minimax:weights={weights}"));
    let mut opponents: Vec<String> = opponents.collect();
    if opponents.is_empty() {
        opponents = vec!["random".into(), "mcts:iterations=200".into()];
    }
    let rules = game.rule_keys.iter();
    let rules = rules.map(|key| context! { name => key.name, default => default_rule(key.values) });
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
        last_games => if engine && time <= Duration::from_secs(600) { 40 } else { 200 },
        time => in_words(time),
        depths => game.first_depths,
        openings => if from_start { "none" } else { "random:4:train" },
    };
    Ok(rendered(if is_program && game.is_outside() { RUNNER } else { GAME }, values))
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
