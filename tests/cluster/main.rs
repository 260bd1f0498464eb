//! Tests of games on many machines, with a real NATS server. They need `nats-server` (Debian package of this name).
//! Where it is not installed, they are skipped.
//!
//! `cargo test --test cluster`

#![allow(unreachable_pub, reason = "one test crate")]

mod access;
#[path = "../common/clock.rs"]
mod clock;
#[path = "../common/mod.rs"]
mod common;
mod faults;
#[path = "../common/needs.rs"]
mod needs;
mod network;
mod runs;
mod server;
mod trust;
