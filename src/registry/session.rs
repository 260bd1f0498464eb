//! A game between a person and an agent, or between two people, wherever it is shown: line by line or on the full screen.

use std::path::Path;

use super::SessionRequest;
use super::adviser::{Advice, Adviser, MoveValues, think};
use super::record::Record;
use super::view::{ChoiceView, PositionView};
use crate::agent::{Agent, AgentSpec, Failure, Kind, Playable};
use crate::game::{NotationError, Player};
use crate::input::InputError;
use crate::search::Stop;

/// The thinking time of the default agent.
const DEFAULT_LIMIT: &str = "time=1s";

/// A game between people, or a person and an agent.
pub(super) struct Session<P: Playable> {
    pub(super) record: Record<P>,
    /// The player that is an agent, if there is one.
    pub(super) computer: Option<(Player, Box<dyn Agent<P>>)>,
    /// Gives hints. Hints never come from the opponent, so that they do not change its moves.
    pub(super) adviser: Adviser<P>,
    /// The seed of agents without one of their own.
    pub(super) seed: u64,
    /// The command that begins such a game.
    pub(super) command: String,
}

/// A [`Session`] whose type is erased.
pub(crate) trait AnySession: Send {
    /// The position.
    fn view(&self) -> PositionView;

    /// The mark of the player that is an agent, if there is one.
    fn computer(&self) -> Option<char>;

    /// The agent that plays, or gives hints to two people, as text.
    fn agent(&self) -> String;

    /// Plays a move of a person.
    ///
    /// # Errors
    /// A text that is no legal move, in words.
    fn play(&mut self, mv: &str) -> Result<(), String>;

    /// Lets the agent play a move, whose turn it is.
    ///
    /// # Errors
    /// The agent gives no move, and so forfeits the game.
    fn reply(&mut self) -> Result<ChoiceView, Failure>;

    /// What the agent would play, the line that it expects, and what it thinks of every move.
    ///
    /// # Errors
    /// Why it cannot say, in words.
    fn hint(&self) -> Result<ChoiceView, String>;

    /// Takes back the last move of a person, and what came after it.
    ///
    /// # Errors
    /// Why it cannot, in words.
    fn undo(&mut self) -> Result<(), String>;

    /// Begins again at the start.
    fn restart(&mut self);

    /// Lets another agent play from here on.
    ///
    /// # Errors
    /// An agent that cannot play here; the session goes on as it was.
    fn change_agent(&mut self, agent: &str) -> Result<(), InputError>;
}

impl<P: Playable> Session<P> {
    /// Begins a game.
    ///
    /// # Errors
    /// An agent or a position that cannot be played.
    pub(super) fn begin(request: &SessionRequest<'_>) -> Result<Self, InputError> {
        let rules: P::Rules = request
            .rules
            .parse()
            .map_err(|error: NotationError| InputError::new(format!("--rules: {error}")))?;
        let record = Record::<P>::start(rules, request.from)
            .map_err(|error| InputError::new(format!("--from: {error}")))?;
        if record.position().outcome().is_some() {
            return Err(InputError::new("--from: the game is over in this position"));
        }
        let default = AgentSpec::strongest(P::INFO, DEFAULT_LIMIT);
        let spec = AgentSpec::parse::<P>(request.agent.unwrap_or(&default), Path::new(""))?;
        let against_agent = spec.kind() != Kind::Human;
        if !against_agent && request.second.is_some() {
            let message =
                "with --agent human both players are people: leave --first and --second out";
            return Err(InputError::new(message));
        }
        let adviser = match against_agent {
            true => Adviser::new(spec, request.seed)?,
            false => Adviser::read(&default, request.seed)?,
        };
        if adviser.needs_whole_game() && request.from.is_some() {
            return Err(InputError::new(format!("--from: {}", tells_no_positions(&adviser))));
        }
        let person = if request.second == Some(true) { Player::Second } else { Player::First };
        let computer = against_agent.then(|| (person.other(), adviser.player()));
        Ok(Self { record, computer, adviser, seed: request.seed, command: request.command.into() })
    }

    /// Whether a player is a person.
    pub(super) fn is_person(&self, player: Player) -> bool {
        self.computer.as_ref().is_none_or(|(side, _)| *side != player)
    }

    /// Lets the agent play a move, if it is its turn.
    pub(super) fn computer_moves(
        &mut self,
        with_line: bool,
    ) -> Option<Result<Advice<P::Move>, Failure>> {
        let player = self.record.position().side_to_move();
        let (_, agent) = self.computer.as_mut().filter(|(side, _)| *side == player)?;
        let advice = think(&mut **agent, &self.record, with_line, Stop::NEVER);
        if let Ok(advice) = &advice {
            self.record.play(advice.choice.mv);
        }
        Some(advice)
    }

    /// What the agent would play.
    ///
    /// # Errors
    /// Why it cannot say, in words.
    pub(super) fn advice(&self) -> Result<Advice<P::Move>, String> {
        if self.adviser.needs_whole_game() {
            return Err("no hint: the program follows the game move by move, and cannot be asked about a position".into());
        }
        self.adviser
            .advise(&self.record, Stop::NEVER)
            .map_err(|failure| format!("no hint: {failure}"))
    }

    /// What it thinks of the legal moves; empty where it has no values.
    pub(super) fn values(&self) -> MoveValues<P::Move> {
        self.adviser.values(&self.record, Stop::NEVER).unwrap_or_default()
    }

    /// How many moves are left when the last move of a person is taken back.
    ///
    /// # Errors
    /// Why it cannot be, in words.
    pub(super) fn before_last_of_a_person(&self) -> Result<usize, &'static str> {
        if self.adviser.needs_whole_game() {
            return Err("nothing can be taken back: the program follows the game move by move");
        }
        let moves = self.record.before_last_of(|player| self.is_person(player));
        moves.ok_or("there is nothing to take back")
    }
}

impl<P: Playable> AnySession for Session<P> {
    fn view(&self) -> PositionView {
        self.record.view()
    }

    fn computer(&self) -> Option<char> {
        self.computer.as_ref().map(|(side, _)| side.mark())
    }

    fn agent(&self) -> String {
        self.adviser.label().into()
    }

    fn play(&mut self, mv: &str) -> Result<(), String> {
        self.record.play_text(mv)
    }

    fn reply(&mut self) -> Result<ChoiceView, Failure> {
        let nobody = || Failure::Ended("it is not its turn".into());
        Ok(self.computer_moves(true).ok_or_else(nobody)??.view())
    }

    fn hint(&self) -> Result<ChoiceView, String> {
        let advice = self.advice()?;
        let values =
            self.adviser.values(&self.record, Stop::NEVER).map_err(|error| error.to_string())?;
        Ok(values.beside(advice.view()))
    }

    fn undo(&mut self) -> Result<(), String> {
        let moves = self.before_last_of_a_person()?;
        self.record.back_to(moves);
        Ok(())
    }

    fn restart(&mut self) {
        self.record.back_to(0);
        if let Some((_, agent)) = &mut self.computer {
            *agent = self.adviser.player();
        }
    }

    fn change_agent(&mut self, agent: &str) -> Result<(), InputError> {
        let adviser = Adviser::read(agent, self.seed)?;
        if adviser.needs_whole_game() && self.record.moves() > 0 {
            return Err(InputError::new(tells_no_positions(&adviser)));
        }
        if let Some((_, player)) = &mut self.computer {
            *player = adviser.player();
        }
        self.adviser = adviser;
        Ok(())
    }
}

fn tells_no_positions<P: Playable>(adviser: &Adviser<P>) -> String {
    format!("agent \"{}\" speaks a protocol that tells no positions", adviser.label())
}
