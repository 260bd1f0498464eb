//! The keys of agents, as their settings describe them, and agents as tables of keys and values.
//!
//! A key is a field of a struct of settings: serde gives its name and reads and writes its value, and its schema has the rest:
//! help (the comment), range, default, and what these extensions say:
//!
//! | extension | what it says |
//! |---|---|
//! | `x-takes` | the values that it takes, in words that go after "expected" |
//! | `x-unit` | the beginning of these words for whole numbers, instead of "a whole number" |
//! | `x-evolves` | it can be evolved: a number that says how the agent plays, not how much it may spend |
//! | `x-always` | it is printed where it has its default, too |
//! | `x-required` | no agent of the kind can do without it; the key with its value |
//! | `x-with` | the key and value without which it says nothing |
//! | `x-names` | the value is the name of something: see `text::look_up` |
//! | `x-speaks` | what reading its value says of a wrong one is for people |
//! | `x-shows` | the field of a table that stands for it in text |
//! | `x-default` | what stands in for a value that is left open |
//! | `x-without` (of a struct) | keys of its parts that it does not take |

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value, json};

use super::inline;
use super::kind::{KindInfo, to_map};
use super::kinds::{Kinds, kind_while_reading};
use super::program::ParameterValue;
use super::spec::AgentSpec;
use crate::input::{completed, in_range, words};

#[derive(Clone, Debug)]
pub(super) struct Key {
    pub(super) name: String,
    pub(super) help: String,
    schema: Value,
    form: Form,
}

#[derive(Clone, Debug, PartialEq)]
enum Form {
    Whole,
    Number,
    Switch,
    Word(Vec<String>),
    Text,
    /// A table or a list.
    Inline,
}

pub(super) fn schema_of(kinds: &Kinds) -> Value {
    let of_kind = |kind: &KindInfo| {
        let own = |key: &Key| (key.name.clone(), key.schema.clone());
        let name = ("kind".to_owned(), json!({ "const": kind.name }));
        let keys: Map<_, _> = std::iter::once(name).chain(kind.keys.iter().map(own)).collect();
        json!({ "type": "object", "properties": keys, "required": ["kind"] })
    };
    completed(json!({ "anyOf": kinds.iter().map(of_kind).collect::<Vec<_>>() }))
}

pub(super) fn properties(of_struct: &Value) -> Vec<Key> {
    let without = of_struct["x-without"].as_array();
    let is_left_out = |name: &String| {
        name == "kind" || without.is_some_and(|names| names.contains(&Value::from(name.as_str())))
    };
    let key = |(name, property): (&String, &Value)| {
        let help = property["description"].as_str().unwrap_or_default();
        let help = help.replace('\n', " ").replace('`', "");
        Key { name: name.clone(), help, form: Form::of(property), schema: property.clone() }
    };
    let all = of_struct["properties"].as_object();
    all.into_iter().flatten().filter(|(name, _)| !is_left_out(name)).map(key).collect()
}

impl Form {
    fn of(schema: &Value) -> Self {
        let words = words(schema);
        if !words.is_empty() {
            return Self::Word(words.into_iter().map(Into::into).collect());
        }
        match schema["type"].as_str() {
            Some("integer") => Self::Whole,
            Some("number") => Self::Number,
            Some("boolean") => Self::Switch,
            Some("object" | "array") => Self::Inline,
            _ => Self::Text,
        }
    }
}

impl Key {
    pub(super) fn said(&self, extension: &str) -> Option<&str> {
        self.schema.get(extension)?.as_str()
    }

    pub(super) fn is(&self, extension: &str) -> bool {
        self.schema.get(extension) == Some(&Value::Bool(true))
    }

    pub(super) fn evolves(&self) -> bool {
        self.is("x-evolves")
    }

    pub(super) fn is_whole(&self) -> bool {
        self.form == Form::Whole
    }

    /// The values that it takes, in words that go after "expected".
    pub(super) fn takes(&self) -> String {
        if let Some(words) = self.said("x-takes") {
            return words.into();
        }
        let number = |bound: &str| {
            let bound = self.schema.get(bound)?.as_f64()?;
            Some(ParameterValue::Number(bound).to_string())
        };
        let range = match (number("minimum"), number("maximum")) {
            (Some(least), Some(most)) => format!(" from {least} to {most}"),
            (Some(least), None) => format!(" from {least}"),
            (None, Some(most)) => format!(" up to {most}"),
            (None, None) => String::new(),
        };
        match &self.form {
            Form::Whole => self.said("x-unit").unwrap_or("a whole number").to_owned() + &range,
            Form::Number => "a number".to_owned() + &range,
            Form::Switch => "true or false".into(),
            Form::Word(words) => words.join(", "),
            Form::Text => "a text".into(),
            Form::Inline => "a table".into(),
        }
    }

    pub(super) fn example(&self) -> String {
        let example = self.schema.get("examples").and_then(|examples| examples.get(0));
        match (&self.form, example) {
            (_, Some(value)) => inline::quote(&self.show(value), self.form == Form::Inline),
            (Form::Word(words), None) => words.first().cloned().unwrap_or_default(),
            _ => "true".into(),
        }
    }

    pub(super) fn default(&self) -> &Value {
        let default = self.schema.get("default").filter(|default| !default.is_null());
        default.or(self.schema.get("x-default")).unwrap_or(&Value::Null)
    }

    /// Whether a value goes without saying.
    fn is_left_out(&self, value: &Value) -> bool {
        let is_empty = match value {
            Value::Null => true,
            Value::Array(items) => items.is_empty(),
            Value::Object(items) => items.is_empty(),
            _ => false,
        };
        is_empty
            || !self.is("x-always")
                && self.said("x-required").is_none()
                && self.schema.get("default") == Some(value)
    }

    /// A value of a text or a table in the form that the key has; `None` if the key does not take it. A text stands for any
    /// value: on a command line there is nothing else.
    pub(super) fn take(&self, value: Value) -> Option<Value> {
        let value = match (&self.form, value) {
            (Form::Whole, Value::String(text)) => text.parse::<u64>().ok()?.into(),
            (Form::Number, Value::String(text)) => text.parse::<f64>().ok()?.into(),
            (Form::Number, Value::Number(number)) => number.as_f64()?.into(),
            (Form::Switch, Value::String(text)) => text.parse::<bool>().ok()?.into(),
            (Form::Inline, Value::String(text))
                if self.said("x-names").is_some() && !text.starts_with('{') =>
            {
                text.into()
            }
            (Form::Inline, Value::String(text)) => inline::read(&text)?,
            (Form::Text, Value::Number(number)) => number.to_string().into(),
            (Form::Text, Value::Bool(on)) => on.to_string().into(),
            (_, value) => value,
        };
        self.is_in_range(&value).then(|| self.scalars_as_texts(value))
    }

    fn is_in_range(&self, value: &Value) -> bool {
        let fits = |number: f64| in_range(&self.schema, number);
        match (&self.form, value) {
            (Form::Whole, value) => value.is_u64() && value.as_f64().is_some_and(fits),
            (Form::Number, value) => value.as_f64().is_some_and(fits),
            (Form::Switch, value) => value.is_boolean(),
            (Form::Word(words), Value::String(text)) => words.contains(text),
            (Form::Word(_), _) => false,
            _ => true,
        }
    }

    /// Numbers and switches in a table or a list of texts, as texts.
    fn scalars_as_texts(&self, mut value: Value) -> Value {
        let of_texts = |list: &str| {
            self.schema.get(list).and_then(|items| items.get("type")) == Some(&"string".into())
        };
        let items: Vec<&mut Value> = match &mut value {
            Value::Array(items) if of_texts("items") => items.iter_mut().collect(),
            Value::Object(table) if of_texts("additionalProperties") => {
                table.values_mut().collect()
            }
            _ => Vec::new(),
        };
        for item in items {
            if item.is_number() || item.is_boolean() {
                *item = shown(item).into();
            }
        }
        value
    }

    /// A value in text.
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
        format!("{}={}", self.name, inline::quote(&self.show(value), self.form == Form::Inline))
    }
}

/// A scalar in text. Whole numbers have no point.
pub(super) fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Number(number) if number.is_f64() => {
            number.as_f64().map(ParameterValue::Number).map_or_else(String::new, |x| x.to_string())
        }
        value => value.to_string(),
    }
}

impl AgentSpec {
    /// Its keys and values, those that go without saying apart; weights with their values.
    pub(super) fn table(&self) -> Map<String, Value> {
        let mut all = self.kind.to_map();
        all.extend(to_map(&self.habits));
        let said = |key: &Key| {
            let value = all.remove(&key.name).filter(|value| !key.is_left_out(value))?;
            Some((key.name.clone(), value))
        };
        self.kind.info().keys.iter().filter_map(said).collect()
    }

    /// The value of a key, given or by default.
    pub(super) fn value(&self, key: &Key) -> Value {
        self.table().remove(&key.name).unwrap_or_else(|| key.default().clone())
    }

    /// An agent of a kind with these keys, each of which the kind has. Weights have their values: the games of which they are
    /// have to be known (see `weights::json`).
    pub(super) fn from_values(
        kind: &KindInfo,
        table: Map<String, Value>,
    ) -> Result<Self, serde_json::Error> {
        let habits = serde_json::from_value(Value::Object(table.clone()))?;
        Ok(Self { kind: (kind.read)(table)?, habits })
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
        let kind = kind_while_reading(&shown(&kind)).map_err(D::Error::custom)?;
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
