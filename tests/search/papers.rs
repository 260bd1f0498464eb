//! Searches of the documents compared with slow and simple implementations.

use std::collections::HashMap;
use std::sync::Arc;

use rand::RngExt;
use tictune::game::{Evaluator, EvaluatorVisitor, Game, Position, Score, Searchable, perft};
use tictune::games::uttt::{Rules, Uttt, UtttMove};
use tictune::papers::searches::plain::{Pruning, Unsorted, unsorted};
use tictune::papers::searches::remembering::{BoundedMemory, Hashing, MemorySettings, Replacement};
use tictune::papers::searches::selective::Selective;
use tictune::papers::searches::{EvaluationCache, Sorting, Widths};
use tictune::search::{Analysis, Iterative, Minimax, Stop};
use tictune::seed::{Role, generator, mix};

use crate::positions::{describe, positions};
use crate::{UNLIMITED, agent, best_of, choice, random_weights, tables};

/// Calls a visitor with evaluators of all layouts, each with random weights and with some that cause ties. It is given a number
/// and a name.
fn under_every_evaluation<V: EvaluatorVisitor<Uttt>>(
    seed: u64,
    visitor: impl Fn(u64, String) -> V,
) -> Vec<V::Output> {
    let mut generator = generator(seed, Role::AgentA);
    let both = Uttt::INFO.layouts.iter().flat_map(|&layout| [(layout, false), (layout, true)]);
    let mut visit = |(number, (layout, whole))| {
        let values = random_weights(layout, whole, &mut generator);
        let visitor = visitor(number, format!("{} {values:?}", layout.name));
        Uttt::with_evaluator(layout, &values, visitor).expect("a value a slot")
    };
    (0..).zip(both).map(&mut visit).collect()
}

/// Compares searches in generation order with minimax. Counts ties, decided positions, and those where pruning saves some.
struct InGenerationOrder(u64, String);

impl EvaluatorVisitor<Uttt> for InGenerationOrder {
    type Output = [u32; 3];

    fn visit<E: Evaluator<Uttt>>(self, evaluator: E) -> [u32; 3] {
        let evaluator = Arc::new(evaluator);
        let mut seen = [0; 3];
        let found = positions(mix(700, self.0)).filter(|position| perft(position, 2) <= 250);
        for (number, position) in (0..).zip(found.take(120)) {
            let depth = 1 + number % 4;
            let context = || format!("depth {depth}, {}, {}", self.1, describe(&position));
            let fast = Minimax::new(&*evaluator).analyse(&position, depth);
            let [slow, below, everywhere] = Pruning::ALL.map(|pruning| {
                Unsorted::new(&*evaluator, pruning, Stop::NEVER).analyse(&position, depth)
            });
            for one in [&slow, &below, &everywhere] {
                assert_eq!((one.score, &one.best), (fast.score, &fast.best), "{}", context());
            }
            let all: u64 = (1..=depth).map(|plies| perft(&position, plies)).sum();
            assert_eq!(slow.nodes, all, "nodes are all positions, {}", context());
            assert!(everywhere.nodes <= below.nodes && below.nodes <= slow.nodes, "{}", context());
            seen[0] += u32::from(slow.best.len() > 1);
            seen[1] += u32::from(matches!(slow.score, Score::WIN | Score::LOSS));
            seen[2] += u32::from(fast.nodes < slow.nodes);
            let deepening = || Iterative::new(Arc::clone(&evaluator), Some(depth), None);
            let fast = deepening().search(&position, UNLIMITED);
            for pruning in Pruning::ALL {
                let slow = deepening().searching(unsorted(pruning)).search(&position, UNLIMITED);
                assert_eq!(slow.depth, fast.depth, "{}", context());
                let (slow, fast) = (&slow.analysis, &fast.analysis);
                assert_eq!((slow.score, &slow.best), (fast.score, &fast.best), "{}", context());
            }
        }
        seen
    }
}

#[test]
fn plain_searches_have_the_values_and_best_moves_of_alpha_beta() {
    let all = under_every_evaluation(3, InGenerationOrder);
    let seen = [0, 1, 2].map(|kind| all.iter().map(|seen| seen[kind]).sum::<u32>());
    assert!(seen.iter().all(|&count| count > 100), "ties, decided, pruned: {seen:?}");
}

/// Liang's program and its positions: what it sees with many is seen here with few.
#[test]
fn a_full_window_for_every_root_move_costs_several_times_the_positions() {
    let [mut sorted, mut full] = [0, 0];
    for position in positions(992).take(60) {
        let search = || Iterative::new(tables("liang-comprehensive"), Some(6), None);
        sorted += search().stepwise(true).search(&position, UNLIMITED).analysis.nodes;
        let mut search = search().searching(unsorted(Pruning::BelowRoot));
        full += search.search(&position, UNLIMITED).analysis.nodes;
    }
    assert!(full > 3 * sorted, "{sorted} sorted, {full} with full windows");
}

#[test]
fn limits_of_nodes_end_every_search() {
    let pruned = "plain:alpha_beta=true,shared_window=true,";
    for text in ["plain:", pruned, "remembering:replace=lru,hash=zobrist,"] {
        let mut agent = agent(&format!("{text}nodes=20000,weights=lifshitz-heur3"));
        let mut nodes = 0;
        for position in positions(710).take(60) {
            let choice = choice(&mut *agent, &position);
            assert!(position.is_legal(choice.mv), "{} in {}", choice.mv, describe(&position));
            // The limit is not checked in the last two plies.
            assert!(choice.nodes < 27_000, "{} nodes in {}", choice.nodes, describe(&position));
            nodes += choice.nodes;
        }
        assert!(nodes > 200_000, "{text}: {nodes}");
    }
}

/// Liang 2.5.1.
#[test]
fn a_table_of_values_changes_no_result() {
    let evaluator = tables("lifshitz-heur4");
    let cache = EvaluationCache::new(Arc::clone(&evaluator), 1);
    for position in positions(990).take(40) {
        let plain = Minimax::new(&*evaluator).stepwise().analyse(&position, 3);
        assert_eq!(plain, Minimax::new(&cache).analyse(&position, 3), "{}", describe(&position));
    }
}

/// All settings of a memory with this limit.
fn every_settings(positions: u32) -> impl Iterator<Item = MemorySettings> {
    let ways = [(false, Hashing::Full), (false, Hashing::Zobrist), (true, Hashing::Full)];
    [Replacement::KeepFirst, Replacement::Fifo].into_iter().flat_map(move |replacement| {
        ways.map(|(symmetry, hashing)| MemorySettings { replacement, positions, symmetry, hashing })
    })
}

/// Compares searches with a memory with fixed-depth minimax over a game. Returns their nodes, the last without memory.
struct WithMemory(u64, String);

impl EvaluatorVisitor<Uttt> for WithMemory {
    type Output = Vec<u64>;

    fn visit<E: Evaluator<Uttt>>(self, evaluator: E) -> Vec<u64> {
        let Self(seed, name) = self;
        if !E::OF_POSITION_ALONE {
            return vec![0; 19];
        }
        let evaluator = Arc::new(evaluator);
        let deepest = if name.starts_with("grid") { 4 } else { 4 + seed as u32 % 2 };
        let search = || Iterative::new(Arc::clone(&evaluator), Some(deepest), None);
        let settings = [1, 100, 1_000_000].into_iter().flat_map(every_settings);
        let mut searches: Vec<Iterative<Uttt, E>> =
            settings.map(|settings| search().remembering(BoundedMemory::new(settings))).collect();
        searches.push(search());
        let mut nodes = vec![0; searches.len()];
        let mut generator = generator(mix(600, seed), Role::Opening);
        let mut position = Uttt::start(Rules::all()[seed as usize % 4]);
        while position.outcome().is_none() {
            let mut by_depth = HashMap::new();
            for (number, search) in searches.iter_mut().enumerate() {
                let found = search.search(&position, UNLIMITED);
                let context = || format!("memory {number}, {name}, {}", describe(&position));
                let minimax = by_depth.entry(found.depth).or_insert_with_key(|&depth| {
                    Minimax::new(&*evaluator).analyse(&position, depth)
                });
                assert_eq!(found.analysis.score, minimax.score, "{}", context());
                assert_eq!(found.analysis.best, minimax.best, "{}", context());
                nodes[number] += found.analysis.nodes;
            }
            // One player's positions.
            for _ in 0..2 {
                if position.outcome().is_none() {
                    position.play_drawn(|count| generator.random_range(0..count));
                }
            }
        }
        nodes
    }
}

#[test]
fn no_memory_changes_values_or_best_moves() {
    let all = under_every_evaluation(7, WithMemory);
    let nodes = |number: usize| all.iter().map(|nodes| nodes[number]).sum::<u64>();
    let nodes: Vec<u64> = (0..19).map(nodes).collect();
    // One result saves little; a million save more.
    let (few, many, without) = (&nodes[..6], &nodes[12..18], nodes[18]);
    assert!(few.iter().all(|nodes| nodes.abs_diff(without) * 10 < without), "{few:?}, {without}");
    assert!(many.iter().all(|&nodes| nodes * 100 < without * 99), "{many:?}, {without}");
    // The hash does not matter. A memory that is not full is the same with both replacements.
    assert_eq!((many[0], many[3]), (many[1], many[4]));
    assert_eq!(many[..3], many[3..]);
}

#[test]
fn images_share_their_results_where_they_are_to() {
    let start = Uttt::start(Rules::default());
    let [(best, nodes), (best_of_images, fewer_nodes)] = [false, true].map(|symmetry| {
        let memory = BoundedMemory::new(MemorySettings { symmetry, ..MemorySettings::default() });
        let search = Iterative::new(tables("liang-simple"), Some(4), None).stepwise(true);
        let found = search.remembering(memory).search(&start, UNLIMITED);
        (found.analysis.best, found.analysis.nodes)
    });
    assert_eq!(best, best_of_images);
    // Of the 81 first moves, 15 are different up to symmetry.
    assert!(fewer_nodes * 4 < nodes, "{fewer_nodes} of {nodes}");
}

/// The value of a position for the player who moved last.
type ValueAfter<'e> = &'e dyn Fn(&Uttt) -> Score;

type Found = Analysis<UtttMove>;

/// Selective search by its definition.
struct Twin<'e> {
    value_after: ValueAfter<'e>,
    order: ValueAfter<'e>,
    widths: &'e Widths,
    sorting: Sorting,
    further: u32,
    /// The number of moves that were cut off.
    cut: u64,
}

impl Twin<'_> {
    /// The moves that are tried, in order.
    fn tried(&mut self, position: &Uttt, ply: u32) -> Vec<UtttMove> {
        let mut moves: Vec<UtttMove> = position.legal_moves().collect();
        let value = |mv: UtttMove| (self.order)(&position.after(mv));
        match self.sorting {
            // This sort is stable, so equal moves stay in generation order.
            Sorting::Stable => moves.sort_by_key(|&mv| -value(mv)),
            Sorting::Introsort => {
                let values = moves.iter().map(|&mv| (value(mv), mv)).collect();
                moves = self.sorting.ranked(values).into_iter().map(|(_, mv)| mv).collect();
            }
        }
        self.cut += moves.len().saturating_sub(self.widths.at(ply)) as u64;
        moves.truncate(self.widths.at(ply));
        moves
    }

    /// The value of a move for the player who makes it.
    fn value(&mut self, position: &Uttt, mv: UtttMove, ply: u32, depth: u32) -> Score {
        let after = position.after(mv);
        if after.outcome().is_some() || depth == 1 && !wins_a_board(position, mv) {
            return (self.value_after)(&after);
        }
        if depth == 1 {
            return -self.quiet(&after, self.further);
        }
        let replies = self.tried(&after, ply + 1);
        let values = replies.iter().map(|&reply| self.value(&after, reply, ply + 1, depth - 1));
        -values.max().expect("a move is tried")
    }

    /// The value for the side to move, which may stop or win another board.
    fn quiet(&self, position: &Uttt, left: u32) -> Score {
        let stop = -(self.value_after)(position);
        if left == 0 || position.outcome().is_some() {
            return stop;
        }
        let loud = position.legal_moves().filter(|&mv| wins_a_board(position, mv));
        loud.map(|mv| -self.quiet(&position.after(mv), left - 1)).fold(stop, Score::max)
    }

    fn analyse(&mut self, position: &Uttt, depth: u32) -> (Score, Vec<UtttMove>) {
        let tried = self.tried(position, 0);
        best_of(position, |mv| match tried.contains(&mv) {
            true => self.value(position, mv, 0, depth),
            false => Score::LOSS.previous(),
        })
    }
}

/// Whether a move wins a small board.
fn wins_a_board(position: &Uttt, mv: UtttMove) -> bool {
    let side = position.side_to_move();
    position.after(mv).won(side) != position.won(side)
}

/// Compares selective searches under one evaluation with their twin. Returns how many positions had ties, were decided, had moves
/// that were cut off, had another result than full minimax, and had one because of quiescence search.
struct Sorted(u64, String);

impl EvaluatorVisitor<Uttt> for Sorted {
    type Output = [u64; 5];

    fn visit<E: Evaluator<Uttt>>(self, evaluator: E) -> [u64; 5] {
        // The twin evaluates positions from scratch.
        if !E::OF_POSITION_ALONE {
            return [0; 5];
        }
        // Moves are sorted by another evaluation, and every third time by the same one.
        if self.0.is_multiple_of(3) {
            return compare_sorted(&self, &evaluator, &evaluator);
        }
        let order = ["connecting", "simple", "heur3", "grid"][self.0 as usize % 4];
        let layout = tictune::weights::find_layout(Uttt::INFO, order).expect("an evaluation");
        let values = random_weights(layout, true, &mut generator(self.0, Role::AgentB));
        let inner = WithOrder { sorted: &self, evaluator: &evaluator };
        Uttt::with_evaluator(layout, &values, inner).expect("a value a slot")
    }
}

struct WithOrder<'s, E> {
    sorted: &'s Sorted,
    evaluator: &'s E,
}

impl<E: Evaluator<Uttt>> EvaluatorVisitor<Uttt> for WithOrder<'_, E> {
    type Output = [u64; 5];

    fn visit<O: Evaluator<Uttt>>(self, order: O) -> [u64; 5] {
        compare_sorted(self.sorted, self.evaluator, &order)
    }
}

fn compare_sorted<E: Evaluator<Uttt>, O: Evaluator<Uttt>>(
    sorted: &Sorted,
    evaluator: &E,
    order: &O,
) -> [u64; 5] {
    let stop = Stop::NEVER;
    let selective = |position: &Uttt, widths: &Widths, sorting, quiescence, depth| {
        Selective { evaluator, order, widths, sorting, quiescence, stop }.analyse(position, depth)
    };
    let full = |position: &Uttt, depth| Minimax::new(evaluator).analyse(position, depth);
    let values: [ValueAfter<'_>; 2] =
        [&|after| -crate::value(evaluator, after, 0), &|after| -crate::value(order, after, 0)];
    compare_with_twin(sorted, values, &selective, &full)
}

/// Not generic over the evaluators, so that it is compiled once.
fn compare_with_twin(
    Sorted(seed, name): &Sorted,
    [value_after, order]: [ValueAfter<'_>; 2],
    selective: &dyn Fn(&Uttt, &Widths, Sorting, u32, u32) -> Found,
    full: &dyn Fn(&Uttt, u32) -> Found,
) -> [u64; 5] {
    const LISTS: [&str; 7] =
        ["all", "papadam", "2", "5,3,all,2", "all,all,1", "all,4,4,4,1", "7,all,3"];
    let mut seen = [0; 5];
    let calm = |position: &Uttt| (1..=3).all(|plies| perft(position, plies) <= 2000);
    for (number, position) in (0..).zip(positions(mix(950, *seed)).filter(calm).take(98)) {
        let widths = Widths::try_from(LISTS[number % LISTS.len()].to_string()).expect("widths");
        let depth = 1 + number as u32 % 5;
        let sorting = [Sorting::Stable, Sorting::Introsort][number / LISTS.len() % 2];
        let further = if depth <= 3 { number as u32 / 2 % 6 } else { 0 };
        let mut twin = Twin { value_after, order, widths: &widths, sorting, further, cut: 0 };
        let (score, best) = twin.analyse(&position, depth);
        let cut = twin.cut;
        let context =
            || format!("depth {depth} + {further}, {name}, {widths}, {}", describe(&position));
        let found = selective(&position, &widths, sorting, further, depth);
        assert_eq!(found.score, score, "value, {}", context());
        assert_eq!(found.best.as_slice(), best, "best moves, {}", context());
        let full = full(&position, depth);
        if widths == Widths::all() && further == 0 {
            assert_eq!((score, best.as_slice()), (full.score, &full.best[..]), "{}", context());
        }
        seen[0] += u64::from(best.len() > 1);
        seen[1] += u64::from(matches!(score, Score::WIN | Score::LOSS));
        seen[2] += u64::from(cut > 0);
        seen[3] += u64::from(full.score != score);
        seen[4] += u64::from(full.score != score && widths == Widths::all());
    }
    seen
}

#[test]
fn selective_searches_have_the_values_of_plain_minimax_over_the_moves_tried() {
    let all = under_every_evaluation(11, Sorted);
    let seen = [0, 1, 2, 3, 4].map(|kind| all.iter().map(|seen| seen[kind]).sum::<u64>());
    let [ties, decided, cut, others, by_quiescence] = seen;
    let least = ties.min(decided).min(cut).min(others);
    assert!(least > 100 && by_quiescence > 5, "{seen:?}");
}

#[test]
fn one_move_a_ply_is_a_line_and_fewer_moves_are_fewer_positions() {
    let nodes = |keys: &str| {
        let mut agent = agent(&format!("selective:depth=6,weights=liang-comprehensive,{keys}"));
        positions(970).take(30).map(|position| choice(&mut *agent, &position).nodes).sum::<u64>()
    };
    let [sorted, papadam, narrow, line] =
        ["widths=all", "widths=papadam", "widths=3", "widths=1"].map(nodes);
    assert!(narrow < papadam && papadam < sorted, "{narrow}, {papadam}, {sorted}");
    assert!(line <= 30 * 6, "{line}");
}
