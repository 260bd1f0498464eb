//! Asks a runner's program a few times, and says what it saw: `tictune doctor`.

use std::ops::Range;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use super::RunnerSettings;
use super::process::{Failed, Process};
use super::request::Request;
use super::settings::MAX_PAIRS;
use crate::doctor::{Finding, Say, tell_ending};
use tictune_core::agent::OtherProgram;
use tictune_core::arena::{GameResult, Side};
use tictune_core::seed::mix;

const PAIRS: u32 = 10;

/// Says why there is no answer. An interruption is nothing that the program did.
fn tell(failed: Failed, say: &mut Say<'_>) {
    match failed {
        Failed::Stopped => {}
        Failed::Lost(what) | Failed::Wrong(what) => say(Finding::wrong(what)),
    }
}

fn ask(
    program: &mut Process,
    agents: [&RunnerSettings; 2],
    pairs: Range<u64>,
    stop: &AtomicBool,
) -> Result<Vec<Option<Side>>, Failed> {
    let seeds: Vec<u64> = pairs.map(|pair| mix(0, pair)).collect();
    let results = program.ask(&Request { agents, seeds: &seeds }, stop)?;
    Ok(results.iter().map(|game: &GameResult| game.winner).collect())
}

/// What is wrong where one side wins all of enough games between the same numbers.
const ONE_SIDED: &str = "one side won all games, with the same parameters on both sides: does each side move first in one of \
                         the two games of a pair, and are the results those of the candidate?";

/// The same where the side that wins the first game of a pair always wins the second, too: equal sides that swap win one each.
const SAME_SIDE: &str = "in every pair the same side won both games, with the same parameters on both sides: is the second \
                         result of a pair that of the candidate, who has the other side there?";

/// What is wrong with the winners of pairs of games between the same numbers, if they are enough to tell.
fn wrong_sides(winners: &[Option<Side>]) -> Option<&'static str> {
    const ENOUGH: usize = 12;
    let [first, ..] = winners else { return None };
    let is_enough = winners.len() >= ENOUGH && first.is_some();
    let same_side =
        |pair: &[Option<Side>]| pair[0].is_some() && pair.iter().all(|one| *one == pair[0]);
    // Of a program that only counts, wins come before losses, and nobody knows the pairs.
    let are_pairs = winners.chunk_by(|one, next| one == next).count() > 2;
    match is_enough {
        true if winners.iter().all(|winner| winner == first) => Some(ONE_SIDED),
        true if are_pairs && winners.chunks(2).all(same_side) => Some(SAME_SIDE),
        _ => None,
    }
}

/// What is wrong with a program that gives one side all games whatever the numbers are, asked for a moment before a run. Any
/// other fault is left to the run to find.
pub fn one_sided(settings: &RunnerSettings, stop: &AtomicBool) -> Option<&'static str> {
    /// How long it is asked again where a request has few pairs.
    const MOMENT: Duration = Duration::from_secs(5);
    let begun = Instant::now();
    let mut program = Process::start(settings).ok()?;
    let (mut found, mut from) = (Vec::new(), 0);
    while from < u64::from(PAIRS) && begun.elapsed() < MOMENT {
        let to = (from + u64::from(settings.pairs)).min(u64::from(PAIRS));
        found.extend(ask(&mut program, [settings, settings], from..to, stop).ok()?);
        from = to;
    }
    wrong_sides(&found)
}

/// Says which numbers seem to change nothing: those with which pairs come out as they do between two agents of the same
/// numbers. `changed` has the agents with each number at the ends of its range.
pub fn examine_numbers(
    settings: &RunnerSettings,
    changed: &[(String, [RunnerSettings; 2])],
    stop: &AtomicBool,
    say: &mut Say<'_>,
) {
    let idle = || -> Result<Vec<&str>, Failed> {
        let mut program = Process::start(settings)?;
        let pairs = 0..u64::from(PAIRS.min(settings.pairs));
        let unchanged = ask(&mut program, [settings, settings], pairs.clone(), stop)?;
        let mut idle = Vec::new();
        for (name, agents) in changed {
            let mut same = true;
            for agent in agents {
                same &= ask(&mut program, [agent, settings], pairs.clone(), stop)? == unchanged;
            }
            if same {
                idle.push(name.as_str());
            }
        }
        Ok(idle)
    };
    match idle() {
        Err(failed) => tell(failed, say),
        Ok(idle) if idle.is_empty() => say(Finding::good(
            "every parameter changes results, at one end of its range or the other",
        )),
        Ok(idle) => say(Finding::note(format!(
            "with {} at either end of its range all results of {} pairs are the same as at the start: does the program use it?",
            idle.join(", with "),
            PAIRS.min(settings.pairs)
        ))),
    }
}

/// Asks for pairs between two agents of the same numbers: twice with the same seeds, and once with others. `say` gets each
/// finding when it is known.
pub fn examine(settings: &RunnerSettings, stop: &AtomicBool, say: &mut Say<'_>) {
    if let Some(missing) = settings.missing_number() {
        return say(Finding::wrong(missing));
    }
    match examine_answers(settings, stop, say) {
        Err(failed) => tell(failed, say),
        Ok(None) => {}
        Ok(Some(ended)) => tell_ending(ended, "after its input has ended", "with its input", say),
    }
}

fn examine_answers(
    settings: &RunnerSettings,
    stop: &AtomicBool,
    say: &mut Say<'_>,
) -> Result<Option<bool>, Failed> {
    let mut program = Process::start(settings)?;
    let pairs = u64::from(PAIRS.min(settings.pairs));
    let mut timed = |first: u64| {
        let asked = Instant::now();
        let winners = ask(&mut program, [settings, settings], first..first + pairs, stop)?;
        Ok((winners, asked.elapsed()))
    };
    let (first, took) = timed(0)?;
    let (again, _) = timed(0)?;
    let (others, took_by_others) = timed(pairs)?;
    let won = |by| first.iter().filter(|winner| **winner == Some(by)).count();
    let (a, b) = (won(Side::A), won(Side::B));
    say(Finding::good(format!(
        "it answers: {pairs} pairs of games with equal parameters in {took:.1?}, A won {a}, drew {}, lost {b}",
        first.len() - a - b
    )));
    if let Some(wrong) = wrong_sides(&first) {
        say(Finding::wrong(wrong));
    }
    say(match first == again {
        true => Finding::good("the same request has the same results"),
        false => Finding::note(
            "the same request, sent twice, had different results: the program is random in a way that does not depend on \
             \"seeds\". Candidates then do not play the same games, and a run cannot be reproduced",
        ),
    });
    let all: Vec<_> = first.chunks(2).chain(others.chunks(2)).collect();
    if first == again && all.len() >= PAIRS as usize && all.windows(2).all(|two| two[0] == two[1]) {
        say(Finding::note(format!(
            "all {} pairs had the same result: if it ignores \"seeds\", every game is the same",
            all.len()
        )));
    }
    let a_second = pairs as f64 / took_by_others.as_secs_f64().max(1e-6);
    say(Finding::good(format!(
        "{a_second:.0} pairs per second once it runs: a request of about a second is best, pairs = {} (now {})",
        (a_second as u32).clamp(1, MAX_PAIRS),
        settings.pairs
    )));
    Ok(program.end())
}
