//! Candidates of a generation against each other.
//!
//! The candidates stand in a ring, in an order that the seed of the generation's games draws, and each plays those
//! next to it on both sides, so that all have equally many opponents. A game counts for both sides, and both
//! have the same openings at the same distance. A vector from outside, such as the mean, plays the first of the
//! ring instead. Candidates that are pairs play each other alone.

use crate::plan::{CoevolutionPlan, Distance, RingMatch, Vector};
use tictune_core::input::InputError;
use tictune_core::seed::{mix, shuffle};

/// The candidates of a generation, for a batch whose candidates play each other.
#[derive(Clone, Debug)]
pub struct Rivals<'b> {
    pub population: Vec<&'b Vector>,
    /// Which of them each candidate of the batch is. Vectors from outside come last, with the places after the last.
    pub places: Vec<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Meeting {
    /// The places of A and B.
    pub players: [usize; 2],
    /// What they play, as numbered by [`CoevolutionPlan::ring_matches`].
    pub ring_match: usize,
    /// Which candidates of the batch it counts for: A's view, B's view.
    pub counts: [Option<usize>; 2],
}

struct Ring {
    /// Places of the population in the order of the ring.
    order: Vec<usize>,
    /// Where each place of the population is in it.
    position: Vec<usize>,
}

impl Ring {
    fn new(size: usize, seed: u64) -> Self {
        let mut order: Vec<usize> = (0..size).collect();
        shuffle(&mut order, mix(seed, 0x7269_6e67));
        let mut position = vec![0; size];
        order.iter().enumerate().for_each(|(at, &place)| position[place] = at);
        Self { order, position }
    }

    /// Who plays whom, A and B, where `place` takes part. The same two in the same order from both places.
    fn pairings(&self, place: usize, distance: Distance) -> Vec<[usize; 2]> {
        let size = self.order.len();
        let at = |position: usize| self.order[position % size];
        match (self.position.get(place), distance) {
            (Some(&own), Distance::Apart(steps)) => {
                vec![[place, at(own + steps)], [at(own + size - steps), place]]
            }
            (Some(&own), Distance::Across) => {
                let other = at(own + size / 2);
                vec![if own < size / 2 { [place, other] } else { [other, place] }]
            }
            (None, Distance::Apart(steps)) => {
                vec![[place, at(2 * steps - 2)], [place, at(2 * steps - 1)]]
            }
            (None, Distance::Across) => vec![[place, at(size - 1)]],
            (Some(_), Distance::Mirror) => vec![[place & !1, place | 1]],
            (None, Distance::Mirror) => vec![[place, at(0)]],
        }
    }
}

/// The meetings of each candidate; one that counts for two stands with the first of them.
pub(crate) fn meetings(
    plan: &CoevolutionPlan,
    rivals: &Rivals<'_>,
    seed: u64,
) -> Result<Vec<Vec<Meeting>>, InputError> {
    let size = rivals.population.len();
    plan.check_population(size)?;
    let ring = Ring::new(size, seed);
    let candidate_at = |place: usize| rivals.places.iter().position(|&known| known == place);
    let of = |(candidate, &place): (usize, &usize)| {
        let mut own = Vec::new();
        for (ring_match, RingMatch { distance, .. }) in plan.ring_matches().into_iter().enumerate()
        {
            for players in ring.pairings(place, distance) {
                // A meeting within the ring counts for both.
                let counts = players.map(|player| match player == place {
                    true => Some(candidate),
                    false => candidate_at(player).filter(|_| place < size),
                });
                if counts.iter().flatten().all(|&of| of >= candidate) {
                    own.push(Meeting { players, ring_match, counts });
                }
            }
        }
        own
    };
    Ok(rivals.places.iter().enumerate().map(of).collect())
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;

    /// Who met whom, by place: the match of the ring and the rival.
    type Met = BTreeMap<usize, Vec<(usize, usize)>>;

    fn plan(opponents: usize) -> CoevolutionPlan {
        CoevolutionPlan { opponents, depths: vec![2, 3], games: 4, mirrored: false }
    }

    /// How many meetings all of a generation of so many and a vector from outside have, and who meets whom.
    fn meet(size: usize, opponents: usize, seed: u64) -> Result<(usize, Met), InputError> {
        let vector = Vector { name: "w".into(), weights: None, parameters: Vec::new() };
        let rivals = Rivals { population: vec![&vector; size], places: (0..=size).collect() };
        let meetings = meetings(&plan(opponents), &rivals, seed)?.concat();
        let mut met = Met::new();
        for Meeting { players: [a, b], ring_match, counts } in &meetings {
            for (counted, player, rival) in [(counts[0], *a, *b), (counts[1], *b, *a)] {
                if let Some(candidate) = counted {
                    assert_eq!(candidate, player);
                    met.entry(player).or_default().push((*ring_match, rival));
                }
            }
        }
        Ok((meetings.len(), met))
    }

    #[test]
    fn everybody_plays_as_many_others_at_each_depth_and_each_meeting_is_played_once() {
        for (size, opponents) in [(8, 1), (8, 4), (8, 7), (9, 2), (9, 8), (2, 1), (20, 5)] {
            let (count, met) = meet(size, opponents, 5).unwrap();
            assert_eq!(met.len(), size + 1, "the vector from outside, too");
            let ring_matches = plan(opponents).ring_matches();
            for (place, rivals) in met {
                for depth in [2, 3] {
                    let of_depth: Vec<usize> = (rivals.iter())
                        .filter(|(ring_match, _)| ring_matches[*ring_match].depth == depth)
                        .map(|(_, rival)| *rival)
                        .collect();
                    let different: BTreeSet<_> = of_depth.iter().collect();
                    assert_eq!((of_depth.len(), different.len()), (opponents, opponents));
                    assert!(!of_depth.contains(&place) && !of_depth.contains(&size));
                }
            }
            // Two a meeting, but one where the vector from outside plays.
            assert_eq!(count, 2 * (size * opponents / 2 + opponents));
        }
        let [five, six] = [5, 6].map(|seed| meet(10, 2, seed).unwrap().1);
        assert_ne!(five, six, "rivals are drawn anew for each seed");
        for (size, opponents, expected) in [(4, 4, "at most 3"), (5, 3, "needs an even population")]
        {
            let error = meet(size, opponents, 1).unwrap_err();
            assert!(error.to_string().contains(expected), "{error}");
        }
    }
}
