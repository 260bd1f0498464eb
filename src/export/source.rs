//! A file of constants, and of functions, in a language.

use minijinja::{Value, context};
use serde::Serialize;

use super::language::Language;
use super::writer::capitalised;
use crate::game::StableHasher;
use crate::report::rendered;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Literal {
    Real(f64),
    Whole(i64),
    Switch(bool),
}

#[derive(Default, Serialize)]
pub(super) struct Parts {
    pub(super) title: String,
    /// What comes after it, as text that is wrapped.
    pub(super) header: String,
    /// Comments of the language, after the header.
    pub(super) origin: String,
    pub(super) place: String,
    pub(super) constants: String,
    pub(super) functions: String,
}

impl Language {
    /// A constant by its name, its value, and what it is: a phrase without a stop.
    pub(super) fn constant(&self, name: &str, value: Literal, what: &str) -> String {
        let [real, whole, switch] = &self.constant_types;
        let (kind, value) = match value {
            Literal::Real(value) => (real, format!("{value:?}")),
            Literal::Whole(value) => (whole, format!("{value}{}", self.whole_suffix)),
            Literal::Switch(on) => (switch, self.switches[usize::from(on)].clone()),
        };
        rendered(&self.constant, context! { what, name, type => kind, value })
    }
}

pub(super) fn file(language: &Language, parts: &Parts) -> String {
    let Parts { title, header, origin, place, constants, .. } = parts;
    let titled = if header.is_empty() { title } else { &format!("{title}\n\n{header}") };
    let comment = |text: &str| language.comment(text, "") + origin;
    // Constants of one name and other values have another guard, so that no compiler leaves them out in silence.
    let guard = format!("TICTUNE_{place}_{:016x}", StableHasher::hash(constants));
    let values = context! {
        header => comment(header),
        titled => comment(titled),
        guard => guard.to_uppercase(),
        class => capitalised(place),
        ..Value::from_serialize(parts)
    };
    rendered(&language.file, values)
}
