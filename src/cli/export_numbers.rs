//! `tictune export` of a run that evolved numbers of an agent and no weights.

use std::path::Path;

use anyhow::bail;
use serde_json::{Value, json};

use super::Session;
use super::parameter_list::{self, Form, Listed};
use super::run_folder::winner_vector;
use crate::agent::{AgentSpec, ParameterValue};
use crate::evolve::{Parameter, Plan, Vector};
use crate::export::{self, Format, Language, Literal};
use crate::input::{InputError, Result};
use crate::programs::ExternalSettings;

/// The numbers of a run's winner in a format.
pub(super) fn export(plan: &Plan, winner: &Vector, format: Format) -> Result<String> {
    let agent = winner.apply_to(&plan.agent)?;
    let program: Option<&ExternalSettings> = agent.settings();
    // A program has switches, too.
    let value = |(name, number): &(String, f64)| {
        let of_program = program.and_then(|program| program.numbers.get(name).copied());
        (name.clone(), of_program.unwrap_or(ParameterValue::Number(*number)))
    };
    let numbers: Vec<(String, ParameterValue)> = winner.parameters.iter().map(value).collect();
    if let Some(language) = Language::of(format) {
        return Ok(constants(plan, &agent, numbers, language));
    }
    Ok(match format {
        Format::Csv => {
            let lines = numbers.iter().map(|(name, value)| format!("{name},{value}\n"));
            std::iter::once("name,value\n".to_string()).chain(lines).collect()
        }
        Format::Json => {
            let numbers: Value =
                numbers.into_iter().map(|(name, value)| (name, json!(value))).collect();
            let (name, game, agent) = (&winner.name, &plan.game, agent.to_string());
            let object =
                json!({ "name": name, "game": game, "agent": agent, "parameters": numbers });
            format!("{object:#}\n")
        }
        _ => {
            let numbers = numbers.into_iter().map(|(name, value)| (name, toml_value(value)));
            numbers.collect::<toml::Table>().to_string()
        }
    })
}

fn constants(
    plan: &Plan,
    agent: &AgentSpec,
    numbers: Vec<(String, ParameterValue)>,
    language: &Language,
) -> String {
    let is_whole =
        |name: &String| plan.space.parameters.iter().any(|one| one.whole && one.key == *name);
    let literal = |(name, value): (String, ParameterValue)| match value {
        ParameterValue::Switch(on) => (name, Literal::Switch(on)),
        // Whole numbers of a run are far below the bound.
        ParameterValue::Number(number) if is_whole(&name) => (name, Literal::Whole(number as i64)),
        ParameterValue::Number(number) => (name, Literal::Real(number)),
    };
    let literals: Vec<(String, Literal)> = numbers.into_iter().map(literal).collect();
    let Plan { name, seed, .. } = plan;
    let (version, hash) = (env!("CARGO_PKG_VERSION"), plan.hash());
    let origin = [
        format!("Tuned by tictune {version}: run {name}, seed {seed}, config hash {hash}."),
        format!("The agent: {agent}"),
    ];
    let title = format!("Parameters of the run {name}.");
    export::numbers((&title, name), &literals, &origin, language)
}

/// A value as TOML has it, whole numbers without a point.
fn toml_value(value: ParameterValue) -> toml::Value {
    match value {
        ParameterValue::Switch(on) => on.into(),
        ParameterValue::Number(number) => match number.to_string().parse::<i64>() {
            Ok(whole) => whole.into(),
            Err(_) => number.into(),
        },
    }
}

/// The lines that set the tuned options of a UCI engine to what a run's winner has.
pub(super) fn set_options(run: &Path, session: &Session) -> anyhow::Result<String> {
    let (_, winner, program) = engine_of(run, session)?;
    let options = program.ready()?.invocation(0).options;
    let is_tuned = |(option, _): &(&String, &String)| {
        let text = &program.options[*option];
        winner.parameters.iter().any(|(key, _)| text.contains(&format!("{{{key}}}")))
    };
    let line = |(name, value)| format!("setoption name {name} value {value}\n");
    Ok(options.iter().filter(is_tuned).map(line).collect())
}

/// The parameters of a UCI engine with the values of a run's winner and the ranges of its config, as another tuner takes them.
pub(super) fn parameter_list(run: &Path, form: Form, session: &Session) -> anyhow::Result<String> {
    let (plan, winner, program) = engine_of(run, session)?;
    let listed = |(key, value): &(String, f64)| {
        let of_key = |parameter: &&Parameter| parameter.key == *key;
        let Parameter { low, high, whole, .. } = *plan.space.parameters.iter().find(of_key)?;
        let placeholder = format!("{{{key}}}");
        let (option, _) = program.options.iter().find(|(_, text)| **text == placeholder)?;
        Some(Listed { option: option.clone(), value: *value, low, high, whole })
    };
    let list: Vec<Listed> = winner.parameters.iter().filter_map(listed).collect();
    let missing = winner.parameters.iter().filter(|one| listed(one).is_none());
    let missing: Vec<&str> = missing.map(|(key, _)| key.as_str()).collect();
    if !missing.is_empty() {
        let missing = missing.join(", ");
        let message =
            format!("no option is set to these parameters alone, as the list needs it: {missing}");
        bail!(InputError::in_file(run, message));
    }
    Ok(parameter_list::write(&list, form))
}

/// The plan and the winner of a run that tuned options of a UCI engine, and the engine with these.
fn engine_of(run: &Path, session: &Session) -> anyhow::Result<(Plan, Vector, ExternalSettings)> {
    let message = "this format is for the folder of a run that tuned options of a UCI engine";
    if !run.exists() {
        bail!(InputError::in_file(run, "does not exist"));
    }
    if !run.is_dir() {
        bail!(InputError::new(message));
    }
    let (plan, winner) = winner_vector(run, session)?;
    let agent = winner.apply_to(&plan.agent)?;
    let program: Option<&ExternalSettings> = agent.settings();
    match program.filter(|program| !program.options.is_empty()) {
        Some(program) => Ok((plan, winner, program.clone())),
        None => bail!(InputError::in_file(run, message)),
    }
}
