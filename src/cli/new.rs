//! `tictune new`: a config for a beginning, with a comment on every line.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;

use super::console::Terminal;
use super::{ThreadArgs, inform, note, print, program, quoted};
use crate::config::{self, Overrides};
use crate::files::NamedFile;
use crate::game::GameInfo;
use crate::input::InputError;
use crate::registry::{AnyGame, Console, Registry};
use crate::weights::{find_game, find_layout};

#[derive(Debug, Args)]
pub(super) struct NewArgs {
    /// The config to write; its name is that of the run
    #[arg(default_value = "mine.toml")]
    file: PathBuf,
    /// The game
    #[arg(long, value_name = "GAME")]
    game: Option<String>,
    /// The evaluation whose weights are evolved
    #[arg(long, value_name = "NAME", conflicts_with = "program")]
    evaluation: Option<String>,
    /// A program of yours whose numbers are evolved: its command, with {NAME} where a number goes; for a chess engine, with
    /// '{OPTION}' after it for each UCI option
    #[arg(long, value_name = "COMMAND")]
    program: Option<String>,
    /// The time that there is, as in 10min or 2h
    #[arg(long, value_name = "TIME", value_parser = humantime::parse_duration)]
    time: Option<Duration>,
    #[command(flatten)]
    threads: ThreadArgs,
}

/// What is evolved.
#[derive(Clone, Debug, PartialEq)]
enum Subject {
    /// The weights of an evaluation.
    Evaluation(String),
    /// The numbers of a program.
    Program(String),
}

pub(super) fn run(args: &NewArgs, registry: &Registry) -> anyhow::Result<()> {
    if args.file.exists() {
        let message = "is there already; name another file";
        return Err(InputError::in_file(&args.file, message).into());
    }
    let file = NamedFile::new("the config", &args.file)?;
    let (game, subject, time) = answers(args, registry)?;
    let name = args.file.file_stem().map_or("mine".into(), |stem| stem.to_string_lossy());
    let draft = Draft { name: &name, game: game.info(), subject: &subject };
    let generations = match subject {
        Subject::Evaluation(_) => affordable(&draft, game, time, &args.threads, registry)?,
        // Nothing of other people is run to write a config.
        Subject::Program(_) => {
            note(
                "note: how fast the program plays is not known here, so the generations are not fitted to the time: --check \
                 counts the games, and the first generation shows how long they take",
            );
            [30, 10]
        }
    };
    let text = draft.config(generations)?;
    // What is written has to be a config.
    config::parse(&text, &args.file, Overrides::default(), registry.known())?;
    file.write(text.as_bytes())?;
    let (program, file) = (program(), quoted(&args.file));
    print(&format!(
        "wrote {file}\n  {program} evolve {file} --check    prints the plan and its cost\n  {program} evolve {file}\n"
    ))
}

/// The answers to the three questions, from flags or from the person.
fn answers<'r>(
    args: &NewArgs,
    registry: &'r Registry,
) -> anyhow::Result<(&'r dyn AnyGame, Subject, Duration)> {
    const USUAL_TIME: &str = "10min";
    let all_given = args.time.is_some() && (args.evaluation.is_some() || args.program.is_some());
    let mut terminal = if all_given { None } else { Some(Terminal::new()?) };
    let mut ask = |question: &str, default: &str| -> anyhow::Result<String> {
        let Some(terminal) = &mut terminal else { return Ok(default.into()) };
        let answer = terminal.ask(&format!("{question} [{default}]: "))?.unwrap_or_default();
        Ok(if answer.trim().is_empty() { default.into() } else { answer.trim().into() })
    };
    let known = registry.known();
    let first = known.first().map_or("", |game| game.name);
    let name = match &args.game {
        Some(name) => name.clone(),
        None => {
            let names: Vec<&str> = known.iter().map(|game| game.name).collect();
            ask(&format!("game: {}", names.join(", ")), first)?
        }
    };
    let game = registry.find(Some(find_game(known, &name)?.name))?;
    let info = game.info();
    let subject = match (&args.evaluation, &args.program) {
        (Some(name), _) => Subject::Evaluation(find_layout(info, name)?.name.into()),
        (_, Some(command)) => Subject::Program(command.clone()),
        _ => {
            let names: Vec<&str> = info.layouts.iter().map(|layout| layout.name).collect();
            // The usual beginning: few weights, each with a plain meaning.
            let usual = ["advanced", "lines"].into_iter().find(|name| names.contains(name));
            let usual = usual.or(names.first().copied()).unwrap_or("./engine '{OPTION}'");
            let question = match speaks_uci(info) {
                true => "the command of an engine whose options are evolved, with '{OPTION}' after it for each of them".into(),
                false => format!(
                    "what is evolved: an evaluation ({}), or the command of a program with {{NAME}} where a number goes",
                    names.join(", ")
                ),
            };
            let answer = ask(&question, usual)?;
            match answer.contains('{') {
                true => Subject::Program(answer),
                false => Subject::Evaluation(find_layout(info, &answer)?.name.into()),
            }
        }
    };
    let time = match args.time {
        Some(time) => time,
        None => {
            let answer = ask("time that there is, as in 10min or 2h", USUAL_TIME)?;
            humantime::parse_duration(&answer).map_err(|error| {
                InputError::new(format!("\"{answer}\" is no time, as in 10min or 2h: {error}"))
            })?
        }
    };
    Ok((game, subject, time))
}

/// The generations of the two stages that fit into a time, by the speed of this machine. A quarter of the time is left for
/// the matches at the end.
fn affordable(
    draft: &Draft<'_>,
    game: &dyn AnyGame,
    time: Duration,
    threads: &ThreadArgs,
    registry: &Registry,
) -> anyhow::Result<[u64; 2]> {
    const SHARES: [f64; 2] = [0.35, 0.4];
    /// Below that a stage learns nothing.
    const FEWEST: u64 = 5;
    /// Beyond that noise decides.
    const MOST: u64 = 200;
    let plan = config::parse(
        &draft.config([1, 1])?,
        Path::new(""),
        Overrides::default(),
        registry.known(),
    )?;
    inform("measuring the speed of this machine ...");
    let mut generations = [0; 2];
    for ((stage, share), count) in plan.stages.iter().zip(SHARES).zip(&mut generations) {
        let speed = threads.install(|| game.games_per_second(&plan, stage))??;
        let games = (stage.population as u64 + 1) * stage.fitness.games;
        let seconds = games as f64 / speed;
        *count = ((share * time.as_secs_f64() / seconds) as u64).clamp(FEWEST, MOST);
    }
    Ok(generations)
}

/// A config before it is written.
struct Draft<'d> {
    name: &'d str,
    game: &'static GameInfo,
    subject: &'d Subject,
}

impl Draft<'_> {
    /// The text of the config, with so many generations in each stage.
    fn config(&self, [first, second]: [u64; 2]) -> Result<String, InputError> {
        let Self { name, game, subject } = self;
        // Programs of platforms are told moves from the start, and engines positions.
        let from_start = matches!(subject, Subject::Program(_)) && !speaks_uci(game);
        let openings = if from_start { "none" } else { "random:4:train" };
        let held_out = if from_start { "none" } else { "random:4:held-out" };
        let unseen = if from_start { "" } else { ", from openings that decided nothing so far" };
        let mut text = format!(
            "# Every key is explained in experiments/documented.toml. `{program} evolve FILE --check` prints the plan and its cost.\n\n\
             name = {name:?}\n\
             game = {game:?}\n\
             seed = 1                      # another seed is another run\n",
            program = program(),
            game = game.name,
        );
        let keys: Vec<String> = game
            .rule_keys
            .iter()
            .map(|key| format!("# {} = \"{}\"", key.name, first_value(key.values)))
            .collect();
        if let Subject::Evaluation(evaluation) = subject {
            let _ = writeln!(
                text,
                "evaluation = {evaluation:?}       # whose weights are evolved: `{} list evaluations`",
                program()
            );
        }
        if !keys.is_empty() {
            let _ = write!(
                text,
                "\n[rules]                       # the defaults{}\n{}\n",
                match keys.iter().any(|key| key.contains("no_line")) {
                    true => "; on CodinGame no_line is \"most_boards\"",
                    false => "",
                },
                keys.join("\n")
            );
        }
        let of_weights = match subject {
            Subject::Evaluation(_) => {
                "sigma_unit = \"start\"          # times the size of the weights at the start of a stage\n\
                 initial = 0.5                 # every weight; or the name of weights, or a list\n"
            }
            Subject::Program(_) => "",
        };
        let unit = if of_weights.is_empty() { ", as a share of each range" } else { "" };
        let _ = write!(
            text,
            "\n[cmaes]\npopulation = 16               # candidates a generation\n\
             sigma = 0.3                   # the first step size{unit}\n{of_weights}\n\
             [fitness]\n\
             games = 60                    # of a candidate; more are less noisy\n\
             openings = \"{openings}\"\n\
             seeds = \"fresh\"               # new games in every generation\n"
        );
        match subject {
            Subject::Evaluation(_) => {
                let opponent = match game.pool.first() {
                    Some(weights) => format!("minimax:weights={weights}"),
                    None => "initial".into(),
                };
                let _ = write!(
                    text,
                    "\n[[opponents]]                 # one table for each; they share the games\nagent = \"{opponent}\"\n"
                );
            }
            Subject::Program(command) => self.program(command, &mut text)?,
        }
        let [first_depth, second_depth] = game.first_depths;
        let _ = write!(
            text,
            "\n[[stages]]\n\
             depth = {first_depth}                     # plies that both sides search\n\
             max_generations = {first}\n\
             stagnation = 20               # generations without progress that end it\n\n\
             [[stages]]\n\
             depth = {second_depth}\n\
             start = \"mean\"                # where the stage before ended\n\
             sigma = 0.2\n\
             max_generations = {second}\n\
             stagnation = 20\n\n\
             [finalists]                   # who wins a stage: the best of it are measured again\n\
             games = 600\n\
             rounds = 2                    # the better half plays a second round\n\
             best = 2                      # candidates of the lowest fitness\n\
             means = 2                     # mean vectors of the last generations\n\
             model = true                  # the optimum of a model of all games; costs no games\n\
             openings = \"{openings}\"\n\n\
             [comparison]                  # best against mean, which decides what is validated\n\
             games = 300\n\
             openings = \"{openings}\"\n\n\
             [validation]                  # the winner against others{unseen}\n\
             games = 200\n"
        );
        if matches!(subject, Subject::Evaluation(_)) {
            let _ = write!(
                text,
                "depths = [{first_depth}, {second_depth}]\nopenings = [\"{held_out}\"]\n"
            );
        }
        Ok(text)
    }

    /// The tables of a program and its numbers.
    fn program(&self, command: &str, text: &mut String) -> Result<(), InputError> {
        if speaks_uci(self.game) {
            return engine(command, text);
        }
        let names = placeholders(command);
        if names.is_empty() {
            let message =
                "the command has no {NAME} where a number goes, as in \"./bot {corner} {seed}\"";
            return Err(InputError::new(message));
        }
        let _ = write!(
            text,
            "\n[agent]                       # who carries the candidates\n\
             kind = \"external\"\n\
             cmd = {}\n\
             protocol = \"codingame\"        # or theaigames, which tells positions\n",
            toml::Value::from(command)
        );
        for name in names {
            let _ = write!(
                text,
                "\n[[parameters]]\nkey = {name:?}\ninitial = 1\nlow = 0.1                     # the range that is searched\n\
                 high = 10\nscale = \"log\"                 # steps are factors; leave it out for plain steps\n"
            );
        }
        *text += "\n[[opponents]]                 # the program with its initial numbers\nagent = \"initial\"\n";
        Ok(())
    }
}

/// Whether only engines play a game: it has no evaluations here.
const fn speaks_uci(game: &GameInfo) -> bool {
    game.layouts.is_empty()
}

/// The tables of a UCI engine and its options, which are words of their own in braces.
fn engine(command: &str, text: &mut String) -> Result<(), InputError> {
    let words = shlex::split(command).unwrap_or_default();
    let option = |word: &str| Some(word.strip_prefix('{')?.strip_suffix('}')?.to_string());
    let options: Vec<String> = words.iter().filter_map(|word| option(word)).collect();
    let own: Vec<&str> =
        words.iter().map(String::as_str).filter(|word| option(word).is_none()).collect();
    let own = shlex::try_join(own).unwrap_or_default();
    if own.is_empty() || options.is_empty() {
        let message = "the command has no '{OPTION}' after it, as in \"./engine '{King Safety}' '{Contempt}'\"; `tictune doctor` \
                       starts an engine and says whether it takes options";
        return Err(InputError::new(message));
    }
    let number = |option: &str| option.to_lowercase().replace(|c: char| !c.is_alphanumeric(), "_");
    let _ = write!(
        text,
        "\n[agent]                       # who carries the candidates\n\
         kind = \"external\"\n\
         cmd = {}\n\
         protocol = \"uci\"              # without a limit, the depth follows the stage\n\
         \n[agent.options]               # checked against what the engine announces\n",
        toml::Value::from(own)
    );
    for option in &options {
        let _ = writeln!(text, "{option:?} = \"{{{}}}\"", number(option));
    }
    for option in &options {
        let _ = write!(
            text,
            "\n[[parameters]]\nkey = {:?}\ninitial = 100                 # left out: the default that the engine announces\n\
             low = 0                       # the range that is searched, within that of the option\n\
             high = 200\nwhole = true                  # UCI options take whole numbers\n",
            number(option)
        );
    }
    *text += "\n[[opponents]]                 # the engine with its initial numbers\nagent = \"initial\"\n";
    Ok(())
}

fn first_value(values: &str) -> &str {
    values.split('|').next().unwrap_or_default()
}

/// The names in braces of a command, each once; `{seed}` is tictune's own.
fn placeholders(command: &str) -> Vec<&str> {
    let mut names = Vec::new();
    for part in command.split('{').skip(1) {
        if let Some((name, _)) = part.split_once('}')
            && !name.is_empty()
            && name != "seed"
            && !names.contains(&name)
        {
            names.push(name);
        }
    }
    names
}
