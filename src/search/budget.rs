//! What a search may spend on a move.

use std::time::Instant;

/// The end of a search: whichever comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// Positions or iterations, by what the search counts; `u64::MAX` for no limit.
    pub most: u64,
    /// When it must be over.
    pub deadline: Option<Instant>,
}

impl Budget {
    /// A number of positions or iterations, which gives the same result at any speed.
    #[must_use]
    pub const fn of(most: u64) -> Self {
        Self { most, deadline: None }
    }

    /// Whether the time is over.
    #[inline]
    #[must_use]
    pub fn is_late(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }
}
