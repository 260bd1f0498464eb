//! An evolution from code: a config is read, run in a folder of its own, and its winner is shown.
//!
//!     cargo run --release --example evolve

#![allow(clippy::print_stdout)]

use std::error::Error;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use tictune::config::{self, Overrides};
use tictune::evolve::{LocalExecutor, RunDir, Silent, run};
use tictune::games::{KNOWN, Uttt};

fn main() -> Result<(), Box<dyn Error>> {
    let overrides = Overrides { max_generations: Some(5), ..Overrides::default() };
    let config = Path::new("experiments/quickstart.toml");
    let (plan, text) = config::load(config, overrides, KNOWN)?;
    let dir = RunDir::new("runs/example-evolve", KNOWN);
    if dir.is_vacant()? {
        dir.create(&text, &plan)?;
    }
    // A run that was stopped is continued, and a finished one is read back.
    let result =
        run::<Uttt>(&plan, &dir, &LocalExecutor::<Uttt>::new(), &Silent, &AtomicBool::new(false))?;
    println!("{}", result.comparison.verdict);
    for row in &result.validation {
        println!("{row:?}");
    }
    let winner = result.winner();
    println!("{}: {:?}", winner.name, winner.weights.as_ref().map(|weights| weights.values()));
    Ok(())
}
