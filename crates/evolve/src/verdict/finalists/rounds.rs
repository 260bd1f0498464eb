//! The rounds of finalists, down to the winner.

use std::borrow::Cow;

use super::finalist::Finalist;
use super::gather::gather;
use super::scores::Scores;
use super::settings::Rounds;
use crate::error::RunError;
use crate::journal::{BlockRow, Finalists, fits, games_fit};
use crate::measure::fitness::Measured;
use crate::plan::{BLOCKS, FinalistsPlan};
use crate::stage::{StageContext, StageResult};
use tictune_core::files::{FileError, Found, Journal, write_atomically};
use tictune_core::seed::mix;

/// Chooses the winner of a stage that has ended, gives it as a point of the optimiser too, and writes
/// `finalists.json`. If there is a journal, it goes on from there.
pub(crate) fn choose_winner(
    context: &StageContext<'_>,
    settings: &FinalistsPlan,
    start: &[f64],
    result: &StageResult,
) -> Result<(Finalists, Vec<f64>), RunError> {
    let finalists = gather(context.plan, settings, start, result)?;
    let (found, winner) =
        measure(context, &Rounds::of_finalists(settings, context.index), &finalists)?;
    tracing::info!(stage = context.index + 1, verdict = found.verdict, "finalists");
    write_table(context, "finalists.json", &found)?;
    context.observer.finalists_finished(context.index, &found);
    Ok((found, finalists[winner].candidate.point.clone()))
}

/// Writes the results of vectors to the folder of their stage.
pub(in crate::verdict) fn write_table(
    context: &StageContext<'_>,
    name: &str,
    found: &Finalists,
) -> Result<(), RunError> {
    let path = context.folder.join(name);
    let mut text = serde_json::to_string_pretty(found)
        .map_err(|error| FileError::writing(&path)(error.into()))?;
    text.push('\n');
    Ok(write_atomically(&path, text.as_bytes()).map_err(FileError::writing(&path))?)
}

/// Measures finalists in rounds until one is shown to lead all others. Gives the place of the winner, too.
pub(in crate::verdict) fn measure(
    context: &StageContext<'_>,
    settings: &Rounds<'_>,
    finalists: &[Finalist],
) -> Result<(Finalists, usize), RunError> {
    let path = context.folder.join(settings.journal);
    let mut journal = Journal::open(&path, &BlockRow::header())?;
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
                scores.blocks[place].push(row.measured);
            }
        }
        rounds += 1;
        left.sort_by(|&a, &b| scores.score(b).total_cmp(&scores.score(a)));
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
) -> Result<Vec<BlockRow>, RunError> {
    let stage = context.stage().in_pairs(settings.games_of_block(round), settings.openings);
    let before = settings.openings_before(round, block);
    let stage = &*context.plan.stage_given(settings.part, before, Cow::Owned(stage))?;
    let row = |place: usize, measured: Measured| {
        let finalist = finalists[place].name.clone();
        BlockRow { round: round + 1, block: block + 1, finalist, measured }
    };
    let check = |place: usize, found: Found<'_>| {
        let of_here = |found: &BlockRow| {
            *found == row(place, found.measured.clone())
                && fits(&found.measured, &stage.fitness)
                && games_fit(&found.measured)
        };
        found.read().filter(of_here).ok_or_else(|| {
            format!(
                "expected round {}, block {}, finalist {}, with {} games against its opponents",
                round + 1,
                block + 1,
                finalists[place].name,
                stage.fitness.games
            )
        })
    };
    journal.next_rows(finalists.len(), check, |done, put| {
        let to_play = finalists[done.len()..].iter();
        let values = to_play.map(|finalist| &finalist.candidate.values).collect();
        let seed = mix(mix(context.seed(settings.purpose, 0), round.into()), block);
        let mut sink = |number: usize, measured| put(row(done.len() + number, measured));
        context.measure(stage, seed, values, &mut sink)
    })
}
