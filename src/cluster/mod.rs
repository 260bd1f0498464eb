//! Games on many machines, over the JetStream of a NATS server.
//!
//! The program that needs games is the *driver*: its [`Cluster`] is an [`Executor`](crate::arena::Executor) like the threads
//! of a process. It divides the units of a work into *parts* of about a second of play ([`dispatch`](self)), and puts them into
//! a stream. Workers take parts from there, play them with the executor of their own process, and put the results into
//! a second stream. A worker needs no files: it asks the driver for the work that a part belongs to, agents and openings
//! included, and keeps it while its parts last.
//!
//! A part is known by its session (one driver, from its start to its end), its work, its number and the attempt. The server drops
//! messages of the same name, and the driver counts a part once, whoever answers first. What is lost with a worker is
//! delivered again by the server, or handed out again by the driver when nothing else is left to play.
//!
//! Messages are JSON, and signed where driver and workers share a [`key`](self). What comes from the network is checked like any
//! input; see [`message`](self). What workers say that they have played is compared with what others say, and some of it is
//! played again; see [`checks`](self).

mod answers;
mod checks;
mod connection;
mod dispatch;
mod driver;
mod driving;
#[cfg(any(test, feature = "fuzzing"))]
pub(crate) mod fuzzing;
mod key;
mod message;
mod replay;
mod roster;
mod server;
mod session;
mod streams;
mod worker;

pub(crate) use connection::Notes;
pub(crate) use driver::{Cluster, Trust};
pub(crate) use key::Key;
pub(crate) use message::WorkerStatus;
pub(crate) use roster::look_around;
pub(crate) use server::{Secrets, Server};
pub(crate) use worker::{Allowed, Games, WorkerSettings, work};
