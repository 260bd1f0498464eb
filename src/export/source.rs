//! A file of constants, and of functions, in a language.

use super::language::{Language, filled};
use super::writer::capitalised;
use crate::game::StableHasher;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Literal {
    Real(f64),
    Whole(i64),
    Switch(bool),
}

pub(super) struct Constant {
    pub(super) name: String,
    pub(super) value: Literal,
    /// A phrase without a stop.
    pub(super) what: String,
}

/// What a file has beside its constants.
pub(super) struct Parts {
    pub(super) title: String,
    /// What comes after it, as text that is wrapped.
    pub(super) header: String,
    /// Comments of the language, after the header.
    pub(super) origin: String,
    pub(super) place: String,
    pub(super) functions: String,
}

impl Constant {
    fn declaration(&self, language: &Language) -> String {
        let [real, whole, switch] = language.constant_types;
        let (kind, value) = match self.value {
            Literal::Real(value) => (real, format!("{value:?}")),
            Literal::Whole(value) => (whole, format!("{value}{}", language.whole_suffix)),
            Literal::Switch(on) => (switch, language.switches[usize::from(on)].to_owned()),
        };
        let Self { name, what, .. } = self;
        let values = [("what", &**what), ("name", name), ("type", kind), ("value", &value)];
        filled(language.constant, &values)
    }
}

pub(super) fn file(language: &Language, parts: &Parts, constants: &[Constant]) -> String {
    let Parts { title, header, origin, place, functions } = parts;
    let constants: String = constants.iter().map(|one| one.declaration(language)).collect();
    let titled = if header.is_empty() { title } else { &format!("{title}\n\n{header}") };
    let comment = |text: &str| match text {
        "" => origin.clone(),
        text => language.comment(text, "") + origin,
    };
    // Constants of one name and other values have another guard, so that no compiler leaves them out in silence.
    let guard = format!("TICTUNE_{place}_{:016x}", StableHasher::hash(&constants));
    filled(
        language.file,
        &[
            ("title", title),
            ("header", &comment(header)),
            ("titled", &comment(titled)),
            ("guard", &guard.to_uppercase()),
            ("place", place),
            ("class", &capitalised(place)),
            ("constants", &constants),
            ("functions", functions),
        ],
    )
}
