//! Weights that are compiled in: the published vectors.

use std::path::Path;

use super::Weights;
use super::file::parse_weights;
use crate::game::{BuiltInWeights, GameInfo};

fn read(game: &'static GameInfo, vector: &BuiltInWeights) -> Option<Weights> {
    parse_weights(vector.toml, Path::new(&format!("{}.toml", vector.name)), &[game]).ok()
}

/// Built-in weights of a game by name.
pub fn find(game: &'static GameInfo, name: &str) -> Option<Weights> {
    read(game, game.vectors.iter().find(|vector| vector.name == name)?)
}

/// The strongest built-in weights of an evaluation: the first in the game's list.
pub fn strongest(game: &'static GameInfo, evaluation: &str) -> Option<Weights> {
    let all = game.vectors.iter().filter_map(|vector| read(game, vector));
    all.into_iter().find(|weights| weights.layout().name == evaluation)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Game;
    use crate::testing::toy::Toy;

    #[test]
    fn weights_are_found_by_name_and_the_first_of_an_evaluation_are_the_strongest() {
        let even = find(Toy::INFO, "toy-even").unwrap();
        assert_eq!((&*even.name, even.values()), ("toy-even", &[1.0; 3][..]));
        assert_eq!(find(Toy::INFO, "even"), None);
        assert_eq!(strongest(Toy::INFO, "lines").unwrap().name, "toy-lines");
        assert_eq!(strongest(Toy::INFO, "inner").unwrap().name, "toy-inner");
        assert_eq!(strongest(Toy::INFO, "edge"), None);
    }
}
