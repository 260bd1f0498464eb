//! Matches move by move as CSV files: a row a move, a row a game; and reading them again.

use std::path::Path;

use crate::arena::GameTrace;
use crate::files::{csv_text, escaped_cell};
use crate::input::InputError;
use crate::papers::reproduce::{MoveTime, RowTrace};

/// The columns of the file of moves, a row a move in the order of games; moves of openings have none.
///
/// | column | meaning |
/// |---|---|
/// | `game` | the number of the game, from 0 |
/// | `ply` | moves made before since the start of the game, by both players |
/// | `agent` | who moved: `A` or `B` |
/// | `player` | the mark of who moved: `x` is the first player, `o` the second |
/// | `move` | the move |
/// | `legal_moves` | the moves there were to choose from |
/// | `nodes` | positions searched for it, by agents that count positions, else 0 |
/// | `iterations` | iterations of Monte Carlo tree search for it, else 0 |
/// | `milliseconds` | wall time of the choice |
pub(crate) const MOVE_COLUMNS: [&str; 9] = [
    "game",
    "ply",
    "agent",
    "player",
    "move",
    "legal_moves",
    "nodes",
    "iterations",
    "milliseconds",
];

/// The columns of the file of games, a row a game in their order.
///
/// | column | meaning |
/// |---|---|
/// | `game` | its number, from 0 |
/// | `pair` | the number of its pair, from 0; empty where games are not paired |
/// | `first` | who moved first: `A` or `B` |
/// | `result` | from A's view: `win`, `draw` or `loss` |
/// | `plies` | its moves, the opening's included |
/// | `opening_plies` | how many of them are the opening's |
/// | `start` | the position that it started from, in notation |
/// | `moves` | the moves from there, separated by spaces |
/// | `forfeit` | how it was forfeited by who lost it; empty if it ended on the board |
pub(crate) const GAME_COLUMNS: [&str; 9] =
    ["game", "pair", "first", "result", "plies", "opening_plies", "start", "moves", "forfeit"];

/// The file of moves of a match. All but its last column repeats itself, as the match does.
pub(crate) fn moves_csv(games: &[GameTrace]) -> std::io::Result<Vec<u8>> {
    let rows = games.iter().flat_map(|game| {
        let made = &game.moves[game.opening_plies()..];
        made.iter().zip(&game.costs).map(|(mv, cost)| {
            vec![
                game.game.to_string(),
                cost.ply.to_string(),
                side(game.is_a(cost.player)).into(),
                cost.player.mark().into(),
                mv.clone(),
                cost.legal_moves.to_string(),
                cost.nodes.to_string(),
                cost.iterations.to_string(),
                format!("{:.4}", 1e3 * cost.time.as_secs_f64()),
            ]
        })
    });
    csv_text([MOVE_COLUMNS.map(String::from).to_vec()].into_iter().chain(rows))
}

/// The file of games of a match.
pub(crate) fn games_csv(games: &[GameTrace]) -> std::io::Result<Vec<u8>> {
    let rows = games.iter().map(|game| {
        vec![
            game.game.to_string(),
            game.pair.map_or(String::new(), |pair| pair.to_string()),
            side(game.a_first).into(),
            RESULTS[game.half_points.min(2) as usize].into(),
            game.moves.len().to_string(),
            game.opening_plies().to_string(),
            game.start.clone(),
            game.moves.join(" "),
            game.failure
                .as_ref()
                .map_or(String::new(), |failure| escaped_cell(&failure.to_string()).into()),
        ]
    });
    csv_text([GAME_COLUMNS.map(String::from).to_vec()].into_iter().chain(rows))
}

/// Results from A's view by A's half points.
const RESULTS: [&str; 3] = ["loss", "draw", "win"];

const fn side(is_a: bool) -> &'static str {
    if is_a { "A" } else { "B" }
}

/// Reads what charts need of a file of moves or of games, by its columns: it may have more, in any order. `path` is the
/// name that errors give.
pub(crate) fn parse_match(text: &str, path: &Path) -> Result<RowTrace, InputError> {
    let heads = text.lines().next().unwrap_or_default();
    if heads.split(',').any(|head| head == "result") {
        return Ok(RowTrace { half_points: parse_results(text, path)?, ..RowTrace::default() });
    }
    let moves =
        read_rows(text, path, ["ply", "agent", "milliseconds"], |[ply, agent, milliseconds]| {
            let time = milliseconds.parse().ok().filter(|time: &f64| (0.0..=1e12).contains(time));
            Ok(MoveTime {
                ply: ply
                    .parse()
                    .ok()
                    .filter(|ply| *ply <= 100_000)
                    .ok_or_else(|| wrong("ply", ply, "a whole number from 0"))?,
                by_a: match agent {
                    "A" => true,
                    "B" => false,
                    _ => return Err(wrong("agent", agent, "A or B")),
                },
                milliseconds: time
                    .ok_or_else(|| wrong("milliseconds", milliseconds, "a number from 0"))?,
            })
        })?;
    Ok(RowTrace { moves, ..RowTrace::default() })
}

/// A's half points (2 a win, 1 a draw) of each game of a file of games.
fn parse_results(text: &str, path: &Path) -> Result<Vec<u64>, InputError> {
    read_rows(text, path, ["result"], |[result]| {
        let place = (0..).zip(RESULTS).find(|(_, known)| *known == result);
        place.map(|(points, _)| points).ok_or_else(|| wrong("result", result, "win, draw or loss"))
    })
}

fn wrong(column: &str, found: &str, expected: &str) -> String {
    let found: String = found.chars().take(40).collect();
    format!("{column}: expected {expected}, found \"{}\"", found.escape_debug())
}

/// Reads the rows of a CSV file by the columns that are wanted of it.
fn read_rows<T, const N: usize>(
    text: &str,
    path: &Path,
    columns: [&str; N],
    read: impl Fn([&str; N]) -> Result<T, String>,
) -> Result<Vec<T>, InputError> {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let at = |line: u64, message| InputError::in_line(path, line as usize, text, message);
    let in_csv = |error: csv::Error| {
        at(error.position().map_or(1, csv::Position::line), format!("not CSV: {error}"))
    };
    let heads = reader.headers().map_err(in_csv)?.clone();
    let mut places = [0; N];
    for (place, column) in places.iter_mut().zip(columns) {
        *place = heads.iter().position(|head| head == column).ok_or_else(|| {
            at(1, format!("expected a column \"{column}\"; match --moves and --games-csv write it"))
        })?;
    }
    let mut rows = Vec::new();
    for record in reader.records() {
        let record = record.map_err(in_csv)?;
        let line = record.position().map_or(1, csv::Position::line);
        let fields = places.map(|place| record.get(place).unwrap_or_default());
        rows.push(read(fields).map_err(|message| at(line, message))?);
    }
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::agent::Failure;
    use crate::arena::MoveCost;
    use crate::game::Player;

    fn game() -> GameTrace {
        let cost = |ply, player, micros| MoveCost {
            value: None,
            ply,
            player,
            legal_moves: 9 - ply,
            nodes: 7,
            iterations: 0,
            time: Duration::from_micros(micros),
        };
        GameTrace {
            game: 3,
            pair: Some(1),
            a_first: false,
            half_points: 2,
            failure: Some(Failure::Garbage("a, \"b\"".into())),
            start: "9/9/9/9/9/9/9/9/9 x -".into(),
            moves: ["4,4", "3,3", "0,1"].map(String::from).to_vec(),
            costs: vec![cost(1, Player::Second, 1500), cost(2, Player::First, 3)],
        }
    }

    #[test]
    fn files_are_written_and_read() {
        let read = |text: &str| parse_match(text, Path::new("some.csv")).unwrap();
        let moves = String::from_utf8(moves_csv(&[game()]).unwrap()).unwrap();
        assert_eq!(
            moves,
            "game,ply,agent,player,move,legal_moves,nodes,iterations,milliseconds\n\
             3,1,A,o,\"3,3\",8,7,0,1.5000\n3,2,B,x,\"0,1\",7,7,0,0.0030\n"
        );
        let times = [
            MoveTime { ply: 1, by_a: true, milliseconds: 1.5 },
            MoveTime { ply: 2, by_a: false, milliseconds: 0.003 },
        ];
        assert_eq!(read(&moves), RowTrace { moves: times.into(), half_points: Vec::new() });
        let games = String::from_utf8(games_csv(&[game()]).unwrap()).unwrap();
        assert_eq!(
            games,
            "game,pair,first,result,plies,opening_plies,start,moves,forfeit\n\
             3,1,B,win,3,1,9/9/9/9/9/9/9/9/9 x -,\"4,4 3,3 0,1\",\
             \"not an answer of its protocol: \"\"a, \"\"b\"\"\"\"\"\n"
        );
        assert_eq!(read(&games), RowTrace { moves: Vec::new(), half_points: vec![2] });
    }

    #[test]
    fn other_files_are_refused_with_their_line() {
        let error = |text: &str| parse_match(text, Path::new("moves.csv")).unwrap_err().to_string();
        for (text, expected) in [
            ("", "moves.csv:1: expected a column \"ply\""),
            ("ply,agent\n", "expected a column \"milliseconds\""),
            (
                "agent,milliseconds,ply\nA,1,0\nC,1,1\n",
                "moves.csv:3: agent: expected A or B, found \"C\"",
            ),
            ("agent,milliseconds,ply\nA,-1,0\n", "milliseconds: expected a number from 0"),
            ("agent,milliseconds,ply\nA,NaN,0\n", "milliseconds: expected a number from 0"),
            ("agent,milliseconds,ply\nA,1,-2\n", "ply: expected a whole number from 0"),
            ("agent,milliseconds,ply\nA,1\n", "moves.csv:2: not CSV"),
            ("game,result\n0,won\n", "result: expected win, draw or loss, found \"won\""),
        ] {
            assert!(error(text).contains(expected), "{text}: {}", error(text));
        }
    }
}
