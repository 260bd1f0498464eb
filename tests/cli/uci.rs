//! Chess engines over UCI. The engine is a shell script that moves its knights to and fro; its mode says what it does wrong.
#![cfg(unix)]

use std::collections::BTreeSet;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::common::{assert_fails, run, stderr, stdout_of, tictune};
use crate::needs::skip;
use crate::programs::Scripts;

/// An engine for games from the start against its like: they repeat positions until the game is drawn.
const KNIGHTS: &str = r#"
mode=$1
while read -r line; do
    set -- $line
    case "$1" in
    uci)
        echo "Knights by nobody"
        echo "id name Knights 1"
        echo "option name Hash type spin default 1 min 1 max 64"
        echo "option name King Safety type spin default 100 min 0 max 400"
        echo "option name Clear Hash type button"
        [ "$mode" = slow ] && sleep 0.7
        echo "uciok" ;;
    isready) echo readyok ;;
    ucinewgame) echo "$$" >> "$DIR/games" ;;
    setoption) echo "$line" >> "$DIR/options" ;;
    position)
        echo "$line" >> "$DIR/positions"
        plies=$(($# - 3))
        [ $# -lt 3 ] && plies=0 ;;
    go)
        echo "$line" >> "$DIR/searches"
        case $((plies % 4)) in
        0) move=g1f3 ;; 1) move=g8f6 ;; 2) move=f3g1 ;; 3) move=f6g8 ;;
        esac
        score=5
        case "$mode" in
        thinks) sleep 0.03 ;;
        blinks) sleep 0.003 ;;
        crash) [ $plies -ge 2 ] && { echo "out of luck" >&2; exit 7; } ;;
        sometimes) [ $(wc -l < "$DIR/games") -eq 3 ] && exit 7 ;;
        hang) [ $plies -ge 2 ] && sleep 60 ;;
        illegal) [ $plies -ge 2 ] && move=e2e5 ;;
        nonsense) [ $plies -ge 2 ] && move=castle ;;
        winning) score=900 ;;
        losing) score=-900 ;;
        esac
        echo "info depth 1 score cp $score nodes 7 pv $move"
        echo "bestmove $move" ;;
    quit) exit ;;
    esac
done
"#;

fn engine(scripts: &Scripts, mode: &str, keys: &str) -> String {
    let agent = scripts.agent("knights.sh", KNIGHTS, keys);
    agent.replace("knights.sh'", &format!("knights.sh' {mode}"))
}

/// The report of a match from the start, played on one thread.
fn play(a: &str, b: &str, games: &str, more: &[&str]) -> serde_json::Value {
    let args = ["match", a, b, "--game", "chess", "--openings", "none", "--games", games];
    let output = run(&[&args, &["--threads", "1", "--json"][..], more].concat());
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", stderr(&output)))
}

#[test]
fn engines_are_kept_from_game_to_game_and_told_what_to_do() {
    let scripts = Scripts::new();
    let options = "protocol=uci,nodes=9,options={ hash = \"{size}\" },numbers={ size = 4 }";
    let a = engine(&scripts, "good", options);
    let b = engine(&scripts, "good", "protocol=uci,clock=10s+100ms");
    let pgn = scripts.path("games.pgn");
    let report = play(&a, &b, "4", &["--pgn", pgn.to_str().unwrap()]);
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
    assert!(searches.contains(clock), "{searches:?}");
    let positions = scripts.lines("positions");
    assert_eq!(positions[..2], ["position startpos", "position startpos moves g1f3"]);
    let text = std::fs::read_to_string(&pgn).unwrap();
    assert_eq!(text.matches("[Termination \"normal\"]").count(), 4, "{text}");
    assert!(text.contains("1. Nf3 {+0.05} 1... Nf6 {+0.05} 2. Ng1"), "{text}");
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
        ("nonsense", "depth=3", "errors", "not an answer of its protocol: \"bestmove castle\""),
    ] {
        let scripts = Scripts::new();
        let good = engine(&scripts, "good", "protocol=uci,depth=3");
        let bad = engine(&scripts, mode, &format!("protocol=uci,{keys}"));
        let args = ["match", &bad, &good, "--game", "chess", "--openings", "none"];
        let more = ["--games", "4", "--threads", "1", "--json"];
        let output = run(&[&args[..], &more[..]].concat());
        let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(report["losses"], 4, "{mode}");
        assert_eq!(report[field], 4, "{mode}: {report}");
        let text = stdout_of_failing(&[&args[..], &["--games", "4"]].concat());
        assert!(text.contains(reason), "{mode}: {text}");
        let different: BTreeSet<String> = scripts.lines("games").into_iter().collect();
        assert!(different.len() >= 5, "{mode}: started again for each game");
    }
}

#[test]
fn the_start_of_an_engine_is_no_part_of_its_moves() {
    let scripts = Scripts::new();
    let slow = engine(&scripts, "slow", "protocol=uci,depth=3");
    let good = engine(&scripts, "good", "protocol=uci,depth=3");
    let report = play(&slow, &good, "2", &[]);
    let slowest = report["by_agent"][0]["slowest_seconds"].as_f64().unwrap();
    assert!(slowest < 0.6, "{slowest} s, and it starts in 0.7 s");
}

#[test]
fn a_clock_that_has_run_out_is_forgiven_once() {
    let scripts = Scripts::new();
    // 30 ms a move for four moves: the overhead of 50 ms pays for some of them, and for no more.
    let late = engine(&scripts, "thinks", "protocol=uci,clock=1ms+0ms");
    let good = engine(&scripts, "good", "protocol=uci,depth=3");
    let args = ["match", &late, &good, "--game", "chess", "--openings", "none", "--games", "2"];
    let output = run(&[&args[..], &["--threads", "1", "--json"]].concat());
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&report["losses"], &report["timeouts"]), (&2.into(), &2.into()), "{report}");
    // Far from the overhead, so that it is in time on a busy machine too.
    let in_time = engine(&scripts, "blinks", "protocol=uci,clock=1ms+10s");
    let report = play(&in_time, &good, "2", &[]);
    assert_eq!([&report["draws"], &report["by_agent"][0]["moves_in_grace"]], [2, 2], "{report}");
}

fn stdout_of_failing(args: &[&str]) -> String {
    String::from_utf8(run(args).stdout).unwrap()
}

#[test]
fn options_and_limits_are_checked_before_anything_is_played() {
    let scripts = Scripts::new();
    for (keys, expected) in [
        (
            "depth=3,options={ Hsh = \"4\" }",
            "Knights 1: unknown option \"Hsh\"; did you mean \"Hash\"?",
        ),
        (
            "depth=3,options={ Hash = \"400\" }",
            "option \"Hash\" takes a whole number from 1 to 64, not \"400\"",
        ),
        (
            "depth=3,options={ \"King Safety\" = \"{x}\" },numbers={ x = 0.5 }",
            "takes a whole number from 0 to 400, not \"0.5\" (parameters with whole = true are rounded)",
        ),
        (
            "options={ Hash = \"4\" }",
            "needs a limit: depth=8, nodes=10000, time=100ms or clock=10s+100ms",
        ),
        ("clock=theaigames", "give one as in clock=10s+100ms"),
        ("iterations=5", "iterations"),
        ("clock=10s+x", "a bank and an increment as in 10s+100ms"),
    ] {
        let agent = engine(&scripts, "good", &format!("protocol=uci,{keys}"));
        assert_fails(&run(&["match", &agent, "random", "--game", "chess"]), 2, expected);
    }
    let agent = engine(&scripts, "good", "protocol=uci,depth=3");
    assert_fails(
        &run(&["match", &agent, "random"]),
        2,
        "the protocol uci is for chess, not for uttt",
    );
    let agent = engine(&scripts, "good", "protocol=codingame,depth=3");
    assert_fails(&run(&["match", &agent, "random"]), 2, "depth= goes with protocol=uci");
    for searching in ["minimax:depth=3", "greedy"] {
        let output = run(&["match", searching, "random", "--game", "chess"]);
        assert_fails(&output, 2, "needs an evaluation, and chess has none here");
    }
    assert_fails(
        &run(&["match", "random", "random", "--pgn", "x"]),
        2,
        "PGN is for chess, not for uttt",
    );
    assert!(scripts.lines("games").is_empty(), "nothing was played");
    let output =
        run(&["match", "external:cmd=true,protocol=uci,depth=1", "random", "--game", "chess"]);
    assert_fails(&output, 1, "could not be started: exit status: 0");
    // An evolution does not begin, and leaves no folder.
    let config = scripts.path("mute.toml");
    let text = "name = \"mute\"\ngame = \"chess\"\n[cmaes]\nsigma = 0.3\n[fitness]\ngames = 2\n\
                [agent]\nkind = \"external\"\ncmd = \"true\"\nprotocol = \"uci\"\n[agent.options]\nHash = \"{hash}\"\n\
                [[parameters]]\nkey = \"hash\"\ninitial = 4\nlow = 1\nhigh = 9\n\
                [[opponents]]\nagent = \"initial\"\n[[stages]]\ndepth = 1\nmax_generations = 1\n";
    std::fs::write(&config, text).unwrap();
    let out = scripts.path("mute");
    let output = run(&["evolve", config.to_str().unwrap(), "--out", out.to_str().unwrap()]);
    assert_fails(&output, 1, "true: the program could not be started: exit status: 0");
    assert!(stderr(&output).contains(" doctor ") && !out.exists(), "{}", stderr(&output));
}

#[test]
fn games_are_adjudicated_when_both_engines_agree() {
    let scripts = Scripts::new();
    let agent = |mode| engine(&scripts, mode, "protocol=uci,depth=1");
    let pgn = scripts.path("games.pgn");
    let rules =
        "resign_score=600,resign_moves=2,draw_score=10,draw_moves=2,draw_from=0,max_plies=7";
    let more = ["--rules", rules, "--pgn", pgn.to_str().unwrap()];
    for (a, b, counts, plies) in [
        ("winning", "losing", [2, 0, 0], 8),
        ("good", "good", [0, 2, 0], 8),
        ("winning", "good", [0, 2, 0], 14),
    ] {
        let report = play(&agent(a), &agent(b), "2", &more);
        let found = ["wins", "draws", "losses"].map(|key| report[key].as_u64().unwrap());
        assert_eq!((found, report["plies"].as_u64()), (counts, Some(plies)), "{a} against {b}");
        let text = std::fs::read_to_string(&pgn).unwrap();
        assert_eq!(text.matches("[Termination \"adjudication\"]").count(), 2, "{text}");
    }
    assert_fails(
        &run(&["match", "random", "random", "--game", "chess", "--rules", "resign=6"]),
        2,
        "unknown rule",
    );
}

const EVOLUTION: &str = r#"name = "knights"
game = "chess"
seed = 1
[rules]
max_plies = 6
[cmaes]
population = 4
sigma = 0.2
[fitness]
games = 2
openings = "none"
[agent]
kind = "external"
cmd = "sh SCRIPT sometimes"
protocol = "uci"
options = { "King Safety" = "{king_safety}" }
[[parameters]]
key = "king_safety"
initial = 200
low = 0
high = 400
whole = true
[[opponents]]
agent = "initial"
[[stages]]
depth = 1
max_generations = 2
[comparison]
games = 2
openings = "none"
[validation]
games = 2
openings = ["none"]
"#;

#[test]
fn an_evolution_goes_on_after_a_crash_and_says_so() {
    let scripts = Scripts::new();
    let _ = engine(&scripts, "sometimes", "protocol=uci");
    let config = scripts.path("knights.toml");
    let script = scripts.path("knights.sh").display().to_string();
    std::fs::write(&config, EVOLUTION.replace("SCRIPT", &script)).unwrap();
    let out = scripts.path("run");
    let args =
        ["evolve", config.to_str().unwrap(), "--out", out.to_str().unwrap(), "--threads", "1"];
    let output = run(&args);
    assert!(output.status.success(), "{}", stderr(&output));
    let text = stderr(&output);
    assert!(text.contains("games were forfeited by programs: 0 on time"), "{text}");
    let best = std::fs::read_to_string(out.join("best-agent.txt")).unwrap();
    assert!(best.contains("\"King Safety\" = \"{king_safety}\""), "{best}");
    assert!(scripts.lines("searches").iter().all(|line| line == "go depth 1"));
    // What the winner's options are set by.
    let exported = run(&["export", out.to_str().unwrap(), "--format", "uci"]);
    let exported = String::from_utf8(exported.stdout).unwrap();
    let set = exported.strip_prefix("setoption name King Safety value ");
    assert!(set.is_some_and(|value| value.trim().parse::<u32>().is_ok()), "{exported}");
    let manifest = std::fs::read_to_string(out.join("manifest.json")).unwrap();
    assert!(manifest.contains("\"announces\": \"Knights 1\""), "{manifest}");
    // A range that the engine does not have is an error before anything is played.
    let wide = EVOLUTION.replace("SCRIPT", &script).replace("high = 400", "high = 4000");
    std::fs::write(&config, wide).unwrap();
    let output =
        run(&["evolve", config.to_str().unwrap(), "--out", scripts.path("wide").to_str().unwrap()]);
    assert_fails(&output, 2, "the range of the parameter king_safety: agent");
    assert!(stderr(&output).contains("takes a whole number from 0 to 400"), "{}", stderr(&output));
    assert!(!scripts.path("wide").exists());
    // The engine of the comparison is asked, too.
    let narrow = KNIGHTS.replace("max 400", "max 300");
    let narrow = scripts.agent(
        "narrow.sh",
        &narrow,
        "protocol=uci,options={ \"King Safety\" = \"{king_safety}\" }",
    );
    let compared = EVOLUTION
        .replace("SCRIPT", &script)
        .replace("[comparison]", &format!("[comparison]\nagent = '''{narrow}'''"));
    std::fs::write(&config, compared).unwrap();
    let output = run(&[
        "evolve",
        config.to_str().unwrap(),
        "--out",
        scripts.path("narrow").to_str().unwrap(),
    ]);
    assert_fails(&output, 2, "takes a whole number from 0 to 300, not \"400\"");
}

#[test]
fn a_value_that_an_engine_refuses_is_the_error_of_its_candidate() {
    let scripts = Scripts::new();
    scripts.agent("knights.sh", KNIGHTS, "");
    let script = scripts.path("knights.sh").display().to_string();
    let config = scripts.path("door.toml");
    let text = EVOLUTION.replace("SCRIPT", &script).replace("whole = true\n", "");
    std::fs::write(&config, text).unwrap();
    let mut door = tictune(&["fitness", config.to_str().unwrap(), "--threads", "1"]);
    door.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut door = door.spawn().unwrap();
    let lines = "[{\"id\": 1, \"numbers\": {\"king_safety\": 100}}, {\"id\": 2, \"numbers\": {\"king_safety\": 100.5}}]\n\
                 {\"numbers\": {\"king_safety\": 50}}\n";
    door.stdin.take().unwrap().write_all(lines.as_bytes()).unwrap();
    let output = door.wait_with_output().unwrap();
    let answers: Vec<serde_json::Value> = serde_json::Deserializer::from_slice(&output.stdout)
        .into_iter()
        .map(Result::unwrap)
        .collect();
    assert!(answers[0][0]["cost"].is_number() && answers[1]["cost"].is_number(), "{answers:?}");
    assert_eq!(answers[0][1]["id"], 2);
    let agent = answers[1]["agent"].as_str().unwrap();
    assert!(
        agent.contains("numbers={ king_safety = 50 }") && agent.ends_with("depth=1"),
        "{agent}"
    );
    let error = answers[0][1]["error"].as_str().unwrap();
    assert!(error.starts_with("line 1: ") && error.contains("not \"100.5\""), "{error}");
}

#[test]
fn a_parameter_begins_at_what_the_engine_announces() {
    let scripts = Scripts::new();
    scripts.agent("knights.sh", KNIGHTS, "");
    let script = scripts.path("knights.sh").display().to_string();
    let config = scripts.path("door.toml");
    let describe = |text: &str| {
        std::fs::write(&config, text.replace("SCRIPT", &script)).unwrap();
        run(&["fitness", config.to_str().unwrap(), "--describe"])
    };
    let text = EVOLUTION.replace("initial = 200\n", "");
    let output = describe(&text);
    let told: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(told["numbers"][0]["initial"], 100.0, "{told}");
    // One that is no option as it is has no value there.
    let output = describe(&text.replace("\"{king_safety}\"", "\"{king_safety}0\""));
    assert_fails(&output, 2, "initial: missing; the agent has no value of its own");
}

#[test]
fn the_doctor_goes_through_the_conversation_of_an_engine() {
    let scripts = Scripts::new();
    let doctor = |agent: &str| run(&["doctor", agent, "--game", "chess"]);
    // The script knows no answer to random moves.
    let agent = engine(&scripts, "good", "protocol=uci,depth=1,options={ Hash = \"4\" }");
    let output = doctor(&agent);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    for expected in [
        "ok     it says that it is \"Knights 1\", with 3 options",
        "ok     it takes what its options are set to",
        "ok     it is ready for a game",
        "WRONG  move ",
        ": illegal move ",
        "ok     it ends on \"quit\", and leaves nothing behind",
    ] {
        assert!(text.contains(expected), "{expected}: {text}");
    }
    assert_fails(&output, 1, "one thing is wrong");
    let agent = engine(&scripts, "good", "protocol=uci,depth=1,options={ Hsh = \"4\" }");
    let text = String::from_utf8_lossy(&doctor(&agent).stdout).into_owned();
    assert!(text.contains("WRONG  unknown option \"Hsh\"; did you mean \"Hash\"?"), "{text}");
    let output = doctor("external:cmd=true,protocol=uci,depth=1");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains("WRONG  it ended before it said uciok: exit status: 0"), "{text}");
    assert_fails(&doctor("external:cmd=true,protocol=uci"), 2, "needs a limit");
}

/// A program that python-chess runs, if it is installed.
fn python_chess(script: &str, path: &Path) -> Option<String> {
    let found = Command::new("python3").args(["-c", "import chess.pgn"]).output();
    if !found.is_ok_and(|output| output.status.success()) {
        skip("python-chess");
        return None;
    }
    let output = Command::new("python3").args(["-c", script]).arg(path).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(String::from_utf8(output.stdout).unwrap())
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
    let scripts = Scripts::new();
    let pgn = scripts.path("games.pgn");
    let args = ["match", "random", "mcts:iterations=2", "--game", "chess", "--games", "12"];
    stdout_of(&[&args[..], &["--openings", "random:5", "--pgn", pgn.to_str().unwrap()]].concat());
    let text = std::fs::read_to_string(&pgn).unwrap();
    assert_eq!(text.matches("[Event ").count(), 12);
    // Nothing more to see where python-chess is not installed.
    if let Some(games) = python_chess(READ, &pgn) {
        assert_eq!(games.trim(), "12");
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
        let args = ["match", &agent, "random", "--game", "chess", "--games", "4", "--json"];
        let report: serde_json::Value = serde_json::from_str(&stdout_of(&args)).unwrap();
        assert_eq!([&report["wins"], &report["errors"], &report["timeouts"]], [4, 0, 0]);
    }
}
