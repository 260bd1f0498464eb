//! The keys of Monte Carlo tree search.

use super::super::key::{Key, Place, Refusal, search};
use super::super::kinds::{AgentKind, Kind};
use super::super::spec::AgentSpec;
use crate::search::mcts::{
    self, Expansion, FinalMove, MAX_NODES, MAX_THREADS, Parallel, Playout, Tree,
};

/// What lets an evaluation end playouts.
const EPT: &str = "playout=ept or playout=ept-win-first";

pub(super) fn keys() -> Vec<Key> {
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
            "What a leaf gets when it is visited again: one child, all with heuristic values, or one with a heuristic value",
        ),
        Key::word("expansion_order", at!(Mcts, it => it.search.expansion_order))
            .used_by("expansion=one or one-heuristic", expands_one_by_one)
            .help("Which child a leaf gets"),
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
        Key::word("view", at!(Mcts, it => it.search.view))
            .used_by("expansion=heuristic", expands_by_heuristic)
            .help("From whose view the heuristic values of children are taken"),
        Key::whole("threshold", at!(Mcts, it => it.search.threshold), 0..=10_000, WHOLE)
            .evolves()
            .used_by(EPT, terminates_early)
            .example("50")
            .help("Moves of a playout after which the evaluation is asked (Liang 3.3)"),
        Key::real("boundary", at!(Mcts, it => it.search.boundary), at_least_0(), FROM_0)
            .evolves()
            .used_by(EPT, terminates_early)
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
        Key::switch("reuse", at!(Mcts, it => it.search.reuse))
            .used_by("tree=uct or tree=rave", |spec| {
                search(spec).is_some_and(|search| search.tree != Tree::Grave)
            })
            .help("Whether the tree is kept from move to move"),
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
    search(spec).is_some_and(|search| search.expansion != Expansion::One)
}

fn expands_one_by_one(spec: &AgentSpec) -> bool {
    search(spec).is_none_or(|search| search.expansion != Expansion::Heuristic)
}

fn terminates_early(spec: &AgentSpec) -> bool {
    search(spec).is_some_and(|search| search.playout.terminates_early())
}
