//! Goes through a conversation with another program step by step, and says what it saw: `tictune doctor`.
//!
//! The program plays two games against random moves, one from each side. It has far more time for a move than in a
//! match, so that a slow answer can be told from none.

mod engine;

use std::time::{Duration, Instant};

use rand::{RngExt, SeedableRng};
use serde::Serialize;

use super::external::{Conversation, limit_of, ready};
use super::process::{END, Invocation, Reading};
use super::{ExternalSettings, Host, Platforms, Protocol};
use tictune_core::agent::{Failure, MoveTimes, Timer, Turn};
use tictune_core::game::{Game, Player};
use tictune_core::input::{Result, excerpt};
use tictune_core::seed::Generator;

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    pub grade: Grade,
    pub text: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Grade {
    Good,
    Note,
    /// Matches would be forfeited, or programs have to be killed.
    Wrong,
}

impl Finding {
    pub(crate) fn good(text: impl Into<String>) -> Self {
        Self { grade: Grade::Good, text: text.into() }
    }

    pub(crate) fn note(text: impl Into<String>) -> Self {
        Self { grade: Grade::Note, text: text.into() }
    }

    pub(crate) fn wrong(text: impl Into<String>) -> Self {
        Self { grade: Grade::Wrong, text: text.into() }
    }

    pub(crate) fn not_started(error: &str) -> Self {
        Self::wrong(format!(
            "it does not start: {error}. cmd is a program and its arguments; relative paths count from this folder"
        ))
    }
}

/// Gets each finding when it is known. Both games of an examination may show the same.
pub type Say<'s> = dyn FnMut(Finding) + 's;

const QUIET: Duration = Duration::from_millis(300);

/// The first answers of a game after which more lines are looked for, and how long.
const LOOKED_AFTER: u32 = 3;
const AFTER: Duration = Duration::from_millis(50);

const PATIENCE: Duration = Duration::from_secs(5);

/// Examines a program that speaks the protocol of a platform. An agent that no match would accept is an error.
pub fn examine<P: Game>(
    external: &ExternalSettings,
    rules: P::Rules,
    say: &mut Say<'_>,
) -> Result<()> {
    if external.protocol == Protocol::Uci {
        return engine::examine::<P>(external, rules, say);
    }
    let (limit, times) = limit_of::<P>(external, &external.command)?;
    let program = ready(external, &external.command)?;
    for player in Player::BOTH {
        let Some(host) = (Platforms::<P>::of().host)(external.protocol, player, times) else {
            break;
        };
        let timer = Timer::new(limit, MoveTimes::Minimax);
        let moves = Moves::default();
        let mut examination = Examination { external, rules, player, timer, moves, say };
        if !examination.examine(&program.invocation(0), host) {
            break;
        }
    }
    Ok(())
}

struct Examination<'c, 's, P: Game> {
    external: &'c ExternalSettings,
    rules: P::Rules,
    player: Player,
    timer: Timer,
    moves: Moves,
    say: &'c mut Say<'s>,
}

#[derive(Default)]
struct Moves {
    count: u32,
    total: Duration,
    slowest: Duration,
    /// Moves that took longer than it has, and those of them that no grace forgives.
    over: u32,
    late: u32,
}

impl Moves {
    fn add(&mut self, took: Duration) {
        self.count += 1;
        self.total += took;
        self.slowest = self.slowest.max(took);
    }

    fn in_words(&self, side: &str) -> String {
        let &Self { count, total, slowest, .. } = self;
        let mean = total / count.max(1);
        format!(
            "it played a game as {side}: {count} moves, {mean:.1?} per move, the slowest {slowest:.1?}"
        )
    }
}

/// Plays a game against random moves, from a start and the moves so far; whether it came to its end.
fn against_chance<P: Game>(
    start: &P,
    player: Player,
    mut own_move: impl FnMut(&P, &[P::Move]) -> Option<P::Move>,
) -> bool {
    let (mut position, mut moves) = (start.clone(), Vec::new());
    let mut generator = Generator::seed_from_u64(0);
    while position.outcome().is_none() {
        let mv = if position.side_to_move() == player {
            let Some(mv) = own_move(&position, &moves) else { return false };
            mv
        } else {
            let index = generator.random_range(0..position.legal_move_count() as u32);
            position.nth_legal_move(index as usize)
        };
        position.play_unchecked(mv);
        moves.push(mv);
    }
    true
}

impl<P: Game> Examination<'_, '_, P> {
    /// Starts the program and lets it play; whether another game makes sense.
    fn examine(&mut self, invocation: &Invocation, host: Box<dyn Host<P>>) -> bool {
        let mut program = match invocation.start(&self.external.command) {
            Ok(program) => program,
            Err(error) => {
                (self.say)(Finding::not_started(&error));
                return false;
            }
        };
        let command = shlex::try_join(invocation.words.iter().map(String::as_str));
        let command = command.unwrap_or_else(|_| self.external.command.clone());
        (self.say)(Finding::good(format!("it starts: {command}")));
        match program.read(Instant::now() + QUIET) {
            Reading::Late => (self.say)(Finding::good("it waits for a request")),
            // What it writes then may be worth a look all the same.
            Reading::Line(line) => (self.say)(Finding::wrong(format!(
                "it wrote \"{}\" before the first request: {} has no greeting. Write such text to standard error",
                excerpt(&line),
                self.external.protocol
            ))),
            Reading::Closed => {
                let how = program.obituary();
                (self.say)(Finding::wrong(format!("it ended before the first request: {how}")));
                return false;
            }
        }
        let mut conversation = Conversation::new(program, host);
        let played = self.play(&mut conversation);
        let mut program = conversation.program;
        tell_ending(program.finish(), "after its input has ended", "with its input", self.say);
        let last_words = program.last_words();
        if !last_words.is_empty() && self.player == Player::First {
            (self.say)(Finding::note(format!(
                "the end of its standard error, which matches ignore: {last_words}"
            )));
        }
        played
    }

    fn play(&mut self, conversation: &mut Conversation<P>) -> bool {
        let (player, start) = (self.player, P::start(self.rules));
        let ended = against_chance(&start, player, |position, moves| {
            let answer = self.answer(conversation, position, moves.last().copied());
            let wrong = |wrong: &String| {
                let number = self.moves.count + 1;
                (self.say)(Finding::wrong(format!("move {number}: {wrong}")));
            };
            answer.inspect_err(wrong).ok()
        });
        if !ended {
            return false;
        }
        let side = if self.player == Player::First { "first player" } else { "second player" };
        let Moves { count, over, late, .. } = self.moves;
        let text = self.moves.in_words(side);
        let within = format!(
            "{text}; {over} of them exceeded the time limit: matches tolerate up to {:.0} % more (grace), a platform does \
             not",
            100.0 * self.external.grace
        );
        (self.say)(match (over, late) {
            (0, _) => Finding::good(text),
            (_, 0) if 2 * over < count => Finding::note(within),
            (_, 0) => Finding::wrong(within),
            _ => Finding::wrong(format!("{text}; {late} of them too late for a match")),
        });
        true
    }

    fn answer(
        &mut self,
        conversation: &mut Conversation<P>,
        position: &P,
        last_move: Option<P::Move>,
    ) -> Result<P::Move, String> {
        let granted = self.timer.grant(None).unwrap_or_default();
        let patience = PATIENCE.max(2 * granted);
        let turn = Turn { last_move, ..Turn::new(position) };
        let asked = Instant::now();
        let answer = conversation.ask(&turn, granted, patience);
        let took = asked.elapsed();
        self.timer.stop();
        let (mv, _) = answer.map_err(|failure| {
            let first = position.nth_legal_move(0);
            let bot = (Platforms::<P>::of().bot)(self.external.protocol, self.rules);
            let example = bot.map_or_else(|| first.to_string(), |mut bot| bot.answer(first));
            let is_codingame = self.external.protocol == Protocol::CodinGame;
            let order = if is_codingame { " (row, column)" } else { "" };
            match failure {
                Failure::Timeout { .. } => format!(
                    "no answer in {patience:?}; the limit is {granted:?}. Does it flush its output, and read the whole request?"
                ),
                Failure::Ended(how) | Failure::Start(how) => format!("it ended: {how}"),
                Failure::Garbage(line) => {
                    format!("\"{line}\" is not an answer. One would be \"{example}\"")
                }
                Failure::IllegalMove(mv) => format!(
                    "{mv} is not legal in {}. One of {} legal answers is \"{example}\"{order}",
                    position.notation(),
                    position.legal_move_count()
                ),
            }
        })?;
        if took > granted {
            self.moves.over += 1;
            self.moves.late += u32::from(took > granted.mul_f64(1.0 + self.external.grace));
        }
        if self.moves.count < LOOKED_AFTER
            && let Reading::Line(more) = conversation.program.read(Instant::now() + AFTER)
        {
            return Err(format!(
                "after {mv} it wrote \"{}\": an answer is one line, and the next request would take this for its answer",
                excerpt(&more)
            ));
        }
        self.moves.add(took);
        Ok(mv)
    }
}

/// Says whether a program ended when nobody asked any more.
pub(crate) fn tell_ending(ended: bool, after: &str, with: &str, say: &mut Say<'_>) {
    say(match ended {
        true => Finding::good(format!("it ends {with}")),
        false => Finding::wrong(format!("it does not end within {END:?} {after}; matches kill it")),
    });
}
