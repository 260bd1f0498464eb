//! When a game of chess ends before mate: nothing by default. The text form is `KEY=VALUE,...`.

use std::fmt;
use std::str::FromStr;

use tictune_core::game::{Adjudication, DrawAgreed, NotationError, Resign, RuleKey};
use tictune_core::input::unknown;

/// How games are adjudicated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Rules {
    /// When a game ends before the board ends it.
    pub adjudication: Adjudication,
}

/// The defaults of the keys that go with another.
const RESIGN_MOVES: u32 = 4;
const DRAW_MOVES: u32 = 8;
const DRAW_FROM: u32 = 40;

/// The keys, for help.
pub(super) const KEYS: &[RuleKey] = &[
    RuleKey { name: "resign_score", values: "CENTIPAWNS" },
    RuleKey { name: "resign_moves", values: "4" },
    RuleKey { name: "draw_score", values: "CENTIPAWNS" },
    RuleKey { name: "draw_moves", values: "8" },
    RuleKey { name: "draw_from", values: "40" },
    RuleKey { name: "max_plies", values: "PLIES" },
];

impl fmt::Display for Rules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Adjudication { resign, draw, max_plies } = self.adjudication;
        let mut parts = Vec::new();
        if let Some(Resign { score, moves }) = resign {
            parts.push(format!("resign_score={score},resign_moves={moves}"));
        }
        if let Some(DrawAgreed { score, moves, from }) = draw {
            parts.push(format!("draw_score={score},draw_moves={moves},draw_from={from}"));
        }
        if let Some(most) = max_plies {
            parts.push(format!("max_plies={most}"));
        }
        f.write_str(&parts.join(","))
    }
}

impl FromStr for Rules {
    type Err = NotationError;

    fn from_str(text: &str) -> Result<Self, NotationError> {
        let names: Vec<&str> = KEYS.iter().map(|key| key.name).collect();
        let mut values = [None; KEYS.len()];
        for part in text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
            let pair = part.split_once('=').map(|(key, value)| (key.trim(), value.trim()));
            let wrong = || NotationError(format!("\"{part}\" is not KEY=VALUE"));
            let (key, value) = pair.ok_or_else(wrong)?;
            let place = names.iter().position(|name| *name == key);
            let place = place.ok_or_else(|| NotationError(unknown("rule", key, &names)))?;
            let least = u32::from(!["draw_score", "draw_from"].contains(&key));
            let number = value.parse().ok().filter(|number| (least..=1_000_000).contains(number));
            let wrong = format!("{key} takes a whole number from {least}, not \"{value}\"");
            values[place] = Some(number.ok_or(NotationError(wrong))?);
        }
        let [resign_score, resign_moves, draw_score, draw_moves, draw_from, max_plies] = values;
        for (part, needs, is_there) in [
            ("resign_moves", "resign_score", resign_moves.is_none() || resign_score.is_some()),
            ("draw_moves", "draw_score", draw_moves.is_none() || draw_score.is_some()),
            ("draw_from", "draw_score", draw_from.is_none() || draw_score.is_some()),
        ] {
            if !is_there {
                return Err(NotationError(format!("{part} needs {needs}")));
            }
        }
        let resign = |score| Resign { score, moves: resign_moves.unwrap_or(RESIGN_MOVES) };
        let draw = |score| DrawAgreed {
            score,
            moves: draw_moves.unwrap_or(DRAW_MOVES),
            from: draw_from.unwrap_or(DRAW_FROM),
        };
        let (resign, draw) = (resign_score.map(resign), draw_score.map(draw));
        Ok(Self { adjudication: Adjudication { resign, draw, max_plies } })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_round_trip_and_others_say_what_is_wrong() {
        for text in [
            "",
            "max_plies=400",
            "resign_score=600,resign_moves=4",
            "draw_score=0,draw_moves=8,draw_from=0",
            "resign_score=1,resign_moves=1,draw_score=10,draw_moves=2,draw_from=3,max_plies=9",
        ] {
            assert_eq!(text.parse::<Rules>().unwrap().to_string(), text);
        }
        let short: Rules = "draw_score=10, resign_score=700".parse().unwrap();
        assert_eq!(
            short.to_string(),
            "resign_score=700,resign_moves=4,draw_score=10,draw_moves=8,draw_from=40"
        );
        for (text, expected) in [
            ("resign=600", "unknown rule \"resign\""),
            ("resign_scor=600", "did you mean \"resign_score\"?"),
            ("resign_score", "is not KEY=VALUE"),
            ("resign_score=0", "resign_score takes a whole number from 1, not \"0\""),
            ("max_plies=many", "max_plies takes a whole number from 1"),
            ("resign_moves=3", "resign_moves needs resign_score"),
            ("draw_from=3", "draw_from needs draw_score"),
        ] {
            let error = text.parse::<Rules>().unwrap_err().to_string();
            assert!(error.contains(expected), "{text}: {error}");
        }
    }
}
