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
            let outcome = end.position.outcome();
            *seen.entry(outcome).or_insert(0) += 1;
        }
        for outcome in P::ends() {
            let count = seen.get(&Some(outcome)).copied().unwrap_or(0);
            assert!(
                count > 0,
                "rules {rules}: of 1000 random games none ends as {outcome:?}: {seen:?}"
            );
        }
    }
}

/// Listed moves are the legal moves.
pub fn listed_moves_are_the_legal_moves<P: Lawful>() {
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

/// Counting two plies without playing them gives what plain recursion gives.
pub fn pairs_of_moves_are_counted_as_by_playing<P: Lawful>() {
    fn plain<P: Lawful>(position: &P, depth: u32) -> u64 {
        if depth == 0 {
            return 1;
        }
        position.legal_moves().map(|mv| plain(&position.after(mv), depth - 1)).sum()
    }
    on_random_play::<P>(500, |step| {
        let counted = step.position.legal_pair_count();
        assert_eq!(counted, plain(&step.position, 2), "pairs of moves of\n{step}");
    });
    for playout in playouts::<P>(10) {
        for step in playout.steps().skip(3).step_by(5) {
            let counted = perft(&step.position, 3);
            assert_eq!(counted, plain(&step.position, 3), "perft 3 of\n{step}");
        }
    }
}

/// Moves have numbers and plies are counted.
pub fn moves_have_numbers_and_plies_are_counted<P: Lawful>() {
    let indices: Vec<usize> = P::every_move().into_iter().map(P::move_index).collect();
    let different: HashSet<usize> =
        indices.iter().copied().filter(|&index| index < P::MOVE_INDICES).collect();
    assert_eq!(
        different.len(),
        indices.len(),
        "every move has an index of its own below MOVE_INDICES"
    );
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

/// Playing out is drawing moves to the end.
pub fn playing_out_is_drawing_moves_to_the_end<P: Lawful>() {
    on_random_play::<P>(300, |step| {
        // Any numbers will do; these differ from position to position and ply to ply.
        let draws = |count: u32, ply: usize| {
            (mix(step.playout.seed ^ step.ply as u64, ply as u64) % u64::from(count)) as u32
        };
        let (mut position, mut moves) = (step.position.clone(), Vec::new());
        while position.outcome().is_none() {
            let side = position.side_to_move();
            let mv = position
                .nth_legal_move(draws(position.legal_move_count() as u32, moves.len()) as usize);
            position.play_unchecked(mv);
            moves.push((side, mv));
        }
        let (mut noted, mut drawn) = (Vec::new(), 0);
        let outcome = step.position.play_out(
            |count| {
                drawn += 1;
                draws(count, drawn - 1)
            },
            |side, mv| noted.push((side, mv)),
        );
        assert!(noted == moves, "played {noted:?}, not {moves:?}, from\n{step}");
        assert_eq!(Some(outcome), position.outcome(), "the end of {moves:?} from\n{step}");
    });
}

/// Play is play unchecked and refuses the rest.
pub fn play_is_play_unchecked_and_refuses_the_rest<P: Lawful>() {
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

/// Winning move is the first that wins.
pub fn winning_move_is_the_first_that_wins<P: Lawful>() {
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

/// Notation and its parser are inverse.
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
        assert_eq!(read.as_ref(), Ok(&step.position), "read back from \"{text}\":\n{step}");
    });
}

/// Playing commutes with symmetry.
pub fn playing_commutes_with_symmetry<P: Lawful>() {
    on_random_play::<P>(4000 / P::SYMMETRIES as u64, |step| {
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

/// Keys tell positions apart.
pub fn keys_tell_positions_apart<P: Lawful>() {
    for rules in P::every_rules() {
        // Notation stands for the position: it is its own inverse's argument, by another law.
        let mut by_key: HashMap<u64, String> = HashMap::new();
        let mut by_canonical_key: HashMap<u64, String> = HashMap::new();
        let games = (2400 / P::SYMMETRIES as u64).div_ceil(P::ONE_GAME_OF);
        for playout in (0..games).map(|game| Playout::<P>::new(rules, mix(11, game))) {
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
                    images.iter().map(P::canonical_notation).min().expect("there is the identity");
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

/// Zobrist hashes follow moves.
pub fn zobrist_hashes_follow_moves<P: Lawful>() {
    let mut by_hash: HashMap<u64, String> = HashMap::new();
    for playout in playouts::<P>(100) {
        let mut hash = P::start(playout.rules).zobrist();
        for step in playout.steps() {
            let notation = step.position.notation();
            assert_eq!(hash, step.position.zobrist(), "move by move and from scratch in\n{step}");
            let known = by_hash.entry(hash).or_insert_with(|| notation.clone());
            assert_eq!(*known, notation, "two positions share the hash {hash:016x}:\n{step}");
            if let Some(mv) = step.next_move() {
                hash = step.position.zobrist_after(hash, mv, &step.position.after(mv));
            }
        }
    }
}
