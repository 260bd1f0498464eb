//! `tictune new`: a config for a beginning, with a comment on every line, or a crate for your own game.

mod command;
mod draft;
mod engine;
mod own_game;

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{bail, ensure};
use clap::Args;

use self::command::speaks_uci;
use self::engine::{NewEngine, ask_engine};
use super::check::timed::{LONGEST, games_in};
use super::console::Terminal;
use super::{Session, ThreadArgs, print, quoted};
use crate::config::{self, Overrides};
use crate::files::NamedFile;
use crate::input::{InputError, few};
use crate::registry::{AnyGame, Console};
use crate::weights::{find_game, find_layout};

#[derive(Debug, Args)]
pub(super) struct NewArgs {
    /// The config to write; the run gets its name
    #[arg(default_value = "mine.toml")]
    file: PathBuf,
    /// The game
    #[arg(long, value_name = "GAME")]
    game: Option<String>,
    /// The evaluation whose weights are evolved
    #[arg(long, value_name = "NAME", conflicts_with = "program")]
    evaluation: Option<String>,
    /// A program whose parameters are tuned: the command of a UCI engine, which is asked for its options; of a bot, with {NAME}
    /// where a parameter goes; of a runner, with {NAME} after it for each parameter
    #[arg(long, value_name = "COMMAND")]
    program: Option<String>,
    /// Which options of a UCI engine are tuned: their names, as in "King Safety,Contempt", or all; or a file that lists them with
    /// values and ranges, as OpenBench and weather-factory take it [default: asks]
    #[arg(long, value_name = "NAME,...|FILE", conflicts_with = "evaluation")]
    parameters: Option<String>,
    /// The time for the run, as in 10min or 2h
    #[arg(long, value_name = "TIME", value_parser = time)]
    time: Option<Duration>,
    /// Write no config, but a crate for a game of your own, in Rust
    #[arg(long, value_name = "DIR", conflicts_with_all = ["file", "game", "evaluation", "program", "parameters", "time"])]
    own_game: Option<PathBuf>,
}

#[derive(Clone, Debug, PartialEq)]
enum Subject {
    Evaluation(String),
    Program(String),
    /// Options of a UCI engine, which has announced them.
    Engine(NewEngine),
}

pub(super) fn run(args: &NewArgs, session: &Session) -> anyhow::Result<()> {
    if let Some(folder) = &args.own_game {
        return own_game::write(folder, session);
    }
    let there = InputError::in_file(&args.file, "already exists; name another file");
    ensure!(!args.file.exists(), there);
    let file = NamedFile::new("the config", &args.file)?;
    let (game, subject, time) = answers(args, session)?;
    if args.parameters.is_some() && !matches!(subject, Subject::Engine(_)) {
        let message =
            "--parameters is for UCI engines: give --program the command of one, without braces";
        bail!(InputError::new(message));
    }
    let name = args.file.file_stem().map_or("mine".into(), |stem| stem.to_string_lossy());
    let program = session.program();
    let text_for = |time| draft::config((&program, &name), game.info(), &subject, time);
    let mut text = text_for(time)?;
    // What is written has to be a config. No file has the line of an error yet.
    let plan = |text: &str, games_of_time| {
        let overrides = Overrides { games_of_time, ..Overrides::default() };
        config::parse(text, &args.file, overrides, session.known())
    };
    let first = plan(&text, None).map_err(|error| match &subject {
        Subject::Program(command) | Subject::Engine(NewEngine { command, .. }) => InputError::new(
            format!("no config can be made from the command {command}: {}", error.message),
        ),
        Subject::Evaluation(_) => error,
    })?;
    // Evaluations are fast, and programs with their parameters in braces may not be there yet.
    if let Subject::Engine(engine) = &subject {
        let measure = || games_in(session, game, &first, time.as_secs_f64());
        let Some(games) = ThreadArgs::default().install(session, measure)?? else {
            let agent = quoted(format!("external:cmd=\"{}\",protocol=uci", engine.command));
            let tries = format!("`{program} doctor {agent} --game {}` tries it", game.info().name);
            bail!("its first games take longer than {LONGEST:?}: {tries} move by move");
        };
        let games = games.max(1);
        // When the run begins, games may turn out to be slower, and in a longer time more of them are those of the end.
        let runs = |times: &u32| plan(&text, Some(games * u64::from(*times) / 2)).is_ok();
        let times = (1..=10_000).find(runs).unwrap_or(1);
        if times > 1 {
            text = text_for(time * times)?;
            let [little, enough] = [time, time * times].map(draft::in_words);
            session.note(&format!(
                "note: {little} is hardly enough for one generation of this engine's games: the config has {enough}, about the least that runs"
            ));
        }
        if args.parameters.is_none() {
            note_options(engine, session);
        }
    }
    file.write(text.as_bytes())?;
    let path = quoted(&args.file);
    let first = match subject {
        Subject::Evaluation(_) => {
            format!("evolve {path} --check    prints the plan and its time")
        }
        _ => format!("doctor {path}    tries the program, and prints the plan and its time"),
    };
    print(&format!("wrote {path}\n  {program} {first}\n  {program} evolve {path}\n"))
}

/// Says which options are tuned where nobody had to name them, and which are not.
fn note_options(NewEngine { parameters, left_out, .. }: &NewEngine, session: &Session) {
    let tuned: Vec<&str> = parameters.iter().map(|one| one.option.as_str()).collect();
    let tuned = few(&tuned, 12);
    session.note(&format!("note: tuned are {tuned}; --parameters \"NAME,...\" chooses others"));
    if !left_out.is_empty() {
        let names = left_out.join(", ");
        session.note(&format!("note: not tuned unless --parameters names them: {names}"));
    }
}

fn time(text: &str) -> Result<Duration, String> {
    let time = humantime::parse_duration(text).ok().filter(|time| time.as_secs_f64() >= 1.0);
    time.ok_or_else(|| "expected one second or more, as in 10min or 2h".into())
}

/// The answers to the three questions, from flags or from the person.
fn answers<'r>(
    args: &NewArgs,
    session: &'r Session,
) -> anyhow::Result<(&'r dyn AnyGame, Subject, Duration)> {
    let program = args.program.as_deref();
    // An engine says itself what can be tuned.
    let is_asked = program.is_some_and(|command| !command.contains('{'));
    let chosen = args.evaluation.is_some() || args.parameters.is_some();
    let all_given = args.time.is_some() && (chosen || program.is_some() && !is_asked);
    let mut terminal = if all_given { None } else { Some(Terminal::new(session)?) };
    let mut ask = |question: &str, default: &str| -> anyhow::Result<String> {
        let Some(terminal) = &mut terminal else { return Ok(default.into()) };
        let answer = terminal.ask(&format!("{question} [{default}]: "))?.unwrap_or_default();
        Ok(if answer.trim().is_empty() { default.into() } else { answer.trim().into() })
    };
    let known = &session.known().games;
    let first = known.first().map_or("", |game| game.name);
    let of_engines = || known.iter().find(|game| is_asked && speaks_uci(game));
    let name = match (&args.game, of_engines()) {
        (Some(name), _) => name.clone(),
        (None, Some(game)) => game.name.into(),
        (None, None) => {
            let names: Vec<&str> = known.iter().map(|game| game.name).collect();
            ask(&format!("game: {}", names.join(", ")), first)?
        }
    };
    let game = session.find(Some(find_game(known, &name)?.name))?;
    let info = game.info();
    let answer = match (&args.evaluation, &args.program) {
        (Some(given), _) | (_, Some(given)) => given.clone(),
        _ => {
            let names: Vec<&str> = info.layouts.iter().map(|layout| layout.name).collect();
            // The usual beginning: few weights, each with a plain meaning.
            let usual = ["advanced", "lines"].into_iter().find(|name| names.contains(name));
            let usual = usual.or(names.first().copied()).unwrap_or_default();
            if speaks_uci(info) {
                ask("the command of the engine whose options are tuned", "./engine")?
            } else if info.is_outside() {
                let question = "the command of the program that plays the games, followed by {NAME} for each parameter";
                ask(question, "python3 play.py {NAME}")?
            } else {
                let question = format!(
                    "what to evolve: an evaluation ({}), or the command of a program with {{NAME}} in place of each parameter",
                    names.join(", ")
                );
                ask(&question, usual)?
            }
        }
    };
    let has_names = answer.contains('{');
    let is_command = args.program.is_some() || has_names || speaks_uci(info);
    let subject = if args.evaluation.is_some() || !is_command {
        Subject::Evaluation(find_layout(info, &answer)?.name.into())
    } else if has_names || !speaks_uci(info) {
        Subject::Program(answer)
    } else {
        let wanted = args.parameters.as_deref();
        Subject::Engine(ask_engine(&answer, wanted, &mut |question| ask(question, "all"))?)
    };
    let time = match args.time {
        Some(time) => time,
        None => {
            let answer = ask("time for the run, as in 10min or 2h", "10min")?;
            self::time(&answer)
                .map_err(|error| InputError::new(format!("\"{answer}\" is not a time: {error}")))?
        }
    };
    Ok((game, subject, time))
}
