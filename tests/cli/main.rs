//! Tests of the program. Most run the real binary; some call what its commands call.
//!
//! They form one test binary, since separate binaries would each compile and link the same code. To
//! run one module, use `cargo test --test cli interruptions::`.

#[path = "../common/clock.rs"]
mod clock;
mod commands;
#[path = "../common/mod.rs"]
mod common;
mod contracts;
mod doctor;
mod ending;
mod evolutions;
mod evolved_programs;
mod exported_bots;
mod exports;
mod faults;
mod fitness;
mod hostile;
mod interruptions;
mod jumping_clock;
mod learn;
mod messages;
mod moves;
#[path = "../common/needs.rs"]
mod needs;
mod own_game;
mod pages;
mod play;
#[path = "../common/positions.rs"]
mod positions;
mod protocols;
mod qubic;
mod reference;
mod reproduce;
mod runner;
mod tournament;
mod uci;
