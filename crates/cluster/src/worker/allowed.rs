//! The programs that a worker may start.

use tictune_core::agent::AgentSpec;

/// What the person who started a worker allows. Nobody on the network can make it start anything else.
#[derive(Clone, Debug, Default)]
pub struct Allowed {
    /// Commands, as in the agents: `external:cmd="..."`.
    pub programs: Vec<String>,
    /// Variables that may be set in the environment of these programs.
    pub variables: Vec<String>,
}

impl Allowed {
    /// Checks an agent.
    ///
    /// # Errors
    /// The program or the variable that is not on the list.
    pub fn check(&self, agent: &AgentSpec) -> Result<(), String> {
        let Some(program) = agent.program() else { return Ok(()) };
        let (command, variables) = (program.command(), program.env());
        if !self.programs.iter().any(|known| known == command) {
            return Err(format!(
                "it may not start {command:?}; start workers that have the program with --allow-program and this command"
            ));
        }
        match variables.keys().find(|name| !self.variables.contains(name)) {
            None => Ok(()),
            Some(name) => Err(format!(
                "it may not set the variable {name:?} for a program; start workers with --allow-env and this name"
            )),
        }
    }
}
