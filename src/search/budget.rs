//! What a search may spend on a move.

use std::time::Instant;

/// The limits of a search, which ends when it reaches the first of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// The most positions or iterations, whichever the search counts; `u64::MAX` for no limit.
    pub most: u64,
    /// When the search must end; `None` for no limit.
    pub deadline: Option<Instant>,
}

impl Budget {
    /// A limit on positions or iterations alone. The result does not depend on the machine's speed.
    #[must_use]
    pub const fn of(most: u64) -> Self {
        Self { most, deadline: None }
    }

    /// Whether the deadline has passed.
    #[inline]
    #[must_use]
    pub fn is_late(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }
}
