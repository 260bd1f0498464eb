//! What a search may spend on a move.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// Searches ask [`Budget::is_late`] after so many positions or iterations, which take well under a millisecond.
pub(crate) const POSITIONS_BETWEEN_CLOCKS: u32 = 64;
pub(crate) const ITERATIONS_BETWEEN_CLOCKS: u64 = 16;

/// The limits of a search, which ends when it reaches the first of them.
#[derive(Clone, Copy, Debug)]
pub struct Budget<'s> {
    /// The most positions or iterations, whichever the search counts; `u64::MAX` for no limit.
    pub most: u64,
    /// When the search must end; `None` for no limit.
    pub deadline: Option<Instant>,
    /// What ends the search from outside.
    pub stop: Stop<'s>,
}

impl Budget<'_> {
    /// A limit on positions or iterations alone. The result does not depend on the machine's speed.
    pub const fn of(most: u64) -> Self {
        Self { most, deadline: None, stop: Stop::NEVER }
    }

    /// Whether the deadline has passed, or the search was stopped.
    #[inline]
    pub fn is_late(&self) -> bool {
        self.stop.is_set() || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }
}

/// A flag that ends a search from outside, because nobody waits for its result any more. Once set, it stays set. A search that
/// is stopped before it knows a move returns no best moves.
#[derive(Clone, Copy, Debug, Default)]
pub struct Stop<'s>(Option<&'s AtomicBool>);

impl<'s> Stop<'s> {
    /// Nothing ends the search.
    pub const NEVER: Self = Self(None);

    /// The search ends soon after the flag is set.
    pub const fn when(flag: &'s AtomicBool) -> Self {
        Self(Some(flag))
    }

    /// Whether the search has to end.
    #[inline]
    pub fn is_set(self) -> bool {
        self.0.is_some_and(|flag| flag.load(Ordering::Relaxed))
    }
}
