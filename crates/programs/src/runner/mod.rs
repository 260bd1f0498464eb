//! Programs that play the games: of any game, in any language.
//!
//! [`Runners`] is an executor for a game that tictune does not know. It turns units of games into requests to a program,
//! one JSON object a line, and its answers into results: `docs/runner.md` specifies them. A thread has a program of its own
//! that stays from request to request, or with the one-shot form a new one each time.
//!
//! `request` has the lines, `process` the programs, `executor` the threads, and `doctor` a few questions to a new program.
//! Every pair of games has its own seed, so that neither the number of threads nor the size of requests decides a result.

#[doc(hidden)]
pub mod doctor;
mod executor;
mod process;
#[doc(hidden)]
pub mod request;
mod settings;

#[doc(hidden)]
pub use executor::Runners;
pub use settings::RunnerSettings;
