//! Whether workers played what they say, where results are functions of the seeds.
//!
//! Some parts, drawn by chance and the first of each worker, are played again by the driver's own process: see
//! [`replay`](super::replay). Their results have to have the same digest as the worker's.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};

use sha2::{Digest as _, Sha256};

use super::message::Piece;
use tictune_core::arena::{Detail, ExecutorError, GameResult, Work};
use tictune_core::seed::mix;

/// The most workers that are known by name, whatever the network says. Of all others every part is played again.
const MOST_WORKERS: usize = 10_000;

type Digest = [u8; 32];

pub(crate) struct Checks {
    /// Which share of the parts is played again; none if it is 0.
    share: f64,
    random: u64,
    workers: HashMap<String, u64>,
    parts: u64,
    /// Parts that were played again, or will be.
    chosen: u64,
    /// Parts that came out here as their workers say.
    agreed: u64,
}

/// A part that was counted, and what its worker says of it.
#[derive(Debug)]
pub(crate) struct Recheck {
    /// The number of its work, and its own in it.
    pub work: u64,
    pub part: u64,
    pub pieces: Vec<Piece>,
    pub worker: String,
    pub detail: Detail,
    pub digest: Digest,
}

impl Checks {
    pub(crate) fn new(share: f64) -> Self {
        let random = RandomState::new().hash_one(std::process::id());
        Self { share, random, workers: HashMap::new(), parts: 0, chosen: 0, agreed: 0 }
    }

    /// Whether a part that was counted is to be played again. The first one of a worker is, and the next ones are more likely
    /// than others: who plays one part well may not play all of them.
    pub(crate) fn chooses(&mut self, worker: &str) -> bool {
        if self.share == 0.0 {
            return false;
        }
        self.parts += 1;
        let mut number = 1;
        if self.workers.len() < MOST_WORKERS || self.workers.contains_key(worker) {
            let of_worker = self.workers.entry(worker.into()).or_default();
            *of_worker += 1;
            number = *of_worker;
        }
        // A number from 0 to 1 that nobody else knows.
        self.random = mix(self.random, 1);
        let lot = (self.random >> 11) as f64 / (1_u64 << 53) as f64;
        let is_chosen = lot < self.share.max((number as f64).powi(-2));
        self.chosen += u64::from(is_chosen);
        is_chosen
    }

    /// Compares a part with what it was when it was played again here.
    pub(crate) fn compare(
        &mut self,
        recheck: &Recheck,
        results: &[Vec<GameResult>],
    ) -> Result<(), ExecutorError> {
        let Recheck { work, part, worker, .. } = recheck;
        if digest(results, recheck.detail) != recheck.digest {
            return Err(ExecutorError::Program(format!(
                "worker {worker} reports other results for part {part} of job {work} than this machine gets: {WRONG}"
            )));
        }
        self.agreed += 1;
        Ok(())
    }

    /// How many parts were played again, in words; `None` if none was.
    pub(crate) fn in_words(&self) -> Option<String> {
        let Self { parts, chosen, agreed, .. } = self;
        let words = || format!("parts played again here: {chosen} of {parts}, {agreed} agreed");
        (*chosen > 0).then(words)
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
    use std::time::Duration;

    use super::*;
    use tictune_core::arena::{Fingerprint, Side};

    fn played(number: u64) -> Vec<Vec<GameResult>> {
        let game = |number| GameResult::reported(Some(Side::A), Fingerprint::of_key(number));
        vec![vec![game(number), game(number + 1)]]
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
    fn the_first_part_of_each_worker_is_chosen_and_a_share_of_all() {
        let chosen = |share| {
            let mut checks = Checks::new(share);
            (0..20).for_each(|worker| assert_eq!(checks.chooses(&worker.to_string()), share > 0.0));
            (0..4000).filter(|_| checks.chooses("w")).count()
        };
        assert_eq!((chosen(0.0), chosen(1.0)), (0, 4000));
        assert!((1..20).contains(&chosen(1e-9)));
        assert!((300..500).contains(&chosen(0.1)));
    }
}
