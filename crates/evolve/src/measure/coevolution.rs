//! Candidates of a generation against each other.
//!
//! The candidates stand in a ring, in an order that the seed of the generation's games draws, and each plays those
//! next to it on both sides, so that all have equally many opponents. A game counts for both sides, and both
//! have the same openings at the same distance. A vector from outside, such as the mean, plays the first of the
//! ring instead.

use crate::plan::{CoevolutionPlan, Distance, RingMatch, Vector};
use tictune_core::input::InputError;
use tictune_core::seed::{mix, shuffle};

/// The candidates of a generation, for a batch whose candidates play each other.
#[derive(Clone, Debug)]
pub struct Rivals<'b> {
    pub population: Vec<&'b Vector>,
    /// Which of them each candidate of the batch is; a place beyond the last is none of them.
    pub places: Vec<usize>,
}

/// Two that play each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Meeting {
    /// Side A: an entrant, see [`Meetings`].
    pub a: usize,
    pub b: usize,
    /// What they play, as numbered by [`CoevolutionPlan::ring_matches`].
    pub ring_match: usize,
    /// Which candidates of the batch it counts for: A's view, B's view.
    pub counts: [Option<usize>; 2],
}

/// The meetings of a batch. Entrants are the candidates of the batch by number, and after them the [others](Self::others).
#[derive(Debug, Default)]
pub(crate) struct Meetings {
    /// By candidate; a meeting that counts for two stands with the first of them.
    pub of: Vec<Vec<Meeting>>,
    /// The places of those of the population that are no candidates of the batch but play some.
    pub others: Vec<usize>,
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
        }
    }
}

/// Who plays whom in a batch.
pub(crate) fn meetings(
    plan: &CoevolutionPlan,
    rivals: &Rivals<'_>,
    seed: u64,
) -> Result<Meetings, InputError> {
    let size = rivals.population.len();
    plan.check_population(size)?;
    let ring = Ring::new(size, seed);
    let candidate_at = |place: usize| rivals.places.iter().position(|&known| known == place);
    let mut meetings = Meetings::default();
    for (candidate, &place) in rivals.places.iter().enumerate() {
        let mut own = Vec::new();
        for (ring_match, RingMatch { distance, .. }) in plan.ring_matches().into_iter().enumerate()
        {
            for pairing in ring.pairings(place, distance) {
                let known = pairing.map(|player| match player == place {
                    true => Some(candidate),
                    false => candidate_at(player),
                });
                // A meeting within the ring counts for both, and stands with the first of them.
                let in_ring = place < size;
                if in_ring && known.iter().flatten().any(|&earlier| earlier < candidate) {
                    continue;
                }
                let counts = known.map(|known| known.filter(|&of| in_ring || of == candidate));
                let mut entrant = |side: usize| {
                    known[side].unwrap_or_else(|| {
                        let others = &mut meetings.others;
                        let listed = others.iter().position(|&other| other == pairing[side]);
                        let index = listed.unwrap_or_else(|| {
                            others.push(pairing[side]);
                            others.len() - 1
                        });
                        rivals.places.len() + index
                    })
                };
                let (a, b) = (entrant(0), entrant(1));
                own.push(Meeting { a, b, ring_match, counts });
            }
        }
        meetings.of.push(own);
    }
    Ok(meetings)
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;

    /// Who met whom, by place: the match of the ring and the rival.
    type Met = BTreeMap<usize, Vec<(usize, usize)>>;

    fn plan(opponents: usize) -> CoevolutionPlan {
        CoevolutionPlan { opponents, depths: vec![2, 3], games: 4 }
    }

    /// The meetings of all of a generation of so many, and of a vector from outside.
    fn meet(size: usize, opponents: usize, seed: u64) -> Result<(Meetings, Met), InputError> {
        let vector = Vector { name: "w".into(), weights: None, parameters: Vec::new() };
        let rivals = Rivals { population: vec![&vector; size], places: (0..=size).collect() };
        let meetings = meetings(&plan(opponents), &rivals, seed)?;
        let mut met = Met::new();
        for Meeting { a, b, ring_match, counts } in meetings.of.iter().flatten() {
            for (counted, player, rival) in [(counts[0], *a, *b), (counts[1], *b, *a)] {
                if let Some(candidate) = counted {
                    assert_eq!(candidate, player);
                    met.entry(player).or_default().push((*ring_match, rival));
                }
            }
        }
        Ok((meetings, met))
    }

    #[test]
    fn everybody_plays_as_many_others_at_each_depth_and_each_meeting_is_played_once() {
        for (size, opponents) in [(8, 1), (8, 4), (8, 7), (9, 2), (9, 8), (2, 1), (20, 5)] {
            let (found, met) = meet(size, opponents, 5).unwrap();
            assert!(found.others.is_empty());
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
            let count = found.of.iter().flatten().count();
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
