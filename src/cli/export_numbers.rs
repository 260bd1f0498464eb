//! `tictune export` of a run that evolved numbers of an agent and no weights.

use super::Session;
use std::path::Path;

use serde_json::{Map, Value, json};

use super::winner::winner_vector;
use crate::agent::{AgentSpec, ParameterValue};
use crate::evolve::Plan;
use crate::export::Format;
use crate::export::{self, Language, Literal};
use crate::input::InputError;
use crate::programs::ExternalSettings;

/// The numbers of a run's winner in a format; `None` if the run evolved weights as well, which are exported then.
pub(super) fn export(
    run: &Path,
    format: Format,
    session: &Session,
) -> anyhow::Result<Option<String>> {
    let (plan, winner) = winner_vector(run, session)?;
    let agent = winner.carried_by(&plan.agent)?;
    let program: Option<&ExternalSettings> = agent.settings();
    if winner.weights.is_some() {
        return Ok(None);
    }
    // A program has switches, too.
    let value = |(name, number): &(String, f64)| {
        let of_program = program.and_then(|program| program.numbers.get(name).copied());
        (name.clone(), of_program.unwrap_or(ParameterValue::Number(*number)))
    };
    let numbers: Vec<(String, ParameterValue)> = winner.parameters.iter().map(value).collect();
    if let Some(language) = Language::of(format) {
        return Ok(Some(constants(&plan, &agent, numbers, language)));
    }
    Ok(Some(match format {
        Format::Csv => {
            let lines = numbers.iter().map(|(name, value)| format!("{name},{value}\n"));
            std::iter::once("name,value\n".to_string()).chain(lines).collect()
        }
        Format::Json => {
            let numbers: Map<String, Value> = numbers
                .into_iter()
                .map(|(name, value)| Ok((name, serde_json::to_value(value)?)))
                .collect::<Result<_, serde_json::Error>>()?;
            let object = json!({
                "name": winner.name,
                "game": plan.game,
                "agent": agent.to_string(),
                "parameters": numbers,
            });
            format!("{object:#}\n")
        }
        _ => {
            let table: toml::Table =
                numbers.into_iter().map(|(name, value)| (name, toml_value(value))).collect();
            table.to_string()
        }
    }))
}

fn constants(
    plan: &Plan,
    agent: &AgentSpec,
    numbers: Vec<(String, ParameterValue)>,
    language: &Language,
) -> String {
    let literals: Vec<(String, Literal)> =
        numbers.into_iter().map(|(name, value)| literal(plan, name, value)).collect();
    let title = format!("Numbers of the run {}.", plan.name);
    let origin = [
        format!(
            "Tuned by tictune {}: run {}, seed {}, config hash {}.",
            env!("CARGO_PKG_VERSION"),
            plan.name,
            plan.seed,
            plan.hash()
        ),
        format!("The agent: {agent}"),
    ];
    export::numbers((&title, &plan.name), &literals, &origin, language)
}

fn literal(plan: &Plan, name: String, value: ParameterValue) -> (String, Literal) {
    let of_name = plan.space.parameters.iter().find(|parameter| parameter.key == name);
    let is_whole = of_name.is_some_and(|parameter| parameter.whole);
    let literal = match value {
        ParameterValue::Switch(on) => Literal::Switch(on),
        // Whole numbers of a run are far below the bound.
        ParameterValue::Number(number) if is_whole => Literal::Whole(number as i64),
        ParameterValue::Number(number) => Literal::Real(number),
    };
    (name, literal)
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

/// The lines that set the options of a UCI engine to what a run's winner has.
pub(super) fn set_options(run: &Path, session: &Session) -> anyhow::Result<String> {
    if !run.is_dir() {
        let message =
            "the format uci is for the folder of a run that evolved options of a UCI engine";
        return Err(InputError::new(message).into());
    }
    let (plan, winner) = winner_vector(run, session)?;
    let agent = winner.carried_by(&plan.agent)?;
    let program: Option<&ExternalSettings> = agent.settings();
    let Some(program) = program.filter(|program| !program.options.is_empty()) else {
        let message = "the format uci is for runs that evolved options of a UCI engine";
        return Err(InputError::in_file(run, message).into());
    };
    let options = program.ready()?.invocation(0).options;
    Ok(options
        .iter()
        .map(|(name, value)| format!("setoption name {name} value {value}\n"))
        .collect())
}
