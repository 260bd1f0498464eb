//! Forward pruning compared with a slow and simple implementation: plain minimax over moves that
//! are sorted and cut off in the same way.

use std::path::Path;

use rand::RngExt;
use tictune::agent::Turn;
use tictune::game::{Evaluator, EvaluatorVisitor, Game, Position, Score, WeightLayout, perft};
use tictune::games::uttt::{Uttt, UtttMove};
use tictune::papers::searches::selective::{Selective, Sorting, Widths};
use tictune::search::Minimax;
use tictune::seed::{Role, generator, mix};
use tictune::weights::find_layout;
use tictune::{Agents, BuiltInKinds};

use crate::positions::{describe, positions};

/// The search by its definition.
struct Twin<'e, E, O> {
    evaluator: &'e E,
    order: &'e O,
    widths: &'e Widths,
    sorting: Sorting,
    /// The number of moves that were cut off.
    cut: u64,
}

/// The value of a position by an evaluator, for the player who moved last.
fn after_move<E: Evaluator<Uttt>>(evaluator: &E, after: &Uttt) -> Score {
    let mover = after.side_to_move().other();
    match after.outcome() {
        Some(outcome) => Score::of_outcome(outcome, mover),
        None => evaluator.score(&evaluator.state(after), after).seen_by(mover),
    }
}

impl<E: Evaluator<Uttt>, O: Evaluator<Uttt>> Twin<'_, E, O> {
    /// The moves that are tried, in order.
    fn tried(&mut self, position: &Uttt, ply: u32) -> Vec<UtttMove> {
        let mut moves: Vec<UtttMove> = position.legal_moves().collect();
        let value = |mv: UtttMove| after_move(self.order, &position.after(mv));
        match self.sorting {
            // This sort is stable, so equal moves stay in generation order.
            Sorting::Stable => moves.sort_by_key(|&mv| -value(mv)),
            Sorting::Introsort => {
                let values = moves.iter().map(|&mv| (value(mv), mv)).collect();
                let ranked = self.sorting.ranked(values);
                moves = ranked.into_iter().map(|(_, mv)| mv).collect();
            }
        }
        self.cut += moves.len().saturating_sub(self.widths.at(ply)) as u64;
        moves.truncate(self.widths.at(ply));
        moves
    }

    /// The value of a move for the player who makes it.
    fn value(&mut self, position: &Uttt, mv: UtttMove, ply: u32, depth: u32) -> Score {
        let after = position.after(mv);
        if depth == 1 || after.outcome().is_some() {
            return after_move(self.evaluator, &after);
        }
        let replies = self.tried(&after, ply + 1);
        let values = replies.iter().map(|&reply| self.value(&after, reply, ply + 1, depth - 1));
        -values.max().expect("a move is tried")
    }

    fn analyse(&mut self, position: &Uttt, depth: u32) -> (Score, Vec<UtttMove>) {
        let mut values: Vec<(UtttMove, Score)> = Vec::new();
        for mv in self.tried(position, 0) {
            values.push((mv, self.value(position, mv, 0, depth)));
        }
        let best = values.iter().map(|&(_, value)| value).max().expect("a move is tried");
        values.retain(|&(_, value)| value == best);
        let mut moves: Vec<UtttMove> = values.into_iter().map(|(mv, _)| mv).collect();
        moves.sort_unstable();
        (best, moves)
    }
}

/// Two evaluations by name, with random weights.
struct Pair {
    names: [&'static str; 2],
    seed: u64,
}

impl Pair {
    fn values(&self, which: usize) -> (&'static WeightLayout, Vec<f64>) {
        let layout = find_layout(Uttt::INFO, self.names[which]).expect("an evaluation");
        let mut generator = generator(mix(self.seed, which as u64), Role::AgentA);
        // Small integers cause ties, which the order must break in the same way.
        let value = |x: f64| if self.seed.is_multiple_of(2) { x } else { (2.4 * x).round() };
        let values = (0..layout.len()).map(|_| value(generator.random_range(-1.0..1.0))).collect();
        (layout, values)
    }
}

impl EvaluatorVisitor<Uttt> for &Pair {
    type Output = [u64; 4];

    fn visit<E: Evaluator<Uttt>>(self, evaluator: E) -> [u64; 4] {
        let (layout, values) = self.values(1);
        let inner = WithOrder { pair: self, evaluator };
        Uttt::with_evaluator(layout, &values, inner).expect("a value a slot")
    }
}

struct WithOrder<'p, E> {
    pair: &'p Pair,
    evaluator: E,
}

impl<E: Evaluator<Uttt>> EvaluatorVisitor<Uttt> for WithOrder<'_, E> {
    type Output = [u64; 4];

    /// Compares on random positions. Returns how many had ties, were decided, contained losing moves,
    /// and had another result than full minimax.
    fn visit<O: Evaluator<Uttt>>(self, order: O) -> [u64; 4] {
        let Self { pair, evaluator } = self;
        let mut seen = [0; 4];
        let lists = ["all", "papadam", "2", "5,3,all,2", "all,all,1", "all,4,4,4,1", "7,all,3"];
        let widths: Vec<Widths> = lists.iter().map(|list| list.parse().expect("widths")).collect();
        let calm = |position: &Uttt| (1..=3).all(|plies| perft(position, plies) <= 2000);
        let positions = positions(mix(950, pair.seed)).filter(calm).take(70);
        let widths_count = widths.len();
        for (number, position) in (0..).zip(positions) {
            let widths = &widths[number % widths.len()];
            let depth = 1 + number as u32 % 5;
            let context =
                || format!("depth {depth}, {:?}, {widths}, {}", pair.names, describe(&position));
            let (evaluator, order) = (&evaluator, &order);
            let sorting = [Sorting::Stable, Sorting::Introsort][number / widths_count % 2];
            let mut twin = Twin { evaluator, order, widths, sorting, cut: 0 };
            let (score, best) = twin.analyse(&position, depth);
            let search = Selective::new(evaluator, order, widths);
            let found = search.sorting(sorting).analyse(&position, depth);
            assert_eq!(found.score, score, "value, {}", context());
            assert_eq!(found.best.as_slice(), best, "best moves, {}", context());
            let full = Minimax::new(evaluator).analyse(&position, depth);
            if *widths == Widths::all() {
                assert_eq!((score, best.as_slice()), (full.score, &full.best[..]), "{}", context());
            }
            seen[0] += u64::from(best.len() > 1);
            seen[1] += u64::from(matches!(score, Score::WIN | Score::LOSS));
            seen[2] += u64::from(twin.cut > 0);
            seen[3] += u64::from(full.score != score);
        }
        seen
    }
}

#[test]
fn values_and_best_moves_are_those_of_plain_minimax_over_the_moves_tried() {
    let mut seen = [0; 4];
    let evaluations = ["comprehensive", "connecting", "simple", "heur3", "heur4", "grid"];
    let pairs =
        evaluations.iter().flat_map(|own| evaluations.iter().map(move |order| [*own, *order]));
    for (seed, names) in (0..).zip(pairs) {
        let pair = Pair { names, seed };
        let (layout, values) = pair.values(0);
        let found = Uttt::with_evaluator(layout, &values, &pair).expect("a value a slot");
        seen.iter_mut().zip(found).for_each(|(sum, count)| *sum += count);
    }
    assert!(seen.iter().all(|&n| n > 100), "ties, decided, cut off, other values: {seen:?}");
}

#[test]
fn one_move_a_ply_is_a_line() {
    let spec = |text: &str| {
        let spec =
            Agents::<Uttt>::of::<BuiltInKinds>().parse(text, Path::new("")).expect("a valid agent");
        Agents::<Uttt>::of::<BuiltInKinds>().prepare(&spec).expect("a valid agent")
    };
    let line = spec("selective:depth=6,widths=1,weights=liang-default");
    let sorted = spec("selective:depth=1,widths=1,order=liang-default,weights=lifshitz-heur1");
    let mut same = 0;
    for position in positions(960).take(200) {
        let choose = |agent: &tictune::agent::AgentFactory<Uttt>| {
            agent.spawn(1).choose(&Turn::new(&position)).expect("a move")
        };
        let (line, sorted) = (choose(&line), choose(&sorted));
        assert!(line.nodes <= 6, "{} nodes", line.nodes);
        // Both try the first move by the same order, but play won and lost games differently.
        same += u32::from(line.mv == sorted.mv);
    }
    assert!(same > 150, "{same}");
}

#[test]
fn sorting_and_forward_pruning_save_positions() {
    let nodes = |keys: &str| {
        let text = format!("selective:depth=6,weights=liang-comprehensive{keys}");
        let spec = Agents::<Uttt>::of::<BuiltInKinds>()
            .parse(&text, Path::new(""))
            .expect("a valid agent");
        let factory = Agents::<Uttt>::of::<BuiltInKinds>().prepare(&spec).expect("a valid agent");
        let choose =
            |position: Uttt| factory.spawn(1).choose(&Turn::new(&position)).expect("a move").nodes;
        positions(970).take(30).map(choose).sum::<u64>()
    };
    let [sorted, papadam, narrow] = [",widths=all", ",widths=papadam", ",widths=3"].map(nodes);
    assert!(narrow < papadam && papadam < sorted, "{narrow}, {papadam}, {sorted}");
}
