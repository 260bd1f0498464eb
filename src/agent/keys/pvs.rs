//! The keys of principal variation search.

use super::super::key::{Key, Place, Refusal};
use super::super::kinds::{AgentKind, Kind};

/// The keys, in the order in which they are printed.
pub(super) fn keys() -> Vec<Key> {
    const TO_10: &str = "a number from 0 to 10";
    let real = |name, place, help: &'static str| {
        Key::real(name, place, 0.0..=10.0, TO_10).evolves().help(help)
    };
    vec![
        real(
            "reduction",
            at!(Pvs, it => it.search.reduction),
            "By how much later moves of deeper searches are reduced",
        )
        .example("0.8"),
        real(
            "reduction_base",
            at!(Pvs, it => it.search.reduction_base),
            "By how many plies all later moves are reduced",
        )
        .example("0.5"),
        real(
            "killer",
            at!(Pvs, it => it.search.killer),
            "What a move gains in the order of moves by a cutoff beside it",
        )
        .example("0.4"),
        real(
            "window",
            at!(Pvs, it => it.search.window),
            "Half the width of the first window of a depth; 0 for a full one",
        )
        .example("0.4"),
    ]
}
