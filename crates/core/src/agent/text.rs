//! Reading agents from text and from tables, and printing them.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

use serde_json::{Map, Value};
use strum::VariantNames;

use super::common::check_theory;
use super::inline;
use super::kind::KindInfo;
use super::kinds::Scope;
use super::limit::Limit;
use super::program::read_numbers;
use super::spec::AgentSpec;
use super::table::{AgentKey, shown};
use crate::input::{InputError, Result, Table, excerpt, read_text, to_json, unknown};
use crate::weights::{Weights, find_layout};

impl AgentSpec {
    /// The agent under a key of a table, if there is one: as text or as a table.
    #[doc(hidden)]
    pub fn under(key: &str, table: &Table<'_, '_>, scope: Scope<'_>) -> Result<Option<Self>> {
        if let Some(keys) = table.inner(key) {
            return Self::from_table(&keys, scope).map(Some);
        }
        let read = |text| Self::parse_in(text, scope).map_err(|error| table.error_in(key, &error));
        table.string(key)?.map(read).transpose()
    }

    /// Reads the text form. Weights are built-in names, or paths relative to the folder of `scope`. `@FILE` stands for the text in a
    /// file, whose paths are relative to that file's folder.
    ///
    /// # Errors
    /// Unknown kinds, keys or weights, and values of the wrong form; the message lists what is known.
    pub fn parse_in(text: &str, scope: Scope<'_>) -> Result<Self> {
        if let Some(file) = text.strip_prefix('@') {
            if file.is_empty() {
                return Err(InputError::new(
                    "@ stands before the name of a file, as in @agent.txt",
                ));
            }
            return Self::read_file(&scope.folder.join(file), scope);
        }
        let (kind, rest) = text.split_once(':').unwrap_or((text, ""));
        let parse = || {
            let (mut pairs, mut spans) = (Vec::new(), Vec::new());
            let start = kind.len() + 1;
            for range in inline::split(rest)? {
                let (part, span) = (&rest[range.clone()], start + range.start..start + range.end);
                let (key, value) = part.split_once('=').ok_or_else(|| {
                    let help = match range.start {
                        0 => "",
                        _ => "; a value with commas needs quotes, as in cmd=\"./bot 1,2\"",
                    };
                    InputError::new(format!("\"{}\" is not KEY=VALUE{help}", excerpt(part)))
                        .marking(text, span.clone())
                })?;
                let equals = span.start + key.len();
                spans.push([span.start..equals, equals + 1..span.end]);
                pairs.push((key.trim(), Value::from(inline::unquote(value.trim()))));
            }
            read(kind.trim(), &pairs, scope).map_err(|(fault, error)| {
                let span = match fault {
                    Fault::Kind => 0..kind.trim_end().len(),
                    Fault::Key(index) => spans[index][0].clone(),
                    Fault::Value(index) => spans[index][1].clone(),
                    Fault::Whole => return error,
                };
                if error.file.is_none() { error.marking(text, span) } else { error }
            })
        };
        let in_agent = |error: InputError| match error.file {
            None => error.context(&format!("agent \"{}\"", excerpt(text))),
            Some(_) => error,
        };
        parse().map_err(in_agent)
    }

    /// Reads a file that holds the text form, as runs of evolutions write it.
    fn read_file(file: &Path, scope: Scope<'_>) -> Result<Self> {
        if file.is_dir() {
            let help = "is a folder; name the file of an agent, such as best-agent.txt in the folder of a run";
            return Err(InputError::in_file(file, help));
        }
        let text = read_text(file)?;
        if text.trim_start().starts_with('@') {
            return Err(InputError::in_file(
                file,
                "contains the name of a file; expected an agent",
            ));
        }
        let folder = file.parent().unwrap_or(Path::new(""));
        Self::parse_in(text.trim(), Scope { folder, ..scope }).map_err(|mut error| {
            error.file.get_or_insert_with(|| file.display().to_string());
            error
        })
    }

    /// Reads a TOML table with the keys of the text form, and `kind`.
    fn from_table(table: &Table<'_, '_>, scope: Scope<'_>) -> Result<Self> {
        let kind = table.string("kind")?.ok_or_else(|| table.error("kind", "missing"))?;
        let pairs = table.entries().into_iter().filter(|(key, _)| *key != "kind");
        let pairs: Vec<_> = pairs.map(|(key, value)| (key, to_json(value.get_ref()))).collect();
        // Errors of a single key get that key's line, and the table's error names the key already; those of files name the file too.
        read(kind, &pairs, scope).map_err(|(fault, error)| match fault {
            Fault::Kind | Fault::Whole => table.error("kind", error.message),
            Fault::Key(index) => table.misplaced(pairs[index].0, error),
            Fault::Value(index) => {
                let key = pairs[index].0;
                match (error.file.is_none(), error.message.strip_prefix(&format!("{key}: "))) {
                    (true, Some(message)) => table.error(key, message),
                    _ => table.error(key, error),
                }
            }
        })
    }
}

enum Fault {
    Kind,
    Key(usize),
    Value(usize),
    /// What only all keys together tell.
    Whole,
}

/// Reads an agent of a kind key by key, in any order.
fn read(
    kind: &str,
    pairs: &[(&str, Value)],
    scope: Scope<'_>,
) -> Result<AgentSpec, (Fault, InputError)> {
    let kind = scope
        .known
        .kind(kind)
        .map_err(|unknown| (Fault::Kind, meant_by(kind, scope).map_or(unknown, InputError::new)))?;
    let mut found = AgentKeys { kind, table: Map::new(), weights: BTreeMap::new() };
    let mut keys: Vec<&AgentKey> = Vec::new();
    for (index, (name, value)) in pairs.iter().enumerate() {
        let misplaced = |message: String| (Fault::Key(index), InputError::new(message));
        let key = kind.key(name);
        let key = key.ok_or_else(|| misplaced(unknown("key", name, &kind.key_names())))?;
        if keys.iter().any(|earlier| earlier.name == key.name) {
            return Err(misplaced(format!("key \"{name}\" is given twice")));
        }
        found.read(key, value.clone(), scope).map_err(|error| (Fault::Value(index), error))?;
        keys.push(key);
    }
    let is_limit = |key: &&AgentKey| Limit::VARIANTS.contains(&&*key.name);
    for (index, key) in keys.iter().enumerate() {
        let misplaced = |message: String| Err((Fault::Key(index), InputError::new(message)));
        if is_limit(key) && keys[..index].iter().any(is_limit) {
            return misplaced("a search has one limit; two are given".into());
        }
        if let Some(part) = key.said("x-with").filter(|part| !found.has(part)) {
            return misplaced(format!("{} needs {part}", key.name));
        }
    }
    let missing = kind.keys.iter().filter(|key| !keys.iter().any(|given| given.name == key.name));
    let missing: Vec<&str> = missing.filter_map(|key| key.said("x-required")).collect();
    let whole = if missing.is_empty() {
        found.build().and_then(AgentSpec::checked)
    } else {
        let article = if kind.name.starts_with(['a', 'e', 'i', 'o']) { "an" } else { "a" };
        let missing = missing.join(" and ");
        Err(InputError::new(format!("{article} {} agent needs {missing}", kind.name)))
    };
    whole.map_err(|error| (Fault::Whole, error))
}

/// What to write instead of the name of weights, or of a file, where a kind of agent is expected.
fn meant_by(text: &str, scope: Scope<'_>) -> Option<String> {
    let is_weights = scope.game.vectors.iter().any(|vector| vector.name == text);
    let file = Path::new(text);
    let extension = file.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    if is_weights || ["toml", "json"].contains(&extension) {
        let (kind, file) = ("minimax:depth=5,weights=", excerpt(text));
        return Some(format!(
            "\"{file}\" names weights, not an agent; for a search with them write {kind}{file}"
        ));
    }
    scope.known.kinds.iter().find_map(|kind| (kind.meant_by)(text))
}

/// The keys of an agent and their values. Weights are apart: they keep where they came from.
pub(super) struct AgentKeys {
    kind: &'static KindInfo,
    table: Map<String, Value>,
    weights: BTreeMap<String, Weights>,
}

impl AgentKeys {
    pub(super) fn of(spec: &AgentSpec) -> Self {
        let (mut own, mut table) = (spec.clone(), spec.table());
        let mut weights = BTreeMap::new();
        for (name, slot) in own.weight_slots_mut() {
            table.remove(name);
            weights.extend(slot.take().map(|of| (name.to_owned(), of)));
        }
        Self { kind: spec.kind.info(), table, weights }
    }

    /// Whether a key with another value than its default was found; `part` may have a value, too.
    fn has(&self, part: &str) -> bool {
        let name = part.split('=').next().unwrap_or(part);
        let default = self.kind.key(name).map(AgentKey::default);
        self.weights.contains_key(name)
            || self.table.get(name).is_some_and(|value| default != Some(value))
    }

    fn read(&mut self, key: &AgentKey, value: Value, scope: Scope<'_>) -> Result<()> {
        let refused = refusal(key, &value);
        let value = key.take(value).ok_or(refused)?;
        if let (Some("numbers"), Value::Object(table)) = (key.said("x-names"), &value)
            && let Some((name, wrong)) =
                table.iter().find(|(_, value)| !value.is_number() && !value.is_boolean())
        {
            // Numbers that are not finite are text in JSON.
            let wrong = match wrong {
                Value::String(text) if text.parse::<f64>().is_ok() => text.clone(),
                wrong => inline::write(wrong),
            };
            let key = &key.name;
            let message = format!("{key}: {name}: expected a finite number, found {wrong}");
            return Err(InputError::new(message));
        }
        let looked_up = value.as_str().and_then(|text| (self.kind.look_up)(&key.name, text, scope));
        let value = match (looked_up, value.as_str(), key.said("x-names")) {
            (Some(found), ..) => found?,
            (_, Some(text), Some("weights")) => {
                self.weights.insert(key.name.clone(), scope.weights(text)?);
                return Ok(());
            }
            (_, Some(text), Some("evaluation")) => find_layout(scope.game, text)?.name.into(),
            (_, Some(text), Some("numbers")) => {
                serde_json::to_value(read_numbers(&scope.folder.join(text))?)
                    .map_err(|error| InputError::new(error.to_string()))?
            }
            (_, Some(text), Some("theory")) => {
                check_theory(text, scope.game).map_err(InputError::new)?;
                value
            }
            (_, Some("centre"), Some("first move")) if !scope.game.has_centre() => {
                let game = scope.game.name;
                let message = format!("first_move: {game} has no centre");
                return Err(InputError::new(message));
            }
            _ => value,
        };
        self.set(key, value)
    }

    /// Sets a key to a value, if its settings take it: only they can read times, clocks and lists in a text.
    pub(super) fn set(&mut self, key: &AgentKey, value: Value) -> Result<()> {
        let alone = Map::from_iter([(key.name.clone(), value.clone())]);
        AgentSpec::from_values(self.kind, alone).map_err(|error| match key.is("x-speaks") {
            true => InputError::new(error.to_string()),
            false => refusal(key, &value),
        })?;
        self.table.insert(key.name.clone(), value);
        Ok(())
    }

    pub(super) fn build(mut self) -> Result<AgentSpec> {
        let spec = AgentSpec::from_values(self.kind, self.table);
        let mut spec = spec.map_err(|error| InputError::new(error.to_string()))?;
        for (name, slot) in spec.weight_slots_mut() {
            *slot = self.weights.remove(name);
        }
        Ok(spec)
    }
}

fn refusal(key: &AgentKey, value: &Value) -> InputError {
    let found: String = shown(value).chars().take(40).collect();
    let (name, expected) = (&key.name, key.takes());
    InputError::new(format!("{name}: expected {expected}, found \"{}\"", found.escape_debug()))
}

impl AgentSpec {
    /// The same agent with another value of a key of its kind, in text.
    pub fn with_key(&self, name: &str, text: &str, scope: Scope<'_>) -> Result<Self> {
        let kind = self.kind.info();
        let key = kind.key(name);
        let key = key.ok_or_else(|| InputError::new(unknown("key", name, &kind.key_names())))?;
        let mut found = AgentKeys::of(self);
        found.read(key, text.into(), scope)?;
        found.build()
    }

    /// The same, if its keys go together. A name beside weights is theirs, and left out.
    fn checked(mut self) -> Result<Self> {
        self.kind.check_keys()?;
        let evaluates = self.kind.evaluates();
        let Some(evaluation) = self.kind.evaluation_mut() else { return Ok(self) };
        if let (Some(name), Some(weights)) = (&evaluation.name, &evaluation.weights)
            && weights.layout().name != name
        {
            return Err(InputError::new(format!(
                "eval={name} does not match weights {}, which are of {}",
                weights.name,
                weights.layout().name
            )));
        }
        if !evaluates && (evaluation.name.is_some() || evaluation.weights.is_some()) {
            return Err(InputError::new(
                "this search does not evaluate positions: weights= and eval= need \
                 playout=ept, partial or total, or expansion=heuristic",
            ));
        }
        if evaluation.weights.is_some() {
            evaluation.name = None;
        }
        Ok(self)
    }
}

impl fmt::Display for AgentSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.kind_name())?;
        let mut table = self.table();
        // The evaluation of weights is said for people.
        if let Some(weights) = self.weights() {
            table.insert("eval".into(), weights.layout().name.into());
        }
        let pairs =
            self.kind.info().keys.iter().filter_map(|key| Some(key.pair(table.get(&key.name)?)));
        for (index, pair) in pairs.enumerate() {
            write!(f, "{}{pair}", if index == 0 { ':' } else { ',' })?;
        }
        Ok(())
    }
}
