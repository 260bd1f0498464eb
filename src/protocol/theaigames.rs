//! The protocol of TheAIGames for UTTT (Liang 1.4).
//!
//! A platform opens with `settings`, tells the whole field before every move with `update`, and asks
//! with `action move T`, T the milliseconds in the bot's bank. The answer is `place_move COLUMN ROW`.
//! The field is 81 values, row by row from the top left: 0 empty, 1 and 2 the marks of the players.
//! The macro board is 9 values: -1 for a board that may be played in now, 1 or 2 for a won one, else
//! 0, which a drawn board and one that is merely not playable now have in common: drawn boards are
//! told by the field.

use std::fmt::Write;
use std::time::Duration;

use super::{Bot, Host, Query, TimeRules, excerpt};
use crate::position::square::{FULL, has_line};
use crate::position::{Player, Position, Rules, Uttt, UtttMove};

/// Asks a program for the moves of one player. The first player is `player1` with the id 1.
#[derive(Clone, Debug)]
pub struct UtttHost {
    player: Player,
    times: TimeRules,
    /// Whether the settings have been told.
    told: bool,
}

impl UtttHost {
    /// The host of one game.
    #[must_use]
    pub const fn new(player: Player, times: TimeRules) -> Self {
        Self { player, times, told: false }
    }

    fn settings(&self) -> String {
        let TimeRules { bank, per_move } = self.times;
        let id = self.player.index() + 1;
        format!(
            "settings timebank {}\nsettings time_per_move {}\nsettings player_names player1,player2\n\
             settings your_bot player{id}\nsettings your_botid {id}\n",
            bank.as_millis(),
            per_move.as_millis()
        )
    }
}

impl Host<Uttt> for UtttHost {
    fn request(&mut self, position: &Uttt, _: Option<UtttMove>, time_left: Duration) -> String {
        let mut text = if self.told { String::new() } else { self.settings() };
        self.told = true;
        let ply = position.ply();
        // Writing to a string cannot fail.
        let _ = write!(
            text,
            "update game round {}\nupdate game move {}\nupdate game field {}\n\
             update game macroboard {}\naction move {}\n",
            ply / 2 + 1,
            ply + 1,
            write_field(position),
            write_macro_board(position),
            time_left.as_millis()
        );
        text
    }

    fn read_answer(&self, line: &str) -> Option<UtttMove> {
        let words: Vec<&str> = line.split_whitespace().collect();
        let &["place_move", column, row] = words.as_slice() else { return None };
        UtttMove::from_column_row(column.parse().ok()?, row.parse().ok()?)
    }
}

fn square(index: usize) -> Option<UtttMove> {
    UtttMove::from_column_row(index % 9, index / 9)
}

fn join<T: ToString>(values: impl Iterator<Item = T>) -> String {
    values.map(|value| value.to_string()).collect::<Vec<_>>().join(",")
}

fn write_field(position: &Uttt) -> String {
    let owner = |index| square(index).and_then(|square| position.at(square));
    join((0..81).map(|index| owner(index).map_or(0, |player| player.index() + 1)))
}

fn write_macro_board(position: &Uttt) -> String {
    join((0..9).map(|board| {
        let won = |player: &Player| position.won(*player) >> board & 1 == 1;
        match Player::BOTH.into_iter().find(won) {
            Some(player) => player.index() as i32 + 1,
            None if position.closed() >> board & 1 == 1 => 0,
            None if position.target().is_none_or(|target| target == board) => -1,
            None => 0,
        }
    }))
}

/// Is asked for moves. What is missing is taken as at the start of a game: an empty field, every
/// board playable; without an id, the number of marks tells who is to move.
#[derive(Clone, Debug)]
pub struct UtttBot {
    rules: Rules,
    /// The bot's id less 1.
    id: Option<usize>,
    /// Marks of the ids 1 and 2 in each small board.
    marks: [[u16; 9]; 2],
    macro_board: [i32; 9],
}

impl UtttBot {
    /// A bot for one game.
    #[must_use]
    pub const fn new(rules: Rules) -> Self {
        Self { rules, id: None, marks: [[0; 9]; 2], macro_board: [-1; 9] }
    }

    fn read_field(&mut self, text: &str) -> Result<(), String> {
        let field: [usize; 81] = read_values(text, "field", |value: &usize| *value <= 2)?;
        self.marks = [[0; 9]; 2];
        for (index, value) in field.into_iter().enumerate() {
            if let (Some(square), 1..) = (square(index), value) {
                self.marks[value - 1][square.board()] |= 1 << square.cell();
            }
        }
        Ok(())
    }

    /// The marks of both players on a small board.
    fn occupied(&self, board: usize) -> u16 {
        self.marks[0][board] | self.marks[1][board]
    }

    /// Who has three in a row in a small board, as the macro board writes it.
    fn winner(&self, board: usize) -> i32 {
        let line = |id: &usize| has_line(self.marks[*id][board]);
        [0, 1].into_iter().find(line).map_or(0, |id| id as i32 + 1)
    }

    fn query(&self, time_left: Option<Duration>) -> Query<Uttt> {
        let mut problems = Vec::new();
        let open: Vec<usize> = (0..9)
            .filter(|&board| self.winner(board) == 0 && self.occupied(board) != FULL)
            .collect();
        let mut playable: Vec<usize> =
            (0..9).filter(|&board| self.macro_board[board] == -1).collect();
        for board in 0..9 {
            let (told, found) = (self.macro_board[board], self.winner(board));
            if told.max(0) != found {
                problems.push(format!(
                    "macroboard: small board {board} is {told}, but by the field its winner is {found}"
                ));
            }
        }
        if playable.is_empty() {
            problems.push("macroboard: no small board is playable".into());
            playable.clone_from(&open);
        }
        let target = match playable.as_slice() {
            &[board] if open.contains(&board) => Some(board),
            _ if playable == open => None,
            _ => {
                problems.push(format!(
                    "macroboard: small boards {playable:?} are playable, but by the field {open:?} are open"
                ));
                None
            }
        };
        let position = self.position(target).map_err(|problem| problems.push(problem)).ok();
        let allowed = playable
            .iter()
            .flat_map(|&board| {
                let empty = !self.occupied(board);
                let squares = (0..9).filter(move |cell| empty >> cell & 1 == 1);
                squares.filter_map(move |cell| UtttMove::new(board, cell))
            })
            .collect();
        Query { position, last_move: None, allowed, time_left, problems }
    }

    fn position(&self, target: Option<usize>) -> Result<Uttt, String> {
        let counts = self.marks.map(|boards| boards.map(u16::count_ones).iter().sum::<u32>());
        let mine = self.id.unwrap_or(usize::from(counts[0] > counts[1]));
        let (mine, theirs) = (mine, 1 - mine);
        let side = if counts[mine] == counts[theirs] { Player::First } else { Player::Second };
        let marks = match side {
            Player::First => [self.marks[mine], self.marks[theirs]],
            Player::Second => [self.marks[theirs], self.marks[mine]],
        };
        let position = Uttt::from_marks(marks, side, target, self.rules)
            .map_err(|error| format!("field: {error}"))?;
        match position.outcome() {
            None => Ok(position),
            Some(_) => Err("field: the game is over by the rules in force".into()),
        }
    }
}

fn read_values<T: std::str::FromStr + std::fmt::Debug, const N: usize>(
    text: &str,
    name: &str,
    is_value: impl Fn(&T) -> bool,
) -> Result<[T; N], String> {
    let values: Option<Vec<T>> =
        text.split(',').map(|value| value.trim().parse().ok().filter(&is_value)).collect();
    let values = values.and_then(|values| <[T; N]>::try_from(values).ok());
    values.ok_or_else(|| format!("{name}: expected {N} values, found \"{}\"", excerpt(text)))
}

/// No bank is greater.
const MOST_MILLISECONDS: i64 = 3_600_000;

impl Bot<Uttt> for UtttBot {
    fn read(&mut self, line: &str) -> Result<Option<Query<Uttt>>, String> {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.as_slice() {
            []
            | ["settings", "timebank" | "time_per_move" | "player_names" | "your_bot", ..]
            | ["update", "game", "round" | "move", ..] => {}
            ["settings", "your_botid", id @ ("1" | "2")] => self.id = Some(usize::from(*id == "2")),
            ["update", "game", "field", values @ ..] => self.read_field(&values.concat())?,
            ["update", "game", "macroboard", values @ ..] => {
                let is_value = |value: &i32| (-1..=2).contains(value);
                self.macro_board = read_values(&values.concat(), "macroboard", is_value)?;
            }
            ["action", "move", time @ ..] => {
                let time: Option<i64> = time.first().and_then(|time| time.parse().ok());
                let time = time.map(|time| time.clamp(0, MOST_MILLISECONDS).unsigned_abs());
                let mut query = self.query(time.map(Duration::from_millis));
                if time.is_none() {
                    query.problems.push("action move: expected milliseconds".into());
                }
                return Ok(Some(query));
            }
            _ => return Err(format!("unknown line \"{}\"", excerpt(line))),
        }
        Ok(None)
    }

    fn answer(&mut self, mv: UtttMove) -> String {
        format!("place_move {} {}", mv.column(), mv.row())
    }
}
