//! The commands that show, list and begin things; help, completions and man pages; how much is said. What they say to people
//! who mistype is in `messages/`.
#![cfg(unix)]

use std::process::{Command, Stdio};

use serde_json::Value;

use crate::common::{Folder, TERM, TICTUNE, assert_has, own_bot, piped, quoted, stderr, stdout};
use crate::needs::needs;

const TINY: &str = include_str!("../configs/tiny.toml");

#[test]
fn completions_and_man_pages_come_from_the_same_definitions() {
    let folder = Folder::new();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        assert_has(&folder.said(&format!("completions {shell}")), &["tournament", "games-csv"]);
    }
    assert_has(&folder.said("man"), &[".TH tictune 1", "Exit status"]);
    folder.said("man --out man1");
    let example = "tictune match minimax:depth=3 mcts:iterations=5000 \\-\\-games 300";
    assert_has(&folder.read("man1/tictune-match.1"), &["sprt", example]);
    assert!(folder.path("man1/tictune.1").exists() && folder.path("man1/tictune-runs.1").exists());
}

#[test]
fn a_reader_that_leaves_is_no_error_of_any_command_that_prints() {
    for line in
        ["list", "completions bash", "man", "reproduce", "--help", "show 2.8", "perft --depth 6"]
    {
        let folder = Folder::new();
        let mut child = piped(&mut folder.command(line));
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{line}: {}", stderr(&output));
        assert_eq!(stderr(&output), "", "{line}");
    }
}

#[test]
fn runs_are_listed_continued_and_shown() {
    let folder = Folder::with("tiny.toml", TINY);
    let evolved = folder.json("evolve tiny.toml --json");
    assert_eq!(evolved["report"], "runs/tiny/report.html");
    assert!(evolved["comparison"]["games"].is_number() && evolved["validation"].is_array());
    folder.said("tournament random reflex --games 4 --out runs/deeper/two-agents");
    // The games of somebody's match hide no run.
    folder.file("runs/games.csv", "game,seed\n");
    let list = folder.json("runs --json");
    let of = |name: &str| {
        let mut rows = list.as_array().unwrap().iter();
        rows.find(|row| row["run"].as_str().unwrap().ends_with(name)).unwrap()
    };
    assert_eq!([&of("tiny")["state"], &of("tiny")["kind"]], ["finished", "evolution"]);
    let verdict = evolved["comparison"]["verdict"].as_str().unwrap();
    assert_eq!(of("tiny")["result"], format!("best against mean: {verdict}"));
    let agents = of("two-agents");
    assert_eq!([&agents["kind"], &agents["progress"]], ["tournament", "4 games"]);
    // A run that was stopped says how to continue it, and that command does.
    folder.edit("runs/tiny/manifest.json", "\"finished\": true", "\"finished\": false");
    let text = folder.said("runs");
    let (_, command) = text.split_once("to continue runs/tiny: tictune ").unwrap();
    folder.said(command.lines().next().unwrap());
    assert_eq!(folder.json("show runs/tiny --json")["state"], "finished");
    let parts =
        "evolution, finished|stopped by|Best against mean|Validation of the|is multiplied by";
    assert_has(&folder.said("show runs/tiny"), &parts.split('|').collect::<Vec<_>>());
    folder.file("runs/tiny/manifest.json", "{}");
    assert_eq!(folder.json("runs --json")[1]["state"], "unreadable");
    // A run that begins with --resume says so.
    let begins = "nothing to continue in runs/new: the run begins\n";
    for begun in [true, false] {
        let output = folder.run("evolve tiny.toml --out runs/new --resume");
        assert_eq!(stderr(&output).contains(begins), begun, "{}", stderr(&output));
    }
}

#[test]
fn progress_is_quiet_plain_or_logged() {
    let folder = Folder::with("tiny.toml", TINY);
    let evolve = |out: &str, more: &str| {
        let output = folder.run(&format!("evolve tiny.toml --out {out} {more}"));
        assert!(output.status.success(), "{}", stderr(&output));
        stderr(&output)
    };
    let plain = evolve("plain", "");
    assert!(plain.contains("gen   1/") && !plain.contains("INFO"), "{plain}");
    assert_has(&plain, &["games per candidate\n", "time left is not known yet\n"]);
    let last = plain.lines().find(|line| line.starts_with("gen   2/2")).unwrap();
    assert_has(last, &["the stage is about to end"]);
    assert_eq!(evolve("quiet", "--quiet"), "");
    // A program can read every line, and the log of the run has the same events in the same form.
    let verbose = evolve("verbose", "-v --log-format json");
    let events = |text: &str| -> Vec<Value> {
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    let event = events(&verbose).swap_remove(0);
    assert_eq!(event["level"], "INFO");
    assert_has(&verbose, &["gen   1/"]);
    assert!(events(&folder.read("verbose/log.txt")).contains(&event));
}

/// What a command says at a terminal. `script` gives it one; Debian has it everywhere.
fn at_a_terminal(folder: &Folder, columns: u32, line: &str) -> String {
    let mut script = Command::new("script");
    script.args(["-qec", &format!("stty cols {columns}; {TICTUNE} {line}"), "/dev/null"]);
    script.env("TERM", TERM).current_dir(folder.path("")).stdin(Stdio::null());
    stdout(&script.output().unwrap())
}

#[test]
#[cfg(target_os = "linux")]
fn on_a_terminal_the_view_stays_in_place_and_commands_in_one_line() {
    if !needs("script") {
        return;
    }
    let folder = Folder::with("tiny.toml", TINY);
    let live = at_a_terminal(&folder, 100, "evolve tiny.toml");
    assert_has(&live, &["Ctrl-C saves everything", "stage 1 of 1, depth 1: generation "]);
    assert!(!live.contains("gen   1/"), "{live}");
    let plain = at_a_terminal(&folder, 100, "evolve tiny.toml --out plain -v");
    assert!(plain.contains("gen   1/") && !plain.contains("Ctrl-C saves everything"), "{plain}");
    // One bar for all matches of a command.
    let weights = "validate liang-default --opponents liang-optimized --openings centre";
    let matches = "--games 2 --depths 1,2,3 --iterative none --ept none";
    assert_has(&at_a_terminal(&folder, 100, &format!("{weights} {matches}")), &["/6 games"]);
    folder.edit("runs/tiny/manifest.json", "\"finished\": true", "\"finished\": false");
    let name = format!("runs/{}", "a-name-".repeat(12));
    std::fs::rename(folder.path("runs/tiny"), folder.path(&name)).unwrap();
    let shown = at_a_terminal(&folder, 60, &format!("show {name}"));
    let whole = format!("to continue: tictune evolve {name}/config.toml --out {name} --resume");
    assert!(shown.lines().any(|line| line == whole), "{whole}: {shown}");
}

#[test]
fn colours_are_for_terminals_that_want_them() {
    for (key, colours) in [("NO_COLOR", false), ("CLICOLOR_FORCE", true)] {
        let folder = Folder::new();
        let mut command = folder.command("match minmax random");
        command.env_remove("NO_COLOR").env(key, "1");
        assert_eq!(stderr(&command.output().unwrap()).contains('\u{1b}'), colours, "{key}");
    }
}

#[test]
fn vectors_of_files_of_one_name_are_told_apart() {
    let folder = Folder::new();
    for (name, weights) in [("a", "liang-default"), ("b", "liang-optimized")] {
        let text = folder.said(&format!("export {weights} --format toml"));
        folder.file(&format!("{name}/best.toml"), &text);
    }
    let agents = |a: &str, b: &str| {
        let [a, b] = [a, b].map(|name| format!("greedy:weights={name}/best.toml"));
        folder.json(&format!("match {a} {b} --games 4 --json"))["agents"].clone()
    };
    let name = |of: &str| format!("greedy:eval=advanced,weights={of}");
    assert_eq!(agents("a", "b"), serde_json::json!([name("a/best"), name("b/best")]));
    // The same vector twice keeps its name.
    assert_eq!(agents("a", "a"), serde_json::json!([name("best"), name("best")]));
    let alone = "--games 2 --depths 1 --iterative none --ept none --json";
    let rows = folder.json(&format!("validate a/best.toml --opponents b/best.toml {alone}"));
    assert_eq!([&rows["weights"], &rows["rows"][0]["opponent"]], ["a/best", "b/best"]);
}

#[test]
fn a_match_says_how_many_moves_were_late() {
    let folder = Folder::new();
    let text = folder.said("match mcts:time=1ms random --games 2");
    assert!(text.contains(" ms, none late\n") || text.contains(" late\n"), "{text}");
    // A program's positions are not known.
    let bot = quoted(&own_bot("codingame", "random", ",time=20s"));
    let text = folder.said(&format!("match {bot} random --games 2 --openings none"));
    let of_bot = text.lines().find(|line| line.starts_with("A: ")).unwrap();
    assert!(of_bot.contains("none late") && !of_bot.contains("nodes"), "{text}");
}

#[test]
fn openings_of_the_training_are_named_once_each() {
    let config = include_str!("../configs/openings.toml");
    let text = Folder::with("c.toml", config).said("evolve c.toml");
    assert_has(&text, &["(from centre and random:4: training games started there"]);
}

#[test]
fn a_small_run_is_compared_validated_and_reported() {
    let folder = Folder::with("tiny.toml", TINY);
    let text = folder.said("evolve tiny.toml --out run");
    assert_has(&text, &["Best against mean", "Validation"]);
    let stage = "generations.csv evaluations.csv axes.csv best.toml mean.toml";
    let files = "config.toml manifest.json log.txt best.toml mean.toml comparison.json validation.json validation.csv report.html";
    for (place, files) in [("run", files), ("run/stage-1-depth-1", stage)] {
        for file in files.split(' ') {
            assert!(folder.path(place).join(file).exists(), "{file} is missing in {place}");
        }
    }
    assert_eq!(folder.json("compare run --games 20 --json")["games"], 20);
    let searches = "--depths 1,2 --iterative nodes=300 --ept iterations=30,iterations=60";
    let opponents = "--opponents liang-simple --games 4 --json";
    let validation = folder.json(&format!("validate run {searches} {opponents}"));
    let rows = validation["rows"].as_array().unwrap();
    let of_one_opening: Vec<&str> =
        rows[..5].iter().map(|row| row["search"].as_str().unwrap()).collect();
    let expected = "minimax:depth=1 minimax:depth=2 iterative:nodes=300 \
                    mcts:tree=uct,playout=ept,iterations=30 mcts:tree=uct,playout=ept,iterations=60";
    assert_eq!(of_one_opening.join(" "), expected);
    assert_eq!((rows.len(), &rows[4]["opponent"]), (10, &"random playouts".into()));
    // The start of a run is an opponent, too.
    let alone = "--games=4 --depths=1 --iterative=none --ept=none";
    let text = folder.said(&format!("validate run {alone} --opponents=initial"));
    assert_has(&text, &[" against initial from centre: "]);
    folder.said("report run");
    assert_has(&folder.read("run/report.html"), &["<svg", "Stage 1: depth 1"]);
    let best = folder.read("run/best.toml");
    assert!(!best.contains(&folder.text("")), "no path of a machine in provenance: {best}");
}
