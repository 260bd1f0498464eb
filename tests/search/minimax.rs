//! Minimax compared with a slow and simple implementation without pruning, move order or
//! incremental evaluation. The value and the set of best moves must be the same in every phase of
//! the game, with weights that cause many ties and with weights that cause none.

use rand::RngExt;
use tictune::game::{
    Blank, Evaluator, Game, NoRules, Outcome, Position, Score, Searchable, WeightLayout, perft,
};
use tictune::games::qubic::Qubic;
use tictune::games::qubic::evaluation::LineTables;
use tictune::games::uttt::evaluation::{SquareTables, is_sum_over_squares};
use tictune::games::uttt::{Rules, Uttt, UtttMove};
use tictune::search::{Analysis, Minimax, TieBreak};
use tictune::seed::{Generator, Role, generator, mix};
use tictune::weights::Weights;

use crate::{in_notation, plain_minimax, random_weights, tables};

/// A game whose searches are compared.
trait Compared: Game {
    /// Its evaluator.
    type Tables: Evaluator<Self>;

    fn tables(layout: &'static WeightLayout, values: &[f64]) -> Self::Tables;

    /// Whether this evaluator supports the layout.
    fn is_compared(layout: &WeightLayout) -> bool {
        layout.game == Self::INFO.name
    }

    /// A position of a random game that is not over. All variants of the rules and all phases of
    /// the game are equally likely.
    fn random(generator: &mut Generator) -> Self;
}

impl Compared for Uttt {
    type Tables = SquareTables;

    fn tables(layout: &'static WeightLayout, values: &[f64]) -> SquareTables {
        SquareTables::new(layout, values).expect("one finite value a slot")
    }

    fn is_compared(layout: &WeightLayout) -> bool {
        is_sum_over_squares(layout)
    }

    fn random(generator: &mut Generator) -> Self {
        let rules = Rules::all()[generator.random_range(0..4_u32) as usize];
        random_position(rules, generator)
    }
}

impl Compared for Qubic {
    type Tables = LineTables;

    fn tables(layout: &'static WeightLayout, values: &[f64]) -> LineTables {
        LineTables::new(layout, values).expect("one finite value a slot")
    }

    fn random(generator: &mut Generator) -> Self {
        if generator.random_range(0..2_u32) == 0 {
            return random_position(NoRules, generator);
        }
        // Random play alone rarely reaches late positions.
        let plies = generator.random_range(20..64_u32) as usize;
        let moves = tictune::games::testing::drawn_game(generator);
        moves[..plies].iter().fold(Self::start(NoRules), |position, &mv| position.after(mv))
    }
}

/// An evaluator and its name in messages.
struct Case<P: Compared> {
    name: String,
    evaluator: P::Tables,
}

/// All published weights, and for each evaluation: random weights, integers so small that most moves tie, and zeros.
fn cases<P: Compared>() -> Vec<Case<P>> {
    let case = |name: &str, layout: &'static WeightLayout, values: &[f64]| Case {
        name: format!("{} evaluation, weights {name} {values:?}", layout.name),
        evaluator: P::tables(layout, values),
    };
    let mut cases = Vec::new();
    for name in P::INFO.vectors.iter().map(|vector| vector.name) {
        let weights = Weights::builtin::<P>(name).expect("a built-in name");
        if P::is_compared(weights.layout()) {
            cases.push(case(name, weights.layout(), weights.values()));
        }
    }
    let mut generator = generator(1, Role::AgentA);
    for &layout in P::INFO.layouts.iter().filter(|layout| P::is_compared(layout)) {
        for whole in [false, true] {
            let values = random_weights(layout, whole, &mut generator);
            cases.push(case("random", layout, &values));
        }
        cases.push(case("zero", layout, &vec![0.0; layout.len()]));
    }
    cases
}

/// A position of a random game that is not over.
fn random_position<P: Searchable>(rules: P::Rules, generator: &mut Generator) -> P {
    loop {
        let mut position = P::start(rules);
        for _ in 0..generator.random_range(0..P::MAX_PLIES - 6) {
            if position.outcome().is_none() {
                position.play_drawn(|count| generator.random_range(0..count));
            }
        }
        if position.outcome().is_none() {
            return position;
        }
    }
}

/// Describes a comparison in the message of its failure.
fn describe<P: Position>(position: &P, depth: u32, name: &str) -> String {
    let notation = position.notation();
    format!("depth {depth}, {name}\nrules {}, \"{notation}\"\n{position}", position.rules())
}

/// How often values of each kind occurred.
#[derive(Debug, Default)]
struct Seen {
    won: u64,
    lost: u64,
    tied: u64,
    unique: u64,
}

#[test]
fn value_and_best_moves_are_those_of_plain_minimax() {
    let positions = [6_000, 6_000, 4_000, 2_000, 1_000, 100, 70];
    let sequences = [1_000, 10_000, 20_000, 40_000, 60_000, 80_000, 80_000];
    compare_with_plain_minimax::<Uttt>(50, positions, sequences);
}

#[test]
fn value_and_best_moves_of_qubic_are_those_of_plain_minimax() {
    let positions = [2_000, 1_000, 100, 50, 50, 50, 50];
    let sequences = [1_000, 10_000, 200_000, 200_000, 100_000, 80_000, 80_000];
    compare_with_plain_minimax::<Qubic>(100, positions, sequences);
}

/// Compares depths from 1 on so many random positions, from which plain minimax may visit at most so many sequences of moves;
/// deep searches are for late positions, where games end within the depth. At least one position in `one_in` must be won, tied,
/// and neither.
fn compare_with_plain_minimax<P: Compared>(one_in: u64, positions: [u64; 7], sequences: [u64; 7]) {
    let cases = cases::<P>();
    for (depth, (positions, most)) in (1..).zip(positions.into_iter().zip(sequences)) {
        // A search may keep information. One for each case is used for all positions.
        let mut seasoned: Vec<_> = cases.iter().map(|case| Minimax::new(&case.evaluator)).collect();
        let mut seen = Seen::default();
        for number in 0..positions {
            let mut generator = generator(mix(u64::from(depth), number), Role::Opening);
            let position = loop {
                let position = P::random(&mut generator);
                // Depth by depth, so that early positions are rejected quickly.
                if (1..=depth).all(|plies| perft(&position, plies) <= most) {
                    break position;
                }
            };
            let index = generator.random_range(0..cases.len() as u32) as usize;
            let Case { name, evaluator } = &cases[index];
            let (score, best) = plain_minimax(evaluator, &position, depth);
            let context = || describe(&position, depth, name);
            // A fresh search, and one that was used before.
            for analysis in [
                Minimax::new(evaluator).analyse(&position, depth),
                seasoned[index].analyse(&position, depth),
            ] {
                assert_eq!(analysis.score, score, "value of {}", context());
                assert!(
                    analysis.best.as_slice() == best,
                    "best moves {}, not {}, of {}",
                    in_notation(&analysis.best),
                    in_notation(&best),
                    context()
                );
                assert!(analysis.nodes >= position.legal_move_count() as u64, "{}", context());
            }
            match score {
                Score::WIN => seen.won += 1,
                Score::LOSS => seen.lost += 1,
                _ if best.len() > 1 => seen.tied += 1,
                _ => seen.unique += 1,
            }
        }
        let enough = seen.won.min(seen.tied).min(seen.unique) >= positions / one_in
            && (depth == 1 || seen.lost >= positions / 200);
        assert!(enough, "too few of a kind at depth {depth}: {seen:?}");
    }
}

#[test]
fn a_finished_game_has_the_value_of_its_outcome_and_no_best_move() {
    for seed in 0..200 {
        let mut generator = generator(mix(60, seed), Role::Opening);
        let mut position = Uttt::start(Rules::all()[seed as usize % 4]);
        while position.outcome().is_none() {
            position.play_drawn(|count| generator.random_range(0..count));
        }
        let outcome = position.outcome().expect("the game is over");
        let found = Minimax::new(&Blank).analyse(&position, 3);
        let context = describe(&position, 3, "blank");
        assert_eq!(found.score, Score::of_outcome(outcome, position.side_to_move()), "{context}");
        assert!(found.best.is_empty() && found.nodes == 0, "{found:?}: {context}");
    }
}

#[test]
#[should_panic(expected = "a depth of 0 plies")]
fn a_search_of_no_plies_is_refused() {
    let _ = Minimax::new(&Blank).analyse(&Uttt::start(Rules::default()), 0);
}

fn wins_at_once(position: &Uttt, mv: UtttMove) -> bool {
    position.after(mv).outcome() == Some(Outcome::Win(position.side_to_move()))
}

/// Only variants of the rules have such moves. A drawn board that counts for both players can
/// complete the opponent's line, and when the last board is closed the opponent can have won more boards.
fn loses_at_once(position: &Uttt, mv: UtttMove) -> bool {
    position.after(mv).outcome() == Some(Outcome::Win(position.side_to_move().other()))
}

/// Whether the game is drawn or not over after the move and any reply to it.
fn holds_for_a_move(position: &Uttt, mv: UtttMove) -> bool {
    let after = position.after(mv);
    !loses_at_once(position, mv) && !after.legal_moves().any(|reply| wins_at_once(&after, reply))
}

/// The moves that may be played (DESIGN, "Liang's setting", points 3 and 4).
fn allowed_choices(position: &Uttt, analysis: &Analysis<UtttMove>) -> Vec<UtttMove> {
    let mut moves = position.legal_moves();
    let forced = match analysis.score {
        Score::WIN => moves.find(|&mv| wins_at_once(position, mv)),
        Score::LOSS => moves.find(|&mv| holds_for_a_move(position, mv)),
        _ => None,
    };
    forced.map_or_else(|| analysis.best.to_vec(), |mv| vec![mv])
}

/// Chooses in late positions and compares. Returns the numbers of won and of lost positions with a forced choice.
fn compare_choices(positions: u64, seed: u64, wanted: impl Fn(&Uttt) -> bool) -> (u64, u64) {
    let cases = cases::<Uttt>();
    let (mut wins, mut losses) = (0, 0);
    for number in 0..positions {
        let mut generator = generator(mix(seed, number), Role::Opening);
        let position = Uttt::random(&mut generator);
        if !wanted(&position) {
            continue;
        }
        let depth = generator.random_range(1..=4);
        let index = generator.random_range(0..cases.len() as u32) as usize;
        let analysis = Minimax::new(&cases[index].evaluator).analyse(&position, depth);
        let allowed = allowed_choices(&position, &analysis);
        let forced = allowed.len() == 1 && analysis.best.len() > 1;
        wins += u64::from(forced && analysis.score == Score::WIN);
        losses += u64::from(forced && analysis.score == Score::LOSS);
        for _ in 0..3 {
            let mv = TieBreak::Random.choose(&position, &analysis, &mut generator);
            let context = || describe(&position, depth, &cases[index].name);
            assert!(allowed.contains(&mv), "{mv}, {analysis:?}, {}", context());
        }
    }
    (wins, losses)
}

#[test]
fn a_won_game_is_won_at_once_and_a_lost_one_drawn_out() {
    let nothing_loses_at_once =
        |position: &Uttt| !position.legal_moves().any(|mv| loses_at_once(position, mv));
    let (wins, losses) = compare_choices(300_000, 70, nothing_loses_at_once);
    assert!(wins > 500 && losses > 500, "{wins} wins and {losses} losses with a forced choice");
}

#[test]
fn a_lost_game_is_not_ended_by_the_loser() {
    // Whatever o plays, x wins within four plies. s(3, 1) draws b(1, 0), which then counts for x
    // too and completes the top row, so the game is over. s(3, 8) at least leaves x no immediate win.
    let notation =
        "ooxxxo3/oxx1xxxxx/xooxooo2/xooxoooo1/xx1ooxoox/1oxxxoo1o/xxoxxooox/1oo1xxxo1/1ox3x1x o -";
    let rules = Rules::all()[1];
    let position = Uttt::from_notation(notation, rules).expect("the position reads");
    let analysis = Minimax::new(&*tables("liang-simple")).analyse(&position, 4);
    let mv = TieBreak::Random.choose(&position, &analysis, &mut generator(0, Role::AgentA));
    assert!(!loses_at_once(&position, mv), "{mv} ends the game as lost; {analysis:?}");
    let something_loses_at_once =
        |position: &Uttt| position.legal_moves().any(|mv| loses_at_once(position, mv));
    let (_, losses) = compare_choices(100_000, 71, something_loses_at_once);
    assert!(losses > 5, "{losses} losses with a forced choice");
}

#[test]
fn equal_moves_are_chosen_equally_often() {
    let start = Uttt::start(Rules::default());
    // At depth one no board can be won, so all 81 moves are equal.
    let analysis = Minimax::new(&*tables("liang-simple")).analyse(&start, 1);
    assert_eq!(analysis.best.len(), 81, "{analysis:?}");
    let mut counts = [0_u32; 81];
    let mut generator = generator(80, Role::AgentB);
    for _ in 0..81 * 400 {
        counts[TieBreak::Random.choose(&start, &analysis, &mut generator).index()] += 1;
    }
    // 400 expected, standard deviation 20.
    assert!(counts.iter().all(|count| (300..500).contains(count)), "{counts:?}");
}
