//! Reading agents from text and from tables, and printing them.

use std::fmt;
use std::path::Path;

use strum::VariantNames;

use super::inline;
use super::key::{Key, Refusal};
use super::keys::{KEYS, keys_of};
use super::kinds::{AgentKind, Kind};
use super::limit::Limit;
use super::spec::AgentSpec;
use crate::game::Game;
use crate::input::{InputError, Table, excerpt, read_text, unknown};
use crate::protocol::Protocol;
use crate::search::Pruning;
use crate::search::memory::Hashing;
use crate::weights::Scope;

impl Kind {
    /// The names of the keys that agents of the kind have in text.
    #[must_use]
    pub fn keys(self) -> Vec<&'static str> {
        keys_of(self).map(|key| key.name).collect()
    }

    /// The keys that tables of agents may hold, whatever the kind.
    #[must_use]
    pub fn all_keys() -> Vec<&'static str> {
        std::iter::once("kind").chain(KEYS.iter().map(|key| key.name)).collect()
    }

    /// Reads a limit of this kind of search, `KEY=VALUE`.
    ///
    /// # Errors
    /// Any other text, or a limit that the kind does not take.
    pub fn limit(self, text: &str) -> Result<Limit, InputError> {
        let (key, value) = text.split_once('=').unwrap_or((text, ""));
        let limits: Vec<&str> = limits_of(self).map(|key| key.name).collect();
        if !limits.contains(&key) {
            return Err(InputError::new(unknown("limit", key, &limits)));
        }
        Limit::from_pair(key, value).ok_or_else(|| {
            let expected = Limit::expected(key);
            InputError::new(format!("limit \"{text}\": expected {expected}"))
        })
    }
}

/// The keys that give agents of a kind their limit.
pub(super) fn limits_of(kind: Kind) -> impl Iterator<Item = &'static Key> {
    keys_of(kind).filter(|key| Limit::VARIANTS.contains(&key.name))
}

impl AgentSpec {
    /// Reads the text form. Weights are built-in names, or paths relative to `folder`. `@FILE` stands for the text in a
    /// file, whose paths are relative to that file's folder.
    ///
    /// # Errors
    /// Unknown kinds, keys or weights, and values of the wrong form; the message lists what is known.
    pub fn parse<P: Game>(text: &str, folder: &Path) -> Result<Self, InputError> {
        Self::parse_in(text, Scope::of::<P>(folder))
    }

    /// [`parse`](Self::parse) where other games are known, too.
    ///
    /// # Errors
    /// As `parse`.
    pub fn parse_in(text: &str, scope: Scope<'_>) -> Result<Self, InputError> {
        if let Some(file) = text.strip_prefix('@') {
            return Self::read(&scope.folder.join(file), scope);
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
                pairs.push((key.trim(), inline::unquote(value.trim())));
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

    /// The same agent with another value of a key of its kind, in text.
    ///
    /// # Errors
    /// A key that its kind does not have; a value that it does not take.
    pub fn with_key(&self, name: &str, text: &str, scope: Scope<'_>) -> Result<Self, InputError> {
        let kind = self.kind();
        let key = keys_of(kind).find(|key| key.name == name);
        let key = key.ok_or_else(|| InputError::new(unknown("key", name, &kind.keys())))?;
        let mut spec = self.clone();
        read_key(key, &mut spec, text, scope)?;
        Ok(spec)
    }

    /// Reads a file that holds the text form, as runs of evolutions write it.
    fn read(file: &Path, scope: Scope<'_>) -> Result<Self, InputError> {
        if file.is_dir() {
            let help = "is a folder; name the file of an agent, such as best-agent.txt in the folder of a run";
            return Err(InputError::in_file(file, help));
        }
        let text = read_text(file)?;
        if text.trim_start().starts_with('@') {
            return Err(InputError::in_file(file, "holds the name of a file; expected an agent"));
        }
        let folder = file.parent().unwrap_or(Path::new(""));
        Self::parse_in(text.trim(), scope.in_folder(folder)).map_err(|mut error| {
            error.file.get_or_insert_with(|| file.display().to_string());
            error
        })
    }

    /// Reads a TOML table with the keys of the text form, and `kind`.
    ///
    /// # Errors
    /// As [`parse`](Self::parse), with the line.
    pub(crate) fn from_table(table: &Table<'_, '_>, scope: Scope<'_>) -> Result<Self, InputError> {
        let is_inline = |name: &str| KEYS.iter().any(|key| key.inline && key.name == name);
        let pairs = table.texts(is_inline)?;
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

/// Reads an agent of a kind key by key, in any order.
fn read(
    kind: &str,
    pairs: &[(&str, String)],
    scope: Scope<'_>,
) -> Result<AgentSpec, (Fault, InputError)> {
    let kind: Kind = kind.parse().map_err(|_| {
        let meant = meant_by(kind, scope).unwrap_or_else(|| unknown("agent", kind, Kind::VARIANTS));
        (Fault::Kind, InputError::new(meant))
    })?;
    let mut spec = AgentSpec::new(kind);
    let mut of_parts = Vec::new();
    for (index, (name, value)) in pairs.iter().enumerate() {
        let misplaced = |message: String| (Fault::Key(index), InputError::new(message));
        let key = keys_of(kind).find(|key| key.name == *name);
        let key = key.ok_or_else(|| misplaced(unknown("key", name, &kind.keys())))?;
        if pairs[..index].iter().any(|(earlier, _)| earlier == name) {
            return Err(misplaced(format!("key \"{name}\" is given twice")));
        }
        match key.is_of_part() {
            true => of_parts.push((index, key, value)),
            false => {
                let read = read_key(key, &mut spec, value, scope);
                read.map_err(|error| (Fault::Value(index), error))?;
            }
        }
    }
    // Keys of parts, after those that give the parts.
    for (index, key, value) in of_parts {
        let read = read_key(key, &mut spec, value, scope);
        read.map_err(|error| (Fault::Value(index), error))?;
    }
    let whole = check_required(kind, pairs).and_then(|()| check(&spec));
    whole.map_err(|error| (Fault::Whole, error))?;
    Ok(spec)
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
    let is_program = text.contains(['/', std::path::MAIN_SEPARATOR]) || text.contains(' ');
    is_program.then(|| {
        format!(
            "\"{0}\" is no kind of agent; if it is a program, write external:cmd=\"{0}\",protocol=PROTOCOL, where the protocol is {1}",
            excerpt(text),
            Protocol::VARIANTS.join(", ")
        )
    })
}

fn read_key(
    key: &Key,
    spec: &mut AgentSpec,
    value: &str,
    scope: Scope<'_>,
) -> Result<(), InputError> {
    key.read(spec, value, scope).map_err(|refusal| match refusal {
        Refusal::Value => {
            let found: String = value.chars().take(40).collect();
            let (name, expected, found) = (key.name, &key.takes, found.escape_debug());
            InputError::new(format!("{name}: expected {expected}, found \"{found}\""))
        }
        Refusal::Part => InputError::new(key.goes_with(&KEYS)),
        Refusal::Because(error) => error,
    })
}

/// Checks that the keys that a kind cannot do without are there.
fn check_required(kind: Kind, pairs: &[(&str, String)]) -> Result<(), InputError> {
    let is_given = |key: &Key| pairs.iter().any(|(name, _)| *name == key.name);
    let missing: Vec<&str> =
        keys_of(kind).filter(|key| !is_given(key)).filter_map(|key| key.required).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let article = if kind.to_string().starts_with(['a', 'e', 'i', 'o']) { "an" } else { "a" };
    Err(InputError::new(format!("{article} {kind} agent needs {}", missing.join(" and "))))
}

/// Checks what only all keys together tell.
fn check(spec: &AgentSpec) -> Result<(), InputError> {
    let refuse = |message: String| Err(InputError::new(message));
    match &spec.kind {
        AgentKind::Minimax(of) if of.sorts() && of.pruning != Pruning::AlphaBeta => {
            return refuse(format!(
                "order=, sort= and widths= do not go with prune={}",
                of.pruning
            ));
        }
        AgentKind::Minimax(of)
            if of.quiescence.is_some() && (of.sorts() || of.pruning != Pruning::AlphaBeta) =>
        {
            return refuse(
                "quiescence= goes with neither order=, sort=, widths= nor prune=".into(),
            );
        }
        AgentKind::Iterative(settings) => {
            if let Some(memory) = settings.table.bounded()
                && memory.symmetry
                && memory.hashing == Hashing::Zobrist
            {
                return refuse(
                    "memory_symmetry=true goes with memory_hash=full: what moves update is the \
                     hash of one image"
                        .into(),
                );
            }
        }
        _ => {}
    }
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
        write!(f, "{}", self.kind())?;
        let pairs = keys_of(self.kind()).filter_map(|key| Some((key, key.show(self)?)));
        for (index, (key, value)) in pairs.enumerate() {
            let separator = if index == 0 { ':' } else { ',' };
            write!(f, "{separator}{}={}", key.name, inline::quote(&value, key.inline))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
