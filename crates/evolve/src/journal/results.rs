//! Results against several opponents in a row.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::numbers::tally;
use crate::measure::fitness::Measured;
use crate::measure::games::PlayedGame;
use crate::plan::FitnessPlan;
use tictune_core::stats::Tally;

/// The columns of [`MeasuredFields`].
pub(super) const RESULT_COLUMNS: [&str; 5] =
    ["wins", "draws", "losses", "distinct_games", "by_opponent"];

/// Results as rows have them.
#[derive(Serialize, Deserialize)]
#[serde(remote = "Measured")]
pub(super) struct MeasuredFields {
    #[serde(deserialize_with = "tally")]
    pub(super) tally: Tally,
    pub(super) distinct_games: u64,
    #[serde(with = "by_opponent")]
    pub(super) by_opponent: Vec<Tally>,
    #[serde(skip)]
    pub(super) games: Vec<PlayedGame>,
}

/// The columns of [`KeptFields`].
pub(super) const KEPT_COLUMNS: [&str; 6] =
    ["wins", "draws", "losses", "distinct_games", "by_opponent", "played"];

/// Results as rows have them that tell games one by one.
#[derive(Serialize, Deserialize)]
#[serde(remote = "Measured")]
pub(super) struct KeptFields {
    #[serde(deserialize_with = "tally")]
    tally: Tally,
    distinct_games: u64,
    #[serde(with = "by_opponent")]
    by_opponent: Vec<Tally>,
    #[serde(with = "played")]
    games: Vec<PlayedGame>,
}

/// Games as text, in their order: the opponent's number, half points, and the key or `-`, as in `0:2:9f86d081884c7d65`. Nothing
/// else in a log follows from the keys, so that a check of the text comes last.
mod played {
    use super::{Deserialize, Deserializer, PlayedGame, Serializer};
    use tictune_core::seed::mix;

    /// Eight hexadecimal digits that follow from a text.
    pub(crate) fn check(text: &str) -> String {
        let hash = text.bytes().fold(0, |hash, byte| mix(hash, byte.into()));
        format!("{:08x}", hash as u32)
    }

    pub(super) fn serialize<S: Serializer>(
        games: &[PlayedGame],
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let game = |PlayedGame { opponent, points, key }: &PlayedGame| match key {
            Some(key) => format!("{opponent}:{points}:{key:016x}"),
            None => format!("{opponent}:{points}:-"),
        };
        let text = games.iter().map(game).collect::<Vec<_>>().join(" ");
        serializer.serialize_str(&format!("{text} {}", check(&text)))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Vec<PlayedGame>, D::Error> {
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
        let text = String::deserialize(deserializer)?;
        let text = text.rsplit_once(' ').filter(|(text, end)| check(text) == *end);
        let games = text.and_then(|(text, _)| text.split(' ').map(game).collect());
        games.ok_or_else(|| serde::de::Error::custom("no games"))
    }
}

mod by_opponent {
    use super::{
        Deserialize, Deserializer, Serializer, Tally, parse_by_opponent, text_by_opponent,
    };

    pub(super) fn serialize<S: Serializer>(
        by_opponent: &[Tally],
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&text_by_opponent(by_opponent))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Vec<Tally>, D::Error> {
        let text = String::deserialize(deserializer)?;
        parse_by_opponent(&text).ok_or_else(|| serde::de::Error::custom("no results by opponent"))
    }
}

#[cfg(test)]
pub(crate) use played::check as check_of_played;

/// Results by opponent as text: `wins-draws-losses` of each.
pub(super) fn text_by_opponent(by_opponent: &[Tally]) -> String {
    let tally = |Tally { wins, draws, losses }: &Tally| format!("{wins}-{draws}-{losses}");
    by_opponent.iter().map(tally).collect::<Vec<_>>().join(" ")
}

/// Results by opponent from text.
pub(super) fn parse_by_opponent(text: &str) -> Option<Vec<Tally>> {
    text.split(' ').map(parse_tally).collect()
}

/// Results as `wins-draws-losses`, of no more games than can be counted.
fn parse_tally(text: &str) -> Option<Tally> {
    let mut counts = text.split('-').map(|count| count.parse::<u32>().ok().map(u64::from));
    let mut next = || counts.next().flatten();
    let tally = Tally { wins: next()?, draws: next()?, losses: next()? };
    counts.next().is_none().then_some(tally)
}

/// Whether the games of results, one by one, are those of the sums.
pub(crate) fn games_fit(measured: &Measured) -> bool {
    let mut sums = vec![Tally::default(); measured.by_opponent.len()];
    let known = measured.games.iter().all(|game| match sums.get_mut(game.opponent) {
        Some(sum) => {
            match game.points {
                2 => sum.wins += 1,
                1 => sum.draws += 1,
                _ => sum.losses += 1,
            }
            true
        }
        None => false,
    });
    known && sums == measured.by_opponent
}

/// Whether results have the games of a fitness, all together and by opponent, and no more different games than games.
pub(crate) fn fits(measured: &Measured, fitness: &FitnessPlan) -> bool {
    let Measured { tally, by_opponent, distinct_games, .. } = measured;
    let sum = by_opponent.iter().fold(Tally::default(), |sum, tally| sum.plus(tally));
    sum == *tally
        && *distinct_games <= tally.games()
        && by_opponent.iter().map(Tally::games).eq(fitness.games_by_opponent())
}
