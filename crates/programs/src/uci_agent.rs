//! UCI engines as agents. Processes are kept from game to game.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use super::Platforms;
use super::engine::Engine;
use super::external::{ExternalSettings, ready, wrong};
use super::invocation::ReadyProgram;
use super::process::Invocation;
use super::uci::{Announced, Report, best_move};
use tictune_core::agent::{
    Agent, Choice, ClockTime, Failure, Limit, Past, Spawn, Turn, Value, spawn,
};
use tictune_core::arena::lock;
use tictune_core::game::{Game, Player, Position};
use tictune_core::input::{Result, excerpt};

/// A search without a time limit that takes longer is taken for hung.
const HUNG: Duration = Duration::from_secs(60);

/// The least grace of an engine that has any, since moves travel through pipes: for each move, or with a clock for the whole game.
const OVERHEAD: Duration = Duration::from_millis(50);

/// Checks that an agent may play the game over UCI, without starting its engine.
pub(super) fn check<P: Game>(external: &ExternalSettings, label: &str) -> Result<()> {
    if Platforms::<P>::of().uci_options.is_none() {
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

/// The options that engines need under these rules.
pub(super) fn options_of<P: Game>(rules: P::Rules) -> &'static [(&'static str, &'static str)] {
    Platforms::<P>::of().uci_options.map_or(&[], |of| of(rules))
}

/// Why an engine cannot play by the rules, by the options that it announces.
pub(super) fn refusal_of<P: Game>(announced: &Announced, rules: P::Rules) -> Option<String> {
    let mut options = options_of::<P>(rules).iter();
    let error = options.find_map(|(name, value)| announced.set(name, value).err())?;
    Some(format!("the engine cannot play by the rules {rules}: {error}"))
}

/// Starts the engine once and checks its options against what it announces. An engine that does not start is no error
/// here: it forfeits its games, or ends the work, as any program does.
pub(super) fn prepare<P: Game>(external: &ExternalSettings, label: &str) -> Result<Spawn<P>> {
    check::<P>(external, label)?;
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
    let clock = match external.limit {
        Some(Limit::Bank { base, increment }) => {
            Some(MatchClock { granted: base, increment, spent: Duration::ZERO })
        }
        _ => None,
    };
    Ok(spawn(move |seed| UciAgent {
        pool: Arc::clone(&pool),
        seed,
        clock,
        running: None,
        pondered: None,
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
        let engine =
            Engine::start(&invocation, &self.name).map_err(|error| Failure::Start(error.why))?;
        Ok(Running { engine, invocation, is_set_up: false })
    }

    /// An engine that is ready for a game, with options that the game needs.
    fn take(&self, seed: u64, options: &[(&str, &str)]) -> Result<Running, Failure> {
        let mut invocation = self.program.invocation(seed);
        let options = options.iter().map(|(name, value)| (name.to_string(), value.to_string()));
        invocation.options.extend(options);
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
        fresh.begin_game(invocation)
    }
}

impl Running {
    /// Sends what it is to be set to, if that is new to it, and waits until it is ready for a game.
    fn begin_game(mut self, invocation: Invocation) -> Result<Self, Failure> {
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
    /// Where it has one for the whole game.
    clock: Option<MatchClock>,
    /// Taken from the pool when its first move is wanted. Gone after a failure.
    running: Option<Running>,
    /// The position over which it ponders, as it was told.
    pondered: Option<String>,
}

/// A clock. What an engine overdraws, increments pay for first.
#[derive(Clone, Copy)]
struct MatchClock {
    /// Increments included.
    granted: Duration,
    increment: Duration,
    spent: Duration,
}

impl MatchClock {
    const fn left(&self) -> Duration {
        self.granted.saturating_sub(self.spent)
    }
}

impl Drop for UciAgent {
    fn drop(&mut self) {
        if let Some(mut running) = self.running.take()
            && (self.pondered.is_none() || running.engine.stop().is_ok())
            && !self.settings().restart
        {
            lock(&self.pool.idle).push(running);
        }
    }
}

impl<P: Game> Agent<P> for UciAgent {
    fn choose(&mut self, turn: &Turn<'_, P>) -> Result<Choice<P::Move>, Failure> {
        let mut running = match self.running.take() {
            Some(running) => running,
            None => self.pool.take(self.seed, options_of::<P>(turn.position.rules()))?,
        };
        let here = Past { start: turn.position, moves: &[] };
        let past = turn.past.as_ref().unwrap_or(&here);
        let position = position_line(past, &[]);
        let (time, grace) = self.time();
        let pondered = self.pondered.take();
        let is_expected = pondered.as_ref() == Some(&position);
        if pondered.is_some() && !is_expected {
            // Its clock does not run before it has stopped.
            running.engine.stop()?;
        }
        let asked = Instant::now();
        if is_expected {
            running.engine.send("ponderhit");
        } else {
            let go = self.go_line::<P>(turn.position.side_to_move(), turn.opponent_clock);
            running.engine.go(&position, &format!("go{go}"));
        }
        let found = running.engine.found(asked + time + grace);
        let (found, report) = found.map_err(|failure| match failure {
            Failure::Timeout { attempts, .. } => {
                Failure::Timeout { attempts, later: running.engine.lateness(asked + time) }
            }
            other => other,
        })?;
        let took = asked.elapsed();
        let (text, reply) = best_move(&found).unwrap_or_default();
        if let Some(clock) = &mut self.clock {
            clock.granted += clock.increment;
            clock.spent += took;
        }
        // A position that is over is not asked about.
        if ["(none)", "0000"].contains(&text) {
            let moves = turn.position.legal_move_count();
            return Err(Failure::IllegalMove(format!("{text}: there are {moves} legal moves")));
        }
        let Ok(mv) = P::parse_move(&text.to_ascii_lowercase()) else {
            return Err(Failure::Garbage(excerpt(&format!("bestmove {text}"))));
        };
        if !turn.position.is_legal(mv) {
            return Err(Failure::IllegalMove(mv.to_string()));
        }
        let reply = reply.filter(|_| self.settings().ponder);
        let reply = reply.and_then(|reply| P::parse_move(&reply.to_ascii_lowercase()).ok());
        let after = turn.position.after(mv);
        if let Some(reply) = reply.filter(|reply| after.is_legal(*reply))
            && after.after(reply).outcome().is_none()
        {
            let go = self.go_line::<P>(turn.position.side_to_move(), turn.opponent_clock);
            let position = position_line(past, &[mv, reply]);
            running.engine.go(&position, &format!("go ponder{go}"));
            self.pondered = Some(position);
        }
        self.running = Some(running);
        let line = expected_line(turn.position, mv, &report);
        let Report { nodes, depth, value, .. } = report;
        let value = value.map(Value::Centipawns);
        let (late, time) = (took > time, Some(took));
        Ok(Choice { nodes, depth, time, late, value, line, ..Choice::free(mv) })
    }

    fn check_rules(&self, rules: P::Rules) -> Result<()> {
        // An engine that did not start says so in its first game.
        let idle = lock(&self.pool.idle);
        let refusal = idle.first().and_then(|one| refusal_of::<P>(&one.engine.announced, rules));
        refusal.map_or(Ok(()), |refusal| Err(wrong(&self.pool.name, refusal)))
    }

    fn clock(&self) -> Option<ClockTime> {
        self.clock.map(|clock| ClockTime { left: clock.left(), increment: clock.increment })
    }
}

impl UciAgent {
    fn settings(&self) -> &ExternalSettings {
        &self.pool.program.settings
    }

    /// The time for the next move, and how late it may come after that.
    fn time(&self) -> (Duration, Duration) {
        let ExternalSettings { limit, grace, .. } = *self.settings();
        let time = match (limit, self.clock) {
            (Some(Limit::Time(limit)), _) => limit,
            (_, Some(clock)) => clock.left(),
            _ => return (HUNG, Duration::ZERO),
        };
        let grace = match (grace, self.clock) {
            (0.0, _) => Duration::ZERO,
            (_, Some(clock)) => OVERHEAD.saturating_sub(clock.spent.saturating_sub(clock.granted)),
            (share, None) => time.mul_f64(share).max(OVERHEAD),
        };
        (time, grace)
    }

    /// What follows `go`. An opponent without a clock for the game is told to have the same as this player.
    fn go_line<P: Game>(&self, player: Player, opponent: Option<ClockTime>) -> String {
        let ExternalSettings { depth, limit, .. } = *self.settings();
        let mut line = depth.map_or_else(String::new, |depth| format!(" depth {depth}"));
        match limit {
            Some(Limit::Nodes(nodes)) => line += &format!(" nodes {nodes}"),
            Some(Limit::Time(limit)) => {
                line += &format!(" movetime {}", limit.as_millis().max(1));
            }
            _ => {}
        }
        if let Some(own) = Agent::<P>::clock(self) {
            let opponent = opponent.unwrap_or(own);
            let clocks = match player {
                Player::First => [own, opponent],
                Player::Second => [opponent, own],
            };
            let [white, black] = clocks.map(|clock| clock.left.as_millis().max(1));
            let [more, other] = clocks.map(|clock| clock.increment.as_millis());
            line += &format!(" wtime {white} btime {black} winc {more} binc {other}");
        }
        line
    }
}

/// The line that tells the position: the start of the game and the moves since, so that the engine sees repetitions, and more moves.
fn position_line<P: Game>(past: &Past<'_, P>, more: &[P::Move]) -> String {
    let Past { start, moves } = past;
    let mut words = match **start == P::start(start.rules()) {
        true => vec!["position startpos".to_string()],
        false => vec![format!("position fen {}", start.notation())],
    };
    words.extend((!moves.is_empty() || !more.is_empty()).then(|| "moves".into()));
    words.extend(moves.iter().chain(more).map(ToString::to_string));
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
