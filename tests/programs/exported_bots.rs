//! Bots exported for CodinGame: compiled as a platform would, and asked through the platform's protocol.
//!
//! A bot plays what its agent plays, move for move, if both may visit the same number of positions.

use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use rand::RngExt;
use tictune::Agents;
use tictune::Game;
use tictune::agent::Turn;
use tictune::game::Position;
use tictune::games::uttt::{NoLine, Rules, Uttt, UtttMove};
use tictune::seed::{Role, generator};

use crate::common::{Folder, Killed, assert_has, edited, piped, read_json, stderr, stdout};

const RULES: Rules =
    Rules { no_line: NoLine::MostBoards, drawn_board: tictune::games::uttt::DrawnBoard::Nobody };

/// Exports an agent and compiles the bot.
fn bot_of(agent: &str, folder: &Folder) -> PathBuf {
    folder.said(&format!("export {agent} --format codingame-rust --out bot.rs"));
    let text = folder.read("bot.rs");
    assert!(text.chars().count() < 100_000 && !text.contains("{{"), "{}", &text[..2000]);
    let mut compiler = Command::new("rustc");
    compiler.args(["-O", "--edition", "2021", "-D", "warnings", "bot.rs", "-o", "bot"]);
    let output = compiler.current_dir(folder.path("")).output().unwrap();
    let said = stderr(&output).chars().take(3000).collect::<String>();
    assert!(output.status.success(), "{said}");
    folder.path("bot")
}

/// A bot that is running.
struct Bot {
    _child: Killed,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Bot {
    fn start(bot: &Path, arguments: &[&str]) -> Self {
        let mut command = Command::new(bot);
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let (input, output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        Self { _child: Killed(child), input, output: BufReader::new(output) }
    }

    /// Asks for a move after the last moves, as `ROW COLUMN` each.
    fn ask(&mut self, last: &str, position: &Uttt) -> UtttMove {
        let mut request = format!("{last}\n{}\n", position.legal_move_count());
        for mv in position.legal_moves() {
            let _ = writeln!(request, "{}", written(mv));
        }
        self.input.write_all(request.as_bytes()).unwrap();
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        let words: Vec<usize> = line.split(' ').filter_map(|word| word.parse().ok()).collect();
        let mv = UtttMove::from_column_row(words[1], words[0]).unwrap();
        assert!(position.is_legal(mv), "{line} in\n{position}");
        mv
    }
}

fn written(mv: UtttMove) -> String {
    format!("{} {}", mv.row(), mv.column())
}

/// Random positions of all phases of the game, each with the game that led there.
fn games(count: usize, seed: u64) -> Vec<(String, Uttt)> {
    let mut generator = generator(seed, Role::Opening);
    let mut games = Vec::new();
    while games.len() < count {
        let (mut position, mut moves) = (Uttt::start(RULES), "-1 -1".to_owned());
        for _ in 0..generator.random_range(0..72) {
            if position.outcome().is_some() {
                break;
            }
            let index = generator.random_range(0..position.legal_move_count() as u32);
            let mv = position.nth_legal_move(index as usize);
            let _ = write!(moves, " {}", written(mv));
            position.play_unchecked(mv);
        }
        if position.outcome().is_none() {
            games.push((moves, position));
        }
    }
    games
}

/// Asserts that a bot and its agent, both with what they remember from move to move, choose the same moves: in random
/// positions, and in a game against random moves.
fn assert_same_moves(agent: &str, nodes: u64, positions: usize) {
    let folder = Folder::new();
    assert_same_moves_in(&folder, agent, nodes, positions);
}

fn assert_same_moves_in(folder: &Folder, agent: &str, nodes: u64, positions: usize) {
    let bot = bot_of(agent, folder);
    let start = || Bot::start(&bot, &[&format!("nodes={nodes}")]);
    let spec = format!("{agent},nodes={nodes}");
    let spec = Agents::<Uttt>::default().parse(&spec, &folder.path("")).unwrap();
    let ready = Agents::<Uttt>::default().prepare(&spec).unwrap();
    let (mut bot, mut agent) = (start(), ready.spawn(0));
    for (number, (moves, position)) in games(positions, 19).into_iter().enumerate() {
        let expected = agent.choose(&Turn::new(&position)).unwrap().mv;
        assert_eq!(bot.ask(&moves, &position), expected, "position {number}\n{position}");
    }
    let (mut bot, mut agent, mut generator) =
        (start(), ready.spawn(0), generator(20, Role::Opening));
    let (mut position, mut last) = (Uttt::start(RULES), "-1 -1".to_owned());
    while position.outcome().is_none() {
        let expected = agent.choose(&Turn::new(&position)).unwrap().mv;
        assert_eq!(bot.ask(&last, &position), expected, "in the game\n{position}");
        position.play(expected).unwrap();
        if position.outcome().is_none() {
            let index = generator.random_range(0..position.legal_move_count() as u32);
            let reply = position.nth_legal_move(index as usize);
            position.play(reply).unwrap();
            last = written(reply);
        }
    }
}

/// A bot plays both sides of a game on the platform's clock.
#[test]
fn a_bot_plays_a_game_in_time() {
    let folder = Folder::new();
    let bot = bot_of("tictune-patterns-count", &folder);
    let mut bots = [(); 2].map(|()| Bot::start(&bot, &[]));
    let (mut position, mut last) = (Uttt::start(RULES), "-1 -1".to_owned());
    for number in 0.. {
        if position.outcome().is_some() {
            break;
        }
        let started = Instant::now();
        let mv = bots[number % 2].ask(&last, &position);
        // Five seconds too many: other tests run beside this one.
        let limit = Duration::from_millis(if number < 2 { 1000 } else { 100 });
        assert!(started.elapsed() < limit + Duration::from_secs(5), "move {number}");
        position.play(mv).unwrap();
        last = written(mv);
    }
    refuses_what_it_does_not_know(&bot);
}

/// What is no argument and no request is answered in words.
fn refuses_what_it_does_not_know(bot: &Path) {
    const ARGUMENT: &str = "expected nodes=N or time=MILLISECONDS, found ";
    const MOVE: &str = "expected ROW COLUMN from 0 to 8, or -1 -1, found ";
    let said = |argument: Option<&str>, requests: &str| {
        let mut child = piped(Command::new(bot).args(argument));
        // One that refuses its argument reads nothing.
        let _ = child.stdin.take().unwrap().write_all(requests.as_bytes());
        let output = child.wait_with_output().unwrap();
        let text = [output.stdout, output.stderr].concat();
        (output.status.code(), String::from_utf8(text).unwrap())
    };
    for (argument, requests, expected) in [
        (Some("--help"), "", format!("{ARGUMENT}\"--help\"\n")),
        (Some("nodes=abc"), "", format!("{ARGUMENT}\"nodes=abc\"\n")),
        (Some("nodes="), "", format!("{ARGUMENT}\"nodes=\"\n")),
        (Some("time=-5"), "", format!("{ARGUMENT}\"time=-5\"\n")),
        (None, "hello\n", format!("{MOVE}\"hello\"\n")),
        (None, "4 9\n1\n0 0\n", format!("{MOVE}\"4 9\"\n")),
        (None, "4\n", format!("{MOVE}\"4\"\n")),
        (None, "4 4\nmany\n", "expected the number of legal moves, found \"many\"\n".into()),
        (None, "4 4\n1\n0\n", format!("{MOVE}\"0\"\n")),
    ] {
        assert_eq!(said(argument, requests), (Some(2), expected), "{argument:?} {requests:?}");
    }
    let (status, text) = said(Some("time=20"), "-1 -1\n2\n4 4\n0 0\n");
    assert!(status == Some(0) && text.contains(" depth "), "{text}");
    assert_eq!(said(None, ""), (Some(0), String::new()));
}

#[test]
fn a_bot_plays_the_moves_of_its_agent() {
    for weights in ["tictune-patterns", "tictune-patterns-count"] {
        assert_same_moves(&format!("pvs:weights={weights}"), 2000, 1000);
    }
}

/// The evaluations that are not `patterns`: one with tables of its own; sums over squares, with and without what counts in
/// decided boards; and those whose bots call the exported function.
#[test]
fn bots_of_other_evaluations_play_the_moves_of_their_agents() {
    for weights in
        ["tictune-extended", "liang-comprehensive", "amar-winning", "sista", "lifshitz-heur4"]
    {
        assert_same_moves(&format!("pvs:weights={weights}"), 1000, 80);
    }
}

#[test]
fn weights_of_every_evaluation_of_positions_make_a_bot() {
    let folder = Folder::new();
    for layout in Uttt::INFO.layouts {
        let line = format!("export pvs:eval={} --format codingame-rust", layout.name);
        if let "grid-moves" | "cells-weight" = layout.name {
            folder.fails(&line, 2, "all other evaluations of uttt can be");
            continue;
        }
        let text = folder.said(&line);
        assert_has(&text, &[&format!("of the evaluation {}", layout.name)]);
        assert!(text.chars().count() < 100_000 && !text.contains("{{"), "{line}: {text}");
    }
    let text = folder.said("export tictune-patterns --format codingame-rust");
    let comments: String = text.lines().take_while(|line| line.starts_with("//")).collect();
    assert_has(&comments, &["tictune", "pvs:", "fit_patterns", "free_choice = 0.3797"]);
}

/// Weights and constants of the search that differ from the defaults in every way.
#[test]
fn every_constant_of_an_agent_reaches_its_bot() {
    let folder = Folder::new();
    let weights = folder.said("export tictune-patterns-count --format toml");
    let weights = edited(
        &weights,
        &[
            ("corner_boards = 0.00390625", "corner_boards = 0.004"),
            ("side_boards = 0.00390625", "side_boards = 0.003"),
            ("macro_board = 0.00390625", "macro_board = 0.0051"),
            ("\nturn = 0.00390625", "\nturn = 0.0042"),
            ("decisive_turn = 0.00390625", "decisive_turn = 0.0035"),
            ("boards_ahead = 0.0", "boards_ahead = -0.21"),
        ],
    );
    folder.file("other.toml", &weights);
    let keys = "reduction=0.6,reduction_base=0.25,reduction_value=0.7,killer=0.1,window=0.1,depth=6,table=1";
    assert_same_moves_in(&folder, &format!("pvs:weights=other.toml,{keys}"), 3000, 200);
}

#[test]
fn the_bot_of_a_run_has_all_that_the_run_evolved() {
    let folder = Folder::new();
    let evolve = |agent: &str, key: &str| {
        let evolved = format!(
            "[agent]\n{agent}\n[[parameters]]\nkey = \"{key}\"\ninitial = 0.4\nlow = 0.1\nhigh = 0.7\n[[opponents]]"
        );
        let tiny = include_str!("../configs/tiny.toml");
        folder.file("tuned.toml", &edited(tiny, &[("[[opponents]]", &evolved)]));
        folder.said(&format!("evolve tuned.toml --max-generations 1 --out {key}"));
        folder.run(&format!("export {key} --format codingame-rust"))
    };
    let bot = evolve("kind = \"pvs\"\nnodes = 50", "reduction");
    let comparison = read_json(&folder.path("reduction/comparison.json"));
    let winner = comparison["winner"].as_str().unwrap();
    let agent = folder.read(&format!("reduction/{winner}-agent.txt"));
    let (_, rest) = agent.split_once(",reduction=").unwrap();
    let reduction: f64 = rest.trim().split(',').next().unwrap().parse().unwrap();
    assert!((reduction - 0.6).abs() > 1e-6, "it is not the default");
    assert_has(&stdout(&bot), &[&format!("const REDUCTION: f64 = {reduction:?};")]);
    // Weights alone have no such numbers, which is said.
    let weights = folder.run("export reduction --format json");
    assert_has(&stderr(&weights), &["which are not included: reduction="]);
    let bot = evolve("kind = \"mcts\"\niterations = 20\nplayout = \"ept\"", "c");
    assert!(bot.status.success(), "{}", stderr(&bot));
    assert_has(&stderr(&bot), &["its agent (mcts), which are not included: c="]);
}
