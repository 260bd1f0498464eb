//! A command while it runs: what it knows, what it says, and how a signal ends it.

use std::ffi::OsString;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use serde::Serialize;

use super::log::{Log, Verbosity};
use super::{print, print_json, quoted};
use crate::agent::{Known, Scope};
use crate::game::GameInfo;
use crate::input::Result;
use crate::programs::running::end_all;
use crate::registry::{AnyGame, Registry};
use crate::report::Width;
use crate::weights::Weights;

/// What the commands of an [`App`](crate::App) are given beside their own arguments.
pub(crate) struct Session {
    /// Shared with what may outlive the command: measuring continues where nothing ends a search.
    pub(super) registry: Arc<Registry>,
    /// The arguments, of which the first is the name of the program.
    args: Vec<OsString>,
    pub(super) verbosity: Verbosity,
    /// Whether the process has no other purpose: signals end it then, and its log is that of the process.
    pub(super) is_process: bool,
    pub(super) log: Arc<Log>,
    pub(super) interrupt: Arc<Interrupt>,
}

impl Session {
    pub(super) fn new(
        registry: Registry,
        args: Vec<OsString>,
        verbosity: Verbosity,
        is_process: bool,
    ) -> Self {
        let log = Arc::new(Log { to_stderr: verbosity.verbose > 0, ..Log::default() });
        let registry = Arc::new(registry);
        Self { registry, args, verbosity, is_process, log, interrupt: Arc::default() }
    }

    /// The name of the running program, for commands that a person may type: a program for other games has its own.
    pub(super) fn program(&self) -> String {
        program_of(&self.args)
    }

    pub(super) fn known(&self) -> &Known {
        self.registry.known()
    }

    /// What the texts of a person are read with: of this game, files counted from the current folder.
    pub(super) fn scope(&self, game: &'static GameInfo) -> Scope<'_> {
        self.known().scope(game, Path::new(""))
    }

    pub(super) fn weights(&self, name: &str) -> Result<Weights> {
        Weights::find_of_any_game(name, &self.known().games, Path::new(""))
    }

    pub(super) fn find(&self, name: Option<&str>) -> Result<&dyn AnyGame> {
        self.registry.find(name)
    }

    pub(super) fn command(&self) -> String {
        let words = self.args.iter().skip(1).map(quoted);
        std::iter::once(self.program()).chain(words).collect::<Vec<_>>().join(" ")
    }

    /// The command that continues what this one began.
    pub(super) fn resume(&self) -> String {
        let is_there = self.args.iter().any(|word| word == "--resume");
        let command = self.command() + if is_there { "" } else { " --resume" };
        // Games are added to a run once.
        let mut words: Vec<&str> = command.split(' ').collect();
        words.retain(|word| !word.starts_with("--games=+"));
        if let Some(place) =
            words.windows(2).position(|two| two[0] == "--games" && two[1].starts_with('+'))
        {
            words.drain(place..place + 2);
        }
        words.join(" ")
    }

    /// Says that a command was stopped, and which one continues.
    pub(super) fn note_stopped(&self, how: &str) {
        self.note(how);
        self.note(&format!("  {}", self.resume()));
    }

    pub(super) fn note(&self, text: &str) {
        self.verbosity.note(text);
    }

    pub(super) fn inform(&self, text: &str) {
        if !self.verbosity.quiet {
            self.note(text);
        }
    }

    pub(super) fn print_result(
        &self,
        json: bool,
        value: &impl Serialize,
        text: impl FnOnce(Width) -> String,
    ) -> anyhow::Result<()> {
        if json { print_json(value) } else { print(&text(self.width())) }
    }

    /// The width that tables have to fit, if standard output is a terminal.
    pub(super) fn width(&self) -> Width {
        let width = terminal_size::terminal_size_of(std::io::stdout()).map(|(width, _)| width.0);
        // Less has no room for a table.
        width.filter(|width| *width >= 40)
    }

    /// The flag that ends a command. Where the process is this program's, Ctrl-C, a termination signal and the hang-up of the
    /// terminal set it, and end the programs that play, so that nobody waits for them. A second signal ends the process at once,
    /// and so does a search that takes longer than a second: between moves the flag is seen.
    pub(super) fn stop_flag(&self) -> anyhow::Result<&AtomicBool> {
        let interrupt = &self.interrupt;
        let mut is_listening = locked(&interrupt.is_listening);
        if self.is_process && !*is_listening {
            let (own, verbosity) = (Arc::clone(interrupt), self.verbosity);
            on_signal(move || own.signal(verbosity))?;
            *is_listening = true;
        }
        Ok(&interrupt.stop)
    }
}

pub(super) fn program_of(args: &[OsString]) -> String {
    let name = args.first().and_then(|path| Path::new(path).file_stem());
    name.map_or_else(|| "tictune".into(), quoted)
}

/// What a signal meets.
#[derive(Default)]
pub(super) struct Interrupt {
    stop: AtomicBool,
    first: OnceLock<Instant>,
    /// How many are playing games.
    busy: AtomicUsize,
    is_listening: Mutex<bool>,
    /// Puts right what a wait has changed, and gives the exit status.
    leave: Mutex<Option<Box<dyn Fn() -> i32 + Send>>>,
}

impl Interrupt {
    /// Plays games. Only meanwhile may a signal end the process by force: what is written afterwards is written to its end.
    pub(super) fn busy<R>(&self, play: impl FnOnce() -> R) -> R {
        self.busy.fetch_add(1, Ordering::SeqCst);
        let result = play();
        self.busy.fetch_sub(1, Ordering::SeqCst);
        result
    }

    /// Waits for a person between the moves of a game.
    pub(super) fn idle<R>(&self, wait: impl FnOnce() -> R) -> R {
        self.busy.fetch_sub(1, Ordering::SeqCst);
        let result = wait();
        self.busy.fetch_add(1, Ordering::SeqCst);
        result
    }

    /// Waits for what does not look at the flag. A signal ends the process meanwhile.
    pub(super) fn waiting<R>(
        &self,
        leave: impl Fn() -> i32 + Send + 'static,
        wait: impl FnOnce() -> R,
    ) -> R {
        *locked(&self.leave) = Some(Box::new(leave));
        let result = wait();
        *locked(&self.leave) = None;
        result
    }

    /// Takes a signal. Only a process that [`App::main`](crate::App::main) runs comes here.
    fn signal(self: &Arc<Self>, verbosity: Verbosity) {
        /// How long searches may go on after a signal.
        const PATIENCE: Duration = Duration::from_millis(1500);
        /// Within this time a second signal is taken for the first: `timeout` sends one to the process and one to its group.
        const ONCE: Duration = Duration::from_millis(300);
        let since = self.first.get_or_init(Instant::now).elapsed();
        if since < ONCE && self.stop.load(Ordering::Relaxed) {
            return;
        }
        if self.stop.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
        end_all();
        if let Some(leave) = &*locked(&self.leave) {
            std::process::exit(leave());
        }
        let own = Arc::clone(self);
        std::thread::spawn(move || {
            std::thread::sleep(PATIENCE);
            if own.busy.load(Ordering::SeqCst) > 0 {
                verbosity.note(
                    "stopped during a long search; a run keeps what is logged, and the same command continues from there \
                     (evolve with --resume)",
                );
                std::process::exit(130);
            }
        });
    }
}

pub(super) fn locked<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Calls a function at every Ctrl-C, termination signal and hang-up of the terminal. Hang-ups that this process was told to
/// ignore, by `nohup`, are ignored.
#[cfg(unix)]
fn on_signal(handle: impl Fn() + Send + 'static) -> std::io::Result<()> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    let hang_up = (!is_ignored(SIGHUP)).then_some(SIGHUP);
    let signals = [SIGINT, SIGTERM].into_iter().chain(hang_up);
    let mut signals = signal_hook::iterator::Signals::new(signals)?;
    std::thread::Builder::new().name("signals".into()).spawn(move || {
        for _ in signals.forever() {
            handle();
        }
    })?;
    Ok(())
}

#[cfg(not(unix))]
fn on_signal(handle: impl Fn() + Send + 'static) -> Result<(), ctrlc::Error> {
    ctrlc::set_handler(handle)
}

/// Whether this process ignores a signal, where the system says so (it is Linux that does): `/proc/self/status` has the set of
/// ignored signals, the first signal in its lowest bit.
#[cfg(unix)]
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = line.and_then(|line| u64::from_str_radix(line.trim(), 16).ok());
    ignored.is_some_and(|ignored| ignored >> (signal - 1) & 1 == 1)
}
