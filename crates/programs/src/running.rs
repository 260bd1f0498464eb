//! The programs that run now. None of them outlives this process, however it ends.
//!
//! Programs run in process groups of their own, which Ctrl-C does not reach. A signal handler ends them by
//! [`end_all`]. If this process is killed, its guard does: a shell that knows the groups and reads a pipe from
//! this process, whose end says that the process is gone.

use std::collections::BTreeSet;
use std::hash::{BuildHasher, RandomState};
use std::io::{self, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{LazyLock, Mutex};

use tictune_core::arena::lock;

/// The groups that run, by number. Nobody else keeps the lock while [`end_all`] waits for it.
static RUNNING: Mutex<BTreeSet<u32>> = Mutex::new(BTreeSet::new());

/// Whether all programs were ended for good. It is set before they are.
static ENDED: AtomicBool = AtomicBool::new(false);

/// What the guard reads; `None` if the system has no shell, or has ended it.
static GUARD: LazyLock<Mutex<Option<ChildStdin>>> = LazyLock::new(|| Mutex::new(start_guard()));

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

/// Reads "+ GROUP" and "- GROUP" until the end of its input. Then it ends the groups that are left, what their leaders started outside
/// of them, and what has left even its parent, such as a daemon: that it knows by its [`MARK`], whose text is its first argument.
const GUARD_SCRIPT: &str = r#"
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
    LazyLock::force(&GUARD);
    let mut child = command.spawn()?;
    lock(&RUNNING).insert(child.id());
    tell_guard('+', child.id());
    if ENDED.load(Ordering::SeqCst) {
        end(&mut child);
        return Err(interrupted());
    }
    Ok(child)
}

/// Kills a child that [`start`] started, its group, and what it started outside of its group, where the system says
/// what that is. Waits for the child.
pub(super) fn end(child: &mut Child) {
    if lock(&RUNNING).remove(&child.id()) {
        kill_all(child.id());
        // Before it is waited for: the number is not another group's yet.
        tell_guard('-', child.id());
    }
    let _ = child.kill();
    let _ = child.wait();
}

/// Ends every program, and lets none start any more: for the end of this process. The games in which they play are
/// forfeited at once. It takes a fraction of a second at most.
pub fn end_all() {
    ENDED.store(true, Ordering::SeqCst);
    lock(&RUNNING).iter().copied().for_each(kill_all);
}

#[cfg(unix)]
fn kill_all(group: u32) {
    use rustix::process::{Pid, Signal, kill_process, kill_process_group};
    let pid = |number: u32| i32::try_from(number).ok().and_then(Pid::from_raw);
    let descendants = descendants(group);
    let _ = pid(group).map(|group| kill_process_group(group, Signal::KILL));
    for process in descendants.into_iter().filter_map(pid) {
        let _ = kill_process(process, Signal::KILL);
    }
}

#[cfg(not(unix))]
fn kill_all(_: u32) {}

/// The processes that a process started, and those that they started, as far as they have not left it; nothing where the
/// system does not say (it is Linux that does).
#[cfg(unix)]
fn descendants(process: u32) -> Vec<u32> {
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

fn start_guard() -> Option<ChildStdin> {
    if !cfg!(unix) {
        return None;
    }
    let mut shell = Command::new("sh");
    shell.args(["-c", GUARD_SCRIPT, "guard", &format!("{MARK}={}", mark())]).current_dir("/");
    shell.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut shell, 0);
    let started = shell.spawn().inspect_err(
        |error| tracing::warn!(%error, "no shell: programs may outlive a killed tictune"),
    );
    started.ok()?.stdin
}

fn tell_guard(sign: char, group: u32) {
    let mut guard = lock(&GUARD);
    if guard.as_mut().is_some_and(|stdin| writeln!(stdin, "{sign} {group}").is_err()) {
        tracing::warn!("the guard has ended: programs may outlive a killed tictune");
        *guard = None;
    }
}
