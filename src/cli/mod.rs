//! The command line, with one file for each subcommand. Only this module writes to the terminal.

mod bench;
mod bot;
mod check;
mod compare;
mod console;
mod doctor;
mod evolve;
mod executor;
mod export;
mod export_bot;
mod export_numbers;
pub(crate) mod fitness;
mod format;
mod help;
mod learn;
mod list;
mod live;
mod log;
mod manual;
mod matches;
mod memory;
mod nearby;
mod new;
mod overlap;
mod perft;
mod platform;
mod play;
mod progress;
mod report;
mod reproduce;
mod runs;
mod schema;
mod serve;
mod show;
mod signals;
mod tournament;
mod validate;
mod verbosity;
mod winner;
#[cfg(feature = "cluster")]
mod worker;

use std::ffi::OsString;
use std::io::Write;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use clap::builder::styling::AnsiColor;
use clap::{Arg, Args, CommandFactory, FromArgMatches, Parser, Subcommand};
use verbosity::Verbosity;

use crate::arena::CountForfeits;
use crate::evolve::RunError;
use crate::input::{InputError, escaped, shortened};
use crate::programs::running::end_all;
use crate::registry::{AnyGame, Registry};
use crate::report::{folded, within};

/// Evolves the weights of board-game evaluation functions with CMA-ES, and measures how strong they are
#[derive(Debug, Parser)]
#[command(
    version,
    max_term_width = 100,
    arg_required_else_help = true,
    after_help = help::EXIT_STATUS
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    command: Command,
    #[command(flatten)]
    verbosity: Verbosity,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Evolve weights in stages, as a config says, and validate the winner
    Evolve(evolve::EvolveArgs),
    /// Measure the candidates of another optimiser: JSON lines in, costs out
    ///
    /// Each line of standard input is a candidate, or an array of candidates that are measured together. Each is answered
    /// by one line on standard output. What is wrong is answered with an error, and the program goes on.
    #[command(
        after_help = "A candidate is {\"numbers\": {NAME: VALUE, ...}}, if wanted with \"id\", \"seed\" (other games) and \
                            \"games\" (more or fewer)."
    )]
    Fitness(fitness::FitnessArgs),
    /// Play a run's best candidate against its mean, in games that the run never played
    Compare(compare::CompareArgs),
    /// Play weights, or a run's winner, against published weights in many searches
    Validate(validate::ValidateArgs),
    /// Play the matches of a published table, and compare the results
    Reproduce(reproduce::ReproduceArgs),
    /// Learn the values of moves from games, as a config says: Q-learning, TD(lambda), Monte Carlo returns,
    /// regression of weights
    Learn(learn::LearnArgs),
    /// Write weights and their evaluation in a programming language, or as data
    Export(export::ExportArgs),
    /// Play a match between two agents
    Match(matches::MatchArgs),
    /// Play a round robin or a gauntlet of several agents, and rate them
    Tournament(tournament::TournamentArgs),
    /// Play on a bot platform: read its requests on standard input, answer on standard output
    ///
    /// Errors in a request are reported on standard error, and the bot still answers if it can. It
    /// stops at the end of the input. With codingame the rules are no_line=most_boards, as on that
    /// platform, unless --rules says otherwise.
    Bot(bot::BotArgs),
    /// Play against an agent at the terminal
    ///
    /// Type moves in notation; help lists the other commands. Ctrl-C quits with status 130. Input may also come from a pipe.
    Play(play::PlayArgs),
    /// Go through a conversation with another program, and say what is wrong with it
    ///
    /// The program plays a game from each side against random moves; a runner is asked for pairs of games. Each line says what was seen. The exit status is 0
    /// if the program would play in matches as it should, and 1 if not.
    Doctor(doctor::DoctorArgs),
    /// Count the sequences of legal moves from the start, to check the rules
    Perft(perft::PerftArgs),
    /// Measure speed on fixed suites; the total of nodes is a checksum of the search
    Bench(bench::BenchArgs),
    /// Write a run's report as one HTML file, or compare two runs; or their charts as SVG files
    Report(report::ReportArgs),
    /// List the runs in a folder: how they stand, and how to continue them
    Runs(runs::RunsArgs),
    /// Show a run, weights or a table of a document
    Show(show::ShowArgs),
    /// Write a config to begin with, after three questions or from flags
    New(new::NewArgs),
    /// List games, evaluations, built-in weights, and agents with their keys
    List(list::ListArgs),
    /// Print the JSON schema of configs or agents, by which editors complete and check them
    Schema(schema::SchemaArgs),
    /// Print what lets a shell complete the words of commands
    Completions(manual::CompletionsArgs),
    /// Print the manual page, or write those of all commands
    Man(manual::ManArgs),
    /// Show runs on a local web page while they go on, and play on a board in the browser
    ///
    /// The address is printed. The page is for this machine only, needs no network, writes nothing, and starts no programs.
    Serve(serve::ServeArgs),
    /// Play games for other machines, which get them through a NATS server
    ///
    /// It takes games from `evolve`, `match` and other commands with --executor and the same server, until it is stopped. It
    /// needs no files. It starts no programs but those that --allow-program names.
    #[cfg(feature = "cluster")]
    Worker(worker::WorkerArgs),
    /// List the workers at a NATS server
    #[cfg(feature = "cluster")]
    Workers(worker::WorkersArgs),
}

/// The game and its rules.
#[derive(Debug, Args)]
struct GameArgs {
    /// The game
    #[arg(long, value_name = "GAME")]
    game: Option<String>,
    #[command(flatten)]
    rules: RulesArgs,
}

impl GameArgs {
    /// The game.
    fn find<'r>(&self, registry: &'r Registry) -> Result<&'r dyn AnyGame, InputError> {
        registry.find(self.game.as_deref())
    }

    /// The rules in their text form.
    fn rules(&self, game: &dyn AnyGame) -> Result<String, InputError> {
        self.rules.checked(game)
    }
}

/// The rules of the game.
#[derive(Debug, Args)]
struct RulesArgs {
    /// A variant of the rules, as KEY=VALUE,...
    #[arg(long, default_value = "", value_name = "KEY=VALUE,...", hide_default_value = true)]
    rules: String,
}

impl RulesArgs {
    /// The rules in their text form.
    fn checked(&self, game: &dyn AnyGame) -> Result<String, InputError> {
        let rules = game.info().check_rules(&self.rules);
        rules.map_err(|error| InputError::new(format!("--rules: {error}")))
    }
}

/// How many threads play.
#[derive(Debug, Args)]
struct ThreadArgs {
    /// The number of threads [default: all cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
}

impl ThreadArgs {
    /// How many these are.
    fn count(&self) -> usize {
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        self.threads.map_or_else(cores, usize::from)
    }

    /// Their number, where it was given.
    const fn given(&self) -> Option<u16> {
        self.threads
    }

    /// Runs a closure on a pool of these threads.
    fn install<R: Send>(&self, work: impl FnOnce() -> R + Send) -> anyhow::Result<R> {
        let threads = self.threads.map_or(0, usize::from);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
        Ok(at_work(|| pool.install(work)))
    }
}

/// Plays games. Only meanwhile may a signal end this process by force: what is written afterwards is written to its end.
fn at_work<R>(play: impl FnOnce() -> R) -> R {
    AT_WORK.fetch_add(1, Ordering::SeqCst);
    let result = play();
    AT_WORK.fetch_sub(1, Ordering::SeqCst);
    result
}

/// Waits for a person between the moves of a game.
fn at_rest<R>(wait: impl FnOnce() -> R) -> R {
    AT_WORK.fetch_sub(1, Ordering::SeqCst);
    let result = wait();
    AT_WORK.fetch_add(1, Ordering::SeqCst);
    result
}

/// How many are playing games.
static AT_WORK: AtomicUsize = AtomicUsize::new(0);

impl Cli {
    /// Reads the arguments, of which the first is the program's name.
    pub(crate) fn read(
        registry: &Registry,
        args: impl IntoIterator<Item = impl Into<OsString> + Clone>,
    ) -> Self {
        let args: Vec<OsString> = args.into_iter().map(Into::into).collect();
        let read = Self::command_for(registry).try_get_matches_from(&args);
        read.and_then(|found| Self::from_arg_matches(&found)).unwrap_or_else(|error| {
            if let Some(file) = file_after_json(&args, &error) {
                note(&format!(
                    "error: --json takes no file: it prints to standard output, as in --json > {file}"
                ));
                std::process::exit(2);
            }
            let text = error.render().to_string();
            let short = shortened(&text);
            #[cfg(not(feature = "cluster"))]
            if is_of_cluster(&error) {
                note(&format!("{}\n\n{WITHOUT_CLUSTER}", short.trim_end()));
                std::process::exit(2);
            }
            if error.use_stderr() && short != text {
                note(short.trim_end());
                std::process::exit(2);
            }
            error.exit()
        })
    }

    /// The commands with their options, as `--help` shows them. Help names the games of the registry.
    fn command_for(registry: &Registry) -> clap::Command {
        let games = &registry.known().games;
        let names: Vec<&str> = games.iter().map(|game| game.name).collect();
        let first = names.first().copied().unwrap_or_default();
        let with_game = |arg: Arg, command: &str, default: &str| {
            // A config may also be of a game that only a program of somebody else knows.
            let runner = if command == "new" {
                ", or runner for a game that your program plays"
            } else {
                ""
            };
            arg.help(format!("The game: {}{runner} [default: {default}]", names.join(", ")))
        };
        let of_weights = format!("that of the weights or of the run, else {first}");
        let rules: Vec<String> = games.iter().map(|game| game.rules_in_words()).collect();
        let rules = format!("A variant of the rules, as KEY=VALUE,...: {}", rules.join("; "));
        let program = program();
        let whole = Self::command().before_help(help::examples("", &program));
        whole.mut_subcommands(|command| {
            let default = if command.get_name() == "validate" { &of_weights } else { first };
            let has = |id: &str| command.get_arguments().any(|arg| arg.get_id() == id);
            let (game, variant) = (has("game"), has("rules"));
            let name = command.get_name().to_string();
            let default = if name == "list" { "all" } else { default };
            let command = match game {
                true => command.mut_arg("game", |arg| with_game(arg, &name, default)),
                false => command,
            };
            let command = match variant {
                true => command.mut_arg("rules", |arg| arg.help(&rules)),
                false => command,
            };
            let command = match &*name {
                "match" => command.after_long_help(registry.known().kinds.help()),
                _ => command,
            };
            help::completed(command, &program)
        })
    }

    /// Runs the command.
    ///
    /// # Errors
    /// Any failure; [`exit_code`] gives the exit status for it.
    pub(crate) fn run(self, registry: &Registry) -> anyhow::Result<()> {
        self.verbosity.choose();
        if self.verbosity.shows_log() {
            log::start();
        }
        match self.command {
            Command::Evolve(args) => evolve::run(&args, registry),
            Command::Fitness(args) => fitness::run(&args, registry),
            Command::Compare(args) => compare::run(&args, registry),
            Command::Validate(args) => validate::run(&args, registry),
            Command::Reproduce(args) => reproduce::run(&args, registry),
            Command::Learn(args) => learn::run(&args, registry),
            Command::Export(args) => export::run(&args, registry),
            Command::Match(args) => matches::run(&args, registry),
            Command::Tournament(args) => tournament::run(&args, registry),
            Command::Bot(args) => bot::run(&args, registry),
            Command::Play(args) => play::run(&args, registry),
            Command::Doctor(args) => doctor::run(&args, registry),
            Command::Perft(args) => perft::run(&args, registry),
            Command::Bench(args) => bench::run(&args),
            Command::Report(args) => report::run(&args, registry),
            Command::Runs(args) => runs::run(&args, registry),
            Command::Show(args) => show::run(&args, registry),
            Command::New(args) => new::run(&args, registry),
            Command::List(args) => list::run(&args, registry),
            Command::Schema(args) => schema::run(&args, registry),
            Command::Completions(args) => manual::completions(&args, registry),
            Command::Man(args) => manual::man(&args, registry),
            Command::Serve(args) => serve::run(&args, registry),
            #[cfg(feature = "cluster")]
            Command::Worker(args) => worker::run(&args, registry),
            #[cfg(feature = "cluster")]
            Command::Workers(args) => worker::run_list(&args),
        }
    }
}

/// The word after `--json`, if that is what is wrong.
fn file_after_json(args: &[OsString], error: &clap::Error) -> Option<String> {
    use clap::error::{ContextKind, ContextValue};
    let Some(ContextValue::String(unexpected)) = error.get(ContextKind::InvalidArg) else {
        return None;
    };
    let mut pairs = args.windows(2);
    let follows = pairs.any(|pair| pair[0] == "--json" && pair[1] == **unexpected);
    (follows && !unexpected.starts_with('-')).then(|| quoted(Path::new(unexpected)))
}

/// Reads a number of games that are played in pairs.
fn even_games(text: &str) -> Result<u64, String> {
    let games = text.parse().ok().filter(|games: &u64| *games > 0 && games.is_multiple_of(2));
    games.ok_or_else(|| {
        "expected an even number of games, since openings are played in pairs".into()
    })
}

/// What to do where a command is not there, because it needs a feature.
#[cfg(not(feature = "cluster"))]
const WITHOUT_CLUSTER: &str = "this program was built without its feature \"cluster\"; build it with \
                               `cargo install --path . --features cluster`";

/// Whether somebody typed a command that only programs with the feature `cluster` have.
#[cfg(not(feature = "cluster"))]
fn is_of_cluster(error: &clap::Error) -> bool {
    use clap::error::{ContextKind, ContextValue};
    let typed = error.get(ContextKind::InvalidSubcommand);
    matches!(typed, Some(ContextValue::String(name)) if name == "worker" || name == "workers")
}

/// The exit status of an error: 2 for bad usage or bad input, 130 for an interruption, else 1.
#[must_use]
pub(crate) fn exit_code(error: &anyhow::Error) -> u8 {
    if was_stopped(error) {
        130
    } else if bad_input(error).is_some() {
        2
    } else {
        1
    }
}

fn was_stopped(error: &anyhow::Error) -> bool {
    matches!(error.downcast_ref(), Some(RunError::Interrupted))
}

/// The bad input that caused an error, if that was the cause.
fn bad_input(error: &anyhow::Error) -> Option<&InputError> {
    match error.downcast_ref() {
        Some(RunError::Input(error)) => Some(error),
        _ => error.downcast_ref(),
    }
}

/// Writes an error to standard error: its causes in one line, then the text at fault with a caret. Terminals get
/// colours unless `NO_COLOR` is set.
pub(crate) fn print_error(error: &anyhow::Error) {
    let causes: Vec<String> = error.chain().map(|cause| escaped(&cause.to_string())).collect();
    let style = AnsiColor::Red.on_default().bold();
    let mut text = format!("{style}error:{style:#} {}\n", causes.join(": "));
    if let Some(snippet) = bad_input(error).and_then(InputError::styled_snippet) {
        text += &(snippet + "\n");
    }
    let _ = anstream::stderr().write_all(text.as_bytes());
}

/// Writes a text to standard output, without what a terminal would obey.
fn print(text: &str) -> anyhow::Result<()> {
    print_bytes(escaped(text).as_bytes())
}

/// Writes a report to standard output. On a terminal its tables and sentences fit the width; elsewhere they are as wide as
/// their contents.
fn print_report(write: impl FnOnce() -> anyhow::Result<String>) -> anyhow::Result<()> {
    let width = terminal_width();
    let text = within(width, write)?;
    match width {
        // A command that is broken in two cannot be pasted.
        Some(width) => print(&text.split_inclusive('\n').fold(String::new(), |all, line| {
            all + &if holds_command(line) { line.into() } else { folded(line, width) }
        })),
        None => print(&text),
    }
}

/// Whether a line has a command of this program in it.
fn holds_command(line: &str) -> bool {
    let (program, all) = (program(), Cli::command());
    let words = || line.split_whitespace().map(|word| word.trim_matches('`'));
    let is_command = |word: &str| all.get_subcommands().any(|one| one.get_name() == word);
    words().zip(words().skip(1)).any(|(first, second)| first == program && is_command(second))
}

/// The width of the terminal that standard output is, if it is one that has room for a table.
fn terminal_width() -> Option<u16> {
    let (width, _) = terminal_size::terminal_size_of(std::io::stdout())?;
    (width.0 >= 40).then_some(width.0)
}

/// Writes to standard output. A closed pipe (`| head`) is not an error.
fn print_bytes(bytes: &[u8]) -> anyhow::Result<()> {
    let mut stdout = std::io::stdout().lock();
    match stdout.write_all(bytes).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        written => Ok(written?),
    }
}

/// Writes a value as indented JSON to standard output.
fn print_json(value: &impl serde::Serialize) -> anyhow::Result<()> {
    print_bytes((serde_json::to_string_pretty(value)? + "\n").as_bytes())
}

/// The name of the running program, for commands that a person may type: a program for other games has its own.
fn program() -> String {
    let first = std::env::args_os().next();
    let name = first.as_deref().and_then(|path| Path::new(path).file_stem());
    name.map_or_else(|| "tictune".into(), |name| quoted(Path::new(name)))
}

/// A path, quoted for a shell.
fn quoted(path: &Path) -> String {
    let text = path.display().to_string();
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+=:@".contains(c);
    if text.chars().all(plain) { text } else { format!("'{}'", text.replace('\'', "'\\''")) }
}

/// Writes a line to standard error, without what a terminal would obey. Where the log is there as JSON, the line is part of it,
/// so that a program can read all.
fn note(text: &str) {
    if Verbosity::chosen().shows_json() {
        return tracing::info!("{text}");
    }
    let _ = writeln!(std::io::stderr(), "{}", escaped(text));
}

/// Writes a line about the progress of a command to standard error, unless it is to be quiet.
fn inform(text: &str) {
    if Verbosity::chosen().shows_progress() {
        note(text);
    }
}

/// Says how many games were forfeited, if any were.
fn note_forfeits(executor: &CountForfeits<'_>) {
    if let Some(forfeits) = executor.in_words() {
        note(&forfeits);
    }
}

/// The flag that Ctrl-C, a termination signal and the hang-up of the terminal set. Programs that play are ended with it, so that nobody waits for
/// them. A second signal ends this program at once, and so does a search that goes on for longer than a second: between
/// moves the flag is seen.
fn stop_flag() -> anyhow::Result<&'static AtomicBool> {
    /// How long searches may go on after a signal.
    const PATIENCE: Duration = Duration::from_millis(1500);
    /// Within this time a second signal is taken for the first: `timeout` sends one to the process and one to its group.
    const ONCE: Duration = Duration::from_millis(300);
    static STOP: AtomicBool = AtomicBool::new(false);
    static FIRST: OnceLock<Instant> = OnceLock::new();
    static IS_LISTENING: Mutex<bool> = Mutex::new(false);
    let mut is_listening = IS_LISTENING.lock().unwrap_or_else(PoisonError::into_inner);
    if *is_listening {
        return Ok(&STOP);
    }
    signals::on_signal(|| {
        if FIRST.get_or_init(Instant::now).elapsed() < ONCE && STOP.load(Ordering::Relaxed) {
            return;
        }
        if STOP.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
        end_all();
        if console::leave_editor() {
            note("");
            std::process::exit(130);
        }
        std::thread::spawn(|| {
            std::thread::sleep(PATIENCE);
            if AT_WORK.load(Ordering::SeqCst) > 0 {
                note(
                    "stopped in the middle of a long search; a run has kept what is logged, and the same command goes on from there \
                     (evolve with --resume)",
                );
                std::process::exit(130);
            }
        });
    })?;
    *is_listening = true;
    Ok(&STOP)
}
