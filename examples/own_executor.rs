//! Your own executor: what plays the games of matches, tournaments and evolutions.
//!
//! ```text
//! cargo run --release --example own_executor
//! ```
//!
//! Work is plain data. This executor writes it as JSON, as one that sends it to other machines would, reads it on another
//! thread and plays it there. A match played so is the same as one played by the threads of this process.

#![allow(clippy::print_stdout)]

use std::ops::ControlFlow;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::channel;

use tictune::agent::AgentSpec;
use tictune::arena::{
    Calls, Detail, Executor, ExecutorError, GameResult, MatchPlan, MatchSettings, Openings,
    Schedule, Work,
};
use tictune::games::Uttt;
use tictune::input::InputError;
use tictune::{Agents, Threads, built_in};

struct ByJson;

impl Executor for ByJson {
    fn play(&self, work: &Work, calls: Calls<'_>) -> Result<(), ExecutorError> {
        let Calls { sink, on_games, stop } = calls;
        let wrong = |error: serde_json::Error| InputError::new(error.to_string());
        let sent = serde_json::to_string(work).map_err(wrong)?;
        let (answers, receiver) = channel::<(usize, String)>();
        std::thread::scope(|scope| {
            let player = scope.spawn(move || {
                // Weights and agents are read by the names that the program knows.
                let work: Work = built_in().from_json(&sent).map_err(wrong)?;
                let mut answer = |unit, result: Vec<GameResult>| {
                    let text = serde_json::to_string(&result).unwrap_or_default();
                    match answers.send((unit, text)) {
                        Ok(()) => ControlFlow::Continue(()),
                        Err(_) => ControlFlow::Break(()),
                    }
                };
                Threads::<Uttt>::default().play(&work, Calls::new(&mut answer, stop))
            });
            for (unit, text) in receiver {
                let result: Vec<GameResult> = serde_json::from_str(&text).map_err(wrong)?;
                on_games(unit, result.len() as u64);
                if sink(unit, result).is_break() {
                    break;
                }
            }
            player
                .join()
                .unwrap_or_else(|_| Err(ExecutorError::Panicked("a player panicked".into())))
        })
    }
}

fn main() -> Result<(), ExecutorError> {
    let agents = Agents::<Uttt>::default();
    let agent = |text| -> Result<AgentSpec, InputError> { agents.parse(text, "".as_ref()) };
    let plan = MatchPlan {
        game: "uttt".into(),
        rules: String::new(),
        agents: [
            agent("minimax:depth=3,weights=liang-comprehensive")?,
            agent("minimax:depth=3,weights=liang-default")?,
        ],
        openings: Openings::parse::<Uttt>("random:4", Default::default(), "".as_ref())?,
        settings: MatchSettings {
            games: 40,
            seed: 1,
            schedule: Schedule::Paired,
            replay_ties: false,
        },
        sprt: None,
        detail: Detail::Costs,
    };
    let never = AtomicBool::new(false);
    for executor in [&ByJson as &dyn Executor, &Threads::new(agents.clone())] {
        let played = plan.play(executor, &|_| {}, &never)?;
        println!("{:?}", played.summary.tally);
    }
    Ok(())
}
