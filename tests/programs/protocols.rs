//! Programs that use the protocols of bot platforms, on both sides: our own binary, scripts that
//! misbehave, and transcripts written by hand.
#![cfg(unix)]

use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::Value;
use tictune::Agents;
use tictune::agent::Failure;
use tictune::arena::{Contest, MatchResult, MatchSettings, Openings, Schedule, play_match};
use tictune::games::uttt::{Rules, Uttt};

use crate::common::{
    Folder, TICTUNE, assert_fails, assert_has, edited, own_bot, parsed, quoted, runs, stderr,
    stdout, wait_until,
};
use crate::doctor::BOT;

fn play(a: &str, b: &str, more: &str) -> Value {
    let (report, status) = play_to_status(a, b, more);
    assert_eq!(status, 0, "{a} {b}: {report}");
    report
}

/// The report of a match, and the exit status.
fn play_to_status(a: &str, b: &str, more: &str) -> (Value, i32) {
    let line = format!("match {} {} --json {more}", quoted(a), quoted(b));
    let output = Folder::new().run(&line);
    let report = parsed(&output);
    (report, output.status.code().unwrap())
}

/// What two matches of the same agents must have in common.
fn figures(report: &Value) -> Vec<&Value> {
    let keys = ["wins", "draws", "losses", "plies", "pairs", "distinct_games", "errors"];
    keys.iter().map(|key| &report[key]).collect()
}

fn count(report: &Value, key: &str) -> u64 {
    report[key].as_u64().unwrap_or_else(|| panic!("{key} in {report}"))
}

#[test]
fn a_program_plays_as_its_agent_does_in_this_process() {
    for (protocol, openings) in [("theaigames", "random:4"), ("codingame", "none")] {
        let more = format!("--games 10 --openings {openings} --seed 5");
        let here = play("reflex", "random", &more);
        let there = play(&own_bot(protocol, "reflex", ",time=10s"), "random", &more);
        assert_eq!(figures(&here), figures(&there), "{protocol}");
        assert_eq!(here["by_agent"][0]["moves"], there["by_agent"][0]["moves"]);
        assert_eq!(there["by_agent"][0]["late_attempts"], 0);
        let other = play("random", &own_bot(protocol, "minimax:depth=2", ",time=10s"), &more);
        assert!(count(&other, "losses") >= 8, "minimax loses to chance over {protocol}: {other}");
    }
}

#[test]
fn a_program_that_never_starts_fails_the_match_after_its_report() {
    let agent = "external:cmd=\"/no/such/bot 1\",protocol=theaigames";
    let line = format!("match random {} --games 4 --json", quoted(agent));
    let output = Folder::new().run(&line);
    assert_fails(&output, 1, "agent B: the program could not be started: \"/no/such/bot\"");
    let report: Value = parsed(&output);
    assert_eq!((count(&report, "wins"), count(&report, "errors")), (4, 4));
}

#[test]
fn a_program_killed_in_mid_game_loses_it_and_the_match_goes_on() {
    let scripts = Folder::new();
    let script = format!("answer() {{ [ $moves -gt 3 ] && kill -9 $$; echo $first; }}\n{BOT}");
    let mortal = scripts.agent("mortal", &script, "protocol=codingame,time=10s");
    let healthy = own_bot("theaigames", "reflex", ",time=10s");
    let more = "--games 4 --openings none";
    let (report, status) = play_to_status(&mortal, &healthy, more);
    let p_values = (&report["p_value"], &report["p_value_two_sided"]);
    assert_eq!((status, p_values), (1, (&Value::Null, &Value::Null)));
    assert_eq!((count(&report, "losses"), count(&report, "errors")), (4, 4));
    assert_eq!(report["by_agent"][0]["moves"], 12);
    for forfeit in report["forfeits"].as_array().unwrap() {
        assert_eq!(forfeit["by"], "A");
        let failure = forfeit["failure"].as_str().unwrap();
        assert!(failure.contains("ended in mid-game: signal: 9"), "{failure}");
    }
    // A script that does not fail plays the first legal move.
    let immortal = scripts.agent("immortal", BOT, "protocol=codingame,time=10s");
    let (there, here) = (play(&immortal, "random", more), play("reflex", "random", more));
    assert_eq!(figures(&there), figures(&here));
}

#[test]
fn failures_of_some_games_are_counted_and_the_rest_is_played() {
    let scripts = Folder::new();
    let script = format!(
        "if ! [ -e $DIR/seen ]; then echo x > $DIR/seen; echo 'out of memory' >&2; exit 3; fi\n\
         exec '{TICTUNE}' bot --protocol theaigames --agent reflex\n"
    );
    let agent = scripts.agent("moody", &script, "protocol=theaigames,time=10s");
    let more = format!("--games 6 --threads 1 --log {}", scripts.text("log.txt"));
    let report = play(&agent, "random", &more);
    assert_eq!((count(&report, "errors"), count(&report, "timeouts")), (1, 0));
    let failure = "the program ended in mid-game: exit status: 3; its last words: out of memory";
    let forfeits = serde_json::json!([{ "game": 0, "by": "A", "failure": failure }]);
    assert_eq!(report["forfeits"], forfeits);
    let log = scripts.lines("log.txt").join("\n");
    assert!(log.contains("stderr=\"out of memory\"") && log.contains("game forfeited"), "{log}");
    assert!(log.contains("cmd="), "the log names the agent: {log}");
}

/// A script that records every request and answers each with the same line.
fn parrot(answer: &str) -> String {
    format!(
        "while read line; do case $line in action*) echo x >> $DIR/asked; echo {answer};; esac; done"
    )
}

fn play_here(a: &str, b: &str, openings: &str, games: u64) -> MatchResult {
    let prepare = |text| Agents::<Uttt>::of::<tictune::BuiltInKinds>().ready(text);
    let (a, b) = (prepare(a).unwrap(), prepare(b).unwrap());
    let rules = Rules::default();
    let openings = Openings::parse::<Uttt>(openings, rules, Path::new("")).unwrap();
    let contest = Contest { a: &a, b: &b, rules, openings: &openings };
    let settings = MatchSettings { games, seed: 0, schedule: Schedule::Paired, replay_ties: false };
    play_match(&contest, &settings, &|| true).unwrap()
}

/// Plays a pair of games against a random player, and loses both. Returns the reason and the number of late answers.
fn misbehave(scripts: &Folder, name: &str, script: &str, time: &str) -> (Failure, u64) {
    let script = format!("echo $$ >> $DIR/pids\n{script}");
    let agent = scripts.agent(name, &script, &format!("protocol=theaigames,time={time}"));
    let started = Instant::now();
    let result = play_here(&agent, "random", "centre", 2);
    assert!(started.elapsed() < Duration::from_secs(20), "{name} took {:?}", started.elapsed());
    let summary = result.summary;
    assert_eq!((summary.tally.losses, result.forfeits.len()), (2, 2), "{name}");
    assert_eq!(summary.errors[0] + summary.timeouts[0], 2, "{name}");
    (result.forfeits[0].failure.clone(), summary.sides[0].timeouts)
}

/// Asserts that every process that recorded its id is gone, also from the process table.
fn assert_gone(scripts: &Folder, least: usize) {
    let pids = scripts.lines("pids");
    assert!(pids.len() >= least, "{pids:?}");
    if cfg!(target_os = "linux") {
        for pid in pids {
            assert!(!Path::new("/proc").join(&pid).exists(), "{pid} is left");
        }
    }
}

#[test]
fn answers_of_no_use_take_three_attempts() {
    let scripts = Folder::new();
    let (failure, late) = misbehave(&scripts, "garbage", &parrot("hello there"), "10s");
    assert_eq!((failure, late), (Failure::Garbage("hello there".into()), 0));
    assert_eq!(scripts.lines("asked").len(), 6, "three requests a game");
    let (failure, _) = misbehave(&scripts, "illegal", &parrot("place_move 4 4"), "10s");
    assert_eq!(failure, Failure::IllegalMove("4,4 (it wrote \"place_move 4 4\")".into()));
    assert_eq!(scripts.lines("asked").len(), 12);
    assert_gone(&scripts, 4);
}

#[test]
fn silence_takes_three_attempts() {
    let scripts = Folder::new();
    for (name, script) in [
        ("silent", "while read line; do :; done"),
        ("deaf", "exec <&-; exec sleep 60"),
        ("blank", "while read line; do echo; done; sleep 60"),
    ] {
        let (failure, late) = misbehave(&scripts, name, script, "50ms");
        let text = failure.to_string();
        let attempts = matches!(failure, Failure::Timeout { attempts: 3, .. });
        assert!(attempts && late == 6, "{name}: {text}, {late}");
        assert!(text.starts_with("no answer in time: still none "), "{name}: {text}");
    }
    // One that is slow is no such program. Its answer to the first request counts.
    let slow =
        "while read line; do case $line in action*) sleep 0.1; echo place_move 4 4;; esac; done";
    let (failure, _) = misbehave(&scripts, "slow", slow, "20ms");
    let text = failure.to_string();
    let late = text.strip_prefix("no answer in time: ").and_then(|t| t.strip_suffix(" ms late"));
    let late: u64 = late.unwrap_or_else(|| panic!("{text}")).parse().unwrap();
    assert!((40..2000).contains(&late), "{text}");
    assert_gone(&scripts, 8);
}

#[test]
fn programs_that_end_or_close_their_output_are_not_waited_for() {
    const WRAPPER: &str = "sleep 60 >&- & echo $! >> $DIR/wrapped; exec >&-; wait";
    let scripts = Folder::new();
    for (name, script, expected) in [
        ("quitter", "exit 0", "exit status: 0"),
        ("mute", "exec >&-; exec sleep 60", "it closed its standard output"),
        ("wrapper", WRAPPER, "it closed its standard output"),
    ] {
        let (failure, _) = misbehave(&scripts, name, script, "60s");
        assert_eq!(failure, Failure::Ended(expected.into()), "{name}");
    }
    assert_gone(&scripts, 6);
    // A process that a program started ends with it.
    let wrapped = scripts.lines("wrapped");
    assert_eq!(wrapped.len(), 2);
    wait_until("they end", || !wrapped.iter().any(|pid| runs(pid)));
}

#[test]
fn floods_exhaust_nothing() {
    let scripts = Folder::new();
    for (name, script) in [
        ("yes", "exec yes spam"),
        ("endless line", "exec cat /dev/zero"),
        ("both", "yes noise >&2 & exec yes spam"),
    ] {
        let (failure, _) = misbehave(&scripts, name, script, "10s");
        assert!(matches!(failure, Failure::Garbage(_)), "{name}: {failure}");
    }
    assert_gone(&scripts, 6);
}

#[test]
fn a_flood_of_errors_is_cut_in_the_log() {
    let scripts = Folder::new();
    let agent = scripts.agent("noisy", "exec yes noise >&2", "protocol=theaigames,time=200ms");
    play_to_status(&agent, "random", &format!("--games 2 --log {}", scripts.text("log.txt")));
    let lines = scripts.lines("log.txt");
    assert!(lines.iter().any(|line| line.contains("the rest of its standard error is not logged")));
    assert!((1000..3000).contains(&lines.len()), "{} lines", lines.len());
}

#[test]
fn a_program_behind_its_requests_is_still_understood() {
    let scripts = Folder::new();
    // The first request is read late, after it was repeated, so it is answered twice.
    let script = format!(
        "tee -a $DIR/requests | (sleep 0.5; cat) | '{TICTUNE}' bot --protocol theaigames --agent reflex"
    );
    let slow = scripts.agent("slow", &script, "protocol=theaigames,time=400ms");
    let more = "--games 2 --threads 2";
    let (there, here) = (play(&slow, "random", more), play("reflex", "random", more));
    assert_eq!(figures(&there), figures(&here), "{}", there["forfeits"]);
    let side = &there["by_agent"][0];
    let late = count(side, "late_attempts");
    assert!(late >= 2, "{side}");
    // Requests were repeated only because of lateness, and no old answer was taken for a new one.
    // The record of a game's last request may be lost when the program is ended.
    let requests = scripts.lines("requests");
    let asked = requests.iter().filter(|line| line.starts_with("action")).count() as u64;
    let expected = count(side, "moves") + late;
    assert!((expected - 2..=expected).contains(&asked), "{asked} requests, {side}");
}

#[test]
fn external_opponents_measure_candidates_as_others_do() {
    let folder = Folder::new();
    let script =
        format!("echo hello >&2; exec '{TICTUNE}' bot --protocol theaigames --agent reflex");
    let there = folder.agent("opponent", &script, "protocol=theaigames,time=10s");
    for (opponent, name) in [("reflex", "here"), (there.as_str(), "there")] {
        let agent = format!("agent = '''{opponent}'''");
        let text = edited(include_str!("../configs/tiny.toml"), &[("agent = \"random\"", &agent)]);
        folder.file("c.toml", &text);
        folder.said(&format!("evolve c.toml --out {name}"));
    }
    let log = "stage-1-depth-1/evaluations.csv";
    assert_eq!(folder.read(&format!("here/{log}")), folder.read(&format!("there/{log}")));
    assert_has(&folder.read("there/log.txt"), &["stderr=\"hello\""]);
}

/// What `tictune bot` answers to a text, and what it says.
fn bot(args: &str, input: &str) -> (Vec<String>, String) {
    let output = Folder::new().told(&format!("bot --protocol {args}"), input.as_bytes());
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    (stdout(&output).lines().map(String::from).collect(), stderr(&output))
}

/// Written by hand. The bot has won the top left board and two squares of the top middle one, and
/// is sent there; s(5, 0) completes three in a row.
const THEAIGAMES: &str = "settings timebank 10000
settings time_per_move 500
settings player_names player1,player2
settings your_bot player2
settings your_botid 2
update game round 6
update game move 12
update game field 2,2,2,2,2,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,1,0,1,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,1,0,0,0,1,0,0,0,0,0,0,0,0,0,0,0,1,0,0,0,0,0,0,0,0,0,0,0,0,1
update game macroboard 2,-1,0,0,0,0,0,0,0
action move 9500
";

#[test]
fn a_transcript_of_theaigames() {
    // Minimax at depth one wins the board; the first legal move is the same square.
    for agent in ["greedy:eval=simple", "reflex", "mcts:iterations=500", "iterative:nodes=2000"] {
        let (answers, said) = bot(&format!("theaigames --agent {agent}"), THEAIGAMES);
        let [answer] = <[String; 1]>::try_from(answers).unwrap();
        let (column, row) = answer.strip_prefix("place_move ").unwrap().split_once(' ').unwrap();
        let (column, row) = (column.parse::<u8>().unwrap(), row.parse::<u8>().unwrap());
        assert!((3..6).contains(&column) && row < 3 && (column == 5 || row > 0), "{answer}");
        if matches!(agent, "greedy:eval=simple" | "reflex") {
            assert_eq!(answer, "place_move 5 0", "{agent}");
        }
        assert_eq!(said, "", "{agent}");
    }
    // Only the necessary lines, an unknown line, a field that is too short, and no end of line.
    let short = THEAIGAMES.lines().filter(|l| l.contains("field") || l.contains("macro"));
    let short: String = short.map(|line| format!("{line}\n")).collect();
    let text = format!("{short}update player1 happy\nupdate game field 0,1\n\naction move 500");
    let (answers, said) = bot("theaigames --agent reflex", &text);
    assert_eq!(answers, ["place_move 5 0"]);
    let short = "field: expected 81 values, found \"0,1\"";
    assert_has(&said, &["unknown line \"update player1 happy\"", short]);
    assert_eq!(bot("theaigames", "").0, [""; 0]);
}

#[test]
fn a_transcript_of_codingame() {
    let all = |rows: std::ops::Range<u8>, columns: std::ops::Range<u8>| {
        let squares = rows.flat_map(|row| columns.clone().map(move |c| format!("{row} {c}\n")));
        let squares: Vec<String> = squares.collect();
        format!("{}\n{}", squares.len(), squares.concat())
    };
    let game = format!("-1 -1\n{}2 2\n{}", all(0..9, 0..9), all(6..9, 6..9));
    for (text, expected, said) in [
        (game.as_str(), &["0 0", "6 6"][..], &[][..]),
        // The second player, and an unordered list.
        ("4 4\n8\n4 3\n5 5\n3 4\n3 5\n4 5\n5 3\n5 4\n3 3\n", &["3 3"], &[]),
        // A platform with its own rules: its lists count, even if the game makes no sense.
        (
            "-1 -1\n3\n5 5\n4 4\n0 0\n3 5\n2\n2 8\n0 6\n",
            &["0 0", "0 6"],
            &[
                "list of 3 legal moves is not that of the rules",
                "followed no longer: 5,3 is not a legal move",
            ],
        ),
        // A request that is cut short.
        ("-1 -1\n2\n0 0\n", &[], &[]),
    ] {
        let (answers, words) = bot("codingame --agent reflex", text);
        assert_eq!(answers, expected);
        assert_has(&words, said);
        assert!(words.is_empty() || !said.is_empty() || expected.is_empty(), "{words}");
    }
}
