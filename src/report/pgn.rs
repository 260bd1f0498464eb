//! The games of a match as PGN, the format of chess programs.
//!
//! Source: "Standard: Portable Game Notation Specification and Implementation Guide", Edwards, 1994.

use std::fmt::Write as _;
use std::time::SystemTime;

use super::layout::wrapped;
use crate::agent::Failure;
use crate::arena::{GameTrace, MoveCost};
use crate::game::{GameInfo, Pgn, PgnMoves};
use crate::input::{InputError, Result};
use crate::programs::uci::MATE;

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

const WIDTH: usize = 79;

/// The games of a match between agents of these names, with today's date.
pub(crate) fn pgn(
    info: &GameInfo,
    rules: &str,
    names: [&str; 2],
    games: &[GameTrace],
) -> Result<Vec<u8>> {
    let Pgn { write, .. } = info.extension::<Pgn>().ok_or_else(|| no_pgn(info))?;
    let today = humantime::format_rfc3339_seconds(SystemTime::now()).to_string();
    let today = today.get(..10).unwrap_or_default().replace('-', ".");
    let mut text = String::new();
    for game in games {
        let standard = write(rules, &game.played.start, &game.played.moves).unwrap_or_default();
        let [white, black] = if game.a_first { names } else { [names[1], names[0]] };
        let result = result(game);
        let round = (game.game + 1).to_string();
        let mut tags = vec![
            ("Event", "tictune match".to_string()),
            ("Site", "?".into()),
            ("Date", today.clone()),
            ("Round", round),
            ("White", white.into()),
            ("Black", black.into()),
            ("Result", result.into()),
        ];
        tags.extend(standard.variant.map(|variant| ("Variant", variant.into())));
        if game.played.start != START {
            tags.extend([("SetUp", "1".to_string()), ("FEN", game.played.start.clone())]);
        }
        tags.push(("PlyCount", standard.moves.len().to_string()));
        tags.push(("Termination", termination(game, &standard).into()));
        for (name, value) in tags {
            let value: String = value.chars().filter(|c| !c.is_control()).collect();
            let _ = writeln!(text, "[{name} \"{}\"]", value.replace('\\', "/").replace('"', "'"));
        }
        text.push('\n');
        text += &wrapped(&move_text(game, &standard, result), WIDTH);
        text.push('\n');
    }
    Ok(text.into_bytes())
}

pub(crate) fn no_pgn(info: &GameInfo) -> InputError {
    InputError::new(format!(
        "--pgn: PGN is for chess, not for {}; --games-csv takes any game",
        info.name
    ))
}

fn result(game: &GameTrace) -> &'static str {
    match (game.half_points, game.a_first) {
        (2, true) | (0, false) => "1-0",
        (1, _) => "1/2-1/2",
        _ => "0-1",
    }
}

/// How the game ended, in the words that the standard and other programs have.
fn termination(game: &GameTrace, standard: &PgnMoves) -> &'static str {
    match &game.failure {
        Some(Failure::Timeout { .. }) => "time forfeit",
        Some(Failure::IllegalMove(_) | Failure::Garbage(_)) => "rules infraction",
        Some(Failure::Ended(_) | Failure::Start(_)) => "abandoned",
        None if standard.ending.is_some() => "normal",
        None => "adjudication",
    }
}

/// The moves with their numbers, the values that agents gave, and the reason of the end.
fn move_text(game: &GameTrace, standard: &PgnMoves, result: &str) -> String {
    let fields: Vec<&str> = game.played.start.split(' ').collect();
    let first = fields.get(5).and_then(|number| number.parse().ok()).unwrap_or(1_u64);
    let black_begins = fields.get(1) == Some(&"b");
    let mut words = Vec::new();
    let mut is_numbered = false;
    for (ply, mv) in (u64::from(black_begins)..).zip(&standard.moves) {
        let number = first + ply / 2;
        if ply % 2 == 0 {
            words.push(format!("{number}."));
        } else if !is_numbered {
            words.push(format!("{number}..."));
        }
        words.push(mv.clone());
        let place = (ply - u64::from(black_begins)) as usize;
        let cost =
            place.checked_sub(game.opening_plies()).and_then(|place| game.played.costs.get(place));
        words.extend(cost.map(comment));
        // After a comment, Black's move has its number again.
        is_numbered = cost.is_none();
    }
    let reason = match (&game.failure, &standard.ending) {
        (Some(failure), _) => {
            let loser = if result == "1-0" { "Black" } else { "White" };
            format!("{loser} forfeits: {failure}")
        }
        (None, Some(ending)) => ending.clone(),
        (None, None) => "adjudicated".into(),
    };
    words.push(format!("{{{}}}", reason.replace(['{', '}'], "'")));
    words.push(result.into());
    words.join(" ")
}

/// The value, the depth and the time of a move, as other programs write them: `{+0.31/12 0.103s}`.
fn comment(cost: &MoveCost) -> String {
    let value = cost.value.map_or_else(String::new, in_pawns);
    let depth = cost.depth.map_or_else(String::new, |depth| format!("/{depth}"));
    let space = if cost.value.is_some() || cost.depth.is_some() { " " } else { "" };
    format!("{{{value}{depth}{space}{:.3}s}}", cost.time.as_secs_f64())
}

/// A value in centipawns as programs write it: in pawns, or the moves to mate.
fn in_pawns(value: f64) -> String {
    const LONGEST_MATE: f64 = 1000.0;
    if MATE - value.abs() < LONGEST_MATE {
        let sign = if value < 0.0 { '-' } else { '+' };
        return format!("{sign}M{:.0}", MATE - value.abs());
    }
    format!("{:+.2}", value / 100.0)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::arena::GameMoves;
    use crate::game::{Game, Player};
    use crate::games::Chess;

    fn game(start: &str, moves: &str, values: &[f64]) -> GameTrace {
        let moves: Vec<String> = moves.split(' ').map(String::from).collect();
        let cost = |value: &f64| MoveCost {
            ply: 0,
            player: Player::First,
            legal_moves: 20,
            nodes: 0,
            iterations: 0,
            depth: value.is_finite().then_some(12),
            time: Duration::from_millis(103),
            value: value.is_finite().then_some(*value),
        };
        let costs = values.iter().map(cost).collect();
        let played = GameMoves { start: start.into(), moves, costs };
        let (failure, pair) = (None, Some(0));
        GameTrace { game: 0, pair, a_first: false, half_points: 2, failure, played }
    }

    #[test]
    fn games_have_their_tags_moves_values_and_ends() {
        let mated = game(START, "f2f3 e7e5 g2g4 d8h4", &[-120.0, MATE - 1.0]);
        let start = "4k3/8/8/8/8/8/4P3/4K3 b - - 0 30";
        let failure = Some(Failure::IllegalMove("e2e5".into()));
        let forfeited = GameTrace { failure, ..game(start, "e8e7 e2e4 e7e6", &[f64::NAN; 3]) };
        // Long games are wrapped.
        let knights = ["g1f3", "g8f6", "f3g1", "f6g8"].repeat(2).join(" ");
        let drawn = GameTrace { half_points: 1, ..game(START, &knights, &[0.0; 8]) };
        let names = ["a \"quoted\" \\ one", "b"];
        let bytes = pgn(Chess::INFO, "", names, &[mated, forfeited, drawn]).unwrap();
        let text = String::from_utf8(bytes).unwrap();
        let text = text.lines().filter(|line| !line.starts_with("[Date \""));
        insta::assert_snapshot!(text.collect::<Vec<_>>().join("\n"));
    }
}
