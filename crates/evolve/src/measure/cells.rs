//! How rows have what serde writes in another way.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::results::PlayedGame;
use tictune_core::seed::mix;
use tictune_core::stats::{Evidence, Tally};

/// A number as short as it can be: `12`, `0.5`.
pub(crate) fn short<S: Serializer>(number: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(number)
}

pub(crate) fn short_or_none<S: Serializer>(number: &Option<f64>, to: S) -> Result<S::Ok, S::Error> {
    number.map(|number| number.to_string()).serialize(to)
}

/// A number that shows that it is none of the whole ones: `12.0`, `1e-300`.
pub(crate) fn real<S: Serializer>(number: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&format_args!("{number:?}"))
}

/// Many numbers, as [`real`] has each.
pub(crate) fn reals<S: Serializer>(numbers: &[f64], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(numbers.iter().map(|number| format!("{number:?}")))
}

pub(crate) fn fixed<const DIGITS: usize, S: Serializer>(
    number: &f64,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&format_args!("{number:.DIGITS$}"))
}

/// What takes several numbers and is a single cell.
pub(crate) trait Cell: Sized {
    fn text(&self) -> String;
    fn read(text: &str) -> Option<Self>;
}

pub(crate) mod cell {
    use super::{Cell, Deserialize, Deserializer, Serializer};

    pub(crate) fn serialize<S: Serializer>(
        value: &impl Cell,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&value.text())
    }

    pub(crate) fn deserialize<'de, T: Cell, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<T, D::Error> {
        let text = String::deserialize(deserializer)?;
        T::read(&text).ok_or_else(|| serde::de::Error::custom("no such cell"))
    }
}

/// Numbers of so many things as can be counted, with `-` between them.
fn counts(text: &str) -> Option<Vec<u64>> {
    text.split('-').map(|count| count.parse::<u32>().ok().map(u64::from)).collect()
}

/// Counts, worst first, as in `3-3-4-4-10` (pairs) or `16-4-30` (games).
impl Cell for Evidence {
    fn text(&self) -> String {
        self.counts().iter().map(u64::to_string).collect::<Vec<_>>().join("-")
    }

    fn read(text: &str) -> Option<Self> {
        let counts = counts(text)?;
        let pairs = counts[..].try_into().map(Self::Pairs);
        pairs.or_else(|_| counts[..].try_into().map(Self::Games)).ok()
    }
}

/// Results by opponent: `wins-draws-losses` of each.
impl Cell for Vec<Tally> {
    fn text(&self) -> String {
        let tally = |Tally { wins, draws, losses }: &Tally| format!("{wins}-{draws}-{losses}");
        self.iter().map(tally).collect::<Vec<_>>().join(" ")
    }

    fn read(text: &str) -> Option<Self> {
        let tally = |text: &str| {
            let [wins, draws, losses] = counts(text)?.try_into().ok()?;
            Some(Tally { wins, draws, losses })
        };
        text.split(' ').map(tally).collect()
    }
}

/// Games in their order: the opponent's number, half points, and the key or `-`, as in `0:2:9f86d081884c7d65`. Nothing else in
/// a log follows from the keys, so that a check of the text comes last.
impl Cell for Vec<PlayedGame> {
    fn text(&self) -> String {
        let game = |PlayedGame { opponent, points, key }: &PlayedGame| match key {
            Some(key) => format!("{opponent}:{points}:{key:016x}"),
            None => format!("{opponent}:{points}:-"),
        };
        let text = self.iter().map(game).collect::<Vec<_>>().join(" ");
        format!("{text} {}", check_of_played(&text))
    }

    fn read(text: &str) -> Option<Self> {
        let game = |text: &str| {
            let mut parts = text.splitn(3, ':');
            let opponent = parts.next()?.parse().ok()?;
            let points = parts.next()?.parse().ok().filter(|points| *points <= 2)?;
            let key = match parts.next()? {
                "-" => None,
                key => Some(u64::from_str_radix(key, 16).ok()?),
            };
            Some(PlayedGame { opponent, points, key })
        };
        let (text, check) = text.rsplit_once(' ')?;
        (check_of_played(text) == check).then(|| text.split(' ').map(game).collect())?
    }
}

/// Eight hexadecimal digits that follow from a text.
fn check_of_played(text: &str) -> String {
    let hash = text.bytes().fold(0, |hash, byte| mix(hash, byte.into()));
    format!("{:08x}", hash as u32)
}
