//! A request to a runner, and its answer.

use std::fmt::Display;

use serde::Serialize;
use serde_json::{Map, Value};

use super::RunnerSettings;
use tictune_core::agent::ParameterValue;
use tictune_core::arena::{Fingerprint, GameResult, Side};
use tictune_core::input::{excerpt, unknown};

const VERSION: u32 = 1;

const ANSWER_KEYS: [&str; 7] = ["id", "pairs", "wins", "draws", "losses", "games", "error"];

/// Pairs of games to play.
#[derive(Clone, Copy, Debug)]
pub struct Request<'r> {
    pub agents: [&'r RunnerSettings; 2],
    pub seeds: &'r [u64],
}

#[derive(Serialize)]
struct RequestLine<'r> {
    version: u32,
    id: u64,
    candidate: Agent<'r>,
    opponent: Agent<'r>,
    pairs: usize,
    seeds: Vec<u64>,
}

#[derive(Serialize)]
struct Agent<'r> {
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'r str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    numbers: Option<Map<String, Value>>,
}

impl<'r> Agent<'r> {
    fn new(settings: &'r RunnerSettings) -> Self {
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
        Self {
            name: settings.name.as_deref(),
            numbers: (settings.name.is_none() || !numbers.is_empty()).then_some(numbers),
        }
    }
}

impl Request<'_> {
    pub(super) const fn pairs(&self) -> usize {
        self.seeds.len()
    }

    pub(super) fn line(&self, id: u64) -> String {
        let [candidate, opponent] = self.agents.map(Agent::new);
        // Below 2^53, so that numbers of any language hold it.
        let seeds = self.seeds.iter().map(|&seed| seed >> 11).collect();
        let pairs = self.pairs();
        let line = RequestLine { version: VERSION, id, candidate, opponent, pairs, seeds };
        serde_json::to_string(&line).unwrap_or_default()
    }

    /// The results in an answer, game after game, or what is wrong with the line, in words that follow "is no answer to request
    /// N: ".
    pub fn read(&self, id: u64, line: &str) -> Result<Vec<GameResult>, String> {
        let answer: Value =
            serde_json::from_str(line).map_err(|error| format!("not JSON: {error}"))?;
        let Value::Object(mut answer) = answer else { return Err("expected an object".into()) };
        if let Some(error) = answer.get("error") {
            let text = error.as_str().map_or_else(|| error.to_string(), String::from);
            return Err(format!("the runner says: {}", excerpt(&text)));
        }
        match answer.remove("id") {
            Some(found) if found.as_u64() == Some(id) => {}
            Some(found) => return Err(format!("id: expected {id}, found {}", shown(&found))),
            None => return Err(format!("id: missing; expected {id}")),
        }
        let keys = answer.remove("games").map(|games| self.keys(&games)).transpose()?;
        let winners = match answer.remove("pairs") {
            Some(pairs) => self.pairs_of(&pairs)?,
            None => {
                let mut count = |key: &str| {
                    let found = answer.remove(key).ok_or_else(|| {
                        format!("{key}: missing; expected pairs, or wins, draws and losses")
                    })?;
                    found.as_u64().ok_or_else(|| {
                        format!("{key}: expected a whole number from 0, found {}", shown(&found))
                    })
                };
                self.in_order([count("wins")?, count("draws")?, count("losses")?])?
            }
        };
        match answer.keys().next() {
            Some(key) => Err(unknown("key", key, &ANSWER_KEYS)),
            None => Ok(self.results(winners, keys.as_deref())),
        }
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

    /// The results of games, which keys tell apart; without keys, what they were played with does.
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

    fn pairs_of(&self, pairs: &Value) -> Result<Vec<Option<Side>>, String> {
        let count = self.pairs();
        let expected = |found: &dyn Display| {
            format!("pairs: expected a list of {count} pairs such as [1, 0.5], found {found}")
        };
        let pairs = pairs.as_array().ok_or_else(|| expected(&shown(pairs)))?;
        if pairs.len() != count {
            return Err(expected(&pairs.len()));
        }
        let winner = |points: &Value| match points.as_f64()? {
            1.0 => Some(Some(Side::A)),
            0.5 => Some(None),
            0.0 => Some(Some(Side::B)),
            _ => None,
        };
        let mut winners = Vec::with_capacity(2 * count);
        for (number, pair) in (1..).zip(pairs) {
            let games = pair.as_array().filter(|games| games.len() == 2);
            let both: Option<Vec<_>> = games.and_then(|games| games.iter().map(winner).collect());
            winners.extend(both.ok_or_else(|| {
                let found = shown(pair);
                format!(
                    "pairs: expected two results of 0, 0.5 or 1 as pair {number}, found {found}"
                )
            })?);
        }
        Ok(winners)
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

    /// What tells games apart: a text or a number for each game.
    fn keys(&self, games: &Value) -> Result<Vec<String>, String> {
        let count = 2 * self.pairs();
        let wrong = |found: &Value| {
            let found = shown(found);
            format!(
                "games: expected a list of {count} texts or numbers, one per game, found {found}"
            )
        };
        let list = games.as_array().filter(|games| games.len() == count);
        let key = |key: &Value| match key {
            Value::String(text) => Ok(text.clone()),
            Value::Number(number) => Ok(number.to_string()),
            other => Err(wrong(other)),
        };
        list.ok_or_else(|| wrong(games))?.iter().map(key).collect()
    }
}

fn shown(value: &Value) -> String {
    match value {
        Value::Array(list) if list.len() > 4 => format!("a list of {}", list.len()),
        _ => excerpt(&value.to_string()),
    }
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

    /// The winners of an answer, and the number of different games.
    fn results(line: &str) -> (Vec<Option<Side>>, usize) {
        let games = read(line).unwrap();
        let different: HashSet<_> = games.iter().map(|game| game.fingerprint).collect();
        (games.iter().map(|game| game.winner).collect(), different.len())
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
        let in_schema: BTreeSet<String> =
            answers.iter().flat_map(|answer| keys(&answer["properties"])).collect();
        assert_eq!(in_schema, ANSWER_KEYS.map(String::from).into());
    }

    #[test]
    fn pairs_are_results_in_their_order() {
        let (a, b) = (Some(Side::A), Some(Side::B));
        for (answer, winners, different) in [
            (r#"{"id":7,"pairs":[[1,0.5],[0,1.0]]}"#, [a, None, b, a], 4),
            (r#"{"id":7,"wins":2,"draws":1,"losses":1}"#, [a, a, None, b], 4),
            (r#"{"id":7,"pairs":[[1,0.5],[0,1.0]],"games":["a","b","a",3]}"#, [a, None, b, a], 3),
        ] {
            assert_eq!(results(answer), (winners.to_vec(), different));
        }
    }

    #[test]
    fn what_does_not_fit_is_named() {
        for (line, expected) in [
            ("", "not JSON"),
            ("[]", "expected an object"),
            (r#"{"pairs":[[1,0],[1,0]]}"#, "id: missing; expected 7"),
            (r#"{"id":8,"pairs":[[1,0],[1,0]]}"#, "id: expected 7, found 8"),
            (r#"{"id":7}"#, "wins: missing; expected pairs, or wins, draws and losses"),
            (r#"{"id":7,"pairs":[[1,0]]}"#, "a list of 2 pairs such as [1, 0.5], found 1"),
            (r#"{"id":7,"pairs":3}"#, "found 3"),
            (r#"{"id":7,"pairs":[[1,0],[1]]}"#, "as pair 2, found [1]"),
            (r#"{"id":7,"pairs":[[1,2],[1,1]]}"#, "as pair 1, found [1,2]"),
            (r#"{"id":7,"pairs":[[1,"1"],[1,1]]}"#, "of 0, 0.5 or 1"),
            (r#"{"id":7,"pairs":[[1,0],[1,0]],"wins":1}"#, "unknown key \"wins\""),
            (r#"{"id":7,"wins":1,"draws":1}"#, "losses: missing"),
            (r#"{"id":7,"wins":-1,"draws":1,"losses":4}"#, "wins: expected a whole number"),
            (r#"{"id":7,"wins":1,"draws":1,"losses":1}"#, "expected 4 games"),
            (r#"{"id":7,"wins":18446744073709551615,"draws":4,"losses":1}"#, "expected 4 games"),
            (r#"{"id":7,"pairs":[[1,0],[1,0]],"games":["a"]}"#, "a list of 4 texts"),
            (r#"{"id":7,"pairs":[[1,0],[1,0]],"games":["a","b","c",[]]}"#, "found []"),
            (r#"{"id":7,"error":"no such opponent"}"#, "the runner says: no such opponent"),
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
