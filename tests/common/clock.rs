//! A wall clock that jumps, for one process.
#![allow(unreachable_pub, reason = "each test crate uses it")]

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::needs::skip;

/// A wall clock that jumps when it is told to. The monotonic clock goes on.
pub struct Clock {
    library: String,
    file: PathBuf,
}

impl Clock {
    /// A clock that a file in a folder sets; `None` without the Debian package `faketime`.
    pub fn new(folder: &Path) -> Option<Self> {
        let mut faketime = Command::new("faketime");
        let Ok(output) = faketime.args(["-m", "-f", "+0", "printenv", "LD_PRELOAD"]).output()
        else {
            skip("faketime");
            return None;
        };
        let library = String::from_utf8(output.stdout).unwrap().trim().to_owned();
        let clock = Self { library, file: folder.join("clock") };
        clock.jump(0);
        Some(clock)
    }

    /// A command that sees this clock.
    pub fn shows(&self, mut command: Command) -> Command {
        command.env("LD_PRELOAD", &self.library).env("FAKETIME_TIMESTAMP_FILE", &self.file);
        command.env("FAKETIME_NO_CACHE", "1");
        for name in ["DONT_FAKE_MONOTONIC", "FAKETIME_DONT_FAKE_MONOTONIC"] {
            command.env(name, "1");
        }
        command
    }

    /// Jumps to so many days from now.
    pub fn jump(&self, days: i64) {
        // In one step: the file is read all the time.
        let next = self.file.with_extension("next");
        std::fs::write(&next, format!("{days:+}d\n")).unwrap();
        std::fs::rename(next, &self.file).unwrap();
    }
}
