//! The finalists of a stage: the re-evaluation of its best candidates, its means, its start vector
//! and, where the config asks for it, the optimum of a model of all its evaluations.
//!
//! The lowest fitness measured is the lowest of many noisy numbers: the winner's curse. Finalists therefore play new
//! games, the same ones for all, against the stage's opponents, in rounds of successive halving. Each round has twice
//! the games of the one before, and the better half of the finalists goes on, until one is shown to lead or the rounds
//! are over (CITE: Karnin, Koren, Somekh, "Almost optimal exploration in
//! multi-armed bandits", ICML 2013). A round is played in blocks, which are the units of the paired test. Every
//! block's results are on disk before the next is played.

mod model;
mod scores;
#[cfg(test)]
pub(crate) mod tests;

use self::model::optimum;
use self::scores::{ALL, Scores};
use crate::error::Result;
use crate::journal::{BlockRow, Finalists, header};
use crate::measure::fitness::Measured;
use crate::plan::{BLOCKS, Candidate, FinalistsPlan, Part, Plan};
use crate::stage::{StageContext, StageResult};
use tictune_core::arena::Openings;
use tictune_core::files::Journal;
use tictune_core::seed::{Purpose, mix};

/// How vectors are measured against each other.
pub(crate) struct Rounds<'r> {
    pub(crate) label: &'static str,
    pub(crate) journal: &'static str,
    pub(crate) purpose: Purpose,
    pub(crate) part: Part,
    /// Games of each in the first round; each further round has twice as many.
    pub(crate) games: u64,
    pub(crate) rounds: u32,
    pub(crate) openings: &'r Openings,
}

impl<'r> Rounds<'r> {
    pub(crate) const fn games_of_block(&self, round: u32) -> u64 {
        (self.games << round) / BLOCKS
    }

    pub(crate) fn openings_before(&self, round: u32, block: u64) -> u64 {
        let rounds = (0..round).map(|round| BLOCKS * (self.games_of_block(round) / 2));
        rounds.sum::<u64>() + block * (self.games_of_block(round) / 2)
    }

    pub(crate) const fn of_finalists(settings: &'r FinalistsPlan, stage: usize) -> Self {
        Self {
            label: "finalists",
            journal: "finalist-games.csv",
            purpose: Purpose::Finalists,
            part: Part::Finalists(stage),
            games: settings.games,
            rounds: settings.rounds,
            openings: &settings.openings,
        }
    }
}

/// Chooses the winner of a stage that has ended, and gives it as a point of the optimiser too. If there is a journal, it goes
/// on from there.
pub(crate) fn choose_winner(
    context: &StageContext<'_>,
    settings: &FinalistsPlan,
    start: &[f64],
    result: &StageResult,
) -> Result<(Finalists, Vec<f64>)> {
    let finalists = gather(context.plan, settings, start, result)?;
    let rounds = Rounds::of_finalists(settings, context.index);
    let (found, winner) = measure(context, &rounds, &finalists)?;
    Ok((found, finalists[winner].candidate.point.clone()))
}

/// Measures finalists in rounds until one is shown to lead all others. Gives the place of the winner, too.
pub(crate) fn measure(
    context: &StageContext<'_>,
    settings: &Rounds<'_>,
    finalists: &[Finalist],
) -> Result<(Finalists, usize)> {
    let path = context.folder.join(settings.journal);
    let mut journal = Journal::open(&path, &header(BlockRow::COLUMNS, []))?;
    let mut scores = Scores::new(context.stage(), settings, finalists);
    let mut left: Vec<usize> = (0..finalists.len()).collect();
    let mut rounds = 0;
    loop {
        let label =
            format!("{} of stage {}, round {}", settings.label, context.index + 1, rounds + 1);
        let games = (settings.games << rounds) * left.len() as u64;
        context.observer.match_started(&label, games);
        for block in 0..BLOCKS {
            let players: Vec<&Finalist> = left.iter().map(|&place| &finalists[place]).collect();
            let rows = play_block(context, settings, (rounds, block), &players, &mut journal)?;
            for (&place, row) in left.iter().zip(rows) {
                scores.blocks[place].push(Measured { games: row.games, ..row.measured });
            }
        }
        rounds += 1;
        left.sort_by(|&a, &b| scores.score(b, ALL).total_cmp(&scores.score(a, ALL)));
        let leads = |&other: &usize| scores.lead(left[0], other).shown;
        // Those who dropped out as well: the verdict is about all.
        let others: Vec<usize> = (0..finalists.len()).filter(|&other| other != left[0]).collect();
        if rounds == settings.rounds || others.iter().all(leads) {
            break;
        }
        left.truncate(left.len().div_ceil(2).max(2));
    }
    journal.finish("the rounds ended before this row")?;
    Ok((scores.table(left[0], rounds), left[0]))
}

/// A block of games of some finalists: those that the journal lacks are played, a row each.
fn play_block(
    context: &StageContext<'_>,
    settings: &Rounds<'_>,
    (round, block): (u32, u64),
    finalists: &[&Finalist],
    journal: &mut Journal<BlockRow>,
) -> Result<Vec<BlockRow>> {
    let stage = context.stage().in_pairs(settings.games_of_block(round), settings.openings);
    let before = settings.openings_before(round, block);
    let stage = &context.plan.stage_given(settings.part, before, stage)?;
    let row = |place: usize, mut measured: Measured| {
        let games = std::mem::take(&mut measured.games);
        let finalist = finalists[place].name.clone();
        BlockRow { round: round + 1, block: block + 1, finalist, measured, games }
    };
    let seed = mix(mix(context.seed(settings.purpose, 0), round.into()), block);
    let values = finalists.iter().map(|finalist| &finalist.candidate.values);
    context.measured_rows(
        journal,
        (stage, seed),
        &values.collect::<Vec<_>>(),
        (|row| Measured { games: row.games, ..row.measured }, &row),
        |_| (),
        |place| {
            let (round, block, games) = (round + 1, block + 1, stage.fitness.games);
            let finalist = &finalists[place].name;
            format!("round {round}, block {block}, finalist {finalist}, with {games} games against its opponents")
        },
    )
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Finalist {
    /// What it is, as in `best-2`, `mean`, `mean-after-50`.
    pub(crate) name: String,
    pub(crate) generation: Option<u64>,
    pub(crate) fitness: Option<f64>,
    pub(crate) candidate: Candidate,
}

/// The finalists of a stage that has ended, each vector once: the best candidates, the means, the optimum of the model,
/// the start vector.
fn gather(
    plan: &Plan,
    settings: &FinalistsPlan,
    start: &[f64],
    result: &StageResult,
) -> Result<Vec<Finalist>> {
    let best = std::iter::once(&result.best).chain(&result.runners_up);
    let mut finalists: Vec<Finalist> = (1..)
        .zip(best.take(settings.best as usize))
        .map(|(number, scored)| Finalist {
            name: if number == 1 { "best".into() } else { format!("best-{number}") },
            generation: Some(scored.generation),
            fitness: Some(scored.fitness),
            candidate: scored.candidate.clone(),
        })
        .collect();
    for (name, generation, point) in means(settings, result) {
        add(&mut finalists, name, Some(generation), plan.candidate(&point)?);
    }
    if let Some((generation, mean)) = &result.held_out {
        add(&mut finalists, "held-out".into(), Some(*generation), plan.candidate(mean)?);
    }
    for (number, (generation, mean)) in (1..).zip(&result.ended_means) {
        let name = format!("mean-of-run-{number}");
        add(&mut finalists, name, Some(*generation), plan.candidate(mean)?);
    }
    if settings.model {
        match optimum(&result.samples) {
            Some(point) => add(&mut finalists, "model".into(), None, plan.candidate(&point)?),
            None => tracing::info!("too few evaluations for a model among the finalists"),
        }
    }
    if settings.start {
        add(&mut finalists, "start".into(), None, plan.candidate(start)?);
    }
    Ok(finalists)
}

/// Adds a vector that is not there yet: different points may stand for the same one, as numbers are rounded.
pub(crate) fn add(
    finalists: &mut Vec<Finalist>,
    name: String,
    generation: Option<u64>,
    candidate: Candidate,
) {
    if !finalists.iter().any(|known| known.candidate.values == candidate.values) {
        finalists.push(Finalist { name, generation, fitness: None, candidate });
    }
}

/// The means that take part, with the generations after which they were the mean, the final one first.
fn means(plan: &FinalistsPlan, result: &StageResult) -> Vec<(String, u64, Vec<f64>)> {
    let last = result.generations;
    // The mean after a generation is the one that the next is drawn from, unless a restart came between.
    let after = |generation: u64| {
        let ended = result.ended_means.iter().find(|(ended, _)| *ended == generation);
        match (ended, result.centres.get(generation as usize)) {
            (Some((_, mean)), _) => mean,
            (None, Some(next)) if generation < last => next,
            _ => &result.mean,
        }
    };
    // Means are averaged within a run of the optimiser.
    let begun = result.ended_means.last().map_or(0, |(ended, _)| *ended);
    let mut means = vec![("mean".to_string(), last, result.mean.clone())];
    let averaged = plan.average.min(last - begun);
    if averaged > 1 {
        let of_last = || (last + 1 - averaged..=last).map(after);
        let average = |slot: usize| of_last().map(|mean| mean[slot]).sum::<f64>() / averaged as f64;
        let mean = (0..result.mean.len()).map(average).collect();
        means.push((format!("mean-of-last-{averaged}"), last, mean));
    }
    for part in (1..plan.means).rev() {
        let generation = last * part / plan.means;
        if generation > 0 {
            means.push((format!("mean-after-{generation}"), generation, after(generation).clone()));
        }
    }
    means
}
