//! `tictune doctor` on programs that are well, and on programs that are not.
#![cfg(unix)]

use std::collections::BTreeSet;

use serde_json::Value;

use crate::common::{run, stderr};
use crate::programs::Scripts;

/// Answers CodinGame's requests with the first move of the list. `greet`, `answer` and `leave` are functions that a
/// script may define before.
const BOT: &str = r#"
command -v greet >/dev/null && greet
moves=0
while read row column; do
    read count
    i=0
    while [ $i -lt $count ]; do
        read r c
        [ $i -eq 0 ] && first="$r $c"
        i=$((i + 1))
    done
    moves=$((moves + 1))
    if command -v answer >/dev/null; then answer; else echo $first; fi
done
command -v leave >/dev/null && leave
"#;

/// What the doctor says of a script, and whether the script is well.
fn findings(script: &str, keys: &str) -> (Vec<String>, bool) {
    let scripts = Scripts::new();
    let agent = scripts.agent("bot", script, keys);
    let output = run(&["doctor", &agent, "--json"]);
    let report: Value =
        serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", stderr(&output)));
    let healthy = report["healthy"].as_bool().unwrap();
    assert_eq!(output.status.code(), Some(i32::from(!healthy)));
    let wrong =
        report["findings"].as_array().unwrap().iter().filter(|finding| finding["grade"] == "wrong");
    (wrong.map(|finding| finding["text"].as_str().unwrap().to_string()).collect(), healthy)
}

#[test]
fn a_program_that_is_well_is_told_so() {
    assert_eq!(findings(BOT, "protocol=codingame,time=10s"), (Vec::new(), true));
    let message = format!("answer() {{ echo $first 0.56 nodes 513024; }}\n{BOT}");
    assert_eq!(findings(&message, "protocol=codingame,time=10s"), (Vec::new(), true));
    // What it started ends a moment after it.
    let children = format!("leave() {{ sleep 0.05 >/dev/null 2>&1 & }}\n{BOT}");
    assert_eq!(findings(&children, "protocol=codingame,time=10s"), (Vec::new(), true));
    let own = format!(
        "external:cmd=\"'{}' bot --protocol theaigames --agent random\",protocol=theaigames",
        env!("CARGO_BIN_EXE_tictune")
    );
    let output = run(&["doctor", &own]);
    assert!(output.status.success(), "{}", stderr(&output));
    let text = String::from_utf8(output.stdout).unwrap();
    for step in [
        "it starts",
        "it waits to be asked",
        "as first player",
        "as second player",
        "leaves nothing behind",
    ] {
        assert!(text.contains(step), "{step} in {text}");
    }
}

#[test]
fn what_is_wrong_is_said_in_words() {
    let keys = "protocol=codingame,time=2s";
    for (what, expected) in [
        ("exit 3", "it ended before it was asked: exit status: 3"),
        ("echo no licence >&2; exit 1", "its last words: no licence"),
        (
            "greet() { echo Hello; }",
            "it wrote \"Hello\" before it was asked: codingame has no greeting",
        ),
        ("answer() { echo 9 9; }", "\"9 9\" is not an answer. One would be \"0 0\""),
        ("answer() { echo place_move 4 4; }", "\"place_move 4 4\" is not an answer"),
        ("answer() { echo 4 4; }", "\"4 4\" is not legal in"),
        ("answer() { set -- $first; echo $2 $1; }", "With its numbers swapped, \""),
        (
            "answer() { [ $moves -eq 3 ] && exit 1; echo $first; }",
            "move 3: it ended: exit status: 1",
        ),
        ("answer() { [ $moves -eq 1 ] && sleep 2.2; echo $first; }", "1 of them too late"),
        ("answer() { :; }", "no answer in 5s, and it has 2s"),
        ("answer() { echo $first; echo $first; }", "an answer is one line"),
        ("leave() { sleep 60; }", "it does not end within 2s"),
        ("greet() { sleep 61 >/dev/null 2>&1 & }", "a process that it started went on without it"),
    ] {
        let (wrong, healthy) = findings(&format!("{what}\n{BOT}"), keys);
        assert!(!healthy && wrong.iter().any(|text| text.contains(expected)), "{what}: {wrong:?}");
        let different: BTreeSet<&String> = wrong.iter().collect();
        assert_eq!(different.len(), wrong.len(), "{what}: said twice: {wrong:?}");
    }
}

#[test]
fn a_program_that_lives_on_the_grace_is_not_well() {
    let slow = format!("answer() {{ sleep 0.06; echo $first; }}\n{BOT}");
    let (wrong, healthy) = findings(&slow, "protocol=codingame,time=50ms,grace=10");
    assert!(!healthy && wrong.len() == 2, "{wrong:?}");
    assert!(
        wrong[0].contains("of them took longer than it has, which matches forgive"),
        "{wrong:?}"
    );
}

#[test]
fn what_no_match_would_take_is_bad_input() {
    for (agent, expected) in
        [("random", "expected a program"), ("external:cmd=x", "needs protocol=")]
    {
        let output = run(&["doctor", agent]);
        assert_eq!(output.status.code(), Some(2));
        assert!(stderr(&output).contains(expected), "{}", stderr(&output));
    }
    let output = run(&["doctor", "external:cmd=/no/such/bot,protocol=codingame"]);
    assert_eq!(output.status.code(), Some(1));
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("it does not start: \"/no/such/bot\""), "{text}");
}
