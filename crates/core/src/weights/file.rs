//! Weight files: TOML with every slot by name, and its provenance.

use std::path::Path;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::{Weights, find_game, find_layout};
use crate::files::write_atomically;
use crate::game::GameInfo;
use crate::input::{InputError, Result, TomlFile, read_text};

const FORMAT: u64 = 1;

/// The keys of a weight file. Slots are read when its evaluation is known.
#[derive(Deserialize, JsonSchema)]
struct WeightFile {
    #[schemars(extend("x-missing" = "write format = 1"))]
    format: u64,
    game: String,
    evaluation: String,
    #[schemars(extend("x-missing" = "the slots go under [weights]"))]
    #[expect(dead_code, reason = "it is checked only")]
    weights: Map<String, Value>,
    #[schemars(with = "Option<Map<String, Value>>")]
    provenance: Option<toml::Table>,
}

/// Reads a weight file of one of the known games. Its name becomes the weights' name.
///
/// # Errors
/// A file that cannot be read; an unknown, missing, duplicate, NaN or infinite slot, by name.
pub fn read_weights(path: &Path, known: &[&'static GameInfo]) -> Result<Weights> {
    if path.is_dir() {
        let message = "is a folder; name a weight file, such as best.toml in the folder of a run";
        return Err(InputError::in_file(path, message));
    }
    parse_weights(&read_text(path)?, path, known)
}

/// Reads the text of a weight file.
pub fn parse_weights(text: &str, path: &Path, known: &[&'static GameInfo]) -> Result<Weights> {
    let document = TomlFile::parse(text, Some(path)).map_err(|error| not_toml(path, error))?;
    let root = document.root();
    if root.has("cmaes") {
        let message = "is the config of an evolution, not a weight file";
        return Err(InputError::in_file(path, message));
    }
    let WeightFile { format, game, evaluation, provenance, .. } = root.read()?;
    if format != FORMAT {
        let message = format!("this version of tictune reads format {FORMAT}, not {format}");
        return Err(root.error("format", message));
    }
    let game = find_game(known, &game).map_err(|error| root.error("game", error.message))?;
    let layout =
        find_layout(game, &evaluation).map_err(|error| root.error("evaluation", error.message))?;
    let names: Vec<&str> = layout.slots.iter().map(|slot| slot.name).collect();
    let slots = root.inner("weights").unwrap_or(root.clone());
    slots.check_keys(&names)?;
    let values = slots.read_values::<f64>()?;
    let missing: Vec<&str> =
        names.iter().copied().filter(|name| !values.contains_key(*name)).collect();
    if !missing.is_empty() {
        return Err(root.error("weights", format!("missing {}", missing.join(", "))));
    }
    let values = names.iter().map(|name| values[*name]).collect();
    let name = path.file_stem().map_or("weights".into(), |stem| stem.to_string_lossy());
    let mut weights =
        Weights::new(name, layout, values).map_err(|error| root.error("weights", error))?;
    weights.folder = path.parent().map(Path::to_path_buf).unwrap_or_default();
    // It is free-form: whatever a producer writes is kept.
    weights.provenance = provenance.unwrap_or_default();
    Ok(weights)
}

/// The error of a text that is no TOML: of source code it would name a place where nothing is wrong.
fn not_toml(path: &Path, error: InputError) -> InputError {
    match path.extension() {
        Some(extension) if extension != "toml" => {
            let message = "is not a weight file, which is TOML with a number for each weight";
            InputError::in_file(path, message)
        }
        _ => error,
    }
}

impl Weights {
    /// The text of a weight file. Reading it gives the same values bit for bit.
    pub fn to_toml(&self) -> String {
        let layout = self.layout();
        let mut text = format!(
            "format = {FORMAT}\ngame = \"{}\"\nevaluation = \"{}\"\n\n[weights]\n",
            layout.game, layout.name
        );
        for (slot, value) in layout.slots.iter().zip(self.values()) {
            // Debug prints the shortest digits that read back as the same number.
            text.push_str(&format!("{} = {value:?}\n", slot.name));
        }
        if !self.provenance.is_empty() {
            text.push_str("\n[provenance]\n");
            text.push_str(&self.provenance.to_string());
        }
        text
    }
}

/// Writes a weight file: whole or not at all.
pub fn write_weights(path: &Path, weights: &Weights) -> std::io::Result<()> {
    write_atomically(path, weights.to_toml().as_bytes())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::game::Game;
    use crate::testing::toy::{OPEN_LINES, Toy};

    fn parse(text: &str) -> Result<Weights, String> {
        parse_weights(text, Path::new("w.toml"), &[Toy::INFO]).map_err(|error| error.to_string())
    }

    const GOOD: &str = "format = 1\ngame = \"toy\"\nevaluation = \"lines\"\n\n[weights]\n\
                        two = 1\nthree = 20.5\ninner = -1e-3\n";

    #[test]
    fn bad_files_are_refused_with_line_and_slot() {
        assert_eq!(parse(GOOD).unwrap().values(), [1.0, 20.5, -1e-3]);
        for (old, new, expected) in [
            ("two = 1\n", "", "w.toml:5: weights: missing two"),
            ("two", "twos", "w.toml:6: unknown key \"weights.twos\"; did you mean \"two\"?"),
            ("20.5", "nan", "w.toml:7: weights.three: expected a finite number, found "),
            ("20.5", "-inf", "w.toml:7: weights.three: expected a finite number, found "),
            ("20.5", "\"20\"", "w.toml:7: weights.three: expected a finite number, found "),
            ("20.5", "1e999", "w.toml:7: weights.three: expected a finite number, found "),
            ("three", "two", "w.toml:7: duplicate key"),
            (
                "format = 1",
                "format = 2",
                "w.toml:1: format: this version of tictune reads format 1, not 2",
            ),
            ("format = 1\n", "", "format: missing"),
            ("\"lines\"", "\"liness\"", "did you mean \"lines\"?"),
            ("\"toy\"", "\"draughts\"", "unknown game \"draughts\""),
            ("format", "formal", "did you mean \"format\"?"),
        ] {
            let error = parse(&GOOD.replacen(old, new, 1)).unwrap_err();
            assert!(error.contains(expected), "{new}: {error}");
        }
    }

    proptest! {
        #[test]
        fn values_survive_bit_for_bit(bits in prop::array::uniform3(any::<u64>())) {
            let values = bits.map(f64::from_bits);
            prop_assume!(values.iter().all(|v| v.is_finite()));
            let mut weights = Weights::new("w", &OPEN_LINES, values.to_vec()).unwrap();
            weights.provenance.insert("source".into(), "a \"test\"\n".into());
            let read = parse(&weights.to_toml()).unwrap();
            prop_assert_eq!(bits.to_vec(), read.values().iter().map(|v| v.to_bits()).collect::<Vec<_>>());
            prop_assert_eq!(read, weights);
        }
    }
}
