//! What `--help` shows beside the descriptions of options: examples, and groups of options.

use clap::Command;

use crate::games::KNOWN;
use crate::registry::Registry;

/// Examples: a paragraph for the program as a whole, and one for each command. What a command does is below it.
const EXAMPLES: &str = include_str!("examples.txt");

/// The group of an option in the help of a command; none for clap's own.
fn group(command: &str, option: &str) -> Option<&'static str> {
    Some(match option {
        "format" if matches!(command, "tournament" | "ladder") => "Games",
        "game" | "rules" | "games" | "seed" | "openings" | "schedule" | "replay_ties" | "sprt"
        | "from" | "first" | "second" | "depths" | "iterative" | "ept" | "opponents" | "rows"
        | "iterations" | "nodes" | "time_scale" | "stage" | "max_generations" | "depth" => "Games",
        "threads" | "executor" | "key" | "recheck" | "agent" | "level" | "protocol" => "Players",
        option if option.starts_with("nats_") => "Players",
        "out" | "json" | "log" | "moves" | "games_csv" | "pgn" | "format" | "svg" => "Output",
        "check" | "resume" | "finish" | "describe" | "list" | "report" | "lines" => "Actions",
        _ => return None,
    })
}

pub(super) const EXIT_STATUS: &str = "Exit status: 0 on success; 1 after a failure, or if games give no result; 2 for bad usage or bad input; 130 \
     after an interruption, with everything saved that was measured.";

/// Gives a command its examples, and its options their groups.
pub(super) fn completed(command: Command, program: &str, registry: &Registry) -> Command {
    let name = command.get_name().to_string();
    let command = match examples(&name, program, registry) {
        examples if examples.is_empty() => command,
        examples => command.before_help(examples),
    };
    command.mut_args(|arg| {
        // A value below 0 is refused as what it is, and not as an unknown option.
        let takes_value = !arg.is_positional() && arg.get_action().takes_values();
        let arg = if takes_value { arg.allow_negative_numbers(true) } else { arg };
        match group(&name, arg.get_id().as_str()) {
            Some(group) if !arg.is_positional() => arg.help_heading(group),
            _ => arg,
        }
    })
}

fn examples_of(name: &str) -> Option<&'static str> {
    let mut paragraphs = EXAMPLES.trim_end().split("\n\n");
    let of_program = paragraphs.next();
    let is_of = |text: &&str| text.split_whitespace().next() == Some(name);
    if name.is_empty() { of_program } else { paragraphs.find(is_of) }
}

/// What examples name that a program without the built-in games does not have.
const OF_BUILT_IN: [&str; 6] =
    ["experiments/", "qubic", "validate runs", "tictune-", "advanced", "2.8"];

/// The examples of a command as text: a command a line, and what it does below it; empty where there are none.
pub(super) fn examples(name: &str, program: &str, registry: &Registry) -> String {
    let Some(examples) = examples_of(name) else { return String::new() };
    let mut examples = examples.to_string();
    let is_own = registry.find(Some(KNOWN[0].name)).is_err();
    if is_own {
        examples = examples.replace("experiments/quickstart.toml", "mine.toml");
        examples = examples.replace("runs/quickstart", "runs/mine").replace("liang-default,", "");
    }
    let (mut text, mut commands, mut is_known) = (String::new(), 0, true);
    for line in examples.lines() {
        let what = line.strip_prefix("    ").map(|what| format!("\n      {what}"));
        if what.is_none() {
            is_known = !is_own || !OF_BUILT_IN.iter().any(|word| line.contains(word));
            commands += usize::from(is_known);
        }
        if is_known {
            text += &what.unwrap_or_else(|| format!("\n  {program} {line}"));
        }
    }
    if commands == 0 {
        return text;
    }
    format!("{}:{text}", if commands == 1 { "Example" } else { "Examples" })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::Cli;

    #[test]
    fn every_command_has_examples_that_its_options_understand() {
        let registry = tictune_built_in::registry();
        let command = Cli::command_for(&registry, "tictune");
        for subcommand in command.get_subcommands() {
            let name = subcommand.get_name();
            let examples = examples_of(name).unwrap_or_else(|| panic!("{name} has no example"));
            for example in examples.lines().filter(|line| !line.starts_with(' ')) {
                // What a shell would do is left out.
                let typed = example.split(['|', '>']).next().unwrap_or_default();
                let words = shlex::split(typed).unwrap();
                assert_eq!(words[0], name);
                let words = std::iter::once("tictune".to_string()).chain(words);
                let read = Cli::command_for(&registry, "tictune").try_get_matches_from(words);
                assert!(read.is_ok(), "{example}: {}", read.unwrap_err());
            }
        }
    }
}
