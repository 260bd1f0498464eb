//! What an outside program is started with: its words, its environment, what it is told first, with the values of one
//! candidate in place of placeholders.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::PathBuf;

use strum::IntoEnumIterator;
use tempfile::TempDir;

use super::Protocol;
use super::engine::Engine;
use super::external::ExternalSettings;
use super::placeholders::{FileFormat, Placeholder, Template, program_seed};
use super::process::Launcher;
use tictune_core::agent::{OtherProgram, ParameterValue, inline};
use tictune_core::game::WeightLayout;
use tictune_core::input::{InputError, nearest, unknown};
use tictune_core::weights::Weights;

/// Everything of a program's settings that may hold placeholders, read.
struct Templates {
    words: Vec<Template>,
    env: Vec<(String, Template)>,
    setup: Vec<Template>,
    options: Vec<(String, Template)>,
}

impl Templates {
    fn parse(settings: &ExternalSettings) -> Result<Self, InputError> {
        let words = shlex::split(&settings.command).filter(|words| !words.is_empty());
        let words = words.ok_or_else(|| {
            InputError::new(
                "cmd: expected a program and its arguments, quotes closed, as in ./bot 'two words'",
            )
        })?;
        let wrong = |key: &str, problem| InputError::new(format!("{key}: {problem}"));
        let list = |key: &str, texts: &[String]| -> Result<Vec<Template>, InputError> {
            let read = |text: &String| Template::parse(text).map_err(|error| wrong(key, error));
            texts.iter().map(read).collect()
        };
        let table = |key: &str, texts: &BTreeMap<String, String>| {
            let read = |(name, text): (&String, &String)| match Template::parse(text) {
                Ok(template) => Ok((name.clone(), template)),
                Err(error) => Err(wrong(key, format!("{name}: {error}"))),
            };
            texts.iter().map(read).collect::<Result<Vec<_>, _>>()
        };
        Ok(Self {
            words: list("cmd", &words)?,
            env: table("env", &settings.env)?,
            setup: list("setup", &settings.setup)?,
            options: table("options", &settings.options)?,
        })
    }

    fn placeholders(&self) -> BTreeSet<&Placeholder> {
        let named = self.env.iter().chain(&self.options).map(|(_, template)| template);
        let all = self.words.iter().chain(&self.setup).chain(named);
        all.flat_map(Template::placeholders).collect()
    }
}

impl OtherProgram for ExternalSettings {
    fn command(&self) -> &str {
        &self.command
    }

    fn protocol(&self) -> Option<String> {
        Some(self.protocol.to_string())
    }

    fn env(&self) -> BTreeMap<String, String> {
        self.env.clone()
    }

    fn numbers(&self) -> &BTreeMap<String, ParameterValue> {
        &self.numbers
    }

    fn number_names(&self) -> Vec<String> {
        let Ok(templates) = Templates::parse(self) else { return Vec::new() };
        let is_slot = |name: &String| {
            self.evaluation.weights.as_ref().is_some_and(|weights| has_slot(weights.layout(), name))
        };
        let named =
            templates.placeholders().into_iter().filter_map(|placeholder| match placeholder {
                Placeholder::Named(name) => Some(name.clone()),
                _ => None,
            });
        let all: BTreeSet<String> = named.chain(self.numbers.keys().cloned()).collect();
        all.into_iter().filter(|name| !is_slot(name)).collect()
    }

    fn set_number(&mut self, name: &str, value: ParameterValue) -> Result<(), InputError> {
        if let Some(refusal) = Placeholder::refusal(name) {
            return Err(InputError::new(refusal));
        }
        Templates::parse(self)?;
        let known = self.number_names();
        if !known.iter().any(|other| other == name) && !self.reads_file() {
            let known: Vec<&str> = known.iter().map(String::as_str).collect();
            let message = match known.is_empty() {
                true => format!(
                    "nothing in the agent uses {name}: write {{{name}}} in cmd, env, setup or options"
                ),
                false => unknown("number of the program", name, &known),
            };
            return Err(InputError::new(message));
        }
        self.numbers.insert(name.into(), value);
        Ok(())
    }

    fn check(&self) -> Result<(), InputError> {
        let refuse = |message: String| Err(InputError::new(message));
        let templates = Templates::parse(self)?;
        if !self.options.is_empty() && !self.protocol.has_options() {
            return refuse(format!(
                "options: the protocol {} has none; see cmd, env and setup",
                self.protocol
            ));
        }
        let weights = self.evaluation.weights.as_ref();
        let is_slot = |name: &str| weights.is_some_and(|of| has_slot(of.layout(), name));
        let used = templates.placeholders();
        for placeholder in &used {
            match placeholder {
                Placeholder::Named(name) if !self.numbers.contains_key(name) && !is_slot(name) => {
                    let slots =
                        weights.iter().flat_map(|of| of.layout().slots).map(|slot| slot.name);
                    let known: Vec<&str> =
                        self.numbers.keys().map(String::as_str).chain(slots).collect();
                    let near = nearest(name, known.iter().copied());
                    return refuse(match near {
                        Some(near) => {
                            format!("{{{name}}} has no value; did you mean {{{near}}}?")
                        }
                        None => format!(
                            "{{{name}}} has no value; give one, as in numbers={{ {name} = 1 }}, or write {{{{ for a \
                             brace itself"
                        ),
                    });
                }
                Placeholder::File(_) if weights.is_none() && self.numbers.is_empty() => {
                    return refuse(
                        "{weights} is a file of weights and numbers, and there are none: give weights= or numbers="
                            .into(),
                    );
                }
                _ => {}
            }
        }
        let is_used = |name: &str| self.reads_slot(name);
        for name in self.numbers.keys() {
            if let Some(refusal) = Placeholder::refusal(name) {
                return refuse(format!("numbers: {refusal}"));
            }
            if is_slot(name) {
                return refuse(format!("numbers: {name} is a slot of its weights, too"));
            }
            if !is_used(name) {
                return refuse(format!(
                    "numbers: nothing uses {name}: write {{{name}}} in cmd, env, setup or options"
                ));
            }
        }
        if let Some(weights) = weights
            && !weights.layout().slots.iter().any(|slot| is_used(slot.name))
        {
            let slot = weights.layout().slots.first().map_or("slot", |slot| slot.name);
            return refuse(format!(
                "weights: nothing uses them: write {{weights}} for the path of a file, or slots by name such as \
                 {{{slot}}}, in cmd, env, setup or options"
            ));
        }
        Ok(())
    }

    fn reads_slot(&self, slot: &str) -> bool {
        Templates::parse(self).is_ok_and(|templates| {
            let is_it = |placeholder: &&Placeholder| match placeholder {
                Placeholder::Named(name) => name == slot,
                Placeholder::File(_) => true,
                Placeholder::Seed => false,
            };
            templates.placeholders().iter().any(is_it)
        })
    }

    fn announced_name(&self) -> Option<String> {
        if self.protocol != Protocol::Uci {
            return None;
        }
        let Invocation { words, env, .. } = self.ready().ok()?.invocation(0);
        let engine = Engine::start(&Launcher::new(words, env, &self.command)?).ok()?;
        Some(engine.announced().name.clone()).filter(|name| !name.is_empty())
    }

    fn announced_numbers(&self) -> BTreeMap<String, f64> {
        self.ask_for_numbers().unwrap_or_default()
    }
}

impl ExternalSettings {
    /// Whether a file is written for it.
    #[must_use]
    pub fn reads_file(&self) -> bool {
        Templates::parse(self).is_ok_and(|templates| !formats(&templates).is_empty())
    }

    /// Gets ready to start the program: reads placeholders, and writes the files that they name.
    ///
    /// # Errors
    /// A placeholder without a value, a value without a placeholder, a file that cannot be written.
    pub fn ready(&self) -> Result<ReadyProgram, InputError> {
        self.check()?;
        let templates = Templates::parse(self)?;
        let formats = formats(&templates);
        let folder = match formats.is_empty() {
            true => None,
            false => Some(self.write_files(&formats, &templates).map_err(|error| {
                InputError::new(format!("{{weights}}: a temporary file cannot be written: {error}"))
            })?),
        };
        let mut values: BTreeMap<String, String> =
            self.numbers.iter().map(|(name, value)| (name.clone(), value.to_string())).collect();
        values.extend(self.slots().map(|(name, value)| (name.into(), value.to_string())));
        Ok(ReadyProgram { templates, values, folder })
    }

    /// Starts the program once, if its protocol has an exchange at the start, and ends it again.
    ///
    /// # Errors
    /// Why it does not start.
    #[doc(hidden)]
    pub fn try_to_start(&self) -> Result<(), InputError> {
        if self.protocol != Protocol::Uci {
            return Ok(());
        }
        let Invocation { words, env, .. } = self.ready()?.invocation(0);
        let launcher = Launcher::new(words, env, &self.command)
            .ok_or_else(|| InputError::new("its command is empty"))?;
        Engine::start(&launcher).map(|_| ()).map_err(|error| InputError::new(error.to_string()))
    }

    fn ask_for_numbers(&self) -> Option<BTreeMap<String, f64>> {
        let templates = Templates::parse(self).ok().filter(|_| self.protocol.has_options())?;
        let is_seed = |placeholder: &Placeholder| *placeholder == Placeholder::Seed;
        let env = templates.env.iter().map(|(_, value)| value);
        if !templates.words.iter().chain(env).flat_map(Template::placeholders).all(is_seed) {
            return None;
        }
        let options = templates.options.clone();
        let program = ReadyProgram { templates, values: BTreeMap::new(), folder: None };
        let Invocation { words, env, .. } = program.invocation(0);
        let engine = Engine::start(&Launcher::new(words, env, &self.command)?).ok()?;
        let number = |(option, template): &(String, Template)| {
            let name = template.number_alone()?;
            Some((name.into(), engine.announced().option(option)?.default_number()?))
        };
        Some(options.iter().filter_map(number).collect())
    }

    /// The slots of its weights, with their values.
    fn slots(&self) -> impl Iterator<Item = (&str, ParameterValue)> {
        let of = |weights: &'_ Weights| {
            let values = weights.values().to_vec().into_iter().map(ParameterValue::Number);
            weights.layout().slots.iter().map(|slot| slot.name).zip(values)
        };
        self.evaluation.weights.iter().flat_map(of)
    }

    /// Writes the files of all formats to a new temporary folder.
    fn write_files(
        &self,
        formats: &BTreeSet<FileFormat>,
        templates: &Templates,
    ) -> std::io::Result<TempDir> {
        let folder = tempfile::Builder::new().prefix("tictune-").tempdir()?;
        for format in formats {
            let text = self.file_text(*format, templates);
            std::fs::write(folder.path().join(format.file_name()), text)?;
        }
        Ok(folder)
    }

    /// The text of a file: weights, then numbers.
    fn file_text(&self, format: FileFormat, templates: &Templates) -> String {
        let numbers = || self.numbers.iter().map(|(name, value)| (name.as_str(), *value));
        let all = || self.slots().chain(numbers());
        match format {
            FileFormat::Json => {
                let json = |value: ParameterValue| serde_json::to_value(value).unwrap_or_default();
                let object: serde_json::Map<_, _> =
                    all().map(|(name, value)| (name.into(), json(value))).collect();
                format!("{:#}\n", serde_json::Value::Object(object))
            }
            FileFormat::Csv => all().fold("name,value\n".into(), |mut text, (name, value)| {
                let _ = writeln!(text, "{name},{value}");
                text
            }),
            FileFormat::Toml => {
                let mut text = String::new();
                let line = |text: &mut String, (name, value): (&str, ParameterValue)| {
                    let _ = writeln!(text, "{} = {value}", inline::key(name));
                };
                let Some(weights) = &self.evaluation.weights else {
                    numbers().for_each(|pair| line(&mut text, pair));
                    return text;
                };
                // A weight file as tictune reads them, unless there are numbers that are told in no other way.
                let own = templates.placeholders();
                let is_told = |name: &str| own.contains(&Placeholder::Named(name.into()));
                let mut weights = weights.clone();
                weights.provenance.clear();
                text.push_str(&weights.to_toml());
                let untold: Vec<_> = numbers().filter(|(name, _)| !is_told(name)).collect();
                if !untold.is_empty() {
                    text.push_str("\n[numbers]\n");
                    untold.into_iter().for_each(|pair| line(&mut text, pair));
                }
                text
            }
        }
    }
}

fn has_slot(layout: &WeightLayout, name: &str) -> bool {
    layout.slots.iter().any(|slot| slot.name == name)
}

fn formats(templates: &Templates) -> BTreeSet<FileFormat> {
    let used = templates.placeholders();
    FileFormat::iter().filter(|format| used.contains(&Placeholder::File(*format))).collect()
}

/// A program of a candidate, ready to be started for any game. Its temporary files go with it.
pub struct ReadyProgram {
    templates: Templates,
    /// Numbers and weights in text, by name.
    values: BTreeMap<String, String>,
    folder: Option<TempDir>,
}

/// What a program is started with for one game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invocation {
    /// The program and its arguments, at least one word.
    pub words: Vec<String>,
    /// Variables of its environment, beside those of this process.
    pub env: Vec<(String, String)>,
    /// Lines that it is sent before anything else, without their ends.
    pub setup: Vec<String>,
    /// Options of its protocol.
    pub options: Vec<(String, String)>,
}

impl ReadyProgram {
    /// What it is started with for a game of this seed.
    #[must_use]
    pub fn invocation(&self, seed: u64) -> Invocation {
        let value = |placeholder: &Placeholder| match placeholder {
            Placeholder::Seed => program_seed(seed).to_string(),
            Placeholder::File(format) => self.path(*format).display().to_string(),
            Placeholder::Named(name) => self.values.get(name).cloned().unwrap_or_default(),
        };
        let list = |all: &[Template]| all.iter().map(|template| template.fill(value)).collect();
        let table = |all: &[(String, Template)]| {
            all.iter().map(|(name, template)| (name.clone(), template.fill(value))).collect()
        };
        Invocation {
            words: list(&self.templates.words),
            env: table(&self.templates.env),
            setup: list(&self.templates.setup),
            options: table(&self.templates.options),
        }
    }

    fn path(&self, format: FileFormat) -> PathBuf {
        let folder = self.folder.as_ref().map_or_else(PathBuf::new, |folder| folder.path().into());
        folder.join(format.file_name())
    }
}
