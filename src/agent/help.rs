//! The kinds of agents and their keys, in words.

use std::fmt::Write;

use strum::{EnumMessage, IntoEnumIterator};

use super::key::Key;
use super::keys::{KEYS, keys_of};
use super::kinds::Kind;
use super::spec::AgentSpec;

impl AgentSpec {
    /// Every kind of agent with its keys, and every key with what it takes: the text that `--help` shows.
    #[must_use]
    pub fn help() -> String {
        let mut text = String::from(
            "Agents are written KIND[:KEY=VALUE,...], or @FILE for a file that holds one such line. The kinds:\n\n",
        );
        for kind in Kind::iter() {
            let keys = kind.keys().join(", ");
            let keys = if keys.is_empty() { "none" } else { &keys };
            let purpose = kind.get_documentation().unwrap_or_default();
            write_line(&mut text, &format!("{kind:<11} {purpose} Keys: {keys}."), 14);
        }
        text.push_str("\nThe keys:\n\n");
        for key in KEYS.iter() {
            write_line(&mut text, &key.line(), 4);
        }
        text
    }

    /// The same as tables of Markdown.
    #[must_use]
    pub fn help_in_markdown() -> String {
        let mut text = String::from("| kind | what it does | keys |\n|---|---|---|\n");
        for kind in Kind::iter() {
            let keys: Vec<String> = keys_of(kind).map(|key| format!("`{}`", key.name)).collect();
            let purpose = kind.get_documentation().unwrap_or_default();
            text += &format!("| `{kind}` | {purpose} | {} |\n", keys.join(", "));
        }
        text.push_str(
            "\n| key | takes | by default | evolves | what it is |\n|---|---|---|---|---|\n",
        );
        for key in KEYS.iter() {
            let default = key.default_in_words().map_or(String::new(), |text| format!("`{text}`"));
            let evolves = if key.evolves { "yes" } else { "" };
            let (name, takes, help) = (key.name, &key.takes, &key.help);
            text += &format!("| `{name}` | {takes} | {default} | {evolves} | {help} |\n");
        }
        text
    }
}

impl Key {
    /// What it takes, what it is for, and its default.
    fn line(&self) -> String {
        let (name, example, help, takes) = (self.name, self.example, &self.help, &self.takes);
        let mut line = format!("{name}={example}  {help}. Takes {takes}");
        if let Some(default) = self.default_in_words() {
            let _ = write!(line, "; by default {default}");
        }
        line + if self.evolves { ". Can be evolved." } else { "." }
    }

    /// The value that an agent has by default, if all kinds with the key have the same.
    fn default_in_words(&self) -> Option<String> {
        self.default_of(self.kinds[0]).filter(|text| !text.is_empty() && self.required.is_none())
    }
}

/// Adds a paragraph in lines of at most 100 characters, all but the first indented.
fn write_line(text: &mut String, paragraph: &str, indent: usize) {
    const WIDTH: usize = 100;
    let mut column = 0;
    for (index, word) in paragraph.split(' ').enumerate() {
        let length = word.chars().count();
        if index > 0 && column + 1 + length > WIDTH {
            text.push('\n');
            text.push_str(&" ".repeat(indent));
            column = indent;
        } else if index > 0 {
            text.push(' ');
            column += 1;
        }
        text.push_str(word);
        column += length;
    }
    text.push('\n');
}
