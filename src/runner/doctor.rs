//! Asks a runner's program a few times, and says what it saw: `tictune doctor`.

use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use super::process::{Failed, Process, play_once};
use super::request::Request;
use crate::agent::RunnerSettings;
use crate::agent::doctor::{Grade, left_running};
use crate::arena::{GameResult, Side};

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

/// Asks for pairs between two agents of the same numbers: twice with the same seeds, and once with others. `say` gets each
/// finding when it is known.
pub(crate) fn examine(
    settings: &RunnerSettings,
    stop: &AtomicBool,
    say: &mut dyn FnMut(Grade, String),
) {
    let mut process = match (settings.once, settings.missing_number()) {
        (_, Some(missing)) => return say(Grade::Wrong, missing),
        (true, None) => None,
        (false, None) => match Process::start(settings) {
            Ok(process) => Some(process),
            Err(failed) => return tell(failed, say),
        },
    };
    let pairs = u64::from(PAIRS.min(settings.pairs));
    let mut ask = |first_seed: u64| {
        let seeds: Vec<u64> = (first_seed..first_seed + pairs).map(|seed| seed << 32).collect();
        let request = Request { agents: [settings, settings], seeds: &seeds };
        let asked = Instant::now();
        let answer = match &mut process {
            Some(process) => process.ask(&request, stop),
            None => play_once(&request, stop),
        };
        answer.map(|results| (results, asked.elapsed()))
    };
    let mut answers = Vec::new();
    for first_seed in [1, 1, 1 + pairs] {
        match ask(first_seed) {
            Ok(answer) => answers.push(answer),
            Err(failed) => return tell(failed, say),
        }
    }
    let winners = |number: usize| -> Vec<Option<Side>> {
        let (results, _): &(Vec<GameResult>, Duration) = &answers[number];
        results.iter().map(|game| game.winner).collect()
    };
    let (first, again, others) = (winners(0), winners(1), winners(2));
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
    if games >= 6 && (a == games || b == games) {
        let text = "one side won all games, with the same numbers on both sides: does each side begin one of the two games of a pair?";
        say(Grade::Wrong, text.into());
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
    let Some(process) = process else { return };
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
