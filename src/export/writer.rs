//! Writing formulas in a [`Language`].

use minijinja::context;

use super::formula::{Formula, Function, List, words};
use super::language::Language;
use crate::report::{rendered, wrapped};

/// The characters of a number in a table are digits of this base; the digit 0 is an `@`.
const BASE: i32 = 63;

/// What is added to a number of a table, so that none is negative.
const OFFSET: i32 = 1024;

const PER_LINE: usize = 46;

impl Language {
    /// A comment of wrapped lines; nothing for no text.
    pub(super) fn comment(&self, text: &str, indent: &str) -> String {
        if text.is_empty() {
            return String::new();
        }
        let wrap = |paragraph| wrapped(paragraph, 96 - indent.len());
        let text: String = text.lines().map(wrap).collect();
        let lines: Vec<&str> = text.lines().collect();
        if self.has_block_comments {
            return format!("{indent}/* {} */\n", lines.join(&format!("\n{indent} * ")));
        }
        lines.iter().map(|line| indent.to_owned() + &self.comment_line(line)).collect()
    }

    /// One line, which is not wrapped, as a comment to the end of the line.
    pub(super) fn comment_line(&self, line: &str) -> String {
        format!("{} {line}", self.line_comment).trim_end().to_owned() + "\n"
    }

    /// The lists and functions of a formula; `None` if its text is not in the language of formulas.
    pub(super) fn formula(&self, formula: &Formula) -> Option<String> {
        let lists = formula.lists.iter().map(|list| Some(self.list(list)));
        let tables = formula.tables.iter().map(|table| Some(self.table(table)));
        let functions = formula.functions.iter();
        let functions = functions.map(|one| Some(self.function(one, &self.body(&one.body)?)));
        lists.chain(tables).chain(functions).collect()
    }

    fn list(&self, list: &List) -> String {
        let numbers: Vec<String> = list.values.iter().map(i32::to_string).collect();
        let rows: Vec<String> = numbers.chunks(20).map(|row| row.join(", ")).collect();
        self.rows(&list.comment, &list.name, numbers.len(), &self.list_types[0], &rows)
    }

    fn rows(&self, comment: &str, name: &str, count: usize, kind: &str, rows: &[String]) -> String {
        let values = rows.join(&format!(",\n{}    ", self.margin));
        let list = rendered(&self.list, context! { name, count, type => kind, values });
        format!("\n{}{list}", self.comment(comment, &self.margin))
    }

    /// A table as lines of text, and the function that reads a number.
    fn table(&self, table: &List) -> String {
        let digit = |value: i32| match char::from(64 + value.clamp(0, BASE - 1) as u8) {
            // No other digit means anything inside of quotes in any of the languages.
            '\\' => "\\\\".to_owned(),
            digit => digit.to_string(),
        };
        let number = |&value: &i32| {
            let value = value + OFFSET;
            digit(value / BASE) + &digit(value % BASE)
        };
        let line =
            |values: &[i32]| format!("\"{}\"", values.iter().map(number).collect::<String>());
        let lines: Vec<String> = table.values.chunks(PER_LINE).map(line).collect();
        let comment = format!(
            "{} Each number is two characters: 63 times the first and the second, both counted from @, less 1024.",
            table.comment
        );
        let name = table.name.to_uppercase();
        let list = self.rows(&comment, &name, lines.len(), &self.list_types[1], &lines);
        let body = rendered(&self.lookup, context! { lines => name, per_line => PER_LINE });
        let lookup = Function {
            comment: String::new(),
            name: table.name.clone(),
            parameters: vec![("index".into(), None)],
            is_real: false,
            body: Vec::new(),
        };
        list + &self.function(&lookup, &body)
    }

    fn function(&self, function: &Function, body: &str) -> String {
        let Function { comment, name, parameters, is_real, .. } = function;
        let parameter = |(name, length): &(String, Option<usize>)| {
            let template = &self.parameters[usize::from(length.is_some())];
            rendered(template, context! { name => self.name(name), length })
        };
        let parameters: Vec<String> = parameters.iter().map(parameter).collect();
        let values = context! {
            comment => self.comment(comment, &self.margin),
            visibility => self.visibility[usize::from(name == "evaluate")],
            name => self.name(name),
            parameters => parameters.join(", "),
            type => self.number_types[usize::from(*is_real)],
            body,
        };
        format!("\n{}", rendered(&self.function, values))
    }

    /// The body of a function, line by line. Blocks are as deep as their indentation.
    fn body(&self, lines: &[&str]) -> Option<String> {
        let [open, close] = &self.block;
        let indent = |depth: usize| "    ".repeat(self.margin.len() / 4 + depth);
        let (mut text, mut depth) = (String::new(), 1);
        // The lists that the function has declared so far.
        let mut lists = Vec::new();
        // The end of the function closes all blocks.
        for line in lines.iter().chain(&["    "]) {
            let own = (line.len() - line.trim_start().len()) / 4;
            let line = line.trim();
            while depth > own.max(1) {
                depth -= 1;
                text += &if close.is_empty() { String::new() } else { indent(depth) + close };
            }
            if let Some(words) = line.strip_prefix('#') {
                text += &self.comment(words.trim(), &indent(depth));
            } else if !line.is_empty() {
                let (head, is_block) = self.statement(line, &mut lists)?;
                text += &(indent(depth) + &head + if is_block { open } else { &self.end });
                depth += usize::from(is_block);
            }
        }
        Some(text)
    }

    /// A statement, and whether it begins a block; `None` for what is none.
    fn statement(&self, line: &str, lists: &mut Vec<String>) -> Option<(String, bool)> {
        if let Some(value) = line.strip_prefix("return ") {
            return Some((format!("return {}", self.expression(value, lists)), false));
        }
        if let Some(condition) = line.strip_prefix("if ") {
            let condition = self.expression(condition, lists);
            return Some((rendered(&self.if_head, context! { condition }), true));
        }
        if let Some(head) = line.strip_prefix("for ") {
            let (name, range) = head.split_once(" in ")?;
            let (from, to) = range.split_once("..")?;
            let [from, to] = [from, to].map(|end| self.expression(end.trim(), lists));
            let values = context! { name => self.name(name), from, to };
            return Some((rendered(&self.loop_head, values), true));
        }
        let words = [("let ", &self.declarations[0]), ("var ", &self.declarations[1])];
        let declared =
            words.into_iter().find_map(|(word, how)| Some((line.strip_prefix(word)?, how)));
        let Some((declaration, how)) = declared else {
            let (place, operator, value) =
                [" += ", " -= ", " = "].into_iter().find_map(|operator| {
                    let (place, value) = line.split_once(operator)?;
                    Some((place, operator, value))
                })?;
            let [place, value] = [place, value].map(|text| self.expression(text.trim(), lists));
            return Some((format!("{place}{operator}{value}"), false));
        };
        let Some((place, value)) = declaration.split_once(" = ") else {
            let (name, length) = declaration.split_once('[')?;
            let length: usize = length.strip_suffix(']')?.parse().ok()?;
            lists.push(name.into());
            let values = context! { name => self.name(name), length };
            return Some((rendered(&self.zeros, values), false));
        };
        let (name, is_real) = match place.split_once(':') {
            Some((name, kind)) => (name, kind.trim() == "real"),
            None => (place, false),
        };
        let kind = &self.number_types[usize::from(is_real)];
        let declared = rendered(how, context! { type => kind, name => self.name(name.trim()) });
        Some((format!("{declared} = {}", self.expression(value, lists)), false))
    }

    /// A name: constants in capitals stay, other names are written as the language does.
    fn name(&self, name: &str) -> String {
        if !self.has_camel_case || name.contains(char::is_uppercase) {
            return name.into();
        }
        let (first, rest) = name.split_once('_').unwrap_or((name, ""));
        first.to_owned() + &capitalised(rest)
    }

    fn expression(&self, text: &str, lists: &[String]) -> String {
        let mut written = String::new();
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            if let Some(word) = words(rest).next().filter(|word| rest.starts_with(word)) {
                rest = &rest[word.len()..];
                match word {
                    "and" => written += &self.connectives[0],
                    "or" => written += &self.connectives[1],
                    "real" if rest.starts_with('(') => written += &self.to_real,
                    word => {
                        let is_list = lists.iter().any(|list| list == word);
                        let is_argument = is_list && !rest.starts_with('[');
                        written += if is_argument { &self.reference } else { "" };
                        written += &self.name(word);
                    }
                }
            } else if first == '[' {
                let end = closing(rest);
                let index = self.index(self.expression(&rest[1..end], lists));
                written += &format!("[{index}]");
                rest = &rest[end + 1..];
            } else if rest.starts_with("==") || rest.starts_with("!=") {
                written += &rest[..2];
                written += &self.equality_suffix;
                rest = &rest[2..];
            } else {
                written.push(first);
                rest = &rest[first.len_utf8()..];
            }
        }
        written
    }

    fn index(&self, index: String) -> String {
        let suffix = &self.index_suffix;
        if suffix.is_empty() || index.parse::<u32>().is_ok() {
            index
        } else if index.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
            index + suffix
        } else {
            format!("({index}){suffix}")
        }
    }
}

/// Where the bracket closes that a text begins with.
fn closing(text: &str) -> usize {
    let mut open = 0_usize;
    for (at, c) in text.char_indices() {
        match c {
            '[' => open += 1,
            ']' if open == 1 => return at,
            ']' => open = open.saturating_sub(1),
            _ => {}
        }
    }
    text.len().saturating_sub(1)
}

/// A name like that of a class: `QuickstartWeights`.
pub(super) fn capitalised(name: &str) -> String {
    let word = |word: &str| {
        let (start, rest) = word.split_at(word.len().min(1));
        start.to_uppercase() + rest
    };
    name.split('_').map(word).collect()
}
