//! How long a search may take: nodes, iterations, time, or the clock of a competition.

use std::fmt;
use std::ops::RangeInclusive;
use std::time::{Duration, Instant};

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use strum::{Display, EnumString, VariantNames};

use super::kind::to_map;
use super::table::shown;
use super::{ClockTime, Turn};
use crate::game::Position;
use crate::input::unknown;
use crate::search::Budget;

/// What ends a search. Searches limited by nodes or iterations repeat themselves bit for bit.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, VariantNames)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Limit {
    /// Positions per move.
    Nodes(u64),
    /// Iterations of Monte Carlo tree search a move.
    Iterations(u64),
    Time(Duration),
    /// A match clock with a bank for the game, to which every move adds.
    Bank {
        /// The bank at the start.
        base: Duration,
        /// What is added after each move.
        increment: Duration,
    },
    /// A match clock, with every time of its rules multiplied by `scale`.
    Clock {
        clock: Clock,
        /// What all its times are multiplied by; 1 as printed.
        scale: f64,
    },
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct LimitKeys {
    /// Positions per move; of outside programs, for UCI engines only
    #[schemars(range(min = 1), example = 100_000)]
    nodes: Option<u64>,
    /// Iterations per move
    #[schemars(range(min = 1), example = 25_000)]
    iterations: Option<u64>,
    /// Time per move
    #[schemars(example = &"100ms", extend("x-takes" = TIME))]
    time: Option<String>,
    /// The match clock of a platform, or a base time and an increment per move, as in 10s+100ms
    #[schemars(example = &"theaigames", extend("x-takes" = clocks(), "x-speaks" = true))]
    clock: Option<String>,
    /// A factor for all times of the clock
    #[schemars(range(min = 0.001, max = 1000), example = 0.1, extend("x-with" = "clock="))]
    time_scale: f64,
}

const TIME: &str = "a time from 10us to 1h, as in 100ms";

fn clocks() -> String {
    format!("{}, or a base time and an increment as in 10s+100ms", Clock::VARIANTS.join(" or "))
}

impl Default for LimitKeys {
    fn default() -> Self {
        Self { nodes: None, iterations: None, time: None, clock: None, time_scale: 1.0 }
    }
}

impl From<Limit> for LimitKeys {
    fn from(limit: Limit) -> Self {
        let mut keys = Self::default();
        match limit {
            Limit::Nodes(nodes) => keys.nodes = Some(nodes),
            Limit::Iterations(iterations) => keys.iterations = Some(iterations),
            Limit::Time(time) => keys.time = Some(time_text(time)),
            Limit::Bank { base, increment } => {
                keys.clock = Some(format!("{}+{}", time_text(base), time_text(increment)));
            }
            Limit::Clock { clock, scale } => {
                (keys.clock, keys.time_scale) = (Some(clock.to_string()), scale);
            }
        }
        keys
    }
}

/// A time in text, without the space of "1s 500ms", which texts of agents would have to quote.
pub fn time_text(time: Duration) -> String {
    humantime::format_duration(time).to_string().replace(' ', "")
}

impl LimitKeys {
    fn limit(&self) -> Result<Option<Limit>, String> {
        let time = |text: &str| humantime::parse_duration(text.trim()).ok();
        let fits = |time: &Duration| Limit::TIMES.contains(time);
        if self.nodes.or(self.iterations) == Some(0) {
            return Err("a search of 0 positions finds no move".into());
        }
        Ok(Some(match self {
            Self { nodes: Some(nodes), .. } => Limit::Nodes(*nodes),
            Self { iterations: Some(iterations), .. } => Limit::Iterations(*iterations),
            Self { time: Some(text), .. } => Limit::Time(time(text).filter(fits).ok_or(TIME)?),
            Self { clock: Some(clock), time_scale, .. } => match clock.split_once('+') {
                None => {
                    let known = clock.parse();
                    let known = known.map_err(|_| {
                        let known = unknown("clock", clock, Clock::VARIANTS);
                        format!("{known}, and a time with an increment per move, as in 10s+100ms")
                    })?;
                    Limit::Clock { clock: known, scale: *time_scale }
                }
                Some(_) if *time_scale != 1.0 => {
                    return Err("time_scale needs the clock of a platform".into());
                }
                Some((base, increment)) => match (time(base).filter(fits), time(increment)) {
                    (Some(base), Some(increment)) if increment <= *Limit::TIMES.end() => {
                        Limit::Bank { base, increment }
                    }
                    _ => return Err(format!("clock: expected {}", clocks())),
                },
            },
            _ => return Ok(None),
        }))
    }
}

/// Reads and writes a limit as keys among others.
pub mod keys {
    use serde::de::Error as _;

    use super::*;

    pub fn serialize<S: Serializer>(
        limit: &Option<Limit>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        limit.map_or_else(LimitKeys::default, LimitKeys::from).serialize(serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<Limit>, D::Error> {
        LimitKeys::deserialize(deserializer)?.limit().map_err(D::Error::custom)
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (keys, defaults) = (to_map(&LimitKeys::from(*self)), to_map(&LimitKeys::default()));
        let given = keys.iter().filter(|(key, value)| defaults.get(*key) != Some(value));
        let given: Vec<String> =
            given.map(|(key, value)| format!("{key}={}", shown(value))).collect();
        f.write_str(&given.join(","))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[derive(Serialize, Deserialize, Display, EnumString, VariantNames)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum Clock {
    /// A bank of 10 s, to which every request for a move adds 500 ms, up to 10 s (Liang 1.4). A move
    /// gets the time of Table 4.1 (minimax) or 4.2 (Monte Carlo tree search).
    TheAiGames,
    /// 1000 ms for the first answer, 100 ms for every other. A move gets nine tenths of it.
    CodinGame,
}

/// Which of Liang's tables of times a search goes by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MoveTimes {
    /// Table 4.1.
    Minimax,
    /// Table 4.2.
    MonteCarlo,
}

impl MoveTimes {
    /// Milliseconds for a move. `number` counts the moves of both players, this one included.
    fn milliseconds(self, number: u32, legal_moves: usize) -> u64 {
        let by_choice = match legal_moves {
            0..4 => 500,
            4..7 => 800,
            7..10 => 1100,
            _ => 1700,
        };
        match self {
            Self::Minimax if number < 15 => 500,
            Self::Minimax => by_choice,
            Self::MonteCarlo if number < 30 => by_choice,
            Self::MonteCarlo => by_choice - 100,
        }
    }
}

impl Limit {
    /// The limit of a prepared agent. There is no default: [`AgentSpec::complete`](super::AgentSpec::complete) has refused an
    /// agent without one.
    #[doc(hidden)]
    pub fn of_complete(limit: Option<Self>) -> Self {
        limit.unwrap_or(Self::Nodes(1))
    }

    /// The shortest and the longest time of a move.
    pub const TIMES: RangeInclusive<Duration> =
        Duration::from_micros(10)..=Duration::from_secs(3600);

    /// The time limits that a program with this limit gets; none if its time is not limited.
    pub fn time_rules(self) -> Option<ClockTime> {
        match self {
            Self::Nodes(_) | Self::Iterations(_) => None,
            Self::Time(time) => Some(ClockTime { left: time, increment: time }),
            Self::Bank { base, increment } => Some(ClockTime { left: base, increment }),
            Self::Clock { clock, scale } => Some(clock.times(scale)),
        }
    }

    /// What may be spent on a request, where `left` was in the bank after the move before; none if time is not limited.
    fn granted(self, left: Option<Duration>) -> Option<Duration> {
        let ClockTime { left: start, increment } = self.time_rules()?;
        let Some(left) = left else { return Some(start) };
        Some(match self {
            Self::Bank { .. } => left + increment,
            Self::Clock { clock: Clock::TheAiGames, .. } => (left + increment).min(start),
            _ => increment,
        })
    }
}

impl Clock {
    /// What is in the bank at the start of a game, the most that it may hold; and what every later request adds to it or, at
    /// CodinGame, puts in its place.
    fn times(self, scale: f64) -> ClockTime {
        let times = match self {
            Self::TheAiGames => [10_000, 500],
            Self::CodinGame => [1000, 100],
        };
        let [left, increment] = times.map(|time| Duration::from_millis(time).mul_f64(scale));
        ClockTime { left, increment }
    }
}

/// Keeps an agent's time over a game: gives every move its budget and looks at what it took.
#[derive(Clone, Debug)]
pub struct Timer {
    limit: Limit,
    times: MoveTimes,
    /// On a clock: what was left in the bank after the last move; `None` before the first.
    bank: Option<Duration>,
    granted: Option<Duration>,
    started: Instant,
}

/// A search limited by time stops this share of it early, so that it does not overrun.
const MARGIN: f64 = 0.05;

impl Timer {
    /// The timer of one game.
    pub fn new(limit: Limit, times: MoveTimes) -> Self {
        Self { limit, times, bank: None, granted: None, started: Instant::now() }
    }

    /// What may be spent on a request that is made now; `None` where time is not limited. `time_left` is what a platform says.
    pub fn grant(&mut self, time_left: Option<Duration>) -> Option<Duration> {
        self.started = Instant::now();
        let of_platform = time_left.filter(|_| matches!(self.limit, Limit::Clock { .. }));
        self.granted = of_platform.or_else(|| self.limit.granted(self.bank));
        self.granted
    }

    /// The budget of a move that is searched from now on.
    pub fn start<'t, P: Position>(&mut self, turn: &Turn<'t, P>) -> Budget<'t> {
        let granted = self.grant(turn.time_left).unwrap_or_default();
        let unlimited = Budget { stop: turn.stop, ..Budget::of(u64::MAX) };
        let time = match self.limit {
            Limit::Nodes(most) | Limit::Iterations(most) => return Budget { most, ..unlimited },
            Limit::Time(time) => time.mul_f64(1.0 - MARGIN),
            // A twentieth of the bank, and most of what the move adds.
            Limit::Bank { increment, .. } => {
                (granted.mul_f64(0.05) + increment.mul_f64(0.8)).min(granted.mul_f64(0.9))
            }
            Limit::Clock { clock: Clock::CodinGame, .. } => granted.mul_f64(0.9),
            Limit::Clock { clock: Clock::TheAiGames, scale } => {
                let (number, choice) = (turn.position.ply() + 1, turn.position.legal_move_count());
                let table = Duration::from_millis(self.times.milliseconds(number, choice));
                table.mul_f64(scale).min(granted.mul_f64(0.9))
            }
        };
        Budget { deadline: Some(self.started + time), ..unlimited }
    }

    /// The move was found. Returns how many attempts ran out of time over it: 0 or 1.
    pub fn stop(&mut self) -> u64 {
        let Some(granted) = self.granted else { return 0 };
        let took = self.started.elapsed();
        self.bank = Some(granted.saturating_sub(took));
        u64::from(took > granted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::toy::{Toy, ToyRules};

    #[test]
    fn times_of_tables_4_1_and_4_2() {
        let minimax = |number, choice| MoveTimes::Minimax.milliseconds(number, choice);
        assert_eq!([minimax(14, 81), minimax(15, 3), minimax(15, 4)], [500, 500, 800]);
        assert_eq!([minimax(15, 7), minimax(40, 10)], [1100, 1700]);
        let mcts = |number, choice| MoveTimes::MonteCarlo.milliseconds(number, choice);
        assert_eq!([mcts(29, 3), mcts(29, 6), mcts(29, 9), mcts(1, 81)], [500, 800, 1100, 1700]);
        assert_eq!([mcts(30, 3), mcts(30, 6), mcts(30, 9), mcts(30, 10)], [400, 700, 1000, 1600]);
    }

    #[test]
    fn the_bank_grows_up_to_ten_seconds_and_a_short_one_shortens_the_move() {
        let ms = Duration::from_millis;
        let cases = [(None, 1.0, 10_000), (Some(ms(9_800)), 1.0, 10_000), (Some(ms(3)), 0.1, 53)];
        for (left, scale, expected) in cases {
            let clock = Limit::Clock { clock: Clock::TheAiGames, scale };
            assert_eq!(clock.granted(left), Some(ms(expected)));
        }
        let start = Toy::start(ToyRules::default());
        let clock = Limit::Clock { clock: Clock::TheAiGames, scale: 1.0 };
        let mut timer = Timer::new(clock, MoveTimes::MonteCarlo);
        let allowed = |timer: &mut Timer, left| {
            let budget = timer.start(&Turn { time_left: left, ..Turn::new(&start) });
            budget.deadline.unwrap() - timer.started
        };
        assert_eq!(allowed(&mut timer, None), ms(1700));
        assert_eq!(allowed(&mut timer, Some(ms(600))), ms(540));
        assert_eq!(timer.stop(), 0);
        let other = Limit::Clock { clock: Clock::CodinGame, scale: 1.0 };
        assert_eq!(other.granted(timer.bank), Some(ms(100)));
    }

    #[test]
    fn after_an_attempt_that_ran_out_of_time_there_is_what_a_request_adds() {
        let scale = 0.001;
        for (clock, bank, then) in [(Clock::TheAiGames, 10_000, 500), (Clock::CodinGame, 1000, 100)]
        {
            let limit = Limit::Clock { clock, scale };
            let mut timer = Timer::new(limit, MoveTimes::Minimax);
            let granted = timer.grant(None).unwrap();
            assert_eq!(granted, Duration::from_micros(bank));
            std::thread::sleep(granted + Duration::from_millis(1));
            assert_eq!(timer.stop(), 1);
            assert_eq!(timer.grant(None), Some(Duration::from_micros(then)));
            let times = limit.time_rules().unwrap();
            assert_eq!((times.left, times.increment), (granted, Duration::from_micros(then)));
        }
        assert_eq!(Limit::Nodes(5).time_rules(), None);
    }
}
