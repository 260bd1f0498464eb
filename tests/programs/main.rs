//! Tests of the program with others: bots, engines, runners and compilers that it starts, the examples, clients of its page, and
//! runs that are killed. They take two minutes, and run when they are asked for:
//! `cargo build --examples && cargo test --test programs --test skipped`.

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
mod own_game;
mod pages;
mod protocols;
mod runner;
mod uci;
