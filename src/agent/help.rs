//! The kinds of agents and their keys, in words.

use std::fmt::Write;

use strum::{EnumMessage, IntoEnumIterator};

use super::key::Key;
use super::keys::KEYS;
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
