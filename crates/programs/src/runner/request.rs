//! A request to a runner, and its answer.

use std::fmt::Display;

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::RunnerSettings;
use tictune_core::agent::ParameterValue;
use tictune_core::arena::{Fingerprint, GameResult, Side};
use tictune_core::input::{excerpt, unknown};

const VERSION: u32 = 1;

/// What an answer may have: `id` with `pairs`, or with `wins`, `draws` and `losses`, and `games`; or `error`.
const ANSWER_KEYS: [&str; 7] = ["id", "pairs", "wins", "draws", "losses", "games", "error"];

/// Pairs of games to play.
#[derive(Clone, Copy, Debug)]
pub struct Request<'r> {
    pub agents: [&'r RunnerSettings; 2],
    pub seeds: &'r [u64],
}

/// An agent as a request has it: its name, and its numbers where it has no name or some are given.
fn asked(settings: &RunnerSettings) -> Value {
    /// Whole numbers up to here are exact.
    const EXACT: f64 = (1_u64 << 53) as f64;
    let value = |value: &ParameterValue| match *value {
        // 3 and not 3.0, which some readers take for a number of another type.
        ParameterValue::Number(x) if x.fract() == 0.0 && x.abs() <= EXACT => (x as i64).into(),
        ParameterValue::Number(x) => x.into(),
        ParameterValue::Switch(on) => on.into(),
    };
    let numbers = settings.numbers.iter().map(|(name, number)| (name.clone(), value(number)));
    let numbers: Map<String, Value> = numbers.collect();
    match &settings.name {
        None => json!({ "numbers": numbers }),
        Some(name) if numbers.is_empty() => json!({ "name": name }),
        Some(name) => json!({ "name": name, "numbers": numbers }),
    }
}

impl Request<'_> {
    pub(super) const fn pairs(&self) -> usize {
        self.seeds.len()
    }

    pub(super) fn line(&self, id: u64) -> String {
        // Below 2^53, so that numbers of any language hold it.
        let seeds: Vec<u64> = self.seeds.iter().map(|&seed| seed >> 11).collect();
        json!({
            "version": VERSION,
            "id": id,
            "candidate": asked(self.agents[0]),
            "opponent": asked(self.agents[1]),
            "pairs": self.pairs(),
            "seeds": seeds,
        })
        .to_string()
    }

    /// The results in an answer, game after game, or what is wrong with the line, in words that follow "is no answer to request N: ".
    pub fn read(&self, id: u64, line: &str) -> Result<Vec<GameResult>, String> {
        let answer = serde_json::from_str(line).map_err(|error| format!("not JSON: {error}"))?;
        let Value::Object(mut answer) = answer else {
            return Err("expected an object with id and pairs".into());
        };
        if let Some(error) = answer.get("error") {
            let text = error.as_str().map_or_else(|| error.to_string(), String::from);
            return Err(format!("the runner says: {}", excerpt(&text)));
        }
        if let Some(key) = answer.keys().find(|key| !ANSWER_KEYS.contains(&key.as_str())) {
            return Err(unknown("key", key, &ANSWER_KEYS));
        }
        let missing = "missing; expected id, and pairs or wins, draws and losses";
        let found = answer.remove("id").ok_or_else(|| format!("id: {missing}"))?;
        if found != id {
            return Err(wrong("id", id, &found));
        }
        let keys = answer.remove("games").map(|games| self.keys(&games)).transpose()?;
        let winners = match answer.remove("pairs") {
            Some(pairs) => self.of_pairs(&pairs)?,
            None => {
                let mut count = |key: &str| {
                    let found = answer.remove(key).ok_or_else(|| format!("{key}: {missing}"))?;
                    found.as_u64().ok_or_else(|| wrong(key, "a whole number from 0", &found))
                };
                self.in_order([count("wins")?, count("draws")?, count("losses")?])?
            }
        };
        if !answer.is_empty() {
            return Err("expected either pairs, or wins, draws and losses".into());
        }
        Ok(self.results(winners, keys.as_deref()))
    }

    /// The results in the last line of a one-shot program, wins, draws and losses, or what is wrong with it.
    pub fn read_counts(&self, line: &str) -> Result<Vec<GameResult>, String> {
        let counts: Option<Vec<u64>> =
            line.split_whitespace().map(|word| word.parse().ok()).collect();
        let counts = counts.and_then(|counts| <[u64; 3]>::try_from(counts).ok());
        let counts = counts.ok_or_else(|| {
            let games = 2 * self.pairs();
            format!("expected the numbers of wins, draws and losses of {games} games")
        })?;
        Ok(self.results(self.in_order(counts)?, None))
    }

    /// The results of games, which keys distinguish; without keys, what they were played with does.
    fn results(&self, winners: Vec<Option<Side>>, keys: Option<&[String]>) -> Vec<GameResult> {
        let result = |(number, winner): (usize, Option<Side>)| {
            let fingerprint = match keys {
                Some(keys) => Fingerprint::of_text(&keys[number]),
                None => Fingerprint::unnamed(self.seeds[number / 2], number as u64 % 2),
            };
            GameResult::reported(winner, fingerprint)
        };
        winners.into_iter().enumerate().map(result).collect()
    }

    fn of_pairs(&self, pairs: &Value) -> Result<Vec<Option<Side>>, String> {
        let count = self.pairs();
        let list = pairs.as_array().filter(|list| list.len() == count);
        let expected = format!("a list of {count} pairs such as [1, 0.5]");
        let list = list.ok_or_else(|| wrong("pairs", expected, pairs))?;
        let winner = |points: f64| match points {
            1.0 => Some(Some(Side::A)),
            0.5 => Some(None),
            0.0 => Some(Some(Side::B)),
            _ => None,
        };
        let of_pair = |(number, pair): (usize, &Value)| {
            let points = <[f64; 2]>::deserialize(pair).ok();
            let both = points.and_then(|[first, second]| Some([winner(first)?, winner(second)?]));
            let expected = || format!("two results of 0, 0.5 or 1 as pair {number}");
            both.ok_or_else(|| wrong("pairs", expected(), pair))
        };
        let pairs: Result<Vec<_>, _> = (1..).zip(list).map(of_pair).collect();
        Ok(pairs?.concat())
    }

    /// So many wins, then draws, then losses. Which games made a pair is not known: equal ones are put together, so that
    /// intervals are rather too wide than too narrow.
    fn in_order(&self, counts: [u64; 3]) -> Result<Vec<Option<Side>>, String> {
        let games = 2 * self.pairs() as u64;
        let sum = counts.iter().try_fold(0_u64, |sum, count| sum.checked_add(*count));
        if sum != Some(games) {
            let [wins, draws, losses] = counts;
            return Err(format!(
                "expected {games} games in wins, draws and losses, found {wins}, {draws} and {losses}"
            ));
        }
        let winners = [Some(Side::A), None, Some(Side::B)].into_iter().zip(counts);
        Ok(winners
            .flat_map(|(winner, count)| std::iter::repeat_n(winner, count as usize))
            .collect())
    }

    /// What distinguishes games: a text or a number for each game.
    fn keys(&self, games: &Value) -> Result<Vec<String>, String> {
        let count = 2 * self.pairs();
        let expected = format!("a list of {count} texts or numbers, one per game");
        let key = |key: &Value| match key {
            Value::String(text) => Ok(text.clone()),
            Value::Number(number) => Ok(number.to_string()),
            other => Err(wrong("games", &expected, other)),
        };
        let list = games.as_array().filter(|games| games.len() == count);
        list.ok_or_else(|| wrong("games", &expected, games))?.iter().map(key).collect()
    }
}

fn wrong(key: &str, expected: impl Display, found: &Value) -> String {
    let found = match found {
        Value::Array(list) if list.len() > 4 => format!("a list of {}", list.len()),
        _ => excerpt(&found.to_string()),
    };
    format!("{key}: expected {expected}, found {found}")
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet, HashSet};

    use super::*;

    fn agent(hold: f64) -> RunnerSettings {
        let numbers = BTreeMap::from([("hold".into(), ParameterValue::Number(hold))]);
        RunnerSettings { command: "x".into(), numbers, ..RunnerSettings::default() }
    }

    fn read(line: &str) -> Result<Vec<GameResult>, String> {
        let (a, b) = (agent(20.0), agent(0.5));
        Request { agents: [&a, &b], seeds: &[1 << 20, 2 << 20] }.read(7, line)
    }

    #[test]
    fn a_request_is_a_line_of_json() {
        let (a, mut b) = (agent(20.0), agent(0.5));
        let request = |a: &RunnerSettings, b: &RunnerSettings| {
            Request { agents: [a, b], seeds: &[u64::MAX, 2048] }.line(3)
        };
        assert_eq!(
            request(&a, &b),
            "{\"version\":1,\"id\":3,\"candidate\":{\"numbers\":{\"hold\":20}},\
             \"opponent\":{\"numbers\":{\"hold\":0.5}},\"pairs\":2,\"seeds\":[9007199254740991,1]}"
        );
        b.numbers.clear();
        b.name = Some("a \"b\"".into());
        assert!(request(&a, &b).contains("\"opponent\":{\"name\":\"a \\\"b\\\"\"}"));
        b.name = None;
        assert!(request(&a, &b).contains("\"opponent\":{\"numbers\":{}}"));
    }

    #[test]
    fn the_schema_has_the_keys_of_the_lines() {
        let schema: Value =
            serde_json::from_str(include_str!("../../../../docs/runner.schema.json")).unwrap();
        let keys = |object: &Value| -> BTreeSet<String> {
            object.as_object().unwrap().keys().cloned().collect()
        };
        let (numbers, mut named) = (agent(20.0), agent(0.5));
        named.name = Some("cautious".into());
        let line = Request { agents: [&numbers, &named], seeds: &[1] }.line(3);
        let line: Value = serde_json::from_str(&line).unwrap();
        let request = &schema["$defs"]["request"];
        assert_eq!(keys(&line), keys(&request["properties"]));
        assert_eq!(keys(&line).len(), request["required"].as_array().unwrap().len());
        assert_eq!(request["properties"]["version"]["const"], line["version"]);
        assert_eq!(keys(&line["opponent"]), keys(&schema["$defs"]["agent"]["properties"]));
        let answers = schema["$defs"]["answer"]["oneOf"].as_array().unwrap();
        let in_schema = answers.iter().flat_map(|answer| keys(&answer["properties"]));
        assert_eq!(BTreeSet::from_iter(in_schema), ANSWER_KEYS.map(String::from).into());
    }

    #[test]
    fn pairs_are_results_in_their_order() {
        let (a, b) = (Some(Side::A), Some(Side::B));
        for (answer, winners, different) in [
            (r#"{"id":7,"pairs":[[1,0.5],[0,1.0]]}"#, [a, None, b, a], 4),
            (r#"{"id":7,"wins":2,"draws":1,"losses":1}"#, [a, a, None, b], 4),
            (r#"{"id":7,"pairs":[[1,0.5],[0,1.0]],"games":["a","b","a",3]}"#, [a, None, b, a], 3),
        ] {
            let games = read(answer).unwrap();
            assert!(games.iter().map(|game| game.winner).eq(winners), "{answer}");
            let fingerprints: HashSet<_> = games.iter().map(|game| game.fingerprint).collect();
            assert_eq!(fingerprints.len(), different, "{answer}");
        }
    }

    #[test]
    fn what_does_not_fit_is_named() {
        for (line, expected) in [
            ("", "not JSON"),
            ("[7,[[1,0],[1,0]]]", "expected an object with id and pairs"),
            (r#"{"pairs":[[1,0],[1,0]]}"#, "id: missing"),
            (r#"{"id":8,"pairs":[[1,0],[1,0]]}"#, "id: expected 7, found 8"),
            (r#"{"id":7}"#, "wins: missing; expected id, and pairs or wins, draws and losses"),
            (r#"{"id":7,"pairs":[[1,0],[1,0]],"wins":1}"#, "expected either pairs, or wins"),
            (r#"{"id":7,"wins":1,"draws":1}"#, "losses: missing; expected id"),
            (r#"{"id":7,"pairs":[[1,0]]}"#, "2 pairs such as [1, 0.5], found [[1,0]]"),
            (r#"{"id":7,"pairs":[[1,0],[1]]}"#, "as pair 2, found [1]"),
            (r#"{"id":7,"pairs":[[1,2],[1,1]]}"#, "of 0, 0.5 or 1 as pair 1, found [1,2]"),
            (r#"{"id":7,"pears":[[1,0],[1,0]]}"#, r#"key "pears"; did you mean "pairs"?"#),
            (r#"{"\u001b":7}"#, r#"unknown key "\u{1b}""#),
            (r#"{"id":7,"wins":-1,"draws":1,"losses":4}"#, "wins: expected a whole number from 0"),
            (r#"{"id":7,"wins":1,"draws":1,"losses":1}"#, "expected 4 games"),
            (r#"{"id":7,"wins":18446744073709551615,"draws":4,"losses":1}"#, "expected 4 games"),
            (r#"{"id":7,"pairs":[[1,0],[1,0]],"games":["a"]}"#, "a list of 4 texts or numbers"),
            (r#"{"id":7,"pairs":[[1,0],[1,0]],"games":["a","b","c",[]]}"#, "found []"),
            (r#"{"error":"no such opponent","trace":"x"}"#, "the runner says: no such opponent"),
        ] {
            let error = read(line).unwrap_err();
            assert!(error.contains(expected), "{line}: {error}");
        }
    }

    #[test]
    fn a_one_shot_program_ends_with_three_counts() {
        let (a, b) = (agent(20.0), agent(0.5));
        let request = Request { agents: [&a, &b], seeds: &[1, 2] };
        let games = request.read_counts(" 1 1\t2 ").unwrap();
        assert_eq!(games.iter().filter(|game| game.winner == Some(Side::B)).count(), 2);
        for line in ["1 1 1", "1 1", "1 1 1 1", "a b c", "1 1 2.0", "-1 1 4", ""] {
            assert!(request.read_counts(line).is_err(), "{line}");
        }
    }
}
