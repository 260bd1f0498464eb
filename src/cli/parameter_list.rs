//! The parameters of a UCI engine as its author lists them for a tuner: the input of OpenBench's SPSA, a line
//! `NAME, int, VALUE, MIN, MAX, C_END, R_END` for each, and the `config.json` of weather-factory, an object of
//! `"NAME": {"value": V, "min_value": MIN, "max_value": MAX, "step": S}`.

use std::fmt;
use std::path::Path;

use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Value, json};
use strum::{EnumString, VariantNames};

use crate::input::{InputError, Result, read_text};

#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct Listed {
    pub(super) option: String,
    pub(super) value: f64,
    pub(super) low: f64,
    pub(super) high: f64,
    pub(super) whole: bool,
}

#[derive(Clone, Copy, Debug, EnumString, PartialEq, Eq, VariantNames)]
#[strum(serialize_all = "kebab-case")]
pub(super) enum Form {
    #[strum(serialize = "openbench")]
    OpenBench,
    WeatherFactory,
}

type OpenBenchLine = (String, String, f64, f64, f64, f64, f64);

#[derive(Deserialize)]
struct OfWeatherFactory {
    value: f64,
    min_value: f64,
    max_value: f64,
}

/// The entries of a JSON object. A map would keep the last of those with one name.
struct Entries(Vec<(String, OfWeatherFactory)>);

impl<'de> Visitor<'de> for Entries {
    type Value = Self;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut object: A) -> Result<Self, A::Error> {
        while let Some(entry) = object.next_entry()? {
            self.0.push(entry);
        }
        Ok(self)
    }
}

/// OpenBench's usual learning rate.
const R_END: f64 = 0.002;

impl Listed {
    /// What other tuners take as the size of a step: a twentieth of the range, and of whole numbers 1 at least.
    fn step(&self) -> f64 {
        let step = (self.high - self.low) / 20.0;
        if self.whole { step.round().max(1.0) } else { step }
    }
}

/// Numbers beyond are no parameters of an engine.
pub(super) const MOST: f64 = 1e12;

/// Reads a list in either form. Its ranges hold its values, and each name is there once.
pub(super) fn read(path: &Path) -> Result<Vec<Listed>> {
    let text = read_text(path)?;
    let list = parse(path, text.trim_start_matches('\u{feff}'))?;
    for (place, Listed { option, value, low, high, .. }) in list.iter().enumerate() {
        let wrong = |what: &str| Err(InputError::in_file(path, format!("{option}: {what}")));
        if !(-MOST <= *low && low < high && *high <= MOST && (*low..=*high).contains(value)) {
            return wrong("expected a least value below the greatest, and the value between them");
        }
        if list[..place].iter().any(|other| other.option.eq_ignore_ascii_case(option)) {
            return wrong("is listed twice");
        }
    }
    match list.is_empty() {
        true => Err(InputError::in_file(path, "lists no parameters")),
        false => Ok(list),
    }
}

fn parse(path: &Path, text: &str) -> Result<Vec<Listed>> {
    if text.trim_start().starts_with('{') {
        let mut json = serde_json::Deserializer::from_str(text);
        let list = json.deserialize_map(Entries(vec![])).and_then(|list| json.end().map(|()| list));
        let Entries(list) = list.map_err(|error| {
            let what = format!("is not a list of parameters as weather-factory has it: {error}");
            InputError::in_line(path, error.line().max(1), text, what)
        })?;
        let listed = |(option, OfWeatherFactory { value, min_value, max_value })| {
            let whole = [value, min_value, max_value].iter().all(|x: &f64| x.fract() == 0.0);
            Listed { option, value, low: min_value, high: max_value, whole }
        };
        return Ok(list.into_iter().map(listed).collect());
    }
    // An empty line is skipped, and one of blanks is as empty.
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let lines = lines.join("\n");
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .trim(csv::Trim::All)
        .from_reader(lines.as_bytes());
    let listed = |line: Result<OpenBenchLine, csv::Error>| {
        let what =
            "expected NAME, int or float, VALUE, MIN, MAX, C_END, R_END, as OpenBench has it";
        let (option, kind, value, low, high, ..) = line.map_err(|error| {
            let line = error.position().map_or(1, csv::Position::line) as usize;
            InputError::in_line(path, line, text, what)
        })?;
        match kind.as_str() {
            "int" | "float" => Ok(Listed { option, value, low, high, whole: kind == "int" }),
            _ => Err(InputError::in_file(path, format!("{option}: {what}"))),
        }
    };
    reader.deserialize().map(listed).collect()
}

pub(super) fn write(list: &[Listed], form: Form) -> String {
    if form == Form::OpenBench {
        let line = |one: &Listed| {
            let Listed { option, value, low, high, whole } = one;
            let kind = if *whole { "int" } else { "float" };
            format!("{option}, {kind}, {value}, {low}, {high}, {}, {R_END}\n", one.step())
        };
        return list.iter().map(line).collect();
    }
    let entry = |one: &Listed| {
        let number = |x: f64| if one.whole { json!(x as i64) } else { json!(x) };
        let [value, low, high, step] = [one.value, one.low, one.high, one.step()].map(number);
        let entry = json!({ "value": value, "min_value": low, "max_value": high, "step": step });
        (one.option.clone(), entry)
    };
    format!("{:#}\n", list.iter().map(entry).collect::<Value>())
}
