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
use tictune::agent::{AgentSettings, Choice, Spawn, Turn, spawn};
use tictune::input::InputError;
use tictune::seed::Generator;
use tictune::{AgentKind, App, Game};

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
        // An agent plays one side of one game: a closure that chooses its moves.
        Ok(spawn(move |seed| {
            let mut generator = Generator::seed_from_u64(seed);
            move |turn: &Turn<'_, P>| {
                let sees = generator.random::<f64>() >= oversight;
                let winning = turn.position.winning_move().filter(|_| sees);
                let index = generator.random_range(0..turn.position.legal_move_count());
                Ok(Choice::free(winning.unwrap_or_else(|| turn.position.nth_legal_move(index))))
            }
        }))
    }
}

fn main() -> std::process::ExitCode {
    App::with_built_in_games().kind::<Opportunist>().main()
}
