//! Games that only a program of somebody else knows: `[fitness] runner`. The programs are in Python. Configs that are refused
//! are in `messages/configs.txt`.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use crate::common::{
    Folder, assert_fails, assert_has, edited, parsed, quoted, read, read_json, stderr, stdout,
};
use crate::needs::{needs, skip};

/// Two numbers, one of them whole; opponents by numbers, by file and by name.
const CONFIG: &str = include_str!("../configs/runner.toml");

/// A program that plays by a made-up rule: who holds nearer to 20 is likelier to win. `BREAK` stands for what goes wrong.
pub(crate) const RUNNER: &str = r#"import json, os, sys, time
from random import Random

answered = 0
for line in sys.stdin:
    request = json.loads(line)
    def worth(side):
        agent = request[side]
        if agent.get("name") == "cautious":
            return -6.0
        return -abs(agent["numbers"]["hold"] - 20) + agent["numbers"]["luck"]
    margin = worth("candidate") - worth("opponent")
    pairs = []
    for seed in request["seeds"]:
        draw = Random(seed)
        pairs.append([1 if draw.gauss(0, 8) < margin else 0 if draw.random() < 0.8 else 0.5 for _ in range(2)])
    answer = {"id": request["id"], "pairs": pairs}
    BREAK
    print(json.dumps(answer), flush=True)
    answered += 1
"#;

/// A folder with a config, some of it replaced, and a program with a line of its own.
fn with_runner(edits: &[(&str, &str)], breaks: &str) -> Folder {
    let folder = Folder::with("c.toml", &edited(CONFIG, edits));
    folder.file("runner.py", &RUNNER.replace("BREAK", breaks));
    folder.file("old.toml", "hold = 15\nluck = 0.25\n");
    folder
}

/// The runner with these numbers as an agent.
fn agent(numbers: &str) -> String {
    quoted(&format!("runner:cmd=\"python3 runner.py\",numbers={{ {numbers} }}"))
}

/// What a match of two agents of the runner says, on standard output and standard error.
fn matched(folder: &Folder, a: &str, b: &str, games: u32) -> [String; 2] {
    let (a, b) = (agent(a), agent(b));
    let more = format!("--game runner --openings none --games {games}");
    let output = folder.run(&format!("match {a} {b} {more}"));
    [stdout(&output), stderr(&output)]
}

#[test]
fn commands_work_with_the_run_of_a_runner() {
    if !needs("python3") {
        return;
    }
    let folder = with_runner(&[("max_generations = 3", "max_generations = 8")], "pass");
    folder.said("evolve c.toml --out run");
    let header =
        "generation,index,fitness,wins,draws,losses,distinct_games,hold,luck,x_hold,x_luck";
    assert!(folder.read("run/stage-1/evaluations.csv").starts_with(header));
    let manifest = read_json(&folder.path("run/manifest.json"));
    let files = manifest["programs"][0]["files"].as_array().unwrap();
    assert_eq!((manifest["programs"].as_array().unwrap().len(), files.len()), (1, 2));
    assert_eq!(files[1]["word"], "runner.py");
    let winner = folder.read("run/best-agent.txt");
    assert!(winner.starts_with("runner:cmd=\"python3 "), "{winner}");
    assert_has(&winner, &["numbers={ hold = "]);
    let compared = folder.json("compare run --games 40 --json");
    assert_eq!((&compared["games"], &compared["openings"]), (&40.into(), &"none".into()));
    assert_eq!(compared["distinct_games"], 40);
    let validated = folder.json("validate run --games 60 --json");
    let rows = validated["rows"].as_array().unwrap();
    let names: Vec<&str> = rows.iter().map(|row| row["opponent"].as_str().unwrap()).collect();
    assert_eq!(names, ["the start", "hold=12,luck=0.5", "hold=15,luck=0.25", "cautious"]);
    let won = rows[0]["wins"].as_u64().unwrap();
    assert!(won > 30, "{won} of 60 against the start");
    folder.said("report run");
    // The evolved agent plays a match. What needs rules or moves says so.
    let agents = "@run/best-agent.txt @run/mean-agent.txt";
    folder.said(&format!("match {agents} --game runner --games 20"));
    for (line, expected) in [
        ("match AGENTS --game runner --openings random:2", "openings none"),
        ("match @run/mean-agent.txt random --game runner", "does not know the game"),
        ("match @run/mean-agent.txt random", "plays whole matches"),
        ("tournament --game runner AGENTS", "tictune knows none of the game runner"),
    ] {
        folder.fails(&line.replace("AGENTS", agents), 2, expected);
    }
    let checked = folder.run("evolve c.toml --check");
    assert!(stderr(&checked).is_empty() && checked.status.success(), "{}", stderr(&checked));
    let text = stdout(&checked);
    let there = "([fitness] runner): python3 exists; nothing was run";
    assert_has(&text, &["hold from 4, in 0 to 30", there]);
    assert!(!text.contains("depth 0"), "{text}");
}

#[test]
fn the_door_is_open_to_the_games_of_a_runner() {
    if !needs("python3") {
        return;
    }
    let line = br#"[{"numbers":{"hold":19,"luck":0.5}},{"numbers":{"hold":2,"luck":0.5}},{"numbers":{"hold":0.5,"luck":0}}]"#;
    let output = with_runner(&[], "pass").told("fitness c.toml", line);
    let answers: serde_json::Value = parsed(&output);
    let cost = |place: usize| answers[place]["cost"].as_f64().unwrap();
    assert!(cost(0) < cost(1), "{answers}");
    assert!(answers[2]["error"].as_str().unwrap().contains("hold: expected a whole number"));
}

#[test]
fn what_a_runner_does_wrong_ends_the_run_with_its_words() {
    if !needs("python3") {
        return;
    }
    for (breaks, expected) in [
        ("answer = 'hello'", r#"line 1 of its output, "\"hello\"", is not an answer to request 1"#),
        ("answer = {'id': 1, 'error': 'no such opponent'}", "the runner says: no such opponent"),
        ("print('x' * 3000000)", "not JSON"),
        ("sys.exit('it broke')", "ended before it answered request 1"),
        ("os._exit(0)", "asked twice, each time in a new process"),
        ("time.sleep(9)", "no answer to request 1 within 1s"),
    ] {
        let limit = if breaks.contains("sleep") { "1s" } else { "20s" };
        let edit = ("timeout = \"20s\", pairs = 3", &*format!("timeout = \"{limit}\", pairs = 2"));
        let said = with_runner(&[edit], breaks).fails("evolve c.toml --threads 1", 1, expected);
        assert_has(&said, &["--resume"]);
    }
    // One side is given all games: nothing is begun.
    let unfair = with_runner(&[], "answer['pairs'] = [[1, 1]] * len(pairs)");
    let expected = "one side won all games, with the same parameters on both sides";
    unfair.fails("evolve c.toml --out run", 1, expected);
    assert!(!unfair.path("run").exists());
}

#[test]
fn a_program_that_dies_once_in_a_while_is_started_again() {
    if !needs("python3") {
        return;
    }
    // It ends itself after fifty answers, and a run is nevertheless the same.
    let results = ["answered += 1", "answered += 1\n    if answered == 50:\n        os._exit(3)"];
    let results = results.map(|end| {
        let folder = with_runner(&[], "pass");
        folder.edit("runner.py", "answered += 1", end);
        let output = folder.run("evolve c.toml --out run --threads 2");
        assert!(output.status.success(), "{}", stderr(&output));
        let said = stderr(&output).contains("programs did not answer and were replaced ");
        (folder.read("run/stage-1/evaluations.csv"), said)
    });
    assert_eq!(results[0].0, results[1].0);
    assert_eq!(results.map(|(_, said)| said), [false, true]);
}

#[test]
fn a_long_answer_is_read_as_one_text() {
    if !needs("python3") {
        return;
    }
    // All games are called alike, by characters of three bytes: a broken one would tell them apart.
    let rows = [1, 3000].map(|length| {
        let names = format!("answer['games'] = 2 * len(pairs) * ['\u{20ac}' * {length}]");
        let folder = with_runner(&[], &names);
        folder.edit("runner.py", "json.dumps(answer)", "json.dumps(answer, ensure_ascii=False)");
        let utf8 = "answered = 0\nsys.stdout.reconfigure(encoding='utf-8')\n";
        folder.edit("runner.py", "answered = 0\n", utf8);
        folder.said("evolve c.toml --out run --max-generations 1");
        folder.read("run/stage-1/evaluations.csv")
    });
    assert_eq!(rows[0], rows[1]);
}

#[test]
fn a_command_that_is_run_for_each_request_is_evolved_too() {
    let script = "hold=$(( $1 - 20 )); other=$(( $2 - 20 )); games=$(( 2 * $3 ))\n\
                  wins=$3; [ ${hold#-} -lt ${other#-} ] && wins=$games; [ ${hold#-} -gt ${other#-} ] && wins=0\n\
                  echo some words; echo $wins 0 $(( games - wins )); echo\n";
    let once = "once = \"sh runner.py {hold} {opponent.hold} {pairs} {seed} {luck}\", pairs = 30";
    let edits = [
        ("cmd = \"python3 runner.py\", timeout = \"20s\", pairs = 3", once),
        ("[[opponents]]\nname = \"cautious\"\nshare = 2\n", ""),
    ];
    let folder = with_runner(&edits, "");
    folder.file("runner.py", script);
    folder.said("evolve c.toml --out run --max-generations 1");
    assert_has(&folder.read("run/best-agent.txt"), &["once=true"]);
    // A script that reads its input to the end, and works on when its output is closed.
    folder.file("runner.py", &format!("cat >/dev/null\n{script}exec >&-; sleep 0.3\n"));
    folder.said("evolve c.toml --out patient --max-generations 1");
    for (script, expected) in [
        ("echo 1 2", "the last line of its output is \"1 2\": expected the numbers of wins"),
        ("echo 12 0 0; echo no >&2; exit 1", "failed: exit status: 1; its last words: no"),
    ] {
        folder.file("runner.py", script);
        folder.fails("evolve c.toml --out wrong --resume", 1, expected);
    }
}

#[test]
fn the_example_finds_its_known_optimum() {
    if !needs("python3") {
        return;
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    let edits = [("games = 20_000", "games = 4000"), ("games = 100_000", "games = 2000")];
    let config = edited(&read(&root.join("runner.toml")), &edits);
    let folder = Folder::with("runner.toml", &config);
    std::os::unix::fs::symlink(root, folder.path("examples")).unwrap();
    folder.said("evolve runner.toml --out run");
    let agent = folder.read("run/mean-agent.txt");
    let stay = agent.split("stay = ").nth(1).and_then(|rest| rest.split(' ').next()).unwrap();
    let stay: f64 = stay.parse().unwrap();
    // 2 cos(2 pi / 9) - 1; a fifth of the example's games leave some noise.
    assert!((stay - 0.532).abs() < 0.12, "{stay}");
}

/// Engines with other protocols play through the runners of `examples/python`.
#[test]
fn engines_that_speak_gtp_and_xboards_protocol_play() {
    let chess = Command::new("python3").args(["-c", "import chess"]).output();
    let has_chess = chess.is_ok_and(|output| output.status.success());
    for (engine, numbers, is_ready) in [
        ("gnugo", "depth = 2, branch = 2", true),
        ("fairymax", "R = 444, Q = 851", has_chess || skip("python-chess")),
    ] {
        if !is_ready || !(Path::new("/usr/games").join(engine).exists() || skip(engine)) {
            continue;
        }
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
        let config = read(&root.join(format!("{engine}.toml")));
        let (_, command) = config.split_once("cmd = \"").unwrap();
        let (command, _) = command.split_once('"').unwrap();
        let folder = Folder::new();
        std::os::unix::fs::symlink(root, folder.path("examples")).unwrap();
        let agent = quoted(&format!("runner:cmd=\"{command}\",numbers={{ {numbers} }}"));
        let line = format!("match {agent} {agent} --game runner --openings none --games 2");
        assert_has(&folder.said(&line), &["2 games, openings none", " distinct games, "]);
    }
}

#[test]
fn a_run_that_was_stopped_ends_at_once_and_shows_its_numbers_so_far() {
    if !needs("python3") {
        return;
    }
    let silent = with_runner(&[], "answered > 60 and time.sleep(30)");
    let child = silent.start("evolve c.toml --out run --threads 1");
    crate::faults::wait_for(&silent.path("run/stage-1/generations.csv"), 2);
    let started = std::time::Instant::now();
    crate::common::send(crate::common::Signal::TERM, &child);
    assert_fails(&child.wait_with_output().unwrap(), 130, "");
    assert!(started.elapsed() < Duration::from_secs(15), "{:?}", started.elapsed());
    let json = silent.json("show run --json");
    let mean = json["so_far"]["mean"].as_object().unwrap_or_else(|| panic!("{json}"));
    assert_eq!(mean.keys().collect::<Vec<_>>(), ["hold", "luck"]);
    assert_has(&silent.said("show run"), &["\nthe mean that this generation was drawn from: "]);
}

#[test]
fn results_of_a_program_that_ignores_seeds_or_numbers_show_nothing() {
    if !needs("python3") {
        return;
    }
    // The results follow from the numbers alone, and the answers name no games.
    let ignores = "answer['pairs'] = [[int(margin > 0), int(margin >= 0)]] * len(pairs)";
    let folder = with_runner(&[], ignores);
    folder.said("evolve c.toml --out run --max-generations 2");
    let text = folder.said("show run");
    assert_has(&text, &[": too few distinct pairs, p"]);
    assert!(!text.contains(": stronger"), "{text}");
    assert!(!text.contains("training games started there, too"), "{text}");
    let [text, said] = matched(&folder, "hold = 20, luck = 0.5", "hold = 2, luck = 0.5", 20);
    assert_has(&text, &["1 of 10 pairs are distinct: Elo and p use only these, of which A scored"]);
    assert!(!text.contains("plies") && !text.contains("A: 0 moves"), "{text}");
    let all = "all 10 pairs were won by the same side with both games: the program may ignore";
    assert_has(&said, &[all]);
    let [_, said] = matched(&folder, "hold = 20, luck = 0.5", "holt = 2, luck = 0.5", 4);
    assert_has(&said, &["only one side has a parameter hol"]);
    let equal = "all 20 pairs gave both sides the same points: the parameters of both sides may be the same";
    for (breaks, warns) in [("answer['pairs'] = [[1, 0]] * len(pairs)", true), ("pass", false)] {
        let folder = with_runner(&[], breaks);
        let [_, said] = matched(&folder, "hold = 3, luck = 0", "hold = 5, luck = 0", 40);
        assert_eq!((said.contains("warning"), said.contains(equal)), (warns, warns), "{said}");
    }
    // A number that changes nothing.
    let text =
        stdout(&with_runner(&[], "answer['pairs'] = [[1, 0]] * len(pairs)").run("doctor c.toml"));
    let all = "note   with hold, with luck at either end of its range all results of 3 pairs are the same";
    assert_has(&text, &[all]);
}

#[test]
fn the_doctor_asks_a_runner_and_says_what_it_saw() {
    if !needs("python3") {
        return;
    }
    let all = [
        "ok     it answers: 10 pairs of games with equal parameters in ",
        "ok     the same request has the same results",
        " pairs per second once it runs: a request of about a second is best, pairs = ",
        "ok     it ends with its input",
    ];
    for (breaks, expected, status) in [
        ("pass", &all[..], 0),
        (
            "answer['pairs'] = [[Random().choice([0, 1]), 0.5] for _ in pairs]",
            &["note   the same request, sent twice, had different results: the program is random"],
            0,
        ),
        ("answer['pairs'] = [[1, 0]] * len(pairs)", &["note   all 20 pairs had the same"], 0),
        ("answer['pairs'] = [[1, 1]] * len(pairs)", &["WRONG  one side won all games"], 1),
        ("answer['pairs'] = [[n % 2] * 2 for n in range(10)]", &["WRONG  in every pair"], 1),
        ("answer = 'hello'", &["is not an answer to request 1"], 1),
        ("sys.exit('it broke')", &["ended before it answered request 1"], 1),
    ] {
        let agent = "runner:cmd=\"python3 runner.py\",numbers={ hold = 12, luck = 0.5 },pairs=50";
        let output = with_runner(&[], breaks).run(&format!("doctor {}", quoted(agent)));
        assert_has(&stdout(&output), expected);
        assert_eq!(output.status.code(), Some(status), "{breaks}: {}", stdout(&output));
    }
    let once = Folder::new().said("doctor 'runner:cmd=\"echo 10 0 10\",once=true'");
    assert_has(&once, &["ok     it answers: 10 pairs"]);
}
