//! Tests of games on many machines, with a real NATS server. They need `nats-server` (Debian package of this name) and
//! pass without a word where it is not installed, unless CI is set.
//!
//! `cargo test --features cluster --test cluster`

#![allow(unreachable_pub, reason = "one test crate")]

#[path = "../common/mod.rs"]
mod common;
mod faults;
mod runs;
mod server;
