//! Printing formulas in the languages that bots are written in.

use super::Format;
use super::formula::{Formula, Function, List, Parameter, Statement, Table, words};

/// The characters of a number in a table are digits of this base; the digit 0 is an `@`.
const BASE: i32 = 63;

/// What is added to a number of a table, so that none is negative.
const OFFSET: i32 = 1024;

/// How many numbers of a table are in a line of text.
const IN_LINE: usize = 46;

/// The language of a format, if it is one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Language {
    Rust,
    C,
    Cpp,
    Java,
    JavaScript,
    Python,
}

impl Language {
    pub(super) const fn of(format: Format) -> Option<Self> {
        Some(match format {
            Format::Rust => Self::Rust,
            Format::C => Self::C,
            Format::Cpp => Self::Cpp,
            Format::Java => Self::Java,
            Format::JavaScript => Self::JavaScript,
            Format::Python => Self::Python,
            Format::Toml | Format::Json | Format::Csv => return None,
        })
    }

    /// Lines of text as a comment.
    pub(super) fn comment(self, text: &str, indent: &str) -> String {
        let mark = match self {
            Self::Python => "#",
            Self::C => {
                let lines: Vec<String> = wrapped(text, 96 - indent.len()).collect();
                return format!("{indent}/* {} */\n", lines.join(&format!("\n{indent} * ")));
            }
            _ => "//",
        };
        wrapped(text, 96 - indent.len())
            .map(|line| format!("{indent}{mark} {line}").trim_end().to_string() + "\n")
            .collect()
    }

    /// One line, which is not wrapped, as a comment to the end of the line.
    pub(super) fn comment_line(self, line: &str) -> String {
        let mark = if self == Self::Python { "#" } else { "//" };
        format!("{mark} {line}").trim_end().to_string() + "\n"
    }

    /// The lists and functions of a formula.
    pub(super) fn formula(self, formula: &Formula) -> String {
        let mut text = String::new();
        for list in &formula.lists {
            text += &self.list(list);
        }
        for table in &formula.tables {
            text += &self.table(table);
        }
        for function in &formula.functions {
            text.push('\n');
            text += &self.function(function);
        }
        text
    }

    /// The indentation of what is at the top of a file: in Java all is in a class.
    const fn margin(self) -> &'static str {
        if matches!(self, Self::Java) { "    " } else { "" }
    }

    fn list(self, list: &List) -> String {
        let margin = self.margin();
        let List { comment, name, values } = list;
        let numbers: Vec<String> = values.iter().map(i32::to_string).collect();
        let rows: Vec<String> = numbers.chunks(20).map(|row| row.join(", ")).collect();
        let (inner, count) = (rows.join(&format!(",\n{margin}    ")), values.len());
        let text = match self {
            Self::Rust => format!("const {name}: [i32; {count}] = [\n    {inner},\n];\n"),
            Self::C => format!("static const int {name}[{count}] = {{\n    {inner}\n}};\n"),
            Self::Cpp => format!("constexpr int {name}[{count}] = {{\n    {inner}\n}};\n"),
            Self::Java => {
                format!("    private static final int[] {name} = {{\n        {inner}\n    }};\n")
            }
            Self::JavaScript => format!("const {name} = [\n    {inner},\n];\n"),
            Self::Python => format!("{name} = [\n    {inner},\n]\n"),
        };
        format!("\n{}{text}", self.comment(comment, margin))
    }

    /// A table as lines of text, and the function that reads a number.
    fn table(self, table: &Table) -> String {
        let margin = self.margin();
        let Table { comment, name, values } = table;
        let digit = |value: i32| match char::from(64 + value.clamp(0, BASE - 1) as u8) {
            // No other digit means anything inside of quotes in any of the languages.
            '\\' => "\\\\".to_owned(),
            digit => digit.to_string(),
        };
        let number = |&value: &i32| {
            let value = value + OFFSET;
            digit(value / BASE) + &digit(value % BASE)
        };
        let line = |values: &[i32]| values.iter().map(number).collect::<String>();
        let lines: Vec<String> = values.chunks(IN_LINE).map(line).collect();
        let quoted = lines.join(&format!("\",\n{margin}    \""));
        let (text, function) = (name.to_uppercase(), self.name(name));
        let lines = lines.len();
        let comment = self.comment(
            &format!("{comment} Each number is two characters: 63 times the first and the second, both counted from @, less 1024."),
            margin,
        );
        // The numbers of a line, and where two characters are in it.
        let (n, at) = (IN_LINE, format!("2 * (index % {IN_LINE})"));
        let body = match self {
            Self::Rust => format!(
                "const {text}: [&str; {lines}] = [\n    \"{quoted}\",\n];\n\nfn {function}(index: i32) -> i32 {{\n    \
                 let line = {text}[index as usize / {n}].as_bytes();\n    let at = 2 * (index as usize % {n});\n    \
                 63 * (i32::from(line[at]) - 64) + i32::from(line[at + 1]) - 64 - 1024\n}}\n"
            ),
            Self::C | Self::Cpp => {
                let inline = if self == Self::C { "static inline" } else { "inline" };
                format!(
                    "static const char *const {text}[{lines}] = {{\n    \"{quoted}\"\n}};\n\n{inline} int {function}(int index) {{\n    \
                     const char *line = {text}[index / {n}];\n    const int at = {at};\n    \
                     return 63 * (line[at] - 64) + line[at + 1] - 64 - 1024;\n}}\n"
                )
            }
            Self::Java => format!(
                "    private static final String[] {text} = {{\n        \"{quoted}\"\n    }};\n\n    \
                 private static int {function}(int index) {{\n        final String line = {text}[index / {n}];\n        \
                 final int at = {at};\n        return 63 * (line.charAt(at) - 64) + line.charAt(at + 1) - 64 - 1024;\n    }}\n"
            ),
            Self::JavaScript => format!(
                "const {text} = [\n    \"{quoted}\",\n];\n\nfunction {function}(index) {{\n    \
                 const line = {text}[Math.floor(index / {n})];\n    const at = {at};\n    \
                 return 63 * (line.charCodeAt(at) - 64) + line.charCodeAt(at + 1) - 64 - 1024;\n}}\n"
            ),
            Self::Python => format!(
                "{text} = [\n    \"{quoted}\",\n]\n\n\ndef {function}(index):\n    \
                 line = {text}[index // {n}]\n    at = {at}\n    \
                 return 63 * (ord(line[at]) - 64) + ord(line[at + 1]) - 64 - 1024\n\n"
            ),
        };
        format!("\n{comment}{body}")
    }

    fn function(self, function: &Function) -> String {
        let Function { comment, name, parameters, is_real, body } = function;
        let is_public = name == "evaluate";
        let margin = self.margin();
        let parameters: Vec<String> = parameters.iter().map(|one| self.parameter(one)).collect();
        let (name, parameters) = (self.name(name), parameters.join(", "));
        let (whole, real) = ("int", "double");
        let kind = if *is_real { real } else { whole };
        let head = match self {
            Self::Rust => {
                let kind = if *is_real { "f64" } else { "i32" };
                // A bot may not call it yet.
                let public = if is_public { "#[allow(dead_code)]\npub " } else { "" };
                format!("{public}fn {name}({parameters}) -> {kind} {{\n")
            }
            Self::C => format!("static inline {kind} {name}({parameters}) {{\n"),
            Self::Cpp => format!("inline {kind} {name}({parameters}) {{\n"),
            Self::Java => {
                let public = if is_public { "public" } else { "private" };
                format!("    {public} static {kind} {name}({parameters}) {{\n")
            }
            Self::JavaScript => {
                let public = if is_public { "export " } else { "" };
                format!("{public}function {name}({parameters}) {{\n")
            }
            Self::Python => format!("\ndef {name}({parameters}):\n"),
        };
        let mut text =
            if comment.is_empty() { String::new() } else { self.comment(comment, margin) };
        if self == Self::Python {
            // Comments stand right above the definition.
            text = format!("\n{text}{}", head.trim_start_matches('\n'));
        } else {
            text += &head;
        }
        let mut lists = Vec::new();
        text += &self.statements(body, margin.len() / 4 + 1, &mut lists);
        if self == Self::Python { text } else { text + margin + "}\n" }
    }

    fn parameter(self, parameter: &Parameter) -> String {
        let name = self.name(&parameter.name);
        match (self, parameter.length) {
            (Self::Rust, Some(length)) => format!("{name}: &[i32; {length}]"),
            (Self::Rust, None) => format!("{name}: i32"),
            (Self::C, Some(_)) => format!("const int *{name}"),
            (Self::Cpp, Some(length)) => format!("const std::array<int, {length}> &{name}"),
            (Self::Java, Some(_)) => format!("int[] {name}"),
            (Self::C | Self::Cpp | Self::Java, None) => format!("int {name}"),
            (Self::JavaScript | Self::Python, _) => name,
        }
    }

    /// The statements of a block. `lists` are the lists that the function has declared so far.
    fn statements(self, body: &[Statement], depth: usize, lists: &mut Vec<String>) -> String {
        let indent = "    ".repeat(depth);
        let (open, close) = match self {
            Self::Python => (":\n", String::new()),
            _ => (" {\n", format!("{indent}}}\n")),
        };
        let end = if self == Self::Python { "\n" } else { ";\n" };
        let mut text = String::new();
        for statement in body {
            text += &match statement {
                Statement::Comment(words) => self.comment(words, &indent),
                Statement::Declare { name, is_real, changes, value } => {
                    let (name, value) = (self.name(name), self.expression(value, lists));
                    let kind = if *is_real { "double" } else { "int" };
                    let declared = match (self, *changes) {
                        (Self::Rust, false) => format!("let {name}"),
                        (Self::Rust, true) => format!("let mut {name}"),
                        (Self::JavaScript, false) => format!("const {name}"),
                        (Self::JavaScript, true) => format!("let {name}"),
                        (Self::Python, _) => name,
                        (Self::C | Self::Cpp, false) => format!("const {kind} {name}"),
                        (Self::Java, false) => format!("final {kind} {name}"),
                        (Self::C | Self::Cpp | Self::Java, true) => format!("{kind} {name}"),
                    };
                    format!("{indent}{declared} = {value}{end}")
                }
                Statement::DeclareList { name, length } => {
                    lists.push(name.clone());
                    let name = self.name(name);
                    let declared = match self {
                        Self::Rust => format!("let mut {name} = [0; {length}]"),
                        Self::C => format!("int {name}[{length}] = {{0}}"),
                        Self::Cpp => format!("std::array<int, {length}> {name}{{}}"),
                        Self::Java => format!("int[] {name} = new int[{length}]"),
                        Self::JavaScript => format!("const {name} = new Array({length}).fill(0)"),
                        Self::Python => format!("{name} = [0] * {length}"),
                    };
                    format!("{indent}{declared}{end}")
                }
                Statement::Assign { place, operator, value } => {
                    let place = self.expression(place, lists);
                    format!("{indent}{place} {operator} {}{end}", self.expression(value, lists))
                }
                Statement::For { name, from, to, body } => {
                    let name = self.name(name);
                    let [from, to] = [from, to].map(|end| self.expression(end, lists));
                    let head = match self {
                        Self::Rust => format!("for {name} in {from}..{to}"),
                        Self::Python => format!("for {name} in range({from}, {to})"),
                        Self::JavaScript => {
                            format!("for (let {name} = {from}; {name} < {to}; {name}++)")
                        }
                        Self::C | Self::Cpp | Self::Java => {
                            format!("for (int {name} = {from}; {name} < {to}; {name}++)")
                        }
                    };
                    format!(
                        "{indent}{head}{open}{}{close}",
                        self.statements(body, depth + 1, lists)
                    )
                }
                Statement::If { condition, body } => {
                    let condition = self.expression(condition, lists);
                    let head = match self {
                        Self::Rust | Self::Python => format!("if {condition}"),
                        _ => format!("if ({condition})"),
                    };
                    format!(
                        "{indent}{head}{open}{}{close}",
                        self.statements(body, depth + 1, lists)
                    )
                }
                Statement::Return(value) => {
                    format!("{indent}return {}{end}", self.expression(value, lists))
                }
            };
        }
        text
    }

    /// A name: constants in capitals stay, other names are written as the language does.
    fn name(self, name: &str) -> String {
        if !matches!(self, Self::Java | Self::JavaScript) || name.contains(char::is_uppercase) {
            return name.into();
        }
        let mut parts = name.split('_');
        let first = parts.next().unwrap_or_default().to_string();
        parts.fold(first, |all, part| {
            let (start, rest) = part.split_at(part.len().min(1));
            all + &start.to_uppercase() + rest
        })
    }

    /// An expression, word by word.
    fn expression(self, text: &str, lists: &[String]) -> String {
        let mut printed = String::new();
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            if let Some(word) = words(rest).next().filter(|word| rest.starts_with(word)) {
                rest = &rest[word.len()..];
                match word {
                    "and" if self != Self::Python => printed += "&&",
                    "or" if self != Self::Python => printed += "||",
                    "real" if rest.starts_with('(') => match self {
                        Self::Rust => printed += "f64::from",
                        Self::Python => printed += "float",
                        // Whole numbers become real ones by themselves.
                        _ => {}
                    },
                    word => {
                        let is_list = lists.iter().any(|list| list == word);
                        let whole = is_list && !rest.starts_with('[');
                        printed += if whole && self == Self::Rust { "&" } else { "" };
                        printed += &self.name(word);
                    }
                }
            } else if first == '[' {
                let end = closing(rest);
                let index = self.expression(&rest[1..end], lists);
                let simple = index.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
                let index = match (self, simple) {
                    (Self::Rust, _) if index.parse::<u32>().is_ok() => index,
                    (Self::Rust, true) => format!("{index} as usize"),
                    (Self::Rust, false) => format!("({index}) as usize"),
                    _ => index,
                };
                printed += &format!("[{index}]");
                rest = &rest[end + 1..];
            } else if self == Self::JavaScript && (rest.starts_with("==") || rest.starts_with("!="))
            {
                printed += &format!("{}=", &rest[..2]);
                rest = &rest[2..];
            } else {
                printed.push(first);
                rest = &rest[first.len_utf8()..];
            }
        }
        printed
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

/// Lines of at most so many characters, where words allow it.
pub(super) fn wrapped(text: &str, width: usize) -> impl Iterator<Item = String> {
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
    lines.into_iter()
}
