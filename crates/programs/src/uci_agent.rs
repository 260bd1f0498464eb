//! UCI engines as agents. Processes are kept from game to game.

use std::fmt::Write as _;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use super::Platforms;
use super::engine::{Engine, EngineError};
use super::external::{ExternalSettings, ready, wrong};
use super::invocation::ReadyProgram;
use super::process::Invocation;
use super::uci::Report;
use tictune_core::agent::{
    Agent, Choice, Failure, Lateness, Limit, Past, Spawn, Turn, Value, spawn,
};
use tictune_core::arena::lock;
use tictune_core::game::{Game, Position};
use tictune_core::input::{InputError, excerpt};

/// A search without a limit of time that takes longer is taken for hung.
const HUNG: Duration = Duration::from_secs(60);

/// The least grace of an engine that has any, since moves travel through pipes: for each move, or with a clock for the
/// whole game.
const OVERHEAD: Duration = Duration::from_millis(50);

/// Checks that an agent may play the game over UCI, without starting its engine.
pub(super) fn check<P: Game>(external: &ExternalSettings, label: &str) -> Result<(), InputError> {
    if !Platforms::<P>::of().speaks_uci {
        let what = format!("the protocol uci is for chess, not for {}", P::INFO.name);
        return Err(wrong(label, what));
    }
    match (external.depth, external.limit) {
        (None, None) => {
            Err(wrong(label, "needs a limit: depth=8, nodes=10000, time=100ms or clock=10s+100ms"))
        }
        (_, Some(Limit::Clock { clock, .. })) => {
            let what =
                format!("clock={clock} is another platform's; give one as in clock=10s+100ms");
            Err(wrong(label, what))
        }
        _ => Ok(()),
    }
}

/// Starts the engine once and checks its options against what it announces. An engine that does not start is no error
/// here: it forfeits its games, or ends the work, as any program does.
pub(super) fn prepare<P: Game>(
    external: &ExternalSettings,
    label: &str,
) -> Result<Spawn<P>, InputError> {
    check::<P>(external, label)?;
    let ExternalSettings { depth, limit, grace, .. } = *external;
    let program = ready(external, label)?;
    let pool = Arc::new(Pool { program, name: label.to_string(), idle: Mutex::default() });
    match pool.start(pool.program.invocation(0)) {
        Err(failure) => tracing::debug!(agent = label, %failure, "not checked"),
        Ok(running) => {
            let announced = &running.engine.announced;
            for (name, value) in &running.invocation.options {
                announced.set(name, value).map_err(|error| match announced.name.as_str() {
                    "" => wrong(label, error),
                    engine => wrong(label, format!("{engine}: {error}")),
                })?;
            }
            lock(&pool.idle).push(running);
        }
    }
    Ok(spawn(move |seed| UciAgent {
        pool: Arc::clone(&pool),
        seed,
        depth,
        limit,
        clock: None,
        grace,
        running: None,
    }))
}

struct Pool {
    program: ReadyProgram,
    name: String,
    idle: Mutex<Vec<Running>>,
}

struct Running {
    engine: Engine,
    invocation: Invocation,
    is_set_up: bool,
}

impl Pool {
    fn start(&self, invocation: Invocation) -> Result<Running, Failure> {
        let engine = Engine::start(&invocation, &self.name)
            .map_err(|error| Failure::Start(error.to_string()))?;
        Ok(Running { engine, invocation, is_set_up: false })
    }

    fn take(&self, seed: u64) -> Result<Running, Failure> {
        let invocation = self.program.invocation(seed);
        let idle = lock(&self.idle).pop();
        // Another game has another command only where the command has the game's seed in it.
        let of_game = |running: &Running| {
            running.invocation.words == invocation.words && running.invocation.env == invocation.env
        };
        if let Some(idle) = idle.filter(of_game)
            && let Ok(ready) = idle.begin_game(invocation.clone())
        {
            return Ok(ready);
        }
        // There is none, or it has ended since its last game.
        let fresh = self.start(invocation.clone())?;
        // It has started: what goes wrong from here on costs this game and no other.
        Ok(fresh.begin_game(invocation)?)
    }
}

impl From<EngineError> for Failure {
    fn from(error: EngineError) -> Self {
        match error {
            EngineError::Start(text) | EngineError::Option(text) => Self::Start(text),
            EngineError::Ended(text) => Self::Ended(text),
            EngineError::Silent { .. } | EngineError::Late => {
                Self::Timeout { attempts: 1, later: Lateness::Unknown }
            }
        }
    }
}

impl Running {
    /// Sends what it is to be set to, if that is new to it, and waits until it is ready for a game.
    fn begin_game(mut self, invocation: Invocation) -> Result<Self, EngineError> {
        if !self.is_set_up || self.invocation != invocation {
            self.invocation = invocation;
            self.is_set_up = true;
            let Self { engine, invocation, .. } = &self;
            invocation.setup.iter().for_each(|line| engine.send(line));
            for (name, value) in &invocation.options {
                engine.set(name, value)?;
            }
        }
        self.engine.new_game()?;
        Ok(self)
    }
}

struct UciAgent {
    pool: Arc<Pool>,
    seed: u64,
    depth: Option<u32>,
    limit: Option<Limit>,
    grace: f64,
    clock: Option<MatchClock>,
    /// Taken from the pool when its first move is wanted. Gone after a failure.
    running: Option<Running>,
}

/// A clock. What an engine overdraws, increments pay for first.
#[derive(Clone, Copy)]
struct MatchClock {
    /// Increments included.
    granted: Duration,
    spent: Duration,
}

impl Drop for UciAgent {
    fn drop(&mut self) {
        if let Some(running) = self.running.take() {
            lock(&self.pool.idle).push(running);
        }
    }
}

impl<P: Game> Agent<P> for UciAgent {
    fn choose(&mut self, turn: &Turn<'_, P>) -> Result<Choice<P::Move>, Failure> {
        let running = self.running.take().map_or_else(|| self.pool.take(self.seed), Ok);
        let (mut running, position) = (running?, position_line(turn));
        let (go, time) = self.go_line();
        let grace = match (self.grace, self.clock) {
            (0.0, _) => Duration::ZERO,
            (_, Some(clock)) => OVERHEAD.saturating_sub(clock.spent.saturating_sub(clock.granted)),
            (share, None) => time.mul_f64(share).max(OVERHEAD),
        };
        let asked = Instant::now();
        let found = running.engine.search(&position, &go, asked + time + grace);
        let (text, report) = found.map_err(|error| match error {
            EngineError::Late => {
                Failure::Timeout { attempts: 1, later: running.engine.lateness(asked + time) }
            }
            other => other.into(),
        })?;
        let took = asked.elapsed();
        if let (Some(Limit::Bank { increment, .. }), Some(clock)) = (self.limit, &mut self.clock) {
            clock.granted += increment;
            clock.spent += took;
        }
        let Ok(mv) = P::parse_move(&text.to_ascii_lowercase()) else {
            return Err(Failure::Garbage(excerpt(&format!("bestmove {text}"))));
        };
        if !turn.position.is_legal(mv) {
            return Err(Failure::IllegalMove(mv.to_string()));
        }
        self.running = Some(running);
        let line = expected_line(turn.position, mv, &report);
        let Report { nodes, value, .. } = report;
        let value = value.map(Value::Centipawns);
        let (late, time) = (took > time, Some(took));
        Ok(Choice { nodes, time, late, value, line, ..Choice::free(mv) })
    }
}

impl UciAgent {
    fn go_line(&mut self) -> (String, Duration) {
        let mut line = String::from("go");
        let mut time = HUNG;
        if let Some(depth) = self.depth {
            let _ = write!(line, " depth {depth}");
        }
        match self.limit {
            Some(Limit::Nodes(nodes)) => {
                let _ = write!(line, " nodes {nodes}");
            }
            Some(Limit::Time(limit)) => {
                let _ = write!(line, " movetime {}", limit.as_millis().max(1));
                time = limit;
            }
            Some(Limit::Bank { base, increment }) => {
                // The opponent's clock is not known here; engines play by their own.
                let new = MatchClock { granted: base, spent: Duration::ZERO };
                let clock = self.clock.get_or_insert(new);
                time = clock.granted.saturating_sub(clock.spent);
                let (left, more) = (time.as_millis().max(1), increment.as_millis());
                let _ = write!(line, " wtime {left} btime {left} winc {more} binc {more}");
            }
            Some(Limit::Iterations(_) | Limit::Clock { .. }) | None => {}
        }
        (line, time)
    }
}

/// The line that tells the position: the start of the game and the moves since, so that the engine sees repetitions.
fn position_line<P: Game>(turn: &Turn<'_, P>) -> String {
    let here = Past { start: turn.position, moves: &[] };
    let Past { start, moves } = turn.past.as_ref().unwrap_or(&here);
    let mut words = match **start == P::start(start.rules()) {
        true => vec!["position startpos".to_string()],
        false => vec![format!("position fen {}", start.notation())],
    };
    words.extend((!moves.is_empty()).then(|| "moves".into()));
    words.extend(moves.iter().map(ToString::to_string));
    words.join(" ")
}

/// The moves that the engine expects, as far as they are legal; none if they begin with another move than its own.
pub fn expected_line<P: Position>(position: &P, own: P::Move, report: &Report) -> Vec<P::Move> {
    let mut position = position.clone();
    let mut line = Vec::new();
    for text in &report.line {
        let mv = P::parse_move(&text.to_ascii_lowercase());
        let Some(mv) = mv.ok().filter(|mv| position.is_legal(*mv)) else { break };
        if line.is_empty() && mv != own {
            break;
        }
        position.play_unchecked(mv);
        line.push(mv);
    }
    line
}
