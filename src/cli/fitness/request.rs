//! What a line asks for.

use serde_json::{Map, Value};

use crate::evolve::{Plan, StagePlan, Vector};
use crate::input::{Result, shortened_to, unknown};

const KEYS: [&str; 5] = ["id", "numbers", "against", "seed", "games"];

/// The candidates of a line, and whether they are an array, which is measured together and answered by one.
pub(crate) fn read_line(text: &str) -> Result<(Vec<Value>, bool), String> {
    match serde_json::from_str(text) {
        Ok(Value::Array(candidates)) => Ok((candidates, true)),
        Ok(candidate) => Ok((vec![candidate], false)),
        Err(error) => {
            // The reader of JSON counts lines within the text, which is one line.
            let (text, column) = (error.to_string(), error.column());
            let what = text.split(" at line ").next().unwrap_or_default();
            Err(format!(
                "is not JSON: {what} at column {column}; expected {EXAMPLE}, or an array of such objects"
            ))
        }
    }
}

const EXAMPLE: &str = "an object such as {\"id\": 1, \"numbers\": {\"NAME\": 0.5}}";

pub(crate) struct FitnessRequest {
    /// Whatever the request has; the answer has it too.
    pub(super) id: Value,
    pub(super) vector: Vector,
    /// Whom it plays in place of the opponents.
    pub(super) against: Option<Vector>,
    pub(super) seed: u64,
    pub(super) games: u64,
}

impl FitnessRequest {
    pub(crate) fn read(value: &Value, plan: &Plan, stage: usize) -> Result<Self, String> {
        let Value::Object(request) = value else {
            return Err(format!("expected {EXAMPLE}, found {}", shown(value)));
        };
        if let Some(key) = request.keys().find(|key| !KEYS.contains(&key.as_str())) {
            return Err(unknown("key", key, &KEYS));
        }
        let vector = match request.get("numbers") {
            Some(numbers) => vector_of(plan, "numbers", numbers)?,
            None => {
                let names = plan.numbers().map(|number| number.name).collect::<Vec<_>>().join(", ");
                return Err(format!("numbers: missing; expected an object with {names}"));
            }
        };
        let against = request.get("against").filter(|value| !value.is_null());
        let against = against.map(|numbers| vector_of(plan, "against", numbers)).transpose()?;
        let own = plan.stages[stage].fitness.games;
        let games = whole(request, "games")?.unwrap_or(own);
        in_games(&plan.stages[stage], games, against.is_some())
            .map_err(|error| error.to_string())?;
        let id = request.get("id").cloned().unwrap_or_default();
        Ok(Self { id, vector, against, seed: whole(request, "seed")?.unwrap_or(0), games })
    }
}

/// The stage in so many games, against its opponents or vectors that are named.
pub(super) fn in_games(stage: &StagePlan, games: u64, against: bool) -> Result<StagePlan> {
    if against { stage.clone().against_vectors().in_games(games) } else { stage.in_games(games) }
}

fn vector_of(plan: &Plan, key: &str, value: &Value) -> Result<Vector, String> {
    let Value::Object(numbers) = value else {
        return Err(format!("{key}: expected an object, found {}", shown(value)));
    };
    let numbers = numbers.iter().map(|(name, value)| match value.as_f64() {
        Some(number) => Ok((name.as_str(), number)),
        None => Err(format!("{name}: expected a number, found {}", shown(value))),
    });
    let numbers: Vec<(&str, f64)> = numbers.collect::<Result<_, _>>()?;
    plan.vector_of("candidate", &numbers).map_err(|error| error.to_string())
}

fn whole(request: &Map<String, Value>, key: &str) -> Result<Option<u64>, String> {
    let Some(value) = request.get(key).filter(|value| !value.is_null()) else { return Ok(None) };
    let number = value.as_u64();
    let wrong = || format!("{key}: expected a whole number of at least 0, found {}", shown(value));
    number.ok_or_else(wrong).map(Some)
}

fn shown(value: &Value) -> String {
    shortened_to(60, &value.to_string())
}
