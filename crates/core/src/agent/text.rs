//! Reading agents from text and from tables, and printing them.

use std::fmt;
use std::path::Path;

use serde::Serialize;
use serde_json::{Map, Value};
use strum::VariantNames;

use super::habits::check_theory;
use super::inline;
use super::kind::KindInfo;
use super::kinds::Scope;
use super::limit::Limit;
use super::program::read_numbers;
use super::spec::AgentSpec;
use super::table::{Key, shown};
use crate::input::{InputError, Table, excerpt, read_text, unknown};
use crate::weights::Weights;

impl AgentSpec {
    /// Reads the text form. Weights are built-in names, or paths relative to the folder of `scope`. `@FILE` stands for the text in a
    /// file, whose paths are relative to that file's folder.
    ///
    /// # Errors
    /// Unknown kinds, keys or weights, and values of the wrong form; the message lists what is known.
    pub fn parse_in(text: &str, scope: Scope<'_>) -> Result<Self, InputError> {
        if let Some(file) = text.strip_prefix('@') {
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
    fn read_file(file: &Path, scope: Scope<'_>) -> Result<Self, InputError> {
        if file.is_dir() {
            let help = "is a folder; name the file of an agent, such as best-agent.txt in the folder of a run";
            return Err(InputError::in_file(file, help));
        }
        let text = read_text(file)?;
        if text.trim_start().starts_with('@') {
            return Err(InputError::in_file(file, "holds the name of a file; expected an agent"));
        }
        let folder = file.parent().unwrap_or(Path::new(""));
        Self::parse_in(text.trim(), Scope { folder, ..scope }).map_err(|mut error| {
            error.file.get_or_insert_with(|| file.display().to_string());
            error
        })
    }

    /// Reads a TOML table with the keys of the text form, and `kind`.
    ///
    /// # Errors
    /// As [`parse_in`](Self::parse_in), with the line.
    #[doc(hidden)]
    pub fn from_table(table: &Table<'_, '_>, scope: Scope<'_>) -> Result<Self, InputError> {
        let pairs = table.values();
        let kind = table.string("kind")?.ok_or_else(|| table.error("kind", "missing"))?;
        let pairs: Vec<_> = pairs.into_iter().filter(|(key, _)| *key != "kind").collect();
        // Errors of a single key get that key's line, and the table's error names the key already; those of files
        // name the file too.
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

/// What an error is about.
enum Fault {
    /// The kind of agent.
    Kind,
    /// The key of a pair.
    Key(usize),
    /// The value of a pair.
    Value(usize),
    /// What only all keys together tell.
    Whole,
}

/// A value that was read.
pub(super) enum Found {
    /// Of a setting.
    Value(Value),
    /// Weights, with where they came from.
    Weights(Weights),
}

/// Reads an agent of a kind key by key, in any order.
fn read(
    kind: &str,
    pairs: &[(&str, Value)],
    scope: Scope<'_>,
) -> Result<AgentSpec, (Fault, InputError)> {
    let kind = scope.known.kinds.get(kind).ok_or_else(|| {
        let meant = meant_by(kind, scope);
        let meant = meant.unwrap_or_else(|| unknown("agent", kind, &scope.known.kinds.names()));
        (Fault::Kind, InputError::new(meant))
    })?;
    let mut found = Vec::new();
    for (index, (name, value)) in pairs.iter().enumerate() {
        let misplaced = |message: String| (Fault::Key(index), InputError::new(message));
        let key = kind.key(name);
        let key = key.ok_or_else(|| misplaced(unknown("key", name, &kind.key_names())))?;
        if pairs[..index].iter().any(|(earlier, _)| earlier == name) {
            return Err(misplaced(format!("key \"{name}\" is given twice")));
        }
        let value = read_value(kind, key, value.clone(), scope)
            .and_then(|value| try_alone(kind, key, value))
            .map_err(|error| (Fault::Value(index), error))?;
        found.push((key, value));
    }
    for (index, (key, _)) in found.iter().enumerate() {
        let others = || found[..index].iter().map(|(other, _)| &*other.name);
        let clash = refuse_together(&key.name, others()).or_else(|| missing_part(key, &found));
        if let Some(message) = clash {
            return Err((Fault::Key(index), InputError::new(message)));
        }
    }
    let whole = check_required(kind, pairs)
        .and_then(|()| AgentSpec::build(kind, Map::new(), Vec::new(), found))
        .and_then(AgentSpec::checked);
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

/// Why a key does not go with one that was given before it.
fn refuse_together<'k>(key: &str, mut others: impl Iterator<Item = &'k str>) -> Option<String> {
    let is_limit = |name: &str| Limit::VARIANTS.contains(&name);
    if is_limit(key) && others.any(is_limit) {
        return Some("a search has one limit; two are given".into());
    }
    None
}

/// What is missing, if a key says nothing among those that were found.
fn missing_part(key: &Key, found: &[(&Key, Found)]) -> Option<String> {
    let part = key.goes_with()?;
    let name = part.split('=').next().unwrap_or(part);
    let is_given = |(other, value): &(&Key, Found)| match value {
        Found::Value(value) => other.name == name && other.default() != value,
        Found::Weights(_) => other.name == name,
    };
    (!found.iter().any(is_given)).then(|| format!("{} goes with {part}", key.name))
}

/// Reads the value of a key, and looks up what it names.
fn read_value(
    kind: &KindInfo,
    key: &Key,
    value: Value,
    scope: Scope<'_>,
) -> Result<Found, InputError> {
    let refused = refusal(key, &value);
    let value = key.take(value).ok_or(refused)?;
    if let (Some("numbers"), Value::Object(table)) = (key.names(), &value) {
        let is_wrong = |(_, value): &(&String, &Value)| !value.is_number() && !value.is_boolean();
        if let Some((name, wrong)) = table.iter().find(is_wrong) {
            let key = &key.name;
            // Numbers that are not finite are text in JSON.
            let wrong = match wrong {
                Value::String(text) if text.parse::<f64>().is_err() => inline::string(text),
                wrong => shown(wrong),
            };
            let message = format!("{key}: {name}: expected a finite number, found {wrong}");
            return Err(InputError::new(message));
        }
    }
    let Some(text) = value.as_str() else { return Ok(Found::Value(value)) };
    if let Some(found) = (kind.look_up)(&key.name, text, scope) {
        return found.map(Found::Value);
    }
    Ok(Found::Value(match key.names() {
        Some("weights") => return Ok(Found::Weights(scope.weights(text)?)),
        Some("evaluation") => scope.layout(text)?.name.into(),
        Some("numbers") => json(read_numbers(&scope.folder.join(text))?)?,
        Some("theory") => {
            check_theory(text, scope.game).map_err(InputError::new)?;
            value
        }
        Some("first move") if text == "centre" && !scope.game.has_centre() => {
            let game = scope.game.name;
            return Err(InputError::new(format!("first_move: {game} has no centre to begin with")));
        }
        _ => value,
    }))
}

fn json(value: impl Serialize) -> Result<Value, InputError> {
    serde_json::to_value(value).map_err(|error| InputError::new(error.to_string()))
}

/// Checks that settings take a value, those that only they can read among them: times, clocks, lists in a text.
fn try_alone(kind: &KindInfo, key: &Key, value: Found) -> Result<Found, InputError> {
    if let Found::Value(value) = &value {
        let alone = Map::from_iter([(key.name.clone(), value.clone())]);
        if let Err(error) = AgentSpec::from_values(kind, alone) {
            return Err(match key.speaks() {
                true => InputError::new(error.to_string()),
                false => refusal(key, value),
            });
        }
    }
    Ok(value)
}

fn refusal(key: &Key, value: &Value) -> InputError {
    let found: String = shown(value).chars().take(40).collect();
    let (name, expected) = (&key.name, key.takes());
    InputError::new(format!("{name}: expected {expected}, found \"{}\"", found.escape_debug()))
}

/// Checks that the keys that a kind cannot do without are there.
fn check_required(kind: &KindInfo, pairs: &[(&str, Value)]) -> Result<(), InputError> {
    let is_given = |key: &&Key| pairs.iter().any(|(name, _)| *name == key.name);
    let missing = kind.keys.iter().filter(|key| !is_given(key));
    let missing: Vec<&str> = missing.filter_map(Key::required).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let article = if kind.name.starts_with(['a', 'e', 'i', 'o']) { "an" } else { "a" };
    Err(InputError::new(format!("{article} {} agent needs {}", kind.name, missing.join(" and "))))
}

impl AgentSpec {
    /// The same agent with another value of a key of its kind, in text.
    ///
    /// # Errors
    /// A key that its kind does not have; a value that it does not take.
    pub fn with_key(&self, name: &str, text: &str, scope: Scope<'_>) -> Result<Self, InputError> {
        let kind = self.kind.info();
        let key = kind.key(name);
        let key = key.ok_or_else(|| InputError::new(unknown("key", name, &kind.key_names())))?;
        let value = try_alone(kind, key, read_value(kind, key, text.into(), scope)?)?;
        self.changed(key, value)
    }

    /// The same agent with another value of a key of its kind.
    pub(super) fn changed(&self, key: &Key, value: Found) -> Result<Self, InputError> {
        let (mut own, mut table) = (self.clone(), self.table());
        let mut weights: Vec<(&'static str, Weights)> = Vec::new();
        for (name, slot) in own.weight_slots_mut() {
            table.remove(name);
            weights.extend(slot.take().map(|of| (name, of)));
        }
        Self::build(self.kind.info(), table, weights, [(key, value)])
    }

    /// An agent of a kind with the values of a table, with weights, and then with what was found for other keys.
    fn build<'k>(
        kind: &KindInfo,
        mut table: Map<String, Value>,
        mut weights: Vec<(&'static str, Weights)>,
        found: impl IntoIterator<Item = (&'k Key, Found)>,
    ) -> Result<Self, InputError> {
        let mut named = Vec::new();
        for (key, found) in found {
            match found {
                Found::Value(value) => _ = table.insert(key.name.clone(), value),
                Found::Weights(of) => named.push((&*key.name, of)),
            }
        }
        let spec = Self::from_values(kind, table);
        let mut spec = spec.map_err(|error| InputError::new(error.to_string()))?;
        for (name, slot) in spec.weight_slots_mut() {
            let of_name = |(of, _): &(&str, Weights)| *of == name;
            let given = named.iter().position(of_name).map(|at| named.swap_remove(at).1);
            let kept = weights.iter().position(of_name).map(|at| weights.swap_remove(at).1);
            *slot = given.or(kept);
        }
        Ok(spec)
    }

    /// The same, if its keys go together. A name beside weights is theirs, and left out.
    fn checked(mut self) -> Result<Self, InputError> {
        check(&self)?;
        if let Some(evaluation) = self.kind.evaluation_mut()
            && evaluation.weights.is_some()
        {
            evaluation.name = None;
        }
        Ok(self)
    }
}

/// Checks what only all keys together tell.
fn check(spec: &AgentSpec) -> Result<(), InputError> {
    spec.kind.check_keys()?;
    let refuse = |message: String| Err(InputError::new(message));
    let Some(evaluation) = spec.kind.evaluation() else { return Ok(()) };
    if let (Some(name), Some(weights)) = (&evaluation.name, &evaluation.weights)
        && weights.layout().name != name
    {
        return refuse(format!(
            "eval={name} does not go with weights {}, which are of {}",
            weights.name,
            weights.layout().name
        ));
    }
    if !spec.evaluates() && (evaluation.name.is_some() || evaluation.weights.is_some()) {
        return refuse(
            "nothing in this search evaluates positions: weights= and eval= go with \
             playout=ept, partial or total, or with expansion=heuristic"
                .into(),
        );
    }
    Ok(())
}

impl fmt::Display for AgentSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.kind_name())?;
        let mut table = self.table();
        // The evaluation of weights is said for people.
        if let Some(layout) = self.layout() {
            table.insert("eval".into(), layout.name.into());
        }
        let pairs =
            self.kind.info().keys.iter().filter_map(|key| Some(key.pair(table.get(&key.name)?)));
        for (index, pair) in pairs.enumerate() {
            write!(f, "{}{pair}", if index == 0 { ':' } else { ',' })?;
        }
        Ok(())
    }
}
