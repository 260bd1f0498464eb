//! Tests of the program: most run the real binary, some run what its commands run.
//!
//! They are one test binary, since every binary would compile and link the same code again. A module is
//! tested by `cargo test --test cli resume::`.

#[path = "../common/mod.rs"]
mod common;
mod contracts;
mod exports;
mod hall_of_fame;
mod learn;
mod moves;
mod noise;
mod own_game;
mod parameters;
mod pinned;
mod play;
#[path = "../common/positions.rs"]
mod positions;
mod protocols;
mod qubic;
mod reproduce;
mod resume;
mod search_agents;
mod tournament;
