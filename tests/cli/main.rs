//! Tests of the program. Most run the real binary; some call what its commands call.
//!
//! They form one test binary, since separate binaries would each compile and link the same code. To
//! run one module, use `cargo test --test cli resume::`.

mod careless;
#[path = "../common/clock.rs"]
mod clock;
mod commands;
#[path = "../common/mod.rs"]
mod common;
mod contracts;
mod doctor;
mod ending;
mod evolved_programs;
mod exported_bots;
mod exported_evaluations;
mod exports;
mod faults;
mod fitness;
mod hall_of_fame;
mod hostile;
mod jumping_clock;
mod learn;
mod moves;
#[path = "../common/needs.rs"]
mod needs;
mod noise;
mod outputs;
mod own_game;
mod pages;
mod parameters;
mod pinned;
mod play;
#[path = "../common/positions.rs"]
mod positions;
mod programs;
mod protocols;
mod qubic;
mod reproduce;
mod resume;
mod runner;
mod search_agents;
mod starts;
mod tournament;
mod uci;
