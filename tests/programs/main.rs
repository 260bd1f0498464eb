//! Tests of the program with others: bots, engines, runners and compilers that it starts, and runs that are killed. They take
//! a minute and a half, and run when they are asked for: `cargo test --test programs --test skipped`.

#[path = "../common/clock.rs"]
mod clock;
#[path = "../common/mod.rs"]
mod common;
mod doctor;
mod ending;
mod evolved_programs;
mod exported_bots;
mod exports;
mod faults;
mod hostile;
mod interruptions;
mod jumping_clock;
#[path = "../common/needs.rs"]
mod needs;
mod protocols;
mod runner;
mod uci;
