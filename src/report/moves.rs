//! Matches move by move as CSV files: a row a move, a row a game; and reading them again.

use std::path::Path;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize, Serializer};

use crate::arena::GameTrace;
use crate::files::{escaped_cell, rows_csv};
use crate::input::{InputError, Result, excerpt};
use crate::papers::reproduce::{MoveTime, RowTrace};

/// A row of the file of moves, in the order of games; moves of openings have none.
#[derive(Serialize, Deserialize)]
struct MoveRow {
    game: u64,
    /// Moves made before since the start of the game, by both players.
    ply: u32,
    /// Who moved: `A` or `B`.
    agent: char,
    /// The mark of who moved: `x` is the first player, `o` the second.
    player: char,
    r#move: String,
    legal_moves: u32,
    /// Positions searched for it, by agents that count positions, else 0.
    nodes: u64,
    /// Iterations of Monte Carlo tree search for it, else 0.
    iterations: u64,
    /// Wall time of the choice: the only column that does not repeat itself as the match does.
    #[serde(serialize_with = "four_decimals")]
    milliseconds: f64,
}

/// A row of the file of games, in their order.
#[derive(Serialize, Deserialize)]
struct MatchGameRow {
    game: u64,
    /// The number of its pair, from 0; empty where games are not paired.
    pair: Option<u64>,
    /// Who moved first: `A` or `B`.
    first: char,
    result: GameEnd,
    /// Its moves, the opening's included.
    plies: usize,
    /// How many of them are the opening's.
    opening_plies: usize,
    /// The position that it started from, in notation.
    start: String,
    /// The moves from there, separated by spaces.
    moves: String,
    /// How it was forfeited by who lost it; empty if it ended on the board.
    forfeit: String,
}

#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum GameEnd {
    Loss,
    Draw,
    Win,
}

fn four_decimals<S: Serializer>(milliseconds: &f64, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(&format!("{milliseconds:.4}"))
}

const fn side(is_a: bool) -> char {
    if is_a { 'A' } else { 'B' }
}

pub(crate) fn moves_csv(games: &[GameTrace]) -> std::io::Result<Vec<u8>> {
    rows_csv(games.iter().flat_map(|game| {
        let made = &game.played.moves[game.opening_plies()..];
        made.iter().zip(&game.played.costs).map(|(mv, cost)| MoveRow {
            game: game.game,
            ply: cost.ply,
            agent: side(game.is_a(cost.player)),
            player: cost.player.mark(),
            r#move: mv.clone(),
            legal_moves: cost.legal_moves,
            nodes: cost.nodes,
            iterations: cost.iterations,
            milliseconds: 1e3 * cost.time.as_secs_f64(),
        })
    }))
}

pub(crate) fn games_csv(games: &[GameTrace]) -> std::io::Result<Vec<u8>> {
    let failure = |game: &GameTrace| game.failure.as_ref().map(ToString::to_string);
    rows_csv(games.iter().map(|game| MatchGameRow {
        game: game.game,
        pair: game.pair,
        first: side(game.a_first),
        result: [GameEnd::Loss, GameEnd::Draw, GameEnd::Win][game.half_points.min(2) as usize],
        plies: game.played.moves.len(),
        opening_plies: game.opening_plies(),
        start: game.played.start.clone(),
        moves: game.played.moves.join(" "),
        forfeit: escaped_cell(&failure(game).unwrap_or_default()).into(),
    }))
}

/// Reads what charts need of a file of moves or of games. `path` is the name that errors give.
pub(crate) fn parse_match(text: &str, path: &Path) -> Result<RowTrace> {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let heads = reader.headers().cloned().unwrap_or_default();
    let has = |wanted: &str| heads.iter().any(|head| head == wanted);
    if has("result") {
        let games: Vec<MatchGameRow> = rows(&mut reader, text, path)?;
        let half_points = games.iter().map(|game| game.result as u64).collect();
        return Ok(RowTrace { half_points, ..RowTrace::default() });
    }
    if !["ply", "agent", "milliseconds"].into_iter().all(has) {
        let message = format!(
            "is not a file of match --moves or match --games-csv: its columns are \"{}\"; the file of moves has ply, agent \
             and milliseconds, the file of games has result",
            excerpt(&heads.iter().collect::<Vec<_>>().join(","))
        );
        return Err(InputError::in_file(path, message));
    }
    let moves: Vec<MoveRow> = rows(&mut reader, text, path)?;
    let moves = moves.into_iter().zip(2..).map(|(row, line)| {
        let MoveRow { ply, agent, milliseconds, .. } = row;
        let can_be = (0.0..=1e12).contains(&milliseconds) && ply <= 100_000;
        if can_be && matches!(agent, 'A' | 'B') {
            return Ok(MoveTime { ply, by_a: agent == 'A', milliseconds });
        }
        let message = format!("a move of {agent} at ply {ply} in {milliseconds} ms is impossible");
        Err(InputError::in_line(path, line, text, message))
    });
    Ok(RowTrace { moves: moves.collect::<Result<_, _>>()?, ..RowTrace::default() })
}

fn rows<T: DeserializeOwned>(
    reader: &mut csv::Reader<&[u8]>,
    text: &str,
    path: &Path,
) -> Result<Vec<T>> {
    let row = |row: Result<T, csv::Error>| {
        row.map_err(|error| {
            let line = error.position().map_or(1, csv::Position::line) as usize;
            let message = format!("not a row of match --moves or --games-csv: {error}");
            InputError::in_line(path, line, text, message)
        })
    };
    reader.deserialize().map(row).collect()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::agent::Failure;
    use crate::arena::{GameMoves, MoveCost};
    use crate::game::Player;

    fn game() -> GameTrace {
        let cost = |ply, player, micros| MoveCost {
            depth: None,
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
            played: GameMoves {
                start: "9/9/9/9/9/9/9/9/9 x -".into(),
                moves: ["4,4", "3,3", "0,1"].map(String::from).to_vec(),
                costs: vec![cost(1, Player::Second, 1500), cost(2, Player::First, 3)],
            },
        }
    }

    #[test]
    fn files_are_written_and_read() {
        let read = |text: &str| parse_match(text, Path::new("some.csv")).unwrap();
        let moves = String::from_utf8(moves_csv(&[game()]).unwrap()).unwrap();
        let times = [
            MoveTime { ply: 1, by_a: true, milliseconds: 1.5 },
            MoveTime { ply: 2, by_a: false, milliseconds: 0.003 },
        ];
        assert_eq!(read(&moves), RowTrace { moves: times.into(), half_points: Vec::new() });
        let games = String::from_utf8(games_csv(&[game()]).unwrap()).unwrap();
        insta::assert_snapshot!(format!("{moves}\n{games}"));
        assert_eq!(read(&games), RowTrace { moves: Vec::new(), half_points: vec![2] });
    }

    #[test]
    fn other_files_are_refused_with_their_line() {
        let moves = String::from_utf8(moves_csv(&[game()]).unwrap()).unwrap();
        let games = String::from_utf8(games_csv(&[game()]).unwrap()).unwrap();
        for (text, expected) in [
            (moves.replace(",B,", ",C,"), "moves.csv:3: a move of C"),
            (moves.replace("0.0030", "-1"), "moves.csv:3: a move of B at ply 2 in -1 ms"),
            (moves.replace("0.0030", "NaN"), "moves.csv:3: a move"),
            (moves.replace(",0.0030", ""), "moves.csv:3: not a row"),
            (games.replace("win", "won"), "unknown variant `won`"),
        ] {
            let error = parse_match(&text, Path::new("moves.csv")).unwrap_err().to_string();
            assert!(error.contains(expected), "{text}: {error}");
        }
    }
}
