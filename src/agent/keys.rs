//! The table of the keys of agents: the one place where a key is written down.
//!
//! Reading, printing, help and the numbers that can be evolved go through it. Texts are printed in its order. What can
//! be evolved says how an agent plays. What says how much it may spend (depth, nodes, iterations, time, threads, sizes
//! of tables and trees) is not among that: more of it is better, and a run would only find that out.

use std::ops::RangeInclusive;
use std::sync::LazyLock;

use strum::VariantNames;

use super::key::{Key, Place, Refusal, search};
use super::kinds::{AgentKind, Evaluation, Kind, SecondEvaluation, TranspositionTable};
use super::learned::Learned;
use super::limit::{Clock, Limit};
use super::spec::{AgentSpec, FirstMove, RandomJump, Theory};
use crate::input::unknown;
use crate::protocol::Protocol;
use crate::search::Widths;
use crate::search::expectimax::DEFAULT_WIN;
use crate::search::iterative::MAX_TABLE_MIB;
use crate::search::mcts::{
    self, Expansion, FinalMove, MAX_NODES, MAX_THREADS, Parallel, Playout, Tree,
};
use crate::search::memory::{self, MAX_POSITIONS, Replacement};
use crate::search::minimax::MAX_DEPTH;
use crate::weights::{Scope, Weights};

/// The keys of a kind, in the order in which they are printed.
pub(super) fn keys_of(kind: Kind) -> impl Iterator<Item = &'static Key> {
    KEYS.iter().filter(move |key| key.kinds.contains(&kind))
}

/// Every key of any kind.
pub(super) static KEYS: LazyLock<Vec<Key>> = LazyLock::new(|| {
    let mut keys = of_programs_and_tables();
    keys.extend(of_monte_carlo());
    keys.extend(of_limits());
    keys.extend(of_minimax());
    keys.extend(of_evaluations());
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

/// The kinds that evaluate positions.
const EVALUATING: &[Kind] =
    &[Kind::Greedy, Kind::Minimax, Kind::Iterative, Kind::Expectimax, Kind::Mcts];

fn of_programs_and_tables() -> Vec<Key> {
    let command = |text: &str| (!text.trim().is_empty()).then(|| text.to_string());
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
        Key::of("cmd", at!(External, it => it.command), "a program and its arguments", command)
            .required("cmd=\"PROGRAM ARGUMENTS\"")
            .example("\"./bot --fast\"")
            .help(
                "The program and its arguments. Quotes keep words together; no shell looks at it",
            ),
        Key::of(
            "protocol",
            at!(External, it => it.protocol),
            Protocol::VARIANTS.join(" or "),
            |text| text.parse().ok(),
        )
        .required("protocol=theaigames|codingame")
        .example("theaigames")
        .help("The protocol that the program speaks"),
        Key::new("from", &[Kind::Learned], "a file or a folder", find, path)
            .required("from=PATH, a values.csv of tictune learn or its folder")
            .example("runs/learned")
            .help("A values.csv of `tictune learn`, or its folder"),
    ]
}

fn of_monte_carlo() -> Vec<Key> {
    let at_least_0 = || 0.0..=f64::MAX;
    const FROM_0: &str = "a number from 0";
    const SHARE: &str = "a number from 0 to 1";
    const TO_1000: &str = "a number from 1 to 1000";
    const WHOLE: &str = "a whole number";
    vec![
        Key::word("tree", at!(Mcts, it => it.search.tree))
            .printed_always()
            .help("How a child is selected"),
        Key::word("playout", at!(Mcts, it => it.search.playout))
            .printed_always()
            .help("How a game is played out from a leaf"),
        Key::real("c", at!(Mcts, it => it.search.exploration), at_least_0(), FROM_0)
            .evolves()
            .example("0.5")
            .help("The exploration constant C (Liang 4.3.1)"),
        Key::real("rave", at!(Mcts, it => it.search.rave), at_least_0(), FROM_0)
            .evolves()
            .used_by("tree=rave or tree=grave", |spec| {
                search(spec).is_some_and(|search| search.tree != Tree::Uct)
            })
            .example("0.1")
            .help("The RAVE constant R (Liang 4.3.2)"),
        Key::whole("reference", at!(Mcts, it => it.search.reference), 0..=u32::MAX, WHOLE)
            .evolves()
            .used_by("tree=grave", |spec| {
                search(spec).is_some_and(|search| search.tree == Tree::Grave)
            })
            .example("50")
            .help(
                "Visits from which a node's own all-moves-as-first values are used (Cazenave 2015)",
            ),
        Key::word("expansion", at!(Mcts, it => it.search.expansion)).help(
            "What a leaf gets when it is visited again: one child, or all with heuristic values",
        ),
        Key::real(
            "bias",
            at!(Mcts, it => it.search.bias),
            1e-9..=1e3,
            "a number from 1e-9 to 1000",
        )
        .evolves()
        .used_by("expansion=heuristic", expands_by_heuristic)
        .example("0.1")
        .help("Heuristic reward of a child = (value + offset) x bias"),
        Key::real("confidence", at!(Mcts, it => it.search.confidence), 1.0..=1e3, TO_1000)
            .evolves()
            .used_by("expansion=heuristic", expands_by_heuristic)
            .example("2")
            .help("Heuristic visits of a child = its reward x confidence"),
        Key::real(
            "amaf_confidence",
            at!(Mcts, it => it.search.amaf_confidence),
            1.0..=1e3,
            TO_1000,
        )
        .evolves()
        .used_by("tree=rave and expansion=heuristic", |spec| {
            expands_by_heuristic(spec)
                && search(spec).is_some_and(|search| search.tree == Tree::Rave)
        })
        .example("2")
        .help("The same for all-moves-as-first values"),
        Key::real("offset", at!(Mcts, it => Some(it.search.offset)), at_least_0(), FROM_0)
            .evolves()
            .used_by("expansion=heuristic", expands_by_heuristic)
            .example("100")
            .help(
                "What is added to heuristic values; by default the largest value of the evaluation",
            ),
        Key::whole("threshold", at!(Mcts, it => it.search.threshold), 0..=10_000, WHOLE)
            .evolves()
            .used_by("playout=ept", terminates_early)
            .example("50")
            .help("Moves of a playout after which the evaluation is asked (Liang 3.3)"),
        Key::real("boundary", at!(Mcts, it => it.search.boundary), at_least_0(), FROM_0)
            .evolves()
            .used_by("playout=ept", terminates_early)
            .example("0.7")
            .help("Values beyond it count as won or lost, in weight units (Liang 3.3.2)"),
        Key::word("judge", at!(Mcts, it => it.search.judge))
            .help("The reward that a value stands for when a playout ends early"),
        Key::real("influence", at!(Mcts, it => it.search.influence), 0.0..=1.0, SHARE)
            .evolves()
            .used_by("playout=partial or playout=total", |spec| {
                let by_value = |playout| matches!(playout, Playout::Partial | Playout::Total);
                search(spec).is_some_and(|search| by_value(search.playout))
            })
            .example("0.5")
            .help("How likely the evaluation chooses a move, or a playout's moves (Liang 4.4.3)"),
        Key::word("final", at!(Mcts, it => it.search.final_move))
            .help("Which move is played in the end"),
        Key::whole("min_visits", at!(Mcts, it => it.search.min_visits), 0..=u32::MAX, WHOLE)
            .evolves()
            .used_by("final=ratio", |spec| {
                search(spec).is_some_and(|search| search.final_move == FinalMove::Ratio)
            })
            .example("10")
            .help("Visits that a child must have to be played by the ratio rule"),
        Key::real("draw", at!(Mcts, it => it.search.draw), 0.0..=1.0, SHARE)
            .evolves()
            .example("0.5")
            .help("The reward of a draw, for either side"),
        Key::switch("solver", at!(Mcts, it => it.search.solver))
            .help("Whether proven wins, losses and draws are backed up"),
        Key::whole("threads", at!(Mcts, it => it.search.threads), 1..=MAX_THREADS, WHOLE)
            .example("4")
            .help("Threads of one search"),
        Key::word("parallel", at!(Mcts, it => it.search.parallel))
            .help("What several threads share (Sista 2.2)"),
        Key::whole("virtual_loss", at!(Mcts, it => it.search.virtual_loss), 0..=1000, WHOLE)
            .evolves()
            .used_by("parallel=tree and threads= above 1", |spec| {
                let shared = |search: &mcts::Settings| {
                    search.threads > 1 && search.parallel == Parallel::Tree
                };
                search(spec).is_some_and(shared)
            })
            .example("1")
            .help("Losses that a thread pretends on its way down a shared tree"),
        Key::whole("max_nodes", at!(Mcts, it => it.search.max_nodes), 1000..=MAX_NODES, WHOLE)
            .example("1000000")
            .help("Nodes of a tree at which the search ends"),
    ]
}

fn expands_by_heuristic(spec: &AgentSpec) -> bool {
    search(spec).is_some_and(|search| search.expansion == Expansion::Heuristic)
}

fn terminates_early(spec: &AgentSpec) -> bool {
    search(spec).is_some_and(|search| search.playout == Playout::Ept)
}

fn of_limits() -> Vec<Key> {
    const TIMED: &[Kind] = &[Kind::Iterative, Kind::Mcts, Kind::External];
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
        limit("nodes", &[Kind::Iterative]).example("100000").help("Positions a move"),
        limit("iterations", &[Kind::Mcts]).example("25000").help("Iterations a move"),
        limit("time", TIMED).example("100ms").help("Time a move"),
        limit("clock", TIMED)
            .example("theaigames")
            .help("The match clock of a platform, with its own share for each move"),
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
            None if name == "clock" => return Err(unknown("clock", text, Clock::VARIANTS).into()),
            None => return Err(Refusal::Value),
        });
        Ok(())
    };
    let show = move |spec: &AgentSpec| {
        let pairs = spec.kind.limit()?.pairs();
        pairs.into_iter().find(|(key, _)| *key == name).map(|(_, value)| value)
    };
    Key::new(name, kinds, Limit::expected(name), read, show)
}

fn of_minimax() -> Vec<Key> {
    let depth = at!(Minimax | Iterative | Expectimax, it => Some(it.depth));
    let order = |spec: &mut AgentSpec, text: &str, scope: Scope<'_>| {
        let AgentKind::Minimax(settings) = &mut spec.kind else { return Err(Refusal::Part) };
        settings.order = Some(Weights::find(text, scope)?);
        Ok(())
    };
    let order_name = |spec: &AgentSpec| match &spec.kind {
        AgentKind::Minimax(settings) => Some(settings.order.as_ref()?.name.clone()),
        _ => None,
    };
    let win = at!(Expectimax, it => Some(it.win));
    let size = Place {
        kinds: ITERATIVE,
        get: |spec| match table_of(spec)? {
            TranspositionTable::Mebibytes(size) => Some(*size),
            _ => None,
        },
        set: |spec, size| set_table(spec, TranspositionTable::Mebibytes(size)),
    };
    vec![
        Key::whole("depth", depth, 1..=MAX_DEPTH, "a number of plies")
            .example("7")
            .help("The depth of the search in plies; for iterative deepening the deepest"),
        Key::whole("table", size, 1..=MAX_TABLE_MIB, "a number of MiB")
            .example("64")
            .help("The size of the transposition table in MiB; by default there is none"),
        Key::word("prune", at!(Minimax | Iterative, it => it.pruning))
            .help("What the search leaves out"),
        Key::word("ties", at!(Minimax, it => it.ties))
            .help("Which of several best moves is played"),
        Key::real("win", win, 1e-9..=1e15, "a number from 1e-9 to 1e15")
            .evolves()
            .example("500")
            .help(format!("What a won game is worth in weight units; by default {DEFAULT_WIN}")),
        Key::new("order", &[Kind::Minimax], "weights", order, order_name)
            .example("liang-default")
            .help("Weights whose evaluation sorts the moves; by default those of the search"),
        Key::of("widths", at!(Minimax, it => Some(it.widths)), Widths::expected(), |text| {
            text.parse().ok()
        })
        .example("\"all,all,9,1\"")
        .help("How many of the sorted moves are tried at each ply (Papadam)"),
        Key::new(
            "memory",
            ITERATIVE,
            format!("none, {}", Replacement::VARIANTS.join(", ")),
            read_memory,
            |spec| bounded(spec).map(|settings| settings.replacement.to_string()),
        )
        .example("fifo")
        .help("A memory of a bounded number of results, and what it does when full (Lifshitz VII)"),
        Key::whole(
            "memory_positions",
            within!(ITERATIVE, bounded, bounded_mut, positions),
            1..=MAX_POSITIONS,
            "a whole number",
        )
        .of_part(MEMORY)
        .default(memory::Settings::default().positions)
        .example("5000")
        .help("How many results the memory holds"),
        Key::switch("memory_symmetry", within!(ITERATIVE, bounded, bounded_mut, symmetry))
            .of_part(MEMORY)
            .default(false)
            .help("Whether symmetric positions share their results"),
        Key::word("memory_hash", within!(ITERATIVE, bounded, bounded_mut, hashing))
            .of_part(MEMORY)
            .default(memory::Settings::default().hashing)
            .help("How positions are hashed for the memory"),
    ]
}

fn of_evaluations() -> Vec<Key> {
    fn own(spec: &mut AgentSpec) -> Result<&mut Evaluation, Refusal> {
        spec.kind.evaluation_mut().ok_or(Refusal::Part)
    }
    fn second(spec: &AgentSpec) -> Option<&SecondEvaluation> {
        spec.kind.evaluation()?.second.as_ref()
    }
    fn second_mut(spec: &mut AgentSpec) -> Option<&mut SecondEvaluation> {
        spec.kind.evaluation_mut()?.second.as_mut()
    }
    fn jump(spec: &AgentSpec) -> Option<&RandomJump> {
        spec.jump.as_ref()
    }
    fn jump_mut(spec: &mut AgentSpec) -> Option<&mut RandomJump> {
        spec.jump.as_mut()
    }
    let read_name = |spec: &mut AgentSpec, text: &str, scope: Scope<'_>| {
        own(spec)?.name = Some(scope.layout(text)?.name.into());
        Ok(())
    };
    let name = |spec: &AgentSpec| {
        let of_weights = spec.layout().map(|layout| layout.name.to_string());
        of_weights.or_else(|| spec.kind.evaluation()?.name.clone())
    };
    let read_weights = |spec: &mut AgentSpec, text: &str, scope: Scope<'_>| {
        own(spec)?.weights = Some(Weights::find(text, scope)?);
        Ok(())
    };
    let weights = |spec: &AgentSpec| spec.weights().map(|weights| weights.name.clone());
    let numerator = Place {
        kinds: EVALUATING,
        get: |spec| jump(spec).map(|jump| jump.numerator),
        set: |spec, value| {
            spec.jump.get_or_insert(RandomJump::AMAR).numerator = value;
            Ok(())
        },
    };
    let read_second = |spec: &mut AgentSpec, text: &str, scope: Scope<'_>| {
        let weights = Weights::find(text, scope)?;
        own(spec)?.second = Some(SecondEvaluation { weights, share: SecondEvaluation::SHARE });
        Ok(())
    };
    let second_name = |spec: &AgentSpec| second(spec).map(|second| second.weights.name.clone());
    const ABOVE_0: RangeInclusive<f64> = 1e-9..=1e9;
    vec![
        Key::new("eval", EVALUATING, "an evaluation of the game", read_name, name)
            .example("comprehensive")
            .help("The evaluation, where weights do not tell; by default that of the game"),
        Key::new("weights", EVALUATING, "weights", read_weights, weights)
            .example("liang-default")
            .help("A built-in name or a path; by default the strongest built-in weights"),
        Key::real("jump", numerator, ABOVE_0, "a number above 0, as in jump=5")
            .used_by("jump=", |spec| spec.jump.is_some())
            .evolves()
            .example("5")
            .help("Random jumps (Amar VII): a random move with the chance jump / t^jump_power"),
        Key::real(
            "jump_power",
            within!(EVALUATING, jump, jump_mut, power),
            0.0..=100.0,
            "a number from 0 to 100",
        )
        .of_part("jump=")
        .named_together()
        .default(RandomJump::AMAR.power)
        .evolves()
        .example("1")
        .help("The power of t"),
        Key::real(
            "jump_start",
            within!(EVALUATING, jump, jump_mut, start),
            ABOVE_0,
            "a number above 0",
        )
        .of_part("jump=")
        .named_together()
        .default(RandomJump::AMAR.start)
        .evolves()
        .example("2.5")
        .help("t at the first own move"),
        Key::real(
            "jump_step",
            within!(EVALUATING, jump, jump_mut, step),
            0.0..=1e9,
            "a number from 0",
        )
        .of_part("jump=")
        .named_together()
        .default(RandomJump::AMAR.step)
        .evolves()
        .example("0.2")
        .help("What is added to t with each own move"),
        Key::new("mix", EVALUATING, "weights", read_second, second_name)
            .example("liang-simple")
            .help("Weights of a second evaluation, used for some moves by chance (Amar X)"),
        Key::real(
            "mix_share",
            within!(EVALUATING, second, second_mut, share),
            0.0..=1.0,
            "a share from 0 to 1",
        )
        .of_part("mix=WEIGHTS")
        .default(SecondEvaluation::SHARE)
        .evolves()
        .example("0.25")
        .help("The chance that the second evaluation is used"),
    ]
}

fn of_all() -> Vec<Key> {
    const SEARCHING: &[Kind] = &[
        Kind::Greedy,
        Kind::Minimax,
        Kind::Iterative,
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

const ITERATIVE: &[Kind] = &[Kind::Iterative];

/// What gives iterative deepening a bounded memory.
const MEMORY: &str = "memory=keep-first or memory=fifo";

fn table_of(spec: &AgentSpec) -> Option<&TranspositionTable> {
    match &spec.kind {
        AgentKind::Iterative(settings) => Some(&settings.table),
        _ => None,
    }
}

/// Gives iterative deepening a table or a memory, unless it has the other.
fn set_table(spec: &mut AgentSpec, table: TranspositionTable) -> Result<(), Refusal> {
    match &mut spec.kind {
        AgentKind::Iterative(settings) if settings.table == TranspositionTable::None => {
            settings.table = table;
            Ok(())
        }
        AgentKind::Iterative(_) => {
            Err("table= and memory= are two memories; give one of them".to_string().into())
        }
        _ => Err(Refusal::Part),
    }
}

fn bounded(spec: &AgentSpec) -> Option<&memory::Settings> {
    table_of(spec)?.bounded()
}

fn bounded_mut(spec: &mut AgentSpec) -> Option<&mut memory::Settings> {
    match &mut spec.kind {
        AgentKind::Iterative(settings) => match &mut settings.table {
            TranspositionTable::Bounded(memory) => Some(memory),
            _ => None,
        },
        _ => None,
    }
}

fn read_memory(spec: &mut AgentSpec, text: &str, _: Scope<'_>) -> Result<(), Refusal> {
    if text == "none" {
        return Ok(());
    }
    let replacement = text.parse().map_err(|_| Refusal::Value)?;
    let settings = memory::Settings { replacement, ..memory::Settings::default() };
    set_table(spec, TranspositionTable::Bounded(settings))
}
