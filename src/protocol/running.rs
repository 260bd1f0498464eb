//! The programs that run now. None of them outlives this process, however it ends.
//!
//! Programs run in process groups of their own, which Ctrl-C does not reach. A signal handler ends them by
//! [`end_all`]. If this process is killed, its guard does: a shell that knows the groups and reads a pipe from
//! this process, whose end says that the process is gone.

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::process::{Child, Command, Stdio};
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

/// The groups that run, by number.
static RUNNING: Mutex<Running> =
    Mutex::new(Running { groups: BTreeSet::new(), guard: Guard::NotStarted, ended: false });

struct Running {
    groups: BTreeSet<u32>,
    guard: Guard,
    /// Whether all programs were ended for good.
    ended: bool,
}

enum Guard {
    NotStarted,
    Runs(Child),
    /// The system has no shell, or has ended it.
    Missing,
}

/// The variable in the environment of every program, and of what it starts, that says which process it plays for.
const MARK: &str = "TICTUNE_PLAYS_FOR";

/// The value of the variable: this process, by its number and when it first started a program.
fn mark() -> &'static str {
    static VALUE: LazyLock<String> = LazyLock::new(|| {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        format!("{}-{}", std::process::id(), now.map_or(0, |since| since.as_nanos()))
    });
    &VALUE
}

/// Reads "+ GROUP" and "- GROUP" until the end of its input. Then it ends the groups that are left, what their leaders
/// started outside of them, and what has left even its parent, such as a daemon: that it knows by its [`MARK`], whose
/// text is its first argument.
const GUARD: &str = r#"
mark=$1
end() {
    for child in $(cat /proc/"$1"/task/*/children 2>/dev/null); do
        end "$child"
    done
    kill -s KILL "$1" 2>/dev/null
}
groups=
while read -r sign group; do
    others=
    for other in $groups; do
        [ "$other" = "$group" ] || others="$others $other"
    done
    groups=$others
    [ "$sign" = + ] && groups="$groups $group"
done
for group in $groups; do
    end "$group"
    kill -s KILL -- "-$group" 2>/dev/null
done
for left in $(grep -lzFx "$mark" /proc/[0-9]*/environ 2>/dev/null); do
    left=${left#/proc/}
    kill -s KILL "${left%/environ}" 2>/dev/null
done
"#;

fn running() -> MutexGuard<'static, Running> {
    RUNNING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Starts a program as the leader of a group of its own.
///
/// # Errors
/// As starting a process; all programs were ended.
pub(super) fn start(command: &mut Command) -> io::Result<Child> {
    let mut running = running();
    if running.ended {
        return Err(io::Error::new(io::ErrorKind::Interrupted, "interrupted"));
    }
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(command, 0);
    command.env(MARK, mark());
    running.guard.start();
    let child = command.spawn()?;
    running.groups.insert(child.id());
    running.guard.say('+', child.id());
    Ok(child)
}

/// Kills a child that [`start`] started, its group, and what it started outside of its group, where the system says
/// what that is. Waits for the child.
pub(super) fn end(child: &mut Child) {
    let mut running = running();
    if running.groups.remove(&child.id()) {
        let descendants = descendants(child.id());
        kill_group(child.id());
        descendants.into_iter().for_each(kill);
        running.guard.say('-', child.id());
    }
    drop(running);
    let _ = child.kill();
    let _ = child.wait();
}

/// Ends every program, and lets none start any more: for the end of this process. The games in which they play are
/// forfeited at once.
pub(crate) fn end_all() {
    let mut running = running();
    running.ended = true;
    for &group in &running.groups {
        let descendants = descendants(group);
        kill_group(group);
        descendants.into_iter().for_each(kill);
    }
}

/// Whether anything runs in a group.
#[must_use]
pub(super) fn group_runs(group: u32) -> bool {
    #[cfg(unix)]
    {
        use rustix::process::{Pid, test_kill_process_group};
        let group = i32::try_from(group).ok().and_then(Pid::from_raw);
        group.is_some_and(|group| test_kill_process_group(group).is_ok())
    }
    #[cfg(not(unix))]
    {
        let _ = group;
        false
    }
}

/// The processes that a process started, and those that they started, as far as they have not left it; nothing where the
/// system does not say (it is Linux that does).
pub(super) fn descendants(process: u32) -> Vec<u32> {
    let mut found = vec![process];
    let mut next = 0;
    while let Some(parent) = found.get(next) {
        next += 1;
        let threads = std::fs::read_dir(format!("/proc/{parent}/task"));
        let threads = threads.into_iter().flatten().flatten();
        let children: String = threads
            .filter_map(|thread| std::fs::read_to_string(thread.path().join("children")).ok())
            .collect();
        found.extend(children.split_whitespace().filter_map(|pid| pid.parse::<u32>().ok()));
    }
    found.split_off(1)
}

/// Whether a process runs.
pub(super) fn runs(process: u32) -> bool {
    #[cfg(unix)]
    {
        use rustix::process::{Pid, test_kill_process};
        let process = i32::try_from(process).ok().and_then(Pid::from_raw);
        process.is_some_and(|process| test_kill_process(process).is_ok())
    }
    #[cfg(not(unix))]
    {
        let _ = process;
        false
    }
}

/// Kills a process.
pub(super) fn kill(process: u32) {
    #[cfg(unix)]
    {
        use rustix::process::{Pid, Signal, kill_process};
        if let Some(process) = i32::try_from(process).ok().and_then(Pid::from_raw) {
            let _ = kill_process(process, Signal::KILL);
        }
    }
    #[cfg(not(unix))]
    let _ = process;
}

fn kill_group(group: u32) {
    #[cfg(unix)]
    {
        use rustix::process::{Pid, Signal, kill_process_group};
        if let Some(group) = i32::try_from(group).ok().and_then(Pid::from_raw) {
            let _ = kill_process_group(group, Signal::KILL);
        }
    }
    #[cfg(not(unix))]
    let _ = group;
}

impl Guard {
    fn start(&mut self) {
        if !matches!(self, Self::NotStarted) || !cfg!(unix) {
            return;
        }
        let mut shell = Command::new("sh");
        shell.args(["-c", GUARD, "guard", &format!("{MARK}={}", mark())]).current_dir("/");
        shell.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut shell, 0);
        *self = match shell.spawn() {
            Ok(shell) => Self::Runs(shell),
            Err(error) => {
                tracing::warn!(%error, "no shell: programs may outlive a killed tictune");
                Self::Missing
            }
        };
    }

    fn say(&mut self, sign: char, group: u32) {
        let Self::Runs(shell) = self else { return };
        let said = shell.stdin.as_mut().map(|stdin| writeln!(stdin, "{sign} {group}"));
        if !matches!(said, Some(Ok(()))) {
            tracing::warn!("the guard has ended: programs may outlive a killed tictune");
            let _ = shell.wait();
            *self = Self::Missing;
        }
    }
}
