//! A kind of agent of one's own, beside those of tictune: it leaves the opponent as few moves as it can.
//!
//! ```text
//! cargo run --release --example own_agent -- match mobility:mistakes=0.1 random --games 20 --seed 1
//! ```
//!
//! Its keys are the fields of a struct. They are checked, printed, helped with (`match --help`) and evolved like all others,
//! in every game of the program.

use rand::{RngExt, SeedableRng};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tictune::agent::{AgentSettings, Choice, Failure, Setup, Spawn, Turn, spawn};
use tictune::input::InputError;
use tictune::seed::Generator;
use tictune::{Agent, AgentKind, App, Game, Position};

/// Leaves the opponent as few moves as it can.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
struct Mobility {
    /// The chance of a random move
    #[schemars(range(min = 0, max = 1), example = 0.1, extend("x-evolves" = true))]
    mistakes: f64,
}

impl AgentSettings for Mobility {}

impl AgentKind for Mobility {
    const NAME: &'static str = "mobility";

    fn prepare<P: Game>(&self, _: &Setup<'_, P>) -> Result<Spawn<P>, InputError> {
        let mistakes = self.mistakes;
        Ok(spawn(move |seed| Player { mistakes, generator: Generator::seed_from_u64(seed) }))
    }
}

/// Plays one side of one game.
struct Player {
    mistakes: f64,
    generator: Generator,
}

impl<P: Position> Agent<P> for Player {
    fn choose(&mut self, turn: &Turn<'_, P>) -> Result<Choice<P::Move>, Failure> {
        let position = turn.position;
        if self.generator.random::<f64>() < self.mistakes {
            let index = self.generator.random_range(0..position.legal_move_count());
            return Ok(Choice::free(position.nth_legal_move(index)));
        }
        // A move that ends the game leaves no moves at all.
        let replies = |mv: &P::Move| {
            let after = position.after(*mv);
            if after.outcome().is_some() { 0 } else { after.legal_move_count() }
        };
        let best = position.legal_moves().min_by_key(replies);
        Ok(Choice::free(best.expect("agents are asked in positions with moves")))
    }
}

fn main() -> std::process::ExitCode {
    App::with_built_in_games().kind::<Mobility>().main()
}
