//! People who mistype, look at the wrong file, or start a run where another one is.

use std::path::Path;
use std::process::{Command, Output, Stdio};

use crate::common::{TERM, assert_fails, stderr, tictune};
use crate::hostile::{CONFIG, Folder};
use crate::needs::needs;

/// Runs the program in a folder.
fn run_in(folder: &Folder, args: &[&str]) -> Output {
    tictune(args).current_dir(folder.path("")).output().unwrap()
}

/// A folder with a config `tiny.toml` and a short run of it, which is finished.
fn with_a_run() -> Folder {
    let folder = Folder::new();
    folder.file("tiny.toml", CONFIG);
    let output = run_in(&folder, &["evolve", "tiny.toml", "--max-generations", "1"]);
    assert!(output.status.success(), "{}", stderr(&output));
    folder
}

#[test]
fn paths_and_runs_are_answered_with_the_nearest_one() {
    let folder = with_a_run();
    for (args, near) in [
        (&["evolve", "tniy.toml"][..], "did you mean tiny.toml?"),
        (&["evolve", "tiny"], "did you mean tiny.toml?"),
        (&["match", "greedy:weights=tiny.tml", "random"], "did you mean tiny.toml?"),
        (&["show", "liang-defalt"], "did you mean liang-default?"),
        (&["show", "2.88"], "did you mean 2.8?"),
        (&["show", "tiny"], "did you mean runs/tiny?"),
        (&["show", "tniy"], "did you mean runs/tiny?"),
        (&["show", "runs/tinny"], "did you mean runs/tiny?"),
        (&["validate", "runs/tinny"], "did you mean runs/tiny?"),
        (&["validate", "tiny"], "no weights and no run are called tiny; did you mean runs/tiny?"),
        (&["export", "tiny", "--format", "c"], "did you mean runs/tiny?"),
        (&["serve", "tniy"], "did you mean runs/tiny?"),
        (&["report", "tiny"], "did you mean runs/tiny?"),
        (&["compare", "run/tiny"], "did you mean runs/tiny?"),
        (
            &["tournament", "tiny.tml"],
            "neither a config, whose name ends in .toml, nor two or more agents; did you mean tiny.toml?",
        ),
        (&["runs", "rnus"], "did you mean runs?"),
    ] {
        let output = run_in(&folder, args);
        assert_fails(&output, 2, near);
        assert_eq!(stderr(&output).matches("did you mean").count(), 1, "{}", stderr(&output));
    }
    // Files of other things.
    for (file, what) in [
        ("tiny.toml", "tiny.toml: is the config of an evolution"),
        ("runs/tiny/best-agent.txt", "best-agent.txt: is an agent: `"),
    ] {
        assert_fails(&run_in(&folder, &["validate", file]), 2, what);
        assert_fails(&run_in(&folder, &["export", file, "--format", "c"]), 2, what);
    }
    // What is like nothing gets no name.
    let output = run_in(&folder, &["report", "elephants"]);
    assert_fails(&output, 2, "holds no run: there is no such folder");
    assert!(!stderr(&output).contains("did you mean"));
}

#[test]
fn without_a_folder_of_runs_it_is_said_what_makes_one() {
    let folder = Folder::new();
    let output = run_in(&folder, &["runs"]);
    assert_fails(&output, 2, "`tictune evolve CONFIG` makes it for its first run");
}

#[test]
fn files_that_are_not_shown_say_what_they_are() {
    let folder = with_a_run();
    for (file, what) in [
        ("report.html", "is a page: open it in a browser"),
        ("validation.json", "is the validation of a run: `tictune show runs/tiny` shows the run"),
        ("manifest.json", "is the plan of a run"),
        ("config.toml", "is the config of a run"),
        ("best-agent.txt", "`tictune match @runs/tiny/best-agent.txt OTHER`"),
        ("stage-1-depth-1/generations.csv", "is a table of a run: `tictune show runs/tiny`"),
    ] {
        assert_fails(&run_in(&folder, &["show", &format!("runs/tiny/{file}")]), 2, what);
    }
    let config = run_in(&folder, &["show", "tiny.toml"]);
    assert_fails(&config, 2, "`tictune evolve tiny.toml --check` prints its plan");
    let inside = tictune(&["show", "report.html"]).current_dir(folder.path("runs/tiny")).output();
    assert_fails(&inside.unwrap(), 2, "`tictune show .` shows the run");
}

#[test]
fn files_and_values_in_the_wrong_place_are_said_to_be_so() {
    let folder = Folder::new();
    folder.file("tiny.toml", CONFIG);
    folder.file("bot.cpp", "#include <vector>\nint main() {}\n");
    for (args, expected) in [
        (
            &["match", "greedy:weights=bot.cpp", "random"][..],
            "bot.cpp: is no weight file, which is TOML",
        ),
        (&["export", "bot.cpp", "--format", "c"], "bot.cpp: is no weight file"),
        (&["serve", "--weights", "bot.cpp"], "bot.cpp: is no weight file"),
        (
            &["match", "greedy:weights=tiny.toml", "random"],
            "tiny.toml: is the config of an evolution",
        ),
        (
            &["match", "@.", "random"],
            ".: is a folder; name the file of an agent, such as best-agent.txt in the folder of a run",
        ),
        (
            &["match", "random", "random", "--json", "out.json"],
            "--json takes no file: it prints to standard output, as in --json > out.json",
        ),
        (&["match", "random", "random", "--games", "-3"], "invalid value '-3' for '--games <N>'"),
        (
            &["match", "random", "random", "--openings", "fle:x"],
            "file:PATH:train, file:PATH:held-out",
        ),
        (
            &["export", "minimax:weights=liang-default", "--format", "codingame-rust"],
            "pvs:weights=tictune-patterns",
        ),
    ] {
        assert_fails(&run_in(&folder, args), 2, expected);
    }
}

#[test]
fn a_folder_in_place_of_a_config_is_answered_with_the_command_that_was_meant() {
    let folder = with_a_run();
    let shows = "is the folder of a run, not a config: `tictune show runs/tiny` shows the run";
    assert_fails(&run_in(&folder, &["evolve", "runs/tiny"]), 2, shows);
    let manifest = folder.path("runs/tiny/manifest.json");
    let text = std::fs::read_to_string(&manifest).unwrap();
    std::fs::write(&manifest, text.replace("\"finished\": true", "\"finished\": false")).unwrap();
    let command = "tictune evolve runs/tiny/config.toml --out runs/tiny --resume";
    let continues = format!("To continue it: {command}\n");
    assert_fails(&run_in(&folder, &["evolve", "runs/tiny"]), 2, &continues);
    assert_fails(&run_in(&folder, &["evolve", "runs"]), 2, "is a folder; name a config");
    let file = "holds no run: it is a file; name the folder of a run";
    assert_fails(&run_in(&folder, &["report", "tiny.toml"]), 2, file);
}

#[test]
fn a_run_that_begins_with_resume_says_so() {
    let folder = with_a_run();
    let args = ["evolve", "tiny.toml", "--out", "runs/new", "--resume"];
    let output = run_in(&folder, &args);
    assert!(output.status.success());
    let said = "nothing to continue in runs/new: the run begins\n";
    assert!(stderr(&output).contains(said), "{}", stderr(&output));
    assert!(!stderr(&run_in(&folder, &args)).contains("the run begins"));
}

#[test]
fn a_folder_with_another_run_says_what_differs_and_which_folder_is_free() {
    let folder = with_a_run();
    std::fs::create_dir(folder.path("runs/tiny-2")).unwrap();
    let full = run_in(&folder, &["evolve", "tiny.toml"]);
    assert_fails(&full, 2, "max_generations is 1 there and 2 here");
    assert_fails(&full, 2, "as in --out runs/tiny-3");
    assert!(!stderr(&full).contains("add --resume"), "{}", stderr(&full));
    folder.file("tiny.toml", &CONFIG.replace("games = 8", "games = 10"));
    let other = ["evolve", "tiny.toml", "--seed", "7", "--max-generations", "1", "--resume"];
    let other = run_in(&folder, &other);
    assert_fails(&other, 2, "seed is 0 there and 7 here");
    assert_fails(&other, 2, "fitness.games is 8 there and 10 here");
}

#[test]
fn the_last_generation_says_that_the_stage_ends() {
    let folder = Folder::new();
    folder.file("tiny.toml", CONFIG);
    let said = stderr(&run_in(&folder, &["evolve", "tiny.toml"]));
    let last = said.lines().find(|line| line.starts_with("gen   2/2")).unwrap();
    assert!(last.contains("the stage is about to end"), "{last}");
}

#[test]
fn weights_of_many_opponents_are_shown_in_short() {
    let folder = Folder::new();
    let names: Vec<String> = (1..=40).map(|number| format!("\"opponent {number}\"")).collect();
    let text = format!(
        "format = 1\ngame = \"uttt\"\nevaluation = \"simple\"\n[weights]\nmicro_win = 1\n[provenance]\nopponents = [{}]\n",
        names.join(", ")
    );
    folder.file("many.toml", &text);
    let shown = run_in(&folder, &["show", "many.toml"]).stdout;
    let shown = String::from_utf8(shown).unwrap();
    let short = "opponents = [\"opponent 1\", \"opponent 2\", \"opponent 3\", and 37 more]\n";
    assert!(shown.contains(short), "{shown}");
    let json = run_in(&folder, &["show", "many.toml", "--json"]).stdout;
    let json: serde_json::Value = serde_json::from_slice(&json).unwrap();
    assert_eq!(json["provenance"]["opponents"].as_array().unwrap().len(), 40);
}

#[test]
fn an_engine_is_asked_for_without_naming_evaluations_that_are_not_there() {
    let folder = Folder::new();
    let output = run_in(&folder, &["new", "x.toml", "--game", "chess", "--time", "1min"]);
    let asked = String::from_utf8_lossy(&output.stdout).into_owned() + &stderr(&output);
    assert!(asked.contains("the command of an engine whose options are evolved"), "{asked}");
    assert!(!asked.contains("()"), "{asked}");
}

/// `script` gives a program a terminal; Debian has it everywhere.
#[test]
fn a_command_to_paste_stays_in_one_line_on_a_narrow_terminal() {
    if !needs("script") {
        return;
    }
    let folder = with_a_run();
    let manifest = folder.path("runs/tiny/manifest.json");
    let text = std::fs::read_to_string(&manifest).unwrap();
    std::fs::write(&manifest, text.replace("\"finished\": true", "\"finished\": false")).unwrap();
    let long = folder.path("runs").join("a-name-".repeat(12));
    std::fs::rename(folder.path("runs/tiny"), &long).unwrap();
    let name = Path::new("runs").join(long.file_name().unwrap()).display().to_string();
    let command = format!("stty cols 60; {} show {name}", env!("CARGO_BIN_EXE_tictune"));
    let output = Command::new("script")
        .env("TERM", TERM)
        .args(["-qec", &command, "/dev/null"])
        .current_dir(folder.path(""))
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let shown = String::from_utf8_lossy(&output.stdout).into_owned();
    let whole = format!("to continue: tictune evolve {name}/config.toml --out {name} --resume");
    assert!(shown.lines().any(|line| line == whole), "{whole}: {shown}");
}
