//! Games that a program of somebody else plays: `[fitness] runner = { ... }`, and the opponents of such a config.

use super::{FITNESS_KEYS, Reader};
use tictune_core::agent::AgentSpec;
use tictune_core::game::GameInfo;
use tictune_core::input::{InputError, Table, unknown};

const RUNNER_KEYS: [&str; 4] = ["cmd", "once", "timeout", "pairs"];
/// The keys of an opponent; the first two also in the validation.
const OPPONENT_KEYS: [&str; 3] = ["numbers", "name", "share"];

/// Whether the config's games are a runner's.
pub(super) fn is_there(root: &Table<'_, '_>) -> Result<bool, InputError> {
    let fitness = root.table("fitness", &FITNESS_KEYS)?;
    Ok(fitness.is_some_and(|fitness| fitness.has("runner")))
}

/// Checks that a config gives nothing that a runner's games do not have.
pub(super) fn check(root: &Table<'_, '_>, game: &GameInfo) -> Result<(), InputError> {
    if !game.is_outside() {
        return Ok(());
    }
    if !is_there(root)? {
        let message = format!(
            "the game {} is played by a program: write [fitness] runner = {{ cmd = \"PROGRAM\" }}",
            game.name
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

impl Reader<'_, '_, '_> {
    /// Whether the games are a runner's.
    pub(super) fn has_runner(&self) -> bool {
        self.scope.game.is_outside()
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
        let mut spec = AgentSpec::empty(self.scope.known.kinds.find("runner")?);
        for (key, text) in &pairs {
            spec = spec.with_key(key, text, self.scope).map_err(|error| {
                let key = if *key == "cmd" && table.has("once") { "once" } else { key };
                table.error(key, error.message.trim_start_matches("cmd: "))
            })?;
        }
        if let Some(program) = spec.program() {
            let key = if table.has("once") { "once" } else { "cmd" };
            program.check().map_err(|error| table.error(key, error))?;
        }
        Ok(spec)
    }

    /// Checks that the placeholders of a one-shot command are all numbers that are evolved.
    pub(super) fn check_placeholders(&self, start: &AgentSpec) -> Result<(), InputError> {
        let Some(program) = start.program() else { return Ok(()) };
        match (program.missing_number(), self.root.table("fitness", &FITNESS_KEYS)?) {
            (Some(message), Some(fitness)) => Err(fitness.error("runner", message)),
            _ => Ok(()),
        }
    }

    /// The keys of an opponent.
    pub(super) fn opponent_keys(&self, usual: &'static [&'static str]) -> &'static [&'static str] {
        match (self.has_runner(), usual.contains(&"share")) {
            (false, _) => usual,
            (true, true) => &OPPONENT_KEYS,
            (true, false) => &OPPONENT_KEYS[..2],
        }
    }

    /// An opponent: a name that the program knows, or numbers. Those that are left out are as at the start.
    pub(super) fn runner_opponent(
        &self,
        entry: &Table<'_, '_>,
        start: &AgentSpec,
    ) -> Result<AgentSpec, InputError> {
        let name = entry.string("name")?;
        if name.is_none() && !entry.has("numbers") {
            let message = "expected numbers = { NAME = VALUE }, a file of them, or name = \"...\", a name that the \
                           program knows";
            return Err(entry.error_here(message));
        }
        let mut agent = start.clone();
        if let Some(name) = name {
            let named = agent.with_key("name", name, self.scope);
            agent = named
                .map_err(|error| entry.error("name", error.message.trim_start_matches("name: ")))?;
        }
        let known = start.numeric_keys();
        let known: Vec<&str> = known.iter().map(String::as_str).collect();
        for (name, value) in self.numbers(entry)? {
            if !known.contains(&name.as_str()) {
                return Err(entry.error_about("numbers", &name, unknown("number", &name, &known)));
            }
            let found = agent.with_number(&name, value);
            agent = found.map_err(|error| entry.error_about("numbers", &name, error.message))?;
        }
        if !entry.has("numbers") {
            // The name says it all.
            agent = agent.with_key("numbers", "{}", self.scope)?;
        }
        Ok(agent)
    }
}
