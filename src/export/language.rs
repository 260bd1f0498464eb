//! The languages that evaluations are exported to: [`Language`] says what is in a row of `languages.toml`, and `writer` writes with it.
//!
//! A text with words in double braces is a template for [`rendered`](crate::report::rendered).

use std::sync::LazyLock;

use serde::Deserialize;

use super::Format;

/// How a language writes what exports have.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Language {
    /// A file, of its `title`, which is a sentence, its comments, `constants` and `functions`. The comments are the
    /// `header`, or `titled`, which has the title as well.
    pub(super) file: String,
    /// What the header says of such a file.
    pub(super) note: String,
    /// The indentation of what is not in a function: in Java all is in a class.
    pub(super) margin: String,
    /// What begins a comment that ends with its line.
    pub(super) line_comment: String,
    /// Whether longer comments are blocks.
    pub(super) has_block_comments: bool,

    /// A constant: `what` it is, its `name`, `type` and `value`.
    pub(super) constant: String,
    /// The types of constants: real numbers, whole numbers, switches.
    pub(super) constant_types: [String; 3],
    /// What ends a whole number that is a constant.
    pub(super) whole_suffix: String,
    /// A switch that is off, and one that is on.
    pub(super) switches: [String; 2],
    /// A list of constants: its `name`, `count`, `type` and `values`.
    pub(super) list: String,
    /// The types of lists: of whole numbers, and of lines of text.
    pub(super) list_types: [String; 2],

    /// A function: its `comment`, `visibility`, `name`, `parameters`, the `type` that it returns, and its `body`.
    pub(super) function: String,
    /// The visibility of functions: of those that `evaluate` uses, and its own.
    pub(super) visibility: [String; 2],
    /// The types of whole and of real numbers in functions.
    pub(super) number_types: [String; 2],
    /// Parameters: a number by its `name`, and a list with its `length`.
    pub(super) parameters: [String; 2],
    /// The body of the function that reads the number at `index` from the `lines` of a table, each of `per_line` numbers.
    pub(super) lookup: String,

    /// What begins a block, and what ends it.
    pub(super) block: [String; 2],
    /// What ends a statement.
    pub(super) end: String,
    /// Declarations of a `name` of a `type`: one that stays, and one that changes.
    pub(super) declarations: [String; 2],
    /// The declaration of a list of zeros, by its `name` and `length`.
    pub(super) zeros: String,
    /// The head of a loop in which `name` counts `from` a number up to `to`, which it does not reach.
    pub(super) loop_head: String,
    /// The head of a block under a `condition`.
    pub(super) if_head: String,

    /// `and` and `or`.
    pub(super) connectives: [String; 2],
    /// What `==` and `!=` end with.
    pub(super) equality_suffix: String,
    /// The function that makes a real number of a whole one; nothing where all do so by themselves.
    pub(super) to_real: String,
    /// What ends an index that is not a number.
    pub(super) index_suffix: String,
    /// What begins an argument that is a list.
    pub(super) reference: String,
    /// Whether names are written `likeThis`.
    pub(super) has_camel_case: bool,
}

static LANGUAGES: LazyLock<Vec<(Format, Language)>> = LazyLock::new(|| {
    let rows: toml::Table = include_str!("languages.toml").parse().expect("the rows are TOML");
    let language = |(name, row): (&String, &toml::Value)| {
        let [mut all, differs] =
            [&rows["cpp"], row].map(|row| row.as_table().cloned().unwrap_or_default());
        all.extend(differs);
        (name.parse().expect("a format"), all.try_into().expect("a whole language"))
    };
    rows.iter().map(language).collect()
});

impl Language {
    pub(crate) fn of(format: Format) -> Option<&'static Self> {
        LANGUAGES.iter().find(|(of, _)| *of == format).map(|(_, language)| language)
    }
}
