//! A file of constants, and of functions, in each language.

use super::language::Language;
use crate::game::StableHasher;

/// A value that is written into source text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Literal {
    Real(f64),
    Whole(i64),
    Switch(bool),
}

/// A constant and what it means.
pub(super) struct Constant {
    pub(super) name: String,
    pub(super) value: Literal,
    /// A phrase without a stop.
    pub(super) what: String,
}

/// What a file has beside its constants.
pub(super) struct Parts {
    /// A sentence.
    pub(super) title: String,
    /// What comes after it, as text that is wrapped.
    pub(super) header: String,
    /// Comments of the language, after the header.
    pub(super) origin: String,
    /// What namespaces and classes are called.
    pub(super) place: String,
    /// What comes after the constants.
    pub(super) functions: String,
}

impl Constant {
    /// As a declaration of a language, with a comment before it.
    fn declaration(&self, language: Language) -> String {
        let Self { name, value, what } = self;
        let of = |real: &'static str, whole: &'static str, switch: &'static str| match value {
            Literal::Real(_) => real,
            Literal::Whole(_) => whole,
            Literal::Switch(_) => switch,
        };
        let text = match (value, language) {
            (Literal::Real(value), _) => format!("{value:?}"),
            (Literal::Whole(value), _) => value.to_string(),
            (Literal::Switch(on), Language::C) => u8::from(*on).to_string(),
            (Literal::Switch(on), Language::Python) => (if *on { "True" } else { "False" }).into(),
            (Literal::Switch(on), _) => on.to_string(),
        };
        match language {
            Language::Rust => {
                format!("/// {what}.\npub const {name}: {} = {text};\n", of("f64", "i64", "bool"))
            }
            Language::C => format!(
                "/* {what}. */\nstatic const {} {name} = {text};\n",
                of("double", "long long", "int")
            ),
            Language::Cpp => format!(
                "// {what}.\nconstexpr {} {name} = {text};\n",
                of("double", "long long", "bool")
            ),
            Language::Java => {
                let (kind, end) = (of("double", "long", "boolean"), of("", "L", ""));
                format!(
                    "    /** {what}. */\n    public static final {kind} {name} = {text}{end};\n"
                )
            }
            Language::JavaScript => format!("/** {what}. */\nexport const {name} = {text};\n"),
            Language::Python => format!("# {what}.\n{name} = {text}\n"),
        }
    }
}

/// The file.
pub(super) fn file(language: Language, parts: &Parts, constants: &[Constant]) -> String {
    let Parts { title, header, origin, place, functions } = parts;
    let constants: String = constants.iter().map(|one| one.declaration(language)).collect();
    let comment = |text: &str| match text {
        "" => origin.clone(),
        text => language.comment(text, "") + origin,
    };
    match language {
        Language::Rust | Language::JavaScript => {
            format!("// {title}\n//\n{}\n{constants}{functions}", comment(header))
        }
        Language::C | Language::Cpp => {
            // Constants of one name and other values have another guard, so that no compiler leaves them out in silence.
            let hash = StableHasher::hash(&constants);
            let guard = format!("TICTUNE_{place}_{hash:016x}").to_uppercase();
            let (open, close) = match language {
                Language::C => (String::new(), String::new()),
                _ => (
                    format!("#include <array>\n\nnamespace {place} {{\n\n"),
                    format!("\n}} // namespace {place}\n"),
                ),
            };
            let header = if header.is_empty() { "" } else { &format!("\n\n{header}") };
            let header = comment(&format!("{title}{header}"));
            format!(
                "{header}#ifndef {guard}\n#define {guard}\n\n{open}{constants}{functions}{close}\n#endif\n"
            )
        }
        Language::Java => {
            let class = capitalised(place);
            format!(
                "{}/** {title} */\npublic final class {class} {{\n    private {class}() {{}}\n\n{constants}{functions}}}\n",
                comment(header)
            )
        }
        Language::Python => {
            format!("\"\"\"{title}\"\"\"\n\n{}\n{constants}{functions}", comment(header))
        }
    }
}

/// The name of a class: `QuickstartWeights`.
fn capitalised(name: &str) -> String {
    let word = |word: &str| {
        let mut letters = word.chars();
        letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
    };
    name.split('_').map(word).collect()
}
