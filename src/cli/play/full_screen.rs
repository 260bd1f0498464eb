//! The full screen at work: keys from the terminal, answers from the session, which thinks in a thread of its own.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::thread::{JoinHandle, spawn};
use std::time::Duration;

use anyhow::anyhow;

use super::draw::{Palette, draw, status};
use super::screen::{Input, Screen};
use super::state::{Answer, Effect, News, Opponent, Request, State};
use crate::agent::Failure;
use crate::cli::{print, quoted, stop_flag};
use crate::evolve::RunError;
use crate::protocol::running::end_all;
use crate::registry::AnySession;

/// How long a key is waited for before answers and signals are looked at.
const GLANCE: Duration = Duration::from_millis(30);

/// Plays on the full screen until the person leaves. `game` has the name of the game, and its rules as text; `command`
/// begins such a game, when it is given an agent.
pub(super) fn play(
    session: Box<dyn AnySession>,
    game: (&str, &str),
    command: &str,
    opponents: Vec<Opponent>,
    opponent: usize,
) -> anyhow::Result<()> {
    let stop = stop_flag()?;
    let computer = session.computer();
    let first = answer(&*session, News::Done);
    let (mut state, effect) = State::new(game, computer, first, opponents, opponent);
    let worker = Worker::new(session);
    let mut screen = Screen::open()?;
    let left = converse(&mut state, effect, &worker, &mut screen, stop);
    drop(screen);
    worker.end(state.pending.is_some());
    let words = print(&format!("{}\n", last_words(&state, command)));
    // What ended the game says more than a terminal that is gone.
    left.and(words)
}

/// Lets keys, answers and signals change the state until the person leaves.
fn converse(
    state: &mut State,
    first: Effect,
    worker: &Worker,
    screen: &mut Screen,
    stop: &AtomicBool,
) -> anyhow::Result<()> {
    // NO_COLOR counts if it is not empty: see no-color.org.
    let palette = Palette::new(std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty()));
    let mut effect = first;
    let mut has_changed = true;
    loop {
        match effect {
            Effect::Nothing => {}
            Effect::Ask(request) => worker.ask(request)?,
            Effect::Leave => return Ok(()),
            Effect::Interrupt => return Err(RunError::Interrupted.into()),
        }
        if stop.load(Ordering::Relaxed) {
            return Err(RunError::Interrupted.into());
        }
        if let Some(answer) = worker.answer()? {
            effect = state.hear(answer);
            has_changed = true;
            continue;
        }
        if has_changed {
            screen.draw(|area, buffer| draw(state, palette, area, buffer))?;
        }
        let input = screen.wait(GLANCE)?;
        has_changed = input.is_some();
        effect = match input {
            Some(Input::Key(key)) => state.press(key),
            Some(Input::Other) | None => Effect::Nothing,
        };
    }
}

/// What is printed when the screen is gone.
pub(super) fn last_words(state: &State, command: &str) -> String {
    if state.is_over() {
        return status(state);
    }
    let count = state.view.moves.len();
    let plural = if count == 1 { "" } else { "s" };
    let agent = match (state.computer, state.opponents.get(state.opponent)) {
        (Some(_), Some(opponent)) if opponent.from_start => {
            return format!("left after {count} move{plural}");
        }
        (Some(_), Some(opponent)) => &opponent.agent,
        _ => "human",
    };
    format!(
        "left after {count} move{plural}; to go on:\n  {command} --agent {} --from \"{}\"",
        quoted(Path::new(agent)),
        state.view.notation
    )
}

/// The thread of the session.
struct Worker {
    requests: Sender<Request>,
    answers: Receiver<anyhow::Result<Answer>>,
    thread: JoinHandle<()>,
}

impl Worker {
    fn new(mut session: Box<dyn AnySession>) -> Self {
        let (requests, asked) = channel::<Request>();
        let (sender, answers) = channel();
        let thread = spawn(move || {
            for request in asked {
                let answer = fulfil(&mut *session, request);
                if sender.send(answer).is_err() {
                    break;
                }
            }
        });
        Self { requests, answers, thread }
    }

    fn ask(&self, request: Request) -> anyhow::Result<()> {
        self.requests.send(request).map_err(|_| panicked())
    }

    /// An answer, if there is one.
    fn answer(&self) -> anyhow::Result<Option<Answer>> {
        match self.answers.try_recv() {
            Ok(answer) => answer.map(Some),
            Err(TryRecvError::Empty) => Ok(None),
            Err(TryRecvError::Disconnected) => Err(panicked()),
        }
    }

    /// Lets the agent's programs end. An agent that thinks is not waited for.
    fn end(self, is_thinking: bool) {
        if is_thinking {
            end_all();
            return;
        }
        drop(self.requests);
        let _ = self.thread.join();
    }
}

fn panicked() -> anyhow::Error {
    anyhow!("the code of the game or of an agent panicked")
}

/// Does what was asked for.
///
/// # Errors
/// A program that could not be started.
pub(super) fn fulfil(session: &mut dyn AnySession, request: Request) -> anyhow::Result<Answer> {
    let done = |result: Result<(), String>| match result {
        Ok(()) => News::Done,
        Err(reason) => News::Refused(reason),
    };
    let news = match request {
        Request::Play(mv) => done(session.play(&mv)),
        Request::Undo => done(session.undo()),
        Request::Restart => {
            session.restart();
            News::Done
        }
        Request::Oppose(opponent) => {
            done(session.change_agent(&opponent.agent).map_err(|error| error.to_string()))
        }
        Request::Hint => match session.hint() {
            Ok(choice) => News::Hinted(choice),
            Err(reason) => News::Refused(reason),
        },
        Request::Reply => match session.reply() {
            Ok(choice) => News::Replied(choice),
            Err(failure @ Failure::Start(_)) => {
                return Err(anyhow!("agent {}: {failure}", session.agent()));
            }
            Err(failure) => News::Forfeited(failure.to_string()),
        },
    };
    Ok(answer(session, news))
}

pub(super) fn answer(session: &dyn AnySession, news: News) -> Answer {
    Answer { view: session.view(), agent: session.agent(), news }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::InputError;
    use crate::registry::{ChoiceView, PositionView};

    /// A session whose agent panics.
    struct Panicking;

    impl AnySession for Panicking {
        fn view(&self) -> PositionView {
            unreachable!("nothing is asked after the panic")
        }
        fn computer(&self) -> Option<char> {
            None
        }
        fn agent(&self) -> String {
            String::new()
        }
        fn play(&mut self, _: &str) -> Result<(), String> {
            Ok(())
        }
        fn reply(&mut self) -> Result<ChoiceView, Failure> {
            panic!("the panic of a test")
        }
        fn hint(&self) -> Result<ChoiceView, String> {
            Err(String::new())
        }
        fn undo(&mut self) -> Result<(), String> {
            Ok(())
        }
        fn restart(&mut self) {}
        fn change_agent(&mut self, _: &str) -> Result<(), InputError> {
            Ok(())
        }
    }

    #[test]
    fn a_panic_of_the_session_is_an_error() {
        let worker = Worker::new(Box::new(Panicking));
        worker.ask(Request::Reply).unwrap();
        let error = loop {
            if let Err(error) = worker.answer() {
                break error;
            }
            std::thread::yield_now();
        };
        assert_eq!(error.to_string(), "the code of the game or of an agent panicked");
        worker.end(false);
    }
}
