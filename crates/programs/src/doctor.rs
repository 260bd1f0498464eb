//! Goes through a conversation with another program step by step, and says what it saw: `tictune doctor`.
//!
//! The program plays two games against random moves, one from each side. It has far more time for a move than in a
//! match, so that a slow answer can be told from none.

mod engine;

use std::time::{Duration, Instant};

use rand::{RngExt, SeedableRng};
use serde::Serialize;

use super::external::{limit_of, ready, start};
use super::invocation::ReadyProgram;
use super::process::{Program, Reading};
use super::{ExternalSettings, Host, Platforms, Protocol};
use tictune_core::agent::{MoveTimes, TimeRules, Timer};
use tictune_core::game::{Game, Player};
use tictune_core::input::{InputError, excerpt};
use tictune_core::seed::Generator;

/// What was seen at a step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// Whether it is as it should be.
    pub grade: Grade,
    /// What was seen, and what to do about it.
    pub text: String,
}

/// How good a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Grade {
    /// As it should be.
    Good,
    /// Unusual, but matches go on.
    Note,
    /// Matches would be forfeited, or something stays behind.
    Wrong,
}

/// How long the program may write something before it is asked.
const QUIET: Duration = Duration::from_millis(300);

/// The first answers of a game after which more lines are looked for, and how long.
const LOOKED_AFTER: u32 = 3;
const AFTER: Duration = Duration::from_millis(50);

/// How long an answer is waited for, at least.
const PATIENCE: Duration = Duration::from_secs(5);

/// How long the program has to end after its input has ended.
const END: Duration = Duration::from_secs(2);

/// Examines a program that speaks a protocol of lines. `say` gets each finding when it is known.
///
/// # Errors
/// An agent that no match would accept: see the message.
pub fn examine<P: Game>(
    external: &ExternalSettings,
    rules: P::Rules,
    say: &mut dyn FnMut(Finding),
) -> Result<(), InputError> {
    if external.protocol == Protocol::Uci {
        return engine::examine::<P>(external, rules, say);
    }
    let (limit, times) = limit_of::<P>(external, &external.command)?;
    let program = ready(external, &external.command)?;
    let mut examination = Examination::<P> { external, program, times, rules, say };
    for player in Player::BOTH {
        let timer = Timer::new(limit, MoveTimes::Minimax);
        if !examination.game(player, timer) {
            break;
        }
    }
    Ok(())
}

struct Examination<'e, P: Game> {
    external: &'e ExternalSettings,
    program: ReadyProgram,
    times: TimeRules,
    rules: P::Rules,
    say: &'e mut dyn FnMut(Finding),
}

/// The moves of the program in a game.
#[derive(Default)]
struct Moves {
    count: u32,
    total: Duration,
    slowest: Duration,
    /// Moves that took longer than it has, and those of them that no grace forgives.
    over: u32,
    late: u32,
}

impl<P: Game> Examination<'_, P> {
    fn say(&mut self, grade: Grade, text: impl Into<String>) {
        (self.say)(Finding { grade, text: text.into() });
    }

    /// Lets the program play a game as one of the players; whether another game makes sense.
    fn game(&mut self, player: Player, timer: Timer) -> bool {
        let first = player == Player::First;
        let mut program = match start(&self.program, 0, &self.external.command) {
            Ok(program) => program,
            Err(error) => {
                let help =
                    "cmd is a program and its arguments; relative paths count from this folder";
                self.say(Grade::Wrong, format!("it does not start: {error}. {help}"));
                return false;
            }
        };
        if first {
            let words = self.program.invocation(0).words;
            let command = shlex::try_join(words.iter().map(String::as_str));
            let command = command.unwrap_or_else(|_| self.external.command.clone());
            self.say(Grade::Good, format!("it starts: {command}"));
        }
        if !self.is_quiet(&mut program, first) {
            return false;
        }
        let played = self.moves(&mut program, player, timer);
        self.ending(program, first);
        played
    }

    /// Whether the program waits to be asked.
    fn is_quiet(&mut self, program: &mut Program, first: bool) -> bool {
        match program.read(Instant::now() + QUIET) {
            Reading::Late => {
                if first {
                    self.say(Grade::Good, "it waits to be asked");
                }
                true
            }
            Reading::Line(line) => {
                let protocol = self.external.protocol;
                let text = format!(
                    "it wrote \"{}\" before it was asked: {protocol} has no greeting. Write such text to standard error",
                    excerpt(&line)
                );
                self.say(Grade::Wrong, text);
                // What it writes then may be worth a look all the same.
                true
            }
            Reading::Closed => {
                let text = format!("it ended before it was asked: {}", program.obituary());
                self.say(Grade::Wrong, text);
                false
            }
        }
    }

    /// Plays a game against random moves; whether it came to its end.
    fn moves(&mut self, program: &mut Program, player: Player, mut timer: Timer) -> bool {
        let Some(mut host) =
            (Platforms::<P>::of().host)(self.external.protocol, player, self.times)
        else {
            return false;
        };
        let mut position = P::start(self.rules);
        let mut generator = Generator::seed_from_u64(0);
        let mut last_move = None;
        let mut moves = Moves::default();
        while position.outcome().is_none() {
            let mv = if position.side_to_move() == player {
                match self.answer(program, &mut *host, &position, last_move, &mut timer, &mut moves)
                {
                    Ok(mv) => mv,
                    Err(wrong) => {
                        self.say(Grade::Wrong, format!("move {}: {wrong}", moves.count + 1));
                        return false;
                    }
                }
            } else {
                let index = generator.random_range(0..position.legal_move_count() as u32);
                position.nth_legal_move(index as usize)
            };
            if position.play(mv).is_err() {
                return false;
            }
            last_move = Some(mv);
        }
        let side = if player == Player::First { "first" } else { "second" };
        let Moves { count, total, slowest, over, late } = moves;
        let mean = total / count.max(1);
        let text = format!(
            "it played a game as {side} player: {count} moves, {mean:.1?} a move, the slowest {slowest:.1?}"
        );
        let within = format!(
            "{text}; {over} of them took longer than it has, which matches forgive up to {:.0} % (grace), and a platform does \
             not",
            100.0 * self.external.grace
        );
        match (over, late) {
            (0, _) => self.say(Grade::Good, text),
            (_, 0) if 2 * over < count => self.say(Grade::Note, within),
            (_, 0) => self.say(Grade::Wrong, within),
            _ => self.say(Grade::Wrong, format!("{text}; {late} of them too late for a match")),
        }
        true
    }

    /// The program's move.
    fn answer(
        &mut self,
        program: &mut Program,
        host: &mut dyn Host<P>,
        position: &P,
        last_move: Option<P::Move>,
        timer: &mut Timer,
        moves: &mut Moves,
    ) -> Result<P::Move, String> {
        let granted = timer.grant(None).unwrap_or_default();
        let patience = PATIENCE.max(2 * granted);
        let asked = Instant::now();
        program.write(host.request(position, last_move, granted));
        let line = loop {
            match program.read(asked + patience) {
                Reading::Late => {
                    return Err(format!(
                        "no answer in {patience:?}, and it has {granted:?}. Does it flush its output, and read the whole \
                         request?"
                    ));
                }
                Reading::Closed => return Err(format!("it ended: {}", program.obituary())),
                Reading::Line(line) if line.trim().is_empty() => {}
                Reading::Line(line) => break line,
            }
        };
        let took = asked.elapsed();
        timer.stop();
        let example = self.example(position.nth_legal_move(0));
        let Some(mv) = host.read_answer(&line) else {
            return Err(format!(
                "\"{}\" is not an answer. One would be \"{example}\"",
                excerpt(&line)
            ));
        };
        if !position.is_legal(mv) {
            let swapped = with_numbers_swapped(&line)
                .filter(|line| host.read_answer(line).is_some_and(|mv| position.is_legal(mv)))
                .map_or(String::new(), |line| {
                    format!(". With its numbers swapped, \"{line}\", it would be")
                });
            return Err(format!(
                "\"{}\" is not legal in {}. One of {} legal answers is \"{example}\"{swapped}",
                excerpt(&line),
                position.notation(),
                position.legal_move_count()
            ));
        }
        if took > granted {
            moves.over += 1;
            moves.late += u32::from(took > granted.mul_f64(1.0 + self.external.grace));
        }
        if moves.count < LOOKED_AFTER
            && let Reading::Line(more) = program.read(Instant::now() + AFTER)
        {
            return Err(format!(
                "after \"{}\" it wrote \"{}\": an answer is one line, and the next request would take this for its answer",
                excerpt(&line),
                excerpt(&more)
            ));
        }
        moves.count += 1;
        moves.total += took;
        moves.slowest = moves.slowest.max(took);
        Ok(mv)
    }

    /// A legal answer in the words of the protocol.
    fn example(&self, mv: P::Move) -> String {
        let bot = (Platforms::<P>::of().bot)(self.external.protocol, self.rules);
        bot.map_or_else(|| mv.to_string(), |mut bot| bot.answer(mv))
    }

    /// Whether it ends, with all that it started, when nobody asks any more.
    fn ending(&mut self, mut program: Program, first: bool) {
        let ending = program.finish(END);
        if ending.status.is_none() {
            let text = format!(
                "it does not end within {END:?} after its input has ended; matches kill it"
            );
            self.say(Grade::Wrong, text);
        }
        if ending.left_running > 0 {
            self.say(Grade::Wrong, left_running(ending.left_running));
        } else if first && ending.status.is_some() {
            self.say(Grade::Good, "it ends with its input, and leaves nothing behind");
        }
        let last_words = program.last_words();
        if !last_words.is_empty() && first {
            self.say(
                Grade::Note,
                format!(
                    "the last that it wrote to standard error, which matches ignore: {last_words}"
                ),
            );
        }
    }
}

/// An answer with its first two numbers the other way round: a row may have been taken for a column.
fn with_numbers_swapped(line: &str) -> Option<String> {
    let mut words: Vec<&str> = line.split_whitespace().collect();
    let is_number = |word: &&str| word.parse::<u32>().is_ok();
    let first = words.windows(2).position(|pair| pair.iter().all(is_number))?;
    words.swap(first, first + 1);
    Some(words.join(" "))
}

/// What is said of processes that a program started and left behind.
#[must_use]
pub(crate) fn left_running(count: usize) -> String {
    match count {
        1 => "a process that it started went on without it; matches kill it".into(),
        _ => format!("{count} processes that it started went on without it; matches kill them"),
    }
}
