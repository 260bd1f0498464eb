//! Writing formulas in a [`Language`].

use super::formula::{Formula, Function, List, Parameter, Statement, Table, words};
use super::language::{Language, filled};

/// The characters of a number in a table are digits of this base; the digit 0 is an `@`.
const BASE: i32 = 63;

/// What is added to a number of a table, so that none is negative.
const OFFSET: i32 = 1024;

/// How many numbers of a table are in a line of text.
const PER_LINE: usize = 46;

impl Language {
    /// Lines of text as a comment.
    pub(super) fn comment(&self, text: &str, indent: &str) -> String {
        let lines = wrapped(text, 96 - indent.len());
        if self.has_block_comments {
            return format!("{indent}/* {} */\n", lines.join(&format!("\n{indent} * ")));
        }
        lines.iter().map(|line| indent.to_owned() + &self.comment_line(line)).collect()
    }

    /// One line, which is not wrapped, as a comment to the end of the line.
    pub(super) fn comment_line(&self, line: &str) -> String {
        format!("{} {line}", self.line_comment).trim_end().to_owned() + "\n"
    }

    /// The lists and functions of a formula.
    pub(super) fn formula(&self, formula: &Formula) -> String {
        let lists = formula.lists.iter().map(|list| self.list(list));
        let tables = formula.tables.iter().map(|table| self.table(table));
        let functions = formula.functions.iter().map(|function| self.function(function));
        lists.chain(tables).chain(functions).collect()
    }

    fn list(&self, list: &List) -> String {
        let numbers: Vec<String> = list.values.iter().map(i32::to_string).collect();
        let rows: Vec<String> = numbers.chunks(20).map(|row| row.join(", ")).collect();
        self.rows(&list.comment, &list.name, numbers.len(), self.list_types[0], &rows)
    }

    /// A list of constants, by its rows.
    fn rows(&self, comment: &str, name: &str, count: usize, kind: &str, rows: &[String]) -> String {
        let list = filled(
            self.list,
            &[
                ("name", name),
                ("count", &count.to_string()),
                ("type", kind),
                ("values", &rows.join(&format!(",\n{}    ", self.margin))),
            ],
        );
        format!("\n{}{list}", self.comment(comment, self.margin))
    }

    /// A table as lines of text, and the function that reads a number.
    fn table(&self, table: &Table) -> String {
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
        let list = self.rows(&comment, &name, lines.len(), self.list_types[1], &lines);
        let body = filled(self.lookup, &[("lines", &name), ("per_line", &PER_LINE.to_string())]);
        let index = Parameter { name: "index".into(), length: None };
        list + &self.function_of("", &table.name, &[index], false, &body)
    }

    fn function(&self, function: &Function) -> String {
        let Function { comment, name, parameters, is_real, body } = function;
        let comment = match &**comment {
            "" => String::new(),
            comment => self.comment(comment, self.margin),
        };
        let body = self.statements(body, self.margin.len() / 4 + 1, &mut Vec::new());
        self.function_of(&comment, name, parameters, *is_real, &body)
    }

    /// A function with its comment and its body as text.
    fn function_of(
        &self,
        comment: &str,
        name: &str,
        parameters: &[Parameter],
        is_real: bool,
        body: &str,
    ) -> String {
        let parameters: Vec<String> = parameters.iter().map(|one| self.parameter(one)).collect();
        let function = filled(
            self.function,
            &[
                ("comment", comment),
                ("visibility", self.visibility[usize::from(name == "evaluate")]),
                ("name", &self.name(name)),
                ("parameters", &parameters.join(", ")),
                ("type", self.number_types[usize::from(is_real)]),
                ("body", body),
            ],
        );
        format!("\n{function}")
    }

    fn parameter(&self, parameter: &Parameter) -> String {
        let length = parameter.length.map(|length| length.to_string());
        let template = self.parameters[usize::from(length.is_some())];
        let length = length.unwrap_or_default();
        filled(template, &[("name", &self.name(&parameter.name)), ("length", &length)])
    }

    /// The statements of a block. `lists` are the lists that the function has declared so far.
    fn statements(&self, body: &[Statement], depth: usize, lists: &mut Vec<String>) -> String {
        let statements = body.iter().map(|statement| self.statement(statement, depth, lists));
        statements.collect()
    }

    fn statement(&self, statement: &Statement, depth: usize, lists: &mut Vec<String>) -> String {
        let indent = "    ".repeat(depth);
        let (head, body) = match statement {
            Statement::Comment(words) => return self.comment(words, &indent),
            Statement::Declare { name, is_real, changes, value } => {
                let declared = filled(
                    self.declarations[usize::from(*changes)],
                    &[
                        ("type", self.number_types[usize::from(*is_real)]),
                        ("name", &self.name(name)),
                    ],
                );
                (format!("{declared} = {}", self.expression(value, lists)), None)
            }
            Statement::DeclareList { name, length } => {
                lists.push(name.clone());
                let values = [("name", &*self.name(name)), ("length", &length.to_string())];
                (filled(self.zeros, &values), None)
            }
            Statement::Assign { place, operator, value } => {
                let [place, value] = [place, value].map(|text| self.expression(text, lists));
                (format!("{place} {operator} {value}"), None)
            }
            Statement::Return(value) => (format!("return {}", self.expression(value, lists)), None),
            Statement::For { name, from, to, body } => {
                let [from, to] = [from, to].map(|end| self.expression(end, lists));
                let values = [("name", &*self.name(name)), ("from", &from), ("to", &to)];
                (filled(self.loop_head, &values), Some(body))
            }
            Statement::If { condition, body } => {
                let condition = self.expression(condition, lists);
                (filled(self.if_head, &[("condition", &condition)]), Some(body))
            }
        };
        let Some(body) = body else { return format!("{indent}{head}{}", self.end) };
        let [open, close] = self.block;
        let body = self.statements(body, depth + 1, lists);
        let close = if close.is_empty() { String::new() } else { indent.clone() + close };
        format!("{indent}{head}{open}{body}{close}")
    }

    /// A name: constants in capitals stay, other names are written as the language does.
    fn name(&self, name: &str) -> String {
        if !self.has_camel_case || name.contains(char::is_uppercase) {
            return name.into();
        }
        let (first, rest) = name.split_once('_').unwrap_or((name, ""));
        first.to_owned() + &capitalised(rest)
    }

    /// An expression, word by word.
    fn expression(&self, text: &str, lists: &[String]) -> String {
        let mut written = String::new();
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            if let Some(word) = words(rest).next().filter(|word| rest.starts_with(word)) {
                rest = &rest[word.len()..];
                match word {
                    "and" => written += self.connectives[0],
                    "or" => written += self.connectives[1],
                    "real" if rest.starts_with('(') => written += self.to_real,
                    word => {
                        let is_list = lists.iter().any(|list| list == word);
                        let is_argument = is_list && !rest.starts_with('[');
                        written += if is_argument { self.reference } else { "" };
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
                written += self.equality_suffix;
                rest = &rest[2..];
            } else {
                written.push(first);
                rest = &rest[first.len_utf8()..];
            }
        }
        written
    }

    /// An index, as the language takes it.
    fn index(&self, index: String) -> String {
        let suffix = self.index_suffix;
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

/// Lines of at most so many characters, where words allow it.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for paragraph in text.lines() {
        let mut line = String::new();
        for word in paragraph.split(' ') {
            if !line.is_empty() && line.len() + 1 + word.len() > width {
                lines.push(std::mem::take(&mut line));
            }
            line += if line.is_empty() { "" } else { " " };
            line += word;
        }
        lines.push(line);
    }
    lines
}
