//! Files and folders that people name, and what lies in them already.
#![cfg(unix)]

use std::fs::{read_to_string, write};
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::common::{assert_fails, run, stderr, stdout_of, tictune};
use crate::hostile::{CONFIG, Folder, match_with};

#[test]
fn what_is_no_regular_file_is_written_to_and_links_are_followed() {
    let folder = Folder::new();
    let (pipe, link) = (folder.text("pipe"), folder.text("link"));
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let reader = std::thread::spawn({
        let pipe = pipe.clone();
        move || read_to_string(pipe).unwrap()
    });
    symlink("games", &link).unwrap();
    stdout_of(&match_with(&["--moves", &pipe, "--games-csv", &link, "--log", "/dev/null"]));
    assert!(reader.join().unwrap().starts_with("game,"));
    assert!(Path::new(&link).is_symlink());
    assert_eq!(read_to_string(folder.path("games")).unwrap().lines().count(), 5);
    // Standard output is whatever it is: here a pipe, and then a file that holds more already.
    let json = stdout_of(&match_with(&["--json", "--moves", "/dev/stdout"]));
    assert!(json.starts_with("{\n") && json.contains("}\ngame,"), "{json}");
    let out = folder.path("out");
    let status = tictune(&["export", "liang-simple", "--format", "toml", "--out", "/dev/stdout"])
        .stdout(std::fs::File::create(&out).unwrap())
        .status()
        .unwrap();
    assert!(status.success());
    assert!(read_to_string(&out).unwrap().contains("evaluation = \"simple\""));
    assert!(!std::fs::metadata("/dev/null").unwrap().is_file());
}

#[test]
fn inputs_and_other_outputs_are_not_overwritten() {
    let folder = Folder::new();
    let weights = stdout_of(&["export", "liang-simple", "--format", "toml"]);
    let (w, s) = (folder.file("w.toml", &weights), folder.text("s.csv"));
    let agent = format!("greedy:weights={w}");
    let alias = folder.text("alias");
    symlink("w.toml", &alias).unwrap();
    for option in ["--log", "--moves", "--games-csv"] {
        for file in [&w, &alias] {
            let args = ["match", &agent, "random", "--games", "10000000", option, file];
            assert_fails(&run(&args), 2, &format!("{option} {file}: is an input of this command"));
        }
    }
    let export = run(&["export", &w, "--format", "json", "--out", &alias]);
    assert_fails(&export, 2, "is an input of this command");
    assert_eq!(read_to_string(&w).unwrap(), weights);
    let twice = run(&match_with(&["--moves", &s, "--games-csv", &s]));
    assert_fails(&twice, 2, "--moves and --games-csv name the same file");
    assert_fails(&run(&match_with(&["--moves", &s, "--log", &s])), 2, "that the results go to");
    assert!(!Path::new(&s).exists());
    // A chart replaces a link of its name, not the file that the link leads to.
    let games = folder.text("games.csv");
    stdout_of(&match_with(&["--games-csv", &games]));
    let (mine, chart) = (folder.file("mine", "mine"), "results-as-games-are-played.svg");
    symlink("mine", folder.text(chart)).unwrap();
    stdout_of(&["report", &games, "--svg", &folder.text("")]);
    assert_eq!(read_to_string(&mine).unwrap(), "mine");
    assert!(!Path::new(&folder.text(chart)).is_symlink());
}

#[test]
fn a_folder_that_holds_only_somebodys_config_is_left_alone() {
    let folder = Folder::new();
    let config = folder.file("tiny.toml", CONFIG);
    let out = folder.text("exp");
    std::fs::create_dir(&out).unwrap();
    let own = folder.file("exp/config.toml", "name = \"years of work\"\n");
    let output = run(&["evolve", &config, "--out", &out, "--resume"]);
    assert_fails(&output, 2, "another config.toml, which would be overwritten");
    assert_eq!(read_to_string(&own).unwrap(), "name = \"years of work\"\n");
    assert_eq!(std::fs::read_dir(&out).unwrap().count(), 1);
}

#[test]
fn what_cannot_be_written_is_bad_usage_and_found_out_first() {
    let folder = Folder::new();
    let config = folder.file("tiny.toml", CONFIG);
    let (file, round, sub) =
        (folder.file("file", "mine"), folder.text("round"), folder.text("sub"));
    symlink(&round, &round).unwrap();
    std::fs::create_dir(&sub).unwrap();
    for option in ["--moves", "--games-csv", "--log"] {
        for (path, expected) in [(&sub, "is a folder"), (&round, "loop of symbolic links")] {
            let args = ["match", "random", "random", "--games", "10000000", option, path];
            assert_fails(&run(&args), 2, expected);
        }
    }
    for (path, expected) in [(&file, "is a file; name a folder"), (&round, "leads to no folder")] {
        for command in [
            &["evolve", &config, "--out", path][..],
            &["tournament", "random", "reflex", "--games", "2", "--out", path],
            &["reproduce", "1.1", "--games", "2", "--out", path],
        ] {
            assert_fails(&run(command), 2, expected);
        }
    }
    assert_eq!(read_to_string(&file).unwrap(), "mine");
}

#[test]
fn files_of_others_are_neither_cut_nor_followed() {
    let folder = Folder::new();
    let config = folder.file("tiny.toml", CONFIG);
    // A games.csv that is no tournament's, whole or with a torn line at its end, or without any line.
    let out = folder.text("t");
    std::fs::create_dir(&out).unwrap();
    for text in ["date,white,black\n2020,a,b\n2021,c", "my notes"] {
        let path = folder.file("t/games.csv", text);
        let output = run(&["tournament", "random", "reflex", "--games", "2", "--out", &out]);
        assert_fails(&output, 2, "games.csv:1: the columns are not those of this run");
        assert_eq!(read_to_string(path).unwrap(), text);
        assert_eq!(std::fs::read_dir(&out).unwrap().count(), 1, "nothing else is written");
    }
    // Logs and stages of a run that lead out of its folder.
    let mine = folder.file("mine", "");
    for name in ["log.txt", "stage-1-depth-1/evaluations.csv", "stage-1-depth-1"] {
        let out = folder.text("run");
        stdout_of(&["evolve", &config, "--out", &out]);
        let path = folder.path("run").join(name);
        if path.is_dir() {
            std::fs::rename(&path, folder.path("elsewhere")).unwrap();
            symlink(folder.path("elsewhere"), &path).unwrap();
        } else {
            std::fs::remove_file(&path).unwrap();
            symlink(&mine, &path).unwrap();
        }
        let output = run(&["evolve", &config, "--out", &out, "--resume"]);
        assert_fails(&output, 2, "is a symbolic link; a run writes only");
        assert_eq!(read_to_string(&mine).unwrap(), "");
        std::fs::remove_dir_all(&out).unwrap();
    }
}

#[test]
fn two_reproductions_in_a_folder_do_not_undo_each_other() {
    let folder = Folder::new();
    let out = folder.text("out");
    let args = ["reproduce", "1.1", "--rows", "1", "--games", "2", "--out", &out];
    stdout_of(&args);
    // Another process plays.
    let other = std::fs::File::open(&out).unwrap();
    other.lock().unwrap();
    assert_fails(&run(&args), 2, "another tictune writes its results here");
    drop(other);
    stdout_of(&args);
    // A process that plays is such another one.
    let out = folder.text("slow");
    let slow = ["reproduce", "1.1", "--games", "10000000", "--out", &out];
    let mut child = tictune(&slow).stderr(Stdio::null()).stdout(Stdio::null()).spawn().unwrap();
    let started = Instant::now();
    let locked = || std::fs::File::open(&out).is_ok_and(|folder| folder.try_lock().is_err());
    while !locked() {
        assert!(started.elapsed() < Duration::from_secs(20), "it takes no lock");
        std::thread::sleep(Duration::from_millis(5));
    }
    let args = ["reproduce", "1.1", "--rows", "1", "--games", "2", "--out", &out];
    assert_fails(&run(&args), 2, "another tictune writes its results here");
    child.kill().unwrap();
    child.wait().unwrap();
    stdout_of(&args);
}

#[test]
fn the_report_escapes_the_path_of_openings() {
    let folder = Folder::new();
    let openings = folder.file("<b>&.txt", "9/9/9/9/9/9/9/9/9 x -\n");
    let name = openings.rsplit('/').next().unwrap();
    let config = CONFIG.replace("games = 8\n", &format!("games = 8\nopenings = \"file:{name}\"\n"));
    let config = folder.file("tiny.toml", &config);
    let out = folder.text("run");
    stdout_of(&["evolve", &config, "--out", &out]);
    let report = read_to_string(folder.path("run/report.html")).unwrap();
    assert!(
        report.contains("openings file:&lt;b&gt;&amp;.txt") && !report.contains("<b>"),
        "{report}"
    );
}

#[test]
fn leftovers_of_a_killed_report_are_removed_by_the_next() {
    let folder = Folder::new();
    let config = folder.file("tiny.toml", CONFIG);
    let out = folder.text("run");
    stdout_of(&["evolve", &config, "--out", &out]);
    let [old, new] = [".tictune-old", ".tictune-new"].map(|name| folder.path("run").join(name));
    for path in [&old, &new] {
        write(path, "torn").unwrap();
    }
    let hour = Duration::from_secs(3600);
    let file = std::fs::File::options().write(true).open(&old).unwrap();
    file.set_modified(std::time::SystemTime::now() - hour).unwrap();
    stdout_of(&["report", &out]);
    assert!(!old.exists() && new.exists(), "another process may be writing the new one");
}

#[test]
fn a_finished_run_shows_its_verdict_from_a_folder_that_cannot_be_written() {
    let folder = Folder::new();
    let config = folder.file("tiny.toml", CONFIG);
    let out = folder.text("run");
    let verdict = stdout_of(&["evolve", &config, "--out", &out]);
    // A file system that is read-only, which root needs; else a folder that this user may not write to.
    let mount = |args: &[&str]| {
        let done = Command::new("mount").args(args).stderr(Stdio::null()).status();
        done.is_ok_and(|status| status.success())
    };
    let mounted = mount(&["--bind", &out, &out]) && mount(&["-o", "remount,ro,bind", &out]);
    let log = folder.path("run/log.txt");
    let mode = |mode: u32| {
        let permissions = std::os::unix::fs::PermissionsExt::from_mode(mode);
        std::fs::set_permissions(&log, permissions)
    };
    if !mounted {
        mode(0o444).unwrap();
    }
    let writable = std::fs::File::options().append(true).open(&log).is_ok();
    let output = run(&["evolve", &config, "--out", &out]);
    if mounted {
        assert!(Command::new("umount").arg(&out).status().unwrap().success());
    }
    assert!(output.status.success(), "{}", stderr(&output));
    assert_eq!(String::from_utf8_lossy(&output.stdout), verdict);
    assert!(writable || stderr(&output).contains("cannot be written"), "{}", stderr(&output));
}
