//! The languages that evaluations are exported to, a row each: [`Language`] says what is in a row, and `writer` writes with it.
//!
//! A text with words in braces is a template for [`filled`].

use super::Format;

/// How a language writes what exports have.
pub(crate) struct Language {
    /// A file, of its `{title}`, which is a sentence, its comments, `{constants}` and `{functions}`. The comments are the
    /// `{header}`, or `{titled}`, which has the title as well.
    pub(super) file: &'static str,
    /// What the header says of such a file.
    pub(super) note: &'static str,
    /// The indentation of what is not in a function: in Java all is in a class.
    pub(super) margin: &'static str,
    /// What begins a comment that ends with its line.
    pub(super) line_comment: &'static str,
    /// Whether longer comments are blocks.
    pub(super) has_block_comments: bool,

    /// A constant: `{what}` it is, its `{name}`, `{type}` and `{value}`.
    pub(super) constant: &'static str,
    /// The types of constants: real numbers, whole numbers, switches.
    pub(super) constant_types: [&'static str; 3],
    /// What ends a whole number that is a constant.
    pub(super) whole_suffix: &'static str,
    /// A switch that is off, and one that is on.
    pub(super) switches: [&'static str; 2],
    /// A list of constants: its `{name}`, `{count}`, `{type}` and `{values}`.
    pub(super) list: &'static str,
    /// The types of lists: of whole numbers, and of lines of text.
    pub(super) list_types: [&'static str; 2],

    /// A function: its `{comment}`, `{visibility}`, `{name}`, `{parameters}`, the `{type}` that it returns, and its `{body}`.
    pub(super) function: &'static str,
    /// The visibility of functions: of those that `evaluate` uses, and its own.
    pub(super) visibility: [&'static str; 2],
    /// The types of whole and of real numbers in functions.
    pub(super) number_types: [&'static str; 2],
    /// Parameters: a number by its `{name}`, and a list with its `{length}`.
    pub(super) parameters: [&'static str; 2],
    /// The body of the function that reads the number at `index` from the `{lines}` of a table, each of `{per_line}` numbers.
    pub(super) lookup: &'static str,

    /// What begins a block, and what ends it.
    pub(super) block: [&'static str; 2],
    /// What ends a statement.
    pub(super) end: &'static str,
    /// Declarations of a `{name}` of a `{type}`: one that stays, and one that changes.
    pub(super) declarations: [&'static str; 2],
    /// The declaration of a list of zeros, by its `{name}` and `{length}`.
    pub(super) zeros: &'static str,
    /// The head of a loop in which `{name}` counts `{from}` a number up to `{to}`, which it does not reach.
    pub(super) loop_head: &'static str,
    /// The head of a block under a `{condition}`.
    pub(super) if_head: &'static str,

    /// `and` and `or`.
    pub(super) connectives: [&'static str; 2],
    /// What `==` and `!=` end with.
    pub(super) equality_suffix: &'static str,
    /// The function that makes a real number of a whole one; nothing where all do so by themselves.
    pub(super) to_real: &'static str,
    /// What ends an index that is no number.
    pub(super) index_suffix: &'static str,
    /// What begins an argument that is a list.
    pub(super) reference: &'static str,
    /// Whether names are written `likeThis`.
    pub(super) has_camel_case: bool,
}

impl Language {
    /// The language of a format, if it is one.
    pub(crate) const fn of(format: Format) -> Option<&'static Self> {
        Some(match format {
            Format::Rust => &RUST,
            Format::C => &C,
            Format::Cpp => &CPP,
            Format::Java => &JAVA,
            Format::JavaScript => &JAVASCRIPT,
            Format::Python => &PYTHON,
            Format::Toml | Format::Json | Format::Csv => return None,
        })
    }
}

/// The other rows have what differs from this one.
const CPP: Language = Language {
    file: "{titled}#ifndef {guard}\n#define {guard}\n\n#include <array>\n\nnamespace {place} {\n\n{constants}{functions}\n\
           } // namespace {place}\n\n#endif\n",
    note: "",
    margin: "",
    line_comment: "//",
    has_block_comments: false,
    constant: "// {what}.\nconstexpr {type} {name} = {value};\n",
    constant_types: ["double", "long long", "bool"],
    whole_suffix: "",
    switches: ["false", "true"],
    list: "{type} {name}[{count}] = {\n    {values}\n};\n",
    list_types: ["constexpr int", "static const char *const"],
    function: "{comment}inline {type} {name}({parameters}) {\n{body}}\n",
    visibility: ["", ""],
    number_types: ["int", "double"],
    parameters: ["int {name}", "const std::array<int, {length}> &{name}"],
    lookup: "    const char *line = {lines}[index / {per_line}];
    const int at = 2 * (index % {per_line});
    return 63 * (line[at] - 64) + line[at + 1] - 64 - 1024;
",
    block: [" {\n", "}\n"],
    end: ";\n",
    declarations: ["const {type} {name}", "{type} {name}"],
    zeros: "std::array<int, {length}> {name}{}",
    loop_head: "for (int {name} = {from}; {name} < {to}; {name}++)",
    if_head: "if ({condition})",
    connectives: ["&&", "||"],
    equality_suffix: "",
    to_real: "",
    index_suffix: "",
    reference: "",
    has_camel_case: false,
};

const RUST: Language = Language {
    file: "// {title}\n//\n{header}\n{constants}{functions}",
    constant: "/// {what}.\npub const {name}: {type} = {value};\n",
    constant_types: ["f64", "i64", "bool"],
    list: "const {name}: [{type}; {count}] = [\n    {values},\n];\n",
    list_types: ["i32", "&str"],
    function: "{comment}{visibility}fn {name}({parameters}) -> {type} {\n{body}}\n",
    // A bot may not call it yet.
    visibility: ["", "#[allow(dead_code)]\npub "],
    number_types: ["i32", "f64"],
    parameters: ["{name}: i32", "{name}: &[i32; {length}]"],
    lookup: "    let line = {lines}[index as usize / {per_line}].as_bytes();
    let at = 2 * (index as usize % {per_line});
    63 * (i32::from(line[at]) - 64) + i32::from(line[at + 1]) - 64 - 1024
",
    declarations: ["let {name}", "let mut {name}"],
    zeros: "let mut {name} = [0; {length}]",
    loop_head: "for {name} in {from}..{to}",
    if_head: "if {condition}",
    to_real: "f64::from",
    index_suffix: " as usize",
    reference: "&",
    ..CPP
};

const C: Language = Language {
    file: "{titled}#ifndef {guard}\n#define {guard}\n\n{constants}{functions}\n#endif\n",
    note: "Include one such file in a source file: in C its names have no prefix.",
    has_block_comments: true,
    constant: "/* {what}. */\nstatic const {type} {name} = {value};\n",
    constant_types: ["double", "long long", "int"],
    switches: ["0", "1"],
    list_types: ["static const int", "static const char *const"],
    function: "{comment}static inline {type} {name}({parameters}) {\n{body}}\n",
    parameters: ["int {name}", "const int *{name}"],
    zeros: "int {name}[{length}] = {0}",
    ..CPP
};

const JAVA: Language = Language {
    file: "{header}/** {title} */\npublic final class {class} {\n    private {class}() {}\n\n{constants}{functions}}\n",
    margin: "    ",
    constant: "    /** {what}. */\n    public static final {type} {name} = {value};\n",
    constant_types: ["double", "long", "boolean"],
    whole_suffix: "L",
    list: "    private static final {type} {name} = {\n        {values}\n    };\n",
    list_types: ["int[]", "String[]"],
    function: "{comment}    {visibility}static {type} {name}({parameters}) {\n{body}    }\n",
    visibility: ["private ", "public "],
    parameters: ["int {name}", "int[] {name}"],
    lookup: "        final String line = {lines}[index / {per_line}];
        final int at = 2 * (index % {per_line});
        return 63 * (line.charAt(at) - 64) + line.charAt(at + 1) - 64 - 1024;
",
    declarations: ["final {type} {name}", "{type} {name}"],
    zeros: "int[] {name} = new int[{length}]",
    has_camel_case: true,
    ..CPP
};

const JAVASCRIPT: Language = Language {
    file: RUST.file,
    note: "An ES module. To paste it into a script, leave the word export out.",
    constant: "/** {what}. */\nexport const {name} = {value};\n",
    list: "const {name} = [\n    {values},\n];\n",
    function: "{comment}{visibility}function {name}({parameters}) {\n{body}}\n",
    visibility: ["", "export "],
    parameters: ["{name}", "{name}"],
    lookup: "    const line = {lines}[Math.floor(index / {per_line})];
    const at = 2 * (index % {per_line});
    return 63 * (line.charCodeAt(at) - 64) + line.charCodeAt(at + 1) - 64 - 1024;
",
    declarations: ["const {name}", "let {name}"],
    zeros: "const {name} = new Array({length}).fill(0)",
    loop_head: "for (let {name} = {from}; {name} < {to}; {name}++)",
    equality_suffix: "=",
    has_camel_case: true,
    ..CPP
};

const PYTHON: Language = Language {
    file: "\"\"\"{title}\"\"\"\n\n{header}\n{constants}{functions}",
    line_comment: "#",
    constant: "# {what}.\n{name} = {value}\n",
    switches: ["False", "True"],
    list: "{name} = [\n    {values},\n]\n",
    function: "\n{comment}def {name}({parameters}):\n{body}",
    parameters: ["{name}", "{name}"],
    lookup: "    line = {lines}[index // {per_line}]
    at = 2 * (index % {per_line})
    return 63 * (ord(line[at]) - 64) + ord(line[at + 1]) - 64 - 1024

",
    block: [":\n", ""],
    end: "\n",
    declarations: ["{name}", "{name}"],
    zeros: "{name} = [0] * {length}",
    loop_head: "for {name} in range({from}, {to})",
    if_head: "if {condition}",
    connectives: ["and", "or"],
    to_real: "float",
    ..CPP
};

/// A template with its words in braces replaced by values. Other braces stay as they are.
pub(super) fn filled(template: &str, values: &[(&str, &str)]) -> String {
    let mut text = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        text += before;
        let value = after.split_once('}').and_then(|(word, after)| {
            let (_, value) = values.iter().find(|(name, _)| *name == word)?;
            Some((*value, after))
        });
        let (value, after) = value.unwrap_or(("{", after));
        text += value;
        rest = after;
    }
    text + rest
}
