//! What was learned, as an agent: the move of the highest value in a table (see `learn`).
//!
//! What is learned over the features of a layout needs nothing of this: its result is a weight file, and
//! `greedy:weights=FILE` plays it with the learner's own policy.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use rand::SeedableRng;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{ReturnModel, ValueTable};
use tictune_core::agent::{AgentKind, AgentSettings, Choice, Scope, Spawn, Turn, spawn};
use tictune_core::files::fingerprint;
use tictune_core::game::{Game, GameInfo};
use tictune_core::input::{InputError, Result, read_data};
use tictune_core::seed::Generator;

/// Plays the move of the highest value in a learned table.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct LearnedSettings {
    /// A values.csv of `tictune learn`, or its folder
    #[schemars(
        with = "String",
        example = &"runs/learned",
        extend(
            "x-names" = "values",
            "x-shows" = "path",
            "x-takes" = "a file or a folder",
            "x-required" = "from=PATH, a values.csv of tictune learn or its folder"
        )
    )]
    pub from: Learned,
}

impl AgentSettings for LearnedSettings {}

impl AgentKind for LearnedSettings {
    const NAME: &'static str = "learned";
    const COMMON: Option<&'static [&'static str]> = Some(&["first_move", "seed"]);

    tictune_core::described_here!();

    fn prepare<P: Game>(&self, _: &str) -> Result<Spawn<P>> {
        let Learned { path, hash } = &self.from;
        let wrong = |message: String| InputError::in_file(path, message);
        // The path may come from the network: no device without an end, no pipe that nobody writes to.
        if !path.is_file() {
            return Err(wrong("cannot be read: it is not a regular file".into()));
        }
        let text = read_data(path)?;
        if fingerprint(text.as_bytes()) != *hash {
            return Err(wrong(format!("has changed: it no longer has the fingerprint {hash}")));
        }
        let table = ValueTable::parse(&text, path, P::INFO)?;
        players_of(table).map_err(|error| wrong(error.message))
    }

    fn look_up(key: &str, text: &str, scope: Scope<'_>) -> Option<Result<Value>> {
        (key == "from").then(|| {
            let found = Learned::find(&scope.folder.join(text), scope.game)?;
            serde_json::to_value(found).map_err(|error| InputError::new(error.to_string()))
        })
    }
}

/// A table of values as an agent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Learned {
    /// Its file.
    pub path: PathBuf,
    /// A fingerprint of what the file held when the agent was read: 16 hexadecimal digits.
    pub hash: String,
}

impl Learned {
    /// The table that a user named by its file, or by the folder of the run that left it.
    ///
    /// # Errors
    /// A file that cannot be read, or is not what was expected.
    pub fn find(path: &Path, game: &'static GameInfo) -> Result<Self> {
        let file = if path.is_dir() { path.join("values.csv") } else { path.to_path_buf() };
        if path.is_dir() && !file.exists() && path.join("learned.toml").exists() {
            let weights = path.join("learned.toml");
            let message = format!("contains weights: play greedy:weights={}", weights.display());
            return Err(InputError::in_file(path, message));
        }
        let text = read_data(&file)?;
        ValueTable::parse(&text, &file, game)?;
        Ok(Self { path: file, hash: fingerprint(text.as_bytes()) })
    }
}

/// Players of the move of the highest value; what is not in the table counts 0, and equals are drawn.
pub(crate) fn players_of<P: Game>(table: ValueTable) -> Result<Spawn<P>> {
    let model = Arc::new(ReturnModel::of(table).map_err(InputError::new)?);
    Ok(spawn(move |seed| {
        let (model, mut generator) = (Arc::clone(&model), Generator::seed_from_u64(seed));
        move |turn: &Turn<'_, P>| {
            let (prospects, side) = (model.prospects(turn.position), turn.position.side_to_move());
            let index = model.best(&prospects, side, &mut generator);
            Ok(Choice::free(turn.position.nth_legal_move(index)))
        }
    }))
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::super::table::tests::table;
    use super::super::table::{TableKind, signs_of, state_action};
    use super::*;
    use tictune_core::agent::Agents;
    use tictune_core::game::Position;
    use tictune_games::uttt::evaluation::CONNECTING;
    use tictune_games::uttt::{Rules, Uttt};

    /// The moves that agents of a table play.
    fn moves(table: &ValueTable, notation: &str) -> HashSet<String> {
        let folder = tempfile::tempdir().unwrap();
        table.write(&folder.path().join("values.csv")).unwrap();
        let text = format!("learned:from={}", folder.path().display());
        let agent = Agents::<Uttt>::of::<((), LearnedSettings)>().ready(&text).unwrap();
        let position = Uttt::from_notation(notation, Rules::default()).unwrap();
        let choose = |seed| agent.spawn(seed).choose(&Turn::new(&position)).unwrap().mv.to_string();
        (0..200).map(choose).collect()
    }

    #[test]
    fn the_highest_pair_is_played_and_equals_are_drawn() {
        let start = Uttt::start(Rules::default());
        let of = |pairs: &[(usize, f64)]| {
            let pairs = pairs.iter().map(|&(mv, value)| (state_action(start.key(), mv), value));
            moves(&table(TableKind::StateActions, pairs), &start.notation())
        };
        assert_eq!(of(&[(0, 1.0), (40, 2.0)]), ["4,4".into()].into());
        assert_eq!(of(&[(0, 2.0), (40, 2.0), (1, 1.0)]), ["4,4".into(), "0,0".into()].into());
        // What is unknown counts 0, which is more than a loss.
        let bad: Vec<_> = (0..81).filter(|mv| *mv != 7).map(|mv| (mv, -1.0)).collect();
        assert_eq!(of(&bad), ["1,2".into()].into());
        assert!(of(&[]).len() > 60);
    }

    #[test]
    fn binary_features_are_those_after_the_move_and_a_win_needs_no_value() {
        let of = |value, notation: &str| {
            let pair = (signs_of(&[1.0, 0.0, 0.0]), value);
            moves(&table(TableKind::BinaryFeatures(&CONNECTING), [pair]), notation)
        };
        // x is sent to b(0, 0), where it has two squares of the top row: completing it wins the board,
        // with one line of two more in either case.
        let two = "xx7/9/9/oo7/9/9/9/9/9 x 0,0";
        assert_eq!(of(5.0, two), ["2,0".into()].into());
        assert!(!of(-5.0, two).contains("2,0"));
        // With two boards of the top row won, the same square wins the game.
        let won = "xxxxxxxx1/9/9/oo1oo1oo1/9/9/oo7/9/9 x 2,0";
        assert_eq!(of(-5.0, won), ["8,0".into()].into());
    }

    #[test]
    fn a_table_that_has_changed_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("values.csv");
        let mut values = table(TableKind::StateActions, []);
        values.write(&path).unwrap();
        let from = Learned::find(folder.path(), Uttt::INFO).unwrap();
        let learned = LearnedSettings { from };
        assert!(learned.prepare::<Uttt>("").is_ok());
        values.values.insert(3, 0.5);
        values.write(&path).unwrap();
        assert!(learned.prepare::<Uttt>("").err().unwrap().to_string().contains("has changed"));
    }
}
