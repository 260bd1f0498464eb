//! Weights in JSON: manifests of runs, and whatever else holds agents.
//!
//! JSON names the game and the evaluation of weights, and only the caller knows the games there are. Derived readers cannot be
//! handed such knowledge, so that it waits in a thread-local for as long as [`from_json`] runs.

use std::cell::RefCell;

use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{Weights, find_game, find_layout};
use crate::game::GameInfo;

thread_local! {
    static KNOWN: RefCell<Vec<&'static GameInfo>> = const { RefCell::new(Vec::new()) };
}

/// Reads JSON that may hold weights of the known games.
pub fn from_json<T: DeserializeOwned>(
    text: &str,
    known: &[&'static GameInfo],
) -> Result<T, serde_json::Error> {
    let before = KNOWN.replace(known.to_vec());
    let read = serde_json::from_str(text);
    KNOWN.set(before);
    read
}

#[derive(Serialize, Deserialize)]
struct PlainWeights {
    name: String,
    game: String,
    evaluation: String,
    values: Vec<f64>,
}

impl Serialize for Weights {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        PlainWeights {
            name: self.name.clone(),
            game: self.layout.game.into(),
            evaluation: self.layout.name.into(),
            values: self.values.clone(),
        }
        .serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Weights {
    /// Works within `from_json` only.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let plain = PlainWeights::deserialize(deserializer)?;
        let layout = KNOWN
            .with_borrow(|known| find_layout(find_game(known, &plain.game)?, &plain.evaluation))
            .map_err(D::Error::custom)?;
        Self::new(plain.name, layout, plain.values).map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Game;
    use crate::testing::toy::Toy;

    #[test]
    fn weights_survive_json_where_their_game_is_known() {
        let weights = Weights::built_in(Toy::INFO, "toy-lines").unwrap();
        let text = serde_json::to_string(&weights).unwrap();
        let read: Weights = from_json(&text, &[Toy::INFO]).unwrap();
        assert_eq!((read.name, read.values), (weights.name, weights.values));
        let error = from_json::<Weights>(&text, &[]).unwrap_err().to_string();
        assert!(error.contains("unknown game \"toy\""), "{error}");
    }
}
