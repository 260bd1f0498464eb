//! Evolutions of outside programs: their numbers, the weights that they carry, and what runs write of them.
#![cfg(unix)]

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use tempfile::TempDir;

use crate::common::{assert_fails, assert_same, run, stderr, tictune};

/// Plays the legal move whose place in the list is the first argument's, from the end if the second is true. It draws
/// nothing.
const PICK: &str = r#"
while read row column; do
    read count
    place=$(($1 % count))
    [ "$2" = true ] && place=$((count - 1 - place))
    i=0
    while [ $i -lt $count ]; do
        read r c
        [ $i -eq $place ] && move="$r $c"
        i=$((i + 1))
    done
    echo $move
done
"#;

const CONFIG: &str = r#"name = "pick"
seed = 3
[cmaes]
population = 4
sigma = 0.3
[fitness]
games = 6
[agent]
kind = "external"
cmd = "sh DIR/pick.sh {place} {back}"
protocol = "codingame"
time = "20s"
[[parameters]]
key = "place"
initial = 7
low = 0
high = 8
whole = true
[[parameters]]
key = "back"
initial = false
boolean = true
[[opponents]]
agent = "reflex"
[[opponents]]
numbers = { place = 2 }
[[stages]]
depth = 1
max_generations = 2
[comparison]
games = 2
[validation]
games = 2
[[validation.agents]]
numbers = "other.toml"
"#;

struct Case(TempDir);

impl Case {
    fn new(config: &str) -> Self {
        let case = Self(tempfile::tempdir().unwrap());
        let folder = case.0.path().display().to_string();
        case.write("pick.sh", PICK);
        case.write("other.toml", "place = 4\nback = true\n");
        case.write("config.toml", &config.replace("DIR", &folder));
        case
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.0.path().join(name), text).unwrap();
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn evolve(&self, out: &str, more: &[&str]) -> std::process::Output {
        let (config, out) = (self.path("config.toml"), self.path(out));
        let all = ["evolve", config.to_str().unwrap(), "--out", out.to_str().unwrap()];
        run(&[&all[..], more].concat())
    }

    /// The folder of a run that succeeds.
    fn run(&self, out: &str, more: &[&str]) -> PathBuf {
        let output = self.evolve(out, more);
        assert!(output.status.success(), "{}", stderr(&output));
        self.path(out)
    }
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Takes a finished run back to where its first stage had logged some candidates.
fn tear(run: &Path, rows: usize) {
    let path = run.join("manifest.json");
    let manifest: serde_json::Value = serde_json::from_str(&read(&path)).unwrap();
    let mut manifest = manifest;
    manifest["finished"] = false.into();
    std::fs::write(&path, manifest.to_string()).unwrap();
    for name in ["comparison.json", "validation.json", "validation.csv"] {
        let _ = std::fs::remove_file(run.join(name));
    }
    for (name, rows) in [("evaluations.csv", rows), ("generations.csv", 0)] {
        let path = run.join("stage-1-depth-1").join(name);
        let kept: Vec<String> =
            read(&path).lines().take(1 + rows).map(|l| format!("{l}\n")).collect();
        std::fs::write(&path, kept.concat()).unwrap();
    }
}

#[test]
fn the_doctor_tries_the_programs_of_a_config_and_estimates_its_time() {
    let doctor = |case: &Case, more: &[&str]| {
        run(&[&["doctor", case.path("config.toml").to_str().unwrap()][..], more].concat())
    };
    let short = CONFIG.replace("depth = 1\n", "depth = 1\nmax_seconds = 0.001\n");
    let case = Case::new(&short);
    let output = doctor(&case, &[]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{text}{}", stderr(&output));
    for expected in [
        "pick.sh 7 false",
        "as second player",
        "games/s, since max_seconds ends it after about 1 generation: too few to learn much",
        "\nthe whole run: about ",
    ] {
        assert!(text.contains(expected), "{expected}: {text}");
    }
    assert!(!text.contains("nothing was run"), "{text}");
    let json: serde_json::Value =
        serde_json::from_slice(&doctor(&case, &["--json"]).stdout).unwrap();
    assert_eq!(json["healthy"], true);
    // The opponent of other numbers is the same program.
    assert_eq!(json["programs"].as_array().unwrap().len(), 1, "{json}");
    assert_fails(&doctor(&case, &["--game", "uttt"]), 2, "leave --game and --rules out");

    case.write("pick.sh", "exit 3");
    let output = doctor(&case, &[]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.contains("WRONG  it ended before it was asked: exit status: 3"), "{text}");
    assert!(!text.contains("the whole run"), "{text}");

    let own = "evaluation = \"simple\"\n[cmaes]\nsigma = 0.3\ninitial = 0.5\n[fitness]\ngames = 2\n[[opponents]]\nagent = \"reflex\"\n[[stages]]\ndepth = 1\nmax_generations = 1\n";
    case.write("config.toml", own);
    assert_fails(&doctor(&case, &[]), 2, "starts no program that could be tried: `");
    // A program that the validation alone plays against is tried, too.
    let cmd = format!("cmd=\\\"sh {} 0 0\\\"", case.path("pick.sh").display());
    let agent = format!("agent = \"external:{cmd},protocol=codingame\"");
    case.write("config.toml", &format!("{own}[[validation.agents]]\n{agent}\n"));
    let text = String::from_utf8_lossy(&doctor(&case, &[]).stdout).into_owned();
    assert!(text.contains("WRONG  it ended before it was asked: exit status: 3"), "{text}");
}

#[test]
fn a_check_says_whether_a_program_is_there() {
    let case = Case::new(CONFIG);
    let checked = case.evolve("run", &["--check"]);
    let text = String::from_utf8(checked.stdout).unwrap();
    assert!(checked.status.success() && text.contains("([agent] cmd)"), "{text}");
    assert!(text.contains(" is there; nothing was run"), "{text}");
    assert!(text.contains(" doctor CONFIG` runs them, and estimates it"), "{text}");
    let warning = "CodinGame's rules are drawn_board=nobody,no_line=most_boards";
    assert!(stderr(&case.evolve("run", &["--check"])).contains(warning));
    // A comment sets no rule.
    let comment = Case::new(&format!("# no_line = \"draw\"\n{CONFIG}"));
    assert!(stderr(&comment.evolve("run", &["--check"])).contains(warning));
    let by_rule =
        format!("[rules]\nno_line = \"draw\"\n{}", CONFIG.split_once("seed = 3\n").unwrap().1);
    let by_rule = Case::new(&format!("name = \"pick\"\n{by_rule}"));
    assert!(!stderr(&by_rule.evolve("run", &["--check"])).contains("CodinGame's rules"));
    for (old, new, expected) in [
        ("cmd = \"", "cmd = \"./no-such-", "there is no program ./no-such-sh that may be run"),
        (
            "pick.sh {place}",
            "none.sh {place}",
            "none.sh; correct its path, which counts from the current folder",
        ),
    ] {
        let gone = Case::new(&CONFIG.replace(old, new));
        let checked = gone.evolve("run", &["--check"]);
        assert_fails(&checked, 2, expected);
        let text = String::from_utf8(checked.stdout).unwrap();
        assert!(text.contains(expected) && text.contains("the whole run: at most "), "{text}");
        assert!(!gone.path("run").exists());
    }
}

#[test]
fn numbers_of_a_program_are_evolved_and_its_run_is_resumed() {
    let case = Case::new(CONFIG);
    let whole = case.run("whole", &[]);
    let log = read(&whole.join("stage-1-depth-1/evaluations.csv"));
    let header = log.lines().next().unwrap();
    assert!(header.ends_with(",place,back,x_place,x_back"), "{header}");
    let agent = read(&whole.join("best-agent.txt"));
    assert_eq!(agent.lines().count(), 1);
    assert!(agent.contains("{place} {back}") && agent.contains("numbers={ back = "), "{agent}");
    assert!(agent.contains("back = true") || agent.contains("back = false"), "{agent}");
    // The best row of the log is the agent's.
    let best = log.lines().skip(1).min_by(|a, b| {
        let cost = |row: &str| row.split(',').nth(2).unwrap().parse::<f64>().unwrap();
        cost(a).total_cmp(&cost(b))
    });
    let place: f64 = best.unwrap().split(',').nth(7).unwrap().parse().unwrap();
    assert!(agent.contains(&format!("place = {place} }}")), "{place}: {agent}");
    // Its numbers as a file that a config reads.
    let exported = run(&["export", whole.to_str().unwrap(), "--format", "toml"]);
    let exported = String::from_utf8(exported.stdout).unwrap();
    assert!(
        exported.contains("back = true\n") || exported.contains("back = false\n"),
        "{exported}"
    );
    assert!(
        exported.lines().any(|line| line.starts_with("place = ") && !line.contains('.')),
        "{exported}"
    );
    let refused = run(&["export", whole.to_str().unwrap(), "--format", "codingame-rust"]);
    assert_fails(&refused, 2, "evolved no weights, but numbers of an agent");
    let exported = run(&["export", whole.to_str().unwrap(), "--format", "python"]);
    let exported = String::from_utf8(exported.stdout).unwrap();
    assert!(exported.contains("\nPLACE = ") && exported.contains("\nBACK = "), "{exported}");
    assert!(
        exported.contains("# Tuned by tictune ") && exported.contains("run pick"),
        "{exported}"
    );
    let text = format!("@{}", whole.join("best-agent.txt").display());
    let output = run(&["match", &text, "random", "--openings", "none", "--games", "2", "--json"]);
    assert!(output.status.success(), "{}", stderr(&output));
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["errors"], 0);
    // The opponents of the end: the start, those of the stage, and those of the config.
    let rows = read(&whole.join("validation.csv"));
    for opponent in ["the start", "reflex", "place = 2", "place = 4"] {
        assert!(rows.lines().skip(1).any(|row| row.contains(opponent)), "{opponent}: {rows}");
    }
    // The program and its script are on record, and nothing but them.
    let manifest: serde_json::Value =
        serde_json::from_str(&read(&whole.join("manifest.json"))).unwrap();
    let files = manifest["programs"][0]["files"].as_array().unwrap();
    let words: Vec<&str> = files.iter().map(|file| file["word"].as_str().unwrap()).collect();
    assert_eq!((manifest["programs"].as_array().unwrap().len(), files.len()), (1, 2));
    assert!(words[0] == "sh" && words[1].ends_with("/pick.sh"), "{words:?}");
    assert_eq!(files[1]["bytes"], PICK.len());
    assert_eq!(files[1]["sha256"].as_str().unwrap().len(), 64);

    for rows in [0, 3] {
        let torn = case.run(&format!("torn-{rows}"), &["--threads", "1"]);
        tear(&torn, rows);
        let output = case.evolve(&format!("torn-{rows}"), &["--resume"]);
        assert!(output.status.success(), "{}", stderr(&output));
        assert!(!stderr(&output).contains("is not the program"), "{}", stderr(&output));
        assert_same(&whole, &torn);
    }
    // Another script under the same name is told, and goes on record.
    tear(&whole, 3);
    case.write("pick.sh", &format!("# another\n{PICK}"));
    let output = case.evolve("whole", &["--resume"]);
    assert!(stderr(&output).contains("is not the program that it was"), "{}", stderr(&output));
    let manifest = read(&whole.join("manifest.json"));
    assert_eq!(manifest.matches("\"sha256\"").count(), 4, "{manifest}");
}

#[test]
fn a_program_carries_the_weights_of_a_built_in_evaluation() {
    let agent = "cmd = \"sh DIR/weights.sh {weights} {weights.toml} {micro_win}\"";
    let config = CONFIG.replace("cmd = \"sh DIR/pick.sh {place} {back}\"", agent);
    let (start, _) = config.split_once("[[parameters]]").unwrap();
    let (_, end) = config.split_once("[[opponents]]").unwrap();
    let start = start.replace("seed = 3", "seed = 3\nevaluation = \"connecting\"");
    let start = start.replace("sigma = 0.3", "sigma = 0.3\ninitial = \"liang-connecting\"");
    let end = end.replace("numbers = { place = 2 }", "agent = \"initial\"");
    let other = agent.strip_prefix("cmd = ").unwrap();
    let other = format!(
        "agent = {{ kind = \"external\", protocol = \"codingame\", time = \"20s\", cmd = {other}, \
         weights = \"liang-connecting-as-run\" }}"
    );
    let end = end.replace("numbers = \"other.toml\"", &other);
    let more = "[hall_of_fame]\nevery = 1\ngames = 8\nshare = 0.4\nconfidence = 0.5\n\
                [finalists]\ngames = 40\nrounds = 1\nbest = 1\nmeans = 1\naverage = 0\n";
    let games = start.replace("games = 6", "games = 20");
    let case = Case::new(&format!("{games}{more}[[opponents]]{end}"));
    let script = "[ \"$(tail -n 1 $2 | cut -d = -f 1)\" = 'micro_connecting ' ] || exit 1\n\
                  grep -q \"\\\"micro_win\\\": $3\" $1 || exit 2\nset 0\n";
    case.write("weights.sh", &format!("{script}{PICK}"));
    let whole = case.run("whole", &[]);
    let agent = read(&whole.join("winner-agent.txt"));
    assert!(agent.contains("weights=winner.toml"), "{agent}");
    let text = format!("@{}", whole.join("winner-agent.txt").display());
    let output = run(&["match", &text, "random", "--openings", "none", "--games", "2", "--json"]);
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["errors"], 0, "{}", stderr(&output));
    let rows = read(&whole.join("validation.csv"));
    assert!(rows.contains("weights=liang-connecting-as-run"), "{rows}");
    for file in ["manifest.json", "best-agent.txt", "validation.csv", "validation.json", "log.txt"]
    {
        let text = read(&whole.join(file));
        assert!(!text.contains("weights.json"), "a temporary path is in {file}: {text}");
        assert!(!text.contains("forfeited"), "{text}");
    }
}

#[test]
fn environment_first_lines_and_seeds_reach_a_program() {
    let case = Case::new("");
    let folder = case.0.path().display().to_string();
    let script = "read first\necho \"$first $A $1\" >> DIR/heard\nset 0\n";
    case.write("tell.sh", &format!("{}{PICK}", script.replace("DIR", &folder)));
    let agent = format!(
        "external:cmd=\"sh {folder}/tell.sh {{seed}}\",protocol=codingame,time=20s,env={{ A = \"a={{a}}\" }},\
         setup=[\"b={{b}}\"],numbers={{ a = 0.5, b = true }}"
    );
    let args = ["match", &agent, "random", "--openings", "none", "--games", "6", "--threads", "1"];
    let output = run(&args);
    assert!(output.status.success(), "{}", stderr(&output));
    let heard = read(&case.path("heard"));
    let seeds: Vec<&str> =
        heard.lines().map(|line| line.strip_prefix("b=true a=0.5 ").unwrap()).collect();
    assert!(seeds.iter().all(|seed| seed.parse::<i32>().is_ok_and(|seed| seed >= 0)), "{heard}");
    let different: std::collections::BTreeSet<_> = seeds.iter().collect();
    assert_eq!((seeds.len(), different.len()), (6, 3), "both games of a pair have one seed");
    run(&args);
    assert_eq!(read(&case.path("heard")), heard.repeat(2), "games have the same seeds again");
}

#[test]
fn programs_that_cannot_be_evolved_are_refused_before_they_are_started() {
    for (old, new, expected) in [
        ("{place} {back}", "{place} {bck}", "config.toml:20: parameters[2].key: unknown number"),
        ("{place} {back}", "{place} {back} {size}", "{size} has no value"),
        ("initial = 7\n", "", "parameters[1].initial: missing"),
        ("initial = 7\n", "initial = 9\n", "parameters[1].initial: expected a number from low"),
        ("initial = 7\n", "initial = 7.5\n", "parameters[1].initial: expected a whole number"),
        ("initial = false", "initial = 0", "parameters[2].initial: expected true or false"),
        ("boolean = true", "boolean = true\nlow = 0", "back is on or off: leave low out"),
        ("key = \"place\"", "key = \"seed\"", "{seed} has a meaning of its own"),
        ("{place} {back}", "{wins} {back}", "parameters[1].key: unknown number"),
        ("{ place = 2 }", "{ plaec = 2 }", "did you mean \"place\"?"),
        ("{ place = 2 }", "\"none.toml\"", "none.toml: cannot be read"),
        ("{ place = 2 }", "{ place = \"x\" }", "opponents[2].numbers: expected a table of finite"),
        ("numbers = { place", "agent = \"random\"\nnumbers = { place", "leave agent out"),
        ("games = 6", "games = 6\nopenings = \"random:4\"", "\"none\" is all it can play"),
        (
            "seed = 3",
            "seed = 3\nevaluation = \"connecting\"",
            "write {weights} for the path of a file",
        ),
    ] {
        let case = Case::new(&CONFIG.replacen(old, new, 1));
        let output = case.evolve("out", &[]);
        assert_fails(&output, 2, expected);
    }
    let reserved = CONFIG.replace("{place}", "{wins}").replace("\"place\"", "\"wins\"");
    let case = Case::new(&reserved);
    assert_fails(&case.evolve("out", &[]), 2, "wins is the name of another column");
}

#[test]
fn what_forfeits_for_the_most_part_has_no_result() {
    let case = Case::new(CONFIG);
    let whole = case.run("run", &[]);
    let (whole, config) = (whole.to_str().unwrap(), case.path("config.toml"));
    case.write("pick.sh", "exit 1");
    let output = run(&["compare", whole, "--games", "4"]);
    assert_fails(&output, 1, "no result: both forfeited 4 of 4 games");
    let forfeits = "4 of 4 games were forfeited by programs: 0 on time, 4 for other reasons; the first by external:";
    assert!(stderr(&output).contains(forfeits), "{}", stderr(&output));
    let output = run(&["compare", whole, "--games", "4", "--json"]);
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&report["no_result"], &report["p_value"]), (&true.into(), &().into()), "{report}");
    let output = run(&["validate", whole, "--games", "4"]);
    assert_fails(&output, 1, "no result in 4 of 4 rows");
    let table = String::from_utf8(output.stdout).unwrap();
    assert!(table.contains("for 0 rows)") && !table.contains("p = "), "{table}");
    // The end of a run says so too, and a resumed run reads it in its log.
    let text = read(&config)
        .replace("numbers = \"other.toml\"", "agent = \"external:cmd=false,protocol=codingame\"");
    std::fs::write(&config, text).unwrap();
    case.write("pick.sh", PICK);
    let ended = case.run("forfeits", &[]);
    let json = read(&ended.join("validation.json"));
    assert_eq!(json.matches("\"no_result\": true").count(), 1, "{json}");
    std::fs::remove_file(ended.join("validation.json")).unwrap();
    let path = ended.join("manifest.json");
    std::fs::write(&path, read(&path).replace("\"finished\": true", "\"finished\": false"))
        .unwrap();
    assert!(case.evolve("forfeits", &["--resume"]).status.success());
    assert_eq!(read(&ended.join("validation.json")), json);
}

#[test]
fn an_evolution_of_a_program_that_never_plays_ends_with_its_first_generation() {
    let case = Case::new(CONFIG);
    case.write("pick.sh", "echo lost; exit 1");
    let output = case.evolve("out", &[]);
    assert_fails(&output, 1, "pick.sh {place} {back}\" forfeited all of its ");
    let (text, out) = (stderr(&output), case.path("out"));
    assert!(
        text.contains(" doctor 'external:cmd=") && text.contains(" --game uttt --rules "),
        "{text}"
    );
    assert!(text.contains("nothing of these games is kept. When it plays:\n"), "{text}");
    for log in ["generations.csv", "evaluations.csv"] {
        let log = read(&out.join("stage-1-depth-1").join(log));
        assert_eq!(log.lines().count(), 1, "{log}");
    }
    let shown = run(&["runs", out.to_str().unwrap()]);
    assert!(!String::from_utf8(shown.stdout).unwrap().contains("finished"));
    // Going on is refused for the same reason, until the program plays.
    assert_fails(&case.evolve("out", &["--resume"]), 1, "forfeited all of its ");
    case.write("pick.sh", PICK);
    let resumed = case.run("out", &["--resume"]);
    let whole = case.run("whole", &[]);
    let log = |run: &Path| read(&run.join("stage-1-depth-1/evaluations.csv"));
    assert_eq!(log(&resumed), log(&whole), "no forfeit is left in the log");
}

#[test]
fn an_evolution_whose_opponent_never_plays_ends_with_its_first_generation() {
    let opponent = "agent = \"external:cmd=false,protocol=codingame\"";
    let case = Case::new(&CONFIG.replace("numbers = { place = 2 }", opponent));
    let output = case.evolve("out", &[]);
    assert_fails(&output, 1, "\"false\" forfeited all of its 10 games");
    let doctor = "doctor 'external:cmd=false,protocol=codingame' --game uttt";
    assert!(stderr(&output).contains(doctor), "{}", stderr(&output));
}

#[test]
fn an_evolution_of_which_most_games_were_forfeited_ends_with_status_1() {
    let case = Case::new(CONFIG);
    // One process plays, and no other.
    case.write("pick.sh", &format!("mkdir \"${{0%/*}}/once\" 2>/dev/null || exit 1\n{PICK}"));
    let output = case.evolve("out", &[]);
    assert_fails(&output, 1, "no result: ");
    assert!(
        stderr(&output).contains("which says nothing about any of them"),
        "{}",
        stderr(&output)
    );
    // A resumed run counts those of before, and has the same result.
    let said = |output: &std::process::Output| {
        let text = stderr(output);
        let line = text.lines().find(|line| line.contains(" games were forfeited by programs: "));
        line.map(String::from).unwrap_or_else(|| panic!("{text}"))
    };
    let resumed = case.evolve("out", &["--resume"]);
    assert_fails(&resumed, 1, "no result: ");
    assert_eq!(said(&resumed), said(&output));
    let kept = read(&case.path("out/forfeits.json"));
    let kept: serde_json::Value = serde_json::from_str(&kept).unwrap();
    assert!(kept["first"].as_str().unwrap().contains("ended in mid-game"), "{kept}");
    case.write("out/forfeits.json", &kept.to_string().replace("\"wins\":", "\"wins\":-"));
    assert_fails(&case.evolve("out", &["--resume"]), 2, "is not what tictune wrote");
}

#[test]
fn the_door_says_when_most_games_were_forfeited() {
    let case = Case::new(CONFIG);
    let config = case.path("config.toml");
    let ask = || {
        let mut child = tictune(&["fitness", config.to_str().unwrap()]);
        child.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = child.spawn().unwrap();
        let line = b"{\"numbers\": {\"place\": 3, \"back\": 0}}\n";
        child.stdin.take().unwrap().write_all(line).unwrap();
        child.wait_with_output().unwrap()
    };
    assert!(ask().status.success());
    case.write("pick.sh", "exit 1");
    let output = ask();
    assert_fails(&output, 1, "no result: the candidates forfeited 5 of 6 games");
    let answer: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(answer["losses"], 5);
}
