//! Expectimax compared with a slow and simple implementation: exact fractions, and evaluation from scratch.

use std::cmp::Ordering;
use std::sync::Arc;

use tictune::game::{Evaluator, Game, Outcome, Player, Position, Searchable, perft};
use tictune::games::Qubic;
use tictune::games::uttt::evaluation::SquareTables;
use tictune::games::uttt::square::SquareSymmetry;
use tictune::games::uttt::{Rules, Uttt, UtttMove};
use tictune::search::Expectimax;
use tictune::search::expectimax::{DEFAULT_WIN, Expectation};
use tictune::seed::{Role, generator};
use tictune::weights::Weights;

use crate::positions::{describe, positions};
use crate::{agent, choice, random_tables};

/// A fraction in lowest terms, with a denominator above 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Fraction {
    numerator: i128,
    denominator: i128,
}

impl Fraction {
    fn new(numerator: i128, denominator: i128) -> Self {
        let (mut a, mut b) = (numerator.abs(), denominator);
        while b != 0 {
            (a, b) = (b, a % b);
        }
        Self { numerator: numerator / a, denominator: denominator / a }
    }

    /// `None` if a number grows beyond 127 bits.
    fn plus(self, other: Self) -> Option<Self> {
        let left = self.numerator.checked_mul(other.denominator)?;
        let right = other.numerator.checked_mul(self.denominator)?;
        let denominator = self.denominator.checked_mul(other.denominator)?;
        Some(Self::new(left.checked_add(right)?, denominator))
    }

    fn over(self, count: i128) -> Option<Self> {
        Some(Self::new(self.numerator, self.denominator.checked_mul(count)?))
    }

    fn to_f64(self) -> f64 {
        self.numerator as f64 / self.denominator as f64
    }

    /// Compares by the difference, whose numerator fits wherever sums do.
    fn compare(self, other: Self) -> Option<Ordering> {
        let negative = Self { numerator: -other.numerator, ..other };
        Some(self.plus(negative)?.numerator.cmp(&0))
    }
}

/// Expectimax by its definition.
struct Twin<'e, E> {
    evaluator: &'e E,
    /// The value of a won game in scores.
    win: i128,
    own: Player,
    /// The most replies in any average.
    most_replies: usize,
}

impl<E: Evaluator<Uttt>> Twin<'_, E> {
    fn value(&mut self, position: &Uttt, depth: u32) -> Option<Fraction> {
        let whole = |value: i128| Some(Fraction::new(value, 1));
        match position.outcome() {
            Some(Outcome::Draw) => return whole(0),
            Some(Outcome::Win(winner)) if winner == self.own => return whole(self.win),
            Some(Outcome::Win(_)) => return whole(-self.win),
            None => {}
        }
        if depth == 0 {
            let state = self.evaluator.state(position);
            return whole(self.evaluator.score(&state, position).seen_by(self.own).0.into());
        }
        let values: Vec<Fraction> = position
            .legal_moves()
            .map(|mv| self.value(&position.after(mv), depth - 1))
            .collect::<Option<_>>()?;
        if position.side_to_move() == self.own {
            greatest(&values)
        } else {
            self.most_replies = self.most_replies.max(values.len());
            let sum = values.iter().try_fold(Fraction::new(0, 1), |sum, &value| sum.plus(value))?;
            sum.over(values.len() as i128)
        }
    }
}

fn greatest(values: &[Fraction]) -> Option<Fraction> {
    let mut greatest = values[0];
    for &value in &values[1..] {
        if value.compare(greatest)? == Ordering::Greater {
            greatest = value;
        }
    }
    Some(greatest)
}

fn analyse(evaluator: &SquareTables, position: &Uttt, depth: u32) -> Expectation<UtttMove> {
    Expectimax::new(evaluator, DEFAULT_WIN).analyse(position, depth)
}

/// Weights whose scores are integers times a power of two, and other weights.
fn evaluators() -> Vec<(String, Arc<SquareTables>)> {
    let mut generator = generator(5, Role::AgentA);
    let mut both = random_tables(true, &mut generator);
    both.extend(random_tables(false, &mut generator));
    both
}

#[test]
fn values_and_best_moves_are_those_of_exact_fractions() {
    let (mut exact, mut rounded, mut ties, mut won) = (0, 0, 0, 0);
    for (index, (name, evaluator)) in (0..).zip(&evaluators()) {
        // Depth 6 has three replies and is for late positions.
        for (depth, count) in [(1, 40), (2, 60), (3, 40), (4, 40), (5, 10), (6, 10)] {
            let small = |position: &Uttt| (1..=depth).all(|plies| perft(position, plies) <= 15_000);
            for position in positions(800 + index).filter(small).take(count) {
                let context = || format!("depth {depth}, {name}, {}", describe(&position));
                let scale = evaluator.scale();
                let own = position.side_to_move();
                let win = (DEFAULT_WIN * scale) as i128;
                let mut twin = Twin { evaluator: &**evaluator, win, own, most_replies: 0 };
                let moves: Vec<UtttMove> = position.legal_moves().collect();
                let values: Option<Vec<Fraction>> =
                    moves.iter().map(|&mv| twin.value(&position.after(mv), depth - 1)).collect();
                let Some(values) = values else { continue };
                let Some(best) = greatest(&values) else { continue };
                let found = analyse(evaluator, &position, depth);
                let all: u64 = (1..=depth).map(|plies| perft(&position, plies)).sum();
                assert_eq!(found.nodes, all, "nodes, {}", context());
                let expected = best.to_f64() / scale;
                let error = (found.value - expected).abs();
                assert!(
                    error <= 1e-12 * expected.abs().max(1.0),
                    "value {} instead of {expected}, {}",
                    found.value,
                    context()
                );
                let with = |accept: &dyn Fn(Fraction) -> bool| -> Vec<UtttMove> {
                    let both = moves.iter().zip(&values);
                    both.filter(|&(_, &value)| accept(value)).map(|(&mv, _)| mv).collect()
                };
                if twin.most_replies <= 10 {
                    let expected = with(&|value| value == best);
                    assert_eq!(found.best.as_slice(), expected, "best moves, {}", context());
                    exact += 1;
                    ties += u32::from(expected.len() > 1);
                    won += u32::from(found.value == DEFAULT_WIN);
                } else {
                    let near = with(&|value| best.to_f64() - value.to_f64() < 1e-6);
                    let among = found.best.iter().all(|mv| near.contains(mv));
                    assert!(among && !found.best.is_empty(), "best moves, {}", context());
                    rounded += 1;
                }
            }
        }
    }
    let least = exact.min(rounded).min(ties).min(won);
    assert!(least > 100, "exact {exact}, rounded {rounded}, ties {ties}, won {won}");
}

#[test]
fn images_of_a_position_have_the_same_value_and_the_images_of_its_best_moves() {
    let mut choices = 0;
    for (index, (name, evaluator)) in evaluators().iter().enumerate() {
        // Averages over many replies, which are rounded.
        let wide = |position: &Uttt| {
            position.legal_move_count() > 10
                && (1..=4).all(|plies| perft(position, plies) <= 150_000)
        };
        for position in positions(900 + index as u64).filter(wide).take(3) {
            let found = analyse(evaluator, &position, 4);
            for symmetry in SquareSymmetry::ALL {
                let image = analyse(evaluator, &position.map(symmetry), 4);
                let mut best: Vec<UtttMove> =
                    found.best.iter().map(|mv| mv.map(symmetry)).collect();
                best.sort_unstable();
                let context = || format!("{symmetry:?}, {name}, {}", describe(&position));
                assert_eq!(image.value.to_bits(), found.value.to_bits(), "{}", context());
                assert_eq!(image.best.as_slice(), best, "{}", context());
            }
            choices += found.best.len();
        }
    }
    assert!(choices > 20, "{choices}");
}

#[test]
fn a_win_is_above_every_value_of_the_built_in_weights() {
    fn check<P: Game>() {
        for name in P::INFO.vectors.iter().map(|vector| vector.name) {
            let greatest = Weights::builtin::<P>(name).expect("a built-in name").greatest_value();
            assert!(greatest < DEFAULT_WIN, "{name} reaches {greatest}");
        }
    }
    check::<Uttt>();
    check::<Qubic>();
}

#[test]
fn the_value_of_a_win_decides_what_is_risked_for_it() {
    let spec = |win: &str| agent(&format!("expectimax:depth=2,{win}weights=lifshitz-heur1"));
    let mut agents = [spec(""), spec("win=0.5,")];
    let risks = |position: &Uttt, mv: UtttMove| position.after(mv).winning_move().is_some();
    let mut risked = [0, 0];
    // Under other rules a move can lose the game at once.
    let calm =
        |position: &Uttt| position.rules() == Rules::default() && position.winning_move().is_none();
    for position in positions(830).filter(calm).take(1500) {
        if position.legal_moves().all(|mv| risks(&position, mv)) {
            continue;
        }
        for (count, agent) in risked.iter_mut().zip(&mut agents) {
            *count += u32::from(risks(&position, choice(&mut **agent, &position).mv));
        }
    }
    // If a loss costs 10000, a risk of one in nine is never worth a board. If it costs half a board, it is.
    assert!(risked[0] == 0 && risked[1] > 50, "{risked:?}");
}

#[test]
fn a_finished_game_has_its_value_and_no_best_move() {
    let (_, evaluator) = &evaluators()[0];
    for position in positions(840).take(300) {
        let Some(mv) = position.winning_move() else { continue };
        let found = analyse(evaluator, &position.after(mv), 3);
        assert!(found.best.is_empty() && found.nodes == 0);
        assert_eq!(found.value, -DEFAULT_WIN);
    }
    let beyond =
        Expectimax::new(&**evaluator, f64::MAX).analyse(&positions(841).next().expect("one"), 2);
    assert!(beyond.value.is_finite());
}
