//! An evolution from code: a config is read, run in a folder of its own, and its winner is shown.
//!
//!     cargo run --release --example evolve experiments/staged/advanced.toml

#![allow(clippy::print_stdout)]

use std::error::Error;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use tictune::arena::Threads;
use tictune::config::{self, Overrides};
use tictune::evolve::{RunDir, Silent, run};
use tictune::games::Uttt;

fn main() -> Result<(), Box<dyn Error>> {
    let path =
        std::env::args().nth(1).ok_or("name a config, as in experiments/staged/advanced.toml")?;
    let (path, known) = (Path::new(&path), tictune::built_in());
    let text = config::read(path)?;
    let plan = config::parse(&text, path, Overrides::default(), &known)?;
    // A run that was stopped is continued, and a finished one is read back.
    let dir =
        RunDir::new(Path::new("runs").join(format!("example-{}", plan.name)), &tictune::built_in());
    dir.create(&text, &plan)?;
    let (executor, stop) = (Threads::<Uttt>::default(), AtomicBool::new(false));
    let result = run(&plan, &dir, &executor, &Silent, &stop)?;
    println!("best against mean: {}", result.comparison.verdict);
    for row in &result.validation {
        println!(
            "{} against {}: {:.1} %",
            row.search,
            row.opponent,
            100.0 * row.result.figures.score
        );
    }
    if let Some(weights) = &result.winner().weights {
        print!("{}", weights.to_toml());
    }
    Ok(())
}
