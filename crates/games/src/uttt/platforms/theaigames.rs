//! The protocol of TheAIGames for UTTT (Liang 1.4).
//!
//! A platform starts with `settings`. Before every move, it sends the whole field with `update` and asks for a move with
//! `action move T`, where T is the bot's remaining time in milliseconds. The answer is `place_move COLUMN ROW`.
//!
//! The field has 81 values, row by row from the top left: 0 is empty, 1 and 2 are the marks of the players. The macro board
//! has 9 values: -1 for a board that may be played in now, 1 or 2 for a won board, otherwise 0. A drawn board and a board that
//! just cannot be played in now both have the value 0, so drawn boards follow from the field.

use std::ops::RangeInclusive;
use std::time::Duration;

use crate::uttt::square::{FULL, cells, has_line};
use crate::uttt::{Rules, Uttt, UtttMove};
use tictune_core::agent::ClockTime;
use tictune_core::game::{Player, Position};
use tictune_core::input::excerpt;
use tictune_programs::{Bot, Host, Query};

/// Asks a program for the moves of one player. The first player is `player1` with the id 1.
pub(super) struct TheAiGamesHost {
    player: Player,
    times: ClockTime,
    settings_sent: bool,
}

impl TheAiGamesHost {
    pub(super) const fn new(player: Player, times: ClockTime) -> Self {
        Self { player, times, settings_sent: false }
    }
}

impl Host<Uttt> for TheAiGamesHost {
    fn request(&mut self, position: &Uttt, _: Option<UtttMove>, time_left: Duration) -> String {
        let settings = if self.settings_sent {
            String::new()
        } else {
            let ClockTime { left, increment } = self.times;
            let id = self.player.index() + 1;
            format!(
                "settings timebank {}\nsettings time_per_move {}\nsettings player_names player1,player2\n\
                 settings your_bot player{id}\nsettings your_botid {id}\n",
                left.as_millis(),
                increment.as_millis()
            )
        };
        self.settings_sent = true;
        format!(
            "{settings}update game round {}\nupdate game move {}\nupdate game field {}\n\
             update game macroboard {}\naction move {}\n",
            position.ply() / 2 + 1,
            position.ply() + 1,
            write_field(position),
            write_macro_board(position),
            time_left.as_millis()
        )
    }

    /// The platform ignored what followed the move, and Liang's engine writes more.
    fn read_answer(&self, line: &str) -> Option<UtttMove> {
        let words: Vec<&str> = line.split_whitespace().take(3).collect();
        let &["place_move", column, row] = words.as_slice() else { return None };
        UtttMove::from_column_row(column.parse().ok()?, row.parse().ok()?)
    }
}

fn join<T: ToString>(values: impl Iterator<Item = T>) -> String {
    values.map(|value| value.to_string()).collect::<Vec<_>>().join(",")
}

fn write_field(position: &Uttt) -> String {
    let owner = |index: usize| position.at(UtttMove::at_column_row(index % 9, index / 9));
    join((0..81).map(|index| owner(index).map_or(0, |player| player.index() + 1)))
}

fn write_macro_board(position: &Uttt) -> String {
    join((0..9).map(|board| {
        let won = |player: &Player| position.won(*player) >> board & 1 == 1;
        match Player::BOTH.into_iter().find(won) {
            Some(player) => player.index() as i32 + 1,
            None => -i32::from(position.playable() >> board & 1 == 1),
        }
    }))
}

/// Answers requests for moves. Values that the platform has not sent are those at the start of a game: the field is empty and
/// every board is playable. Without an id, the side to move follows from the number of marks.
pub(super) struct TheAiGamesBot {
    rules: Rules,
    /// The bot's id minus 1.
    id: Option<usize>,
    /// The marks of the ids 1 and 2 in each small board.
    marks: [[u16; 9]; 2],
    macro_board: [i32; 9],
}

impl TheAiGamesBot {
    pub(super) const fn new(rules: Rules) -> Self {
        Self { rules, id: None, marks: [[0; 9]; 2], macro_board: [-1; 9] }
    }

    fn read_field(&mut self, text: &str) -> Result<(), String> {
        let field: [i32; 81] = read_values(text, "field", 0..=2)?;
        self.marks = [[0; 9]; 2];
        for (index, value) in field.into_iter().enumerate() {
            let square = UtttMove::at_column_row(index % 9, index / 9);
            if value > 0 {
                self.marks[value as usize - 1][square.board()] |= 1 << square.cell();
            }
        }
        Ok(())
    }

    fn query(&self, time_left: Option<Duration>) -> Query<Uttt> {
        let mut problems = Vec::new();
        let empty = |board: usize| FULL & !(self.marks[0][board] | self.marks[1][board]);
        // Who has three in a row, as the macro board writes it.
        let winner = |board: usize| {
            let line = |id: &usize| has_line(self.marks[*id][board]);
            [0, 1].into_iter().find(line).map_or(0, |id| id as i32 + 1)
        };
        let is_open = |board: &usize| winner(*board) == 0 && empty(*board) != 0;
        let mut playable: Vec<usize> =
            (0..9).filter(|&board| self.macro_board[board] == -1).collect();
        let target = match playable.as_slice() {
            &[board] => Some(board).filter(is_open),
            _ => None,
        };
        let position = self.position(target).map_err(|problem| problems.push(problem)).ok();
        if let Some(position) = &position {
            let found: [i32; 9] = std::array::from_fn(|board| match winner(board) {
                0 => -i32::from(position.playable() >> board & 1 == 1),
                id => id,
            });
            if found != self.macro_board {
                let [sent, found] = [self.macro_board, found].map(|boards| join(boards.iter()));
                problems.push(format!("macroboard: {sent}, but by the field it is {found}"));
            }
        }
        if playable.is_empty() {
            playable = (0..9).filter(is_open).collect();
        }
        let squares =
            |&board: &usize| cells(empty(board)).map(move |cell| UtttMove::at(board, cell));
        let allowed = playable.iter().flat_map(squares).collect();
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

fn read_values<const N: usize>(
    text: &str,
    name: &str,
    range: RangeInclusive<i32>,
) -> Result<[i32; N], String> {
    let value = |text: &str| text.trim().parse().ok().filter(|value| range.contains(value));
    let values: Option<Vec<i32>> = text.split(',').map(value).collect();
    let values = values.and_then(|values| values.try_into().ok());
    values.ok_or_else(|| format!("{name}: expected {N} values, found \"{}\"", excerpt(text)))
}

/// A longer remaining time counts as this one.
const MOST_MILLISECONDS: i64 = 3_600_000;

impl Bot<Uttt> for TheAiGamesBot {
    fn read(&mut self, line: &str) -> Result<Option<Query<Uttt>>, String> {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.as_slice() {
            []
            | ["settings", "timebank" | "time_per_move" | "player_names" | "your_bot", ..]
            | ["update", "game", "round" | "move", ..] => {}
            ["settings", "your_botid", id @ ("1" | "2")] => self.id = Some(usize::from(*id == "2")),
            ["update", "game", "field", values @ ..] => self.read_field(&values.concat())?,
            ["update", "game", "macroboard", values @ ..] => {
                self.macro_board = read_values(&values.concat(), "macroboard", -1..=2)?;
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
