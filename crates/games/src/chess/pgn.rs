//! Games as PGN has them, written and read.
//!
//! Source: "Standard: Portable Game Notation Specification and Implementation Guide", Edwards, 1994.

use std::collections::BTreeMap;
use std::mem::take;

use cozy_chess::util::{display_san_move, parse_san_move};

use tictune_core::game::notation::shorten;
use tictune_core::game::{NotationError, PgnError, PgnGame, PgnMoves, Position};

use super::{Chess, ChessMove, ChessRules};

/// What ends a game.
const RESULTS: [&str; 4] = ["1-0", "0-1", "1/2-1/2", "*"];

/// Writes the moves of a game from a start in standard algebraic notation; `None` if one is not legal.
pub(super) fn write(rules: &str, start: &str, moves: &[String]) -> Option<PgnMoves> {
    let rules: ChessRules = rules.parse().ok()?;
    let mut position = Chess::from_notation(start, rules).ok()?;
    let mut standard = Vec::with_capacity(moves.len());
    for mv in moves {
        let mv = Chess::parse_move(mv).ok()?;
        let on_board = position.on_board(mv);
        if !position.board.is_legal(on_board) {
            return None;
        }
        standard.push(display_san_move(&position.board, on_board).to_string());
        position.play_unchecked(mv);
    }
    let ending = position.ending().map(|ending| ending.to_string());
    let variant = rules.chess960.then_some("Chess960");
    Some(PgnMoves { moves: standard, ending, variant })
}

/// Reads the games of a file: their tags and their moves, without comments and variations. After a mistake it continues with
/// the next game.
pub(super) fn read(text: &str, rules: &str) -> Vec<Result<PgnGame, PgnError>> {
    let rules = match rules.parse() {
        Ok(rules) => rules,
        Err(error) => return vec![Err(PgnError { line: 1, error })],
    };
    let mut reader = PgnReader { rules, ..PgnReader::default() };
    let lines = (1..).zip(text.trim_start_matches('\u{feff}').lines());
    for (line, text) in lines.filter(|(_, text)| !text.starts_with('%')) {
        reader.line(line, text);
    }
    reader.end_game(false);
    reader.games
}

#[derive(Default)]
struct PgnReader {
    rules: ChessRules,
    games: Vec<Result<PgnGame, PgnError>>,
    in_comment: bool,
    /// How many variations are open here, one in another.
    variations: usize,
    line: usize,
    tags: BTreeMap<String, String>,
    /// Whether its tags are over.
    has_moves: bool,
    /// Once the first move or the result was read.
    game: Option<(Chess, Vec<ChessMove>)>,
    /// What is wrong with the game; the rest of it is skipped.
    error: Option<PgnError>,
}

impl PgnReader {
    fn line(&mut self, number: usize, mut text: &str) {
        const MARKS: [char; 5] = ['{', '}', '(', ')', ';'];
        if !self.in_comment && text.trim_start().starts_with('[') {
            let taken = self.tag(number, text.trim());
            return self.note(number, taken);
        }
        loop {
            text = text.trim_start();
            if self.in_comment {
                let Some((_, rest)) = text.split_once('}') else { return };
                (text, self.in_comment) = (rest, false);
                continue;
            }
            let Some(first) = text.chars().next() else { return };
            let is_end = |c: char| c.is_whitespace() || MARKS.contains(&c);
            let length = text.find(is_end).unwrap_or(text.len()).max(first.len_utf8());
            let (word, rest) = text.split_at(length);
            text = rest;
            match first {
                '{' => self.in_comment = true,
                '(' => self.variations += 1,
                ')' => self.variations = self.variations.saturating_sub(1),
                ';' => return,
                _ if self.variations > 0 => {}
                _ => {
                    let taken = self.word(number, word);
                    self.note(number, taken);
                    if RESULTS.contains(&word) {
                        self.end_game(true);
                    }
                }
            }
        }
    }

    /// Keeps the first mistake of a game.
    fn note(&mut self, line: usize, taken: Result<(), NotationError>) {
        if let Err(error) = taken {
            self.error.get_or_insert(PgnError { line, error });
        }
    }

    fn tag(&mut self, line: usize, text: &str) -> Result<(), NotationError> {
        if self.has_moves {
            self.end_game(false);
        }
        if self.tags.is_empty() {
            self.line = line;
        }
        let pair = text.trim_start_matches('[').split_once('"');
        let value = pair.and_then(|(_, value)| value.rsplit_once('"'));
        let wrong = || NotationError(format!("\"{}\" is not a tag of PGN", shorten(text)));
        let ((name, _), (value, _)) = pair.zip(value).ok_or_else(wrong)?;
        self.tags.insert(name.trim().into(), value.replace("\\\"", "\"").replace("\\\\", "\\"));
        Ok(())
    }

    /// Takes in a number, a move, an annotation or a result.
    fn word(&mut self, line: usize, word: &str) -> Result<(), NotationError> {
        if self.tags.is_empty() && !self.has_moves {
            self.line = line;
        }
        self.has_moves = true;
        if self.error.is_some() {
            return Ok(());
        }
        let (position, moves) = match &mut self.game {
            Some(game) => game,
            None => self.game.insert((start(&self.tags, self.rules)?, Vec::new())),
        };
        if RESULTS.contains(&word) {
            let said = self.tags.insert("Result".into(), word.into());
            if let Some(said) = said.filter(|said| said != word) {
                let message =
                    format!("the game ends with {word}, and its tag says {}", shorten(&said));
                return Err(NotationError(message));
            }
            return Ok(());
        }
        let after_digits = word.trim_start_matches(|c: char| c.is_ascii_digit());
        let is_number = after_digits.is_empty() || after_digits.starts_with('.');
        let mv = if is_number { after_digits.trim_start_matches('.') } else { word };
        let mv = mv.trim_end_matches(['!', '?']);
        if mv.is_empty() || mv.starts_with('$') || mv == "e.p." {
            return Ok(());
        }
        let castling = mv.replace('0', "O");
        let text = if mv.starts_with("0-0") { &castling } else { mv };
        let found = parse_san_move(&position.board, text).map(|mv| position.named(mv));
        // Other programs may play on after a third repetition or fifty moves, which have to be claimed.
        let found = found.map_err(|_| {
            let ply = moves.len() + 1;
            NotationError(format!("\"{}\" is not a move here, at ply {ply}", shorten(mv)))
        })?;
        position.play_unchecked(found);
        moves.push(found);
        Ok(())
    }

    fn end_game(&mut self, has_result: bool) {
        (self.variations, self.in_comment, self.has_moves) = (0, false, false);
        let (mut tags, game) = (take(&mut self.tags), self.game.take());
        if let Some(error) = self.error.take() {
            self.games.push(Err(error));
            return;
        }
        // A game that is cut off has no result, whatever its tag says.
        if !has_result {
            tags.remove("Result");
        }
        // A file may have positions as games without moves.
        let game = game.or_else(|| {
            let start = tags.contains_key("FEN").then(|| start(&tags, self.rules).ok())??;
            Some((start, Vec::new()))
        });
        let Some((end, moves)) = game else { return };
        self.games.push(Ok(PgnGame {
            line: self.line,
            start: tags.get("FEN").cloned().unwrap_or_default(),
            tags,
            moves: moves.iter().map(ToString::to_string).collect(),
            end: end.notation(),
        }));
    }
}

/// Where a game with these tags starts.
fn start(tags: &BTreeMap<String, String>, mut rules: ChessRules) -> Result<Chess, NotationError> {
    let variant = tags.get("Variant").map(|name| name.to_ascii_lowercase().replace(' ', ""));
    rules.chess960 |= match variant.as_deref().unwrap_or("standard") {
        "chess960" | "fischerandom" | "fischerrandom" => true,
        "standard" | "normal" | "chess" | "fromposition" => false,
        other => return Err(NotationError(format!("{} is not chess", shorten(other)))),
    };
    match tags.get("FEN") {
        Some(fen) => Chess::from_notation(fen, rules),
        None => Ok(Chess::start(rules)),
    }
}
