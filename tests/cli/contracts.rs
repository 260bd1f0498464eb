//! The documented contracts of the command line, tested on the real binary.

use serde_json::Value;
use tictune::built_in;

use crate::common::{assert_fails, run, stderr, stdout_of};

fn json_of(args: &[&str]) -> Value {
    serde_json::from_str(&stdout_of(args)).unwrap()
}

const A: &str = "minimax:depth=2,weights=liang-comprehensive";
const B: &str = "minimax:depth=2,eval=advanced,weights=liang-optimized";

#[test]
fn match_json_holds_what_the_contract_names() {
    let report = json_of(&["match", A, B, "--games", "40", "--json", "--seed", "3"]);
    for key in [
        "agents",
        "games",
        "wins",
        "draws",
        "losses",
        "timeouts",
        "errors",
        "score",
        "elo",
        "elo_low",
        "elo_high",
        "los",
        "p_value",
        "p_value_two_sided",
        "pairs",
        "distinct_games",
        "plies",
        "seconds",
        "by_agent",
    ] {
        assert!(report.get(key).is_some(), "{key} is missing");
    }
    let count = |key: &str| report[key].as_u64().unwrap();
    assert_eq!(count("wins") + count("draws") + count("losses"), 40);
    assert_eq!((count("games"), count("timeouts"), count("errors")), (40, 0, 0));
    assert_eq!(report["pairs"].as_array().unwrap().len(), 5);
    for side in report["by_agent"].as_array().unwrap() {
        assert!(side["moves"].as_u64().unwrap() > 0 && side["nodes"].as_u64().unwrap() > 0);
        assert!(side["search_seconds"].as_f64().unwrap() > 0.0);
    }
    let halves = ["match", A, B, "--games", "4", "--json", "--schedule", "half-and-half"];
    assert_eq!(json_of(&halves)["pairs"], Value::Null);
}

#[test]
fn a_match_is_a_function_of_its_seed_whatever_the_threads() {
    let of = |seed: &str, threads: &str| {
        let args = ["match", A, B, "--games", "40", "--json", "--seed", seed, "--threads", threads];
        let mut report = json_of(&args);
        let object = report.as_object_mut().unwrap();
        object.remove("seconds");
        for side in object["by_agent"].as_array_mut().unwrap() {
            let side = side.as_object_mut().unwrap();
            side.remove("search_seconds");
            side.remove("slowest_seconds");
        }
        report
    };
    assert_eq!(of("1", "1"), of("1", "4"));
    assert_ne!(of("1", "1")["by_agent"], of("2", "1")["by_agent"]);
}

#[test]
fn random_against_random_is_as_liangs_table_1_1() {
    // 41.1, 36.8 and 22.2 % of 100,000 games; the standard error is below 0.16 %.
    let args = [
        "match",
        "random",
        "random",
        "--games",
        "100000",
        "--openings",
        "none",
        "--schedule",
        "first",
        "--json",
    ];
    let report = json_of(&args);
    for (key, expected) in [("wins", 0.41057), ("losses", 0.36757), ("draws", 0.22186)] {
        let share = report[key].as_f64().unwrap() / 100_000.0;
        assert!((share - expected).abs() < 0.009, "{key}: {share}, printed {expected}");
    }
    assert!(report["p_value"].as_f64().unwrap() < 1e-12);
}

#[test]
fn repeated_games_are_warned_of() {
    let args = ["match", "reflex", "reflex", "--games", "10", "--openings", "none", "--json"];
    let output = run(&args);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    // Swapping sides makes no difference when reflex plays itself, so all games are the same.
    assert_eq!(report["distinct_games"], 1);
    assert!(crate::common::stderr(&output).contains("only 1 of 10 games are distinct"));
}

#[test]
fn a_clean_sweep_has_an_open_end() {
    let args = ["match", "minimax:depth=3", "reflex", "--games", "10", "--json"];
    let report = json_of(&args);
    if report["losses"] == 0 && report["draws"] == 0 {
        assert_eq!((&report["elo"], &report["elo_high"]), (&Value::Null, &Value::Null));
        assert!(report["elo_low"].as_f64().is_some());
    }
}

#[test]
fn a_sequential_test_stops_a_match() {
    let of = |threads: &str| {
        let test = "elo0=0,elo1=100,beta=0.1";
        json_of(&["match", A, "random", "--sprt", test, "--json", "--threads", threads])
    };
    let report = of("1");
    let sprt = &report["sprt"];
    for key in ["elo0", "elo1", "alpha", "beta", "llr", "lower", "upper", "decision"] {
        assert!(sprt.get(key).is_some(), "{key} is missing");
    }
    assert_eq!((&sprt["decision"], &sprt["beta"]), (&"H1".into(), &0.1.into()));
    assert!(sprt["llr"].as_f64() >= sprt["upper"].as_f64());
    let count = |key: &str| report[key].as_u64().unwrap();
    assert_eq!(count("wins") + count("draws") + count("losses"), count("games"));
    assert!(count("games") < 200);
    assert_eq!((&of("3")["games"], &of("3")["sprt"]), (&report["games"], sprt));
    // The weaker side, and one that loses every game.
    let weaker = ["match", "random", A, "--sprt", "elo0=0,elo1=100"];
    let text = stdout_of(&weaker);
    assert!(
        text.contains("H0 accepted: A is likely 0 Elo stronger than B or less, not "),
        "{text}"
    );
    let open = ["match", "random", "random", "--sprt", "elo0=-1,elo1=1", "--games", "20", "--json"];
    assert_eq!(json_of(&open)["sprt"]["decision"], Value::Null);
    assert_eq!(json_of(&["match", "random", A, "--games", "2", "--json"])["sprt"], Value::Null);
}

#[test]
fn what_is_no_sequential_test_is_refused() {
    for (test, expected) in [
        ("elo0=0", "elo1 is missing"),
        ("elo0=10,elo1=0", "elo0 must lie below elo1"),
        ("elo0=0,elo1=10,alpha=0.5", "alpha: expected a number above 0 and below 0.5"),
        ("elo0=0,elo1=10,alhpa=0.1", "did you mean \"alpha\"?"),
        ("elo0=0,elo1=ten", "elo1: expected a number"),
        ("elo0=0,elo0=1,elo1=2", "elo0 is given twice"),
        ("elo0", "is not KEY=VALUE"),
        ("", "is not KEY=VALUE"),
    ] {
        assert_fails(&run(&["match", A, B, "--sprt", test]), 2, expected);
    }
    let halves = ["match", A, B, "--sprt", "elo0=0,elo1=9", "--schedule", "half-and-half"];
    assert_fails(&run(&halves), 2, "not with half-and-half");
}

#[test]
fn perft_prints_a_line_for_each_depth() {
    let expected = "1 81\n2 720\n3 6336\n4 55080\n";
    assert_eq!(stdout_of(&["perft", "--game", "uttt", "--depth", "4"]), expected);
    let report = json_of(&["perft", "--depth", "3", "--json", "--rules", "no_line=most_boards"]);
    assert_eq!(report["counts"], serde_json::json!([81, 720, 6336]));
}

#[test]
fn the_nodes_of_the_bench_are_pinned() {
    // This covers search, evaluation, openings and seeds. If the total changes, behaviour has
    // changed.
    let bench = json_of(&["bench", "--json", "--repeat", "1"]);
    assert_eq!((&bench["node_total"], &bench["repeats"]), (&2_901_534.into(), &1.into()));
    let suite = &bench["suites"][0];
    assert_eq!(suite["games_per_second_low"], suite["games_per_second_high"]);
}

#[test]
fn export_writes_files_and_standard_output() {
    let text = stdout_of(&["export", "liang-default", "--format", "csv"]);
    assert!(text.starts_with("slot,value\nmacro_two_in_a_row,50.0\n"), "{text}");
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("w.toml");
    let args = ["export", "liang-optimized", "--format", "toml", "--out", out.to_str().unwrap()];
    assert_eq!(stdout_of(&args), "");
    let onto_itself =
        ["export", out.to_str().unwrap(), "--format", "c", "--out", out.to_str().unwrap()];
    assert_fails(&run(&onto_itself), 2, "is an input of this command");
    let again = stdout_of(&["export", out.to_str().unwrap(), "--format", "toml"]);
    assert_eq!(again, std::fs::read_to_string(&out).unwrap());
}

#[test]
fn bad_usage_ends_with_2_and_says_what_to_do() {
    for (args, expected) in [
        (&["match", "minmax:depth=3", "random"][..], "did you mean \"minimax\"?"),
        (&["match", "minimax", "random"], "needs a depth"),
        (&["match", "minimax:depth=3,weights=nobody", "random"], "unknown weights \"nobody\""),
        (&["match", "minimax:depth=3,weights=./no.toml", "random"], "no.toml: cannot be read"),
        (&["match", "random", "random", "--games", "3"], "even number"),
        (&["match", "random", "random", "--games", "0"], "at least one"),
        (&["match", "random", "random", "--openings", "center"], "did you mean \"centre\"?"),
        (&["match", "random", "random", "--game", "draughts"], "unknown game"),
        (&["match", "random", "random", "--rules", "drawn=1"], "unknown rule"),
        (&["match", "random", "random", "--threads", "0"], "--threads"),
        (&["match", "random", "random", "--threads", "9999"], "--threads"),
        (&["match", "random"], "required"),
        (&["perft", "--depth", "0"], "--depth"),
        (&["export", "liang-default", "--format", "cobol"], "possible values"),
        (&["export", "no-such-file.toml", "--format", "c"], "cannot be read"),
        (&["evolve", "no-such-config.toml"], "no-such-config.toml: cannot be read"),
        (&["compare", "no-such-run"], "holds no run"),
        (&["report", "no-such-run"], "holds no run"),
        (&["validate", "liang-default", "--games", "5"], "even number"),
        (&["validate", "liang-default", "--depths", "0"], "--depths"),
        (&["conquer"], "unrecognized subcommand"),
    ] {
        assert_fails(&run(args), 2, expected);
    }
}

#[test]
fn bad_input_is_shown_with_a_caret_below_the_message() {
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("c.toml");
    std::fs::write(&config, "evaluation = \"advanced\"\n[cmaes]\npopulaton = 20\n").unwrap();
    let args = ["evolve", "--check", config.to_str().unwrap()];
    let output = run(&args);
    assert_fails(
        &output,
        2,
        "c.toml:3: unknown key \"cmaes.populaton\"; did you mean \"population\"?",
    );
    let said = stderr(&output);
    assert!(said.starts_with("error: "), "{said}");
    let lines: Vec<&str> = said.lines().skip(1).collect();
    assert_eq!(lines, ["  |", "3 | populaton = 20", "  | ^^^^^^^^^"]);
    let output = run(&["match", "minimax:dpeth=3", "random"]);
    assert!(
        stderr(&output).ends_with("\n |\n | minimax:dpeth=3\n |         ^^^^^\n"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn a_reader_that_leaves_is_no_error() {
    let mut child = crate::common::tictune(&["perft", "--depth", "6"])
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", crate::common::stderr(&output));
}

fn entry_name(path: &std::path::Path) -> String {
    path.file_name().unwrap().to_string_lossy().into_owned()
}

#[test]
fn every_committed_config_is_a_plan() {
    let mut found = 0;
    let mut folders = vec![std::path::PathBuf::from("experiments")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                // The folder `results` holds copies of configs; the others hold no configs of
                // evolutions.
                let name = entry_name(&path);
                if !["results", "scans", "starts", "tables", "tournaments"].contains(&name.as_str())
                {
                    folders.push(path);
                }
            } else if path.extension().is_some_and(|ending| ending == "toml") {
                if entry_name(&path).starts_with("learn-") {
                    continue; // Learning configs are tested in tests/cli/learn.rs.
                }
                let overrides = tictune::config::Overrides::default();
                tictune::config::load(&path, overrides, &built_in())
                    .unwrap_or_else(|error| panic!("{error}"));
                found += 1;
            }
        }
    }
    assert!(found >= 4, "only {found} configs found");
}

#[test]
fn check_prints_the_plan_and_runs_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run");
    let args = ["evolve", "experiments/quickstart.toml", "--check", "--out", out.to_str().unwrap()];
    let text = stdout_of(&args);
    for expected in [
        "stage 3: depth 7",
        "games/s",
        "comparison: 300 games",
        "validation: 6 rows of 100 games, from random:4:held-out",
        "  against initial, liang-default: minimax of depths 3, 5, 7\n",
    ] {
        assert!(text.contains(expected), "{expected} is not in {text}");
    }
    assert!(!out.exists());
}

#[test]
fn a_small_run_is_compared_validated_and_reported() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let config = "evaluation = \"simple\"\n[cmaes]\npopulation = 4\nsigma = 0.5\n[fitness]\ngames = 8\n\
                  [[opponents]]\nagent = \"random\"\n[[stages]]\ndepth = 1\nmax_generations = 2\n\
                  [comparison]\ngames = 10\n[validation]\ngames = 10\ndepths = [1]\nopponents = [\"liang-simple\"]\n";
    std::fs::write(path("tiny.toml"), config).unwrap();
    let (config, out) = (path("tiny.toml"), path("run"));
    let text = stdout_of(&["evolve", &config, "--out", &out]);
    assert!(text.contains("Best against mean") && text.contains("Validation"), "{text}");
    for file in [
        "config.toml",
        "manifest.json",
        "log.txt",
        "best.toml",
        "mean.toml",
        "comparison.json",
        "validation.json",
        "validation.csv",
        "report.html",
        "stage-1-depth-1/generations.csv",
        "stage-1-depth-1/evaluations.csv",
        "stage-1-depth-1/best.toml",
        "stage-1-depth-1/mean.toml",
    ] {
        assert!(folder.path().join("run").join(file).exists(), "{file} is missing");
    }
    let comparison = json_of(&["compare", &out, "--games", "20", "--json"]);
    assert_eq!(comparison["games"], 20);
    let args = [
        "validate",
        &out,
        "--games",
        "4",
        "--depths",
        "1,2",
        "--iterative",
        "nodes=300",
        "--ept",
        "iterations=30,iterations=60",
        "--opponents",
        "liang-simple",
        "--json",
    ];
    let validation = json_of(&args);
    let searches = |index: usize| validation["rows"][index]["search"].as_str().unwrap();
    let of_one_opening: Vec<&str> = (0..5).map(searches).collect();
    assert_eq!(
        of_one_opening,
        [
            "minimax:depth=1",
            "minimax:depth=2",
            "iterative:nodes=300",
            "mcts:tree=uct,playout=ept,iterations=30",
            "mcts:tree=uct,playout=ept,iterations=60",
        ]
    );
    assert_eq!(validation["rows"].as_array().unwrap().len(), 10);
    assert_eq!(validation["rows"][4]["opponent"], "random playouts");
    assert_fails(&run(&["validate", "liang-simple", "--ept", "games=3"]), 2, "unknown limit");
    assert_fails(&run(&["validate", "liang-simple", "--iterative", "nodes=0"]), 2, "from 1");
    // Files of the same name in different folders are distinguished.
    let (best, mean) = (path("run/best.toml"), path("run/stage-1-depth-1/best.toml"));
    let both = format!("{best},{mean}");
    let args = [
        "validate",
        "liang-simple",
        "--games",
        "4",
        "--depths",
        "1",
        "--iterative",
        "none",
        "--ept",
        "none",
        "--opponents",
        &both,
        "--json",
    ];
    let rows = json_of(&args)["rows"].clone();
    assert_eq!((&rows[0]["opponent"], &rows[1]["opponent"]), (&"best".into(), &"best#2".into()));
    // The start of a run is an opponent, too; built-in weights have none.
    let against_start = |weights: &str| {
        run(&[
            "validate",
            weights,
            "--games=4",
            "--depths=1",
            "--iterative=none",
            "--ept=none",
            "--opponents=initial",
        ])
    };
    let text = String::from_utf8(against_start(&out).stdout).unwrap();
    assert!(text.contains(" against initial from centre: "), "{text}");
    assert_fails(&against_start("liang-simple"), 2, "only a run has a start");
    let two = run(&["compare", &out, &out]);
    assert_fails(
        &two,
        2,
        &format!("Two runs side by side: tictune report {out} {out}; their winners"),
    );
    let text = stderr(&two);
    let winner = text.trim().rsplit(' ').next().unwrap();
    assert!(winner == path("run/best.toml") || winner == path("run/mean.toml"), "{text}");
    assert_eq!(run(&["report", &out]).status.code(), Some(0));
    let html = std::fs::read_to_string(folder.path().join("run/report.html")).unwrap();
    assert!(html.contains("<svg") && html.contains("Stage 1: depth 1"));
    let best = std::fs::read_to_string(folder.path().join("run/best.toml")).unwrap();
    assert!(!best.contains(&path("")), "no path of a machine in provenance: {best}");
}
