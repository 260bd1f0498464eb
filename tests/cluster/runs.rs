//! Runs on workers: the same bytes as on threads, whoever dies when.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use serde_json::{Value, json};

#[cfg(unix)]
use crate::common::{Signal, send};
use crate::common::{assert_same, json_without_times, run, stderr, tictune, without_times_in};
use crate::server::{Process, Server, rows, wait_until};

/// A run of some seconds.
pub const CONFIG: &str = r#"name = "cluster"
evaluation = "comprehensive"
seed = 5
[cmaes]
population = 8
sigma = 0.5
initial = 0.1
[fitness]
games = 120
openings = "random:4"
[[opponents]]
agent = "minimax:weights=liang-default"
share = 2
[[opponents]]
agent = "random"
[finalists]
games = 200
[[stages]]
depth = 3
max_generations = 6
[[stages]]
depth = 5
start = "mean"
max_generations = 3
[comparison]
games = 60
[validation]
games = 20
depths = [1, 3]
opponents = ["initial", "liang-optimized"]
"#;

/// A run of a second.
pub const SMALL: &str = r#"name = "small"
evaluation = "advanced"
seed = 5
[cmaes]
population = 4
sigma = 0.5
[fitness]
games = 12
[[opponents]]
agent = "random"
[hall_of_fame]
every = 1
games = 8
share = 0.5
[reevaluation]
rounds = 1
[held_out]
every = 1
games = 8
[finalists]
games = 20
rounds = 1
[[stages]]
depth = 1
max_generations = 3
[comparison]
games = 4
[validation]
games = 2
depths = [1]
opponents = ["initial"]
"#;

/// A config in the server's folder, and its run on threads.
fn local_run(server: &Server) -> (String, PathBuf) {
    let (config, out) = (server.path("cluster.toml"), server.path("local"));
    std::fs::write(&config, CONFIG).unwrap();
    let config = config.display().to_string();
    let output = run(&["evolve", &config, "--out", out.to_str().unwrap()]);
    assert!(output.status.success(), "{}", stderr(&output));
    (config, out)
}

fn drive(server: &Server, config: &str, out: &Path, more: &[&str]) -> Process {
    let (url, out) = (server.url(), out.to_str().unwrap());
    Process::start(&[&["evolve", config, "--out", out, "--executor", &url], more].concat())
}

fn succeeds(driver: Process) -> String {
    let (status, stdout, said) = driver.end();
    assert_eq!(status, 0, "{said}");
    stdout
}

#[test]
fn a_run_survives_its_workers_its_driver_and_its_server() {
    let Some(mut server) = Server::start() else { return };
    let (config, local) = local_run(&server);
    let out = server.path("many");
    let mut workers = [server.worker(), server.worker(), server.worker()];
    let mut driver = drive(&server, &config, &out, &[]);
    let evaluated = out.join("stage-1-depth-3/evaluations.csv");

    // A worker dies with games in its hands, and another one comes.
    wait_until("the first generation", || rows(&evaluated) >= 8);
    workers[0].kill();
    let _late = server.worker();

    // The driver dies, and the run is resumed.
    wait_until("two more generations", || rows(&evaluated) >= 24);
    driver.kill();
    let driver = drive(&server, &config, &out, &["--resume"]);

    // The server dies, and starts again.
    let later = out.join("stage-2-depth-5/evaluations.csv");
    wait_until("the second stage", || rows(&later) >= 8);
    server.kill();
    driver.wait_for("is away; waiting for it");
    server.go();
    driver.wait_for("is back");
    succeeds(driver);
    assert_same(&local, &out);
}

#[test]
fn matches_tournaments_and_candidates_are_played_by_workers() {
    let Some(server) = Server::start() else { return };
    let _worker = server.worker();
    let url = server.url();
    let a = "minimax:depth=3,weights=liang-comprehensive";
    let b = "mcts:playout=ept,iterations=60,weights=liang-comprehensive";
    let compare = |args: &[&str]| {
        let local = json_without_times(args);
        let remote = json_without_times(&[args, &["--executor", &url]].concat());
        assert_eq!(local, remote, "{args:?}");
    };
    compare(&["match", a, b, "--games", "30", "--json"]);
    compare(&["match", a, "random", "--games", "400", "--sprt", "elo0=0,elo1=50", "--json"]);
    let qubic = ["match", "minimax:depth=2", "random", "--game", "qubic", "--games", "6", "--json"];
    compare(&qubic);
    let tournament = ["tournament", a, b, "reflex", "random", "--games", "6", "--json"];
    compare(&tournament);
}

/// What `tictune fitness` answers to two candidates, without times.
fn costs(config: &str, more: &[&str]) -> Vec<Value> {
    let mut command = tictune(&[&["fitness", config], more].concat());
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let numbers = |first: f64| {
        let slots = ["two_in_a_row", "middle", "corner", "side"];
        let names = ["macro", "micro"]
            .into_iter()
            .flat_map(|board| slots.map(|slot| format!("{board}_{slot}")));
        let numbers: Value = names.zip([first, 0.5, 1.0, 0.2, 3.0, 0.1, 2.0, 1.0]).collect();
        json!({ "numbers": numbers })
    };
    for candidate in [numbers(1.5), json!([numbers(2.0), numbers(-3.0)])] {
        writeln!(child.stdin.as_mut().unwrap(), "{candidate}").unwrap();
    }
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    let lines = String::from_utf8(output.stdout).unwrap();
    lines.lines().map(|line| without_times_in(serde_json::from_str(line).unwrap())).collect()
}

#[test]
fn all_other_commands_that_play_many_games_use_workers() {
    let Some(server) = Server::start() else { return };
    let worker = server.worker();
    let url = server.url();
    let [config, out] = ["small.toml", "small"].map(|name| server.path(name).display().to_string());
    std::fs::write(&config, SMALL).unwrap();
    assert!(run(&["evolve", &config, "--out", &out]).status.success());
    let on = ["--executor", &url];
    for args in [
        &["compare", &out, "--games", "40"][..],
        &[
            "validate",
            &out,
            "--games",
            "4",
            "--depths",
            "1,2",
            "--iterative",
            "nodes=200",
            "--ept",
            "iterations=20",
        ],
        &[
            "reproduce",
            "4.5",
            "--games",
            "6",
            "--iterations",
            "20",
            "--nodes",
            "50",
            "--rows",
            "1,2",
        ],
    ] {
        let args = [args, &["--json"]].concat();
        assert_eq!(json_without_times(&[&args[..], &on].concat()), json_without_times(&args));
    }
    let local = costs(&config, &[]);
    assert!(local[0]["cost"].is_number() && local[1][1]["cost"].is_number(), "{local:?}");
    assert_eq!(costs(&config, &on), local);

    // Without workers, none of them plays: the games were theirs.
    drop(worker);
    let waits = Process::start(&[&["compare", &out][..], &on].concat());
    waits.wait_for("no worker is there");
}

#[test]
fn openings_of_a_file_and_learned_tables_travel_with_the_work() {
    let Some(server) = Server::start() else { return };
    let _worker = server.worker();
    let url = server.url();
    let config = server.path("learn.toml");
    let text = "games = 400\nalpha = 0.2\nrepresentation = \"binary-features\"\nevaluation = \"connecting\"\n";
    std::fs::write(&config, text).unwrap();
    let learned = server.path("learned");
    let [config, out] = [&config, &learned].map(|path| path.to_str().unwrap());
    assert!(run(&["learn", config, "--out", out]).status.success());
    let table = format!("learned:from={}", learned.join("values.csv").display());
    let openings = "file:experiments/chess/openings.epd:held-out";
    for args in [
        &["match", &table, "random", "--games", "40", "--json"][..],
        &["match", "random", "random", "--game", "chess", "--openings", openings, "--json"],
    ] {
        let local = json_without_times(args);
        assert_eq!(json_without_times(&[args, &["--executor", &url]].concat()), local);
    }
}

#[cfg(unix)]
#[test]
fn workers_are_listed_and_leave_when_they_are_asked_to() {
    let Some(server) = Server::start() else { return };
    let url = server.url();
    let worker = server.worker();
    let list = |more: &[&str]| {
        let output = run(&[&["workers", &url], more].concat());
        assert!(output.status.success(), "{}", stderr(&output));
        String::from_utf8(output.stdout).unwrap()
    };
    assert!(list(&[]).contains("1 worker, 1 threads"), "{}", list(&[]));
    let json: Value = serde_json::from_str(&list(&["--json"])).unwrap();
    assert_eq!(json[0]["threads"], 1);
    send(Signal::TERM, &worker.child);
    assert_eq!(worker.end().0, 130);
    assert_eq!(list(&[]), "no workers\n");
}

#[cfg(unix)]
#[test]
fn a_driver_says_that_nobody_is_there_and_stops_when_asked_to() {
    let Some(server) = Server::start() else { return };
    let url = server.url();
    let driver = Process::start(&["match", "random", "random", "--executor", &url]);
    driver.wait_for("no worker is there");
    send(Signal::INT, &driver.child);
    assert_eq!(driver.end().0, 130);
}
