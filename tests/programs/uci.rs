//! Chess engines over UCI. The engine is a shell script that moves its knights to and fro; its mode says what it does wrong.
#![cfg(unix)]

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::common::{Folder, assert_has, parsed, quoted, stderr, stdout};
use crate::needs::skip;

/// An engine for games from the start against its like: they repeat positions until the game is drawn.
const KNIGHTS: &str = include_str!("../configs/knights.sh");

fn engine(folder: &Folder, mode: &str, keys: &str) -> String {
    let agent = folder.agent("knights.sh", KNIGHTS, keys);
    quoted(&agent.replace("knights.sh'", &format!("knights.sh' {mode}")))
}

/// The report of a match from the start, played on one thread.
fn play(folder: &Folder, a: &str, b: &str, games: u32, more: &str) -> Value {
    let fixed = format!("--game chess --openings none --games {games} --threads 1 --json");
    let output = folder.run(&format!("match {a} {b} {fixed} {more}"));
    parsed(&output)
}

#[test]
fn engines_are_kept_from_game_to_game_and_told_what_to_do() {
    let scripts = Folder::new();
    let options = "protocol=uci,nodes=9,options={ hash = \"{size}\" },numbers={ size = 4 }";
    let a = engine(&scripts, "good", options);
    let b = engine(&scripts, "good", "protocol=uci,clock=10s+100ms");
    let report = play(&scripts, &a, &b, 4, "--pgn games.pgn");
    assert_eq!([&report["draws"], &report["errors"], &report["timeouts"]], [4, 0, 0]);
    // Eight plies repeat the start twice.
    assert_eq!(report["plies"], 32);
    assert_eq!(report["by_agent"][0]["nodes"], 7 * 16);
    let processes = scripts.lines("games");
    let different: BTreeSet<&String> = processes.iter().collect();
    assert_eq!((processes.len(), different.len()), (8, 2), "one process each for four games");
    let options = scripts.lines("options");
    let count = |line: &str| options.iter().filter(|other| *other == line).count();
    assert_eq!(count("setoption name Hash value 4"), 1);
    assert_eq!(count("setoption name Clear Hash"), 8);
    let searches: BTreeSet<String> = scripts.lines("searches").into_iter().collect();
    assert!(searches.contains("go nodes 9"), "{searches:?}");
    let clock = "go wtime 10000 btime 10000 winc 100 binc 100";
    assert!(searches.contains(clock), "an opponent without a clock has the same: {searches:?}");
    let positions = scripts.lines("positions");
    assert_eq!(positions[..2], ["position startpos", "position startpos moves g1f3"]);
    let text = scripts.read("games.pgn");
    assert_eq!(text.matches("[Termination \"normal\"]").count(), 4, "{text}");
    assert!(text.contains("1. Nf3 {+0.05/1 0.0"), "{text}");
    let back = scripts.said("show games.pgn");
    assert_has(&back, &["4 games: A won 0, drew 4, lost 0\n", "32 plies\n"]);
}

#[test]
fn an_engine_ponders_and_is_told_both_clocks() {
    let scripts = Folder::new();
    let a = engine(&scripts, "ponders", "protocol=uci,clock=10s+100ms,ponder=true,restart=true");
    let b = engine(&scripts, "good", "protocol=uci,clock=5s+50ms");
    let report = play(&scripts, &a, &b, 2, "");
    assert_eq!([&report["draws"], &report["errors"], &report["timeouts"]], [2, 0, 0]);
    let searches = scripts.lines("searches");
    let count = |begin: &str| searches.iter().filter(|line| line.starts_with(begin)).count();
    // A searches anew at its first move of a game only: it has expected all others. After its last move the game is over.
    assert_eq!(count("ponderhit"), 6, "{searches:?}");
    assert_eq!(count("stop"), 0, "{searches:?}");
    let first = "go wtime 10000 btime 5000 winc 100 binc 50";
    assert!(searches.iter().any(|line| line == first), "{searches:?}");
    let ponders =
        |line: &String| line.starts_with("go ponder wtime ") && line.ends_with(" binc 50");
    assert!(searches.iter().any(ponders), "{searches:?}");
    let processes: BTreeSet<String> = scripts.lines("games").into_iter().collect();
    assert_eq!(processes.len(), 3, "A starts for each game");
    // What is not expected ends the search.
    let searches = Folder::new();
    let a = engine(&searches, "ponders", "protocol=uci,nodes=5,ponder=true");
    let report = play(&searches, &a, "random", 6, "--rules max_plies=3");
    assert_eq!([&report["draws"], &report["errors"]], [6, 0], "{report}");
    assert!(searches.lines("searches").contains(&"stop".into()));
}

#[test]
fn a_book_may_be_pgn_and_chess960_castles() {
    let folder = Folder::new();
    folder.file(
        "book.pgn",
        "[Event \"a\"]\n\n1. e4 e5 {x} *\n\n[Event \"b\"]\n\n1. d4 (1. c4) d5 1/2-1/2\n",
    );
    folder.file("960.epd", "1r3krr/8/8/8/8/8/8/1R3KRR w KQkq -\n");
    let play = "match random random --game chess --games 4";
    let fast = "--rules max_plies=5 --pgn games.pgn";
    folder.said(&format!("{play} --openings file:book.pgn {fast}"));
    assert_eq!(folder.read("games.pgn").matches("/pppp1ppp/8/4p3/4P3/8/").count(), 2);
    let fast = "--rules max_plies=5,chess960=true --pgn games.pgn";
    folder.said(&format!("{play} --openings file:960.epd {fast}"));
    assert_has(&folder.read("games.pgn"), &["[Variant \"Chess960\"]\n", " w HBhb - 0 1\"]"]);
    assert_has(&folder.said("show games.pgn"), &["4 games: A won "]);
}

#[test]
fn games_that_cannot_be_read_are_left_out() {
    let folder = Folder::new();
    let game = |white, moves| format!("[White \"{white}\"]\n[Black \"b\"]\n\n{moves}\n\n");
    let bad = game("a", "1. e4 Ke7 1-0");
    folder.file("games.pgn", &format!("{}{}", game("a", "1. e4 e5 1-0"), bad.repeat(12)));
    let run = folder.run("show games.pgn --json");
    let json: serde_json::Value = serde_json::from_slice(&run.stdout).unwrap();
    assert_eq!(json["results"][0]["wins"], 1);
    assert_eq!(json["errors"].as_array().unwrap().len(), 12);
    let message = "\"Ke7\" is not a move here, at ply 2";
    assert_eq!(json["errors"][0], serde_json::json!({ "game": 2, "line": 9, "message": message }));
    let warnings = String::from_utf8_lossy(&run.stderr);
    assert_has(
        &warnings,
        &[
            &format!("warning: games.pgn:9: game 2 is left out: {message}\n"),
            "warning: more games left out: 2\n",
        ],
    );
    assert_eq!(warnings.lines().count(), 11);
}

#[test]
fn a_crash_a_hang_and_a_wrong_move_forfeit_the_game_and_no_other() {
    for (mode, keys, field, reason) in [
        (
            "crash",
            "depth=3",
            "errors",
            "the program ended in mid-game: exit status: 7; its last words: out of luck",
        ),
        ("hang", "time=200ms", "timeouts", "no answer in time: still none "),
        ("illegal", "depth=3", "errors", "illegal move e2e5"),
        ("none", "depth=3", "errors", "illegal move (none): there are 2"),
        ("nonsense", "depth=3", "errors", "not an answer of its protocol: \"bestmove castle\""),
    ] {
        let scripts = Folder::new();
        let good = engine(&scripts, "good", "protocol=uci,depth=3");
        let bad = engine(&scripts, mode, &format!("protocol=uci,{keys}"));
        let report = play(&scripts, &bad, &good, 4, "");
        assert_eq!([&report["losses"], &report[field]], [4, 4], "{mode}: {report}");
        let failure = report["forfeits"][0]["failure"].as_str().unwrap();
        assert_has(failure, &[reason]);
        let different: BTreeSet<String> = scripts.lines("games").into_iter().collect();
        assert!(different.len() >= 5, "{mode}: started again for each game");
    }
}

#[test]
fn an_engine_with_a_name_is_called_by_it() {
    let scripts = Folder::new();
    let [a, b] = ["base", "next"]
        .map(|name| engine(&scripts, "good", &format!("protocol=uci,depth=1,name={name}")));
    let said = scripts
        .said(&format!("match {a} {b} --game chess --games 2 --openings none --pgn games.pgn"));
    assert_has(&said, &["A  base\n", "B  next\n"]);
    assert_has(&scripts.read("games.pgn"), &["[White \"base\"]\n[Black \"next\"]"]);
    let table = scripts.said(&format!("tournament {a} {b} --game chess --games 2 --openings none"));
    assert_has(&table, &[" base  ", " next  "]);
}

#[test]
fn the_start_of_an_engine_is_no_part_of_its_moves() {
    let scripts = Folder::new();
    let slow = engine(&scripts, "slow", "protocol=uci,depth=3");
    let good = engine(&scripts, "good", "protocol=uci,depth=3");
    let report = play(&scripts, &slow, &good, 2, "");
    let slowest = report["by_agent"][0]["slowest_seconds"].as_f64().unwrap();
    assert!(slowest < 0.6, "{slowest} s, and it starts in 0.7 s");
}

#[test]
fn a_clock_that_has_run_out_is_forgiven_once() {
    let scripts = Folder::new();
    // 30 ms per move for four moves: the overhead of 50 ms pays for some of them, and for no more.
    let late = engine(&scripts, "thinks", "protocol=uci,clock=1ms+0ms");
    let good = engine(&scripts, "good", "protocol=uci,depth=3");
    let report = play(&scripts, &late, &good, 2, "");
    assert_eq!([&report["losses"], &report["timeouts"]], [2, 2], "{report}");
    // Far from the overhead, so that it is in time on a busy machine too.
    let in_time = engine(&scripts, "blinks", "protocol=uci,clock=1ms+10s");
    let report = play(&scripts, &in_time, &good, 2, "");
    assert_eq!([&report["draws"], &report["by_agent"][0]["moves_in_grace"]], [2, 2], "{report}");
}

#[test]
fn games_are_adjudicated_when_both_engines_agree() {
    let scripts = Folder::new();
    let agent = |mode| engine(&scripts, mode, "protocol=uci,depth=1");
    let rules =
        "resign_score=600,resign_moves=2,draw_score=10,draw_moves=2,draw_from=0,max_plies=7";
    let more = format!("--rules {rules} --pgn games.pgn");
    for (a, b, counts, plies) in [
        ("winning", "losing", [2, 0, 0], 8),
        ("good", "good", [0, 2, 0], 8),
        ("winning", "good", [0, 2, 0], 14),
    ] {
        let report = play(&scripts, &agent(a), &agent(b), 2, &more);
        let found = ["wins", "draws", "losses"].map(|key| report[key].as_u64().unwrap());
        assert_eq!((found, report["plies"].as_u64()), (counts, Some(plies)), "{a} against {b}");
        let text = scripts.read("games.pgn");
        assert_eq!(text.matches("[Termination \"adjudication\"]").count(), 2, "{text}");
    }
}

const EVOLUTION: &str = include_str!("../configs/engine.toml");

/// A folder with the engine and a config of its evolution.
fn with_engine(config: &str) -> Folder {
    let folder = Folder::new();
    folder.agent("knights.sh", KNIGHTS, "");
    folder.file("c.toml", &config.replace("SCRIPT", "knights.sh"));
    folder
}

#[test]
fn an_evolution_goes_on_after_a_crash_and_says_so() {
    let twin = |grace| {
        let agent = "external:cmd='sh knights.sh',protocol=uci,depth=1,name=twin";
        format!("[[validation.agents]]\nagent = \"{agent},grace={grace}\"\n")
    };
    let folder = with_engine(&format!("{EVOLUTION}{}{}", twin(0), twin(1)));
    let output = folder.run("evolve c.toml --out run --threads 1");
    assert!(output.status.success(), "{}", stderr(&output));
    assert_has(&stderr(&output), &["games were forfeited by programs: 0 on time"]);
    assert_has(&folder.read("run/best-agent.txt"), &["\"King Safety\" = \"{king_safety}\""]);
    assert!(folder.lines("searches").iter().all(|line| line == "go depth 1"));
    // Others of one name are told apart.
    assert_has(&folder.read("run/validation.csv"), &[",twin,", ",twin#2,"]);
    // What the winner's options are set by, without those that were not tuned.
    let exported = folder.said("export run --format uci");
    let set = exported.strip_prefix("setoption name King Safety value ");
    assert!(set.is_some_and(|value| value.trim().parse::<u32>().is_ok()), "{exported}");
    assert_has(&folder.read("run/manifest.json"), &["\"announces\": \"Knights 1\""]);
    let value = set.unwrap().trim();
    let list = format!("King Safety, int, {value}, 0, 400, 20, 0.002\n");
    assert_eq!(folder.said("export run --format openbench"), list);
    let list = parsed(&folder.run("export run --format weather-factory"));
    let expected = serde_json::json!({ "value": value.parse::<u32>().unwrap(), "min_value": 0, "max_value": 400, "step": 20 });
    assert_eq!(list["King Safety"], expected);
}

#[test]
fn a_new_config_says_what_is_tuned_and_has_time_enough() {
    let folder = Folder::new();
    let slow = KNIGHTS.replace("sleep 0.03", "sleep 0.2").replace(
        "echo \"option name Clear",
        "echo \"option name Slow Mover type spin default 84 min 10 max 1000\"; echo \"option name Clear",
    );
    folder.agent("slow.sh", &slow, "");
    let made = folder.told("new i.toml --program 'sh slow.sh thinks' --time 1s", b"");
    let chooses = "note: tuned are King Safety; --parameters \"NAME,...\" chooses others\n";
    let time =
        "note: 1s is hardly enough for one generation of this engine's games: the config has ";
    let named = "--parameters names them: Hash, Slow Mover\n";
    assert_has(&stderr(&made), &[chooses, time, named]);
    assert!(!folder.read("i.toml").contains("\"1s\""));
    folder.said("evolve i.toml --check");
}

#[test]
fn an_engine_may_have_thousands_of_options() {
    let folder = Folder::new();
    let many = "i=0; while [ $i -lt 2000 ]; do i=$((i + 1))\n\
                echo \"option name Weight $i type spin default 1 min 0 max 9\"; done\necho \"uciok";
    folder.agent("many.sh", &KNIGHTS.replace("echo \"uciok", many), "");
    let start = Instant::now();
    folder.said("new m.toml --program 'sh many.sh' --time 1h --parameters all");
    // It took a minute when each parameter read all options.
    assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
    let plan = folder.said("evolve m.toml --check");
    assert_has(
        &plan,
        &["weight_11 and 1986 more\n", "\nweight_1997 from 1, in 0 to 9, centred scale\n"],
    );
    assert!(plan.lines().all(|line| line.len() < 700));
}

#[test]
fn a_value_that_an_engine_refuses_is_the_error_of_its_candidate() {
    let folder = with_engine(&EVOLUTION.replace("whole = true\n", ""));
    let lines = "[{\"id\": 1, \"numbers\": {\"king_safety\": 100}}, {\"id\": 2, \"numbers\": {\"king_safety\": 100.5}}]\n\
                 {\"numbers\": {\"king_safety\": 50}}\n";
    let output = folder.told("fitness c.toml --threads 1", lines.as_bytes());
    let answers: Vec<Value> = serde_json::Deserializer::from_slice(&output.stdout)
        .into_iter()
        .map(Result::unwrap)
        .collect();
    assert!(answers[0][0]["cost"].is_number() && answers[1]["cost"].is_number(), "{answers:?}");
    assert_eq!(answers[0][1]["id"], 2);
    let agent = answers[1]["agent"].as_str().unwrap();
    assert_has(agent, &["numbers={ king_safety = 50 }"]);
    assert!(agent.ends_with("depth=1"), "{agent}");
    let error = answers[0][1]["error"].as_str().unwrap();
    assert!(error.starts_with("line 1: ") && error.contains("not \"100.5\""), "{error}");
}

#[test]
fn a_parameter_begins_at_what_the_engine_announces() {
    let folder = with_engine(&EVOLUTION.replace("initial = 200\n", ""));
    let told = folder.json("fitness c.toml --describe");
    assert_eq!(told["numbers"][0]["initial"], 100.0, "{told}");
}

#[test]
fn python_chess_reads_our_games() {
    const READ: &str = r#"
import sys, chess.pgn
games = 0
with open(sys.argv[1]) as file:
    while (game := chess.pgn.read_game(file)) is not None:
        assert not game.errors, game.errors
        board = game.end().board()
        assert game.end().ply() >= int(game.headers["PlyCount"])
        if game.headers["Termination"] == "normal":
            assert board.result(claim_draw=True) == game.headers["Result"], board.fen()
        games += 1
print(games)
"#;
    let folder = Folder::new();
    let more = "--game chess --games 12 --openings random:5 --pgn games.pgn";
    folder.said(&format!("match random mcts:iterations=2 {more}"));
    assert_eq!(folder.read("games.pgn").matches("[Event ").count(), 12);
    let found = Command::new("python3").args(["-c", "import chess.pgn"]).output();
    if found.is_ok_and(|output| output.status.success()) {
        let mut python = Command::new("python3");
        let output = python.args(["-c", READ]).arg(folder.path("games.pgn")).output().unwrap();
        assert_eq!(stdout(&output).trim(), "12", "{}", stderr(&output));
    } else {
        skip("python-chess");
    }
}

#[test]
fn real_engines_play_if_they_are_installed() {
    let toga = "options={ OwnBook = \"false\", Ponder = \"false\" }";
    let glaurung = "options={ OwnBook = \"false\", Threads = \"1\" }";
    for (path, limit, options) in
        [("/usr/games/toga2", "depth=3", toga), ("/usr/games/glaurung", "nodes=20000", glaurung)]
    {
        if !Path::new(path).exists() {
            skip(path.trim_start_matches("/usr/games/"));
            continue;
        }
        let agent = format!("external:cmd={path},protocol=uci,{limit},{options}");
        let line = format!("match {} random --game chess --games 4 --json", quoted(&agent));
        let report = Folder::new().json(&line);
        assert_eq!([&report["wins"], &report["errors"], &report["timeouts"]], [4, 0, 0]);
    }
}
