//! Whether workers played what they say, where results are functions of the seeds.
//!
//! Of each part that was counted, a digest is kept. A later answer to the same part has to have the same. Some parts, drawn by
//! chance and at least one of each worker, are played again by the driver's own process: see [`replay`](super::replay).

use std::collections::{BTreeMap, HashMap};
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;

use sha2::{Digest as _, Sha256};

use super::message::Piece;
use tictune_core::arena::{Detail, ExecutorError, GameResult, Work};
use tictune_core::seed::mix;

/// The most parts whose digests are kept. Later answers to older ones are not compared.
const MOST_PARTS: usize = 200_000;

/// The most workers that are known by name, whatever the network says. Of all others every part is played again.
const MOST_WORKERS: usize = 10_000;

/// How likely a part of a worker of which none was played again yet is: it does not know which one will be.
const FIRST: f64 = 0.5;

type Digest = [u8; 32];

pub(crate) struct Checks {
    /// Which share of the parts is played again; none if it is 0.
    share: f64,
    random: u64,
    counted: BTreeMap<Place, Counted>,
    workers: HashMap<Arc<str>, Played>,
    /// Parts that came out here as their workers say.
    agreed: u64,
}

/// The number of a work, and of a part in it.
type Place = (u64, u64);

struct Counted {
    worker: Arc<str>,
    games: u64,
    detail: Detail,
    digest: Digest,
}

#[derive(Default)]
struct Played {
    /// Parts that were counted before any was played again.
    parts: u64,
    /// One of these.
    candidate: Option<Recheck>,
    /// Parts that were played again, or will be.
    chosen: u64,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Recheck {
    pub place: Place,
    pub pieces: Vec<Piece>,
    worker: Arc<str>,
    detail: Detail,
}

impl Checks {
    pub(crate) fn new(share: f64) -> Self {
        let random = RandomState::new().hash_one(std::process::id());
        Self { share, random, counted: BTreeMap::new(), workers: HashMap::new(), agreed: 0 }
    }

    /// Whether parts are played again at all.
    pub(crate) const fn rechecks(&self) -> bool {
        self.share > 0.0
    }

    /// A number from 0 to 1 that nobody else knows.
    fn draw(&mut self) -> f64 {
        self.random = mix(self.random, 1);
        (self.random >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Keeps what was counted of a part. Gives the part if it is to be played again now.
    pub(crate) fn count(
        &mut self,
        place: Place,
        worker: &str,
        pieces: Vec<Piece>,
        detail: Detail,
        digest: Digest,
    ) -> Option<Recheck> {
        let worker: Arc<str> = worker.into();
        let games = pieces.iter().map(Piece::count).sum();
        if self.counted.len() >= MOST_PARTS {
            self.counted.pop_first();
        }
        self.counted.insert(place, Counted { worker: Arc::clone(&worker), games, detail, digest });
        if !self.rechecks() {
            return None;
        }
        let recheck = Recheck { place, pieces, worker: Arc::clone(&worker), detail };
        let (chance, lot) = (self.draw(), self.draw());
        if self.workers.len() >= MOST_WORKERS && !self.workers.contains_key(&worker) {
            return Some(recheck);
        }
        let share = self.share;
        let played = self.workers.entry(worker).or_default();
        played.parts += 1;
        if chance < if played.chosen == 0 { share.max(FIRST) } else { share } {
            (played.chosen, played.candidate) = (played.chosen + 1, None);
            return Some(recheck);
        }
        if played.chosen == 0 && lot * (played.parts as f64) < 1.0 {
            played.candidate = Some(recheck);
        }
        None
    }

    /// At the end of a work: a part of each worker of which none was played again yet.
    pub(crate) fn of_others(&mut self, work: u64) -> Vec<Recheck> {
        let others = self.workers.values_mut().filter_map(|played| {
            let candidate = played.candidate.take().filter(|part| part.place.0 == work)?;
            played.chosen += 1;
            Some(candidate)
        });
        others.collect()
    }

    /// Compares a part that was played again here.
    pub(crate) fn compare(
        &mut self,
        recheck: &Recheck,
        results: &[Vec<GameResult>],
    ) -> Result<(), ExecutorError> {
        let Recheck { place: (work, part), worker, detail, .. } = recheck;
        let counted = self.counted.get(&recheck.place);
        if counted.is_some_and(|counted| counted.digest != digest(results, *detail)) {
            return Err(ExecutorError::Program(format!(
                "worker {worker} reports other results for part {part} of job {work} than this machine gets: {WRONG}"
            )));
        }
        self.agreed += u64::from(self.workers.contains_key(worker));
        Ok(())
    }

    /// Compares an answer to a part that was counted before. Whoever answers with another number of games is refused.
    pub(crate) fn compare_late(
        &self,
        place: Place,
        worker: &str,
        results: &[Vec<GameResult>],
    ) -> Result<Result<(), String>, ExecutorError> {
        let Some(counted) = self.counted.get(&place) else { return Ok(Ok(())) };
        let (work, part) = place;
        let games: u64 = results.iter().map(|games| games.len() as u64).sum();
        if games != counted.games {
            return Ok(Err(format!(
                "part {part} has {} games, but the answer has {games}",
                counted.games
            )));
        }
        if digest(results, counted.detail) == counted.digest {
            return Ok(Ok(()));
        }
        Err(ExecutorError::Program(format!(
            "workers {} and {worker} report different results for part {part} of job {work}: {WRONG}",
            counted.worker
        )))
    }

    /// How many parts were played again, in words; `None` if none was.
    pub(crate) fn in_words(&self) -> Option<String> {
        let chosen =
            || self.workers.values().map(|played| played.chosen).filter(|&chosen| chosen > 0);
        let (parts, of_parts): (u64, _) = (chosen().sum(), self.counted.len());
        let (workers, of_workers, agreed) = (chosen().count(), self.workers.len(), self.agreed);
        (parts > 0).then(|| {
            format!(
                "{parts} of {of_parts} parts, of {workers} of {of_workers} workers, were played again here: {agreed} agreed"
            )
        })
    }
}

const WRONG: &str = "a build or a machine is faulty, or somebody sends false results. Do not trust anything that this command \
                     measured. Start again without that worker, and a run in a new folder. A --key for driver and workers \
                     keeps strangers out";

/// What is recorded of each game of a part, if its results are functions of the seeds: no clock, no outside program and no
/// race of threads decides in it.
pub fn repeatable(work: &Work, pieces: &[Piece]) -> Option<Detail> {
    pieces.iter().try_fold(Detail::Moves, |least, piece| {
        let unit = work.units.get(piece.unit)?;
        let mut agents = unit.agents.iter().map(|&agent| work.agents.get(agent));
        let repeats = agents.all(|agent| agent.is_some_and(|agent| agent.kind.is_repeatable()));
        repeats.then_some(least.min(unit.detail))
    })
}

/// A digest of all in the results that follows from the seeds.
pub fn digest(results: &[Vec<GameResult>], detail: Detail) -> Digest {
    let mut digest = Sha256::new();
    for games in results {
        let games: Vec<_> = games.iter().map(|game| game.repeatable(detail)).collect();
        // Results are plain data, which has a form as JSON.
        digest.update(serde_json::to_vec(&games).unwrap_or_default());
    }
    digest.finalize().into()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::time::Duration;

    use super::*;
    use tictune_core::arena::{Fingerprint, Side};

    const PIECE: Piece = Piece { unit: 0, games: 0..2 };

    fn played(number: u64) -> Vec<Vec<GameResult>> {
        let game = |number| GameResult::reported(Some(Side::A), Fingerprint::of_key(number));
        vec![vec![game(number), game(number + 1)]]
    }

    /// Counts a part of two games, each of which says what part it is of.
    fn count(checks: &mut Checks, part: u64, worker: &str) -> Option<Recheck> {
        let digest = digest(&played(part), Detail::Costs);
        checks.count((0, part), worker, vec![PIECE], Detail::Costs, digest)
    }

    #[test]
    fn a_digest_holds_all_that_follows_from_the_seeds_and_nothing_else() {
        let first = played(7);
        let mut slow = first.clone();
        slow[0][0].sides[0].search = Duration::from_secs(9);
        slow[0][1].sides[1].slowest = Duration::from_secs(9);
        assert_eq!(digest(&first, Detail::Costs), digest(&slow, Detail::Costs));
        let changes: [fn(&mut GameResult); 4] = [
            |game| game.winner = None,
            |game| game.plies += 1,
            |game| game.sides[1].nodes += 1,
            |game| game.fingerprint = Fingerprint::of_text("another"),
        ];
        for change in changes {
            let mut other = first.clone();
            change(&mut other[0][1]);
            assert_ne!(digest(&first, Detail::Costs), digest(&other, Detail::Costs));
        }
        let apart: Vec<_> = first[0].iter().map(|game| vec![game.clone()]).collect();
        assert_ne!(digest(&first, Detail::Costs), digest(&apart, Detail::Costs));
    }

    #[test]
    fn of_each_worker_at_least_one_part_is_played_again() {
        for _ in 0..20 {
            let mut checks = Checks::new(1e-9);
            let mut again: Vec<Recheck> = Vec::new();
            for part in 0..60 {
                again.extend(count(&mut checks, part, &format!("worker-{}", part % 20)));
            }
            again.extend(checks.of_others(0));
            let workers: HashSet<_> = again.iter().map(|recheck| recheck.worker.clone()).collect();
            assert_eq!((again.len(), workers.len()), (20, 20), "one of each");
            for recheck in &again {
                checks.compare(recheck, &played(recheck.place.1)).unwrap();
            }
            let words = "20 of 60 parts, of 20 of 20 workers, were played again here: 20 agreed";
            assert_eq!(checks.in_words().unwrap(), words);
            assert_eq!(checks.of_others(0), []);
        }
    }

    #[test]
    fn shares_are_kept() {
        let again = |share| {
            let mut checks = Checks::new(share);
            (0..4000).filter(|&part| count(&mut checks, part, "w").is_some()).count()
        };
        assert_eq!((again(0.0), again(1.0)), (0, 4000));
        assert!((300..500).contains(&again(0.1)));
    }

    #[test]
    fn results_that_differ_name_the_workers() {
        let mut checks = Checks::new(1.0);
        let recheck = count(&mut checks, 5, "w-1").unwrap();
        let error = checks.compare(&recheck, &played(6)).unwrap_err().to_string();
        assert!(error.contains("worker w-1 reports other results for part 5 of job 0"), "{error}");
        let late = |results: &[_]| checks.compare_late((0, 5), "w-2", results);
        assert_eq!(late(&played(5)).unwrap(), Ok(()));
        let error = late(&played(6)).unwrap_err().to_string();
        assert!(
            error.contains("workers w-1 and w-2 report different results")
                && error.contains("--key")
        );
        let wrong = late(&[played(5), played(5)].concat()).unwrap().unwrap_err();
        assert_eq!(wrong, "part 5 has 2 games, but the answer has 4");
        assert_eq!(checks.compare_late((1, 5), "w-2", &played(6)).unwrap(), Ok(()));
    }
}
