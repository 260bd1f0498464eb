//! Other programs as agents: a new process for each game, asked in a bot platform's protocol.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::sync::Arc;
use std::time::{Duration, Instant};

use schemars::JsonSchema;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use strum::VariantNames;

use super::invocation::ReadyProgram;
use super::process::Program;
use super::{Host, Platforms, Protocol, uci_agent};
use tictune_core::agent::limit::{self, LimitKeys};
use tictune_core::agent::{
    Agent, AgentKind, AgentSettings, Choice, Clock, ClockTime, Evaluation, Failure, Lateness,
    Limit, MoveTimes, OtherProgram, ParameterValue, Spawn, Timer, Turn, spawn,
};
use tictune_core::game::{Game, Player};
use tictune_core::input::{InputError, Result, excerpt};
use tictune_core::search::minimax::MAX_DEPTH;

/// Lets an outside program play.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(extend("x-without" = ["iterations"]))]
pub struct ExternalSettings {
    /// The program and its arguments. Quotes keep words together; no shell is involved
    #[serde(rename = "cmd")]
    #[schemars(
        example = &"./bot --fast",
        extend("x-takes" = "a program and its arguments", "x-required" = "cmd=\"PROGRAM ARGUMENTS\"")
    )]
    pub command: String,
    /// The protocol that the program speaks
    #[schemars(extend(
        "x-takes" = Protocol::VARIANTS.join(" or "),
        "x-required" = "protocol=theaigames|codingame|uci"
    ))]
    pub protocol: Protocol,
    /// How late a move may be, as a share of its time, before the game is forfeited; late moves are counted
    #[schemars(range(min = 0, max = 10), example = 0.5, extend("x-takes" = "a share of its time from 0 to 10"))]
    pub grace: f64,
    /// Environment variables of the program; {corner} stands for a parameter
    #[schemars(example = texts("CORNER", "{corner}"), extend("x-takes" = TEXTS))]
    pub env: BTreeMap<String, String>,
    /// Lines that are sent to the program before anything else
    #[serde(deserialize_with = "lines")]
    #[schemars(example = list("corner {corner}"), extend("x-takes" = "a list of lines, as in [\"line\"]"))]
    pub setup: Vec<String>,
    /// Options of the program, if its protocol can set them
    #[schemars(example = texts("Hash", "16"), extend("x-takes" = TEXTS))]
    pub options: BTreeMap<String, String>,
    /// Parameters: the values of {corner} in cmd, env, setup and options, or those sent to a runner; also a file of such lines
    #[schemars(
        with = "BTreeMap<String, f64>",
        example = ParameterValue::example(),
        extend("x-names" = "numbers", "x-takes" = ParameterValue::TABLE)
    )]
    pub numbers: BTreeMap<String, ParameterValue>,
    /// A name for the agent in tables, PGN and logs
    #[serde(deserialize_with = "name")]
    #[schemars(example = &"base", extend("x-takes" = NAME))]
    pub name: Option<String>,
    /// Start the program again for every game; programs of other protocols than uci always are
    pub restart: bool,
    /// Let a UCI engine think while its opponent does
    pub ponder: bool,
    /// What it may spend on a move: time or, for UCI engines, nodes; by default the clock of the protocol's platform.
    #[serde(flatten, with = "limit::keys")]
    #[schemars(with = "LimitKeys")]
    pub limit: Option<Limit>,
    /// The depth in plies to which a UCI engine searches
    #[schemars(range(min = 1, max = MAX_DEPTH), example = 7, extend("x-unit" = "a number of plies"))]
    pub depth: Option<u32>,
    /// Weights of an evaluation of the game, which the program gets in a file, or slot by slot.
    #[serde(flatten)]
    pub evaluation: Evaluation,
}

/// An example of a table. Attributes take calls of functions, but no lists.
fn texts(name: &str, text: &str) -> BTreeMap<String, String> {
    BTreeMap::from([(name.into(), text.into())])
}

fn list(text: &str) -> [String; 1] {
    [text.into()]
}

const TEXTS: &str = "a table of texts, as in { NAME = \"text\" }";

fn lines<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    let lines = Vec::<String>::deserialize(deserializer)?;
    match lines.iter().any(|line| line.contains(['\n', '\r'])) {
        true => Err(D::Error::custom("a line has an end within")),
        false => Ok(lines),
    }
}

pub(crate) const NAME: &str = "a name of 1 to 200 characters";

pub(crate) fn name<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    let name = Option::<String>::deserialize(deserializer)?;
    let fits = |name: &String| {
        name.chars().count() <= 200 && !name.trim().is_empty() && !name.contains(char::is_control)
    };
    match name.as_ref().is_none_or(fits) {
        true => Ok(name),
        false => Err(D::Error::custom(NAME)),
    }
}

impl Default for ExternalSettings {
    fn default() -> Self {
        Self {
            command: String::new(),
            protocol: Protocol::TheAiGames,
            // Bots that take nine tenths of their time are late now and then.
            grace: 0.1,
            env: BTreeMap::new(),
            setup: Vec::new(),
            options: BTreeMap::new(),
            numbers: BTreeMap::new(),
            name: None,
            restart: false,
            ponder: false,
            limit: None,
            depth: None,
            evaluation: Evaluation::default(),
        }
    }
}

impl AgentSettings for ExternalSettings {
    tictune_core::fields_of_settings!(evaluation, depth, limit);

    fn evaluates(&self) -> bool {
        self.evaluation != Evaluation::default()
    }

    fn fixed_depth_mut(&mut self) -> Option<&mut Option<u32>> {
        // An engine without another limit searches to a depth, which has to be given.
        let has_depth = self.protocol == Protocol::Uci && self.limit.is_none();
        has_depth.then_some(&mut self.depth)
    }

    fn is_timed(&self) -> bool {
        self.limit.is_none_or(|limit| limit.time_rules().is_some())
    }

    fn plays_from_start_only(&self) -> bool {
        // Its requests have moves, no positions.
        self.protocol == Protocol::CodinGame
    }

    fn program(&self) -> Option<&dyn OtherProgram> {
        Some(self)
    }

    fn program_mut(&mut self) -> Option<&mut dyn OtherProgram> {
        Some(self)
    }
}

impl AgentKind for ExternalSettings {
    const NAME: &'static str = "external";
    const COMMON: Option<&'static [&'static str]> = Some(&["seed"]);

    tictune_core::described_here!();

    fn prepare<P: Game>(&self, label: &str) -> Result<Spawn<P>> {
        match self.protocol {
            Protocol::Uci => uci_agent::prepare(self, label),
            Protocol::TheAiGames | Protocol::CodinGame => prepare(self, label),
        }
    }

    fn meant_by(text: &str) -> Option<String> {
        let is_program = text.contains(['/', std::path::MAIN_SEPARATOR]) || text.contains(' ');
        is_program.then(|| {
            format!(
                "\"{0}\" is not a kind of agent; if it is a program, write external:cmd=\"{0}\",protocol=PROTOCOL, where the protocol is {1}",
                excerpt(text),
                Protocol::VARIANTS.join(", ")
            )
        })
    }
}

/// The clock of the platform that a protocol is of; a second a move for UCI, which is of none.
fn default_limit(protocol: Protocol) -> Limit {
    let clock = match protocol {
        Protocol::TheAiGames => Clock::TheAiGames,
        Protocol::CodinGame => Clock::CodinGame,
        Protocol::Uci => return Limit::Time(Duration::from_secs(1)),
    };
    Limit::Clock { clock, scale: 1.0 }
}

pub(super) fn wrong(label: &str, what: impl Display) -> InputError {
    InputError::new(format!("agent \"{label}\": {what}"))
}

/// Checks that the protocol knows the game. Without a limit, the clock of the protocol's platform counts.
pub(super) fn limit_of<P: Game>(
    external: &ExternalSettings,
    label: &str,
) -> Result<(Limit, ClockTime)> {
    let protocol = external.protocol;
    if external.ponder {
        return Err(wrong(label, "ponder= needs protocol=uci"));
    }
    if external.depth.is_some() {
        let what = "depth= needs protocol=uci; other programs are limited by time";
        return Err(wrong(label, what));
    }
    let limit = external.limit.unwrap_or_else(|| default_limit(protocol));
    let times = limit.time_rules();
    let times = times.ok_or_else(|| wrong(label, "a program is limited by time"))?;
    if (Platforms::<P>::of().host)(protocol, Player::First, times).is_none() {
        let what = format!("the protocol {protocol} does not support {}", P::INFO.name);
        return Err(wrong(label, what));
    }
    Ok((limit, times))
}

fn prepare<P: Game>(external: &ExternalSettings, label: &str) -> Result<Spawn<P>> {
    let (limit, times) = limit_of::<P>(external, label)?;
    let program = Arc::new((ready(external, label)?, label.to_string()));
    Ok(spawn(move |seed| ExternalAgent {
        program: Arc::clone(&program),
        seed,
        times,
        timer: Timer::new(limit, MoveTimes::Minimax),
        conversation: None,
    }))
}

pub(super) fn ready(external: &ExternalSettings, label: &str) -> Result<ReadyProgram> {
    external.ready().map_err(|error| wrong(label, error.message))
}

/// A program that plays one side of one game. It is started when its first move is wanted.
struct ExternalAgent<P: Game> {
    program: Arc<(ReadyProgram, String)>,
    seed: u64,
    times: ClockTime,
    timer: Timer,
    conversation: Option<Conversation<P>>,
}

pub(super) struct Conversation<P: Game> {
    pub(super) program: Program,
    host: Box<dyn Host<P>>,
    /// Answers to requests of earlier moves that may still come. A program answers in the order in
    /// which it is asked, so that as many answers are nobody's.
    owed: u64,
    /// Requests of this move without an answer.
    open: u64,
}

impl<P: Game> Agent<P> for ExternalAgent<P> {
    fn choose(&mut self, turn: &Turn<'_, P>) -> Result<Choice<P::Move>, Failure> {
        let (program, name) = &*self.program;
        let ExternalSettings { protocol, grace, .. } = program.settings;
        let conversation = match &mut self.conversation {
            Some(conversation) => conversation,
            none => {
                let player = turn.position.side_to_move();
                let host = (Platforms::<P>::of().host)(protocol, player, self.times)
                    .ok_or_else(|| Failure::Start("its protocol does not know the game".into()))?;
                let program = program.invocation(self.seed).start(name).map_err(Failure::Start)?;
                none.insert(Conversation::new(program, host))
            }
        };
        conversation.begin_move();
        let (asked, mut due, mut late) = (Instant::now(), None, 0);
        // CodinGame's requests cannot be repeated: a bot would take the second for the next turn.
        let mut attempts_left = if protocol == Protocol::TheAiGames { 3 } else { 1 };
        loop {
            let granted = self.timer.grant(turn.time_left).unwrap_or_default();
            let due = *due.get_or_insert(asked + granted);
            let answer = conversation.ask(turn, granted, granted.mul_f64(1.0 + grace));
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
                    tracing::warn!(program = name, %failure, "asked again");
                }
            }
        }
    }
}

impl<P: Game> Conversation<P> {
    pub(super) const fn new(program: Program, host: Box<dyn Host<P>>) -> Self {
        Self { program, host, owed: 0, open: 0 }
    }

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

    /// Asks once, and waits for `patience`. A late answer to an earlier attempt at the same move is as good as any. Also says
    /// whether the answer came after the time that was granted.
    pub(super) fn ask(
        &mut self,
        turn: &Turn<'_, P>,
        granted: Duration,
        patience: Duration,
    ) -> Result<(P::Move, bool), Failure> {
        let asked = Instant::now();
        let deadline = asked + patience;
        self.program.write(self.host.request(turn.position, turn.last_move, granted));
        self.open += 1;
        loop {
            let line = self.program.line(deadline)?;
            if line.trim().is_empty() {
                continue;
            }
            if self.owed > 0 {
                self.owed -= 1;
                continue;
            }
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
