//! The text of a new config.

use std::fmt::Write as _;
use std::time::Duration;

use super::Subject;
use crate::cli::program;
use crate::game::GameInfo;
use crate::input::InputError;

/// A config before it is written.
pub(super) struct Draft<'d> {
    pub(super) name: &'d str,
    pub(super) game: &'static GameInfo,
    pub(super) subject: &'d Subject,
    /// The time that there is, where nobody has measured how fast the games are.
    pub(super) time: Option<Duration>,
    pub(super) sizes: Sizes,
}

/// How many games are played for what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sizes {
    /// Of a candidate.
    pub(super) games: u64,
    /// Generations of the two stages.
    pub(super) generations: [u64; 2],
    /// Of a finalist in the first round.
    pub(super) finalists: u64,
    pub(super) comparison: u64,
    pub(super) validation: u64,
}

impl Sizes {
    /// The usual sizes for a subject, where time is no matter.
    pub(super) const fn usual(is_runner: bool) -> Self {
        Self {
            games: if is_runner { 300 } else { 60 },
            generations: [30, 10],
            finalists: 600,
            comparison: 300,
            validation: if is_runner { 1000 } else { 200 },
        }
    }

    /// Sizes with at most so many games in all: 60 % of them in the stages, 20 % for finalists, 5 % for the comparison and 15 %
    /// for the validation. No size is above the usual one.
    pub(super) fn fitting(self, all: f64) -> Self {
        /// Candidates and the mean vector of a generation.
        const MEASURED: f64 = 17.0;
        /// A finalist's games of the first round, summed over five finalists and two rounds.
        const OF_FINALISTS: f64 = 15.0;
        /// With fewer generations more games a candidate are no use.
        const ENOUGH: f64 = 20.0;
        /// A round of finalists is ten blocks of pairs.
        const BLOCKS: u64 = 20;
        let even = |games: f64, most: u64| ((games / 2.0) as u64 * 2).clamp(10, most);
        let games = even(0.6 * all / MEASURED / ENOUGH, self.games);
        let generations = ((0.6 * all / MEASURED / games as f64) as u64).clamp(2, 200);
        Self {
            games,
            generations: [generations.div_ceil(2), generations / 2],
            finalists: even(0.2 * all / OF_FINALISTS, self.finalists).next_multiple_of(BLOCKS),
            comparison: even(0.05 * all, self.comparison),
            validation: even(0.15 * all, self.validation),
        }
    }
}

impl Draft<'_> {
    /// The key that ends a stage after a share of the time.
    fn most_seconds(&self, share: f64) -> String {
        self.time.map_or(String::new(), |time| {
            let seconds = (share * time.as_secs_f64()).ceil();
            format!(
                "max_seconds = {seconds:<15} # ends the stage; finalists, comparison and validation come after it\n"
            )
        })
    }

    /// The text of the config.
    pub(super) fn config(&self) -> Result<String, InputError> {
        let Self { name, game, subject, .. } = self;
        let Sizes { games, generations: [first, second], finalists, comparison, validation } =
            self.sizes;
        if let (Subject::Program(command), true) = (subject, game.is_outside()) {
            return runner(name, command, &self.sizes, &self.most_seconds(0.6));
        }
        // Programs of platforms are told moves from the start, and engines positions.
        let from_start = matches!(subject, Subject::Program(_)) && !speaks_uci(game);
        let openings = if from_start { "none" } else { "random:4:train" };
        let held_out = if from_start { "none" } else { "random:4:held-out" };
        let unseen = if from_start { "" } else { ", from openings that decided nothing so far" };
        let mut text = format!(
            "# Every key is explained in experiments/documented.toml. `{program} {check}.\n\n\
             name = {name:?}\n\
             game = {game:?}\n\
             seed = 1                      # another seed is another run\n",
            program = program(),
            check = match subject {
                Subject::Evaluation(_) => "evolve FILE --check` prints the plan and its time",
                Subject::Program(_) =>
                    "doctor FILE` tries the program, and prints the plan and its time",
            },
            game = game.name,
        );
        let keys: Vec<String> = game
            .rule_keys
            .iter()
            .map(|key| match key.name {
                // Bots play by the rule of their platform.
                "no_line" if from_start => {
                    "no_line = \"most_boards\"       # CodinGame's rule; leave it out for other platforms".into()
                }
                // A number has no quotes.
                name => match first_value(key.values) {
                    value if value.starts_with(char::is_lowercase) => format!("# {name} = \"{value}\""),
                    value => format!("# {name} = {value}"),
                },
            })
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
             games = {games:<21} # of a candidate; more are less noisy\n\
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
        let stages = match from_start {
            // The program has its own depth.
            true => format!(
                "[[stages]]\n\
                 depth = {first_depth}                     # of opponents that are agents of tictune, if you add some\n\
                 max_generations = {}\n\
                 {}stagnation = 20               # generations without progress that end it\n",
                first + second,
                self.most_seconds(0.6)
            ),
            false => format!(
                "[[stages]]\n\
                 depth = {first_depth}                     # plies that both sides search\n\
                 max_generations = {first}\n\
                 {most}stagnation = 20               # generations without progress that end it\n\n\
                 [[stages]]\n\
                 depth = {second_depth}\n\
                 start = \"mean\"                # where the stage before ended\n\
                 sigma = 0.2\n\
                 max_generations = {second}\n\
                 {most}stagnation = 20\n",
                most = self.most_seconds(0.3)
            ),
        };
        let _ = write!(
            text,
            "\n{stages}\n\
             [finalists]                   # who wins a stage: the best of it are measured again\n\
             games = {finalists}\n\
             rounds = 2                    # the better half plays a second round\n\
             best = 2                      # candidates of the lowest fitness\n\
             means = 2                     # mean vectors of the last generations\n\
             model = true                  # the optimum of a model of all games; costs no games\n\
             openings = \"{openings}\"\n\n\
             [comparison]                  # best against mean, which decides what is validated\n\
             games = {comparison}\n\
             openings = \"{openings}\"\n\n\
             [validation]                  # the winner against others{unseen}\n\
             games = {validation}\n"
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
                "\n[[parameters]]\nkey = {name:?}\ninitial = 1                   # your default goes here\n\
                 low = 0.1                     # the range that is searched\n\
                 high = 10\nscale = \"log\"                 # steps are factors; without it the range may hold 0 and less\n"
            );
        }
        *text += "\n[[opponents]]                 # the program with its initial numbers\nagent = \"initial\"\n";
        Ok(())
    }
}

/// The config of a program that plays a game of its own; its numbers are words in braces after its command.
fn runner(
    name: &str,
    command: &str,
    &Sizes { games, generations: [first, second], finalists, comparison, validation }: &Sizes,
    most_seconds: &str,
) -> Result<String, InputError> {
    let (command, names) = words_in_braces(command)?;
    if command.is_empty() || names.is_empty() {
        let message = "the command has no {NAME} after it for each number, as in \"python3 play.py {stay} {hold}\"; \
                       docs/runner.md says what the program is asked";
        return Err(InputError::new(message));
    }
    let mut text = format!(
        "# Every key is explained in docs/runner.md. `{program} doctor FILE` tries the program, and prints the plan and its time.\n\n\
         name = {name:?}\n\
         seed = 1                      # another seed is another run\n\n\
         [cmaes]\n\
         population = 16               # candidates a generation\n\
         sigma = 0.3                   # the first step size, as a share of each range\n\n\
         [fitness]\n\
         games = {games:<21} # of a candidate; more are less noisy\n\
         seeds = \"fresh\"               # new games in every generation\n\n\
         [fitness.runner]              # the program that plays all games\n\
         cmd = {command}\n\
         pairs = 10                    # pairs of games that it is asked for at once: about a second's worth\n",
        program = program(),
        command = toml::Value::from(command),
    );
    for name in names {
        let _ = write!(
            text,
            "\n[[parameters]]\nkey = {name:?}\ninitial = 1                   # your default goes here\n\
                 low = 0.1                     # the range that is searched\n\
             high = 10\nscale = \"log\"                 # steps are factors; without it the range may hold 0 and less\n"
        );
    }
    let _ = write!(
        text,
        "\n[[opponents]]\nnumbers = {{}}                  # the program with its initial numbers\n\n\
         [[stages]]\n\
         max_generations = {}\n\
         {most_seconds}stagnation = 20               # generations without progress that end it\n\n\
         [finalists]                   # who wins: the best are measured again\n\
         games = {finalists}\n\
         rounds = 2                    # the better half plays a second round\n\
         best = 2                      # candidates of the lowest fitness\n\
         means = 2                     # mean vectors of the last generations\n\
         model = true                  # the optimum of a model of all games; costs no games\n\n\
         [comparison]                  # best against mean, which decides what is validated\n\
         games = {comparison}\n\n\
         [validation]                  # the winner against the start, in games of other seeds\n\
         games = {validation}\n",
        first + second
    );
    Ok(text)
}

/// Whether only engines play a game: it has no evaluations here.
pub(super) fn speaks_uci(game: &GameInfo) -> bool {
    game.layouts.is_empty() && !game.is_outside()
}

/// The tables of a UCI engine and its options, which are words of their own in braces.
fn engine(command: &str, text: &mut String) -> Result<(), InputError> {
    let (own, options) = words_in_braces(command)?;
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
    text.push_str("# OwnBook = \"false\"           # if the engine has one: no opening book\n# Hash = \"16\"                 # MiB of each engine that runs\n");
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

/// A command without its words in braces, and what they hold, each once.
fn words_in_braces(command: &str) -> Result<(String, Vec<String>), InputError> {
    let words = shlex::split(command).ok_or_else(|| {
        InputError::new(format!("a quote is not closed in the command {command}"))
    })?;
    let name = |word: &str| Some(word.strip_prefix('{')?.strip_suffix('}')?.to_string());
    let (mut own, mut names) = (Vec::new(), Vec::new());
    for word in &words {
        match name(word) {
            Some(name) if name.is_empty() => {
                return Err(InputError::new("{} in the command has no name"));
            }
            Some(name) if names.contains(&name) => {}
            Some(name) => names.push(name),
            None => own.push(word.as_str()),
        }
    }
    Ok((shlex::try_join(own).unwrap_or_default(), names))
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
