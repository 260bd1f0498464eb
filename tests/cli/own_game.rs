//! `examples/own_game.rs`: every command works with a game that tictune does not know.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use crate::common::{assert_same, stderr};

/// The binary of an example.
///
/// `cargo test` builds the examples along with the program. `cargo test --test cli` alone uses those
/// that were built before.
fn example(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_BIN_EXE_tictune")).parent().unwrap();
    let path = folder.join("examples").join(name);
    assert!(
        path.with_extension(std::env::consts::EXE_EXTENSION).exists(),
        "{name} is not built: cargo build --examples"
    );
    path
}

fn run(folder: &Path, args: &[&str], input: &str) -> Output {
    let mut child = Command::new(example("own_game"))
        .args(args)
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    child.wait_with_output().unwrap()
}

/// The example's config with fewer games, in a folder.
fn config(folder: &Path) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/connect-four.toml");
    let mut text = std::fs::read_to_string(path).unwrap();
    for (long, short) in [
        ("games = 40", "games = 12"),
        ("games = 100", "games = 20"),
        ("games = 200", "games = 20"),
        ("max_generations = 15", "max_generations = 4"),
    ] {
        assert!(text.contains(long), "{long}");
        text = text.replace(long, short);
    }
    let copy = folder.join("connect-four.toml");
    std::fs::write(&copy, text).unwrap();
    copy.display().to_string()
}

fn stdout(folder: &Path, args: &[&str]) -> String {
    let output = run(folder, args, "");
    assert!(output.status.success(), "own_game {args:?}: {}", stderr(&output));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn a_game_of_ones_own_has_every_command() {
    let temporary = tempfile::tempdir().unwrap();
    let folder = temporary.path();
    let whole = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/connect-four.toml");
    let plan = stdout(folder, &["evolve", whole, "--check"]);
    assert!(plan.contains("game connect-four"), "{plan}");
    let config = config(folder);
    let verdict = stdout(folder, &["evolve", &config, "--threads", "2"]);
    assert!(verdict.contains("Validation of the"), "{verdict}");
    stdout(folder, &["evolve", &config, "--threads", "1", "--out", "again"]);
    assert_same(&folder.join("runs/connect-four"), &folder.join("again"));

    let best = "runs/connect-four/best.toml";
    let weights = std::fs::read_to_string(folder.join(best)).unwrap();
    assert!(weights.contains("game = \"connect-four\"\nevaluation = \"lines\""), "{weights}");
    let agent = format!("minimax:depth=4,weights={best}");
    let json = stdout(folder, &["match", &agent, "random", "--games", "40", "--json"]);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["game"], "connect-four");
    assert!(json["score"].as_f64().unwrap() > 0.8, "{json}");
    stdout(folder, &["compare", "runs/connect-four", "--games", "20"]);
    let table = ["validate", best, "--opponents", best, "--depths", "2", "--iterative", "none"];
    let table = [&table[..], &["--ept", "none", "--games", "20"]].concat();
    assert!(stdout(folder, &table).contains("minimax:depth=2"));
    let exported = run(folder, &["export", best, "--format", "c"], "");
    assert!(String::from_utf8_lossy(&exported.stdout).contains("three"));
    // No formulas: the file and standard error say what is missing.
    assert!(stderr(&exported).contains("note: constants alone. There is no function here"));
    let data = run(folder, &["export", best, "--format", "json"], "");
    assert_eq!(stderr(&data), "");
    stdout(folder, &["report", "runs/connect-four"]);
    let counts = stdout(folder, &["perft", "--depth", "5"]);
    // Nobody can have four discs before the seventh ply. The fifth disc does not fit into a column.
    assert_eq!(counts, "1 5\n2 25\n3 125\n4 625\n5 3120\n");
    let entrants = ["tournament", "random", "reflex", &agent, "--games", "10"];
    assert!(stdout(folder, &entrants).contains("minimax"));

    let played = run(folder, &["play", "--agent", "reflex"], "3\n3\n3\n3\n");
    let played = String::from_utf8(played.stdout).unwrap();
    assert!(played.contains("you have won"), "{played}");
}

#[test]
fn other_games_are_unknown_to_it() {
    let folder = tempfile::tempdir().unwrap();
    let output = run(folder.path(), &["perft", "--game", "uttt", "--depth", "1"], "");
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("unknown game \"uttt\""), "{}", stderr(&output));
    let output = run(folder.path(), &["bot", "--protocol", "codingame"], "");
    assert!(stderr(&output).contains("do not play connect-four"), "{}", stderr(&output));
    // What it tells a person to type names this program.
    std::fs::create_dir(folder.path().join("begun")).unwrap();
    let config = config(folder.path());
    let fill = ["evolve", &config, "--out", "begun", "--max-generations", "1"];
    stdout(folder.path(), &fill);
    for file in ["mean.toml", "mean-agent.txt"] {
        std::fs::remove_file(folder.path().join("begun").join(file)).unwrap();
    }
    let output = run(folder.path(), &["compare", "begun"], "");
    let expected = "continue it with: own_game evolve ";
    assert!(stderr(&output).contains(expected), "{}", stderr(&output));
    let output = run(folder.path(), &["play", "--from", "...../...../...../....."], "");
    assert!(stderr(&output).contains("no notation of positions"), "{}", stderr(&output));
}

#[test]
fn the_other_examples_run() {
    let temporary = tempfile::tempdir().unwrap();
    let config = temporary.path().join("small.toml");
    std::fs::write(
        &config,
        "evaluation = \"simple\"\n[cmaes]\npopulation = 4\nsigma = 0.3\ninitial = 1.0\n[fitness]\ngames = 4\n\
         [[opponents]]\nagent = \"random\"\n[[stages]]\ndepth = 1\nmax_generations = 2\n[comparison]\ngames = 2\n\
         [validation]\ngames = 2\ndepths = [1]\n",
    )
    .unwrap();
    for (name, args, expected) in [
        ("match", &[][..], "200 different games"),
        ("evolve", &[config.to_str().unwrap()], "micro_win = "),
    ] {
        let output =
            Command::new(example(name)).args(args).current_dir(temporary.path()).output().unwrap();
        assert!(output.status.success(), "{name}: {}", stderr(&output));
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(text.contains(expected), "{name}: {text}");
    }
}

#[test]
fn a_kind_of_agent_of_ones_own_is_known_to_every_command() {
    let run = |args: &[&str]| Command::new(example("own_agent")).args(args).output().unwrap();
    let said = |args: &[&str]| {
        let output = run(args);
        assert!(output.status.success(), "own_agent {args:?}: {}", stderr(&output));
        String::from_utf8(output.stdout).unwrap()
    };
    let games = |agent: &str, game: &str| {
        said(&["match", agent, "random", "--game", game, "--games", "20", "--seed", "1", "--json"])
    };
    for game in ["uttt", "qubic", "chess"] {
        let played: serde_json::Value = serde_json::from_str(&games("opportunist", game)).unwrap();
        assert_eq!(played["agents"][0], "opportunist", "{played}");
    }
    assert_ne!(games("opportunist", "uttt"), games("opportunist:oversight=1", "uttt"));
    assert!(
        said(&["match", "--help"])
            .contains("oversight=0.1  The chance that it does not see such a move")
    );
    let wrong = run(&["match", "opportunist:oversigth=1", "random"]);
    assert!(stderr(&wrong).contains("did you mean \"oversight\"?"), "{}", stderr(&wrong));
}

#[test]
fn an_executor_of_ones_own_plays_the_same_games() {
    let output = Command::new(example("own_executor")).output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    let lines: Vec<&str> = said.lines().collect();
    assert!(lines.len() == 2 && lines[0] == lines[1], "{said}");
}
