//! The commands that show, list and begin things; help, completions and man pages; how much is said.

use std::process::{Command, Stdio};

use serde_json::Value;

use crate::common::{TERM, assert_fails, run, stderr, stdout_of, tictune};
use crate::hostile::{CONFIG, Folder};
use crate::needs::needs;

fn json_of(args: &[&str]) -> Value {
    serde_json::from_str(&stdout_of(args)).unwrap()
}

#[test]
fn every_help_begins_with_an_example_and_says_how_it_ends() {
    let help = stdout_of(&["--help"]);
    assert!(help.contains("Exit status: 0 when all is done; 1 after a failure"), "{help}");
    let commands = help.split_once("Commands:").unwrap().1.lines();
    let commands: Vec<&str> = commands
        .take_while(|line| !line.starts_with("Options"))
        .filter_map(|line| {
            line.strip_prefix("  ")?.split(' ').next().filter(|name| !name.is_empty())
        })
        .filter(|name| *name != "help")
        .collect();
    assert!(commands.len() > 20, "{commands:?}");
    for command in commands {
        let help = stdout_of(&[command, "--help"]);
        assert!(help.starts_with("Example"), "{help}");
        assert!(
            help.lines().nth(1).unwrap().starts_with(&format!("  tictune {command}")),
            "{help}"
        );
    }
    // Options stand in groups.
    let help = stdout_of(&["match", "-h"]);
    for heading in ["\nGames:\n", "\nWho plays:\n", "\nOutput:\n"] {
        assert!(help.contains(heading), "{heading:?} is missing: {help}");
    }
}

#[test]
fn typing_errors_are_answered_with_the_nearest_name() {
    for (args, near) in [
        (&["mach"][..], "match"),
        (&["match", "--gaems", "4"], "--games"),
        (&["match", "random", "random", "--schedule", "pared"], "paired"),
        (&["match", "random", "random", "--game", "utt"], "uttt"),
        (&["export", "liang-default", "--format", "pyton"], "python"),
        (&["list", "wieghts"], "weights"),
        (&["show", "liang-defualt"], "list weights"),
        (&["bot", "--protocol", "codingam"], "codingame"),
        (&["new", "x.toml", "--evaluation", "advancd", "--time", "1s"], "advanced"),
    ] {
        assert_fails(&run(args), 2, near);
    }
}

#[test]
fn what_is_no_agent_is_answered_with_the_agent_that_was_meant() {
    for (agent, meant) in [
        ("tictune-extended", "write minimax:depth=5,weights=tictune-extended"),
        ("runs/mine/best.toml", "write minimax:depth=5,weights=runs/mine/best.toml"),
        ("./bot", "write external:cmd=\"./bot\",protocol=PROTOCOL"),
        ("python3 bot.py", "write external:cmd=\"python3 bot.py\",protocol=PROTOCOL"),
        ("minmax", "did you mean \"minimax\"?"),
    ] {
        assert_fails(&run(&["match", agent, "random"]), 2, meant);
    }
    if cfg!(not(feature = "cluster")) {
        assert_fails(&run(&["worker"]), 2, "--features cluster");
        assert_fails(&run(&["wroker"]), 2, "unrecognized subcommand");
    }
}

#[test]
fn everything_that_can_be_named_is_listed() {
    let lists = json_of(&["list", "--json"]);
    let has = |list: &str, key: &str, name: &str| {
        lists[list].as_array().unwrap().iter().any(|row| row[key] == name)
    };
    assert!(has("games", "game", "uttt") && has("games", "game", "qubic"));
    assert!(
        has("evaluations", "evaluation", "extended") && has("evaluations", "evaluation", "ef1")
    );
    assert!(
        has("weights", "weights", "tictune-extended") && has("weights", "weights", "papadam-ef1")
    );
    assert!(has("agents", "kind", "pvs") && has("keys", "key", "playout"));
    let of_qubic = json_of(&["list", "weights", "--game", "qubic", "--json"]);
    assert_eq!(of_qubic.as_object().unwrap().len(), 1);
    assert_eq!(of_qubic["weights"].as_array().unwrap().len(), 3);
    let text = stdout_of(&["list"]);
    for part in
        ["Games", "Evaluations", "Built-in weights", "Liang 2017, Table 2.3", "KIND[:KEY", "c=0."]
    {
        assert!(text.contains(part), "{part} is missing: {text}");
    }
}

#[test]
fn completions_and_man_pages_come_from_the_same_definitions() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let text = stdout_of(&["completions", shell]);
        assert!(text.contains("tournament") && text.contains("games-csv"), "{shell}: {text}");
    }
    let page = stdout_of(&["man"]);
    assert!(page.contains(".TH tictune 1") && page.contains("Exit status"), "{page}");
    let folder = Folder::new();
    stdout_of(&["man", "--out", &folder.text("man1")]);
    let page = std::fs::read_to_string(folder.path("man1/tictune-match.1")).unwrap();
    assert!(
        page.contains("sprt")
            && page.contains("tictune match minimax:depth=3 mcts:iterations=5000 \\-\\-games 300"),
        "{page}"
    );
    assert!(folder.path("man1/tictune.1").exists() && folder.path("man1/tictune-runs.1").exists());
}

#[test]
fn a_reader_that_leaves_is_no_error_of_any_command_that_prints() {
    for args in [
        &["list"][..],
        &["completions", "bash"],
        &["man"],
        &["reproduce"],
        &["--help"],
        &["show", "2.8"],
    ] {
        let mut child =
            tictune(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert!(
            output.status.success() && stderr(&output).is_empty(),
            "{args:?}: {}",
            stderr(&output)
        );
    }
}

#[test]
fn runs_are_listed_continued_and_shown() {
    let folder = Folder::new();
    let config = folder.file("tiny.toml", CONFIG);
    let (runs, out) = (folder.text("runs"), folder.text("runs/tiny"));
    assert_fails(&run(&["runs", &runs]), 2, "is no folder");
    let evolved = json_of(&["evolve", &config, "--out", &out, "--json"]);
    assert_eq!(evolved["report"], format!("{out}/report.html"));
    assert!(evolved["comparison"]["games"].is_number() && evolved["validation"].is_array());
    let agents = ["tournament", "random", "reflex", "--games", "4", "--out"];
    stdout_of(&[&agents[..], &[&folder.text("runs/deeper/two-agents")]].concat());
    let list = json_of(&["runs", &runs, "--json"]);
    let of = |name: &str| {
        let rows = list.as_array().unwrap();
        rows.iter().find(|row| row["run"].as_str().unwrap().ends_with(name)).unwrap().clone()
    };
    assert_eq!(
        (&of("tiny")["state"], &of("tiny")["kind"]),
        (&"finished".into(), &"evolution".into())
    );
    let verdict = evolved["comparison"]["verdict"].as_str().unwrap();
    assert_eq!(of("tiny")["result"], format!("best against mean: {verdict}"));
    assert_eq!(of("two-agents")["kind"], "tournament");
    assert_eq!(of("two-agents")["progress"], "4 games");
    // A run that was stopped says how to continue it, and that command does.
    let manifest = folder.path("runs/tiny/manifest.json");
    let mut stopped: Value =
        serde_json::from_str(&std::fs::read_to_string(&manifest).unwrap()).unwrap();
    stopped["finished"] = false.into();
    std::fs::write(&manifest, serde_json::to_string_pretty(&stopped).unwrap()).unwrap();
    let text = stdout_of(&["runs", &runs]);
    let (_, command) = text.split_once(&format!("to continue {out}: tictune ")).unwrap();
    let words = shlex_like(command.lines().next().unwrap());
    stdout_of(&words.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!(json_of(&["show", &out, "--json"])["state"], "finished");
    let shown = stdout_of(&["show", &out]);
    for part in [
        "evolution, finished",
        "stopped by",
        "Best against mean",
        "Validation of the",
        "is multiplied by",
    ] {
        assert!(shown.contains(part), "{part} is missing: {shown}");
    }
    std::fs::write(&manifest, "{}").unwrap();
    assert_eq!(json_of(&["runs", &runs, "--json"])[1]["state"], "unreadable");
}

/// Words without quotes.
fn shlex_like(command: &str) -> Vec<String> {
    command.split_whitespace().map(String::from).collect()
}

#[test]
fn weights_and_tables_are_shown() {
    let text = stdout_of(&["show", "liang-optimized"]);
    for part in [
        "the weights of advanced of uttt",
        "macro_corner",
        "Liang 2017, Table 2.3",
        "corner small boards won",
    ] {
        assert!(text.contains(part), "{part} is missing: {text}");
    }
    assert_eq!(json_of(&["show", "liang-simple", "--json"])["weights"]["micro_win"], 1.0);
    let text = stdout_of(&["show", "2.8"]);
    assert!(text.contains("72:425:3") && text.contains("A2 is stronger"), "{text}");
    let text = stdout_of(&["show", "3.2"]);
    let opponent = "MCTS RAVE Heuristic (Advanced): mcts:{monte_carlo},tree=rave";
    assert!(text.contains(opponent) && text.contains(", row 6: mcts:"), "{text}");
    assert!(text.contains("\nchoice: initial values are"), "{text}");
    assert_eq!(json_of(&["show", "2.8", "--json"])["table"], "2.8");
    let folder = Folder::new();
    let results = folder.text("results");
    let played = ["reproduce", "2.8", "--rows", "1", "--games", "2", "--out", &results];
    stdout_of(&played);
    let shown = stdout_of(&["show", &folder.text("results/2.8.json")]);
    assert!(shown.contains("printed A1:A2:ties"), "{shown}");
    assert_fails(&run(&["show", &folder.file("x.toml", "a = 1")]), 2, "x.toml");
    assert_fails(&run(&["show", &folder.text("")]), 2, "holds no run");
}

#[test]
fn a_new_config_is_one_that_runs() {
    const ENGINE: &str = "./engine --quiet '{King Safety}' {Contempt}";
    let folder = Folder::new();
    for (name, more) in [
        ("a", &["--evaluation", "simple", "--time", "1s"][..]),
        ("b", &["--game", "qubic", "--evaluation", "ef1", "--time", "1s"]),
        ("c", &["--program", "./bot {corner} {seed}", "--time", "1s"]),
        ("d", &["--game", "chess", "--program", ENGINE, "--time", "1s"]),
        ("f", &["--game", "runner", "--program", "python3 play.py {stay} {hold}", "--time", "1s"]),
    ] {
        let file = folder.text(&format!("{name}.toml"));
        let made = run(&[&["new", &file][..], more].concat());
        let said = String::from_utf8_lossy(&made.stdout);
        let of_program = more.contains(&"--program");
        assert_eq!(stderr(&made).contains("not fitted to the time"), of_program, "{name}");
        let next =
            if of_program { format!("doctor {file} ") } else { format!("evolve {file} --check") };
        assert!(said.contains(&next), "{said}");
        let text = std::fs::read_to_string(&file).unwrap();
        assert!(text.contains(&format!("name = \"{name}\"")) && text.contains("# "), "{text}");
        assert_fails(&run(&["new", &file]), 2, "is there already");
        let checked = run(&["evolve", &file, "--check"]);
        let plan = String::from_utf8_lossy(&checked.stdout);
        // The programs are not there.
        assert_eq!(checked.status.code(), Some(if of_program { 2 } else { 0 }), "{plan}");
        // A program has its own depth.
        let has_depth = !["c", "f"].contains(&name);
        assert_eq!(plan.contains("stage 2"), has_depth, "{plan}");
    }
    let bot = std::fs::read_to_string(folder.text("c.toml")).unwrap();
    assert!(
        bot.contains("\nmax_seconds = 1 ") && bot.contains("# your default goes here"),
        "{bot}"
    );
    assert!(bot.contains("\nno_line = \"most_boards\""), "{bot}");
    let text = std::fs::read_to_string(folder.text("f.toml")).unwrap();
    assert!(
        text.contains("cmd = \"python3 play.py\"") && text.contains("key = \"hold\""),
        "{text}"
    );
    let file = folder.text("e.toml");
    let text = std::fs::read_to_string(folder.text("d.toml")).unwrap();
    for expected in [
        "cmd = \"./engine --quiet\"\nprotocol = \"uci\"",
        "\"King Safety\" = \"{king_safety}\"\n\"Contempt\" = \"{contempt}\"\n",
        "key = \"king_safety\"\ninitial = 100",
    ] {
        assert!(text.contains(expected), "{expected}: {text}");
    }
    let none = run(&["new", &file, "--game", "chess", "--program", "./engine", "--time", "1s"]);
    assert_fails(&none, 2, "'{King Safety}'");
    let none = run(&["new", &file, "--program", "./bot", "--time", "1s"]);
    assert_fails(&none, 2, "has no {NAME} where a number goes");
    let none = run(&["new", &file, "--game", "runner", "--program", "./play", "--time", "1s"]);
    assert_fails(&none, 2, "has no {NAME} after it for each number");
    for (command, expected) in [
        ("./play {}", "{} in the command has no name"),
        ("./play '{stay}", "a quote is not closed"),
    ] {
        let wrong = ["new", &file, "--game", "runner", "--program", command, "--time", "1s"];
        assert_fails(&run(&wrong), 2, expected);
    }
    let unclosed = run(&["new", &file, "--program", "./bot {a} {b", "--time", "1s"]);
    let expected = "error: the command ./bot {a} {b makes no config: ";
    assert_fails(&unclosed, 2, expected);
    assert!(stderr(&unclosed).contains("a { is not closed"), "{}", stderr(&unclosed));
    assert_fails(
        &run(&["new", &file, "--evaluation", "simple", "--time", "0s"]),
        2,
        "expected one second or more",
    );
    // With the speed that doctor says, the games fit the time.
    let slow = folder.text("slow.toml");
    let made =
        run(&["new", &slow, "--program", "./bot {a}", "--time", "60s", "--games-per-second", "20"]);
    assert!(made.status.success() && !stderr(&made).contains("not fitted"), "{}", stderr(&made));
    assert!(!stderr(&made).contains("too short"), "{}", stderr(&made));
    let short = folder.text("short.toml");
    let made =
        run(&["new", &short, "--program", "./bot {a}", "--time", "60s", "--games-per-second", "1"]);
    let expected = "the config has about 780 games, and 60 fit into it";
    assert!(made.status.success() && stderr(&made).contains(expected), "{}", stderr(&made));
    let text = std::fs::read_to_string(&slow).unwrap();
    let games: Vec<u64> = text
        .lines()
        .filter_map(|line| line.strip_prefix("games = ")?.split(' ').next()?.parse().ok())
        .collect();
    // 1,200 games: 420 of finalists, 20 of each in its first round, 60, 180; what is left is 3 generations of 17 vectors.
    assert_eq!(games, [10, 20, 60, 180], "{text}");
    assert!(text.contains("\nmax_generations = 3\n"), "{text}");
    // Questions are asked of a pipe as well; an empty line takes the default.
    let mut child = tictune(&["new", &file])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), b"\nsimple\n1s\n").unwrap();
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}{}", stderr(&output));
    assert!(said.contains("game: uttt, qubic, chess [uttt]: "), "{said}");
    assert!(std::fs::read_to_string(&file).unwrap().contains("evaluation = \"simple\""));
}

#[test]
fn progress_is_quiet_plain_or_logged() {
    let folder = Folder::new();
    let config = folder.file("tiny.toml", CONFIG);
    let evolve = |out: &str, more: &[&str]| {
        let output = run(&[&["evolve", &config, "--out", &folder.text(out)][..], more].concat());
        assert!(output.status.success(), "{}", stderr(&output));
        stderr(&output)
    };
    let plain = evolve("plain", &[]);
    assert!(plain.contains("gen   1/") && !plain.contains("INFO"), "{plain}");
    assert!(!plain.contains("at most 0 s left"), "{plain}");
    assert_eq!(evolve("quiet", &["--quiet"]), "");
    let verbose = evolve("verbose", &["-v", "--log-format", "json"]);
    let event = verbose.lines().find(|line| line.starts_with('{')).unwrap();
    let event: Value = serde_json::from_str(event).unwrap();
    assert_eq!(event["level"], "INFO");
    assert!(verbose.contains("gen   1/"), "{verbose}");
    // A program can read every line.
    assert!(verbose.lines().all(|line| line.starts_with('{')), "{verbose}");
    // The log of the run has the same events in the same form.
    let log = std::fs::read_to_string(folder.path("verbose/log.txt")).unwrap();
    let logged: Vec<Value> = log.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(logged.contains(&event), "{log}");
    assert_fails(&run(&["bench", "-q", "-v"]), 2, "cannot be used with");
}

/// `script` gives a program a terminal; Debian has it everywhere.
#[test]
#[cfg(target_os = "linux")]
fn on_a_terminal_the_view_stays_in_place() {
    if !needs("script") {
        return;
    }
    let folder = Folder::new();
    let config = folder.file("tiny.toml", CONFIG);
    let program = env!("CARGO_BIN_EXE_tictune");
    let on_a_terminal = |out: &str, more: &str| {
        let command = format!("{program} evolve {config} --out {} {more}", folder.text(out));
        let output = Command::new("script")
            .env("TERM", TERM)
            .args(["-qec", &command, "/dev/null"])
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success(), "{text}");
        text
    };
    let live = on_a_terminal("live", "");
    assert!(live.contains("Ctrl-C saves everything"), "{live}");
    assert!(!live.contains("gen   1/"), "{live}");
    assert!(live.contains("stage 1 of 1, depth 1: generation "), "{live}");
    let plain = on_a_terminal("plain", "-v");
    assert!(plain.contains("gen   1/") && !plain.contains("Ctrl-C saves everything"), "{plain}");
}

#[test]
fn colours_are_for_terminals_that_want_them() {
    let output = tictune(&["match", "minmax", "random"]).env("NO_COLOR", "1").output().unwrap();
    assert!(!stderr(&output).contains('\u{1b}'));
    let output = tictune(&["match", "minmax", "random"])
        .env_remove("NO_COLOR")
        .env("CLICOLOR_FORCE", "1")
        .output()
        .unwrap();
    assert!(stderr(&output).contains('\u{1b}'), "{}", stderr(&output));
}

#[test]
fn vectors_of_files_of_one_name_are_told_apart() {
    let folder = Folder::new();
    let [a, b] = [("a", "liang-default"), ("b", "liang-optimized")].map(|(name, weights)| {
        std::fs::create_dir(folder.path(name)).unwrap();
        let text = stdout_of(&["export", weights, "--format", "toml"]);
        folder.file(&format!("{name}/best.toml"), &text)
    });
    let agent = |path: &str| format!("greedy:weights={path}");
    let report = json_of(&["match", &agent(&a), &agent(&b), "--games", "4", "--json"]);
    assert_eq!(report["agents"][0], "greedy:eval=advanced,weights=best");
    assert_eq!(report["agents"][1], "greedy:eval=advanced,weights=best#2");
    // The same vector twice keeps its name.
    let same = json_of(&["match", &agent(&a), &agent(&a), "--games", "4", "--json"]);
    assert_eq!(same["agents"][0], same["agents"][1]);
    let alone = ["--games", "2", "--depths", "1", "--iterative", "none", "--ept", "none"];
    let rows = json_of(&[&["validate", &a, "--opponents", &b, "--json"][..], &alone].concat());
    assert_eq!(
        (&rows["weights"], &rows["rows"][0]["opponent"]),
        (&"best".into(), &"best#2".into())
    );
}

#[test]
fn a_match_says_how_many_moves_were_late_and_when_it_shows_nothing() {
    let text = stdout_of(&["match", "reflex", "reflex", "--games", "8", "--openings", "none"]);
    assert!(text.contains("1 of 4 pairs repeat no other: Elo and p are of these alone"), "{text}");
    assert!(text.contains("p = 1.000") && !text.contains(" late"), "{text}");
    let text = stdout_of(&["match", "mcts:time=1ms", "random", "--games", "2"]);
    assert!(text.contains(" ms, none late\n") || text.contains(" late\n"), "{text}");
    // A program's positions are not known.
    let bot = format!(
        "external:cmd=\"'{}' bot --protocol codingame --agent random\",protocol=codingame,time=20s",
        env!("CARGO_BIN_EXE_tictune")
    );
    let text = stdout_of(&["match", &bot, "random", "--games", "2", "--openings", "none"]);
    let of_bot = text.lines().find(|line| line.starts_with("A: ")).unwrap();
    assert!(of_bot.contains("none late") && !of_bot.contains("nodes"), "{text}");
}

#[test]
fn figures_are_as_match_runners_print_them() {
    let args = ["match", "minimax:depth=2", "greedy:weights=liang-default", "--games", "40"];
    let text = stdout_of(&args);
    assert!(text.contains(", nElo "), "{text}");
    let report = json_of(&[&args[..], &["--json"]].concat());
    let [low, nelo, high] =
        ["nelo_low", "nelo", "nelo_high"].map(|key| report[key].as_f64().unwrap());
    assert!(low < nelo && nelo < high);
    let two = stdout_of(&["tournament", "random", "reflex", "--games", "2"]);
    assert!(two.contains("2 games in 1 pairing of 2"), "{two}");
}

#[test]
fn openings_of_the_training_are_named_once_each() {
    let folder = Folder::new();
    let config = CONFIG
        .replace(
            "agent = \"random\"\n",
            "agent = \"random\"\nopenings = \"random:4\"\n[[opponents]]\nagent = \"reflex\"\n",
        )
        .replace("[fitness]\n", "[fitness]\nopenings = \"centre\"\n")
        .replace(
            "[validation]\n",
            "[validation]\nopenings = [\"centre\", \"random:4\", \"random:4:held-out\"]\n",
        )
        + "[[validation.agents]]\nagent = \"reflex\"\n";
    let config = folder.file("tiny.toml", &config);
    let text = stdout_of(&["evolve", &config, "--out", &folder.text("run")]);
    assert!(
        text.contains("(from centre and random:4: games of the training began there"),
        "{text}"
    );
    // The games of somebody's match hide no run.
    folder.file("games.csv", "game,seed\n");
    let listed = stdout_of(&["runs", &folder.text("")]);
    assert!(listed.contains("evolution"), "{listed}");
}
