//! A person against an agent, or two people: the conversation of `tictune play`.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::bail;

use super::SessionRequest;
use crate::agent::{Agent, AgentFactory, AgentSpec, Choice, Failure, Kind, Playable, Turn};
use crate::game::{Game, NotationError, Outcome, Player};
use crate::input::{InputError, nearest};
use crate::seed::mix;

/// The thinking time of the default agent.
const DEFAULT_LIMIT: &str = "time=1s";

/// The text interface to a person.
pub(crate) trait Console {
    /// Shows a text.
    ///
    /// # Errors
    /// It cannot be shown.
    fn say(&mut self, text: &str) -> anyhow::Result<()>;

    /// Asks for a line; `None` at the end of the input.
    ///
    /// # Errors
    /// The input cannot be read, or the person interrupts the program.
    fn ask(&mut self, prompt: &str) -> anyhow::Result<Option<String>>;
}

/// Plays a game to its end, or until the person leaves.
pub(super) fn play<P: Playable>(
    request: &SessionRequest<'_>,
    console: &mut dyn Console,
) -> anyhow::Result<()> {
    let rules: P::Rules = request
        .rules
        .parse()
        .map_err(|error: NotationError| InputError::new(format!("--rules: {error}")))?;
    let start = match request.from {
        None => P::start(rules),
        Some(text) => P::from_notation(text, rules)
            .map_err(|error| InputError::new(format!("--from: {error}")))?,
    };
    if start.outcome().is_some() {
        return Err(InputError::new("--from: the game is over in this position").into());
    }
    let default = AgentSpec::strongest(P::INFO, DEFAULT_LIMIT);
    let spec = AgentSpec::parse::<P>(request.agent.unwrap_or(&default), Path::new(""))?;
    let against_agent = spec.kind() != Kind::Human;
    if !against_agent && request.second.is_some() {
        let message = "with --agent human both players are people: leave --first and --second out";
        return Err(InputError::new(message).into());
    }
    let person = if request.second == Some(true) { Player::Second } else { Player::First };
    let adviser = match against_agent {
        true => spec.prepare::<P>()?,
        false => AgentSpec::parse::<P>(&default, Path::new(""))?.prepare::<P>()?,
    };
    if adviser.from_start_only() && request.from.is_some() {
        return Err(InputError::new(format!(
            "--from: agent \"{}\" speaks a protocol that tells no positions",
            adviser.label()
        ))
        .into());
    }
    let seed = adviser.own_seed().unwrap_or(request.seed);
    let computer = against_agent.then(|| (person.other(), adviser.spawn(seed)));
    Session { played: vec![(start, None)], computer, adviser, seed }.run(console)
}

/// A command and what it does.
const COMMANDS: [(&str, &str); 6] = [
    ("help", "shows this"),
    ("moves", "lists the legal moves"),
    ("hint", "asks the computer for a move"),
    ("undo", "takes back the last move of a person, and what came after it"),
    ("resign", "gives the game away"),
    ("quit", "leaves the game, as the end of the input does"),
];

/// How many legal moves are listed when a move is refused.
const FEW_MOVES: usize = 12;

/// A game between people, or a person and an agent.
struct Session<P: Game> {
    /// Every position since the start, and the move that led to it. Never empty.
    played: Vec<(P, Option<P::Move>)>,
    /// The player that is an agent, if there is one.
    computer: Option<(Player, Box<dyn Agent<P>>)>,
    /// Makes agents that give hints. Hints never come from the opponent, so that they do not change its moves.
    adviser: AgentFactory<P>,
    seed: u64,
}

/// What a person does in a turn.
enum Deed<M> {
    Move(M),
    /// Takes back all moves after this place in `played`.
    BackTo(usize),
    Resign,
    Leave,
}

impl<P: Game> Session<P> {
    fn run(mut self, console: &mut dyn Console) -> anyhow::Result<()> {
        console.say(&self.introduction())?;
        let (mut thought, mut moves) = (Duration::ZERO, 0);
        loop {
            let position = self.position().clone();
            if let Some(outcome) = position.outcome() {
                console.say(&format!("\n{}\n{}\n", self.drawing(), self.verdict(outcome)))?;
                break;
            }
            let player = position.side_to_move();
            if let Some((_, agent)) = self.computer.as_mut().filter(|(side, _)| *side == player) {
                console.say(&format!("\nthe computer ({}) thinks ...\n", player.mark()))?;
                let last_move = self.played.last().and_then(|(_, mv)| *mv);
                let turn = Turn { position: &position, last_move, time_left: None, past: None };
                let (choice, took) = choose(&mut **agent, &turn);
                match choice {
                    Ok(Choice { mv, .. }) => {
                        console.say(&format!("computer played {mv}; {}\n", seconds(took)))?;
                        (thought, moves) = (thought + took, moves + 1);
                        self.played.push((position.after(mv), Some(mv)));
                        continue;
                    }
                    Err(failure @ Failure::Start(_)) => {
                        bail!("agent {}: {failure}", self.adviser.label())
                    }
                    Err(failure) => {
                        console
                            .say(&format!("the computer forfeits: {failure}\nyou have won\n"))?;
                        break;
                    }
                }
            }
            console.say(&format!("\n{}\n", self.drawing()))?;
            match self.ask(&position, console)? {
                Deed::Move(mv) => self.played.push((position.after(mv), Some(mv))),
                Deed::BackTo(place) => {
                    let taken = self.played.drain(place + 1..).filter_map(|(_, mv)| mv);
                    let taken: Vec<String> = taken.map(|mv| mv.to_string()).collect();
                    console.say(&format!("taken back: {}\n", taken.join(" and ")))?;
                }
                Deed::Resign => {
                    let verdict = self.verdict(Outcome::Win(player.other()));
                    console.say(&format!("{} resigns: {verdict}\n", player.mark()))?;
                    break;
                }
                Deed::Leave => {
                    console.say(&format!(
                        "left after {} plies; to go on: --from \"{}\"\n",
                        position.ply(),
                        position.notation()
                    ))?;
                    break;
                }
            }
        }
        if moves > 0 {
            let plural = if moves == 1 { "" } else { "s" };
            console.say(&format!(
                "the computer took {} for {moves} move{plural}\n",
                seconds(thought)
            ))?;
        }
        Ok(())
    }

    fn position(&self) -> &P {
        &self.played[self.played.len() - 1].0
    }

    /// The position with the last move marked.
    fn drawing(&self) -> String {
        let (position, last) = &self.played[self.played.len() - 1];
        position.drawing(*last)
    }

    fn introduction(&self) -> String {
        let position = self.position();
        let players = match &self.computer {
            None => "x and o are people".into(),
            Some((side, _)) => {
                let (you, it) = (side.other().mark(), side.mark());
                format!("you are {you}, the computer is {it}, {}", self.adviser.label())
            }
        };
        let rules = position.rules().to_string();
        let rules = if rules.is_empty() { rules } else { format!(", {rules}") };
        format!("{}{rules}: {players}\nhelp lists the commands\n", P::INFO.name)
    }

    /// How the game ended, from the person's view if only one person plays.
    fn verdict(&self, outcome: Outcome) -> String {
        match (outcome, &self.computer) {
            (Outcome::Draw, _) => "the game is drawn".into(),
            (Outcome::Win(winner), None) => format!("{} has won", winner.mark()),
            (Outcome::Win(winner), Some((side, _))) if winner == *side => {
                "the computer has won".into()
            }
            (Outcome::Win(_), Some(_)) => "you have won".into(),
        }
    }

    /// Asks until an answer is a move or ends the turn in another way.
    fn ask(&self, position: &P, console: &mut dyn Console) -> anyhow::Result<Deed<P::Move>> {
        let prompt = match self.computer {
            Some(_) => "your move: ".into(),
            None => format!("move of {}: ", position.side_to_move().mark()),
        };
        loop {
            let Some(line) = console.ask(&prompt)? else { return Ok(Deed::Leave) };
            match line.trim() {
                "" => {}
                "help" => console.say(&help(position))?,
                "moves" => console.say(&(legal_moves(position) + "\n"))?,
                "hint" => console.say(&self.hint(position))?,
                "undo" if self.adviser.from_start_only() => console.say(
                    "nothing can be taken back: the program follows the game move by move
",
                )?,
                "undo" => match self.last_of_a_person() {
                    Some(place) => return Ok(Deed::BackTo(place)),
                    None => console.say(
                        "there is nothing to take back
",
                    )?,
                },
                "resign" => return Ok(Deed::Resign),
                "quit" => return Ok(Deed::Leave),
                text => match read_move(position, text) {
                    Ok(mv) => return Ok(Deed::Move(mv)),
                    Err(problem) => console.say(&(problem + "\n"))?,
                },
            }
        }
    }

    fn hint(&self, position: &P) -> String {
        if self.adviser.from_start_only() {
            return "no hint: the program follows the game move by move, and cannot be asked about a position\n".into();
        }
        let mut agent = self.adviser.spawn(mix(self.seed, u64::from(position.ply())));
        let turn = Turn::new(position);
        let (choice, took) = choose(&mut *agent, &turn);
        let choice = match choice {
            Ok(choice) => choice,
            Err(failure) => return format!("no hint: {failure}\n"),
        };
        let mut text = format!("hint: {}; ", choice.mv);
        if let Some(value) = choice.value {
            text += &format!("{value}; ");
        }
        let line = agent.expected_line(&turn, &choice);
        if let [_, replies @ ..] = &line[..]
            && !replies.is_empty()
        {
            let replies: Vec<String> = replies.iter().map(ToString::to_string).collect();
            text += &format!("then {}; ", replies.join(" "));
        }
        text + &seconds(took) + "\n"
    }

    /// The place in `played` where a person moved last.
    fn last_of_a_person(&self) -> Option<usize> {
        let earlier = &self.played[..self.played.len() - 1];
        earlier.iter().rposition(|(position, _)| {
            self.computer.as_ref().is_none_or(|(side, _)| *side != position.side_to_move())
        })
    }
}

/// An agent's choice, whose move is legal, and the time it took.
fn choose<P: Game>(
    agent: &mut dyn Agent<P>,
    turn: &Turn<'_, P>,
) -> (Result<Choice<P::Move>, Failure>, Duration) {
    let started = Instant::now();
    let choice = agent.choose(turn).and_then(|choice| match turn.position.is_legal(choice.mv) {
        true => Ok(choice),
        false => Err(Failure::IllegalMove(choice.mv.to_string())),
    });
    (choice, started.elapsed())
}

/// Reads a legal move, or says what is expected.
fn read_move<P: Game>(position: &P, text: &str) -> Result<P::Move, String> {
    let commands = COMMANDS.map(|(name, _)| name);
    let mv = P::parse_move(text).map_err(|error| match nearest(text, commands) {
        Some(near) => format!("did you mean {near}? {error}"),
        None => format!("{error}; or a command: {}", commands.join(", ")),
    })?;
    if position.is_legal(mv) {
        return Ok(mv);
    }
    Err(match position.legal_move_count() {
        0..=FEW_MOVES => format!("{mv} is not legal here; {}", legal_moves(position)),
        count => format!("{mv} is not legal here; {count} moves are, and moves lists them"),
    })
}

fn legal_moves<P: Game>(position: &P) -> String {
    let moves: Vec<String> = position.legal_moves().map(|mv| mv.to_string()).collect();
    let rows: Vec<String> = moves.chunks(FEW_MOVES).map(|row| row.join("  ")).collect();
    format!("{} legal moves: {}", moves.len(), rows.join("\n    "))
}

fn help<P: Game>(position: &P) -> String {
    let example =
        position.legal_moves().next().map_or(String::new(), |mv| format!(", such as {mv}"));
    let mut text = format!("a move{example}, or\n");
    for (name, what) in COMMANDS {
        text += &format!("  {name:<8}{what}\n");
    }
    text
}

fn seconds(time: Duration) -> String {
    format!("{:.2} s", time.as_secs_f64())
}

#[cfg(test)]
mod tests;
