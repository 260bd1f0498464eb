//! The variants of chess, and when a game ends before mate: never by default. The text form is `KEY=VALUE,...`.

use std::fmt;
use std::str::FromStr;

use tictune_core::game::{Adjudication, DrawAgreed, NotationError, Resign, RuleKey};
use tictune_core::input::key_values;

/// Which chess is played, and how games are adjudicated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ChessRules {
    /// Whether kings and rooks may castle from any file, as in Chess960 and double Chess960.
    pub chess960: bool,
    /// When a game ends before the board ends it.
    pub adjudication: Adjudication,
}

/// The defaults of the keys that go with another.
const RESIGN_MOVES: u32 = 4;
const DRAW_MOVES: u32 = 8;
const DRAW_FROM: u32 = 40;

/// The keys, for help, with values that are common: without a key ending in `_score`, or `max_plies`, no game ends so.
pub(super) const KEYS: &[RuleKey] = &[
    RuleKey { name: "chess960", values: "false|true" },
    RuleKey { name: "resign_score", values: "700" },
    RuleKey { name: "resign_moves", values: "4" },
    RuleKey { name: "resign_twosided", values: "true|false" },
    RuleKey { name: "draw_score", values: "10" },
    RuleKey { name: "draw_moves", values: "8" },
    RuleKey { name: "draw_from", values: "40" },
    RuleKey { name: "max_plies", values: "400" },
];

impl fmt::Display for ChessRules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { chess960, adjudication: Adjudication { resign, draw, max_plies } } = self;
        let mut parts = Vec::new();
        if *chess960 {
            parts.push("chess960=true".into());
        }
        if let Some(Resign { score, moves, two_sided }) = resign {
            parts.push(format!("resign_score={score},resign_moves={moves}"));
            if !two_sided {
                parts.push("resign_twosided=false".into());
            }
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

impl FromStr for ChessRules {
    type Err = NotationError;

    fn from_str(text: &str) -> Result<Self, NotationError> {
        let names: Vec<&str> = KEYS.iter().map(|key| key.name).collect();
        let values = key_values(text, "rule", &names).map_err(NotationError)?;
        let flag = |key, default| match values.get(key) {
            None => Ok(default),
            Some(value) => value
                .parse::<bool>()
                .map_err(|_| NotationError(format!("{key} is true or false, not \"{value}\""))),
        };
        let number = |key, least| {
            let fits = |value: &&str| {
                value.parse().ok().filter(|number| (least..=1_000_000).contains(number))
            };
            let wrong = |value| format!("{key} takes a whole number from {least}, not \"{value}\"");
            let read = |value| fits(value).ok_or_else(|| NotationError(wrong(value)));
            values.get(key).map(read).transpose()
        };
        for (part, needs) in [
            ("resign_moves", "resign_score"),
            ("resign_twosided", "resign_score"),
            ("draw_moves", "draw_score"),
            ("draw_from", "draw_score"),
        ] {
            if values.contains_key(part) && !values.contains_key(needs) {
                return Err(NotationError(format!("{part} needs {needs}")));
            }
        }
        let moves = number("resign_moves", 1)?.unwrap_or(RESIGN_MOVES);
        let two_sided = flag("resign_twosided", true)?;
        let resign = number("resign_score", 1)?.map(|score| Resign { score, moves, two_sided });
        let moves = number("draw_moves", 1)?.unwrap_or(DRAW_MOVES);
        let from = number("draw_from", 0)?.unwrap_or(DRAW_FROM);
        let draw = number("draw_score", 0)?.map(|score| DrawAgreed { score, moves, from });
        let adjudication = Adjudication { resign, draw, max_plies: number("max_plies", 1)? };
        Ok(Self { chess960: flag("chess960", false)?, adjudication })
    }
}
