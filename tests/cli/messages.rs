//! What the program says, above all to people who mistype, look at the wrong file, or want what cannot be.
//!
//! Each `messages/*.txt` has commands, which are run one after the other in a folder of their own; the `.snap` beside it has
//! what they said. `INSTA_UPDATE=always cargo test --test cli messages::` writes these anew: review them with `git diff`.
//!
//!     config NAME                     puts tests/configs/NAME into the folder
//!     file PATH TEXT                  writes a file, `\n` for line breaks
//!     sh COMMAND                      changes something in the folder
//!     cat PATH                        a file that is recorded
//!     quiet ARGUMENTS                 a command that succeeds, and whose words are of no interest
//!     $ ARGUMENTS                     a command whose exit status and words are recorded
//!     $ ARGUMENTS : OLD => NEW        the same, with NEW in place of OLD in its .toml file
//!     $ ARGUMENTS <<< LINE;LINE       the same, with lines on standard input
#![cfg(unix)]

use std::path::Path;
use std::process::Command;

use rayon::prelude::*;

use crate::common::{Folder, edited, stderr, stdout};

const PLACE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests");

#[test]
fn every_message_is_as_it_was() {
    let files = std::fs::read_dir(format!("{PLACE}/cli/messages")).unwrap();
    let files = files.map(|entry| entry.unwrap().path());
    let scripts: Vec<_> =
        files.filter(|path| path.extension().is_some_and(|end| end == "txt")).collect();
    assert!(scripts.len() >= 5);
    scripts.par_iter().for_each(|script| {
        let said = record(script);
        let mut settings = insta::Settings::clone_current();
        settings.set_snapshot_path(format!("{PLACE}/cli/messages"));
        settings.set_prepend_module_to_snapshot(false);
        settings.set_omit_expression(true);
        let name = script.file_stem().unwrap().to_str().unwrap();
        settings.bind(|| insta::assert_snapshot!(name, said));
    });
}

/// Runs the commands of a file, and gives what was said.
fn record(script: &Path) -> String {
    let folder = Folder::new();
    let mut record = String::new();
    for line in crate::common::read(script).lines() {
        match line.split_once(' ').unwrap_or_default() {
            ("config", name) => {
                let text = crate::common::read(&Path::new(PLACE).join("configs").join(name));
                folder.file(name, &text);
            }
            ("file", rest) => {
                let (path, text) = rest.split_once(' ').unwrap();
                folder.file(path, &text.replace("\\n", "\n"));
            }
            ("sh", command) => {
                let mut shell = Command::new("sh");
                let status = shell.args(["-ec", command]).current_dir(folder.path("")).status();
                assert!(status.unwrap().success(), "{command}");
            }
            ("cat", path) => record += &format!("{line}\n{}\n", folder.read(path)),
            ("quiet", command) => drop(folder.said(command)),
            ("$", command) => record += &format!("{line}\n{}\n", answer(&folder, command)),
            ("#" | "", _) => {}
            _ => panic!("{}: {line}", script.display()),
        }
    }
    record
}

/// The words of a command, without what differs from machine to machine, and how it ended.
fn answer(folder: &Folder, command: &str) -> String {
    let (command, input) = command.split_once(" <<< ").unwrap_or((command, ""));
    let (command, edits) = command.split_once(" : ").unwrap_or((command, ""));
    let file = command.split(' ').find(|word| word.ends_with(".toml"));
    let whole = (!edits.is_empty()).then(|| folder.read(file.unwrap()));
    if let Some(whole) = &whole {
        let edits = edits.replace("\\n", "\n");
        let edits: Vec<_> =
            edits.split(" : ").map(|edit| edit.split_once(" => ").unwrap()).collect();
        folder.file(file.unwrap(), &edited(whole, &edits));
    }
    let output = folder.told(command, input.replace(';', "\n").as_bytes());
    if let Some(whole) = &whole {
        folder.file(file.unwrap(), whole);
    }
    let said = (stdout(&output) + &stderr(&output)).replace(&folder.text(""), "");
    let lines = said.lines().map(|line| without_times(line.trim_end()) + "\n");
    let status = output.status.code().unwrap();
    lines.collect::<String>() + &if status == 0 { String::new() } else { format!("[{status}]\n") }
}

/// A line with `N` for numbers that are times, speeds and sizes of memory, and for long fractions, whose last digits depend on the
/// processor, and `HASH` for hashes of plans.
fn without_times(line: &str) -> String {
    const LONG: usize = 11;
    let is_number = |text: &str| text.parse::<f64>().is_ok();
    let after_point = |part: &str| match part.trim_start_matches(|c: char| c.is_ascii_digit()) {
        rest if part.len() - rest.len() > LONG => format!("N{rest}"),
        _ => part.into(),
    };
    let line = line.split('.').map(after_point).collect::<Vec<_>>().join(".");
    let mut words: Vec<String> = line.split(' ').map(String::from).collect();
    for place in 0..words.len() {
        let word = words[place].trim_matches(['(', '.', ',', ';', ':', ')']);
        let units = ["s", "ms", "min", "h", "games/s", "GiB"];
        if place > 0 && units.contains(&word) && is_number(&words[place - 1]) {
            words[place - 1] = "N".into();
        } else if place > 0
            && words[place - 1] == "after"
            && ["ms", "µs", "s"].iter().any(|unit| word.strip_suffix(unit).is_some_and(is_number))
        {
            words[place] = words[place].replace(&word.to_owned(), "N");
        } else if word.len() == 16 && word.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            words[place] = words[place].replace(&word.to_owned(), "HASH");
        }
    }
    words.join(" ")
}
