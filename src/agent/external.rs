//! Other programs as agents: a new process for each game, asked in a bot platform's protocol.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::kinds::ExternalSettings;
use super::program::{Invocation, ReadyProgram};
use super::{Agent, Choice, Failure, Limit, MoveTimes, Playable, Spawn, Timer, Turn};
use crate::game::Player;
use crate::input::InputError;
use crate::protocol::program::{Launcher, Program, Reading};
use crate::protocol::{Host, Lateness, Platforms, Protocol, TimeRules, excerpt};

/// Checks the command and that the protocol knows the game. Without a limit, the clock of the protocol's
/// platform counts.
pub(super) fn limit_of<P: Playable>(
    external: &ExternalSettings,
    label: &str,
) -> Result<(Limit, TimeRules), InputError> {
    let wrong = |what: String| InputError::new(format!("agent \"{label}\": {what}"));
    let protocol = external.protocol;
    if external.depth.is_some() {
        return Err(wrong(
            "depth= goes with protocol=uci; other programs are limited by time".into(),
        ));
    }
    let limit = external.limit.unwrap_or_else(|| protocol.into());
    let times = limit.time_rules().ok_or_else(|| wrong("a program is limited by time".into()))?;
    if P::host(protocol, Player::First, times).is_none() {
        return Err(wrong(format!("the protocol {protocol} does not know {}", P::INFO.name)));
    }
    Ok((limit, times))
}

/// Makes players of a program.
///
/// # Errors
/// As [`limit_of`]; a command, or something for it, that cannot be used.
pub(super) fn prepare<P: Playable>(
    external: &ExternalSettings,
    label: &str,
) -> Result<Spawn<P>, InputError> {
    let protocol = external.protocol;
    let (limit, times) = limit_of::<P>(external, label)?;
    let program = ready(external, label)?;
    let program = Arc::new((program, label.to_string()));
    let grace = external.grace;
    Ok(Arc::new(move |seed| {
        Box::new(ExternalAgent {
            program: Arc::clone(&program),
            seed,
            protocol,
            times,
            timer: Timer::new(limit, MoveTimes::Minimax),
            grace,
            conversation: None,
        })
    }))
}

/// A program with all that it is started with; an error names the agent.
pub(super) fn ready(external: &ExternalSettings, label: &str) -> Result<ReadyProgram, InputError> {
    let wrong =
        |error: InputError| InputError::new(format!("agent \"{label}\": {}", error.message));
    external.ready().map_err(wrong)
}

/// Starts a program for a game, and sends it the lines that come first. Logs call it `name`.
///
/// # Errors
/// Why it could not be started.
pub(super) fn start(program: &ReadyProgram, seed: u64, name: &str) -> Result<Program, String> {
    let Invocation { words, env, setup, .. } = program.invocation(seed);
    let launcher = Launcher::new(words, env, name).ok_or("its command is empty")?;
    let program = launcher.start().map_err(|error| error.to_string())?;
    setup.into_iter().for_each(|line| program.write(line + "\n"));
    Ok(program)
}

/// A program that plays one side of one game. It is started when its first move is wanted.
struct ExternalAgent<P: Platforms> {
    /// The program and what logs call it.
    program: Arc<(ReadyProgram, String)>,
    seed: u64,
    protocol: Protocol,
    times: TimeRules,
    timer: Timer,
    grace: f64,
    conversation: Option<Conversation<P>>,
}

struct Conversation<P: Platforms> {
    program: Program,
    host: Box<dyn Host<P>>,
    /// Answers to requests of earlier moves that may still come. A program answers in the order in
    /// which it is asked, so that as many answers are nobody's.
    owed: u64,
    /// Requests of this move without an answer.
    open: u64,
}

impl<P: Platforms> Agent<P> for ExternalAgent<P> {
    fn choose(&mut self, turn: &Turn<'_, P>) -> Result<Choice<P::Move>, Failure> {
        let conversation = match &mut self.conversation {
            Some(conversation) => conversation,
            none => {
                let player = turn.position.side_to_move();
                let host = P::host(self.protocol, player, self.times)
                    .ok_or_else(|| Failure::Start("its protocol does not know the game".into()))?;
                let (program, name) = &*self.program;
                let program = start(program, self.seed, name).map_err(Failure::Start)?;
                none.insert(Conversation { program, host, owed: 0, open: 0 })
            }
        };
        conversation.begin_move();
        let (asked, mut due, mut late) = (Instant::now(), None, 0);
        let mut attempts_left = self.protocol.attempts();
        loop {
            let granted = self.timer.grant(turn.time_left).unwrap_or_default();
            let due = *due.get_or_insert(asked + granted);
            let answer = conversation.ask(turn, granted, self.grace);
            self.timer.stop();
            attempts_left -= 1;
            match answer {
                Ok((mv, in_grace)) => {
                    let time = Some(asked.elapsed());
                    return Ok(Choice { time, timeouts: late, late: in_grace, ..Choice::free(mv) });
                }
                Err(failure @ Failure::Ended(_)) => return Err(failure),
                Err(mut failure) => {
                    if let Failure::Timeout { attempts, later } = &mut failure {
                        late += 1;
                        *attempts = late;
                        if attempts_left == 0 {
                            *later = conversation.lateness(due);
                        }
                    }
                    if attempts_left == 0 {
                        return Err(failure);
                    }
                    tracing::warn!(program = self.program.1, %failure, "asked again");
                }
            }
        }
    }
}

impl<P: Platforms> Conversation<P> {
    /// A move is going to be asked for: nothing that was written up to now answers it.
    fn begin_move(&mut self) {
        self.owed += std::mem::take(&mut self.open);
        let came = self.program.waiting().filter(|line| !line.trim().is_empty()).count();
        self.owed = self.owed.saturating_sub(came as u64);
    }

    /// What comes of this move after its last attempt; the first answer was due at `due`.
    fn lateness(&mut self, due: Instant) -> Lateness {
        let owed = &mut self.owed;
        self.program.lateness(due, |line| {
            let is_blank = line.trim().is_empty();
            let is_owed = *owed > 0 && !is_blank;
            *owed -= u64::from(is_owed);
            !is_blank && !is_owed
        })
    }

    /// Asks once. A late answer to an earlier attempt at the same move is as good as any. Also says whether the
    /// answer came in the grace after the time.
    fn ask(
        &mut self,
        turn: &Turn<'_, P>,
        granted: Duration,
        grace: f64,
    ) -> Result<(P::Move, bool), Failure> {
        let asked = Instant::now();
        let deadline = asked + granted.mul_f64(1.0 + grace);
        self.program.write(self.host.request(turn.position, turn.last_move, granted));
        self.open += 1;
        loop {
            match self.program.read(deadline) {
                Reading::Late => {
                    return Err(Failure::Timeout { attempts: 1, later: Lateness::Unknown });
                }
                Reading::Closed => return Err(Failure::Ended(self.program.obituary())),
                Reading::Line(line) if line.trim().is_empty() => {}
                Reading::Line(_) if self.owed > 0 => self.owed -= 1,
                Reading::Line(line) => {
                    self.open -= 1;
                    let Some(mv) = self.host.read_answer(&line) else {
                        return Err(Failure::Garbage(excerpt(&line)));
                    };
                    if !turn.position.is_legal(mv) {
                        // In its own words, too: platforms number squares in their own way.
                        let written = excerpt(line.trim());
                        return Err(Failure::IllegalMove(format!("{mv} (it wrote \"{written}\")")));
                    }
                    return Ok((mv, asked.elapsed() > granted));
                }
            }
        }
    }
}
