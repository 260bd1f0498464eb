//! Structs that are filled from TOML by their schema.
//!
//! A key is a field of a struct. Serde gives its name, its default and its type. Its schema has the rest: help (the comment),
//! range, and what these extensions say:
//!
//! | extension | what it says |
//! |---|---|
//! | `x-takes` | the values that it takes, in words that go after "expected" |
//! | `x-unit` | the beginning of these words for whole numbers, instead of "a whole number" |
//! | `x-missing` | what goes after "missing" where the key has to be there and is not |
//! | `x-word` | what the words of an enum are called; by default as the key |
//! | `x-until` | the value is a name (of openings, an agent, weights), which the code of the section looks up in the table; this stands in the struct until then |
//!
//! All keys of a table are checked before serde fills the struct, so that errors have the place, the path and the nearest name.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use toml::Spanned;
use toml::de::{DeString, DeValue};

use super::document::{Entry, Table, TomlFile, shown, to_json};
use super::{Result, excerpt, unknown};

/// A default of a key that takes whole numbers.
pub fn whole<const N: u32, T: From<u32>>() -> T {
    N.into()
}

/// A default in hundredths.
pub const fn percent<const N: u32>() -> f64 {
    N as f64 / 100.0
}

/// A section in which nothing is given.
pub fn all_default<T: DeserializeOwned + JsonSchema>() -> T {
    let nothing = TomlFile::parse("", None).and_then(|file| file.root().read());
    nothing.expect("all keys have defaults")
}

/// The schema of a type, complete in itself. Tables have no other keys than those of their structs, and no value is null.
pub fn schema_of<T: JsonSchema>() -> Value {
    let settings = SchemaSettings::default().with(|settings| settings.inline_subschemas = true);
    completed(settings.into_generator().into_root_schema_for::<T>().to_value())
}

/// A schema without null, by which tables have no other keys than their own.
pub fn completed(mut schema: Value) -> Value {
    complete(&mut schema);
    schema
}

fn complete(schema: &mut Value) {
    if let Value::Array(items) = schema {
        return items.iter_mut().for_each(complete);
    }
    let Value::Object(schema) = schema else { return };
    schema.retain(|key, value| key != "default" || !value.is_null());
    for list in ["type", "enum", "anyOf"] {
        let Some(Value::Array(items)) = schema.get_mut(list) else { continue };
        items.retain(|item| !item.is_null() && item != "null" && item["type"] != "null");
        let ([only], true) = (&mut items[..], list != "enum") else { continue };
        match (only.take(), list) {
            (Value::Object(inner), "anyOf") => {
                schema.remove(list);
                inner.into_iter().for_each(|(key, value)| {
                    schema.entry(key).or_insert(value);
                });
            }
            (only, _) => {
                schema.insert(list.into(), only);
            }
        }
    }
    if schema.contains_key("properties") && schema.get("type") == Some(&"object".into()) {
        schema.insert("additionalProperties".into(), false.into());
    }
    schema.values_mut().for_each(complete);
}

struct SchemaFault<'d, 't> {
    value: Entry<'d, 't>,
    within: String,
}

impl<'d, 't> Table<'d, 't> {
    /// Fills a struct with the keys of the table.
    pub fn read<T: DeserializeOwned + JsonSchema>(&self) -> Result<T> {
        let value = self.read_by(&schema_of::<T>())?;
        serde_json::from_value(value).map_err(|error| self.error_here(error))
    }

    /// The values of a table that may have any keys.
    pub fn read_values<T>(&self) -> Result<BTreeMap<String, T>>
    where
        T: DeserializeOwned + JsonSchema,
    {
        let schema = schema_of::<T>();
        let read = |(name, value): (&str, _)| {
            Ok((name.to_owned(), self.read_value(name, &schema, value)?))
        };
        let values = self.entries().into_iter().map(read).collect::<Result<Map<_, _>, _>>()?;
        serde_json::from_value(values.into()).map_err(|error| self.error_here(error))
    }

    fn read_by(&self, schema: &Value) -> Result<Value> {
        let none = Map::new();
        let keys = schema["properties"].as_object().unwrap_or(&none);
        self.check_keys(&keys.keys().map(String::as_str).collect::<Vec<_>>())?;
        let mut filled = Map::new();
        for (name, value) in self.entries() {
            filled.insert(name.into(), self.read_value(name, &keys[name], value)?);
        }
        let required = schema["required"].as_array().into_iter().flatten();
        for name in required.filter_map(Value::as_str) {
            if !filled.contains_key(name) {
                let more = keys[name]["x-missing"].as_str().map(|more| format!("; {more}"));
                return Err(self.error(name, format!("missing{}", more.unwrap_or_default())));
            }
        }
        for (name, key) in keys {
            if let Some(until) = key.get("x-until") {
                filled.insert(name.clone(), until.clone());
            }
        }
        Ok(filled.into())
    }

    fn read_value(&self, key: &str, schema: &Value, value: Entry<'d, 't>) -> Result<Value> {
        if schema["properties"].is_object() && value.get_ref().is_table() {
            return self.inner(key).map_or(Ok(Value::Null), |table| table.read_by(schema));
        }
        if schema["items"]["properties"].is_object() {
            let items = value.get_ref().as_array();
            if !items.is_some_and(|items| items.iter().all(|item| item.get_ref().is_table())) {
                let expected = format!("tables, each headed [[{}{key}]]", self.prefix);
                return Err(self.wrong_type(key, &expected, value));
            }
            let tables = self.inners(key);
            return tables.iter().map(|table| table.read_by(&schema["items"])).collect();
        }
        fit(schema, value).map_err(|SchemaFault { value: at, within }| {
            let words = words(schema);
            match at.get_ref().as_str() {
                Some(text) if !words.is_empty() => {
                    let word = schema["x-word"].as_str().unwrap_or(key);
                    self.error(key, unknown(word, text, &words))
                }
                _ => {
                    let (expected, found) = (takes(schema), shown(at));
                    self.error_at(key, at, format!("expected {expected}, found {found}{within}"))
                }
            }
        })
    }
}

/// A value as JSON, if it is one that a schema allows.
fn fit<'d, 't>(schema: &Value, value: Entry<'d, 't>) -> Result<Value, SchemaFault<'d, 't>> {
    let fault = || SchemaFault { value, within: String::new() };
    if let Some(variants) = schema["anyOf"].as_array() {
        let mut faults = Vec::new();
        for variant in variants {
            match fit(variant, value) {
                Ok(value) => return Ok(value),
                Err(fault) => faults.push(fault),
            }
        }
        let deeper = faults.into_iter().find(|fault| !fault.within.is_empty());
        return Err(deeper.unwrap_or_else(fault));
    }
    let words = words(schema);
    let fits = match (value.get_ref(), schema["type"].as_str()) {
        (DeValue::String(text), _) if !words.is_empty() => {
            words.contains(&&**text).then(|| (&**text).into())
        }
        (DeValue::String(text), Some("string")) => Some((&**text).into()),
        (DeValue::Boolean(on), Some("boolean")) => Some((*on).into()),
        (found, Some("integer")) => {
            whole_number(found).filter(|n| in_range(schema, *n as f64)).map(Into::into)
        }
        (found, Some("number")) => number(found).filter(|x| in_range(schema, *x)).map(Into::into),
        (DeValue::Array(items), Some("array")) => {
            let bound = |name: &str| schema[name].as_u64().map(|bound| bound as usize);
            if bound("minItems").is_some_and(|least| items.len() < least)
                || bound("maxItems").is_some_and(|most| items.len() > most)
            {
                return Err(fault());
            }
            let item = |(place, item)| {
                fit(&schema["items"], item).map_err(|fault| SchemaFault {
                    within: format!(" as item {}", place + 1),
                    ..fault
                })
            };
            return items.iter().enumerate().map(item).collect();
        }
        (DeValue::Table(table), Some("object")) => {
            let of_values = schema.get("additionalProperties").filter(|values| values.is_object());
            let entry = |(name, value): (&Spanned<DeString<'_>>, _)| {
                let name = name.get_ref();
                let read = fit(of_values.unwrap_or(&Value::Null), value).map_err(|fault| {
                    SchemaFault { within: format!(" for {}", excerpt(name)), ..fault }
                });
                Ok((name.to_string(), read?))
            };
            return table.iter().map(entry).collect::<Result<Map<_, _>, _>>().map(Into::into);
        }
        (found, None) => Some(to_json(found)),
        _ => None,
    };
    fits.ok_or_else(fault)
}

fn whole_number(value: &DeValue<'_>) -> Option<u64> {
    let number = value.as_integer()?;
    u64::from_str_radix(number.as_str(), number.radix()).ok()
}

/// A number, whole or not, as f64; a whole number that f64 cannot hold exactly is none.
fn number(value: &DeValue<'_>) -> Option<f64> {
    match value {
        DeValue::Float(number) => number.as_str().parse().ok(),
        DeValue::Integer(number) => {
            let whole = i64::from_str_radix(number.as_str(), number.radix()).ok()?;
            (whole.unsigned_abs() <= 1 << 53).then_some(whole as f64)
        }
        _ => None,
    }
}

/// The words that a schema allows, and no other value.
pub(crate) fn words(schema: &Value) -> Vec<&str> {
    let several = schema["oneOf"].as_array().into_iter().flatten();
    let all = several.chain([schema]).flat_map(|schema| {
        let words = schema["enum"].as_array().into_iter().flatten();
        words.chain(schema.get("const"))
    });
    all.filter_map(Value::as_str).collect()
}

fn bound(schema: &Value, name: &str) -> Option<f64> {
    schema[name].as_f64()
}

/// A number above 0 has full precision.
pub(crate) fn in_range(schema: &Value, x: f64) -> bool {
    x.is_finite()
        && bound(schema, "minimum").is_none_or(|least| x >= least)
        && bound(schema, "exclusiveMinimum").is_none_or(|least| x > least && x.is_normal())
        && bound(schema, "maximum").is_none_or(|most| x <= most)
        && bound(schema, "exclusiveMaximum").is_none_or(|most| x < most)
}

/// The values that a schema allows, in words that go after "expected".
pub(crate) fn takes(schema: &Value) -> String {
    if let Some(words) = schema["x-takes"].as_str() {
        return words.into();
    }
    let words = words(schema);
    if !words.is_empty() {
        return words.join(", ");
    }
    let bound = |name: &str| bound(schema, name).map(number_text);
    let range = |none: &str, one: &str| {
        let (least, above) = (bound("minimum"), bound("exclusiveMinimum"));
        match (least, above, bound("maximum"), bound("exclusiveMaximum")) {
            (Some(least), _, Some(most), _) => format!("{one} from {least} to {most}"),
            (Some(least), _, _, Some(most)) => format!("{one} from {least} to below {most}"),
            (Some(least), ..) if one.contains(" of ") => format!("{one} from {least}"),
            (Some(least), ..) => format!("{one} of at least {least}"),
            (_, Some(above), Some(most), _) => format!("{one} above {above} and at most {most}"),
            (_, Some(above), _, Some(most)) => format!("{one} above {above} and below {most}"),
            (_, Some(above), ..) => format!("{one} above {above}"),
            _ => none.into(),
        }
    };
    let unit = schema["x-unit"].as_str().unwrap_or("a whole number");
    let values = &schema["additionalProperties"];
    match schema["type"].as_str() {
        Some("integer") => range(unit, unit),
        Some("number") => range("a finite number", "a number"),
        Some("boolean") => "true or false".into(),
        Some("array") => format!("a list of {}", several(&takes(&schema["items"]))),
        Some("object") if values.is_object() => format!("a table of {}", several(&takes(values))),
        Some("object") => "a table".into(),
        _ => "a string".into(),
    }
}

/// The shortest text that reads back as the same number. Whole ones have no point.
pub(crate) fn number_text(x: f64) -> String {
    match x {
        0.0 => "0".into(),
        x if (1e-6..1e16).contains(&x.abs()) => x.to_string(),
        x => format!("{x:e}"),
    }
}

/// "a whole number from 1 to 9" of several values.
fn several(one: &str) -> String {
    let one = one.strip_prefix("a ").unwrap_or(one);
    one.replacen("number", "numbers", 1).replacen("string", "strings", 1)
}
