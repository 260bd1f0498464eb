//! Tests of the program. Most run the real binary; some call what its commands call. Those that start other programs are in
//! `tests/programs`. To run one module, use `cargo test --test cli evolutions::`.

mod commands;
#[path = "../common/mod.rs"]
mod common;
mod contracts;
mod evolutions;
mod fitness;
mod learn;
mod messages;
mod moves;
#[path = "../common/needs.rs"]
mod needs;
mod play;
#[path = "../common/positions.rs"]
mod positions;
mod qubic;
mod reference;
mod reproduce;
mod tournament;
