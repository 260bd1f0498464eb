//! `tictune play` on the real binary, with a pipe in place of a person.

use std::io::{Read, Write};
use std::process::{Child, Output, Stdio};

use tictune::game::{Game, Position};
use tictune::games::uttt::{Rules, Uttt};

#[cfg(unix)]
use crate::common::{Signal, send};
use crate::common::{assert_fails, run, tictune};

fn start(args: &[&str]) -> Child {
    let mut command = tictune(args);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().unwrap()
}

/// A conversation to the end of the input.
fn play(args: &[&str], input: &str) -> Output {
    let mut child = start(&[&["play"], args].concat());
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    child.wait_with_output().unwrap()
}

fn heard(args: &[&str], input: &str) -> String {
    let output = play(args, input);
    assert!(output.status.success(), "{}", crate::common::stderr(&output));
    assert!(output.stderr.is_empty(), "{}", crate::common::stderr(&output));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn a_person_who_leaves_is_told_the_command_that_goes_on() {
    let args = ["--rules", "no_line=most_boards", "--second", "--agent", "reflex", "--seed", "3"];
    let said = heard(&args, "q\n");
    let (_, rest) = said.split_once("to go on:\n  tictune ").unwrap();
    let command = rest.lines().next().unwrap();
    let expected = "play --rules no_line=most_boards --second --seed 3 --agent reflex --from \"";
    assert!(command.starts_with(expected), "{said}");
    let (options, from) = command.split_once(" --from ").unwrap();
    let from = from.trim_matches('"');
    let again: Vec<&str> = options.split(' ').skip(1).chain(["--from", from]).collect();
    assert!(heard(&again, "moves\nquit\n").contains(" legal moves: "));
    // A program that sees whole games only goes on with none.
    let bot = format!(
        "external:cmd=\"'{}' bot --protocol codingame --agent random\",protocol=codingame,time=20s",
        env!("CARGO_BIN_EXE_tictune")
    );
    let said = heard(&["--rules", "no_line=most_boards", "--agent", &bot], "4,4\nquit\n");
    assert!(said.contains("this program sees whole games only"), "{said}");
    assert!(!said.contains("to go on"), "{said}");
    let warned = play(&["--agent", &bot], "quit\n");
    assert!(crate::common::stderr(&warned).contains("CodinGame's rule"), "{said}");
}

/// Plays a whole game with moves from the binary, following the rules here. Returns the game's moves
/// and the binary's last output. The person's moves come from a simple generator.
fn whole_game(seed: &str, second: bool) -> (Vec<String>, String) {
    let mut args = vec!["play", "--agent", "random", "--seed", seed];
    args.extend(second.then_some("--second"));
    let mut child = start(&args);
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
    (moves, text)
}

#[test]
fn games_are_played_to_their_end_from_either_side_and_repeat_themselves() {
    let mut results = std::collections::BTreeSet::new();
    for (seed, second) in [("1", false), ("2", true), ("3", false), ("4", true)] {
        let (moves, text) = whole_game(seed, second);
        let position = moves.iter().fold(Uttt::start(Rules::default()), |position, mv| {
            position.after(Uttt::parse_move(mv).unwrap())
        });
        let person = usize::from(second);
        let result = match position.outcome().unwrap() {
            tictune::Outcome::Draw => "the game is drawn",
            tictune::Outcome::Win(winner) if winner.index() == person => "you have won",
            tictune::Outcome::Win(_) => "the computer has won",
        };
        assert!(text.contains(result), "{text}");
        results.insert(result);
        assert_eq!(whole_game(seed, second).0, moves);
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
        let text = heard(&["--level", level], "");
        assert!(text.contains(agent), "{text}");
    }
    let chess = heard(&["--game", "chess", "--level", "easy"], "");
    assert!(chess.contains("mcts:") && chess.contains("iterations=50"), "{chess}");
    assert_fails(&run(&["play", "--level", "esay"]), 2, "easy");
    assert_fails(&run(&["play", "--level", "easy", "--agent", "random"]), 2, "cannot be used with");
}

#[test]
fn a_conversation_is_explained_undone_and_left() {
    let text = heard(&["--agent", "reflex"], "5,5,5\n4,4\nmoves\nundo\nquit\n4,4\n");
    for expected in [
        "uttt, drawn_board=nobody,no_line=draw: you are x, the computer is o, reflex\n",
        "your move: 5,5,5\n\"5,5,5\" is not a square",
        "computer played 3,3; 0.00 s\n",
        "your move: moves\n9 legal moves: ",
        "your move: undo\ntaken back: 4,4 and 3,3\n",
        "your move: quit\nleft after 0 plies",
    ] {
        assert!(text.contains(expected), "{expected} is not in {text}");
    }
    assert_eq!(text.matches("computer played").count(), 1);
    // At the end of the input the game is left, and the output says how to continue it.
    let text = heard(&["--agent", "reflex"], "4,4");
    let (_, from) = text.split_once("--from \"").unwrap();
    let from = from.split('"').next().unwrap();
    let text = heard(&["--agent", "reflex", "--from", from], "resign\n");
    assert!(text.contains("x resigns: the computer has won\n"), "{text}");
    // Two people; variants of the rules; bytes that are not text.
    let args = ["--agent", "human", "--rules", "drawn_board=both"];
    let text = heard(&args, "4,4\n3,3\nundo\nhint\n");
    assert!(text.contains("drawn_board=both"), "{text}");
    assert!(
        text.contains("taken back: 3,3\n") && text.contains("move of o: hint\nhint: "),
        "{text}"
    );
    let mut child = start(&["play", "--agent", "reflex"]);
    child.stdin.take().unwrap().write_all(b"\xff\xfe\0\n").unwrap();
    assert!(child.wait_with_output().unwrap().status.success());
}

#[test]
fn what_cannot_be_played_is_refused() {
    for (args, expected) in [
        (&["--from", "9/9 x -"][..], "--from: expected nine rows"),
        (&["--agent", "minmax"], "did you mean \"minimax\"?"),
        (&["--agent", "minimax"], "needs a depth"),
        (&["--agent", "human", "--second"], "leave --first and --second out"),
        (&["--first", "--second"], "cannot be used with"),
        (&["--game", "draughts"], "unknown game \"draughts\""),
        (
            &[
                "--agent",
                "external:cmd=x,protocol=codingame",
                "--from",
                "9/9/9/9/4x4/9/9/9/9 o 1,1",
            ],
            "tells no positions",
        ),
    ] {
        assert_fails(&play(args, ""), 2, expected);
    }
    let over = "xxxxxxxxx/9/9/oo1oo1oo1/9/9/oo7/9/9 o -";
    assert_fails(&play(&["--from", over], ""), 2, "--from: the game is over in this position");
    // A person cannot take part in matches.
    for args in [&["match", "human", "random"][..], &["tournament", "random", "human"]] {
        assert_fails(&run(args), 2, "a person plays in tictune play only");
    }
    let missing = "external:cmd=/no/such/program,protocol=theaigames";
    assert_fails(&play(&["--agent", missing], "4,4\n"), 1, "could not be started");
}

#[cfg(unix)]
#[test]
fn an_interruption_ends_the_wait_for_a_move() {
    for signal in [Signal::INT, Signal::TERM] {
        let mut child = start(&["play", "--agent", "reflex"]);
        // The pipe is kept open; waiting for the process would close it.
        let input = child.stdin.take().unwrap();
        let mut output = child.stdout.take().unwrap();
        let mut said = Vec::new();
        let mut bytes = [0; 4096];
        while !said.ends_with(b"your move: ") {
            let count = output.read(&mut bytes).unwrap();
            assert!(count > 0, "no prompt");
            said.extend_from_slice(&bytes[..count]);
        }
        send(signal, &child);
        assert_eq!(child.wait().unwrap().code(), Some(130), "{signal:?}");
        drop(input);
    }
}
