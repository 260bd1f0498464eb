//! A kind of agent of one's own, beside those of tictune: it wins if it can with its next move, and plays at random otherwise.
//!
//! ```text
//! cargo run --release --example own_agent -- match opportunist:oversight=0.1 random --games 100 --seed 1
//! ```
//!
//! Its keys are the fields of a struct. They are checked, printed, helped with (`match --help`) and evolved like all others,
//! in every game of the program.

use rand::{RngExt, SeedableRng};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tictune::agent::{AgentSettings, Choice, Failure, Spawn, Turn, spawn};
use tictune::input::InputError;
use tictune::seed::Generator;
use tictune::{Agent, AgentKind, App, Game, Searchable};

/// Wins if it can with its next move, and plays at random otherwise.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
struct Opportunist {
    /// The chance that it does not see such a move
    #[schemars(range(min = 0, max = 1), example = 0.1, extend("x-evolves" = true))]
    oversight: f64,
}

impl AgentSettings for Opportunist {}

impl AgentKind for Opportunist {
    const NAME: &'static str = "opportunist";

    fn prepare<P: Game>(&self, _: &str) -> Result<Spawn<P>, InputError> {
        let oversight = self.oversight;
        Ok(spawn(move |seed| Player { oversight, generator: Generator::seed_from_u64(seed) }))
    }
}

/// Plays one side of one game.
struct Player {
    oversight: f64,
    generator: Generator,
}

impl<P: Searchable> Agent<P> for Player {
    fn choose(&mut self, turn: &Turn<'_, P>) -> Result<Choice<P::Move>, Failure> {
        let sees = self.generator.random::<f64>() >= self.oversight;
        let winning = turn.position.winning_move().filter(|_| sees);
        let index = self.generator.random_range(0..turn.position.legal_move_count());
        Ok(Choice::free(winning.unwrap_or_else(|| turn.position.nth_legal_move(index))))
    }
}

fn main() -> std::process::ExitCode {
    App::with_built_in_games().kind::<Opportunist>().main()
}
