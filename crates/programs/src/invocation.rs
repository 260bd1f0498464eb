//! What an outside program is started with: its words, its environment, what it reads first, with the values of one
//! candidate in place of placeholders.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use strum::IntoEnumIterator;
use tempfile::TempDir;

use super::Protocol;
use super::engine::Engine;
use super::external::ExternalSettings;
use super::placeholders::{FileFormat, Placeholder, placeholders_of, program_seed, words_of};
use super::process::Invocation;
use super::uci::Announced;
use tictune_core::agent::{NameCheck, OtherProgram, ParameterValue, inline};
use tictune_core::input::{InputError, Result, nearest, unknown};
use tictune_core::weights::Weights;

impl OtherProgram for ExternalSettings {
    fn command(&self) -> &str {
        &self.command
    }

    fn protocol(&self) -> Option<String> {
        Some(self.protocol.to_string())
    }

    fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    fn env(&self) -> BTreeMap<String, String> {
        self.env.clone()
    }

    fn numbers(&self) -> &BTreeMap<String, ParameterValue> {
        &self.numbers
    }

    fn number_names(&self) -> Vec<String> {
        let Ok(used) = self.placeholders() else { return Vec::new() };
        let used = used.iter().filter_map(Placeholder::name);
        let all: BTreeSet<&str> = used.chain(self.numbers.keys().map(String::as_str)).collect();
        all.into_iter().filter(|name| !self.has_slot(name)).map(String::from).collect()
    }

    fn name_check(&self) -> Result<NameCheck> {
        let reads_file = !files_of(&self.placeholders()?).is_empty();
        let known: BTreeSet<String> = self.number_names().into_iter().collect();
        Ok(Box::new(move |name| {
            let message = if let Some(refusal) = Placeholder::refusal(name) {
                refusal
            } else if reads_file || known.contains(name) {
                return Ok(());
            } else if known.is_empty() {
                format!(
                    "nothing in the agent uses {name}: write {{{name}}} in cmd, env, setup or options"
                )
            } else {
                let known: Vec<&str> = known.iter().map(String::as_str).collect();
                unknown("parameter of the program", name, &known)
            };
            Err(InputError::new(message))
        }))
    }

    fn set_number(&mut self, name: &str, value: ParameterValue) {
        self.numbers.insert(name.into(), value);
    }

    fn check(&self) -> Result<()> {
        let refuse = |message: String| Err(InputError::new(message));
        let placeholders = self.placeholders()?;
        if !self.options.is_empty() && self.protocol != Protocol::Uci {
            return refuse(format!(
                "options: the protocol {} has none; see cmd, env and setup",
                self.protocol
            ));
        }
        for placeholder in &placeholders {
            match placeholder {
                Placeholder::Named(name)
                    if !self.numbers.contains_key(name) && !self.has_slot(name) =>
                {
                    let known = self.numbers.keys().map(String::as_str).chain(self.slot_names());
                    return refuse(match nearest(name, known) {
                        Some(near) => format!("{{{name}}} has no value; did you mean {{{near}}}?"),
                        None => format!(
                            "{{{name}}} has no value; give one, as in numbers={{ {name} = 1 }}, or write {{{{ for a \
                             literal brace"
                        ),
                    });
                }
                Placeholder::File(_)
                    if self.evaluation.weights.is_none() && self.numbers.is_empty() =>
                {
                    return refuse(
                        "{weights} is a file of weights and parameters, but there are none: give weights= or numbers="
                            .into(),
                    );
                }
                _ => {}
            }
        }
        for name in self.numbers.keys() {
            if let Some(refusal) = Placeholder::refusal(name) {
                return refuse(format!("numbers: {refusal}"));
            }
            if self.has_slot(name) {
                return refuse(format!("numbers: {name} is also the name of one of its weights"));
            }
            if !reads(&placeholders, name) {
                return refuse(format!(
                    "numbers: nothing uses {name}: write {{{name}}} in cmd, env, setup or options"
                ));
            }
        }
        if let Some(slot) = self.slot_names().next()
            && !self.slot_names().any(|slot| reads(&placeholders, slot))
        {
            return refuse(format!(
                "weights: nothing uses them: write {{weights}} for the path of a file, or single weights by name such as \
                 {{{slot}}}, in cmd, env, setup or options"
            ));
        }
        Ok(())
    }

    fn reads_slot(&self, slot: &str) -> bool {
        self.placeholders().is_ok_and(|placeholders| reads(&placeholders, slot))
    }

    fn announced_name(&self) -> Option<String> {
        let engine = (self.protocol == Protocol::Uci).then(|| self.engine().ok())??;
        Some(engine.announced.name.clone()).filter(|name| !name.is_empty())
    }

    /// Numbers have no values yet, so that only an engine whose command has none of them can be asked.
    fn announced_numbers(&self) -> Result<BTreeMap<String, f64>> {
        let (mut announced, invocation) = (BTreeMap::new(), self.raw()?);
        for text in invocation.words.iter().chain(invocation.env.values()) {
            let used = placeholders_of(text).map_err(InputError::new)?;
            if used.iter().any(|used| *used != Placeholder::Seed) {
                return Ok(announced);
            }
        }
        if self.protocol != Protocol::Uci {
            return Ok(announced);
        }
        let empty = invocation.filled(&mut |_| Ok("0".into())).map_err(InputError::new)?;
        let engine =
            Engine::start(&empty, &self.command).map_err(|error| InputError::new(error.why))?;
        for (option, text) in &invocation.options {
            if let [Placeholder::Named(name)] = &placeholders_of(text).map_err(InputError::new)?[..]
                && *text == format!("{{{name}}}")
            {
                let option = engine.announced.find(option).map_err(InputError::new)?;
                announced.extend(option.default_number().map(|value| (name.clone(), value)));
            }
        }
        Ok(announced)
    }
}

impl ExternalSettings {
    fn raw(&self) -> Result<Invocation> {
        let words =
            words_of(&self.command).map_err(|error| InputError::new(format!("cmd: {error}")))?;
        let Self { env, setup, options, .. } = self.clone();
        Ok(Invocation { words, env, setup, options })
    }

    fn placeholders(&self) -> Result<BTreeSet<Placeholder>> {
        let mut found = BTreeSet::new();
        let mut note = |placeholder| {
            found.insert(placeholder);
            Ok(String::new())
        };
        self.raw()?.filled(&mut note).map_err(InputError::new)?;
        Ok(found)
    }

    fn slot_names(&self) -> impl Iterator<Item = &str> {
        let slots = self.evaluation.weights.iter().flat_map(|weights| weights.layout().slots);
        slots.map(|slot| slot.name)
    }

    fn has_slot(&self, name: &str) -> bool {
        self.slot_names().any(|slot| slot == name)
    }

    /// Gets ready to start the program: reads placeholders, and writes the files that they name.
    pub fn ready(&self) -> Result<ReadyProgram> {
        self.check()?;
        let placeholders = self.placeholders()?;
        let folder = match files_of(&placeholders).is_empty() {
            true => None,
            false => Some(self.write_files(&placeholders).map_err(|error| {
                InputError::new(format!("{{weights}}: a temporary file cannot be written: {error}"))
            })?),
        };
        Ok(ReadyProgram { settings: self.clone(), folder })
    }

    fn engine(&self) -> Result<Engine> {
        let invocation = self.ready()?.invocation(0);
        Engine::start(&invocation, &self.command).map_err(|error| InputError::new(error.why))
    }

    /// What a UCI engine announces: its name and its options. Starts it once.
    pub fn announced(command: &str) -> Result<Announced> {
        let protocol = Protocol::Uci;
        let engine = Self { command: command.into(), protocol, ..Self::default() }.engine();
        engine.map(|engine| engine.announced).map_err(|error| error.context(command))
    }

    /// Starts the program once, if its protocol has an exchange at the start, and ends it again.
    #[doc(hidden)]
    pub fn try_to_start(&self) -> Result<()> {
        if self.protocol == Protocol::Uci { self.engine().map(drop) } else { Ok(()) }
    }

    /// The slots of its weights, then its numbers, with their values.
    fn values(&self) -> impl Iterator<Item = (&str, ParameterValue)> {
        let values = self.evaluation.weights.iter().flat_map(Weights::values);
        let slots = self.slot_names().zip(values.copied().map(ParameterValue::Number));
        slots.chain(self.numbers.iter().map(|(name, value)| (name.as_str(), *value)))
    }

    fn write_files(&self, placeholders: &BTreeSet<Placeholder>) -> std::io::Result<TempDir> {
        let folder = tempfile::Builder::new().prefix("tictune-").tempdir()?;
        for format in files_of(placeholders) {
            let text = match format {
                FileFormat::Json => {
                    let all: serde_json::Map<_, _> = self
                        .values()
                        .map(|(name, value)| (name.into(), serde_json::json!(value)))
                        .collect();
                    format!("{:#}\n", serde_json::Value::Object(all))
                }
                FileFormat::Csv => {
                    let lines = self.values().map(|(name, value)| format!("{name},{value}\n"));
                    "name,value\n".to_string() + &lines.collect::<String>()
                }
                FileFormat::Toml => self.toml(placeholders),
            };
            std::fs::write(folder.path().join(format!("weights.{format}")), text)?;
        }
        Ok(folder)
    }

    /// A weight file as tictune reads them, unless there are numbers that stand in no other place.
    fn toml(&self, placed: &BTreeSet<Placeholder>) -> String {
        let is_placed = |name: &String| placed.contains(&Placeholder::Named(name.clone()));
        let mut text = String::new();
        let has_weights = self.evaluation.weights.is_some();
        if let Some(mut weights) = self.evaluation.weights.clone() {
            weights.provenance.clear();
            text.push_str(&weights.to_toml());
            if !self.numbers.keys().all(is_placed) {
                text.push_str("\n[numbers]\n");
            }
        }
        for (name, value) in &self.numbers {
            if !has_weights || !is_placed(name) {
                let _ = writeln!(text, "{} = {value}", inline::key(name));
            }
        }
        text
    }
}

fn files_of(placeholders: &BTreeSet<Placeholder>) -> Vec<FileFormat> {
    let is_used = |format: &FileFormat| placeholders.contains(&Placeholder::File(*format));
    FileFormat::iter().filter(is_used).collect()
}

/// Whether a program with these placeholders is told the value of this name, in its place or in a file.
fn reads(placeholders: &BTreeSet<Placeholder>, name: &str) -> bool {
    placeholders.contains(&Placeholder::Named(name.into())) || !files_of(placeholders).is_empty()
}

/// A program of a candidate, ready to be started for any game. Its temporary files go with it.
pub struct ReadyProgram {
    pub(super) settings: ExternalSettings,
    folder: Option<TempDir>,
}

impl ReadyProgram {
    /// What it is started with for a game of this seed.
    pub fn invocation(&self, seed: u64) -> Invocation {
        let named = |name: &str| self.settings.values().find(|(known, _)| *known == name);
        let mut value = |placeholder| {
            Ok(match placeholder {
                Placeholder::Seed => program_seed(seed).to_string(),
                Placeholder::Named(name) => {
                    named(&name).map_or_else(String::new, |(_, value)| value.to_string())
                }
                Placeholder::File(format) => {
                    let file = format!("weights.{format}");
                    let path = self.folder.as_ref().map(|folder| folder.path().join(file));
                    path.unwrap_or_default().display().to_string()
                }
            })
        };
        // It was read when it was made ready, and every placeholder has a value.
        let filled = self.settings.raw().map(|raw| raw.filled(&mut value));
        filled.ok().and_then(Result::ok).unwrap_or_default()
    }
}
