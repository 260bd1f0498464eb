//! Games that a program of somebody else plays: `[fitness] runner = { ... }`, and the opponents of such a config.

use super::stages::Opponent;
use super::{FITNESS_KEYS, Reader};
use crate::agent::{AgentKind, AgentSpec, Kind};
use crate::game::GameInfo;
use crate::input::{InputError, Table, unknown};

const RUNNER_KEYS: [&str; 4] = ["cmd", "once", "timeout", "pairs"];
const OPPONENT_KEYS: [&str; 3] = ["numbers", "name", "share"];

/// Whether the config's games are a runner's.
pub(super) fn is_there(root: &Table<'_, '_>) -> Result<bool, InputError> {
    let fitness = root.table("fitness", &FITNESS_KEYS)?;
    Ok(fitness.is_some_and(|fitness| fitness.has("runner")))
}

impl Reader<'_, '_, '_> {
    /// Whether the games are a runner's.
    pub(super) fn has_runner(&self) -> bool {
        self.scope.game.is_outside()
    }

    /// Checks that nothing is given that a runner's games do not have.
    pub(super) fn check_runner(&self) -> Result<(), InputError> {
        let root = self.root;
        if !self.has_runner() {
            return Ok(());
        }
        let name = GameInfo::OUTSIDE.name;
        if !is_there(root)? {
            let message = format!(
                "the game {name} is played by a program: write [fitness] runner = {{ cmd = \"PROGRAM\" }}"
            );
            return Err(root.error("game", message));
        }
        for (key, message) in [
            ("evaluation", "the program has its own: name its numbers in [[parameters]]"),
            ("agent", "the program of fitness.runner plays the candidates: leave [agent] out"),
        ] {
            if root.has(key) {
                return Err(root.misplaced(key, message));
            }
        }
        if !root.has("parameters") {
            let message = "missing; write [[parameters]] with key, initial, low and high for each number of the program \
                           that is evolved";
            return Err(root.error("parameters", message));
        }
        Ok(())
    }

    /// The program, as the agent that plays the candidates.
    pub(super) fn runner(&self) -> Result<AgentSpec, InputError> {
        let missing = || InputError::new("fitness.runner is missing");
        let fitness = self.root.table("fitness", &FITNESS_KEYS)?.ok_or_else(missing)?;
        let table = fitness.table("runner", &RUNNER_KEYS)?.ok_or_else(missing)?;
        let mut pairs: Vec<(&str, String)> = Vec::new();
        for (key, text) in table.scalars()? {
            match key {
                "once" => pairs.extend([("cmd", text), ("once", "true".into())]),
                _ => pairs.push((key, text)),
            }
        }
        if table.has("cmd") == table.has("once") {
            let message = "give cmd, a program that stays and answers line by line, or once, a command that is run \
                           for each request";
            return Err(fitness.error("runner", message));
        }
        let mut spec = AgentSpec::new(Kind::Runner);
        for (key, text) in &pairs {
            spec = spec.with_key(key, text, self.scope).map_err(|error| {
                let key = if *key == "cmd" && table.has("once") { "once" } else { key };
                table.error(key, error.message.trim_start_matches("cmd: "))
            })?;
        }
        if let AgentKind::Runner(settings) = &spec.kind {
            let key = if settings.once { "once" } else { "cmd" };
            settings.check().map_err(|error| table.error(key, error))?;
        }
        Ok(spec)
    }

    /// Checks that the placeholders of a one-shot command are all numbers that are evolved.
    pub(super) fn check_placeholders(&self, start: &AgentSpec) -> Result<(), InputError> {
        let AgentKind::Runner(settings) = &start.kind else { return Ok(()) };
        match (settings.missing_number(), self.root.table("fitness", &FITNESS_KEYS)?) {
            (Some(message), Some(fitness)) => Err(fitness.error("runner", message)),
            _ => Ok(()),
        }
    }

    /// The opponents of a table: names that the program knows, or numbers. What is left out of the numbers is as in
    /// the start vector.
    pub(super) fn runner_opponents(
        &self,
        table: &Table<'_, '_>,
    ) -> Result<Vec<Opponent>, InputError> {
        let runner = self.runner()?;
        let parameters = self.parameters(&runner)?;
        let start = parameters.iter().try_fold(runner.clone(), |agent, parameter| {
            agent.with_number(&parameter.key, parameter.initial)
        })?;
        self.check_placeholders(&start)?;
        let known: Vec<&str> = parameters.iter().map(|parameter| parameter.key.as_str()).collect();
        let read = |entry: &Table<'_, '_>| {
            let is_inline = |key: &str| key == "numbers";
            let mut agent = start.clone();
            let (mut is_named, mut numbers) = (false, None);
            for (key, text) in entry.texts(is_inline)? {
                match key {
                    "share" => continue,
                    "name" => is_named = true,
                    _ => numbers = Some(()),
                }
                agent = agent.with_key(key, &text, self.scope).map_err(|error| {
                    let message = error.message.trim_start_matches(&format!("{key}: ")).to_string();
                    if error.file.is_some() {
                        entry.error(key, error)
                    } else {
                        entry.error(key, message)
                    }
                })?;
            }
            if !is_named && numbers.is_none() {
                let message = "expected numbers = { NAME = VALUE }, a file of them, or name = \"...\", a name that the \
                               program knows";
                return Err(entry.error_here(message));
            }
            let (AgentKind::Runner(own), AgentKind::Runner(start)) = (&mut agent.kind, &start.kind)
            else {
                return Err(entry.error_here("is no agent of a runner"));
            };
            if let Some(name) = own.numbers.keys().find(|name| !known.contains(&name.as_str())) {
                return Err(entry.error_about("numbers", name, unknown("number", name, &known)));
            }
            match numbers {
                Some(()) => {
                    let given = std::mem::take(&mut own.numbers);
                    own.numbers = start.numbers.clone();
                    own.numbers.extend(given);
                }
                // A name says it all.
                None => own.numbers.clear(),
            }
            let share = super::stages::share(entry)?;
            Ok(Opponent { agent, share, depths: None, openings: None })
        };
        table.tables("opponents", &OPPONENT_KEYS)?.iter().map(read).collect()
    }
}
