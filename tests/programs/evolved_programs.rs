//! Evolutions of outside programs: their numbers, the weights that they carry, and what runs write of them. Their interruptions
//! are in `interruptions.rs`, configs that are refused in `messages/configs.txt`.
#![cfg(unix)]

use std::collections::BTreeSet;
use std::process::Output;

use crate::common::{
    Folder, assert_fails, assert_has, parsed, quoted, read_json, rows, stderr, stdout,
};

pub(crate) const PICK: &str = include_str!("../configs/pick.sh");

const CONFIG: &str = include_str!("../configs/program.toml");

/// A folder with the program and its config.
fn with_program(config: &str) -> Folder {
    let folder = Folder::with("pick.sh", PICK);
    folder.file("other.toml", "place = 4\nback = true\n");
    folder.file("c.toml", config);
    folder
}

#[test]
fn the_doctor_tries_the_programs_of_a_config_and_estimates_its_time() {
    let folder = with_program(CONFIG);
    let text = folder.said("doctor c.toml");
    let expected = ["pick.sh 7 false", "as second player", "games/s", "\nthe whole run: about "];
    assert_has(&text, &expected);
    assert!(!text.contains("nothing was run"), "{text}");
    let json = folder.json("doctor c.toml --json");
    assert_eq!(json["healthy"], true);
    // The opponent of other numbers is the same program.
    assert_eq!(json["programs"].as_array().unwrap().len(), 1, "{json}");

    folder.file("pick.sh", "exit 3");
    let wrong = "WRONG  it ended before the first request: exit status: 3";
    let output = folder.run("doctor c.toml");
    assert_eq!(output.status.code(), Some(1));
    assert_has(&stdout(&output), &[wrong]);
    assert!(!stdout(&output).contains("the whole run"), "{}", stdout(&output));
    // A program that the validation alone plays against is tried, too.
    let agent = "agent = 'external:cmd=\"sh pick.sh 0 0\",protocol=codingame'";
    let tiny = include_str!("../configs/tiny.toml");
    folder.file("c.toml", &format!("{tiny}[[validation.agents]]\n{agent}\n"));
    assert_has(&stdout(&folder.run("doctor c.toml")), &[wrong]);
}

#[test]
fn a_check_says_whether_a_program_is_there() {
    let folder = with_program(CONFIG);
    folder.file("pick.sh", "touch started; sleep 60");
    let there = " exists; nothing was run";
    let parts = ["([agent] cmd)", there, " doctor CONFIG` runs them, and estimates it"];
    assert_has(&folder.said("evolve c.toml --check"), &parts);
    assert!(!folder.path("started").exists());
    // A comment sets no rule.
    for (rules, warned) in [
        ("", true),
        ("# no_line = \"draw\"\n", true),
        ("[rules]\nno_line = \"draw\"\n", false),
        ("rules = { no_line = \"draw\" }\n", false),
    ] {
        let folder = with_program(&CONFIG.replace("[cmaes]", &format!("{rules}[cmaes]")));
        let said = stderr(&folder.run("evolve c.toml --check"));
        let warning = "CodinGame's rules are drawn_board=nobody,no_line=most_boards";
        assert_eq!(said.contains(warning), warned, "{said}");
    }
}

#[test]
fn numbers_of_a_program_are_evolved_and_written() {
    let folder = with_program(CONFIG);
    folder.said("evolve c.toml --out run");
    let log = folder.read("run/stage-1-depth-1/evaluations.csv");
    let header = log.lines().next().unwrap();
    assert!(header.ends_with(",place,back,x_place,x_back"), "{header}");
    // The best row of the log is the agent's.
    let rows = rows(&folder.path("run/stage-1-depth-1/evaluations.csv"));
    let cost =
        |row: &std::collections::BTreeMap<String, String>| row["fitness"].parse::<f64>().unwrap();
    let best = rows.iter().min_by(|a, b| cost(a).total_cmp(&cost(b))).unwrap();
    let place: f64 = best["place"].parse().unwrap();
    let agent = folder.read("run/best-agent.txt");
    assert_eq!(agent.lines().count(), 1);
    assert_has(&agent, &["{place} {back}", "numbers={ back = ", &format!("place = {place} }}")]);
    let back = agent.contains("back = true");
    assert!(back || agent.contains("back = false"), "{agent}");
    // Its numbers as a file that a config reads.
    let exported = folder.said("export run --format toml");
    assert_has(&exported, &[&format!("back = {back}\n"), &format!("place = {place}\n")]);
    let refused = "evolved no weights, but parameters of an agent";
    folder.fails("export run --format codingame-rust", 2, refused);
    let exported = folder.said("export run --format python");
    assert_has(&exported, &["\nPLACE = ", "\nBACK = ", "# Tuned by tictune ", "run pick"]);
    let more = "--openings none --games 2 --json";
    let report = folder.json(&format!("match @run/best-agent.txt random {more}"));
    assert_eq!(report["errors"], 0);
    // The opponents of the end: the start, those of the stage, and those of the config.
    let rows = folder.read("run/validation.csv");
    assert_has(&rows, &["the start", "reflex", "place = 2", "place = 4"]);
    // The program and its script are on record, and nothing but them.
    let manifest = read_json(&folder.path("run/manifest.json"));
    let files = manifest["programs"][0]["files"].as_array().unwrap();
    let words: Vec<&str> = files.iter().map(|file| file["word"].as_str().unwrap()).collect();
    assert_eq!(
        (manifest["programs"].as_array().unwrap().len(), &words[..]),
        (1, &["sh", "pick.sh"][..])
    );
    assert_eq!(files[1]["bytes"], PICK.len());
    assert_eq!(files[1]["sha256"].as_str().unwrap().len(), 64);
    // Another script under the same name is told, and goes on record.
    folder.edit("run/manifest.json", "\"finished\": true", "\"finished\": false");
    for (script, told) in [(PICK.to_owned(), false), (format!("# another\n{PICK}"), true)] {
        folder.file("pick.sh", &script);
        std::fs::remove_file(folder.path("run/validation.json")).unwrap();
        let said = stderr(&folder.run("evolve c.toml --out run --resume"));
        assert_eq!(said.contains("has changed; logged games are kept"), told, "{said}");
        folder.edit("run/manifest.json", "\"finished\": true", "\"finished\": false");
    }
    assert_eq!(folder.read("run/manifest.json").matches("\"sha256\"").count(), 4);
}

#[test]
fn a_program_carries_the_weights_of_a_built_in_evaluation() {
    let folder = with_program(include_str!("../configs/program-weights.toml"));
    let script = "[ \"$(tail -n 1 $2 | cut -d = -f 1)\" = 'micro_connecting ' ] || exit 1\n\
                  grep -q \"\\\"micro_win\\\": $3\" $1 || exit 2\nset 0\n";
    folder.file("weights.sh", &format!("{script}{PICK}"));
    folder.said("evolve c.toml --out run");
    assert_has(&folder.read("run/mean-agent.txt"), &["weights=mean.toml"]);
    let more = "--openings none --games 2 --json";
    let report = folder.json(&format!("match @run/mean-agent.txt random {more}"));
    assert_eq!(report["errors"], 0);
    assert_has(&folder.read("run/validation.csv"), &["weights=liang-connecting-as-run"]);
    for file in ["manifest.json", "best-agent.txt", "validation.csv", "validation.json", "log.txt"]
    {
        let text = folder.read(&format!("run/{file}"));
        assert!(!text.contains("weights.json"), "a temporary path is in {file}: {text}");
        assert!(!text.contains("forfeited"), "{text}");
    }
}

#[test]
fn environment_first_lines_and_seeds_reach_a_program() {
    let folder = with_program("");
    folder.file("tell.sh", &format!("read first\necho \"$first $A $1\" >> heard\nset 0\n{PICK}"));
    let agent = "external:cmd=\"sh tell.sh {seed}\",protocol=codingame,time=20s,env={ A = \"a={a}\" },\
                 setup=[\"b={b}\"],numbers={ a = 0.5, b = true }";
    let line = format!("match {} random --openings none --games 6 --threads 1", quoted(agent));
    folder.said(&line);
    let heard = folder.lines("heard");
    let seeds = heard.iter().map(|line| line.strip_prefix("b=true a=0.5 ").unwrap());
    let seeds: BTreeSet<u32> = seeds.map(|seed| seed.parse().unwrap()).collect();
    assert!(seeds.iter().all(|seed| i32::try_from(*seed).is_ok()), "{heard:?}");
    assert_eq!((heard.len(), seeds.len()), (6, 3), "both games of a pair have one seed");
    folder.said(&line);
    let again = folder.lines("heard");
    assert_eq!(again, [&heard[..], &heard].concat(), "games have the same seeds again");
}

#[test]
fn what_forfeits_for_the_most_part_has_no_result() {
    let folder = with_program(CONFIG);
    folder.said("evolve c.toml --out run");
    folder.file("pick.sh", "exit 1");
    let no_result = "no result: both forfeited 4 of 4 games";
    let said = folder.fails("compare run --games 4", 1, no_result);
    assert_has(
        &said,
        &[
            "4 of 4 games were forfeited by programs: 0 on time, 4 for other reasons; the first by external:",
        ],
    );
    let output = folder.run("compare run --games 4 --json");
    let report: serde_json::Value = parsed(&output);
    assert_eq!((&report["no_result"], &report["p_value"]), (&true.into(), &().into()), "{report}");
    let output = folder.run("validate run --games 4");
    assert_fails(&output, 1, "no result in 4 of 4 rows");
    let table = stdout(&output);
    assert!(table.contains("for 0 rows)") && !table.contains("p = "), "{table}");
    // The end of a run says so too, and a resumed run reads it in its log.
    let never = "agent = \"external:cmd=false,protocol=codingame\"";
    folder.edit("c.toml", "numbers = \"other.toml\"", never);
    folder.file("pick.sh", PICK);
    folder.said("evolve c.toml --out ended");
    let json = folder.read("ended/validation.json");
    assert_eq!(json.matches("\"no_result\": true").count(), 1, "{json}");
    std::fs::remove_file(folder.path("ended/validation.json")).unwrap();
    folder.edit("ended/manifest.json", "\"finished\": true", "\"finished\": false");
    folder.said("evolve c.toml --out ended --resume");
    assert_eq!(folder.read("ended/validation.json"), json);
}

#[test]
fn an_evolution_of_a_program_or_opponent_that_never_plays_ends_with_its_first_generation() {
    let folder = with_program(CONFIG);
    folder.file("pick.sh", "echo lost; exit 1");
    let all = "pick.sh {place} {back}\" forfeited all of its ";
    let said = folder.fails("evolve c.toml --out run", 1, all);
    let doctor = " doctor 'external:cmd=";
    assert_has(
        &said,
        &[doctor, " --game uttt --rules ", "none of these games is kept. Once the program plays:"],
    );
    for log in ["generations.csv", "evaluations.csv"] {
        assert_eq!(folder.lines(&format!("run/stage-1-depth-1/{log}")).len(), 1, "{log}");
    }
    assert!(!folder.said("runs run").contains("finished"));
    // Going on is refused for the same reason, until the program plays.
    folder.fails("evolve c.toml --out run --resume", 1, "forfeited all of its ");
    folder.file("pick.sh", PICK);
    folder.said("evolve c.toml --out run --resume");
    folder.said("evolve c.toml --out whole");
    let log = |run: &str| folder.read(&format!("{run}/stage-1-depth-1/evaluations.csv"));
    assert_eq!(log("run"), log("whole"), "no forfeit is left in the log");

    let never = "agent = \"external:cmd=false,protocol=codingame\"";
    let folder = with_program(&CONFIG.replace("numbers = { place = 2 }", never));
    let said = folder.fails("evolve c.toml", 1, "\"false\" forfeited all of its 10 games");
    assert_has(&said, &["doctor 'external:cmd=false,protocol=codingame' --game uttt"]);
}

#[test]
fn an_evolution_of_which_most_games_were_forfeited_ends_with_status_1() {
    let folder = with_program(CONFIG);
    // One process plays, and no other.
    folder.file("pick.sh", &format!("mkdir once 2>/dev/null || exit 1\n{PICK}"));
    // A resumed run counts those of before, and has the same result.
    let forfeits = |more: &str| {
        let said = folder.fails(&format!("evolve c.toml --out run{more}"), 1, "no result: ");
        let mut lines = said.lines().map(String::from);
        lines.find(|line| line.contains(" games were forfeited by programs: ")).expect(&said)
    };
    assert_eq!(forfeits(""), forfeits(" --resume"));
    let resume = "evolve c.toml --out run --resume";
    folder.fails(resume, 1, "which says nothing about their strength");
    let kept = read_json(&folder.path("run/forfeits.json"));
    assert!(kept["first"].as_str().unwrap().contains("ended in mid-game"), "{kept}");
    folder.file("run/forfeits.json", &kept.to_string().replace("\"wins\":", "\"wins\":-"));
    folder.fails(resume, 2, "is not what tictune wrote");
}

#[test]
fn the_door_says_when_most_games_were_forfeited() {
    let folder = with_program(CONFIG);
    let ask = || -> Output {
        folder.told("fitness c.toml", b"{\"numbers\": {\"place\": 3, \"back\": 0}}\n")
    };
    assert!(ask().status.success());
    folder.file("pick.sh", "exit 1");
    let output = ask();
    assert_fails(&output, 1, "no result: the candidates forfeited 5 of 6 games");
    let answer: serde_json::Value = parsed(&output);
    assert_eq!(answer["losses"], 5);
}
