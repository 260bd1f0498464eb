//! The programs that run now. None of them outlives this process, however it ends.
//!
//! Programs run in process groups of their own, which Ctrl-C does not reach. A signal handler ends them by
//! [`end_all`]. If this process is killed, its guard does: a shell that knows the groups and reads a pipe from
//! this process, whose end says that the process is gone.

use std::collections::BTreeSet;
use std::hash::{BuildHasher, RandomState};
use std::io::{self, Write};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{LazyLock, Mutex, MutexGuard, TryLockError};
use std::thread;
use std::time::{Duration, Instant};

use tictune_core::arena::lock;

pub(super) use signal::kill;

/// The groups that run, by number.
static RUNNING: Mutex<Running> =
    Mutex::new(Running { groups: BTreeSet::new(), guard: Guard::NotStarted });

/// Whether all programs were ended for good. It is set before they are.
static ENDED: AtomicBool = AtomicBool::new(false);

/// How long the end of all programs waits for another thread that starts or ends one. The guard ends those that are left.
const PATIENCE: Duration = Duration::from_millis(300);

struct Running {
    groups: BTreeSet<u32>,
    guard: Guard,
}

enum Guard {
    NotStarted,
    Runs(Child),
    /// The system has no shell, or has ended it.
    Missing,
}

/// The variable in the environment of every program, and of what it starts, that says which process it plays for.
const MARK: &str = "TICTUNE_PLAYS_FOR";

/// The value of the variable: this process, by its number and by digits that no earlier process of this number has had.
fn mark() -> &'static str {
    static VALUE: LazyLock<String> = LazyLock::new(|| {
        let id = std::process::id();
        format!("{id}-{:016x}", RandomState::new().hash_one(id))
    });
    &VALUE
}

pub const NATS_USER: &str = "TICTUNE_NATS_USER";
pub const NATS_PASSWORD: &str = "TICTUNE_NATS_PASSWORD";
pub const NATS_TOKEN: &str = "TICTUNE_NATS_TOKEN";

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

/// What runs, unless another thread keeps it for longer than that.
fn running_within(patience: Duration) -> Option<MutexGuard<'static, Running>> {
    let deadline = Instant::now() + patience;
    loop {
        match RUNNING.try_lock() {
            Ok(running) => return Some(running),
            Err(TryLockError::Poisoned(poisoned)) => return Some(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) if Instant::now() >= deadline => return None,
            Err(TryLockError::WouldBlock) => thread::sleep(Duration::from_millis(5)),
        }
    }
}

pub(super) fn start(command: &mut Command) -> io::Result<Child> {
    let interrupted = || io::Error::new(io::ErrorKind::Interrupted, "interrupted");
    if ENDED.load(Ordering::SeqCst) {
        return Err(interrupted());
    }
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(command, 0);
    command.env(MARK, mark());
    // Programs of other people need no way into the server.
    for secret in [NATS_USER, NATS_PASSWORD, NATS_TOKEN] {
        command.env_remove(secret);
    }
    lock(&RUNNING).guard.start();
    // Without the lock: the start of a program may take long, from a disk that does not answer, say.
    let mut child = command.spawn()?;
    let mut running = lock(&RUNNING);
    running.groups.insert(child.id());
    running.guard.say('+', child.id());
    drop(running);
    if ENDED.load(Ordering::SeqCst) {
        end(&mut child);
        return Err(interrupted());
    }
    Ok(child)
}

/// Kills a child that [`start`] started, its group, and what it started outside of its group, where the system says
/// what that is. Waits for the child.
pub(super) fn end(child: &mut Child) {
    let mut running = lock(&RUNNING);
    if running.groups.remove(&child.id()) {
        kill_all(child.id());
        running.guard.say('-', child.id());
    }
    drop(running);
    let _ = child.kill();
    let _ = child.wait();
}

/// Ends every program, and lets none start any more: for the end of this process. The games in which they play are
/// forfeited at once. It takes a fraction of a second at most.
pub fn end_all() {
    ENDED.store(true, Ordering::SeqCst);
    if let Some(running) = running_within(PATIENCE) {
        running.groups.iter().copied().for_each(kill_all);
    }
}

fn kill_all(group: u32) {
    let descendants = descendants(group);
    signal::kill_group(group);
    descendants.into_iter().for_each(kill);
}

/// Whether anything runs in a group. A process that has ended and was not waited for does not run, where the system says
/// so.
pub(super) fn group_runs(group: u32) -> bool {
    signal::group_is_there(group) && processes_of(group).is_none_or(|processes| processes > 0)
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

/// The number of processes of a group that have not ended; `None` where the system does not say.
fn processes_of(group: u32) -> Option<usize> {
    let processes = std::fs::read_dir("/proc").ok()?;
    let mut numbers =
        processes.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok()).peekable();
    numbers.peek()?;
    Some(numbers.filter_map(group_and_end).filter(|found| *found == (group, false)).count())
}

/// The group of a process, and whether it has ended and was not waited for, if the system says so.
fn group_and_end(process: u32) -> Option<(u32, bool)> {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name before it is in parentheses, and may have others in it.
    let (_, rest) = stat.rsplit_once(") ")?;
    let mut words = rest.split(' ');
    let ended = ["Z", "X"].contains(&words.next()?);
    Some((words.nth(1)?.parse().ok()?, ended))
}

/// Whether a process runs. One that has ended and was not waited for does not, where the system says so.
pub(super) fn runs(process: u32) -> bool {
    signal::is_there(process) && group_and_end(process).is_none_or(|(_, ended)| !ended)
}

#[cfg(unix)]
mod signal {
    use rustix::process::{Pid, Signal, kill_process, kill_process_group};
    use rustix::process::{test_kill_process, test_kill_process_group};

    fn pid(number: u32) -> Option<Pid> {
        i32::try_from(number).ok().and_then(Pid::from_raw)
    }

    pub(super) fn is_there(process: u32) -> bool {
        pid(process).is_some_and(|process| test_kill_process(process).is_ok())
    }

    pub(super) fn group_is_there(group: u32) -> bool {
        pid(group).is_some_and(|group| test_kill_process_group(group).is_ok())
    }

    pub(in super::super) fn kill(process: u32) {
        let _ = pid(process).map(|process| kill_process(process, Signal::KILL));
    }

    pub(super) fn kill_group(group: u32) {
        let _ = pid(group).map(|group| kill_process_group(group, Signal::KILL));
    }
}

#[cfg(not(unix))]
mod signal {
    pub(in super::super) fn kill(_: u32) {}
    pub(super) fn kill_group(_: u32) {}
    pub(super) fn is_there(_: u32) -> bool {
        false
    }
    pub(super) fn group_is_there(_: u32) -> bool {
        false
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_waits_long_for_a_thread_that_keeps_the_lock() {
        let kept = lock(&RUNNING);
        let started = Instant::now();
        thread::scope(|scope| {
            let waits = scope.spawn(|| running_within(Duration::from_millis(50)).is_none());
            assert!(waits.join().unwrap());
        });
        assert!(started.elapsed() >= Duration::from_millis(50));
        drop(kept);
        assert!(running_within(Duration::from_secs(60)).is_some());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_process_that_has_ended_does_not_run() {
        let mut command = Command::new("true");
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut child = command.spawn().unwrap();
        let id = child.id();
        let deadline = Instant::now() + Duration::from_secs(60);
        while runs(id) || group_runs(id) {
            assert!(Instant::now() < deadline, "a zombie is taken for a process that runs");
            thread::sleep(Duration::from_millis(1));
        }
        child.wait().unwrap();
        assert!(runs(std::process::id()));
    }
}
