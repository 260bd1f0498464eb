//! Asks a runner's program a few times, and says what it saw: `tictune doctor`.

use std::ops::Range;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use super::RunnerSettings;
use super::process::{Failed, Process, play_once};
use super::request::Request;
use crate::doctor::{Grade, left_running};
use tictune_core::agent::OtherProgram;
use tictune_core::arena::{GameResult, Side};
use tictune_core::seed::mix;

/// The most pairs that are asked for.
const PAIRS: u32 = 10;

/// How long the program has to end after its input has ended.
const END: Duration = Duration::from_secs(2);

/// Says why there is no answer. An interruption is nothing that the program did.
fn tell(failed: Failed, say: &mut dyn FnMut(Grade, String)) {
    match failed {
        Failed::Stopped => {}
        Failed::Lost(what) | Failed::Wrong(what) => say(Grade::Wrong, what),
    }
}

/// A program that answers, kept or started for each request.
struct Asked(Option<Process>);

impl Asked {
    fn start(settings: &RunnerSettings) -> Result<Self, Failed> {
        match settings.once {
            true => Ok(Self(None)),
            false => Process::start(settings).map(|process| Self(Some(process))),
        }
    }

    /// Results of pairs between two agents, and how long they took. The seeds are like those of a run.
    fn ask(
        &mut self,
        agents: [&RunnerSettings; 2],
        pairs: Range<u64>,
        stop: &AtomicBool,
    ) -> Result<(Vec<GameResult>, Duration), Failed> {
        let seeds: Vec<u64> = pairs.map(|pair| mix(0, pair)).collect();
        let request = Request { agents, seeds: &seeds };
        let asked = Instant::now();
        let answer = match &mut self.0 {
            Some(process) => process.ask(&request, stop),
            None => play_once(&request, stop),
        };
        answer.map(|results| (results, asked.elapsed()))
    }
}

/// What is wrong where one side wins all of enough games between the same numbers.
const ONE_SIDED: &str = "one side won all games, with the same numbers on both sides: does each side begin one of the two games \
                         of a pair, and is a result that of the candidate?";

fn winners(results: &[GameResult]) -> Vec<Option<Side>> {
    results.iter().map(|game| game.winner).collect()
}

/// Whether one side won all games, more of them than chance lets.
fn is_one_sided(winners: &[Option<Side>]) -> bool {
    const ENOUGH: usize = 12;
    winners.len() >= ENOUGH
        && winners[0].is_some()
        && winners.iter().all(|winner| *winner == winners[0])
}

/// What is wrong with a program that gives one side all games whatever the numbers are, asked for a moment before a run. Any
/// other fault is left to the run to find.
pub fn one_sided(settings: &RunnerSettings, stop: &AtomicBool) -> Option<&'static str> {
    /// How long it is asked again where a request has few pairs.
    const MOMENT: Duration = Duration::from_secs(5);
    let begun = Instant::now();
    let mut program = Asked::start(settings).ok()?;
    let (mut found, mut from) = (Vec::new(), 0);
    while from < u64::from(PAIRS) && begun.elapsed() < MOMENT {
        let to = (from + u64::from(settings.pairs)).min(u64::from(PAIRS));
        found.extend(winners(&program.ask([settings, settings], from..to, stop).ok()?.0));
        from = to;
    }
    is_one_sided(&found).then_some(ONE_SIDED)
}

/// Says which numbers seem to change nothing: those with which pairs come out as they do between two agents of the same
/// numbers. `changed` has the agents with each number at the ends of its range.
pub fn examine_numbers(
    settings: &RunnerSettings,
    changed: &[(String, [RunnerSettings; 2])],
    stop: &AtomicBool,
    say: &mut dyn FnMut(Grade, String),
) {
    let examine = || -> Result<Vec<&str>, Failed> {
        let mut program = Asked::start(settings)?;
        let pairs = u64::from(PAIRS.min(settings.pairs));
        let (unchanged, _) = program.ask([settings, settings], 0..pairs, stop)?;
        let mut idle = Vec::new();
        for (name, agents) in changed {
            let mut same = true;
            for agent in agents {
                let (results, _) = program.ask([agent, settings], 0..pairs, stop)?;
                same &= winners(&results) == winners(&unchanged);
            }
            if same {
                idle.push(name.as_str());
            }
        }
        Ok(idle)
    };
    match examine() {
        Err(failed) => tell(failed, say),
        Ok(idle) if idle.is_empty() => {
            say(
                Grade::Good,
                "every number changes results, at one end of its range or the other".into(),
            );
        }
        Ok(idle) => say(
            Grade::Note,
            format!(
                "with {} at either end of its range all results are the same as at the start: does the program use it?",
                idle.join(", with ")
            ),
        ),
    }
}

/// Asks for pairs between two agents of the same numbers: twice with the same seeds, and once with others. `say` gets each
/// finding when it is known.
pub fn examine(settings: &RunnerSettings, stop: &AtomicBool, say: &mut dyn FnMut(Grade, String)) {
    if let Some(missing) = settings.missing_number() {
        return say(Grade::Wrong, missing);
    }
    let mut program = match Asked::start(settings) {
        Ok(program) => program,
        Err(failed) => return tell(failed, say),
    };
    let pairs = u64::from(PAIRS.min(settings.pairs));
    let mut answers = Vec::new();
    for first in [0, 0, pairs] {
        match program.ask([settings, settings], first..first + pairs, stop) {
            Ok(answer) => answers.push(answer),
            Err(failed) => return tell(failed, say),
        }
    }
    let (first, again, others) =
        (winners(&answers[0].0), winners(&answers[1].0), winners(&answers[2].0));
    let games = first.len();
    let won = |by| first.iter().filter(|winner| **winner == Some(by)).count();
    let (a, b) = (won(Side::A), won(Side::B));
    let took = answers[0].1;
    say(
        Grade::Good,
        format!(
            "it answers: {pairs} pairs of games of its numbers against themselves in {took:.1?}, A won {a}, drew {}, lost {b}",
            games - a - b
        ),
    );
    if is_one_sided(&first) {
        say(Grade::Wrong, ONE_SIDED.into());
    }
    match first == again {
        true => say(Grade::Good, "the same request has the same results".into()),
        false => {
            let text = "the same request, asked twice, had different results: something in it is random and does not follow from \
                        \"seeds\". Candidates then do not play the same games, and a run does not repeat itself";
            say(Grade::Note, text.into());
        }
    }
    let pairs_of =
        |winners: &[Option<Side>]| winners.chunks(2).map(<[_]>::to_vec).collect::<Vec<_>>();
    let mut all = pairs_of(&first);
    all.extend(pairs_of(&others));
    if first == again && all.len() >= PAIRS as usize && all.windows(2).all(|two| two[0] == two[1]) {
        let text = format!(
            "all {} pairs came out alike: if it ignores \"seeds\", every game is the same game",
            all.len()
        );
        say(Grade::Note, text);
    }
    let speed = pairs as f64 / answers[2].1.as_secs_f64().max(1e-6);
    let text = format!(
        "{speed:.0} pairs a second: about a second's worth is a good choice for the key pairs, which is {}",
        settings.pairs
    );
    say(Grade::Good, text);
    let Some(process) = program.0 else { return };
    let ending = process.end(END);
    match ending.status {
        Some(_) => say(Grade::Good, "it ends with its input".into()),
        None => {
            let text = format!(
                "it does not end within {END:?} after its input has ended; it is killed then"
            );
            say(Grade::Wrong, text);
        }
    }
    if ending.left_running > 0 {
        say(Grade::Wrong, left_running(ending.left_running));
    }
}
