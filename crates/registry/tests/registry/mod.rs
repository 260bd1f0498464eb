//! Tests of a registry by its public functions: agents of every kind, conversations with a person, what a page is told, and
//! whole runs. They are compiled with those of searches (`tests/search`), so that all agents are compiled for tests once.

mod agents;
mod conversations;
mod page;
mod variety;
