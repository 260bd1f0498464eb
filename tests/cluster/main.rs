//! Tests of games on many machines, with a real NATS server. They need `nats-server` (Debian package of this name).
//! Where it is not installed, they say so and test nothing.
//!
//! `cargo test --features cluster --test cluster`

#![allow(unreachable_pub, clippy::print_stderr, reason = "one test crate")]

mod access;
#[path = "../common/clock.rs"]
mod clock;
#[path = "../common/mod.rs"]
mod common;
mod faults;
mod network;
mod runs;
mod server;
mod trust;
