//! The keys of agents, as their settings describe them, and agents as tables of keys and values.
//!
//! A key is a field of a struct of settings: serde gives its name and reads and writes its value, and its schema has the rest:
//! help (the comment), range, default, and what these extensions say:
//!
//! | extension | what it says |
//! |---|---|
//! | `x-takes`, `x-unit` | see [`input`](crate::input) |
//! | `x-evolves` | it can be evolved: a number that says how the agent plays, not how much it may spend |
//! | `x-always` | it is printed where it has its default, too |
//! | `x-required` | no agent of the kind can do without it; the key with its value |
//! | `x-with` | the key and value without which it says nothing |
//! | `x-names` | the value is the name of something: see `text::AgentKeys::read` |
//! | `x-speaks` | what reading its value says of a wrong one is for people |
//! | `x-shows` | the field of a table that stands for it in text |
//! | `x-default` | what stands in for a value that is left open |
//! | `x-without` (of a struct) | keys of its parts that it does not take |

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

use super::inline;
use super::kind::{KindInfo, to_map};
use super::kinds::Known;
use super::spec::AgentSpec;
use crate::input::{in_range, number_text, takes, words};

#[derive(Clone, Debug)]
pub(super) struct AgentKey {
    pub(super) name: String,
    pub(super) help: String,
    pub(super) schema: Value,
}

/// The keys that the schema of a struct of settings describes.
pub(super) fn properties(of_struct: &Value) -> Vec<AgentKey> {
    let without = of_struct["x-without"].as_array();
    let is_left_out = |name: &String| {
        name == "kind" || without.is_some_and(|names| names.iter().any(|other| other == name))
    };
    let key = |(name, property): (&String, &Value)| {
        let help = property["description"].as_str().unwrap_or_default();
        let help = help.replace('\n', " ").replace('`', "");
        AgentKey { name: name.clone(), help, schema: property.clone() }
    };
    let all = of_struct["properties"].as_object();
    all.into_iter().flatten().filter(|(name, _)| !is_left_out(name)).map(key).collect()
}

impl AgentKey {
    pub(super) fn said(&self, extension: &str) -> Option<&str> {
        self.schema[extension].as_str()
    }

    pub(super) fn is(&self, extension: &str) -> bool {
        self.schema[extension] == true
    }

    pub(super) fn is_whole(&self) -> bool {
        self.form() == "integer"
    }

    /// The type of its value in its schema; "word" where it takes certain words only.
    fn form(&self) -> &str {
        let form = self.schema["type"].as_str().unwrap_or("string");
        if words(&self.schema).is_empty() { form } else { "word" }
    }

    /// The values that it takes, in words that go after "expected".
    pub(super) fn takes(&self) -> String {
        takes(&self.schema)
    }

    pub(super) fn example(&self) -> String {
        match (self.schema["examples"].get(0), words(&self.schema).first()) {
            (Some(value), _) => self.quoted(value),
            (None, Some(&word)) => word.into(),
            (None, None) if self.schema["type"] == "boolean" => "true".into(),
            (None, None) if self.default().is_null() => "VALUE".into(),
            (None, None) => self.show(self.default()),
        }
    }

    pub(super) fn default(&self) -> &Value {
        let default = Some(&self.schema["default"]).filter(|default| !default.is_null());
        default.unwrap_or(&self.schema["x-default"])
    }

    fn is_left_out(&self, value: &Value) -> bool {
        let is_empty = match value {
            Value::Null => true,
            Value::Array(items) => items.is_empty(),
            Value::Object(items) => items.is_empty(),
            _ => false,
        };
        let is_said = self.is("x-always") || self.said("x-required").is_some();
        is_empty || !is_said && self.schema.get("default") == Some(value)
    }

    /// A value of a text or a table in the form that the key has; `None` if the key does not take it. A text stands for any
    /// value: on a command line there is nothing else.
    pub(super) fn take(&self, value: Value) -> Option<Value> {
        let mut value = match (self.form(), value) {
            ("integer", Value::String(text)) => text.parse::<u64>().ok()?.into(),
            ("number", Value::String(text)) => text.parse::<f64>().ok()?.into(),
            ("number", Value::Number(number)) => number.as_f64()?.into(),
            ("boolean", Value::String(text)) if text == "on" => true.into(),
            ("boolean", Value::String(text)) if text == "off" => false.into(),
            ("boolean", Value::String(text)) => text.parse::<bool>().ok()?.into(),
            ("object" | "array", Value::String(text))
                if self.said("x-names").is_none() || text.starts_with('{') =>
            {
                inline::read(&text)?
            }
            ("string", Value::Number(number)) => number.to_string().into(),
            ("string", Value::Bool(on)) => on.to_string().into(),
            (_, value) => value,
        };
        let fits_range = || value.as_f64().is_some_and(|number| in_range(&self.schema, number));
        let fits = match self.form() {
            "integer" => value.is_u64() && fits_range(),
            "number" => fits_range(),
            "boolean" => value.is_boolean(),
            "word" => value.as_str().is_some_and(|text| words(&self.schema).contains(&text)),
            form => matches!(form, "string" | "object" | "array"),
        };
        // Numbers and switches in a table or a list of texts are texts.
        let has_texts = |part: &str| self.schema[part]["type"] == "string";
        let as_text = |item: &mut Value| {
            if item.is_number() || item.is_boolean() {
                *item = shown(item).into();
            }
        };
        match &mut value {
            Value::Array(items) if has_texts("items") => items.iter_mut().for_each(as_text),
            Value::Object(table) if has_texts("additionalProperties") => {
                table.values_mut().for_each(as_text);
            }
            _ => {}
        }
        fits.then_some(value)
    }

    pub(super) fn show(&self, value: &Value) -> String {
        match (self.said("x-names"), value) {
            (Some("weights"), Value::Object(weights)) => {
                weights.get("name").map_or_else(String::new, shown)
            }
            (_, Value::Object(table)) if let Some(field) = self.said("x-shows") => {
                table.get(field).map_or_else(String::new, shown)
            }
            (_, Value::Object(_) | Value::Array(_)) => inline::write(value),
            (_, value) => shown(value),
        }
    }

    pub(super) fn pair(&self, value: &Value) -> String {
        format!("{}={}", self.name, self.quoted(value))
    }

    fn quoted(&self, value: &Value) -> String {
        inline::quote(&self.show(value), matches!(self.form(), "object" | "array"))
    }
}

/// A scalar in text. Whole numbers have no point.
pub(super) fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Number(number) if number.is_f64() => {
            number.as_f64().map(number_text).unwrap_or_default()
        }
        value => value.to_string(),
    }
}

impl AgentSpec {
    /// Its keys and values, those that go without saying apart; weights with their values.
    pub(super) fn table(&self) -> Map<String, Value> {
        let mut all = self.kind.to_map();
        all.extend(to_map(&self.common));
        let said = |key: &AgentKey| {
            let value = all.remove(&key.name).filter(|value| !key.is_left_out(value))?;
            Some((key.name.clone(), value))
        };
        self.kind.info().keys.iter().filter_map(said).collect()
    }

    /// An agent of a kind with these keys, each of which the kind has. Weights have their values.
    pub(super) fn from_values(
        kind: &KindInfo,
        table: Map<String, Value>,
    ) -> Result<Self, serde_json::Error> {
        let common = serde_json::from_value(Value::Object(table.clone()))?;
        Ok(Self { kind: (kind.read)(table)?, common })
    }
}

impl JsonSchema for AgentSpec {
    fn schema_name() -> Cow<'static, str> {
        "Agent".into()
    }

    /// Configs have it as text or as a table, which [`AgentSpec::under`] reads: only an agent of some kind stands in a struct
    /// that is filled from one.
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "An agent, as text or as a table: see `tictune schema agents`.",
            "anyOf": [{ "type": "string" }, { "type": "object", "additionalProperties": true }],
            "x-takes": "an agent: text such as \"minimax:depth=3\", or a table with kind",
            "x-until": { "kind": "random" },
        })
    }
}

impl Serialize for AgentSpec {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut all = Map::from_iter([("kind".to_owned(), self.kind_name().into())]);
        all.extend(self.table());
        all.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for AgentSpec {
    /// Checks each value: a search of depth 0, or a table of a terabyte, comes from a manifest that was edited or from somebody
    /// on the network. Kinds beyond those of this crate are known within [`Known::from_json`](super::Known::from_json) only.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut all = Map::deserialize(deserializer)?;
        let kind = all.remove("kind").ok_or_else(|| D::Error::missing_field("kind"))?;
        let kind = Known::while_reading().kind(&shown(&kind)).map_err(D::Error::custom)?;
        for (name, value) in &mut all {
            let key = kind
                .key(name)
                .ok_or_else(|| D::Error::custom(format!("{} has no key \"{name}\"", kind.name)))?;
            *value = key
                .take(value.take())
                .ok_or_else(|| D::Error::custom(format!("{name}: expected {}", key.takes())))?;
        }
        Self::from_values(kind, all).map_err(D::Error::custom)
    }
}
