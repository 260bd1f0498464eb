//! Games that only a program of somebody else knows: `[fitness] runner`. The programs are in Python.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

#[cfg(unix)]
use crate::common::{Signal, send};
use crate::common::{assert_fails, assert_same, run, stderr, tictune};
use crate::needs::needs;

/// A config whose program is `cmd`: two numbers, one of them whole; opponents by numbers, by file and by name.
const CONFIG: &str = r#"name = "outside"
seed = 4
[fitness]
runner = { cmd = "CMD", timeout = "20s", pairs = 3 }
games = 24
[cmaes]
population = 6
sigma = 0.3
[[parameters]]
key = "hold"
initial = 4
low = 0
high = 30
whole = true
[[parameters]]
key = "luck"
initial = 0.5
low = 0
high = 1
[[opponents]]
numbers = { hold = 12 }
[[opponents]]
numbers = "old.toml"
[[opponents]]
name = "cautious"
share = 2
[[stages]]
max_generations = 3
[[stages]]
start = "mean"
games = 16
max_generations = 2
[finalists]
games = 100
rounds = 1
[comparison]
games = 20
[validation]
games = 20
"#;

/// A program that plays by a made-up rule: who holds nearer to 20 is likelier to win. `BREAK` stands for what goes wrong.
const RUNNER: &str = r#"import json, os, sys, time
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

struct Case {
    folder: tempfile::TempDir,
    config: PathBuf,
}

impl Case {
    /// A config in which the first text is replaced by the second, and a program with a line of its own.
    fn new(old: &str, new: &str, breaks: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        assert!(CONFIG.contains(old), "{old}");
        let cmd = format!("python3 {}", path("runner.py").display());
        std::fs::write(path("runner.py"), RUNNER.replace("BREAK", breaks)).unwrap();
        std::fs::write(path("old.toml"), "hold = 15\nluck = 0.25\n").unwrap();
        let text = CONFIG.replacen(old, new, 1).replace("CMD", &cmd);
        let config = path("config.toml");
        std::fs::write(&config, text).unwrap();
        Self { folder, config }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn evolve(&self, out: &str, more: &[&str]) -> std::process::Output {
        let out = self.path(out);
        let all = ["evolve", self.config.to_str().unwrap(), "--out", out.to_str().unwrap()];
        run(&[&all[..], more].concat())
    }

    fn evolved(&self, out: &str, more: &[&str]) -> PathBuf {
        let output = self.evolve(out, more);
        assert!(output.status.success(), "{}", stderr(&output));
        self.path(out)
    }
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn a_runner_is_evolved_on_any_number_of_threads_and_after_kills() {
    if !needs("python3") {
        return;
    }
    let case = Case::new("", "", "pass");
    let whole = case.evolved("whole", &["--threads", "1"]);
    assert_same(&whole, &case.evolved("threads", &["--threads", "3"]));
    let header =
        "generation,index,fitness,wins,draws,losses,distinct_games,hold,luck,x_hold,x_luck";
    assert!(read(&whole.join("stage-1/evaluations.csv")).starts_with(header));
    let manifest: serde_json::Value =
        serde_json::from_str(&read(&whole.join("manifest.json"))).unwrap();
    let files = manifest["programs"][0]["files"].as_array().unwrap();
    assert_eq!((manifest["programs"].as_array().unwrap().len(), files.len()), (1, 2));
    assert!(files[1]["word"].as_str().unwrap().ends_with("/runner.py"), "{files:?}");
    let agent = read(&whole.join("winner-agent.txt"));
    assert!(agent.starts_with("runner:cmd=\"python3 "), "{agent}");
    assert!(agent.contains("numbers={ hold = "), "{agent}");

    // Killed at some moments, and resumed to the same bytes.
    for (number, milliseconds) in [60, 150, 300, 450].into_iter().enumerate() {
        let killed = case.path(&format!("killed-{number}"));
        let args = ["evolve", case.config.to_str().unwrap(), "--out", killed.to_str().unwrap()];
        let mut child = tictune(&args).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(milliseconds));
        child.kill().unwrap();
        child.wait().unwrap();
        let resumed = case.evolve(&format!("killed-{number}"), &["--resume"]);
        assert!(resumed.status.success(), "{}", stderr(&resumed));
        assert_same(&whole, &killed);
    }
}

#[test]
fn commands_work_with_the_run_of_a_runner() {
    if !needs("python3") {
        return;
    }
    let case = Case::new("max_generations = 3", "max_generations = 8", "pass");
    let whole = case.evolved("run", &[]);
    let path = whole.to_str().unwrap();
    let compared = run(&["compare", path, "--games", "40", "--json"]);
    assert!(compared.status.success(), "{}", stderr(&compared));
    let json: serde_json::Value = serde_json::from_slice(&compared.stdout).unwrap();
    assert_eq!((&json["games"], &json["openings"]), (&40.into(), &"none".into()));
    assert_eq!(json["distinct_games"], 40);
    let validated = run(&["validate", path, "--games", "60", "--json"]);
    assert!(validated.status.success(), "{}", stderr(&validated));
    let json: serde_json::Value = serde_json::from_slice(&validated.stdout).unwrap();
    let names: Vec<&str> = (json["rows"].as_array().unwrap().iter())
        .map(|row| row["opponent"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["the start", "hold=12,luck=0.5", "hold=15,luck=0.25", "cautious"]);
    let won = json["rows"][0]["wins"].as_u64().unwrap();
    assert!(won > 30, "{won} of 60 against the start");
    assert!(run(&["report", path]).status.success());
    // The evolved agent plays a match.
    let agent = format!("@{}", whole.join("winner-agent.txt").display());
    let other = read(&whole.join("mean-agent.txt"));
    let game = ["--game", "runner", "--openings", "none", "--games", "20"];
    let matched = run(&[&["match", &agent, other.trim()][..], &game].concat());
    assert!(matched.status.success(), "{}", stderr(&matched));
    let random = run(&[&["match", &agent, other.trim()][..], &game[..2]].concat());
    assert_fails(&random, 2, "openings none");
    assert_fails(
        &run(&["match", &agent, "random", "--game", "runner"]),
        2,
        "does not know the game",
    );
    assert_fails(&run(&["match", &agent, "random"]), 2, "plays whole matches");
    // What needs rules or moves says so.
    for command in [
        &["perft", "--game", "runner", "--depth", "2"][..],
        &["play", "--game", "runner"],
        &["tournament", "--game", "runner", &agent, other.trim()],
    ] {
        assert_fails(&run(command), 2, "tictune knows none of the game runner");
    }
    assert_fails(&run(&["validate", "--game", "runner"]), 2, "no built-in weights");
    let checked = run(&["evolve", case.config.to_str().unwrap(), "--check"]);
    assert!(stderr(&checked).is_empty() && checked.status.success(), "{}", stderr(&checked));
    let text = String::from_utf8(checked.stdout).unwrap();
    assert!(text.contains("hold from 4, in 0 to 30") && !text.contains("depth 0"), "{text}");
    assert!(text.contains("([fitness] runner): python3 is there; nothing was run"), "{text}");
}

#[test]
fn a_program_that_ignores_the_seed_is_noticed() {
    if !needs("python3") {
        return;
    }
    let case = Case::new("", "", "answer['pairs'] = [[1, 0] for _ in request['seeds']]");
    let agent = |hold| {
        let program = case.folder.path().join("runner.py");
        format!(
            "runner:cmd=\"python3 {}\",numbers={{ hold = {hold}, luck = 0 }}",
            program.display()
        )
    };
    let game = ["--game", "runner", "--openings", "none", "--games", "40"];
    let matched = run(&[&["match", &agent(3), &agent(5)][..], &game].concat());
    assert!(matched.status.success(), "{}", stderr(&matched));
    let expected =
        "all 20 pairs gave both sides the same points: the numbers of both sides may be the same";
    assert!(stderr(&matched).contains(expected), "{}", stderr(&matched));
    // One side wins everything, and no answer names its games.
    let won = Case::new("", "", "answer['pairs'] = [[1, 1] for _ in request['seeds']]");
    let other = case.folder.path().join("runner.py").display().to_string();
    let program = won.folder.path().join("runner.py").display().to_string();
    let agents = [agent(3), agent(5)].map(|agent| agent.replace(&other, &program));
    let matched = run(&[&["match", &agents[0], &agents[1]][..], &game].concat());
    assert!(
        stderr(&matched).contains("were won by the same side with both games"),
        "{}",
        stderr(&matched)
    );
    let steady = Case::new("", "", "pass");
    let program = steady.folder.path().join("runner.py").display().to_string();
    let other = case.folder.path().join("runner.py").display().to_string();
    let agents = [agent(3), agent(5)].map(|agent| agent.replace(&other, &program));
    let matched = run(&[&["match", &agents[0], &agents[1]][..], &game].concat());
    assert!(!stderr(&matched).contains("warning"), "{}", stderr(&matched));
}

#[test]
fn the_door_is_open_to_the_games_of_a_runner() {
    if !needs("python3") {
        return;
    }
    let case = Case::new("", "", "pass");
    let mut child = tictune(&["fitness", case.config.to_str().unwrap()]);
    let mut child = child.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let line = r#"[{"numbers":{"hold":19,"luck":0.5}},{"numbers":{"hold":2,"luck":0.5}},{"numbers":{"hold":0.5,"luck":0}}]"#;
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), line.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let answers: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
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
        ("answer['id'] += 1", "id: expected 1, found 2"),
        ("answer['pairs'].pop()", "pairs: expected a list of 2 pairs such as [1, 0.5], found 1"),
        ("answer['pairs'][0][0] = 0.7", "two results of 0, 0.5 or 1 as pair 1"),
        ("answer = 'hello'", r#"line 1 of its output, "\"hello\"", is no answer to request 1"#),
        ("print('starting')", "\"starting\", is no answer to request 1: no JSON"),
        ("answer = {'id': 1, 'error': 'no such opponent'}", "the runner says: no such opponent"),
        ("answer = {'id': 1, 'wins': 1, 'draws': 0, 'losses': 0}", "expected 4 games in wins"),
        ("print('x' * 3000000)", "no JSON"),
        ("sys.exit('it broke')", "ended before it answered request 1"),
        ("os._exit(0)", "asked twice, each time of a new program"),
        ("time.sleep(9)", "no answer to request 1 within 1s"),
    ] {
        let limit = if breaks.contains("sleep") { "1s" } else { "20s" };
        let new = format!("timeout = \"{limit}\", pairs = 2");
        let case = Case::new("timeout = \"20s\", pairs = 3", &new, breaks);
        let output = case.evolve("run", &["--threads", "1"]);
        assert_fails(&output, 1, expected);
        assert!(stderr(&output).contains("--resume"), "{}", stderr(&output));
    }
}

#[test]
fn a_program_that_dies_once_in_a_while_is_started_again() {
    if !needs("python3") {
        return;
    }
    let steady = Case::new("", "", "pass");
    // It ends itself after fifty answers, and a run is nevertheless the same.
    let mortal = Case::new("", "", "pass");
    let dying = RUNNER.replace("BREAK", "pass").replace(
        "    answered += 1\n",
        "    answered += 1\n    if answered == 50:\n        os._exit(3)\n",
    );
    std::fs::write(mortal.path("runner.py"), dying).unwrap();
    // The same command in both, since plans hold it.
    let text = read(&steady.config).replace(&steady.path("").display().to_string(), "FOLDER/");
    let results = [&steady, &mortal].map(|case| {
        let own = text.replace("FOLDER/", &case.path("").display().to_string());
        std::fs::write(&case.config, own).unwrap();
        let output = case.evolve("run", &["--threads", "2"]);
        assert!(output.status.success(), "{}", stderr(&output));
        let said = stderr(&output).contains("programs did not answer and were replaced ");
        (read(&case.path("run/stage-1/evaluations.csv")), said)
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
        let case = Case::new("", "", "pass");
        let script = RUNNER
            .replace("BREAK", &names)
            .replace("json.dumps(answer)", "json.dumps(answer, ensure_ascii=False)")
            .replace("answered = 0\n", "answered = 0\nsys.stdout.reconfigure(encoding='utf-8')\n");
        std::fs::write(case.path("runner.py"), script).unwrap();
        let run = case.evolved("run", &["--max-generations", "1"]);
        read(&run.join("stage-1/evaluations.csv"))
    });
    assert_eq!(rows[0], rows[1]);
}

#[test]
fn a_command_that_is_run_for_each_request_is_evolved_too() {
    let script = "hold=$(( $1 - 20 )); other=$(( $2 - 20 )); games=$(( 2 * $3 ))\n\
                  wins=$3; [ ${hold#-} -lt ${other#-} ] && wins=$games; [ ${hold#-} -gt ${other#-} ] && wins=0\n\
                  echo some words; echo $wins 0 $(( games - wins )); echo\n";
    let case = Case::new(
        "runner = { cmd = \"CMD\", timeout = \"20s\", pairs = 3 }",
        "runner = { once = \"CMD {hold} {opponent.hold} {pairs} {seed} {luck}\", pairs = 30 }",
        "pass",
    );
    let text = read(&case.config)
        .replace("python3 ", "sh ")
        .replace("[[opponents]]\nname = \"cautious\"\nshare = 2\n", "")
        .replace("[finalists]\ngames = 100\nrounds = 1\n", "");
    std::fs::write(&case.config, text).unwrap();
    let write = |script: &str| std::fs::write(case.path("runner.py"), script).unwrap();
    write(script);
    let agent = read(&case.evolved("run", &[]).join("best-agent.txt"));
    assert!(agent.contains("once=true"), "{agent}");
    // A script that reads its input to the end, and works on when its output is closed.
    write(&format!("cat >/dev/null\n{script}exec >&-; sleep 0.3\n"));
    let patient = case.evolve("patient", &["--max-generations", "1"]);
    assert!(patient.status.success(), "{}", stderr(&patient));
    write("echo 1 2");
    let expected = "the last line of its output is \"1 2\": expected the numbers of wins";
    assert_fails(&case.evolve("wrong", &[]), 1, expected);
    write("echo 12 0 0; echo no >&2; exit 1");
    assert_fails(&case.evolve("failed", &[]), 1, "failed: exit status: 1; its last words: no");
}

#[test]
fn what_is_wrong_in_a_config_is_named_with_line_and_key() {
    for (old, new, expected) in [
        ("seed = 4", "game = \"uttt\"", "game: the games are those of the program"),
        ("seed = 4", "evaluation = \"advanced\"", "evaluation: the program has its own"),
        ("seed = 4", "[agent]\nkind = \"minimax\"", "agent: the program of fitness.runner plays"),
        ("cmd = \"CMD\"", "cmd = \"CMD\", once = \"x\"", "fitness.runner: give cmd"),
        ("cmd = \"CMD\", ", "", "fitness.runner: give cmd"),
        ("cmd = \"CMD\"", "cmd = \"a 'b\"", "quotes closed"),
        ("cmd = \"CMD\"", "comand = \"CMD\"", "did you mean \"cmd\"?"),
        ("pairs = 3", "pairs = 0", "fitness.runner.pairs: pairs: expected a whole number from 1"),
        ("timeout = \"20s\"", "timeout = \"soon\"", "expected a time from 1ms to 1day"),
        ("cmd = \"CMD\"", "once = \"x {hold}\"", "nothing uses luck: write {luck}"),
        ("cmd = \"CMD\"", "once = \"x {hold} {luck} {lukc}\"", "did you mean {luck}?"),
        ("games = 24", "games = 24\nopenings = \"random:4\"", "leave openings out"),
        ("games = 24", "games = 24\nschedule = \"coin\"", "fitness.schedule: a runner plays pairs"),
        ("games = 24", "games = 3", "fitness.games: expected an even number"),
        ("numbers = { hold = 12 }", "numbers = { hodl = 12 }", "did you mean \"hold\"?"),
        (
            "numbers = { hold = 12 }",
            "agent = \"random\"",
            "opponents[1].agent: the program of fitness.runner",
        ),
        ("numbers = { hold = 12 }", "share = 1", "expected numbers = { NAME = VALUE }"),
        ("numbers = \"old.toml\"", "numbers = \"none.toml\"", "none.toml: cannot be read"),
        ("start = \"mean\"", "depth = 3", "have no depth: leave it out"),
        ("key = \"luck\"", "key = \"a b\"", "is no name of a number"),
        ("key = \"luck\"", "key = \"hold\"", "hold is given twice"),
        ("key = \"luck\"", "key = \"wins\"", "another column of the logs"),
        ("initial = 0.5\n", "", "initial: missing"),
        ("[comparison]\n", "[comparison]\nagent = \"random\"\n", "leave agent out"),
        ("[validation]\n", "[validation]\ndepths = [1]\n", "none are evolved"),
    ] {
        let case = Case::new(old, new, "pass");
        let output = run(&["evolve", case.config.to_str().unwrap(), "--check"]);
        assert_fails(&output, 2, expected);
        assert!(stderr(&output).contains("config.toml") || expected.contains("none.toml"));
    }
    let without = "game = \"runner\"\n[cmaes]\nsigma = 1\n[fitness]\n[[parameters]]\nkey = \"a\"\n";
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("c.toml");
    std::fs::write(&config, without).unwrap();
    let output = run(&["evolve", config.to_str().unwrap()]);
    assert_fails(
        &output,
        2,
        "c.toml:1: game: the game runner is played by a program: write [fitness] runner",
    );
    assert!(stderr(&output).contains("^^^"));
}

#[test]
fn the_example_finds_its_known_optimum() {
    if !needs("python3") {
        return;
    }
    let root = env!("CARGO_MANIFEST_DIR");
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("runner.toml");
    let text = read(&Path::new(root).join("examples/runner.toml"))
        .replace("games = 20_000", "games = 4000")
        .replace("games = 100_000", "games = 2000");
    std::fs::write(&config, text).unwrap();
    let mut command = tictune(&[
        "evolve",
        config.to_str().unwrap(),
        "--out",
        folder.path().join("run").to_str().unwrap(),
    ]);
    let output = command.current_dir(root).output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    let agent = read(&folder.path().join("run/mean-agent.txt"));
    let stay = agent.split("stay = ").nth(1).and_then(|rest| rest.split(' ').next()).unwrap();
    let stay: f64 = stay.parse().unwrap();
    // 2 cos(2 pi / 9) - 1; a fifth of the example's games leave some noise.
    assert!((stay - 0.532).abs() < 0.12, "{stay}");
}

#[cfg(unix)]
#[test]
fn a_signal_ends_a_run_while_its_program_is_silent() {
    if !needs("python3") {
        return;
    }
    let case = Case::new("", "", "time.sleep(30)");
    let out = case.path("run");
    let args = ["evolve", case.config.to_str().unwrap(), "--out", out.to_str().unwrap()];
    let child = tictune(&args).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    std::thread::sleep(Duration::from_millis(700));
    let started = Instant::now();
    send(Signal::TERM, &child);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{}", stderr(&output));
    assert!(started.elapsed() < Duration::from_secs(3), "{:?}", started.elapsed());
}

/// What the doctor prints of a runner in whose program a line is its own.
fn doctor(breaks: &str) -> std::process::Output {
    let case = Case::new("", "", breaks);
    let script = case.path("runner.py");
    let agent = format!(
        "runner:cmd=\"python3 {}\",numbers={{ hold = 12, luck = 0.5 }},pairs=50",
        script.display()
    );
    run(&["doctor", &agent])
}

#[test]
fn results_of_a_program_that_ignores_seeds_or_numbers_show_nothing() {
    if !needs("python3") {
        return;
    }
    // The results follow from the numbers alone, and the answers name no games.
    let ignores = "answer['pairs'] = [[int(margin > 0), int(margin >= 0)]] * len(pairs)";
    let case = Case::new("rounds = 1", "rounds = 2", ignores);
    let run_of = case.evolved("run", &["--max-generations", "2"]);
    let shown = run(&["show", run_of.to_str().unwrap()]);
    let text = String::from_utf8_lossy(&shown.stdout).into_owned();
    assert!(text.contains(": too few distinct pairs, p"), "{text}");
    assert!(!text.contains(": stronger"), "{text}");
    assert!(!text.contains("games of the training began there, too"), "{text}");
    let agent = |numbers: &str| {
        let script = case.path("runner.py");
        format!("runner:cmd=\"python3 {}\",numbers={{ {numbers} }}", script.display())
    };
    let (a, b) = (agent("hold = 20, luck = 0.5"), agent("hold = 2, luck = 0.5"));
    let output = run(&["match", &a, &b, "--games", "20", "--game", "runner", "--openings", "none"]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains("1 of 10 pairs repeat no other: Elo and p are of these alone"), "{text}");
    assert!(!text.contains("plies") && !text.contains("A: 0 moves"), "{text}");
    assert!(stderr(&output).contains(
        "all 10 pairs were won by the same side with both games: the program may ignore"
    ));
    let output = run(&[
        "match",
        &a,
        &agent("holt = 2, luck = 0.5"),
        "--games",
        "4",
        "--game",
        "runner",
        "--openings",
        "none",
    ]);
    assert!(stderr(&output).contains("only one side has a number hol"), "{}", stderr(&output));

    // One side is given all games: nothing is begun.
    let unfair = Case::new("", "", "answer['pairs'] = [[1, 1]] * len(pairs)");
    assert_fails(
        &unfair.evolve("run", &[]),
        1,
        "one side won all games, with the same numbers on both sides",
    );
    assert!(!unfair.path("run").exists());

    // A number that changes nothing.
    let output = run(&[
        "doctor",
        Case::new("", "", "answer['pairs'] = [[1, 0]] * len(pairs)").config.to_str().unwrap(),
    ]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        text.contains(
            "note   with hold, with luck at either end of its range all results are the same"
        ),
        "{text}"
    );
    // `new` wants such a command, and a program that stays is not told numbers so.
    let braced = Case::new("cmd = \"CMD\"", "cmd = \"CMD {hold}\"", "pass");
    assert_fails(&braced.evolve("run", &[]), 2, "{hold} stays as it is here");
}

#[test]
fn a_run_that_was_stopped_shows_its_numbers_so_far() {
    if !needs("python3") {
        return;
    }
    let case = Case::new(
        "",
        "",
        "open(__file__ + '.asked', 'a').write('x'); os.path.getsize(__file__ + '.asked') > 60 and os._exit(0)",
    );
    let output = case.evolve("run", &["--threads", "1"]);
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    let run_of = case.path("run");
    let shown = run(&["show", run_of.to_str().unwrap(), "--json"]);
    let json: serde_json::Value = serde_json::from_slice(&shown.stdout).unwrap();
    let mean = json["so_far"]["mean"].as_object().unwrap_or_else(|| panic!("{json}"));
    assert_eq!(mean.keys().collect::<Vec<_>>(), ["hold", "luck"]);
    let text =
        String::from_utf8_lossy(&run(&["show", run_of.to_str().unwrap()]).stdout).into_owned();
    assert!(text.contains("\nthe mean of the distribution: hold="), "{text}");
}

#[test]
fn the_doctor_asks_a_runner_and_says_what_it_saw() {
    if !needs("python3") {
        return;
    }
    let well = doctor("pass");
    let text = String::from_utf8_lossy(&well.stdout).into_owned();
    assert!(well.status.success(), "{text}");
    for expected in [
        "ok     it answers: 10 pairs of games of its numbers against themselves in ",
        "ok     the same request has the same results",
        " pairs a second: about a second's worth is a good choice for the key pairs, which is 50",
        "ok     it ends with its input",
    ] {
        assert!(text.contains(expected), "{expected}: {text}");
    }
    for (breaks, expected, status) in [
        (
            "answer['pairs'] = [[Random().choice([0, 1]), 0.5] for _ in pairs]",
            "note   the same request, asked twice, had different results: something in it is random",
            0,
        ),
        ("answer['pairs'] = [[1, 0]] * len(pairs)", "note   all 20 pairs came out alike", 0),
        ("answer['pairs'] = [[1, 1]] * len(pairs)", "WRONG  one side won all games", 1),
        ("answer = 'hello'", "is no answer to request 1", 1),
        ("sys.exit('it broke')", "ended before it answered request 1", 1),
    ] {
        let output = doctor(breaks);
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(text.contains(expected), "{breaks}: {text}");
        assert_eq!(output.status.code(), Some(status), "{breaks}: {text}");
    }
    let once = run(&["doctor", "runner:cmd=\"echo 10 0 10\",once=true"]);
    let text = String::from_utf8_lossy(&once.stdout).into_owned();
    assert!(once.status.success() && text.contains("ok     it answers: 10 pairs"), "{text}");
}
