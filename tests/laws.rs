//! The laws of positions and evaluations, on random play.
//!
//! One suite for every game: a game joins it with an implementation of [`Lawful`], which names the few
//! things that the suite needs and the crate's traits do not offer, and one line of `laws_of!`. The
//! second half of the file holds laws that only Ultimate Tic-Tac-Toe has, among them its evaluation
//! against a slow and obvious twin.
//!
//! Every game is a function of the seed that a failed law prints.

use std::array::from_fn;
use std::collections::{HashMap, HashSet};
use std::fmt;

use rand::RngExt;
use tictune::eval::{Evaluator, EvaluatorVisitor, Game, Score, WeightLayout};
use tictune::position::square::Symmetry;
use tictune::position::{Outcome, Player, Position, Rules, Uttt, UtttMove};
use tictune::seed::{Generator, Role, generator, mix};
use tictune::weights::builtin;

/// What the laws ask of a game beyond [`Game`].
trait Lawful: Game {
    /// The number of symmetries of the board, the identity (number 0) included.
    const SYMMETRIES: usize;

    /// Every variant of the rules.
    fn every_rules() -> Vec<Self::Rules>;

    /// Every move that notation can name, legal anywhere or not, in generation order.
    fn every_move() -> Vec<Self::Move>;

    /// The image of the position under a symmetry.
    fn image(&self, symmetry: usize) -> Self;

    /// The image of a move under a symmetry.
    fn image_of_move(mv: Self::Move, symmetry: usize) -> Self::Move;

    /// The position with each mark given to the other player and the same side to move; `None` where
    /// the numbers of marks then fit no game.
    fn with_marks_swapped(&self) -> Option<Self>;

    /// Whether a symmetry keeps the value of a position. Evaluations that weigh every square alone
    /// need not.
    fn evaluations_are_symmetric() -> bool;
}

impl Lawful for Uttt {
    const SYMMETRIES: usize = Symmetry::ALL.len();

    fn every_rules() -> Vec<Rules> {
        Rules::all().to_vec()
    }

    fn every_move() -> Vec<UtttMove> {
        (0..81).map(uttt_square).collect()
    }

    fn image(&self, symmetry: usize) -> Self {
        self.map(Symmetry::ALL[symmetry])
    }

    fn image_of_move(mv: UtttMove, symmetry: usize) -> UtttMove {
        mv.map(Symmetry::ALL[symmetry])
    }

    fn with_marks_swapped(&self) -> Option<Self> {
        // The first player moves when both have as many marks: only then may they change places.
        if self.side_to_move() == Player::Second {
            return None;
        }
        let notation = self.notation();
        let (rows, rest) = notation.split_once(' ').expect("notation has three fields");
        let swap = |symbol| match symbol {
            'x' => 'o',
            'o' => 'x',
            other => other,
        };
        let swapped = format!("{} {rest}", rows.chars().map(swap).collect::<String>());
        Some(
            Self::from_notation(&swapped, self.rules())
                .expect("the swapped position can be reached"),
        )
    }

    fn evaluations_are_symmetric() -> bool {
        true
    }
}

fn uttt_square(index: usize) -> UtttMove {
    UtttMove::new(index / 9, index % 9).expect("there are 81 squares")
}

/// A game played at random to its end.
struct Playout<P: Position> {
    rules: P::Rules,
    seed: u64,
    moves: Vec<P::Move>,
}

impl<P: Position> Playout<P> {
    fn new(rules: P::Rules, seed: u64) -> Self {
        let mut generator = generator(seed, Role::Opening);
        let mut position = P::start(rules);
        let mut moves = Vec::new();
        while position.outcome().is_none() {
            let legal: Vec<P::Move> = position.legal_moves().collect();
            assert!(
                !legal.is_empty(),
                "no move, but the game is not over: {}",
                position.notation()
            );
            let mv = legal[generator.random_range(0..legal.len() as u32) as usize];
            position.play_unchecked(mv);
            moves.push(mv);
        }
        Self { rules, seed, moves }
    }

    /// Every position of the game, the start and the end included.
    fn steps(&self) -> impl Iterator<Item = Step<'_, P>> {
        let mut position = P::start(self.rules);
        (0..=self.moves.len()).map(move |ply| {
            if ply > 0 {
                position.play_unchecked(self.moves[ply - 1]);
            }
            Step { playout: self, ply, position: position.clone() }
        })
    }
}

/// A position of a random game. As text it is what a reader of a failed law needs.
struct Step<'p, P: Position> {
    playout: &'p Playout<P>,
    ply: usize,
    position: P,
}

impl<P: Position> Step<'_, P> {
    fn next_move(&self) -> Option<P::Move> {
        self.playout.moves.get(self.ply).copied()
    }
}

impl<P: Position> fmt::Display for Step<'_, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Playout { rules, seed, moves } = self.playout;
        writeln!(f, "{} \"{}\"", P::GAME, self.position.notation())?;
        writeln!(
            f,
            "rules {rules}, seed {seed}, after the moves {}",
            in_notation(&moves[..self.ply])
        )?;
        write!(f, "{}", self.position)
    }
}

/// Moves as a failed law names them.
fn in_notation<M: fmt::Display>(moves: &[M]) -> String {
    moves.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}

/// As many random games under each variant of the rules.
fn playouts<P: Lawful>(games: u64) -> impl Iterator<Item = Playout<P>> {
    let variants = P::every_rules().into_iter().zip(0_u64..);
    variants.flat_map(move |(rules, variant)| {
        (0..games).map(move |game| Playout::new(rules, mix(variant, game)))
    })
}

/// Checks a law at every position of random games.
fn on_random_play<P: Lawful>(games: u64, law: impl Fn(&Step<'_, P>)) {
    for playout in playouts::<P>(games) {
        for step in playout.steps() {
            law(&step);
        }
    }
}

// Laws of every game.

/// Without this, laws about ends and variants could hold because nothing of the kind came up.
fn random_play_ends_in_every_way<P: Lawful>() {
    for rules in P::every_rules() {
        let mut seen = HashMap::new();
        for game in 0..1000 {
            let playout = Playout::<P>::new(rules, mix(7, game));
            let end = playout.steps().last().expect("a game has a start");
            let outcome = end.position.outcome();
            *seen.entry(outcome).or_insert(0) += 1;
        }
        for outcome in [Outcome::Win(Player::First), Outcome::Win(Player::Second), Outcome::Draw] {
            let count = seen.get(&Some(outcome)).copied().unwrap_or(0);
            assert!(
                count > 0,
                "rules {rules}: of 1000 random games none ends as {outcome:?}: {seen:?}"
            );
        }
    }
}

fn listed_moves_are_the_legal_moves<P: Lawful>() {
    let every_move = P::every_move();
    on_random_play::<P>(3000, |step| {
        let position = &step.position;
        let listed: Vec<P::Move> = position.legal_moves().collect();
        assert!(
            listed.is_sorted_by(|a, b| a < b),
            "out of order: {}\n{step}",
            in_notation(&listed)
        );
        let legal: Vec<P::Move> =
            every_move.iter().copied().filter(|&mv| position.is_legal(mv)).collect();
        assert!(
            listed == legal,
            "listed {}, but is_legal accepts {} in\n{step}",
            in_notation(&listed),
            in_notation(&legal)
        );
        assert_eq!(position.legal_move_count(), listed.len(), "legal_move_count of\n{step}");
        let over = position.outcome().is_some();
        assert_eq!(listed.is_empty(), over, "a game goes on as long as there are moves:\n{step}");
    });
}

fn moves_have_numbers_and_plies_are_counted<P: Lawful>() {
    let indices: Vec<usize> = P::every_move().into_iter().map(P::move_index).collect();
    let different: HashSet<usize> = indices.iter().copied().filter(|&index| index < 128).collect();
    assert_eq!(different.len(), indices.len(), "every move has an index of its own below 128");
    on_random_play::<P>(1500, |step| {
        let position = &step.position;
        assert_eq!(position.ply() as usize, step.ply, "plies of\n{step}");
        assert!(position.ply() <= P::MAX_PLIES, "longer than any game:\n{step}");
        for (number, mv) in position.legal_moves().enumerate() {
            assert_eq!(position.nth_legal_move(number), mv, "move number {number} of\n{step}");
            let mut drawn = position.clone();
            let played = drawn.play_drawn(|count| {
                assert_eq!(count as usize, position.legal_move_count(), "asked to draw in\n{step}");
                number as u32
            });
            assert!(
                played == mv && drawn == position.after(mv),
                "play_drawn of move number {number} plays {played}, not {mv}, in\n{step}"
            );
        }
    });
}

fn play_is_play_unchecked_and_refuses_the_rest<P: Lawful>() {
    let every_move = P::every_move();
    on_random_play::<P>(500, |step| {
        for &mv in &every_move {
            let mut played = step.position.clone();
            let result = played.play(mv);
            if step.position.is_legal(mv) {
                assert_eq!(result, Ok(()), "{mv} is legal but refused in\n{step}");
                let mut unchecked = step.position.clone();
                unchecked.play_unchecked(mv);
                assert_eq!(played, unchecked, "play and play_unchecked of {mv} in\n{step}");
                assert_eq!(played, step.position.after(mv), "play and after of {mv} in\n{step}");
                let mover = step.position.side_to_move();
                assert_eq!(
                    played.side_to_move(),
                    mover.other(),
                    "players alternate: {mv} in\n{step}"
                );
                assert_eq!(played.rules(), step.position.rules(), "rules stay: {mv} in\n{step}");
            } else {
                let error = result
                    .err()
                    .unwrap_or_else(|| panic!("{mv} is not legal but played in\n{step}"));
                assert_eq!(error.mv, mv.to_string(), "the error names another move in\n{step}");
                assert_eq!(played, step.position, "{mv} was refused but changed\n{step}");
            }
        }
    });
}

fn winning_move_is_the_first_that_wins<P: Lawful>() {
    on_random_play::<P>(3000, |step| {
        let mover = step.position.side_to_move();
        let mut expected = None;
        for mv in step.position.legal_moves() {
            let mut after = step.position.clone();
            after.play_unchecked(mv);
            if expected.is_none() && after.outcome() == Some(Outcome::Win(mover)) {
                expected = Some(mv);
            }
        }
        let found = step.position.winning_move();
        let text = |mv: Option<P::Move>| mv.map_or("none".into(), |mv| mv.to_string());
        assert!(
            found == expected,
            "winning_move is {}, but the first that wins is {} in\n{step}",
            text(found),
            text(expected)
        );
    });
}

fn notation_and_its_parser_are_inverse<P: Lawful>() {
    for mv in P::every_move() {
        assert_eq!(P::parse_move(&mv.to_string()), Ok(mv), "the move {mv}");
    }
    on_random_play::<P>(1500, |step| {
        let text = step.position.notation();
        let read = P::from_notation(&text, step.position.rules());
        assert_eq!(read.as_ref(), Ok(&step.position), "read back from \"{text}\":\n{step}");
    });
}

fn playing_commutes_with_symmetry<P: Lawful>() {
    on_random_play::<P>(500, |step| {
        assert_eq!(step.position.image(0), step.position, "the identity changed\n{step}");
        for symmetry in 0..P::SYMMETRIES {
            let image = step.position.image(symmetry);
            assert_eq!(
                image.outcome(),
                step.position.outcome(),
                "outcome under symmetry {symmetry} of\n{step}"
            );
            let mut moves: Vec<P::Move> =
                step.position.legal_moves().map(|mv| P::image_of_move(mv, symmetry)).collect();
            moves.sort_unstable();
            let legal: Vec<P::Move> = image.legal_moves().collect();
            assert!(
                legal == moves,
                "the image under symmetry {symmetry} allows {}, not {}, the images of the moves in\n{step}",
                in_notation(&legal),
                in_notation(&moves)
            );
            for mv in step.position.legal_moves() {
                let image_of_after = step.position.after(mv).image(symmetry);
                let after_of_image = image.after(P::image_of_move(mv, symmetry));
                assert_eq!(
                    after_of_image, image_of_after,
                    "{mv} under symmetry {symmetry} (left: mapped, then played) in\n{step}"
                );
            }
        }
    });
}

fn keys_tell_positions_apart<P: Lawful>() {
    for rules in P::every_rules() {
        // Notation stands for the position: it is its own inverse's argument, by another law.
        let mut by_key: HashMap<u64, String> = HashMap::new();
        let mut by_canonical_key: HashMap<u64, String> = HashMap::new();
        for playout in (0..300).map(|game| Playout::<P>::new(rules, mix(11, game))) {
            for step in playout.steps() {
                let images: Vec<P> = (0..P::SYMMETRIES).map(|s| step.position.image(s)).collect();
                let key = step.position.key();
                let notation = step.position.notation();
                let known = by_key.entry(key).or_insert_with(|| notation.clone());
                assert_eq!(
                    *known, notation,
                    "two positions share the key {key:016x}; the later is\n{step}"
                );
                let canonical =
                    images.iter().map(P::notation).min().expect("there is the identity");
                let canonical_key = step.position.canonical_key();
                let known =
                    by_canonical_key.entry(canonical_key).or_insert_with(|| canonical.clone());
                assert_eq!(
                    *known, canonical,
                    "positions that no symmetry turns into each other share {canonical_key:016x}; the later is\n{step}"
                );
                for (symmetry, image) in images.iter().enumerate() {
                    assert_eq!(
                        image.canonical_key(),
                        canonical_key,
                        "canonical key of the image under symmetry {symmetry} of\n{step}"
                    );
                }
            }
        }
    }
}

// Laws of every evaluation.

/// Weights that try an evaluation in different ways.
fn weight_vectors(layout: &'static WeightLayout, generator: &mut Generator) -> Vec<Case> {
    let case = |name: &str, values: Vec<f64>| Case { name: name.into(), layout, values };
    let mut cases = Vec::new();
    for name in builtin::names() {
        let weights = builtin::find(name).expect("a built-in name");
        if weights.layout() == layout {
            cases.push(case(name, weights.values().to_vec()));
        }
    }
    let mut random = |value: &dyn Fn(f64) -> f64| -> Vec<f64> {
        (0..layout.len()).map(|_| value(generator.random_range(-1.0..1.0))).collect()
    };
    cases.push(case("random", random(&|x| x)));
    cases.push(case("random of many magnitudes", random(&|x| x.signum() * 10_f64.powf(8.0 * x))));
    cases.push(case("random huge", random(&|x| 1e300 * x)));
    cases.push(case("small whole numbers", random(&|x| (2.5 * x).round())));
    cases.push(case("zero", vec![0.0; layout.len()]));
    cases
}

struct Case {
    name: String,
    layout: &'static WeightLayout,
    values: Vec<f64>,
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "evaluation {}, weights {} {:?}", self.layout.name, self.name, self.values)
    }
}

/// Every evaluation of a game with every kind of weights.
fn every_case<P: Lawful>() -> Vec<Case> {
    let mut generator = generator(5, Role::AgentA);
    P::layouts().iter().flat_map(|layout| weight_vectors(layout, &mut generator)).collect()
}

/// The laws of an evaluator, along the given games.
struct EvaluatorLaws<'c, P: Position> {
    case: &'c Case,
    playouts: &'c [Playout<P>],
}

impl<P: Lawful> EvaluatorVisitor<P> for EvaluatorLaws<'_, P> {
    type Output = ();

    fn visit<E: Evaluator<P>>(self, evaluator: E) {
        let case = self.case;
        let from_scratch = |position: &P| evaluator.score(&evaluator.state(position), position);
        let slots = case.layout.slots.iter();
        let rounding = slots.map(|slot| slot.greatest_count as i32).sum::<i32>() / 2 + 1;
        for playout in self.playouts {
            let mut state = evaluator.state(&P::start(playout.rules));
            for step in playout.steps() {
                let position = &step.position;
                assert_eq!(
                    state,
                    evaluator.state(position),
                    "state along the game, and anew: {case}\n{step}"
                );
                if position.outcome().is_none() {
                    let score = evaluator.score(&state, position);
                    let bound = Score::HEURISTIC_BOUND + rounding;
                    assert!(
                        score.0.abs() <= bound,
                        "{score:?} is no heuristic value: {case}\n{step}"
                    );
                    for mv in position.legal_moves() {
                        let after = position.after(mv);
                        let expected = match after.outcome() {
                            Some(outcome) => Score::of_outcome(outcome, Player::First),
                            None => from_scratch(&after),
                        };
                        let found = evaluator.score_after(&state, position, mv);
                        assert_eq!(
                            found, expected,
                            "score_after of {mv}, and played: {case}\n{step}"
                        );
                    }
                    for symmetry in (0..P::SYMMETRIES).filter(|_| P::evaluations_are_symmetric()) {
                        let image = from_scratch(&position.image(symmetry));
                        assert_eq!(
                            image, score,
                            "score under symmetry {symmetry}, and without: {case}\n{step}"
                        );
                    }
                    if let Some(swapped) = position.with_marks_swapped() {
                        let swapped = from_scratch(&swapped);
                        assert_eq!(
                            swapped, -score,
                            "score with marks swapped, and the negative: {case}\n{step}"
                        );
                    }
                }
                if let Some(mv) = step.next_move() {
                    evaluator.update(&mut state, position, mv, &position.after(mv));
                }
            }
        }
    }
}

fn evaluations_obey_their_laws<P: Lawful>() {
    let playouts: Vec<Playout<P>> = playouts(75).collect();
    for case in every_case::<P>() {
        let laws = EvaluatorLaws { case: &case, playouts: &playouts };
        P::with_evaluator(case.layout, &case.values, laws)
            .unwrap_or_else(|error| panic!("{case}: {error}"));
    }
}

macro_rules! laws_of {
    ($game:ident, $position:ty, [$($law:ident),* $(,)?]) => {
        mod $game {
            $(
                #[test]
                fn $law() {
                    super::$law::<$position>();
                }
            )*
        }
    };
    ($game:ident, $position:ty) => {
        laws_of!($game, $position, [
            random_play_ends_in_every_way,
            listed_moves_are_the_legal_moves,
            moves_have_numbers_and_plies_are_counted,
            play_is_play_unchecked_and_refuses_the_rest,
            winning_move_is_the_first_that_wins,
            notation_and_its_parser_are_inverse,
            playing_commutes_with_symmetry,
            keys_tell_positions_apart,
            evaluations_obey_their_laws,
        ]);
    };
}

laws_of!(uttt, tictune::position::Uttt);

// Ultimate Tic-Tac-Toe alone.

#[test]
fn moves_of_uttt_are_known_to_close_boards_and_to_free_the_choice() {
    on_random_play::<Uttt>(3000, |step| {
        for mv in step.position.legal_moves() {
            let after = step.position.after(mv);
            let closes = after.closed() != step.position.closed();
            assert_eq!(step.position.closes_board(mv), closes, "closes_board of {mv} in\n{step}");
            let frees = after.target().is_none();
            assert_eq!(step.position.widens_choice(mv), frees, "widens_choice of {mv} in\n{step}");
            assert!(
                after.target().is_none_or(|board| board == mv.cell()),
                "{mv} sends elsewhere in\n{step}"
            );
        }
    });
}

#[test]
fn openings_of_two_plies_are_102_without_symmetry() {
    // DESIGN, "Openings": 720 of them, 102 that symmetry does not turn into each other.
    let start = Uttt::start(Rules::default());
    let replies = |first: UtttMove| {
        let position = start.after(first);
        position.legal_moves().map(move |second| position.after(second))
    };
    let positions: Vec<Uttt> = start.legal_moves().flat_map(replies).collect();
    let count = |key: fn(&Uttt) -> u64| {
        positions.iter().map(key).collect::<std::collections::HashSet<u64>>().len()
    };
    assert_eq!((positions.len(), count(Uttt::key), count(Uttt::canonical_key)), (720, 720, 102));
}

/// A single weight just below a power of two is rounded up to the bound of scores itself. The sums on
/// the way to a score must have room for that.
#[test]
fn weights_rounded_up_to_the_bound_of_scores_do_not_overflow() {
    let playouts: Vec<Playout<Uttt>> = playouts(2).collect();
    for &layout in Uttt::layouts() {
        for slot in 0..layout.len() {
            let mut values = vec![0.0; layout.len()];
            values[slot] = 1.0_f64.next_down();
            let case = Case { name: "one just below 1".into(), layout, values };
            let laws = EvaluatorLaws { case: &case, playouts: &playouts };
            Uttt::with_evaluator(case.layout, &case.values, laws)
                .unwrap_or_else(|error| panic!("{case}: {error}"));
        }
    }
}

/// The lines of a square of three by three cells, as anybody would list them.
const LINES: [[usize; 3]; 8] =
    [[0, 1, 2], [3, 4, 5], [6, 7, 8], [0, 3, 6], [1, 4, 7], [2, 5, 8], [0, 4, 8], [2, 4, 6]];

const MIDDLES: [usize; 1] = [4];
const CORNERS: [usize; 4] = [0, 2, 6, 8];
const SIDES: [usize; 4] = [1, 3, 5, 7];

/// Whose the nine cells of a square are.
type Square = [Option<Player>; 9];

/// Lines that hold two or more of the player and none of the opponent (DESIGN, "Liang's setting",
/// point 5: three count as well, and so does every line of a decided board).
fn two_in_a_row(square: &Square, player: Player) -> f64 {
    let mut count = 0.0;
    for line in LINES {
        let own = line.iter().filter(|&&cell| square[cell] == Some(player)).count();
        let others = line.iter().filter(|&&cell| square[cell] == Some(player.other())).count();
        if own >= 2 && others == 0 {
            count += 1.0;
        }
    }
    count
}

fn has_three_in_a_row(square: &Square, player: Player) -> bool {
    LINES.iter().any(|line| line.iter().all(|&cell| square[cell] == Some(player)))
}

/// How many of the cells are the player's.
fn held(square: &Square, player: Player, cells: &[usize]) -> f64 {
    cells.iter().filter(|&&cell| square[cell] == Some(player)).count() as f64
}

/// What the evaluations of Liang 2.1 to 2.4 give a player for what is his on the board.
fn points_of(
    player: Player,
    evaluation: &str,
    weights: &[f64],
    small: &[Square; 9],
    large: &Square,
) -> f64 {
    let mut points = 0.0;
    let won = held(large, player, &[0, 1, 2, 3, 4, 5, 6, 7, 8]);
    match evaluation {
        // Table 2.1.
        "simple" => points += weights[0] * won,
        // Table 2.2.
        "connecting" => {
            points += weights[0] * won;
            points += weights[1] * two_in_a_row(large, player);
            for square in small {
                points += weights[2] * two_in_a_row(square, player);
            }
        }
        // Table 2.3.
        "advanced" => {
            points += weights[0] * two_in_a_row(large, player);
            points += weights[1] * held(large, player, &MIDDLES);
            points += weights[2] * held(large, player, &CORNERS);
            points += weights[3] * held(large, player, &SIDES);
            for square in small {
                points += weights[4] * two_in_a_row(square, player);
                points += weights[5] * held(square, player, &MIDDLES);
                points += weights[6] * held(square, player, &CORNERS);
                points += weights[7] * held(square, player, &SIDES);
            }
        }
        // Table 2.5.
        "comprehensive" => {
            points += weights[0] * two_in_a_row(large, player);
            points += weights[1] * held(large, player, &MIDDLES);
            points += weights[2] * held(large, player, &CORNERS);
            points += weights[3] * held(large, player, &SIDES);
            for (board, square) in small.iter().enumerate() {
                points += weights[4] * two_in_a_row(square, player);
                let (middle, corner, side) = match board {
                    4 => (weights[5], weights[6], weights[7]),
                    0 | 2 | 6 | 8 => (weights[8], weights[9], weights[10]),
                    _ => (weights[11], weights[12], weights[13]),
                };
                points += middle * held(square, player, &MIDDLES);
                points += corner * held(square, player, &CORNERS);
                points += side * held(square, player, &SIDES);
            }
        }
        other => panic!("Liang has no evaluation {other}"),
    }
    points
}

/// The slow and obvious twin of the evaluations, in weight units and from the first player's view.
fn obvious_value(position: &Uttt, evaluation: &str, weights: &[f64]) -> f64 {
    let small: [Square; 9] =
        from_fn(|board| from_fn(|cell| position.at(uttt_square(9 * board + cell))));
    let winner =
        |square: &Square| Player::BOTH.into_iter().find(|&p| has_three_in_a_row(square, p));
    let large: Square = small.each_ref().map(winner);
    points_of(Player::First, evaluation, weights, &small, &large)
        - points_of(Player::Second, evaluation, weights, &small, &large)
}

/// Compares an evaluator with its twin along games.
struct Twin<'c> {
    case: &'c Case,
    playouts: &'c [Playout<Uttt>],
    /// Weights of few bits leave nothing to rounding: both sides are exact.
    exact: bool,
}

impl EvaluatorVisitor<Uttt> for Twin<'_> {
    type Output = ();

    fn visit<E: Evaluator<Uttt>>(self, evaluator: E) {
        let Self { case, playouts, exact } = self;
        let scale = evaluator.scale();
        // Each weight is off by half a unit at most, and counted as often as its slot says; the
        // twin's own sum is off by far less than a thousandth of a unit.
        let counts: u32 = case.layout.slots.iter().map(|slot| slot.greatest_count).sum();
        let allowed = if exact { 0.0 } else { (f64::from(counts) / 2.0 + 1e-3) / scale };
        for playout in playouts {
            for step in playout.steps() {
                let score = evaluator.score(&evaluator.state(&step.position), &step.position);
                let value = f64::from(score.0) / scale;
                let expected = obvious_value(&step.position, case.layout.name, &case.values);
                assert!(
                    (value - expected).abs() <= allowed,
                    "{value}, but counted by hand {expected} (allowed error {allowed}): {case}\n{step}"
                );
            }
        }
    }
}

#[test]
fn evaluations_of_uttt_are_what_liang_describes() {
    let playouts: Vec<Playout<Uttt>> = playouts(50).collect();
    let mut generator = generator(6, Role::AgentB);
    let mut cases = Vec::new();
    for &layout in Uttt::layouts() {
        for name in builtin::names() {
            let weights = builtin::find(name).expect("a built-in name");
            if weights.layout() == layout {
                let exact = weights.values().iter().all(|value| value.fract() == 0.0);
                cases.push((
                    exact,
                    Case { name: name.into(), layout, values: weights.values().to_vec() },
                ));
            }
        }
        // One weight at a time: no two terms can make up for each other.
        for slot in 0..layout.len() {
            let mut values = vec![0.0; layout.len()];
            values[slot] = 1.0;
            cases.push((true, Case { name: "a single one".into(), layout, values }));
        }
        for _ in 0..5 {
            let values =
                (0..layout.len()).map(|_| f64::from(generator.random_range(-100..=100))).collect();
            cases.push((true, Case { name: "random whole numbers".into(), layout, values }));
            let values = (0..layout.len()).map(|_| generator.random_range(-10.0..10.0)).collect();
            cases.push((false, Case { name: "random".into(), layout, values }));
        }
    }
    for (exact, case) in &cases {
        let twin = Twin { case, playouts: &playouts, exact: *exact };
        Uttt::with_evaluator(case.layout, &case.values, twin)
            .unwrap_or_else(|error| panic!("{case}: {error}"));
    }
}
