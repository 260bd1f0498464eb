//! Texts, files, results and sizes that a program must not trust, and files of people that it must not harm.
#![cfg(unix)]

use std::fs::Permissions;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::Command;
use std::time::{Duration, Instant};

use crate::common::{Folder, assert_fails, assert_has, edited, piped, quoted, read_json, stderr};

const TINY: &str = include_str!("../configs/tiny.toml");

/// A match of a moment.
const MATCH: &str = "match random random --games 4";

#[test]
fn messages_repeat_little_of_their_input_and_nothing_that_terminals_obey() {
    let folder = Folder::new();
    let long = "x".repeat(20_000);
    folder.file("long.toml", &format!("{long} = 1\n"));
    folder.file("value.toml", &format!("name = {}\n", "9".repeat(20_000)));
    for line in [
        "match LONG random",
        "match greedy:weights=LONG random",
        "match minimax:depth=LONG random",
        "match minimax:LONG=3 random",
        "match minimax:LONG random",
        "match 'external:cmd=\"LONG' random",
        "match random random --openings LONG",
        "match random random --rules LONG",
        "match random random --sprt elo0=LONG",
        "reproduce LONG",
        "export LONG --format toml",
        "evolve long.toml --check",
        "evolve value.toml --check",
    ] {
        let text = folder.fails(&line.replace("LONG", &long), 2, "");
        assert!(text.len() < 3000, "{} bytes: {}", text.len(), &text[..300]);
    }
    for line in [
        "match CLEARrandom random",
        "match greedy:weights=CLEAR random",
        "evolve CLEAR.toml",
        "export CLEAR --format toml",
        "match random random --moves no-such-folder/CLEAR",
    ] {
        let text = folder.fails(&line.replace("CLEAR", "\u{1b}[2J"), 2, "\\u{1b}[2J");
        assert!(!text.contains('\u{1b}'), "{text}");
    }
}

#[test]
fn names_are_harmless_to_terminals_spreadsheets_and_browsers() {
    let folder = Folder::with(
        "t.toml",
        "name = \"t\"\ngames = 2\n[[agents]]\nname = \"=HYPERLINK(\\\"http://x\\\")\"\nagent = \"random\"\n\
         [[agents]]\nname = \"\\u001b[31mred\"\nagent = \"reflex\"\n",
    );
    let text = folder.said("tournament t.toml --out out");
    assert_has(&text, &["=HYPERLINK", "\\u{1b}[31mred"]);
    assert!(!text.contains('\u{1b}'), "{text}");
    for file in ["games.csv", "table.csv", "cross.csv"] {
        let text = folder.read(&format!("out/{file}"));
        assert!(text.contains("'=HYPERLINK") && !text.contains('\u{1b}'), "{file}: {text}");
        let mut reader = csv::ReaderBuilder::new();
        let mut reader = reader.has_headers(false).flexible(true).from_reader(text.as_bytes());
        for row in reader.records() {
            assert!(!row.unwrap().iter().any(|cell| cell.starts_with('=')), "{file}");
        }
    }
    // The games are found again under their harmless names.
    let again = stderr(&folder.run("tournament t.toml --out out"));
    assert_has(&again, &["2 of 2 games are already played"]);
    // The report escapes the path of openings.
    folder.file("<b>&.txt", "9/9/9/9/9/9/9/9/9 x -\n");
    let openings = ("games = 8\n", "games = 8\nopenings = \"file:<b>&.txt\"\n");
    folder.file("tiny.toml", &edited(TINY, &[openings]));
    folder.said("evolve tiny.toml --out run");
    let report = folder.read("run/report.html");
    assert_has(&report, &["openings file:&lt;b&gt;&amp;.txt"]);
    assert!(!report.contains("<b>"), "{report}");
}

#[test]
fn junk_for_a_bot_is_answered_with_few_words() {
    let junk = format!("{}\n", "junk \u{1b}[2J ".repeat(500)).repeat(2000);
    for protocol in ["codingame", "theaigames"] {
        let line = format!("bot --protocol {protocol} --agent random");
        let text = stderr(&Folder::new().told(&line, junk.as_bytes()));
        assert!(text.len() < 500_000 && !text.contains('\u{1b}'), "{protocol}: {}", text.len());
    }
}

#[test]
fn edited_results_are_refused() {
    let folder = Folder::with("tiny.toml", TINY);
    folder.said("evolve tiny.toml --out run");
    let whole = folder.read("run/comparison.json");
    let comparison = read_json(&folder.path("run/comparison.json"));
    for (key, value) in [
        ("verdict", "best is stronger than mean: p = 1e-9, n = 10".into()),
        ("wins", (comparison["wins"].as_u64().unwrap() + 1).into()),
        ("winner", if comparison["winner"] == "best" { "mean" } else { "best" }.into()),
        ("distinct_games", 11.into()),
        ("distinct_pairs", vec![0, 0, 0, 0, 6].into()),
        ("distinct_pairs", vec![0; 5].into()),
        ("openings", "centre".into()),
        ("score", 0.99.into()),
    ] {
        let mut changed = comparison.clone();
        changed[key] = value;
        folder.file("run/comparison.json", &changed.to_string());
        let said = folder.fails("evolve tiny.toml --out run --resume", 2, "comparison.json: ");
        assert_has(&said, &["delete it and the match is played again"]);
    }
    std::fs::remove_file(folder.path("run/comparison.json")).unwrap();
    folder.said("evolve tiny.toml --out run --resume");
    assert_eq!(folder.read("run/comparison.json"), whole);
    folder.edit("run/comparison.json", "\"wins\": ", "\"wins\": 99999999999999999");
    let contradict = "games, results and pairs contradict each other";
    folder.fails("evolve tiny.toml --out run --resume", 2, contradict);
    // A row of a table.
    let table = "reproduce 1.1 --rows 1 --games 20 --out tables";
    folder.said(table);
    let report = read_json(&folder.path("tables/1.1.json"));
    for key in ["/rows/0/measured/wins", "/rows/0/distinct_games", "/rows/0/timeouts/0"] {
        let mut changed = report.clone();
        *changed.pointer_mut(key).unwrap() = 21.into();
        folder.file("tables/1.1.json", &changed.to_string());
        folder.fails(table, 2, "the results of row 1 contradict each other");
    }
    // A game of a tournament with another result, and with none.
    let tournament = "tournament random reflex --games 4 --out t";
    folder.said(tournament);
    let text = folder.read("t/games.csv");
    let heads: Vec<&str> = text.lines().next().unwrap().split(',').collect();
    let place = |name| heads.iter().position(|head| *head == name).unwrap();
    let line = text.lines().nth(1).unwrap();
    let whole: Vec<&str> = line.split(',').collect();
    let other = if whole[place("result")] == "a" { "b" } else { "a" };
    for (head, value, expected) in [
        ("result", other, "the result does not follow from the moves"),
        ("result", "c", "is not a game"),
        ("plies", "99", "plies: expected"),
        ("seed", "7", "number, seed and first are not those of the game with this identity"),
        ("forfeit", "timeout", "forfeit: the moves end the game"),
    ] {
        let mut fields = whole.clone();
        fields[place(head)] = value;
        folder.file("t/games.csv", &text.replacen(line, &fields.join(","), 1));
        folder.fails(tournament, 2, &format!("games.csv:2: {expected}"));
    }
}

#[test]
fn weights_that_overflow_end_a_stage_with_the_reason() {
    let folder = Folder::new();
    let edits = [("sigma = 0.5", "sigma = 1e308"), ("max_generations = 2", "max_generations = 50")];
    folder.file("overflow.toml", &edited(TINY, &edits));
    // Some seeds come that far; one whose first candidates are beyond all numbers is told so.
    let mut ended = 0;
    for seed in 0..12 {
        let line = format!("evolve overflow.toml --out run-{seed} --seed {seed} --resume");
        let output = folder.run(&line);
        if stderr(&output).contains("grown beyond all finite numbers") {
            ended += 1;
            assert!(output.status.success(), "{}", stderr(&output));
            assert_eq!(folder.run(&line).stdout, output.stdout);
        } else if !output.status.success() {
            assert_fails(&output, 2, "lower sigma or the start");
        }
    }
    assert!(ended > 0);
}

#[test]
fn what_is_no_regular_file_is_written_to_and_links_are_followed() {
    let folder = Folder::new();
    assert!(Command::new("mkfifo").arg(folder.path("pipe")).status().unwrap().success());
    let pipe = folder.path("pipe");
    let reader = std::thread::spawn(move || crate::common::read(&pipe));
    symlink("games", folder.path("link")).unwrap();
    folder.said(&format!("{MATCH} --moves pipe --games-csv link --log /dev/null"));
    assert!(reader.join().unwrap().starts_with("game,"));
    assert!(folder.path("link").is_symlink());
    assert_eq!(folder.lines("games").len(), 5);
    // A file that is replaced keeps its permissions, and a device may get several texts.
    let mode = || std::fs::metadata(folder.path("games")).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(), 0o644);
    std::fs::set_permissions(folder.path("games"), Permissions::from_mode(0o600)).unwrap();
    folder.said(&format!("{MATCH} --moves /dev/null --games-csv link --log /dev/null"));
    assert_eq!((mode(), folder.path("link").is_symlink()), (0o600, true));
    // Standard output is whatever it is: here a pipe, and then a file that holds more already.
    let json = folder.said(&format!("{MATCH} --json --moves /dev/stdout"));
    assert!(json.starts_with("{\n") && json.contains("}\ngame,"), "{json}");
    let mut export = folder.command("export liang-simple --format toml --out /dev/stdout");
    export.stdout(std::fs::File::create(folder.path("out")).unwrap());
    assert!(export.status().unwrap().success());
    assert_has(&folder.read("out"), &["evaluation = \"simple\""]);
    assert!(!std::fs::metadata("/dev/null").unwrap().is_file());
}

#[test]
fn inputs_are_not_overwritten() {
    let folder = Folder::new();
    let weights = folder.said("export liang-simple --format toml");
    folder.file("w.toml", &weights);
    symlink("w.toml", folder.path("alias")).unwrap();
    for option in ["--log", "--moves", "--games-csv"] {
        for file in ["w.toml", "alias"] {
            let line = format!("match greedy:weights=w.toml random {option} {file}");
            folder.fails(&line, 2, &format!("{option} {file}: is an input of this command"));
        }
    }
    folder.fails("export w.toml --format json --out alias", 2, "is an input of this command");
    folder.fails("export w.toml --format c --out w.toml", 2, "is an input of this command");
    assert_eq!(folder.read("w.toml"), weights);
    // A chart replaces a link of its name, not the file that the link leads to.
    folder.said(&format!("{MATCH} --games-csv games.csv"));
    folder.file("mine", "mine");
    let chart = folder.path("results-as-games-are-played.svg");
    symlink("mine", &chart).unwrap();
    folder.said("report games.csv --svg .");
    assert_eq!(folder.read("mine"), "mine");
    assert!(!chart.is_symlink());
}

#[test]
fn leftovers_of_a_killed_report_are_removed_by_the_next() {
    let folder = Folder::with("tiny.toml", TINY);
    folder.said("evolve tiny.toml --out run");
    let [old, new] = ["run/.tictune-old", "run/.tictune-new"].map(|name| folder.file(name, "torn"));
    let file = std::fs::File::options().write(true).open(&old).unwrap();
    file.set_modified(std::time::SystemTime::now() - Duration::from_secs(3600)).unwrap();
    folder.said("report run");
    let exists = [old, new].map(|path| std::fs::exists(path).unwrap());
    assert_eq!(exists, [false, true], "another process may be writing the new one");
}

#[test]
fn opponents_that_hang_flood_or_die_forfeit_and_the_run_ends() {
    let bot = format!("exec '{}' bot --protocol theaigames --agent reflex", crate::common::TICTUNE);
    for (name, then) in
        [("hangs", "sleep 60"), ("floods", "yes place_move 9 9"), ("dies", "kill -9 $$")]
    {
        let folder = Folder::new();
        // In every third game it does something else.
        let script = format!(
            "echo x >> $DIR/games; [ $(($(wc -l < $DIR/games) % 3)) = 0 ] && {then}\n{bot}\n"
        );
        let agent = folder.agent(name, &script, "protocol=theaigames,time=200ms");
        let program = format!("agent = '''{agent}'''");
        folder.file("c.toml", &edited(TINY, &[("agent = \"random\"", &program)]));
        let started = Instant::now();
        let output = folder.run("evolve c.toml --out run --max-generations 1");
        assert!(output.status.success(), "{name}: {}", stderr(&output));
        assert_has(&stderr(&output), &["forfeit"]);
        assert!(started.elapsed() < Duration::from_secs(60), "{name}: {:?}", started.elapsed());
        assert!(folder.read("run/log.txt").len() < 1 << 20, "{name}");
    }
}

/// Whether a process has a handler of its own for SIGTERM, as Linux says.
fn handles_sigterm(id: u32) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{id}/status")).unwrap_or_default();
    let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
    let caught = caught.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    caught.is_none_or(|mask| mask >> (15 - 1) & 1 == 1)
}

#[test]
fn a_signal_ends_whatever_goes_on() {
    let folder = Folder::with("door.toml", include_str!("../configs/door.toml"));
    let silent = folder.agent("silent", "sleep 60", "protocol=theaigames,time=10m");
    let silent = quoted(&silent);
    for (line, input, expected) in [
        ("match minimax:depth=14 minimax:depth=14 --games 2", "", "interrupted"),
        ("match mcts:time=2ms random --games 10000 --threads 1", "", "interrupted"),
        ("tournament minimax:depth=14 minimax:depth=13 --games 2", "", "interrupted"),
        ("play --second --agent minimax:depth=14", "", "stopped during a long search"),
        (&format!("match {silent} random --games 100"), "", "interrupted"),
        // At a prompt, and at the door of other optimisers, while it waits and while it plays.
        ("play --agent reflex", "", ""),
        ("fitness door.toml", "", ""),
        (
            "fitness door.toml",
            "{\"numbers\": {\"micro_win\": 1, \"micro_connecting\": 1}, \"games\": 1000000}\n",
            "",
        ),
    ] {
        let mut child = piped(&mut folder.command(line));
        // The pipe is kept open; waiting for the process would close it.
        let mut stdin = child.stdin.take().unwrap();
        std::io::Write::write_all(&mut stdin, input.as_bytes()).unwrap();
        // A busy machine takes a while to start a program.
        crate::common::wait_until("a handler", || handles_sigterm(child.id()));
        std::thread::sleep(Duration::from_millis(700));
        let asked = Instant::now();
        crate::common::send(crate::common::Signal::TERM, &child);
        while child.try_wait().unwrap().is_none() {
            assert!(asked.elapsed() < Duration::from_secs(4), "{line} goes on");
            std::thread::sleep(Duration::from_millis(20));
        }
        drop(stdin);
        assert_fails(&child.wait_with_output().unwrap(), 130, expected);
    }
}
