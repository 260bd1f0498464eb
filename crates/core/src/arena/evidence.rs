//! What of a match is evidence: games that were played before show nothing new.
//!
//! A pair of games counts if neither of its games was played before in the match, and so does a game where games are not
//! paired. This is the one rule for all that is decided by games.
//!
//! Games that another program plays may have no name to know them by. Where the results of such pairs repeat with a period,
//! three times or more, the program is taken to have ignored its seeds, and one period counts.

use std::collections::HashSet;

use super::fingerprint::Fingerprint;
use super::schedule::Schedule;
use crate::stats::Evidence;

/// Counts the evidence among the games of a match, which are added in their order.
#[derive(Clone, Debug)]
pub struct EvidenceCount {
    counts: Evidence,
    /// The five counts of all pairs, the repeated ones as well.
    pairs: [u64; 5],
    seen: HashSet<Fingerprint>,
    /// The first game of a pair whose second is still to come: half points, and fingerprint.
    open: Option<(u64, Fingerprint)>,
    /// The results of pairs without names; none once any game has a name.
    unnamed: Option<Vec<u8>>,
}

impl EvidenceCount {
    pub fn new(schedule: Schedule) -> Self {
        let paired = schedule == Schedule::Paired;
        Self {
            counts: if paired { Evidence::Pairs([0; 5]) } else { Evidence::Games([0; 3]) },
            pairs: [0; 5],
            seen: HashSet::new(),
            open: None,
            unnamed: paired.then(Vec::new),
        }
    }

    /// Adds a game in which A got so many half points, 0 to 2; `true` if it completes a unit, whether or not that is new.
    pub fn add(&mut self, points: u64, fingerprint: Fingerprint) -> bool {
        if !fingerprint.is_unnamed() {
            self.unnamed = None;
        }
        let counts = match &mut self.counts {
            Evidence::Games(counts) => {
                counts[points as usize] += u64::from(self.seen.insert(fingerprint));
                return true;
            }
            Evidence::Pairs(counts) => counts,
        };
        let Some((first, fingerprint_of_first)) = self.open.take() else {
            self.open = Some((points, fingerprint));
            return false;
        };
        let result = (first + points) as usize;
        self.pairs[result] += 1;
        let unit = [fingerprint_of_first, fingerprint];
        counts[result] += u64::from(!unit.iter().any(|game| self.seen.contains(game)));
        self.seen.extend(unit);
        if let Some(unnamed) = &mut self.unnamed {
            unnamed.push(result as u8);
        }
        true
    }

    /// The five counts of all pairs, where games are paired.
    pub fn pairs(&self) -> Option<[u64; 5]> {
        self.counts.pairs().map(|_| self.pairs)
    }

    pub fn evidence(&self) -> Evidence {
        self.unnamed.as_deref().and_then(period).map_or(self.counts, |period| {
            let mut counts = [0; 5];
            period.iter().for_each(|&result| counts[result as usize] += 1);
            Evidence::Pairs(counts)
        })
    }

    pub fn distinct_games(&self) -> u64 {
        if let Some(period) = self.unnamed.as_deref().and_then(period) {
            return 2 * period.len() as u64;
        }
        // The first game of an open pair is not among those that were seen.
        let open = self.open.is_some_and(|(_, fingerprint)| !self.seen.contains(&fingerprint));
        self.seen.len() as u64 + u64::from(open)
    }
}

/// How often a period has to come before results are taken to repeat.
const MOST_PERIODS: usize = 3;

/// The shortest period with which results repeat, if they are several of it.
fn period(results: &[u8]) -> Option<&[u8]> {
    let repeats = |period: &usize| results[*period..] == results[..results.len() - period];
    (1..=results.len() / MOST_PERIODS).find(repeats).map(|period| &results[..period])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Counts pairs, each with its half points and the names of its games; no name is 0.
    fn count(pairs: &[([u64; 2], [u64; 2])]) -> EvidenceCount {
        let mut count = EvidenceCount::new(Schedule::Paired);
        for (number, (points, names)) in (0..).zip(pairs) {
            for (place, (&points, &name)) in (0..).zip(points.iter().zip(names)) {
                let fingerprint = match name {
                    0 => Fingerprint::unnamed(number, place),
                    name => Fingerprint::of_text(&name.to_string()),
                };
                assert_eq!(count.add(points, fingerprint), place == 1);
            }
        }
        count
    }

    #[test]
    fn a_repeated_pair_counts_once() {
        let won = [2, 2];
        let found = count(&[(won, [1, 2]), ([0, 1], [3, 4]), (won, [1, 2]), (won, [5, 6])]);
        assert_eq!(found.evidence(), Evidence::Pairs([0, 1, 0, 0, 2]));
        assert_eq!((found.pairs(), found.distinct_games()), (Some([0, 1, 0, 0, 3]), 6));
        // One game of a pair was played before: the pair is not independent of that one.
        let half = count(&[(won, [1, 2]), (won, [1, 3]), (won, [3, 4])]);
        assert_eq!(half.evidence(), Evidence::Pairs([0, 0, 0, 0, 1]));
        assert_eq!(half.distinct_games(), 4);
    }

    #[test]
    fn a_repeated_game_counts_once_where_games_are_not_paired() {
        let mut count = EvidenceCount::new(Schedule::Coin);
        for (points, name) in [(2, "a"), (2, "a"), (0, "b"), (1, "c"), (2, "a")] {
            assert!(count.add(points, Fingerprint::of_text(name)));
        }
        assert_eq!(count.evidence(), Evidence::Games([1, 1, 1]));
        assert_eq!((count.pairs(), count.distinct_games()), (None, 3));
    }

    #[test]
    fn a_program_that_ignores_its_seeds_is_counted_once() {
        let unnamed = |results: &[[u64; 2]]| {
            count(&results.iter().map(|&points| (points, [0, 0])).collect::<Vec<_>>())
        };
        let (won, level) = ([2, 2], [2, 0]);
        assert_eq!(unnamed(&[won; 2]).evidence(), Evidence::Pairs([0, 0, 0, 0, 2]));
        let swept = unnamed(&[won; 50]);
        assert_eq!(swept.evidence(), Evidence::Pairs([0, 0, 0, 0, 1]));
        assert_eq!((swept.distinct_games(), swept.pairs()), (2, Some([0, 0, 0, 0, 50])));
        // The same three pairs in each request.
        let answer = [won, level, won];
        let repeated = unnamed(&[answer; 4].concat());
        assert_eq!(repeated.evidence(), Evidence::Pairs([0, 0, 1, 0, 2]));
        let once_other = unnamed(&[&[answer; 4].concat()[..], &[level]].concat());
        assert_eq!(once_other.evidence(), Evidence::Pairs([0, 0, 5, 0, 8]));
        let named: Vec<_> = (1..=50).map(|pair| (won, [2 * pair, 2 * pair + 1])).collect();
        assert_eq!(count(&named).evidence(), Evidence::Pairs([0, 0, 0, 0, 50]));
    }
}
