//! The matches on which the verdicts of a run rest, as far as their openings go.

use super::finalists::Rounds;
use super::validation::seeds_of_validation;
use crate::plan::{BLOCKS, Part, Plan};
use tictune_core::arena::Openings;
use tictune_core::input::InputError;
use tictune_core::seed::{Purpose, mix, of_run};

/// The openings of a match.
#[derive(Clone, Debug)]
pub struct VerdictMatch {
    /// The part of the run that it belongs to.
    pub part: Part,
    /// Where its games start, as they are given to it.
    pub openings: Openings,
    /// Its seed.
    pub seed: u64,
    /// How many openings it has.
    pub count: u64,
}

/// The matches of a run's finalists, of best against mean, and of its validation, in the order in which they are played. Of
/// finalists all rounds are here, of which the last may not be played.
///
/// # Errors
/// A book whose positions were not read.
pub fn verdict_matches(plan: &Plan) -> Result<Vec<VerdictMatch>, InputError> {
    let mut matches = Vec::new();
    let mut add = |part: Part, from: &Openings, seed: u64, (offset, count): (u64, u64)| {
        let openings = plan.given(part, (offset, count), from)?;
        matches.push(VerdictMatch { part, openings, seed, count });
        Ok::<_, InputError>(())
    };
    for index in 0..plan.stages.len() {
        let Some(finalists) = &plan.noise.finalists else { break };
        let rounds = Rounds::of_finalists(finalists, index);
        let seed = of_run(plan.seed, rounds.purpose, index as u64, 0);
        for round in 0..rounds.rounds {
            for block in 0..BLOCKS {
                let seed = mix(mix(seed, round.into()), block);
                let range =
                    (rounds.openings_before(round, block), rounds.games_of_block(round) / 2);
                add(rounds.part, rounds.openings, seed, range)?;
            }
        }
    }
    let comparison = &plan.comparison;
    let seed = of_run(plan.seed, Purpose::Comparison, 0, 0);
    add(Part::Comparison, &comparison.openings, seed, (0, comparison.games / 2))?;
    let seed = of_run(plan.seed, Purpose::Validation, 0, 0);
    for (openings, seed) in seeds_of_validation(plan, seed)? {
        add(Part::Validation, openings, seed, (0, plan.validation.games / 2))?;
    }
    Ok(matches)
}
