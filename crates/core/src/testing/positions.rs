//! Laws of every game.

use std::collections::{HashMap, HashSet};

use super::Lawful;
use super::play::{Playout, in_notation, on_random_play, playouts};
use crate::game::{Outcome, perft};
use crate::seed::mix;

/// Random play reaches every end and variant. Otherwise, laws about them could hold without ever being tested.
pub fn random_play_ends_in_every_way<P: Lawful>() {
    for rules in P::every_rules() {
        let mut seen = HashMap::new();
        for game in 0..1000 {
            let playout = Playout::<P>::new(rules, mix(7, game));
            let end = playout.steps().last().expect("a game has a start");
            *seen.entry(end.position.outcome()).or_insert(0) += 1;
        }
        for outcome in P::ends() {
            let ends_so = seen.contains_key(&Some(outcome));
            assert!(
                ends_so,
                "rules {rules}: of 1000 random games none ends as {outcome:?}: {seen:?}"
            );
        }
    }
}

pub fn listed_moves_are_the_legal_moves<P: Lawful>() {
    let every_move = P::every_move();
    on_random_play::<P>(3000, |step| {
        let position = &step.position;
        let listed: Vec<P::Move> = position.legal_moves().collect();
        let is_sorted = listed.is_sorted_by(|a, b| a < b);
        assert!(is_sorted, "out of order: {}\n{step}", in_notation(&listed));
        let legal: Vec<P::Move> =
            every_move.iter().copied().filter(|&mv| position.is_legal(mv)).collect();
        step.same_moves("listed moves (expected: those that is_legal accepts)", &listed, &legal);
        step.same("legal_move_count", position.legal_move_count(), listed.len());
        step.same("whether there is no move", listed.is_empty(), position.outcome().is_some());
    });
}

/// Counting two plies without playing them gives what plain recursion gives.
pub fn pairs_of_moves_are_counted_as_by_playing<P: Lawful>() {
    fn plain<P: Lawful>(position: &P, depth: u32) -> u64 {
        if depth == 0 {
            return 1;
        }
        position.legal_moves().map(|mv| plain(&position.after(mv), depth - 1)).sum()
    }
    on_random_play::<P>(500, |step| {
        step.same("pairs of moves", step.position.legal_pair_count(), plain(&step.position, 2));
    });
    for playout in playouts::<P>(10) {
        for step in playout.steps().skip(3).step_by(5) {
            step.same("perft 3", perft(&step.position, 3), plain(&step.position, 3));
        }
    }
}

pub fn moves_have_numbers_and_plies_are_counted<P: Lawful>() {
    let moves = P::every_move();
    let mut indices: HashSet<usize> = moves.iter().map(|&mv| P::move_index(mv)).collect();
    indices.retain(|&index| index < P::MOVE_INDICES);
    assert_eq!(indices.len(), moves.len(), "each move has its own index, below MOVE_INDICES");
    on_random_play::<P>(1500, |step| {
        let position = &step.position;
        step.same("plies", position.ply() as usize, step.ply);
        assert!(position.ply() <= P::MAX_PLIES, "longer than any game:\n{step}");
        for (number, mv) in position.legal_moves().enumerate() {
            step.same("nth_legal_move", position.nth_legal_move(number), mv);
            let mut drawn = position.clone();
            let played = drawn.play_drawn(|count| {
                step.same("moves to draw from", count as usize, position.legal_move_count());
                number as u32
            });
            step.same("play_drawn, and after it", (played, drawn), (mv, position.after(mv)));
        }
    });
}

pub fn playing_out_is_drawing_moves_to_the_end<P: Lawful>() {
    on_random_play::<P>(300, |step| {
        // Any numbers will do; these differ from position to position and ply to ply.
        let draws = |count: u32, ply: usize| {
            (mix(step.playout.seed ^ step.ply as u64, ply as u64) % u64::from(count)) as u32
        };
        let (mut position, mut moves) = (step.position.clone(), Vec::new());
        while position.outcome().is_none() {
            let number = draws(position.legal_move_count() as u32, moves.len());
            let mv = position.nth_legal_move(number as usize);
            moves.push((position.side_to_move(), mv));
            position.play_unchecked(mv);
        }
        let (mut noted, mut drawn) = (Vec::new(), 0..);
        let outcome = step.position.play_out(
            |count| draws(count, drawn.next().unwrap_or_default()),
            |side, mv| noted.push((side, mv)),
        );
        step.same("moves of play_out", &noted, &moves);
        step.same("the end of play_out", Some(outcome), position.outcome());
    });
}

pub fn play_is_play_unchecked_and_refuses_the_rest<P: Lawful>() {
    let every_move = P::every_move();
    on_random_play::<P>(500, |step| {
        let position = &step.position;
        for &mv in &every_move {
            let mut played = position.clone();
            let result = played.play(mv).map_err(|error| error.mv);
            if !position.is_legal(mv) {
                step.same("what play refuses", result, Err(mv.to_string()));
                step.same(format_args!("after {mv}, which was refused"), &played, position);
                continue;
            }
            step.same(format_args!("play of the legal {mv}"), result, Ok(()));
            let mut unchecked = position.clone();
            unchecked.play_unchecked(mv);
            step.same(format_args!("play (expected: play_unchecked) of {mv}"), &played, &unchecked);
            step.same(format_args!("play (expected: after) of {mv}"), &played, &position.after(mv));
            let mover = position.side_to_move();
            step.same(format_args!("who moves after {mv}"), played.side_to_move(), mover.other());
            step.same(format_args!("rules after {mv}"), played.rules(), position.rules());
        }
    });
}

pub fn winning_move_is_the_first_that_wins<P: Lawful>() {
    on_random_play::<P>(3000, |step| {
        let win = Some(Outcome::Win(step.position.side_to_move()));
        let wins = |&mv: &P::Move| {
            let mut after = step.position.clone();
            after.play_unchecked(mv);
            after.outcome() == win
        };
        let expected: Vec<P::Move> = step.position.legal_moves().find(wins).into_iter().collect();
        let found: Vec<P::Move> = step.position.winning_move().into_iter().collect();
        step.same_moves("winning_move", &found, &expected);
    });
}

pub fn notation_and_its_parser_are_inverse<P: Lawful>() {
    for mv in P::every_move() {
        assert_eq!(P::parse_move(&mv.to_string()), Ok(mv), "the move {mv}");
    }
    if !P::READS_NOTATION {
        return;
    }
    on_random_play::<P>(1500, |step| {
        let text = step.position.notation();
        let read = P::from_notation(&text, step.position.rules());
        step.same("read back from notation", read.as_ref(), Ok(&step.position));
    });
}

pub fn playing_commutes_with_symmetry<P: Lawful>() {
    on_random_play::<P>(4000 / P::SYMMETRIES as u64, |step| {
        let position = &step.position;
        step.same("the image of symmetry 0, the identity", &position.image(0), position);
        for symmetry in 0..P::SYMMETRIES {
            let image = position.image(symmetry);
            let what = format_args!("outcome under symmetry {symmetry}");
            step.same(what, image.outcome(), position.outcome());
            let mut moves: Vec<P::Move> =
                position.legal_moves().map(|mv| P::image_of_move(mv, symmetry)).collect();
            moves.sort_unstable();
            let legal: Vec<P::Move> = image.legal_moves().collect();
            let what = format_args!("legal moves under symmetry {symmetry}");
            step.same_moves(what, &legal, &moves);
            for mv in position.legal_moves() {
                let image_of_after = position.after(mv).image(symmetry);
                let after_of_image = image.after(P::image_of_move(mv, symmetry));
                let what = format_args!("{mv} mapped by symmetry {symmetry}, then played");
                step.same(what, after_of_image, image_of_after);
            }
        }
    });
}

pub fn keys_tell_positions_apart<P: Lawful>() {
    for rules in P::every_rules() {
        // Notation stands for the position: it is its own inverse's argument, by another law.
        let mut by_key: HashMap<u64, String> = HashMap::new();
        let mut by_canonical_key: HashMap<u64, String> = HashMap::new();
        let games = (2400 / P::SYMMETRIES as u64).div_ceil(P::ONE_GAME_OF);
        for playout in (0..games).map(|game| Playout::<P>::new(rules, mix(11, game))) {
            for step in playout.steps() {
                let notation = step.position.notation();
                let known = by_key.entry(step.position.key()).or_insert_with(|| notation.clone());
                step.same("a position with the same key", &*known, &notation);
                let images: Vec<P> = (0..P::SYMMETRIES).map(|s| step.position.image(s)).collect();
                let canonical = images.iter().map(P::canonical_notation).min();
                let canonical = canonical.expect("there is the identity");
                let key = step.position.canonical_key();
                let known = by_canonical_key.entry(key).or_insert_with(|| canonical.clone());
                step.same("a position with the same canonical key", &*known, &canonical);
                for (symmetry, image) in images.iter().enumerate() {
                    let what = format_args!("the canonical key under symmetry {symmetry}");
                    step.same(what, image.canonical_key(), key);
                }
            }
        }
    }
}

pub fn zobrist_hashes_follow_moves<P: Lawful>() {
    let mut by_hash: HashMap<u64, String> = HashMap::new();
    for playout in playouts::<P>(100) {
        let mut hash = P::start(playout.rules).zobrist();
        for step in playout.steps() {
            step.same("hash (expected: from scratch)", hash, step.position.zobrist());
            let notation = step.position.notation();
            let known = by_hash.entry(hash).or_insert_with(|| notation.clone());
            step.same("a position with the same hash", &*known, &notation);
            if let Some(mv) = step.next_move() {
                hash = step.position.zobrist_after(hash, mv, &step.position.after(mv));
            }
        }
    }
}
