//! Laws of every game.

use std::collections::HashMap;

use super::Lawful;
use super::play::{RandomGame, on_random_play, playouts};
use crate::game::Outcome;
use crate::seed::mix;

/// Random play reaches every end and variant. Otherwise, laws about them could hold without ever being tested.
pub fn random_play_ends_in_every_way<P: Lawful>() {
    for rules in P::every_rules() {
        let mut seen = HashMap::new();
        for game in 0..1000 {
            let playout = RandomGame::<P>::new(rules, mix(7, game));
            let end = playout.steps().last().expect("a game has a start");
            let outcome = end.position.outcome().expect("a random game is played to its end");
            *seen.entry(outcome).or_insert(0) += 1;
        }
        for outcome in P::ends() {
            assert!(
                seen.contains_key(&outcome),
                "Lawful::ends lists {outcome:?}, but of 1000 random games (rules \"{rules}\") none ended so: {seen:?}. If no \
                 game can, implement Lawful::ends without it; else correct Position::outcome, or help chance with \
                 Lawful::beginning"
            );
        }
    }
}

pub fn listed_moves_are_the_legal_moves<P: Lawful>() {
    let every_move = P::every_move();
    on_random_play::<P>(1000, |step| {
        let position = &step.position;
        let listed: Vec<P::Move> = position.legal_moves().collect();
        let mut legal: Vec<P::Move> =
            every_move.iter().copied().filter(|&mv| position.is_legal(mv)).collect();
        legal.sort_unstable();
        let what = "Position::legal_moves (expected: by is_legal, in ascending order)";
        step.same_moves(what, &listed, &legal);
        step.same("Position::legal_move_count", position.legal_move_count(), listed.len());
        let what = "whether Position::legal_moves is empty (expected: whether Position::outcome is an end)";
        step.same(what, listed.is_empty(), position.outcome().is_some());
    });
}

pub fn moves_have_numbers_and_plies_are_counted<P: Lawful>() {
    let mut by_index = HashMap::new();
    for mv in P::every_move() {
        let (index, most) = (P::move_index(mv), P::MOVE_INDICES);
        assert!(
            index < most,
            "Position::move_index of {mv} is {index}, not below MOVE_INDICES, {most}"
        );
        if let Some(other) = by_index.insert(index, mv) {
            panic!("Position::move_index is {index} for two moves, {other} and {mv}");
        }
    }
    on_random_play::<P>(500, |step| {
        let position = &step.position;
        step.same("Position::ply", position.ply() as usize, step.ply);
        for (number, mv) in position.legal_moves().enumerate() {
            step.same_moves("Position::nth_legal_move", &[position.nth_legal_move(number)], &[mv]);
            let mut drawn = position.clone();
            let played = drawn.play_drawn(|count| {
                let all = position.legal_move_count();
                step.same("Searchable::play_drawn, moves to draw from", count as usize, all);
                number as u32
            });
            step.same("Searchable::play_drawn", (played, drawn), (mv, position.after(mv)));
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
        step.same("Searchable::play_out, its moves", &noted, &moves);
        step.same("Searchable::play_out, its end", Some(outcome), position.outcome());
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
                step.same("Position::play of an illegal move", result, Err(mv.to_string()));
                let what = format_args!("the position after Position::play has refused {mv}");
                step.same(what, &played, position);
                continue;
            }
            step.same(format_args!("Position::play of the legal {mv}"), result, Ok(()));
            let mut unchecked = position.clone();
            unchecked.play_unchecked(mv);
            let what = format_args!("Position::play (expected: play_unchecked) of {mv}");
            step.same(what, &played, &unchecked);
            let what = format_args!("Position::play (expected: after) of {mv}");
            step.same(what, &played, &position.after(mv));
            let mover = position.side_to_move();
            let what = format_args!("Position::side_to_move after {mv}");
            step.same(what, played.side_to_move(), mover.other());
            step.same(format_args!("Position::rules after {mv}"), played.rules(), position.rules());
        }
    });
}

pub fn winning_move_is_the_first_that_wins<P: Lawful>() {
    on_random_play::<P>(1000, |step| {
        let win = Some(Outcome::Win(step.position.side_to_move()));
        let wins = |&mv: &P::Move| {
            let mut after = step.position.clone();
            after.play_unchecked(mv);
            after.outcome() == win
        };
        let expected = step.position.legal_moves().find(wins);
        let found = step.position.winning_move();
        step.same_moves("Searchable::winning_move", found.as_slice(), expected.as_slice());
    });
}

pub fn notation_and_its_parser_are_inverse<P: Lawful>() {
    for mv in P::every_move() {
        assert_eq!(P::parse_move(&mv.to_string()), Ok(mv), "Position::parse_move of {mv}");
    }
    if !P::READS_NOTATION {
        return;
    }
    on_random_play::<P>(500, |step| {
        let text = step.position.notation();
        let read = P::from_notation(&text, step.position.rules());
        step.same("Position::from_notation of notation", read.as_ref(), Ok(&step.position));
    });
}

pub fn playing_commutes_with_symmetry<P: Lawful>() {
    on_random_play::<P>(1200 / P::SYMMETRIES as u64, |step| {
        let position = &step.position;
        step.same("Lawful::image of symmetry 0, the identity", &position.image(0), position);
        for symmetry in 0..P::SYMMETRIES {
            let image = position.image(symmetry);
            let what = format_args!("Position::outcome of Lawful::image {symmetry}");
            step.same(what, image.outcome(), position.outcome());
            let mut moves: Vec<P::Move> =
                position.legal_moves().map(|mv| P::image_of_move(mv, symmetry)).collect();
            moves.sort_unstable();
            let legal: Vec<P::Move> = image.legal_moves().collect();
            let what =
                format_args!("legal_moves of Lawful::image {symmetry} (expected: image_of_move)");
            step.same_moves(what, &legal, &moves);
            for mv in position.legal_moves() {
                let image_of_after = position.after(mv).image(symmetry);
                let after_of_image = image.after(P::image_of_move(mv, symmetry));
                let what = format_args!("Lawful::image_of_move of {mv} by symmetry {symmetry}");
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
        let games = (1200 / P::SYMMETRIES as u64).div_ceil(P::ONE_GAME_OF);
        for playout in (0..games).map(|game| RandomGame::<P>::new(rules, mix(11, game))) {
            for step in playout.steps() {
                let notation = step.position.notation();
                let known = by_key.entry(step.position.key()).or_insert_with(|| notation.clone());
                step.same("two positions with the same Position::key", &*known, &notation);
                let images: Vec<P> = (0..P::SYMMETRIES).map(|s| step.position.image(s)).collect();
                let canonical = images.iter().map(P::canonical_notation).min();
                let canonical = canonical.expect("there is the identity");
                let key = step.position.canonical_key();
                let known = by_canonical_key.entry(key).or_insert_with(|| canonical.clone());
                step.same("two positions with one Position::canonical_key", &*known, &canonical);
                for (symmetry, image) in images.iter().enumerate() {
                    let what = format_args!("Position::canonical_key of Lawful::image {symmetry}");
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
            step.same(
                "Searchable::zobrist_after (expected: zobrist)",
                hash,
                step.position.zobrist(),
            );
            let notation = step.position.notation();
            let known = by_hash.entry(hash).or_insert_with(|| notation.clone());
            step.same("two positions with the same Searchable::zobrist", &*known, &notation);
            if let Some(mv) = step.next_move() {
                hash = step.position.zobrist_after(hash, mv, &step.position.after(mv));
            }
        }
    }
}
