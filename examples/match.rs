//! A match from code: two published vectors of Ultimate Tic-Tac-Toe against each other.
//!
//!     cargo run --release --example match

#![allow(clippy::print_stdout)]

use std::path::Path;

use tictune::Agents;
use tictune::arena::{Contest, ExecutorError, MatchSettings, Openings, Schedule, play_match};
use tictune::games::Uttt;
use tictune::games::uttt::Rules;

fn main() -> Result<(), ExecutorError> {
    // Paths in agents and openings are relative to this folder.
    let folder = Path::new("");
    let agents = Agents::<Uttt>::default();
    let agent = |text| agents.prepare(&agents.parse(text, folder)?);
    let a = agent("minimax:depth=3,weights=liang-comprehensive")?;
    let b = agent("minimax:depth=3,weights=liang-default")?;
    let rules = Rules::default();
    let openings = Openings::parse::<Uttt>("random:4", rules, folder)?;
    let contest = Contest { a: &a, b: &b, rules, openings: &openings };
    let schedule = Schedule::Paired;
    let settings = MatchSettings { games: 200, seed: 1, schedule, replay_ties: false };
    // The closure is called once a game; `false` would stop the match.
    let result = play_match(&contest, &settings, &|| true)?;
    println!("{} against {}", a.label, b.label);
    println!("{:?}: {:.1} % of 200 games", result.summary.tally, 100.0 * result.figures().score);
    println!("{} different games", result.distinct_games);
    Ok(())
}
