//! The command of a program whose numbers are evolved, as a person writes it after `--program`.

use serde::Serialize;

use super::super::parameter_list::Listed;
use crate::evolve::CandidateRow;
use crate::game::GameInfo;
use crate::input::{InputError, Result};

#[derive(Serialize)]
pub(super) struct Number {
    /// Its name as a parameter.
    key: String,
    /// Its name in the command: of a UCI engine, the option.
    option: String,
    /// Its value and range, if the engine or a list has them.
    range: Option<Listed>,
}

/// The parameters of a UCI engine's options, each with a name that a config takes.
pub(super) fn of_options(
    options: impl IntoIterator<Item = (String, Option<Listed>)>,
) -> Vec<Number> {
    // Names of columns and placeholders.
    let mut taken = CandidateRow::header(&[]);
    taken.extend(["seed", "vector_fitness", "weights"].map(String::from));
    let mut numbers: Vec<Number> = Vec::new();
    for (option, range) in options {
        let words = option.split(|c: char| !c.is_ascii_alphanumeric());
        let words: Vec<String> =
            words.filter(|word| !word.is_empty()).map(str::to_ascii_lowercase).collect();
        let mut key = words.join("_");
        if taken.contains(&key) || !key.starts_with(|c: char| c.is_ascii_alphabetic()) {
            key = format!("p_{key}");
        }
        while numbers.iter().any(|other| other.key == key) {
            key += "_2";
        }
        numbers.push(Number { key, option, range });
    }
    numbers
}

/// Whether only engines play a game: it has no evaluations here.
pub(super) fn speaks_uci(game: &GameInfo) -> bool {
    game.layouts.is_empty() && !game.is_outside()
}

/// The command of a config, and the numbers of a command as a person writes it, each once. Programs of platforms take their numbers
/// where a name in braces is; engines and programs that play a game of their own are told theirs, and words in braces after the
/// command name them.
pub(super) fn read_command(command: &str, game: &GameInfo) -> Result<(String, Vec<Number>)> {
    let (own, names) = match speaks_uci(game) || game.is_outside() {
        true => words_in_braces(command)?,
        false => (command.into(), placeholders(command)),
    };
    let example = if speaks_uci(game) {
        "'{OPTION}' after it, as in \"./engine '{King Safety}' '{Contempt}'\"; `tictune doctor` starts an engine and says whether it \
         takes options"
    } else if game.is_outside() {
        "{NAME} after it for each parameter, as in \"python3 play.py {stay} {hold}\"; docs/runner.md describes the requests"
    } else {
        "{NAME} in place of a parameter, as in \"./bot {corner} {seed}\""
    };
    if own.is_empty() || names.is_empty() {
        return Err(InputError::new(format!("the command has no {example}")));
    }
    if speaks_uci(game) {
        return Ok((own, of_options(names.into_iter().map(|option| (option, None)))));
    }
    let number = |option: String| Number { key: option.clone(), option, range: None };
    Ok((own, names.into_iter().map(number).collect()))
}

/// A command without its words in braces, and what they hold, each once.
fn words_in_braces(command: &str) -> Result<(String, Vec<String>)> {
    let words = shlex::split(command).ok_or_else(|| {
        InputError::new(format!("a quote is not closed in the command {command}"))
    })?;
    let name = |word: &str| Some(word.strip_prefix('{')?.strip_suffix('}')?.to_string());
    let (mut own, mut names) = (Vec::new(), Vec::new());
    for word in &words {
        match name(word) {
            Some(name) if name.is_empty() => {
                return Err(InputError::new("{} in the command has no name"));
            }
            Some(name) if names.contains(&name) => {}
            Some(name) => names.push(name),
            None => own.push(word.as_str()),
        }
    }
    Ok((shlex::try_join(own).unwrap_or_default(), names))
}

/// The names in braces of a command, each once; `{seed}` is tictune's own, and doubled braces stand for braces.
fn placeholders(command: &str) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for part in command.replace("{{", "").split('{').skip(1) {
        if let Some((name, _)) = part.split_once('}')
            && !name.is_empty()
            && name != "seed"
            && !names.iter().any(|known| known == name)
        {
            names.push(name.into());
        }
    }
    names
}
