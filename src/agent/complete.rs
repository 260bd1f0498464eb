//! Filling in what a spec leaves open.

use super::kinds::{AgentKind, Kind};
use super::spec::AgentSpec;
use super::text::limits_of;
use crate::game::GameInfo;
use crate::input::InputError;
use crate::weights::builtin;

impl AgentSpec {
    /// Fills in what is still open: the strongest built-in weights of the evaluation (of the game's
    /// default evaluation, if none is named).
    ///
    /// # Errors
    /// A person; a search to a fixed depth without one; a search without its limit; an evaluation without built-in
    /// weights; a program with a placeholder that has no value, or a value that no placeholder has.
    pub fn complete(self, game: &'static GameInfo) -> Result<Self, InputError> {
        if let AgentKind::Minimax(_) | AgentKind::Expectimax(_) = self.kind
            && self.kind.depth().is_none()
        {
            return Err(InputError::new(format!(
                "agent \"{self}\" needs a depth, as in {}:depth=5",
                self.kind()
            )));
        }
        self.complete_but_for_depth(game)
    }

    /// [`complete`](Self::complete), but the depth of a search to a fixed depth may stay open.
    ///
    /// # Errors
    /// As `complete`.
    pub fn complete_but_for_depth(mut self, game: &'static GameInfo) -> Result<Self, InputError> {
        let is_runner = matches!(self.kind, AgentKind::Runner(_));
        if is_runner != game.is_outside() {
            return Err(InputError::new(match is_runner {
                true => format!(
                    "agent \"{self}\": a runner plays whole matches of a game of its own, not moves of {}: give \
                     --game {}, or for a config [fitness] runner = {{ ... }}",
                    game.name,
                    GameInfo::OUTSIDE.name
                ),
                false => format!(
                    "agent \"{self}\": tictune does not know the game of a runner; only agents runner:cmd=\"...\" play it"
                ),
            }));
        }
        if self.kind == AgentKind::Human {
            return Err(InputError::new(
                "agent \"human\": a person plays in tictune play only; elsewhere games run side by \
                 side and would all ask at one terminal",
            ));
        }
        if let AgentKind::Iterative(_) | AgentKind::Pvs(_) | AgentKind::Mcts(_) = self.kind
            && self.kind.limit().is_none()
        {
            let limits = limits_in_words(self.kind());
            return Err(InputError::new(format!("agent \"{self}\" needs a limit: {limits}")));
        }
        let evaluates = self.evaluates();
        let text = self.to_string();
        if let Some(evaluation) = self.kind.evaluation_mut().filter(|_| evaluates)
            && evaluation.weights.is_none()
        {
            let name = match &evaluation.name {
                Some(name) => name,
                None => game.default_layout().ok_or_else(|| no_evaluation(&text, game.name))?.name,
            };
            let strongest = builtin::strongest(game, name).ok_or_else(|| {
                InputError::new(format!("no weights for {name} are built in; give weights="))
            })?;
            evaluation.weights = Some(strongest);
        }
        if let AgentKind::External(settings) = &self.kind {
            let wrong = |error: InputError| error.context(&format!("agent \"{self}\""));
            settings.check().map_err(wrong)?;
        }
        if let AgentKind::Runner(settings) = &self.kind {
            let wrong = |error: InputError| error.context(&format!("agent \"{self}\""));
            settings.check().map_err(wrong)?;
            if let (Some(message), None) = (settings.missing_number(), &settings.name) {
                return Err(wrong(InputError::new(message)));
            }
        }
        Ok(self)
    }

    /// The agent that plays a game best with a limit such as `time=1s`, in text: who plays unless another
    /// is named.
    #[must_use]
    pub fn strongest(game: &GameInfo, limit: &str) -> String {
        let separator = if game.strongest.contains(':') { ',' } else { ':' };
        format!("{}{separator}{limit}", game.strongest)
    }

    /// Opponents for people, from weak to strong: the name of a level, and the agent in text. In games without weights,
    /// playouts stand in for evaluations.
    #[must_use]
    pub(crate) fn levels(game: &GameInfo) -> [(&'static str, String); 5] {
        let (easy, medium) = match game.vectors {
            [] => ("mcts:iterations=50", "mcts:iterations=500"),
            _ => ("greedy", "minimax:depth=2"),
        };
        [
            ("beginner", "random".into()),
            ("easy", easy.into()),
            ("medium", medium.into()),
            ("hard", Self::strongest(game, "time=50ms")),
            ("expert", Self::strongest(game, "time=1s")),
        ]
    }
}

fn no_evaluation(agent: &str, game: &str) -> InputError {
    InputError::new(format!(
        "agent \"{agent}\" needs an evaluation, and {game} has none here: it is played by outside \
         programs (external), by random, and by mcts with random playouts"
    ))
}

/// The limits of a kind by example, as in "nodes=100000, time=100ms or clock=theaigames".
fn limits_in_words(kind: Kind) -> String {
    let mut limits: Vec<String> =
        limits_of(kind).map(|key| format!("{}={}", key.name, key.example())).collect();
    let last = limits.pop().unwrap_or_default();
    format!("{} or {last}", limits.join(", "))
}
