//! Tables of values: what learning leaves where it has no weights.
//!
//! A file of a table is CSV under one line of JSON that says what it is; rows stand in the order of their keys, so that the
//! same table is the same bytes. Values that are 0 are left out: that is what a key counts that is not in the table.

use std::collections::HashMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use tictune_core::files::{FileError, csv_text, write_atomically};
use tictune_core::game::{GameInfo, WeightLayout};
use tictune_core::input::{InputError, Result};
use tictune_core::weights::find_layout;

const FORMAT: u32 = 1;

/// What a table has a value for, packed in a number: see [`TableKind`].
pub type ValueKey = u128;

/// The most slots of a layout whose signs fit a [`ValueKey`].
pub const MAX_SIGNS: usize = 64;

/// What the keys of a table are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableKind {
    /// Pairs of a position and a move that is played in it.
    StateActions,
    /// Binary features of the position that a move leads to, two for each slot of a layout: whether the
    /// side that moved has more of what the slot counts, and whether its opponent has.
    BinaryFeatures(&'static WeightLayout),
}

impl TableKind {
    /// The binary features of a layout, of at most [`MAX_SIGNS`] slots.
    pub(super) fn of_layout(layout: &'static WeightLayout) -> Result<Self, String> {
        match layout.len() {
            slots if slots > MAX_SIGNS => {
                Err(format!("{slots} slots; binary features take up to {MAX_SIGNS}"))
            }
            _ => Ok(Self::BinaryFeatures(layout)),
        }
    }

    /// The name of the representation in configs and files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::StateActions => "state-actions",
            Self::BinaryFeatures(_) => "binary-features",
        }
    }

    const fn columns(self) -> &'static [&'static str] {
        match self {
            Self::StateActions => &["position", "move", "value"],
            Self::BinaryFeatures(_) => &["features", "value"],
        }
    }

    fn fields(self, key: ValueKey) -> Vec<String> {
        match self {
            Self::StateActions => {
                vec![format!("{:016x}", key >> MOVE_BITS), (key & MOVE).to_string()]
            }
            Self::BinaryFeatures(layout) => {
                let sign = |slot: usize| ['0', '+', '-'][(key >> (2 * slot) & 3).min(2) as usize];
                vec![(0..layout.len()).map(sign).collect()]
            }
        }
    }

    fn parse(self, fields: &csv::StringRecord, game: &GameInfo) -> Result<ValueKey, String> {
        let field = |column: usize| fields.get(column).unwrap_or_default();
        match self {
            Self::StateActions => {
                let position =
                    u64::from_str_radix(field(0), 16).ok().filter(|_| field(0).len() == 16);
                let position = position.ok_or("position: expected 16 hexadecimal digits")?;
                let greatest = game.move_indices - 1;
                let mv = field(1).parse().ok().filter(|&mv: &usize| mv <= greatest);
                let wrong = || format!("move: expected a number from 0 to {greatest}");
                Ok(state_action(position, mv.ok_or_else(wrong)?))
            }
            Self::BinaryFeatures(layout) => {
                let sign = |sign| Some([-1.0, 0.0, 1.0]["-0+".find(sign)?]);
                let signs: Option<Vec<f64>> = field(0).chars().map(sign).collect();
                let signs = signs.filter(|signs| signs.len() == layout.len());
                let wrong = || format!("features: expected {} of + - 0", layout.len());
                Ok(signs_of(&signs.ok_or_else(wrong)?))
            }
        }
    }
}

/// The bits of a key of [`TableKind::StateActions`] that hold the move.
const MOVE_BITS: u32 = 32;
const MOVE: ValueKey = (1 << MOVE_BITS) - 1;

/// The key of a position, by its `key`, and a move, by its `move_index`.
pub const fn state_action(position: u64, mv: usize) -> ValueKey {
    (position as ValueKey) << MOVE_BITS | mv as ValueKey & MOVE
}

/// The key of the binary features of counts, of which there are at most [`MAX_SIGNS`].
pub fn signs_of(counts: &[f64]) -> ValueKey {
    let sign = |&count: &f64| ValueKey::from(count > 0.0) | ValueKey::from(count < 0.0) << 1;
    counts.iter().take(MAX_SIGNS).enumerate().map(|(slot, count)| sign(count) << (2 * slot)).sum()
}

/// A table of values.
#[derive(Clone, Debug, PartialEq)]
pub struct ValueTable {
    /// The name of the game.
    pub game: String,
    /// What its keys are.
    pub kind: TableKind,
    /// The values; every key that is missing has 0.
    pub values: HashMap<ValueKey, f64>,
}

/// The first line of a file.
#[derive(Serialize, Deserialize)]
struct TableHead {
    tictune_values: u32,
    game: String,
    representation: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    evaluation: Option<String>,
}

impl ValueTable {
    /// The value of a key.
    pub fn value(&self, key: ValueKey) -> f64 {
        self.values.get(&key).copied().unwrap_or_default()
    }

    /// The text of a file. Reading it gives every value bit for bit, those of 0 apart, which are left out. Memory takes all
    /// of it: no error is known.
    pub fn to_text(&self) -> std::io::Result<Vec<u8>> {
        let head = TableHead {
            tictune_values: FORMAT,
            game: self.game.clone(),
            representation: self.kind.name().into(),
            evaluation: match self.kind {
                TableKind::StateActions => None,
                TableKind::BinaryFeatures(layout) => Some(layout.name.into()),
            },
        };
        let mut text = format!("# {}\n", serde_json::to_string(&head)?).into_bytes();
        let mut rows: Vec<_> = self.values.iter().filter(|(_, value)| **value != 0.0).collect();
        rows.sort_unstable_by_key(|(key, _)| **key);
        text.extend(csv_text([self.kind.columns()])?);
        let row = |(&key, value): (&ValueKey, &f64)| {
            let mut fields = self.kind.fields(key);
            // Debug prints the shortest digits that read back as the same number.
            fields.push(format!("{value:?}"));
            fields
        };
        text.extend(csv_text(rows.into_iter().map(row))?);
        Ok(text)
    }

    /// Writes a file: whole or not at all.
    ///
    /// # Errors
    /// A failure of the file system.
    pub fn write(&self, path: &Path) -> Result<(), FileError> {
        let written = self.to_text().and_then(|text| write_atomically(path, &text));
        written.map_err(FileError::writing(path))
    }

    /// Reads the text of a file; `path` is the name that errors give.
    ///
    /// # Errors
    /// What is not a table of values of the game, with its line.
    pub fn parse(text: &str, path: &Path, game: &'static GameInfo) -> Result<Self> {
        let wrong = |line: u64| {
            move |message: String| InputError::in_line(path, line as usize, text, message)
        };
        let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
        let kind = Self::kind_of_head(first, game).map_err(wrong(1))?;
        let mut reader = csv::ReaderBuilder::new().flexible(true).from_reader(rest.as_bytes());
        let columns = kind.columns();
        let found = reader.headers().map_err(|error| wrong(2)(error.to_string()))?;
        if found.iter().ne(columns.iter().copied()) {
            return Err(wrong(2)(format!("expected the columns {}", columns.join(","))));
        }
        let mut values = HashMap::new();
        // The first line of the file is not one of its CSV.
        let line = |position: Option<&csv::Position>| position.map_or(2, csv::Position::line) + 1;
        for row in reader.records() {
            let row = row.map_err(|error| wrong(line(error.position()))(error.to_string()))?;
            let wrong = wrong(line(row.position()));
            if row.len() != columns.len() {
                let message = format!("expected {} columns, found {}", columns.len(), row.len());
                return Err(wrong(message));
            }
            let key = kind.parse(&row, game).map_err(wrong)?;
            let value = row.iter().next_back().and_then(|text| text.parse().ok());
            let value = value
                .filter(|value: &f64| value.is_finite())
                .ok_or_else(|| wrong("value: expected a finite number".into()))?;
            if values.insert(key, value).is_some() {
                return Err(wrong("its key stands in the table already".into()));
            }
        }
        Ok(Self { game: game.name.into(), kind, values })
    }

    fn kind_of_head(line: &str, game: &'static GameInfo) -> Result<TableKind, String> {
        let head = line.strip_prefix("# ").and_then(|json| serde_json::from_str(json).ok());
        let TableHead { tictune_values, game: name, representation, evaluation } =
            head.ok_or("is not a table of values; expected a values.csv of tictune learn")?;
        if tictune_values != FORMAT {
            return Err(format!(
                "this version of tictune reads values of format {FORMAT}, not {tictune_values}"
            ));
        }
        if name != game.name {
            return Err(format!("holds values of the game {name}, not of {}", game.name));
        }
        match (&*representation, evaluation) {
            ("state-actions", None) => Ok(TableKind::StateActions),
            ("binary-features", Some(evaluation)) => find_layout(game, &evaluation)
                .map_err(|error| error.message)
                .and_then(TableKind::of_layout),
            _ => {
                Err("expected representation state-actions, or binary-features with an evaluation"
                    .into())
            }
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use tictune_core::game::Game;
    use tictune_core::testing::check_mistakes;
    use tictune_games::Uttt;
    use tictune_games::uttt::evaluation::CONNECTING;

    pub(crate) fn table(
        kind: TableKind,
        values: impl IntoIterator<Item = (ValueKey, f64)>,
    ) -> ValueTable {
        ValueTable { game: "uttt".into(), kind, values: values.into_iter().collect() }
    }

    fn parse(text: &str) -> Result<ValueTable, String> {
        ValueTable::parse(text, Path::new("v.csv"), Uttt::INFO).map_err(|error| error.to_string())
    }

    #[test]
    fn a_file_is_sorted_and_leaves_out_what_counts_nothing() {
        let pairs = [(state_action(0xab, 80), -0.1), (state_action(0xab, 3), 2.0), (0, 0.0)];
        let text = table(TableKind::StateActions, pairs).to_text().unwrap();
        let expected = format!("{STATE_ACTIONS}00000000000000ab,3,2.0\n00000000000000ab,80,-0.1\n");
        assert_eq!(String::from_utf8(text).unwrap(), expected);
        let pairs = [(signs_of(&[2.0, -1.0, 0.0]), 1.5), (0, -2.0)];
        let table = table(TableKind::BinaryFeatures(&CONNECTING), pairs);
        assert_eq!(parse(FEATURES).unwrap(), table);
        assert_eq!([table.value(pairs[0].0), table.value(1)], [1.5, 0.0]);
    }

    const STATE_ACTIONS: &str = "# {\"tictune_values\":1,\"game\":\"uttt\",\"representation\":\"state-actions\"}\nposition,move,value\n";
    const FEATURES: &str = "# {\"tictune_values\":1,\"game\":\"uttt\",\"representation\":\"binary-features\",\"evaluation\":\"connecting\"}\nfeatures,value\n+-0,1.5\n000,-2.0\n";

    #[test]
    fn bad_files_are_refused_with_their_line() {
        check_mistakes(include_str!("../mistakes.txt"), "values", FEATURES, parse);
        for (row, expected) in [
            ("ab,1,2", "v.csv:3: position: expected 16 hexadecimal digits"),
            ("00000000000000ab,81,2", "v.csv:3: move: expected a number from 0 to 80"),
        ] {
            let error = parse(&format!("{STATE_ACTIONS}{row}\n")).unwrap_err();
            assert!(error.contains(expected), "{error}");
        }
    }
}
