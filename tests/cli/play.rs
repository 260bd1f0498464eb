//! `tictune play` on the real binary, with a pipe in place of a person. Conversations are in `messages/shown.txt`.

use std::io::{Read, Write};
use std::process::Stdio;

use tictune::game::{Game, Position};
use tictune::games::uttt::{Rules, Uttt};

use crate::common::{Folder, assert_has, own_bot, quoted, stderr, stdout};

fn heard(line: &str, input: &str) -> String {
    let output = Folder::new().told(line, input.as_bytes());
    assert!(output.status.success() && output.stderr.is_empty(), "{}", stderr(&output));
    stdout(&output)
}

#[test]
fn a_person_who_leaves_is_told_the_command_that_goes_on() {
    let rules = "--rules no_line=most_boards";
    let said = heard(&format!("play {rules} --second --agent reflex --seed 3"), "q\n");
    let (_, rest) = said.split_once("to continue:\n  tictune ").unwrap();
    assert_has(&heard(rest.lines().next().unwrap(), "moves\nquit\n"), &[" legal moves: "]);
    // A program that sees whole games only goes on with none.
    let bot = quoted(&own_bot("codingame", "random", ",time=20s"));
    let said = heard(&format!("play {rules} --agent {bot}"), "4,4\nquit\n");
    assert_has(&said, &["its program only plays whole games"]);
    assert!(!said.contains("to continue"), "{said}");
    let warned = Folder::new().told(&format!("play --agent {bot}"), b"quit\n");
    assert_has(&stderr(&warned), &["CodinGame's rule"]);
    // Bytes that are not text.
    assert!(Folder::new().told("play --agent reflex", b"\xff\xfe\0\n").status.success());
}

/// Plays a whole game with moves from the binary, following the rules here. Returns the game's moves
/// and the binary's last output. The person's moves come from a simple generator.
fn whole_game(seed: &str, second: bool) -> (Vec<String>, String) {
    let side = if second { "--second" } else { "--first" };
    let folder = Folder::new();
    let mut child = folder.command(&format!("play --agent random --seed {seed} {side}"));
    let mut child = child.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let (mut input, mut output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    let (mut position, mut moves, mut last) = (Uttt::start(Rules::default()), Vec::new(), None);
    let (mut text, mut read_to, mut draw) = (String::new(), 0, 1_usize);
    loop {
        // Everything printed up to the next prompt, or to the end.
        let mut bytes = [0; 4096];
        while !text[read_to..].contains("your move: ") {
            let count = output.read(&mut bytes).unwrap();
            if count == 0 {
                break;
            }
            text += std::str::from_utf8(&bytes[..count]).unwrap();
        }
        let new = text[read_to..].to_string();
        read_to = text.len();
        if let Some((_, said)) = new.split_once("computer played ") {
            let mv = Uttt::parse_move(said.split(';').next().unwrap()).unwrap();
            position.play(mv).unwrap();
            moves.push(mv.to_string());
            last = Some(mv);
        }
        if !new.contains("your move: ") {
            assert!(position.outcome().is_some(), "{text}");
            break;
        }
        assert!(new.contains(&position.drawing(last)), "the board is not {position} in {new}");
        draw = draw.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1) % (1 << 40);
        let mv = position.legal_moves().nth((draw >> 16) % position.legal_move_count()).unwrap();
        position.play(mv).unwrap();
        moves.push(mv.to_string());
        last = Some(mv);
        writeln!(input, "{mv}").unwrap();
    }
    assert!(child.wait().unwrap().success());
    assert!(text.contains(&position.drawing(last)), "the last board is not shown: {text}");
    let result = match position.outcome().unwrap() {
        tictune::Outcome::Draw => "the game is drawn",
        tictune::Outcome::Win(winner) if winner.index() == usize::from(second) => "you have won",
        tictune::Outcome::Win(_) => "the computer has won",
    };
    assert_has(&text, &[result]);
    (moves, result.to_owned())
}

#[test]
fn games_are_played_to_their_end_from_either_side_and_repeat_themselves() {
    let mut results = std::collections::BTreeSet::new();
    for (seed, second) in [("1", false), ("2", true), ("3", false), ("4", true)] {
        let game = whole_game(seed, second);
        assert_eq!(whole_game(seed, second), game);
        results.insert(game.1);
    }
    assert!(results.len() > 1, "one kind of end only: {results:?}");
}

#[test]
fn strength_has_names() {
    for (level, agent) in [
        ("beginner", "the computer is o, random\n"),
        ("easy", "the computer is o, greedy:eval="),
        ("medium", "the computer is o, minimax:depth=2,"),
        ("hard", "the computer is o, pvs:time=50ms,"),
        ("expert", "the computer is o, pvs:time=1s,"),
    ] {
        assert_has(&heard(&format!("play --level {level}"), ""), &[agent]);
    }
    assert_has(&heard("play --game chess --level easy", ""), &["mcts:", "iterations=50"]);
}
