//! Fits the values of `tictune-patterns` and `tictune-patterns-count` from nothing but the rules and `tictune-extended`:
//!
//!     cargo run --release --example fit_patterns -- 100000 patterns.bin
//!     cargo run --release --example fit_patterns -- 300000 count.bin no_line=most_boards
//!
//! Four rounds of self-play, each with the evaluation that the round before fitted. Games begin with random moves, and some
//! later moves are random too, so that positions are mixed. A position is labelled by the value of its search and by the
//! result of its game. The last fit is to the positions of the last three rounds. The arguments are the games of a round, the
//! file to write, and the rules. The result is a function of the games and the rules alone, on any number of threads.
//! The files of these names in `crates/games/src/uttt/evaluation/patterns` are what the lines above wrote; the last line that
//! each printed is the weight `free_choice`.

#![allow(clippy::print_stdout, reason = "a program that reports what it does")]

#[path = "fit_patterns/fit.rs"]
mod fit;

use std::sync::Arc;

use fit::{Fit, FitSettings, Labelled, chance};
use rand::{RngExt, SeedableRng};
use rayon::prelude::*;
use tictune::game::{Evaluator, Outcome, Player, Position, Score, Searchable};
use tictune::games::uttt::evaluation::patterns::{PatternValues, UNITS};
use tictune::games::uttt::evaluation::{Extended, Patterns};
use tictune::games::uttt::{Rules, Uttt, UtttMove};
use tictune::search::{Budget, Minimax, Pvs, TieBreak, pvs};
use tictune::seed::{Generator, mix};
use tictune::weights::Weights;

/// The share of the game's result in a label; the rest is the value of the search.
const RESULT: f32 = 0.3;

/// The share of moves that are random after the opening.
const RANDOM_MOVES: f64 = 0.06;

/// How many units of `tictune-extended` are a logit: the number by which its values at depth 3 predict results best.
const EXTENDED_LOGIT: f64 = 11.0;

/// The nodes of a move in the last round.
const NODES: u64 = 1500;

/// The depth of the moves before.
const DEPTH: u32 = 4;

/// Values of positions, and moves.
trait Teacher {
    /// The move to play and the logit of the chances of the side to move.
    fn choose(&mut self, position: &Uttt, generator: &mut Generator) -> (UtttMove, f32);
}

/// Wins and losses that a search has proven count as 6 logits.
fn logit(score: Score, units: f64) -> f32 {
    match score {
        Score::WIN => 6.0,
        Score::LOSS => -6.0,
        Score(value) => (f64::from(value) / units) as f32,
    }
}

/// Minimax to a fixed depth.
struct FixedDepth<'e, E> {
    evaluator: &'e E,
    /// Score units to a logit.
    units: f64,
}

impl<E: Evaluator<Uttt>> Teacher for FixedDepth<'_, E> {
    fn choose(&mut self, position: &Uttt, generator: &mut Generator) -> (UtttMove, f32) {
        let analysis = Minimax::new(self.evaluator).analyse(position, DEPTH);
        (TieBreak::Random.choose(position, &analysis, generator), logit(analysis.score, self.units))
    }
}

/// Principal variation search.
struct Selective {
    search: Pvs<Uttt, Patterns>,
    units: f64,
}

impl Teacher for Selective {
    fn choose(&mut self, position: &Uttt, _: &mut Generator) -> (UtttMove, f32) {
        let found = self.search.search(position, Budget::of(NODES));
        (found.mv, logit(found.score, self.units))
    }
}

/// The positions of one game, labelled.
fn play(teacher: &mut dyn Teacher, rules: Rules, seed: u64) -> Vec<Labelled> {
    let mut generator = Generator::seed_from_u64(seed);
    let mut position = Uttt::start(rules);
    let opening = generator.random_range(1..14);
    let mut seen = Vec::new();
    while position.outcome().is_none() {
        if position.ply() < opening || generator.random_bool(RANDOM_MOVES) {
            position.play_drawn(|count| generator.random_range(0..count));
            continue;
        }
        let (mv, logit) = teacher.choose(&position, &mut generator);
        // A move without a choice was not searched.
        if position.legal_move_count() > 1 {
            let first = position.side_to_move() == Player::First;
            seen.push((position, if first { logit } else { -logit }));
        }
        position.play_unchecked(mv);
    }
    let result = match position.outcome() {
        Some(Outcome::Win(Player::First)) => 1.0,
        Some(Outcome::Win(Player::Second)) => 0.0,
        _ => 0.5,
    };
    let label = |logit| RESULT * result + (1.0 - RESULT) * chance(logit);
    seen.into_iter().map(|(position, logit)| Labelled { position, chance: label(logit) }).collect()
}

/// The positions of the games of a round.
fn round<'t, T: Teacher + 't>(
    number: u64,
    games: u64,
    rules: Rules,
    teacher: impl Fn() -> T + Sync,
) -> Vec<Labelled> {
    let game = |game| play(&mut teacher(), rules, mix(number, game));
    let games: Vec<Vec<Labelled>> = (0..games).into_par_iter().map(game).collect();
    games.concat()
}

/// Improves a fit with all but every fiftieth of the positions, and tells its loss on those.
fn improve(fit: &mut Fit, positions: &[Labelled], epochs: u32, rate: f32) {
    let (held_out, positions) = positions.split_at(positions.len() / 50);
    println!("{} positions, {} held out", positions.len(), held_out.len());
    let settings = FitSettings { epochs, rate, seed: 1 };
    fit.improve(positions, held_out, settings, |loss| {
        println!("log-loss {:.5}, of held-out positions {:.5}", loss.fitted, loss.held_out);
    });
}

/// The evaluator of a fit, with the weights that leave it as it is.
fn evaluator(fit: &Fit) -> Patterns {
    let mut weights = [1.0 / UNITS; 9];
    weights[7] = f64::from(fit.free_choice);
    weights[8] = 0.0;
    let values = PatternValues::from_logits(&fit.values);
    Patterns::with_values(&values, &weights).expect("weights of the layout")
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let (Some(Ok(games)), Some(path), Ok(rules)) = (
        arguments.next().map(|text| text.parse()),
        arguments.next(),
        arguments.next().unwrap_or_default().parse::<Rules>(),
    ) else {
        println!("usage: fit_patterns GAMES FILE [RULES]");
        std::process::exit(2);
    };
    let weights = Weights::builtin::<Uttt>("tictune-extended").expect("built-in weights");
    let extended = Extended::new(weights.values()).expect("weights of the layout");
    let units = extended.scale() * EXTENDED_LOGIT;
    let mut fit = Fit::zero();
    improve(
        &mut fit,
        &round(1, games, rules, || FixedDepth { evaluator: &extended, units }),
        5,
        0.1,
    );
    let mut all = Vec::new();
    for number in 2..4 {
        let teacher = evaluator(&fit);
        let units = teacher.scale();
        let positions = round(number, games, rules, || FixedDepth { evaluator: &teacher, units });
        improve(&mut fit, &positions, 4, 0.05);
        all.extend(positions);
    }
    let teacher = Arc::new(evaluator(&fit));
    let units = teacher.scale();
    // The built-in values were fitted before moves were reduced by value.
    let settings = pvs::PvsParameters { reduction_value: 0.0, ..pvs::PvsParameters::default() };
    all.extend(round(4, games, rules, || Selective {
        search: Pvs::new(Arc::clone(&teacher), None, 1, settings),
        units,
    }));
    improve(&mut fit, &all, 3, 0.04);
    println!("free_choice = {:.4}", fit.free_choice);
    if let Err(error) = std::fs::write(&path, PatternValues::from_logits(&fit.values).to_bytes()) {
        println!("{path}: {error}");
        std::process::exit(1);
    }
}
