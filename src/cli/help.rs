//! What `--help` shows beside the descriptions of options: examples, and groups of options.

use clap::Command;

/// Examples of every command, each with what it does. The first words are those after the program's name.
const EXAMPLES: &[(&str, &[(&str, &str)])] = &[
    // Those of the program as a whole.
    (
        "",
        &[
            ("evolve experiments/quickstart.toml", "a first evolution"),
            ("new", "asks three questions and writes a config of your own"),
            ("play", "plays against you"),
        ],
    ),
    (
        "evolve",
        &[
            ("evolve experiments/quickstart.toml", "evolves, compares and validates"),
            ("evolve mine.toml --check", "prints the plan and its cost, and plays nothing"),
            ("evolve mine.toml --resume", "continues a run that was stopped"),
        ],
    ),
    (
        "fitness",
        &[
            ("fitness mine.toml --describe", "says what is evolved, as JSON"),
            ("fitness mine.toml --stage 1", "answers candidates on standard input"),
        ],
    ),
    ("compare", &[("compare runs/quickstart --games 1000", "plays best against mean again")]),
    (
        "validate",
        &[
            (
                "validate runs/quickstart --depths 1,2,3 --iterative none --ept none --games 50",
                "a quick look",
            ),
            ("validate best.toml --opponents liang-default,other.toml", "against weights of yours"),
        ],
    ),
    (
        "reproduce",
        &[
            ("reproduce", "lists the tables"),
            ("reproduce 2.8 --games 100 --out results", "plays one, with 100 games a row"),
        ],
    ),
    ("learn", &[("learn experiments/lifshitz/learn-features.toml", "learns as a config says")]),
    (
        "export",
        &[
            ("export runs/quickstart --format rust", "the winner of a run as Rust source"),
            ("export tictune-advanced --format python --out weights.py", "built-in weights"),
        ],
    ),
    (
        "match",
        &[
            ("match minimax:depth=3 mcts:iterations=5000 --games 300", "300 games"),
            (
                "match minimax:depth=5,weights=best.toml minimax:depth=5 --sprt elo0=0,elo1=10",
                "until the answer is clear",
            ),
        ],
    ),
    (
        "tournament",
        &[
            ("tournament minimax:depth=3 greedy random --games 200", "everyone plays everyone"),
            ("tournament experiments/tournaments/published.toml", "as a config says, resumable"),
        ],
    ),
    (
        "bot",
        &[(
            "bot --protocol codingame --agent iterative:clock=codingame,weights=best.toml",
            "plays on the platform's clock",
        )],
    ),
    (
        "play",
        &[
            ("play", "against the strongest agent"),
            ("play --level easy", "against a weaker one"),
            ("play --game qubic --agent minimax:depth=3 --second", "Qubic, as the second player"),
        ],
    ),
    (
        "doctor",
        &[
            ("doctor 'external:cmd=\"./bot\",protocol=codingame'", "plays a game from each side"),
            (
                "doctor 'runner:cmd=\"./play\",numbers={ stay = 0.8 }'",
                "asks for pairs of games, three times",
            ),
            ("doctor mine.toml", "tries the programs of a config, and says how long its run takes"),
        ],
    ),
    ("perft", &[("perft --depth 5", "1 81, 2 720, 3 6336, ...")]),
    ("bench", &[("bench --json", "nodes, games, playouts and iterations a second")]),
    (
        "report",
        &[
            ("report runs/quickstart", "writes report.html again"),
            ("report runs/quickstart --svg charts", "its charts as SVG files"),
            ("report moves.csv --svg charts", "times of what `match --moves` wrote"),
        ],
    ),
    (
        "list",
        &[
            ("list", "games, evaluations, weights, agents and their keys"),
            ("list weights --game qubic", "the built-in weights of a game"),
        ],
    ),
    (
        "schema",
        &[
            ("schema", "the keys of a config, with help, ranges and defaults"),
            ("schema agents", "the kinds of agents and their keys"),
        ],
    ),
    (
        "completions",
        &[("completions bash > ~/.local/share/bash-completion/completions/tictune", "")],
    ),
    (
        "man",
        &[
            ("man | man -l -", "shows the page"),
            ("man --out ~/.local/share/man/man1", "installs all"),
        ],
    ),
    (
        "runs",
        &[
            ("runs", "every run below runs/"),
            ("runs experiments --json", "those of another folder"),
        ],
    ),
    (
        "show",
        &[
            ("show runs/quickstart", "how a run stands, and its verdict"),
            ("show tictune-advanced", "what each weight is, and where it comes from"),
            ("show 2.8", "a table of a document"),
        ],
    ),
    (
        "new",
        &[
            ("new", "asks three questions and writes a config"),
            ("new mine.toml --evaluation advanced --time 10min", "asks nothing"),
        ],
    ),
    (
        "worker",
        &[
            ("worker nats://server:4222 --threads 8", "plays until it is stopped"),
            (
                "worker nats://server:4222 --key cluster.key",
                "plays for those who have the same key, and for nobody else",
            ),
        ],
    ),
    ("workers", &[("workers nats://server:4222", "who is there, and how fast")]),
    (
        "serve",
        &[
            ("serve", "shows the runs below runs/ in a browser"),
            ("serve runs/quickstart", "one run"),
        ],
    ),
];

/// The group of an option in the help of a command; none for clap's own.
fn group(command: &str, option: &str) -> Option<&'static str> {
    Some(match option {
        "format" if command == "tournament" => "Games",
        "game" | "rules" | "games" | "seed" | "openings" | "schedule" | "replay_ties" | "sprt"
        | "from" | "first" | "second" | "depths" | "iterative" | "ept" | "opponents" | "rows"
        | "iterations" | "nodes" | "time_scale" | "stage" | "max_generations" | "depth" => "Games",
        "threads" | "executor" | "key" | "recheck" | "agent" | "level" | "protocol" => "Who plays",
        option if option.starts_with("nats_") => "Who plays",
        "out" | "json" | "log" | "moves" | "games_csv" | "pgn" | "format" | "svg" => "Output",
        "check" | "resume" | "describe" | "list" | "lines" => "What is done",
        _ => return None,
    })
}

/// What every command ends with.
pub(super) const EXIT_STATUS: &str = "Exit status: 0 when all is done; 1 after a failure, or where games give no result; 2 for bad usage or bad \
     input; 130 after an interruption, with everything saved that was measured.";

/// Gives a command its examples, and its options their groups.
pub(super) fn completed(command: Command, program: &str) -> Command {
    let name = command.get_name().to_string();
    let command = match examples(&name, program) {
        examples if examples.is_empty() => command,
        examples => command.before_help(examples),
    };
    command.mut_args(|arg| {
        // A value below 0 is refused as what it is, and not as an option that there is not.
        let takes_value = !arg.is_positional() && arg.get_action().takes_values();
        let arg = if takes_value { arg.allow_negative_numbers(true) } else { arg };
        match group(&name, arg.get_id().as_str()) {
            Some(group) if !arg.is_positional() => arg.help_heading(group),
            _ => arg,
        }
    })
}

/// The examples of a command as text: a command a line, and what it does below it; empty where there are none.
pub(super) fn examples(name: &str, program: &str) -> String {
    let Some((_, examples)) = EXAMPLES.iter().find(|(of, _)| *of == name) else {
        return String::new();
    };
    let heading = if examples.len() == 1 { "Example:" } else { "Examples:" };
    let example = |(command, what): &(&str, &str)| match what.is_empty() {
        true => format!("\n  {program} {command}"),
        false => format!("\n  {program} {command}\n      {what}"),
    };
    heading.to_string() + &examples.iter().map(example).collect::<String>()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::Cli;
    use crate::games::{Chess, Qubic, Uttt};
    use crate::registry::Registry;

    fn registry_of_all() -> Registry {
        let mut registry = Registry::new::<crate::built_in::BuiltInKinds>();
        registry.add::<Uttt, crate::built_in::BuiltInKinds>();
        registry.add::<Qubic, crate::built_in::BuiltInKinds>();
        registry.add::<Chess, crate::built_in::BuiltInKinds>();
        registry
    }

    #[test]
    fn every_command_has_examples_that_its_options_understand() {
        let registry = registry_of_all();
        let command = Cli::command_for(&registry);
        for subcommand in command.get_subcommands() {
            let name = subcommand.get_name();
            let examples = EXAMPLES.iter().find(|(of, _)| *of == name);
            let (_, examples) = examples.unwrap_or_else(|| panic!("{name} has no example"));
            for (example, _) in *examples {
                // What a shell would do is left out.
                let typed = example.split(['|', '>']).next().unwrap_or_default();
                let words = shlex::split(typed).unwrap();
                assert_eq!(words[0], name);
                let words = std::iter::once("tictune".to_string()).chain(words);
                let read = Cli::command_for(&registry).try_get_matches_from(words);
                assert!(read.is_ok(), "{example}: {}", read.unwrap_err());
            }
        }
    }

    #[test]
    fn long_lists_of_options_are_grouped() {
        let command = Cli::command_for(&registry_of_all());
        for subcommand in command.get_subcommands() {
            let options = subcommand.get_arguments().filter(|arg| !arg.is_positional());
            let [grouped, rest] =
                options.fold([0, 0], |[grouped, rest], arg| match arg.get_help_heading() {
                    Some(_) => [grouped + 1, rest],
                    None => [grouped, rest + 1],
                });
            assert!(rest <= 5, "{}: {rest} of {} options", subcommand.get_name(), grouped + rest);
        }
    }
}
