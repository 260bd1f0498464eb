//! Candidates of a generation that play each other, in a ring.
//!
//! CITE: Rosin and Belew, "New Methods for Competitive Coevolution", Evolutionary Computation 5(1), 1997: fitness
//! from a sample of the other candidates instead of all of them.

use serde::{Deserialize, Serialize};

use tictune_core::input::InputError;

/// Candidates of a generation that play each other. A game counts for both sides.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CoevolutionPlan {
    /// How many of the others each candidate plays.
    pub opponents: usize,
    /// The depths, in plies, at which it plays each of them.
    pub depths: Vec<u32>,
    /// Games against each of them at each depth.
    pub games: u64,
}

impl CoevolutionPlan {
    /// Games of a candidate against others.
    #[must_use]
    pub const fn games_of_a_candidate(&self) -> u64 {
        self.opponents as u64 * self.depths.len() as u64 * self.games
    }

    /// The matches of all candidates, those of one depth after those of another.
    #[must_use]
    pub fn ring_matches(&self) -> Vec<RingMatch> {
        let apart = (1..=self.opponents / 2).map(Distance::Apart);
        let across = (self.opponents % 2 == 1).then_some(Distance::Across);
        let distances: Vec<Distance> = apart.chain(across).collect();
        let at_depth = |depth| {
            distances.iter().map(move |&distance| RingMatch { distance, depth, games: self.games })
        };
        self.depths.iter().copied().flat_map(at_depth).collect()
    }

    /// Checks that a generation is large enough, and even where it must be.
    ///
    /// # Errors
    /// As many opponents as candidates or more; an odd number of opponents in a generation of an odd number.
    pub fn check_population(&self, size: usize) -> Result<(), InputError> {
        let opponents = self.opponents;
        if opponents >= size {
            let message = format!(
                "a candidate cannot play {opponents} others of a population of {size}: expected at most {}",
                size.saturating_sub(1)
            );
            return Err(InputError::new(message));
        }
        if opponents % 2 == 1 && size % 2 == 1 {
            return Err(InputError::new(format!(
                "an odd number of opponents ({opponents}) needs an even population, not {size}"
            )));
        }
        Ok(())
    }
}

/// A match that every candidate plays against those at one distance in the ring, at one depth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RingMatch {
    /// How far away those are.
    pub distance: Distance,
    /// Plies that both search.
    pub depth: u32,
    /// Games against each rival.
    pub games: u64,
}

/// How far away in the ring a rival is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Distance {
    /// So many places, on either side: two rivals. From 1.
    Apart(usize),
    /// On the other side of a ring of an even number: one rival.
    Across,
}

impl Distance {
    const fn rivals(self) -> u64 {
        match self {
            Self::Apart(_) => 2,
            Self::Across => 1,
        }
    }
}

impl RingMatch {
    /// Games of a candidate.
    #[must_use]
    pub const fn games_of_a_candidate(&self) -> u64 {
        self.games * self.distance.rivals()
    }
}
