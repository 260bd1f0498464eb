//! Which options of a UCI engine are tuned: those that its author lists or a person chooses, with the defaults and ranges that
//! the engine announces.

use std::path::Path;

use super::super::parameter_list::{self, Listed, MOST};
use super::super::range;
use crate::input::{InputError, Result, unknown};
use crate::programs::ExternalSettings;
use crate::programs::uci::{Announced, EngineOption, OptionKind};

/// Ends of words in the names of options that say how an engine is used, and not how well it plays, or that matter with a clock only.
const OPERATIONAL: [&str; 8] =
    ["cache", "elo", "mover", "multipv", "overhead", "randomness", "skill", "time"];

/// Options that are fixed in tuning, if an engine has them: one core and little memory a game, and no moves but its own.
const FIXED: [(&str, &str); 4] =
    [("Hash", "16"), ("OwnBook", "false"), ("Ponder", "false"), ("Threads", "1")];

#[derive(Clone, Debug, PartialEq)]
pub(super) struct NewEngine {
    pub(super) command: String,
    pub(super) name: String,
    pub(super) parameters: Vec<Listed>,
    pub(super) fixed: Vec<(String, &'static str)>,
    /// Options that could be tuned, too, but say how it is used.
    pub(super) left_out: Vec<String>,
}

/// Asks an engine for its options. Tuned are those of a file, those of these names, or else those that the person chooses.
pub(super) fn ask_engine(
    command: &str,
    wanted: Option<&str>,
    ask: &mut dyn FnMut(&str) -> anyhow::Result<String>,
) -> anyhow::Result<NewEngine> {
    let announced = ExternalSettings::announced(command).map_err(|error| {
        let hint = "if it is not a UCI engine, write {NAME} for each parameter, and if it plays its own game, add \
                    --game runner";
        InputError::new(format!("{error}; {hint}"))
    })?;
    let is_first = |option: &&EngineOption| {
        announced.option(&option.name).is_some_and(|first| std::ptr::eq(first, *option))
    };
    let offered: Vec<Listed> =
        announced.options.iter().filter(is_first).filter_map(listed).collect();
    let (operational, list): (Vec<Listed>, Vec<Listed>) =
        offered.iter().cloned().partition(|one| is_operational(&one.option));
    let is_file = |text: &str| {
        let path = Path::new(text);
        let is_name = text.contains(',') || announced.option(text).is_some();
        path.is_file() || path.extension().is_some() && !is_name
    };
    let parameters = match wanted {
        Some(file) if file != "all" && is_file(file) => of_file(Path::new(file), &announced)?,
        Some(wanted) => chosen(wanted, &list, &offered)?,
        None if list.is_empty() => Vec::new(),
        None => chosen(&ask(&question(&announced.name, &list))?, &list, &offered)?,
    };
    if parameters.is_empty() {
        let others: Vec<&str> = operational.iter().map(|one| one.option.as_str()).collect();
        let message = match (list.is_empty(), &others[..]) {
            (false, _) => "no parameter was named".into(),
            (true, []) => format!("{command} announces no whole number with a range; give it some"),
            (true, _) => format!(
                "{command} announces no whole number with a range that says how it plays; --parameters can name others: {}",
                others.join(", ")
            ),
        };
        return Err(InputError::new(message).into());
    }
    let is_tuned = |name: &str| parameters.iter().any(|one| one.option.eq_ignore_ascii_case(name));
    let fixed = FIXED.iter().filter(|(name, _)| !is_tuned(name));
    let fix = |&(name, value): &(&str, &'static str)| {
        announced.set(name, value).ok()?;
        Some((announced.option(name)?.name.clone(), value))
    };
    let fixed = fixed.filter_map(fix).collect();
    let left_out = operational.into_iter().filter(|one| !is_tuned(&one.option));
    let left_out = left_out.map(|one| one.option).collect();
    let (command, name) = (command.into(), announced.name.clone());
    Ok(NewEngine { command, name, parameters, fixed, left_out })
}

/// An option as a parameter, if it is a whole number within a range.
fn listed(option: &EngineOption) -> Option<Listed> {
    let OptionKind::Spin { min, max } = option.kind else { return None };
    let (low, high) = (min as f64, max as f64);
    if low >= high || low < -MOST || high > MOST || option.name.contains(['"', '\\']) {
        return None;
    }
    let value = option.default_number().unwrap_or(low).clamp(low, high);
    Some(Listed { option: option.name.clone(), value, low, high, whole: true })
}

/// Names with UCI in front are those of the protocol.
fn is_operational(option: &str) -> bool {
    let name = option.to_lowercase();
    let has_part = ["hash", "thread", "split", "syzygy", "search depth"]
        .iter()
        .any(|part| name.contains(part));
    let mut words = name.split(|c: char| !c.is_alphanumeric());
    name.starts_with("uci_")
        || has_part
        || words.any(|word| OPERATIONAL.iter().any(|end| word.ends_with(end)))
}

/// The parameters of a file, with the engine's own spelling. A text may be a fraction.
fn of_file(path: &Path, announced: &Announced) -> Result<Vec<Listed>> {
    let names: Vec<&str> = announced.options.iter().map(|option| option.name.as_str()).collect();
    let of_one = |one: Listed| {
        let option = announced
            .option(&one.option)
            .ok_or_else(|| InputError::in_file(path, unknown("parameter", &one.option, &names)))?;
        let whole = match option.kind {
            OptionKind::Spin { min, max } => {
                let fits = |x: f64| x.fract() == 0.0 && (min as f64..=max as f64).contains(&x);
                [one.value, one.low, one.high].into_iter().all(fits).then_some(true)
            }
            OptionKind::Text => Some(one.whole),
            _ => None,
        };
        let whole = whole.ok_or_else(|| {
            let takes = format!("{}: the engine takes {}", option.name, option.kind);
            InputError::in_file(path, takes)
        })?;
        Ok(Listed { option: option.name.clone(), whole, ..one })
    };
    parameter_list::read(path)?.into_iter().map(of_one).collect()
}

fn find<'o>(name: &str, offered: &'o [Listed]) -> Result<&'o Listed> {
    let found = offered.iter().find(|one| one.option.eq_ignore_ascii_case(name));
    found.ok_or_else(|| {
        let names: Vec<&str> = offered.iter().map(|one| one.option.as_str()).collect();
        InputError::new(unknown("parameter", name, &names))
    })
}

fn question(engine: &str, list: &[Listed]) -> String {
    let line = |(place, one): (usize, &Listed)| {
        let Listed { option, value, low, high, .. } = one;
        format!("{place:>4}  {option}: {value} (from {low} to {high})\n")
    };
    let lines: String = (1..).zip(list).map(line).collect();
    format!("{engine} has these parameters:\n{lines}which of them to tune, as in 1,3-5 or by name")
}

/// The parameters of an answer: `all`, or places in the list, ranges of them and names, with commas between them.
fn chosen(answer: &str, list: &[Listed], offered: &[Listed]) -> Result<Vec<Listed>> {
    if answer.trim() == "all" {
        return Ok(list.to_vec());
    }
    let mut found: Vec<Listed> = Vec::new();
    for word in answer.split(',').map(str::trim).filter(|word| !word.is_empty()) {
        let of_word = match range(word).and_then(|range| list.get(range.start() - 1..*range.end()))
        {
            Some(of_range) => of_range,
            None => std::slice::from_ref(find(word, offered)?),
        };
        for one in of_word {
            if !found.contains(one) {
                found.push(one.clone());
            }
        }
    }
    Ok(found)
}
