//! What runs with each setting leave and say. That they do so on any number of threads and after any interruption is shown
//! by `interruptions.rs`.

use std::path::Path;

use serde_json::json;
use tictune::game::Game;
use tictune::games::Uttt;
use tictune::weights::{Weights, read_weights};

use crate::common::{Folder, assert_has, assert_same, edited, read_json, rows, stderr};

const TINY: &str = include_str!("../configs/tiny.toml");
const PLAIN: &str = include_str!("../configs/plain.toml");

/// A folder with a config and its run.
fn evolved(config: &str) -> Folder {
    let folder = Folder::with("c.toml", config);
    folder.said("evolve c.toml --out run");
    folder
}

/// A column of a log.
fn column(folder: &Folder, log: &str, name: &str) -> Vec<f64> {
    rows(&folder.path(log)).iter().map(|row| row[name].parse().unwrap()).collect()
}

#[test]
fn a_finished_run_prints_its_verdict_again() {
    let folder = evolved(PLAIN);
    let log = || folder.read("run/log.txt");
    let logged = log();
    let again = folder.said("evolve c.toml --out run");
    assert_has(&again, &["Validation of the", "Best against mean"]);
    // What does not change the plan does not matter.
    folder.file("remark.toml", &format!("# a remark\n{PLAIN}"));
    assert_eq!(again, folder.said("evolve remark.toml --out run --resume"));
    assert_eq!(log(), logged, "nothing happened");
    // Where something is left to play, what was played before is not logged again.
    std::fs::remove_file(folder.path("run/validation.json")).unwrap();
    folder.said("evolve c.toml --out run --resume");
    assert_eq!(log().matches("run finished").count(), 2, "{}", log());
    assert_eq!(log().matches(": generation stage=").count(), 7, "{}", log());
    // The validation has what decides, and runs are opponents of one another.
    for row in read_json(&folder.path("run/validation.json")).as_array().unwrap() {
        let [single, holm] =
            ["p_value_two_sided", "p_value_holm"].map(|key| row[key].as_f64().unwrap());
        assert!(single <= holm && holm <= 1.0, "{row}");
    }
    let validated =
        folder.said("validate run --opponents run --games 2 --depths 1 --ept iterations=50");
    assert_has(&validated, &[" against resume from centre: "]);
    // Its winner's weights are exported by its folder, under its name.
    assert_has(&folder.said("export run --format toml"), &["evaluation = \"comprehensive\""]);
    let export = folder.run("export run --format c++ --out run.hpp");
    assert_has(&stderr(&export), &["wrote run.hpp"]);
    assert_has(&folder.read("run.hpp"), &["namespace resume_weights {"]);
    assert_has(&folder.read("run/report.html"), &["weights of <code>comprehensive</code>"]);
    // A folder in which nothing but the config was written.
    folder.file("half/config.toml", PLAIN);
    folder.said("evolve c.toml --out half --resume");
    assert_same(&folder.path("run"), &folder.path("half"));
}

#[test]
fn a_check_counts_the_games_of_every_setting() {
    for (config, parts) in [
        (
            include_str!("../configs/starts.toml"),
            &[
                "learns the 3 weights of `connecting`",
                "learning from positions: about",
                "sigma 0.4 times the size of its start",
            ][..],
        ),
        (
            include_str!("../../experiments/staged/advanced.toml"),
            &[
                "stage 3: depth 7",
                "games/s",
                "comparison: 300 games",
                "validation: 6 rows of 100 games, from random:4:held-out",
                "  against initial, liang-default: minimax of depths 3, 5, 7\n",
            ],
        ),
        (include_str!("../configs/plain.toml"), &["(with those of the mean vector), about"]),
        // The pool holds the published vectors of the game, one of which is the start, and there is no centre opening.
        (
            include_str!("../configs/qubic.toml"),
            &[
                "game qubic, seed 0",
                "validation: 2 rows of 10 games, from random:4:held-out\n  against initial, papadam-ef1: minimax of depth 1\n",
            ],
        ),
    ] {
        let folder = Folder::with("c.toml", config);
        assert_has(&folder.said("evolve c.toml --check --out run"), parts);
        assert!(!folder.path("run").exists());
    }
    // Training from held-out openings is warned of.
    for (openings, warned) in [
        ("random:4-6", true),
        ("random:4-6:held-out", true),
        ("random:4-6:train", false),
        ("centre", false),
    ] {
        let training = format!("[fitness]\nopenings = \"{openings}\"\n");
        let folder = Folder::with("c.toml", &edited(TINY, &[("[fitness]\n", &training)]));
        let said = stderr(&folder.run("evolve --check c.toml"));
        assert_eq!(said.contains("random:4-6:train keeps them apart"), warned, "{said}");
    }
}

#[test]
#[ignore = "takes ten seconds of all cores"]
fn a_search_that_takes_hours_is_not_waited_for() {
    let folder = Folder::with("c.toml", &TINY.replace("depth = 1", "depth = 32"));
    let checked = folder.said("evolve c.toml --check");
    assert_has(&checked, &["the whole run: longer than could be measured"]);
}

#[test]
fn candidates_may_play_nobody_but_each_other() {
    // Of a pair, one's win is the other one's loss.
    let alone = include_str!("../configs/budget.toml");
    let (before, opponents) = alone.split_once("[[opponents]]").unwrap();
    let (_, after) = opponents.split_once("[[stages]]").unwrap();
    let folder = evolved(&format!("{before}[[stages]]{after}"));
    let rows = rows(&folder.path("run/stage-1-depth-1/evaluations.csv"));
    for pair in rows.chunks(2) {
        assert_eq!(pair[0]["wins"], pair[1]["losses"]);
        assert_eq!(pair[0]["draws"], pair[1]["draws"]);
    }
    assert_has(&folder.read("run/report.html"), &["the other one of its pair"]);
    assert_has(&folder.read("run/best.toml"), &["self_play = true"]);
    // Of pairs, the axes are those of what is known of the optimum.
    assert!(folder.path("run/stage-1-depth-1/axes.csv").exists());
}

#[test]
fn earlier_winners_by_path_and_agents_of_other_kinds_are_opponents() {
    let folder = evolved(TINY);
    folder.file("later.toml", include_str!("../configs/later.toml"));
    folder.said("evolve later.toml --out later");
    let manifest = folder.read("later/manifest.json");
    assert!(!manifest.contains(&folder.text("")), "no path of a machine");
    folder.edit("later.toml", "run/best.toml", "run/none.toml");
    folder.fails("evolve later.toml", 2, "opponents[1].agent");
}

#[test]
fn held_weights_stay_and_the_others_move_in_their_own_units() {
    let folder = evolved(include_str!("../configs/held.toml"));
    let log = "run/stage-1-depth-2/evaluations.csv";
    assert!(column(&folder, log, "macro_middle").iter().all(|value| *value == 0.0));
    assert!(column(&folder, log, "micro_side_corner").iter().all(|value| *value == 0.0));
    assert!(column(&folder, log, "micro_middle_middle").iter().all(|value| *value == 2.5));
    let published = Weights::builtin::<Uttt>("liang-comprehensive").unwrap();
    for (slot, initial) in published.layout().slots.iter().zip(published.values()) {
        let held = ["macro_middle", "micro_middle_middle"].contains(&slot.name);
        if held || slot.name.starts_with("micro_side") {
            continue;
        }
        let steps = column(&folder, log, &format!("x_{}", slot.name));
        for (value, x) in column(&folder, log, slot.name).iter().zip(&steps) {
            let (step, expected) = ((value - initial) / x, initial.abs());
            assert!((step - expected).abs() < 1e-6 * expected, "{}: {step}", slot.name);
        }
    }
    let best = read_weights(&folder.path("run/best.toml"), &[Uttt::INFO]).unwrap();
    assert_eq!(best.values().len(), 14, "files hold every slot");
    let slot = |name| best.values()[best.layout().index_of(name).unwrap()];
    assert_eq!((slot("macro_middle"), slot("micro_middle_middle")), (0.0, 2.5));
}

#[test]
fn a_number_alone_is_evolved_within_its_range() {
    let folder = evolved(include_str!("../configs/number.toml"));
    let log = "run/stage-1-depth-1/evaluations.csv";
    let (c, x) = (column(&folder, log, "c"), column(&folder, log, "x_c"));
    assert_eq!(c.len(), 12);
    for (c, x) in c.iter().zip(&x) {
        assert!((0.01..=10.0).contains(c));
        // Three orders of magnitude are one step.
        let unbent = 0.5 * (x * (1000_f64).ln()).exp();
        assert!((c / unbent - 1.0).abs() < 1e-9 || !(0.01..=10.0).contains(&unbent), "{c} of {x}");
    }
    let means = column(&folder, "run/stage-1-depth-1/generations.csv", "mean_c");
    assert!((means[0] - 0.5).abs() < 1e-15, "from the agent's own value");
    assert!(!folder.path("run/best.toml").exists());
    // The best candidate is an agent that can play.
    let text = folder.read("run/best-agent.txt");
    let text = text.trim();
    assert!(text.starts_with("mcts:tree=uct,playout=random,c=") && text.ends_with("iterations=30"));
    assert_has(&folder.said("match @run/best-agent.txt random --games 2 --json"), &[text]);
    // It was validated against itself at the start and against the opponent, from openings that it never saw.
    let rows = folder.lines("run/validation.csv");
    assert_eq!(rows.len(), 1 + 2, "{rows:?}");
    assert!(rows[1].starts_with("random:4:held-out,the start,"), "{rows:?}");
    folder.said("compare run --games 4");
    let validated = folder.json("validate run --games 4 --json");
    assert_eq!(validated["agent"], text);
    assert_eq!(validated["rows"].as_array().unwrap().len(), 2);
    let exported = folder.json("export run --format json");
    assert_eq!(exported["agent"], text);
    let c = exported["parameters"]["c"].as_f64().unwrap();
    assert_has(text, &[&format!("c={c},")]);
    assert_eq!(folder.said("export run --format csv"), format!("name,value\nc,{c}\n"));
    assert_eq!(folder.said("export run --format toml"), format!("c = {c:?}\n"));
    let rust = folder.said("export run --format rust");
    assert_has(&rust, &[&format!("pub const C: f64 = {c:?};")]);
    assert_has(&folder.said("show run --json"), &["\"parameters\""]);
    assert_has(&folder.read("run/report.html"), &[text, "c, 0.01 to 10</th><td>0.5<svg"]);
}

#[test]
fn a_profile_says_what_each_number_is_worth() {
    let folder = evolved(include_str!("../configs/ept.toml"));
    let profile = folder.json("profile run --games 6 --json");
    let rows = profile["rows"].as_array().unwrap();
    let tried = |name: &str| {
        let of_name = rows.iter().filter(|row| row["number"] == name);
        of_name.map(|row| row["value"].as_f64().unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(tried("micro_win").len(), 4);
    assert_eq!(tried("micro_connecting"), [0.0; 0], "it is held");
    let [boundary, threshold] = ["boundary", "threshold"].map(tried);
    assert_eq!((boundary[0], *boundary.last().unwrap()), (0.1, 30.0));
    assert!(threshold.iter().all(|value| value.fract() == 0.0), "{threshold:?}");
    assert!(rows.iter().all(|row| row["games"] == 6 && row["opponent"].is_null()));
    // The same again, from the log: also where it was torn, and without playing what is there.
    let log = folder.read("run/profile.csv");
    folder.file("run/profile.csv", &log[..log.len() / 2]);
    assert_has(
        &folder.said("profile run --games 6"),
        &["far below", "micro_win", "parameters are shown to matter"],
    );
    assert_eq!(folder.read("run/profile.csv"), log);
    folder.fails("profile run", 2, "has 6 games at each value: delete it");
    folder.edit("run/profile.csv", "threshold = 2,", "threshold = 3,");
    folder.fails("profile run --games 6", 2, "delete profile.csv and its matches are played again");
    folder.file("run/profile.csv", &log);
    folder.said("report run");
    assert_has(&folder.read("run/report.html"), &["How much each parameter matters", "far below"]);
    folder.edit("run/manifest.json", "\"finished\": true", "\"finished\": false");
    folder.fails("profile run --games 6", 2, "this run is not finished");
}

#[test]
fn weights_and_numbers_are_evolved_together() {
    let folder = evolved(include_str!("../configs/ept.toml"));
    let log = "run/stage-1-depth-1/evaluations.csv";
    let threshold = column(&folder, log, "threshold");
    assert!(threshold.iter().all(|x| x.fract() == 0.0 && (2.0..=12.0).contains(x)));
    assert!(threshold.iter().any(|x| *x != threshold[0]));
    assert!(column(&folder, log, "micro_connecting").iter().all(|x| *x == 1.0));
    let text = folder.read("run/best-agent.txt");
    assert_has(&text, &["playout=ept", "weights=best.toml"]);
    let boundary = text.split(',').find(|pair| pair.starts_with("boundary=")).unwrap();
    // Provenance tells the rest.
    assert_has(&folder.read("run/best.toml"), &[boundary]);
    folder.said("match @run/best-agent.txt random --games 2");
    let rows = folder.lines("run/validation.csv");
    assert_eq!(rows.len(), 1 + 1 + 2, "weights against the start, then the agent: {rows:?}");
    folder.said("validate run --games 2 --depths 1 --iterative none --ept none");
}

#[test]
fn a_run_learns_its_start() {
    let folder = evolved(include_str!("../configs/starts.toml"));
    // The first generation is drawn from what was learned.
    let log = "run/stage-1-depth-1/generations.csv";
    let first = column(&folder, log, "mean_micro_win")[0];
    assert_has(&folder.read("run/learn/learned.toml"), &[&format!("micro_win = {first:?}\n")]);
    let pairs = |opponent: &str| {
        let quick = "--games=40 --depths=1 --iterative=none --ept=none --json";
        let report = folder.json(&format!("validate run {quick} --opponents {opponent}"));
        let rows = report["rows"].as_array().unwrap();
        json!(rows.iter().map(|row| row["pairs"].clone()).collect::<Vec<_>>())
    };
    assert_eq!(pairs("initial"), pairs("run/learn/learned.toml"));
    // Files name the config's plan, although the start was learned.
    let manifest = read_json(&folder.path("run/manifest.json"));
    let hash = format!("config_hash = {}", manifest["config_hash"]);
    assert_has(&folder.read("run/best.toml"), &[&hash]);
    assert_has(&folder.read("run/report.html"), &["Learned start"]);
    assert_has(&folder.said("evolve c.toml --out run"), &["Learned start"]);
}

#[test]
fn every_committed_config_is_a_plan() {
    let known = tictune::built_in();
    let mut found = 0;
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("experiments")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap();
            let folder = path.parent().unwrap().file_name().unwrap().to_str().unwrap();
            // Results hold copies of configs; scans and starts are no configs, tables are read by `reproduce`.
            if path.is_dir() && !["results", "scans", "starts", "tables"].contains(&name) {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "toml") {
                let read = match (folder, name) {
                    // Read by the script beside it.
                    ("tuners", "tasks.toml") => continue,
                    ("tournaments", _) => tictune::config::tournament::load(&path, false, &known)
                        .map(|plan| assert!(plan.entrants.len() > 2)),
                    (_, name) if name.starts_with("learn-") => {
                        let text = crate::common::read(&path);
                        tictune::papers::reinforcement::config::parse(&text, &path, None, &known)
                            .map(drop)
                    }
                    _ => tictune::config::load(&path, Default::default(), &known).map(drop),
                };
                read.unwrap_or_else(|error| panic!("{error}"));
                found += 1;
            }
        }
    }
    assert!(found >= 10, "only {found} configs found");
}

#[test]
fn a_time_is_turned_into_games_once() {
    let config = "name = \"timed\"\nevaluation = \"connecting\"\nbudget = { time = \"1s\" }\n\
                  stages = [{ depth = 1 }]\ncomparison = { games = 10 }\nvalidation = { games = 10, depths = [1], iterative = [], ept = [] }\n";
    let folder = Folder::with("c.toml", config);
    let told = folder.run("evolve c.toml --out run --seed 5");
    assert_has(&stderr(&told), &["measuring the speed of this machine"]);
    let plan = &read_json(&folder.path("run/manifest.json"))["plan"];
    let games = plan["timed"]["games"].as_u64().unwrap();
    assert_eq!((plan["timed"]["seconds"].as_f64(), games >= 50), (Some(1.0), true));
    // It is the same run when it is typed again, with the games that it has, and so is one of as many games elsewhere.
    let again = folder.run("evolve c.toml --out run --seed 5 --resume");
    assert!(again.status.success() && !stderr(&again).contains("measuring"), "{}", stderr(&again));
    folder.file("games.toml", &config.replace("time = \"1s\"", &format!("games = {games}")));
    folder.said("evolve games.toml --out games --seed 5");
    let log = |run: &str| folder.read(&format!("{run}/stage-1-depth-1/evaluations.csv"));
    assert_eq!(log("run"), log("games"));
}

#[test]
fn games_that_are_added_give_the_run_that_had_them_from_the_start() {
    let config = |games: u32| {
        format!(
            "name = \"more\"\nevaluation = \"connecting\"\ncmaes = {{ initial = \"liang-connecting\", population = 40 }}\n\
             budget = {{ games = {games} }}\nopponents = [{{ agent = \"random\" }}]\nstages = [{{ depth = 1 }}]\n\
             comparison = {{ games = 10 }}\nvalidation = {{ games = 10, depths = [1], iterative = [], ept = [] }}\n"
        )
    };
    let folder = Folder::with("c.toml", &config(1280));
    folder.file("whole.toml", &config(2560));
    folder.said("evolve whole.toml --out whole");
    folder.said("evolve c.toml --out run");
    let before = folder.read("run/validation.csv");
    // Lines say how many Elo were won, from the fourth generation on, and so does `show`.
    let shown = folder.json("show run --json")["over_start"].clone();
    assert_eq!(shown["games"], 5 * 6);
    assert_has(&folder.said("show run"), &["\nmean ", " the start", " Elo in 30 games\n"]);
    assert_has(&folder.read("run/report.html"), &["<dt>won so far</dt>"]);
    let told = folder.run("evolve c.toml --out run --resume --games +1_300");
    assert_has(&stderr(&told), &[" Elo in 36 games", " Elo in 60 games"]);
    assert_has(&stderr(&told), &["generations added: 10, with 1280 games"]);
    assert_eq!(folder.read("run/at-generation-10/validation.csv"), before);
    const LOG: &str = "stage-1-depth-1/evaluations.csv";
    let same = |a: &str, b: &str| {
        for name in [LOG, "mean.toml", "validation.csv", "comparison.json"] {
            assert_eq!(folder.read(&format!("{a}/{name}")), folder.read(&format!("{b}/{name}")));
        }
    };
    same("run", "whole");
    // One that was stopped after its comparison keeps nothing of that.
    folder.said("evolve c.toml --out half");
    folder.edit("half/manifest.json", "\"finished\": true", "\"finished\": false");
    folder.said("evolve c.toml --out half --resume --games +1_300");
    same("half", "whole");
    // It is the run of its config, with more games.
    let verdict = folder.said("evolve c.toml --out run --resume");
    assert_eq!(folder.said("evolve c.toml --out run"), verdict);
    assert_eq!(read_json(&folder.path("run/manifest.json"))["added_generations"], json!(10));
    // Stopped within its tenth generation and finished, it is the shorter run.
    folder.said("evolve c.toml --out short");
    for log in ["evaluations", "generations", "start", "axes"] {
        let log = &format!("stage-1-depth-1/{log}.csv");
        let short = folder.read(&format!("short/{log}"));
        let (rows, _) = short.trim_end().rsplit_once('\n').unwrap();
        folder.file(&format!("whole/{log}"), &format!("{rows}\n"));
    }
    folder.edit("whole/manifest.json", "\"finished\": true", "\"finished\": false");
    folder.said("evolve whole.toml --out whole --resume --finish");
    same("whole", "short");
}
