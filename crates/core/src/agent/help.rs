//! The kinds of agents and their keys, in words.

use std::fmt::Write;

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::kind::KindInfo;
use super::kinds::Known;
use super::table::shown;
use crate::input::completed;

#[derive(Clone, Debug, Serialize)]
pub struct KeyHelp {
    pub key: &'static str,
    pub example: String,
    pub help: String,
    pub takes: String,
    /// The value that an agent has by default, if all kinds with the key have the same.
    pub default: Option<String>,
    pub evolves: bool,
    pub kinds: Vec<&'static str>,
}

impl Known {
    /// The schema of agents as tables.
    pub fn schema(&self) -> Value {
        let of_kind = |kind: &&KindInfo| {
            let name = ("kind".to_owned(), json!({ "const": kind.name }));
            let own = kind.keys.iter().map(|key| (key.name.clone(), key.schema.clone()));
            let keys: Map<_, _> = std::iter::once(name).chain(own).collect();
            json!({ "type": "object", "properties": keys, "required": ["kind"] })
        };
        completed(json!({ "anyOf": self.kinds.iter().map(of_kind).collect::<Vec<_>>() }))
    }

    #[doc(hidden)]
    pub fn key_help(&self) -> Vec<KeyHelp> {
        let mut all: Vec<KeyHelp> = Vec::new();
        for kind in &self.kinds {
            for key in &kind.keys {
                let default = key.default();
                let is_scalar = default.is_boolean() || default.is_number() || default.is_string();
                let is_told = is_scalar && key.said("x-required").is_none();
                match all.iter_mut().find(|known| known.key == key.name) {
                    Some(known) => known.kinds.push(kind.name),
                    None => all.push(KeyHelp {
                        key: &key.name,
                        example: key.example(),
                        help: key.help.clone(),
                        takes: key.takes(),
                        default: is_told.then(|| shown(default)),
                        evolves: key.is("x-evolves"),
                        kinds: vec![kind.name],
                    }),
                }
            }
        }
        all
    }

    /// Every kind of agent with its keys, and every key with what it takes: the text that `--help` shows.
    pub fn help(&self) -> String {
        let mut text = String::from(
            "Agents are written KIND[:KEY=VALUE,...], or @FILE for a file that holds one such line. The kinds:\n\n",
        );
        for kind in &self.kinds {
            let (KindInfo { name, purpose, .. }, keys) = (kind, kind.key_names());
            let keys = if keys.is_empty() { "none".into() } else { keys.join(", ") };
            write_line(&mut text, &format!("{name:<11} {purpose} Keys: {keys}."), 14);
        }
        text.push_str("\nThe keys:\n\n");
        for key in self.key_help() {
            write_line(&mut text, &key.line(), 4);
        }
        text
    }
}

impl KeyHelp {
    pub fn line(&self) -> String {
        let Self { key, example, help, takes, .. } = self;
        let mut line = format!("{key}={example}  {help}. Takes {takes}");
        if let Some(default) = &self.default {
            let _ = write!(line, "; by default {default}");
        }
        line + if self.evolves { ". Can be evolved." } else { "." }
    }
}

/// Adds a paragraph in lines of at most 100 characters, all but the first indented.
fn write_line(text: &mut String, paragraph: &str, indent: usize) {
    let mut column = 0;
    for word in paragraph.split(' ') {
        let length = word.chars().count();
        if column + 1 + length > 100 {
            *text += &format!("\n{:indent$}", "");
            column = indent;
        } else if column > 0 {
            text.push(' ');
            column += 1;
        }
        text.push_str(word);
        column += length;
    }
    text.push('\n');
}
