//! How rows have numbers, where it is not serde's way.

use serde::Serializer;

use tictune_core::stats::Tally;

/// A number as short as it can be: `12`, `0.5`.
pub(super) fn short<S: Serializer>(number: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(number)
}

/// A number as [`short`] has it, or nothing.
pub(super) fn short_if_any<S: Serializer>(
    number: &Option<f64>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    match number {
        Some(number) => short(number, serializer),
        None => serializer.serialize_none(),
    }
}

/// A number that shows that it is none of the whole ones: `12.0`, `1e-300`.
pub(super) fn real<S: Serializer>(number: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&format_args!("{number:?}"))
}

/// Seconds to the millisecond.
pub(super) fn seconds<S: Serializer>(number: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&format_args!("{number:.3}"))
}

/// A number to one place.
pub(super) fn tenths<S: Serializer>(number: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&format_args!("{number:.1}"))
}

/// Many numbers, as [`real`] has each.
pub(super) mod reals {
    use serde::{Deserialize, Deserializer, Serializer};

    pub(in crate::journal) fn serialize<S: Serializer>(
        numbers: &[f64],
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(numbers.iter().map(|number| format!("{number:?}")))
    }

    pub(in crate::journal) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Vec<f64>, D::Error> {
        Vec::deserialize(deserializer)
    }
}

/// Evidence as text: its counts, worst first, as in `3-3-4-4-10` (pairs) or `16-4-30` (games).
pub(super) mod counts {
    use serde::{Deserialize, Deserializer, Serializer};

    use tictune_core::stats::Evidence;

    pub(in crate::journal) fn serialize<S: Serializer>(
        evidence: &Evidence,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let counts = evidence.counts().iter().map(u64::to_string);
        serializer.serialize_str(&counts.collect::<Vec<_>>().join("-"))
    }

    pub(in crate::journal) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Evidence, D::Error> {
        let text = String::deserialize(deserializer)?;
        let counts = text.split('-').map(|count| count.parse::<u32>().ok().map(u64::from));
        let counts = counts.collect::<Option<Vec<u64>>>().unwrap_or_default();
        if let Ok(pairs) = counts[..].try_into() {
            return Ok(Evidence::Pairs(pairs));
        }
        let games = counts[..].try_into().map(Evidence::Games);
        games.map_err(|_| serde::de::Error::custom("no counts of pairs or of games"))
    }
}

/// Wins, draws and losses of as many games as can be counted.
pub(super) fn tally<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Tally, D::Error> {
    let tally: Tally = serde::Deserialize::deserialize(deserializer)?;
    let games = tally.wins.checked_add(tally.draws).and_then(|sum| sum.checked_add(tally.losses));
    games.map(|_| tally).ok_or_else(|| serde::de::Error::custom("too many games"))
}
