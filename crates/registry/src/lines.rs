//! A game between a person and an agent, or between two people: the conversation of `tictune play`, line by line.

use std::path::Path;
use std::time::Duration;

use anyhow::bail;

use super::adviser::{Adviser, order, think};
use super::record::GameSoFar;
use super::{Result, SessionRequest};
use tictune_core::agent::{Agent, AgentSpec, Agents, Choice, Failure, Human};
use tictune_core::arena::rules_of;
use tictune_core::game::{Game, Outcome, Pgn, Player};
use tictune_core::input::{InputError, nearest};
use tictune_core::search::Stop;

/// The text interface to a person.
pub trait Console {
    fn say(&mut self, text: &str) -> anyhow::Result<()>;

    /// Asks for a line; `None` at the end of the input.
    fn ask(&mut self, prompt: &str) -> anyhow::Result<Option<String>>;
}

const DEFAULT_LIMIT: &str = "time=1s";

const COMMANDS: [(&str, &str); 6] = [
    ("help", "shows this"),
    ("moves", "lists the legal moves"),
    ("hint", "asks the computer for a move"),
    ("undo", "takes back the last move of a person, and what came after it"),
    ("resign", "resigns the game"),
    ("quit", "leaves the game, like the end of the input"),
];

/// How many legal moves are listed when a move is refused.
const FEW_MOVES: usize = 12;

/// How many moves a hint gives the values of.
const BEST_MOVES: usize = 5;

pub(super) struct LineSession<P: Game> {
    record: GameSoFar<P>,
    /// The player that is an agent, if there is one.
    computer: Option<(Player, Box<dyn Agent<P>>)>,
    /// Gives hints. Hints never come from the opponent, so that they do not change its moves.
    adviser: Adviser<P>,
    command: String,
}

impl<P: Game> LineSession<P> {
    pub(super) fn begin(agents: &Agents<P>, request: &SessionRequest<'_>) -> Result<Self> {
        let rules = rules_of::<P>(request.rules).map_err(|error| error.context("--rules"))?;
        let record = GameSoFar::<P>::start(rules, request.from)
            .map_err(|error| InputError::new(format!("--from: {error}")))?;
        if record.position().outcome().is_some() {
            return Err(InputError::new("--from: the game is over in this position"));
        }
        let default = AgentSpec::strongest(P::INFO, &rules.to_string(), DEFAULT_LIMIT);
        let spec = agents.parse(request.agent.unwrap_or(&default), Path::new(""))?;
        let against_agent = !spec.is::<Human>();
        if !against_agent && request.second.is_some() {
            let message =
                "with --agent human both players are people: leave --first and --second out";
            return Err(InputError::new(message));
        }
        let adviser = if against_agent { spec } else { agents.parse(&default, Path::new(""))? };
        let adviser = Adviser::new(agents, adviser, request.seed)?;
        if adviser.factory.from_start_only && request.from.is_some() {
            let agent = adviser.factory.label;
            let message =
                format!("--from: agent \"{agent}\" speaks a protocol that cannot send positions");
            return Err(InputError::new(message));
        }
        let person = if request.second == Some(true) { Player::Second } else { Player::First };
        let computer = against_agent.then(|| (person.other(), adviser.player()));
        Ok(Self { record, computer, adviser, command: request.command.into() })
    }

    /// Plays a game to its end, or until the person leaves.
    pub(super) fn converse(mut self, console: &mut dyn Console) -> anyhow::Result<()> {
        console.say(&self.introduction())?;
        loop {
            let position = self.record.position();
            if let Some(outcome) = position.outcome() {
                let (drawing, verdict) = (self.record.drawing(), self.verdict(outcome));
                console.say(&format!("\n{drawing}\n{verdict}\n"))?;
                break;
            }
            let player = position.side_to_move();
            let Some((_, agent)) = self.computer.as_mut().filter(|(side, _)| *side == player)
            else {
                console.say(&format!("\n{}\n", self.record.drawing()))?;
                if self.person_moves(console)? {
                    continue;
                }
                break;
            };
            console.say(&format!("\nthe computer ({}) thinks ...\n", side_name::<P>(player)))?;
            match think(&mut **agent, &self.record.turn(Stop::NEVER)) {
                Ok((Choice { mv, .. }, took)) => {
                    self.record.play(mv);
                    console.say(&format!("computer played {mv}; {}\n", seconds(took)))?;
                }
                Err(failure @ Failure::Start(_)) => {
                    bail!("agent {}: {failure}", self.adviser.factory.label)
                }
                Err(failure) => {
                    console.say(&format!("the computer forfeits: {failure}\nyou have won\n"))?;
                    break;
                }
            }
        }
        Ok(())
    }

    fn introduction(&self) -> String {
        let position = self.record.position();
        let players = match &self.computer {
            None => format!("{} are people", Player::BOTH.map(side_name::<P>).join(" and ")),
            Some((side, _)) => {
                let [you, it] = [side.other(), *side].map(side_name::<P>);
                format!("you are {you}, the computer is {it}, {}", self.adviser.factory.label)
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
            (Outcome::Win(winner), None) => format!("{} has won", side_name::<P>(winner)),
            (Outcome::Win(winner), Some((side, _))) if winner == *side => {
                "the computer has won".into()
            }
            (Outcome::Win(_), Some(_)) => "you have won".into(),
        }
    }

    /// Asks until an answer is a move, takes moves back, or ends the game: whether it continues.
    fn person_moves(&mut self, console: &mut dyn Console) -> anyhow::Result<bool> {
        let position = self.record.position().clone();
        let player = position.side_to_move();
        let prompt = match self.computer {
            Some(_) => "your move: ".into(),
            None => format!("move of {}: ", side_name::<P>(player)),
        };
        loop {
            let line = console.ask(&prompt)?;
            let said = match line.as_deref().map_or("quit", str::trim) {
                "" => continue,
                "help" => help(&position),
                "moves" => legal_moves(&position),
                "hint" => self.hint().unwrap_or_else(|problem| format!("no hint: {problem}")),
                "undo" => match self.take_back() {
                    Ok(taken) => {
                        console.say(&format!("taken back: {}\n", taken.join(" and ")))?;
                        return Ok(true);
                    }
                    Err(problem) => problem.into(),
                },
                "resign" => {
                    let verdict = self.verdict(Outcome::Win(player.other()));
                    console.say(&format!("{} resigns: {verdict}\n", side_name::<P>(player)))?;
                    return Ok(false);
                }
                "quit" | "q" => {
                    let notation = position.notation();
                    let read = P::from_notation(&notation, position.rules());
                    let how = if self.adviser.factory.from_start_only {
                        "this game cannot be resumed, because its program only plays whole games"
                            .into()
                    } else if read.is_err() {
                        "this game cannot be resumed, because it cannot be started from a position"
                            .into()
                    } else {
                        format!("to continue:\n  {} --from \"{notation}\"", self.command)
                    };
                    console.say(&format!("left at ply {}; {how}\n", position.ply() + 1))?;
                    return Ok(false);
                }
                text => match read_move(&position, text) {
                    Ok(mv) => {
                        self.record.play(mv);
                        return Ok(true);
                    }
                    Err(problem) => problem,
                },
            };
            console.say(&(said + "\n"))?;
        }
    }

    fn take_back(&mut self) -> Result<Vec<String>, &'static str> {
        if self.adviser.factory.from_start_only {
            return Err("nothing can be taken back: the program follows the game move by move");
        }
        let computer = self.computer.as_ref().map(|(side, _)| *side);
        let taken = self.record.take_back(|player| computer != Some(player));
        let taken = taken.ok_or("there is nothing to take back")?;
        Ok(taken.iter().map(ToString::to_string).collect())
    }

    /// What the agent would play, the line that it expects, and what the best moves are worth.
    fn hint(&self) -> Result<String, String> {
        if self.adviser.factory.from_start_only {
            return Err("the program follows a game from its start: it takes no positions".into());
        }
        let advice = self.adviser.advise(&self.record, Stop::NEVER);
        let (Choice { mv, value, line, .. }, took) =
            advice.map_err(|failure| failure.to_string())?;
        let mut text = format!("hint: {mv}; ");
        text += &value.map_or(String::new(), |value| format!("{value}; "));
        if let [_, replies @ ..] = &line[..]
            && !replies.is_empty()
        {
            let replies: Vec<String> = replies.iter().map(ToString::to_string).collect();
            text += &format!("then {}; ", replies.join(" "));
        }
        text += &seconds(took);
        let values = self.adviser.values(&self.record, Stop::NEVER);
        let (mut values, time_each) = values.unwrap_or_default();
        let how = match time_each.map(|time| time.as_millis()) {
            Some(time) => format!(" for {time} ms, to other depths than the hint"),
            None => String::new(),
        };
        values.sort_by(|(_, a), (_, b)| order(*b).total_cmp(&order(*a)));
        // The hint itself, whether it is among the best or not.
        let best = values.iter().enumerate();
        let best = best.filter(|(place, (of, _))| *place < BEST_MOVES || *of == mv);
        let best: Vec<String> = best.map(|(_, (mv, value))| format!("{mv} ({value})")).collect();
        if !best.is_empty() {
            let best = best.join(", ");
            text +=
                &format!("\n    the values of the best moves, searched one by one{how}: {best}");
        }
        Ok(text)
    }
}

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
    let ending = if moves.len() == 1 { "" } else { "s" };
    format!("{} legal move{ending}: {}", moves.len(), rows.join("\n    "))
}

fn help<P: Game>(position: &P) -> String {
    let example =
        position.legal_moves().next().map_or(String::new(), |mv| format!(", such as {mv}"));
    let commands = COMMANDS.map(|(name, what)| format!("\n  {name:<8}{what}"));
    format!("a move{example}, or{}", commands.concat())
}

fn seconds(time: Duration) -> String {
    format!("{:.2} s", time.as_secs_f64())
}

fn side_name<P: Game>(player: Player) -> &'static str {
    let is_chess = P::INFO.extension::<Pgn>().is_some();
    let names = if is_chess { ["White", "Black"] } else { ["x", "o"] };
    names[player.index()]
}
