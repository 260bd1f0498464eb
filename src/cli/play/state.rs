//! The full screen as data: keys and answers of the session in, requests to the session out. Nothing is drawn or asked here.

use super::squares::{Direction, Squares};
use crate::input::shortened;
use crate::registry::{ChoiceView, MoveValue, PositionView};

/// An opponent that can be chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Opponent {
    /// The name of a level, or a word for the agent that was given.
    pub(super) name: String,
    /// The agent as text.
    pub(super) agent: String,
    /// Whether it plays from the start of a game only, so that no game can be continued with it.
    pub(super) from_start: bool,
}

/// A key that means something here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Key {
    Arrow(Direction),
    /// The next legal square, or the one before.
    Tab {
        back: bool,
    },
    /// The same square of the next part, or of the one before.
    Page {
        back: bool,
    },
    Enter,
    Escape,
    Backspace,
    Character(char),
    /// Ctrl-C.
    Interrupt,
}

/// What the session is to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Request {
    Play(String),
    /// Lets the agent move.
    Reply,
    Hint,
    Undo,
    Restart,
    /// Lets another opponent play.
    Oppose(Opponent),
}

/// What the session answers.
#[derive(Clone, Debug)]
pub(super) struct Answer {
    pub(super) view: PositionView,
    /// The agent that plays now, as text.
    pub(super) agent: String,
    pub(super) news: News,
}

#[derive(Clone, Debug)]
pub(super) enum News {
    Done,
    Replied(ChoiceView),
    Hinted(ChoiceView),
    /// The request was refused for this reason. Nothing has changed.
    Refused(String),
    /// The agent gave no move.
    Forfeited(String),
}

/// What follows from a key or an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Effect {
    Nothing,
    Ask(Request),
    Leave,
    Interrupt,
}

/// What is shown.
#[derive(Clone, Debug)]
pub(super) struct State {
    /// The name of the game.
    pub(super) game: String,
    pub(super) rules: String,
    pub(super) view: PositionView,
    pub(super) squares: Squares,
    /// The number of a square.
    pub(super) cursor: usize,
    /// The mark of the agent; nothing if two people play.
    pub(super) computer: Option<char>,
    /// The agent as text.
    pub(super) agent: String,
    pub(super) opponents: Vec<Opponent>,
    /// Which of them plays.
    pub(super) opponent: usize,
    /// Which of them was asked for last. Not all can play in every position.
    asked_for: usize,
    /// The request that the session works on.
    pub(super) pending: Option<Request>,
    /// What the agent said last, of its own move or as a hint.
    pub(super) said: Option<Said>,
    /// A sentence about the last key.
    pub(super) message: String,
    /// A move that is being typed.
    pub(super) typed: Option<String>,
    pub(super) shows_help: bool,
    /// Why the agent forfeited the game.
    pub(super) forfeit: Option<String>,
}

/// What the agent said.
#[derive(Clone, Debug)]
pub(super) struct Said {
    pub(super) is_hint: bool,
    pub(super) choice: ChoiceView,
}

impl State {
    /// The beginning, and what the session is to do first.
    pub(super) fn new(
        (game, rules): (&str, &str),
        computer: Option<char>,
        first: Answer,
        opponents: Vec<Opponent>,
        opponent: usize,
    ) -> (Self, Effect) {
        let squares = Squares::of(&first.view);
        let middle = squares.squares.len() / 2;
        let mut state = Self {
            game: game.into(),
            rules: rules.into(),
            cursor: middle,
            squares,
            view: first.view,
            computer,
            agent: first.agent,
            opponents,
            opponent,
            asked_for: opponent,
            pending: None,
            said: None,
            message: String::new(),
            typed: None,
            shows_help: false,
            forfeit: None,
        };
        state.cursor_to_legal();
        let effect = state.go_on();
        (state, effect)
    }

    /// Whether the game has ended.
    pub(super) const fn is_over(&self) -> bool {
        self.view.outcome.is_some() || self.forfeit.is_some()
    }

    /// Whether a person is to move.
    pub(super) fn is_persons_turn(&self) -> bool {
        !self.is_over() && self.computer != Some(self.view.to_move)
    }

    /// Whether a move may be played now.
    pub(super) fn is_legal(&self, mv: &str) -> bool {
        self.is_persons_turn() && self.view.legal.iter().any(|legal| legal == mv)
    }

    /// The values of the moves, after a hint.
    pub(super) fn value_of(&self, mv: &str) -> Option<&MoveValue> {
        let said = self.said.as_ref().filter(|said| said.is_hint)?;
        said.choice.values.iter().find(|value| value.mv == mv)
    }

    /// The move under the cursor.
    pub(super) fn move_at_cursor(&self) -> Option<&str> {
        self.squares.squares.get(self.cursor).map(|square| square.mv.as_str())
    }

    /// A key was pressed.
    pub(super) fn press(&mut self, key: Key) -> Effect {
        if key == Key::Interrupt {
            return Effect::Interrupt;
        }
        if self.shows_help {
            self.shows_help = false;
            return if key == Key::Character('q') { Effect::Leave } else { Effect::Nothing };
        }
        self.message.clear();
        if self.typed.is_some() {
            return self.press_typing(key);
        }
        match key {
            Key::Arrow(direction) => self.cursor_to(self.squares.neighbour(self.cursor, direction)),
            Key::Page { back } => self.cursor_to(self.squares.in_next_part(self.cursor, back)),
            Key::Tab { back } => self.cursor_to(self.next_legal(back)),
            Key::Enter => {
                let mv = self.move_at_cursor().map(String::from);
                return mv.map_or(Effect::Nothing, |mv| self.play(mv));
            }
            Key::Escape | Key::Character('q') => return Effect::Leave,
            Key::Character('?') => self.shows_help = true,
            Key::Character('h') if self.is_over() => self.message = "the game is over".into(),
            Key::Character('h') => return self.ask(Request::Hint),
            Key::Character('u') if self.forfeit.is_some() => {
                self.message = "the computer plays no further: n begins a new game".into();
            }
            Key::Character('u') => return self.ask(Request::Undo),
            Key::Character('n') => return self.ask(Request::Restart),
            Key::Character('l') => {
                let next = (self.asked_for + 1) % self.opponents.len().max(1);
                if let Some(opponent) = self.opponents.get(next).cloned() {
                    let effect = self.ask(Request::Oppose(opponent));
                    if effect != Effect::Nothing {
                        self.asked_for = next;
                    }
                    return effect;
                }
            }
            Key::Character(':') => self.typed = Some(String::new()),
            Key::Character(digit) if digit.is_ascii_digit() => self.typed = Some(digit.into()),
            Key::Character(_) | Key::Backspace => {
                self.message = "? shows what the keys do".into();
            }
            Key::Interrupt => {}
        }
        Effect::Nothing
    }

    fn press_typing(&mut self, key: Key) -> Effect {
        /// Longer than any move.
        const LONGEST: usize = 40;
        let Some(typed) = &mut self.typed else { return Effect::Nothing };
        match key {
            Key::Character(character) if typed.chars().count() < LONGEST => typed.push(character),
            Key::Backspace if typed.pop().is_none() => self.typed = None,
            Key::Escape => self.typed = None,
            Key::Enter => {
                let mv = std::mem::take(typed);
                self.typed = None;
                return if mv.is_empty() { Effect::Nothing } else { self.play(mv) };
            }
            _ => {}
        }
        Effect::Nothing
    }

    /// Plays a move if a person is to move and the session is free. The session says whether it is legal.
    fn play(&mut self, mv: String) -> Effect {
        if self.is_over() {
            self.message = "the game is over: n begins a new one, u takes a move back".into();
            return Effect::Nothing;
        }
        self.ask(Request::Play(mv))
    }

    fn ask(&mut self, request: Request) -> Effect {
        if self.pending.is_some() {
            self.message = "the computer still thinks; q leaves".into();
            return Effect::Nothing;
        }
        self.pending = Some(request.clone());
        Effect::Ask(request)
    }

    /// The session has answered.
    pub(super) fn hear(&mut self, answer: Answer) -> Effect {
        let request = self.pending.take();
        let before = self.move_at_cursor().map(String::from);
        self.squares = Squares::of(&answer.view);
        self.cursor = before
            .and_then(|mv| self.squares.find(&mv))
            .unwrap_or_else(|| self.cursor.min(self.squares.squares.len().saturating_sub(1)));
        self.view = answer.view;
        self.agent = answer.agent;
        match answer.news {
            News::Refused(reason) => {
                self.message = shortened(&reason);
                return Effect::Nothing;
            }
            News::Forfeited(reason) => {
                self.said = None;
                self.forfeit = Some(shortened(&reason));
            }
            News::Replied(choice) => self.said = Some(Said { is_hint: false, choice }),
            News::Hinted(choice) => {
                self.cursor_to(self.squares.find(&choice.mv));
                let mv = &choice.mv;
                let how = choice
                    .milliseconds_each
                    .map_or(String::new(), |time| format!(" ({time} ms each)"));
                self.message = match (choice.values.is_empty(), &choice.value) {
                    (false, _) if self.squares.is_board => {
                        format!("hint: {mv}; the squares show what moves are worth{how}")
                    }
                    (false, _) => {
                        format!("hint: {mv}; the cursor line says what a move is worth{how}")
                    }
                    (true, Some(_)) => format!("hint: {mv}"),
                    (true, None) => format!("hint: {mv}, of which the agent knows no value"),
                };
                self.said = Some(Said { is_hint: true, choice });
            }
            News::Done => self.done(request),
        }
        if self.is_persons_turn() {
            self.cursor_to_legal();
        }
        self.go_on()
    }

    fn done(&mut self, request: Option<Request>) {
        match request {
            Some(Request::Oppose(opponent)) => {
                let role =
                    if self.computer.is_some() { "the opponent is" } else { "hints come from" };
                self.message = format!("{role} now {}", opponent.name);
                self.opponent =
                    self.opponents.iter().position(|other| *other == opponent).unwrap_or_default();
                return;
            }
            Some(Request::Undo) => self.message = "taken back".into(),
            Some(Request::Restart) => {
                self.message = "a new game".into();
                self.forfeit = None;
            }
            Some(Request::Play(mv)) => self.cursor_to(self.squares.find(&mv)),
            Some(Request::Reply | Request::Hint) | None => {}
        }
        self.said = None;
    }

    /// Lets the agent move if it is its turn.
    fn go_on(&mut self) -> Effect {
        if self.is_over() || self.is_persons_turn() {
            return Effect::Nothing;
        }
        self.ask(Request::Reply)
    }

    fn cursor_to(&mut self, square: Option<usize>) {
        self.cursor = square.unwrap_or(self.cursor);
    }

    /// Moves the cursor to the nearest legal square, if it is on none.
    fn cursor_to_legal(&mut self) {
        let nearest = self.squares.nearest(self.cursor, |square| self.is_legal(&square.mv));
        self.cursor_to(nearest);
    }

    fn next_legal(&self, back: bool) -> Option<usize> {
        let count = self.squares.squares.len();
        let mut others =
            (1..=count).map(|step| (self.cursor + if back { count - step } else { step }) % count);
        others.find(|number| self.is_legal(&self.squares.squares[*number].mv))
    }
}
