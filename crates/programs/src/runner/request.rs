//! A request to a runner, and its answer.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::RunnerSettings;
use tictune_core::agent::ParameterValue;
use tictune_core::arena::{Fingerprint, GameResult, Side};
use tictune_core::input::{escaped, excerpt};

const VERSION: u32 = 1;

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

/// What a program answers: `pairs`, or `wins`, `draws` and `losses`; or `error`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object with id and pairs")]
struct Answer {
    id: Option<u64>,
    pairs: Option<Vec<[f64; 2]>>,
    wins: Option<u64>,
    draws: Option<u64>,
    losses: Option<u64>,
    games: Option<Vec<Value>>,
    error: Option<Value>,
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
        let answer: Answer = serde_json::from_str(line).map_err(|error| {
            let text: String = error.to_string().chars().take(300).collect();
            format!("{}{}", if error.is_data() { "" } else { "not JSON: " }, escaped(&text))
        })?;
        if let Some(error) = answer.error {
            let text = error.as_str().map_or_else(|| error.to_string(), String::from);
            return Err(format!("the runner says: {}", excerpt(&text)));
        }
        if answer.id != Some(id) {
            let found = answer.id.map_or_else(|| "none".into(), |found| found.to_string());
            return Err(format!("id: expected {id}, found {found}"));
        }
        let winners = match (answer.pairs, [answer.wins, answer.draws, answer.losses]) {
            (Some(pairs), [None, None, None]) => self.of_pairs(&pairs)?,
            (None, [Some(wins), Some(draws), Some(losses)]) => {
                self.in_order([wins, draws, losses])?
            }
            _ => return Err("expected either pairs, or wins, draws and losses".into()),
        };
        let keys = answer.games.map(|games| self.keys(games)).transpose()?;
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

    fn of_pairs(&self, pairs: &[[f64; 2]]) -> Result<Vec<Option<Side>>, String> {
        let (expected, found) = (self.pairs(), pairs.len());
        if found != expected {
            return Err(format!("pairs: expected {expected} pairs, found {found}"));
        }
        let winner = |&points: &f64| match points {
            1.0 => Ok(Some(Side::A)),
            0.5 => Ok(None),
            0.0 => Ok(Some(Side::B)),
            other => Err(format!("pairs: expected results of 0, 0.5 or 1, found {other}")),
        };
        pairs.iter().flatten().map(winner).collect()
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
    fn keys(&self, games: Vec<Value>) -> Result<Vec<String>, String> {
        let (expected, found) = (2 * self.pairs(), games.len());
        if found != expected {
            return Err(format!("games: expected one per game, {expected}, found {found}"));
        }
        let key = |key: Value| match key {
            Value::String(text) => Ok(text),
            Value::Number(number) => Ok(number.to_string()),
            other => {
                let found = excerpt(&other.to_string());
                Err(format!("games: expected texts or numbers, found {found}"))
            }
        };
        games.into_iter().map(key).collect()
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
        for key in answers.iter().flat_map(|answer| keys(&answer["properties"])) {
            assert!(read("{\"?\":1}").unwrap_err().contains(&format!("`{key}`")), "{key}");
        }
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
            ("7", "expected an object with id and pairs"),
            (r#"{"pairs":[[1,0],[1,0]]}"#, "id: expected 7, found none"),
            (r#"{"id":8,"pairs":[[1,0],[1,0]]}"#, "id: expected 7, found 8"),
            (r#"{"id":7}"#, "expected either pairs, or wins, draws and losses"),
            (r#"{"id":7,"pairs":[[1,0],[1,0]],"wins":1}"#, "expected either pairs, or wins"),
            (r#"{"id":7,"wins":1,"draws":1}"#, "expected either pairs, or wins, draws and losses"),
            (r#"{"id":7,"pairs":[[1,0]]}"#, "pairs: expected 2 pairs, found 1"),
            (r#"{"id":7,"pairs":[[1,0],[1]]}"#, "expected an array of length 2"),
            (r#"{"id":7,"pairs":[[1,2],[1,1]]}"#, "expected results of 0, 0.5 or 1, found 2"),
            (r#"{"id":7,"pears":[[1,0],[1,0]]}"#, "unknown field `pears`, expected one of `id`"),
            (r#"{"\u001b":7}"#, r"unknown field `\u{1b}`"),
            (r#"{"id":7,"wins":-1,"draws":1,"losses":4}"#, "integer `-1`, expected u64"),
            (r#"{"id":7,"wins":1,"draws":1,"losses":1}"#, "expected 4 games"),
            (r#"{"id":7,"wins":18446744073709551615,"draws":4,"losses":1}"#, "expected 4 games"),
            (r#"{"id":7,"pairs":[[1,0],[1,0]],"games":["a"]}"#, "one per game, 4, found 1"),
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
