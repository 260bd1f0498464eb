//! The agents that a page may play with: none that starts programs, opens files of its own choice, or thinks without end.

use std::path::Path;

use super::Site;
use crate::agent::{AgentSpec, Human, Limit};
use crate::evolve::{Plan, RunDir, Vector, agent_file, read_vector};
use crate::game::GameInfo;
use crate::input::{InputError, Result, reading_only_in};
use crate::weights::Weights;

const MOST_MEBIBYTES: u32 = 256;
const MOST_THREADS: u32 = 8;

impl Site<'_> {
    /// Reads an agent of a game, or a level by name. `weights` is empty, a built-in name, `file:N`, or `run:ID:NAME` with `best` or
    /// `mean`; without a text, weights of a run come with the agent that they were evolved for.
    pub(super) fn agent(
        &self,
        game: &'static GameInfo,
        rules: &str,
        text: &str,
        weights: &str,
    ) -> Result<AgentSpec> {
        let levels = AgentSpec::levels(game, rules);
        let level = levels.iter().find(|(name, _)| *name == text.trim());
        let text = level.map_or(text, |(_, agent)| agent);
        let spec = match (text.trim(), weights.split(':').collect::<Vec<_>>().as_slice()) {
            ("", &["run", id, name]) => {
                let (plan, vector) = self.vector(id, name)?;
                of_game(&plan.game, game, "this run is")?;
                let depth = plan.stages.last().map_or(1, |stage| stage.depth);
                vector.apply_to(&plan.agent)?.with_default_depth(depth)
            }
            (text, reference) => {
                let default = AgentSpec::strongest(game, rules, "time=300ms");
                let text = if text.is_empty() { &default } else { text };
                let scope = self.registry.known().scope(game, Path::new(""));
                let mut spec = reading_only_in(None, || AgentSpec::parse_in(text, scope))?;
                if reference != [""] {
                    let weights = self.weights(game, reference)?;
                    if !spec.kind.evaluates() {
                        let message = format!("the agent {} takes no weights", spec.kind_name());
                        return Err(InputError::new(message));
                    }
                    spec = spec.with_weights(weights);
                }
                spec
            }
        };
        check(&spec)?;
        Ok(spec)
    }

    fn weights(&self, game: &'static GameInfo, reference: &[&str]) -> Result<Weights> {
        let found = match *reference {
            ["run", id, name] => {
                let (_, vector) = self.vector(id, name)?;
                let none = || InputError::new("this run evolves no weights");
                Some(vector.weights.ok_or_else(none)?)
            }
            ["file", number] => number.parse().ok().and_then(|n: usize| self.files.get(n).cloned()),
            [name] => Weights::built_in(game, name),
            _ => None,
        };
        let weights = found.ok_or_else(|| {
            InputError::new(format!("no weights are called {}", reference.join(":")))
        })?;
        of_game(weights.layout().game, game, "these weights are")?;
        Ok(weights)
    }

    fn vector(&self, id: &str, name: &str) -> Result<(Plan, Vector)> {
        let (dir, plan) = self.plan_of(id)?;
        if !VECTORS.contains(&name) {
            let message = format!("a run has best and mean, not {name}");
            return Err(InputError::new(message));
        }
        let vector = reading_only_in(Some(dir.path()), || read_vector(&plan, &dir, name))?;
        Ok((plan, vector))
    }
}

fn of_game(found: &str, game: &GameInfo, what: &str) -> Result<()> {
    match found == game.name {
        true => Ok(()),
        false => Err(InputError::new(format!("{what} of {found}, not of {}", game.name))),
    }
}

/// The vectors of a run that a page may name, as far as they are there.
pub(super) fn vectors_of(dir: &RunDir) -> Vec<&'static str> {
    let files = |name: &str| [dir.file(&format!("{name}.toml")), dir.file(&agent_file(name))];
    let is_there = |name: &&str| files(name).iter().any(|path| path.is_file());
    VECTORS.into_iter().filter(is_there).collect()
}

const VECTORS: [&str; 2] = ["best", "mean"];

/// Refuses an agent that a page may not ask for. Of those that it may, every search ends with its time.
pub(super) fn check(spec: &AgentSpec) -> Result<()> {
    let problem = if spec.program().is_some() {
        "a page starts no programs: external agents play in tictune play and match".into()
    } else if spec.is::<Human>() {
        "human is not an agent of a page: choose two people".into()
    } else if spec.kind.threads() > MOST_THREADS {
        format!("threads: the limit of a page is {MOST_THREADS}; tictune play has no such limit")
    } else if spec.kind.mebibytes() > MOST_MEBIBYTES {
        format!(
            "the limit of a page for tables is {MOST_MEBIBYTES} MiB; tictune play has no such limit"
        )
    } else if let Some(Limit::Bank { .. } | Limit::Clock { .. }) = spec.kind.limit() {
        "a page has no match clock: give time=, nodes= or iterations=".into()
    } else {
        return Ok(());
    };
    Err(InputError::new(problem))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent::Agents;
    use crate::game::Game;
    use crate::games::Uttt;
    use crate::serve::tests::site;

    fn agent(text: &str, weights: &str) -> Result<String, String> {
        let agent = site(&[]).agent(Uttt::INFO, "", text, weights);
        agent.map(|agent| agent.to_string()).map_err(|error| error.to_string())
    }

    #[test]
    fn agents_of_a_page_start_nothing_open_nothing_and_are_modest() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("mine.toml");
        std::fs::write(&path, Weights::built_in(Uttt::INFO, "liang-default").unwrap().to_toml())
            .unwrap();
        let path = path.display().to_string();
        let own = Agents::<Uttt>::default()
            .parse(&format!("minimax:depth=2,weights={path}"), Path::new(""));
        assert!(own.is_ok(), "elsewhere the file is read");
        for (text, weights, expected) in [
            ("external:cmd=\"touch x\",protocol=codingame", "", "starts no programs"),
            ("human", "", "not an agent of a page"),
            (&*format!("minimax:depth=2,weights={path}"), "", "may be read here"),
            (&*format!("@{path}"), "", "may be read here"),
            ("minimax:depth=2", &*path, "no weights are called"),
            ("minimax:depth=2", "run:0:best", "no such run"),
            ("minimax:depth=2", "file:0", "no weights are called"),
            ("random", "liang-default", "takes no weights"),
            ("iterative:time=1s,table=2000", "", "for tables is 256 MiB"),
            ("remembering:time=1s,positions=100000000", "", "for tables is 256 MiB"),
            ("plain:depth=2,value_table=2000", "", "for tables is 256 MiB"),
            ("mcts:clock=codingame", "", "no match clock"),
            ("mcts:iterations=100,threads=64", "", "threads: the limit"),
        ] {
            let error = agent(text, weights).unwrap_err();
            assert!(error.contains(expected), "{text} {weights}: {error}");
        }
        for (text, weights, expected) in [
            ("minimax:depth=4", "liang-default", "liang-default"),
            ("mcts:iterations=1000", "", "iterations=1000"),
            ("", "", "time=300ms"),
        ] {
            assert!(agent(text, weights).unwrap().contains(expected), "{text}");
        }
    }
}
