//! Programs that tests need, and what was skipped for want of one.
//!
//! A test that is skipped ends early, so that cargo counts it as passed and shows nothing of what it printed. It leaves a
//! line in a file instead: the process that runs the tests, and the program. `tests/skipped.rs` prints the sums.
#![allow(dead_code, unreachable_pub, reason = "each test crate uses a part")]

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Whether a program is on the PATH and runs. If not, the test that asks is skipped.
pub fn needs(program: &str) -> bool {
    let output = Command::new(program).arg("--version").output();
    output.is_ok_and(|output| output.status.success()) || skip(program)
}

/// Notes that a test, or a part of it, is skipped for want of something. Always false.
pub fn skip(what: &str) -> bool {
    let mut file = File::options().create(true).append(true).open(list()).unwrap();
    file.write_all(format!("{} {what}\n", run()).as_bytes()).unwrap();
    false
}

/// What was skipped in this run of tests, and how often. The file begins anew.
pub fn take_skipped() -> BTreeMap<String, usize> {
    let text = std::fs::read_to_string(list()).unwrap_or_default();
    let _ = std::fs::remove_file(list());
    let mut counts = BTreeMap::new();
    for line in text.lines() {
        // Other lines are of a run that did not come to its end.
        if let Some(what) = line.strip_prefix(&format!("{} ", run())) {
            *counts.entry(what.to_owned()).or_default() += 1;
        }
    }
    counts
}

fn list() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("skipped")
}

/// The process that runs the test binaries one after another.
fn run() -> u32 {
    #[cfg(unix)]
    return std::os::unix::process::parent_id();
    #[cfg(not(unix))]
    0
}
