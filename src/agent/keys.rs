//! The table of the keys of agents: the one place where a key is written down.
//!
//! Reading, printing, help and the numbers that can be evolved go through it. Texts are printed in its order. What can
//! be evolved says how an agent plays. What says how much it may spend (depth, nodes, iterations, time, threads, sizes
//! of tables and trees) is not among that: more of it is better, and a run would only find that out.

use std::sync::LazyLock;

use strum::VariantNames;

use super::key::{Key, Place, Refusal};
use super::kinds::{AgentKind, Kind};
use super::learned::Learned;
use super::limit::{Clock, Limit};
use super::spec::{AgentSpec, FirstMove, Theory};
use crate::input::unknown;
use crate::weights::Scope;

/// The keys of a kind, in the order in which they are printed.
pub(super) fn keys_of(kind: Kind) -> impl Iterator<Item = &'static Key> {
    KEYS.iter().filter(move |key| key.kinds.contains(&kind))
}

/// Every key of any kind.
pub(super) static KEYS: LazyLock<Vec<Key>> = LazyLock::new(|| {
    let mut keys = external::keys();
    keys.extend(runner::keys());
    keys.extend(of_tables());
    keys.extend(monte_carlo::keys());
    keys.extend(of_limits());
    keys.extend(minimax::keys());
    keys.extend(pvs::keys());
    keys.extend(evaluation::keys());
    keys.extend(of_all());
    keys
});

/// A place in the settings of some kinds: `Some` marks a value that may be left open.
macro_rules! at {
    ($($kind:ident)|+, $it:ident => Some($place:expr)) => {
        Place {
            kinds: &[$(Kind::$kind),+],
            get: |spec| match &spec.kind {
                $(AgentKind::$kind($it) => $place.clone(),)+
                _ => None,
            },
            set: |spec, value| {
                match &mut spec.kind {
                    $(AgentKind::$kind($it) => $place = Some(value),)+
                    _ => return Err(Refusal::Part),
                }
                Ok(())
            },
        }
    };
    ($($kind:ident)|+, $it:ident => $place:expr) => {
        Place {
            kinds: &[$(Kind::$kind),+],
            get: |spec| match &spec.kind {
                $(AgentKind::$kind($it) => Some($place.clone()),)+
                _ => None,
            },
            set: |spec, value| {
                match &mut spec.kind {
                    $(AgentKind::$kind($it) => $place = value,)+
                    _ => return Err(Refusal::Part),
                }
                Ok(())
            },
        }
    };
}

/// A place in a part that not every agent of the kinds has; `get` and `get_mut` find the part.
macro_rules! within {
    ($kinds:expr, $get:expr, $get_mut:expr, $field:ident) => {
        Place {
            kinds: $kinds,
            get: |spec| $get(spec).map(|part| part.$field.clone()),
            set: |spec, value| {
                $get_mut(spec).ok_or(Refusal::Part)?.$field = value;
                Ok(())
            },
        }
    };
}

// After the macros, which they use.
mod evaluation;
mod external;
#[cfg(any(test, feature = "fuzzing"))]
pub(crate) use external::parse_file as parse_numbers;
pub(crate) use external::read_file as read_numbers;
mod minimax;
mod monte_carlo;
mod pvs;
mod runner;

/// The kinds with weights: those that evaluate positions, and programs that are given some.
const WEIGHTED: &[Kind] = &[
    Kind::Greedy,
    Kind::Minimax,
    Kind::Iterative,
    Kind::Pvs,
    Kind::Expectimax,
    Kind::Mcts,
    Kind::External,
];

/// The kinds that evaluate positions.
const EVALUATING: &[Kind] =
    &[Kind::Greedy, Kind::Minimax, Kind::Iterative, Kind::Pvs, Kind::Expectimax, Kind::Mcts];

fn of_tables() -> Vec<Key> {
    let find = |spec: &mut AgentSpec, text: &str, scope: Scope<'_>| {
        let AgentKind::Learned(learned) = &mut spec.kind else { return Err(Refusal::Part) };
        *learned = Learned::find(&scope.folder.join(text), scope.game)?;
        Ok(())
    };
    let path = |spec: &AgentSpec| match &spec.kind {
        AgentKind::Learned(learned) => Some(learned.path.display().to_string()),
        _ => None,
    };
    vec![
        Key::new("from", &[Kind::Learned], "a file or a folder", find, path)
            .required("from=PATH, a values.csv of tictune learn or its folder")
            .example("runs/learned")
            .help("A values.csv of `tictune learn`, or its folder"),
    ]
}

fn of_limits() -> Vec<Key> {
    const TIMED: &[Kind] = &[Kind::Iterative, Kind::Pvs, Kind::Mcts, Kind::External];
    fn scale(spec: &AgentSpec) -> Option<f64> {
        match spec.kind.limit() {
            Some(Limit::Clock { scale, .. }) => Some(scale),
            _ => None,
        }
    }
    fn set_scale(spec: &mut AgentSpec, value: f64) -> Result<(), Refusal> {
        match spec.kind.limit_mut() {
            Some(Some(Limit::Clock { scale, .. })) => *scale = value,
            _ => return Err(Refusal::Part),
        }
        Ok(())
    }
    let time_scale = Place { kinds: TIMED, get: scale, set: set_scale };
    vec![
        limit("nodes", &[Kind::Iterative, Kind::Pvs, Kind::External])
            .example("100000")
            .help("Positions a move; of programs UCI engines take it"),
        limit("iterations", &[Kind::Mcts]).example("25000").help("Iterations a move"),
        limit("time", TIMED).example("100ms").help("Time a move"),
        limit("clock", TIMED).example("theaigames").help(
            "The match clock of a platform, or a bank and what each move adds, as in 10s+100ms",
        ),
        Key::real("time_scale", time_scale, 0.001..=1000.0, "a number from 0.001 to 1000")
            .of_part("clock=")
            .default(1)
            .example("0.1")
            .help("What all times of the clock are multiplied by"),
    ]
}

/// A key that gives a search its limit.
fn limit(name: &'static str, kinds: &'static [Kind]) -> Key {
    let read = move |spec: &mut AgentSpec, text: &str, _: Scope<'_>| {
        let place = spec.kind.limit_mut().ok_or(Refusal::Part)?;
        if place.is_some() {
            return Err("a search has one limit; two are given".to_string().into());
        }
        *place = Some(match Limit::from_pair(name, text) {
            Some(limit) => limit,
            None if name == "clock" && !text.contains('+') => {
                return Err(unknown("clock", text, Clock::VARIANTS).into());
            }
            None => return Err(Refusal::Value),
        });
        Ok(())
    };
    let show = move |spec: &AgentSpec| {
        let pairs = spec.kind.limit()?.pairs();
        pairs.into_iter().find(|(key, _)| *key == name).map(|(_, value)| value)
    };
    let takes_own = move |spec: &AgentSpec| {
        let pairs = spec.kind.limit().map(|limit| limit.pairs()).unwrap_or_default();
        let own = pairs.iter().find(|(key, _)| *key == name);
        own.is_none_or(|(_, value)| Limit::from_pair(name, value).is_some())
    };
    Key::new(name, kinds, Limit::expected(name), read, show).checked_by(takes_own)
}

fn of_all() -> Vec<Key> {
    const SEARCHING: &[Kind] = &[
        Kind::Greedy,
        Kind::Minimax,
        Kind::Iterative,
        Kind::Pvs,
        Kind::Expectimax,
        Kind::Mcts,
        Kind::Learned,
    ];
    const SEEDED: &[Kind] = &[
        Kind::Random,
        Kind::Reflex,
        Kind::Greedy,
        Kind::Minimax,
        Kind::Iterative,
        Kind::Pvs,
        Kind::Expectimax,
        Kind::Mcts,
        Kind::External,
        Kind::Learned,
    ];
    fn theory(spec: &AgentSpec) -> Option<&Theory> {
        spec.theory.as_ref()
    }
    fn theory_mut(spec: &mut AgentSpec) -> Option<&mut Theory> {
        spec.theory.as_mut()
    }
    let first_move = |spec: &mut AgentSpec, text: &str, scope: Scope<'_>| {
        let first_move = text.parse().map_err(|_| Refusal::Value)?;
        if first_move == FirstMove::Centre && !scope.game.centre {
            let game = scope.game.name;
            return Err(format!("first_move: {game} has no centre to begin with").into());
        }
        spec.first_move = first_move;
        Ok(())
    };
    let read_theory = |spec: &mut AgentSpec, text: &str, scope: Scope<'_>| {
        let theory = Theory { set: text.into(), plies: Theory::PLIES };
        theory.check(scope.game)?;
        spec.theory = Some(theory);
        Ok(())
    };
    let plies = within!(EVALUATING, theory, theory_mut, plies);
    let seed = Place {
        kinds: SEEDED,
        get: |spec| spec.seed,
        set: |spec, seed: u64| {
            spec.seed = Some(seed);
            Ok(())
        },
    };
    vec![
        Key::new("first_move", SEARCHING, FirstMove::VARIANTS.join(" or "), first_move, |spec| {
            Some(spec.first_move.to_string())
        })
        .example("centre")
        .help("How the first move of a game is played"),
        Key::new("theory", EVALUATING, "a set of opening moves of the game", read_theory, |spec| {
            theory(spec).map(|theory| theory.set.clone())
        })
        .example("corners")
        .help("A set of moves to begin with at random (Papadam)"),
        Key::whole("theory_plies", plies, 0..=u32::MAX, "a whole number of moves")
            .of_part("theory=")
            .default(Theory::PLIES)
            .evolves()
            .example("6")
            .help("It plays from the set while at most so many moves were made"),
        Key::of("seed", seed, "a whole number from 0", |text| text.parse().ok())
            .example("1")
            .help("Its own seed instead of the match's"),
    ]
}
