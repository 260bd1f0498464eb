//! `tictune doctor` on programs that are well, and on programs that are not.
#![cfg(unix)]

use std::collections::BTreeSet;

use serde_json::Value;

use crate::common::{Folder, assert_has, own_bot, parsed, quoted};

/// Answers CodinGame's requests with the first move of the list. `greet`, `answer` and `leave` are functions that a
/// script may define before.
pub(crate) const BOT: &str = r#"
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
    let folder = Folder::new();
    let agent = folder.agent("bot", script, keys);
    let output = folder.run(&format!("doctor {} --json", quoted(&agent)));
    let report: Value = parsed(&output);
    let healthy = report["healthy"].as_bool().unwrap();
    assert_eq!(output.status.code(), Some(i32::from(!healthy)));
    let findings = report["findings"].as_array().unwrap().iter();
    let wrong = findings.filter(|finding| finding["grade"] == "wrong");
    (wrong.map(|finding| finding["text"].as_str().unwrap().to_string()).collect(), healthy)
}

#[test]
fn a_program_that_is_well_is_told_so() {
    for script in [BOT, &format!("answer() {{ echo $first 0.56 nodes 513024; }}\n{BOT}")] {
        assert_eq!(findings(script, "protocol=codingame,time=10s"), (Vec::new(), true));
    }
    let own = quoted(&own_bot("theaigames", "random", ""));
    let parts =
        "it starts|it waits for a request|as first player|as second player|it ends with its input";
    let said = Folder::new().said(&format!("doctor {own}"));
    assert_has(&said, &parts.split('|').collect::<Vec<_>>());
}

#[test]
fn what_is_wrong_is_said_in_words() {
    let keys = "protocol=codingame,time=2s";
    // Programs wait for most of the time: all are tried at once.
    let cases = [
        ("exit 3", "it ended before the first request: exit status: 3"),
        ("echo no licence >&2; exit 1", "its last words: no licence"),
        (
            "greet() { echo Hello; }",
            "it wrote \"Hello\" before the first request: codingame has no greeting",
        ),
        ("answer() { echo 9 9; }", "\"9 9\" is not an answer. One would be \"0 0\""),
        ("answer() { echo place_move 4 4; }", "\"place_move 4 4\" is not an answer"),
        ("answer() { echo 4 4; }", "(it wrote \"4 4\") is not legal in"),
        (
            "answer() { [ $moves -eq 3 ] && exit 1; echo $first; }",
            "move 3: it ended: exit status: 1",
        ),
        ("answer() { [ $moves -eq 1 ] && sleep 2.2; echo $first; }", "1 of them too late"),
        ("answer() { :; }", "no answer in 5s; the limit is 2s"),
        ("answer() { echo $first; echo $first; }", "an answer is one line"),
        ("leave() { sleep 60; }", "it does not end within 2s"),
    ];
    let test = |what: &str, expected: &str| {
        let (wrong, healthy) = findings(&format!("{what}\n{BOT}"), keys);
        assert!(!healthy && wrong.iter().any(|text| text.contains(expected)), "{what}: {wrong:?}");
        let different: BTreeSet<&String> = wrong.iter().collect();
        assert_eq!(different.len(), wrong.len(), "{what}: said twice: {wrong:?}");
    };
    std::thread::scope(|scope| {
        for (what, expected) in cases {
            scope.spawn(move || test(what, expected));
        }
    });
}

#[test]
fn a_program_that_lives_on_the_grace_is_not_well() {
    let slow = format!("answer() {{ sleep 0.06; echo $first; }}\n{BOT}");
    let (wrong, healthy) = findings(&slow, "protocol=codingame,time=50ms,grace=10");
    assert!(!healthy && wrong.len() == 2, "{wrong:?}");
    assert_has(&wrong[0], &["of them exceeded the time limit: matches tolerate"]);
}
