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
mod help;
mod learn;
mod list;
mod live;
mod log;
mod manual;
mod matches;
mod new;
mod parameter_list;
mod perft;
mod play;
mod profile;
mod progress;
mod report;
mod reproduce;
mod run_folder;
mod runs;
mod schema;
mod serve;
mod session;
mod show;
mod tournament;
mod validate;
#[cfg(feature = "cluster")]
mod worker;

use std::ffi::OsString;
use std::io::Write;
use std::ops::RangeInclusive;
use std::path::Path;

use clap::builder::styling::AnsiColor;
use clap::error::{ContextKind, ContextValue};
use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand};
use log::Verbosity;
use session::{Session, program_of};

use crate::evolve::RunError;
use crate::input::{InputError, Result, escaped, shortened};
use crate::registry::{AnyGame, Registry};

/// Tunes the weights of board-game evaluations and the parameters of engines by playing games, and measures how strong they are
#[derive(Debug, Parser)]
#[command(
    version,
    max_term_width = 100,
    arg_required_else_help = true,
    after_help = help::EXIT_STATUS
)]
struct Cli {
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
    /// by one line on standard output. Errors are reported in the answer, and the program continues.
    #[command(
        after_help = "A candidate is {\"numbers\": {NAME: VALUE, ...}}, optionally with \"id\", \"seed\" (other games) and \
                            \"games\" (more or fewer)."
    )]
    Fitness(fitness::FitnessArgs),
    /// Play a run's best candidate (with a budget, its start) against its mean, in games that the run never played
    Compare(compare::CompareArgs),
    /// Play weights, or a run's winner, against published weights in many searches
    Validate(validate::ValidateArgs),
    /// Measure how much each parameter of a run's winner matters: the winner plays a copy of itself in which one parameter
    /// is changed
    Profile(profile::ProfileArgs),
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
    /// Rate agents, yours among them, on a ladder from random moves to the strongest search
    ///
    /// Every agent plays every other. With --out DIR, the games of the ladder itself are kept and not played again.
    Ladder(tournament::LadderArgs),
    /// Play on a bot platform: read its requests on standard input, answer on standard output
    ///
    /// Errors in a request are reported on standard error, and the bot still answers if it can. It stops at the end of the
    /// input. With codingame the rules are no_line=most_boards, as on that platform, unless --rules says otherwise.
    Bot(bot::BotArgs),
    /// Play against an agent at the terminal
    ///
    /// Type moves in notation; help lists the other commands. Ctrl-C quits with status 130. Input may also come from a pipe.
    Play(play::PlayArgs),
    /// Test a program before it plays, and report what is wrong with it
    ///
    /// The program plays a game from each side against random moves; a runner is asked for pairs of games. Each line reports
    /// what happened. The exit status is 0 if the program is ready for matches, and 1 if not.
    Doctor(doctor::DoctorArgs),
    /// Count the sequences of legal moves from the start, to check the rules
    Perft(perft::PerftArgs),
    /// Measure speed on fixed suites; the total of nodes is a checksum of the search
    Bench(bench::BenchArgs),
    /// Write a run's report as one HTML file, or compare runs; or their charts as SVG files
    Report(report::ReportArgs),
    /// List the runs in a folder with their state, and the commands that continue them
    Runs(runs::RunsArgs),
    /// Show a run, weights or a table of a paper
    Show(show::ShowArgs),
    /// Write a first config, from the answers to three questions or from options
    New(new::NewArgs),
    /// List games, evaluations, built-in weights, and agents with their keys
    List(list::ListArgs),
    /// Print the JSON schema of configs or agents, with which editors complete and check them
    Schema(schema::SchemaArgs),
    /// Print a completion script for a shell
    Completions(manual::CompletionsArgs),
    /// Print the manual page, or write those of all commands
    Man(manual::ManArgs),
    /// Show runs on a local web page while they are played, and play on a board in the browser
    ///
    /// The address is printed. The page is for this machine only, needs no network, writes nothing, and starts no programs.
    Serve(serve::ServeArgs),
    /// Play games for other machines, through a NATS server
    ///
    /// It takes games from `evolve`, `match` and other commands with --executor and the same server, until it is stopped. It
    /// needs no files. It starts only programs that --allow-program names.
    #[cfg(feature = "cluster")]
    Worker(worker::WorkerArgs),
    /// List the workers at a NATS server
    #[cfg(feature = "cluster")]
    Workers(worker::WorkersArgs),
}

#[derive(Debug, Args)]
struct GameArgs {
    /// The game
    #[arg(long, value_name = "GAME")]
    game: Option<String>,
    /// A variant of the rules, as KEY=VALUE,...
    #[arg(long, default_value = "", value_name = "KEY=VALUE,...", hide_default_value = true)]
    rules: String,
}

impl GameArgs {
    /// Whether neither a game nor rules were given.
    fn is_empty(&self) -> bool {
        self.game.is_none() && self.rules.is_empty()
    }

    fn find<'r>(&self, session: &'r Session) -> Result<(&'r dyn AnyGame, String)> {
        let game = session.find(self.game.as_deref())?;
        Ok((game, self.rules_of(game)?))
    }

    fn rules_of(&self, game: &dyn AnyGame) -> Result<String> {
        let rules = game.info().check_rules(&self.rules);
        rules.map_err(|error| InputError::new(format!("--rules: {error}")))
    }
}

#[derive(Debug, Default, Args)]
struct ThreadArgs {
    /// The number of threads [default: all cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
}

impl ThreadArgs {
    fn install<R: Send>(
        &self,
        session: &Session,
        work: impl FnOnce() -> R + Send,
    ) -> anyhow::Result<R> {
        let pool = self.pool()?;
        Ok(session.interrupt.busy(|| pool.install(work)))
    }

    fn pool(&self) -> anyhow::Result<rayon::ThreadPool> {
        let threads = self.threads.map_or(0, usize::from);
        Ok(rayon::ThreadPoolBuilder::new().num_threads(threads).build()?)
    }
}

/// Runs the command of some arguments, of which the first is the program's name; the exit status. `is_process` is whether the
/// process is there for nothing else.
pub(crate) fn run(registry: Registry, args: Vec<OsString>, is_process: bool) -> u8 {
    let cli = match Cli::read(&registry, &args) {
        Ok(cli) => cli,
        Err(status) => return status,
    };
    let session = Session::new(registry, args, cli.verbosity, is_process);
    let Err(error) = cli.run(&session) else { return 0 };
    print_error(&error);
    exit_code(&error)
}

impl Cli {
    /// Reads the arguments. Without a command to run, it says why, and gives the exit status.
    fn read(registry: &Registry, args: &[OsString]) -> Result<Self, u8> {
        let read = Self::command_for(registry, &program_of(args)).try_get_matches_from(args);
        read.and_then(|found| Self::from_arg_matches(&found)).map_err(|error| {
            let text = error.render().to_string();
            let short = shortened(&text);
            let said = if let Some(file) = file_after_json(args, &error) {
                format!("error: --json takes no file: it prints to standard output, as in --json > {file}")
            } else if let Some("worker" | "workers") = context(&error, ContextKind::InvalidSubcommand) {
                format!("{}\n\n{WITHOUT_CLUSTER}", short.trim_end())
            } else if error.use_stderr() && short != text {
                short.trim_end().into()
            } else {
                // A closed pipe is not an error.
                let _ = error.print();
                return u8::try_from(error.exit_code()).unwrap_or(1);
            };
            Verbosity::default().note(&said);
            2
        })
    }

    /// The commands with their options, as `--help` shows them. Help names the games of the registry.
    fn command_for(registry: &Registry, program: &str) -> clap::Command {
        let games = &registry.known().games;
        let names = games.iter().map(|game| game.name).collect::<Vec<_>>().join(", ");
        let first = games.first().map_or("", |game| game.name);
        let rules: Vec<String> = games.iter().map(|game| game.rules_in_words()).collect();
        let rules = format!("A variant of the rules, as KEY=VALUE,...: {}", rules.join("; "));
        let whole = Self::command().before_help(help::examples("", program, registry));
        whole.mut_subcommands(|command| {
            let name = command.get_name().to_string();
            let default = match &*name {
                "validate" => &format!("that of the weights or of the run, else {first}"),
                "list" => "all",
                _ => first,
            };
            // A config may also be of a game that only a program of somebody else knows.
            let of_program = ", or runner for a game that your program plays";
            let runner = if name == "new" { of_program } else { "" };
            let command = command.mut_args(|arg| match arg.get_id().as_str() {
                "game" => arg.help(format!("The game: {names}{runner} [default: {default}]")),
                "rules" => arg.help(&rules),
                _ => arg,
            });
            let command = match &*name {
                "match" => command.after_long_help(registry.known().help()),
                _ => command,
            };
            help::completed(command, program, registry)
        })
    }

    fn run(self, session: &Session) -> anyhow::Result<()> {
        if self.verbosity.verbose > 0 {
            session.start_log();
        }
        match self.command {
            Command::Evolve(args) => evolve::run(&args, session),
            Command::Fitness(args) => fitness::run(&args, session),
            Command::Compare(args) => compare::run(&args, session),
            Command::Validate(args) => validate::run(&args, session),
            Command::Profile(args) => profile::run(&args, session),
            Command::Reproduce(args) => reproduce::run(&args, session),
            Command::Learn(args) => learn::run(&args, session),
            Command::Export(args) => export::run(&args, session),
            Command::Match(args) => matches::run(&args, session),
            Command::Tournament(args) => tournament::run(&args, session),
            Command::Ladder(args) => tournament::ladder(&args, session),
            Command::Bot(args) => bot::run(&args, session),
            Command::Play(args) => play::run(&args, session),
            Command::Doctor(args) => doctor::run(&args, session),
            Command::Perft(args) => perft::run(&args, session),
            Command::Bench(args) => bench::run(&args, session),
            Command::Report(args) => report::run(&args, session),
            Command::Runs(args) => runs::run(&args, session),
            Command::Show(args) => show::run(&args, session),
            Command::New(args) => new::run(&args, session),
            Command::List(args) => list::run(&args, session),
            Command::Schema(args) => schema::run(&args, session),
            Command::Completions(args) => manual::completions(&args, session),
            Command::Man(args) => manual::man(&args, session),
            Command::Serve(args) => serve::run(&args, session),
            #[cfg(feature = "cluster")]
            Command::Worker(args) => worker::run(&args, session),
            #[cfg(feature = "cluster")]
            Command::Workers(args) => worker::run_list(&args, session),
        }
    }
}

fn context(error: &clap::Error, kind: ContextKind) -> Option<&str> {
    match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text),
        _ => None,
    }
}

/// The word after `--json`, if that is what is wrong.
fn file_after_json(args: &[OsString], error: &clap::Error) -> Option<String> {
    let unexpected = context(error, ContextKind::InvalidArg)?;
    let follows = args.windows(2).any(|pair| pair[0] == "--json" && pair[1] == *unexpected);
    (follows && !unexpected.starts_with('-')).then(|| quoted(unexpected))
}

fn even_games(text: &str) -> Result<u64, String> {
    let games = text.parse().ok().filter(|games: &u64| *games > 0 && games.is_multiple_of(2));
    games.ok_or_else(|| {
        "expected an even number of games, since openings are played in pairs".into()
    })
}

/// The numbers of `3` or `3-5`, counted from 1.
fn range(text: &str) -> Option<RangeInclusive<usize>> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    let (first, last) = (first.trim().parse().ok()?, last.trim().parse().ok()?);
    (1 <= first && first <= last).then_some(first..=last)
}

/// What to do where a command needs a feature.
const WITHOUT_CLUSTER: &str = "this program was built without its feature \"cluster\"; build it with \
                               `cargo install --path . --features cluster`";

/// The exit status of an error: 2 for bad usage or bad input, 130 for an interruption, else 1.
fn exit_code(error: &anyhow::Error) -> u8 {
    match error.downcast_ref() {
        Some(RunError::Interrupted) => 130,
        _ if bad_input(error).is_some() => 2,
        _ => 1,
    }
}

fn bad_input(error: &anyhow::Error) -> Option<&InputError> {
    match error.downcast_ref() {
        Some(RunError::Input(input)) => Some(input),
        _ => error.downcast_ref(),
    }
}

/// Writes an error to standard error: its causes in one line, then the text at fault with a caret. Terminals get
/// colours unless `NO_COLOR` is set.
fn print_error(error: &anyhow::Error) {
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

/// Writes to standard output. A closed pipe (`| head`) is not an error.
fn print_bytes(bytes: &[u8]) -> anyhow::Result<()> {
    let mut stdout = std::io::stdout().lock();
    match stdout.write_all(bytes).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        written => Ok(written?),
    }
}

fn print_json(value: &impl serde::Serialize) -> anyhow::Result<()> {
    print_bytes((serde_json::to_string_pretty(value)? + "\n").as_bytes())
}

fn quoted(path: impl AsRef<Path>) -> String {
    let text = path.as_ref().display().to_string();
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+=:@".contains(c);
    if text.chars().all(plain) { text } else { format!("'{}'", text.replace('\'', "'\\''")) }
}
