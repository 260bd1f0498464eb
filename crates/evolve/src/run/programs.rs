//! What the outside programs of a run are: for its manifest.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::plan::{OpponentPlan, Plan};
use tictune_core::agent::{AgentSpec, OtherProgram};
use tictune_core::files::hexadecimal;
use tictune_core::input::Result;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[doc(hidden)]
pub struct ProgramRecord {
    pub command: String,
    /// The protocol that it speaks; none for a runner.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub protocol: Option<String>,
    /// Variables of its environment, as the agent has them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, String>,
    /// The files that its command names: the program, found as a path or in PATH, and arguments such as a script.
    pub files: Vec<FileRecord>,
    /// What it calls itself, where its protocol asks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub announces: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[doc(hidden)]
pub struct FileRecord {
    pub word: String,
    pub bytes: u64,
    /// The SHA-256 of its content, in hexadecimal digits.
    pub sha256: String,
}

impl ProgramRecord {
    /// What a program is now. Words that name no file, or one that cannot be read, have no record.
    fn of(program: &dyn OtherProgram) -> Self {
        let words = shlex::split(program.command()).unwrap_or_default();
        let file = |(index, word): (usize, String)| {
            let path = if index == 0 { found_in_path(&word)? } else { PathBuf::from(&word) };
            let bytes = path.is_file().then(|| std::fs::read(&path).ok())??;
            let sha256 = hexadecimal(&Sha256::digest(&bytes));
            Some(FileRecord { word, bytes: bytes.len() as u64, sha256 })
        };
        Self {
            command: program.command().into(),
            protocol: program.protocol(),
            env: program.env(),
            files: words.into_iter().enumerate().filter_map(file).collect(),
            announces: program.announced_name(),
        }
    }

    /// Whether a record is of the same program, as far as agents distinguish programs.
    pub(super) fn is_of(&self, other: &Self) -> bool {
        self.command == other.command && self.protocol == other.protocol && self.env == other.env
    }
}

/// The outside programs of agents, each once, as they are now.
pub(super) fn programs_of<'a>(agents: impl Iterator<Item = &'a AgentSpec>) -> Vec<ProgramRecord> {
    let mut programs: BTreeMap<_, &dyn OtherProgram> = BTreeMap::new();
    for program in agents.filter_map(AgentSpec::program) {
        programs.entry(identity(program)).or_insert(program);
    }
    programs.into_values().map(ProgramRecord::of).collect()
}

/// What tells a program from others: its command, its protocol, its environment.
fn identity(program: &dyn OtherProgram) -> (String, Option<String>, BTreeMap<String, String>) {
    (program.command().into(), program.protocol(), program.env())
}

#[doc(hidden)]
impl Plan {
    pub fn has_programs(&self) -> bool {
        self.agents().any(|agent| agent.command().is_some())
    }

    /// Its agents, each with the key of the config that names it, whether it is the evolved one, and the depth of its games:
    /// the one that is evolved, opponents, those of the validation, and that of the comparison.
    fn keyed_agents(&self) -> impl Iterator<Item = (&'static str, bool, u32, &AgentSpec)> {
        let depths = || self.stages.iter().map(|stage| stage.depth);
        let (first, last) = (depths().next().unwrap_or(1), depths().next_back().unwrap_or(1));
        let pool = self.stages.iter().flat_map(|stage| {
            let depth = move |plan: &OpponentPlan| plan.depth.unwrap_or(stage.depth);
            let opponents = stage.fitness.opponents.iter();
            opponents.map(move |plan| ("[[opponents]] agent", false, depth(plan), &plan.agent))
        });
        let others = self.validation.agents.iter();
        let others = others.map(move |agent| ("[[validation.agents]]", false, last, agent));
        let comparison = ("[comparison] agent", true, last, &self.comparison.agent);
        let own = ("[agent] cmd", true, first, &self.agent);
        [own].into_iter().chain(pool).chain(others).chain([comparison])
    }

    /// Its agents, opponents first: the evolved agent has no numbers yet, and an engine is started to ask its name.
    pub fn agents(&self) -> impl Iterator<Item = &AgentSpec> {
        let (evolved, others): (Vec<_>, Vec<_>) =
            self.keyed_agents().partition(|(_, is_evolved, ..)| *is_evolved);
        others.into_iter().chain(evolved).map(|(.., agent)| agent)
    }

    /// The agents that are programs, each once, as they are at the start.
    pub fn programs_at_the_start(&self) -> Result<Vec<AgentSpec>> {
        let start = self.vector_at("initial", &self.start_point())?;
        let mut programs: Vec<AgentSpec> = Vec::new();
        for (_, is_evolved, depth, agent) in self.keyed_agents() {
            let agent = if is_evolved { start.apply_to(agent)? } else { agent.clone() };
            let of = |agent: &AgentSpec| agent.program().map(identity);
            if agent.program().is_some() && programs.iter().all(|known| of(known) != of(&agent)) {
                programs.push(agent.with_default_depth(depth));
            }
        }
        Ok(programs)
    }

    /// The commands of its outside programs, each once, in the order of the plan's agents, each with the program that it starts.
    /// Nothing is run.
    pub fn commands(&self) -> Vec<StartedProgram> {
        let mut started: Vec<StartedProgram> = Vec::new();
        for (key, .., agent) in self.keyed_agents() {
            let Some(program) = agent.program() else { continue };
            let key = if program.plays_whole_games() { "[fitness] runner" } else { key };
            let command = program.command();
            if started.iter().all(|known| known.command != *command) {
                started.extend(StartedProgram::of_command(key, command));
            }
        }
        started
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
#[doc(hidden)]
pub struct StartedProgram {
    /// The key of the config that first names the command.
    pub key: &'static str,
    pub command: String,
    pub program: String,
    /// What is not there of it: the program, if the system does not find it or may not run it, or else a script that an argument names.
    pub missing: Option<String>,
}

impl StartedProgram {
    fn of_command(key: &'static str, command: &str) -> Option<Self> {
        let words = shlex::split(command)?;
        let (program, arguments) = words.split_first()?;
        let missing = match is_there(program) || is_open(program) {
            false => Some(program),
            true => script(program, arguments).filter(|script| !Path::new(script).exists()),
        };
        let missing = missing.cloned();
        Some(Self { key, command: command.into(), program: program.clone(), missing })
    }
}

/// Whether a word has a placeholder, so that nobody knows what it names.
fn is_open(word: &str) -> bool {
    word.contains('{')
}

/// The argument that is the script of an interpreter, as in `python3 bot.py`. What other programs do with a name is theirs to know.
fn script<'a>(program: &str, arguments: &'a [String]) -> Option<&'a String> {
    const SCRIPTS: [&str; 11] =
        ["py", "js", "mjs", "cjs", "ts", "rb", "pl", "lua", "sh", "jar", "php"];
    let is_own = program.contains(std::path::MAIN_SEPARATOR);
    let first = arguments.first().filter(|first| !is_own && !is_open(first))?;
    let extension = Path::new(first).extension()?.to_str()?;
    SCRIPTS.contains(&extension).then_some(first)
}

fn is_there(program: &str) -> bool {
    let file = found_in_path(program).and_then(|path| path.metadata().ok());
    let Some(file) = file.filter(std::fs::Metadata::is_file) else { return false };
    #[cfg(unix)]
    let may_run = std::os::unix::fs::PermissionsExt::mode(&file.permissions()) & 0o111 != 0;
    #[cfg(not(unix))]
    let may_run = true;
    may_run
}

/// The file that the system starts for the first word of a command.
fn found_in_path(word: &str) -> Option<PathBuf> {
    if word.contains(std::path::MAIN_SEPARATOR) {
        return Some(word.into());
    }
    let folders = std::env::var_os("PATH")?;
    std::env::split_paths(&folders).map(|folder| folder.join(word)).find(|path| path.is_file())
}
