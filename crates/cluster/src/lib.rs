//! Games on many machines, over the JetStream of a NATS server.
//!
//! The program that needs games is the *driver*: its `Cluster` is an [`Executor`](tictune_core::arena::Executor) like the threads
//! of a process. It divides the units of a work into *parts* of about a second of play ([`dispatch`](self)), and puts them into
//! a stream. Workers take parts from there, play them with the executor of their own process, and put the results into
//! a second stream. A worker needs no files: it asks the driver for the work that a part belongs to, agents and openings
//! included, and keeps it while its parts last.
//!
//! A part is known by its session (one driver, from its start to its end), its work, its number and the attempt. The server drops
//! messages of the same name, and the driver counts a part once, no matter who answers first. What is lost with a worker is
//! delivered again by the server (`ACK_WAIT`), or handed out again by the driver (`hand_out_again`).
//!
//! Messages are JSON, and signed where driver and workers share a [`key`](self). What comes from the network is checked like any
//! input; see [`message`](self). Some of what workers say that they have played is played again; see [`checks`](self).

#![cfg(feature = "network")]
#![cfg_attr(not(test), warn(clippy::unwrap_used))]
#![allow(missing_docs, reason = "users of the libraries do not see this one")]

mod checks;
mod connection;
mod dispatch;
mod driver;
mod key;
mod message;
mod replay;
mod roster;
mod server;
mod streams;
mod worker;

pub use {
    connection::Notes,
    driver::{Cluster, Trust},
    key::Key,
    message::WorkerStatus,
    roster::look_around,
    server::{Secrets, Server},
    worker::{Allowed, Games, WorkerSettings, work},
};

/// What the fuzzer reads and writes.
pub mod parts {
    pub use crate::checks::{digest, repeatable};
    pub use crate::dispatch::{Dispatch, Speed};
    pub use crate::message::{
        EndMessage, PartId, PartMessage, PartOutcome, ResultMessage, WorkRequest, WorkerStatus,
        decode, encode, is_name, said,
    };
    pub use crate::worker::{read_work, share};
}
