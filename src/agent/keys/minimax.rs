//! The keys of minimax and its relatives: depth, pruning, sorting, memory.

use strum::VariantNames;

use super::super::key::{Key, Place, Refusal};
use super::super::kinds::{AgentKind, Kind, TranspositionTable};
use super::super::spec::AgentSpec;
use crate::search::Widths;
use crate::search::expectimax::DEFAULT_WIN;
use crate::search::iterative::MAX_TABLE_MIB;
use crate::search::memory::{self, MAX_POSITIONS, Replacement};
use crate::search::minimax::MAX_DEPTH;
use crate::search::quiescent::MAX_PLIES;
use crate::weights::{Scope, Weights};

pub(super) fn keys() -> Vec<Key> {
    const PLIES: &str = "a number of plies";
    let depth = at!(Minimax | Iterative | Pvs | Expectimax | External, it => Some(it.depth));
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
        kinds: &[Kind::Iterative, Kind::Pvs],
        get: |spec| match &spec.kind {
            AgentKind::Pvs(settings) => settings.table,
            _ => match table_of(spec)? {
                TranspositionTable::Mebibytes(size) => Some(*size),
                _ => None,
            },
        },
        set: |spec, size| match &mut spec.kind {
            AgentKind::Pvs(settings) => {
                settings.table = Some(size);
                Ok(())
            }
            _ => set_table(spec, TranspositionTable::Mebibytes(size)),
        },
    };
    let values = at!(Minimax | Iterative | Mcts, it => Some(it.value_table));
    vec![
        Key::whole("depth", depth, 1..=MAX_DEPTH, PLIES)
            .example("7")
            .help("The depth of the search in plies; for iterative and pvs the deepest; of programs UCI engines take it"),
        Key::whole("table", size, 1..=MAX_TABLE_MIB, "a number of MiB")
            .example("64")
            .help("The size of the transposition table in MiB; by default 16 for pvs, and none for iterative"),
        Key::word("prune", at!(Minimax | Iterative, it => it.pruning))
            .help("What the search leaves out"),
        Key::word("ties", at!(Minimax | Iterative, it => it.ties))
            .help("Which of several best moves is played"),
        Key::word("lost", at!(Minimax, it => it.lost)).help("What is played in a lost position"),
        Key::whole("first_depth", at!(Iterative, it => it.depths.first), 1..=MAX_DEPTH, PLIES)
            .example("3")
            .help("The first depth of the deepening"),
        Key::whole("depth_step", at!(Iterative, it => it.depths.step), 1..=MAX_DEPTH, PLIES)
            .example("2")
            .help("How much deeper each search is than the one before (Lifshitz: 2)"),
        Key::real("win", win, 1e-9..=1e15, "a number from 1e-9 to 1e15")
            .evolves()
            .example("500")
            .help(format!("What a won game is worth in weight units; by default {DEFAULT_WIN}")),
        Key::new("order", &[Kind::Minimax], "weights", order, order_name)
            .example("liang-default")
            .help("Weights whose evaluation sorts the moves; by default those of the search"),
        Key::word("sort", at!(Minimax, it => it.sorting))
            .help("How moves of equal value are sorted; introsort is that of C++ (Papadam)"),
        Key::of("widths", at!(Minimax, it => Some(it.widths)), Widths::expected(), |text| {
            text.parse().ok()
        })
        .example("\"all,all,9,1\"")
        .help("How many of the sorted moves are tried at each ply (Papadam)"),
        Key::whole("quiescence", at!(Minimax, it => Some(it.quiescence)), 1..=MAX_PLIES, PLIES)
            .example("4")
            .help("For how many plies loud moves are followed beyond the depth (Liang 5.2); by default none"),
        Key::whole("value_table", values, 1..=MAX_TABLE_MIB, "a number of MiB")
            .example("16")
            .help("A table of the values of positions (Liang 2.5.1); it changes the time alone"),
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
